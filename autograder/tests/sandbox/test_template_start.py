"""A template whose parent dies before configuring it ends, instead of spinning for ever."""

import socket
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are passed on POSIX only")
def test_a_template_without_a_parent_ends():
    ours, theirs = socket.socketpair()
    ours.close()
    start = "from pdgrade.worker import template; template.main()"
    done = subprocess.run(
        [sys.executable, "-c", start, str(theirs.fileno())],
        check=False,
        pass_fds=[theirs.fileno()],
        timeout=30,
    )
    theirs.close()
    assert done.returncode == 0
