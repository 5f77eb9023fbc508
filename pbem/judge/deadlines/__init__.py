"""When an exchange ends: rhythms, deadlines, reminders, and looks at the mailbox."""
