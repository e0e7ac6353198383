"""Types, protocols, schemas and identities that every other part of ``unveil`` shares.

This package is the bottom layer: it imports the standard library, NumPy and PyArrow only.
"""
