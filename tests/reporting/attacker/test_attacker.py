from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from unveil.reporting import quality
from unveil.reporting.attacker.choice import chosen, told_apart
from unveil.reporting.attacker.section import Attacker, attacker
from unveil.reporting.number import Number
from unveil.reporting.quality import RecognizerRow
from unveil.reporting.results import Results
from unveil.reporting.writer import Writer
from unveil.store.run import RunStore

DATASET = "sample-faces"


def changed(results: Results, **fields: Any) -> Results:
    return Results(**({name: getattr(results, name) for name in Results.__slots__} | fields))


@pytest.fixture(scope="module")
def shown(told: Results, tmp_path_factory: pytest.TempPathFactory) -> tuple[Attacker, Path]:
    folder = tmp_path_factory.mktemp("report")
    return attacker(told, DATASET, "d1", Writer(folder)), folder


def test_best_comes_first_and_who_attacks_is_marked(told: Results, shown: tuple[Attacker, Path]) -> None:
    rows = shown[0].recognizers
    assert [row.component for row in rows] == ["opencv/dlib", "opencv/random"]
    assert rows[0].auc > rows[1].auc
    assert [row.attacks for row in rows] == [True, False]
    own = told.select("measures", evaluation="recognizer_quality", component="opencv/dlib", grouping="")
    values = own.set_index("metric")["value"]
    assert {metric: number.value for metric, number in rows[0].numbers.items()} == {
        metric: values[metric] for metric in rows[0].numbers
    }
    assert rows[0].numbers["comparison_rate"].value < 1, "opencv overlooks some of the faces"


def test_verification_and_comparison_are_never_mixed(told: Results, results: Results) -> None:
    assert quality.compared_alone(told, DATASET)
    assert set(quality.originals(told, DATASET)["evaluation"]) == {"recognizer_quality"}
    assert not quality.compared_alone(results, DATASET)
    assert set(quality.originals(results, DATASET)["evaluation"]) == {"verification"}
    rows = told.measures[told.measures["evaluation"] != "recognizer_quality"]
    (only,) = quality.recognizers(changed(told, measures=rows), DATASET)
    assert "comparison_rate" not in only.numbers


def test_choice_names_candidates_and_why_some_are_missing(told: Results) -> None:
    choice = chosen(told)
    assert choice is not None
    assert (choice.label, choice.by) == ("dlib", "auc")
    assert [one.label for one in choice.compared] == ["dlib", "random"]
    assert choice.second is not None and choice.second.label == "random"
    (missing,) = choice.left_out
    assert missing.label == "sface" and "sface" in missing.why
    frame = choice.frame().set_index("recognizer")
    assert frame["chosen"].to_dict() == {"dlib": True, "random": False, "sface": False}
    assert frame.loc["sface", "why"] == missing.why


def test_a_run_that_names_its_recognizers_makes_no_choice(results: Results) -> None:
    older = {name: value for name, value in results.manifest.items() if name != "choice"}
    for manifest in (older, {**older, "choice": None}):
        assert chosen(changed(results, manifest=manifest)) is None


def test_overlapping_intervals_are_not_told_apart(told: Results) -> None:
    choice = chosen(told)
    assert choice is not None

    def rows(low: float) -> list[RecognizerRow]:
        numbers = {"dlib": Number(0.9, low, 0.95), "random": Number(0.6, 0.5, 0.7)}
        return [RecognizerRow(f"opencv/{name}", {"auc": number}, False) for name, number in numbers.items()]

    assert told_apart(choice, rows(0.8)) is True
    assert told_apart(choice, rows(0.65)) is False
    assert told_apart(choice, rows(0.8)[:1]) is None


def test_groups_of_recognizers_and_detectors(told: Results, shown: tuple[Attacker, Path]) -> None:
    found, folder = shown
    assert [entry.table.title for entry in found.groups] == [
        "AUC", "TPR at FPR 10%", "TPR at FPR 1%", "Pairs compared",
    ]  # fmt: skip
    first = found.groups[0].table
    assert list(first.rows) == ["dlib, faces by opencv", "random, faces by opencv"]
    here = {"metric": "auc", "component": "opencv/dlib", "evaluation": "recognizer_quality", "grouping": "gender"}
    expected = told.select("measures", **here).set_index("group")["value"]
    assert first.rows["dlib, faces by opencv"]["gender", "Male"].value == expected["Male"]
    assert found.detectors is not None and found.detectors.bias is not None
    assert list(found.detectors.table.rows) == ["opencv", "dlib"]
    here = {"metric": "detection_rate", "method": "original", "component": "opencv", "grouping": "tone"}
    (row, _) = found.detectors.bias.sections["tone"]
    averages = told.select("disparities", **here, statistic="average_bias").set_index(["definition", "epsilon"])
    assert {rule: cell.value for rule, cell in row.cells.items()} == averages["value"].to_dict()
    files = {path.stem for path in (folder / "tables").glob("*.csv")}
    assert {"d1_recognizers", "d1_attacker_groups", "d1_detector_bias"} <= files
    flat = pd.read_csv(folder / "tables" / "d1_recognizers.csv")
    assert set(flat.loc[flat["chosen"], "recognizer"]) == {"dlib"}


def test_figure_has_its_numbers(shown: tuple[Attacker, Path]) -> None:
    found, folder = shown
    assert found.figure is not None
    numbers = pd.read_csv(folder / "figures" / f"{found.figure.name}.csv")
    assert set(numbers["group"]) == {"AUC", "TPR at FPR 10%", "TPR at FPR 1%"}
    assert numbers.loc[numbers["group"] == "AUC", "value"].tolist() == [row.auc for row in found.recognizers]
    assert "AUC: opencv/dlib" in found.figure.description


def test_nothing_measured_is_said(bare_store: RunStore, tmp_path: Path) -> None:
    found = attacker(Results.load(bare_store), "photos", "d1", Writer(tmp_path))
    assert (found.recognizers, found.figure, found.groups, found.detectors) == ([], None, [], None)


def test_page_tells_the_choice(told_store: RunStore) -> None:
    page = " ".join((told_store.folder / "report" / "index.html").read_text(encoding="utf-8").split())
    assert "The run chose <b>dlib</b>, the recognizer with the highest AUC of the 2 that could be compared" in page
    assert "1 candidate that could not be compared" in page
    assert "chosen, attacks the methods" in page
    assert "compared only" in page
