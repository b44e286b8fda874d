"""Does what a part of the page says: a request, a visit, a command, a run of the schedule."""

import io
import json
import re
import shlex
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from django.core import mail
from django.core.management import call_command
from django.utils.module_loading import import_string
from pytest_django import Settings

from config.schedule import SCHEDULE
from core.clock import utc_now
from core.clock_check import accept_clock
from core.creditor_references import references_in
from customers.models import Customer
from customers.pins import set_pin
from customers.services import find_or_create
from ledger.models import Account, Transfer, exact_balance
from tests.checkout.shopper import Shopper
from tests.client import ApiClient
from tests.day.names import Names
from tests.day.page import Part
from tests.events import event_types
from tests.payouts.pain001_rules import NAMESPACE, faults_of


class DayRunner:
    """One day: what the page has named so far, and how much of the records it has accounted for."""

    def __init__(self, settings: Settings, monkeypatch: pytest.MonkeyPatch, directory: Path):
        self.settings, self.monkeypatch, self.directory = settings, monkeypatch, directory
        self.names, self.texts = Names(), Texts()
        self.people: dict[str, dict[str, str]] = {}
        self.seen = {"events": 0, "transfers": 0, "mails": 0}
        monkeypatch.chdir(directory)
        monkeypatch.setattr("messages.sms.send", self.texts.send)

    def new(self, kind: str, all_of_it: list) -> list:
        """Return what was added to a record since the page last accounted for it."""
        before, self.seen[kind] = self.seen[kind], len(all_of_it)
        return all_of_it[before:]

    def http(self, part: Part) -> None:
        asked, answered = part.text.split("\n\n", 1)
        line, _, body = asked.partition("\n")
        method, path = self.names.fill(line).split(" ")
        status, _, expected = answered.partition("\n")
        client = ApiClient(self.names["live_key"])
        data = json.loads(self.names.fill(body)) if body else None
        response = getattr(client, method.lower())(path, data)
        assert response.status_code == int(status), response.content
        self.names.meet(json.loads(expected), response.json(), line)

    def console(self, part: Part) -> None:
        for typed in re.split(r"^\$ ", part.text, flags=re.MULTILINE)[1:]:
            command, _, expected = typed.partition("\n")
            printed = self._run(self.names.fill(command)).strip()
            if expected.startswith("{"):
                self.names.meet(json.loads(expected), json.loads(printed), command)
            else:
                self.names.meet_text(expected.strip(), printed, command)

    def _run(self, command: str) -> str:
        words, out = shlex.split(command), io.StringIO()
        if words[0] == "cat":
            return (self.directory / words[1]).read_text().replace("\r\n", "\n")
        if words[0] == "echo":
            self.monkeypatch.setattr("sys.stdin", io.StringIO(words[1]))
            words = words[3:]
        assert words[0] == "manage.py"
        call_command(*words[1:], stdout=out)
        return out.getvalue()

    def sh(self, part: Part) -> None:
        for word in shlex.split(part.text):
            setattr(self.settings, *word.split("=", 1))
        self.settings.ALLOWED_HOSTS = [*self.settings.ALLOWED_HOSTS, self.host]

    @property
    def host(self) -> str:
        """Where customers find the pages."""
        return urlsplit(self.settings.CHECKOUT_URL).netloc

    def xml(self, part: Part) -> None:
        """Write the file whose name stands above it; a tag that is a name stands for its value."""
        name, _, text = part.text.partition("\n")
        for known, value in self.names.items():
            text = text.replace(f"<{known}>", value)
        (self.directory / name).write_text(text)

    def task(self, part: Part) -> None:
        accept_clock()  # the worker's turns in the hours between are left out
        import_string(SCHEDULE[part.text].task)()

    def customer(self, part: Part) -> None:
        for row in part.rows:
            if "opens" in row:
                self._visit(row)
            elif "adds" in row:
                self._add(row)
            else:
                person = find_or_create(phone=row["phone"], now=utc_now())
                set_pin(customer_id=person.id, pin=row["PIN"], now=utc_now())
                Customer.objects.update(proof_changed_at=None)  # set long ago
                self.people[row["customer"]] = row

    def _visit(self, row: dict[str, str]) -> None:
        person, shopper = self.people[row["customer"]], Shopper(host=self.host)
        shopper.visit(self.names.fill(row["opens"]))
        if row["enters"]:
            shopper.send(amount=row["enters"])
        shopper.send(to="" if row["opens"].startswith("/pay/") else "/pay")
        shopper.send(phone=person["phone"])
        shopper.send(code=self.texts.code)
        asked = "PIN" if shopper.path.endswith("/pin") else ""
        assert asked == row["proves"], shopper.path
        if asked:
            shopper.send(pin=person["PIN"])
        else:
            shopper.send(to="/pay")
        assert f"<h1>{row['reads']}</h1>" in shopper.text

    def _add(self, row: dict[str, str]) -> None:
        shopper = Shopper(host=self.host)
        shopper.visit("/account/phone")
        shopper.send(phone=self.people[row["customer"]]["phone"])
        shopper.send(code=self.texts.code)
        shopper.visit("/account/add")
        shopper.send(amount=row["adds"], way=row["way"])
        assert f"<h1>{row['reads']}</h1>" in shopper.text
        [reference] = references_in(shopper.text)
        self.names.meet_text(row["reference"], reference)

    def mail_to(self, part: Part) -> None:
        sent = [{"mail to": letter.to[0], "subject": letter.subject} for letter in mail.outbox]
        fresh = self.new("mails", sent)
        assert fresh == part.rows, fresh

    def element_of(self, part: Part) -> None:
        [column] = [name for name in part.rows[0] if name.startswith("element of ")]
        content = (self.directory / column.split()[-1]).read_bytes()
        assert faults_of(content) == []
        root = ElementTree.fromstring(content)
        for row in part.rows:
            steps = [f"{NAMESPACE}{step}" for step in row[column].split("/")]
            found = root.findtext("/".join([f"{NAMESPACE}CstmrCdtTrfInitn", *steps]))
            assert found is not None, f"{row[column]} is not there"
            self.names.meet_text(row["text"], found, row[column])

    def balance(self, part: Part) -> None:
        """The accounts of the ledger, all of them."""
        exact = Account.objects.annotate(exact=exact_balance()).order_by("pk")
        held = {self.account(account): account.exact for account in exact}
        assert held == {row["account"]: int(row["amount"]) for row in part.rows}, held
        assert sum(held.values()) == 0

    def events(self, expected: list[str]) -> None:
        written = self.new("events", event_types())
        assert Counter(written) == Counter(expected), written

    def movements(self, expected: list[dict[str, str]]) -> None:
        transfers = Transfer.objects.select_related("debit_account", "credit_account")
        moved = [
            {
                "from": self.account(transfer.debit_account),
                "to": self.account(transfer.credit_account),
                "amount": str(transfer.amount),
                "kind": transfer.kind,
            }
            for transfer in transfers.order_by("pk")
        ]
        fresh = self.new("transfers", moved)
        assert fresh == expected, fresh

    def account(self, account: Account) -> str:
        """Return what the page calls an account."""
        if account.purpose == "wallet":
            phone = Customer.objects.get(pk=account.owner).phone
            names = {row["phone"].replace(" ", ""): name for name, row in self.people.items()}
            return f"{names[phone]}'s wallet"
        return "balance" if account.purpose == "merchant" else account.purpose

    def standing(self) -> dict[str, str]:
        """Return what the merchant reads of its balance, and what the service has earned of it."""
        answer = ApiClient(self.names["live_key"]).get("/v1/balance").json()
        fees = Account.objects.filter(purpose="fees").annotate(exact=exact_balance())
        shown = {name: answer[name] for name in ("available", "pending", "in_transit")}
        assert all(amount["currency"] == "BSD" for [amount] in shown.values())
        return {name: str(amount["amount"]) for name, [amount] in shown.items()} | {
            "fees": str(sum(account.exact for account in fees))
        }


class Texts:
    """The newest text message to a customer."""

    def __init__(self) -> None:
        self.newest = ""

    def send(self, *, to: str, text: str, reference: str = "") -> None:
        self.newest = text

    @property
    def code(self) -> str:
        [code] = re.findall(r"#([0-9]+)$", self.newest)
        return code
