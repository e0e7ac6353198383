"""The exception tree.

An *expected* difficulty with one picture (no face, undecodable file) is not an exception: it is a
:class:`unveil.core.types.Failure`, a value. Exceptions are for what a person has to change::

    UnveilError
    ├── ConfigError        a setting is wrong; names the setting, the rule and the value
    ├── UnknownComponent   a name is not registered; suggests near ones
    ├── Unavailable        a component cannot be built here; says what is missing and how to get it
    ├── DataError          a dataset, a folder or a table does not have the layout it must have
    └── StoreError         a run directory cannot be read or written, or contradicts itself
"""

from __future__ import annotations


class UnveilError(Exception):
    """Base of every error that ``unveil`` raises on purpose. Its text is fit for the terminal."""


class ConfigError(UnveilError):
    """A setting is wrong. The message names the setting, the rule and the value."""


class UnknownComponent(ConfigError):
    """A component name is not registered. The message suggests near names."""


class Unavailable(UnveilError):
    """A component cannot be built on this machine. The message says what is missing and how to get it."""


class DataError(UnveilError):
    """A dataset or a folder does not have the layout it must have."""


class StoreError(UnveilError):
    """A run directory cannot be read or written, or contradicts itself."""
