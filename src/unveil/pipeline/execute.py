"""Carry out a plan: for every dataset and method protect, acquire and observe.

Each step writes whole files or nothing and looks first for what is already there, so a run that was killed
continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unveil.core.errors import UnveilError
from unveil.core.types import Failure
from unveil.engine.guard import guarded
from unveil.engine.progress import Progress
from unveil.pipeline.components import Built
from unveil.pipeline.gallery import OriginalsGallery
from unveil.pipeline.observe import observe
from unveil.pipeline.plan import Plan, PlannedCell, PlannedDataset
from unveil.pipeline.protect import UNPROTECTED, Protector
from unveil.pipeline.shards import shards
from unveil.pipeline.templates import FaceTemplates
from unveil.pipeline.work import Attacker, AttackerKey, MethodWork, attacker_key
from unveil.store.artifacts import Artifacts
from unveil.store.run import RunStore


class Execution:
    """One run in work.

    Args:
        plan: what to do.
        store: the run's folder.
        artifacts: the shared cache.
        progress: is told how far the work is.
    """

    def __init__(self, plan: Plan, store: RunStore, artifacts: Artifacts, progress: Progress) -> None:
        self.plan = plan
        self.store = store
        self.artifacts = artifacts
        self.progress = progress
        self._parts: set[str] = set()

    def run(self) -> None:
        """Do what is missing, then drop the parts that this plan does not name."""
        for dataset in self.plan.datasets:
            self.store.write(dataset.table, "samples", dataset.built.label)
            self._run_dataset(dataset)
        self.store.prune("samples", {dataset.built.label for dataset in self.plan.datasets})
        self.store.prune("protections", self._parts)
        self.store.prune("observations", {planned.cell.id for planned in self.plan.cells})

    def _run_dataset(self, dataset: PlannedDataset) -> None:
        originals: Mapping[AttackerKey, FaceTemplates] = {}
        for method in self.plan.components.methods:
            cells = [c for c in self.plan.cells if c.dataset is dataset and c.method is method]
            if not cells and method.label != UNPROTECTED:
                continue
            open_cells = [cell for cell in cells if not finished(self.store, cell)]
            attackers: list[Attacker] = [(cell.detector, cell.recognizer) for cell in open_cells]
            if method.label == UNPROTECTED:
                attackers += self._attackers_of_originals(dataset)
            work = self._work(dataset, method, attackers)
            self._parts.update(work.parts)
            if work.missing() and hasattr(method.component, "fit"):
                self._fit(dataset, method, originals)
            with self.progress.step(
                f"{dataset.built.label} · {method.label}", len(dataset.samples), "photos"
            ) as tell:
                for position, shard in enumerate(work.shards):
                    work.run(position)
                    tell(len(shard))
            templates = work.templates()
            originals = originals or templates
            for cell in open_cells:
                key = attacker_key((cell.detector, cell.recognizer))
                versions = {"original": originals[key], "protected": templates[key]}
                failed = self._over_budget(work.broken, len(dataset.samples))
                observe(cell, versions, self.plan.config.seed, self.store, failed)

    def _attackers_of_originals(self, dataset: PlannedDataset) -> list[Attacker]:
        """Every open cell compares with originals; k-same methods look at them through models of their own."""
        cells = [c for c in self.plan.cells if c.dataset is dataset and not finished(self.store, c)]
        attackers: list[Attacker] = [(cell.detector, cell.recognizer) for cell in cells]
        if any("recognizer" in cell.method.component.meta.needs for cell in cells):
            attackers.append(self._neighbour_models())
        return attackers

    def _neighbour_models(self) -> tuple[Built, Built]:
        models, components = self.plan.config.models, self.plan.components
        detector = components.model("detector", models.region_detector)
        return detector, components.model("recognizer", models.neighbour_recognizer)

    def _work(self, dataset: PlannedDataset, method: Built, attackers: Sequence[Attacker]) -> MethodWork:
        config = self.plan.config
        protector = Protector(
            method=method,
            dataset=dataset.built.label,
            root=dataset.built.component.root,
            scope_hash="" if method.component.meta.scope == "image" else dataset.hash,
            seed=config.seed,
            detector=self.plan.components.model("detector", config.models.region_detector).component,
            artifacts=self.artifacts,
        )
        parts = list(shards(dataset.samples, config.engine.shard_size))
        return MethodWork(protector, parts, attackers, self.store)

    def _fit(self, dataset: PlannedDataset, method: Built, originals: Mapping[AttackerKey, FaceTemplates]) -> None:
        """Let a method see the whole dataset before it protects the first picture."""
        key = attacker_key(self._neighbour_models())
        gallery = OriginalsGallery(dataset.samples, dataset.built.component.root, lambda: originals[key])
        result = guarded(lambda _: [method.component.fit(gallery)], [0])[0]
        if isinstance(result, Failure):
            raise UnveilError(f"{method.label} cannot be fitted on {dataset.built.label}: {result.detail}")

    def _over_budget(self, broken: int, total: int) -> str:
        budget = self.plan.config.errors.budget
        if broken <= budget * total:
            return ""
        return f"a component broke on {broken} of {total} photos; errors.budget allows {budget:.1%}"


def finished(store: RunStore, planned: PlannedCell) -> bool:
    """Whether a cell has a marker that says so, and its rows."""
    summary = store.summary(planned.cell.id)
    part = store.part("observations", f"evaluation={planned.cell.evaluation}", planned.cell.id)
    return summary is not None and summary["status"] == "finished" and part.is_file()
