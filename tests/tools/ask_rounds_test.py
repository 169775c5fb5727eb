#!/usr/bin/env python3
"""Kills agent, keeper, worker, server, and pairs of them, while an approval waits, while it is
answered, and within a step. No answer may be lost or given twice, nothing may wait for ever, and no
call that was denied may be carried out: the agents themselves note which ones are.

Usage: ask_rounds_test.py [STENO] [--rounds N] [--seed N]
"""
import argparse
import collections
import os
import random
import signal
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, until  # noqa: E402

VICTIMS = ("agent", "keeper", "worker", "server")
MOMENTS = ("waiting", "answering", "in a step")
CONFIG = """engine = "scripted"
stop_grace = "100ms"
worker_silence_max = "2s"
agent_environment = "STENO_SCRIPTED_RAN"

[[hooks]]
name = "slow"
on = ["PreToolUse", "PostToolUse", "UserPromptSubmit"]
command = "sleep 0.05"

[[hooks]]
name = "odd"
on = "PreToolUse"
command = "test $(( $(od -An -N1 -tu1 /dev/urandom) % 4 )) != 0 || { echo odd >&2; exit 2; }"
"""


class Rounds(unittest.TestCase):
    ROUNDS = 8
    SEED = 1

    def test_nothing_is_lost_doubled_or_done_that_was_denied(self):
        self.random, self.counts = random.Random(self.SEED), collections.Counter()
        with Home(CONFIG) as self.home:
            self.home.environment["STENO_SCRIPTED_RAN"] = self.home.path("ran")
            self.home.start()
            for number in range(self.ROUNDS):
                self.round(number)
            events = self.home.events()
            self.assertEqual(self.home.stop(), 0)
            self.assertFalse(self.home.processes())
            self.assertEqual(self.home.run("replay", "verify").code, 0)
            self.check(events)
        print("", *(f"{count:6} {name}" for name, count in sorted(self.counts.items())), sep="\n",
              file=sys.stderr)

    def round(self, number):
        victims = self.random.sample(VICTIMS, self.random.choice((1, 1, 2)))
        moment = self.random.choice(MOMENTS)
        self.counts["rounds"] += 1
        self.counts["kills: " + " and ".join(sorted(victims))] += 1
        alias = self.home.start_session("[tools 3] [ask] [say Done.]", "--multi-turn",
                                        "--continue-after-failure")
        if moment == "in a step":
            self.home.wait_for_event(alias, "AskRaised")
        else:
            until(lambda: self.waits(alias) or self.is_at_rest(alias), f"request of round {number}")
        answering = threading.Thread(target=self.answer, args=(alias,))
        if moment == "answering":
            answering.start()
        self.kill(alias, victims)
        if moment == "answering":
            answering.join()
        until(lambda: self.goes_on(alias), f"the end of round {number}")
        self.home.run("kill", alias)
        self.home.wait_for_end(alias)

    def waits(self, alias):
        return self.home.ask("approvals", alias)["count"] > 0

    def is_at_rest(self, alias):
        return self.home.show(alias)["waiting_for_input"]

    def answer(self, alias):
        self.home.run(self.random.choice(("approve", "approve", "deny")), alias)

    def goes_on(self, alias):
        if self.waits(alias):
            self.answer(alias)
        return self.is_at_rest(alias)

    def kill(self, alias, victims):
        agent = self.home.show(alias)["pid"] if {"agent", "keeper"} & set(victims) else 0
        pids = []
        for victim in victims:
            if victim == "worker":
                pids.append(self.home.worker_pid())
            elif victim == "agent" and agent:
                pids.append(agent)
            elif victim == "keeper" and agent:
                with open(f"/proc/{agent}/stat", encoding="ascii", errors="replace") as file:
                    pids.append(int(file.read().rpartition(")")[2].split()[1]))
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if "server" in victims:
            self.home.stop(signal.SIGKILL)
            self.home.start()

    def check(self, events):
        verdicts, ends, calls, pids = {}, collections.Counter(), {}, {}
        for event in events:
            facts, session = event["facts"], event["stream"]
            key = (session, facts.get("ask"))
            if event["type"] == "AgentStarted":
                pids[session] = facts["pid"]
            elif event["type"] == "AskRaised":
                self.assertNotIn(key, calls)
                calls[key] = (pids.get(session), facts["call"], facts["kind"], facts["point"])
                self.counts["steps" if facts["kind"] == "step" else "requests"] += 1
            elif event["type"] == "AskAnswered":
                self.assertIn(key, calls)
                self.assertNotIn(key, verdicts, "answered twice")
                verdicts[key] = facts["verdict"]
                self.counts[f"{facts['verdict']} by {facts['basis']}"] += 1
            elif event["type"] == "AskClosed":
                ends[key] += 1
                self.counts["ends: " + facts["end"]] += 1
                if facts["end"] == "told":
                    self.assertIn(key, verdicts, "told without an answer")
        self.assertEqual({key: ends[key] for key in calls}, {key: 1 for key in calls},
                         "each has one end")
        with open(self.home.path("ran"), encoding="ascii") as file:
            ran = collections.Counter(tuple(line.split()) for line in file)
        for (pid, call), times in ran.items():
            self.assertEqual(times, 1, "no call is carried out twice")
            asked = [key for key, (of, its, kind, point) in calls.items()
                     if (str(of), its) == (pid, call)
                     and (kind == "approval" or point == "PreToolUse")]
            self.assertEqual([verdicts.get(key) for key in asked], ["granted", "granted"],
                             f"call {call} of {pid}: the hooks and somebody have let it through")
        self.counts["calls carried out"] = len(ran)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("steno", nargs="?")
    parser.add_argument("--rounds", type=int, default=Rounds.ROUNDS)
    parser.add_argument("--seed", type=int, default=Rounds.SEED)
    arguments = parser.parse_args()
    if arguments.steno:
        os.environ["STENO_PROGRAM"] = os.path.abspath(arguments.steno)
    Rounds.ROUNDS, Rounds.SEED = arguments.rounds, arguments.seed
    unittest.main(argv=sys.argv[:1])
