"""Football in the browser: the page of the pitch and what its script is told."""
