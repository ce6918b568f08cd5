"""Every sentence a learner or an instructor reads, in Chinese and English.

A catalog maps a key such as ``"panels.unwritten"`` to one `Message` per language; `text` looks it
up in the current language and fills in the fields. Modules keep their catalogs in this package,
one file per topic, so that another edition is a translation and never a fork.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Final

LANGUAGES: Final = ("zh", "en")


@dataclass(frozen=True)
class Message:
    """One sentence in both languages; ``{name}`` marks a field in either.

    Raises:
        ValueError: a language is empty, or the two name different fields.
    """

    zh: str
    en: str

    def __post_init__(self) -> None:
        if not self.zh or not self.en:
            raise ValueError(f"message needs both languages, got zh={self.zh!r}, en={self.en!r}")
        if fields_of(self.zh) != fields_of(self.en):
            raise ValueError(
                f"fields differ: zh {sorted(fields_of(self.zh))}, en {sorted(fields_of(self.en))}"
            )


def fields_of(template: str) -> set[str]:
    """Names of the ``{fields}`` in a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


_catalog: dict[str, Message] = {}
_language: list[str] = []  # empty: follow PDSCHED_LANG


def register(catalog: Mapping[str, Message]) -> None:
    """Add a topic's messages.

    Raises:
        ValueError: a key is already taken by a different message.
    """
    for key, message in catalog.items():
        if _catalog.setdefault(key, message) != message:
            raise ValueError(f"message key {key!r} is registered twice with different texts")


def language() -> str:
    """The current language: the one set, else ``PDSCHED_LANG``, else Chinese."""
    if _language:
        return _language[0]
    chosen = os.environ.get("PDSCHED_LANG", "zh")
    return chosen if chosen in LANGUAGES else "zh"


def set_language(name: str | None) -> None:
    """Choose ``"zh"`` or ``"en"`` for this process; ``None`` follows ``PDSCHED_LANG`` again.

    Raises:
        ValueError: any other name.
    """
    if name is not None and name not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {name!r}")
    _language[:] = [] if name is None else [name]


class Sentence(str):
    """A message in one language that can still be told in the others."""

    key: str
    fields: dict[str, object]

    def told_in(self, name: str) -> str:
        """The same in the language ``name``; fields that are messages too are told in it."""
        fields = {
            key: value.told_in(name) if isinstance(value, Sentence) else value
            for key, value in self.fields.items()
        }
        return str(getattr(_catalog[self.key], name)).format(**fields)


def text(key: str, /, **fields: object) -> str:
    """The message under ``key`` in the current language, with its fields filled in.

    It is a `Sentence`, so whoever keeps it can keep the other languages too.

    Raises:
        KeyError: no such key, or a field is missing.
    """
    sentence = Sentence(str(getattr(_catalog[key], language())).format(**fields))
    sentence.key, sentence.fields = key, fields
    return sentence


def registered() -> Mapping[str, Message]:
    """All messages known so far, by key (for tests and translators)."""
    return dict(_catalog)
