"""Runs `steno` as its users do, for tests: servers in homes of their own, commands with a deadline.

Nothing here waits for a fixed time. Each wait reads a pipe, or repeats a question until the answer
holds, and has a deadline. STENO_PROGRAM names the program under test.
"""
import contextlib
import fcntl
import json
import os
import pty
import select
import selectors
import shutil
import signal
import subprocess
import tempfile
import termios
import time

PATIENCE = 120.0  # seconds, for anything that is immediate unless the machine is overloaded
ASK_AGAIN = 0.02


def program():
    return os.environ["STENO_PROGRAM"]


def beside(name):
    """Returns the path of another program of the same build."""
    return os.path.join(os.path.dirname(os.path.abspath(program())), name)


def until(condition, what, seconds=PATIENCE):
    """Returns the first true value of condition(); fails if there is none in time."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"in {seconds:.0f} s not seen: {what}")
        time.sleep(ASK_AGAIN)


class Result:
    """The exit code and output of a command."""

    def __init__(self, arguments, code, out, err):
        self.arguments, self.code, self.raw = arguments, code, out
        self.out, self.err = out.decode(errors="replace"), err.decode(errors="replace")

    def __str__(self):
        shown = " ".join(str(argument)[:80] for argument in self.arguments)
        return f"steno {shown}\nexit {self.code}\n{self.out[-2000:]}\nstderr: {self.err[-2000:]}"

    def json(self):
        return json.loads(self.raw)

    def lines(self):
        return [json.loads(line) for line in self.raw.splitlines()]


def finish(child, arguments, stdin, seconds):
    try:
        out, err = child.communicate(stdin, timeout=seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        result = Result(arguments, None, *child.communicate())
        raise AssertionError(f"not over after {seconds:.0f} s: {result}") from None
    return Result(arguments, child.returncode, out, err)


class Follower:
    """A command that runs on while the test does something else."""

    def __init__(self, child, arguments):
        self.child, self.arguments, self.unread = child, arguments, b""

    def line(self, seconds=PATIENCE):
        """Returns its next line on stdout."""
        return self.next_line(self.child.stdout, seconds)

    def error_line(self, word, seconds=PATIENCE):
        """Returns its next line on stderr with the word; other lines of that read are dropped."""
        deadline = time.monotonic() + seconds
        kept, self.unread = self.unread, b""
        try:
            while True:
                line = self.next_line(self.child.stderr, max(0, deadline - time.monotonic()))
                if word in line:
                    return line
        finally:
            self.unread = kept

    def next_line(self, stream, seconds):
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while b"\n" not in self.unread:
                if not selector.select(max(0, deadline - time.monotonic())):
                    raise AssertionError(f"no line in {seconds:.0f} s: {self.arguments}")
                piece = os.read(stream.fileno(), 65536)
                if not piece:
                    raise AssertionError(f"ended instead of a line: {self.arguments}")
                self.unread += piece
        line, _, self.unread = self.unread.partition(b"\n")
        return line.decode()

    def write(self, text):
        self.child.stdin.write(text.encode())
        self.child.stdin.flush()

    def signal(self, number):
        self.child.send_signal(number)

    def finish(self, seconds=PATIENCE):
        result = finish(self.child, self.arguments, None, seconds)
        result.out = self.unread.decode() + result.out
        return result

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
        self.child.communicate()


class Home:
    """A private folder with all files of one server, and the server that runs there."""

    def __init__(self, config="", environment=None, folder=None):
        """Uses the given empty folder, or else makes one of its own."""
        # A short path: that of a Unix socket has at most 107 bytes.
        self.folder = folder or tempfile.mkdtemp(prefix="steno-", dir="/tmp")
        self.workdir = os.path.join(self.folder, "work")
        os.mkdir(self.workdir)
        # Stands for Claude Code; an existing program satisfies `doctor`.
        # Agents that hang do not hold up the end of a test.
        grace = "" if "stop_grace" in config else 'stop_grace = "300ms"\n'
        self.write_config(f'claude_program = "{beside("steno-scripted-agent")}"\n' + grace + config)
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "LANG": "C.UTF-8",
                            **(environment or {})}
        self.program = program()  # runs the commands, and so the server
        self.server, self.followers = None, []

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write_config(self, text):
        with open(self.path("steno.toml"), "w", encoding="utf-8") as file:
            file.write(text)

    # ---- commands ----

    def popen(self, arguments, environment=None, **options):
        argv = [self.program, "--home", self.folder, *arguments]
        return subprocess.Popen(argv, cwd=self.workdir,
                                env={**self.environment, **(environment or {})},
                                **{"stdout": subprocess.PIPE, **options})

    def run(self, *arguments, stdin=b"", environment=None, seconds=PATIENCE):
        child = self.popen(arguments, environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        return finish(child, arguments, stdin, seconds)

    def on_terminal(self, arguments, typed, seconds=PATIENCE):
        """Runs a command on a terminal of its own. Of the pairs in `typed` the second is typed once
        the first was shown. Returns the exit code and what was shown."""
        parent, child = pty.openpty()
        command = self.popen(arguments, stdin=child, stdout=child, stderr=child,
                             start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(child)
        seen, typed = b"", list(typed)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not select.select([parent], [], [], 0.2)[0]:
                continue
            try:
                chunk = os.read(parent, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
            if typed and typed[0][0].encode() in seen:
                os.write(parent, typed.pop(0)[1].encode())
        os.close(parent)  # hangs up
        return command.wait(seconds), seen.decode(errors="replace")

    def ask(self, *arguments, **options):
        """Returns the JSON output of a command, which must succeed."""
        result = self.run(*arguments, "-o", "json", **options)
        assert result.code == 0, result
        return result.json()

    def follow(self, *arguments):
        child = self.popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.followers.append(Follower(child, arguments))
        return self.followers[-1]

    def start_session(self, prompt, *flags, engine="scripted"):
        """Starts a session; returns its alias."""
        return self.ask("spawn", "--engine", engine, *flags, prompt)["alias"]

    def show(self, reference):
        return self.ask("show", reference)["session"]

    def wait_for_end(self, reference, seconds=PATIENCE):
        """Waits for the session's end; returns its row."""
        self.run("output", reference, "--follow", "-o", "jsonl", seconds=seconds)
        row = self.show(reference)
        assert row["status"] in ("completed", "failed", "killed"), row
        return row

    def position(self):
        """Returns the position of the last durable event."""
        return self.run("doctor", "-o", "json").json()["status"]["durable"]

    def events(self, session=None):
        """Returns all events, or those of the session with this id."""
        result = self.run("watch", "--all-agents", "--from", "start", "-n", str(self.position()),
                          "-o", "jsonl")
        assert result.code == 0, result
        return [event for event in result.lines()
                if session is None or event["stream"].endswith("/session/" + session)]

    def wait_for_event(self, reference, kind):
        """Waits for the session's first event of a type; returns it."""
        watching = self.follow("watch", reference, "--from", "start", "-o", "jsonl")
        while True:
            event = json.loads(watching.line())
            if event["type"] == kind:
                watching.close()
                return event

    # ---- the server ----

    def start(self, *flags, serve_flags=(), seconds=PATIENCE):
        with open(self.path("server.log"), "ab") as log:
            self.server = Follower(self.popen([*flags, "serve", *serve_flags], stderr=log), ("serve",))
        assert self.server.line(seconds) == "ready"
        return self

    def stop(self, number=signal.SIGTERM, seconds=PATIENCE):
        """Stops the server; returns its exit code."""
        server, self.server = self.server, None
        server.signal(number)
        code = server.child.wait(seconds)
        server.child.stdout.close()
        return code

    def server_log(self):
        with open(self.path("server.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def worker_pid(self):
        """Returns the pid of the worker; waits until it has named itself."""
        def named():
            with contextlib.suppress(FileNotFoundError):
                with open(self.path("data", "worker.lock"), encoding="ascii") as file:
                    return file.read()
            return ""
        return int(until(named, "the worker's pid"))

    # ---- processes ----

    def processes(self):
        """Returns every process of this home: pid → command line. The arguments or environment of
        each name the home."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    command = file.read()
                with open(f"/proc/{pid}/environ", "rb") as file:
                    named = command + b"\0" + file.read()
                if self.folder.encode() in named and int(pid) != os.getpid():
                    found[int(pid)] = command.replace(b"\0", b" ").decode(errors="replace")
        return found

    def close(self):
        for follower in self.followers:
            follower.close()
        if self.server is not None:
            self.server.signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.server.child.wait(PATIENCE)
            self.server.close()
        # Only processes that name our folder, which nobody else knows.
        for pid in self.processes():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def resident_bytes(pid):
    """Returns the bytes that a process has in memory."""
    return memory_bytes(pid, "VmRSS")


def peak_bytes(pid):
    """Returns the most bytes that a process has had in memory."""
    return memory_bytes(pid, "VmHWM")


def memory_bytes(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    return 0
