"""The command line: grade, check, feedback, report, export, challenge, release and doctor.

Exit codes: 0 done; 1 done, but something needs a person; 2 the command or the course directory is
wrong; 3 stopped early, everything done so far is kept; 130 interrupted.
"""

from __future__ import annotations

import os
import sys

NEEDS_A_PERSON = 1
WRONG_USE = 2
STOPPED = 3
INTERRUPTED = 130


def main() -> None:
    """Run a command; whatever goes wrong is one line and an exit code."""
    from pdgrade.cli.quick_start import put_off_the_grammar

    put_off_the_grammar()
    from pdgrade.cli.app import app

    try:
        app()
    except KeyboardInterrupt:
        _fail("interrupted; run the same command again to go on", INTERRUPTED)
    except ModuleNotFoundError as error:
        _fail(f"{error.name} is not installed: pip install 'pdgrade[class]'", WRONG_USE)
    except Exception as error:
        if os.environ.get("PDGRADE_DEBUG"):
            raise
        _fail(f"{type(error).__name__}: {error} (PDGRADE_DEBUG=1 shows where)", STOPPED)


def _fail(message: str, code: int) -> None:
    print(f"pdgrade: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)
