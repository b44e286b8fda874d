"""Tables that every resource shares."""

from django.db import models

KEY_LENGTH = 255


class IdempotencyKey(models.Model):
    """The response to a request under a key, replayed byte for byte when the request is repeated.

    `scope` is who asked (merchant and mode), `fingerprint` the SHA-256 of method, path and body.
    `status` and `body` are empty only inside the transaction that does the work.
    """

    scope = models.CharField(max_length=64)
    key = models.CharField(max_length=KEY_LENGTH)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.BinaryField(null=True)
    location = models.CharField(max_length=255, default="")
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["scope", "key"], name="idempotency_key_once"),
        )

    def __str__(self) -> str:
        return f"{self.scope} {self.key}"


class Quota(models.Model):
    """How often something was done within a while: see `core.attempt_limits`."""

    key = models.CharField(max_length=100, primary_key=True)
    used = models.PositiveIntegerField(default=0)
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.key}: {self.used}"
