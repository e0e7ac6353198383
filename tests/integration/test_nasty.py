"""Bad input: every file ends as a result or as a row that says why, and everything else still counts."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from typer.testing import CliRunner

import unveil
from unveil.cli import app
from unveil.core.errors import ConfigError, DataError
from unveil.reporting.results import Results
from unveil.reporting.troubles import unusable

FACES = Path(unveil.__file__).parent / "datasets/data/sample_faces"


def bomb(side: int) -> bytes:
    """A PNG of ``side`` x ``side`` black 1-bit pixels in a few kilobytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = bytes(1 + side // 8)
    packer = zlib.compressobj(9)
    pixels = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def saved(picture: Pillow.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.fixture
def mess(tmp_path: Path) -> Path:
    """Photos of six people, and among them everything that goes wrong in real folders."""
    root = tmp_path / "mess"
    people = sorted(path for path in FACES.glob("*/*") if path.is_dir())[::8]
    for person in people:
        for photo in sorted(person.glob("*.jpg"))[:4]:
            target = root / person.name / photo.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(photo.read_bytes())
    face = Pillow.open(next(people[0].glob("*.jpg")))
    first = root / people[0].name
    bad = {
        "truncated.jpg": saved(face, "JPEG")[:900],
        "empty.jpg": b"",
        "text.jpg": b"this is not a picture\n",
        "bomb.png": bomb(16384),
    }
    good = {
        "one_pixel.png": saved(face.resize((1, 1)), "PNG"),
        "cmyk.jpg": saved(face.convert("CMYK"), "JPEG"),
        "sixteen_bit.png": saved(Pillow.fromarray(np.asarray(face.convert("L")).astype(np.uint16) * 257), "PNG"),
        "palette.png": saved(face.convert("P"), "PNG"),
        "rgba.png": saved(face.convert("RGBA"), "PNG"),
        "animated.gif": saved(face, "GIF", save_all=True, append_images=[face.rotate(180)]),
        "rotated.jpg": saved(face.rotate(90), "JPEG", exif=_orientation(6)),
        "ünïcödé ☺ 人.jpg": saved(face, "JPEG"),
        "x" * 240 + ".jpg": saved(face, "JPEG"),
        "crowd.png": saved(_crowd(face), "PNG"),
        "noface.png": saved(Pillow.new("RGB", (112, 112), (90, 120, 90)), "PNG"),
    }
    for name, data in {**bad, **good}.items():
        (first / name).write_bytes(data)
    (root / "loner").mkdir()
    (root / "loner" / "only.jpg").write_bytes(next(people[1].glob("*.jpg")).read_bytes() + b"\0")
    return root


def _orientation(value: int) -> Pillow.Exif:
    exif = Pillow.Exif()
    exif[0x0112] = value
    return exif


def _crowd(face: Pillow.Image) -> Pillow.Image:
    page = Pillow.new("RGB", (420, 240), (200, 200, 200))
    page.paste(face, (20, 60))
    page.paste(face.resize((200, 200)), (190, 20))
    return page


UNREADABLE = {"truncated.jpg", "empty.jpg", "text.jpg", "bomb.png"}


def test_everything_else_in_the_run_still_counts(small_config, mess):
    dataset = {"use": "folder", "name": "mess", "params": {"root": str(mess)}}
    methods = [
        "pixelation",
        "blur.gaussian",
        "eye_mask",
        "dp_samp",
        "metric_svd",
        {"use": "k_same_average", "params": {"k": 3}},
    ]
    evaluations = ["detection", "verification", {"use": "identification", "threat_models": ["group_unknown"]}]
    store = unveil.run(small_config(datasets=[dataset], methods=methods, evaluations=evaluations))
    assert {cell["status"] for cell in store.manifest()["cells"]} == {"finished"}

    samples = store.read("samples").set_index("sample_id")
    unreadable = samples[samples["status"] == "failed"]
    assert {Path(name).name for name in unreadable.index} == UNREADABLE
    for name, row in unreadable.iterrows():
        assert Path(str(name)).name in row["detail"]  # names the file ...
    assert "0 bytes" in unreadable.filter(like="empty", axis=0)["detail"].iloc[0]  # ... rule and value
    assert "268435456 pixels" in unreadable.filter(like="bomb", axis=0)["detail"].iloc[0]

    protections = store.read("protections")
    assert not (protections["reason"] == "exception").any()
    failed = protections[protections["status"] == "failed"]
    assert set(failed["reason"]) <= {"no_face", "too_small"}
    assert any("noface" in name for name in failed.query("method == 'eye_mask'")["sample_id"])

    detected = store.sql("select * from observations where evaluation = 'detection' and method = 'original'")
    crowd = detected[detected["sample_id"].str.contains("crowd")].iloc[0]
    assert crowd["n_faces"] == 2
    assert crowd["reason"] == "many_faces_largest_taken"
    assert crowd["face_area"] > 0.1  # of 420 x 240: the larger one
    found = detected.set_index("sample_id")["n_faces"]
    for name in ("cmyk.jpg", "palette.png", "rgba.png", "animated.gif", "rotated.jpg", "sixteen_bit.png"):
        assert found[found.index.str.endswith(name)].iloc[0] == 1, name
    assert found[found.index.str.endswith("one_pixel.png")].iloc[0] == 0
    assert any("one photo" in note for cell in store.manifest()["cells"] for note in cell["notes"])

    # The report tells of what was left out, and counts it.
    page = unveil.report(store.folder).read_text(encoding="utf-8")
    assert "no_face_in_reference" in page
    left_out = store.sql("select count(*) n from observations where status = 'error'")["n"].iloc[0]
    assert unusable(Results.load(store))["attempts"].sum() == left_out > 0


def test_the_doctor_names_what_is_wrong(mess, tmp_path):
    protected = tmp_path / "protected"
    for path in mess.rglob("*.jpg"):
        target = protected / path.relative_to(mess)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.stem == "01":
            target.write_bytes(path.read_bytes())  # not protected at all
        elif path.stem == "02":
            Pillow.new("RGB", (112, 112), (7, 7, 7)).save(target)
        elif path.stem == "03":
            Pillow.effect_noise((64, 64), 80).convert("RGB").save(target)
    (protected / "stray.png").write_bytes(saved(Pillow.effect_noise((20, 20), 50), "PNG"))
    original = next(mess.rglob("04.jpg"))
    (protected / "renamed.jpg").write_bytes(original.read_bytes())
    people = sorted(path for path in mess.iterdir() if path.is_dir() and path.name != "loner")
    (people[1] / "copy.jpg").write_bytes((people[2] / "01.jpg").read_bytes())

    _, findings = unveil.api.check(str(mess), protected)
    rules = {finding.rule for finding in findings}
    assert {
        "unprotected", "constant", "other_size", "stray", "renamed_original", "missing", "undecodable",
        "too_large", "one_photo", "same_picture_two_identities", "no_demographics",
    } <= rules  # fmt: skip
    order = [finding.severity for finding in findings]
    assert order == sorted(order, key=["error", "warning", "note"].index)
    copied = [finding for finding in findings if finding.rule == "same_picture_two_identities"]
    assert people[1].name in copied[0].message
    assert people[2].name in copied[0].message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("methods=[pixelatoin]", ["methods", "pixelatoin", "did you mean", "pixelation"]),
        ("methods=[{use: pixelation, params: {sise: 3}}]", ["pixelation", "sise", "size"]),
        ("methods=[{use: pixelation, params: {size: .nan}}]", ["params.size", "finite", "nan"]),
        ("methods=[{use: gaussian_noise, params: {sigma: -1}}]", ["gaussian_noise", "sigma", "-1"]),
        ("models.recognizer=[arcface]", ["arcface", "unknown"]),
        ("seed=-1", ["seed", "greater than or equal to 0", "-1"]),
        ("fairness.epsilons=[0.1, 1.5]", ["fairness.epsilons.1", "less than 1", "1.5"]),
        ("fairness.groupings=[hair]", ["groupings", "hair", "gender", "tone"]),
        ("colour=red", ["colour", "not permitted"]),
        ("evaluations=[{use: verification, threat_models: [telepathy]}]", ["telepathy", "same_photo"]),
        ("evaluations=[{use: verification, params: {thresholds: [fmr=2]}}]", ["fmr", "2"]),
        ("name=../escape", ["name", "../escape"]),
        ("datasets=[{use: folder, params: {root: nowhere}}]", ["nowhere"]),
        ("datasets=[{use: folder, params: {root: '${UNVEIL_NOT_SET}'}}]", ["UNVEIL_NOT_SET", "not set"]),
    ],
)
def test_a_wrong_setting_is_one_line_with_name_rule_and_value(tmp_path, change, words):
    file = tmp_path / "config.yaml"
    file.write_text("name: x\ndatasets: [sample-faces]\nmethods: [mask]\nevaluations: [detection]\n", "utf-8")
    with pytest.raises((ConfigError, DataError)) as caught:
        unveil.plan(unveil.RunConfig.load(file, [change]))
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ["not valid YAML"]),
        ("- a\n- b\n", ["mapping"]),
        ("name: x\n", ["datasets", "required"]),
        ("\xff\xfe", ["config.yaml"]),
    ],
)
def test_a_wrong_file_is_one_line_too(tmp_path, text, words):
    file = tmp_path / "config.yaml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError) as caught:
        unveil.RunConfig.load(file)
    for word in words:
        assert word in str(caught.value)


def test_the_command_line_shows_no_traceback(tmp_path, capsys, monkeypatch):
    from unveil import cli

    for arguments in (["run", str(tmp_path / "none.yaml")], ["report", str(tmp_path)], ["check", "nosuch"]):
        monkeypatch.setattr("sys.argv", ["unveil", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert "error" in said
        assert "Traceback" not in said


def test_help_of_every_command():
    runner = CliRunner()
    for command in ("run", "plan", "report", "list", "show", "export", "check"):
        shown = runner.invoke(app, [command, "--help"])
        assert shown.exit_code == 0
        assert len(shown.output) > 200


@pytest.mark.slow
def test_the_nasty_pack_goes_through_a_run(small_config, shared_data):
    root = str(shared_data / "nasty")
    dataset = {"use": "folder", "params": {"root": root, "labels": "files.csv", "attributes": []}}
    methods = ["pixelation", "eye_mask", "blur.box.face"]
    store = unveil.run(small_config(datasets=[dataset], methods=methods, evaluations=["detection"]))
    assert {cell["status"] for cell in store.manifest()["cells"]} == {"finished"}
    protections = store.read("protections")
    assert not (protections["reason"] == "exception").any()
    samples = store.read("samples")
    assert (samples["status"] == "ok").sum() >= 50
    assert samples.loc[samples["status"] == "failed", "detail"].str.len().min() > 10
