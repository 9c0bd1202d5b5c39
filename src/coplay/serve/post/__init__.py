"""Letters to entrants and to the host, by any SMTP server."""
