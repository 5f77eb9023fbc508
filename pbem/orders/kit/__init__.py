"""A kit for order languages: a game supplies rows, and has a language.

Sections, cases (`if ...:` ... `otherwise:` ... `end`), plans, conditions, lists (`Tom, rest`, `all
except X`, `none`, counts), remarks, faults with "did you mean", the echo in plain words, the form, the
follower that answers Asks, `ask` and `done`, and lines that can never apply are the kit's. A game writes
one `Rows` (rows.py), of rows that say what a line may hold (vocabulary.py):

    LANGUAGE: Language = KitLanguage(Rows(name="lords", sight=LordsSight, nouns=..., verbs=..., ...))

**Sight** is all that orders may know: a class made with `(view, side, memory)` that has `side`; `moment`
(the turn for which a file sent now is meant: later it is over); `here` (for which name a plan counts now,
or ""); `pace` and `affair` (how often `ask` stops, and to which of several fights, say, this belongs;
without plans return `moment`), and whatever your facts ask it. `memory` is None unless the rows have a
`memory` (what the view no longer shows).

**A verb** is one row, here all of Lords' claim and a part of its muster:

    Verb(name="claim", form="claim CARDS, rest", rule="5", example="claim scott-11, rest",
         takes="card", kinds=("claim",), says=lambda order: f"You claim {text.else_(order.names)}")
    Verb(name="muster", form="muster CARD up or down", rule="4", example="muster scott-5 up use rest",
         takes="card", many=False, kinds=("turn",), needs_one_of=("up", "down"), missing="up or down?",
         clauses=(Clause(word="up"), Clause(word="down"), Clause(word="use", noun="target", many=True)),
         proposes=muster)

`takes` names a noun; `kinds` are the kinds of Ask that it answers; `proposes(occasion)` yields canonical
answers, best first, and the first legal one is given. Without it, `VERB NAME` for each name, `rest` for
whatever else is legal (see proposals.py). `occasion` has the order (`order.names`, `order.one("to")`,
`order.has("up")`), the ask, the sight. A verb may stand in every section and plan, unless `where` names
some. A line speaks to each question of its kinds again and again, unless `beside_plans` says once; a kind
with a row in `Rows.steps` is asked until `done`, and there each list entry is one step, done in turn
(`as_step` is for steps that are not so simple). Where only a hidden hand can answer what everybody is asked,
a `fallback` says what a file means of which nothing can be done.

**A fact** or a number in a condition is one row too; the head of vocabulary.py tells of phrases:

    Fact(name="holds", phrases=phrases("{side} hold|holds {card}"), example="red holds scott-5",
         holds=lambda term, sight: term.name(1) in sight.army(term.name(0)))
    Measure(name="army", phrases=phrases("army {side}", "my army"), example="army red at least 9",
            value=lambda term, sight: sight.total(term.name() or sight.side))

A condition may use only what its writer sees: where that depends on what is written, `refuse` says why not.
For more than two sides make the sides a noun (with aliases such as `me`), as above; "the others" is a sort
of it: `sorts={"others": ...}`. `scope="plan"` is for what only a plan's moment shows.

Everybody sees a pause. So give a fact or number that its writer alone can judge a `secret`: an `ask` that
depends on it is refused; and a topic of which nobody may know that it is asked a `refused` with the reason.

**A noun** is a `Names` with how it is called: `Noun(name="card", what="a card", names=Names(IDS))`;
`scott-5` may be written so, or `scott 5`, or `sco 5`. Names of one's own side only: a function of the side.
`groups`: words that stand for all of a sort in a list; then give your `proposes` an `of_group` for
`proposals.picked`.

Further rows: `topics` (what `ask` can be about), `sections` (the first has no heading; a standing one is a
doctrine), `plan` (a heading such as `plan Ford:` or `turn 3:`, whose lines count where `sight.here` is one
of its names; its `kinds` are the Asks that such lines answer), `questions` and `form` (the order form),
`in_force` (if files hold longer than a moment), `asking` (which kinds of Ask cover a stop, exclude each
other, or are waited for), `help` (words that people try), `check` and each verb's `checks` (what is wrong as
far as the view shows; a Checker notes it), `never` (to find lines that can never apply).

tests/orders/kit_rules.py walks all rows of a language; give it yours. pbem/orders/hammer is the largest
example.
"""
