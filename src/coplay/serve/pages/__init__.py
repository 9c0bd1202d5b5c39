"""The web site of a challenge server: pages, games in the browser, the host's desk."""
