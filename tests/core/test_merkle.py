"""The Merkle tree against the vectors of Certificate Transparency, and against itself."""

import pytest

from core import merkle
from tests.consistency import is_consistent

ENTRIES = [
    bytes.fromhex(text)
    for text in (
        *("", "00", "10", "2021", "3031", "40414243", "5051525354555657"),
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
FIRST_IN_EIGHT = [
    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
]
LEAVES = [merkle.leaf_hash(entry) for entry in ENTRIES]
SIZES = range(1, len(LEAVES) + 1)


def nodes(level: int, position: int) -> bytes:
    return merkle.fold(LEAVES[position << level : (position + 1) << level])


@pytest.mark.parametrize("size", range(len(ROOTS)))
def test_its_roots_are_those_of_the_vectors(size: int) -> None:
    assert merkle.root(size, nodes).hex() == ROOTS[size]


def test_a_path_is_that_of_the_vectors() -> None:
    assert [step.hex() for step in merkle.inclusion_path(0, 8, nodes)] == FIRST_IN_EIGHT


@pytest.mark.parametrize(("index", "size"), [(i, size) for size in SIZES for i in range(size)])
def test_every_leaf_is_proved_and_no_other(index: int, size: int) -> None:
    path = merkle.inclusion_path(index, size, nodes)

    def leads_to(leaf: bytes, index: int, size: int, path: list[bytes]) -> str | None:
        found = merkle.root_by_inclusion(leaf, index=index, size=size, path=path)
        return found.hex() if found else None

    assert leads_to(LEAVES[index], index, size, path) == ROOTS[size]
    assert leads_to(b"\x00" * 32, index, size, path) != ROOTS[size]
    assert leads_to(LEAVES[index], index, size, [*path, path[0] if path else b""]) is None
    if path:
        assert leads_to(LEAVES[index], index, size, path[:-1]) != ROOTS[size]


@pytest.mark.parametrize(
    ("old", "size"), [(old, size) for size in SIZES for old in range(size + 1)]
)
def test_every_tree_extends_those_before_it(old: int, size: int) -> None:
    path = merkle.consistency_path(old, size, nodes)

    def extends(old_root: str, new_root: str, path: list[bytes]) -> bool:
        roots = {"old_root": bytes.fromhex(old_root), "new_root": bytes.fromhex(new_root)}
        return is_consistent(old=old, size=size, path=path, **roots)

    assert extends(ROOTS[old], ROOTS[size], path)
    if old > 0:
        assert not extends("00" * 32, ROOTS[size], path)
        assert not extends(ROOTS[old], ROOTS[size], [*path, b"\x00" * 32])
    if 0 < old < size:
        assert not extends(ROOTS[old], "00" * 32, path)
        assert not extends(ROOTS[old], ROOTS[size], path[:-1])
        assert not extends(ROOTS[old], ROOTS[size], [])


def test_a_tree_is_no_extension_of_a_larger_one() -> None:
    path = merkle.consistency_path(5, 7, nodes)
    roots = {"old_root": bytes.fromhex(ROOTS[7]), "new_root": bytes.fromhex(ROOTS[5])}

    assert not is_consistent(old=7, size=5, path=path, **roots)


def test_a_path_of_another_tree_is_no_path() -> None:
    for size in (0, 1):
        path = merkle.inclusion_path(0, 2, nodes)
        assert merkle.root_by_inclusion(LEAVES[0], index=0, size=size, path=path) is None
