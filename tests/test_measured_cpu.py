"""The CPU time that the benchmarks report is that of the processes, and of nothing else."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from bench.serving import cpu_seconds

# A child works, and has ended when the line is written.
WORK = "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; echo done; read end"


def test_a_process_that_only_waits_has_used_none() -> None:
    with shell("echo done; read end") as pid:
        assert cpu_seconds(pid) < 0.1


def test_what_ended_children_used_counts() -> None:
    with shell(WORK) as pid:
        assert cpu_seconds(pid) > 0.02


@contextmanager
def shell(script: str) -> Iterator[int]:
    """Run a script until it has written a line, and then as long as the context lasts."""
    with subprocess.Popen(
        ["/bin/sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdin
        process.stdout.readline()
        yield process.pid
        process.stdin.close()
