"""What holds for every test here."""

import os
import shutil
import tempfile


def pytest_configure(config):
    """Keep the progress of notebooks that tests run out of the tester's own."""
    if not hasattr(config, "workerinput") and "PDSCHED_HOME" not in os.environ:
        config.pdsched_home = tempfile.mkdtemp(prefix="pdsched-home-")
        os.environ["PDSCHED_HOME"] = config.pdsched_home


def pytest_collection_modifyitems(items):
    """Files with slow tests first: begun last, one of them would keep the others waiting."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_unconfigure(config):
    """Remove it again."""
    home = getattr(config, "pdsched_home", None)
    if home is not None:
        os.environ.pop("PDSCHED_HOME", None)
        shutil.rmtree(home, ignore_errors=True)
