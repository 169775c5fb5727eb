#!/usr/bin/env python3
"""`steno service` writes a unit and has the user's systemd keep it. Here a program stands for
systemd: it reads the unit as systemd does, and starts and ends what that says."""
import os
import stat
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402

SYSTEMD = r'''#!/usr/bin/python3
import os, re, shlex, signal, socket, subprocess, sys
home, config = os.environ["TWIN"], os.environ["XDG_CONFIG_HOME"]
unit = os.path.join(config, "systemd/user/steno.service")
state = lambda name: os.path.join(home, name)
def put(name, text=""):
    with open(state(name), "w") as file: file.write(text)
def drop(name):
    if os.path.exists(state(name)): os.remove(state(name))
with open(state("calls"), "a") as file: file.write(" ".join(sys.argv[1:]) + "\n")
words = [word for word in sys.argv[1:] if word not in ("--user", "--quiet", "steno.service")]
if os.path.exists(state("down")): sys.exit("Failed to connect to bus: No medium found")
if words[:1] == ["show"]:
    pid = open(state("pid")).read() if os.path.exists(state("pid")) else "0"
    up = pid != "0" and os.path.exists("/proc/" + pid)
    ready = os.path.exists(state("ready"))
    print("MainPID=" + (pid if up else "0"))
    print("ActiveState=" + ("inactive" if not up else "active" if ready else "activating"))
    print("UnitFileState=" + ("enabled" if os.path.exists(state("enabled")) else ""))
if words == ["daemon-reload"] and os.path.exists(unit): put("unit", open(unit).read())
if words == ["enable"]: put("enabled")
if words == ["start", "--no-block"]:
    text = open(state("unit")).read()
    def unquoted(key):
        found = re.findall("(?m)^%s=(.*)$" % key, text)
        assert len(found) == 1, found
        return [word.replace("%%", "%") for word in shlex.split(found[0])]
    command = [word.replace("$$", "$") for word in unquoted("ExecStart")]
    environment = dict(word.split("=", 1) for word in unquoted("Environment"))
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(state("notify"))
    told.settimeout(60)
    child = subprocess.Popen(command, cwd="/", start_new_session=True, stdin=subprocess.DEVNULL,
                             stdout=open(state("journal"), "ab"), stderr=subprocess.STDOUT,
                             env={"HOME": os.environ["HOME"], "NOTIFY_SOCKET": state("notify"),
                                  **environment})
    put("pid", str(child.pid))
    if os.fork() == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3): os.dup2(null, number)
        if told.recv(64) == b"READY=1": put("ready")
if words == ["disable", "--now"]:
    drop("enabled")
    os.kill(int(open(state("pid")).read()), signal.SIGTERM)
    drop("pid")
    drop("ready")
'''


class Service(unittest.TestCase):
    def setUp(self):
        self.home = Home('engine = "scripted"\n')
        self.addCleanup(self.home.close)
        programs = self.home.path("bin")
        os.mkdir(programs)
        os.mkdir(self.home.path("twin"))
        for name, text in (("systemctl", SYSTEMD), ("loginctl", "#!/bin/sh\nexit 1\n"),
                           ("journalctl", '#!/bin/sh\necho "$@"\n')):
            path = os.path.join(programs, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, stat.S_IRWXU)
        # A unit has its own rules for each of these characters.
        self.odd = self.home.path('a "50%" $b\\c')
        os.mkdir(self.odd)
        self.path = f"{programs}:{self.odd}:{os.environ['PATH']}"
        self.home.environment.update(PATH=self.path, XDG_CONFIG_HOME=self.home.path("config"),
                                     TWIN=self.home.path("twin"), USER="somebody")
        self.unit = self.home.path("config", "systemd", "user", "steno.service")

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
