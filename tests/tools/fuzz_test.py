#!/usr/bin/env python3
"""How ./tools/fuzz recognizes a finding and a fixed bug, and how it packs inputs. Its target here
is a script that fails on the inputs that the test chooses."""
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

# An argument that is a file is one input to try; folders mean a run. A merge keeps all inputs but
# those named `regression-`.
TARGET = """#!/bin/sh
if [ "$1" = -merge=1 ]; then
  while [ $# -gt 3 ]; do shift; done
  cp "$2"/* "$1"; cp "$3"/* "$1"; rm -f "$1"/regression-*; exit 0
fi
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
        self.addCleanup(setattr, fuzz, "SEEDS", fuzz.SEEDS)
        self.addCleanup(setattr, sys, "argv", sys.argv)
        fuzz.BUILD = pathlib.Path(folder.name)
        fuzz.SEEDS = fuzz.BUILD / "packed"
        fuzz.SEEDS.mkdir()
        (fuzz.SEEDS / "block").write_bytes(b"2 inputs\n5\nfirst\n3 regression-line-feed\n\n1\n\n")
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
        self.assertIn("head_file is not built",
                      self.refused("head_file", "--runs", "1", "--no-build"))

    def refused(self, *arguments):
        """Returns what it says when it cannot run."""
        sys.argv = ["fuzz", *arguments]
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            fuzz.main()
        self.assertEqual(ended.exception.code, 2)
        return said.getvalue()

    def said(self, *arguments):
        sys.argv = ["fuzz", *arguments]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(fuzz.main(), 0)
        return out.getvalue()

    def packed(self):
        return (fuzz.SEEDS / "block").read_bytes()

    def test_inputs_are_unpacked_under_their_names_or_their_hash(self):
        folder = pathlib.Path(self.said("block", "--unpack").strip())
        self.assertEqual(folder, fuzz.BUILD / "seeds" / "block")
        self.assertEqual(fuzz.read_folder(folder), {
            fuzz.sha1(b"first"): b"first", "regression-line-feed": b"\n1\n"})
        self.assertEqual(fuzz.pack(fuzz.read_folder(folder)), self.packed())

    def test_bytes_of_any_kind_are_packed_in_the_order_of_names(self):
        inputs = {"b": bytes(range(256)), "a": b"", "c": b"1\n2 x\n", fuzz.sha1(b"z"): b"z"}
        text = fuzz.pack(inputs)
        self.assertEqual(fuzz.unpack(text), inputs)
        self.assertEqual(fuzz.pack(dict(reversed(inputs.items()))), text)

    def test_a_damaged_file_of_inputs_is_named_and_refused(self):
        whole = self.packed()
        wrong = [whole[:size] for size in range(len(whole))]
        wrong += [whole + b"1\na\n", b"0 inputs\n", b"2 inputs\n1\na\n1\na\n", b"1 inputs\n2\na\n"]
        for text in wrong:
            with self.assertRaises(ValueError, msg=text):
                fuzz.unpack(text)
        (fuzz.SEEDS / "block").write_bytes(whole[:-3])
        self.assertIn("packed/block has no inputs that can be read: input 2 of 2 is damaged",
                      self.refused("block", "--runs", "1", "--no-build"))

    def test_an_input_is_added_once(self):
        crash = fuzz.BUILD / "crash-1"
        crash.write_bytes(b"first")
        self.said("block", "--add", "regression-first", str(crash))
        self.assertEqual(self.packed(), b"2 inputs\n5 regression-first\nfirst\n"
                                        b"3 regression-line-feed\n\n1\n\n")
        self.assertIn("has an input regression-first already",
                      self.refused("block", "--add", "regression-first", str(crash)))
        self.assertIn("must have only letters", self.refused("block", "--add", "a b", str(crash)))
        self.assertIn("No such file", self.refused("block", "--add", "b", "/no/such/file"))
        self.said("head_file", "--add", "whole", str(crash))
        self.assertEqual((fuzz.SEEDS / "head_file").read_bytes(), b"1 inputs\n5 whole\nfirst\n")

    def test_a_merge_keeps_regressions_and_new_inputs_and_says_how_many(self):
        kept = fuzz.BUILD / "corpus" / "block"
        kept.mkdir(parents=True)
        (kept / "found").write_bytes(b"new")
        line = json.loads(self.said("block", "--merge", "--no-build"))
        self.assertEqual(line, {"target": "block", "corpus": 3, "bytes": 11})
        packed = self.packed()
        self.assertEqual(sorted(fuzz.unpack(packed).values()), [b"\n1\n", b"first", b"new"])
        self.assertIn("regression-line-feed", fuzz.unpack(packed))
        self.said("block", "--merge", "--no-build")
        self.assertEqual(self.packed(), packed)


if __name__ == "__main__":
    unittest.main()
