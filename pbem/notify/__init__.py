"""The process beside the judge that calls webhooks and wakes devices; it knows public facts alone."""
