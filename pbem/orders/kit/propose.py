"""The answers that lines of most games' verbs propose, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pbem.orders.kit.parsed_orders import DONE, Order
from pbem.orders.kit.vocabulary import FOR_ALL, Occasion, Proposes


def subject(text: str) -> str:
    """Return the name of what an answer is about, such as "Tom" in "retreat Tom to Moor"."""
    return text.split(" ", 1)[-1].partition(" to ")[0]


def by_name(occasion: Occasion) -> Iterator[str]:
    """Yield `VERB NAME` for each name of an order in turn, or the verb alone without names.

    `rest` stands for whatever else is possible.
    """
    return _names_of(occasion.order.verb, occasion)


def named(verb: str, nobody: str = "") -> Proposes:
    """Return a function that proposes as `by_name` does, with another verb.

    `nobody` is the answer to `none`.
    """

    def proposes(occasion: Occasion) -> Iterator[str]:
        return iter((nobody,)) if occasion.order.nobody and nobody else _names_of(verb, occasion)

    return proposes


def word(text: str) -> Proposes:
    """Return a function that always proposes this answer."""
    return lambda _: iter((text,))


def _names_of(verb: str, occasion: Occasion) -> Iterator[str]:
    order, ask = occasion.order, occasion.ask
    if not order.picks or verb == DONE:
        yield verb
        return
    for name in order.names:
        if name in FOR_ALL:
            named_here = {f"{verb} {other}" for other in (*order.names, *order.left_out)}
            left = [text for text in ask.legal if text.startswith(f"{verb} ") and text not in named_here]
            yield from (ask.default, *left) if ask.default in left else left
        else:
            yield f"{verb} {name}"


def picked(
    order: Order,
    candidates: Sequence[str],
    named_elsewhere: Iterable[str] = (),
    of_group: Callable[[str, str], bool] | None = None,
) -> list[str]:
    """Return the names of `candidates` that the order's list means, in the order of that list.

    A group or `all` stands for its members in the order of `candidates`; `rest` for those that neither
    this list nor another names. `of_group(name, group)`: is the name one of the group?
    """
    named_ = {*order.names, *named_elsewhere}
    chosen: dict[str, None] = {}
    for name in order.names or ("all",):
        if name == "rest":
            found = [one for one in candidates if one not in named_]
        elif name == "all":
            found = list(candidates)
        elif name in candidates:
            found = [name]
        else:
            found = [one for one in candidates if of_group and of_group(one, name)]
        chosen.update(dict.fromkeys(found))
    left_out = order.left_out
    return [one for one in chosen if one not in left_out] if left_out else list(chosen)
