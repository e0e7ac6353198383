from __future__ import annotations

import re
from typing import Any

import pytest

from unveil.reporting.results import Results
from unveil.reporting.scenes.weights import panels
from unveil.store.run import RunStore

from .conftest import DATASET

pytestmark = pytest.mark.browser

RANKING = """return [...document.querySelectorAll('.ranking tbody tr')].map(row =>
    [row.cells[0].textContent, Number(row.querySelector('.score .value').textContent)])"""
WEIGHTS = "return [...document.querySelectorAll('.weights input')].map(slider => Number(slider.value))"


def open_page(browser: Any, store: RunStore, width: int = 1200) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get_log("browser")  # empties it
    browser.get((store.folder / "report" / "index.html").as_uri())


@pytest.mark.parametrize("width", [390, 1200])
def test_page_fits_its_window_and_is_silent(browser: Any, scene_store: RunStore, width: int) -> None:
    open_page(browser, scene_store, width)
    browser.execute_script("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []


def test_page_is_described_and_its_links_lead_somewhere(browser: Any, scene_store: RunStore) -> None:
    open_page(browser, scene_store)
    bare = """return [...document.images].filter(i => !i.alt).length
              + document.querySelectorAll('svg:not([aria-label])').length
              + document.querySelectorAll('th:not([scope])').length
              + [...document.querySelectorAll('input')].filter(i => !i.labels.length).length"""
    assert browser.execute_script(bare) == 0
    twice = """const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
               return ids.filter((id, i) => ids.indexOf(id) !== i);"""
    assert browser.execute_script(twice) == []
    for link in browser.execute_script("return [...document.links].map(a => a.getAttribute('href'))"):
        if link.startswith("#"):
            assert browser.execute_script("return document.getElementById(arguments[0]) !== null", link[1:]), link
        elif not link.startswith("data:text/csv"):
            assert (scene_store.folder / "report" / link).is_file(), link


def expected(results: Results, weights: list[float]) -> list[tuple[str, float]]:
    (panel,) = panels(results, DATASET)
    scores = {p.method: sum(w * part for w, part in zip(weights, p.parts, strict=True)) for p in panel.ranked}
    return sorted(scores.items(), key=lambda item: -item[1])


def test_sliders_rank_again_and_sum_to_one(browser: Any, scene_store: RunStore, scene_results: Results) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    open_page(browser, scene_store)
    before = browser.execute_script(RANKING)
    assert [score for _, score in before] == pytest.approx(
        [score for _, score in expected(scene_results, [1 / 3] * 3)], abs=6e-4
    )
    slider = browser.find_elements(By.CSS_SELECTOR, ".weights input")[1]
    slider.send_keys(Keys.END)  # from the keyboard
    assert browser.execute_script(WEIGHTS) == pytest.approx([0, 1, 0])
    after = browser.execute_script(RANKING)
    want = expected(scene_results, [0, 1, 0])
    assert after[0][0] == want[0][0] == "blur light"
    assert before[0][0] != after[0][0]
    assert [score for _, score in after] == pytest.approx([score for _, score in want], abs=6e-4)
    slider.send_keys(*[Keys.ARROW_LEFT] * 10)
    assert browser.execute_script(WEIGHTS) == pytest.approx([0.05, 0.9, 0.05], abs=0.006)
    status = browser.find_element(By.CSS_SELECTOR, ".weights [role=status]").text
    assert re.fullmatch(r"blur light comes first, with 0\.\d{3}\.", status)


def test_published_weights_are_buttons(browser: Any, scene_store: RunStore, scene_results: Results) -> None:
    from selenium.webdriver.common.by import By

    open_page(browser, scene_store)
    button = browser.find_element(By.XPATH, "//button[text()='published 0.1 / 0.1 / 0.8']")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    want = expected(scene_results, [0.1, 0.1, 0.8])
    assert browser.execute_script(RANKING)[0][0] == want[0][0]
    assert browser.execute_script(WEIGHTS) == pytest.approx([0.1, 0.1, 0.8], abs=0.006)


def test_heat_tables_sort(browser: Any, scene_store: RunStore) -> None:
    from selenium.webdriver.common.by import By

    open_page(browser, scene_store)
    table = browser.find_element(By.CSS_SELECTOR, "table.heatmap")
    table.find_element(By.CSS_SELECTOR, "button[data-column='2']").click()
    script = "return [...arguments[0].tBodies[0].rows].map(row => row.cells[2].dataset.sort)"
    values = browser.execute_script(script, table)
    assert values[-1] == "", "what was left out stays last"
    numbers = [float(value) for value in values if value]
    assert numbers == sorted(numbers, reverse=True)
