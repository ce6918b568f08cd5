"""Guess the encoding of a text file: byte order marks first, then the likely ones in turn."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Final

from pdgrade.records import Note

_MARKS: Final = (  # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FALLBACKS: Final = ("gb18030", "cp1252")


def decode(data: bytes) -> Iterator[tuple[str, tuple[Note, ...]]]:
    """Possible readings of the bytes, likeliest first, each with what to tell about it.

    UTF-8 is not worth a note; an UTF-8 file with broken bytes is read with replacement before
    another encoding is tried, if the damage is small (GBK text is never nearly valid UTF-8).
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            yield _without_nul(data.decode(name, "replace")), (_note(name),)
            return
    guess = _utf16_without_mark(data)
    if guess:
        yield data.decode(guess, "replace"), (_note(guess),)
        return
    strict = _strict_utf8(data)
    if strict is not None:
        yield _without_nul(strict), ()
        return
    repaired = data.decode("utf-8", "replace")
    if repaired.count("\ufffd") * 10 <= sum(byte > 127 for byte in data):
        yield _without_nul(repaired), (Note("bytes_replaced"),)
    for name in _FALLBACKS:
        try:
            yield _without_nul(data.decode(name)), (_note(name),)
        except UnicodeDecodeError:
            continue
    yield _without_nul(repaired), (Note("bytes_replaced"),)


def _strict_utf8(data: bytes) -> str | None:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def _note(name: str) -> Note:
    return Note("encoding", {"name": name.removesuffix("-sig") + (" BOM" if "sig" in name else "")})


def _without_nul(text: str) -> str:
    """Without NUL characters: padding of a file that was not written to its end."""
    return text.replace("\0", "") if "\0" in text else text


def _utf16_without_mark(data: bytes) -> str:
    """UTF-16 shows as a NUL at every other byte of the ASCII that JSON begins with."""
    head = data[:64]
    if len(head) < 8:
        return ""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > half * 0.8 and even < half * 0.2:
        return "utf-16-le"
    if even > half * 0.8 and odd < half * 0.2:
        return "utf-16-be"
    return ""
