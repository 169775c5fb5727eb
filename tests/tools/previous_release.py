#!/usr/bin/env python3
"""Runs the programs of an earlier release together with those of this one: a worker that outlived
the update of its server, and a command line that was not updated yet.

Usage: tests/tools/previous_release.py FOLDER [unittest arguments]

FOLDER holds the earlier steno, steno-server, steno-keeper and steno-scripted-agent, such as those
of a checkout of 563ac3c5 built in a folder of its own. STENO_PROGRAM names this release's steno;
it is build/release/steno if unset.
"""
import os
import signal
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.dont_write_bytecode = True
os.environ.setdefault("STENO_PROGRAM", os.path.join(HERE, "..", "..", "build", "release", "steno"))
import old_logs  # noqa: E402
from steno_process import Home, program, until  # noqa: E402

OK, NOT_FOUND, CONFLICT = 0, 3, 4
# Only settings that the earlier release knows, too.
CONFIG = 'max_sessions = 20\nworker_silence_max = "1s"\nkeep_workers = true\n'
# Events of the scripted agent's sessions that 563ac3c5 did not know.
LATER = {"SlashCommandsReported", "McpServersReported", "AgentNoted", "LineageReserved",
         "LineageFreed", "PlaceAwaited", "SessionParked", "SessionUnparked", "TotalSpent"}
earlier_folder = ""


def earlier():
    return os.path.join(earlier_folder, "steno")


def program_of(pid):
    return os.path.realpath(f"/proc/{pid}/exe")


class Mixed(unittest.TestCase):
    maxDiff = 4000

    def home(self, config=CONFIG):
        home = Home(config)
        self.addCleanup(home.close)
        return home

    def succeeds(self, home, *arguments, **options):
        result = home.run(*arguments, **options)
        self.assertEqual(result.code, OK, str(result))
        return result.out

    def with_earlier(self, home, *arguments, code=OK, **options):
        """Runs a command of the earlier command line; returns its result."""
        home.program = earlier()
        try:
            result = home.run(*arguments, **options)
        finally:
            home.program = program()
        self.assertEqual(result.code, code, str(result))
        return result

    def is_whole(self, home):
        self.assertEqual(home.run("replay", "verify").code, OK)
        for row in home.ask("replay", "rebuild"):
            self.assertEqual(row["rebuilt"], row.get("live", row["rebuilt"]), str(row))


class EarlierWorker(Mixed):
    """An earlier server and its worker; then the server is this release's."""

    def updated(self, number):
        home = self.home()
        home.program = earlier()
        home.start()
        self.talk = home.start_session("[say one]", "--multi-turn", "--name", "talk")
        home.wait_for_event("talk", "TurnFinished")
        home.start_session("[hang]", "--multi-turn", "--name", "busy")
        home.wait_for_event("busy", "TurnStarted")
        self.worker = home.worker_pid()
        home.stop(number)
        home.program = program()
        home.start()
        self.assertEqual(home.worker_pid(), self.worker)
        self.assertTrue(program_of(self.worker).startswith(earlier_folder))
        self.assertFalse(program_of(home.server.child.pid).startswith(earlier_folder))
        return home

    def says(self, home, session, word):
        self.assertEqual(self.succeeds(home, "send", session, "--wait", f"[say {word}]"),
                         word + "\n")

    def goes_on(self, home):
        """Sessions of before the update, and new ones, prompted, ended in each way, resumed."""
        self.says(home, "talk", "two")
        self.succeeds(home, "interrupt", "busy")
        until(lambda: home.show("busy")["turns_interrupted"] == 1, "the end of the turn")
        self.says(home, "busy", "three")
        self.assertEqual(self.succeeds(home, "run", "--engine", "scripted",
                                       "[tools 2] [say four]"), "four\n")
        home.start_session("[hang]", "--name", "hangs")
        home.wait_for_event("hangs", "TurnStarted")
        self.succeeds(home, "kill", "hangs")
        self.assertEqual(home.wait_for_end("hangs")["status"], "killed")
        self.succeeds(home, "close", "talk")
        self.assertEqual(home.wait_for_end("talk")["status"], "completed")
        again = home.ask("resume", "talk", "[say five]")["alias"]
        self.succeeds(home, "close", again)
        row = home.wait_for_end(again)
        self.assertEqual((row["status"], row["cost_usd"] > 0), ("completed", True), str(row))
        self.assertIn("five", home.run("output", again).out)
        self.assertEqual(home.worker_pid(), self.worker)
        home.stop()
        self.is_whole(home)

    def test_it_serves_the_server_that_follows_a_stop(self):
        self.goes_on(self.updated(signal.SIGTERM))

    def test_it_serves_the_server_that_follows_a_kill(self):
        self.goes_on(self.updated(signal.SIGKILL))

    def test_what_its_agents_do_without_a_server_is_not_lost(self):
        home = self.home()
        home.program = earlier()
        home.start()
        home.start_session("[delay 300] [words 20]", "--multi-turn", "--name", "slow")
        home.wait_for_event("slow", "PartialOutputRecorded")
        home.stop(signal.SIGKILL)
        home.program = program()
        home.start()
        until(lambda: home.show("slow")["turns_finished"] == 1, "the end of the turn")
        self.assertIn("word1 word2", home.run("output", "slow").out)
        home.stop()
        self.is_whole(home)

    def test_a_restart_replaces_it_and_sessions_go_on(self):
        home = self.updated(signal.SIGTERM)
        home.stop()
        home.write_config('worker_silence_max = "1s"\n')
        os.kill(self.worker, signal.SIGTERM)
        home.start()
        until(lambda: home.worker_pid() != self.worker, "another worker")
        self.says(home, "talk", "two")
        self.assertFalse(program_of(home.worker_pid()).startswith(earlier_folder))


class EarlierCommandLine(Mixed):
    """The commands of the earlier steno, sent to this release's server."""

    def setUp(self):
        self.served = self.home().start()

    def old(self, *arguments, code=OK, **options):
        return self.with_earlier(self.served, *arguments, code=code, **options)

    def old_json(self, *arguments):
        return self.old(*arguments, "-o", "json").json()

    def spawned(self, prompt, *flags):
        return self.old_json("spawn", "--engine", "scripted", *flags, prompt)["alias"]

    def test_sessions_are_run_prompted_and_ended(self):
        out = self.old("run", "--engine", "scripted", "[tools 2] [say one]").out
        self.assertEqual(out, "one\n")
        self.spawned("[say two]", "--multi-turn", "--name", "talk")
        self.assertEqual(self.old("send", "talk", "--wait", "[say three]").out, "three\n")
        self.spawned("[hang]", "--multi-turn", "--name", "busy")
        self.served.wait_for_event("busy", "TurnStarted")
        self.old("interrupt", "busy")
        self.assertEqual(self.old("send", "busy", "--wait", "[say four]").out, "four\n")
        self.old("kill", "busy")
        self.old("close", "talk")
        self.assertEqual(self.served.wait_for_end("talk")["status"], "completed")
        again = self.old_json("resume", "talk", "[say five]")["alias"]
        self.old("close", again)
        self.assertEqual(self.served.wait_for_end(again)["status"], "completed")
        self.assertIn("five", self.old("output", again).out)
        self.assertEqual(self.old("show", "nobody", code=NOT_FOUND).out, "")

    def test_what_it_lists_is_what_this_release_lists(self):
        self.spawned("[hang]", "--multi-turn", "--name", "busy")
        self.served.wait_for_event("busy", "TurnStarted")
        self.old("interrupt", "busy")
        self.served.wait_for_event("busy", "TurnInterrupted")
        self.spawned("[tools 1] [say done]", "--name", "short")
        self.served.wait_for_end("short")
        self.spawned("[hang]", "--name", "ended")
        self.served.wait_for_event("ended", "TurnStarted")
        self.old("kill", "ended")
        self.served.wait_for_end("ended")
        rows = {row["name"]: row for row in self.served.ask("ls", "--all")["sessions"]}
        for row in self.old_json("ls", "--all")["sessions"]:
            self.assertEqual(old_logs.as_noted(rows[row["name"]], row), row)
        self.assertIn("short", self.old("ls", "--all").out)
        for name in rows:
            shown = self.old_json("show", name)["session"]
            self.assertEqual(shown["session"], rows[name]["session"])
            self.old("output", name, "--all", "-o", "jsonl")
        self.assertIn("done", self.old("output", "short").out)
        for command in (("stats",), ("attention",), ("doctor",), ("backup", "list"),
                        ("archive", "list"), ("notify", "ls"), ("schedule", "ls"), ("config",)):
            self.old(*command)
            self.old(*command, "-o", "json")

    def test_it_follows_what_happens(self):
        self.spawned("[say one]", "--multi-turn", "--name", "talk")
        self.old("send", "talk", "--wait", "[say two]")
        known = [(event["position"], event["type"]) for event in self.served.events()
                 if event["type"] not in LATER]
        lines = self.old("watch", "--all-agents", "--from", "start", "-n", str(len(known)), "-o",
                         "jsonl").lines()
        self.assertEqual([(event["position"], event["type"]) for event in lines], known)
        self.served.program = earlier()
        following = self.served.follow("output", "talk", "--follow")
        self.served.program = program()
        self.succeeds(self.served, "send", "talk", "[say three]")
        while "three" not in following.line():
            pass
        self.succeeds(self.served, "kill", "talk")
        following.finish()

    def test_copies_and_schedules_are_made(self):
        self.spawned("[say one]", "--name", "short")
        self.served.wait_for_end("short")
        self.old("backup", "create", self.served.path("copy"))
        self.old("backup", "forget", "copy")
        self.old("anchor", "create")
        self.old("anchor", "show")
        self.old("archive", "create", self.served.path("past"), "--before",
                 str(self.served.position()))
        self.old("schedule", "add", "daily", "--at", "2030-01-01 03:00", "[say hello]", "--engine", "scripted")
        self.old("schedule", "run", "daily")
        self.old("schedule", "rm", "daily")
        self.old("erase", "short", "--wait", "--yes")
        self.assertIn("[erased", self.old("output", "short").out)
        self.served.stop()
        self.is_whole(self.served)


class EarlierServer(Mixed):
    """Until its server is replaced, this release's command line finds and asks the earlier one."""

    def test_sessions_go_on_until_it_is_stopped(self):
        home = self.home('worker_silence_max = "1s"\n')
        home.program = earlier()
        home.start()
        home.program = program()
        home.start_session("[say one]", "--multi-turn", "--name", "talk")
        home.wait_for_event("talk", "TurnFinished")
        self.succeeds(home, "send", "talk", "[say two]")
        self.assertEqual([row["name"] for row in home.ask("ls")["sessions"]], ["talk"])
        until(lambda: home.show("talk")["turns_finished"] == 2, "the second turn's end")
        self.assertIn("two", home.run("output", "talk").out)
        self.succeeds(home, "kill", "talk")
        # It does not say where it listens, so it is ended by a signal.
        self.assertIn(f"kill {home.server.child.pid}", home.run("stop").err)
        self.assertEqual(home.stop(), OK)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not os.access(os.path.join(sys.argv[1], "steno-server"), os.X_OK):
        sys.exit(__doc__)
    earlier_folder = os.path.realpath(sys.argv.pop(1))
    unittest.main()
