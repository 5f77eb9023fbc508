"""Keys, signatures, seals, dice and ledger, checked against the stock tools that must agree with them."""
