"""The namespaces of signatures, each of which says what a signature is for.

    pbem1-orders      a player's order file, and their reveal after the close
    pbem1-checkpoint  the judge's word on the ledger's size and head
    pbem1-receipt     the judge's word that an order file arrived
    pbem1-report      the judge's word on what a side was told
    pbem1-rotate      a new key, signed by the old one and by the new one
    pbem1-recover     a new key, signed by the recovery key
    pbem1-box         what a reader asks of a post box, and the copy of their home that it keeps
    pbem1-press       what players say to each other, and the judge's countersignature; in no ledger or bundle

Texts of one namespace differ in their first line; the game's id stands in the text itself.
"""

from enum import StrEnum


class Namespace(StrEnum):
    """The SSHSIG namespaces of pbem's signatures."""

    ORDERS = "pbem1-orders"
    CHECKPOINT = "pbem1-checkpoint"
    RECEIPT = "pbem1-receipt"
    REPORT = "pbem1-report"
    ROTATE = "pbem1-rotate"
    RECOVER = "pbem1-recover"
    BOX = "pbem1-box"
    PRESS = "pbem1-press"


PLAYER_NAMESPACES = (Namespace.ORDERS, Namespace.ROTATE)
JUDGE_NAMESPACES = (Namespace.CHECKPOINT, Namespace.RECEIPT, Namespace.REPORT, Namespace.ROTATE)
OFFICIAL_NAMESPACES = (Namespace.ORDERS,)
"""The namespaces in which the second official may sign, who signs nothing but consents."""
