"""The report of a run: one page that needs nothing but itself, and the same figures and tables as files."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import yaml
from markupsafe import Markup, escape

from unveil.reporting import bias, glossary, number, quality, wording
from unveil.reporting.faces import Faces, faces
from unveil.reporting.failing import headline_rule
from unveil.reporting.focus.section import Focus, focus
from unveil.reporting.picture_quality.section import PictureQuality, picture_quality
from unveil.reporting.provenance import trained
from unveil.reporting.results import ORIGINAL, Results, subjects
from unveil.reporting.scenes.section import Scenes, scenes
from unveil.reporting.scenes.weights import PARTS
from unveil.reporting.standing import ATTACK_METRICS
from unveil.reporting.troubles import failures, troubles, unprotected_regions, unusable
from unveil.reporting.writer import Writer
from unveil.store.files import write_atomically
from unveil.store.run import RunStore

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Section:
    """Everything about one dataset.

    Attributes:
        label: of the dataset; ``key`` starts the names of its files and anchors.
        facts: its entry in the manifest.
        faces, scenes: what was measured on faces and on people in scenes; None for what was not.
        quality: of the pictures; None when it was not measured.
        focus: of each recognizer.
        examples: method -> pictures.
        unprotected: methods that left regions as they were.
    """

    label: str
    key: str
    facts: Mapping[str, Any]
    faces: Faces | None
    scenes: Scenes | None
    quality: PictureQuality | None
    focus: Sequence[Focus]
    examples: Mapping[str, Sequence[Mapping[str, Any]]]
    unprotected: Sequence[Mapping[str, Any]]

    @property
    def parts(self) -> list[Faces | Scenes]:
        """What was measured."""
        return [part for part in (self.faces, self.scenes) if part is not None]


def write_report(store: RunStore) -> Path:
    """Write ``report/index.html``, ``report/figures/`` and ``report/tables/`` under the run's folder.

    Returns:
        The page.

    Raises:
        StoreError: when the run was never finished, so that it has no measures.
    """
    results = Results.load(store)
    folder = store.folder / "report"
    writer = Writer(folder)
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
        trained=trained(results),
        rules=bias.rules(results),
        rule=headline_rule(results) if results.manifest["config"]["fairness"]["definitions"] else None,
        settings=yaml.safe_dump(results.manifest["config"], sort_keys=False, allow_unicode=True),
        **_content_security(),
    )  # fmt: skip
    write_atomically(page, html.encode())
    return page


def _section(results: Results, label: str, key: str, writer: Writer) -> Section:
    about_faces, about_scenes = subjects(results, label)
    return Section(
        label=label,
        key=key,
        facts=next(entry for entry in results.manifest["datasets"] if entry["label"] == label),
        faces=faces(results, label, key, writer) if about_faces else None,
        scenes=scenes(results, label, f"{key}_scenes", writer) if about_scenes else None,
        quality=picture_quality(results, label, f"{key}_quality", writer),
        focus=focus(results, label, f"{key}_focus", writer),
        examples=_examples(results, label),
        unprotected=unprotected_regions(results, label),
    )


def _examples(results: Results, label: str) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for entry in results.examples:
        if entry["dataset"] == label:
            jpeg = entry["jpeg"]
            uri = f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}" if jpeg else ""
            rows.setdefault(entry["method"], []).append({**entry, "uri": uri})
    return rows


def _content_security() -> dict[str, Any]:
    """Style, script and a policy under which nothing else runs, and nothing is fetched from anywhere."""
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    script = "".join((_TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.js", "weights.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return {"style": Markup(style), "script": Markup(script), "policy": policy}


def _breakable(label: str) -> Markup:
    """A label that may break after its dots and underscores."""
    parts = re.split(r"(?<=[._/])", label)
    return Markup("<wbr>").join(escape(part) for part in parts)


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": number.percent,
        "points": number.points,
        "gap": number.gap,
        "amount": number.amount,
        "breakable": _breakable,
        "models": wording.models,
    }
    environment.globals |= {
        "count": number.count,
        "words": wording,
        "ORIGINAL": ORIGINAL,
        "ATTACK_METRICS": ATTACK_METRICS,
        "QUALITY": quality.QUALITY,
        "PARTS": PARTS,
        "glossary": glossary,
    }
    return environment
