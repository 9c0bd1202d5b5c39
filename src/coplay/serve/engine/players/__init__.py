"""The partners at the tables: policies in batches, plain agents in processes, and what must be compiled for them."""
