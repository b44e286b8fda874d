"""Every screen, in light and in dark: accessible, light, and never scrolled sideways."""

import pytest

from sandbox.screens import SCREENS
from tests.chromium import RULES, violations
from tests.nights import at_night

pytestmark = [
    pytest.mark.browser,
    pytest.mark.urls("config.local.previews"),
    pytest.mark.django_db(transaction=True),
]
CONTRAST = ("wcag2aa",)  # what may differ in the dark
DARK = "by day all screens in light: the dark ones differ by a few colours of one file"
LANGUAGES = "by day the language whose words are longest; the templates are the same"
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
CLIPPED_SUMS = """
() => [...document.querySelectorAll(".sum, .price")]
  .filter((element) => element.scrollWidth > element.clientWidth + 1)
  .map((element) => element.textContent)
"""
SMALL_TARGETS = """
() => [...document.querySelectorAll("a, button, input, summary")]
  .filter((element) => element.checkVisibility() && !element.closest("p, li p, .skip"))
  .map((element) => [element, element.type === "radio" ? element.closest("label") : element])
  .map(([element, target]) => [element.outerHTML.slice(0, 80), target.getBoundingClientRect()])
  .filter(([, box]) => box.width && Math.min(box.width, box.height) < 43.5)
  .map(([html, box]) => `${html} ${box.width} x ${box.height}`)
"""
COVERED = """
(percent) => {
  document.documentElement.style.fontSize = `${percent}%`;
  scrollTo(0, 0);
  const bar = document.querySelector(".stick");
  if (getComputedStyle(bar).position !== "sticky") return [];
  const top = bar.getBoundingClientRect().top;
  return [...document.querySelectorAll("#payee, .sum")]
    .filter((element) => element.getBoundingClientRect().bottom > top)
    .map((element) => `${percent}%: ${element.textContent}`);
}
"""


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize(
    ("scheme", "rules"),
    [*at_night(("light", RULES), why=LANGUAGES), *at_night(("dark", CONTRAST), why=DARK)],
)
def test_axe_finds_nothing_on_any_screen(open_page, site, scheme, rules, half):
    page = open_page("/preview/missing")
    page.emulate_media(color_scheme=scheme)
    found = {}
    for name in list(SCREENS)[half::2]:
        page.goto(f"{site}/preview/{name}")
        found[name] = violations(page, rules)

    assert {name: violations for name, violations in found.items() if violations} == {}


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize(
    ("language", "rules"),
    [("fr", RULES), *at_night(("en", ()), ("es", ()), ("ht", ()), why=LANGUAGES)],
)
def test_nothing_is_wrong_with_any_screen(open_page, site, language, rules, half):
    page = open_page("/preview/missing", locale=language)
    wrong: dict[str, object] = {}
    for name in list(SCREENS)[half::2]:
        page.set_viewport_size({"width": 320, "height": 640})
        page.goto(f"{site}/preview/{name}")
        found = {
            "axe": violations(page, rules) if rules else [],
            "pixels too wide": max(0, page.evaluate(OVERFLOW)),
            "small targets": page.evaluate(SMALL_TARGETS),
            "clipped sums": page.evaluate(CLIPPED_SUMS),
        }
        page.set_viewport_size({"width": 360, "height": 560})
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        found["pixels too wide at twice the size"] = max(0, page.evaluate(OVERFLOW))
        wrong |= {f"{name}: {what}": each for what, each in found.items() if each}

    assert wrong == {}


@pytest.mark.parametrize(
    "name", ["review", "review-signed-in", "review-pin", "review-order", "review-invoice"]
)
def test_payee_amount_and_pay_are_seen_without_scrolling_at_360_by_640(screen, name):
    page = screen(name)
    below = page.evaluate(
        """() => [...document.querySelectorAll("#payee, .sum, .what, .pay")]
        .filter((element) => element.getBoundingClientRect().bottom > innerHeight).length"""
    )

    assert below == 0


@pytest.mark.parametrize("name", ["phone-error", "code-error", "pin-error"])
@pytest.mark.parametrize("language", ["fr", *at_night("en", "es", "ht", why=LANGUAGES)])
def test_a_field_and_what_is_wrong_with_it_are_seen_together_at_360_by_560(screen, name, language):
    page = screen(name, height=560, locale=language)
    unseen = page.evaluate(
        """() => [document.querySelector(".is-bad"), document.querySelector(".field")]
        .map((element) => element.getBoundingClientRect())
        .filter((box) => box.top < 0 || box.bottom > innerHeight).map((box) => box.bottom)"""
    )

    assert unseen == []


@pytest.mark.parametrize(
    "name",
    [
        *("review", "review-pin", "review-order", "review-long", "review-passkey"),
        *("review-coming", "review-tip", "link", "ticket-plain"),
    ],
)
def test_the_bar_never_covers_payee_and_sum_where_text_is_large(screen, name):
    page = screen(name, height=560)
    covered = [page.evaluate(COVERED, percent) for percent in (100, 125, 150, 200)]

    assert covered == [[], [], [], []]


@pytest.mark.parametrize("percent", [100, 200])
def test_a_payee_of_60_letters_is_named_in_full_where_a_pin_is_entered(screen, percent):
    page = screen("pin", height=560)
    cut = page.evaluate(
        """([name, percent]) => {
        document.documentElement.style.fontSize = `${percent}%`;
        const shown = document.querySelector(".brief .name");
        shown.textContent = name;
        return shown.scrollHeight - shown.clientHeight;
        }""",
        ["Ti Boutik Solèy Leve nan Gran Ri Jakmèl ak Tout Fanmi Dezi O", percent],
    )

    assert cut <= 1


# Of nine letters, of ten, and of more.
@pytest.mark.parametrize("name", ["review", "review-order", "review-invoice"])
def test_a_sum_is_no_smaller_than_the_words_around_it_where_text_is_large(screen, name):
    page = screen(name, height=560)
    size, around = page.evaluate(
        """() => {
        document.documentElement.style.fontSize = "200%";
        return [document.querySelector(".sum"), document.body]
          .map((each) => parseFloat(getComputedStyle(each).fontSize));
        }"""
    )

    assert size >= around


@pytest.mark.parametrize("name", ["pin", "code"])
def test_six_digits_can_be_seen_at_once_where_text_is_large(screen, name):
    page = screen(name, width=320)
    cut = page.evaluate(
        """() => {
        document.documentElement.style.fontSize = "200%";
        const field = document.querySelector(".digits");
        field.type = "text";
        field.value = "000000";
        return field.scrollWidth - field.clientWidth;
        }"""
    )

    assert cut <= 0


def test_the_sum_on_the_button_stays_in_one_piece_on_a_small_phone_at_twice_the_size(screen):
    page = screen("review-invoice", width=180, height=320)
    pieces, cut = page.evaluate(
        """() => {
        const button = document.querySelector(".stick .pay");
        const node = [...button.childNodes].find((each) => /\\d/.test(each.textContent));
        const sum = document.createRange();
        sum.setStart(node, node.textContent.search(/\\d/));
        sum.setEnd(node, node.textContent.trimEnd().length);
        return [sum.getClientRects().length, button.scrollWidth - button.clientWidth];
        }"""
    )

    assert (pieces, cut) == (1, 0)


def test_a_price_stands_on_the_line_of_what_it_is_for(screen):
    page = screen("account")
    apart = page.evaluate(
        """() => [...document.querySelectorAll(".list > li")]
        .filter((row) => row.querySelector("a[href^='/receipts']"))
        .map((row) => {
        const [what, price] = [row.querySelector("a"), row.querySelector(".price")].map((each) => {
            const text = document.createRange();
            text.selectNodeContents(each);
            return text.getClientRects()[0].bottom;  // a long name goes on in the next line
        });
        return Math.abs(what - price);
        })"""
    )

    assert apart != []
    assert max(apart) < 2


@pytest.mark.parametrize(
    ("name", "language", "of"),
    [("passkey", "en", ".brief .name"), ("receipt-refunded", "fr", ".pair .ghost, .rows .back dt")],
)
def test_no_line_ends_inside_a_word_on_a_small_phone(screen, name, language, of):
    """It was "Blue Hole Outfit/ters", "Enregistre/r" and "(UTC-/05:00)"."""
    page = screen(name, locale=language, width=320)
    words, broken = page.evaluate(
        """(of) => {
        const words = [...document.querySelectorAll(of)].flatMap((each) => {
            const text = each.firstChild;
            return [...text.textContent.matchAll(/\\S+/g)].map((found) => {
                const word = document.createRange();
                word.setStart(text, found.index);
                word.setEnd(text, found.index + found[0].length);
                return [found[0], word.getClientRects().length];
            });
        });
        return [words.length, words.filter(([, lines]) => lines > 1)];
        }""",
        of,
    )

    assert words > 2
    assert broken == []


def test_a_page_weighs_less_than_60_kilobytes(open_page, site):
    page = open_page("/preview/missing")
    sizes = []
    page.on("response", lambda response: sizes.append((response.url, len(response.body()))))
    page.goto(f"{site}/preview/review", wait_until="networkidle")

    weight = sum(size for url, size in sizes if "/qr." not in url)
    assert 10_000 < weight < 60_000


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("devices", ".list form ~ p"),
        ("account", ".list a[href^='/receipts'] ~ .small"),
        ("till", ".list .plain ~ p"),
    ],
)
def test_details_in_a_list_have_its_whole_width(screen, name, of):
    """They stood in what the button left of a small phone: one word a line."""
    page = screen(name, locale="fr", width=320)
    narrower = page.evaluate(
        """(of) => [...document.querySelectorAll(of)]
        .map((each) => each.closest("li").clientWidth - each.clientWidth)""",
        of,
    )

    assert narrower != []
    assert max(narrower) == 0


@pytest.mark.parametrize(("name", "width"), [("counter", 390), ("till", 1_280)])
def test_a_counters_sums_stand_beside_their_times_and_its_totals_in_columns(screen, name, width):
    page = screen(name, width=width)
    lower, columns = page.evaluate(
        """() => {
        const box = (each) => each.getBoundingClientRect();
        return [
          [...document.querySelectorAll(".feed > li")].filter(({ children: [time, price] }) =>
            box(price).top > box(time).bottom || box(price).right > box(time.parentElement).right,
          ).length,
          new Set([...document.querySelectorAll(".day > div")].map((each) => box(each).left)).size,
        ];
        }"""
    )

    assert (lower, columns) == (0, 2)


@pytest.mark.parametrize(("name", "kinds"), [("keypad-tips", 3), ("till", 4), ("account", 2)])
def test_what_its_ground_tells_apart_has_an_edge_in_forced_colours(screen, name, kinds):
    """A keypad was twelve signs without keys: grounds and shadows are not drawn there."""
    page = screen(name)
    page.emulate_media(forced_colors="active")
    edges = page.evaluate(
        """() => Object.fromEntries(
        [".slip", ".panel", ".keys button", ".choices label", ".product"]
        .map((kind) => [kind, [...document.querySelectorAll(kind)]])
        .filter(([, found]) => found.length)
        .map(([kind, found]) => [kind, found.every((each) =>
            getComputedStyle(each).borderTopStyle === "solid")]))"""
    )
    page.emulate_media(forced_colors="none")

    assert len(edges) == kinds
    assert all(edges.values())
