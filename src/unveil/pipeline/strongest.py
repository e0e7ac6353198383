"""``recognizer: best``: the attacker is the recognizer that tells people apart best on the original photos.

A method that is judged by a weak recognizer looks better than it is. All candidates are compared first, on the
originals alone; the run then goes on with the best of them as if it had been named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unveil.config import EvaluationUse, RunConfig, Use, component_list
from unveil.core.errors import ConfigError
from unveil.engine.progress import Progress
from unveil.pipeline.candidates import available
from unveil.pipeline.choice import Choice
from unveil.pipeline.execute import Execution
from unveil.pipeline.plan import make_plan
from unveil.pipeline.protect import UNPROTECTED
from unveil.pipeline.reduce import reduce
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
            if use.label != COMPARISON
        ]
        return self.config.model_copy(update={"models": models, "evaluations": (self._evaluation, *others)})

    @property
    def _evaluation(self) -> EvaluationUse:
        """The comparison; one that the configuration has keeps its parameters, detectors and recognizers."""
        own = [use for use in self.config.evaluations if use.label == COMPARISON]
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
    candidates = (
        component_list(among, "recognizer.best.among")
        if among
        else [Use(use=name) for name in available("recognizer")]
    )
    if not candidates:
        raise ConfigError("recognizer: no recognizer is available; `unveil list models` says what is missing")
    if odd := [use for use in candidates if use.use == BEST]:
        raise ConfigError(f"recognizer: {odd[0].use!r} cannot be one of its own candidates")
    return Contest(config, tuple(candidates))


def choose(candidates: Sequence[Use], measures: pd.DataFrame, unavailable: dict[str, str]) -> Choice:
    """The candidate with the highest AUC.

    Args:
        candidates: recognizers.
        measures: of the comparison.
        unavailable: label -> why a candidate could not be compared.

    Raises:
        ConfigError: when none could be measured.
    """
    rows = measures[(measures["metric"] == BY) & (measures["grouping"] == "")]
    label = rows["component"].str.rpartition("/")[2]
    standing: list[dict[str, Any]] = []
    for use in candidates:
        mine = rows[label == use.label]
        value = mine["value"].mean() if len(mine) and mine["value"].notna().all() else None
        entry = {"label": use.label, "value": value, "pairs": int(mine["n"].sum())}
        standing.append({**entry, "why": unavailable.get(use.label, "" if value is not None else "not measured")})
    standing.sort(key=lambda entry: -1.0 if entry["value"] is None else -float(entry["value"]) - 1)
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
    Execution(planned, store, artifacts, progress, partial=True).run()
    reduce(planned, store, progress)
    missing = {label: built.unavailable for (_, label), built in planned.components.models.items()}
    choice = choose(asked.candidates, store.read("measures"), {k: why for k, why in missing.items() if why})
    chosen = next(use for use in asked.candidates if use.label == choice.chosen)
    return asked.decided(chosen), choice
