"""What a metric says about itself."""

from __future__ import annotations

from dataclasses import dataclass

from unveil.core.protocols import Source


@dataclass(frozen=True, slots=True)
class MetricMeta:
    """What a metric is.

    Attributes:
        name: the registered name.
        version: raised by the author when the value changes.
        title: one line for a table's head.
        reads: columns of the observations that it needs, beside ``status`` and ``identity``.
        higher_is_better: seen from the side of the person who is protected; fairness reads it.
        unit: ``share`` for a proportion in [0, 1].
        source: paper, section, table.
        facet: column by whose values the metric is measured one by one, such as ``label``; ``""``: not.
        by_group: whether groups of people are measured and compared, too.
        equal_groups: the value depends on how many rows there are, so groups are brought to one size first.
    """

    name: str
    version: int
    title: str
    reads: tuple[str, ...]
    higher_is_better: bool
    unit: str
    source: Source
    facet: str = ""
    by_group: bool = True
    equal_groups: bool = False
