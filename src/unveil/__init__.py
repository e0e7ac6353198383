"""Judge image protection methods: privacy, utility, practicality, and fairness."""

from unveil.api import list_components, open_run, plan, report, run
from unveil.config import RunConfig

__all__ = ["RunConfig", "list_components", "open_run", "plan", "report", "run"]
__version__ = "0.1.0"
