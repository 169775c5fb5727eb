#!/usr/bin/env python3
"""Lists show what is asked for, `wait` returns once sessions rest, and `logs` goes on with one."""
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402


class Reading(unittest.TestCase):
    def setUp(self):
        self.home = Home('engine = "scripted"\nmax_sessions = 20\n')
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        self.home.run("kill", "--all")
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def refused(self, code, *arguments):
        result = self.home.run(*arguments)
        self.assertEqual(result.code, code, str(result))
        return result.err


class Lists(Reading):
    def named(self, *arguments):
        """Returns the names that a list shows, in its order; each form of output has the same."""
        rows = self.home.ask("ls", *arguments)["sessions"]
        lines = self.home.run("ls", *arguments, "-o", "jsonl").lines()
        self.assertEqual([row["alias"] for row in rows], [row["alias"] for row in lines])
        quiet = self.home.run("ls", *arguments, "-q")
        self.assertEqual(quiet.out.split(), [row["alias"] for row in rows])
        table = self.home.run("ls", *arguments).out.splitlines()[1:]
        self.assertEqual([line.split()[0] for line in table], [row["alias"] for row in rows])
        return [row["name"] for row in rows]

    def test_states_names_folders_and_schedules(self):
        home = self.home
        os.mkdir(home.path("work", "shop"))
        os.mkdir(home.path("work", "shopping"))
        home.run("run", "--name", "deploy-eu", "--workdir", home.path("work", "shop"), "[say A.]")
        home.run("run", "--name", "deploy-us", "--workdir", home.path("work", "shopping"),
                 "[say B.]")
        home.run("run", "--name", "broken", "[error]")
        home.run("run", "--name", "barred", "--approvals", "deny", "[ask] [say D.]")
        waiting = home.start_session("[say E.]", "--multi-turn", "--name", "talk")
        home.wait_for_event(waiting, "TurnFinished")
        asking = home.start_session("[ask] [say F.]", "--name", "asking")
        home.wait_for_event(asking, "AskRaised")
        home.start_session("[hang]", "--name", "busy")
        until(lambda: "busy" in self.named("--status", "working"), "a session at work")
        home.run("schedule", "add", "nightly", "--every", "24h", "[say G.]")
        home.run("schedule", "run", "nightly")
        until(lambda: self.named("--schedule", "nightly"), "a run of the schedule")
        home.wait_for_end(home.ask("ls", "--schedule", "nightly")["sessions"][0]["alias"])

        self.assertEqual(home.run("label", "talk", "urgent", "release 3").out,
                         f"{waiting}: release 3, urgent\n")
        self.assertEqual(home.run("label", "talk", "--remove", "urgent").out,
                         f"{waiting}: release 3\n")
        home.run("label", "broken", "release 3", "dull")
        self.assertEqual(self.named("--label", "release 3"), ["talk", "broken"])
        self.assertEqual(self.named("--label", "release 3", "--label", "dull"), ["broken"])
        self.assertIn("is no label", self.refused(2, "label", "talk", "a,b"))
        self.assertEqual(home.run("label", "talk").out, f"{waiting}: release 3\n")
        self.assertEqual(self.named("--status", "waiting"), ["talk"])
        self.assertEqual(self.named("--status", "asks"), ["asking"])
        self.assertEqual(self.named("--status", "waiting,asks"), ["asking", "talk"])
        self.assertEqual(self.named("--status", "working"), ["busy", "asking"])
        self.assertEqual(self.named("--status", "live"), ["busy", "asking", "talk"])
        self.assertIn("barred", self.named("--status", "denied"))
        self.assertEqual(self.named("--status", "failed"), ["broken"])
        self.assertEqual(self.named("--name", "deploy-*"), ["deploy-us", "deploy-eu"])
        self.assertEqual(self.named("--name", "ploy"), ["deploy-us", "deploy-eu"])
        self.assertEqual(self.named("--name", "deploy"), ["deploy-us", "deploy-eu"])
        self.assertEqual(self.named("--workdir", "shop"), ["deploy-eu"])
        self.assertEqual(self.named("--name", "deploy-*", "-n", "1"), ["deploy-us"])
        self.assertEqual(self.named("--schedule", "weekly", "--all"), [])
        self.assertEqual(self.named("--sort", "name", "-n", "3"), ["asking", "barred", "broken"])
        self.assertEqual(self.named("--since", "1h", "--name", "broken"), ["broken"])
        self.assertEqual(self.named("--until", "1h"), [])
        said = home.run("ls", "--name", "deploy-*", "-n", "1").err
        self.assertEqual(said, "1 of 2; more with -n, all with --all\n")
        # A program reads on behind the last one that it was shown.
        page = home.ask("ls", "--name", "deploy-*", "-n", "1")
        self.assertEqual((page["total"], page["has_more"], page["before"]),
                         (2, True, page["sessions"][-1]["opened"]))

    def test_order_is_what_was_asked_for(self):
        for name in ("first", "second", "third"):
            self.home.run("run", "--name", name, "[say Hello.]")
        talk = self.home.start_session("[say Hello.]", "--name", "talk", "--multi-turn")
        self.home.wait_for_event(talk, "TurnFinished")
        self.home.run("send", "--wait", "talk", "[say Again.]")
        self.home.run("run", "--name", "last", "[say Hello.]")
        self.assertEqual(self.named()[:2], ["last", "talk"])
        self.home.run("send", "--wait", "talk", "[say Once more.]")
        self.assertEqual(self.named("--sort", "active")[0], "talk")
        self.assertEqual(self.named("--sort", "cost")[0], "talk")

    def test_aliases_alone_are_of_all_sessions(self):
        for _ in range(3):
            self.home.start_session("[say Hello.]")
        self.assertEqual(len(self.home.run("ls", "-q").out.split()), 3)
        self.assertEqual(len(self.home.run("ls", "-q", "-n", "2").out.split()), 2)
        self.assertIn("say one of them", self.refused(2, "ls", "-q", "-o", "json"))

    def test_what_runs_longest_comes_first(self):
        self.home.start_session("[hang]", "--name", "long")
        short = self.home.start_session("[say Hello.]", "--name", "short")
        self.home.wait_for_end(short)
        self.assertEqual(self.named("--sort", "ran"), ["long", "short"])

    def test_what_means_nothing_is_refused(self):
        self.assertIn("known are starting, running", self.refused(2, "ls", "--status", "asleep"))
        self.assertIn("known are started, active, cost, ran, name",
                      self.refused(2, "ls", "--sort", "age"))
        self.assertIn("neither an age", self.refused(2, "ls", "--since", "yesterday"))
        self.assertIn("future", self.refused(2, "ls", "--until", "2199-01-01"))


class Waits(Reading):
    def test_it_returns_once_all_of_them_rest(self):
        home = self.home
        one = home.start_session("[delay 300] [say One.]", "--name", "one")
        two = home.start_session("[delay 300] [say Two.]", "--name", "two", "--multi-turn")
        waited = home.run("wait", "one", two, "one")
        self.assertEqual(waited.code, 0, str(waited))
        self.assertEqual(sorted(line.split()[0] for line in waited.out.splitlines()),
                         sorted([one, two]))
        self.assertEqual(home.show(one)["status"], "completed")
        self.assertTrue(home.show(two)["waiting_for_input"])
        self.assertEqual([row["name"] for row in home.ask("wait", one)["sessions"]], ["one"])

    def test_what_fails_for_one_session_leaves_the_others_alone(self):
        home = self.home
        names = [home.start_session("[hang]", "--multi-turn", "--name", f"busy-{i}")
                 for i in range(3)]
        for name in names:
            home.wait_for_event(name, "TurnStarted")
        result = home.run("interrupt", names[0], "nobody", names[1])
        self.assertEqual((result.code, result.out.splitlines()),
                         (3, [f"interrupting {names[0]}", f"interrupting {names[1]}"]))
        self.assertIn("nobody: agent main has no session 'nobody'", result.err)
        self.assertEqual(home.run("wait", names[0], names[1]).code, 0)
        closed = home.run("close", names[0], names[1], "-o", "json")
        self.assertEqual([row["alias"] for row in closed.json()], names[:2])
        self.assertEqual(home.run("wait", names[0], names[1]).code, 0)
        killed = home.run("kill", *names)
        self.assertEqual([line.split()[-2] for line in killed.out.splitlines()], names)
        self.assertEqual([home.show(name)["status"] for name in names],
                         ["completed", "completed", "killed"])

    def test_what_went_wrong_is_its_exit_code(self):
        home = self.home
        failing = home.start_session("[error]")
        self.assertEqual(home.run("wait", failing).code, 1)
        killed = home.start_session("[hang]")
        waiting = home.follow("wait", killed)
        home.run("kill", killed)
        self.assertEqual(waiting.finish().code, 1)
        self.assertIn("no session 'nobody'", self.refused(3, "wait", killed, "nobody"))
        self.assertIn("'soon' is no duration", self.refused(2, "wait", killed, "--within", "soon"))

    def test_its_time_and_ctrl_c_end_it_and_not_the_session(self):
        busy = self.home.start_session("[hang]", "--name", "busy")
        self.assertIn(f"not at rest within 200ms: {busy}",
                      self.refused(7, "wait", "busy", "--within", "200ms"))
        waiting = self.home.follow("wait", "busy")
        self.home.wait_for_event(busy, "TurnStarted")
        until(lambda: signals_taken(waiting.child.pid), "a handler of Ctrl-C")
        waiting.signal(signal.SIGINT)
        self.assertEqual(waiting.finish().code, 130)
        self.assertEqual(self.home.show(busy)["status"], "running")

    def test_it_waits_also_where_nobody_reads(self):
        busy = self.home.start_session("[hang]")
        waiting = self.home.popen(["wait", busy], stderr=subprocess.PIPE)
        waiting.stdout.close()
        self.home.wait_for_event(busy, "TurnStarted")
        self.home.run("kill", busy)
        with waiting.stderr:
            self.assertNotEqual(waiting.wait(60), 0)

    def test_what_an_agent_asks_is_told(self):
        asking = self.home.start_session("[ask] [say Done.]", "--name", "asking")
        waiting = self.home.follow("wait", "asking")
        self.assertIn(f"steno approvals {asking}", waiting.error_line("→"))
        self.home.run("approve", asking)
        self.assertEqual(waiting.finish().code, 0)

    def test_it_waits_over_a_restart_of_the_server(self):
        slow = self.home.start_session("[delay 1500] [say Late.]")
        waiting = self.home.follow("wait", slow)
        self.home.wait_for_event(slow, "TurnStarted")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        result = waiting.finish()
        self.assertEqual(result.code, 0, str(result))

    def test_logs_go_on_with_what_comes(self):
        talk = self.home.start_session("[say Early.]", "--multi-turn")
        self.home.wait_for_event(talk, "TurnFinished")
        logs = self.home.follow("logs", talk)
        while logs.line() != "Early.":
            pass
        self.home.run("send", talk, "[say Late.]")
        while logs.line() != "Late.":
            pass
        self.home.run("close", talk)
        self.assertEqual(logs.finish().code, 0)


def signals_taken(pid):
    """Says whether the process handles or blocks SIGINT itself."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        fields = dict(line.split(":\t", 1) for line in file if ":\t" in line)
    bit = 1 << (signal.SIGINT - 1)
    return bool((int(fields["SigCgt"], 16) | int(fields["SigBlk"], 16)) & bit)


if __name__ == "__main__":
    unittest.main()
