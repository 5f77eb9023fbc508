"""The table of the texts that a player can sign: their words, their fields, when and why to sign them.

The help of the commands, the page of the documentation (`pbem/docs/signed-texts.md`) and the forms of the
player's page are made of it. To let a player sign something new, add a row here, the call that signs it to
`pbem/web/signing.py`, and, if it has a command of its own, a line of `pbem/cli/table.py`; a test fails while
the judge takes in a text that has no row. The module imports nothing, so that help comes at once.
"""

CLUB, GAME, LEAGUE = "club", "game", "league"
"""The scopes of a text that a player signs: all games with one judge, one game, or one league."""
FORMS = "forms"
"""The place of a signed text whose form the page draws from the text's fields."""
CONSENT = "pbem1 consent"
STATEMENT = "pbem1 league"


class Field:
    """One field of the form for a text that a player signs.

    `name` is the argument of the call that signs; `kind` is how it is filled in: `line`, `number`, `day`,
    `hours`, `zone`, `address`, `yes` (a tick), `wish` (yes, no or as it is), `pace` (of mails), `player`,
    `key` (the name of a key, which is made if it is new), `secret` (its passphrase) or `lines`.
    """

    __slots__ = ("hint", "is_needed", "kind", "name", "words")

    def __init__(
        self, name: str, words: str, kind: str = "line", hint: str = "", needed: bool = True
    ) -> None:
        self.name = name
        self.words = words
        self.kind = kind
        self.hint = hint
        self.is_needed = needed


class SignedText:
    """One text that a player can sign.

    `head` is its first line and `says` the word in it that tells it from others of that head. `help` is its
    line in the help of the commands, `title` what its button says, `offered` when it is offered, and `leads`
    what it leads to. `command` signs it on a command line. `place` is where the page has its form.
    """

    __slots__ = ("about", "command", "fields", "head", "help", "leads", "offered", "place", "says", "title")

    def __init__(
        self,
        about: str,
        head: str,
        says: str = "",
        *,
        title: str,
        help: str,  # noqa: A002 - as click calls it
        offered: str,
        leads: str,
        command: str,
        fields: tuple[Field, ...] = (),
        place: str = FORMS,
    ) -> None:
        self.about = about
        self.head = head
        self.says = says
        self.title = title
        self.help = help
        self.offered = offered
        self.leads = leads
        self.command = command
        self.fields = fields
        self.place = place


REASON = Field("reason", "Why, if you want to say", hint="Everybody can read it.", needed=False)
WHY = Field("reason", "Why", hint="Everybody can read it.")
ZONE = Field("zone", "Your time zone", "zone", "Deadlines in letters to you are given in it as well.", False)
ADDRESS = Field("share", "Mail address that the judge may tell to your opponents", "address", needed=False)
NEW_KEY = Field("new", "Name of the new key", "key", "If you have no key of this name, it is made.")
SECRET = Field("passphrase", "Passphrase of the new key, if it is made now", "secret", needed=False)
NAMED = (
    Field("league", "League"),
    Field("judge", "The judge's key", hint="SHA256: and 43 characters, as the club announces it."),
    Field("genesis", "The league's first head", hint="64 characters, as the announcement has them."),
)
"""The fields by which a form names a league that the home does not know; they precede the text's own."""
RATING = Field("rating", "Your rating, if you have one", "number", needed=False)
MANY = Field("games", "How many games at once you wish, at most", "number", needed=False)
PUBLISH = "The club's pages may show your games to everybody, with your name, if all who play wish so"

TEXTS: dict[str, SignedText] = {
    # All your games
    "join": SignedText(
        CLUB,
        "pbem1 join",
        title="Join a game",
        help="Write the signed file with which you ask to take part in a game.",
        offered="At any time, with the game's name and the judge's key.",
        leads="The judge enrols you, and invites you when the game is opened. Later the club can forget "
        "your address, wishes and letters; it cannot forget the name and key in the game's ledger, "
        "which proves the game, nor what others have downloaded.",
        command="join",
        place="the list of games",
        fields=(
            Field("game", "Game"),
            Field("judge", "The judge's key"),
            ZONE,
            ADDRESS,
            Field("publish", PUBLISH, "yes", needed=False),
        ),
    ),
    "absence": SignedText(
        CLUB,
        "pbem1 absence",
        title="Be away for some days",
        help="Sign that you are away; the judge moves deadlines in that time.",
        offered="At any time; it must come to the judge before the deadlines that it moves.",
        leads="In these days no deadline of your games with this judge passes, as far as each game still "
        "allows.",
        command="sign absence",
        fields=(Field("begins", "First day", "day"), Field("ends", "Last day", "day")),
    ),
    "profile": SignedText(
        CLUB,
        "pbem1 profile",
        title="Change your time zone, your mails, or what others may see",
        help="Sign your time zone, when mails come, and whether others may see your address and games.",
        offered="At any time.",
        leads="The judge keeps to it from then on in all your games. What you leave out stays as it is.",
        command="sign profile",
        fields=(
            ZONE,
            ADDRESS,
            Field("unshare", "From now on, nobody learns your address", "yes", needed=False),
            Field("publish", PUBLISH, "wish", needed=False),
            Field("quiet", "No mails with messages in these hours", "hours", "22:00-07:00, or -", False),
            Field("digest", "The hour of your digest; messages come in it", "hours", "18:00, or -", False),
            Field("hear_game", "Mails about games", "pace", needed=False),
            Field("hear_league", "Mails about leagues", "pace", needed=False),
            Field("hear_message", "Mails with messages", "pace", needed=False),
            Field("hear_reminder", "Reminders", "pace", needed=False),
            Field("mails", "Mails of what lies in my post box", "wish", needed=False),
            Field(
                "webhook",
                "Webhook that is told when a game waits for you",
                "line",
                "https://..., or -",
                False,
            ),
            Field("avoid", "Players with whom you will not be seated", "line", "bob,carol, or -", False),
        ),
    ),
    "fetch-key": SignedText(
        CLUB,
        "pbem1 fetch-key",
        title="Let it see whether letters wait",
        help="Name a key that may fetch your letters, without a passphrase, and can do nothing else.",
        offered="At any time, where the club has a post box.",
        leads="Letters can be fetched, or counted, while your key is locked.",
        command="sign fetch-key",
        place="the keys below the list of games",
    ),
    # One game
    "orders": SignedText(
        GAME,
        "pbem1 orders",
        title="Sign and send orders",
        help="Sign and seal orders to the judge.",
        offered="While an exchange is open.",
        leads="The judge signs a receipt, and plays by them when the exchange is complete.",
        command="seal",
        place="Orders",
    ),
    "reveal": SignedText(
        GAME,
        "pbem1 reveal",
        title="Send your reveal",
        help="Sign and seal your reveal of an exchange that has been closed.",
        offered="When an exchange is closed, in games where orders do not bring the reveal.",
        leads="Your number for the dice is known, and the exchange can be played.",
        command="seal --reveal",
        place="Orders",
    ),
    "message": SignedText(
        GAME,
        "pbem1 press",
        title="Write a message",
        help="Write to other players, and read what they write; all of it is signed.",
        offered="Where the judge has signed that the game has press.",
        leads="The judge signs it, too, and passes it on to whom you named.",
        command="press",
        place="Talk",
    ),
    "claim": SignedText(
        GAME,
        CONSENT,
        "claim",
        title="Claim the game from a silent opponent",
        help="Sign that you claim a game from an opponent who sends nothing.",
        offered="When an opponent has sent nothing for two exchanges in a row or more, and nothing for the "
        "open one.",
        leads="When all others have claimed it, the director, or the club's settings, decide; then they "
        "play no more.",
        command="sign claim",
        fields=(Field("of", "From whom", "player"),),
    ),
    "concede": SignedText(
        GAME,
        CONSENT,
        "concede",
        title="Concede",
        help="Sign that you give the game up.",
        offered="While an exchange is open.",
        leads="When the director has entered it you play no more; whoever is left alone has won.",
        command="sign consent",
    ),
    "agree-draw": SignedText(
        GAME,
        CONSENT,
        "agree-draw",
        title="Agree to a draw",
        help="Sign that you agree to a draw.",
        offered="While an exchange is open.",
        leads="When all who play have signed it, the director ends the game as a draw.",
        command="sign consent",
    ),
    "more-time": SignedText(
        GAME,
        CONSENT,
        "extend",
        title="Agree to a later deadline, such as 2026-08-15T18:00:00Z",
        help="Sign that an exchange may have a later deadline.",
        offered="While an exchange waits for orders, once in each, where the club allows it.",
        leads="The others are told; when all who play have signed the same time, it is entered.",
        command="sign consent",
        place="Talk",
    ),
    "roll-back": SignedText(
        GAME,
        CONSENT,
        "roll-back",
        title="Consent to roll back",
        help="Sign that exchanges may be made void.",
        offered="When the director asks for it.",
        leads="When all who play, or the second official, have signed it, that exchange and all since "
        "become void, and are played with new dice.",
        command="sign consent",
        fields=(Field("of", "First exchange that becomes void", "number"),),
    ),
    "correct": SignedText(
        GAME,
        CONSENT,
        "correct",
        title="Consent to a correction",
        help="Sign that an exchange may be played again by a corrected rule.",
        offered="When the director asks for it.",
        leads="When all who play, or the second official, have signed it, that exchange is played again "
        "with the same orders and dice.",
        command="sign consent",
        fields=(
            Field("of", "Exchange that is played again", "number"),
            Field(
                "change", "By what", hint="rules=HASH or RULE=VALUE, as the director writes it.", needed=False
            ),
        ),
    ),
    "go-on": SignedText(
        GAME,
        CONSENT,
        "go-on",
        title="Consent to another release",
        help="Sign that a game may go on with another release of the program.",
        offered="When the director asks for it.",
        leads="When all who play have signed it, the game goes on with that release.",
        command="sign consent",
        fields=(Field("change", "The release", hint="rules=HASH, as the director writes it."),),
    ),
    "put-away": SignedText(
        GAME,
        CONSENT,
        "put-away",
        title="Consent to put a restored game away",
        help="Sign that a game that lost entries in a restore may end without a result.",
        offered="When the judge has lost entries in a restore, and the director asks for it.",
        leads="When all players have signed it, the game ends where the judge's ledger ends; what came "
        "after is lost.",
        command="sign consent",
        fields=(
            Field("size", "The judge's last entry", "number"),
            Field("head", "Its head", hint="64 characters, as the director writes them."),
            Field(
                "lost",
                "How many entries are lost by that",
                "number",
                "The page tells you if it is another number.",
            ),
        ),
    ),
    "new-seat-key": SignedText(
        GAME,
        CONSENT,
        "rotate",
        title="Consent to another player's new key",
        help="Sign that a seat may have a new key that its old one has not signed.",
        offered="When somebody has lost both keys, or another person is to take a seat.",
        leads="When all others, or the second official, have signed it, the director enters the new key.",
        command="sign consent",
        fields=(
            Field("of", "The player with whom the seat began", "player"),
            Field(
                "sha256", "The hash of the new key's text", hint="64 characters, as its writer gives them."
            ),
        ),
    ),
    "rotation": SignedText(
        GAME,
        "pbem1 rotate",
        title="Get a new key",
        help="Sign that a new key replaces that of your seat in a game, while EXCHANGE is open.",
        offered="While an exchange is open.",
        leads="The director enters it, and the new key counts from the next exchange; a new chain, and a "
        "key to which others must consent, count one exchange later.",
        command="sign rotation",
        fields=(
            NEW_KEY,
            SECRET,
            Field(
                "lost",
                "The old key is lost, and I have no recovery key: the others must consent",
                "yes",
                needed=False,
            ),
            Field("recovery", "Your recovery key, if the old one is lost or stolen", "lines", needed=False),
            Field("chain", "Number of a new chain, if its secret is lost", "number", needed=False),
        ),
    ),
    # One league
    "enter": SignedText(
        LEAGUE,
        STATEMENT,
        "enter",
        title="Enter the league",
        help="Sign that you take part in a league.",
        offered="Until entries close; the league's link or announcement fills it in.",
        leads="You play from the next round on that the judge has not called yet.",
        command="league enter",
        fields=(
            RATING,
            MANY,
            Field(
                "eliminator", "Play only players without an opponent; you cannot advance", "yes", needed=False
            ),
        ),
    ),
    "substitute": SignedText(
        LEAGUE,
        STATEMENT,
        "substitute",
        title="Offer to be a substitute",
        help="Sign that you would take the place of whoever leaves: you stand on the list of substitutes.",
        offered="While the league goes on, to somebody who has not entered.",
        leads="You get the first free place, with its points, opponents and games, without being asked "
        "again. Leaving the league takes you off the list.",
        command="league substitute",
        fields=(Field("of", "For whom, if only for one who has left", needed=False),),
    ),
    "reply": SignedText(
        LEAGUE,
        "pbem1 orders",
        "entrant",
        title="Answer the call",
        help="Answer the judge's last call: your share in the dice, your chains for new games, and bids.",
        offered="While a call of the judge's is open that asks you.",
        leads="The judge signs a receipt. The round is drawn, and its games are opened, when all have "
        "answered, or at the deadline. Who answers no call is forfeited by and by.",
        command="league reply",
        fields=(
            Field(
                "bids",
                "Your bid for a side, if the league takes bids",
                hint="e1 to s3, or GAME=BID for one game alone.",
                needed=False,
            ),
        ),
    ),
    "withdraw": SignedText(
        LEAGUE,
        STATEMENT,
        "withdraw",
        title="Leave the league",
        help="Sign that you leave a league; your open games are lost.",
        offered="At any time.",
        leads="You are paired no more, and lose the games that go on. From the list of substitutes you are "
        "taken off.",
        command="league withdraw",
        fields=(REASON,),
    ),
    "absent": SignedText(
        LEAGUE,
        STATEMENT,
        "absent",
        title="Leave rounds out",
        help="Sign that you are not to be paired from one round to another.",
        offered="At any time, for rounds that are not called for yet.",
        leads="You are not paired in these rounds. Your games that go on are not touched.",
        command="league absent",
        fields=(Field("first", "From round", "number"), Field("last", "To round", "number")),
    ),
    "half-bye": SignedText(
        LEAGUE,
        STATEMENT,
        "half-bye",
        title="Ask for a half-point bye",
        help="Sign that you want half a point in place of a game, in a round of a Swiss that is not called "
        "for yet.",
        offered="In a Swiss whose rules give such byes, before the round is called for.",
        leads="You are not paired in that round, and get the points of a draw.",
        command="league half-bye",
        fields=(Field("round", "Round", "number"),),
    ),
    "challenge": SignedText(
        LEAGUE,
        STATEMENT,
        "challenge",
        title="Challenge somebody",
        help="Sign that you challenge somebody above you on a ladder.",
        offered="On a ladder.",
        leads="You meet them in the next round, if the rungs between you, and the number of their games, "
        "allow it.",
        command="league challenge",
        fields=(Field("of", "Whom", "player"),),
    ),
    "vote": SignedText(
        LEAGUE,
        STATEMENT,
        "vote",
        title="Vote on an unfinished game",
        help="Sign what the result of an unfinished game should be, as one of the panel.",
        offered="To the panel, about a game without a result.",
        leads="More than half of the panel decides.",
        command="league vote",
        fields=(
            Field("round", "Round", "number"),
            Field("pairing", "Pairing", "number"),
            Field("places", "Places", hint="alice=1 bob=2; a 1 for each is a draw."),
            REASON,
        ),
    ),
    "appeal": SignedText(
        LEAGUE,
        STATEMENT,
        "appeal",
        title="Appeal against an entry",
        help="Sign an appeal against an entry of the league's ledger.",
        offered="At any time, against an entry of the ledger, with its number.",
        leads="Everybody can read it, and the director answers it with a ruling.",
        command="league appeal",
        fields=(Field("entry", "Number of the entry", "number"), WHY),
    ),
    "new-key": SignedText(
        LEAGUE,
        STATEMENT,
        "new-key",
        title="Get a new key in the league",
        help="Sign that you have a new key in a league, with the old one's signature; one of the panel may "
        "as well.",
        offered="At any time.",
        leads="You sign only with the new key from that entry on. If the old one is lost, the director has "
        "to be sure that it is you who asks, and rules so.",
        command="league new-key",
        fields=(
            NEW_KEY,
            SECRET,
            Field("lost", "The old key is lost: the director has to rule", "yes", needed=False),
            Field("old", "Fingerprint of the lost key, in a home that does not know it", needed=False),
        ),
    ),
}
"""All texts that a player signs, by the names that the page uses, in the order in which they are offered."""


def consents_in_words() -> str:
    """Return the acts that a player can consent to, each in a line."""
    rows = (f"  {text.says:<11}{text.title}" for text in TEXTS.values() if text.head == CONSENT)
    return "\n".join(rows)


def help_of(name: str) -> str:
    """Return the help of the command that signs a text: what it is, when, and what it leads to."""
    text = TEXTS[name]
    return f"{text.help}\n\nWhen: {text.offered}\n\nWhat follows: {text.leads}"
