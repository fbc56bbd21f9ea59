"""The server's settings and the files that they name."""
