#!/usr/bin/env python3
"""How ./tools/fuzz recognizes a finding and a fixed bug. Its target here is a script that fails on
the inputs that the test chooses."""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("fuzz", os.path.join(ROOT, "tools", "fuzz"))
spec = importlib.util.spec_from_loader("fuzz", loader)
fuzz = importlib.util.module_from_spec(spec)
loader.exec_module(fuzz)

# An argument that is a file is one input to try; folders mean a run.
TARGET = """#!/bin/sh
for argument; do
  if [ -f "$argument" ]; then ! grep -q bad "$argument"; exit; fi
done
echo "stat::number_of_executed_units: 7" >&2
"""


class Fuzz(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="steno-fuzz-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, fuzz, "BUILD", fuzz.BUILD)
        fuzz.BUILD = pathlib.Path(folder.name)
        program = fuzz.BUILD / "fuzz_block"
        program.write_text(TARGET)
        program.chmod(0o755)

    def run_it(self):
        """Runs it; returns the line for machines and the other output."""
        given = argparse.Namespace(runs=7, minutes=None)
        out, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            is_clean = fuzz.fuzz("block", given)
        line = json.loads(out.getvalue())
        self.assertEqual(is_clean, line["findings"] == 0)
        return line, said.getvalue()

    def test_what_was_found_is_a_finding_until_it_is_mended(self):
        self.assertEqual(self.run_it()[0]["findings"], 0)
        crash = fuzz.BUILD / "crashes" / "block" / "crash-1"
        crash.write_text("bad")
        line, said = self.run_it()
        self.assertEqual((line["findings"], line["executions"]), (1, 7))
        self.assertIn(f"still fails: {crash}", said)
        crash.write_text("good now")
        line, said = self.run_it()
        self.assertEqual(line["findings"], 0)
        self.assertIn(f"mended, and removed: {crash}", said)
        self.assertFalse(crash.exists())

    def test_what_is_not_built_could_not_be_run(self):
        self.addCleanup(setattr, sys, "argv", sys.argv)
        sys.argv = ["fuzz", "head_file", "--runs", "1", "--no-build"]
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            fuzz.main()
        self.assertEqual(ended.exception.code, 2)
        self.assertIn("head_file is not built", said.getvalue())


if __name__ == "__main__":
    unittest.main()
