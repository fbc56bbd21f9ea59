"""The crash fuzz: no request may end the process that serves a model."""
