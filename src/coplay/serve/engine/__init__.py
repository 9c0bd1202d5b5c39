"""The running games of a server process."""
