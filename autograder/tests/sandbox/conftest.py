"""One warm template per rung for all tests here; every test gets a fresh worker."""

import pytest

from pdgrade.forkserver import ForkServer
from pdgrade.limits import Limits

QUICK = Limits(call_wall_s=1.0, cell_wall_s=1.5, question_wall_s=5.0, memory_mib=256)


@pytest.fixture(scope="session")
def server():
    with ForkServer(limits=QUICK) as server:
        yield server
