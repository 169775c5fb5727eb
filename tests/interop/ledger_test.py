#!/usr/bin/env python3
"""Holds the record of random sessions of the real Claude Code against what its model served.

Usage: ledger_test.py STENO CACHE_FOLDER [--scripts N] [--seed N]

A script is a lineage of sessions: prompts, tools, subagents and commands in the background,
failures of the model, interrupts, deaths of agents and workers, resumes and forks. Afterwards every answer must belong to its prompt,
and each lineage must cost what the model's server charged for the agent's sessions in it. A
difference must be marked on the record, and no larger than what can be lost or guessed there.
Prints the number of sessions, answers and dollars. Exits with 77 where there is no Claude Code.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from steno_claude_test import AGENT_SECONDS, APART, OUTPUT, WithClaude  # noqa: E402
from steno_claude_test import charge, go_apart, install, nano, until  # noqa: E402

MARKS = ("estimated", "at_least", "unknown")


class Script:
    """One lineage; what the steps answer does not matter here."""

    def __init__(self, home, seed):
        self.home = home
        self.random = random.Random(seed)
        self.seed = seed
        self.words = 0
        self.alias = self.begin("spawn", "--multi-turn", "--allow-tool", "Bash")
        self.used = [self.alias]

    def word(self):
        self.words += 1
        return f"say w{self.seed}x{self.words}"

    def run(self, *arguments):
        return self.home.run(*arguments, seconds=AGENT_SECONDS)

    def begin(self, *arguments):
        return self.home.ask(*arguments, self.word(), seconds=AGENT_SECONDS)["alias"]

    def send(self, prompt):
        return self.run("send", self.alias, "--wait", prompt)

    def play(self):
        for _ in range(self.random.randint(2, 5)):
            step = self.random.choice([
                self.say, self.say, self.use_a_tool, self.delegate, self.delegate, self.background,
                self.background, self.fail, self.interrupt, self.kill_agent, self.kill_worker,
                self.resume, self.resume, self.fork, self.queue])
            step()
        self.run("close", self.alias)
        self.home.wait_for_end(self.alias, AGENT_SECONDS)
        return self

    def say(self):
        self.send(self.word())

    def queue(self):
        for _ in range(3):
            self.run("send", self.alias, self.word())
        self.send(self.word())

    def use_a_tool(self):
        self.send("bash echo a")

    def delegate(self):
        self.send("delegate " + self.word())

    def background(self):
        self.send(f"background sleep {self.random.choice([0.1, 1, 3])}")

    def fail(self):
        self.send("fail 400")
        self.run("continue", self.alias)

    def begin_long(self):
        """Sends a prompt with a long answer. Returns true once it is being given, false if it is
        not, such as in a session that has ended."""
        self.run("continue", self.alias)
        if self.run("send", self.alias, "stream 60").code != 0:
            return False
        until(lambda: self.is_streaming() or self.is_idle(), "a long answer", AGENT_SECONDS)
        return self.is_streaming()

    def is_streaming(self):
        output = self.run("output", self.alias, "-o", "json").json()
        return output["items"] and output["items"][-1]["type"] == "PartialOutputRecorded"

    def is_idle(self):
        row = self.home.show(self.alias)
        return row["waiting_for_input"] or row["status"] not in ("starting", "running") \
            or row["pause"] != "none"

    def interrupt(self):
        if self.begin_long():
            self.run("interrupt", self.alias)
        self.say()

    def kill_agent(self):
        if self.begin_long():
            pid = self.home.show(self.alias).get("pid")
            if pid:
                os.kill(pid, signal.SIGKILL)
            self.home.wait_for_event(self.alias, "LeaseReleased")
        self.run("continue", self.alias)
        self.say()

    def kill_worker(self):
        os.kill(self.home.worker_pid(), signal.SIGKILL)
        self.say()
        self.run("continue", self.alias)

    def resume(self):
        self.run(self.random.choice(["close", "kill"]), self.alias)
        self.home.wait_for_end(self.alias, AGENT_SECONDS)
        source = self.random.choice(self.used)
        until(lambda: self.try_resume(source), "a resume", AGENT_SECONDS)
        self.say()

    def try_resume(self, source):
        result = self.run("resume", source, self.word(), "-o", "json")
        if result.code == 75:  # its agent has not ended yet
            return False
        if result.code == 4:  # its agent never began
            return True
        assert result.code == 0, result
        self.alias = result.json()["alias"]
        self.used.append(self.alias)
        return True

    def fork(self):
        result = self.run("resume", self.alias, "--fork", self.word(), "-o", "json")
        if result.code == 4:  # likewise
            return
        alias = result.json()["alias"]
        self.used.append(alias)
        self.run("send", alias, "--wait", self.word())
        self.run("close", alias)
        self.home.wait_for_end(alias, AGENT_SECONDS)


class Ledger(WithClaude):
    SCRIPTS, SEED, LIFETIME = 6, 1, 7200

    def test_the_record_holds_what_the_model_served(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            scripts = list(pool.map(lambda seed: Script(self.home, seed).play(),
                                    range(self.SEED, self.SEED + self.SCRIPTS)))
        until(lambda: not self.agents(), "the end of all agents", AGENT_SECONDS)
        rows = [self.home.show(alias) for script in scripts for alias in script.used]
        answers = self.check_answers({row["session"] for row in rows})
        differences = self.check_money(rows)
        dollars = sum(nano(row["cost_usd"]) for row in rows) / 10**9
        print(f"{len(scripts)} scripts, {len(rows)} sessions, {answers} answers, ${dollars:.6f}, "
              f"{differences} marked differences", file=sys.stderr)

    def check_answers(self, sessions):
        prompts, count = {}, 0
        for event in self.home.events():
            if event["stream"].split("/")[-1] not in sessions:
                continue
            facts, text = event["facts"], event.get("content") or ""
            if event["type"] == "TurnQueued":
                prompts[facts["turn"]] = text
            if event["type"] != "TurnFinished" or facts["turn"] not in prompts:
                continue
            prompt = prompts[facts["turn"]]
            if prompt.startswith("say "):
                self.assertEqual(text, prompt[4:])
                count += 1
        self.assertGreater(count, 0)
        return count

    def check_money(self, rows):
        charged = self.charged()
        of_lineage = collections.defaultdict(list)
        for row in rows:
            of_lineage[row["lineage"]].append(row)
        paid = set()
        marked = 0
        for lineage, members in of_lineage.items():
            agent_sessions = {row["agent_session"] for row in members if row["agent_session"]}
            calls = [call for agent in agent_sessions for call in charged.get(agent, [])]
            paid |= agent_sessions
            truth = sum(map(charge, calls))
            cost = sum(nano(row["cost_usd"]) for row in members)
            marked_members = sum(row["cost_basis"] in MARKS for row in members)
            # The agent guesses the output of a call that was cut off. A worker that dies has told
            # all but the last seconds, in which few calls of a script fit.
            uncertain = marked_members * max(map(charge, calls), default=0) * 2 + \
                sum(call["output_tokens"] * OUTPUT * 4 for call in calls if not call["complete"])
            what = (f"lineage {lineage}: {cost} on the record, {truth} charged, "
                    f"{[(row['alias'], row['cost_usd'], row['cost_basis']) for row in members]}, "
                    f"{[call for call in calls if not call['complete']]}")
            if len(members) > 1:
                self.assertEqual(nano(self.home.ask("show", members[0]["alias"])
                                      .get("lineage_spent_usd", 0)), cost, what)
            if cost == truth:
                continue
            marked += 1
            self.assertTrue(marked_members, what)
            self.assertLessEqual(abs(cost - truth), uncertain, what)
        self.assertLessEqual(set(charged), paid)
        return marked


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steno")
    parser.add_argument("cache")
    parser.add_argument("--scripts", type=int, default=Ledger.SCRIPTS)
    parser.add_argument("--seed", type=int, default=Ledger.SEED)
    arguments = parser.parse_args()
    if APART not in os.environ:
        os.environ["STENO_PROGRAM"] = os.path.abspath(arguments.steno)
        os.environ["STENO_TEST_CLAUDE"] = install(arguments.cache)
        go_apart()
    Ledger.SCRIPTS, Ledger.SEED = arguments.scripts, arguments.seed
    unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
