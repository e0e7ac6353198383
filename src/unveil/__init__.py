"""Judge image protection methods: privacy, utility, practicality, and fairness."""

__version__ = "0.1.0"
