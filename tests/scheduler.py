"""Who runs which test: a file's tests follow each other in one process, what is long first.

So what a file prepares for all its tests is prepared once. xdist has groups for that; since pytest
keeps a test's id elsewhere, marking some has no effect.
"""

from xdist.scheduler.loadfile import LoadFileScheduling
from xdist.workermanage import WorkerController

# These share what is prepared: a service that runs, the parsed source of the repository.
TOGETHER = {
    "tests/test_make_run.py": "service",
    "tests/test_readme.py": "service",
    "tests/test_shop.py": "service",
    "tests/test_house.py": "house",
    "tests/test_names.py": "house",
    "tests/test_packages.py": "house",
}


class BriefScheduler(LoadFileScheduling):
    """Forgets the tests of a file once they are done.

    xdist counts what a process has left by all that it was ever given, which for ten thousand tests
    is ten seconds of a processor.
    """

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        super().mark_test_complete(node, item_index, duration)
        file = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][file].values()):
            del self.assigned_work[node][file]

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return TOGETHER.get(file, file)
