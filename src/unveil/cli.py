"""The command line: thin commands over :mod:`unveil.api`."""

from __future__ import annotations

import io
import json
import signal
import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from unveil import api, registry
from unveil.config import RunConfig
from unveil.core.errors import UnveilError
from unveil.terminal import Bars, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

app = typer.Typer(
    name="unveil",
    help="Judge image protection methods: can people still be recognised, and whom does a method fail?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_ENDLESS = 10_000
"""Columns for files and pipes: what reads them breaks lines by itself, or wants whole ones."""

out = Console(width=None if sys.stdout.isatty() else _ENDLESS)
err = Console(stderr=True)

Kind = StrEnum("Kind", {kind: kind for kind in registry.KINDS})  # type: ignore[misc]


class Format(StrEnum):
    """File forms of a table."""

    CSV = "csv"
    PARQUET = "parquet"
    MARKDOWN = "markdown"
    LATEX = "latex"


class Shape(StrEnum):
    """Forms of an answer."""

    TABLE = "table"
    JSON = "json"


Config = Annotated[Path, typer.Argument(help="YAML file with the run's settings.", show_default=False)]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="Override a setting, such as seed=8 or fairness.mode=as_published.", metavar="KEY=VALUE"
    ),
]
Run = Annotated[Path, typer.Argument(help="Folder of a run, such as runs/demo.", show_default=False)]


@app.command()
def run(
    config: Config,
    overrides: Set = None,
    report: Annotated[bool, typer.Option(help="Write the report at the end.")] = True,
) -> None:
    """Carry out a run, or finish one that was interrupted; then write its report."""
    store = api.run(RunConfig.load(config, overrides or ()), progress=Bars(err))
    manifest = store.manifest()
    for line in manifest["skipped"]:
        err.print(f"[yellow]skipped[/] {escape(line)}", highlight=False, soft_wrap=True)
    for line in _incomplete(store.read("measures")):
        err.print(f"[yellow]incomplete[/] {escape(line)}", highlight=False, soft_wrap=True)
    failed = [cell for cell in manifest["cells"] if cell["status"] == "failed"]
    for cell in failed:
        names = " · ".join(cell[key] for key in ("dataset", "method", "evaluation", "threat_model") if cell[key])
        err.print(f"[red]failed[/] {escape(names)}: {escape(cell['reason'])}", highlight=False, soft_wrap=True)
    if report:
        out.print(escape(str(api.report(store.folder))), soft_wrap=True, highlight=False)
    if failed:
        raise typer.Exit(1)


def _incomplete(measures: pd.DataFrame) -> Iterator[str]:
    """Methods that gave no picture for some photos, or left somebody in it unprotected."""
    passing = measures[(measures["metric"] == "passing_rate") & (measures["grouping"] == "")]
    for row in passing[passing["value"] < 1].itertuples():
        yield f"{row.dataset} · {row.method}: {1 - row.value:.1%} of {row.n:.0f} photos are not fully protected"


@app.command()
def plan(config: Config, overrides: Set = None) -> None:
    """Show what a run would do, and what of it is already there. Computes nothing."""
    from unveil.pipeline.execute import finished
    from unveil.store.run import RunStore

    planned = api.plan(RunConfig.load(config, overrides or ()), progress=Bars(err))
    store = RunStore(planned.config.folder)
    for dataset in planned.datasets:
        identities = dataset.frame["identity"]
        people = identities[identities != ""].nunique()
        groups = ", ".join(dataset.groupings) or "no demographics"
        name = escape(dataset.built.label)
        out.print(f"{name}: {len(dataset.samples)} photos, {people} identities, by {groups}")
    rows = [
        (c.cell.dataset, c.cell.method, c.cell.evaluation, c.cell.threat_model, c.cell.component,
         "done" if finished(store, c) else "to do")
        for c in planned.cells
    ]  # fmt: skip
    head = ("dataset", "method", "evaluation", "threat model", "models", "state")
    out.print(table(f"{len(rows)} cells in {planned.config.folder}", head, rows))
    for line in planned.skipped:
        out.print(f"[yellow]skipped[/] {escape(line)}", highlight=False)


@app.command()
def report(run: Run) -> None:
    """Write the report of a run anew, and print where it is."""
    out.print(escape(str(api.report(run))), soft_wrap=True, highlight=False)


@app.command("list")
def list_names(
    kind: Annotated[Kind, typer.Argument(help="Kind of component.", show_default=False)],
    shape: Annotated[Shape, typer.Option("--format", help="For people or for programs.")] = Shape.TABLE,
) -> None:
    """List components by name: what is available here, and what each missing one needs."""
    rows = api.list_components(str(kind))
    if shape is Shape.JSON:
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return
    columns = ("name", "status", "summary", "parameters")
    out.print(table(str(kind), columns, [tuple(row[column] for column in columns) for row in rows]))


@app.command()
def show(
    run: Run,
    sql: Annotated[str, typer.Option(help="DuckDB query over samples, protections, observations, measures, "
                                          "disparities.")] = "",
) -> None:  # fmt: skip
    """Show the headline numbers of a run, or the answer to a query over its tables."""
    from unveil.reporting.tables import headline

    store = api.open_run(run)
    frame = store.sql(sql) if sql else headline(store.read("measures"))
    rows = list(frame.itertuples(index=False, name=None))
    out.print(table(str(run), [str(column) for column in frame.columns], rows))


@app.command()
def export(
    run: Run,
    name: Annotated[str, typer.Argument(help="samples, protections, observations, measures or disparities.",
                                        show_default=False)],
    form: Annotated[Format, typer.Option("--format", help="File form.")] = Format.CSV,
    output: Annotated[Path | None, typer.Option(help="File to write; standard output without it.")] = None,
) -> None:  # fmt: skip
    """Write one of the run's tables for other programs or for a paper."""
    from unveil.reporting.export import export_table

    export_table(api.open_run(run), name, str(form), output)


@app.command()
def check(
    dataset: Annotated[str, typer.Argument(help="Registered dataset, or a folder of photos.", show_default=False)],
    protected: Annotated[
        Path | None, typer.Argument(help="Folder of protected photos under the same paths.")
    ] = None,
    root: Annotated[str, typer.Option(help="Folder of a registered dataset.")] = "",
    pattern: Annotated[
        str, typer.Option(help="Layout of a folder, such as {race}_{gender}/{identity}/{file}.")
    ] = "",
    labels: Annotated[
        str, typer.Option(help="CSV with path, identity and attributes, instead of a pattern.")
    ] = "",
    minimum_identities: Annotated[int, typer.Option(min=2, help="Smaller groups get no fairness verdict.")] = 5,
    shape: Annotated[Shape, typer.Option("--format", help="For people or for programs.")] = Shape.TABLE,
) -> None:
    """The data doctor: what is wrong with photos, labels and protected photos, before any number is computed.

    Exits with 1 when something would make numbers wrong.
    """
    given = {"root": root, "pattern": pattern, "labels": labels}
    counts, findings = api.check(
        dataset,
        protected,
        params={key: value for key, value in given.items() if value},
        minimum_identities=minimum_identities,
        progress=Bars(err),
    )
    if shape is Shape.JSON:
        answer: dict[str, Any] = {"counts": counts, "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(answer, indent=2, ensure_ascii=False) + "\n")
    else:
        out.print(", ".join(f"{value} {key}" for key, value in counts.items()))
        rows = [(finding.severity, finding.rule, finding.subject, finding.message) for finding in findings]
        if not rows:
            out.print("[green]nothing to complain about[/]")
            return
        out.print(table(f"{len(rows)} findings", ("severity", "rule", "subject", "what is the case"), rows))
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)


weights = typer.Typer(
    name="weights", help="Weights that do not come with a package: list, fetch, verify.", no_args_is_help=True
)
app.add_typer(weights)


@weights.command("list")
def weights_list() -> None:
    """List weights by name, and where each lies; `unveil weights fetch NAME` gets one that is missing."""
    columns = ("name", "component", "megabytes", "licence", "status")
    rows = [tuple(row[column] for column in columns) for row in api.list_weights()]
    out.print(table("weights", columns, rows))


@weights.command("fetch")
def weights_fetch(
    name: Annotated[
        str, typer.Argument(help="Name in the list, or owner/name on the Hugging Face hub.", show_default=False)
    ],
) -> None:
    """Download weights into the cache, and print where they are. Nothing else ever downloads any."""
    out.print(escape(str(api.fetch_weights(name, progress=Bars(err)))), soft_wrap=True, highlight=False)


@weights.command("verify")
def weights_verify() -> None:
    """Compare every weights file here with its known SHA-256. Exits with 1 when one is another file.

    A file is unverified where its makers have published no SHA-256; its own is part of a run's identity.
    """
    columns = ("name", "state", "sha256", "path")
    rows = [tuple(row[column] for column in columns) for row in api.verify_weights()]
    out.print(table(f"{len(rows)} files", columns, rows))
    if any(row[1] == "wrong" for row in rows):
        raise typer.Exit(1)


class Division(StrEnum):
    """Which pictures are in which split."""

    VISPR = "vispr"
    HR_VISPR = "hr_vispr"


dataset = typer.Typer(name="dataset", help="Prepare datasets.", no_args_is_help=True)
app.add_typer(dataset)


@dataset.callback()
def _prepare() -> None:
    """Without it, a single command would need no name."""


@dataset.command("derive-hr-vispr")
def derive_hr_vispr(
    source: Annotated[
        Path, typer.Argument(help="VISPR's folder, or a CSV with split, id and labels.", show_default=False)
    ],
    output: Annotated[Path, typer.Argument(help="Folder for labels and report.", show_default=False)],
    annotations: Annotated[
        list[Path] | None,
        typer.Option(help="Clothing labels and corrections: a CSV or tkteach's storage.db; the last counts."),
    ] = None,
    safe: Annotated[int, typer.Option(min=0, help="Safe pictures to take into training.")] = 788,
    division: Annotated[Division, typer.Option(help="Keep VISPR's splits, or draw new ones.")] = Division.VISPR,
) -> None:
    """Derive HR-VISPR's 18 labels from VISPR's annotations, and tell what each step kept and left out."""
    from unveil.datasets.derivation_files import notes

    derived = api.derive_hr_vispr(
        source, output, annotations=annotations or (), safe=safe, division=division.value
    )
    rows = [(step.number, step.title, *step.kept.values(), sum(step.dropped.values())) for step in derived.steps]
    out.print(table(str(output), ("step", "what", *derived.steps[0].kept, "left out"), rows))
    for note in notes(derived):
        out.print(escape(note), highlight=False)


class _Interrupted(UnveilError):
    """Ctrl-C."""


def _interrupt(number: int, frame: object) -> None:
    raise _Interrupted("interrupted; run the same command again to go on")


def main() -> None:
    """Entry point: one clear line instead of a traceback for everything a person can put right."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter is no reason to stop
    signal.signal(signal.SIGINT, _interrupt)
    try:
        app()
    except _Interrupted as interrupted:
        err.print(str(interrupted))
        sys.exit(130)
    except UnveilError as error:
        err.print(f"[bold red]error[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        sys.exit(2)
