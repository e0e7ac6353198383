"""Pictures in folders: for anybody's data, and for BFW and DemogPairs by presets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

from unveil.core.errors import DataError
from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.schema import SAMPLES
from unveil.core.types import Pair
from unveil.datasets.labels import Labels, open_labels
from unveil.datasets.pattern import Pattern
from unveil.datasets.selection import check_count, first_identities
from unveil.datasets.spelling import STANDARD, Spelling, write_split
from unveil.datasets.tree import Tree


class Folder:
    """A folder of pictures whose paths, or a CSV, say who is shown.

    Without a CSV, every file below the root with the ending of a picture is an entry and must fit ``pattern``.
    With a CSV that has a column ``path`` or ``file``, its rows are the entries, and other files are passed over.
    With a CSV that has a column ``identity`` instead, the pictures are found by ``pattern``, and a row describes
    all pictures of a person. Where both say something, the CSV counts. An empty value means: not known.

    Gender is written Female and Male, race White, Black, Asian and Indian, whatever the case or number in the
    source (:data:`unveil.datasets.spelling.STANDARD`); other values stay as they are.

    Args:
        root: the folder.
        pattern: layout of the paths, see :class:`unveil.datasets.pattern.Pattern`. Default:
            ``{identity}/{file}``, or no layout when a CSV lists the pictures.
        labels: a CSV, relative to the root or absolute: UTF-8, comma separated, with the columns ``path`` (or
            ``file``) or ``identity``, perhaps ``split``, and attributes.
        name: of the dataset.
        groupings: attributes by which people are divided. Default: those of the pattern; of a CSV those named
            by ``attributes``, else ``gender`` and ``race`` where it has them.
        attributes: columns of the CSV to keep. Default: all but those that the samples table has anyway,
            such as ``width``.
        values: attribute -> published value -> spelling here; any other value is then an error.
        limit: keep all pictures of this many people only, taken in turn from each group.
        citation, licence, url: provenance and terms, for the report.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    def __init__(
        self,
        *,
        root: str,
        pattern: str | None = None,
        labels: str | None = None,
        name: str = "folder",
        groupings: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        values: Mapping[str, Mapping[str, str]] | None = None,
        limit: int | None = None,
        citation: str = "",
        licence: str = "",
        url: str = "",
    ) -> None:
        if not root or not name:
            raise ValueError(f"root and name must not be empty: root = {root!r}, name = {name!r}")
        if attributes is not None and labels is None:
            raise ValueError(f"attributes = {list(attributes)} chooses columns of a CSV, but labels is not given")
        for parameter, names in (("groupings", groupings), ("attributes", attributes)):
            if isinstance(names, str):
                raise ValueError(f"{parameter} must be a list of names, not {names!r}")
        check_count("limit", limit)
        self._root = Path(root)
        self._labels_file = None if labels is None else self._root / labels
        self._pattern = Pattern(pattern or "{identity}/{file}")
        self._pattern_given = pattern is not None
        self._name = name
        self._groupings = groupings
        self._chosen = attributes
        self._spelling = Spelling(values)
        self._limit = limit
        self._source = Source(citation, licence, url)
        _check_names(self._pattern.attributes, f"pattern {self._pattern.text!r}", ValueError)

    @property
    def root(self) -> Path:
        """Folder that holds every picture."""
        return self._root

    @cached_property
    def meta(self) -> DatasetMeta:
        """What the parameters say; with ``labels``, also what the header of the CSV says.

        Raises:
            DataError: when the CSV has no usable header, or lacks a column that a parameter names.
        """
        has_identity = (self._reads_paths and self._pattern.has_identity) or (
            self._labels is not None and "identity" in self._labels.columns
        )
        groupings = self._find_groupings()
        has = {"identity": has_identity, "demographics": bool(groupings)}
        return DatasetMeta(self._name, 1, self._source, groupings, frozenset(k for k, v in has.items() if v))

    def entries(self) -> Iterator[Entry]:
        """Every picture: in the order of the CSV that lists them, else sorted folder by folder.

        Raises:
            DataError: when there is none, one does not fit the layout, the CSV names a missing file or one
                outside of the root; names the file and, for a CSV, line and value.
        """
        tree, labels = Tree(self._root, self._name), self._labels
        if labels is not None and labels.lists_pictures:
            expected, found = f"rows in {labels.file.name}", list(self._from_rows(tree, labels))
        else:
            expected, found = f"pictures as {self._pattern.text!r}", list(self._from_paths(tree, labels))
        if not found:
            raise DataError(f"{self._name}: expected {expected} in {str(self._root)!r}, found {tree.contents()}")
        yield from first_identities(found, self._limit, self.meta.groupings)

    def pairs(self) -> list[Pair]:
        """None: folders prescribe no comparisons."""
        return []

    @cached_property
    def _labels(self) -> Labels | None:
        return None if self._labels_file is None else open_labels(self._labels_file)

    @property
    def _reads_paths(self) -> bool:
        """Whether the pattern has a say."""
        return self._pattern_given or self._labels is None or not self._labels.lists_pictures

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        """Columns of the CSV that become attributes."""
        if self._labels is None:
            return ()
        free = tuple(name for name in self._labels.attributes if name not in SAMPLES.names)
        columns = free if self._chosen is None else tuple(self._chosen)
        where = f"{self._labels.file.name} line 1"
        for column in columns:
            if column not in self._labels.attributes:
                raise DataError(f"{where}: no attribute {column!r}; it has {', '.join(self._labels.attributes)}")
        _check_names(columns, f"{where}; choose columns with attributes = [...]", DataError)
        return columns

    def _find_groupings(self) -> tuple[str, ...]:
        placeholders = self._pattern.attributes if self._reads_paths else ()
        known = tuple(dict.fromkeys((*placeholders, *self._columns)))
        if self._groupings is None:
            described = self._columns if self._chosen is not None else set(self._columns) & set(STANDARD)
            return tuple(name for name in known if name in placeholders or name in described)
        if unknown := [name for name in self._groupings if name not in known]:
            raise DataError(
                f"{self._name}: grouping {unknown[0]!r} is not an attribute; it has {', '.join(known)}"
            )
        return tuple(self._groupings)

    def _from_rows(self, tree: Tree, labels: Labels) -> Iterator[Entry]:
        seen: dict[str, str] = {}
        for where, row in labels.rows():
            path = PurePosixPath(row[labels.key]).as_posix()
            if not os.path.exists(tree.locate(path, where)):
                raise DataError(f"{where}: no file {path!r} in {str(self._root)!r}")
            if (first := seen.setdefault(path, where)) != where:
                raise DataError(f"{where}: {path!r} stands already in {first}")
            facts = self._read_path(path, where) if self._reads_paths else {}
            yield self._entry(path, {**facts, **self._known(row)}, where)

    def _from_paths(self, tree: Tree, labels: Labels | None) -> Iterator[Entry]:
        people = {row["identity"]: self._known(row) for _, row in labels.rows()} if labels else {}
        found: set[str] = set()
        for path in tree.pictures(self._pattern.prefix):
            where = f"{self._name}: {path!r}"
            facts = self._read_path(path, where)
            found.add(identity := facts.get("identity", ""))
            yield self._entry(path, {**facts, **people.get(identity, {})}, where)
        if labels and found and not found & people.keys():
            raise DataError(
                f"{labels.file.name}: describes {', '.join(sorted(people)[:3])}, but none of the {len(found)} "
                f"people in {str(self._root)!r}: {', '.join(sorted(found)[:3])}"
            )

    def _known(self, row: Mapping[str, str]) -> dict[str, str]:
        return {key: row[key] for key in ("identity", "split", *self._columns) if row.get(key)}

    def _read_path(self, path: str, where: str) -> dict[str, str]:
        facts = self._pattern.read(path)
        if facts is None:
            raise DataError(
                f"{where}: the path does not fit the layout {self._pattern.text!r} of {str(self._root)!r}"
            )
        return facts

    def _entry(self, path: str, facts: Mapping[str, str], where: str) -> Entry:
        special = ("identity", "split", "file")
        attributes = {
            name: self._spelling.write(name, value, where) for name, value in facts.items() if name not in special
        }
        return Entry(path, facts.get("identity", ""), write_split(facts.get("split", ""), where), attributes)


def _check_names(attributes: Sequence[str], where: str, error: type[Exception]) -> None:
    for name in attributes:
        if name in SAMPLES.names or "+" in name:
            raise error(f"{where}: {name!r} cannot be an attribute: the table of samples uses the name itself")
