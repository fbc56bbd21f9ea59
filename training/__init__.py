"""From photos in class folders to a trained network in runs/NAME."""
