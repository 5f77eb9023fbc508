"""A game made again from its transcript: exchanges from order texts and chance, reports from views.

The judge plays a game forward through this package, the audit plays it again; neither adds anything to
what it decides. It does no input or output.
"""
