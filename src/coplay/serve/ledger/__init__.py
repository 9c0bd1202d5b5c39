"""What is written down of a challenge, and by whom: entrants, keys, attempts, results, the audit."""
