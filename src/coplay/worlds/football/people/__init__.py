"""Football for people: words, pictures, a match at the terminal."""
