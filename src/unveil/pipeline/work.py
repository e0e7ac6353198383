"""One method on one dataset: protect and acquire its shards, taking from the store what is already there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd
import pyarrow as pa

from unveil.core.fingerprint import digest
from unveil.core.types import Failure, Image, Reason, Sample
from unveil.engine.memory import give_back
from unveil.pipeline import acquire
from unveil.pipeline.attacker import Attacker, AttackerKey
from unveil.pipeline.pictures import Pictures
from unveil.pipeline.protect import Protector
from unveil.pipeline.templates import FaceTemplates
from unveil.store.run import RunStore

_TRANSIENT = (Reason.EXCEPTION, Reason.REFUSED, Reason.TIMEOUT)
"""Failures that may not come again: the next run tries anew."""


@dataclass(frozen=True, slots=True)
class Loss:
    """How many photos a component broke on, and the first reason; ``""`` when there is none."""

    photos: int
    reason: str


@dataclass(slots=True)
class _Collected:
    """Rows of one attacker, shard by shard."""

    faces: list[pa.Table] = field(default_factory=list)
    described: list[pa.Table] = field(default_factory=list)


class MethodWork:
    """Protects and acquires the shards of one method on one dataset.

    Args:
        protector: the method at work.
        shards: of the dataset.
        attackers: whose view of the pictures is wanted.
        store: the run's folder.
    """

    def __init__(
        self,
        protector: Protector,
        shards: Sequence[Sequence[Sample]],
        attackers: Iterable[Attacker],
        store: RunStore,
    ) -> None:
        self.protector = protector
        self.shards = shards
        self.store = store
        self.parts = [self._part(shard) for shard in shards]
        self._losses: dict[AttackerKey | None, Loss] = {}
        self._keys: dict[str, str] = {}
        self._attackers = {attacker.key: attacker for attacker in attackers}
        self._collected = {key: _Collected() for key in self._attackers}

    def _part(self, shard: Sequence[Sample]) -> str:
        """Name of a shard's rows: everything they depend on."""
        keys = [self.protector.image_key(sample) for sample in shard]
        return digest("shard", self.protector.dataset, self.protector.method.label, keys)

    def missing(self) -> int:
        """Number of shards that are still to be protected."""
        return sum(self._known(part) is None for part in self.parts)

    def _known(self, part: str) -> pd.DataFrame | None:
        """Rows of a protected shard; None when it is missing, when a component broke, or a picture is gone."""
        if not self.store.part("protections", part).is_file():
            return None
        rows = self.store.read("protections", part)
        if rows["reason"].isin(_TRANSIENT).any():
            return None
        stored = rows.loc[(rows["status"] != "failed") & (rows["output_hash"] != ""), "image_key"]
        return rows if all(map(self.protector.artifacts.has_image, stored)) else None

    def run(self, position: int) -> None:
        """Protect and acquire one shard."""
        shard, part = self.shards[position], self.parts[position]
        pictures: Sequence[Image | Failure] | None = None
        rows = self._known(part)
        if rows is None:
            table, pictures = self.protector.protect(shard)
            self.store.write(table, "protections", part)
            rows = table.to_pandas()
        keys = rows["image_key"].fillna("").tolist()

        def load() -> Sequence[Image | Failure]:
            nonlocal pictures
            if pictures is None:
                pictures = [self._read(s, k) for s, k in zip(shard, keys, strict=True)]
            return pictures

        self._keys.update(zip((sample.id for sample in shard), keys, strict=True))
        broken = rows.loc[rows["reason"] == Reason.EXCEPTION, "detail"].to_dict()
        self._lose(None, broken)
        for key, lost in self._acquire(keys, load).items():
            self._lose(key, {**lost, **broken})
        give_back()

    def _lose(self, key: AttackerKey | None, lost: Mapping[int, str]) -> None:
        if lost:
            before = self._losses.get(key, Loss(0, next(iter(lost.values()))))
            self._losses[key] = replace(before, photos=before.photos + len(lost))

    def loss(self, attacker: Attacker | None) -> Loss:
        """What was lost for a cell: of an attacker, or of no attacker at all, after all shards were run."""
        return self._losses.get(attacker.key if attacker else None, Loss(0, ""))

    def _read(self, sample: Sample, key: str) -> Image | Failure:
        return self.protector.read(sample, key) if key else Failure(Reason.MISSING)

    def _acquire(self, keys: Sequence[str], load: acquire.Pictures) -> dict[AttackerKey, dict[int, str]]:
        """For each attacker the positions for which one of its models broke, and why."""
        artifacts, broken = self.protector.artifacts, {}
        found: dict[str, pa.Table] = {}
        for key, attacker in self._attackers.items():
            detector = attacker.detector
            if detector.label not in found:
                found[detector.label] = acquire.detections(artifacts, keys, load, detector)
            last = found[detector.label]
            self._collected[key].faces.append(last)
            if attacker.describer is not None:
                describe = acquire.attributes if attacker.estimates else acquire.embeddings
                last = describe(artifacts, keys, load, last, (detector, attacker.describer))
                self._collected[key].described.append(last)
            states = zip(last["status"].to_pylist(), last["reason"].to_pylist(), strict=True)
            broken[key] = {i: reason for i, (status, reason) in enumerate(states) if status == "error"}
        return broken

    def pictures(self) -> Pictures:
        """The pictures of this version, after all shards were run."""
        samples = {sample.id: sample for shard in self.shards for sample in shard}
        return Pictures(samples, self._keys, self._read)

    def templates(self) -> Mapping[AttackerKey, FaceTemplates]:
        """What each attacker holds, after all shards were run."""
        ids = [sample.id for shard in self.shards for sample in shard]
        return {key: FaceTemplates(ids, rows.faces, rows.described) for key, rows in self._collected.items()}
