from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from unveil.core.errors import Unavailable
from unveil.methods.super_resolution import Swin2SR

from .material import Context, picture, sample

ONE = Context([sample()])


def test_nothing_is_left_but_the_reduced_picture(tiny_swin2sr: str) -> None:
    image = picture(32, 48)
    mixed = image.reshape(4, 8, 6, 8, 3)[:, ::-1].reshape(image.shape)
    one, other = Swin2SR(folder=tiny_swin2sr).protect([image, mixed], Context([sample(), sample("b.png")]))
    assert one.shape == image.shape
    assert np.array_equal(one, other)


def test_the_network_sees_what_the_librarys_own_processor_would_give_it(tiny_swin2sr: str) -> None:
    import torch
    import transformers

    small = picture(8, 12)  # whole windows: the processor of the library would pad others differently
    network = transformers.Swin2SRForImageSuperResolution.from_pretrained(tiny_swin2sr).eval()
    pixels = torch.from_numpy(small / np.float32(255)).permute(2, 0, 1)[None]
    with torch.inference_mode():
        wanted = network(pixel_values=pixels).reconstruction[0].permute(1, 2, 0).numpy()
    (result,) = Swin2SR(folder=tiny_swin2sr, factor=4).protect([small.repeat(4, 0).repeat(4, 1)], ONE)
    assert np.abs(result - np.clip(wanted, 0, 1) * 255).max() <= 0.51


def test_the_weights_are_part_of_the_identity(tiny_swin2sr: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_swin2sr, copy)
    before = Swin2SR(folder=str(copy)).content_fingerprint()
    assert before == Swin2SR(folder=tiny_swin2sr).content_fingerprint()
    (copy / "config.json").write_text((copy / "config.json").read_text().replace('"gelu"', '"relu"'))
    assert Swin2SR(folder=str(copy)).content_fingerprint() != before


def test_what_is_missing_is_said_with_the_command(
    tiny_swin2sr: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    get = "get it with: unveil weights fetch me/mine"
    with pytest.raises(Unavailable, match=f"the model me/mine is not on this machine; {get}"):
        Swin2SR(model="me/mine").require()
    shutil.copytree(tiny_swin2sr, tmp_path / "me--mine")
    Swin2SR(model="me/mine").require()
    (tmp_path / "me--mine" / "model.safetensors").rename(tmp_path / "elsewhere")
    with pytest.raises(Unavailable, match=f"has no weights; {get}"):
        Swin2SR(model="me/mine").require()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"model_type": "swin2sr"', '"model_type": "resnet"', "is no Swin2SR network"),
        ('"num_channels": 3', '"num_channels": 1', "cannot be used|are not those"),
        ('"embed_dim": 8', '"embed_dim": 16', "cannot be used|are not those"),
    ],
)
def test_weights_of_something_else_are_refused(
    tiny_swin2sr: str, tmp_path: Path, before: str, after: str, message: str
) -> None:
    folder = tmp_path / "other"
    shutil.copytree(tiny_swin2sr, folder)
    config = (folder / "config.json").read_text()
    assert before in config
    (folder / "config.json").write_text(config.replace(before, after))
    with pytest.raises(Unavailable, match=message):
        Swin2SR(folder=str(folder)).protect([picture(16, 16)], ONE)


def test_damaged_weights_are_refused(tiny_swin2sr: str, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(tiny_swin2sr, folder)
    (folder / "model.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(Unavailable, match="cannot be used"):
        Swin2SR(folder=str(folder)).protect([picture(16, 16)], ONE)
