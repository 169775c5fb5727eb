#!/usr/bin/env python3
"""The server is found wherever one stands, and lives and ends as it is told: by cron, su, an agent's
client and a login shell; without its run folder, its terminal, or its user's login."""
import contextlib
import json
import os
import pty
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Follower, Home, PATIENCE, beside, finish, program, until  # noqa: E402

FAILED, REFUSED, UNREACHABLE, DAMAGED, WRONG_LOG = 1, 5, 6, 9, 11
HANG = ("spawn", "--engine", "scripted", "[hang]")


class User(Home):
    """A user without --home: everything follows from HOME and the variables of a login."""

    def __init__(self, config=""):
        folder = tempfile.mkdtemp(prefix="steno-", dir="/tmp")
        super().__init__(config, folder=folder)
        os.makedirs(self.path(".config", "steno"))
        os.rename(self.path("steno.toml"), self.path(".config", "steno", "steno.toml"))
        os.makedirs(self.path("xrun"), 0o700)
        self.data = self.path(".local", "share", "steno")
        self.login = {"HOME": folder, "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
                      "XDG_RUNTIME_DIR": self.path("xrun"), "TERM": "xterm"}
        self.environment = self.login

    def popen(self, arguments, environment=None, **options):
        return subprocess.Popen([program(), *arguments], stdout=subprocess.PIPE, cwd=self.workdir,
                                env=self.login if environment is None else environment, **options)

    def write_settings(self, text):
        with open(self.path(".config", "steno", "steno.toml"), "w", encoding="utf-8") as file:
            file.write(text)

    def popen_words(self, words, environment, **options):
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                stdin=subprocess.PIPE, cwd=self.workdir, env=environment, **options)

    def call(self, words, environment):
        return finish(self.popen_words(words, environment), words, b"", PATIENCE)


class WithUser(unittest.TestCase):
    def user(self, *arguments):
        user = User(*arguments)
        self.addCleanup(user.close)
        return user

    def home(self, *arguments):
        home = Home(*arguments)
        self.addCleanup(home.close)
        return home


def in_closed_terminal(user):
    """Calls `steno ls` in a terminal that is closed before it is called; returns code and output."""
    out = user.path("out")
    read_end, write_end = os.pipe()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as a shell does for nohup and disown
    pid, terminal = pty.fork()
    if pid == 0:
        with contextlib.suppress(Exception):
            os.close(write_end)
            os.write(1, b"x")  # it has its terminal
            os.read(read_end, 1)  # until the terminal is gone
            os.execve("/bin/sh", ["sh", "-c", f"exec '{program()}' ls -o json > '{out}' 2>&1"],
                      user.login)
        os._exit(99)
    signal.signal(signal.SIGHUP, before)
    os.close(read_end)
    os.read(terminal, 1)
    os.close(terminal)
    os.close(write_end)
    _, status = os.waitpid(pid, 0)
    with open(out, encoding="utf-8") as file:
        return os.waitstatus_to_exitcode(status), file.read()


class Callers(WithUser):
    def test_every_caller_finds_the_server(self):
        user = self.user()
        user.start()
        user.start_session("[say hi]", "--name", "seen")
        home, path = user.login["HOME"], user.login["PATH"]
        sdk = {"HOME": home, "LOGNAME": "ann", "PATH": path, "SHELL": "/bin/sh", "TERM": "dumb",
               "USER": "ann"}
        other = user.path("other-login")
        os.makedirs(other, 0o700)
        ls = [program(), "ls", "-o", "json"]
        callers = {
            "a login shell": (ls, user.login),
            "without XDG_RUNTIME_DIR": (ls, {"HOME": home, "PATH": path, "LANG": "C.UTF-8"}),
            "another login": (ls, {**user.login, "XDG_RUNTIME_DIR": other}),
            "cron": (["env", "-i", f"HOME={home}", "PATH=/usr/bin:/bin", *ls], user.login),
            "the short environment of the MCP SDK": (ls, sdk),
            "nohup": (["nohup", *ls], user.login),
            "a session of its own": (["setsid", "-w", *ls], user.login),
            "an agent's shell": (ls, {**sdk, "STENO_SERVER_DATA_FOLDER": user.data,
                                      "STENO_SERVER_RUN_FOLDER": "/nowhere"}),
        }
        for name, (words, environment) in callers.items():
            with self.subTest(name):
                result = user.call(words, environment)
                self.assertEqual(result.code, 0, str(result))
                self.assertEqual([row["name"] for row in result.json()["sessions"]], ["seen"])
        with self.subTest("a closed terminal"):
            code, text = in_closed_terminal(user)
            self.assertEqual(code, 0, text)
            self.assertIn('"seen"', text)
        with self.subTest("an agent's MCP client"):
            lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
                      "params": {"protocolVersion": "2025-03-26", "capabilities": {},
                                 "clientInfo": {"name": "test", "version": "1"}}},
                     {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                      "params": {"name": "claude_sessions", "arguments": {}}}]
            child = user.popen_words([program(), "mcp"], sdk)
            result = finish(child, ["mcp"], "".join(json.dumps(line) + "\n"
                                                    for line in lines).encode(), PATIENCE)
            answer = result.lines()[-1]["result"]
            self.assertFalse(answer.get("isError", False), answer)
            self.assertIn("seen", json.dumps(answer))
        with self.subTest("after the last logout"):
            shutil.rmtree(user.path("xrun"))
            for words, environment in callers.values():
                result = user.call(words, environment)
                self.assertEqual(result.code, 0, str(result))

    def test_a_run_folder_of_its_own_is_found(self):
        user = self.user()
        user.start("--run-folder", user.path("xrun", "mine"))
        self.assertEqual(user.run("ls").code, 0)
        # Named, it comes first, and who is meant is told.
        result = user.run("--run-folder", user.path("elsewhere"), "ls")
        self.assertEqual(result.code, UNREACHABLE, str(result))
        for words in (str(user.server.child.pid), user.path("xrun", "mine"), "run_folder"):
            self.assertIn(words, result.err)

    def test_none_is_told_with_the_remedy(self):
        user = self.user()
        result = user.run("ls")
        self.assertEqual(result.code, UNREACHABLE)
        self.assertIn("start it with `steno serve`", result.err)
        self.assertEqual(user.run("status").code, UNREACHABLE)
        stopped = user.run("stop")
        self.assertEqual(stopped.code, UNREACHABLE)
        self.assertRegex(stopped.err, r"no server runs for the log in \S+; there is nothing to stop$")

    def test_what_a_killed_server_left_is_not_believed(self):
        user = self.user()
        user.start()
        user.stop(signal.SIGKILL)
        self.assertTrue(os.path.exists(os.path.join(user.data, "server")))
        self.assertIn("start it with", user.run("ls").err)
        user.start()
        self.assertEqual(user.run("ls").code, 0)
        user.stop()
        self.assertFalse(os.path.exists(os.path.join(user.data, "server")))

    def test_another_user_is_told_apart(self):
        name = "nobody"
        if os.geteuid() != 0 or shutil.which("su") is None:
            self.skipTest("needs root")
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            self.skipTest("needs the user nobody")
        user = self.user()
        for folder, _, files in os.walk(user.folder):
            for path in [folder, *(os.path.join(folder, file) for file in files)]:
                os.chown(path, entry.pw_uid, entry.pw_gid)
        try:
            subprocess.run([program(), "version"], user=entry.pw_uid, group=entry.pw_gid, check=True,
                           stdout=subprocess.DEVNULL, env=user.login)
        except (OSError, subprocess.SubprocessError):
            self.skipTest("the build cannot be run by nobody")
        with open(user.path("server.log"), "ab") as log:
            user.server = Follower(user.popen(["serve"], stderr=log, user=entry.pw_uid,
                                              group=entry.pw_gid), ("serve",))
        self.assertEqual(user.server.line(), "ready")
        # As root does it: the user's HOME, and root's other variables.
        words = ["su", "-s", "/bin/sh", name, "-c",
                 f"HOME='{user.folder}' '{program()}' ls"]
        result = user.call(words, {**user.login, "XDG_RUNTIME_DIR": "/run/user/0"})
        self.assertEqual(result.code, 0, str(result))
        # Root itself is another user: prompts are for no other one's server.
        result = user.run("ls")
        self.assertNotEqual(result.code, 0, str(result))
        result = user.run("--run-folder", os.path.join(user.data, "run"), "ls")
        self.assertEqual(result.code, REFUSED, str(result))
        self.assertIn(f"is run by user {entry.pw_uid}", result.err)


class RunFoldersThatGo(WithUser):
    def test_it_is_made_again_with_all_that_was_in_it(self):
        home = self.home().start()
        agent = home.ask(*HANG)
        home.wait_for_event(agent["alias"], "AgentInitialized")
        follower = home.follow("output", agent["alias"], "--follow", "-o", "jsonl")
        run = home.path("run")
        temporary = os.path.join(run, "sessions", agent["session"], "tmp")
        self.assertTrue(os.path.isdir(temporary))
        shutil.rmtree(run)
        until(lambda: home.run("ls").code == 0, "the server again")
        self.assertEqual(os.stat(run).st_mode & 0o777, 0o700)
        until(lambda: os.path.isdir(temporary), "the agent's folder again")
        until(lambda: os.path.exists(os.path.join(run, "worker.log")) or
              not os.path.exists(f"/proc/{home.worker_pid()}"), "the worker's log again", 15)
        self.assertIn("sockets_bound_anew", home.server_log())
        # A worker that dies now is replaced, and what it runs is heard.
        before = home.worker_pid()
        os.kill(before, signal.SIGKILL)
        until(lambda: home.worker_pid() != before, "another worker")
        self.assertEqual(home.run("run", "--engine", "scripted", "[say hi]").out, "hi\n")
        follower.close()
        self.assertEqual(home.stop(), 0)

    def test_one_that_cannot_be_made_ends_the_server(self):
        home = self.home().start()
        run = home.path("run")
        os.rename(run, run + ".gone")  # at once, whatever is written into it
        with open(run, "w", encoding="ascii"):
            pass
        told = until(lambda: "its socket is gone" in home.run("ls").err and home.run("ls").err,
                     "that the socket is gone")
        self.assertIn(str(home.server.child.pid), told)
        doctor = home.run("doctor")
        self.assertIn(f"server process {home.server.child.pid}", doctor.out)
        self.assertEqual(home.server.child.wait(PATIENCE), FAILED)
        self.assertIn("nobody can reach this server any more", home.server_log())
        home.server.close()
        home.server = None


class Lives(WithUser):
    def test_nohup_survives_its_terminal(self):
        user = self.user()
        child = user.popen_words(["nohup", program(), "serve"], user.login)
        user.server = Follower(child, ("nohup", "serve"))
        self.assertEqual(user.server.line(), "ready")
        child.send_signal(signal.SIGHUP)
        alias = user.start_session("[say hi]")
        self.assertEqual(user.wait_for_end(alias)["status"], "completed")
        self.assertIsNone(child.poll())

    def test_detached_it_is_told_of_and_stopped(self):
        user = self.user()
        terminal, end = pty.openpty()
        child = subprocess.Popen([program(), "--max-sessions", "7", "serve", "--detach"],
                                 stdin=end, stdout=subprocess.PIPE, stderr=end, cwd=user.workdir,
                                 env=user.login, start_new_session=True)
        self.addCleanup(lambda: user.run("stop", "--now"))
        out, _ = child.communicate(timeout=PATIENCE)
        os.close(end)
        os.close(terminal)
        self.assertEqual(child.returncode, 0, out)
        log = os.path.join(user.data, "run", "server.log")
        self.assertIn(f"logs to {log}", out.decode())
        self.assertTrue(os.path.exists(log))
        first = user.ask("status")
        self.assertEqual((first["phase"], first["log_file"]), ("serving", log))
        self.assertEqual(first["status"]["max_sessions"], 7)
        table = user.run("status").out
        for words in (str(first["pid"]), "since", "log position", "release", "0 running of 7", log):
            self.assertIn(words, table)
        self.assertEqual(user.run("run", "--engine", "scripted", "[say hi]").out, "hi\n")
        # Started again as it was started, from anywhere.
        result = user.call([program(), "restart"], {"HOME": user.folder, "PATH": "/usr/bin:/bin"})
        self.assertEqual(result.code, 0, str(result))
        second = user.ask("status")
        self.assertNotEqual(first["pid"], second["pid"])
        self.assertEqual(second["status"]["max_sessions"], 7)
        self.assertIn("xrun", self.environment_of(second["pid"])["XDG_RUNTIME_DIR"])
        stopped = user.run("stop")
        self.assertEqual(stopped.code, 0, str(stopped))
        self.assertIn(f"{second['pid']} has ended", stopped.out)
        self.assertEqual(user.run("status").code, UNREACHABLE)

    def test_a_restart_that_cannot_start_stops_nothing(self):
        user = self.user()
        gone = user.path("gone")
        os.makedirs(gone)
        started = subprocess.run([program(), "serve", "--detach"], cwd=gone, env=user.login,
                                 capture_output=True, check=False, timeout=PATIENCE)
        self.assertEqual(started.returncode, 0, started)
        os.rmdir(gone)
        first = user.ask("status")["pid"]
        file = user.path(".config", "steno", "steno.toml")
        with open(file, encoding="utf-8") as kept:
            config = kept.read()
        user.write_settings(config + 'silence_after = "soon"\n')
        refused = user.call([program(), "--silence-after", "1s", "restart"], user.login)
        self.assertEqual(refused.code, 2, str(refused))
        self.assertIn("the one that runs was left as it is", refused.err)
        user.write_settings(config)
        self.assertEqual(user.ask("status")["pid"], first)
        result = user.run("restart")
        self.assertEqual(result.code, 0, str(result))
        self.assertNotEqual(user.ask("status")["pid"], first)
        self.assertEqual(user.run("stop").code, 0)

    def test_a_server_of_a_unit_is_restarted_by_that(self):
        home = self.home()
        log = open(home.path("server.log"), "ab")
        self.addCleanup(log.close)
        words = ["sh", "-c", "export SYSTEMD_EXEC_PID=$$; "
                 f"exec '{program()}' --home '{home.folder}' serve"]
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                 cwd=home.workdir, env={**home.environment, "INVOCATION_ID": "a1"})
        home.server = Follower(child, words)
        self.assertEqual(home.server.line(), "ready")
        refused = home.run("restart")
        self.assertEqual(refused.code, REFUSED, str(refused))
        self.assertIn("is kept by a unit of systemd", refused.err)
        self.assertEqual(home.ask("status")["pid"], child.pid)

    @staticmethod
    def environment_of(pid):
        with open(f"/proc/{pid}/environ", "rb") as file:
            entries = file.read().decode().split("\0")
        return dict(entry.split("=", 1) for entry in entries if "=" in entry)

    def test_detached_it_says_why_it_does_not_start(self):
        user = self.user()
        user.start()
        result = user.run("serve", "--detach")
        self.assertEqual(result.code, WRONG_LOG, str(result))
        self.assertIn("has this data folder open", result.err)
        self.assertIn("server.log", result.err)

    def test_detached_it_says_if_no_agent_can_be_started(self):
        user = self.user()
        user.write_settings('engine = "claude"\n')
        self.addCleanup(lambda: user.run("stop", "--now"))
        environment = {**user.login, "PATH": "/usr/bin:/bin"}
        without = user.call([program(), "serve", "--detach"], environment)
        self.assertEqual(without.code, 0, str(without))
        self.assertEqual(without.err.strip(), "steno: no agent can be started: 'claude' is not "
                                              "found on the PATH; steno doctor says more")
        os.makedirs(user.path("bin"))
        os.symlink("/bin/true", user.path("bin", "claude"))
        environment["PATH"] += ":" + user.path("bin")
        self.assertEqual(user.run("stop").code, 0)
        with_one = user.call([program(), "serve", "--detach"], environment)
        self.assertEqual((with_one.code, with_one.err), (0, ""), str(with_one))

    def test_a_stop_has_words(self):
        home = self.home('stop_grace = "4s"').start()
        home.wait_for_event(home.ask(*HANG)["alias"], "AgentInitialized")
        result = home.run("stop")
        self.assertEqual(result.code, 0, str(result))
        self.assertIn("is stopping; turns under way have time to end", result.err)
        self.assertEqual(home.server.child.wait(PATIENCE), 0)
        home.server.close()
        home.start()
        home.wait_for_event(home.ask(*HANG)["alias"], "AgentInitialized")
        began = time.monotonic()
        self.assertEqual(home.run("stop", "--now").code, 0)
        self.assertLess(time.monotonic() - began, 4)
        home.server.close()
        home.server = None

    def test_only_an_interrupt_behind_a_signal_leaves_turns_no_time(self):
        home = self.home('stop_grace = "2s"\n')
        for round_, (first, second, has_time) in enumerate((
                (signal.SIGHUP, signal.SIGTERM, True), (signal.SIGTERM, signal.SIGINT, False))):
            home.start()
            home.wait_for_event(home.ask(*HANG)["alias"], "AgentInitialized")
            began = time.monotonic()
            home.server.signal(first)
            until(lambda: home.server_log().count("server_stopping") > round_, "that it stops")
            home.server.signal(second)
            self.assertEqual(home.server.child.wait(PATIENCE), 0)
            self.assertEqual(time.monotonic() - began >= 2, has_time, f"{first}, {second}")
            home.server.close()
            home.server = None

    def test_a_terminal_is_told_what_a_stop_waits_for(self):
        home = self.home('stop_grace = "1s"')
        terminal, end = pty.openpty()
        child = subprocess.Popen([program(), "--home", home.folder, "serve"], stdin=end,
                                 stdout=subprocess.PIPE, stderr=end, cwd=home.workdir,
                                 env=home.environment, start_new_session=True)
        os.close(end)
        home.server = Follower(child, ("serve",))
        self.assertEqual(home.server.line(), "ready")
        home.wait_for_event(home.ask(*HANG)["alias"], "AgentInitialized")
        child.send_signal(signal.SIGINT)
        said = b""
        while b"Ctrl-C again" not in said:
            said += os.read(terminal, 4096)
        self.assertIn(b"turns under way have 1s to end", said)
        self.assertEqual(child.wait(PATIENCE), 0)
        os.close(terminal)

    def test_a_start_behind_a_stop_waits_for_it(self):
        home = self.home('stop_grace = "2s"').start()
        home.wait_for_event(home.ask(*HANG)["alias"], "AgentInitialized")
        old = home.server
        old.signal(signal.SIGTERM)
        home.start()
        self.assertEqual(old.child.wait(PATIENCE), 0)
        self.assertIn(f"server process {old.child.pid} is stopping; waiting", home.server_log())
        old.close()
        self.assertEqual(home.run("ls").code, 0)

    def test_a_start_that_waits_can_be_interrupted(self):
        home = self.home('stop_grace = "60s"').start()
        home.wait_for_event(home.ask(*HANG)["alias"], "AgentInitialized")
        home.server.signal(signal.SIGTERM)
        until(lambda: "server_stopping" in home.server_log(), "that it stops")
        second = home.follow("serve")
        second.error_line("is stopping; waiting")
        second.signal(signal.SIGINT)
        self.assertEqual(second.finish().code, 130)
        home.server.signal(signal.SIGINT)
        self.assertEqual(home.server.child.wait(PATIENCE), 0)
        home.server.close()
        home.server = None

    def test_a_start_beside_one_that_runs_is_refused(self):
        home = self.home().start()
        result = home.run("serve")
        self.assertEqual(result.code, WRONG_LOG, str(result))
        self.assertIn(f"process {home.server.child.pid} has this data folder open", result.err)

    def test_a_log_that_is_damaged_is_told_with_what_helps(self):
        home = self.home().start()
        home.run("run", "--engine", "scripted", "[say hi]")
        home.stop()
        shutil.rmtree(home.path("data", "log"))
        result = home.run("serve")
        self.assertEqual(result.code, DAMAGED, str(result))
        for words in ("steno replay verify", "steno restore", "steno replay salvage"):
            self.assertIn(words, result.err)

    def test_an_agents_marks_are_left_out_and_that_is_said(self):
        home = self.home()
        with open(home.path("server.log"), "ab") as log:
            home.server = Follower(home.popen(["serve"], {"CLAUDECODE": "1"}, stderr=log), ())
        self.assertEqual(home.server.line(), "ready")
        self.assertIn("CLAUDECODE is set", home.server_log())


class Doctors(WithUser):
    def test_it_asks_the_server_and_not_the_caller(self):
        home = self.home()
        os.makedirs(home.path("bin"))
        os.symlink(beside("steno-scripted-agent"), home.path("bin", "claude"))
        home.write_config('stop_grace = "300ms"\n')
        home.environment["PATH"] = "/usr/bin:/bin"
        home.start()
        until(lambda: "ok  workers" in home.run("doctor").out, "the worker")
        # This caller has a claude; the server has none.
        found = home.run("doctor", environment={"PATH": home.path("bin") + ":/usr/bin:/bin"})
        self.assertEqual(found.code, FAILED, str(found))
        self.assertIn("BAD agent program", found.out)
        self.assertIn("claude_program", found.out)
        failed = home.run("run", "--engine", "claude", "hello")
        self.assertIn("No such file or directory", failed.err)
        self.assertIn("claude_program", failed.err)
        home.stop()
        home.environment["PATH"] = home.path("bin") + ":/usr/bin:/bin"
        home.start()
        until(lambda: "ok  workers" in home.run("doctor").out, "the worker")
        told = home.run("doctor", environment={"PATH": "/usr/bin:/bin"})
        self.assertEqual(told.code, 0, str(told))
        for words in (home.path("bin", "claude") + ", as the server sees it",
                      "HOME of agents " + home.folder, "WARN agent login",
                      f"HOME={home.folder} {home.path('bin', 'claude')}", "ANTHROPIC_API_KEY"):
            self.assertIn(words, told.out)
        self.assertNotIn("µs", told.out)
        self.assertIn("µs", home.run("doctor", "--verbose").out)

    def test_it_knows_of_a_program_and_a_login_that_came_later(self):
        home = self.home()
        late = home.path("late")
        home.write_config(f'claude_program = "{late}"\nstop_grace = "300ms"\n')
        home.start()
        until(lambda: "ok  workers" in home.run("doctor").out, "the worker")
        self.assertIn("BAD agent program", home.run("doctor").out)
        os.symlink(beside("steno-scripted-agent"), late)
        os.makedirs(home.path(".claude"))
        with open(home.path(".claude", ".credentials.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        until(lambda: "ok  agent program" in home.run("doctor").out, "the program")
        self.assertNotIn("WARN agent login", home.run("doctor").out)
        os.remove(late)
        until(lambda: "BAD agent program" in home.run("doctor").out, "that it is gone")

    def test_clients_are_those_who_are_there(self):
        home = self.home().start()
        for _ in range(5):
            home.run("ls")
        self.assertIn(", 0 other clients", home.run("doctor").out)
        watch = home.follow("watch", "--all-agents", "--from", "start", "-n", "99999")
        watch.line()
        self.assertIn(", 1 other clients", home.run("doctor").out)
        watch.close()

    def test_a_missing_file_and_a_damaged_log_are_not_fine(self):
        user = self.user()
        os.remove(user.path(".config", "steno", "steno.toml"))
        user.start("--claude-program", beside("steno-scripted-agent"))
        user.run("run", "--engine", "scripted", "[say hi]")
        user.stop()
        whole = user.run("doctor").out
        self.assertRegex(whole, r"configuration +none; .*steno\.toml does not exist")
        self.assertIn("proves that it is whole", whole)
        for name in os.listdir(os.path.join(user.data, "log")):
            if name.endswith((".log", ".sst")):
                os.truncate(os.path.join(user.data, "log", name), 0)
        result = user.run("doctor")
        self.assertEqual(result.code, DAMAGED, str(result))
        self.assertNotIn("proves that it is whole", result.out)


class Figures(WithUser):
    def test_prometheus_is_told_whether_a_server_answers(self):
        home = self.home()
        none = home.run("stats", "-o", "prometheus")
        self.assertEqual(none.code, UNREACHABLE)
        self.assertIn("\nsteno_up 0\n", none.out)
        home.start()
        home.run("run", "--engine", "scripted", "[error]")
        home.run("schedule", "add", "nightly", "--cron", "0 3 * * *", "hello")
        text = home.run("stats", "-o", "prometheus").out
        self.assertIn("\nsteno_up 1\n", text)
        self.assertIn('steno_sessions_needing_attention{agent="main",need="failed"}', text)
        self.assertIn('steno_schedules{agent="main",last_outcome="refused"} 0', text)
        self.assertIn('steno_schedules_stopped{agent="main"} 0', text)
        home.run("schedule", "add", "asks", "--every", "1d", "--engine", "scripted",
                 "--approvals", "deny", "[ask]")
        home.run("schedule", "run", "asks")
        home.wait_for_end("asks")
        text = home.run("stats", "-o", "prometheus").out
        for wanted in ('need="denied"} 1', 'need="ended_idle"} 0', 'status="denied"} 1',
                       'last_outcome="taken"} 1'):
            self.assertIn(wanted, text)


class FoldersOfSessions(WithUser):
    def names(self, home, *folders):
        return set(os.listdir(home.path(*folders)))

    def test_they_go_when_their_sessions_are_over(self):
        home = self.home("max_sessions = 30\n").start()
        waiting = home.ask("spawn", "--engine", "scripted", "--multi-turn", "[say hi]")["session"]
        ids = [home.ask("spawn", "--engine", "scripted", "[say hi]")["session"] for _ in range(8)]
        for session in ids:
            home.wait_for_end(session)
        until(lambda: self.names(home, "run", "sessions") == {waiting}, "one folder")
        home.wait_for_event(waiting, "TurnFinished")
        home.stop()
        # What an earlier server left.
        os.makedirs(home.path("run", "sessions", ids[0], "tmp"))
        home.start()
        until(lambda: self.names(home, "run", "sessions") == {waiting}, "one folder")
        self.assertEqual(home.run("send", waiting, "--wait", "[say again]").out, "again\n")
        home.run("kill", waiting)
        until(lambda: not self.names(home, "run", "sessions"), "no folder")

    def test_locks_that_nobody_holds_go_with_the_next_worker(self):
        home = self.home().start()
        for _ in range(3):
            home.wait_for_end(home.start_session("[say hi]"))
        waiting = home.ask("spawn", "--engine", "scripted", "--multi-turn", "[say hi]")["session"]
        home.wait_for_event(waiting, "TurnFinished")
        self.assertEqual(len(self.names(home, "data", "locks")), 4)
        home.stop()
        home.start()
        until(lambda: not self.names(home, "data", "locks"), "no lock file")
        self.assertEqual(home.run("send", waiting, "--wait", "[say again]").out, "again\n")
        self.assertEqual(self.names(home, "data", "locks"), {waiting + ".lock"})


if __name__ == "__main__":
    unittest.main()
