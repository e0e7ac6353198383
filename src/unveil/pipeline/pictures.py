"""All pictures of one version of a dataset, original or protected, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from unveil.core.types import Failure, Image, Reason, Sample


@dataclass(frozen=True, slots=True)
class Pictures:
    """One version of a dataset.

    Attributes:
        samples: sample id -> sample.
        keys: sample id -> name of the picture in the cache, ``""`` where the method gave none.
        load: reads the picture of a sample under a name.
    """

    samples: Mapping[str, Sample]
    keys: Mapping[str, str]
    load: Callable[[Sample, str], Image | Failure]

    def read(self, sample_id: str) -> Image | Failure:
        """One picture; a Failure with reason ``missing`` where the method gave none.

        Raises:
            KeyError: for an id that is not in the dataset.
        """
        if not (key := self.keys[sample_id]):
            return Failure(Reason.MISSING, f"{sample_id}: the method gave no picture")
        return self.load(self.samples[sample_id], key)

    def images(self, sample_ids: Sequence[str]) -> Iterator[Image | Failure]:
        """Pictures one by one."""
        return map(self.read, sample_ids)
