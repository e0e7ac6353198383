"""The verbs of the command line as plain functions.

>>> from unveil import list_components
>>> "pixelation" in [row["name"] for row in list_components("methods")]
True
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from unveil import registry
from unveil.config import RunConfig, expand
from unveil.core.errors import ConfigError, DataError, Unavailable, UnknownComponent
from unveil.engine.progress import Progress, Silent

if TYPE_CHECKING:
    from unveil.datasets.derive_hr_vispr import Derivation
    from unveil.pipeline.finding import Finding
    from unveil.pipeline.plan import Plan
    from unveil.store.artifacts import Artifacts
    from unveil.store.run import RunStore


def plan(config: RunConfig, *, methods: Sequence[Any] = (), progress: Progress | None = None) -> Plan:
    """What a run would do: datasets, cells, and what is skipped and why. Opens no model.

    With ``recognizer: best`` only the comparison on the originals can be planned before it is made.

    Args:
        config: of the run.
        methods: instances of protection methods that are not registered.
        progress: shows the scanning of the datasets.

    Raises:
        ConfigError: a wrong setting. DataError: a dataset without its layout.
    """
    from unveil.pipeline.candidates import with_available
    from unveil.pipeline.plan import make_plan
    from unveil.pipeline.strongest import contest

    config = with_available(config)
    artifacts, progress = _artifacts(config), progress or Silent()
    if (open_choice := contest(config)) is None:
        return make_plan(config, artifacts, progress, methods)
    planned = make_plan(open_choice.comparison, artifacts, progress)
    names = ", ".join(use.label for use in open_choice.candidates)
    note = f"everything else, until the best of {names} is known"
    return dataclasses.replace(planned, skipped=[*planned.skipped, note])


def run(config: RunConfig, *, methods: Sequence[Any] = (), progress: Progress | None = None) -> RunStore:
    """Carry out a run, or finish one that was interrupted.

    Args, Raises: as :func:`plan`.

    Returns:
        The run's store: ``store.read("measures")``, ``store.sql("select ...")``.
    """
    from unveil.pipeline.candidates import with_available
    from unveil.pipeline.examples import write_examples
    from unveil.pipeline.execute import Execution
    from unveil.pipeline.manifest import manifest, now
    from unveil.pipeline.plan import make_plan
    from unveil.pipeline.reduce import reduce
    from unveil.pipeline.strongest import with_strongest
    from unveil.store.run import RunStore

    progress = progress or Silent()
    started = now()
    store, artifacts = RunStore(config.folder), _artifacts(config)
    config, choice = with_strongest(with_available(config), store, artifacts, progress)
    planned = make_plan(config, artifacts, progress, methods)
    if not planned.cells:
        raise ConfigError(f"{config.name}: nothing can be computed: {'; '.join(planned.skipped) or 'no cells'}")
    planned = dataclasses.replace(planned, choice=choice)
    store.clear("measures", "disparities")  # of an earlier configuration: nobody must take them for this one's
    store.write_manifest(manifest(planned, store, started=started))
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


def derive_hr_vispr(
    source: str | Path,
    output: str | Path,
    *,
    annotations: Sequence[str | Path] = (),
    safe: int | None = 788,
    division: Literal["vispr", "hr_vispr"] = "vispr",
) -> Derivation:
    """Derive HR-VISPR's labels from VISPR's annotations; writes ``labels.csv``, ``report.json`` and ``report.md``.

    The dataset ``hr_vispr`` reads the labels: ``root`` is VISPR's folder, ``labels`` the CSV.

    Args:
        source: VISPR's folder, or a table of its annotations
            (:func:`unveil.datasets.derivation_files.read_source`).
        output: folder to write to.
        annotations: clothing labels and corrections by people who looked at the pictures, each a CSV or a file of
            tkteach (:func:`unveil.datasets.sheets.read_sheet`).
        safe, division: as :func:`unveil.datasets.derive_hr_vispr.derive`.

    Raises:
        ValueError: for ``safe`` or ``division``.
        DataError: for a file without its form.
        StoreError: when ``output`` cannot be written.
    """
    from unveil.core.scenes import LABELS
    from unveil.datasets.derivation_files import read_source, write_derivation
    from unveil.datasets.derive_hr_vispr import derive
    from unveil.datasets.sheets import read_sheet

    source = Path(source)
    sheets = [read_sheet(Path(file), LABELS) for file in annotations]
    derivation = derive(read_source(source), sheets, safe=safe, division=division)
    above = "" if (source / "train2017").is_dir() else "images/"
    write_derivation(derivation, Path(output), above)
    return derivation


def list_weights() -> list[dict[str, Any]]:
    """Weights that do not come with a package, and whether they are on this machine.

    Returns:
        Rows with ``name``, ``component``, ``megabytes`` (None when not known), ``licence`` and ``status``: where
        it lies, ``missing``, or ``wrong`` when a file of that name is another one.
    """
    from unveil.models import hub, weights_records

    rows = []
    for record in weights_records.RECORDS.values():
        found = [(str(path), state) for path, state in weights_records.verify(record) if state != "missing"]
        path, state = found[0] if found else ("", "missing")
        size = record.size / 1e6 if record.size else None
        row = {"name": record.name, "component": record.component, "megabytes": size}
        usable = state in ("ok", "unverified")
        rows.append({**row, "licence": record.licence, "status": path if usable else state})
    for model in hub.HUB.values():
        row = {"name": model.name, "component": model.component, "megabytes": None}
        rows.append({**row, "licence": model.licence, "status": _place(model.name)})
    return rows


def _place(model: str) -> str:
    from unveil.models.hub import find_model

    try:
        return str(find_model(model))
    except Unavailable:
        return "missing"


def fetch_weights(name: str, *, progress: Progress | None = None) -> Path:
    """Download weights that are not on this machine yet.

    Args:
        name: of a file in :func:`list_weights`, or any model of the Hugging Face hub as ``owner/name``.
        progress: shows the bytes.

    Returns:
        The file, or the model's folder.

    Raises:
        UnknownComponent: for a name that is neither.
        Unavailable: when it cannot be had.
    """
    from unveil.models import hub, weights_records

    if (record := weights_records.RECORDS.get(name)) is not None:
        with (progress or Silent()).step(name, record.size, "bytes") as advance:
            return weights_records.fetch(record, advance)
    if "/" in name:
        return hub.fetch_model(name)
    known = [*weights_records.RECORDS, *hub.HUB]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}"
    raise UnknownComponent(f"no weights are called {name!r}; {hint}")


def verify_weights() -> list[dict[str, Any]]:
    """Compare every weights file on this machine with its known SHA-256.

    Returns:
        Rows with ``name``, ``path``, ``sha256`` and ``state``: ``ok``, ``wrong``, or ``unverified`` where no hash
        is published. Files that are nowhere have no row.
    """
    from unveil.models.weights_records import RECORDS, hash_of, verify

    return [
        {"name": record.name, "path": str(path), "state": state, "sha256": hash_of(path)}
        for record in RECORDS.values()
        for path, state in verify(record)
        if state != "missing"
    ]


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
