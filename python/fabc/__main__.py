"""`python -m fabc`: the command line of fabc, in this process."""

import signal
import sys
import sysconfig
from pathlib import Path

from . import _fabc


def main() -> None:
    """Runs a command, and ends with its exit code."""
    # Python turns Ctrl-C into an exception that compiled code does not see. The command line has its own way.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    script = Path(sysconfig.get_path("scripts")) / ("fabc.exe" if sys.platform == "win32" else "fabc")
    sys.exit(_fabc.command_line(sys.argv[1:], str(script) if script.is_file() else None))


if __name__ == "__main__":
    main()
