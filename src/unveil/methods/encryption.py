"""Encryption of pixels: whoever has the key gets the exact original back, everybody else sees noise.

AES in counter mode. Two pictures encrypted with the same key and the same keystream would betray the
difference of their pixels, so the keystream must never meet another content:

* The initial counter block (the nonce) is the first 16 bytes of a SHA-256 over the sample's id, the SHA-256 of
  the original file and the size of the picture. Equal files have equal pixels; other files have another nonce.
* Every pixel has its own place in the keystream, counted from the upper left corner of the whole picture,
  whatever the mask is. With another mask (of another segmenter, with another margin) the same pixels are so
  encrypted to the same values in the same places, which betrays nothing, and the nonce need not know the mask.
* The counters of two pictures start at independent points of 2^128, and a picture of 100 megapixels takes
  fewer than 2^25: that they overlap among a million million pictures has a chance below 2^-20.

What is left: two versions of a decoder that read the same JPEG with differences of a grey level would
betray where these are. Nothing tells whether somebody changed encrypted pixels: there is no room for a
signature. Outlines and places of people are public. An encrypted picture stays decryptable only as PNG or
another lossless format, and only for who knows the id and the hash of the original file (both are in the run's
table of samples).

The key is a parameter of the method, and a run stores its parameters: **a key written into the configuration is
published with the run**. Name an environment variable there instead (``${NAME}``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from unveil.core.fingerprint import digest
from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Detections, Image, Sample
from unveil.core.validation import choice
from unveil.methods.region import Region
from unveil.methods.silhouettes import Result, Silhouette, overlay, protect_people, silhouettes, union

Where: TypeAlias = Literal["image", "person"]
# Not a face: where boxes of faces overlap, the second encryption would undo the first.


class Encryption:
    """Encryption with AES-CTR of the whole picture, or of every person's pixels; undone by ``decrypt``.

    Args:
        key: 32, 48 or 64 hexadecimal digits, for AES-128, -192 or -256, as ``openssl rand -hex 32`` makes them.
        region: ``image`` or ``person``.
        margin: share of the short side of its box by which a person's mask grows.

    Raises:
        ValueError: for a parameter outside its range; the message does not repeat the key.
    """

    meta = MethodMeta(
        name="encryption",
        version=1,
        scope="image",
        deterministic=True,
        source=Source(
            "NIST SP 800-38A, Recommendation for Block Cipher Modes of Operation, 2001, section 6.5; HR-VISPR "
            "framework: human encryption",
            url="https://doi.org/10.6028/NIST.SP.800-38A",
        ),
    )

    def __init__(self, *, key: str, region: Where = "image", margin: float = 0.0) -> None:
        self.key = key
        self._key = _key(key)
        self.region, self.margin = choice("region", region, get_args(Where)), margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """Secrecy of the encrypted pixels from everybody without the key."""
        where = "the picture" if self.region == "image" else "the people's masks, whose outlines are public"
        return Guarantee(
            f"computational secrecy of the pixels in {where}, for who does not have the key",
            "AES-CTR is secure under chosen plaintext if AES is a pseudorandom permutation and no counter is used "
            "twice (Bellare, Desai, Jokipii, Rogaway, FOCS 1997); nonces: docstring of the module",
        )

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Encrypted pictures of the same size."""
        if self.region == "person":
            return protect_people(images, context, self._people, margin=self.margin)
        return [self._whole(image, sample) for image, sample in zip(images, context.samples, strict=True)]

    def decrypt(self, image: Image, sample: Sample, people: Detections | None = None) -> Image:
        """The exact original of an encrypted picture.

        Args:
            image: encrypted, unchanged.
            sample: with the id and the content hash under which it was encrypted.
            people: with the masks by which it was encrypted; for ``region="person"`` only.

        Raises:
            ValueError: without ``people`` where people were encrypted.
        """
        if self.region == "image":
            return self._whole(image, sample)
        if people is None:
            raise ValueError("people must be given to decrypt people, got None")
        found, _ = silhouettes(people, image.shape, self.margin)
        return self._people(image, found, sample)

    # Encryption and decryption are the same: exclusive or with the keystream.

    def _whole(self, image: Image, sample: Sample) -> Image:
        return image ^ self._stream(image.shape, sample)

    def _people(self, image: Image, people: Sequence[Silhouette], sample: Sample) -> Image:
        protected = image.copy(order="C")
        mask = union(people, image.shape)  # all in one: where people overlap, two times would be none
        overlay(protected, self._whole(image, sample), mask)
        return protected

    def _stream(self, shape: tuple[int, ...], sample: Sample) -> Image:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        nonce = bytes.fromhex(digest("aes-ctr", sample.id, sample.content_hash, list(shape)))
        encryptor = Cipher(algorithms.AES(self._key), modes.CTR(nonce)).encryptor()
        return np.frombuffer(encryptor.update(bytes(int(np.prod(shape)))), np.uint8).reshape(shape)


def _key(text: str) -> bytes:
    if not isinstance(text, str) or not re.fullmatch("([0-9a-fA-F]{16}){2,4}", text):
        got = f"a text of {len(text)} characters" if isinstance(text, str) else type(text).__name__
        raise ValueError(f"key must be 32, 48 or 64 hexadecimal digits, got {got}")
    return bytes.fromhex(text)
