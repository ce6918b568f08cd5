"""Text files from anywhere: what is no text, or nested too deep, is one sentence with the path."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def named(path: str | Path) -> Iterator[None]:
    """Name the file when its bytes are no UTF-8 text or no CSV.

    Raises:
        ValueError: instead of `UnicodeDecodeError` and of `csv.Error`, which is no ValueError.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: must be uncompressed UTF-8 text ({error})") from None
    except csv.Error as error:
        raise ValueError(f"{path}: not a CSV ({error})") from None


def parsed_json(line: str) -> Any:
    """`json.loads`, with a ValueError for what is nested too deep as well."""
    try:
        return json.loads(line)
    except RecursionError:
        raise ValueError("nested too deep") from None
