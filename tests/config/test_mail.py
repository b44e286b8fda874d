"""E-mails on the console."""

from io import StringIO

from django.core.mail import EmailMultiAlternatives

from config.mail import ConsoleBackend


def test_it_prints_what_a_person_reads() -> None:
    out = StringIO()
    message = EmailMultiAlternatives(
        "Your receipt", "Paid: 12.50\n\nThanks.", "shop@x.test", ["me@x.test"]
    )
    message.attach_alternative("<p>Paid</p>", "text/html")
    message.attach("receipt.pdf", b"%PDF", "application/pdf")

    assert ConsoleBackend(stream=out).send_messages([message]) == 1

    assert out.getvalue().splitlines()[:6] == [
        "E-mail to me@x.test from shop@x.test",
        "Subject: Your receipt",
        "Attached: 1",
        "  | Paid: 12.50",
        "  |",
        "  | Thanks.",
    ]
    assert "<p>" not in out.getvalue()
