"""verify_ledger proves each link's counts from its uses"""

from links.models import LinkUse, PaymentLink
from links.reconciliation import check_links
from links.tasks import count_uses
from tests.links.conftest import new_link
from tests.links.paying_by_link import use


def test_it_finds_nothing_wrong_with_what_happened(api, merchant, link):
    limited = new_link(api, merchant, max_uses=2)
    for link_id in (link.id, link.id, limited.id, limited.id):
        use(link_id)
    assert list(check_links()) == []

    count_uses()

    assert list(check_links()) == []


def test_it_names_a_link_whose_count_was_changed(link):
    PaymentLink.objects.update(uses_count=1, amount_collected=1250)

    assert list(check_links()) == [f"Link {link.id} counts 1 uses of 1250; its uses are 0 of 0."]


def test_it_names_a_use_of_another_amount(link):
    use(link.id)
    LinkUse.objects.update(amount=1249)

    [sentence] = check_links()

    assert link.id in sentence
    assert "1249" in sentence
