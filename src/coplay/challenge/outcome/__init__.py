"""What comes of the games: scores, ratings, the board, the page, and the check that anybody can make."""
