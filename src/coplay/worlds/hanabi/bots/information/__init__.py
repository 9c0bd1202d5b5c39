"""The information strategy of J. Wu ("WTFWThat"): hints that tell every other player something about his cards at once.

tables.py      what everybody knows about a card: the identities it may be, weighted by the copies left
questions.py   a hand as a number: questions about its cards that everybody can ask, and their answers
hints.py       a number as a hint: which hints stand for which numbers
bot.py         hearing a move, choosing a move
"""

from coplay.worlds.hanabi.bots.information.bot import InformationBot

__all__ = ["InformationBot"]
