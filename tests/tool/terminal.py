"""A pseudo terminal of a known size, and what a program prints to it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

ESCAPE = re.compile(r"\033\[[0-9;]*m")


class Terminal:
    """A pseudo terminal of `columns` x `lines` characters; 0 columns: it states no size."""

    def __init__(self, columns, lines=24):
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines if columns else 0, columns, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.ours)

    def start(self, words, folder, environment):
        """Starts a program whose three streams are the terminal."""
        process = subprocess.Popen([str(word) for word in words], cwd=folder, env=environment, stdin=self.theirs,
                                   stdout=self.theirs, stderr=self.theirs, start_new_session=True)
        os.close(self.theirs)
        return process

    def read(self, until=None, seconds=60):
        """What is printed until the program ends, or until a text is printed."""
        printed, end = b"", time.monotonic() + seconds
        while until is None or until.encode() not in printed:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.ours], [], [], left)[0]:
                raise AssertionError(f"after {seconds} s there is only {printed[-500:]!r}")
            try:
                read = os.read(self.ours, 65536)
            except OSError:  # the program has ended
                break
            if not read:
                break
            printed += read
        return printed.decode().replace("\r\n", "\n")

    def write(self, text):
        os.write(self.ours, text.encode())


def printed_by(words, folder, columns, lines=24, **more):
    """What a program prints to a terminal, and its status."""
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
    with Terminal(columns, lines) as terminal:
        process = terminal.start(words, folder, {**environment, "LC_ALL": "C.UTF-8", **more})
        try:
            text = terminal.read()
        finally:
            status = process.wait(timeout=60)
    return text, status


def widest(text):
    """The longest line as one sees it."""
    return max((ESCAPE.sub("", line) for line in text.split("\n")), key=len)
