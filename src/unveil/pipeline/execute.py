"""Carry out a plan: for every dataset and method protect, acquire and observe.

Each step writes whole files or nothing and looks first for what is already there, so a run that was killed
continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unveil.config import Use
from unveil.core.errors import UnveilError
from unveil.core.protocols import Version
from unveil.core.types import Failure
from unveil.engine.guard import guarded
from unveil.engine.progress import Progress
from unveil.pipeline.attacker import Attacker, AttackerKey
from unveil.pipeline.components import Built
from unveil.pipeline.face import FaceView
from unveil.pipeline.gallery import OriginalsGallery
from unveil.pipeline.observe import observe, plan_units
from unveil.pipeline.people import PersonFinder
from unveil.pipeline.pictures import Pictures
from unveil.pipeline.plan import Plan, PlannedCell, PlannedDataset
from unveil.pipeline.protect import UNPROTECTED, Protector
from unveil.pipeline.scene import SceneView
from unveil.pipeline.shards import shards
from unveil.pipeline.templates import FaceTemplates
from unveil.pipeline.training import Training
from unveil.pipeline.truth import Truth
from unveil.pipeline.work import MethodWork
from unveil.store.artifacts import Artifacts
from unveil.store.run import RunStore


class Execution:
    """One run in work.

    Args:
        plan: what to do.
        store: the run's folder.
        artifacts: the shared cache.
        progress: is told how far the work is.
        partial: more is to come in this folder, so what the plan does not name is left there.
    """

    def __init__(
        self, plan: Plan, store: RunStore, artifacts: Artifacts, progress: Progress, *, partial: bool = False
    ) -> None:
        self.plan = plan
        self.store = store
        self.artifacts = artifacts
        self.progress = progress
        self.partial = partial
        self._parts: set[str] = set()

    def run(self) -> None:
        """Do what is missing, then drop the parts that this plan does not name."""
        for dataset in self.plan.datasets:
            self.store.write(dataset.table, "samples", dataset.built.label)
            self._run_dataset(dataset)
        if self.partial:
            return
        self.store.prune("samples", {dataset.built.label for dataset in self.plan.datasets})
        self.store.prune("protections", self._parts)
        cells = {planned.cell.id for planned in self.plan.cells}
        self.store.prune("observations", cells)
        self.store.prune_pictures(cells if self.plan.config.report.examples_per_group else ())

    def _run_dataset(self, dataset: PlannedDataset) -> None:
        truth = Truth(dataset, self._reference(), self.artifacts)
        training = Training(truth, self.plan.config.seed, self.artifacts, self.progress)
        originals: MethodWork | None = None
        for method in self.plan.components.methods:
            cells = [c for c in self.plan.cells if c.dataset is dataset and c.method is method]
            if not cells and method.label != UNPROTECTED:
                continue
            open_cells = [cell for cell in cells if self._open(cell)]
            attackers = [cell.attacker for cell in open_cells if cell.attacker]
            if method.label == UNPROTECTED:
                attackers += self._attackers_of_originals(dataset)
            work = self._work(truth, method, attackers)
            self._parts.update(work.parts)
            if work.missing() and originals and hasattr(method.component, "fit"):
                self._fit(dataset, method, originals.templates())
            with self.progress.step(
                f"{dataset.built.label} · {method.label}", len(dataset.samples), "photos"
            ) as tell:
                for position, shard in enumerate(work.shards):
                    work.run(position)
                    tell(len(shard))
            originals = originals or work
            for cell in open_cells:
                self._observe(cell, originals, work, training)

    def _observe(self, cell: PlannedCell, originals: MethodWork, work: MethodWork, training: Training) -> None:
        config = self.plan.config
        failed = self._over_budget(cell, work)
        units = plan_units(cell, config.seed)
        pictures: dict[Version, Pictures] = {"original": originals.pictures(), "protected": work.pictures()}
        title = f"{cell.cell.evaluation} · {cell.cell.method}"
        kind = cell.evaluation.component.meta.unit
        total, unit = {  # how many frames, only the evaluation knows
            "frame": (0, "frames"),
            "pair": (len(units), "pairs"),
        }.get(kind, (units["sample_id"].nunique(), "photos"))
        with self.progress.step(title, total, unit) as advance:
            done = 0

            def tell(number: int) -> None:
                nonlocal done
                done += number
                advance(number)

            view: FaceView | SceneView
            if cell.attacker:
                faces: dict[Version, FaceTemplates] = {
                    "original": originals.templates()[cell.attacker.key],
                    "protected": work.templates()[cell.attacker.key],
                }
                kept = self.store if config.report.examples_per_group else None
                view = FaceView(cell, config.seed, faces, pictures, kept, tell)
            else:
                view = SceneView(cell, config.seed, pictures, work.protector, training, tell)
            observe(cell, units, view, self.store, failed, config.errors.budget)
            if done < total:  # of what is known already, nothing has to be read
                advance(total - done)

    def _attackers_of_originals(self, dataset: PlannedDataset) -> list[Attacker]:
        """Every open cell compares with originals; k-same methods look at them through models of their own."""
        cells = [c for c in self.plan.cells if c.dataset is dataset and self._open(c)]
        attackers = [cell.attacker for cell in cells if cell.attacker]
        if any("recognizer" in cell.method.component.meta.needs for cell in cells):
            attackers.append(self._neighbour_models())
        return attackers

    def _neighbour_models(self) -> Attacker:
        models, components = self.plan.config.models, self.plan.components
        detector = components.model("detector", models.region_detector)
        return Attacker(detector, components.model("recognizer", models.neighbour_recognizer))

    def _reference(self) -> Built | None:
        reference = self._lent("object_detector", self.plan.config.models.reference_detector)
        return None if reference is None or reference.unavailable else reference

    def _lent(self, role: str, use: Use) -> Built | None:
        """A model that methods or evaluations may use; None when nothing in this run needs it."""
        return self.plan.components.models.get((role, use.label))

    def _work(self, truth: Truth, method: Built, attackers: Sequence[Attacker]) -> MethodWork:
        config, dataset, needs = self.plan.config, truth.dataset, method.component.meta.needs
        detector = self._lent("detector", config.models.region_detector)
        segmenter = self._lent("segmenter", config.models.segmenter) if "segmenter" in needs else None
        protector = Protector(
            method=method,
            dataset=dataset.built.label,
            root=dataset.built.component.root,
            scope_hash="" if method.component.meta.scope == "image" else dataset.hash,
            seed=config.seed,
            detector=detector.component if detector else None,
            finder=PersonFinder(segmenter, truth, self.artifacts) if segmenter else None,
            artifacts=self.artifacts,
        )
        parts = list(shards(dataset.samples, config.engine.shard_size))
        return MethodWork(protector, parts, attackers, self.store)

    def _fit(self, dataset: PlannedDataset, method: Built, originals: Mapping[AttackerKey, FaceTemplates]) -> None:
        """Let a method see the whole dataset before it protects the first picture."""
        key = self._neighbour_models().key
        gallery = OriginalsGallery(dataset.samples, dataset.built.component.root, lambda: originals[key])
        result = guarded(lambda _: [method.component.fit(gallery)], [0])[0]
        if isinstance(result, Failure):
            raise UnveilError(f"{method.label} cannot be fitted on {dataset.built.label}: {result.detail}")

    def _open(self, cell: PlannedCell) -> bool:
        """Whether a cell is to be observed: never done, or done when no picture of it could be kept."""
        if not finished(self.store, cell):
            return True
        withheld = (self.store.summary(cell.cell.id) or {}).get("withheld", 0)
        return bool(withheld and self.plan.config.report.examples_per_group)

    def _over_budget(self, cell: PlannedCell, work: MethodWork) -> str:
        """Why a cell cannot be trusted: too many photos were lost by its method or its models."""
        budget, loss, total = self.plan.config.errors.budget, work.loss(cell.attacker), len(cell.dataset.samples)
        if loss.photos <= budget * total:
            return ""
        broken = f"a component broke on {loss.photos} of {total} photos"
        return f"{broken}, first: {loss.reason}; errors.budget allows {budget:.1%}"


def finished(store: RunStore, planned: PlannedCell) -> bool:
    """Whether a cell has a marker that says so, and its rows."""
    summary = store.summary(planned.cell.id)
    part = store.part("observations", f"evaluation={planned.cell.evaluation}", planned.cell.id)
    return summary is not None and summary["status"] == "finished" and part.is_file()
