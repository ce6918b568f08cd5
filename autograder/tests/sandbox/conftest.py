"""One warm template per rung for all tests here; every test gets a fresh worker."""

import pytest

from pdgrade.forkserver import ForkServer
from pdgrade.limits import Limits

QUICK = Limits(call_wall_s=2.0, cell_wall_s=4.0, question_wall_s=20.0, memory_mib=256, output_mib=4)


@pytest.fixture(scope="session")
def server():
    with ForkServer(limits=QUICK) as server:
        yield server
