#!/usr/bin/env python3
"""What .ci/run takes for a success: every stage that was asked for has begun and passed. The tools
that it calls are replaced by programs of one line."""
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


class Ci(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="steno-ci-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.makedirs(os.path.join(self.folder, "tools"))
        os.makedirs(os.path.join(self.folder, ".ci"))
        shutil.copy(os.path.join(ROOT, ".ci", "run"), os.path.join(self.folder, ".ci", "run"))
        for name in ("setup", "test", "lint", "fuzz"):
            self.tool(name, "true")

    def tool(self, name, command):
        path = os.path.join(self.folder, "tools", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{command}\n")
        os.chmod(path, 0o755)

    def run_it(self, *stages, seconds=0):
        """`seconds`: as many are over when it begins."""
        ran = subprocess.run([os.path.join(self.folder, ".ci", "run"), *stages], timeout=60,
                             env={**os.environ, "SECONDS": str(seconds)}, capture_output=True,
                             text=True, check=False)
        return ran.returncode, ran.stdout

    def test_all_stages_pass(self):
        code, said = self.run_it()
        self.assertEqual(code, 0, said)
        for name in ("test", "asan", "tsan"):
            self.assertRegex(said, f"{name} +passed")

    def test_one_that_fails_does_not_keep_the_others_from_running(self):
        self.tool("test", 'test "$2" != asan')
        code, said = self.run_it()
        self.assertEqual(code, 1)
        self.assertRegex(said, "asan +FAILED")
        self.assertRegex(said, "tsan +passed")

    def test_a_stage_that_is_not_begun_fails_the_run(self):
        code, said = self.run_it("lint", seconds=100_000)
        self.assertEqual(code, 1)
        self.assertRegex(said, "lint +not run")


if __name__ == "__main__":
    unittest.main()
