#!/usr/bin/env python3
"""Lays the toys over the sources: writes the changed files to a folder that is searched first.

Usage: overlay.py ROOT OUT

Prints the lists that it changed, as CMake takes them.

Each toy may need two lines outside its own folder. They are below, and no others are made.
"""
import difflib
import pathlib
import sys

LINES_MAX = 2
# For each toy the file that lists its kind: a text in it, and the text that replaces it.
TOYS = {
    "counter": ("eventlog/domain/aggregates.hpp", [
        ('#include "eventlog/domain/registry/registry.hpp"\n',
         '#include "eventlog/domain/counter/counter.hpp"\n'
         '#include "eventlog/domain/registry/registry.hpp"\n'),
        ("RulesStream>;", "RulesStream, CounterStream>;"),
    ]),
    "note": ("eventlog/domain/aggregates.hpp", [
        ('#include "eventlog/domain/outbox/outbox.hpp"\n',
         '#include "eventlog/domain/note/note.hpp"\n#include "eventlog/domain/outbox/outbox.hpp"\n'),
        ("AdmissionStream, OutboxStream,", "AdmissionStream, NoteStream, OutboxStream,"),
    ]),
    "word_index": ("projections/content/content_indexes.cpp", [
        ('#include "projections/content/search_index.hpp"\n',
         '#include "projections/content/search_index.hpp"\n'
         '#include "projections/content/word_index.hpp"\n'),
        ("  return {&kSearchIndex};", "  return {&kWordIndex, &kSearchIndex};"),
    ]),
    "counter_resetter": ("workers/reactors/reactors.cpp", [
        ('#include "workers/reactors/backups.hpp"\n',
         '#include "workers/reactors/backups.hpp"\n'
         '#include "workers/reactors/counter_resetter.hpp"\n'),
        ("  return reactors;",
         '  add(std::make_unique<CounterResetter>(commands, random, ports.side_work.make_lane("toy")));'
         "\n  return reactors;"),
    ]),
    "log_end": ("workers/queries/queries.cpp", [
        ('#include "workers/queries/list.hpp"\n',
         '#include "workers/queries/list.hpp"\n#include "workers/queries/log_end.hpp"\n'),
        ("&kReadLogQuery", "&kReadLogQuery, &kLogEndQuery"),
    ]),
    "echo": ("workers/engines/engines.cpp", [
        ('#include "workers/engines/claude/claude_engine.hpp"\n',
         '#include "workers/engines/claude/claude_engine.hpp"\n'
         '#include "workers/engines/echo/echo_engine.hpp"\n'),
        ("&kScriptedEngine", "&kScriptedEngine, &kEchoEngine"),
    ]),
}


def laid_over(toy, text, edits):
    changed = text
    for old, new in edits:
        if changed.count(old) != 1:
            sys.exit(f"toy {toy}: {old!r} is there {changed.count(old)} times, not once")
        changed = changed.replace(old, new)
    lines = [line for line in difflib.ndiff(text.splitlines(), changed.splitlines())
             if line.startswith("+ ") and line.strip() != "+"]
    if len(lines) > LINES_MAX:
        sys.exit(f"toy {toy} needs {len(lines)} lines, of {LINES_MAX} at most: {lines}")
    return changed


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    root, out = map(pathlib.Path, sys.argv[1:])
    texts = {}
    for toy, (name, edits) in TOYS.items():
        texts[name] = laid_over(toy, texts.get(name, (root / name).read_text()), edits)
    for name, text in texts.items():
        write(out / name, text)
    toys = root / "tests/toy"
    names = {path.relative_to(toys) for path in [*toys.glob("*/**/*.hpp"), *toys.glob("*/**/*.cpp")]}
    for name in names:
        write(out / name, (toys / name).read_text())
    # Files of toys that are gone would be compiled, too.
    for path in sorted(out.glob("**/*.?pp")):
        if path.relative_to(out) not in names | set(map(pathlib.Path, texts)):
            path.unlink()
    print(*texts, sep=";", end="")


if __name__ == "__main__":
    main()
