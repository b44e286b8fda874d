"""Production refuses to start with providers, an account or witnesses that cannot work."""

import pytest
from pytest_django import Settings

from config.partner_checks import partner_faults

LIVE_ACCOUNT = "GB82 WEST 1234 5698 7654 32"


@pytest.fixture
def live(settings: Settings) -> Settings:
    settings.DEVELOPMENT_MODE = settings.WEBHOOK_ALLOW_PRIVATE = False
    return settings


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PAYOUT_PROVIDER", "payouts.providers.Nobody", "PAYOUT_PROVIDER must be"),
        ("PAYOUT_PROVIDER", ".Manual", "PAYOUT_PROVIDER must be"),
        ("PAYOUT_PROVIDER", "os.system", "PAYOUT_PROVIDER must be"),
        ("FUNDING_PROVIDERS", ["funding.providers.Nobody"], "FUNDING_PROVIDERS must be"),
        ("FUNDING_PROVIDERS", ["payouts.providers.Manual", "x.Y"], "FUNDING_PROVIDERS must be"),
        ("PAYOUT_DEBTOR_ACCOUNT", "GB82 WEST 1234 5698 7654 23", "PAYOUT_DEBTOR_ACCOUNT must be"),
        ("PAYOUT_DEBTOR_BIC", "BOTI", "PAYOUT_DEBTOR_BIC must be a BIC"),
        ("PAYOUT_DEBTOR_CLEARING_CODE", "12_34", "PAYOUT_DEBTOR_CLEARING_CODE must be a code"),
        *(
            ("CHECKPOINT_WITNESSES", [address], said)
            for address, said in {
                "/var/lib/witness": "CHECKPOINT_WITNESSES must each begin with",
                "file://host/folder": "CHECKPOINT_WITNESSES must each begin with",
                "http://localhost:9000": "CHECKPOINT_WITNESSES must each begin with",
                "https://log.example.com:8443/a": "CHECKPOINT_WITNESSES: log.example.com must use",
                "https://93.184.216.34/a": "CHECKPOINT_WITNESSES: 93.184.216.34 must name a host",
                "https://[::1": "CHECKPOINT_WITNESSES: each must be an absolute",
                "s3://": "CHECKPOINT_WITNESSES must name an endpoint and a bucket",
                "s3://s3.example.com": "CHECKPOINT_WITNESSES must name an endpoint and a bucket",
                "s3:///bucket": "CHECKPOINT_WITNESSES must name an endpoint and a bucket",
            }.items()
        ),
    ],
)
def test_it_refuses(live: Settings, name: str, value: object, said: str) -> None:
    live.CHECKPOINT_BUCKET_KEY = "id:secret"
    setattr(live, name, value)

    [fault] = partner_faults()

    assert fault.startswith(said)


@pytest.mark.parametrize("key", ["", "id", ":secret"])
def test_a_bucket_needs_a_key(live: Settings, key: str) -> None:
    live.CHECKPOINT_WITNESSES, live.CHECKPOINT_BUCKET_KEY = ["s3://s3.example.com/heads"], key

    [fault] = partner_faults()

    assert fault.startswith("CHECKPOINT_BUCKET_KEY must be")


def test_it_takes_what_can_work(live: Settings) -> None:
    live.PAYOUT_DEBTOR_ACCOUNT, live.PAYOUT_DEBTOR_BIC = LIVE_ACCOUNT, "botibsns"
    live.CHECKPOINT_BUCKET_KEY = "id:secret"
    live.CHECKPOINT_WITNESSES = [
        *("file:///var/lib/payments/witness", "https://log.example.com/a"),
        "s3://s3.example.com/heads/ours",
    ]

    assert list(partner_faults()) == []


def test_a_witness_of_development_may_be_on_this_machine(settings: Settings) -> None:
    settings.DEVELOPMENT_MODE = settings.WEBHOOK_ALLOW_PRIVATE = True
    settings.CHECKPOINT_WITNESSES = ["http://localhost:9000/a", "http://127.0.0.1:9000"]

    assert list(partner_faults()) == []

    settings.CHECKPOINT_WITNESSES = ["http://192.168.1.20:9000"]
    [fault] = partner_faults()
    assert fault == "CHECKPOINT_WITNESSES: 192.168.1.20 must be a public address."
