"""Checks of parameters that the methods share, from :mod:`unveil.core.validation`."""

from __future__ import annotations

from unveil.core.validation import choice, color, flag, number, text, whole

__all__ = ["choice", "color", "flag", "number", "text", "whole"]
