"""Games and players as somebody writes them who has only read the page about it: single files, nothing inherited."""
