"""The order language of Harvest: `bid 7`."""

from pbem.orders.plain import PlainLanguage

LANGUAGE = PlainLanguage({"bid": ("bid",)})
