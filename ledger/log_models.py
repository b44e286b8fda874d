"""The log: one Merkle tree over everything that decides where money goes, and its heads."""

from django.db import models
from django.db.models import Q

from core.signatures import MAX_SIGNATURE

MAX_SUBJECT = 64


class WaitingEntry(models.Model):
    """An entry waiting to become a leaf of the log. Triggers insert it along with its row.

    `kind` is the table of that row, `subject` its key. The signature is that of the row; empty if
    the row has none.
    """

    kind = models.CharField(max_length=MAX_SUBJECT)
    subject = models.CharField(max_length=MAX_SUBJECT)
    signature = models.CharField(max_length=MAX_SIGNATURE)

    class Meta:
        indexes = (models.Index(fields=["kind", "subject"], name="waiting_entry_subject"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}, not yet in the log"


class LogLeaf(models.Model):
    """A leaf of the tree, numbered without a gap from 0. Never changed.

    `kind` and `subject` name the row; `signature` is the one it had; `hash` is the leaf's.
    """

    index = models.BigIntegerField(primary_key=True)
    kind = models.CharField(max_length=MAX_SUBJECT)
    subject = models.CharField(max_length=MAX_SUBJECT)
    signature = models.CharField(max_length=MAX_SIGNATURE)
    hash = models.BinaryField()
    logged_at = models.DateTimeField()

    class Meta:
        indexes = (models.Index(fields=["subject", "kind", "index"], name="log_leaf_subject"),)
        constraints = (models.CheckConstraint(condition=Q(index__gte=0), name="log_leaf_index"),)

    def __str__(self) -> str:
        return f"leaf {self.index}"


class LogSubtree(models.Model):
    """The hash over a complete subtree of 256, 65,536, … leaves, so that proofs read few rows."""

    tier = models.PositiveSmallIntegerField()
    position = models.BigIntegerField()
    hash = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tier", "position"], name="log_subtree_once"),
        )

    def __str__(self) -> str:
        return f"subtree {self.tier}/{self.position}"


class Checkpoint(models.Model):
    """A signed head of the log: how many leaves, the root over them, and the note as it is sent."""

    size = models.BigIntegerField(primary_key=True)
    root = models.BinaryField()
    note = models.TextField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"checkpoint of {self.size} leaves"


class WitnessState(models.Model):
    """How much of the log a witness has, and its last answer unless that was a success."""

    address = models.CharField(max_length=255, primary_key=True)
    size = models.BigIntegerField(default=0)
    confirmed_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=255, default="", blank=True)

    def __str__(self) -> str:
        return f"{self.address} has {self.size} leaves"
