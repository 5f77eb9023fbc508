"""The reader of one order: its verb, what it is about, its clauses, and its condition.

The smallest faulty part is dropped: a wrong entry of a list leaves the others standing; a wrong name on a
way leaves nothing that could be done.
"""

from __future__ import annotations

from pbem.characters import is_decimal, split_words
from pbem.orders.cursor import SEPARATORS, Cursor, Wrong
from pbem.orders.kit.conditions import ConditionReader, Reader
from pbem.orders.kit.parsed_orders import FULL, Condition, Order, Pick
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.vocabulary import EVERYBODY, Clause, Count, Noun, Verb
from pbem.orders.lines import BLANK

NOBODY = frozenset(("none", "nobody", "nothing", "nowhere"))


def find_verb(cursor: Cursor, rows: Rows) -> Verb | None:
    """Return the verb that begins here, if one does, and go past it."""
    if cursor.word in rows.other_verbs:
        return rows.by_verb[rows.other_verbs[cursor.take().word]]
    for count in (2, 1):
        verb = rows.by_verb.get(" ".join(cursor.words[:count])) if len(cursor.words) >= count else None
        if verb is not None:
            cursor.place += count
            return verb
    return None


def is_unfilled(cursor: Cursor, verb: Verb, rows: Rows) -> bool:
    """Tell whether a line of a form has nothing filled in."""
    words = {token.word for token in cursor.rest}
    if BLANK not in words:
        return False
    return verb.in_form == "filled in" or words <= {BLANK} | rows.clause_words | SEPARATORS | set(EVERYBODY)


class OrderReader(Reader):
    """A reader of what stands after a verb."""

    def condition(self) -> Condition:
        """Read the condition after `if`, with the colon or `then` after it, and return it."""
        condition = ConditionReader(self.cursor, self.rows, self.side, self.in_plan).read()
        self.cursor.skip(",", "and")
        self.cursor.skip(":", "then")
        return condition

    def read(self, verb: Verb, when: Condition | None) -> Order:
        """Read the order after a verb, and return it; `when` is the condition that stood before it."""
        cursor = self.cursor
        line = cursor.tokens[0].line
        cursor.drop_blanks()
        cursor.skip(":")
        picks = self._picks(verb)
        but: tuple[Pick, ...] = ()
        found: dict[str, tuple[str, ...]] = {}
        while not cursor.done:
            word = cursor.word
            if word == ":":
                cursor.take()
            elif word in ("except", "but") and verb.takes in self.rows.by_noun:
                cursor.take()
                but = self._list(self.rows.by_noun[verb.takes], verb)
            elif clause := self._clause(verb):
                names = self._clause_names(clause)
                if names is not None:  # `to Hill to Mill` goes on as `to Hill, Mill` does
                    found[clause.word] = (*(found.get(clause.word, ()) if clause.way else ()), *names)
            elif word in ("if", "when") and when is None:
                cursor.take()
                when = self.condition()
            else:
                break
        self._check_whole(verb, picks, found)
        clauses = tuple((clause.word, found[clause.word]) for clause in verb.clauses if clause.word in found)
        return Order(verb=verb.name, picks=picks, but=but, clauses=clauses, when=when, line=line)

    def _check_whole(self, verb: Verb, picks: tuple[Pick, ...], found: dict[str, tuple[str, ...]]) -> None:
        cursor = self.cursor
        head = cursor.tokens[:1]
        nobody = any(pick.name == "none" for pick in picks)
        if nobody and not verb.none:
            cursor.wrong(head, f"'{verb.name}' needs a name; leave the line out if there is none", verb.rule)
        if not picks and verb.takes and not verb.bare:
            or_none = f", or '{verb.name} none'" if verb.none else ""
            reads = f"write '{verb.form}'{or_none}"
            cursor.wrong(head, f"something is missing after '{verb.name}'; {reads}", verb.rule)
        if verb.needs_one_of and not nobody and not any(word in found for word in verb.needs_one_of):
            cursor.wrong(cursor.tokens[-1:], verb.missing.format(form=verb.form), verb.rule)

    # -- what the verb is about

    def _picks(self, verb: Verb) -> tuple[Pick, ...]:
        cursor = self.cursor
        if not verb.takes or cursor.done or cursor.word in self.rows.clause_words:
            return ()
        if verb.takes == "topic":
            return self._topics()
        if cursor.word in NOBODY:
            cursor.take()
            return (Pick("none"),)
        noun = self.rows.by_noun[verb.takes]
        if not verb.many:
            return (Pick(self._entry(noun)),)
        return self._list(noun, verb)

    def _topics(self) -> tuple[Pick, ...]:
        """Read and return one topic, or a list of topics."""
        cursor = self.cursor
        cursor.skip("about", "before")
        picks = [self._topic()]
        while cursor.word in (",", "and") and len(cursor.words) > 1:
            cursor.skip(",", "and")
            picks.append(self._topic())
        return tuple(picks)

    def _topic(self) -> Pick:
        cursor, rows = self.cursor, self.rows
        for count in (2, 1):
            said = " ".join(cursor.words[:count])
            topic = said if said in rows.by_topic else rows.other_topics.get(said)
            if topic is not None and len(cursor.words) >= count:
                cursor.place += count
                return Pick(topic)
        message = f"there is no question called {cursor.quoted(cursor.ahead(1))}"
        return cursor.wrong(cursor.ahead(1), message, legal=rows.by_topic)

    def _list(self, noun: Noun, verb: Verb | None = None) -> tuple[Pick, ...]:
        """Read and return a list of names, with or without separators, each perhaps with a count."""
        cursor = self.cursor
        picks: list[Pick] = []
        faulty = False
        while not cursor.done and cursor.word not in self.rows.clause_words:
            if cursor.word in SEPARATORS:
                if cursor.word == "or" and cursor.words[1:2] == ("ask",):
                    break
                cursor.take()
                continue
            try:
                name = self._entry(noun)
            except Wrong:
                faulty = True
                cursor.skip_entry(self.rows.clause_words)
                continue
            if not (verb and verb.counted) and self._number_is_glued():
                start = cursor.tokens[cursor.place - 1 : cursor.place + 1]
                bare = noun.what.removeprefix("an ").removeprefix("a ")
                cursor.faults.note(start, f"no {bare} called {cursor.quoted(start)}", noun.rule)
                faulty = True
                cursor.skip_entry(self.rows.clause_words)
                continue
            picks.append(Pick(name, self._count(name, verb.counted) if verb and verb.counted else 1))
        if faulty and not picks:
            raise Wrong
        return tuple(picks)

    def _number_is_glued(self) -> bool:
        """Tell whether a number hangs on the name just read, so that `bruce-12` does not mean Bruce."""
        cursor = self.cursor
        return is_decimal(cursor.word) and cursor.quoted(cursor.tokens[cursor.place - 1 : cursor.place + 1])[
            :-1
        ].endswith(f"-{cursor.word}")

    def _entry(self, noun: Noun) -> str:
        """Read and return a list entry: a name, a group, or a word such as `rest`."""
        cursor = self.cursor
        if cursor.word in noun.everybody:
            return noun.everybody[cursor.take().word]
        if cursor.word in noun.groups:
            return cursor.take().word
        if is_decimal(cursor.word) and not any(is_decimal(name[:1]) for name in noun.of(self.side).names):
            bare = noun.what.removeprefix("an ").removeprefix("a ")
            words = (*dict.fromkeys(noun.everybody.values()), *noun.groups)
            cursor.wrong(
                cursor.ahead(1),
                f"a number says how many, not which {bare}: name each, or write one of these",
                legal=words,
            )
        return self._name(noun)

    def _name(self, noun: Noun) -> str:
        """Read and return a name of this noun; a name of another noun gets a fault of its own."""
        cursor = self.cursor
        names = noun.of(self.side)
        if noun.mistaken and not names.read(cursor.words).name:
            for other, said in noun.mistaken.items():
                match = self.rows.by_noun[other].of(self.side).read(cursor.words)
                if match.name and match.name not in names:
                    rule = noun.rule if self.rows.by_noun[other].rule == noun.rule else ""
                    cursor.wrong(cursor.ahead(match.words), said.format(name=match.name), rule)
        return cursor.name(names, noun.what, noun.rule)

    def _count(self, name: str, counted: Count) -> int:
        """Read and return an entry's count; without a number it is one, or for a group as many as can be."""
        cursor = self.cursor
        if cursor.skip("full"):
            return FULL
        if cursor.word in ("once", "twice"):
            return 1 if cursor.take().word == "once" else 2
        if is_decimal(cursor.word):
            number = cursor.number(counted.most, counted.of)
            cursor.skip(counted.of, counted.of.removesuffix("s"), "times", "points")
            if number == 0:
                cursor.wrong(cursor.tokens[cursor.place - 1 :][:1], "0 means nothing; leave it out")
            return number
        plural = f"{name.rpartition(' ')[2]}s"
        is_plural = cursor.tokens[cursor.place - 1].word == plural
        return FULL if is_plural or name in self.rows.whole else 1

    # -- clauses

    def _clause(self, verb: Verb) -> Clause | None:
        """Return the clause that begins here, and go to the last of its words; None if no clause begins."""
        for clause in verb.clauses:
            for said in (clause.word, *clause.other_words):
                words = split_words(said)
                if self.cursor.sees(*words):
                    self.cursor.place += len(words) - 1
                    return clause
        return None

    def _clause_names(self, clause: Clause) -> tuple[str, ...] | None:
        """Read and return the names of a clause; None if it is a blank of a form that was left as it was."""
        cursor = self.cursor
        cursor.take()
        if clause.number:
            return (str(cursor.number(clause.number.most, clause.number.of)),)
        if not clause.noun:
            return ()
        if clause.none and cursor.skip(clause.none):
            return None
        noun = self.rows.by_noun[clause.noun]
        if clause.way:
            return self._way(noun) or None
        if clause.many:
            names = tuple(pick.name for pick in self._list(noun))
            return names if names or clause.bare else None
        if cursor.done or cursor.word in self.rows.clause_words:
            return None
        return (self._entry(noun),)

    def _way(self, noun: Noun) -> tuple[str, ...]:
        cursor = self.cursor
        names: list[str] = []
        while not cursor.done and cursor.word not in self.rows.clause_words:
            if cursor.word in SEPARATORS:
                if cursor.word == "or" and cursor.words[1:2] == ("ask",):
                    break
                cursor.take()
            else:
                names.append(self._name(noun))
        return tuple(names)
