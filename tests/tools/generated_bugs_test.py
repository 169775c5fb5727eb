#!/usr/bin/env python3
"""The bugs that ./tools/generated_bugs finds, draws and counts: nothing is compiled here."""
import collections
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TOOL = os.path.join(ROOT, "tools", "generated_bugs")
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("generated_bugs", TOOL)
spec = importlib.util.spec_from_loader("generated_bugs", loader)
generated_bugs = importlib.util.module_from_spec(spec)
loader.exec_module(generated_bugs)
from bugs import trial  # noqa: E402

SAMPLE = """\
#include <a.hpp>  // if (not_code) return true;
namespace domain {
constexpr int kMax[] = {1, 2};
struct Row {
  int first = 1;
};
bool apply(State& s, const Event& e) {
  CHECK(s.count > 0);
  names.reserve(s.count + 1);
  if (mutant(Mutant::skip_deduplication) && s.count == 0) return false;
  base::rare(base::Rare::report_gap);
  if (!s.turn || s.turn->turn != e.turn) return false;
  s.first = e.first;
  s.last = e.last;
  const std::string text = "if (a && b) return true; // no code";
  rows.edit<Row>(key, [&](Row& row) {
    if (row.count >= s.blocks + 1) return false;
    add(row.count, e.count);
    return true;
  });
  return s.queue.front() == e.turn;
}
}  // namespace domain
"""


def bugs_of(text):
    return generated_bugs.bugs_of(generated_bugs.Source("domain/sample.cpp", text))


def run(*arguments):
    return subprocess.run([sys.executable, "-B", TOOL, *arguments], capture_output=True, text=True)


class Kinds(unittest.TestCase):
    def changes(self, text=SAMPLE):
        return {(bug.kind, bug.before, bug.after) for bug in bugs_of(text)}

    def test_each_simple_bug_of_a_sample_is_found(self):
        guard = "if (!s.turn || s.turn->turn != e.turn) return false;"
        for expected in [
                ("negated", guard, "if (!(!s.turn || s.turn->turn != e.turn)) return false;"),
                ("junction", guard, "if (!s.turn && s.turn->turn != e.turn) return false;"),
                ("operand", guard, "if (s.turn->turn != e.turn) return false;"),
                ("operand", guard, "if (!s.turn) return false;"),
                ("bound", guard, "if (!s.turn || s.turn->turn == e.turn) return false;"),
                ("constant", guard, "if (!s.turn || s.turn->turn != e.turn) return true;"),
                ("left_out", guard, "{}"),
                ("left_out", "s.first = e.first;", "{}"),
                ("left_out", "add(row.count, e.count);", "{}"),
                ("first_last", "s.first = e.first;", "s.last = e.first;"),
                ("first_last", "return s.queue.front() == e.turn;",
                 "return s.queue.back() == e.turn;"),
                ("swapped", "s.first = e.first; s.last = e.last;",
                 "s.first = e.last; s.last = e.first;"),
                ("swapped", "add(row.count, e.count);", "add(e.count, row.count);"),
                ("bound", "if (row.count >= s.blocks + 1) return false;",
                 "if (row.count > s.blocks + 1) return false;"),
                ("bound", "if (row.count >= s.blocks + 1) return false;",
                 "if (row.count >= s.blocks) return false;")]:
            self.assertIn(expected, self.changes())

    def test_what_is_no_code_of_a_function_or_for_speed_is_left_alone(self):
        for kind, before, _ in self.changes():
            for word in ("include", "kMax", "int first", "CHECK", "reserve", "mutant", "rare",
                         "no code"):
                self.assertNotIn(word, before, kind)

    def test_a_declaration_is_not_left_out(self):
        text = "void f() {\n  const int a = b();\n  std::vector<int> c;\n  Row row(1);\n  g();\n}\n"
        self.assertEqual([c for c in self.changes(text) if c[0] == "left_out"],
                         [("left_out", "g();", "{}")])

    def test_any_text_ends(self):
        for end in range(0, len(SAMPLE), 7):
            with contextlib.suppress(IndexError, KeyError):
                bugs_of(SAMPLE[:end])


class Drawing(unittest.TestCase):
    def setUp(self):
        self.sources = {source.path: source for source in generated_bugs.sources()}
        self.bugs = [bug for source in self.sources.values() for bug in bugs_of_source(source)]

    def test_each_file_that_bugs_are_drawn_from_is_of_a_library_that_can_be_tried(self):
        text = pathlib.Path(ROOT, "CMakeLists.txt").read_text()
        modules = re.findall(r"steno_module\(\s*(\w+)\s+FOLDERS ([^)]*?)\s+USES", text)
        library_of = {folder: name for name, folders in modules for folder in folders.split()}
        self.assertIn("projections/views", library_of)
        for source in generated_bugs.sources():
            folder = os.path.dirname(source.path)
            name = "domain" if folder.startswith("eventlog/domain") else library_of.get(folder)
            self.assertIn(name, trial.LIBRARIES, source.path)

    def test_a_bug_changes_its_file_and_nothing_but_its_lines(self):
        for bug in self.bugs:
            text = self.sources[bug.path].text
            changed = generated_bugs.changed_text(self.sources[bug.path], bug)
            self.assertNotEqual(changed, text)
            self.assertNotEqual(bug.before, bug.after)
            lines = text.splitlines()
            self.assertEqual(changed.splitlines()[:bug.line - 1], lines[:bug.line - 1])

    def test_each_kind_is_drawn(self):
        drawn = [bug for _, bug in generated_bugs.drawn(self.bugs, 1)[:300]]
        counts = collections.Counter(bug.kind for bug in drawn)
        self.assertEqual(set(counts), set(generated_bugs.KINDS))
        self.assertEqual({bug.path.split("/")[0] for bug in drawn}, {"eventlog", "projections"})

    def test_no_bug_is_there_twice(self):
        self.assertEqual(len({(b.path, b.begin, b.end, b.text) for b in self.bugs}),
                         len(self.bugs))


def bugs_of_source(source):
    return generated_bugs.bugs_of(source)


class Command(unittest.TestCase):
    def test_a_seed_lists_the_same_bugs_each_time(self):
        first = run("--list", "--seed", "7", "--count", "40")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(len(first.stdout.splitlines()), 40)
        self.assertEqual(run("--list", "--seed", "7", "--count", "40").stdout, first.stdout)
        self.assertNotEqual(run("--list", "--seed", "8", "--count", "40").stdout, first.stdout)
        one = first.stdout.splitlines()[3]
        again = run("--list", "--seed", "7", "--only", one.split()[0])
        self.assertEqual(again.stdout.splitlines(), [one])
        place = one.split()[1]
        self.assertIn(one, run("--list", "--seed", "7", "--only", place).stdout.splitlines())

    def test_bad_input_is_refused_with_a_reason(self):
        for arguments, reason in [
                (["--count", "0"], "--count is at least 1"),
                (["--jobs", "0"], "--jobs is at least 1"),
                (["--least", "101"], "--least is a percentage"),
                (["--seed", "x"], "invalid int value"),
                (["--list", "--only", "no_such.cpp:1"], "there is no bug 'no_such.cpp:1'"),
                (["--list", "--only", "99999999"], "there is no bug '99999999'")]:
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(reason, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_every_accepted_bug_is_one_that_can_be_drawn(self):
        done = run("--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_entry_without_its_reason_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            self.addCleanup(setattr, generated_bugs, "ACCEPTED", generated_bugs.ACCEPTED)
            generated_bugs.ACCEPTED = pathlib.Path(folder, "bugs.toml")
            for text in ('[[accepted]]\nfile = "a.cpp"\n', "[[accepted]\n"):
                generated_bugs.ACCEPTED.write_text(text)
                with self.assertRaisesRegex(generated_bugs.CouldNot, "bugs.toml: "):
                    generated_bugs.accepted()


class Standing(generated_bugs.Build):
    """Of a build: one bug does not compile, another is noticed, all others survive."""

    def __init__(self):
        self.asked = []

    def compile(self, bug, text, folder):
        self.asked.append(bug)
        return None if bug.after == "broken" else bug.after

    def noticed_by(self, bug, made, folder):
        return "a test" if made == "noticed" else None


def bug_of(after):
    return generated_bugs.bugs_of(
        generated_bugs.Source("domain/sample.cpp", SAMPLE))[0]._replace(after=after)


class Trying(unittest.TestCase):
    def try_them(self, afters, count, jobs):
        texts = {"domain/sample.cpp": generated_bugs.Source("domain/sample.cpp", SAMPLE)}
        trials = generated_bugs.Trials(Standing(), texts, jobs)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            trials.folders = pathlib.Path(folder)
            return trials.run(list(enumerate([bug_of(a) for a in afters], 1)), count)

    def test_a_bug_that_does_not_compile_is_none_and_another_is_drawn(self):
        for jobs in (1, 2, 5):
            found = self.try_them(["broken", "noticed", "broken", "kept", "noticed"], 2, jobs)
            self.assertEqual([(r.number, r.by) for r in found], [(2, "a test"), (4, None)])

    def test_the_share_that_is_noticed_decides(self):
        found = self.try_them(["noticed", "noticed", "noticed", "kept"], 4, 1)
        options = generated_bugs.argparse.Namespace(seed=1, json=True)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(generated_bugs.report(found, options, 8.0), 75)
        self.assertIn("SURVIVED: 4 ", said.getvalue())
        self.assertIn("3 of 4 noticed (75.0 %), seed 1, 8 s, 2.0 s a bug", said.getvalue())
        self.assertIn('"survivors":[4]', said.getvalue())


if __name__ == "__main__":
    unittest.main()
