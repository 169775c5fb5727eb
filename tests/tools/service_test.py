#!/usr/bin/env python3
"""`steno service` writes a unit and has the user's systemd keep it. Here a program stands for
systemd (support/systemd_twin.py)."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import systemd_twin  # noqa: E402
from support.steno_process import Home, until  # noqa: E402


class Service(unittest.TestCase):
    def setUp(self):
        self.home = Home('engine = "scripted"\n')
        self.addCleanup(self.home.close)
        self.unit = systemd_twin.put(self.home)
        # A unit has its own rules for each of these characters.
        self.odd = self.home.path('a "50%" $b\\c')
        os.mkdir(self.odd)
        self.path = f"{self.home.path('bin')}:{self.odd}:{os.environ['PATH']}"
        self.home.environment["PATH"] = self.path

    def service(self, *arguments, code=0):
        result = self.home.run("service", *arguments)
        self.assertEqual(result.code, code, str(result))
        return result

    def test_it_is_installed_runs_and_is_removed(self):
        home = self.home
        with open(home.path("other.toml"), "w", encoding="utf-8") as file:
            file.write('engine = "scripted"\nsilence_after = "77s"\n')
        said = home.run("--agent-home", self.odd, "--config", home.path("other.toml"), "service",
                        "install", environment={"STENO_MAX_SESSIONS": "3"})
        self.assertEqual(said.code, 0, str(said))
        self.assertIn("written: " + self.unit, said.err)
        self.assertIn("loginctl enable-linger somebody", said.err)
        # The server has what the command line said, its file, what variables said, and PATH.
        pid = home.ask("status")["pid"]
        with open(f"/proc/{pid}/environ", "rb") as file:
            self.assertIn(b"PATH=" + self.path.encode(), file.read().split(b"\0"))
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        self.assertIn(b"--agent-home=" + self.odd.encode(), words)
        self.assertIn(b"--max-sessions=3", words)
        self.assertIn(b"--config=" + home.path("other.toml").encode(), words)
        self.assertEqual(home.run("run", "[say Hello.]").out.splitlines()[-1], "Hello.")
        shown = home.ask("service", "status")
        self.assertEqual((shown["unit"], shown["enabled"], shown["state"]),
                         (self.unit, "enabled", "active"))
        self.assertEqual(shown["pid"], home.ask("status")["pid"])
        # Again: the unit is written anew, and what runs stays.
        self.assertIn("systemctl --user restart steno", self.service("install").err)
        self.assertEqual(home.ask("status")["pid"], shown["pid"])
        self.assertIn("sessions stay in", self.service("uninstall").err)
        self.assertFalse(os.path.exists(self.unit))
        until(lambda: home.run("status").code == 6, "the end of the server")
        self.service("status", code=6)
        self.service("uninstall", code=3)
        until(lambda: not home.processes(), "the end of all processes")

    def test_one_that_runs_for_another_home_stays(self):
        self.assertEqual(self.service("install").code, 0)
        with open(self.unit, encoding="utf-8") as file:
            before = file.read()
        other = self.home.run("--home", self.home.path("work"), "service", "install")
        self.assertEqual(other.code, 4, str(other))
        self.assertIn("runs for another log", other.err)
        with open(self.unit, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        self.service("uninstall")
        until(lambda: not self.home.processes(), "the end of all processes")

    def test_a_server_that_cannot_start_is_told(self):
        with open(self.home.path("data"), "w", encoding="ascii"):
            pass  # where the folder of the log should be
        self.assertIn("steno service logs", self.service("install", code=1).err)

    def test_a_server_that_is_no_service_is_not_disturbed(self):
        self.home.start()
        said = self.service("install", code=4).err
        self.assertIn("steno stop", said)
        self.assertFalse(os.path.exists(self.unit))
        self.assertEqual(self.home.stop(), 0)

    def test_without_systemd_it_says_what_to_do(self):
        with open(self.home.path("twin", "down"), "w", encoding="ascii"):
            pass
        for verb in ("install", "status"):
            self.assertIn("steno serve --detach", self.service(verb, code=5).err)
        self.assertFalse(os.path.exists(self.unit))

    def test_its_log_is_that_of_the_journal(self):
        said = self.service("logs", "-n", "7", "-f").out
        self.assertEqual(said, "--user --unit steno.service --no-pager --lines 7 --follow\n")


if __name__ == "__main__":
    unittest.main()
