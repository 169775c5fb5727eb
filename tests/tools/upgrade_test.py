#!/usr/bin/env python3
"""An upgrade of the installed package leaves agents at work, and a removal leaves the record.

dpkg installs into a folder, as it installs into a system, and servers run from there. The later
release is this one with another version (CMakeLists.txt: later-steno). `.ci/clean_root --installed`
does the same in a whole Debian, with a user's systemd."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import packages  # noqa: E402
from steno_process import Home, beside, program, until  # noqa: E402

OK, UNREACHABLE, WRONG_LOG = 0, 6, 11
WORDS = " ".join(f"word{number}" for number in range(40))


def setUpModule():
    made = tempfile.mkdtemp(prefix="steno-", dir="/tmp")
    unittest.addModuleCleanup(shutil.rmtree, made)
    Installed.package = packages.make(os.path.dirname(program()), made)
    Installed.later = packages.make_later(Installed.package, beside("later"))


def program_of(pid):
    return os.readlink(f"/proc/{pid}/exe")


class Installed(unittest.TestCase):
    """Each test has a system of its own with the package, and a home whose agents are told nothing
    of it."""
    package = later = None

    def setUp(self):
        self.home = Home('engine = "scripted"\nworker_silence_max = "1s"\n')
        self.addCleanup(self.home.close)
        self.system = packages.System(self.home.path("system"))
        self.install(self.package)
        self.home.program = self.system.path("usr/bin/steno")

    def install(self, package):
        return self.system.dpkg("--install", package)

    def succeeds(self, *arguments):
        result = self.home.run(*arguments)
        self.assertEqual(result.code, OK, str(result))
        return result.out

    def serve(self):
        """Starts a server at a terminal, which then goes."""
        code, shown = self.home.on_terminal(["serve", "--detach"], [])
        self.assertEqual(code, OK, shown)
        return self.server()

    def server(self):
        return self.home.ask("status")["pid"]

    def release(self):
        return self.home.ask("status")["release"]

    def agent(self, name):
        return self.home.show(name)["pid"]

    def kill(self, pid):
        os.kill(pid, signal.SIGKILL)
        until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of a process")

    def says(self, name, word):
        self.assertEqual(self.succeeds("send", name, "--wait", f"[say {word}]"), word + "\n")

    def is_whole(self):
        self.succeeds("replay", "verify")
        for row in self.home.ask("replay", "rebuild"):
            self.assertEqual(row["rebuilt"], row.get("live", row["rebuilt"]), str(row))


class Upgrade(Installed):
    def with_work(self, package):
        """Starts a server of this package with a session at rest, and one whose turn outlives the
        upgrade."""
        self.serve()
        self.assertEqual(self.release(), packages.version(package))
        self.home.start_session("[say one]", "--multi-turn", "--name", "talk")
        self.home.wait_for_event("talk", "TurnFinished")
        self.home.start_session("[delay 200] [words 40]", "--multi-turn", "--name", "slow")
        self.home.wait_for_event("slow", "PartialOutputRecorded")
        self.agents = {name: self.agent(name) for name in ("talk", "slow")}
        self.worker = self.home.worker_pid()

    def goes_on(self):
        """The agents of before are at work, and everything is on record."""
        until(lambda: self.home.show("slow")["turns_finished"] == 1, "the end of the turn")
        self.assertIn(WORDS, " ".join(self.home.run("output", "slow").out.split()))
        for name, pid in self.agents.items():
            self.says(name, "two")
            self.assertEqual(self.agent(name), pid)
        self.assertEqual(self.succeeds("run", "[tools 2] [say three]").splitlines()[-1], "three")

    def test_a_killed_server_is_followed_by_one_of_the_later_release(self):
        self.with_work(self.package)
        self.kill(self.server())
        self.install(self.later)
        self.serve()
        self.assertEqual(self.release(), packages.version(self.later))
        self.assertEqual(self.home.worker_pid(), self.worker)
        self.assertTrue(program_of(self.worker).endswith(" (deleted)"))
        self.goes_on()
        self.assertEqual(self.home.worker_pid(), self.worker)
        self.succeeds("stop")
        self.is_whole()

    def test_a_server_that_runs_meanwhile_goes_on_and_is_restarted_when_it_suits(self):
        self.with_work(self.package)
        before = self.server()
        said = self.install(self.later)
        self.assertIn("steno restart", said)
        self.assertEqual((self.server(), self.release()),
                         (before, packages.version(self.package)))
        self.goes_on()
        # Its next worker is already one of the later release.
        self.kill(self.worker)
        until(lambda: self.home.worker_pid() != self.worker, "another worker")
        self.says("talk", "three")
        self.assertFalse(program_of(self.home.worker_pid()).endswith(" (deleted)"))
        self.assertEqual(self.server(), before)
        self.succeeds("restart")
        self.assertEqual(self.release(), packages.version(self.later))
        self.says("talk", "four")
        self.succeeds("stop")
        self.is_whole()

    def test_the_earlier_release_takes_the_log_back(self):
        self.install(self.later)
        self.with_work(self.later)
        self.kill(self.server())
        self.install(self.package)
        self.serve()
        self.assertEqual(self.release(), packages.version(self.package))
        self.goes_on()
        self.succeeds("stop")
        self.is_whole()


class LaterLog(Installed):
    """What a later release has written is refused in one line that says so, and stays as it is."""

    def refused(self, what, *words):
        home = self.home
        self.serve()
        home.wait_for_end(home.start_session("[say one]"))
        self.succeeds("stop")
        subprocess.run([beside("later_block"), home.path("data"), what], check=True)
        for arguments in (("serve",), ("serve", "--detach"), ("replay", "verify")):
            result = home.run(*arguments)
            self.assertEqual(result.code, WRONG_LOG, str(result))
            self.assertTrue([line for line in (result.out + result.err).splitlines()
                             if all(word in line for word in words)], str(result))
            self.assertNotIn("rows_built_anew", result.err)
        self.assertEqual(home.run("status").code, UNREACHABLE)
        self.assertFalse([row for row in home.processes().values() if "steno-server" in row])

    def test_an_event_of_it(self):
        self.refused("event", "ServerTeleported", "later release")

    def test_a_block_of_it(self):
        self.refused("format", "format 2", "newer than 1")


class Removal(Installed):
    def removed(self):
        self.system.dpkg("--remove", "steno")
        for name in ("usr/bin/steno", "usr/lib/steno", "usr/lib/systemd/user/steno.service"):
            self.assertFalse(os.path.lexists(self.system.path(name)), name)
        self.assertEqual(self.home.processes(), {})

    def keeps_its_sessions(self):
        self.install(self.package)
        self.serve()
        self.says("talk", "again")
        self.succeeds("stop")
        self.is_whole()

    def test_it_ends_servers_and_agents_and_keeps_the_record(self):
        self.serve()
        self.home.start_session("[say one]", "--multi-turn", "--name", "talk")
        self.home.start_session("[hang]", "--multi-turn", "--name", "busy")
        self.home.wait_for_event("busy", "TurnStarted")
        self.home.wait_for_event("talk", "TurnFinished")
        self.removed()
        self.keeps_its_sessions()

    def test_it_ends_a_worker_whose_server_died_before_the_upgrade(self):
        server = self.serve()
        self.home.start_session("[say one]", "--multi-turn", "--name", "talk")
        self.home.wait_for_event("talk", "TurnFinished")
        self.kill(server)
        self.install(self.later)
        self.removed()
        self.keeps_its_sessions()

    def test_a_server_of_another_place_goes_on(self):
        other = Home('engine = "scripted"\n')
        self.addCleanup(other.close)
        other.start()
        self.removed()
        self.assertEqual(other.run("run", "[say Hello.]").out.splitlines()[-1], "Hello.")
        self.assertEqual(other.stop(), 0)


if __name__ == "__main__":
    unittest.main()
