"""The report of a run: one page that needs nothing but itself, and the same figures and tables as files."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import pandas as pd
import yaml
from markupsafe import Markup
from matplotlib.figure import Figure

from unveil.reporting import bias, figures, glossary, number, quality, tables, wording
from unveil.reporting.answer import Answer, answer, headline_rule
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.svg import inline, to_svg
from unveil.reporting.troubles import failures, troubles, unusable
from unveil.store.files import write_atomically
from unveil.store.run import RunStore

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure in the page.

    Attributes:
        name: of its files, without ending.
        title: over it; ``description``: in its place, for readers who do not see it.
        svg: element; ``numbers``: its table as a ``data:`` URI.
    """

    name: str
    title: str
    description: str
    svg: Markup
    numbers: str


@dataclass(frozen=True, slots=True)
class Section:
    """Everything about one dataset."""

    label: str
    key: str
    facts: Mapping[str, Any]
    answer: Answer
    attacks: Sequence[tables.AttackTable]
    plane: Shown | None
    groups: Mapping[str, Sequence[Shown]]
    bias: Sequence[bias.BiasTable]
    recognizers: Sequence[quality.RecognizerRow]
    thresholds: Sequence[Mapping[str, object]]
    cmc: Sequence[Shown]
    examples: Mapping[str, Sequence[Mapping[str, Any]]]


def write_report(store: RunStore) -> Path:
    """Write ``report/index.html``, ``report/figures/`` and ``report/tables/`` under the run's folder.

    Returns:
        The page.

    Raises:
        StoreError: when the run was never finished, so that it has no measures.
    """
    results = Results.load(store)
    folder = store.folder / "report"
    writer = _Writer(folder)
    sections = [_section(results, label, f"d{i}", writer) for i, label in enumerate(results.datasets, start=1)]
    failed, lost = failures(results), unusable(results)
    writer.table("failures", failed)
    writer.table("unusable_attempts", lost)
    page = folder / "index.html"
    html = _environment().get_template("page.html").render(
        manifest=results.manifest,
        sections=sections,
        troubles=troubles(results),
        failures=failed.to_dict("records"),
        unusable=lost.to_dict("records"),
        rules=bias.rules(results),
        rule=headline_rule(results) if results.manifest["config"]["fairness"]["definitions"] else None,
        settings=yaml.safe_dump(results.manifest["config"], sort_keys=False, allow_unicode=True),
        **_content_security(),
    )  # fmt: skip
    write_atomically(page, html.encode())
    return page


class _Writer:
    """Puts figures and tables beside the page, under names that any file system takes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def table(self, name: str, frame: pd.DataFrame) -> None:
        write_atomically(self.folder / "tables" / f"{name}.csv", _csv(frame).encode())

    def figure(self, name: str, title: str, description: str, figure: Figure, frame: pd.DataFrame) -> Shown:
        svg, text = to_svg(figure), _csv(frame)
        write_atomically(self.folder / "figures" / f"{name}.svg", svg.encode())
        write_atomically(self.folder / "figures" / f"{name}.csv", text.encode())
        numbers = f"data:text/csv;charset=utf-8,{quote(text)}"
        return Shown(name, title, description, Markup(inline(svg, name, description)), numbers)


def _csv(frame: pd.DataFrame) -> str:
    return str(frame.to_csv(index=False, lineterminator="\n"))


def _section(results: Results, label: str, key: str, writer: _Writer) -> Section:
    found = answer(results, label)
    placed = found.standings
    attacks = tables.attack_tables(results, label, placed)
    compared = bias.bias_tables(results, label, placed)
    recognizers = quality.recognizers(results, label)
    thresholds = quality.thresholds(results, label)
    for name, frame in {
        "overview": tables.overview_frame(label, placed),
        "attacks": tables.attacks_frame(label, attacks),
        "bias": bias.bias_frame(label, compared),
        "recognizers": quality.recognizers_frame(label, recognizers),
        "thresholds": pd.DataFrame(thresholds),
    }.items():
        writer.table(f"{key}_{name}", frame)
    return Section(
        label=label,
        key=key,
        facts=next(entry for entry in results.manifest["datasets"] if entry["label"] == label),
        answer=found,
        attacks=attacks,
        plane=_plane(found, key, writer),
        groups=_groups(results, found, key, writer),
        bias=compared,
        recognizers=recognizers,
        thresholds=thresholds,
        cmc=_cmc(results, label, key, writer),
        examples=_examples(results, label),
    )


def _plane(found: Answer, key: str, writer: _Writer) -> Shown | None:
    frame = tables.plane_frame(found.standings)
    if frame.empty:
        return None
    best = ", ".join(standing.method for standing in found.frontier)
    text = f"Exposure against detection rate of {len(frame)} methods. No other method beats: {best or 'none'}."
    return writer.figure(f"{key}_plane", "Privacy against quality", text, figures.plane(frame), frame)


def _groups(results: Results, found: Answer, key: str, writer: _Writer) -> dict[str, list[Shown]]:
    shown: dict[str, list[Shown]] = {}
    for grouping in results.groupings(found.dataset):
        frame = tables.group_frame(results, found.dataset, found.standings, grouping)
        frame = frame[frame["value"].notna()]
        groups = sorted(frame["group"].unique())
        for measure, rows in sorted(
            frame.groupby("measure"), key=lambda item: tables.MEASURES.index(str(item[0]))
        ):
            name = f"{key}_{_slug(grouping)}_{_slug(str(measure))}"
            text = f"{measure} of each method by {wording.grouping(grouping)}: {_extremes(rows)}."
            figure = figures.by_group(rows.reset_index(drop=True), groups)
            shown.setdefault(grouping, []).append(writer.figure(name, str(measure), text, figure, rows))
    return shown


def _extremes(rows: pd.DataFrame) -> str:
    low, high = rows.loc[rows["value"].idxmin()], rows.loc[rows["value"].idxmax()]
    ends = (f"{number.percent(end['value'])} ({end['method']}, {end['group']})" for end in (low, high))
    return " to ".join(ends)


def _cmc(results: Results, label: str, key: str, writer: _Writer) -> list[Shown]:
    frame = tables.cmc_frame(results, label)
    shown = []
    for position, ((component, threat), rows) in enumerate(
        frame.groupby(["component", "threat_model"], sort=False)
    ):
        title = f"{wording.threat_model(str(threat))} ({wording.models(str(component))})"
        first = rows[rows["rank"] == 1]
        ends = ", ".join(f"{row['method']} {number.percent(row['found'])}" for _, row in first.iterrows())
        figure = figures.cmc(rows, results.methods(label))
        text = f"Cumulative match characteristic, {title}. At rank 1: {ends}."
        shown.append(writer.figure(f"{key}_cmc_{position + 1}", title, text, figure, rows))
    return shown


def _examples(results: Results, label: str) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for entry in results.examples:
        if entry["dataset"] == label:
            jpeg = entry["jpeg"]
            uri = f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}" if jpeg else ""
            rows.setdefault(entry["method"], []).append({**entry, "uri": uri})
    return rows


def _slug(text: str) -> str:
    return (
        re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower()
        or hashlib.sha256(text.encode()).hexdigest()[:8]
    )


def _content_security() -> dict[str, Any]:
    """Style, script and a policy under which nothing else runs, and nothing is fetched from anywhere."""
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    script = (_TEMPLATES / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return {"style": Markup(style), "script": Markup(script), "policy": policy}


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": number.percent, "points": number.points, "gap": number.gap}
    environment.globals |= {
        "count": number.count,
        "words": wording,
        "ORIGINAL": ORIGINAL,
        "ATTACK_METRICS": tables.ATTACK_METRICS,
        "QUALITY": quality.QUALITY,
        "TERMS": glossary.TERMS,
        "OUTCOMES": glossary.OUTCOMES,
    }
    return environment
