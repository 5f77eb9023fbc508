"""The process that calls webhooks and wakes devices, beside the judge: it knows addresses and public facts alone."""
