#!/usr/bin/env python3
"""./tools/mutants accepts as a proof only a test that fails with a mutant and passes without one in
the same time. Its tests here are programs of one line."""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("mutants", os.path.join(ROOT, "tools", "mutants"))
spec = importlib.util.spec_from_loader("mutants", loader)
mutants = importlib.util.module_from_spec(spec)
loader.exec_module(mutants)

PASSES = "pass"
FAILS = "sys.exit(1)"
FAILS_WITH_MUTANT = "sys.exit(1 if os.environ['STENO_MUTANT'] else 0)"
IS_SLOW = "time.sleep(2)"


def named(name, program):
    command = [sys.executable, "-S", "-c", f"import os, sys, time\n{program}"]
    return mutants.Test({"name": name, "command": command, "properties": [
        {"name": "WORKING_DIRECTORY", "value": "/tmp"}, {"name": "TIMEOUT", "value": 20}]})


class Mutants(unittest.TestCase):
    def campaign(self, all_tests=False, **programs):
        tests = [named(name, program) for name, program in programs.items()]
        self.addCleanup(setattr, mutants, "tests_of_build", mutants.tests_of_build)
        mutants.tests_of_build = lambda: tests
        options = argparse.Namespace(seed=None, jobs=2, all_tests=all_tests, verbose=False)
        return mutants.Campaign(options, {"bug": "a bug"}, {"bug": "^catcher$"}, {})

    def run_it(self, campaign):
        """Returns which test catches which mutant; None: a test fails without a mutant."""
        self.said = io.StringIO()
        with contextlib.redirect_stderr(self.said):
            return campaign.run_all(["bug"]) if campaign.tests_pass(["bug"]) else None

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

    def main_with(self, program):
        self.campaign(**{"a repeated command has the same outcome": program})
        self.addCleanup(setattr, sys, "argv", sys.argv)
        sys.argv = ["mutants", "--canary", "--no-build"]
        self.said = io.StringIO()
        with contextlib.redirect_stderr(self.said):
            return mutants.main()

    def test_what_nothing_catches_is_told_from_what_could_not_be_tried(self):
        self.assertEqual(self.main_with(PASSES), 1)
        self.assertIn("NOT CAUGHT: none", self.said.getvalue())
        with self.assertRaisesRegex(mutants.CouldNot, "none was tried"):
            self.main_with(FAILS)
        self.assertNotIn("NOT CAUGHT", self.said.getvalue())


if __name__ == "__main__":
    unittest.main()
