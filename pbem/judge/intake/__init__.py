"""Takes in files and mails: they are opened, checked, entered and answered, or put in quarantine."""
