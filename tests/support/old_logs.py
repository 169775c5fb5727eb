"""Logs that an earlier release wrote, in tests/golden/logs: packs and unpacks them, and collects
what a program says of one. The script that makes them and the test that opens them share this.
The README.md there says what a fixture is made of.
"""
import hashlib
import json
import os
import tarfile

LOGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "logs")
DAMAGED = 9
LONG_TEXT = 200  # characters; the notes hold only a digest of a longer text
# The configuration of servers that write fixtures and that continue them. A resumed session needs
# its working folder, so this one exists on every machine.
CONFIG = 'max_sessions = 50\nworker_silence_max = "1s"\nworkdir = "/tmp"\n'
# This machine's clock can be behind that of the machine where the fixture was made.
SERVE = ("--accept-clock",)


def packed(name):
    return os.path.join(LOGS, name + ".tar.xz")


def notes_file(name):
    return os.path.join(LOGS, name + ".json")


def names():
    """Returns the names of all fixtures."""
    return sorted(file.removesuffix(".tar.xz") for file in os.listdir(LOGS)
                  if file.endswith(".tar.xz"))


def notes(name):
    with open(notes_file(name), encoding="utf-8") as file:
        return json.load(file)


def pack(folder, parts, file):
    """Packs parts of a folder, without users' names and times of this machine."""
    def anonymous(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        return entry
    with tarfile.open(file, "x:xz", preset=9) as packing:
        for part in parts:
            packing.add(os.path.join(folder, part), part, filter=anonymous)


def unpack(name, folder):
    with tarfile.open(packed(name)) as packing:
        packing.extractall(folder)


def said(home, *arguments):
    """Returns exit code and JSON of a command, with HOME in place of its home's path."""
    result = home.run(*arguments, "-o", "json")
    text = result.out.replace(home.folder, "HOME")
    return {"exit": result.code, "said": json.loads(text) if text else None}


ANYTHING = object()  # equals whatever was noted


def without_wording(fields, *names):
    """Notes only whether there is a sentence: later releases can word it differently."""
    return {name: bool(value) if name in names else value for name, value in fields.items()}


def held(lines):
    """Returns a digest of the parts of an export that an import reads: blocks, bytes of events and
    contents. The words beside the bytes are left out, since later releases can say more there."""
    digest = hashlib.sha256()
    for line in lines:
        if "block" in line:
            line["events"] = [[event["bytes"], event.get("content")] for event in line["events"]]
        digest.update(json.dumps(line, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()


def read(home, key):
    """Returns the output of `steno replay` for the log: verdict, figures, digests of rows, states,
    events. The key is its folder, then the archives that are read as its beginning."""
    folder, *archives = key.split()
    where = [home.path(folder)]
    for archive in archives:
        where += ["--archive", home.path(archive)]
    seen = {verb: said(home, "replay", verb, *where)
            for verb in ("verify", "rebuild", "state", "stats")}
    report = seen["verify"]["said"]
    report["problems"] = [without_wording(one, "text") for one in report["problems"]]
    export = home.run("replay", "export", *where)
    seen["export"] = {"exit": export.code, "held": held(export.lines())}
    if seen["verify"]["exit"] == DAMAGED:
        seen["salvage"] = salvage(home, where)
    return seen


def salvage(home, where):
    """Returns the output about a log salvaged to `made`, without its new epoch, which is random."""
    seen = said(home, "replay", "salvage", *where, "--to", home.path("made"))
    del seen["said"]["checkpoint"]
    with open(home.path("made-rest.jsonl"), encoding="utf-8") as file:
        seen["rest"] = held(json.loads(line) for line in file)
    return seen


def by_event(items):
    """Puts prompts where they were queued, as earlier releases did, and leaves out what these did
    not show."""
    for item in items:
        if item.get("text_at"):
            item.update(position=item["text_at"], time=ANYTHING)
    shown = [item for item in items if item["kind"] not in ("ended", "notice")]
    return sorted(shown, key=lambda item: item["position"])


def session_texts(home, alias):
    """Returns a session's texts, and the output of `show` beside its row."""
    shown = without_wording(home.ask("show", alias), "archived", "prompt_error",
                            "system_prompt_error")
    del shown["position"], shown["session"]
    output = home.run("output", alias, "--all", "-o", "jsonl")
    lines = by_event(output.lines())
    for line in lines:
        if len(line["text"]) > LONG_TEXT:
            line["text"] = "sha256 " + hashlib.sha256(line["text"].encode()).hexdigest()
    return {"show": shown, "output": {"exit": output.code, "said": lines}}


def clients_see(home):
    """Returns everything that a running server shows its clients of the log."""
    sessions = home.ask("ls", "--all", "--all-agents")["sessions"]
    return {"sessions": sessions,
            "texts": {row["alias"]: session_texts(home, row["alias"]) for row in sessions},
            "stats": said(home, "stats"),
            "backups": said(home, "backup", "list"),
            "archives": said(home, "archive", "list"),
            "anchor": said(home, "anchor", "show")}


def serve(home, folder):
    home.start("--data-folder", home.path(folder), serve_flags=SERVE)


def as_noted(seen, noted):
    """Removes fields and projections that the notes do not know, since a later release can add some."""
    if seen is ANYTHING:
        return noted
    if isinstance(seen, dict) and isinstance(noted, dict):
        return {name: as_noted(seen[name], noted[name]) for name in noted if name in seen}
    if isinstance(seen, list) and isinstance(noted, list):
        known = [one.get("projection") for one in noted if isinstance(one, dict)]
        seen = [one for one in seen if not isinstance(one, dict) or "projection" not in one
                or one["projection"] in known]
    if isinstance(seen, list) and isinstance(noted, list) and len(seen) == len(noted):
        return [as_noted(one, other) for one, other in zip(seen, noted)]
    return seen
