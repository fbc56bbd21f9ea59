"""Drives the servers with Locust, measures them, and says how sure the comparison is."""
