from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unveil.reporting.number import Number
from unveil.store.run import RunStore

pytestmark = pytest.mark.browser


def open_page(browser: Any, store: RunStore, width: int = 1200) -> Path:
    page = store.folder / "report" / "index.html"
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    for kind in ("browser", "performance"):
        browser.get_log(kind)  # empties it
    browser.get(page.as_uri())
    return page


@pytest.fixture(params=["store", "hostile", "told_store", "bare_store"])
def any_store(request: pytest.FixtureRequest) -> RunStore:
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("width", [390, 1200])
def test_page_fits_its_window_and_is_silent(browser: Any, any_store: RunStore, width: int) -> None:
    open_page(browser, any_store, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    browser.execute_script("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []


def test_nothing_leaves_the_page(browser: Any, any_store: RunStore) -> None:
    page = open_page(browser, any_store)
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requests = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert page.as_uri() in requests
    assert [url for url in requests if not url.startswith("data:")] == [page.as_uri()]


def test_labels_are_text(browser: Any, hostile: RunStore) -> None:
    open_page(browser, hostile)
    assert browser.execute_script("return window.broken ?? 0") == 0
    assert browser.execute_script("return document.querySelectorAll('img[src=x]').length") == 0
    assert browser.execute_script("return document.scripts.length") == 1
    shown = browser.execute_script("return document.body.textContent")
    assert "<script>window.broken = 1</script>" in shown
    assert "<img src=x onerror=window.broken=2>" in shown


def test_ids_are_unique_and_links_lead_somewhere(browser: Any, any_store: RunStore) -> None:
    page = open_page(browser, any_store)
    twice = """const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
               return ids.filter((id, i) => ids.indexOf(id) !== i);"""
    assert browser.execute_script(twice) == []
    links = browser.execute_script("return [...document.links].map(a => a.getAttribute('href'))")
    for link in links:
        if link.startswith("#"):
            assert browser.execute_script("return document.getElementById(arguments[0]) !== null", link[1:]), link
        elif not link.startswith("data:text/csv"):
            assert (page.parent / link).is_file(), link
    assert any(link.startswith("data:text/csv") for link in links) == bool(list(page.parent.glob("figures/*")))


def test_pictures_and_figures_are_described(browser: Any, store: RunStore) -> None:
    open_page(browser, store)
    bare = """return [...document.images].filter(i => !i.alt).length
              + document.querySelectorAll('svg:not([aria-label])').length"""
    assert browser.execute_script("return document.images.length") > 0
    assert browser.execute_script(bare) == 0
    assert browser.execute_script("return document.querySelectorAll('th:not([scope])').length") == 0


def column(browser: Any, position: int) -> list[float]:
    script = """return [...document.querySelectorAll('#d1-overview tbody tr')]
                .map(row => row.cells[arguments[0]].dataset.sort)"""
    return [float(value) for value in browser.execute_script(script, position) if value]


def test_sorting(browser: Any, store: RunStore) -> None:
    from selenium.webdriver.common.by import By

    open_page(browser, store)
    before = column(browser, 1)
    button = browser.find_element(By.CSS_SELECTOR, "#d1-overview button[data-column='1']")
    button.click()
    assert column(browser, 1) == sorted(before, reverse=True)
    button.click()
    assert column(browser, 1) == sorted(before)
    assert button.find_element(By.XPATH, "..").get_attribute("aria-sort") == "ascending"
    browser.find_element(By.CSS_SELECTOR, "#d1-overview button[data-column='0']").click()
    names = browser.execute_script(
        """return [...document.querySelectorAll('#d1-overview tbody th')]
           .map(th => th.firstChild.textContent.trim())"""
    )
    assert names == sorted(names, reverse=True)


def test_numbers_are_those_of_the_tables(browser: Any, store: RunStore) -> None:
    open_page(browser, store)
    script = """return [...document.querySelectorAll('#d1-overview tbody tr')].map(row => [
        row.cells[0].firstChild.textContent.trim(),
        ...[1, 3, 4].map(i => [row.cells[i].dataset.sort, row.cells[i].textContent])])"""
    measures = store.read("measures")
    everybody = measures[measures["grouping"] == ""]
    rows = browser.execute_script(script)
    assert [row[0] for row in rows] == ["original", "pixelation", "eye_mask", "k_same_average"]
    for method, exposure, passing, detection in rows:
        mine = everybody[everybody["method"] == method]
        attacked = mine[(mine["metric"] == "exposure_rate") & (mine["operating_point"] != "rank_5")]
        worst = attacked.loc[attacked["value"].idxmax()]
        found = mine[mine["metric"] == "detection_rate"].iloc[0]
        passed = mine[mine["metric"] == "passing_rate"].iloc[0]
        for (value, text), row in ((exposure, worst), (passing, passed), (detection, found)):
            number = Number.of(row)
            assert float(value) == pytest.approx(row["value"])
            assert number.percent in text
            assert number.interval in text
            assert f"n {number.n:,}" in text
