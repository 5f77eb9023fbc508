"""The process that calls webhooks and wakes devices, beside the judge: it knows public facts alone."""
