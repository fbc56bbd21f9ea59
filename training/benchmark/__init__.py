"""Tables 6.1 and 6.2 of the article, measured side by side."""
