#!/usr/bin/env python3
"""Lists show what is asked for and change as sessions do, `output` shows turns, `show` groups,
`stats` a window of time, `wait` returns once sessions rest, and `logs` goes on with one."""
import os
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402
from support.terminal import EARLIER_SCREEN, OWN_SCREEN, Terminal  # noqa: E402


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
        self.assertEqual(home.run("label", "talk", "--remove", "urgent", "release 3").out,
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

    def test_what_stands_behind_a_label_or_a_kind_is_no_further_one(self):
        home = self.home
        ran = home.run("run", "--label", "dull", "--label", "release 3", "[say Hello.]")
        self.assertEqual((ran.code, ran.out), (0, "Hello.\n"), str(ran))
        self.assertEqual(home.ask("ls", "--label", "dull")["sessions"][0]["labels"],
                         ["dull", "release 3"])
        home.run("conv", "send", "telegram:group:42", "--wait", "[say Hello.]")
        [row] = home.ask("conv", "ls", "--kind", "group", "telegram")["conversations"]
        self.assertEqual(row["key"], "agent:main:telegram:group:42")
        pruned = home.run("conv", "prune", "--unused", "90d", "--kind", "group", "telegram")
        self.assertEqual(pruned.code, 0, str(pruned))

    def test_a_session_is_given_another_name(self):
        home = self.home
        alias = home.start_session("fix the login page", "--multi-turn")
        other = home.start_session("[say Hello.]", "--multi-turn", "--name", "other")
        self.assertEqual(home.show("fix-login-page")["alias"], alias)
        self.assertEqual(home.run("rename", "fix-login-page", "login").out,
                         f"fix-login-page [{alias}] is called login now\n")
        self.assertEqual(home.show("login")["alias"], alias)
        self.assertEqual(self.named("--name", "log*"), ["login"])
        self.refused(3, "show", "fix-login-page")
        self.assertIn(f"is that of session {other}", self.refused(4, "rename", "login", "other"))
        for bad in ("", "x" * 65, "two\nlines", "@self", alias):
            self.refused(2, "rename", "login", bad)
        self.refused(3, "rename", "nobody", "somebody")
        self.assertEqual(home.ask("rename", alias, "log in")["was"], "login")
        home.run("kill", alias)
        said = home.run("chat", "--sender", "telegram|1", "--chat-senders", "telegram|1",
                        f"/rename {alias} the old login")
        self.assertEqual(said.code, 0, str(said))
        self.assertEqual((home.show("the old login")["alias"], home.show(alias)["name"]),
                         (alias, "the old login"))
        home.run("rename", "other", "login")
        again = home.ask("resume", alias, "[say Hello.]")
        self.assertEqual(again["name"], "the old login")
        self.assertEqual(home.stop(), 0)
        home.start()
        self.assertEqual(home.show("login")["alias"], other)

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

    def test_short_flags_are_those_of_other_lists(self):
        home = self.home
        for name in ("one", "two"):
            home.run("run", "--name", name, "[say Hello.]")
        home.run("run", "--name", "other", "--agent", "ci", "[say Hello.]")
        self.assertEqual(self.named("-a"), ["two", "one"])
        self.assertEqual(len(home.run("ls", "-aq").out.split()), 2)
        self.assertEqual(self.named("--limit", "1"), ["two"])
        self.refused(2, "ls", "-a", "--limit", "1")
        rows = home.ask("ls", "-A")["sessions"]
        self.assertEqual([row["agent"] for row in rows], ["ci", "main", "main"])
        self.assertIn("draws on a terminal", self.refused(2, "ls", "-w"))
        for command in (("attention",), ("approvals",), ("rules", "ls"), ("conv", "ls"),
                        ("search", "Hello"), ("stats",)):
            self.assertEqual(home.run(*command, "-A").code, 0, command)
        home.run("conv", "send", "main", "--wait", "[say Hello.]")
        self.assertEqual(len(home.ask("conv", "ls", "-n", "1")["conversations"]), 1)

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
        [row] = home.ask("wait", one)["sessions"]
        self.assertEqual((row["name"], row["answer"], row["denied"]), ("one", "One.", 0))
        self.assertEqual(row["cost_usd"], home.show(one)["cost_usd"])
        self.assertEqual([row["answer"] for row in home.run("wait", two, "-o", "jsonl").lines()],
                         ["Two."])

    def test_programs_are_told_the_answer_the_cost_and_what_was_denied(self):
        home = self.home
        flags = ("--approvals", "deny", "[tools 1] [ask] [say Sorry.]")
        ran = home.run("run", "-o", "json", "--name", "barred", *flags)
        self.assertEqual(ran.code, 5)
        ran = ran.json()
        self.assertEqual((ran["answer"], ran["denied"]), ("Sorry.", ["Bash"]))
        self.assertGreater(float(ran["session"]["cost_usd"]), 0)
        [row] = home.ask("wait", "barred")["sessions"]
        self.assertEqual((row["answer"], row["denied"], row["denied_tools"], row["cost_usd"]),
                         ("Sorry.", 1, ["Bash"], ran["session"]["cost_usd"]))

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

    def test_the_time_of_an_answer_is_not_taken_for_that_of_the_waiting(self):
        done = self.home.start_session("[say Done.]")
        self.home.wait_for_end(done)
        told = "--within ends the waiting"
        self.assertIn(told, self.home.run("wait", done, "--timeout", "5s").err)
        for flags in (("--timeout", "5s", "--within", "5s"), ()):
            self.assertNotIn(told, self.home.run("wait", done, *flags).err)
        self.assertNotIn(told, self.home.run("wait", done, environment={
            **self.home.environment, "STENO_TIMEOUT": "5s"}).err)

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
        files = f"/proc/{waiting.child.pid}/fd"
        until(lambda: any("socket:" in os.path.realpath(os.path.join(files, name))
                          for name in os.listdir(files)), "that it has found the server")
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


    def test_logs_take_the_flags_of_other_programs(self):
        talk = self.home.start_session("[tools 1] [say Early.]", "--multi-turn")
        self.home.wait_for_event(talk, "TurnFinished")
        self.home.run("send", talk, "--wait", "[say Late.]")
        self.assertEqual(self.home.run("output", talk, "--tail", "1").out, "Late.\n")
        self.assertEqual(self.home.run("output", talk, "--tail=1").out,
                         self.home.run("output", talk, "-n", "1").out)
        self.refused(2, "output", talk, "--tail", "1", "--all")
        logs = self.home.follow("logs", "-f", talk, "--tail=1")
        self.assertEqual(logs.line(), "Late.")
        self.home.run("send", talk, "[say Later.]")
        while logs.line() != "Later.":
            pass
        self.home.run("close", talk)
        self.assertEqual(logs.finish().code, 0)

    def test_run_and_resume_have_the_short_flags(self):
        home = self.home
        begun = home.run("run", "-d", "--name", "away", "[say Hello.]")
        self.assertEqual(begun.code, 0, str(begun))
        self.assertIn("away", begun.out)
        home.wait_for_end("away")
        self.assertEqual(home.run("resume", "away", "-f", "[say Again.]").out, "Again.\n")


class Watched(Reading):
    def test_events_since_a_time(self):
        home = self.home
        home.run("run", "--name", "early", "[say A.]")
        talk = home.start_session("[say B.]", "--multi-turn", "--name", "talk")
        home.wait_for_event(talk, "TurnFinished")
        home.run("close", "talk")
        home.run("wait", "talk")
        known = [event for event in home.events() if event["stream"].startswith("main/")]
        first = next(event for event in known if event["type"] == "SessionOpened"
                     and event["facts"]["alias"] == talk)
        later = [event for event in known if event["time"] >= first["time"]]
        seen = home.run("watch", "--since", first["time"], "-n", str(len(later)), "-o", "jsonl")
        self.assertEqual([event["position"] for event in seen.lines()],
                         [event["position"] for event in later])
        own = home.run("watch", "talk", "--since", "1970-01-01", "-o", "jsonl").lines()
        self.assertEqual(own, home.run("watch", "talk", "--from", "start", "-o", "jsonl").lines())
        self.assertEqual(home.run("watch", "--since", "1h", "-n", "1", "-o", "jsonl").lines()[0]
                         ["position"], known[0]["position"])
        watching = home.follow("watch", "--since", "0s", "-o", "jsonl")
        home.run("run", "--name", "late", "[say C.]")
        while '"late"' not in watching.line():
            pass
        watching.close()

    def test_what_is_no_time_is_refused(self):
        self.assertIn("neither an age", self.refused(2, "watch", "--since", "soon"))
        self.assertIn("future", self.refused(2, "watch", "--since", "2199-01-01"))
        self.refused(2, "watch", "--since", "1h", "--from", "start")
        self.refused(2, "watch", "--since", "1h", "--attention")


class Turns(Reading):
    def setUp(self):
        super().setUp()
        self.talk = self.home.start_session("[tools 1] [say One.] first", "--multi-turn",
                                            "--name", "talk")
        self.home.wait_for_event(self.talk, "TurnFinished")
        self.home.run("send", "--wait", "talk", "[error] second")
        self.home.run("continue", "talk")
        self.home.run("send", "--wait", "talk", "[say Three.] third")

    def kinds(self, *flags):
        return [item["kind"] for item in self.home.ask("output", "talk", *flags)["items"]]

    def test_a_turn_is_printed_alone(self):
        home = self.home
        self.assertEqual(home.run("output", "talk", "--turn", "1").out,
                         "> [tools 1] [say One.] first\n🔧 Bash — echo 0\nOne.\n")
        for flags in (("--last",), ("--turn", "3"), ("--turn", "-1")):
            self.assertEqual(home.run("output", "talk", *flags).out,
                             "> [say Three.] third\nThree.\n")
        self.assertIn("❌", home.run("output", "talk", "--turn", "-2").out)
        self.assertEqual(home.run("output", "talk", "--last", "--kind", "said").out, "Three.\n")
        turns = {item["turn"] for item in home.ask("output", "talk", "--turn", "2")["items"]}
        self.assertEqual(len(turns), 1)
        self.assertEqual(home.run("output", "talk", "--turn", "2", "-o", "jsonl").lines(),
                         home.ask("output", "talk", "--turn", "2")["items"])

    def test_what_is_not_there_is_refused(self):
        self.assertIn("talk has had 3 turns, and no turn 4",
                      self.refused(3, "output", "talk", "--turn", "4"))
        self.assertIn("no turn -4", self.refused(3, "output", "talk", "--turn", "-4"))
        self.assertIn("counted from 1", self.refused(2, "output", "talk", "--turn", "0"))
        for flags in (("--turn", "1", "--last"), ("--last", "--all"), ("--turn", "1", "--follow"),
                      ("--last", "-n", "3")):
            self.refused(2, "output", "talk", *flags)
        self.assertIn("neither an age", self.refused(2, "output", "talk", "--since", "soon"))
        self.refused(3, "output", "nobody", "--last")

    def test_what_was_said_since_a_time(self):
        items = self.home.ask("output", "talk")["items"]
        later = [item for item in items if item["time"] >= items[-1]["time"]]
        self.assertEqual(self.home.ask("output", "talk", "--since", items[-1]["time"])["items"],
                         later)
        self.assertEqual(self.home.ask("output", "talk", "--since", "1h")["items"], items)
        for flags in (("-n", "1"), ("-n", "2"), ("-n", "100")):
            last = self.home.ask("output", "talk", *flags)["items"]
            self.assertEqual(self.home.ask("output", "talk", "--since", "1h", *flags)["items"],
                             last)
            self.assertEqual(
                self.home.ask("output", "talk", "--since", items[-1]["time"], *flags)["items"],
                [item for item in last if item in later])
        self.home.run("send", "talk", "[hang]")
        self.home.wait_for_event(self.talk, "TurnStarted")
        logs = self.home.follow("logs", "talk", "--since", items[-1]["time"])
        until(lambda: logs.line() == "> [hang]", "the last prompt")
        self.home.run("interrupt", "talk")
        self.home.run("close", "talk")
        logs.finish()

    def test_pipes_and_programs_get_what_they_got(self):
        plain = self.home.run("output", "talk").out
        self.assertNotIn("──", plain)
        self.assertNotIn("ended", self.kinds())
        self.assertEqual(self.kinds("--turns").count("ended"), 2)  # the failed one is a failure
        self.assertEqual([kind for kind in self.kinds("--turns") if kind != "ended"], self.kinds())
        framed = self.home.run("output", "talk", "--turns").out
        rest = [line for line in framed.splitlines()
                if line and not line.startswith(("──", "("))]
        self.assertEqual(rest, plain.splitlines())

    def test_a_conversation_is_framed(self):
        framed = self.home.run("output", "talk", "--turns").out
        heads = re.findall(r"^── turn (\d), [-\dT:]+Z$", framed, re.M)
        self.assertEqual(heads, ["1", "2", "3"])
        ends = re.findall(r"^\(\d+s, \d+ in, \d+ out tokens, \$[\d.]+\)$", framed, re.M)
        self.assertEqual(len(ends), 3, framed)
        self.assertEqual(re.findall(r"── turn (\d)",
                                    self.home.run("output", "talk", "--turns", "-n", "1").out),
                         ["3"])
        self.home.run("send", "talk", "[hang] [say Never.] fourth")
        self.home.run("send", "talk", "fifth")
        until(lambda: self.home.show("talk")["turn"], "a turn that runs")
        framed = self.home.run("output", "talk", "--turns").out
        self.assertRegex(framed, r"── turn 4, .*\n> \[hang\].*\n\(at work for \d+s\)\n\n"
                                 r"\(queued\) > fifth\n$")
        self.assertRegex(self.home.run("output", "talk", "--turns", "--last").out,
                         r"\n\(at work for \d+s\)\n$")
        self.home.run("interrupt", "talk")

    def test_a_terminal_shows_turns_and_markdown(self):
        said = "# Done\\n**Both** of `a` and b\\n"
        self.home.run("send", "--wait", "talk", "[say " + said.replace("\\n", " ") + "]\nof two")
        code, seen = self.home.on_terminal(["output", "talk"], [])
        self.assertEqual(code, 0)
        self.assertRegex(seen, r"\x1b\[2m── turn 4, \d\d:\d\d\x1b\[22m")
        self.assertIn("\r\n> of two\r\n", seen)
        self.assertIn("\x1b[1m# Done **Both** of `a` and b \x1b[22m", seen)
        self.home.environment["NO_COLOR"] = "1"
        code, seen = self.home.on_terminal(["output", "talk"], [])
        self.assertNotIn("\x1b", seen)
        self.assertIn("── turn 4", seen)

    def test_hostile_text_reaches_no_terminal(self):
        self.home.run("send", "--wait", "talk", "[say **\x1b]0;x\x07** `\x1b[2J`]")
        _, seen = self.home.on_terminal(["output", "talk", "--last"], [])
        self.assertNotIn("\x1b]", seen)
        self.assertNotIn("\x1b[2J", seen)


class Narrow(Reading):
    """What matters is seen on a terminal of 80 columns."""

    def shown(self, *arguments, command, columns=80):
        terminal = Terminal(self.home, *arguments, command=command, columns=columns)
        self.assertEqual(terminal.end(), 0, terminal.seen)
        return terminal.seen.replace("\r\n", "\n")

    def test_the_command_that_helps_is_whole(self):
        alias = self.home.start_session("[tools 1] [ask] [say D.]", "--approvals", "deny",
                                        "--name", "barred-from-all-that-it-wants")
        self.home.wait_for_end(alias)
        helps = f"steno resume {alias} --allow-tool Bash"
        narrow = self.shown(command="attention")
        self.assertIn(f"\n  → {helps}\n", narrow)
        self.assertNotIn("NEXT", narrow)
        self.assertLessEqual(max(map(len, narrow.splitlines())), 80)
        wide = self.shown(command="attention", columns=200)
        self.assertRegex(wide, rf"SINCE  NEXT\n{alias} .* {helps}\n$")

    def test_what_became_of_a_schedule_is_seen(self):
        name = "look-after-the-dependencies"
        added = self.home.run("schedule", "add", name, "--cron", "0 9 * * 1-5", "--zone",
                              "Europe/Berlin", "[say fine] and with many words")
        self.assertEqual(added.code, 0, str(added))
        self.assertEqual(self.home.run("schedule", "run", name).code, 0)
        until(lambda: " completed $" in self.home.run("schedule", "log", name).out, "its end")
        narrow = self.shown("ls", command="schedule")
        self.assertRegex(narrow, r"\nlook-after.* 1  completed \$0\.\d")
        self.assertLessEqual(max(map(len, narrow.splitlines())), 80)
        wide = self.shown("ls", command="schedule", columns=200)
        self.assertRegex(wide, r" 1  completed \$[\d.]+ \(\d\d:\d\d\)  \w+  \[say fine\]")


class Misspelt(Reading):
    def test_the_session_that_was_meant_is_named(self):
        self.home.run("run", "--name", "weekly", "[say A.]")
        for command in (("show", "wekly"), ("output", "weeky"), ("send", "weekley", "x")):
            self.assertIn("; did you mean weekly?", self.refused(3, *command))
        self.assertNotIn("mean", self.refused(3, "show", "nightly"))
        self.assertNotIn("mean", self.refused(3, "show", "wekly", "-o", "json"))


class Groups(Reading):
    TITLES = ["THE SESSION", "NOW", "LIMITS AND MONEY", "TURNS", "SETTINGS", "PROCESS AND RECORD",
              "TEXTS"]

    def test_a_session_is_shown_in_groups(self):
        talk = self.home.start_session("[say Hello.]", "--multi-turn", "--budget-usd", "1")
        self.home.wait_for_event(talk, "TurnFinished")
        text = self.home.run("show", talk).out
        groups = text.split("\n\n")
        self.assertEqual([group.splitlines()[0] for group in groups], self.TITLES)
        of_now, of_money = groups[1], groups[2]
        self.assertIn("status         running, waiting", of_now)
        self.assertRegex(of_money, r"(?m)^budget +\$1.0000, spent \$0.0008")
        self.assertNotIn("\x1b", text)
        _, seen = self.home.on_terminal(["show", talk], [])
        self.assertIn("\x1b[1mNOW\x1b[22m\r\n", seen)


class Windows(Reading):
    def totals(self, *flags):
        return self.home.ask("stats", *flags)

    def test_a_window_counts_what_happened_in_it(self):
        home = self.home
        home.run("run", "--name", "early", "[say A.]")
        talk = home.start_session("[cost 0.5] [say B.]", "--multi-turn", "--name", "talk")
        home.wait_for_event(talk, "TurnFinished")
        cut = home.show(talk)["updated_at"]
        home.run("send", "--wait", "talk", "[cost 0.25] [say C.]")
        home.run("run", "--name", "late", "[error]")
        home.run("close", "talk")
        home.run("wait", "talk")
        whole = self.totals()
        ever = self.totals("--since", "1970-01-01")
        events = [event for event in home.events() if event["stream"].startswith("main/")]
        self.assertEqual({name: ever[name] for name in whole}, whole)
        self.assertEqual((ever["from"], ever["since"]), (events[0]["position"], None))
        first = next(event for event in events if event["time"] > cut)
        last = [event for event in events if event["time"] <= cut][-1]
        late = self.totals("--since", first["time"])
        early = self.totals("--until", first["time"])
        self.assertEqual((late["from"], early["through"]), (first["position"], last["position"]))
        self.assertEqual((late["through"], early["from"]),
                         (events[-1]["position"], events[0]["position"]))
        self.assertEqual((early["totals"]["launched"], early["live"]), (2, 1))
        self.assertEqual((late["totals"]["launched"], late["live"]), (1, 0))
        self.assertEqual((late["totals"]["completed"], late["totals"]["failed"]), (1, 1))
        for name in ("launched", "completed", "failed", "killed", "denied", "duration_ms",
                     "sessions_with_duration"):
            self.assertEqual(early["totals"][name] + late["totals"][name], whole["totals"][name],
                             name)
        self.assertAlmostEqual(
            float(early["totals"]["cost_usd"]) + float(late["totals"]["cost_usd"]),
            float(whole["totals"]["cost_usd"]))
        # It was opened before, and its name is known.
        self.assertEqual(late["totals"]["most_expensive"]["name"], "talk")
        self.assertEqual(self.totals("--since", "1h", "--all-agents")["totals"], whole["totals"])
        empty = self.totals("--until", "2001-01-01")
        self.assertEqual((empty["totals"]["launched"], empty["from"], empty["through"]), (0, 0, 0))

    def test_people_are_told_which_window_it_is(self):
        self.home.run("run", "[say A.]")
        text = self.home.run("stats", "--since", "1h").out
        self.assertRegex(text, r"^window +\d{4}-\d\d-\d\dT[\d:]+Z to \d{4}-\d\d-\d\dT[\d:]+Z, "
                               r"positions \d+ to \d+\nlaunched +1\n")
        self.assertRegex(self.home.run("stats", "--until", "2001-01-01").out,
                         "^window +the beginning to 2001-01-01T00:00:00Z, without events\n")

    def test_what_is_no_window_is_refused(self):
        self.assertIn("before --until",
                      self.refused(2, "stats", "--since", "1h", "--until", "2h"))
        self.assertIn("neither an age", self.refused(2, "stats", "--since", "soon"))
        self.assertIn("Prometheus", self.refused(2, "stats", "--since", "1h", "-o", "prometheus"))

    def test_what_was_archived_is_missed(self):
        home = self.home
        home.run("run", "[say A.]")
        home.run("archive", "create", home.path("old"), "--before", str(home.position()))
        self.assertIn("is in the archive old", self.refused(3, "stats", "--since", "1h"))
        later = home.start_session("[say B.]")
        opened = home.wait_for_end(later)["created_at"]
        self.assertEqual(self.totals("--since", opened)["totals"]["completed"], 1)


class WatchedLists(Reading):
    def test_it_is_drawn_as_sessions_change(self):
        home = self.home
        busy = home.start_session("[hang]", "--name", "busy")
        home.wait_for_event(busy, "TurnStarted")
        screen = Terminal(home, "--watch", command="ls")
        screen.see(OWN_SCREEN)
        screen.see("busy")
        screen.see("Ctrl-C ends")
        home.start_session("[hang]", "--name", "another")
        screen.see("another")
        home.run("kill", "busy")
        screen.see("killed")
        screen.type("\x03")
        self.assertEqual(screen.end(), 130)
        self.assertTrue(screen.seen.rstrip().endswith(EARLIER_SCREEN), screen.seen)

    def test_it_says_how_many_there_are(self):
        for name in ("one", "two", "three"):
            self.home.run("run", "--name", name, "[say A.]")
        screen = Terminal(self.home, "--watch", "-n", "2", command="ls")
        screen.see("2 of 3; Ctrl-C ends")
        screen.type("\x03")
        self.assertEqual(screen.end(), 130)

    def test_a_new_size_is_drawn_without_news(self):
        for name in ("one", "two", "three"):
            self.home.run("run", "--name", name, "[say A.]")
        screen = Terminal(self.home, "--watch", command="ls")
        screen.see("Ctrl-C ends")
        screen.resize(4, 80)
        screen.see("1 of 3; Ctrl-C ends")
        screen.type("\x03")
        self.assertEqual(screen.end(), 130)

    def test_ctrl_z_leaves_the_screen_for_a_while(self):
        self.home.start_session("[hang]", "--name", "busy")
        screen = Terminal(self.home, "--watch", command="ls")
        screen.see("busy")
        screen.type("\x1a")  # no shell is there to let it go on, so it goes on at once
        for words in (EARLIER_SCREEN, OWN_SCREEN, "busy"):
            screen.see(words)
        screen.type("\x03")
        self.assertEqual(screen.end(), 130)

    def test_it_goes_on_over_a_restart_of_the_server(self):
        screen = Terminal(self.home, "--watch", command="ls")
        screen.see("no sessions")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.home.start_session("[say A.]", "--name", "fresh")
        screen.see("fresh")
        screen.type("\x03")
        self.assertEqual(screen.end(), 130)

    def test_without_a_terminal_it_is_refused(self):
        self.assertIn("steno watch prints events", self.refused(2, "ls", "--watch"))
        for flags in (("-o", "json"), ("-q",)):
            code, seen = self.home.on_terminal(["ls", "--watch", *flags], [])
            self.assertEqual(code, 2)
            self.assertIn("steno watch", seen)


def signals_taken(pid):
    """Says whether the process blocks SIGINT and reads it instead. A thread that is being created
    blocks it, too, for a moment."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        fields = dict(line.split(":\t", 1) for line in file if ":\t" in line)
    folder = f"/proc/{pid}/fd"
    is_read = any(os.readlink(os.path.join(folder, fd)) == "anon_inode:[signalfd]"
                  for fd in os.listdir(folder))
    return is_read and bool(int(fields["SigBlk"], 16) & (1 << (signal.SIGINT - 1)))


if __name__ == "__main__":
    unittest.main()
