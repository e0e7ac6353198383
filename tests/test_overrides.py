"""What ``--set`` does to parsed YAML; what it does to settings is in ``test_config.py``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.errors import ConfigError
from unveil.overrides import apply

key = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)


def applied(override, data):
    apply(override, data)
    return data


@given(st.lists(key, min_size=1, max_size=4), st.integers())
def test_what_is_not_there_is_made(path, value):
    data = applied(f"{'.'.join(path)}={value}", {})
    for part in path:
        data = data[part]
    assert data == value


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("a.b=1", {"a": {"b": 1, "c": [1, {"d": 2}]}}),
        ("a.c.0=x", {"a": {"b": 0, "c": ["x", {"d": 2}]}}),
        ("a.c.1.d=[3]", {"a": {"b": 0, "c": [1, {"d": [3]}]}}),
        ("a=", {"a": None}),
        (" a.b =7", {"a": {"b": 7, "c": [1, {"d": 2}]}}),
        ("a.b=k=v", {"a": {"b": "k=v", "c": [1, {"d": 2}]}}),
    ],
)
def test_one_place_changes_and_no_other(override, expected):
    assert applied(override, {"a": {"b": 0, "c": [1, {"d": 2}]}}) == expected


@pytest.mark.parametrize(
    ("override", "rule"),
    [
        ("a.c.2=x", "'2' must be a position from 0 to 1"),
        ("a.c.x=x", "'x' must be a position from 0 to 1"),
        ("empty.0=x", "'0' must be a position, but the list is empty"),
        ("a.b.c=1", "'b' has the value 0, which has no settings inside"),
        ("a", "must look like setting=value"),
        ("a={", "not valid YAML"),
    ],
)
def test_a_place_that_cannot_be_is_named(override, rule):
    with pytest.raises(ConfigError) as caught:
        apply(override, {"a": {"b": 0, "c": [1, 2]}, "empty": []})
    assert str(caught.value).startswith(f"--set {override}: ") and rule in str(caught.value)
