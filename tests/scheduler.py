"""Who runs which test: as xdist has it, without going through all that was done for each that is.

xdist counts what a process has left by all that it was ever given, which for ten thousand tests is
ten seconds of a processor.
"""

from xdist.scheduler.loadgroup import LoadGroupScheduling
from xdist.workermanage import WorkerController


class BriefScheduler(LoadGroupScheduling):
    """Forgets a test, or a group of some, once it is done."""

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        super().mark_test_complete(node, item_index, duration)
        group = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][group].values()):
            del self.assigned_work[node][group]
