"""Openings and starts are counted in memory and written later."""

import threading

import pytest

from links.statistics import note_opened, note_started, write_counts


@pytest.fixture(autouse=True)
def _counting(settings):
    settings.GATHER_SECONDS = 3600


def test_it_writes_what_was_counted_once(link):
    for note in (note_opened, note_opened, note_started):
        note(link.id)

    write_counts()
    write_counts()

    link.refresh_from_db()
    assert (link.opened_count, link.started_count) == (2, 1)


def test_threads_lose_no_count(link):
    threads = [threading.Thread(target=note_opened, args=(link.id,)) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    write_counts()

    link.refresh_from_db()
    assert link.opened_count == 50


def test_it_counts_nothing_where_it_is_switched_off(link, settings):
    settings.GATHER_SECONDS = 0

    note_opened(link.id)
    write_counts()

    link.refresh_from_db()
    assert link.opened_count == 0
