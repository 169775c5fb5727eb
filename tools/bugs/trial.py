"""Plants one bug and sees whether a unit test notices it.

The sources stay as they are: a changed copy of one file is compiled, and linked with the objects of
all other files of its library.
"""
import json
import os
import re
import shlex
import signal
import subprocess
import time

from .building import OPTIONS, CouldNot, cached

TARGETS = ("test_domain", "test_projections")
LIBRARIES = ("domain", "views", "projections")
# The programs that a file of the folder is part of; the one that is likelier to notice comes first.
ORDER = {"eventlog": ("test_domain", "test_projections"), "projections": ("test_projections",)}
COMPILE_SECONDS = 300
MEMORY_BYTES_MAX = 6 << 30
# How much longer than without a bug a program may take; a bug that makes it later is noticed.
PATIENCE, PATIENCE_LEAST_SECONDS = 5, 20
# Tests that take longer run only where all others pass.
QUICK_SECONDS = 0.1


def outcome_of(command, folder, seconds):
    """Exit code and what was said; None for the code: no end within so many seconds."""
    # A bug can allocate without end, so each program has a bound on its memory.
    child = subprocess.Popen(["prlimit", f"--as={MEMORY_BYTES_MAX}", *command], cwd=folder,
                             stdin=subprocess.DEVNULL, start_new_session=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output, _ = child.communicate(timeout=seconds)
        return child.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return None, ""
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        raise


def quick_tests(names, output):
    """Those of the tests that took little time, as `-d yes` shows them."""
    seconds = {name: float(time_taken)
               for time_taken, name in re.findall(r"^(\d+\.\d+) s: (.+)$", output, re.M)}
    return [name for name in names if seconds.get(name, 0) <= QUICK_SECONDS]


def failed_test(output):
    """The name that Catch2 prints above what failed."""
    named = re.search(r"^-{79}\n((?:[^ \n-].*\n)+)", output, re.M)
    return " ".join(named.group(1).split()) if named else None


class Build:
    """Compiled once without bugs: the objects that every bug is linked with."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.seconds = {}

    def make(self, jobs):
        environment = cached(self.root)
        for command in (["cmake", "-S", self.root, "-B", self.folder, *OPTIONS],
                        ["cmake", "--build", self.folder, "-j", str(jobs), "--target", *TARGETS]):
            done = subprocess.run(command, cwd=self.root, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise CouldNot(done.stdout.decode(errors="replace")[-8000:])

    def read(self):
        """How each file is compiled and each program linked."""
        listed = self.folder / "compile_commands.json"
        if not listed.exists():
            raise CouldNot(f"{self.folder} is not built")
        entries = [entry for entry in json.loads(listed.read_text())
                   if any(f"CMakeFiles/{name}.dir/" in entry["command"] for name in LIBRARIES)]
        self.compiles = {entry["file"]: shlex.split(entry["command"]) for entry in entries}
        self.links = {target: self._link_of(target) for target in TARGETS}

    def _link_of(self, target):
        shown = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", target],
                               check=False, capture_output=True, text=True)
        for line in reversed(shown.stdout.splitlines()):
            for part in line.split(" && "):
                if f" -o {target} " in part:
                    return shlex.split(part)
        raise CouldNot(f"ninja does not say how {target} is linked {shown.stderr.strip()}")

    def check(self):
        """Without a bug every test passes, or its failing would prove nothing."""
        for target in TARGETS:
            program = self.folder / target
            _, names = outcome_of([program, "--list-test-names-only"], self.folder, 600)
            began = time.monotonic()
            code, said = outcome_of([program, "--abort", "-d", "yes"], self.folder, 600)
            if code != 0:
                raise CouldNot(f"{target} fails without a bug: none was tried\n{said[-4000:]}")
            self.seconds[target] = time.monotonic() - began
            quick = quick_tests(names.splitlines(), said)
            lines = [name.replace(",", "\\,") for name in quick]  # a comma would end the name
            self._quick_file(target).write_text("\n".join(lines) + "\n")

    def _quick_file(self, target):
        return self.folder / f"{target}.quick"

    def compile(self, bug, text, folder):
        """The object of the changed file; None: it does not compile."""
        original = str(self.root / bug.path)
        if original not in self.compiles:
            raise CouldNot(f"{bug.path} is not built")
        source, made = folder / "bug.cpp", folder / "bug.o"
        source.write_text(text)
        command, words = [], iter(self.compiles[original])
        for word in words:
            if word in ("-MT", "-MF", "-o"):
                next(words)
            elif word != "-MD" and not word.endswith("ccache"):
                command.append(str(source) if word == original else word)
        code, _ = outcome_of([*command, "-o", made], self.folder, COMPILE_SECONDS)
        return made if code == 0 else None

    def object_of(self, file):
        command = self.compiles[file]
        return command[command.index("-o") + 1]

    def link(self, target, bug, made, folder):
        program = folder / target
        original = self.object_of(str(self.root / bug.path))
        library = re.match(r"CMakeFiles/(\w+)\.dir/", original).group(1)
        objects = [str(made) if one == original else one
                   for one in map(self.object_of, self.compiles)
                   if one.startswith(f"CMakeFiles/{library}.dir/")]
        command = [word for word in self.links[target] if word != f"lib{library}.a"]
        place = self.links[target].index(f"lib{library}.a")
        command[place:place] = objects  # the archive is there more than once
        command[command.index("-o") + 1] = str(program)
        code, said = outcome_of(command, self.folder, COMPILE_SECONDS)
        if code != 0:
            raise CouldNot(f"{target} cannot be linked with a changed file\n{said[-4000:]}")
        return program

    def limit(self, target):
        return max(PATIENCE_LEAST_SECONDS, PATIENCE * self.seconds[target])

    def noticed_by(self, bug, made, folder):
        """The test that fails; None: all pass."""
        programs = {target: self.link(target, bug, made, folder)
                    for target in ORDER[bug.path.split("/")[0]]}
        for chosen in (lambda target: ["-f", self._quick_file(target)], lambda target: []):
            for target, program in programs.items():
                code, said = outcome_of([program, "--abort", *chosen(target)], self.folder,
                                        self.limit(target))
                if code is None:
                    return f"{target}: no end within {self.limit(target):.0f} s"
                if code != 0:
                    return failed_test(said) or f"{target}: exit {code}"
        return None
