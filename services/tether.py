"""Tie a program to the process that starts it: when that dies, however it dies, the program dies too.

    python -I -S services/tether.py PARENT-PID PROGRAM ARGUMENT...

The kernel is asked to send SIGKILL when the parent is gone (Linux, PR_SET_PDEATHSIG), and then this process becomes the program. A watch on
the parent's pid would need a thread in every program and could not be put into nats-server at all; the kernel's promise also holds
while the program hangs. SIGKILL, because nothing here needs a farewell: what was acknowledged is on disk. Where the kernel has no
such promise (macOS) the program runs untied, and a killed supervisor leaves its children to be ended by hand.

It imports nothing of the project, so that it starts in some 20 ms.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie, then become the program named by the arguments."""
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the promise was made
            sys.exit(1)
    os.execvp(program[0], program)  # noqa: S606 (the supervisor's own argument list, no shell)


if __name__ == "__main__":
    main()
