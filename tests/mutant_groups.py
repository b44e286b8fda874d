"""The parts of the service that `make mutants SEED=…` samples: money, auth, webhooks and rights.

A file belongs to the first group that one of its patterns matches.
"""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tests.mutations import Mutant, mutants_of
from tests.source_tree import ROOT, SERVICE

FLOOR_PERCENT = 97
GROUPS = {
    "rights": r"merchants/(access|scoping|callers?\w*|viewsets)|config/staff_access"
    r"|backoffice/(roles|staff|middleware|authenticators|lockout|password\w*|known_browsers)\.py"
    r"|backoffice/services/(instruction\w*|independence|decisions|requesters|accounts)\.py"
    r"|backoffice/services/(administrators|break_glass|two_factor|staff_passkeys|invitations)\.py",
    "keys": r"merchants/|core/(attempt_limits|signed_tokens|address_keys)",
    "customers": r"customers/",
    "ledger": r"ledger/|core/(hash_chain|merkle|signed_notes|log_receipts)",
    "payments": r"payments/|core/(idempotency|money|amounts|retries)",
    "refunds": r"refunds/",
    "funding": r"funding/",
    "bank": r"payouts/(bank/|pain001|account_statements|order_references)",
    "payouts": r"payouts/",
    "webhooks": r"webhooks/|outbound/|core/signatures",
}
# What documents the service or measures it, and commands of a shell: none of the four.
NOT_OF_THEM = re.compile(r"(openapi|reference|samples|metrics)\.py$|/(management|cli)/")


def files_of_groups() -> dict[str, list[str]]:
    """Return the files of each group."""
    files: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in (str(path.relative_to(ROOT)) for path in sorted(SERVICE)):
        found = [group for group, pattern in GROUPS.items() if re.match(pattern, name)]
        if found and not NOT_OF_THEM.search(name):
            files[found[0]].append(name)
    return files


def sampled(groups: Sequence[str], *, seed: int, each: int) -> dict[str, list[Mutant]]:
    """Return so many mistakes of each group, chosen by the seed, whichever groups are with it."""
    files = files_of_groups()
    sample = {}
    for group in groups:
        found = [
            one for file in files[group] for one in mutants_of(file, (ROOT / file).read_text())
        ]
        sample[group] = random.Random(f"{seed} {group}").sample(found, min(each, len(found)))
    return sample


def table(counts: Mapping[str, Counter[str]]) -> str:
    """Return the figures of each group and of all. What is accepted does not count as caught."""
    rows = [f"{'group':10} planted  caught accepted survived\n"]
    for group, count in (*counts.items(), ("all", sum(counts.values(), Counter[str]()))):
        rows.append(
            f"{group:10} {count.total():7} {count['caught']:7} {count['accepted']:8}"
            f" {count['SURVIVED']:8}  {percent(count):5.1f} %\n"
        )
    return "".join(rows)


def percent(count: Counter[str]) -> float:
    """Return the share that was caught."""
    return 100 * count["caught"] / count.total() if count else 0.0
