"""``python -m unveil`` is the command line."""

from unveil.cli import main

if __name__ == "__main__":
    main()
