"""The verbs of the command line as plain functions.

>>> from unveil import list_components
>>> "pixelation" in [row["name"] for row in list_components("methods")]
True
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil import registry
from unveil.config import RunConfig, expand
from unveil.core.errors import ConfigError, DataError, Unavailable
from unveil.engine.progress import Progress, Silent

if TYPE_CHECKING:
    from unveil.pipeline.check import Finding
    from unveil.pipeline.plan import Plan
    from unveil.store.artifacts import Artifacts
    from unveil.store.run import RunStore


def plan(config: RunConfig, *, methods: Sequence[Any] = (), progress: Progress | None = None) -> Plan:
    """What a run would do: datasets, cells, and what is skipped and why. Opens no model.

    Args:
        config: of the run.
        methods: instances of protection methods that are not registered.
        progress: shows the scanning of the datasets.

    Raises:
        ConfigError: a wrong setting. DataError: a dataset without its layout.
    """
    from unveil.pipeline.plan import make_plan

    return make_plan(config, _artifacts(config), progress or Silent(), methods)


def run(config: RunConfig, *, methods: Sequence[Any] = (), progress: Progress | None = None) -> RunStore:
    """Carry out a run, or finish one that was interrupted.

    Args, Raises: as :func:`plan`.

    Returns:
        The run's store: ``store.read("measures")``, ``store.sql("select ...")``.
    """
    from unveil.pipeline.examples import write_examples
    from unveil.pipeline.execute import Execution
    from unveil.pipeline.manifest import manifest, now
    from unveil.pipeline.reduce import reduce
    from unveil.store.run import RunStore

    progress = progress or Silent()
    started = now()
    planned = plan(config, methods=methods, progress=progress)
    if not planned.cells:
        raise ConfigError(f"{config.name}: nothing can be computed: {'; '.join(planned.skipped) or 'no cells'}")
    store = RunStore(config.folder)
    store.clear("measures", "disparities")  # of an earlier configuration: nobody must take them for this one's
    store.write_manifest(manifest(planned, store, started=started))
    artifacts = _artifacts(config)
    Execution(planned, store, artifacts, progress).run()
    write_examples(planned, store, artifacts)
    warnings = reduce(planned, store, progress)
    planned = dataclasses.replace(planned, skipped=[*planned.skipped, *warnings])
    store.write_manifest(manifest(planned, store, started=started, finished=now()))
    return store


def report(folder: str | Path) -> Path:
    """Write the report of a run. Returns the path of its page.

    Raises:
        StoreError: when the folder is not a finished run.
    """
    from unveil.reporting.html import write_report

    return write_report(open_run(folder))


def open_run(folder: str | Path) -> RunStore:
    """The results of a run.

    Raises:
        StoreError: when the folder is not a run.
    """
    from unveil.store.run import RunStore

    return RunStore.open(Path(folder))


def check(
    dataset: str,
    protected: str | Path | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    minimum_identities: int = 5,
    progress: Progress | None = None,
) -> tuple[dict[str, Any], list[Finding]]:
    """Examine photos, labels and protected photos before any number is computed; opens no model.

    Args:
        dataset: registered name, or a folder.
        protected: folder of protected photos under the same relative paths.
        params: of the dataset, such as ``root``, ``pattern`` or ``labels``.
        minimum_identities: groups with fewer people get no fairness verdict.
        progress: shows the steps.

    Returns:
        Counts, and findings with errors first.

    Raises:
        DataError: when a folder is not there or does not have the layout.
    """
    from unveil.pipeline import check as doctor

    given = dict(params or {})
    name = dataset
    if dataset not in registry.specs("datasets"):
        name, given["root"] = "folder", dataset
    if protected is not None and not Path(protected).is_dir():
        raise DataError(f"{protected}: not a folder")
    built = registry.build("datasets", name, expand(given))
    folder = Path(protected) if protected is not None else None
    return doctor.check(built, folder, minimum_identities, None, progress or Silent())


def list_components(kind: str) -> list[dict[str, str]]:
    """Registered names of a kind.

    Returns:
        Rows with ``name``, ``status`` (``available`` or what is missing), ``summary``, ``parameters`` (those that
        the name fixes, then the others with their defaults), ``target``, ``owner``.

    Raises:
        ConfigError: for a kind that does not exist.
    """
    if kind not in registry.KINDS:
        raise ConfigError(f"{kind!r} is not a kind of component; there are: {', '.join(registry.KINDS)}")
    return [_describe(spec) for spec in registry.specs(kind).values()]


def _describe(spec: registry.Spec) -> dict[str, str]:
    row = {"name": spec.name, "status": "available", "summary": "", "parameters": ""}
    try:
        found = registry.load(spec)
        if isinstance(found, type):
            row["summary"] = (found.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")
            row["parameters"] = ", ".join(_parameters(found, spec.preset))
            if spec.kind == "models" and hasattr(found, "require"):
                registry.build(spec.kind, spec.name).require()
        else:  # a metric is a ready instance
            row["summary"] = found.meta.title
    except Unavailable as reason:
        row["status"] = str(reason)
    return {**row, "target": spec.target, "owner": spec.owner}


def _parameters(cls: type, preset: Mapping[str, Any]) -> Iterator[str]:
    for name, value in preset.items():
        if isinstance(value, str | int | float):
            yield f"{name}={value}"
    for name, parameter in inspect.signature(cls).parameters.items():
        if name not in preset:
            needed = parameter.default is inspect.Parameter.empty
            yield f"{name} (needed)" if needed else f"[{name}={parameter.default}]"


def _artifacts(config: RunConfig) -> Artifacts:
    from unveil.store.artifacts import Artifacts

    return Artifacts(Path(expand(config.engine.cache)) if config.engine.cache else None)
