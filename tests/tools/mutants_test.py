#!/usr/bin/env python3
"""./tools/mutants accepts as a proof only a test that fails with a mutant and passes without one in
the same time. Its tests here are programs of one line, and planting a bug writes a file."""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("mutants", os.path.join(ROOT, "tools", "mutants"))
spec = importlib.util.spec_from_loader("mutants", loader)
mutants = importlib.util.module_from_spec(spec)
loader.exec_module(mutants)
from bugs import patched_tree  # noqa: E402  (found beside ./tools/mutants)

PASSES = "pass"
FAILS = "sys.exit(1)"
FAILS_WITH_MUTANT = "sys.exit(os.path.exists('planted'))"
IS_SLOW = "time.sleep(2)"
PATCH = """A one is a two.
Caught by: ^the number is one$

--- a/number.txt
+++ b/number.txt
@@ -2,3 +2,3 @@
 first
-one
+two
 last
"""


class Tree:
    """Stands for a PatchedTree; in it a planted bug is a file."""

    def __init__(self, folder, programs):
        self.is_broken = False
        self.folder = pathlib.Path(folder)
        self.tests = [patched_tree.Test(
            {"name": name,
             "command": [sys.executable, "-S", "-c", f"import os, sys, time\n{program}"],
             "properties": [{"name": "WORKING_DIRECTORY", "value": folder},
                            {"name": "TIMEOUT", "value": 20}]}, folder)
            for name, program in programs.items()]

    @contextlib.contextmanager
    def planted(self, patch, tests):
        if self.is_broken and patch is not None:
            raise mutants.CouldNot("it does not compile")
        planted = self.folder / "planted"
        if patch is not None:
            planted.touch()
        yield
        planted.unlink(missing_ok=True)


class Mutants(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.said = io.StringIO()

    def campaign(self, all_tests=False, **programs):
        options = argparse.Namespace(seed=None, jobs=1, all_tests=all_tests, verbose=False)
        return mutants.Campaign(options, [Tree(self.folder, programs)])

    def run_it(self, campaign):
        """Returns which test catches the mutant; None: a test fails without a mutant."""
        bug = mutants.Mutant("bug", "a bug", "^catcher$", pathlib.Path("bug.patch"))
        with contextlib.redirect_stderr(self.said):
            return campaign.run_all([bug]) if campaign.tests_pass([bug]) else None

    def test_a_catcher_must_pass_without_the_mutant(self):
        self.assertEqual(self.run_it(self.campaign(catcher=FAILS_WITH_MUTANT)), {"bug": "catcher"})
        self.assertIsNone(self.run_it(self.campaign(catcher=FAILS)))
        self.assertIn("FAILED without a mutant: catcher", self.said.getvalue())

    def test_a_catcher_that_is_slow_by_itself_proves_nothing(self):
        self.addCleanup(setattr, mutants, "BASELINE_SECONDS", mutants.BASELINE_SECONDS)
        mutants.BASELINE_SECONDS = 0.5
        self.assertIsNone(self.run_it(self.campaign(catcher=IS_SLOW)))
        self.assertIn("no end within 0.5 s", self.said.getvalue())
        self.assertLess(mutants.BASELINE_SECONDS, mutants.CATCHER_SECONDS)

    def test_another_test_counts_only_when_it_passes_without_the_mutant(self):
        self.assertEqual(self.run_it(self.campaign(catcher=PASSES, other=FAILS)), {"bug": None})
        self.assertEqual(self.run_it(self.campaign(catcher=PASSES, other=FAILS_WITH_MUTANT)),
                         {"bug": "other"})

    def test_all_tests_have_a_baseline_too(self):
        self.assertEqual(self.run_it(self.campaign(True, catcher=PASSES, other=FAILS_WITH_MUTANT)),
                         {"bug": "other"})
        self.assertIsNone(self.run_it(self.campaign(True, catcher=FAILS_WITH_MUTANT, other=FAILS)))
        self.assertIn("FAILED without a mutant: other", self.said.getvalue())

    def test_a_bug_that_does_not_compile_is_named_and_holds_up_no_other(self):
        campaign = self.campaign(catcher=FAILS_WITH_MUTANT)
        campaign.trees[0].is_broken = True
        self.assertEqual(self.run_it(campaign), {"bug": None})
        self.assertEqual(campaign.untried, ["bug"])
        self.assertIn("bug could not be tried: it does not compile", self.said.getvalue())

    def main_with(self, program):
        tree = Tree(self.folder, {"a repeated command has the same outcome": program})
        self.addCleanup(setattr, mutants, "trees", mutants.trees)
        mutants.trees = lambda jobs: [tree]
        self.addCleanup(setattr, sys, "argv", sys.argv)
        sys.argv = ["mutants", "--canary"]
        self.said = io.StringIO()
        with contextlib.redirect_stderr(self.said):
            return mutants.main()

    def test_what_nothing_catches_is_told_from_what_could_not_be_tried(self):
        self.assertEqual(self.main_with(PASSES), 1)
        self.assertIn("NOT CAUGHT: none", self.said.getvalue())
        with self.assertRaisesRegex(mutants.CouldNot, "none was tried"):
            self.main_with(FAILS)
        self.assertNotIn("NOT CAUGHT", self.said.getvalue())


class Leftovers(unittest.TestCase):
    def test_processes_of_a_tree_are_ended_and_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            shutil.copy(shutil.which("sleep"), program)
            own = subprocess.Popen([program, "60"])
            other = subprocess.Popen(["sleep", "60"])
            self.addCleanup(other.wait)
            self.addCleanup(other.kill)
            patched_tree.end_programs_below(folder)
            self.assertEqual(own.wait(timeout=10), -signal.SIGKILL)
            self.assertIsNone(other.poll())


class Patches(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.addCleanup(setattr, mutants, "ROOT", mutants.ROOT)
        self.addCleanup(setattr, mutants, "PATCHES", mutants.PATCHES)
        mutants.ROOT = mutants.PATCHES = self.folder
        (self.folder / "eventlog/base").mkdir(parents=True)
        self.switches('    "none",\n')
        (self.folder / "number_is_two.patch").write_text(PATCH)

    def switches(self, text):
        (self.folder / "eventlog/base/mutant.hpp").write_text(text)

    def simulates(self, text):
        (self.folder / "tests/simulation").mkdir(parents=True)
        (self.folder / "tests/simulation/simulation_test.cpp").write_text(text)

    def number(self, text):
        (self.folder / "number.txt").write_text(text)

    def test_a_patch_says_what_is_wrong_and_which_test_catches_it(self):
        found = mutants.listed()["number_is_two"]
        self.assertEqual((found.bug, found.caught_by), ("A one is a two.", "^the number is one$"))
        (self.folder / "nameless.patch").write_text("--- a/number.txt\n+++ b/number.txt\n@@\n")
        with self.assertRaisesRegex(mutants.CouldNot, "nameless.patch: its first line"):
            mutants.listed()

    def test_a_patch_applies_wherever_its_lines_have_moved(self):
        self.number("newer\nnew\nfirst\none\nlast\n")
        self.assertEqual(mutants.contradictions(mutants.listed()), [])
        self.assertEqual((self.folder / "number.txt").read_text(), "newer\nnew\nfirst\none\nlast\n")
        patch = self.folder / "number_is_two.patch"
        self.assertIsNone(patched_tree.apply_patch(self.folder, patch))
        self.assertEqual((self.folder / "number.txt").read_text(), "newer\nnew\nfirst\ntwo\nlast\n")

    def test_a_patch_of_lines_that_are_gone_is_named(self):
        self.number("first\nthree\nlast\n")
        [wrong] = mutants.contradictions(mutants.listed())
        self.assertIn("tests/mutants/number_is_two.patch does not apply: ", wrong)

    def test_what_the_simulator_switches_on_has_a_patch(self):
        self.number("new\nfirst\none\nlast\n")
        self.simulates("CHECK(caught_by(Mutant::number_is_two, 5) > 0); Mutant::number_is_ten,")
        self.switches('    "none",\n    "number_is_two",\n    "number_is_ten",\n')
        [wrong] = mutants.contradictions(mutants.listed())
        self.assertEqual(wrong,
                         "number_is_ten of eventlog/base/mutant.hpp has no patch in tests/mutants")

    def test_what_no_simulation_switches_on_is_a_patch_alone(self):
        self.number("new\nfirst\none\nlast\n")
        self.simulates("")
        self.switches('    "none",\n    "number_is_two",\n')
        [wrong] = mutants.contradictions(mutants.listed())
        self.assertIn("number_is_two of eventlog/base/mutant.hpp is switched on by no ", wrong)


if __name__ == "__main__":
    unittest.main()
