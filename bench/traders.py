"""Clients that trade while the service is broken, retrying with idempotency keys as they should."""

import http.client
import json
import math
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

GIVE_UP_SECONDS = 240
RETRY_SECONDS = 0.3
TIMEOUT_SECONDS = 15
REPEATED = 0.1
PHONES = 50
RETRIED = (409, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Exchange:
    """One request on the wire, and its status; 0 if there was no response."""

    sent_at: float
    seconds: float
    status: int


@dataclass
class Transcript:
    """The answers to all clients, by idempotency key. No client waits beyond `ends`."""

    ends: float = math.inf  # of the monotonic clock
    answers: dict[str, tuple[str, str, bytes]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    exchanges: list[Exchange] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Trader(threading.Thread):
    """One client that pays, cancels, refunds, pays out and creates links, until told to stop."""

    def __init__(self, number: int, seed: int, port: int, key: str, transcript: Transcript) -> None:
        super().__init__(name=f"trader-{number}", daemon=True)
        self.chance = random.Random(f"{seed}:{number}")  # noqa: S311  # replayable, no secret
        self.port, self.key, self.transcript = port, key, transcript
        self.over = threading.Event()
        self._sent = 0

    def run(self) -> None:
        while not self.over.is_set():
            self._trade()
            self.over.wait(self.chance.uniform(0.05, 0.3))

    def _trade(self) -> None:
        what = self.chance.random()
        if what < 0.05:
            self.post("/v1/payment-links", {"amount": self.chance.randint(1, 150)})
        elif what < 0.1:
            self.post("/v1/payouts", {"amount": self.chance.randint(100, 300)})
        else:
            self._sell(self.chance.randint(1, 150))

    def _sell(self, amount: int) -> None:
        payment = self.post("/v1/payments", {"amount": amount})
        if payment is None:
            return
        path = f"/v1/payments/{payment['id']}"
        if self.chance.random() < 0.15:
            self.post(f"{path}/cancel", {})
            return
        phone = f"+1242425{self.chance.randrange(PHONES):04}"
        paid = self.post(f"{path}/confirm", {"customer_phone": phone})
        if paid is not None and self.chance.random() < 0.4:
            self.post(f"{path}/refund", {"amount": self.chance.randint(1, amount)})

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Send with one key until there is an answer; sometimes repeat the request afterwards."""
        self._sent += 1
        key, text = f"{self.name}-{self._sent}", json.dumps(body)
        found = self.send_until_answered(path, text, key)
        if found is None:
            with self.transcript.lock:
                self.transcript.given_up.append(key)
            return None
        status, answer = found
        with self.transcript.lock:
            self.transcript.statuses[status] += 1
            if status < 300:
                self.transcript.answers[key] = (path, text, answer)
        if status < 300 and self.chance.random() < REPEATED:
            self.repeat(key)
        return json.loads(answer) if status < 300 else None

    def repeat(self, key: str) -> None:
        """Repeat a request with its key, and compare byte by byte, unless the time is over."""
        path, text, answer = self.transcript.answers[key]
        again = self.send_until_answered(path, text, key)
        if again is None and time.monotonic() > self.transcript.ends:
            return
        same = again is not None and again[1] == answer
        with self.transcript.lock:
            (self.transcript.same if same else self.transcript.changed).append(key)

    def send_until_answered(self, path: str, text: str, key: str) -> tuple[int, bytes] | None:
        """Send until there is a final answer. None if there is none for minutes."""
        deadline = min(time.monotonic() + GIVE_UP_SECONDS, self.transcript.ends)
        while time.monotonic() < deadline:
            status, body = self.send(path, text, key)
            if status and status not in RETRIED:
                return status, body
            time.sleep(RETRY_SECONDS)
        return None

    def send(self, path: str, text: str, key: str) -> tuple[int, bytes]:
        """Send once and record it; status 0 if there is no response."""
        sent_at = time.monotonic()
        try:
            status, body = self._exchange(path, text, key)
        except (OSError, http.client.HTTPException):
            status, body = 0, b""
        exchange = Exchange(sent_at, time.monotonic() - sent_at, status)
        with self.transcript.lock:
            self.transcript.exchanges.append(exchange)
        return status, body

    def _exchange(self, path: str, text: str, key: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        }
        try:
            connection.request("POST", path, text, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()
