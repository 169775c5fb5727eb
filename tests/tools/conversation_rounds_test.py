#!/usr/bin/env python3
"""Eight processes write to one conversation at once, and are killed at random, as are server and
worker. No message and no file may be lost or doubled, each message has one end, those of one writer
keep their order, and no field that was acknowledged is lost.

Usage: conversation_rounds_test.py [STENO] [--rounds N] [--seed N]
"""
import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, until  # noqa: E402

KEY = "agent:main:telegram:group:1"
FIELDS = ("displayName", "subject", "space", "groupId", "groupChannel", "execNode",
          "providerOverride", "authProfileOverride")
WITH_FILES = (0, 3)  # writers whose messages have one
MODES = ("collect", "followup", "steer", "steer-backlog", "interrupt")
CONFIG = """engine = "scripted"
stop_grace = "100ms"
worker_silence_max = "2s"
[conversations.queue]
debounce = "0s"
cap = 1000
"""


class Rounds(unittest.TestCase):
    ROUNDS = 8
    SEED = 1

    # Shows R132, R133, R134, R135.
    def test_no_message_and_no_field_is_lost_or_doubled(self):
        self.random, self.counts = random.Random(self.SEED), collections.Counter()
        self.sent = collections.defaultdict(list)  # by writer, in its order
        self.fields = {}
        with Home(CONFIG) as self.home:
            self.home.start()
            for number in range(self.ROUNDS):
                self.round(number)
            until(self.is_at_rest, "the end of all runs", 120)
            shown = self.shown()
            events = self.home.events()
            self.assertEqual(self.home.stop(), 0)
            self.assertFalse(self.home.processes())
            self.assertEqual(self.home.run("replay", "verify").code, 0)
        self.check(events, shown)
        print("", *(f"{count:6} {name}" for name, count in sorted(self.counts.items())), sep="\n",
              file=sys.stderr)

    def round(self, number):
        self.counts["rounds"] += 1
        mode = self.random.choice(MODES)
        writers = [threading.Thread(target=self.write,
                                    args=(writer, number, mode, self.random.random()))
                   for writer in range(len(FIELDS))]
        for writer in writers:
            writer.start()
        victim = self.random.choice(("server", "worker", "nobody"))
        self.counts[f"kills of {victim}"] += victim != "nobody"
        time.sleep(self.random.random() * 0.2)
        if victim == "server":
            self.home.stop(signal.SIGKILL)
            self.home.start()
        elif victim == "worker":
            os.kill(self.home.worker_pid(), signal.SIGKILL)
        for writer in writers:
            writer.join()

    def write(self, writer, number, mode, seed):
        draws = random.Random(seed)
        text = f"[delay 20] [say ok] <{writer}.{number}>"
        files = ()
        if writer in WITH_FILES:
            files = ("--file", os.path.join(self.home.workdir, f"{writer}.{number}.txt"))
            with open(files[1], "w", encoding="utf-8") as file:
                file.write(f"file of {writer}.{number}")
        self.insist(draws, "conv", "send", KEY, text, "--id", f"{writer}.{number}", *files)
        self.sent[writer].append(text)
        field = FIELDS[writer]
        self.insist(draws, "conv", "set", KEY, f"{field}={number}", f"queueMode={mode}")
        self.fields[field] = str(number)

    def insist(self, draws, *arguments):
        """Asks until it is answered for; the process that asks can be killed first."""
        def is_answered():
            child = self.home.popen(arguments, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
            if draws.random() < 0.3:
                time.sleep(draws.random() * 0.05)
                child.kill()
                self.counts["kills of writers"] += 1
            return child.wait() == 0
        until(is_answered, f"an answer to {arguments}", 60)

    def shown(self):
        return json.loads(self.home.run("-o", "json", "conv", "show", KEY).out)

    def is_at_rest(self):
        shown = self.shown()
        return not shown.get("run") and not shown["waiting"]

    def check(self, events, shown):
        received = [event for event in events if event["type"] == "MessageReceived"]
        texts = [event["content"] for event in received]
        self.assertEqual(sorted(texts), sorted(sum(self.sent.values(), [])))
        for writer, sent in self.sent.items():
            self.assertEqual([text for text in texts if f"<{writer}." in text], sent)
        self.assertEqual({name: shown["entry"][name] for name in FIELDS}, self.fields)
        ends, runs = collections.Counter(), {}
        for event in events:
            facts = event.get("facts", {})
            if event["type"] == "ConversationRunBegun":
                runs[facts["run"]["run"]] = list(facts["run"]["messages"])
            elif event["type"] == "ConversationRunReturned":
                runs.pop(facts["run"])
            elif event["type"] == "MessageSteered" and not facts["kept"]:
                runs[facts["run"]].append(facts["message"])
            elif event["type"] == "ConversationRunEnded":
                ends.update(runs.pop(facts["run"]))
            elif event["type"] == "MessagesEnded":
                ends.update(facts["messages"])
        self.assertEqual(ends, {event["position"]: 1 for event in received})
        files = [f"{writer}.{number}.txt" for writer in WITH_FILES for number in range(self.ROUNDS)]
        for kind in ("MessageReceived", "TurnQueued"):
            named = [file["name"] for event in events if event["type"] == kind
                     for file in event["facts"].get("files", [])]
            self.assertEqual(sorted(named), sorted(files), kind)
        given = "\n".join(event["content"] for event in events
                          if event["type"] in ("TurnQueued", "PromptInjected"))
        for text in texts:
            self.assertIn(text, given)
        self.counts["messages"] = len(texts)
        self.counts["runs"] = shown["runs"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steno", nargs="?", default=os.environ.get("STENO_PROGRAM"))
    parser.add_argument("--rounds", type=int, default=Rounds.ROUNDS)
    parser.add_argument("--seed", type=int, default=Rounds.SEED)
    told = parser.parse_args()
    os.environ["STENO_PROGRAM"] = os.path.abspath(told.steno)
    Rounds.ROUNDS, Rounds.SEED = told.rounds, told.seed
    unittest.main(argv=sys.argv[:1])
