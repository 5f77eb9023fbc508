"""A game as its transcript makes it: exchanges resolved from order texts and chance, reports from views.

The judge plays a game forward through this package, the audit plays it again; neither adds anything to
what it decides. It does no input or output.
"""
