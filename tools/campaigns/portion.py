"""One run of a campaign's command. It starts in a process group of its own, ends together with
everything that it has started, and its output is read when it is over."""
import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

MARK = "STENO_SOAK_PORTION"
GRACE_SECONDS = 10.0
NOT_THERE = (126, 127)  # exit codes of `env` for a program that cannot be run
# Exit code of steno-simulate, ./tools/fuzz and ./tools/mutants when they could not run. The exit code
# of a crash test is the number of its checks that failed.
COULD_NOT = 2
COULD_NOT_KINDS = ("simulation", "fuzzer", "mutants")


class Portion:
    def __init__(self, campaign, first, count, seconds, root):
        self.campaign, self.first, self.count = campaign, first, count
        self.command = campaign.command(first, count, max(1, int(seconds)))
        self.output = tempfile.TemporaryFile()
        self.mark = f"{MARK}={uuid.uuid4()}"
        self.started = time.monotonic()
        self.seconds = 0.0
        self.is_late = False
        self.child = subprocess.Popen(
            ["env", self.mark, *shlex.split(self.command)], cwd=root, stdin=subprocess.DEVNULL,
            stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True)

    def has_ended(self):
        if self.child.poll() is None:
            return False
        if not self.seconds:
            self.seconds = time.monotonic() - self.started
            self._end_the_rest()
        return True

    def end_if_late(self):
        """Ends a portion that is not over within its limit: it hangs, which is a finding."""
        if not self.has_ended() and time.monotonic() - self.started > self.campaign.limit * 60:
            self.stop()
            self.seconds = time.monotonic() - self.started
            self.is_late = True

    def stop(self):
        """Ends it with SIGTERM, then with SIGKILL."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGTERM)
        try:
            self.child.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        self._end_the_rest()

    def _end_the_rest(self):
        """Kills processes with our mark: servers and agents have sessions of their own."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if self.mark.encode() in file.read().split(b"\0"):
                        os.kill(int(pid), signal.SIGKILL)

    def text(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def result(self):
        """Returns the last JSON object that it printed on a line; {} if there is none."""
        for line in reversed(self.text().splitlines()):
            if line.startswith("{"):
                with contextlib.suppress(ValueError):
                    value = json.loads(line)
                    if isinstance(value, dict):
                        return value
        return {}

    def not_run(self):
        """Returns why it could not run at all; empty if it ran."""
        if self.is_late:
            return ""
        if self.child.returncode in NOT_THERE:
            what = ", ".join(self.campaign.targets)
            hint = f"; build {what} of the preset {self.campaign.preset}" if what else ""
            return f"there is no such program: {self.command}{hint}"
        if self.child.returncode == COULD_NOT and self.campaign.kind in COULD_NOT_KINDS:
            return f"it says so: {self.command}"
        return ""

    def findings(self):
        result = self.result()
        found = sum(int(result.get(key, 0)) for key in ("violations", "findings"))
        if self.campaign.kind == "mutants":
            found += int(result.get("mutants", 0)) - int(result.get("caught", 0))
        return max(found, 1 if self.is_late or self.child.returncode != 0 else 0)

    def keep(self, folder):
        """Writes its whole output to a file, and returns the path."""
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{self.campaign.name}-{self.first}.log")
        self.output.seek(0)
        with open(path, "wb") as file:
            shutil.copyfileobj(self.output, file)
        return path
