"""A command on a terminal of its own, which a test reads and types into."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

from support.steno_process import PATIENCE, program

OWN_SCREEN, EARLIER_SCREEN = "\x1b[?1049h", "\x1b[?1049l"


class Terminal:
    """A command of steno on a terminal of its own."""

    def __init__(self, home, *arguments, command="attach", term="xterm", columns=80):
        self.parent, child = pty.openpty()
        self.resize(24, columns)
        self.process = subprocess.Popen(
            [program(), "--home", home.folder, command, *arguments], cwd=home.workdir,
            env={**home.environment, "TERM": term}, stdin=child, stdout=child, stderr=child,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(child)
        self.seen = ""

    def resize(self, rows, columns):
        fcntl.ioctl(self.parent, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        if not select.select([self.parent], [], [], seconds)[0]:
            return True
        try:
            chunk = os.read(self.parent, 65536)
        except OSError:
            return False
        self.seen += chunk.decode(errors="replace")
        return bool(chunk)

    def see(self, words):
        """Waits until it shows the words, behind what was waited for before."""
        begin, deadline = getattr(self, "at", 0), time.monotonic() + PATIENCE
        while words not in self.seen[begin:]:
            if not self.read(0.2) or time.monotonic() > deadline:
                raise AssertionError(f"not seen: {words}\n{self.seen}")
        self.at = self.seen.index(words, begin) + len(words)

    def type(self, text):
        os.write(self.parent, text.encode())

    def end(self):
        deadline = time.monotonic() + PATIENCE
        while self.read(0.2) and self.process.poll() is None:
            if time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"it goes on\n{self.seen}")
        while self.read(0.0) and select.select([self.parent], [], [], 0)[0]:
            pass
        os.close(self.parent)
        return self.process.wait(PATIENCE)
