"""What AutoGraph made of a function, and what it left alone."""
