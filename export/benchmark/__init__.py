"""All forms of a run measured side by side, with the plain Keras export and eager Keras."""
