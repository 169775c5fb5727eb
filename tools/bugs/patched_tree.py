"""A copy of the sources with a build of its own, to which patches with bugs are applied."""
import contextlib
import filecmp
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

from .building import OPTIONS, CouldNot, cached

LINK_RULE = re.compile(r"^(\S+): CXX_EXECUTABLE_LINKER__", re.M)


def apply_patch(folder, patch, *options):
    """Applies the patch to the files below the folder; returns why it could not, None: it did."""
    # Files below build/ are ignored by the repository around them, so git must not look for it.
    outside = {**os.environ, "GIT_CEILING_DIRECTORIES": str(pathlib.Path(folder).parent)}
    done = subprocess.run(["git", "apply", "-C1", *options, patch], cwd=folder, env=outside,
                          capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr.strip()


def files_of(patch):
    """The paths that the patch changes."""
    return re.findall(r"^\+\+\+ b/(\S+)$", patch.read_text(), re.M)


def end_programs_below(folder):
    """Ends processes of programs in the folder: a bug can leave some running for ever."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "exe").startswith(f"{folder}/"):
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            pass  # it has ended, or is not ours


class Test:
    """One entry of ctest's list."""

    def __init__(self, entry, folder):
        properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        self.name = entry["name"]
        self.command = entry.get("command")
        self.folder = properties.get("WORKING_DIRECTORY", folder)
        self.labels = properties.get("LABELS", [])
        self.seconds = float(properties.get("TIMEOUT", 300))
        self.environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))

    def run(self, environment, seconds):
        """Returns why the test failed; None: it passed."""
        child = subprocess.Popen(
            self.command, cwd=self.folder, env={**os.environ, **self.environment, **environment},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            output, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return f"no end within {seconds:g} s"
        if child.returncode == 0:
            return None
        return output.decode(errors="replace")[-4000:] or f"exit {child.returncode}"


class PatchedTree:
    """Copy and build number `number`. After `made` it has `tests`: all but those that need optional
    programs."""

    def __init__(self, root, number):
        self.root = root
        self.source = root / "build" / "mutants" / str(number) / "source"
        self.build = self.source.parent / "build"
        self.tests = []

    def made(self, jobs):
        """Brings the copy up to date, builds it, lists its tests; returns the tree."""
        self._copy()
        if not (self.build / "build.ninja").exists():
            self._call("cmake", "-S", self.source, "-B", self.build, *OPTIONS)
        self._build((), jobs)
        listed = json.loads(self._call("ctest", "--test-dir", self.build, "--show-only=json-v1"))
        tests = [Test(entry, self.build) for entry in listed["tests"]]
        missing = [t.name for t in tests if t.command is None]
        if missing:
            raise CouldNot(f"not built: {missing[0]}")
        self.tests = [t for t in tests if "interop" not in t.labels]
        programs = set(LINK_RULE.findall(self._call("ninja", "-C", self.build, "-t", "targets",
                                                    "all")))
        # Tests start these besides themselves.
        self.helpers = programs - {self._program_of(t) for t in tests}
        return self

    @contextlib.contextmanager
    def planted(self, patch, tests):
        """For its duration the programs that the tests need are built with the patch; None: without
        one."""
        paths = [self.source / path for path in files_of(patch)] if patch is not None else []
        originals = {path: path.read_bytes() for path in paths}
        try:
            if patch is not None and (why := apply_patch(self.source, patch)) is not None:
                raise CouldNot(f"{patch.name} does not apply: {why}")
            self._build({*self.helpers, *map(self._program_of, tests)} - {None}, 1)
            yield
        finally:
            for path, original in originals.items():
                path.write_bytes(original)
            end_programs_below(self.build)

    def _copy(self):
        """Makes the copy equal to the sources. Files that are equal keep their time, so that only
        what has changed is compiled."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard"], cwd=self.root, check=False,
                                capture_output=True)
        if listed.returncode != 0:
            raise CouldNot(f"git does not list the sources: {listed.stderr.decode().strip()}")
        wanted = {name.decode() for name in listed.stdout.split(b"\0") if name}
        wanted = {name for name in wanted if (self.root / name).is_file()}
        for path in [p for p in self.source.rglob("*") if p.is_file()]:
            if str(path.relative_to(self.source)) not in wanted:
                path.unlink()
        for name in wanted:
            here, there = self.root / name, self.source / name
            if not there.exists() or not filecmp.cmp(here, there, shallow=False):
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(here, there)
                shutil.copymode(here, there)

    def _program_of(self, test):
        """The target that the test runs; None for a script."""
        path = pathlib.Path(test.command[0])
        return path.name if path.parent == self.build else None

    def _build(self, targets, jobs):
        self._call("ninja", "-C", self.build, "-j", str(jobs), *sorted(targets))

    def _call(self, *command):
        done = subprocess.run(command, env=cached(self.source), capture_output=True, text=True)
        if done.returncode != 0:
            raise CouldNot(f"{command[0]}: {done.stdout[-8000:]}\n{done.stderr[-2000:]}")
        return done.stdout
