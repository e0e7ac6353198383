"""Where results live: the shared cache of derived files, and the tables and manifest of one run."""
