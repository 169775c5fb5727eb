#!/usr/bin/env python3
""".ci/run succeeds only if every requested stage has begun and passed. The tools that it calls are
replaced by programs of one line."""
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
        for name in ("run", "readme_commands", "clean_root"):
            shutil.copy(os.path.join(ROOT, ".ci", name), os.path.join(self.folder, ".ci", name))
        self.readme("./tools/demo", "./tools/test")
        for name in ("setup", "demo", "test", "lint", "fuzz"):
            self.tool(name, "true")

    def readme(self, *commands):
        with open(os.path.join(self.folder, "README.md"), "w", encoding="utf-8") as file:
            file.write("## Two commands\n\n" + "".join(f"| `{c}` | |\n" for c in commands) +
                       "\n## First steps\n| `./tools/none` | |\n")

    def commit(self):
        git = ["git", "-C", self.folder, "-c", "user.name=ci", "-c", "user.email=ci@localhost"]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", "all"], check=True)

    def tool(self, name, command):
        path = os.path.join(self.folder, "tools", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{command}\n")
        os.chmod(path, 0o755)

    def run_it(self, *stages, seconds=0):
        """Runs it with `seconds` of its time already over."""
        self.commit()
        ran = subprocess.run([os.path.join(self.folder, ".ci", "run"), *stages], timeout=60,
                             env={**os.environ, "SECONDS": str(seconds)}, capture_output=True,
                             text=True, check=False)
        return ran.returncode, ran.stdout

    def test_all_stages_pass(self):
        code, said = self.run_it()
        self.assertEqual(code, 0, said)
        for name in ("readme", "asan", "tsan", "lint"):
            self.assertRegex(said, f"{name} +passed")

    def test_it_begins_with_the_commands_of_the_readme_in_a_clone_without_a_build(self):
        os.makedirs(os.path.join(self.folder, "build", "release"))
        self.readme("./tools/test -L unit", "./tools/demo")
        for name in ("demo", "test"):
            self.tool(name, f'echo {name} "$@" in "$(pwd)"; test ! -e build')
        code, said = self.run_it("readme")
        self.assertEqual(code, 0, said)
        clone = os.path.join(self.folder, "build", "ci", "clone")
        said = [line for line in said.splitlines() if clone in line]
        self.assertEqual(said, [f"test -L unit in {clone}", f"demo in {clone}"])

    def test_a_readme_without_its_commands_fails_the_run(self):
        self.readme()
        code, said = self.run_it("readme")
        self.assertEqual(code, 1)
        self.assertRegex(said, "readme +FAILED")

    def test_a_command_of_the_readme_that_fails_fails_the_run(self):
        self.tool("demo", "false")
        code, said = self.run_it("readme")
        self.assertEqual(code, 1, said)

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

    def command(self, name, *arguments, **options):
        ran = subprocess.run([os.path.join(self.folder, ".ci", name), *arguments], timeout=60,
                             capture_output=True, text=True, check=False, **options)
        return ran.returncode, ran.stdout, ran.stderr

    def test_the_commands_of_the_readme_are_told_in_its_order_or_the_other(self):
        self.readme("./tools/test -L unit", "./tools/demo")
        self.assertEqual(self.command("readme_commands"),
                         (0, "./tools/test -L unit\n./tools/demo\n", ""))
        self.assertEqual(self.command("readme_commands", "--reverse"),
                         (0, "./tools/demo\n./tools/test -L unit\n", ""))

    def test_a_clean_root_that_cannot_be_made_is_not_begun(self):
        for arguments, code, words in ((("--sideways",), 2, "--sideways"),
                                       (("--ccache",), 1, "--ccache needs"),
                                       (("--ccache", self.folder + "/none"), 1, "no folder")):
            with self.subTest(arguments):
                ended, said, complaint = self.command("clean_root", *arguments)
                self.assertEqual((ended, said), (code, ""))
                self.assertIn(words, complaint)
        code, said, _ = self.command("clean_root", "--help")
        self.assertEqual(code, 0)
        for option in ("--reverse", "--user", "--ccache", "--mirror", "--keep"):
            self.assertIn(option, said)

    @unittest.skipUnless(os.getuid() == 0, "only root can be somebody else")
    def test_a_clean_root_needs_root_and_says_so(self):
        os.chmod(self.folder, 0o755)
        code, _, complaint = self.command("clean_root", user=65534)
        self.assertEqual(code, 1)
        self.assertIn("need root", complaint)


if __name__ == "__main__":
    unittest.main()
