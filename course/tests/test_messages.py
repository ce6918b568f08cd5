"""The message catalog: two languages, same fields, no silent overwriting."""

import pytest

from pdsched import messages
from pdsched.messages import Message

pytestmark = pytest.mark.core


@pytest.fixture(autouse=True)
def _restore_language():
    yield
    messages.set_language(None)


def test_text_follows_the_language_and_fills_fields():
    messages.register({"test.hello": Message(zh="你好，{name}", en="Hello, {name}")})
    assert messages.text("test.hello", name="L") == "你好，L"
    messages.set_language("en")
    assert messages.text("test.hello", name="L") == "Hello, L"


def test_environment_chooses_the_language_and_an_unknown_one_means_chinese(monkeypatch):
    monkeypatch.setenv("PDSCHED_LANG", "en")
    assert messages.language() == "en"
    monkeypatch.setenv("PDSCHED_LANG", "fr")
    assert messages.language() == "zh"


def test_languages_must_name_the_same_fields():
    with pytest.raises(ValueError, match="fields differ"):
        Message(zh="{a}", en="{b}")


def test_a_key_cannot_change_its_meaning():
    messages.register({"test.once": Message(zh="一", en="one")})
    messages.register({"test.once": Message(zh="一", en="one")})
    with pytest.raises(ValueError, match=r"test\.once"):
        messages.register({"test.once": Message(zh="二", en="two")})


def test_unknown_language_is_refused_by_name():
    with pytest.raises(ValueError, match="'fr'"):
        messages.set_language("fr")
