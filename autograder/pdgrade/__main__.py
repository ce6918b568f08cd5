"""``python -m pdgrade``: the same as the `pdgrade` command."""

from pdgrade.cli import main

if __name__ == "__main__":
    main()
