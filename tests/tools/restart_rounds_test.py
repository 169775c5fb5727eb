#!/usr/bin/env python3
"""Stops and starts a loaded server again and again: cleanly, by SIGKILL of the server, and by SIGKILL
of server and worker. No accepted prompt may be lost, given twice, or answered with another's answer.

Usage: restart_rounds_test.py [STENO] [--rounds N]
Prints a table: what each way of stopping costs. A prompt that an agent had when it was ended is cut
off, and recorded as that.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import signal
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, until  # noqa: E402

SESSIONS = 4
PROMPTS = 4  # for each session in a round
CONFIG = 'max_sessions = 20\nstop_grace = "100ms"\nworker_silence_max = "2s"\n'
NO_SERVER = 6
ENDS = ("TurnFinished", "TurnFailed", "TurnInterrupted")


def stop(home):
    assert home.stop() == 0, home.server_log()


def kill_server(home):
    home.stop(signal.SIGKILL)


def kill_both(home):
    worker = home.worker_pid()
    home.stop(signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)


class Load:
    """Sends prompts to sessions of one home, each with an answer of its own."""

    def __init__(self, home, seed):
        self.home, self.random = home, random.Random(seed)
        self.accepted = []  # the answers to prompts that the server has accepted
        self.counted = threading.Condition()

    def begin(self):
        self.aliases = [self.home.start_session("[say begin]", "--multi-turn",
                                                "--continue-after-failure")
                        for _ in range(SESSIONS)]

    def send(self, alias, word, delay):
        result, give_up = None, time.monotonic() + 60
        while result is None or (result.code == NO_SERVER and time.monotonic() < give_up):
            result = self.home.run("send", alias, f"[words 3] [delay {delay}] [say {word}]")
        if result.code == 0:
            with self.counted:
                self.accepted.append(word)
                self.counted.notify_all()

    def wait_for(self, count):
        with self.counted:
            assert self.counted.wait_for(lambda: len(self.accepted) >= count, 60), self.accepted

    def round(self, pool, number, end):
        """Returns the seconds from the end of the server until it serves again."""
        before = len(self.accepted)
        for prompt in range(PROMPTS):
            for index, alias in enumerate(self.aliases):
                pool.submit(self.send, alias, f"r{number}s{index}p{prompt}",
                            self.random.randrange(30))
        self.wait_for(before + self.random.randrange(1, SESSIONS * PROMPTS))
        end(self.home)
        begun = time.monotonic()
        self.home.start()
        took = time.monotonic() - begun
        until(lambda: all(self.is_done(alias) for alias in self.aliases), "that all is done", 60)
        return took

    def is_done(self, alias):
        row = self.home.show(alias)
        assert row["status"] in ("starting", "running"), row
        return row["waiting_for_input"]


class RestartRounds(unittest.TestCase):
    ROUNDS = 3

    def test_a_clean_stop_is_at_least_as_good_as_a_kill(self):
        table = {name: self.play(end) for name, end in
                 (("clean stop", stop), ("SIGKILL of the server", kill_server),
                  ("SIGKILL of server and worker", kill_both))}
        columns = ("rounds", "prompts", "answered", "cut off", "lost", "doubled", "wrong", "ms")
        print("", " " * 28 + " ".join(f"{name:>8}" for name in columns), sep="\n", file=sys.stderr)
        for name, row in table.items():
            print(f"{name:<28}" + " ".join(f"{row[column]:8}" for column in columns),
                  file=sys.stderr)
            self.assertEqual((row["lost"], row["doubled"], row["wrong"]), (0, 0, 0), name)

    def play(self, end):
        with Home(CONFIG) as home, concurrent.futures.ThreadPoolExecutor(SESSIONS) as pool:
            home.start()
            load = Load(home, 1)
            load.begin()
            took = [load.round(pool, number, end) for number in range(self.ROUNDS)]
            pool.shutdown()
            until(lambda: all(load.is_done(alias) for alias in load.aliases), "the rest", 60)
            self.assertEqual(len(load.accepted), self.ROUNDS * SESSIONS * PROMPTS)
            row = self.count(home.events(), set(load.accepted))
            self.assertEqual(home.stop(), 0)
            self.assertEqual(home.run("replay", "verify").code, 0)
        return {"rounds": self.ROUNDS, "ms": round(1000 * sum(took) / len(took)), **row}

    @staticmethod
    def count(events, accepted):
        prompts, ends, given = {}, collections.defaultdict(list), collections.Counter()
        for event in events:
            facts, text = event["facts"], event.get("content") or ""
            if event["type"] == "TurnQueued":
                prompts[facts["turn"]] = text.rpartition("[say ")[2].rstrip("]")
            elif event["type"] == "TurnStarted":
                given[facts["turn"]] += 1
            elif event["type"] == "TurnReturned":
                given[facts["turn"]] -= 1
            elif event["type"] in ENDS:
                ends[facts["turn"]].append((event["type"], text))
        queued = collections.Counter(prompts.values())
        answers = [(turn, text) for turn, all_ends in ends.items() for kind, text in all_ends
                   if kind == "TurnFinished"]
        return {"prompts": len(accepted),
                "answered": len(answers),
                "cut off": sum(kind != "TurnFinished" for each in ends.values() for kind, _ in each),
                "lost": len(accepted - set(queued)) + sum(not ends[turn] for turn in prompts),
                "doubled": sum(queued[word] > 1 for word in accepted)
                + sum(len(each) > 1 for each in ends.values())
                + sum(count > 1 for count in given.values()),
                "wrong": sum(prompts[turn] != text for turn, text in answers)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steno", nargs="?", help="the program; default: $STENO_PROGRAM")
    parser.add_argument("--rounds", type=int, default=RestartRounds.ROUNDS)
    arguments = parser.parse_args()
    if arguments.steno:
        os.environ["STENO_PROGRAM"] = os.path.abspath(arguments.steno)
    RestartRounds.ROUNDS = arguments.rounds
    unittest.main(argv=sys.argv[:1], verbosity=2)
