#!/usr/bin/env python3
"""The real Claude Code under `steno serve`, used from the command line, with a fake model.

Usage: steno_claude_test.py STENO CACHE_FOLDER       Exits with 77 where there is no Claude Code.
If the system allows it, the test runs in a network of its own with nothing but loopback.
"""
import base64
import datetime
import hashlib
import glob
import json
import os
import select
import signal
import subprocess
import sys
import time
import unittest
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import steno_wire  # noqa: E402
from steno_process import Home, Follower, until  # noqa: E402

SKIPPED = 77
APART = "STENO_TEST_APART"  # set inside the test's own network
# The model's server charges this for a token of input and of output, in 1e-9 dollars.
INPUT, OUTPUT = 4_000, 20_000  # of claude-opus-5-5
PRICES = {"claude-sonnet-4-6": (3_000, 15_000)}  # the model that 2.1.112 chooses
AGENT_SECONDS = 120  # Claude Code starts in half a second, but more slowly under load


def nano(dollars):
    return round(float(dollars) * 10**9)


def charge(call, guessed=1):
    """Returns the price of the call, had it `guessed` times as much output."""
    of_input, of_output = PRICES.get(call["model"], (INPUT, OUTPUT))
    return call["input_tokens"] * of_input + guessed * call["output_tokens"] * of_output


def install(cache):
    """Returns the program's path; ends the test if there is none."""
    script = os.path.join(HERE, "claude_code.sh")
    done = subprocess.run([script, cache], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout.strip())
        sys.exit(done.returncode)
    return done.stdout.strip()


def go_apart():
    """Restarts this test without any network but loopback, if that is permitted."""
    os.environ[APART] = "1"
    loopback = "ip link set lo up"
    if subprocess.run(["unshare", "-rn", "sh", "-c", loopback], check=False,
                      stderr=subprocess.DEVNULL).returncode == 0:
        os.execvp("unshare", ["unshare", "-rn", "sh", "-c", loopback + ' && exec "$0" "$@"',
                              sys.executable, "-B", *sys.argv])


class Model:
    """The model's server."""

    def __init__(self, lifetime):
        child = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "..", "support", "fake_model_server.py"),
             "--lifetime", str(lifetime)], stdout=subprocess.PIPE)
        self.follower = Follower(child, ("fake model",))
        self.close = self.follower.close
        self.url = "http://127.0.0.1:" + self.follower.line()

    def charged(self):
        """Returns the calls that were charged, by the agent's session."""
        with urllib.request.urlopen(self.url + "/charged", timeout=10) as answer:
            return json.load(answer)


def claude_home(model, program="{}", config="", retries=1):
    """Returns a home whose agents are Claude Code; `program` has braces in place of its path. A
    failed call of the model is made again `retries` times."""
    home = Home(config, environment={
        "STENO_CLAUDE_PROGRAM": program.format(os.environ["STENO_TEST_CLAUDE"]),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "dummy", "CLAUDE_CODE_MAX_RETRIES": str(retries)})
    home.environment["STENO_AGENT_HOME"] = home.path("agents")
    os.mkdir(home.path("agents"))
    return home


def agents_of(home):
    """Returns the live agent processes."""
    program = os.environ["STENO_TEST_CLAUDE"]
    return [pid for pid, command in home.processes().items() if command.startswith(program)]


def end(home):
    """Stops the server, which leaves no process, and a log that proves itself."""
    assert home.stop() == 0, home.server_log()
    assert not home.processes(), home.processes()
    verified = home.run("replay", "verify")
    assert verified.code == 0, verified
    # Claude Code wrote only into the home that is configured for agents.
    assert not os.path.exists(home.path(".claude"))


class WithClaude(unittest.TestCase):
    PROGRAM = "{}"  # how the agent is started, with its path in place of the braces
    CONFIG = ""
    RETRIES = 1

    @classmethod
    def setUpClass(cls):
        cls.model = Model(lifetime=3600)
        cls.addClassCleanup(cls.model.close)
        cls.home = claude_home(cls.model, cls.PROGRAM, cls.CONFIG, cls.RETRIES)
        cls.addClassCleanup(cls.home.close)
        cls.home.start()

    @classmethod
    def tearDownClass(cls):
        end(cls.home)
        assert os.path.isdir(cls.home.path("agents", ".claude"))

    def run_claude(self, *arguments, code=0, **options):
        result = self.home.run("run", *arguments, seconds=AGENT_SECONDS, **options)
        self.assertEqual(result.code, code, str(result))
        return result

    def newest(self):
        return self.home.ask("ls", "-n", "1")["sessions"][0]

    def facts(self, session, kind):
        return [event["facts"] for event in self.home.events(session) if event["type"] == kind]

    def wait_for_end(self, alias):
        return self.home.wait_for_end(alias, AGENT_SECONDS)

    def agents(self):
        return agents_of(self.home)

    @staticmethod
    def moment(event):
        return datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp()

    def gate(self):
        """Returns a command that runs until the file, which is returned too, is there: no tool ends
        before the test has done what it wants to do meanwhile."""
        self.gates = getattr(self, "gates", 0) + 1
        path = self.home.path(f"gate-{self.id().rsplit('.', 1)[1]}-{self.gates}")
        return f"until test -e {path}; do sleep 0.1; done", path

    @staticmethod
    def open_gate(path):
        with open(path, "w", encoding="ascii"):
            pass


class ClaudeInBackground(WithClaude):
    """What the agent does in the background, and what it says when that has ended."""

    def test_a_run_is_over_when_its_command_in_the_background_is(self):
        result = self.run_claude("--allow-tool", "Bash", "background sleep 3")
        said = result.out.splitlines()
        self.assertEqual(said[:2], ["I run a command.", "The command has run."], str(result))
        self.assertGreater(len(said), 2, str(result))
        self.assertIn("⋯ 1 task in the background: sleep 3", result.err)
        row = self.newest()
        self.assertEqual((row["status"], row["turns_finished"], row["own_turns"], row["tasks"]),
                         ("completed", 1, 1, 0))
        self.assertEqual(nano(row["cost_usd"]), self.charge_of(row))
        self.assertNotIn("ReportIgnored", [e["type"] for e in self.home.events(row["session"])])

    # Shows R207, R213.
    def test_a_run_is_over_when_its_subagent_is(self):
        result = self.run_claude("delegate stream 60")
        self.assertIn("word59", result.err)  # the subagent's words
        row = self.newest()
        events = self.home.events(row["session"])
        self.assertEqual((row["status"], row["own_turns"]), ("completed", 1), str(result))
        [own] = self.facts(row["session"], "OwnTurnStarted")
        self.assertEqual((own["cause"], own["of"]),
                         ("task", self.facts(row["session"], "TurnQueued")[0]["turn"]))
        said = [e for e in events if e["type"] == "OutputRecorded" and e["facts"]["parent"]]
        self.assertTrue(any("word59" in event["content"] for event in said))
        self.assertEqual(nano(row["cost_usd"]), self.charge_of(row))

    def begin(self, command):
        """Starts a session whose agent has answered, and has a command in the background."""
        alias = self.home.ask("spawn", "--multi-turn", "--allow-tool", "Bash",
                              "background " + command)["alias"]
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the answer", AGENT_SECONDS)
        self.assertEqual(self.home.show(alias)["tasks"], 1)
        return alias

    def test_closing_waits_for_a_command(self):
        command, gate = self.gate()
        alias = self.begin(command)
        self.assertIn("once 1 task in the background has ended", self.home.run("close", alias).out)
        self.open_gate(gate)
        row = self.wait_for_end(alias)
        self.assertEqual((row["status"], row["own_turns"]), ("completed", 1))

    def test_closing_at_once_ends_a_command(self):
        alias = self.begin("sleep 600")
        self.home.run("close", alias, "--now")
        row = self.wait_for_end(alias)
        self.assertEqual((row["status"], row["own_turns"]), ("completed", 0))
        self.home.wait_for_event(alias, "LeaseReleased")
        self.assertFalse([command for command in self.home.processes().values()
                          if "sleep 600" in command])

    def charge_of(self, row):
        return sum(map(charge, self.model.charged()[row["agent_session"]]))

    def test_what_it_says_by_itself_is_the_answer_to_no_prompt(self):
        command, gate = self.gate()
        alias = self.begin(command)
        while_it_runs = self.home.run("send", alias, "--wait", "say two", seconds=AGENT_SECONDS)
        self.assertEqual((while_it_runs.code, while_it_runs.out), (0, "two\n"))
        self.open_gate(gate)
        until(lambda: self.home.show(alias)["own_turns"] == 1, "what it says by itself",
              AGENT_SECONDS)
        after_it = self.home.run("send", alias, "--wait", "say three", seconds=AGENT_SECONDS)
        self.assertEqual((after_it.code, after_it.out), (0, "three\n"))
        self.home.run("close", alias)
        row = self.wait_for_end(alias)
        self.assertEqual((row["status"], row["turns_finished"], row["own_turns"]),
                         ("completed", 3, 1))
        first = self.facts(row["session"], "TurnQueued")[0]["turn"]
        [own] = self.facts(row["session"], "OwnTurnStarted")
        self.assertEqual((own["cause"], own["of"]), ("task", first))
        [ended] = [facts for facts in self.facts(row["session"], "TurnFinished")
                   if facts["turn"] == own["turn"]]
        self.assertGreater(ended["cost"]["cost_usd"], 0)
        self.assertNotIn("ReportIgnored", [e["type"] for e in self.home.events(row["session"])])

    def test_an_interrupt_ends_what_it_does_by_itself(self):
        alias = self.home.ask("spawn", "--multi-turn", "--allow-tool", "Bash",
                              "background sleep 1 # then stream 3000")["alias"]
        own = until(lambda: self.home.show(alias).get("own_turn"), "it works by itself",
                    AGENT_SECONDS)
        until(lambda: "word9" in self.home.run("output", alias).out, "it speaks", AGENT_SECONDS)
        asked = self.home.run("interrupt", alias)
        self.assertEqual(asked.code, 0, str(asked))
        self.home.wait_for_event(alias, "TurnInterrupted")
        after_it = self.home.run("send", alias, "--wait", "say after", seconds=AGENT_SECONDS)
        self.assertEqual((after_it.code, after_it.out), (0, "after\n"))
        row = self.home.show(alias)
        [ended] = self.facts(row["session"], "TurnInterrupted")
        self.assertEqual((ended["turn"], ended["reason"]), (own, "user"))
        self.assertGreater(ended["cost"]["cost_usd"], 0)
        self.assertEqual((row["status"], row["turns_finished"], row["own_turns"]),
                         ("running", 2, 1))
        self.home.run("close", alias)
        self.assertEqual(self.wait_for_end(alias)["status"], "completed")


class Claude(WithClaude):
    def test_one_turn(self):
        self.assertEqual(self.run_claude("say good morning").out, "good morning\n")
        row = self.newest()
        self.assertEqual((row["status"], row["turns_finished"]), ("completed", 1))
        self.assertGreaterEqual(row["usage"]["input"], 100)
        self.assertGreaterEqual(row["usage"]["output"], 20)
        self.assertGreater(row["cost_usd"], 0)
        self.assertEqual(len(row["agent_session"]), 36)
        [begun] = self.facts(row["session"], "AgentInitialized")
        self.assertTrue(begun["agent_version"].startswith("2."), begun)
        self.assertEqual(begun["agent_session"], row["agent_session"])
        # The session ends with its last turn; its process needs a moment longer.
        exited = self.home.wait_for_event(row["alias"], "AgentExited")["facts"]
        self.assertEqual((exited["exit_code"], exited["signal"]), (0, 0))

    # Shows R015.
    def test_several_turns_in_one_process(self):
        result = self.run_claude("--multi-turn", "say one", stdin=b"say two\nsay three\n")
        self.assertEqual(result.out.split(), ["one", "two", "three"])
        row = self.newest()
        self.assertEqual((row["status"], row["turns_finished"]), ("completed", 3))
        self.assertEqual(len(self.facts(row["session"], "AgentStarted")), 1)
        costs = [facts["cost"]["cost_usd"] for facts in self.facts(row["session"], "TurnFinished")]
        self.assertAlmostEqual(sum(costs), row["cost_usd"], places=9)
        self.assertGreater(min(costs), 0)

    def test_a_tool(self):
        result = self.run_claude("bash echo from the tool")
        self.assertEqual(result.out.splitlines()[-1], "The command has run.")
        row = self.newest()
        events = self.home.events(row["session"])
        kinds = [event["type"] for event in events]
        started = events[kinds.index("ToolCallStarted")]
        finished = events[kinds.index("ToolCallFinished")]
        self.assertEqual(started["facts"]["tool"], "Bash")
        self.assertIn("echo from the tool", started["content"])
        self.assertEqual((finished["facts"]["error"], finished["facts"]["call"]),
                         (False, started["facts"]["call"]))
        self.assertIn("from the tool", finished["content"])

    # Shows R057.
    def test_a_prompt_that_comes_while_it_works_is_answered_in_the_turn(self):
        command, gate = self.gate()
        for prompt, kind in (("bash " + command, "ToolCallStarted"),
                             ("stream 200", "PartialOutputRecorded")):
            running = self.home.follow("run", "--allow-tool", "Bash", prompt)
            alias = until(lambda: self.home.ask("ls", "--status", "running")["sessions"],
                          "it runs", AGENT_SECONDS)[0]["alias"]
            self.home.wait_for_event(alias, kind)
            sent = self.home.run("send", alias, "say what was added")
            self.assertEqual(sent.code, 0, str(sent))
            self.open_gate(gate)
            result = running.finish(AGENT_SECONDS)
            self.assertEqual(result.code, 0, str(result))
            row = self.home.show(alias)
            self.assertEqual((row["status"], row["turns_finished"], row["own_turns"]),
                             ("completed", 1, 0))
            calls = self.model.charged()[row["agent_session"]]
            self.assertEqual([text for call in calls for text in call["texts"]],
                             [item["text"] for item in
                              self.home.ask("output", alias, "--all")["items"]
                              if item["kind"] == "said"])
            self.assertEqual(nano(row["cost_usd"]), sum(charge(call) for call in calls))

    def test_an_interrupt_leaves_the_session_usable(self):
        running = self.home.follow("run", "--multi-turn", "stream 2000")
        row = until(lambda: self.home.ask("ls", "--status", "running")["sessions"], "it runs",
                    AGENT_SECONDS)[0]
        self.home.wait_for_event(row["alias"], "PartialOutputRecorded")
        interrupted = self.home.run("interrupt", row["alias"])
        self.assertEqual(interrupted.code, 0, str(interrupted))
        self.home.wait_for_event(row["alias"], "TurnInterrupted")
        running.write("say still here\n")
        result = running.finish(AGENT_SECONDS)
        self.assertEqual((result.code, result.out.splitlines()[-1]), (0, "still here"), str(result))
        row = self.home.show(row["alias"])
        self.assertEqual((row["status"], row["turns_interrupted"], row["turns_finished"]),
                         ("completed", 1, 1))

    # Shows R024.
    def test_a_kill(self):
        alias = self.home.start_session("stream 2000", engine="claude")
        started = self.home.wait_for_event(alias, "AgentStarted")["facts"]["pid"]
        self.home.wait_for_event(alias, "PartialOutputRecorded")
        self.assertIn(started, self.agents())
        killed = self.home.run("kill", alias)
        self.assertEqual((killed.code, killed.out), (0, "killed\n"), str(killed))
        row = self.home.show(alias)
        self.assertEqual((row["status"], row["end_reason"]), ("killed", "user"))
        self.home.wait_for_event(alias, "AgentExited")
        self.assertNotIn(started, self.agents())

    def test_a_kill_ends_what_a_tool_started(self):
        alias = self.home.start_session("bash tail -f /dev/null", "--allow-tool", "Bash",
                                        engine="claude")

        def tails():
            return [command for command in self.home.processes().values()
                    if command.startswith("tail -f /dev/null")]
        until(tails, "the tool's process", AGENT_SECONDS)
        self.assertEqual(self.home.run("kill", alias).out, "killed\n")
        self.home.wait_for_event(alias, "AgentExited")
        self.assertEqual(tails(), [])

    # Shows R175, D01.
    def test_what_is_not_allowed_is_denied(self):
        result = self.run_claude("--approvals", "deny", "bash touch made-by-the-tool", code=5)
        self.assertEqual(result.out.splitlines()[-1], "The command has run.")
        self.assertIn("✗ Bash — touch made-by-the-tool: denied: ", result.err)
        [finished] = self.facts(self.newest()["session"], "ToolCallFinished")
        self.assertEqual((finished["error"], finished["denied"]), (True, True))
        self.assertFalse(os.path.exists(os.path.join(self.home.workdir, "made-by-the-tool")))

    def test_a_subagent_works_within_the_turn(self):
        result = self.run_claude("--background", "inline", "delegate stream 60")
        self.assertEqual(result.out.splitlines()[-1], "The work is done.")
        row = self.newest()
        events = self.home.events(row["session"])
        kinds = [event["type"] for event in events]
        call = events[kinds.index("ToolCallStarted")]["facts"]
        self.assertEqual(call["tool"], "Agent")
        finished = events[kinds.index("ToolCallFinished")]
        self.assertIn("word59", finished["content"])
        self.assertLess(finished["position"], events[kinds.index("TurnFinished")]["position"])
        self.assertNotIn("ReportIgnored", kinds)
        # Three calls of the model, two by the agent and one by the subagent, and all are charged.
        self.assertGreater(row["cost_usd"], 0)

    def test_a_command_that_may_not_run_in_the_background_does_not(self):
        result = self.run_claude("--allow-tool", "Bash", "--background", "forbid",
                                 "background sleep 600", code=0)
        self.assertEqual(result.out.splitlines()[-1], "The command has run.")
        row = self.newest()
        self.home.wait_for_event(row["alias"], "AgentExited")
        self.assertNotIn("ReportIgnored", [e["type"] for e in self.home.events(row["session"])])
        sleeps = [command for command in self.home.processes().values() if "sleep 600" in command]
        self.assertEqual(sleeps, [])

    # Shows R014.
    def test_what_is_allowed_is_done(self):
        self.run_claude("--allow-tool", "Bash", "bash touch made-by-the-tool")
        self.assertTrue(os.path.exists(os.path.join(self.home.workdir, "made-by-the-tool")))
        os.remove(os.path.join(self.home.workdir, "made-by-the-tool"))

    # Shows R314.
    def test_a_failure_of_the_model_fails_the_session(self):
        result = self.run_claude("fail 400", code=1)
        self.assertIn("turn failed (api_error, HTTP 400)", result.err)
        row = self.newest()
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "turn_error"))
        [failed] = self.facts(row["session"], "TurnFailed")
        self.assertEqual(failed["api_status"], 400)

    def test_a_session_goes_on_after_a_failed_turn_and_after_its_agent_died(self):
        alias = self.home.ask("spawn", "--multi-turn", "say one")["alias"]
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the first answer")
        failed = self.home.run("send", alias, "--wait", "fail 400", seconds=AGENT_SECONDS)
        self.assertEqual(failed.code, 1, str(failed))
        two = self.home.run("send", alias, "--wait", "say two", seconds=AGENT_SECONDS)
        self.assertEqual((two.code, two.out), (0, "two\n"))
        [agent] = self.agents()
        os.kill(agent, signal.SIGKILL)
        self.home.wait_for_event(alias, "LeaseReleased")
        three = self.home.run("send", alias, "--wait", "say three", seconds=AGENT_SECONDS)
        self.assertEqual((three.code, three.out), (0, "three\n"))
        self.assertEqual(self.home.stop(), 0)
        self.home.start()
        four = self.home.run("send", alias, "--wait", "say four", seconds=AGENT_SECONDS)
        self.assertEqual((four.code, four.out), (0, "four\n"))
        self.home.run("close", alias)
        row = self.wait_for_end(alias)
        self.assertEqual((row["status"], row["turns_finished"], row["turns_failed"]),
                         ("completed", 4, 1))
        begun = {facts["agent_session"] for facts in self.facts(row["session"], "AgentInitialized")}
        self.assertEqual(begun, {row["agent_session"]})

    def test_a_budget_ends_the_session(self):
        self.run_claude("--budget-usd", "0.00001", "bash echo once", code=8)
        row = self.newest()
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "budget"))

    def test_a_session_resumed_five_times_costs_what_was_served(self):
        self.run_claude("say first")
        source = self.newest()
        rows = [source]
        for number in range(5):
            resumed = self.home.run("resume", source["alias"], f"say {number}", "--follow",
                                    seconds=AGENT_SECONDS)
            self.assertEqual((resumed.code, resumed.out), (0, f"{number}\n"), str(resumed))
            rows.append(self.newest())
        # The first resume goes on with the agent's session, and the others with copies of it.
        sessions = [row["agent_session"] for row in rows]
        self.assertEqual(len(set(sessions)), 5)
        charged = self.model.charged()
        served = charged[sessions[0]] + [charged[each][0] for each in sessions[2:]]
        self.assertEqual(sum(len(charged[each]) for each in set(sessions)), 6)
        self.assertEqual([nano(row["cost_usd"]) for row in rows], [charge(call) for call in served])
        self.assertEqual({row["cost_basis"] for row in rows}, {"reported"})
        shown = self.home.ask("show", source["alias"])
        self.assertEqual(nano(shown["lineage_spent_usd"]), sum(map(charge, served)))

    def test_what_a_killed_agent_had_spent_counts_and_nothing_counts_twice(self):
        alias = self.home.ask("spawn", "--multi-turn", "--allow-tool", "Bash", "say one")["alias"]
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the first answer")
        self.home.run("send", alias, "stream 300")
        self.home.wait_for_event(alias, "PartialOutputRecorded")
        [agent] = self.agents()
        os.kill(agent, signal.SIGKILL)
        self.home.wait_for_event(alias, "LeaseReleased")
        row = self.home.show(alias)
        one_call = 100 * INPUT + 20 * OUTPUT
        # The input of the cut call is known, and of its output one token.
        self.assertEqual(nano(row["cost_usd"]), one_call + 100 * INPUT + OUTPUT)
        self.assertEqual(row["cost_basis"], "at_least")
        for text in ("three", "four"):
            sent = self.home.run("send", alias, "--wait", "say " + text, seconds=AGENT_SECONDS)
            self.assertEqual(sent.code, 0, str(sent))
        self.home.run("close", alias)
        row = self.wait_for_end(alias)
        self.assertEqual(nano(row["cost_usd"]), 3 * one_call + 100 * INPUT + OUTPUT)

    def test_a_budget_holds_over_resumes(self):
        self.run_claude("--budget-usd", "0.0012", "say one")
        row = self.newest()
        resumed = self.home.run("resume", row["alias"], "bash echo two", "--follow",
                                seconds=AGENT_SECONDS)
        self.assertEqual(resumed.code, 8, str(resumed))
        last = self.newest()
        self.assertEqual((last["status"], last["end_reason"]), ("failed", "budget"))
        for refused in (["resume", row["alias"], "say three"],
                        ["resume", last["alias"], "say three"],
                        ["resume", row["alias"], "say three", "--fork"]):
            result = self.home.run(*refused)
            self.assertEqual(result.code, 8, str(result))
            self.assertIn("spent $0.0016 of a budget of $0.0012", result.err)
        self.assertEqual(len(self.model.charged()[row["agent_session"]]), 2)

    # Shows C20.
    def test_a_session_is_resumed_once_and_forked_at_will(self):
        self.run_claude("say first")
        source = self.newest()
        resumed = self.home.ask("resume", source["alias"], "stream 2000")
        begun = self.home.wait_for_event(resumed["alias"], "AgentInitialized")["facts"]
        self.assertEqual(begun["agent_session"], source["agent_session"])
        again = self.home.run("resume", source["alias"], "say again")
        self.assertEqual(again.code, 4, str(again))
        self.assertIn("already goes on", again.err)
        forked = self.home.ask("resume", source["alias"], "say forked", "--fork")
        row = self.wait_for_end(forked["alias"])
        self.assertEqual((row["status"], row["resumed_from"]), ("completed", source["session"]))
        self.assertNotEqual(row["agent_session"], source["agent_session"])
        # Its agent counts on from the source's total, so only the difference is charged.
        self.assertGreater(row["cost_usd"], 0)
        self.home.run("kill", resumed["alias"])
        self.home.wait_for_event(resumed["alias"], "AgentExited")
        followed = self.home.run("resume", resumed["alias"], "say after all", "--follow",
                                 seconds=AGENT_SECONDS)
        self.assertEqual((followed.code, followed.out), (0, "after all\n"), str(followed))
        self.assertEqual(self.newest()["agent_session"], source["agent_session"])


class ClaudeInUse(WithClaude):
    """What people met in use, each as they met it."""

    def begin(self, *arguments):
        alias = self.home.ask("spawn", "--multi-turn", *arguments, seconds=AGENT_SECONDS)["alias"]
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the first answer",
              AGENT_SECONDS)
        return alias

    def send(self, alias, prompt, code=0):
        sent = self.home.run("send", alias, "--wait", prompt, seconds=AGENT_SECONDS)
        self.assertEqual(sent.code, code, str(sent))
        return sent.out.rstrip("\n")

    def close(self, alias):
        self.home.run("close", alias)
        return self.wait_for_end(alias)

    def resume(self, reference, prompt, *flags):
        alias = self.home.ask("resume", reference, prompt, *flags)["alias"]
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the first answer",
              AGENT_SECONDS)
        return alias

    def test_each_of_five_senders_gets_the_answer_to_what_it_sent(self):
        alias = self.begin("say begin")
        senders = [self.home.follow("send", alias, "--wait", f"say to {number}")
                   for number in range(5)]
        for number, sender in enumerate(senders):
            result = sender.finish(AGENT_SECONDS)
            self.assertEqual((result.code, result.out), (0, f"to {number}\n"), str(result))
        self.close(alias)

    def test_a_running_turn_shows_what_it_has_spent(self):
        alias = self.begin("say begin")
        before = nano(self.home.show(alias)["cost_usd"])
        self.home.run("send", alias, "stream 4000")  # longer than the test waits
        until(lambda: nano(self.home.show(alias)["cost_usd"]) > before, "spending", AGENT_SECONDS)
        self.assertTrue(self.home.show(alias)["turn"])
        self.home.run("interrupt", alias)
        row = self.close(alias)
        self.assertEqual(row["cost_basis"], "estimated")
        self.assertEqual(row["usage"]["input"], 200)

    def test_a_budget_holds_over_the_death_of_workers(self):
        alias = self.begin("--budget-usd", "2", "dear begin")
        kills = []

        def send_once_more():
            kills.append(self.home.worker_pid())
            os.kill(kills[-1], signal.SIGKILL)
            sent = self.home.run("send", alias, "--wait", "dear more", seconds=AGENT_SECONDS)
            return sent.code in (4, 8) and sent  # the budget is spent, or the session over by that
        refused = until(send_once_more, "the end of the budget", 2 * AGENT_SECONDS)
        self.assertIn("budget", refused.err)
        self.home.run("kill", alias)
        row = self.wait_for_end(alias)
        # The last call exceeds it.
        served = [charge(call) for call in self.model.charged()[row["agent_session"]]]
        self.assertGreaterEqual(len(kills), 3)
        self.assertGreater(sum(served), nano(2))
        self.assertLess(sum(served[:-1]), nano(2))
        self.assertEqual(nano(row["cost_usd"]), sum(served))

    def test_a_stop_of_the_server_ends_a_turn_and_keeps_the_session_and_its_queue(self):
        alias = self.begin("say begin")
        self.home.run("send", alias, "stream 400")
        self.home.run("send", alias, "say waited")
        self.home.wait_for_event(alias, "PartialOutputRecorded")
        self.assertEqual(self.home.stop(), 0)
        self.home.start()
        until(lambda: self.home.show(alias)["turns_finished"] == 2, "what had waited",
              AGENT_SECONDS)
        row = self.close(alias)
        self.assertEqual((row["status"], row["turns_finished"], row["turns_interrupted"]),
                         ("completed", 2, 1))
        reasons = [facts["reason"] for facts in self.facts(row["session"], "TurnInterrupted")]
        self.assertEqual(reasons, ["stopped"])

    # Shows R309.
    def test_a_turn_is_tried_again_after_each_loss_until_it_is_done(self):
        alias = self.begin("--restart-policy", "retry", "say begin")
        self.home.run("send", alias, "stream 120")  # longer than the stop takes on a busy machine
        self.home.wait_for_event(alias, "PartialOutputRecorded")
        self.assertEqual(self.home.stop(), 0)
        self.home.start()
        session = self.home.show(alias)["session"]
        def second_has_begun():
            return len(self.facts(session, "AgentInitialized")) == 2
        until(second_has_begun, "the second agent", AGENT_SECONDS)
        os.kill(self.home.worker_pid(), signal.SIGKILL)
        until(lambda: self.home.show(alias)["turns_finished"] == 2, "the turn", AGENT_SECONDS)
        row = self.close(alias)
        self.assertEqual((row["status"], row["turns_interrupted"]), ("completed", 0))
        returned = self.facts(session, "TurnReturned")
        self.assertEqual([facts["attempts"] for facts in returned], [1, 2])
        # The first attempts were cut off, and nothing tells what they cost.
        self.assertEqual(row["cost_basis"], "at_least")
        [first, *lost, last] = self.model.charged()[row["agent_session"]]
        self.assertTrue(first["complete"] and last["complete"])
        self.assertFalse(any(call["complete"] for call in lost))

    def test_retries_are_told_while_they_happen(self):
        result = self.run_claude("fail 529", code=1)
        self.assertIn("↻ a call of the model failed: ", result.err)
        self.assertIn("(HTTP 529); the agent tries again in ", result.err)
        self.assertIn("❌ turn failed (api_error, HTTP 529)", result.err)
        self.assertTrue(self.facts(self.newest()["session"], "ModelCallRetried"))

    def test_an_answer_that_broke_off_is_given_whole_and_its_cost_an_estimate(self):
        result = self.run_claude("cut 20 of this")  # for long enough that pieces are recorded
        # The pieces of the first answer stand above the second one.
        self.assertRegex(result.out, r"\Aword0 (word[0-9]+\s+)+as said\n\Z")
        row = self.newest()
        self.assertTrue(self.facts(row["session"], "PartialOutputRecorded"))
        self.assertEqual((row["status"], row["cost_basis"]), ("completed", "estimated"))
        self.assertEqual(row["usage"]["input"], 200)

    def test_the_results_of_parallel_tools_can_be_told_apart(self):
        self.run_claude("--allow-tool", "Bash", "parallel 3")
        items = self.home.ask("output", self.newest()["alias"], "--all")["items"]
        calls = {item["call"]: item["text"] for item in items if item["kind"] == "tool_call"}
        results = {item["call"]: item["text"] for item in items if item["kind"] == "tool_result"}
        self.assertEqual(len(calls), 3)
        for call, text in calls.items():
            self.assertIn(f"echo {results[call]}", text)

    # Shows C14.
    def test_what_a_tool_left_behind_ends_after_the_death_of_worker_and_keeper(self):
        sleep = f"sleep {700 + os.getpid() % 100}"
        prompt = f"bash env -i setsid {sleep}"
        alias = self.home.ask("spawn", "--allow-tool", "Bash", prompt)["alias"]

        def sleepers():
            found = subprocess.run(["pgrep", "-xf", sleep], stdout=subprocess.PIPE, check=False)
            return found.stdout.split()
        until(sleepers, "the tool", AGENT_SECONDS)
        keepers = [pid for pid, command in self.home.processes().items()
                   if "steno-keeper" in command.split(" ")[0]]
        for pid in [self.home.worker_pid(), *keepers]:
            os.kill(pid, signal.SIGKILL)
        until(lambda: not sleepers(), "the end of what the tool had started")
        row = self.wait_for_end(alias)
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "worker_lost"))

    # Shows C04.
    def test_a_resume_goes_on_where_that_session_ended(self):
        first = self.begin("say one")
        self.close(first)
        second = self.resume(first, "say two")
        self.close(second)
        third = self.home.run("resume", first, "history")
        self.assertEqual(third.code, 0, str(third))
        self.assertIn(f"this one goes on where {first} ended", third.err)
        alias = self.newest()["alias"]
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "an answer", AGENT_SECONDS)
        said = self.home.run("output", alias, "--all").out
        self.assertEqual(said, "> history\nsay one\n")
        self.close(alias)
        # And the second one where it had ended, though the third one came later.
        fourth = self.resume(second, "history")
        said = self.home.run("output", fourth, "--all").out
        self.assertIn("say one | say two\n", said)
        self.close(fourth)

    # Shows C19.
    def test_an_agent_that_lost_its_transcript_is_told_what_the_record_holds(self):
        first = self.begin("say one")
        row = self.close(first)
        agents = self.home.path("agents", ".claude", "projects")
        for folder, _, files in os.walk(agents):
            if row["agent_session"] + ".jsonl" in files:
                os.remove(os.path.join(folder, row["agent_session"] + ".jsonl"))
        second = self.resume(first, "say two")
        told = self.send(second, "history")
        self.assertIn("User: say one\nYou: one\n", told)
        self.assertIn("</conversation>\n\nsay two", told)
        self.assertIn("was told what the record holds", self.home.run("show", second).out)
        row = self.close(second)
        self.assertEqual((row["status"], row["turns_finished"]), ("completed", 2))
        [lost] = self.facts(row["session"], "AgentSessionLost")
        self.assertNotEqual(lost["agent_session"], row["agent_session"])
        self.assertEqual(nano(row["cost_usd"]),
                         sum(map(charge, self.model.charged()[row["agent_session"]])))

    def check_shared(self, first, row):
        """Resumes a session whose agent session others have used since: it goes on as the record
        has it, and people and the agent are told."""
        alias = self.home.ask("resume", first, "history")["alias"]
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "an answer", AGENT_SECONDS)
        said = self.home.run("output", alias, "--all").out
        self.assertIn("somebody else has gone on with the agent's session (1 answer", said)
        self.assertEqual(said.splitlines()[-1], "say one")
        self.assertIn("others have gone on", self.home.run("show", alias).out)
        now = self.home.show(alias)
        [shared] = self.facts(now["session"], "AgentSessionShared")
        self.assertEqual((shared["agent_session"], shared["answers"]), (row["agent_session"], 1))
        self.assertNotEqual(now["agent_session"], row["agent_session"])
        # The agent knows it, too. The next process goes on with the copy, and finds nobody there.
        told = self.send(alias, "history")
        self.assertIn("Somebody else has meanwhile gone on", told)
        self.assertNotIn("say theirs", told)
        self.close(alias)
        third = self.resume(alias, "history")
        self.assertEqual(self.facts(self.home.show(third)["session"], "AgentSessionShared"), [])
        self.close(third)

    # Shows C19.
    def test_a_person_who_resumes_the_agents_own_session_is_noticed(self):
        first = self.begin("say one")
        row = self.close(first)
        environment = {**self.home.environment, "HOME": self.home.path("agents"),
                       "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        by_hand = subprocess.run(
            [os.environ["STENO_TEST_CLAUDE"], "-p", "--resume=" + row["agent_session"],
             "say theirs"], env=environment, cwd=self.home.folder, stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL, timeout=AGENT_SECONDS, check=True, text=True)
        self.assertEqual(by_hand.stdout, "theirs\n")
        self.check_shared(first, row)

    def test_another_server_with_the_agents_home_is_noticed(self):
        first = self.begin("say one")
        row = self.close(first)
        other = claude_home(self.model)
        self.addCleanup(other.close)
        other.environment["STENO_AGENT_HOME"] = self.home.path("agents")
        other.start()
        alias = other.ask("resume", row["agent_session"], "say theirs")["alias"]
        self.assertEqual(other.wait_for_end(alias, AGENT_SECONDS)["status"], "completed")
        self.assertEqual(other.stop(), 0)
        self.check_shared(first, row)

    def test_nobody_is_suspected_of_what_the_sessions_own_agents_said(self):
        alias = self.begin("--allow-tool", "Bash", "say one")
        self.send(alias, "bash echo two")
        # A turn dies with its worker, and one is interrupted; the agent is started again each time.
        self.home.run("send", alias, "stream 400")
        self.home.wait_for_event(alias, "PartialOutputRecorded")
        os.kill(self.home.worker_pid(), signal.SIGKILL)
        until(lambda: self.home.show(alias)["turns_interrupted"] == 1, "the loss")
        self.send(alias, "say three")
        row = self.close(alias)
        for _ in range(2):
            alias = self.resume(alias, "say more")
            row = self.close(alias)
            self.assertEqual(self.facts(row["session"], "AgentSessionShared"), [])
        self.assertEqual(self.facts(row["resumed_from"], "AgentSessionShared"), [])

    def test_the_prompts_that_waited_are_taken_along(self):
        first = self.begin("say one")
        self.home.run("send", first, "stream 400")
        for word in ("two", "three"):
            self.home.run("send", first, "say " + word)
        self.home.wait_for_event(first, "PartialOutputRecorded")
        self.home.run("kill", first)
        self.wait_for_end(first)
        resumed = self.home.run("resume", first, "--with-queue")
        self.assertIn(f"2 prompts of {first} had waited", resumed.err)
        alias = self.newest()["alias"]
        until(lambda: self.home.show(alias)["turns_finished"] == 2, "both answers", AGENT_SECONDS)
        # The second is sent while the first runs, or once it is over.
        said = self.home.run("output", alias, "--all").out.splitlines()
        self.assertEqual([line for line in said if line.startswith(">")],
                         ["> say two", "> say three"])
        self.assertEqual([line for line in said if not line.startswith(">")], ["two", "three"])
        self.close(alias)


class ClaudeConverses(WithClaude):
    """Conversations over restarts, a reset, an undo, a change of the model, groups and a thread."""

    CONFIG = '[conversations.queue]\ndebounce = "0s"\n'

    def send(self, key, text, *flags):
        result = self.home.run("conv", "send", key, text, "--wait", *flags, seconds=AGENT_SECONDS)
        self.assertEqual(result.code, 0, str(result))
        return result.out.rstrip("\n")

    def shown(self, key):
        return json.loads(self.home.run("-o", "json", "conv", "show", key).out)

    def session(self, key):
        return self.home.show(self.shown(key)["session"])

    # Shows R108, R110.
    def test_a_conversation_goes_on_whatever_happens_and_the_model_saw_what_is_on_record(self):
        self.assertEqual(self.home.run("rules", "add", "--allow", "Bash").code, 0)
        self.assertEqual(self.send("main", "say good morning"), "good morning")
        self.assertEqual(self.send("main", "history"), "say good morning")
        first = self.session("main")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.assertEqual(self.send("main", "history"), "say good morning | history")
        self.assertEqual(self.home.stop(), 0)
        self.home.start()
        self.assertEqual(self.send("main", "history"), "say good morning | history | history")
        groups = ("telegram:group:1", "telegram:group:2", "telegram:group:1:thread:7")
        for key in groups:
            self.assertEqual(self.send(key, f"say hello {key}"), f"hello {key}")
        for key in groups:
            self.assertEqual(self.send(key, "history"), f"say hello {key}")
        self.assertEqual(len({self.session(key)["session"] for key in ("main", *groups)}), 4)
        # What comes while the agent works is one prompt, or reaches the turn.
        self.check_queue(groups[0], "collect")
        self.check_queue(groups[1], "steer")
        # A reset begins anew, and can be undone.
        self.assertEqual(self.home.run("conv", "reset", "main").code, 0)
        # The agent asks the model again if it says nothing at all.
        self.assertEqual(self.send("main", "say anew"), "anew")
        self.assertEqual(self.send("main", "history"), "say anew")
        second = self.session("main")
        self.assertNotEqual(second["agent_session"], first["agent_session"])
        self.assertEqual(self.home.run("conv", "undo", "main").code, 0)
        self.assertEqual(self.send("main", "history"),
                         "say good morning | history | history | history")
        # Another model answers from the next session on.
        self.assertEqual(self.home.run("conv", "set", "main",
                                       "modelOverride=claude-haiku-4-5").code, 0)
        self.assertEqual(self.send("main", "/new say with the other model"),
                         "with the other model")
        [call] = self.model.charged()[self.session("main")["agent_session"]]
        self.assertEqual(call["model"], "claude-haiku-4-5")
        self.check_record()

    def test_a_thread_begins_with_a_copy_of_what_was_said_above_it(self):
        with open(self.home.path("steno.toml"), "a", encoding="utf-8") as file:
            file.write("[conversations]\nfork_threads = true\n")
        self.assertEqual(self.home.stop(), 0)
        self.home.start()
        above, thread = "discord:group:5", "discord:group:5:thread:7"
        self.send(above, "say above")
        self.assertEqual(self.send(thread, "history"), "say above")
        self.assertEqual(self.send(above, "history"), "say above")
        self.assertEqual(self.send(thread, "history"), "say above | history")
        self.assertNotEqual(self.session(thread)["agent_session"],
                            self.session(above)["agent_session"])

    # Shows R127, R212.
    def test_a_subagent_has_a_task_and_its_parent_hears_what_it_found(self):
        parent = "agent:main:telegram:group:9"
        self.send(parent, "say hello")
        started = self.home.ask("conv", "spawn", "say found it", "--parent", parent)
        child = started["childSessionKey"]

        def has_heard():
            shown = self.shown(parent)
            return shown["messages"] == 2 and not shown.get("run") and not shown["waiting"]
        until(has_heard, "the announcement", AGENT_SECONDS)
        # The subagent is one of the agent's own sessions, and knew of nothing but its task.
        [call] = self.model.charged()[self.session(child)["agent_session"]]
        self.assertEqual(call["texts"], ["found it"])
        heard = self.send(parent, "history")
        self.assertIn('say hello | A background task "say found it" completed successfully.', heard)
        self.assertIn("Findings: found it", " ".join(heard.split()))

    def check_queue(self, key, mode):
        self.assertEqual(self.home.run("conv", "send", key, "/queue " + mode).code, 0)
        command, gate = self.gate()
        self.assertEqual(self.home.run("conv", "send", key, "bash " + command).code, 0)
        session = self.session(key)["session"]
        until(lambda: [event for event in self.home.events(session)
                       if event["type"] == "ToolCallStarted"], "the call", AGENT_SECONDS)
        runs = self.shown(key)["runs"]
        self.assertEqual(self.home.run("conv", "send", key, "say what came meanwhile").code, 0)
        if mode == "steer":
            self.home.wait_for_event(session, "PromptInjected")
        self.open_gate(gate)

        def is_at_rest():
            shown = self.shown(key)
            return not shown.get("run") and not shown["waiting"]
        until(is_at_rest, "the end of the runs", AGENT_SECONDS)
        self.assertEqual(self.shown(key)["runs"], runs + (mode == "collect"))
        if mode == "steer":
            [steered] = [event for event in self.home.events() if event["type"] == "MessageSteered"]
            self.assertEqual(steered["facts"]["run"], self.facts(session, "PromptInjected")[0]["turn"])
            return
        said = [item["text"] for item in self.home.ask("output", session, "--all")["items"]
                if item["kind"] == "said"]
        self.assertEqual(said[-1], "what came meanwhile")

    def check_record(self):
        """Holds what the record has of each session against what the model served."""
        served, said = self.model.charged(), {}
        for row in self.home.ask("ls", "--all")["sessions"]:
            items = self.home.ask("output", row["session"], "--all")["items"]
            said.setdefault(row["agent_session"], []).append(
                (row["started_at"] if "started_at" in row else row["opened"],
                 [item["text"] for item in items if item["kind"] == "said"]))
        for agent_session, parts in said.items():
            texts = [text for _, part in sorted(parts) for text in part]
            heard = [text for call in served[agent_session] for text in call["texts"]]
            self.assertEqual([text for text in heard if text], texts)


class ClaudeConfigured(WithClaude):
    """The file says what agents may do."""
    CONFIG = "permission_mode = \"bypassPermissions\"\nagent_sandboxed = true\n"

    # Shows D01.
    def test_the_permission_mode_of_the_file_reaches_the_agent(self):
        def finished(*arguments, code):
            self.run_claude(*arguments, "bash touch made", code=code)
            [fact] = self.facts(self.newest()["session"], "ToolCallFinished")
            return fact
        self.assertFalse(finished(code=0)["denied"])
        self.assertTrue(finished("--permission-mode", "default", "--approvals", "deny",
                                 code=5)["denied"])


class Asking(WithClaude):

    def start(self, prompt, *flags):
        return self.home.start_session(prompt, *flags, engine="claude")

    def ask(self, alias):
        until(lambda: self.home.ask("approvals", alias)["count"], "what the agent asks",
              AGENT_SECONDS)
        return self.home.ask("approvals", alias)["asks"][0]

    def done(self, *arguments, code=0):
        result = self.home.run(*arguments)
        self.assertEqual(result.code, code, str(result))
        return result

    def results(self, alias):
        return [event["content"] for event in self.home.events(self.home.show(alias)["session"])
                if event["type"] == "ToolCallFinished"]

    def made(self, name):
        return os.path.exists(os.path.join(self.home.workdir, name))

    def told_to_model(self, alias):
        """Returns the results of tools that the model's server got for the session.

        Some versions add what is left of the budget."""
        calls = self.model.charged()[self.home.show(alias)["agent_session"]]
        return [text.split("\n\n<system-reminder>\nUSD budget")[0]
                for call in calls for text in call["results"]]


def works_within_turn():
    """True for a version whose subagents end before the result of the turn that started them."""
    return os.environ["STENO_TEST_CLAUDE"].endswith("cli.js")


def is_read(pipe, writer):
    """Says whether anybody can still read from the pipe, which is named as /proc names it.

    The kernel is asked: a process that ends holds its pipes for a while after /proc has ceased to
    list them.
    """
    for link in glob.glob(f"/proc/{writer}/fd/*"):
        if os.readlink(link) == pipe:
            with open(link, "wb", buffering=0) as file:
                poll = select.poll()
                poll.register(file, 0)
                return not poll.poll(0)
    raise AssertionError(f"process {writer} does not hold {pipe}")


class ClaudeAsks(Asking):
    """The agent asks for approvals, asks questions, proposes plans, and is answered."""

    def test_an_approved_call_runs_and_a_denied_one_does_not(self):
        alias = self.start("bash touch approved")
        asked = self.ask(alias)
        self.assertEqual((asked["tool"], asked["input"]["command"]), ("Bash", "touch approved"))
        self.assertTrue(asked["suggestions"])
        self.assertFalse(self.made("approved"))
        self.done("approve", alias)
        self.assertEqual(self.wait_for_end(alias)["status"], "completed")
        self.assertTrue(self.made("approved"))
        alias = self.start("bash touch not-approved")
        self.ask(alias)
        self.done("deny", alias, "Use make instead.")
        self.assertEqual(self.wait_for_end(alias)["denied"], 0)
        self.assertFalse(self.made("not-approved"))
        self.assertEqual(self.told_to_model(alias), ["Use make instead."])

    def test_another_input_reaches_the_tool(self):
        alias = self.start("bash touch asked-for")
        self.ask(alias)
        self.done("approve", alias, "--input", json.dumps({"command": "touch changed"}))
        self.wait_for_end(alias)
        self.assertEqual((self.made("asked-for"), self.made("changed")), (False, True))

    def test_a_question_is_answered(self):
        question = {"questions": [{"question": "Which store?", "header": "Store",
                                   "multiSelect": False,
                                   "options": [{"label": "SQLite", "description": "small"},
                                               {"label": "RocksDB", "description": "fast"}]}]}
        alias = self.start("tool AskUserQuestion " + json.dumps(question))
        asked = self.ask(alias)
        self.assertEqual((asked["kind"], asked["summary"]), ("question", "asks: Which store?"))
        self.done("answer", alias, "2")
        self.wait_for_end(alias)
        [told] = self.told_to_model(alias)
        self.assertIn('"Which store?"="RocksDB"', told)

    def test_a_plan_is_approved(self):
        alias = self.start('tool ExitPlanMode {"plan": "Move the cache"}', "--permission-mode",
                           "plan")
        self.assertEqual(self.ask(alias)["kind"], "plan")
        self.done("approve", alias)
        self.wait_for_end(alias)
        [told] = self.told_to_model(alias)
        self.assertIn("approved", told)

    # Shows N03.
    def test_a_subagent_asks_behind_the_result_of_the_turn(self):
        alias = self.start("delegate bash touch by-the-subagent")
        self.ask(alias)
        if not works_within_turn():
            self.home.wait_for_event(alias, "TurnFinished")
        self.done("approve", alias)
        self.assertEqual(self.wait_for_end(alias)["status"], "completed")
        self.assertTrue(self.made("by-the-subagent"))

    def test_an_interrupt_withdraws_what_the_agent_asks(self):
        alias = self.start("bash touch interrupted", "--multi-turn")
        self.ask(alias)
        self.done("interrupt", alias)
        self.home.wait_for_event(alias, "AskClosed")
        [closed] = self.facts(self.home.show(alias)["session"], "AskClosed")
        self.assertEqual(closed["end"], "withdrawn")
        self.home.wait_for_event(alias, "TurnInterrupted")
        self.assertIn("did not wait", self.done("approve", alias + "#1", code=4).err)
        self.done("kill", alias)
        self.assertFalse(self.made("interrupted"))

    def test_an_agent_waits_over_a_crash_of_the_server(self):
        alias = self.start("bash touch after-the-crash")
        self.ask(alias)
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.ask(alias)
        self.done("approve", alias)
        self.assertEqual(self.wait_for_end(alias)["status"], "completed")
        self.assertTrue(self.made("after-the-crash"))
        self.assertEqual(len(self.facts(self.home.show(alias)["session"], "AskAnswered")), 1)

    def test_an_answer_that_an_agent_did_not_hear_is_for_the_next_that_asks_the_same(self):
        prompt = "bash touch unheard"
        alias = self.start(prompt, "--multi-turn", "--continue-after-failure")
        self.ask(alias)
        worker = self.home.worker_pid()
        os.kill(worker, signal.SIGSTOP)
        try:
            agent = self.home.show(alias)["pid"]
            stdin = os.readlink(f"/proc/{agent}/fd/0")
            os.kill(agent, signal.SIGKILL)
            # A helper of the agent can keep it open for a moment.
            until(lambda: not is_read(stdin, worker), "the end of whoever reads the answer")
            self.done("deny", alias, "use make test")
        finally:
            os.kill(worker, signal.SIGCONT)
        self.home.wait_for_event(alias, "AskClosed")
        session = self.home.show(alias)["session"]
        self.assertEqual([fact["end"] for fact in self.facts(session, "AskClosed")], ["unheard"])
        self.home.run("send", alias, prompt)
        self.home.wait_for_event(alias, "TurnFinished")
        self.assertEqual([(fact["verdict"], fact["basis"])
                          for fact in self.facts(session, "AskAnswered")],
                         [("denied", "person"), ("denied", "earlier")])
        self.assertIn("use make test", self.told_to_model(alias))
        self.assertFalse(self.made("unheard"))
        self.done("kill", alias)

    def test_what_was_asked_ends_with_its_worker(self):
        alias = self.start("bash touch never", "--multi-turn")
        self.ask(alias)
        os.kill(self.home.worker_pid(), signal.SIGKILL)
        self.home.wait_for_event(alias, "AskClosed")
        [closed] = self.facts(self.home.show(alias)["session"], "AskClosed")
        self.assertEqual(closed["end"], "agent_gone")
        self.done("approve", alias + "#1", code=4)
        # The agent that is resumed asks anew.
        self.home.run("send", alias, "bash touch after-the-worker")
        self.assertEqual(self.ask(alias)["ask"], 2)
        self.done("approve", alias)
        until(lambda: self.made("after-the-worker"), "the command", AGENT_SECONDS)
        self.done("kill", alias)
        self.assertFalse(self.made("never"))


CHANNEL = "telegram|1234"
QUESTION = {"questions": [{"question": "Which store?", "header": "Store", "multiSelect": False,
                           "options": [{"label": "SQLite", "description": "small"},
                                       {"label": "RocksDB", "description": "fast"}]}]}


class ClaudeAnsweredFromAnywhere(Asking):
    """Each way to answer reaches the agent, and the model's server sees what came of it."""
    CONFIG = (f'chat_senders = ["{CHANNEL}"]\ngateway = true\nmcp_approvals = true\n')

    def ended(self, alias):
        self.assertEqual(self.wait_for_end(alias)["status"], "completed")
        return self.told_to_model(alias)

    def by_command(self, request, verb, said):
        flags = ["--input"] if "input" in said else []
        self.done(verb, request, *flags, *said.values())

    def by_chat(self, request, verb, said):
        self.done("chat", "--sender", CHANNEL, " ".join([f"/{verb} {request}", *said.values()]))

    def by_tool(self, request, verb, said):
        child = self.home.popen(["mcp"], stdin=subprocess.PIPE)
        call = {"name": f"session_{verb}", "arguments": {"session": request, **said}}
        answer, _ = child.communicate((json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}) + "\n").encode())
        self.assertFalse(json.loads(answer)["result"]["isError"], answer)

    def by_method(self, request, verb, said):
        path = self.home.path("run", "gateway.sock")
        until(lambda: os.path.exists(path), "the gateway")
        socket = steno_wire.zmq.Context.instance().socket(steno_wire.zmq.DEALER)
        self.addCleanup(socket.close)
        socket.linger, socket.rcvtimeo = 0, 20_000
        socket.connect("ipc://" + path)
        socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": f"session.{verb}", "params": {
            "session": request, "idempotency_key": request, **said}}).encode())
        answer = json.loads(socket.recv())
        self.assertIn("result", answer)

    def answered(self, way, prompt, verb, said, *flags):
        """Has the agent ask, answers, and returns what the model was told."""
        alias = self.start(prompt, *flags)
        way(f"{alias}#{self.ask(alias)['ask']}", verb, said)
        return self.ended(alias)

    def answered_at_terminal(self, prompt, verb, said, *flags):
        typed = {"approve": "y", "deny": said.get("reason"), "answer": said.get("answer")}[verb]
        shown = "a number, or other words" if verb == "answer" else "y approves it"
        code, seen = self.home.on_terminal(("run", *flags, prompt), [(shown, typed + "\n")],
                                           AGENT_SECONDS)
        self.assertEqual(code, 0, seen)
        return self.told_to_model(self.newest()["alias"])

    def test_each_answer_is_given_by_each_way(self):
        ways = {"command": self.by_command, "chat": self.by_chat, "tool": self.by_tool,
                "method": self.by_method, "terminal": None}

        def answered(name, *said):
            if name == "terminal":
                return self.answered_at_terminal(*said)
            return self.answered(ways[name], *said)
        for name in ways:
            with self.subTest(way=name, answer="approve"):
                [told] = answered(name, f"bash touch {name}-1 && echo made", "approve", {})
                self.assertEqual((told, self.made(name + "-1")), ("made", True))
            with self.subTest(way=name, answer="deny"):
                told = answered(name, f"bash touch {name}-2", "deny", {"reason": f"Not by {name} now."})
                self.assertEqual((told, self.made(name + "-2")), ([f"Not by {name} now."], False))
            with self.subTest(way=name, answer="question"):
                [told] = answered(name, "tool AskUserQuestion " + json.dumps(QUESTION), "answer",
                                  {"answer": "2"})
                self.assertIn('"Which store?"="RocksDB"', told)
            with self.subTest(way=name, answer="plan"):
                [told] = answered(name, 'tool ExitPlanMode {"plan": "Move the cache"}', "approve", {},
                                  "--permission-mode", "plan")
                self.assertIn("approved", told)
            if name == "terminal":
                continue  # another input is a command of its own
            with self.subTest(way=name, answer="another input"):
                changed = json.dumps({"command": f"touch {name}-4 && echo changed"})
                [told] = answered(name, f"bash touch {name}-3", "approve", {"input": changed})
                self.assertEqual((told, self.made(name + "-3"), self.made(name + "-4")),
                                 ("changed", False, True))

    def test_a_chat_approves(self):
        alias = self.start("bash touch by-chat")
        asked = self.ask(alias)
        self.done("chat", "--sender", CHANNEL, f"/approve {alias}#{asked['ask']}")
        self.ended(alias)
        self.assertTrue(self.made("by-chat"))

    def test_a_tool_denies(self):
        alias = self.start("bash touch by-tool")
        self.ask(alias)
        child = self.home.popen(["mcp"], stdin=subprocess.PIPE)
        call = {"name": "session_deny", "arguments": {"session": alias, "reason": "Not by tool."}}
        answer, _ = child.communicate((json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}) + "\n").encode())
        self.assertFalse(json.loads(answer)["result"]["isError"], answer)
        self.assertEqual(self.ended(alias), ["Not by tool."])
        self.assertFalse(self.made("by-tool"))

    def test_a_method_approves_with_another_input(self):
        alias = self.start("bash touch as-asked")
        asked = self.ask(alias)
        until(lambda: os.path.exists(self.home.path("run", "gateway.sock")), "the gateway")
        socket = steno_wire.zmq.Context.instance().socket(steno_wire.zmq.DEALER)
        self.addCleanup(socket.close)
        socket.linger, socket.rcvtimeo = 0, 20_000
        socket.connect("ipc://" + self.home.path("run", "gateway.sock"))
        socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "session.approve", "params": {
            "session": f"{alias}#{asked['ask']}", "idempotency_key": "once",
            "input": json.dumps({"command": "touch as-changed"})}}).encode())
        self.assertEqual(json.loads(socket.recv())["result"]["verdict"], "granted")
        self.ended(alias)
        self.assertEqual((self.made("as-asked"), self.made("as-changed")), (False, True))

    def test_a_person_at_the_terminal_denies_in_words(self):
        code, seen = self.home.on_terminal(("run", "bash touch by-terminal"),
                                           [("y approves it", "use make test\n")], AGENT_SECONDS)
        self.assertEqual(code, 0, seen)
        self.assertEqual(self.told_to_model(self.newest()["alias"]), ["use make test"])
        self.assertFalse(self.made("by-terminal"))

    def test_a_rule_approves_and_an_approval_for_good_adds_one(self):
        self.done("rules", "add", "--allow", "Bash(touch by-rule*)")
        alias = self.start("bash touch by-rule")
        self.ended(alias)
        self.assertTrue(self.made("by-rule"))
        alias = self.start("bash touch by-always")
        self.ask(alias)
        self.done("approve", alias, "--always")
        self.ended(alias)
        self.ended(self.start("bash touch by-always"))

    def test_nobody_in_time_denies_or_approves(self):
        alias = self.start("bash touch too-late", "--approval-timeout", "300ms")
        [told] = self.ended(alias)
        self.assertIn("Nobody answered in time", told)
        alias = self.start("bash touch in-time", "--approval-timeout", "300ms", "--unanswered",
                           "approve")
        self.ended(alias)
        self.assertEqual((self.made("too-late"), self.made("in-time")), (False, True))

    def test_two_requests_wait_at_once(self):
        for name in ("first", "second"):
            with open(self.home.path(name), "w", encoding="ascii") as file:
                file.write(f"This is the {name}.\n")
        reads = json.dumps([{"file_path": self.home.path(name)} for name in ("first", "second")])
        alias = self.start("tool Read " + reads)
        until(lambda: self.home.ask("approvals", alias)["count"] == 2, "both", AGENT_SECONDS)
        self.done("deny", alias + "#2", "Not this one.")
        self.done("approve", alias + "#1")
        told = self.ended(alias)
        # In the order of the answers.
        self.assertEqual(told[0], "Not this one.")
        self.assertIn("This is the first.", told[1])

    def test_a_session_that_is_closed_meanwhile_ends_with_its_answer(self):
        alias = self.start("bash touch closed", "--multi-turn")
        self.ask(alias)
        self.done("close", alias)
        self.assertEqual(self.home.ask("approvals", alias)["count"], 1)
        self.done("approve", alias)
        self.ended(alias)
        self.assertTrue(self.made("closed"))


class ClaudeDefers(Asking):
    """A question outlives its agent's process: that ends, and the next one asks again."""
    CONFIG = 'idle_agent_stop = "2s"\n'
    QUESTION = {"questions": [{"question": "Which store?", "header": "Store", "multiSelect": False,
                               "options": [{"label": "SQLite", "description": "small"},
                                           {"label": "RocksDB", "description": "fast"}]}]}

    def deferred(self, prompt, *flags):
        alias = self.start(prompt, *flags)
        self.ask(alias)
        self.home.wait_for_event(alias, "TurnReturned")
        until(lambda: not agents_of(self.home), "the end of its process", AGENT_SECONDS)
        self.assertEqual(self.home.ask("approvals", alias)["count"], 1)
        return alias

    def told_once(self, alias):
        self.assertEqual(self.wait_for_end(alias)["status"], "completed")
        session = self.home.show(alias)["session"]
        for kind in ("AskRaised", "AskAnswered", "AskClosed", "ToolCallStarted"):
            self.assertEqual(len(self.facts(session, kind)), 1, kind)
        row = self.home.show(alias)
        self.assertEqual(nano(row["cost_usd"]),
                         sum(map(charge, self.model.charged()[row["agent_session"]])))
        return self.told_to_model(alias)

    def test_a_question_waits_without_a_process(self):
        alias = self.deferred("tool AskUserQuestion " + json.dumps(self.QUESTION))
        self.done("answer", alias, "2")
        [told] = self.told_once(alias)
        self.assertIn('"Which store?"="RocksDB"', told)

    def test_a_plan_waits_without_a_process(self):
        alias = self.deferred('tool ExitPlanMode {"plan": "Move the cache"}',
                              "--permission-mode", "plan")
        self.done("approve", alias)
        [told] = self.told_once(alias)
        self.assertIn("approved", told)

    def test_a_question_outlives_a_stop(self):
        alias = self.start("tool AskUserQuestion " + json.dumps(self.QUESTION))
        self.ask(alias)
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())
        self.home.start()
        self.done("deny", alias, "Ask nobody.")
        self.assertEqual(self.told_once(alias), ["Ask nobody."])


class ClaudeSet(Asking):
    """A session that lives takes other settings, and the agent has them at once."""

    def said(self, alias, prompt):
        return self.done("send", alias, "--wait", prompt).out

    def told(self, *arguments):
        out = self.done("set", *arguments).out
        self.assertIn("from now on, the agent has been told", out)
        return out

    def models(self, alias):
        calls = self.model.charged()[self.home.show(alias)["agent_session"]]
        return [call["model"] for call in calls]

    def test_the_permission_mode_changes_while_an_agent_asks(self):
        write = {"content": "x"}
        alias = self.start("bash touch asked-first", "--multi-turn")
        self.ask(alias)
        self.told(alias, "--permission-mode", "acceptEdits")
        self.assertEqual(self.home.ask("approvals", alias)["count"], 1)
        self.done("approve", alias)
        until(lambda: self.home.show(alias)["waiting_for_input"], "the answer", AGENT_SECONDS)
        path = os.path.join(self.home.workdir, "unasked")
        self.said(alias, "tool Write " + json.dumps({**write, "file_path": path}))
        self.assertTrue(self.made("unasked"))
        self.told(alias, "--permission-mode", "default")
        path = os.path.join(self.home.workdir, "asked-again")
        self.home.run("send", alias, "tool Write " + json.dumps({**write, "file_path": path}))
        self.assertEqual(self.ask(alias)["tool"], "Write")
        self.done("deny", alias, "no")
        self.done("kill", alias)

    def test_a_plan_that_is_approved_is_not_planned_again_by_the_next_process(self):
        alias = self.start('tool ExitPlanMode {"plan": "Move it"}', "--permission-mode", "plan",
                           "--multi-turn")
        self.ask(alias)
        self.done("approve", alias)
        until(lambda: self.home.show(alias)["waiting_for_input"], "the answer", AGENT_SECONDS)
        self.assertEqual(self.home.show(alias)["permission_mode"], "default")
        self.done("kill", alias)

    def test_the_model_changes_and_stays(self):
        alias = self.start("say one", "--multi-turn")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the answer", AGENT_SECONDS)
        before = self.models(alias)[-1]
        self.told(alias, "--model", "claude-haiku-4-5", "--thinking-tokens", "2000")
        self.said(alias, "say two")
        self.assertEqual(self.models(alias)[-1], "claude-haiku-4-5")
        self.assertNotEqual(before, "claude-haiku-4-5")
        self.home.stop()
        self.home.start()
        self.said(alias, "say three")
        self.assertEqual(self.models(alias)[-1], "claude-haiku-4-5")
        self.done("kill", alias)

    def test_a_bypass_that_is_refused_holds_from_the_next_process_on(self):
        alias = self.start("say one", "--multi-turn")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the answer", AGENT_SECONDS)
        out = self.done("set", alias, "--permission-mode", "bypassPermissions").out
        self.assertIn("the agent that runs refuses it", out)
        self.done("kill", alias)

    def test_slash_commands_are_listed_and_run(self):
        alias = self.start("say one", "--multi-turn")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the answer", AGENT_SECONDS)
        self.assertIn("compact", self.home.ask("commands", alias)["commands"])
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
                       "awAAAABJRU5ErkJggg==")
PDF = (b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]"
       b"/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj\n"
       b"trailer<</Size 4/Root 1 0 R>>\n%%EOF")


class ClaudeGetsFiles(Asking):
    """Files of prompts, held against what the model's server saw."""

    def setUp(self):
        super().setUp()
        self.files = {"shot.png": PNG, "paper.pdf": PDF, "notes.md": "grüß \u2028 dich".encode()}
        for name, data in self.files.items():
            with open(os.path.join(self.home.workdir, name), "wb") as file:
                file.write(data)

    def flags(self, *names):
        return [word for name in names for word in ("--file", name)]

    def block(self, name):
        data = self.files[name]
        if name.endswith(".md"):
            return ["document", name, "text/plain", hashlib.sha256(data).hexdigest()]
        encoded = hashlib.sha256(base64.b64encode(data)).hexdigest()
        if name.endswith(".pdf"):
            return ["document", name, "application/pdf", encoded]
        return ["image", "", "image/png", encoded]

    def seen(self, alias):
        """Returns the files that came with each call of the session."""
        calls = self.model.charged()[self.home.show(alias)["agent_session"]]
        return [call["files"] for call in calls]

    def test_the_model_sees_the_files_in_their_order_once(self):
        names = ("notes.md", "shot.png", "paper.pdf")
        blocks = [self.block(name) for name in names]
        alias = self.start("say One.", "--multi-turn", *self.flags(*names))
        until(lambda: len(self.facts(self.home.show(alias)["session"], "TurnFinished")) == 1,
              "the first answer", AGENT_SECONDS)
        self.assertEqual(self.seen(alias), [blocks])
        said = self.done("send", alias, "--wait", "say Two.")
        self.assertIn("Two.", said.out)
        said = self.done("send", alias, "--wait", *self.flags("shot.png"), "say Three.")
        self.assertIn("Three.", said.out)
        self.assertEqual(self.seen(alias), [blocks, [], [self.block("shot.png")]])
        self.done("kill", alias)
        # The agent that is resumed has them in its transcript, and is not given them again.
        resumed = self.home.ask("resume", alias, "say Four.")["alias"]
        self.home.wait_for_event(resumed, "TurnFinished")
        self.assertEqual(self.seen(alias)[3:], [[]])
        self.done("kill", resumed)

    def test_an_image_alone_is_a_prompt(self):
        alias = self.start("", *self.flags("shot.png"))
        self.assertEqual(self.wait_for_end(alias)["status"], "completed")
        self.assertEqual(self.seen(alias), [[self.block("shot.png")]])

    def test_a_message_of_a_conversation_brings_its_files(self):
        said = self.done("conv", "send", "main", "say Seen.", *self.flags("shot.png", "notes.md"),
                         "--wait")
        self.assertEqual(said.out, "Seen.\n")
        session = json.loads(self.home.run("-o", "json", "conv", "show", "main").out)["session"]
        self.assertEqual(self.seen(session), [[self.block("shot.png"), self.block("notes.md")]])

    def test_files_outlive_a_crash_before_the_agent_has_them(self):
        alias = self.start("hang", "--multi-turn", "--continue-after-failure")
        self.home.wait_for_event(alias, "AgentInitialized")
        self.done("send", alias, *self.flags("shot.png", "notes.md"), "say There.")
        self.home.stop(signal.SIGKILL)
        for name in self.files:
            os.remove(os.path.join(self.home.workdir, name))
        self.home.start()
        self.done("interrupt", alias)
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the answer", AGENT_SECONDS)
        self.assertEqual(self.seen(alias)[-1], [self.block("shot.png"), self.block("notes.md")])
        self.done("kill", alias)


HOOKS = """
stop_grace = "10s"
agent_sandboxed = true

[[hooks]]
name = "start"
on = "SessionStart"
agent = "told"
command = "echo The word is azure."

[[hooks]]
name = "variables"
on = "SessionStart"
agent = "told"
command = '''echo 'export FRUIT=quince' >> "$CLAUDE_ENV_FILE"'''

[[hooks]]
name = "prompt"
on = "UserPromptSubmit"
agent = "told"
input = "rewrite me"
command = '''echo '{"hookSpecificOutput": {"updatedPrompt": "say rewritten"}}' '''

[[hooks]]
name = "no-touch"
on = "PreToolUse"
tool = "Bash"
input = "touch forbidden"
builtin = "deny"
text = "Touch nothing that is forbidden."

[[hooks]]
name = "slow"
on = "PreToolUse"
tool = "Bash"
input = "touch slowly"
command = "sleep 2; echo Not so slowly. >&2; exit 2"

[[hooks]]
name = "other-name"
on = "PreToolUse"
tool = "Bash"
input = "touch one"
command = '''echo '{"hookSpecificOutput": {"updatedInput": {"command": "touch two"}}}' '''

[[hooks]]
name = "look"
on = "PreToolUse"
tool = "Bash"
input = "touch looked-at"
builtin = "ask"
text = "Somebody is to look at it."

[[hooks]]
name = "trusted"
on = "PermissionRequest"
tool = "Bash"
input = "touch trusted"
builtin = "allow"

[[hooks]]
name = "in-place-of-people"
on = "PermissionRequest"
tool = "Bash"
input = "touch (refused|replaced)"
command = '''python3 -c 'import json, sys
command = json.load(sys.stdin)["tool_input"]["command"]
decision = {"behavior": "deny", "message": "A hook refuses it."}
if "replaced" in command:
    decision = {"behavior": "allow", "updatedInput": {"command": "touch replacement"}}
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}))' '''

[[hooks]]
name = "redact"
on = "PostToolUse"
builtin = "redact"
pattern = "hunter[0-9]"

[[hooks]]
name = "explain"
on = "PostToolUseFailure"
command = '''echo '{"hookSpecificOutput": {"additionalContext": "It fails on Mondays."}}' '''

[[hooks]]
name = "subagents"
on = "SubagentStart"
input = "forbidden-task"
builtin = "deny"
text = "No such subagent."

[[hooks]]
name = "more"
on = "Stop"
agent = "more"
command = "test -e again && { rm again; echo say once more >&2; exit 2; } || true"
"""


class ClaudeHooks(Asking):
    """Hooks are asked by the real agent, and what they answer reaches the tool and the model."""
    CONFIG = HOOKS

    def ran(self, prompt, *flags):
        alias = self.start(prompt, *flags)
        self.wait_for_end(alias)
        return alias

    def hooks(self, alias):
        return [(fact["hook"], fact["outcome"])
                for fact in self.facts(self.home.show(alias)["session"], "HookRan")]

    # Shows R177.
    def test_a_call_is_blocked_under_bypass_and_the_model_hears_why(self):
        alias = self.ran("bash touch forbidden", "--permission-mode", "bypassPermissions")
        self.assertFalse(self.made("forbidden"))
        [told] = self.told_to_model(alias)
        self.assertIn("Touch nothing that is forbidden.", told)
        self.assertEqual((self.hooks(alias), self.home.show(alias)["denied"]),
                         ([("no-touch", "blocked")], 0))

    def test_an_input_is_changed_and_people_are_asked_where_nobody_need_be(self):
        alias = self.ran("bash touch one", "--permission-mode", "bypassPermissions")
        self.assertEqual((self.made("one"), self.made("two")), (False, True))
        alias = self.start("bash touch looked-at", "--permission-mode", "bypassPermissions")
        self.ask(alias)
        self.assertFalse(self.made("looked-at"))
        self.done("approve", alias)
        self.assertEqual(self.wait_for_end(alias)["status"], "completed")
        self.assertTrue(self.made("looked-at"))

    def test_what_is_trusted_is_approved_by_a_hook(self):
        alias = self.ran("bash touch trusted")
        self.assertTrue(self.made("trusted"))
        [answer] = [fact for fact in self.facts(self.home.show(alias)["session"], "AskAnswered")
                    if fact["point"] == "none"]
        self.assertEqual((answer["verdict"], answer["basis"]), ("granted", "hook"))

    def test_a_hook_denies_for_people_and_changes_what_is_approved(self):
        alias = self.ran("bash touch refused")
        self.assertEqual((self.told_to_model(alias), self.made("refused")), (["A hook refuses it."], False))
        self.ran("bash touch replaced")
        self.assertEqual((self.made("replaced"), self.made("replacement")), (False, True))

    def test_commands_have_the_variables_that_a_hook_left(self):
        ran = self.home.run("--agent", "told", "run", "--engine", "claude", "--allow-tool", "Bash",
                            "bash echo the fruit is $FRUIT", seconds=AGENT_SECONDS)
        self.assertEqual(ran.code, 0, str(ran))
        calls = self.model.charged()[self.home.ask("--agent", "told", "ls", "-n", "1")
                                     ["sessions"][0]["agent_session"]]
        told = [text for call in calls for text in call["results"]]
        self.assertTrue(any(text.startswith("the fruit is quince") for text in told), told)

    # Shows R189, R194.
    def test_the_output_of_a_tool_is_redacted_and_a_failure_explained(self):
        alias = self.ran("bash echo it is hunter2 here", "--allow-tool", "Bash")
        # Older versions let hooks change the output of tools of MCP only.
        is_kept = os.environ["STENO_TEST_CLAUDE"].endswith("cli.js")
        self.assertEqual(self.told_to_model(alias),
                         ["it is hunter2 here" if is_kept else "it is [redacted] here"])
        alias = self.ran("bash exit 7", "--allow-tool", "Bash")
        self.assertEqual(self.hooks(alias), [("explain", "changed")])

    # Shows R163, R171.
    def test_the_model_is_told_at_the_start_and_a_prompt_is_rewritten(self):
        def said(prompt):
            ran = self.home.run("--agent", "told", "run", "--engine", "claude", prompt,
                                seconds=AGENT_SECONDS)
            self.assertEqual(ran.code, 0, str(ran))
            return ran.out
        self.assertIn("The word is azure.", said("hello there"))
        self.assertIn("rewritten", said("rewrite me"))

    def test_a_subagent_is_refused(self):
        alias = self.ran("delegate forbidden-task")
        self.assertIn("No such subagent.", self.told_to_model(alias)[0])

    # Shows N07.
    def test_a_hook_blocks_a_subagent_behind_the_result_of_the_turn(self):
        alias = self.ran("delegate bash touch slowly", "--permission-mode", "bypassPermissions")
        self.assertFalse(self.made("slowly"))
        self.assertIn(("slow", "blocked"), self.hooks(alias))
        if works_within_turn():
            return
        events = self.home.events(self.home.show(alias)["session"])
        over = next(at for at, event in enumerate(events) if event["type"] == "TurnFinished")
        self.assertIn("slow", [event["facts"]["hook"] for event in events[over:]
                               if event["type"] == "HookRan"])

    def test_the_agent_goes_on_behind_its_answer(self):
        with open(os.path.join(self.home.workdir, "again"), "w", encoding="ascii"):
            pass
        ran = self.home.run("--agent", "more", "run", "--engine", "claude", "say first",
                            seconds=AGENT_SECONDS)
        self.assertIn("first", ran.out)
        self.assertIn("once more", ran.out)

    def test_a_rule_holds_at_calls_that_need_no_approval(self):
        self.done("rules", "add", "--deny", "Bash(echo secret*)")
        alias = self.ran("bash echo secrets", "--permission-mode", "bypassPermissions")
        self.assertIn("Denied by the rule Bash(echo secret*)", self.told_to_model(alias)[0])
        self.done("rules", "rm", "1")


class ClaudeScheduled(WithClaude):
    """Agents that other sessions and schedules set to work."""

    def prompts(self, reference):
        return [item["text"] for item in self.home.ask("output", reference, "--all")["items"]
                if item["kind"] == "prompt"]

    # Shows R306, R307, R312.
    def test_a_subagent_reaches_its_parent_by_its_own_shell(self):
        steno = os.environ["STENO_PROGRAM"]
        parent = self.home.ask("spawn", "--multi-turn", "say lead", seconds=AGENT_SECONDS)["alias"]
        child = self.home.ask("spawn", "--parent", parent, "--allow-tool", "Bash", "--name", "helper",
                              f"bash {steno} message 'say heard'",
                              seconds=AGENT_SECONDS)["alias"]
        self.home.wait_for_end(child, AGENT_SECONDS)
        until(lambda: len(self.prompts(parent)) == 3, "the message and the end", AGENT_SECONDS)
        self.assertEqual(self.prompts(parent)[1], "say heard")
        self.assertEqual(self.prompts(parent)[2],
                         f"Subagent helper ({child}) completed.\nIts words: steno output {child}")
        until(lambda: self.home.show(parent)["turns_finished"] == 3, "its answers", AGENT_SECONDS)
        said = [item["text"] for item in self.home.ask("output", parent, "--all")["items"]
                if item["kind"] == "said"]
        self.assertEqual(said[:2], ["lead", "heard"])

    # Shows R303.
    def test_heartbeats_are_prompts_for_one_agent(self):
        added = self.home.run("schedule", "add", "beat", "--every", "1d", "--heartbeat", "say tick")
        self.assertEqual(added.code, 0, added)
        for count in (1, 2):
            self.assertEqual(self.home.run("schedule", "run", "beat").code, 0)
            until(lambda: self.home.run("show", "@heartbeat").code == 0, "the session")
            until(lambda: self.home.show("@heartbeat")["turns_finished"] == count, "its answer",
                  AGENT_SECONDS)
            self.home.stop(signal.SIGKILL)
            self.home.start()
        self.assertEqual(self.prompts("@heartbeat"), ["say tick", "say tick"])
        alias = self.home.show("@heartbeat")["alias"]
        kinds = [row["descriptor"]["kind"] for row in self.home.ask("ls")["sessions"]]
        self.assertEqual(kinds.count("heartbeat"), 1)
        self.assertNotIn(alias, [row["alias"] for row in self.home.ask("attention")["sessions"]])

    # Shows R303.
    def test_a_heartbeat_is_left_to_a_subagent(self):
        of_agent = ("--agent", "tended", "show", "@heartbeat")
        added = self.home.run("--agent", "tended", "schedule", "add", "tended", "--every", "1d",
                              "--heartbeat", "--subagent", "say nothing was due")
        self.assertEqual(added.code, 0, added)
        self.assertEqual(self.home.run("schedule", "run", "tended").code, 0)
        until(lambda: self.home.run(*of_agent).code == 0, "the session")
        until(lambda: self.home.ask(*of_agent)["session"]["turns_finished"] > 0, "its answer",
              AGENT_SECONDS)
        row = self.home.ask(*of_agent)["session"]
        [call] = self.facts(row["session"], "ToolCallStarted")
        self.assertEqual(call["tool"], "Agent")
        until(lambda: "nothing was due" in [
            e["content"] for e in self.home.events(row["session"])
            if e["type"] == "OutputRecorded" and e["facts"]["parent"] == call["call"]],
            "the subagent's words", AGENT_SECONDS)


class ClaudeWithTools(WithClaude):
    """An agent that runs sessions of its own, by the tools of `steno mcp`."""

    # Shows R001.
    def test_an_agent_launches_a_session_and_reads_what_it_said(self):
        config = self.home.path("mcp.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {"steno": {"command": os.environ["STENO_PROGRAM"],
                                                "args": ["mcp"]}}}, file)
        allowed = [f"--mcp-config={config}",
                   *(f"--allow-tool=mcp__steno__{tool}"
                     for tool in ("claude_launch", "claude_output"))]
        launch = json.dumps({"prompt": "say made by an agent", "name": "helper",
                             "multi_turn_disabled": True})
        self.run_claude(*allowed, f"tool mcp__steno__claude_launch {launch}")
        self.wait_for_end("helper")
        said = [item["text"] for item in self.home.ask("output", "helper")["items"]
                if item["kind"] == "said"]
        self.assertEqual(said, ["made by an agent"])
        read = json.dumps({"session": "helper"})
        self.run_claude(*allowed, f"tool mcp__steno__claude_output {read}")
        results = [item for item in self.home.ask("output", self.newest()["alias"])["items"]
                   if item["kind"] == "tool_result"]
        self.assertIn("made by an agent", results[0]["text"])


class ClaudeFallsBack(WithClaude):
    """The provider refuses the agent's model."""
    RETRIES = 4

    # Shows R313.
    def test_another_model_answers_and_that_is_on_the_record(self):
        result = self.run_claude("--fallback-model", "claude-sonnet-4-5", "overload")
        self.assertEqual(result.out, "The other model answers.\n")
        self.assertIn("⇄ the agent goes on with claude-sonnet-4-5 instead of claude-opus-5-5 "
                      "(overloaded)", result.err)
        row = self.newest()
        [fallen] = self.facts(row["session"], "ModelFellBack")
        self.assertEqual((fallen["to"], fallen["cause"]), ("claude-sonnet-4-5", "overloaded"))
        [finished] = self.facts(row["session"], "TurnFinished")
        self.assertEqual([spent["model"] for spent in finished["cost"]["spent"]],
                         ["claude-sonnet-4-5"])
        refused = self.home.run("spawn", "--model", "opus", "--fallback-model", "opus", "say no")
        self.assertEqual(refused.code, 2, str(refused))
        self.assertIn("the fallback model is the model itself", refused.err)


class ClaudeTold(WithClaude):
    """What happens is told to who is somewhere else."""
    # Each call is a file, so that two at once are two.
    CONFIG = ("silence_after = \"1s\"\n"
              "notify_system_command = [\"sh\", \"-c\", \"printf '%s' \\\"$1\\\" > "
              "\\\"$HOME/told-$(date +%s%N)-$0\\\"\", \"{kind}\", \"{text}\"]\n"
              "notify_command = [\"sh\", \"-c\", \"printf '%s' \\\"$1\\\" > "
              "\\\"$HOME/shown-$(date +%s%N)-$0\\\"\", \"{kind}\", \"{text}\"]\n")

    def texts(self, sink, alias):
        """Returns what the sink was given about the session, in order, by kind."""
        told = []
        for name in sorted(os.listdir(self.home.folder)):
            if name.startswith(sink + "-"):
                with open(self.home.path(name), encoding="utf-8") as file:
                    told.append((name.split("-")[2], file.read()))
        return [(kind, text) for kind, text in told if kind == "output" or f"[{alias}]" in text]

    def kinds(self, alias):
        # An agent that takes its time to start counts as stuck as well.
        return [kind for kind, _ in self.texts("told", alias) if kind != "stuck"]

    # Shows C12.
    def test_a_waiting_session_is_told_once_and_without_a_pause(self):
        alias = self.home.ask("spawn", "--multi-turn", "--name", "talk", "say begin",
                              seconds=AGENT_SECONDS)["alias"]
        until(lambda: self.kinds(alias), "that it waits", AGENT_SECONDS)
        session = self.home.show(alias)["session"]
        events = self.home.events()
        [finished] = [e for e in events if e["type"] == "TurnFinished"
                      and e["stream"].endswith(session)]
        [asked] = [e for e in events if e["type"] == "NotificationRequested"
                   and e["facts"]["session"] == session and e["facts"]["kind"] == "waiting"]
        # In one append, so nothing can come between.
        self.assertEqual(asked["command"], finished["command"])
        def delivered():
            return [e for e in self.home.events() if e["type"] == "NotificationDelivered"
                    and e["facts"]["notification"] == asked["position"]]
        until(delivered, "that it is delivered", AGENT_SECONDS)
        # The first attempt was due at once, and was the only one, however long it took.
        self.assertFalse(asked["facts"]["not_before"])
        self.assertFalse([e for e in self.home.events() if e["type"] == "NotificationFailed"
                          and e["facts"]["notification"] == asked["position"]])
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.home.run("kill", alias)
        until(lambda: "killed" in self.kinds(alias), "that it was killed", AGENT_SECONDS)
        self.assertEqual(self.kinds(alias), ["waiting", "killed"])

    # Shows R314, R315.
    def test_who_waits_for_an_answer_is_told_that_there_is_none(self):
        for prompt, words, flags in (
                ("fail 400", "Inference failed. ", ()),
                ("loop true", "Tool execution limit reached. ",
                 ("--max-turns", "2", "--allow-tool", "Bash"))):
            for more, kind in (((), "failed"), (("--multi-turn",), "turn_failed")):
                alias = self.home.ask("spawn", *flags, *more, "--user", "telegram/alice/42", prompt,
                                      seconds=AGENT_SECONDS)["alias"]
                # An agent that takes its time to start counts as stuck as well.
                def shown():
                    return [one for one in self.texts("shown", alias)
                            if one[0] not in ("output", "stuck")]
                [(told, text)] = until(shown, "that it is told", AGENT_SECONDS)
                self.assertEqual(told, kind)
                self.assertIn("⚠️ " + words, text)
                if more:
                    self.home.run("kill", alias)

    # Shows R077, R078, R218.
    def test_a_channel_is_shown_what_the_agent_says_and_does(self):
        alias = self.home.ask("spawn", "--multi-turn", "--allow-tool", "Bash", "bash echo made",
                              seconds=AGENT_SECONDS)["alias"]
        self.home.run("foreground", alias, "--channel", "telegram|1234")
        def shown():
            return "\n".join(text for kind, text in self.texts("shown", alias)
                             if kind == "output")
        until(lambda: "The command has run." in shown(), "the answer", AGENT_SECONDS)
        lines = shown().splitlines()
        self.assertIn("🔧 Bash — echo made", lines)
        self.assertEqual(lines[-1], "The command has run.")
        self.home.run("kill", alias)


class ClaudeUnattended(WithClaude):
    """Nobody looks while an agent waits, hangs, or never comes to an end."""
    CONFIG = "silence_after = \"1s\"\n"

    def begin(self, *arguments):
        return self.home.ask("spawn", "--multi-turn", *arguments, seconds=AGENT_SECONDS)["alias"]

    def needs(self):
        return {row["alias"]: row["attention"] for row in self.home.ask("attention")["sessions"]}

    def wait_for_need(self, alias, need):
        until(lambda: self.needs().get(alias) == need, need, AGENT_SECONDS)

    def test_a_waiting_session_needs_somebody_until_a_person_knows(self):
        alias = self.begin("say begin")
        self.wait_for_need(alias, "waiting_for_input")
        row = self.home.show(alias)
        [finished] = [event for event in self.home.events(row["session"])
                      if event["type"] == "TurnFinished"]
        self.assertEqual(row["attention_at"], finished["position"])
        [listed] = [line for line in self.home.run("attention").out.splitlines()
                    if line.startswith(alias)]
        self.assertIn("waiting for input", listed)
        self.assertTrue(listed.rstrip().endswith(f"steno send {alias} 'PROMPT'"), listed)
        dismissed = self.home.run("attention", "--dismiss", alias)
        self.assertEqual((dismissed.code, dismissed.err.strip()),
                         (0, f"{alias}: waiting for input, dismissed"))
        self.assertNotIn(alias, self.needs())
        self.home.run("send", alias, "--wait", "say more", seconds=AGENT_SECONDS)
        self.wait_for_need(alias, "waiting_for_input")
        self.home.run("kill", alias)
        self.assertNotIn(alias, self.needs())

    def test_each_need_is_told_once_to_who_watches(self):
        watcher = self.home.follow("watch", "--attention", "-o", "jsonl")
        self.addCleanup(watcher.close)
        alias = self.begin("say begin")
        told = []

        def wait_for(need):
            """An agent that takes its time to start counts as stuck as well."""
            while True:
                row = json.loads(watcher.line(AGENT_SECONDS))
                if row["alias"] == alias:
                    told.append(row["attention_at"])
                    if row["attention"] == need and row["status"] == "running":
                        return
        wait_for("waiting_for_input")
        self.home.run("send", alias, "hang")
        wait_for("stuck")
        self.home.run("interrupt", alias)
        wait_for("waiting_for_input")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.home.run("send", alias, "--wait", "say more", seconds=AGENT_SECONDS)
        wait_for("waiting_for_input")
        self.assertEqual(told, sorted(set(told)))
        self.home.run("kill", alias)
        watcher.close()

    def test_an_agent_that_hangs_is_stuck_until_it_is_interrupted(self):
        alias = self.begin("hang")
        # Also one that takes its time to start counts as stuck, but only until it has started.
        until(lambda: self.home.show(alias)["status"] == "running" and
              "stuck: silent since" in self.home.run("show", alias).out, "it is stuck",
              AGENT_SECONDS)
        self.home.run("interrupt", alias)
        self.wait_for_need(alias, "waiting_for_input")
        [begun, *_] = self.facts(self.home.show(alias)["session"], "AgentSilenceReported")
        self.assertFalse(begun["over"])
        self.home.run("kill", alias)

    # Shows D09.
    def test_a_tool_that_takes_its_time_is_no_silence(self):
        result = self.run_claude("--allow-tool", "Bash", "bash sleep 4")
        self.assertEqual(result.out.splitlines()[-1], "The command has run.")
        events = self.home.events(self.newest()["session"])
        [began] = [e for e in events if e["type"] == "ToolCallStarted"]
        [ended] = [e for e in events if e["type"] == "ToolCallFinished"]
        self.assertGreater(self.moment(ended) - self.moment(began), 2)  # than silence_after
        # Before and behind the tool a slow machine can make it silent.
        silent = [e for e in events
                  if e["type"] == "AgentSilenceReported" and not e["facts"]["over"]
                  and began["position"] < e["position"] < ended["position"]]
        self.assertEqual(silent, [])

    # Shows C17.
    def test_a_model_that_asks_for_one_tool_for_ever_is_stopped(self):
        result = self.run_claude("--allow-tool", "Bash", "--repeated-calls-max", "3", "loop true",
                                 code=1)
        row = self.newest()
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "repeated_calls"))
        self.assertIn("made the same call of Bash 3 times in a row", result.err)
        self.assertIn("the agent made one tool call again and again", result.err)
        calls = self.facts(row["session"], "ToolCallStarted")
        self.assertEqual([call["repeats"] for call in calls[:6]], [0, 2, 3, 4, 5, 6])
        self.assertLessEqual(len(calls), 8)
        self.assertEqual(self.needs()[row["alias"]], "failed")

    # Shows R023, R190, C17.
    def test_a_model_that_goes_on_for_ever_is_stopped_at_what_its_session_may_use(self):
        for flag, most, reason in (("--max-tool-calls", 5, "max_tool_calls"),
                                   ("--max-tokens", 3000, "max_tokens"),
                                   ("--max-output-bytes", 200, "max_output_bytes")):
            result = self.run_claude("--allow-tool", "Bash", "--repeated-calls-max", "0", flag,
                                     str(most), "loop echo twenty bytes or so", code=8)
            self.assertIn(reason + ": ", result.err)
            row = self.newest()
            self.assertEqual((row["status"], row["end_reason"]), ("failed", reason))
            events = self.home.events(row["session"])
            [asked] = [e for e in events if e["type"] == "InterruptRequested"]
            [ended] = [e for e in events if e["type"] == "TurnInterrupted"]
            self.assertEqual(asked["facts"]["reason"], reason)
            calls = [e for e in events if e["type"] == "ToolCallStarted"]
            behind = [e for e in calls if asked["position"] < e["position"] < ended["position"]]
            # Those that were on their way: two, and more on a busy machine.
            self.assertLessEqual(len(behind), 10)
            if reason == "max_tool_calls":
                self.assertLessEqual(len(calls), most + 10)
            self.assert_charged(row, nano(row["cost_usd"]))

    def assert_charged(self, row, cost):
        """A call that was cut off can have been charged in full, or not at all; the agent guesses
        its output."""
        calls = self.model.charged()[row["agent_session"]]
        is_guessed = row["cost_basis"] in ("estimated", "at_least")
        whole = sum(map(charge, calls[:-1])) + (0 if is_guessed else charge(calls[-1]))
        self.assertLessEqual(whole, cost)
        last = charge(calls[-1], guessed=4 if is_guessed else 1)
        self.assertLessEqual(cost, sum(map(charge, calls[:-1])) + last)

    # Shows C17, R023.
    def test_sessions_share_what_their_agent_may_cost_in_a_day(self):
        if time.time() % 86400 > 86400 - 4 * AGENT_SECONDS:
            self.skipTest("the day ends too soon")
        home = claude_home(self.model, config="daily_budget_usd = 0.1\n")
        self.addCleanup(home.close)
        home.start()
        waiting = home.start_session("say first", "--multi-turn", engine="claude")
        until(lambda: home.show(waiting)["waiting_for_input"], "the answer", AGENT_SECONDS)
        stopped = home.run("run", "--allow-tool", "Bash", "--repeated-calls-max", "0", "loop true",
                           seconds=AGENT_SECONDS)
        self.assertEqual(stopped.code, 8, str(stopped))
        self.assertIn("daily_budget: ", stopped.err)
        spent = [e["facts"] for e in home.events() if e["type"] == "AgentSpent"]
        for row in home.ask("ls")["sessions"]:
            told = sum(nano(one["cost_usd"]) for one in spent if one["session"] == row["session"])
            self.assertEqual(told, nano(row["cost_usd"]))
            self.assert_charged(row, told)
        self.assertEqual(home.run("run", "say more", seconds=AGENT_SECONDS).code, 8)
        self.assertEqual(home.run("send", waiting, "say later").code, 0)
        self.assertEqual(home.show(waiting)["pause"], "daily_budget")
        self.assertEqual(home.stop(), 0)

    # Shows R168, C21.
    def test_a_turn_that_runs_for_too_long_is_interrupted(self):
        result = self.run_claude("--run-timeout", "2s", "stream 4000", code=7)
        row = self.newest()
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "run_timeout"))
        self.assertIn("it ran for too long", result.err)
        # It can have been interrupted before it heard of its first call, or made it. The agent
        # guesses the output of a call that was cut off.
        served = self.model.charged().get(row.get("agent_session"), [])
        guessed = sum(charge(call, guessed=4) for call in served)
        self.assertLessEqual(nano(row["cost_usd"]), guessed)
        if row["cost_usd"]:
            self.assertEqual(row["cost_basis"], "estimated")

    def test_a_conversation_from_elsewhere_goes_on_here(self):
        elsewhere = claude_home(self.model)
        self.addCleanup(elsewhere.close)
        elsewhere.environment["STENO_AGENT_HOME"] = self.home.path("agents")
        elsewhere.start()
        there = elsewhere.run("run", "say from elsewhere", seconds=AGENT_SECONDS)
        self.assertEqual(there.code, 0, str(there))
        there = elsewhere.ask("ls", "-n", "1")["sessions"][0]
        elsewhere.stop()
        here = self.home.run("resume", there["agent_session"], "history", "--workdir",
                             there["workdir"], "--follow", seconds=AGENT_SECONDS)
        self.assertEqual((here.code, here.out), (0, "say from elsewhere\n"), str(here))
        row = self.newest()
        self.assertEqual(row["agent_session"], there["agent_session"])
        self.assertLess(row["cost_usd"], 2 * there["cost_usd"])

    def test_a_conversation_that_is_nowhere_fails(self):
        nowhere = "0b7c1d1e-58a1-4a63-9d0b-6c5f8a2b9c3d"
        failed = self.home.run("resume", nowhere, "say more", "--follow", seconds=AGENT_SECONDS)
        self.assertEqual(failed.code, 1, str(failed))
        row = self.newest()
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "start_failed"))
        self.assertIn("cannot go on with its own session", failed.err)
        self.assertEqual(self.home.run("resume", "no-session", "x").code, 3)

    # Shows C25, D03.
    def test_a_session_that_waits_for_too_long_is_killed_and_can_be_resumed(self):
        alias = self.begin("--idle-timeout", "1s", "say begin")
        row = self.wait_for_end(alias)
        self.assertEqual((row["status"], row["end_reason"]), ("killed", "idle"))
        refused = self.home.run("send", alias, "say more")
        self.assertEqual(refused.code, 4, str(refused))
        self.assertIn("killed (idle); resume it to go on", refused.err)
        resumed = self.home.ask("resume", alias, "say resumed", "--idle-timeout", "never")["alias"]
        until(lambda: self.home.show(resumed)["turns_finished"] == 1, "its answer", AGENT_SECONDS)
        self.home.run("kill", resumed)


class ClaudeImported(WithClaude):
    """A person's own transcripts: imported, found, gone on with, and given back."""

    def by_hand(self, *arguments):
        """Runs Claude Code without Steno, in a home of its own; returns what it prints."""
        environment = {key: value for key, value in self.home.environment.items()
                       if not key.startswith("STENO_")}
        environment["HOME"] = self.home.path("agents")
        environment["TMPDIR"] = self.home.path("agents")
        ran = subprocess.run(
            [os.environ["STENO_TEST_CLAUDE"], "-p", *arguments], env=environment,
            cwd=self.home.workdir, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
            timeout=AGENT_SECONDS, check=True, text=True)
        return ran.stdout

    def transcripts(self):
        """Returns the path of each transcript, by its session."""
        found = {}
        for folder, _, names in os.walk(self.home.path("agents", ".claude", "projects")):
            for name in names:
                if name.endswith(".jsonl") and "subagents" not in folder:
                    found[name[:-len(".jsonl")]] = os.path.join(folder, name)
        return found

    def begin_by_hand(self, prompt, *flags):
        """Returns the session and path of a transcript that Claude Code has written by itself."""
        before = self.transcripts()
        self.by_hand(prompt, *flags)
        [session] = set(self.transcripts()) - set(before)
        path = self.transcripts()[session]
        os.utime(path, (time.time() - 60, time.time() - 60))
        return session, path

    def steno_import(self):
        told = self.home.run("import", "--claude", self.home.path("agents", ".claude", "projects"),
                             "-o", "json")
        self.assertEqual(told.code, 0, str(told))
        return told.json()

    def test_a_transcript_of_claude_goes_on_in_steno_and_back(self):
        session, path = self.begin_by_hand("say the walrus", "--allowedTools", "Bash")
        self.by_hand("--allowedTools", "Bash", "--resume=" + session, "bash echo seal")
        with open(path, "rb") as file:
            written = file.read()
        told = self.steno_import()
        unread = [item for item in told["items"] if item["file"] == path and "reading" in item]
        self.assertEqual(unread, [])
        row = self.home.show(session)
        self.assertEqual((row["status"], row["workdir"]), ("completed", self.home.workdir))
        kinds = [(item["kind"], item["text"]) for item in
                 self.home.ask("transcript", session, "--first")["items"]]
        self.assertEqual([kind for kind in kinds if kind[0] in ("prompt", "said")],
                         [("prompt", "say the walrus"), ("said", "the walrus"),
                          ("prompt", "bash echo seal"), ("said", "I run a command."),
                          ("said", "The command has run.")])
        self.assertEqual([kind for kind, _ in kinds if kind.startswith("tool")],
                         ["tool_call", "tool_result"])
        served = self.model.charged()[session]
        self.assertEqual(row["usage"]["output"], sum(call["output_tokens"] for call in served))
        exported = self.home.run("export", session)
        self.assertEqual(exported.raw, written)
        # A second import changes nothing.
        position = self.home.position()
        self.steno_import()
        self.assertEqual(self.home.position(), position)
        # Steno goes on with the agent's own session, which knows all of it.
        here = self.home.run("resume", session, "history", "--follow", seconds=AGENT_SECONDS)
        self.assertEqual(here.code, 0, str(here))
        self.assertIn("say the walrus", here.out)
        new = self.newest()
        self.assertEqual((new["resumed_from"], new["agent_session"]), (row["session"], session))
        self.assertEqual(nano(new["cost_usd"]), charge(self.model.charged()[session][-1]))
        # What was said since is on the record of that session.
        self.assertEqual(self.steno_import()["sums"]["lines"], 0)

    def test_an_exported_session_goes_on_in_claude(self):
        alias = self.home.ask("spawn", "--multi-turn", "--allow-tool", "Bash",
                              "bash echo seal")["alias"]
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the answer", AGENT_SECONDS)
        self.home.run("send", alias, "--wait", "say the narwhal", seconds=AGENT_SECONDS)
        self.home.run("close", alias)
        row = self.wait_for_end(alias)
        os.remove(self.transcripts()[row["agent_session"]])
        installed = self.home.run("export", alias, "--install", environment={
            "HOME": self.home.path("agents")})
        self.assertEqual(installed.code, 0, str(installed))
        self.assertIn("claude --resume " + row["agent_session"], installed.err)
        said = self.by_hand("--resume=" + row["agent_session"], "history")
        self.assertIn("bash echo seal", said)
        self.assertIn("say the narwhal", said)
        last = self.model.charged()[row["agent_session"]][-1]
        self.assertEqual(last["calls"], [])
        again = self.home.run("export", alias, "--install", environment={
            "HOME": self.home.path("agents")})
        self.assertEqual(again.code, 4, str(again))

    def test_an_imported_session_is_kept_when_claude_deletes_its_transcript(self):
        session, path = self.begin_by_hand("say the otter")
        self.steno_import()
        with open(path, "rb") as file:
            written = file.read()
        os.remove(path)
        installed = self.home.run("export", session, "--install", environment={
            "HOME": self.home.path("agents")})
        self.assertEqual(installed.code, 0, str(installed))
        with open(path, "rb") as file:
            self.assertEqual(file.read(), written)
        self.assertIn("say the otter", self.by_hand("--resume=" + session, "history"))


def main():
    if APART not in os.environ:
        steno, cache = sys.argv[1:]
        os.environ["STENO_PROGRAM"] = os.path.abspath(steno)
        os.environ["STENO_TEST_CLAUDE"] = install(cache)
        go_apart()
    unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
