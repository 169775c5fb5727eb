"""build/soak/campaigns.jsonl: the record of runs, one line of JSON for each portion. Lines are only
ever added, each in one write, by one process at a time. A line that a crash tore is skipped."""
import fcntl
import hashlib
import json
import os
import pathlib
import subprocess

from . import registry

# Folders of the product's sources: a run counts for them as long as they are the same.
PRODUCT = ("bus", "eventlog", "projections", "workers", "tools/keeper", "tools/steno")


def product_digest(root):
    """Returns a digest of the product's sources as they are now, committed or not."""
    digest = hashlib.sha256()
    for folder in PRODUCT:
        for path in sorted(pathlib.Path(root, folder).rglob("*.[ch]pp")):
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def commit(root):
    """Returns the sources' commit, with -dirty if changed."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True,
                              check=False).stdout.strip()
    changes = git("status", "--porcelain")
    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + ("-dirty" if changes else "")


class InUse(Exception):
    """Another run writes to the ledger."""


class Ledger:
    def __init__(self, folder, is_written=False):
        self.path = path = os.path.join(folder, "campaigns.jsonl")
        self.torn = []  # numbers of lines that cannot be read
        self.entries = []
        self.fd = -1
        if is_written:  # locked until this process ends, or two runs would take the same numbers
            os.makedirs(folder, exist_ok=True)
            self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InUse(f"another run writes to {path}") from error
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    self._take(number, line)

    def _take(self, number, line):
        try:
            entry = json.loads(line)
            for key in ("campaign", "commit", "product"):
                if not isinstance(entry[key], str):
                    raise ValueError(key)
            for key in ("from", "asked", "count", "seconds", "findings"):
                if not isinstance(entry[key], int | float):
                    raise ValueError(key)
            self.entries.append(entry)
        except (ValueError, KeyError, TypeError):
            self.torn.append(number)

    def append(self, entry):
        line = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
        size = os.fstat(self.fd).st_size
        if size > 0 and os.pread(self.fd, 1, size - 1) != b"\n":
            line = b"\n" + line  # a torn line keeps a line of its own
        os.write(self.fd, line)
        os.fsync(self.fd)
        self.entries.append(entry)

    def of(self, name):
        return [entry for entry in self.entries if entry["campaign"] == name]

    def clean(self, name):
        """Returns portions without a finding. A portion that found something proves nothing: not
        the numbers behind the finding, and in some campaigns not even those before it."""
        return [entry for entry in self.of(name) if entry["findings"] == 0]

    def open_findings(self, campaign):
        """Returns entries with a finding whose numbers have not run clean since."""
        entries = self.of(campaign.name)
        return [entry for at, entry in enumerate(entries)
                if entry["findings"] and not _covers(entries[at + 1:], entry, campaign)]

    def gap(self, name, first, taken=()):
        """Returns the first range from `first` on that has not run clean: its beginning, and its
        size (None: no end). `taken`: ranges (from, count) that are running now."""
        ranges = _clean_ranges(self.of(name)) + list(taken)
        for start, count in sorted(ranges):
            if start > first:
                return first, start - first
            first = max(first, start + count)
        return first, None


def _clean_ranges(entries):
    """Returns ranges (from, count) without a finding; see Ledger.clean()."""
    return [(entry["from"], entry["count"]) for entry in entries if entry["findings"] == 0]


def _covers(later, finding, campaign):
    ranges = _clean_ranges(later)
    if campaign.goal == registry.ALL:
        return bool(ranges)
    at, end = finding["from"], finding["from"] + finding["asked"]
    if campaign.in_sequence:
        return any(start == at and start + count >= end for start, count in ranges)
    for start, count in sorted(ranges):
        if start <= at:
            at = max(at, start + count)
    return at >= end
