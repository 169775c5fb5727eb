#!/usr/bin/env python3
"""The package and the tarball: what they have, and that their programs run where they are put."""
import filecmp
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import packages  # noqa: E402
import systemd_twin  # noqa: E402
from steno_process import Home, program, until  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.path.dirname(program())


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.package = packages.make(BUILD, cls.folder)
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
                     "share/doc/steno/SECURITY.md", "share/doc/steno/copyright",
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


# The system's glibc has these: its loader, its libraries, and its modules that look up names.
OF_GLIBC = r"(ld-linux-x86-64|lib(c|m|dl|rt|pthread|resolv|nss_\w+))\.so\.\d"
GLIBC_MAX = (2, 36)  # of Debian 12; Ubuntu 24.04 has 2.39


class Tarball(unittest.TestCase):
    """It runs in a folder that needs quotes, with its own libraries and glibc alone."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="steno-", dir="/tmp")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.tarball = run(os.path.join(ROOT, "tools/install/tarball"), BUILD, cls.folder).strip()
        place = os.path.join(cls.folder, "my programs")
        os.mkdir(place)
        run("tar", "--extract", "--gzip", "--file", cls.tarball, "--directory", place)
        [cls.name] = os.listdir(place)
        cls.root = os.path.join(place, cls.name)
        cls.libraries = os.path.join(cls.root, "lib", "steno", "libraries")

    def path(self, *names):
        return os.path.join(self.root, *names)

    def home(self):
        home = Home('engine = "scripted"\n')
        self.addCleanup(home.close)
        home.program = self.path("bin", "steno")
        return home

    def elf_files(self):
        folder = self.path("lib", "steno")
        own = [os.path.join(folder, name) for name in os.listdir(folder)
               if name.startswith("steno")]
        return own + [os.path.join(self.libraries, name) for name in os.listdir(self.libraries)]

    def is_its_own(self, path):
        self.assertTrue(path.startswith(self.root + "/") or
                        re.fullmatch(OF_GLIBC, os.path.basename(path)), path)

    def loads_only_its_own(self, pid):
        with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
            for line in file:
                path = line.rstrip("\n").split(maxsplit=5)[5:]
                if path and ".so" in path[0]:
                    self.is_its_own(path[0])

    def test_its_name_says_what_it_is_for(self):
        release = run(self.path("bin", "steno"), "version").split()[1]
        self.assertEqual(self.name, f"steno-{release}-linux-{os.uname().machine}")
        self.assertEqual(os.path.basename(self.tarball), self.name + ".tar.gz")

    def test_it_has_what_a_package_has_but_the_unit(self):
        for name in ("lib/steno/prices.toml", "share/doc/steno/README.md",
                     "share/doc/steno/docs/guide.md", "share/man/man1/steno-run.1",
                     "share/bash-completion/completions/steno",
                     "share/zsh/vendor-completions/_steno",
                     "share/fish/vendor_completions.d/steno.fish"):
            self.assertTrue(os.path.exists(self.path(name)), name)
        self.assertFalse(os.path.exists(self.path("lib/systemd")))

    def test_sessions_run_and_are_killed(self):
        home = self.home()
        home.start()
        self.assertEqual(home.run("run", "[tools 1] [say Hello.]").out.splitlines()[-1], "Hello.")
        home.start_session("[hang]", "--multi-turn", "--name", "busy")
        home.wait_for_event("busy", "TurnStarted")
        following = home.follow("watch", "busy", "--from", "start", "-o", "jsonl")
        following.line()
        for pid in home.processes():
            self.loads_only_its_own(pid)
        self.loads_only_its_own(home.server.child.pid)
        self.loads_only_its_own(home.worker_pid())
        self.loads_only_its_own(following.child.pid)
        self.assertEqual(home.run("kill", "busy").code, 0)
        self.assertEqual(home.wait_for_end("busy")["status"], "killed")
        self.assertEqual(home.stop(), 0)

    def test_each_library_that_a_file_needs_is_beside_it_or_of_glibc(self):
        for path in self.elf_files():
            for line in run("readelf", "--dynamic", "--wide", path).splitlines():
                needed = re.search(r"\(NEEDED\).*\[(.+)\]", line)
                if needed and not os.path.exists(os.path.join(self.libraries, needed[1])):
                    self.assertRegex(needed[1], f"^{OF_GLIBC}$", path)
        for name in ("steno", "steno-server", "steno-webhook"):
            loaded = re.findall(r"=> (/.+) \(0x", run("ldd", self.path("lib/steno", name)))
            self.assertGreater(len(loaded), 5)
            for path in loaded:
                self.is_its_own(os.path.normpath(path))

    def test_no_variable_brings_another_library_in(self):
        misleading = os.path.join(self.folder, "misleading")
        os.mkdir(misleading)
        for name in os.listdir(self.libraries):
            with open(os.path.join(misleading, name), "w", encoding="ascii") as file:
                file.write("no library")
        environment = {**os.environ, "LD_LIBRARY_PATH": misleading}
        for name in ("steno", "steno-server"):
            self.assertIn("steno", run(self.path("lib/steno", name), "--version", env=environment))

    def test_it_needs_no_later_glibc_than_that_of_debian_12(self):
        for path in self.elf_files():
            for number in re.findall(r"\bGLIBC_(\d+\.\d+)", run("readelf", "--version-info", path)):
                self.assertLessEqual(tuple(map(int, number.split("."))), GLIBC_MAX, path)

    def test_the_terms_of_all_that_it_distributes_are_there(self):
        folder = self.path("share/doc/steno/third-party")
        with open(os.path.join(folder, "README"), encoding="utf-8") as file:
            said = file.read()
        for name in os.listdir(self.libraries):
            self.assertRegex(said, rf"(?m)^    (.+, )?{re.escape(name)}(,|$)")
        packages_said = re.findall(r"(?m)^(\S+) \S+\n    (?:\S.*)\n    source: \S+ \S+$", said)
        self.assertIn("librocksdb-dev", packages_said)
        for name in packages_said:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                terms = file.read()
            for referred in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", terms):
                self.assertTrue(os.path.exists(os.path.join(folder, referred + ".terms")), referred)

    def test_its_libraries_are_those_of_debian(self):
        for path in re.findall(r"=> (/.+) \(0x", run("ldd", program())):
            copy = os.path.join(self.libraries, os.path.basename(path))
            if os.path.exists(copy):
                self.assertTrue(filecmp.cmp(path, copy, shallow=False), path)

    def test_a_service_starts_the_program_where_it_lies(self):
        home = self.home()
        unit = systemd_twin.put(home)
        said = home.run("service", "install")
        self.assertEqual(said.code, 0, str(said))
        with open(unit, encoding="utf-8") as file:
            self.assertIn(f'ExecStart="{self.path("lib/steno/steno")}"', file.read())
        pid = home.ask("status")["pid"]
        self.assertEqual(os.readlink(f"/proc/{pid}/exe"), self.path("lib/steno/steno-server"))
        self.assertEqual(home.run("run", "[say Hello.]").out.splitlines()[-1], "Hello.")
        self.assertEqual(home.run("service", "uninstall").code, 0)
        until(lambda: not home.processes(), "the end of all processes")


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
