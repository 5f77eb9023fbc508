"""Takes in what arrives: files are opened, checked, entered and answered, or set apart."""
