"""What keeps a club's folder whole: backups, the journal, restore, and that it is the one."""
