"""Deadlines of exchanges: rhythms, absences, reminders, and checks of the mailbox."""
