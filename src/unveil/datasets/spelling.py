"""One spelling of demographic values across datasets, by tables of whole words.

Never by looking for a word inside another: "female" contains "male".
"""

from __future__ import annotations

from collections.abc import Mapping

from unveil.core.errors import DataError

STANDARD: Mapping[str, Mapping[str, str]] = {
    "gender": {
        **dict.fromkeys(("f", "female", "females", "woman", "women"), "Female"),
        **dict.fromkeys(("m", "male", "males", "man", "men"), "Male"),
    },
    "race": {"white": "White", "black": "Black", "asian": "Asian", "indian": "Indian"},
}
"""Attribute -> spelling in lower case -> how it is written here. Other values stay as published, such as
RFW's Caucasian and African: they are other categories, not other spellings of White and Black."""

_SPLITS: Mapping[str, str] = {
    "": "", "train": "train", "training": "train", "val": "validation", "valid": "validation",
    "validation": "validation", "test": "test",
}  # fmt: skip


class Spelling:
    """How the values of attributes are written.

    Args:
        values: attribute -> published value -> how it is written here. An attribute named here may have no
            other value; the others follow :data:`STANDARD`.

    Raises:
        ValueError: when ``values`` is not a table of tables.
    """

    def __init__(self, values: Mapping[str, Mapping[str, str]] | None) -> None:
        self._values: dict[str, dict[str, str]] = {}
        for attribute, table in (values or {}).items():
            if not isinstance(table, Mapping):
                raise ValueError(f"values: {attribute!r} must be a table value -> spelling, not {table!r}")
            self._values[attribute] = {str(key): str(value) for key, value in table.items()}

    def write(self, attribute: str, value: str, where: str) -> str:
        """The value as it is written here; ``""`` stays ``""`` (not known).

        Raises:
            DataError: when the attribute has a table of its own and the value is not in it.
        """
        if not value:
            return ""
        if attribute not in self._values:
            return STANDARD.get(attribute, {}).get(value.lower(), value)
        table = self._values[attribute]
        if value not in table:
            raise DataError(f"{where}: {attribute} {value!r} is not one of {', '.join(table)}")
        return table[value]


def write_split(value: str, where: str) -> str:
    """``train``, ``validation``, ``test`` or ``""``.

    Raises:
        DataError: for any other word.
    """
    if value.lower() not in _SPLITS:
        raise DataError(f"{where}: split {value!r} is not one of train, validation, test")
    return _SPLITS[value.lower()]
