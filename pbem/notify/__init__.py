"""The process that calls webhooks, beside the judge: it knows addresses and public facts alone."""
