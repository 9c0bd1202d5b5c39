"""Commands of whoever hosts a challenge, and of whoever enters one."""
