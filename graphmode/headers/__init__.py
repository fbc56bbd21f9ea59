"""What encoded photos say of themselves before they are decoded, one file a kind."""
