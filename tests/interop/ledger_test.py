#!/usr/bin/env python3
"""Holds the record of random sessions of the real Claude Code against what its model served.

Usage: ledger_test.py STENO CACHE_FOLDER [--scripts N] [--seed N]

A script has a server of its own and plays a lineage of sessions: prompts, tools, subagents and
commands in the background, failures of the model, answers that break off, spent budgets,
interrupts, deaths of agents, workers, servers and both, stops, resumes of any earlier session, and
forks. One script in five plays sessions of one turn, to which prompts are added. Afterwards every
answer belongs to its prompt, every text and tool call that was served is on the record and no
other, and each lineage cost what the model's server charged for the agent's sessions in it. A
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
from steno_claude_test import AGENT_SECONDS, APART  # noqa: E402
from steno_claude_test import Model, agents_of, charge, claude_home, end  # noqa: E402
from steno_claude_test import go_apart, install, nano, until  # noqa: E402

MARKS = ("estimated", "at_least", "unknown")
REFUSED = (4, 5, 8)  # conflict, limit, budget
CONFIG = 'max_sessions = 20\nworker_silence_max = "2s"\n'


class Script:
    """One lineage in a home of its own; what the steps answer does not matter here."""

    def __init__(self, model, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.home = claude_home(model, config=CONFIG)
        self.words = self.cuts = 0
        self.steps = []

    def play(self):
        self.home.start()
        if self.seed % 5 == 3:
            self.play_single_turns()
        else:
            self.play_turns()
        for alias in self.used:
            self.home.wait_for_end(alias, AGENT_SECONDS)
        until(lambda: not agents_of(self.home), "the end of all agents", AGENT_SECONDS)
        self.rows = [self.home.show(alias) for alias in self.used]
        self.events = self.home.events()
        self.total = self.home.ask("stats")
        self.spent = self.home.ask("show", self.used[0]).get("lineage_spent_usd", 0)
        end(self.home)
        self.home.close()
        return self

    def play_single_turns(self):
        """Sessions of one turn, each the resume of the one before. Prompts are added to the turn,
        and something happens to who works on it."""
        self.alias, self.used = None, []
        for _ in range(self.random.randint(2, 4)):
            if not self.begin_single_turn():
                return
            step = self.random.choice([
                self.add, self.add, self.add_to_killed_server, self.add_to_killed_worker,
                self.add_to_killed_agent, self.add_to_restarted, self.add_to_interrupted])
            self.steps.append(step.__name__)
            step()
            self.home.wait_for_end(self.alias, AGENT_SECONDS)

    def begin_single_turn(self):
        prompt = self.random.choice(["stream 12", "bash sleep 1", self.word()])
        if self.alias is None:
            command = ["spawn", "--allow-tool", "Bash"]
            if self.random.random() < 0.5:
                command += ["--restart-policy", "retry"]
        else:
            command = ["resume", self.alias]
        results = []
        until(lambda: results.append(self.run(*command, prompt, "-o", "json")) or
              results[-1].code != 75, "a session", AGENT_SECONDS)
        if results[-1].code in REFUSED:
            return False
        assert results[-1].code == 0, results[-1]
        self.alias = results[-1].json()["alias"]
        self.used.append(self.alias)
        self.home.wait_for_event(self.alias, "AgentStarted")
        return True

    def add(self):
        for _ in range(self.random.randint(1, 3)):
            self.run("send", self.alias, self.word())

    def add_to_killed_server(self):
        self.add()
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.add()

    def add_to_killed_worker(self):
        self.add()
        os.kill(self.home.worker_pid(), signal.SIGKILL)
        self.cuts += 1
        self.add()

    def add_to_killed_agent(self):
        self.add()
        pid = self.home.show(self.alias).get("pid")
        if pid and pid in agents_of(self.home):
            os.kill(pid, signal.SIGKILL)
            self.cuts += 1

    def add_to_restarted(self):
        self.add()
        assert self.home.stop() == 0, self.home.server_log()
        self.cuts += 1
        self.home.start()

    def add_to_interrupted(self):
        self.add()
        self.run("interrupt", self.alias)
        self.cuts += 1

    def play_turns(self):
        budget = ["--budget-usd", "0.004"] if self.random.random() < 0.2 else []
        self.alias = self.begin("spawn", "--multi-turn", "--allow-tool", "Bash", *budget)
        self.used = [self.alias]
        for _ in range(self.random.randint(2, 5)):
            step = self.random.choice([
                self.say, self.say, self.use_a_tool, self.use_tools, self.delegate, self.background,
                self.background, self.fail, self.break_off, self.interrupt, self.kill_agent,
                self.kill_worker, self.kill_server, self.kill_both, self.restart, self.resume,
                self.resume, self.fork, self.queue])
            self.steps.append(step.__name__)
            step()
        self.run("close", self.alias)

    def word(self):
        self.words += 1
        return f"say w{self.seed}x{self.words}"

    def run(self, *arguments):
        return self.home.run(*arguments, seconds=AGENT_SECONDS)

    def begin(self, *arguments):
        return self.home.ask(*arguments, self.word(), seconds=AGENT_SECONDS)["alias"]

    def send(self, prompt):
        return self.run("send", self.alias, "--wait", prompt)

    def say(self):
        self.send(self.word())

    def queue(self):
        for _ in range(3):
            self.run("send", self.alias, self.word())
        self.send(self.word())

    def use_a_tool(self):
        self.send("bash echo a")

    def use_tools(self):
        self.send("parallel 3")

    def delegate(self):
        self.send("delegate " + self.word())

    def background(self):
        self.send(f"background sleep {self.random.choice([0.1, 1, 3])}")

    def fail(self):
        self.send(f"fail {self.random.choice([400, 429, 529])}")
        self.run("continue", self.alias)

    def break_off(self):
        self.words += 1
        self.send(f"cut 4 of {self.seed}x{self.words}")
        self.run("continue", self.alias)

    def begin_long(self):
        """Sends a prompt with a long answer. Returns true once it is being given, false if it is
        not, such as in a session that has ended."""
        self.run("continue", self.alias)
        if self.run("send", self.alias, "stream 40").code != 0:
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

    def go_on(self):
        self.run("continue", self.alias)
        self.say()

    def interrupt(self):
        if self.begin_long():
            self.run("interrupt", self.alias)
            self.cuts += 1
        self.say()

    def kill_agent(self):
        if self.begin_long():
            before = self.released()
            pid = self.home.show(self.alias).get("pid")
            if pid:
                os.kill(pid, signal.SIGKILL)
                self.cuts += 1
                # Earlier, nothing is paused yet, and nobody goes on with what is paused later.
                until(lambda: self.released() > before, "the agent's end", AGENT_SECONDS)
        self.go_on()

    def released(self):
        events = self.home.events(self.home.show(self.alias)["session"])
        return sum(event["type"] == "LeaseReleased" for event in events)

    def maybe_at_work(self):
        if self.random.random() < 0.5:
            self.begin_long()

    def kill_worker(self):
        self.maybe_at_work()
        os.kill(self.home.worker_pid(), signal.SIGKILL)
        self.cuts += 1
        self.go_on()

    def kill_server(self):
        self.maybe_at_work()
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.go_on()

    def kill_both(self):
        self.maybe_at_work()
        worker = self.home.worker_pid()
        self.home.stop(signal.SIGKILL)
        os.kill(worker, signal.SIGKILL)
        self.cuts += 1
        self.home.start()
        self.go_on()

    def restart(self):
        self.maybe_at_work()
        assert self.home.stop() == 0, self.home.server_log()
        self.cuts += 1
        self.home.start()
        self.go_on()

    def resume(self):
        end_by = self.random.choice(["close", "kill"])
        self.cuts += end_by == "kill"
        self.run(end_by, self.alias)
        self.home.wait_for_end(self.alias, AGENT_SECONDS)
        source = self.random.choice(self.used)
        until(lambda: self.try_resume(source), "a resume", AGENT_SECONDS)
        self.say()

    def try_resume(self, source):
        result = self.run("resume", source, self.word(), "-o", "json")
        if result.code == 75:  # its agent has not ended yet
            return False
        if result.code in REFUSED:  # its agent never began, or its budget is spent
            return True
        assert result.code == 0, result
        self.alias = result.json()["alias"]
        self.used.append(self.alias)
        return True

    def fork(self):
        result = self.run("resume", self.alias, "--fork", self.word(), "-o", "json")
        if result.code in REFUSED:
            return
        alias = result.json()["alias"]
        self.used.append(alias)
        self.run("send", alias, "--wait", self.word())
        self.run("close", alias)
        self.home.wait_for_end(alias, AGENT_SECONDS)


class Ledger(unittest.TestCase):
    SCRIPTS, SEED = 6, 1

    @classmethod
    def setUpClass(cls):
        cls.model = Model(lifetime=7200)
        cls.addClassCleanup(cls.model.close)

    # Shows C18.
    def test_the_record_holds_what_the_model_served(self):
        seeds = range(self.SEED, self.SEED + self.SCRIPTS)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            scripts = list(pool.map(lambda seed: Script(self.model, seed).play(), seeds))
        charged = self.model.charged()
        answers = differences = 0
        for script in scripts:
            with self.subTest(seed=script.seed, steps=script.steps):
                answers += self.check_answers(script)
                calls = self.calls_of(script, charged)
                self.check_served(script, calls)
                differences += self.check_money(script, calls)
        paid = {row["agent_session"] for script in scripts for row in script.rows}
        self.assertLessEqual(set(charged), paid)
        self.assertGreater(answers, 0)
        rows = [row for script in scripts for row in script.rows]
        dollars = sum(nano(row["cost_usd"]) for row in rows) / 10**9
        steps = collections.Counter(step for script in scripts for step in script.steps)
        print(f"{len(scripts)} scripts, {len(rows)} sessions, {answers} answers, ${dollars:.6f}, "
              f"{differences} marked differences\n{dict(sorted(steps.items()))}", file=sys.stderr)

    @staticmethod
    def calls_of(script, charged):
        sessions = {row["agent_session"] for row in script.rows if row["agent_session"]}
        return [call for session in sorted(sessions) for call in charged.get(session, [])]

    def check_answers(self, script):
        """Each prompt that was answered has the answer that belongs to it."""
        prompts, count = {}, 0
        for event in script.events:
            facts, text = event["facts"], event.get("content") or ""
            if event["type"] == "TurnQueued":
                prompts[facts["turn"]] = [text]
            if event["type"] == "PromptInjected":
                prompts[facts["turn"]].append(text)
            if event["type"] != "TurnFinished" or facts["turn"] not in prompts:
                continue
            asked = prompts[facts["turn"]]
            if all(prompt.startswith("say ") for prompt in asked):
                self.assertIn(text, [prompt[4:] for prompt in asked])
                count += 1
        return count

    def check_served(self, script, calls):
        """The record has each text and tool call that was served whole, once, and of others only
        true beginnings. What an agent had not told when it, its worker or its turn was ended is
        missing: at most one message each time."""
        of_kind = collections.defaultdict(list)
        for event in script.events:
            of_kind[event["type"]].append(event)
        said = collections.Counter(event["content"] for event in of_kind["OutputRecorded"]
                                   if not event["content"].startswith("API Error"))
        served = collections.Counter(text for call in calls if call["complete"]
                                     for text in call["texts"])
        begun = [text for call in calls if not call["complete"] for text in call["texts"]]
        for text, count in (said - served).items():
            self.assertTrue(any(whole.startswith(text) for whole in begun), (text, count))
        self.assertLessEqual(sum((served - said).values()), script.cuts,
                             (served - said, script.steps))
        for event in of_kind["PartialOutputRecorded"]:
            self.assertTrue(any(event["content"] in text for call in calls
                                for text in call["texts"]), event["content"])
        started = [event["facts"]["call"] for event in of_kind["ToolCallStarted"]]
        asked = {tool for call in calls for tool in call["calls"]}
        whole = {tool for call in calls if call["complete"] for tool in call["calls"]}
        self.assertEqual(len(started), len(set(started)))
        self.assertLessEqual(set(started), asked)
        self.assertLessEqual(len(whole - set(started)), script.cuts)

    def check_money(self, script, calls):
        """Returns the number of lineages, 0 or 1, whose cost differs and is marked as that."""
        rows = script.rows
        self.assertEqual(len({row["lineage"] for row in rows}), 1)
        truth = sum(map(charge, calls))
        cost = sum(nano(row["cost_usd"]) for row in rows)
        by_day = self.cost_by_day(script.events)
        self.assertEqual(sum(by_day.values()), cost)
        per_day = script.total["cost_per_day_usd"]
        self.assertEqual({day: nano(usd) for day, usd in per_day.items() if usd}, by_day)
        marked = sum(row["cost_basis"] in MARKS for row in rows)
        what = (f"{cost} on the record, {truth} charged, "
                f"{[(row['alias'], row['cost_usd'], row['cost_basis']) for row in rows]}, "
                f"{[call for call in calls if not call['complete']]}")
        if len(rows) > 1:
            self.assertEqual(nano(script.spent), cost, what)
        if cost == truth:
            if not marked:
                tokens = [sum(call[kind] for call in calls)
                          for kind in ("input_tokens", "output_tokens")]
                self.assertEqual([sum(row["usage"][kind] for row in rows)
                                  for kind in ("input", "output")], tokens, what)
            return 0
        # The agent guesses the output of a call that was cut off, and does not count one that broke
        # off. A worker that dies has told all but the last seconds, in which few calls fit.
        uncertain = marked * max(map(charge, calls), default=0) * 2 + \
            sum(charge(call, guessed=4) for call in calls if not call["complete"])
        self.assertTrue(marked, what)
        self.assertLessEqual(abs(cost - truth), uncertain, what)
        return 1

    @staticmethod
    def cost_by_day(events):
        """Returns what the events say was spent on each day."""
        days = collections.Counter()
        for event in events:
            facts = event["facts"]
            if event["type"] == "SpendingRecorded":
                days[event["time"][:10]] += sum(nano(each["cost_usd"]) for each in facts["spent"])
            elif event["type"] in ("TurnFinished", "TurnFailed", "TurnInterrupted"):
                cost = facts["cost"]
                days[event["time"][:10]] += nano(cost["cost_usd"]) - \
                    sum(nano(each["cost_usd"]) for each in cost["booked"])
        return {day: nanos for day, nanos in days.items() if nanos}


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
