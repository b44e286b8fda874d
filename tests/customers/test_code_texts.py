"""What the text with a code says."""

import pytest
from django.utils import translation

from customers.codes import _new_code, text_of
from customers.models import CodePurpose

SIGN_IN = CodePurpose.SIGN_IN


@pytest.mark.parametrize(
    ("payee", "shown"),
    [
        ("Joe's Fish & Chips (Nassau)", "Joe's Fish & Chips (Nassau)"),
        ("Pay at https://evil.example/x?y=1", "Pay at https evil example x y 1"),
        ("evil.com", "evil com"),
        ("evil\uff0ecom", "evil com"),
        ("bank\ua4f8com, bank\u0660com", "bank com, bank com"),
        ("bank\u0660\u0660com, bank\u06f0\u0660com", "bank com, bank com"),
        ("bank\u0660\u0660com", "bank00com"),
        ("\u0634 \u0662\u0664", "\u0634 24"),
        ("\u0434\u0438\ua4fa\u0301\u0434\u0438", "\u0434\u0438 \u0434\u0438"),
        ("pay\u30ceb\u0301ank\u0903com", "pay b\u0301ank com"),
        ("http\u02d0bank\U0001d16dcom", "http bank com"),
        ("BANK\ua4f8\u13dfOM \u15f7ANK\u0660\u1455OM", "BANK \u13dfOM \u15f7ANK OM"),
        (
            "\ua4d0\ua4ee\ua4e0\ua4d7\ua4f8\ua4da\ua4f3\ua4df",
            "\ua4d0\ua4ee\ua4e0\ua4d7 \ua4da\ua4f3\ua4df",
        ),
        ("b\u1d00n\u1d0b\ua78f\u1d04om, bank\ua4f8\ua4f8com", "b\u1d00n\u1d0b \u1d04om, bank com"),
        ("O\u2019Brien\u2019s Fish\u2013Fry", "O'Brien's Fish-Fry"),
        (
            "KTV卡拉OK 中の店 日韓식당 \u0634\u06f7\u0634",
            "KTV卡拉OK 中の店 日韓식당 \u06347\u0634",
        ),
        ("Hawai\u02bbi T\u02bcik\u02bc naïve", "Hawai\u02bbi T\u02bcik\u02bc naïve"),
        ("カフェーノア VIP店", "カフェーノア VIP店"),
        ("Bank Fraud Desk call +1 (242) 555-0100", "Bank Fraud Desk call"),
        ("Bank: call \u0662\u0664\u0662 \uff15\uff15\uff15", "Bank call"),
        ("Bank: call \u2781\u2783\u2781 \u2465\u277a\u24f9 \u96f6", "Bank call"),
        ("Call 919", "Call"),
        ("Pier 39", "Pier 39"),
        ("7-Eleven", "7-Eleven"),
        ("a\nb\r\nc\u2028d\u202ee", "a b c d e"),
        ("%(code)s {code} $code", "(code)s code code"),
        ("🍍", "a shop"),
        ("\u00ad\u200b", "a shop"),
        ("242 555 0100", "a shop"),
        ("Café Crème Île", "Café Crème Île"),
        ("हिन्दी दुकान", "हिन्दी दुकान"),
        ("ร้านน้ำชา", "ร้านน้ำชา"),
        ("ɛ̀kɔ́ ilé", "ɛ̀kɔ́ ilé"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u0937"),
        ("\u2764\ufe0f Cake\U0001f34d\u0323", "Cake"),
        ("\u0323\u0e49", "a shop"),
        ("1\u20e39\u20e31\u20e3", "a shop"),
        ("Caf" * 13 + "\u0e17\u0e35\u0e48", "Caf" * 13),
        ("Caf" * 12 + "abc\u0e17" + "\u0e17", "Caf" * 12 + "abc\u0e17"),
        ("9\u0329 1\u0329 1\u0329 Bank", "Bank"),
        ("Cake" + "\u0331" * 8, "Cake" + "\u0331" * 4),
        ("x" + "\u0344" * 4, "\u1e8d" + "\u0301\u0308\u0301"),
    ],
)
def test_a_payee_puts_no_link_phone_or_name_of_ours_into_our_text(payee: str, shown: str) -> None:
    text = text_of("123456", purpose=SIGN_IN, payee=payee, amount="B$1.00")

    assert text.startswith(f"123456 is your code to pay B$1.00 to {shown}. Do not")


@pytest.mark.parametrize(
    ("language", "shown"), [("es", "un comercio"), ("fr", "un commerçant"), ("ht", "yon komèsan")]
)
def test_a_payee_without_a_name_is_a_shop_in_each_language(language: str, shown: str) -> None:
    with translation.override(language):
        text = text_of("123456", purpose=SIGN_IN, payee="242", amount="B$1.00")

    assert f" {shown}." in text


def test_a_long_payee_is_cut() -> None:
    text = text_of("123456", purpose=SIGN_IN, payee="x" * 500, amount="B$1.00")

    assert f" {'x' * 40}." in text
    assert len(text) < 160


@pytest.mark.parametrize(
    ("purpose", "says"),
    [
        (SIGN_IN, "123456 is your code to sign in to Payments."),
        (CodePurpose.RESET_PIN, "123456 is your code for a new PIN at Payments."),
        (CodePurpose.ADD_PASSKEY, "123456 is your code for a new PIN or passkey at Payments."),
    ],
)
def test_the_text_says_what_the_code_opens(purpose: CodePurpose, says: str) -> None:
    assert text_of("123456", purpose=purpose).startswith(f"{says} Do not share it.")


@pytest.mark.parametrize("purpose", [CodePurpose.RESET_PIN, CodePurpose.ADD_PASSKEY])
def test_a_payment_hides_no_other_purpose(purpose: CodePurpose) -> None:
    text = text_of("123456", purpose=purpose, payee="Shop", amount="B$1.00")

    assert text == text_of("123456", purpose=purpose)


@pytest.mark.parametrize("language", ["es", "fr", "ht"])
@pytest.mark.parametrize("purpose", CodePurpose)
def test_the_text_speaks_the_customers_language(language: str, purpose: CodePurpose) -> None:
    def texts() -> list[str]:
        paying = text_of("123456", purpose=purpose, payee="Kiosk", amount="B$1.00")
        return [paying, text_of("123456", purpose=purpose)]

    english = texts()
    with translation.override(language):
        translated = texts()

    for before, after in zip(english, translated, strict=True):
        assert before != after
        for word in ("123456", "B$1.00", "Kiosk", "Payments", "10", "@testserver #123456"):
            assert (word in before) == (word in after)


def test_a_code_is_of_six_digits_whatever_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = {"least": lambda most: 0, "most": lambda most: most - 1}
    for name, code in {"least": "000000", "most": "999999"}.items():
        monkeypatch.setattr("secrets.randbelow", drawn[name])
        assert _new_code() == code
