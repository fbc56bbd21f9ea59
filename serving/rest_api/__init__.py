"""The REST transport."""
