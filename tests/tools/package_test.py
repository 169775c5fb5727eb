#!/usr/bin/env python3
"""The package: what it has, and that its programs run where it puts them."""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, program  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.path.dirname(program())


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run("cpack", "-G", "DEB", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B",
            cls.folder)
        [name] = [one for one in os.listdir(cls.folder) if one.endswith(".deb")]
        cls.package = os.path.join(cls.folder, name)
        cls.root = os.path.join(cls.folder, "root")
        run("dpkg-deb", "-x", cls.package, cls.root)

    def path(self, *names):
        return os.path.join(self.root, "usr", *names)

    def test_it_names_what_its_programs_need(self):
        fields = run("dpkg-deb", "-f", self.package)
        self.assertRegex(fields, r"(?m)^Package: steno$")
        for needed in ("libzmq5", "libc6", "libcurl4", "libsqlite3-0", "libsystemd0"):
            self.assertIn(needed, fields)

    def test_it_has_programs_documents_units_and_completion(self):
        for name in ("bin/steno", "lib/steno/steno-server", "lib/steno/steno-keeper",
                     "lib/steno/steno-webhook", "lib/steno/prices.toml",
                     "share/doc/steno/README.md", "share/doc/steno/docs/guide.md",
                     "share/bash-completion/completions/steno",
                     "share/zsh/vendor-completions/_steno",
                     "share/fish/vendor_completions.d/steno.fish",
                     "share/man/man1/steno.1", "share/man/man1/steno-run.1"):
            self.assertTrue(os.path.exists(self.path(name)), name)
        with open(self.path("lib/systemd/user/steno.service"), encoding="utf-8") as file:
            unit = file.read()
        [start] = re.findall(r"(?m)^ExecStart=/usr/(\S+) serve$", unit)
        self.assertTrue(os.access(self.path(start), os.X_OK))
        # Neither a restart nor a crash of the server is to touch an agent.
        for line in ("Type=notify", "KillMode=process", "OOMPolicy=continue"):
            self.assertIn(line + "\n", unit)

    def test_a_session_runs_from_it_and_the_service_is_told_when_it_is_ready(self):
        with Home('engine = "scripted"\n') as home:
            home.program = self.path("bin/steno")
            told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.addCleanup(told.close)
            told.bind(home.path("notify"))
            told.settimeout(30)
            home.environment["NOTIFY_SOCKET"] = home.path("notify")
            home.start()
            self.assertEqual(told.recv(64), b"READY=1")
            self.assertEqual(home.run("run", "[say Hello.]").out.splitlines()[-1], "Hello.")
            self.assertEqual(home.stop(), 0)


class ManPages(unittest.TestCase):
    """They are made of the help, and man takes them without a warning."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.pages = os.path.join(cls.folder, "man1")
        run(program(), "help", "--man", "--to", cls.pages)

    def shown(self, *arguments):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100", "MANROFFSEQ": "",
                       "MANPATH": self.folder, "MANPAGER": "cat"}
        result = subprocess.run(["man", *arguments], capture_output=True, text=True, check=True,
                                env=environment)
        self.assertEqual(result.stderr, "", arguments)
        return re.sub(r"\x1b\[[0-9;]*m|.\x08", "", result.stdout)

    def commands(self):
        listed = run(program(), "--help").split("Sessions:")[1]
        return re.findall(r"(?m)^  ([a-z]+) ", listed)

    def test_each_command_has_a_page(self):
        self.assertGreater(len(self.commands()), 40)
        self.assertEqual(sorted(os.listdir(self.pages)),
                         sorted(["steno.1"] + [f"steno-{name}.1" for name in self.commands()]))
        with open(os.path.join(self.pages, "steno-schedule.1"), encoding="ascii") as file:
            self.assertEqual(run(program(), "help", "--man", "schedule", "add"), file.read())

    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "there is no man")
    def test_man_takes_them(self):
        for name in os.listdir(self.pages):
            self.shown("--warnings", "-l", os.path.join(self.pages, name))

    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "there is no man")
    def test_they_say_what_the_help_says(self):
        page = " ".join(self.shown("steno-run").split())
        for words in ("steno run [OPTIONS] [PROMPT]", "--prompt-file FILE", "--multi-turn Let it", "git diff | steno run "
                      "--budget-usd 0.50 -", "Ctrl-\\ leaves it at work"):
            self.assertIn(words, page)
        self.assertIn("steno schedule add [OPTIONS] NAME [PROMPT]", self.shown("steno-schedule"))
        page = " ".join(self.shown("steno").split())
        for words in ("steno-run(1)", "--max-sessions VALUE", "6 no server runs here"):
            self.assertIn(words, page)

    @unittest.skipUnless(shutil.which("lexgrog"), "there is no lexgrog")
    def test_apropos_finds_them(self):
        self.assertIn('"steno-run - Start a session, print', run(
            "lexgrog", os.path.join(self.pages, "steno-run.1")))


class Completion(unittest.TestCase):
    """What shells are told, and by bash what a person sees."""
    CONFIG = 'engine = "scripted"\n'

    def complete(self, home, *words):
        result = home.run("complete", "--", *words)
        self.assertEqual((result.code, result.err), (0, ""))
        return result.out.splitlines()

    def test_commands_flags_and_names_are_completed(self):
        with Home(self.CONFIG) as home:
            self.assertEqual(self.complete(home, "conv", "sh"), ["show"])
            self.assertIn("conv", self.complete(home, ""))
            self.assertNotIn("complete", self.complete(home, ""))
            self.assertEqual(self.complete(home, "run", "--multi"), ["--multi-turn"])
            self.assertEqual(self.complete(home, "config", "set", "max_s"), ["max_sessions"])
            self.assertIn("--home", self.complete(home, "ls", "--h"))
            # The value of a flag is no command, and without a server no names are known.
            self.assertEqual(self.complete(home, "--agent", "co"), [])
            self.assertEqual(self.complete(home, "--agent", "work", "con"),
                             ["config", "continue", "conv"])
            self.assertEqual(self.complete(home, "show", ""), [])
            home.start()
            alias = home.start_session("[say Hi.]", "--name", "docs")
            self.assertEqual(self.complete(home, "show", "do"), ["docs"])
            self.assertIn(alias, self.complete(home, "kill", ""))
            home.run("conv", "send", "main", "[say Hi.]", "--wait")
            self.assertEqual(self.complete(home, "conv", "show", "ag"), ["agent:main:main"])
            self.assertEqual(home.stop(), 0)

    @unittest.skipUnless(shutil.which("bash"), "there is no bash")
    def test_bash_completes(self):
        script = (f'. {os.path.join(ROOT, "tools/install/steno.bash")}\n'
                  'COMP_WORDS=(steno conv sh) COMP_CWORD=2\n_steno\necho "${COMPREPLY[*]}"\n')
        with Home(self.CONFIG) as home:
            environment = {**home.environment, "STENO_HOME": home.folder,
                           "PATH": BUILD + ":" + os.environ["PATH"]}
            self.assertEqual(run("bash", "--norc", "-c", script, env=environment), "show\n")


if __name__ == "__main__":
    unittest.main()
