"""Other people's APIs over our games: Gymnasium, PettingZoo, the Hanabi Learning Environment, JaxMARL.

Each module is imported by name (`from coplay.adapters import hle`), so that what one of them needs is asked of nobody
else.
"""
