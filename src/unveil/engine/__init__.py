"""How work is carried out: calling rules for components that may break, and reporting of progress."""
