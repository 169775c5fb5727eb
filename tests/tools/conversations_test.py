#!/usr/bin/env python3
"""Conversations: messages reach an agent in their order, once, over kills, resets and undos."""
import json
import os
import signal
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402

MAIN = "agent:main:main"


class Conversing(unittest.TestCase):
    CONFIG = 'engine = "scripted"\n'

    def setUp(self):
        self.home = Home(self.CONFIG)
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())
        self.assertEqual(self.home.run("replay", "verify").code, 0)

    def conv(self, *arguments, code=0):
        result = self.home.run("conv", *arguments)
        self.assertEqual(result.code, code, str(result))
        return result.out if code == 0 else result.err

    def shown(self, key="main"):
        return json.loads(self.home.run("-o", "json", "conv", "show", key).out)

    def rests(self, key="main"):
        def is_at_rest():
            shown = self.shown(key)
            return not shown.get("run") and not shown["waiting"]
        until(is_at_rest, f"the end of what {key} runs")
        return self.shown(key)

    def events(self, kind):
        return [event for event in self.home.events() if event["type"] == kind]

    def prompts(self):
        return [event["content"] for event in self.events("TurnQueued")]

    def sessions(self):
        return self.home.ask("ls")["sessions"]


class Talking(Conversing):
    # Shows R106, R107, R111, R112.
    def test_a_conversation_begins_with_a_message_and_stays_in_its_session(self):
        self.assertIn("there are no conversations", self.home.run("conv", "ls").err)
        self.assertEqual(self.conv("send", "main", "[say Hello.] hi"), f"{MAIN}: received\n")
        self.rests()
        self.conv("send", "main", "[say Again.] more")
        shown = self.rests()
        self.assertEqual((shown["messages"], shown["runs"]), (2, 2))
        self.assertEqual(self.prompts(), ["[say Hello.] hi", "[say Again.] more"])
        [session] = self.sessions()
        self.assertEqual(session["session"], shown["session"])
        self.assertEqual(session["descriptor"]["conversation"], MAIN)
        self.assertIn(MAIN, self.conv("ls"))
        self.assertIn("messages  2 in 2 runs", self.conv("show", "main"))

    # Shows R170, R247, R249.
    def test_what_comes_while_the_agent_works_is_one_prompt(self):
        self.conv("send", "main", "[delay 1500] [say One.] first")
        until(lambda: self.shown()["runs"] == 1, "the first run")
        self.assertIn("1 message waits for the agent", self.conv("send", "main", "second"))
        self.assertIn("2 messages wait for the agent", self.conv("send", "main", "third"))
        self.rests()
        self.assertEqual(self.prompts()[1],
                         "[Queued messages while agent was busy]\n\n---\nQueued #1\nsecond\n\n"
                         "---\nQueued #2\nthird")

    # Shows R098.
    def test_the_queue_can_be_told_to_take_one_after_the_other(self):
        self.assertEqual(self.conv("send", "main", "/queue followup debounce:0"),
                         f"changed {MAIN}\n")
        for text in ("[delay 800] one", "two", "three"):
            self.conv("send", "main", text)
        self.rests()
        self.assertEqual(self.prompts(), ["[delay 800] one", "two", "three"])
        self.assertEqual(self.shown()["entry"], {"queueDebounceMs": "0", "queueMode": "followup"})

    # Shows R109, R114, C25, C29.
    def test_a_reset_begins_another_session_and_can_be_undone(self):
        self.conv("send", "main", "[say One.] one")
        first = self.rests()["session"]
        self.conv("send", "main", "/new [say Two.] two")
        shown = self.rests()
        self.assertNotEqual(shown["session"], first)
        self.assertEqual([(past["session"], past["reason"]) for past in shown["past"]],
                         [(first, "trigger")])
        # What was left stays listed, and comes to its end.
        until(lambda: {one["session"]: one["status"] for one in self.sessions()}[first] ==
              "completed", "the end of the first session")
        self.assertEqual(self.conv("undo", "main"), f"undid the reset of {MAIN}\n")
        self.conv("send", "main", "[say Three.] three")
        last = self.rests()["session"]
        [opened] = [event for event in self.events("SessionOpened")
                    if event["facts"]["session"] == last]
        self.assertEqual(opened["facts"]["resumed_from"], first)
        self.assertIn("no reset", self.conv("undo", "main", code=4))

    def test_a_stop_ends_what_runs_and_what_waits(self):
        self.conv("send", "main", "[delay 60000] long")
        until(lambda: self.shown()["runs"] == 1, "the run")
        self.conv("send", "main", "waits")
        self.assertEqual(self.conv("send", "main", "stop"), f"stopped {MAIN}\n")
        self.rests()
        [ended] = self.events("MessagesEnded")
        self.assertEqual(ended["facts"]["end"], "stopped")
        [run] = self.events("ConversationRunEnded")
        self.assertEqual(run["facts"]["outcome"], "interrupted")

    def test_a_message_that_comes_twice_counts_once(self):
        for _ in range(2):
            self.conv("send", "telegram:group:42", "[say Hi.] hello", "--channel", "telegram|42",
                      "--from", "ada", "--id", "m1")
        shown = self.rests("telegram:group:42")
        self.assertEqual((shown["messages"], shown["last_route"]["channel"]), (1, "telegram"))

    def test_what_nobody_may_do_changes_nothing(self):
        self.conv("send", "main", "[say Hi.] hello")
        self.rests()
        for setting, said in (("x=1", "has no setting 'x'"),
                              ("sendPolicy=maybe", "accepted are allow and deny"),
                              ("queueCap=-1", "a whole number from 0 to 1000"),
                              ("label", "no NAME=VALUE")):
            self.assertIn(said, self.conv("set", "main", "subject=ok", setting, code=2))
        self.assertEqual(self.shown()["entry"], {})
        self.conv("set", "main", "label=home", "thinkingLevel=med")
        self.assertEqual(self.shown()["entry"], {"label": "home", "thinkingLevel": "medium"})
        self.conv("set", "main", "label=")
        self.assertEqual(self.shown()["entry"], {"thinkingLevel": "medium"})
        self.assertIn("cannot be deleted", self.conv("rm", "main", code=5))
        self.assertIn("there is no conversation", self.conv("show", "nobody", code=3))
        self.assertIn("session key", self.conv("send", "agent:x", "hello", code=2))


class Kills(Conversing):
    # Shows C09, C22, N14, N27.
    def test_nothing_that_was_accepted_is_lost_or_doubled_over_kills_of_the_server(self):
        self.conv("send", "main", "/queue followup debounce:0")
        texts = [f"[delay 200] [say Done {i}.] message {i}" for i in range(8)]
        sent = threading.Thread(target=lambda: [self.sent_again(text, f"m{i}")
                                                for i, text in enumerate(texts)])
        sent.start()
        for _ in range(3):
            until(lambda: True, "nothing")
            self.home.stop(signal.SIGKILL)
            self.home.start()
        sent.join()
        self.rests()
        self.assertEqual(self.prompts(), texts)
        self.assertEqual(len(self.events("MessageReceived")), len(texts))

    def sent_again(self, text, name):
        """Sends the message until the server has taken it, as a channel does."""
        until(lambda: self.home.run("conv", "send", "main", text, "--id", name).code == 0,
              f"an answer for {name}")

    def test_a_run_goes_on_with_the_next_server(self):
        self.conv("send", "main", "[delay 1000] [say Done.] work")
        until(lambda: self.shown()["runs"] == 1, "the run")
        self.conv("send", "main", "[say More.] more")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.rests()
        self.assertEqual(self.prompts(), ["[delay 1000] [say Done.] work",
                                          "[Queued messages while agent was busy]\n\n---\n"
                                          "Queued #1\n[say More.] more"])

    def test_a_killed_session_strands_nobody(self):
        self.conv("send", "main", "[delay 60000] long")
        until(lambda: self.shown()["runs"] == 1, "the run")
        self.conv("send", "main", "[say More.] more")
        self.home.run("kill", self.sessions()[0]["alias"])
        self.rests()
        self.assertIn("[say More.] more", self.prompts()[-1])


class Lanes(Conversing):
    CONFIG = 'engine = "scripted"\nmax_sessions = 2\nidle_agent_stop = "300ms"\n'

    # Shows R246.
    def test_without_a_place_a_message_waits_and_is_begun_when_there_is_one(self):
        keys = ["telegram:group:1", "telegram:group:2", "telegram:group:3"]
        for key in keys:
            self.conv("send", key, "[delay 500] [say Done.] work")
        for key in keys:
            self.rests(key)
        self.assertEqual(len(self.events("ConversationRunEnded")), 3)


if __name__ == "__main__":
    unittest.main()
