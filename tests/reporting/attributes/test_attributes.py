from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from unveil.reporting.attributes.section import Attributes, attributes
from unveil.reporting.attributes.tables import (
    ACCURACY,
    ATTRIBUTE_METRICS,
    EXPOSED,
    PRESERVED,
    AttributeCell,
    attribute_table,
)
from unveil.reporting.html import write_report
from unveil.reporting.number import Number
from unveil.reporting.results import Results, subjects
from unveil.reporting.writer import Writer
from unveil.store.run import RunStore

DATASET = "sample-faces"
FIRST, SECOND = "opencv/age_gender", "opencv/second opinion"


@pytest.fixture(scope="module")
def shown(told: Results, tmp_path_factory: pytest.TempPathFactory) -> tuple[Attributes, Path]:
    folder = tmp_path_factory.mktemp("report")
    found = attributes(told, DATASET, "d1", Writer(folder))
    assert found is not None
    return found, folder


def test_colour_is_what_stands_above_the_constant_answer() -> None:
    assert AttributeCell(Number(0.9), 0.8).depth == pytest.approx(0.5)
    assert AttributeCell(Number(0.7), 0.8).depth == 0
    assert AttributeCell(Number(1.0), 1.0).depth == 0, "everybody is the same: nothing is told"
    assert AttributeCell(Number(0.7), None).depth == pytest.approx(0.7)
    assert AttributeCell(Number(float("nan")), 0.5).depth == 0
    assert AttributeCell(Number(0.9), 0.5, few=True).depth == 0, "two people prove nothing"
    assert AttributeCell(Number(0.9, 0.75, 1.0), 0.8).is_chance
    assert not AttributeCell(Number(0.9, 0.85, 1.0), 0.8).is_chance


@pytest.mark.parametrize("metric", ATTRIBUTE_METRICS)
def test_every_number_is_that_of_the_measures(told: Results, metric: str) -> None:
    table = attribute_table(told, DATASET, metric)
    assert table is not None
    expected = told.select("measures", dataset=DATASET, metric=metric, grouping="")
    if metric == PRESERVED:
        expected = expected[expected["method"] != "original"]
    places = expected.set_index(["component", "facet", "method"])["value"].to_dict()
    found = {(row.component, row.attribute, method): cell.number.value
             for row in table.rows for method, cell in row.cells.items()}  # fmt: skip
    assert found == pytest.approx(places, nan_ok=True)
    assert list(table.components) == [FIRST, SECOND], "two estimators are never mixed"


def test_the_constant_of_exposure_counts_all_photos(told: Results) -> None:
    exposed, accuracy = (attribute_table(told, DATASET, metric) for metric in (EXPOSED, ACCURACY))
    assert exposed is not None and accuracy is not None
    (gender,) = exposed.components[FIRST]
    assert {cell.constant for cell in gender.cells.values()} == {0.5}, "four of eight people are women"
    constants = {method: cell.constant for method, cell in accuracy.components[FIRST][0].cells.items()}
    assert constants["original"] != 0.5, "no face is found on some photos: an estimator is judged by the others"


def test_the_answer_says_what_is_told_best(told_store: RunStore, told: Results) -> None:
    table = attribute_table(told, DATASET, ACCURACY)
    assert table is not None
    found = table.clearest("pixelation")
    assert found is not None
    cells = [row.cells["pixelation"] for row in table.rows if not row.cells["pixelation"].few]
    shown = [cell for cell in cells if not cell.is_chance] or cells
    assert found[1].depth == max(cell.depth for cell in shown)
    assert table.clearest("no such method") is None
    page = (told_store.folder / "report" / "index.html").read_text(encoding="utf-8")
    answer = page[: page.index('id="d1-attributes"')]
    assert "What attributes still tell</b> of the faces that are found" in answer


def test_nothing_is_concluded_from_few_people(told: Results) -> None:
    few = told.measures.assign(n_identities=1)
    changed = {name: getattr(told, name) for name in Results.__slots__} | {"measures": few}
    table = attribute_table(Results(**changed), DATASET, ACCURACY)
    assert table is not None
    assert all(cell.few and cell.depth == 0 for row in table.rows for cell in row.cells.values())
    assert table.clearest("original") is None


def test_a_method_that_fails_shows_it(told: Results) -> None:
    table = attribute_table(told, DATASET, PRESERVED)
    assert table is not None
    assert table.passing["blur.gaussian"].value < 1 == table.passing["pixelation"].value
    assert "original" not in table.methods


def test_groups_and_bias_are_those_of_the_tables(told: Results, shown: tuple[Attributes, Path]) -> None:
    entry = next(e for e in shown[0].groups[PRESERVED] if (e.component, e.attribute) == (FIRST, "gender"))
    here = {"component": FIRST, "facet": "gender", "method": "pixelation", "metric": PRESERVED}
    rows = told.select("measures", **here)
    cells = entry.table.rows["pixelation"]
    assert {place: cell.value for place, cell in cells.items()} == pytest.approx(
        {(row["grouping"], row["group"]): row["value"] for _, row in rows.iterrows()}, nan_ok=True
    )
    assert entry.table.finest == "gender+tone"
    assert entry.bias is not None and entry.shown_bias is not None
    assert list(entry.bias.sections) == ["gender", "tone", "gender+tone"]
    assert list(entry.shown_bias.sections) == ["gender+tone"]
    (row,) = [row for row in entry.bias.sections["gender"] if row.method == "pixelation"]
    averages = told.select("disparities", **here, grouping="gender", statistic="average_bias")
    expected = averages.set_index(["definition", "epsilon"])["value"].to_dict()
    assert {rule: cell.value for rule, cell in row.cells.items()} == pytest.approx(expected, nan_ok=True)


def test_files_hold_all_that_is_shown(shown: tuple[Attributes, Path]) -> None:
    found, folder = shown
    flat = pd.read_csv(folder / "tables" / "d1_attributes.csv")
    assert set(flat["metric"]) == set(ATTRIBUTE_METRICS)
    assert {"constant", "constant_answer", "passing", "low", "high", "n"} <= set(flat.columns)
    drawn = [entry.figure for entries in found.groups.values() for entry in entries if entry.figure]
    assert len({figure.name for figure in drawn}) == len(drawn) >= 4
    assert all((folder / "figures" / f"{figure.name}.svg").is_file() for figure in drawn)
    assert set(pd.read_csv(folder / "tables" / "d1_attribute_bias.csv")["statistic"]) == {
        "average_bias", "demographic_bias",
    }  # fmt: skip
    groups = pd.read_csv(folder / "tables" / "d1_attribute_groups.csv", keep_default_na=False)
    assert set(groups["grouping"]) == {"", "gender", "tone", "gender+tone"}
    assert dict(found.shared) == {"age": [FIRST, SECOND], "gender": [FIRST, SECOND]}


def test_page_says_what_may_be_concluded(told_store: RunStore, told: Results) -> None:
    page = (told_store.folder / "report" / "index.html").read_text(encoding="utf-8")
    assert 'href="#d1-attributes"' in page
    passing = told.number(method="blur.gaussian", metric="passing_rate", grouping="")
    assert passing is not None and f"passing {passing.percent}" in page
    for words in ("that is utility", "it is a leak", "an estimator that answers alike", "always “"):
        assert words in page, words


def test_thirty_attributes_and_long_labels_are_drawn(told: Results, tmp_path: Path) -> None:
    rows = told.measures[told.measures["metric"] == PRESERVED]
    rows = rows[(rows["component"] == FIRST) & (rows["facet"] == "age")]
    many = pd.concat([rows.assign(facet=f"left_eye_status_no_glass_eye_open_{i}") for i in range(30)])
    changed = {name: getattr(told, name) for name in Results.__slots__} | {"measures": many}
    found = attributes(Results(**changed), DATASET, "d1", Writer(tmp_path))
    assert found is not None and found.preserved is not None
    assert len(found.preserved.rows) == len(found.groups[PRESERVED]) == 30
    assert found.accuracy is None


def test_what_is_told_of_a_covered_part_is_called_a_guess(
    told_store: RunStore, shown: tuple[Attributes, Path], tmp_path: Path
) -> None:
    """An estimator of the mesh imagines open eyes under a bar; one of age and gender looks at all of the face."""
    warning = "the estimator guesses what is usual, such as open eyes"
    assert shown[0].guessed == []
    assert warning not in (told_store.folder / "report" / "index.html").read_text(encoding="utf-8")
    folder = Path(shutil.copytree(told_store.folder, tmp_path / "run"))
    (file,) = (folder / "measures").glob("*.parquet")
    table = pq.read_table(file)
    facets = pc.replace_substring(table["facet"], "gender", "left_eye_status")
    place = table.schema.get_field_index("facet")
    pq.write_table(table.set_column(place, table.schema.field(place), facets), file)
    page = write_report(RunStore(folder)).read_text(encoding="utf-8")
    assert warning in page and "<b>left_eye_status</b>: this is told" in page


def test_without_groups_truth_or_faces_it_says_so(bare_store: RunStore) -> None:
    results = Results.load(bare_store)
    assert subjects(results, "photos") == (True, False)
    table = attribute_table(results, "photos", PRESERVED)
    assert table is not None
    assert all(not cell.number.known for row in table.rows for cell in row.cells.values())
    assert attribute_table(results, "photos", ACCURACY) is None
    page = write_report(bare_store).read_text(encoding="utf-8")
    assert "does not know the truth of any attribute" in page
    assert "What attributes still tell</b> cannot be said" in page or "No attack was carried out" in page
    assert "of whom more is told than of others is unknown" in page
    assert "quality on unprotected photos is unknown" in page


def test_a_run_without_attributes_has_no_such_part(store: RunStore, results: Results, tmp_path: Path) -> None:
    assert attributes(results, DATASET, "d1", Writer(tmp_path)) is None
    assert "d1-attributes" not in (store.folder / "report" / "index.html").read_text(encoding="utf-8")
