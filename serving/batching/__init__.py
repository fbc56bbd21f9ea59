"""Requests joined into batches."""
