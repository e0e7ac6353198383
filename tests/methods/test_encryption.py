from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.types import Detections, Protected
from unveil.methods.encryption import Encryption

from .material import Context, crowd, picture, sample

KEY = "00112233445566778899aabbccddeeff"
side = st.integers(1, 40)


@given(side, side, st.sampled_from([16, 24, 32]), st.data())
def test_the_original_comes_back_exactly(height: int, width: int, length: int, data: st.DataObject) -> None:
    key = data.draw(st.binary(min_size=length, max_size=length)).hex()
    image, one = picture(height, width), sample("x/ä.png")
    method = Encryption(key=key)
    (encrypted,) = method.protect([image], Context([one]))
    assert np.array_equal(method.decrypt(encrypted, one), image)


@given(side, side, st.integers(0, 9999), st.floats(0, 1))
def test_people_come_back_exactly_also_where_they_overlap(
    height: int, width: int, seed: int, margin: float
) -> None:
    random = np.random.default_rng(seed)
    masks = random.random((3, height, width)) < random.random()
    people = Detections(np.zeros((3, 4), np.float32), np.ones(3, np.float32), masks=masks)
    image, one = picture(height, width), sample()
    method = Encryption(key=KEY, region="person", margin=margin)
    (result,) = method.protect([image], Context([one], people=people))
    encrypted = result.image if isinstance(result, Protected) else result
    assert np.array_equal(method.decrypt(encrypted, one, people), image)
    if not margin:
        assert np.array_equal(encrypted[~masks.any(axis=0)], image[~masks.any(axis=0)])


def test_all_pixels_of_a_person_are_encrypted() -> None:
    image = np.full((60, 80, 3), 77, np.uint8)
    people = crowd(image.shape, [(5, 5, 40, 55), (20, 0, 75, 60)], round_masks=True)
    assert people.masks is not None
    covered = people.masks.any(axis=0)
    (encrypted,) = Encryption(key=KEY, region="person").protect([image], Context([sample()], people=people))
    counts = np.bincount(encrypted[covered].ravel(), minlength=256)
    expected = counts.sum() / 256
    assert ((counts - expected) ** 2 / expected).sum() < 255 + 5 * np.sqrt(2 * 255)  # chi-squared, 5 sigma


def test_another_key_or_picture_does_not_decrypt() -> None:
    image, one = picture(20, 20), sample("a.png")
    method = Encryption(key=KEY)
    (encrypted,) = method.protect([image], Context([one]))
    wrong = [
        Encryption(key=KEY[::-1]).decrypt(encrypted, one),
        method.decrypt(encrypted, replace(one, id="b.png")),
        method.decrypt(encrypted, replace(one, content_hash="1" * 64)),
    ]
    assert all(np.mean(result == image) < 0.03 for result in wrong)


def test_two_pictures_never_share_a_keystream() -> None:
    black = np.zeros((6, 8, 3), np.uint8)  # its encryption is the keystream
    samples = [sample(f"{n}.png") for n in range(50)] + [
        replace(sample(), content_hash=f"{n:064x}") for n in range(50)
    ]
    streams = Encryption(key=KEY).protect([black] * 100, Context(samples))
    (turned,) = Encryption(key=KEY).protect([black.swapaxes(0, 1)], Context([samples[0]]))
    assert len({stream.tobytes() for stream in (*streams, turned)}) == 101


def test_another_mask_encrypts_the_same_pixels_to_the_same_values() -> None:
    image, method = picture(30, 30), Encryption(key=KEY, region="person")
    small, large = crowd(image.shape, [(8, 8, 20, 20)]), crowd(image.shape, [(2, 2, 28, 28)])
    assert small.masks is not None
    inner, outer = (method.protect([image], Context([sample()], people=p))[0] for p in (small, large))
    assert np.array_equal(inner[small.masks[0]], outer[small.masks[0]])


def test_the_bytes_are_those_of_aes_in_counter_mode() -> None:
    """NIST SP 800-38A, F.5.1, with the counter block that this method derives in place of theirs."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    from unveil.core.fingerprint import digest

    image, one = np.arange(48, dtype=np.uint8).reshape(4, 4, 3), sample()
    counter = int(digest("aes-ctr", one.id, one.content_hash, [4, 4, 3]), 16)
    block = Cipher(algorithms.AES(bytes.fromhex(KEY)), modes.ECB()).encryptor()
    stream = b"".join(block.update(((counter + n) % 2**128).to_bytes(16)) for n in range(3))
    (encrypted,) = Encryption(key=KEY).protect([image], Context([one]))
    assert encrypted.tobytes() == bytes(a ^ b for a, b in zip(image.tobytes(), stream, strict=True))


@pytest.mark.parametrize("key", ["secret", "zz" * 16, "00" * 15, "00 " * 16, " " * 32, 7, None])
def test_a_wrong_key_is_refused_and_not_repeated(key: object) -> None:
    with pytest.raises(ValueError, match="key must be 32, 48 or 64 hexadecimal digits") as caught:
        Encryption(key=key)  # type: ignore[arg-type]
    assert not isinstance(key, str) or key not in str(caught.value)


def test_people_cannot_be_decrypted_without_their_masks() -> None:
    with pytest.raises(ValueError, match="people must be given"):
        Encryption(key=KEY, region="person").decrypt(picture(4, 4), sample())
