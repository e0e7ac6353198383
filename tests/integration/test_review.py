"""What an auditor tries: names, secrets, stale numbers, tools that break, people of unknown group."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import unveil
from unveil.core.errors import ConfigError, StoreError
from unveil.core.protocols import MethodMeta, Source
from unveil.core.types import Detections
from unveil.models.mtcnn import Mtcnn
from unveil.reporting.tables import headline

FACES = Path(unveil.__file__).parent / "datasets/data/sample_faces"

NOISE = """
import pathlib, sys
import numpy as np
from PIL import Image
source, target = map(pathlib.Path, sys.argv[1:3])
for path in source.rglob("*.png"):
    picture = np.asarray(Image.open(path)).astype(int)
    picture = np.clip(picture + np.random.default_rng().integers(-30, 31, picture.shape), 0, 255)
    out = target / path.relative_to(source)
    out.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture.astype("uint8")).save(out)
"""


def command(tmp_path: Path, body: str, **params: object) -> dict:
    tool = tmp_path / "tool.py"
    tool.write_text(body, encoding="utf-8")
    call = [sys.executable, str(tool), "{input}", "{output}"]
    return {"use": "external.command", "name": "tool", "params": {"command": call, **params}}


def test_one_component_under_two_names_keeps_both(small_config):
    methods = ["pixelation", {"use": "pixelation", "name": "again"}]
    models = {"detector": ["mtcnn", {"use": "mtcnn", "name": "second"}]}
    store = unveil.run(small_config(methods=methods, models=models, evaluations=["detection"]))
    counts = store.sql("select method, component, count(*) n from observations group by all order by all")
    assert len(counts) == 6
    assert set(counts["n"]) == {64}
    unveil.report(store.folder)
    renamed = [*methods[:1], {"use": "pixelation", "name": "renamed"}]
    store = unveil.run(small_config(methods=renamed, models=models, evaluations=["detection"]))
    assert set(store.read("observations")["method"]) == {"original", "pixelation", "renamed"}
    unveil.report(store.folder)


def test_numbers_of_an_earlier_configuration_are_not_shown_for_this_one(small_config, monkeypatch):
    config = small_config(evaluations=["detection"])
    unveil.run(config)

    def killed(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("unveil.pipeline.execute.Execution.run", killed)
    with pytest.raises(MemoryError):
        unveil.run(config.model_copy(update={"seed": 8}))
    with pytest.raises(StoreError, match="unfinished"):
        unveil.report(config.folder)


def test_a_tool_that_draws_anew_each_time_can_be_run_again(small_config, tmp_path):
    noisy = command(tmp_path, NOISE)
    cache = {"cache": str(tmp_path / "own-cache"), "shard_size": 16}
    first = unveil.run(small_config(methods=[noisy], evaluations=["detection"], engine=cache))
    again = unveil.run(small_config(methods=[noisy], evaluations=["detection"], engine=cache, name="again"))
    hashes = [s.read("protections").query("method == 'tool'")["output_hash"].tolist() for s in (first, again)]
    assert hashes[0] == hashes[1]


def test_a_tool_that_failed_for_a_time_is_asked_again(small_config, tmp_path):
    switch = tmp_path / "broken"
    switch.touch()
    body = f"import pathlib, sys\nif pathlib.Path({str(switch)!r}).exists(): sys.exit('no memory on the device')\n"
    tool = command(tmp_path, body + NOISE)
    config = small_config(methods=[tool], evaluations=["detection"])
    rows = unveil.run(config).read("protections").query("method == 'tool'")
    assert set(rows["reason"]) == {"refused"}
    assert rows["detail"].str.contains("no memory on the device").all()
    switch.unlink()
    assert set(unveil.run(config).read("protections").query("method == 'tool'")["status"]) == {"ok"}


def test_secrets_stay_out_of_the_run_folder(small_config, tmp_path, monkeypatch):
    monkeypatch.setenv("UNVEIL_TEST_SECRET", "hunter2secret")
    monkeypatch.setenv("UNVEIL_TEST_TOOL", "/home/secretuser/tool")
    body = "import os, sys\nsys.exit('key ' + os.environ['KEY'] + ' refused for ' + sys.argv[1])\n"
    telling = command(tmp_path, body, env={"KEY": "${UNVEIL_TEST_SECRET}"})
    params = {"command": ["${UNVEIL_TEST_TOOL}", "{input}", "{output}"]}
    missing = {"use": "external.command", "name": "missing", "params": params}
    store = unveil.run(small_config(methods=[telling, missing], evaluations=["detection"]))
    unveil.report(store.folder)
    details = store.read("protections")["detail"].dropna()
    assert details.str.contains("key ${UNVEIL_TEST_SECRET} refused for {input}", regex=False).any()
    for path in store.folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert b"hunter2secret" not in data, path
            assert b"secretuser" not in data, path
    assert any("${UNVEIL_TEST_TOOL}" in line for line in store.manifest()["skipped"])


class Fussy(Mtcnn):
    """A detector that breaks on originals of one person."""

    def detect(self, images) -> list[Detections]:
        if any(int(image.sum()) in self.hated for image in images):
            raise RuntimeError("a device fault")
        return super().detect(images)


def test_where_originals_are_lost_the_rest_is_measured_and_it_is_said(small_config, monkeypatch):
    from unveil.images import read_image

    photos = sorted(FACES.rglob("*.jpg"))
    Fussy.hated = {int(read_image(path).sum()) for path in photos[:400:5]}
    monkeypatch.setattr("unveil.models.mtcnn.Mtcnn", Fussy)
    store = unveil.run(small_config(name="fussy", engine={"cache": str(small_config().folder / "own")}))
    cells = store.manifest()["cells"]
    compared = {cell["status"]: cell["reason"] for cell in cells if cell["evaluation"] == "verification"}
    assert list(compared) == ["failed"] and "errors.budget" in compared["failed"]
    measures = store.read("measures")
    assert {"passing_rate", "detection_rate"} <= set(measures["metric"])
    assert set(measures.query("metric == 'passing_rate'")["method"]) == {"original", "pixelation", "mask"}
    unveil.report(store.folder)


class Broken:
    """A method that breaks on every photo stays in the tables."""

    meta = MethodMeta("broken", 1, "image", True, Source("this test"))
    guarantee = None

    def protect(self, images, context):
        images[0][...] = 0  # inputs may be read-only
        return list(images)


def test_a_method_whose_attacks_failed_does_not_disappear(small_config):
    store = unveil.run(small_config(methods=["original"], evaluations=["detection"]), methods=[Broken()])
    passing = store.read("measures").query("method == 'broken' and metric == 'passing_rate' and grouping == ''")
    assert passing["value"].tolist() == [0]
    assert "broken" in headline(store.read("measures"))["method"].tolist()
    unveil.report(store.folder)


@pytest.mark.parametrize("name", ["fold", "side", "similarity", "rank", "outcome", "n_faces"])
def test_an_attribute_named_like_a_column_is_refused_before_any_work(small_config, tmp_path, name):
    folder = tmp_path / "photos" / "x" / "anna"
    folder.mkdir(parents=True)
    (folder / "1.jpg").write_bytes(next(FACES.rglob("*.jpg")).read_bytes())
    params = {"root": str(tmp_path / "photos"), "pattern": f"{{{name}}}/{{identity}}/{{file}}"}
    evaluations = ["detection", "verification", "identification"]
    config = small_config(datasets=[{"use": "folder", "params": params}], evaluations=evaluations)
    with pytest.raises(ConfigError, match=f"'{name}' cannot be an attribute"):
        unveil.plan(config)


def test_people_of_unknown_group_make_no_group(small_config, tmp_path):
    lines = ["path,identity,gender,race"]
    people = sorted(path for path in FACES.glob("*/*") if path.is_dir())[::4]
    for number, person in enumerate(people):
        gender = "" if number == 0 else ("Female", "Male")[number % 2]
        race = "" if number == 1 else ("East Asian", "White")[number // 2 % 2]
        for photo in sorted(person.glob("*.jpg"))[:4]:
            lines.append(f"{photo.relative_to(FACES).as_posix()},{person.name},{gender},{race}")
    labels = tmp_path / "people.csv"
    labels.write_text("\n".join(lines), encoding="utf-8")
    dataset = {"use": "folder", "params": {"root": str(FACES), "labels": str(labels)}}
    store = unveil.run(small_config(datasets=[dataset], methods=["mask"]))
    groups = set(store.read("measures").query("grouping == 'gender+race'")["group"])
    expected = {f"{gender} {race}" for gender in ("Female", "Male") for race in ("East Asian", "White")}
    assert groups == expected
    _, findings = unveil.api.check("folder", params=dataset["params"])
    assert {f.subject for f in findings if f.rule == "small_group"} <= expected
    assert {f.subject for f in findings if f.rule == "no_group"} == {"gender", "race"}


@pytest.mark.slow
def test_ctrl_c_ends_with_one_line(tmp_path):
    file = tmp_path / "run.yaml"
    text = "name: c\noutput: {0}\ndatasets: [sample-faces]\nmethods: [mask]\nevaluations: [verification]\n"
    file.write_text(text.format(tmp_path) + f"engine: {{cache: {tmp_path}/cache}}\n", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "unveil", "run", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "c" / "run.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "run the same command again" in stderr.decode()
    assert "Traceback" not in stderr.decode()
    assert json.loads((tmp_path / "c" / "run.json").read_text())["finished"] == ""
