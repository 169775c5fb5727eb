#!/usr/bin/env python3
"""Subscribers are asked over the server's socket; whoever dies, a step has one answer."""
import json
import os
import re
import signal
import subprocess
import sys
import unittest

import msgpack
import zmq

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hooks_test import ENGINE, PAGE, Hooked, table  # noqa: E402
from support.steno_process import Home, until  # noqa: E402

BLOCKS = ["/bin/sh", "-c", "echo 'Not on a Sunday.' >&2; exit 2"]
CHANGES = ["/bin/sh", "-c", """cat >> told.jsonl; echo >> told.jsonl
echo '{"hookSpecificOutput": {"updatedInput": {"command": "other"}}}'"""]
# Notes the step, and answers once it may.
WAITS = ["/bin/sh", "-c", 'echo "$STENO_STEP" >> steps; until test -e go; do sleep 0.05; done']
SETTLED_US = 5_500_000  # from then on a server waits for no subscriber to come back


def example():
    """Returns the subscriber of the page about hooks."""
    with open(PAGE, encoding="utf-8") as page:
        [program] = re.findall(r"^```python\n(.*?)^```", page.read(), re.S | re.M)
    return program


class Subscribed(Hooked):
    def start_asking(self, *tables, **settings):
        self.start(*tables, **settings)
        self.subscribers = []

    def serve(self, name, program):
        subscriber = self.home.follow("hooks", "serve", name, "--", *program)
        subscriber.error_line("steps for " + name)
        self.subscribers.append(subscriber)
        return subscriber

    def stop(self):
        for subscriber in self.subscribers:
            subscriber.signal(signal.SIGTERM)
            subscriber.child.wait()
        super().stop()

    def work(self, name):
        return os.path.join(self.home.workdir, name)

    def let_go(self):
        with open(self.work("go"), "w", encoding="utf-8"):
            pass

    def steps(self):
        if not os.path.exists(self.work("steps")):
            return []
        with open(self.work("steps"), encoding="utf-8") as file:
            return file.read().split()

    def settle(self):
        """Waits until the server waits for no subscriber to come back."""
        until(lambda: self.home.run("doctor", "-o", "json").json()["status"]["uptime_us"] > SETTLED_US,
              "the server's first seconds are over")


class Answers(Subscribed):
    def test_a_subscriber_answers_as_a_command_does(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"'))
        self.serve("guard", CHANGES)
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["other"])
        self.assertEqual(self.runs(alias), [("guard", "changed")])
        with open(self.work("told.jsonl"), encoding="utf-8") as file:
            [told] = [json.loads(line) for line in file]
        self.assertEqual((told["hook_event_name"], told["tool_input"]["command"]), ("PreToolUse", "echo 0"))
        self.assertEqual(self.home.ask("hooks", "ls")["hooks"][0]["how"], "subscriber guard")
        self.stop()

    def test_a_subscriber_blocks(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"'))
        self.serve("guard", BLOCKS)
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["Not on a Sunday."])
        self.stop()

    def test_the_example_of_the_page_is_a_subscriber(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"', on_failure="block"))
        endpoint = "ipc://" + self.home.path("run", "command.sock")
        child = subprocess.Popen([sys.executable, "-c", example(), endpoint, "guard"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        alias = self.ran("[bash rm -rf x] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["Nothing is removed here."])
        alias = self.ran("[bash ls] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["0"])
        child.kill()
        child.wait()
        self.stop()

    def test_each_step_has_one_of_two_subscribers(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"', timeout="1m"))
        for _ in range(2):
            self.serve("guard", WAITS)
        aliases = [self.home.start_session("[tools 1] [say Done.]") for _ in range(2)]
        until(lambda: len(self.steps()) == 2, "both work at once")
        self.let_go()
        for alias in aliases:
            self.home.wait_for_end(alias)
            self.assertEqual(self.runs(alias), [("guard", "passed")])
        self.assertEqual(len(set(self.steps())), 2)
        self.stop()

    def test_ends_and_news_of_sessions_are_steps_of_subscribers_too(self):
        self.start_asking(table("told", ["Notification", "SessionEnd"], 'subscriber = "told"'),
                          notify_command="true")
        self.serve("told", CHANGES)
        self.home.run("run", "--channel", "telegram|1", "[say Done.]")
        until(lambda: not self.home.ask("notify", "ls")["notifications"], "all are told")
        with open(self.work("told.jsonl"), encoding="utf-8") as file:
            points = {json.loads(line)["hook_event_name"] for line in file}
        self.assertEqual(points, {"Notification", "SessionEnd"})
        self.stop()


class Faults(Subscribed):
    def test_nobody_is_connected(self):
        self.start_asking(table("loose", "PreToolUse", 'subscriber = "loose"', timeout="5m"),
                          table("strict", "PreToolUse", 'subscriber = "strict"', timeout="5m",
                                on_failure="block", input="echo 1"))
        self.settle()
        alias = self.ran("[tools 2] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"),
                         ["0", "The hook strict failed: no subscriber strict is connected"])
        self.assertEqual({one["note"] for one in self.facts(alias, "HookRan") if one["hook"] == "loose"},
                         {"no subscriber loose is connected"})
        self.stop()

    def test_one_that_dies_in_the_middle_has_failed(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"', timeout="5m"))
        self.settle()
        subscriber = self.serve("guard", WAITS)
        alias = self.home.start_session("[tools 1] [say Done.]")
        until(self.steps, "it works")
        subscriber.signal(signal.SIGKILL)
        self.home.wait_for_end(alias)
        self.assertEqual([one["note"] for one in self.facts(alias, "HookRan")],
                         ["the subscriber guard went away before it answered"])
        self.stop()

    def test_another_one_takes_the_step_of_one_that_dies(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"', timeout="5m"))
        first = self.serve("guard", WAITS)
        alias = self.home.start_session("[tools 1] [say Done.]")
        until(self.steps, "it works")
        self.serve("guard", BLOCKS)
        first.signal(signal.SIGKILL)
        self.home.wait_for_end(alias)
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["Not on a Sunday."])
        self.assertEqual(self.runs(alias), [("guard", "blocked")])
        self.stop()

    def test_one_that_hangs_is_given_up_and_goes_on(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"', timeout="500ms"))
        self.serve("guard", WAITS)
        alias = self.ran("[tools 1] [say Done.]")
        self.assertIn("guard did not answer within 500 ms", self.facts(alias, "HookRan")[0]["note"])
        self.let_go()
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual(self.runs(alias), [("guard", "passed")])
        self.stop()

    def test_an_answer_that_is_none_is_a_failure(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"'))
        subscriber = self.serve("guard", ["/bin/sh", "-c", "echo boom >&2; exit 3"])
        alias = self.ran("[tools 1] [say Done.]")
        [ran] = self.facts(alias, "HookRan")
        self.assertEqual((ran["outcome"], ran["note"]), ("failed", "it ended with code 3"))
        self.assertIn("boom", subscriber.error_line("exit code 3"))
        subscriber.signal(signal.SIGTERM)
        subscriber.child.wait()
        self.serve("guard", ["/bin/sh", "-c", "yes | head -c 2000000"])
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual(self.runs(alias), [("guard", "failed")])
        self.assertIn("its answer has more than 1 MiB", self.home.run("output", alias).out)
        self.stop()


class Kills(Subscribed):
    def test_a_step_is_asked_again_after_the_server_was_killed_in_the_middle(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"', timeout="2m",
                                on_failure="block"))
        self.serve("guard", WAITS)
        alias = self.home.start_session("[tools 1] [say Done.]")
        until(self.steps, "it works")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.let_go()
        self.home.wait_for_end(alias)
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["0"])
        self.assertEqual(self.runs(alias), [("guard", "passed")])
        self.assertEqual([one["end"] for one in self.facts(alias, "AskClosed")], ["told"])
        self.assertEqual(len(self.steps()), 2)
        self.assertEqual(len(set(self.steps())), 1)
        self.stop()

    def test_a_step_waits_for_a_subscriber_that_died_with_the_server(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"', timeout="5m"))
        subscriber = self.serve("guard", WAITS)
        alias = self.home.start_session("[tools 1] [say Done.]")
        until(self.steps, "it works")
        subscriber.signal(signal.SIGKILL)
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.settle()
        self.assertEqual(self.facts(alias, "HookRan"), [])
        self.serve("guard", BLOCKS)
        self.home.wait_for_end(alias)
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["Not on a Sunday."])
        self.stop()


class Strangers(Subscribed):
    def wish(self, body, **hello):
        """Asks for a step on a connection that says hello so; returns the connection."""
        socket = zmq.Context.instance().socket(zmq.DEALER)
        self.addCleanup(socket.close, 0)
        socket.connect("ipc://" + self.home.path("run", "command.sock"))
        hello = {"protocol_lowest": 1, "protocol_highest": 1, **hello}
        socket.send(msgpack.packb(["hello", hello]))
        socket.send(msgpack.packb(["request", {"id": os.urandom(16), "verb": "hook_step", "body": body}]))
        return socket

    def reply(self, socket):
        while socket.poll(60_000):
            kind, reply = msgpack.unpackb(socket.recv())
            if kind == "reply":
                return reply
        raise AssertionError("no reply")

    def refusal(self, body, **hello):
        reply = self.reply(self.wish(body, **hello))
        return reply["code"], reply["text"]

    def test_who_is_no_subscriber_is_told_why(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"'))
        for body, hello, code, words in (
                ({}, {}, "refused", "say hello with the role 'hook'"),
                ({}, {"role": "hook", "scope": "main"}, "refused", "acts for agent 'main' only"),
                ({"asked": 7}, {"role": "hook"}, "invalid", "asked"),
                ({"output": "x" * 2_000_000}, {"role": "hook"}, "too_large", "of 1114112 at most")):
            refusal = self.refusal(body, name="guard", **hello)
            self.assertEqual(refusal[0], code)
            self.assertIn(words, refusal[1])
        served = self.home.run("hooks", "serve", "other", "--", "true")
        self.assertEqual(served.code, 3, str(served))
        self.assertIn("no hook of the settings has the subscriber 'other'", served.err)
        self.stop()

    def test_there_are_so_many_at_most(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"'))
        replies = [self.reply(one) for one in [self.wish({}, name="guard", role="hook") for _ in range(65)]]
        self.assertEqual(sorted(reply.get("code", "") for reply in replies), [""] * 64 + ["busy"])
        self.stop()

    def test_an_agents_program_is_none(self):
        self.start_asking(table("guard", "PreToolUse", 'subscriber = "guard"'))
        alias = self.ran("[say Done.]")
        served = self.home.run("hooks", "serve", "guard", "--", "true",
                               environment={"STENO_SESSION": self.home.show(alias)["session"]})
        self.assertEqual(served.code, 5, str(served))
        self.assertIn("an agent's programs are no hooks", served.err)
        self.stop()

    def test_a_wrong_setting_is_named(self):
        for words, tables in {
                "'Guard!' is not accepted": table("a", "Stop", 'subscriber = "Guard!"'),
                "has several of command": table("a", "Stop", 'subscriber = "a"\ncommand = "true"')}.items():
            with Home(ENGINE + tables) as home:
                ran = home.run("serve")
                self.assertEqual(ran.code, 2, (words, str(ran)))
                self.assertIn(words, ran.err)


if __name__ == "__main__":
    unittest.main()
