"""``recognizer: best``: the attacker is the recognizer that tells people apart best on the original photos.

A method that is judged by a weak recognizer looks better than it is. All candidates are compared first, on the
originals alone; the run then goes on with the best of them as if it had been named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unveil.config import EvaluationUse, RunConfig, Use, component_list
from unveil.core.errors import ConfigError
from unveil.core.schema import MEASURES
from unveil.engine.progress import Progress
from unveil.pipeline.candidates import available
from unveil.pipeline.choice import Choice
from unveil.pipeline.execute import Execution
from unveil.pipeline.plan import Plan, make_plan
from unveil.pipeline.protect import UNPROTECTED
from unveil.pipeline.reduce import measured
from unveil.store.artifacts import Artifacts
from unveil.store.run import RunStore

BEST = "best"
COMPARISON = "recognizer_quality"
BY = "auc"


@dataclass(frozen=True, slots=True)
class Contest:
    """A choice that is to be made.

    Attributes:
        config: of the run, with ``best`` still in it.
        candidates: recognizers to choose from.
    """

    config: RunConfig
    candidates: tuple[Use, ...]

    @property
    def comparison(self) -> RunConfig:
        """The configuration that compares the candidates on originals, and does nothing else."""
        models = self.config.models.model_copy(update={"recognizer": self.candidates})
        update = {"methods": (Use(use=UNPROTECTED),), "models": models, "evaluations": (self._evaluation,)}
        return self.config.model_copy(update=update)

    def decided(self, chosen: Use) -> RunConfig:
        """The run with the chosen recognizer in place of ``best``, and with the comparison beside it."""
        models = self.config.models.model_copy(
            update={"recognizer": _replaced(self.config.models.recognizer, chosen)}
        )
        others = [
            use.model_copy(update={"recognizer": _replaced(use.recognizer, chosen)})
            for use in self.config.evaluations
            if use.use != COMPARISON
        ]
        return self.config.model_copy(update={"models": models, "evaluations": (self._evaluation, *others)})

    @property
    def _evaluation(self) -> EvaluationUse:
        """The comparison; one that the configuration has keeps its parameters, detectors and recognizers."""
        own = [use for use in self.config.evaluations if use.use == COMPARISON]
        asked = own[0] if own else EvaluationUse(use=COMPARISON)
        named = [use for use in asked.recognizer if use.use != BEST]
        more = [use for use in self.candidates if use.label not in {one.label for one in named}]
        return asked.model_copy(update={"recognizer": (*named, *more)})


def contest(config: RunConfig) -> Contest | None:
    """The choice that a configuration asks for; None when it names its recognizers.

    Raises:
        ConfigError: when ``best`` stands there with different candidates, or with none.
    """
    asked = [use for use in config.models.recognizer if use.use == BEST]
    asked += [use for evaluation in config.evaluations for use in evaluation.recognizer if use.use == BEST]
    if not asked:
        return None
    if any(use.params != asked[0].params for use in asked):
        raise ConfigError(
            f"recognizer: {BEST!r} stands there with different candidates; one choice is made for a run"
        )
    params = dict(asked[0].params)
    among = params.pop("among", None)
    if params:
        raise ConfigError(f"recognizer: {BEST!r} has the parameter 'among' only, not {sorted(params)[0]!r}")
    if among is None:
        candidates = [Use(use=name) for name in available("recognizer")]
    else:
        candidates = list(component_list(among, "recognizer.best.among"))
    if not candidates:
        lack = "no recognizer is available" if among is None else "'among' names no recognizer"
        raise ConfigError(f"recognizer: {lack}; `unveil list models` says what there is")
    if odd := [use for use in candidates if use.use == BEST]:
        raise ConfigError(f"recognizer: {odd[0].use!r} cannot be one of its own candidates")
    return Contest(config, tuple(candidates))


def choose(candidates: Sequence[Use], measures: pd.DataFrame, troubles: Mapping[str, str]) -> Choice:
    """The candidate with the highest mean AUC over datasets and detectors.

    Where nobody has an AUC, as on a dataset without two photos of one person, there is nothing to compare. Who has
    none where another has one cannot win: the mean of what is left would be another one.

    Args:
        candidates: recognizers; of equal ones the first wins.
        measures: of the comparison.
        troubles: label -> why a candidate could not be compared.

    Raises:
        ConfigError: when none could be measured.
    """
    rows = measures[(measures["metric"] == BY) & (measures["grouping"] == "")]
    detectors, labels = ([name.rpartition("/")[end] for name in rows["component"]] for end in (0, 2))
    rows = rows.assign(detector=detectors, label=labels)
    rows = rows[rows.groupby(["dataset", "detector"])["value"].transform("count") > 0]
    places = len(rows[["dataset", "detector"]].drop_duplicates())
    standing: list[dict[str, Any]] = []
    for use in candidates:
        mine = rows[rows["label"] == use.label]
        value = float(mine["value"].mean()) if 0 < mine["value"].count() == places else None
        entry = {"label": use.label, "value": value, "pairs": int(mine["n"].sum())}
        standing.append({**entry, "why": troubles.get(use.label, "" if value is not None else "not measured")})
    standing.sort(key=lambda entry: (entry["value"] is None, -(entry["value"] or 0)))
    if standing[0]["value"] is None:
        why = "; ".join(f"{entry['label']}: {entry['why']}" for entry in standing)
        raise ConfigError(f"recognizer: no candidate could be compared on the original photos: {why}")
    return Choice(standing[0]["label"], BY, standing)


def _replaced(uses: Sequence[Use], chosen: Use) -> tuple[Use, ...]:
    """``best`` becomes the chosen one, which may already stand there."""
    named = [use for use in uses if use.use != BEST]
    if len(named) == len(uses) or chosen.label in {use.label for use in named}:
        return tuple(named)
    return (chosen, *named)


def _troubles(planned: Plan, store: RunStore) -> Mapping[str, str]:
    """Label of a candidate -> why it is not here, or why a comparison with it failed or compared nothing."""
    models = planned.components.models.items()
    troubles = {label: built.unavailable for (role, label), built in models if role == "recognizer"}
    for planned_cell in planned.cells:
        cell, label = planned_cell.cell, planned_cell.models["recognizer"].label
        summary = store.summary(cell.id) or {}
        if summary.get("status") == "failed":
            troubles[label] = summary["reason"]
        elif summary.get("n_units") and not summary["statuses"].get("ok"):
            reasons = store.read("observations", f"evaluation={cell.evaluation}", cell.id)["reason"]
            troubles[label] = f"no pair of photos could be compared, most often because of: {reasons.mode()[0]}"
    return {label: why for label, why in troubles.items() if why}


def with_strongest(
    config: RunConfig, store: RunStore, artifacts: Artifacts, progress: Progress
) -> tuple[RunConfig, Choice | None]:
    """A configuration that names its recognizers: the comparison is made where it asks for the best.

    Returns:
        The configuration, and the choice; None when there was none to make.

    Raises:
        ConfigError: as :func:`contest` and :func:`choose`.
    """
    if (asked := contest(config)) is None:
        return config, None
    planned = make_plan(asked.comparison, artifacts, progress)
    if not planned.cells:
        why = "; ".join(planned.skipped)
        raise ConfigError(f"recognizer: no candidate can be compared on the original photos: {why}")
    Execution(planned, store, artifacts, progress, partial=True).run()
    rows, _ = measured(
        planned, store, progress
    )  # not stored: those of an earlier run stay until this one has its own
    measures = pd.DataFrame(rows.measures, columns=MEASURES.names)
    choice = choose(asked.candidates, measures, _troubles(planned, store))
    chosen = next(use for use in asked.candidates if use.label == choice.chosen)
    return asked.decided(chosen), choice
