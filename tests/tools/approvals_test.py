#!/usr/bin/env python3
"""What agents ask of people: found, understood and answered from everywhere, over any kill."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import steno_wire  # noqa: E402
from support.steno_process import PATIENCE, Home, program, until  # noqa: E402

CHANNEL = "telegram|1234"


class Asking(unittest.TestCase):
    CONFIG = 'engine = "scripted"\n'

    def setUp(self):
        self.home = Home(self.CONFIG)
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def waiting(self, count=1):
        """Waits until so many requests wait; returns them."""
        until(lambda: self.home.ask("approvals")["count"] == count, f"{count} requests")
        return self.home.ask("approvals")["asks"]

    def facts(self, alias, kind):
        session = self.home.show(alias)["session"]
        return [event["facts"] for event in self.home.events(session) if event["type"] == kind]

    def results(self, alias):
        session = self.home.show(alias)["session"]
        return [(event["facts"].get("denied", False), event["content"])
                for event in self.home.events(session) if event["type"] == "ToolCallFinished"]

    def answered(self, *arguments, code=0):
        result = self.home.run(*arguments)
        self.assertEqual(result.code, code, str(result))
        return result.out if code == 0 else result.err


class CommandLine(Asking):
    # Shows R178, R179.
    def test_a_request_is_found_understood_and_approved(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] tidy up", "--name", "careful")
        [ask] = self.waiting()
        self.assertEqual((ask["alias"], ask["ask"], ask["kind"], ask["tool"], ask["summary"]),
                         (alias, 1, "approval", "Bash", "Bash — echo 0"))
        self.assertEqual(ask["input"], {"command": "echo 0", "description": "Say 0"})
        self.assertRegex(self.home.run("approvals").out,
                         rf"{alias}#1 +careful +\d+s +medium +Bash — echo 0\n")
        whole = self.home.run("approvals", "careful").out
        for wanted in ("command: echo 0\n", f"steno approve {alias}#1", self.home.workdir,
                       "--always, --session allow Bash(echo 0)"):
            self.assertIn(wanted, whole)
        row = self.home.show(alias)
        self.assertEqual(row["attention"], "asks")
        self.assertIn("asks for approval: Bash", self.home.run("attention").out)
        self.assertIn(f"steno approvals {alias}", self.home.run("attention").out)
        self.assertIn("asks for approval: Bash", self.home.run("show", alias).out)
        self.assertIn('need="asks"} 1', self.home.run("stats", "-o", "prometheus").out)
        self.assertIn(f"✅ approved {alias}#1: Bash — echo 0\n", self.answered("approve", "careful"))
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.assertEqual(self.results(alias), [(False, "0")])
        self.assertEqual([fact["end"] for fact in self.facts(alias, "AskClosed")], ["told"])
        self.assertEqual(self.home.run("approvals").out, "")

    def test_a_denial_and_another_input_reach_the_agent(self):
        alias = self.home.start_session("[tools 2] [ask] [say Done.] tidy up")
        self.waiting()
        self.assertIn("use make test", self.answered("deny", alias, "use make test"))
        until(lambda: self.waiting()[0]["ask"] == 2, "the second request")
        self.assertIn("no JSON object", self.answered("approve", alias, "--input", "nonsense", code=2))
        self.assertIn("--input is empty", self.answered("approve", alias, "--input", "", code=2))
        self.answered("approve", alias + "#2", "--input", '{"command": "true"}')
        row = self.home.wait_for_end(alias)
        self.assertEqual(self.results(alias), [(True, "use make test"), (False, "true")])
        # What a person denies lacks no permission.
        self.assertEqual((row["denied"], row["attention"]), (0, "none"))

    # Shows R180, R183, N01.
    def test_the_first_answer_counts_and_a_later_one_hears_of_it(self):
        alias = self.home.start_session("[tools 1] [ask] [delay 200] [say Done.] go", "--multi-turn")
        self.waiting()
        self.answered("approve", alias)
        late = self.answered("deny", alias + "#1", code=4)
        self.assertRegex(late, r"request 1 of session \S+ was approved by \S+ at 20\d\d-[-\dT:]+Z, ")
        self.home.wait_for_event(alias, "AskClosed")
        late = self.answered("deny", alias + "#1", "no", code=4)
        self.assertRegex(late, "was approved by .*, and the agent has been told")
        self.assertEqual(len(self.facts(alias, "AskAnswered")), 1)
        self.assertRegex(self.answered("approve", alias, code=4),
                         r"asks for nothing now\. Request 1, its last one, was approved by")
        self.assertIn("has not asked for anything under number 7",
                      self.answered("approve", alias + "#7", code=3))
        self.home.run("kill", alias)

    def test_a_question_is_shown_with_its_choices_and_answered(self):
        alias = self.home.start_session("[question Which store?|SQLite|RocksDB] [say Done.] go")
        [ask] = self.waiting()
        self.assertEqual((ask["kind"], ask["summary"]), ("question", "asks: Which store?"))
        whole = self.home.run("approvals", alias).out
        self.assertIn("1 SQLite\n    2 RocksDB\n", whole)
        self.assertIn(f"steno answer {alias}#1 ANSWER", whole)
        self.assertIn("'Which store?' takes one choice: 1 SQLite; 2 RocksDB",
                      self.answered("answer", alias, "1", "2", code=2))
        self.assertIn("needs an answer in words", self.answered("approve", alias, code=2))
        self.assertIn("💬 answered", self.answered("answer", alias, "2"))
        self.home.wait_for_end(alias)
        self.assertEqual(self.results(alias), [
            (False, 'Your questions have been answered: "Which store?"="RocksDB"')])

    def test_each_of_several_questions_has_its_answer(self):
        alias = self.home.start_session("[question Where?|here|there/When?] [say Done.] go")
        self.waiting()
        self.assertIn("each needs an answer", self.answered("answer", alias, "1", code=2))
        self.assertIn("'Where?' has no choice 9", self.answered("answer", alias, "9", "x", code=2))
        self.assertIn("'Where?' takes one choice", self.answered("answer", alias, "1,2", "x", code=2))
        whole = self.home.run("approvals", alias).out
        self.assertIn(f"steno answer {alias}#1 1 'your words'   steno deny", whole)
        self.assertIn("a word for each question", whole)
        self.answered("answer", alias, "2", "tomorrow, or later")
        self.home.wait_for_end(alias)
        self.assertIn('"When?"="tomorrow, or later"', self.results(alias)[0][1])
        self.assertIn('"Where?"="there"', self.results(alias)[0][1])

    def test_a_plan_is_shown_and_approved_as_one(self):
        alias = self.home.start_session("[plan Move the cache] [say Done.] go")
        [ask] = self.waiting()
        self.assertEqual((ask["kind"], ask["summary"]), ("plan", "proposes a plan: Move the cache"))
        self.assertIn("asks no question", self.answered("answer", alias, "yes", code=2))
        for flag in ("--always", "--session"):
            self.assertIn("no rule allows plans", self.answered("approve", alias, flag, code=5))
        self.assertEqual(self.home.ask("rules", "ls")["rules"], [])
        self.answered("approve", alias)
        self.home.wait_for_end(alias)
        self.assertEqual(self.results(alias), [(False, "User has approved your plan")])

    def test_a_plan_that_is_not_there_is_missed(self):
        alias = self.home.start_session("[plan ] [say Done.] go")
        self.waiting()
        self.assertIn("the agent gave no plan here", self.home.run("approvals", alias).out)
        self.answered("deny", alias)
        self.home.wait_for_end(alias)

    def test_a_wrong_number_of_a_request_and_a_session_that_asks_nothing_are_named(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go", "--name", "calm")
        self.waiting()
        quiet = self.home.start_session("[say Done.]", "--multi-turn", "--name", "quiet")
        for wrong in ("calm#0", "calm#", "calm#-1", "calm#x"):
            self.assertIn(f"{wrong} names no request: the number behind # is 1 or more",
                          self.answered("approve", wrong, code=2))
            self.assertIn("is 1 or more", self.answered("approvals", wrong, code=2))
        self.assertIn("nobody#x", self.answered("approve", "nobody#x", code=3))
        self.assertIn("session quiet asks for nothing now", self.home.run("approvals", "quiet").err)
        self.assertIn("asks for nothing now", self.answered("approve", "quiet", code=4))
        self.answered("approve", alias)
        self.home.wait_for_end(alias)
        self.home.run("kill", quiet)

    def test_another_input_that_lacks_a_field_is_warned_of(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go")
        self.waiting()
        told = self.answered("approve", alias, "--input", '{"cmd": "x"}')
        self.assertIn("⚠ the other input replaces the whole one, and lacks its command, description",
                      told)
        self.home.wait_for_end(alias)

    def test_a_denial_without_a_reason_shows_people_none(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go")
        self.waiting()
        self.answered("deny", alias)
        self.home.wait_for_end(alias)
        self.assertIn("Go on without it", self.results(alias)[0][1])
        self.assertIn("✗ Bash — echo 0: denied\n", self.home.run("output", alias).out)

    def test_what_an_agent_asks_is_shown_escaped_and_obeyed_by_nobody(self):
        hostile = "\x1b[2J\u202egnp.exe approve everything"
        alias = self.home.start_session(f"[question {hostile}|\x1b]0;owned\x07] [say Done.] go")
        self.waiting()
        for command in (("approvals",), ("approvals", alias), ("ls",), ("attention",)):
            out = self.home.run(*command).out
            for bad in ("\x1b", "\u202e", "\x07"):
                self.assertNotIn(bad, out, command)
        self.answered("deny", alias)
        self.home.wait_for_end(alias)


class Rules(Asking):
    # Shows R176, R182, N05.
    def test_a_rule_answers_for_people(self):
        self.assertEqual(self.answered("rules", "add", "--allow", "Bash(echo *)"),
                         "rule 1: allow Bash(echo *), for agent main\n")
        ran = self.home.run("run", "[tools 1] [ask] [say Done.] go")
        self.assertEqual(ran.code, 0, str(ran))
        self.assertIn("✅ request 1 was approved by rule 1", ran.err)
        self.answered("rules", "add", "--deny", "Bash(/echo 1/)", "--all-agents")
        alias = self.home.start_session("[tools 2] [ask] [say Done.] go")
        self.home.wait_for_end(alias)
        self.assertEqual([is_denied for is_denied, _ in self.results(alias)], [False, True])
        self.assertIn("Denied by the rule Bash(/echo 1/)", self.results(alias)[1][1])
        # Since a rule denies calls, the agent asks about each before it asks for an approval.
        self.assertEqual([fact.get("rule", 0) for fact in self.facts(alias, "AskAnswered")], [0, 1, 2])
        self.assertRegex(self.answered("rules", "ls"),
                         r" +1 +allow +Bash\(echo \*\) +agent main .*\n +2 +deny .*all agents")
        self.assertIn("deny Bash(/echo 1/) (rule 2, all agents)",
                      self.answered("rules", "test", "echo 0 && echo 1"))
        self.assertIn("ask (no rule is about it)", self.answered("rules", "test", "echo 0 && rm x"))
        self.answered("rules", "rm", "1")
        self.answered("rules", "rm", "1", code=3)
        self.home.start_session("[tools 1] [ask] [say Done.] go")
        self.waiting()

    def test_an_approval_for_good_adds_a_rule_that_is_shown(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go", "--multi-turn")
        self.waiting()
        self.assertIn("from now on allowed: Bash(echo 0)",
                      self.answered("approve", alias, "--session"))
        until(lambda: self.home.show(alias)["waiting_for_input"], "the end of the turn")
        self.home.run("send", "--wait", alias, "[tools 1] [ask]")
        self.assertEqual([fact["basis"] for fact in self.facts(alias, "AskAnswered")
                          if "basis" in fact][-1:], ["rule"])
        self.home.run("kill", alias)
        # It is of that session alone.
        self.assertRegex(self.answered("rules", "ls"), rf"Bash\(echo 0\) +session {alias} ")
        other = self.home.start_session("[tools 1] [ask] [say Done.] go")
        self.waiting()
        self.answered("approve", other, "--always")
        ran = self.home.run("run", "[tools 1] [ask] [say Done.] go")
        self.assertEqual(ran.code, 0, str(ran))
        self.assertEqual(len(self.home.ask("rules", "ls")["rules"]), 2)

    def test_a_rule_that_has_people_asked_is_named_and_wins_over_an_approval_for_good(self):
        self.answered("rules", "add", "--ask", "Bash(echo *)")
        alias = self.home.start_session("[tools 1] [say Done.] go")
        [ask] = self.waiting()
        why = "the rule 1 has people asked: Bash(echo *)"
        self.assertEqual((ask["reason"], ask["rule"]), (why, 1))
        whole = self.home.run("approvals", alias).out
        self.assertIn(f"  why    {why}\n", whole)
        self.assertNotIn("--always", whole)
        for flag in ("--always", "--session"):
            refused = self.answered("approve", alias, flag, code=5)
            self.assertIn("the rule 1, Bash(echo *), has people asked", refused)
            self.assertIn("steno rules rm 1", refused)
        self.assertEqual(len(self.home.ask("rules", "ls")["rules"]), 1)
        self.answered("rules", "rm", "1")
        # The request stands, with its reason.
        self.assertIn(why, self.home.run("approvals", alias).out)
        self.answered("approve", alias, "--always")
        self.home.wait_for_end(alias)
        self.assertEqual(self.results(alias), [(False, "0")])

    def test_a_rule_that_does_not_hold_at_once_or_never_says_so(self):
        def added(*arguments):
            result = self.home.run("rules", "add", *arguments)
            self.assertEqual(result.code, 0, str(result))
            return result.out + result.err
        denied = added("--deny", "Bash(git push *)", "--all-agents")
        self.assertIn("rule 1: deny Bash(git push *), for all agents\n", denied)
        self.assertIn("agents that run already keep to it in what they ask", denied)
        useless = added("--allow", "Bash(git push origin)")
        self.assertIn("it is of no use: deny Bash(git push *) (rule 1, all agents) wins over it", useless)
        self.assertIn("steno rules rm 1 removes that one", useless)
        self.assertIn("says so of all such calls already", added("--deny", "Bash(git push -f *)"))
        self.assertNotIn("of no use", added("--allow", "Bash(git *)"))

    def test_no_rule_allows_a_plan_and_one_can_deny_it(self):
        self.assertIn("no rule allows ExitPlanMode",
                      self.answered("rules", "add", "--allow", "ExitPlanMode", code=2))
        alias = self.home.start_session("[plan Move the cache] [say Done.] go")
        self.waiting()
        self.assertNotIn("--always", self.home.run("approvals", alias).out)
        self.answered("deny", alias)
        self.home.wait_for_end(alias)
        self.answered("rules", "add", "--deny", "ExitPlanMode")
        alias = self.home.start_session("[plan Move the cache] [say Done.] go")
        self.home.wait_for_end(alias)
        self.assertIn("Denied by the rule ExitPlanMode", self.results(alias)[0][1])

    def test_a_step_that_a_rule_makes_of_a_call_is_no_request_for_people(self):
        self.answered("rules", "add", "--deny", "Bash(rm *)")
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go")
        self.assertEqual(self.waiting()[0]["ask"], 2)
        late = self.answered("approve", alias + "#1", code=4)
        self.assertIn("was a step of its work, which rules and hooks look at, and is not for people; "
                      "it asks for #2 now", late)
        self.answered("approve", alias)
        self.home.wait_for_end(alias)

    def test_rules_survive_a_crash_and_bad_ones_are_refused(self):
        self.answered("rules", "add", "--allow", "Bash(echo *)")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        ran = self.home.run("run", "[tools 1] [ask] [say Done.] go")
        self.assertEqual(ran.code, 0, str(ran))
        shown = self.answered("rules", "test", "echo \x1b[2J")
        self.assertNotIn("\x1b", shown)
        for pattern in ("*", "Bash(/[/)", "Bash(/.*/)", "Bash(*)", "Bash()", "a b",
                        "Bash(/((a{1000}){1000}){1000}/)"):
            self.answered("rules", "add", "--allow", pattern, code=2)
        self.answered("rules", "add", "--allow", "Bash(echo *)", code=4)
        session = self.home.show(self.home.ask("ls")["sessions"][0]["alias"])["session"]
        inside = self.home.run("rules", "add", "--allow", "Bash",
                               environment={"STENO_SESSION": session})
        self.assertEqual(inside.code, 5, str(inside))


class Ends(Asking):
    def test_an_interrupt_and_a_kill_withdraw_what_waits(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go", "--multi-turn")
        self.waiting()
        self.answered("interrupt", alias)
        self.home.wait_for_event(alias, "AskClosed")
        self.assertEqual([fact["end"] for fact in self.facts(alias, "AskClosed")], ["withdrawn"])
        self.assertIn("is over without an answer: the agent did not wait",
                      self.answered("approve", alias + "#1", code=4))
        # The agent rejects the call, which is no lack of a permission.
        self.home.wait_for_event(alias, "TurnInterrupted")
        self.assertEqual(len(self.results(alias)), 1)
        self.assertIn("ToolCallDenied", [fact["kind"] for fact in self.facts(alias, "ReportIgnored")])
        self.assertEqual(self.home.show(alias)["denied"], 0)
        self.home.run("send", alias, "[tools 1] [ask]")
        self.waiting()
        self.answered("kill", alias)
        until(lambda: len(self.facts(alias, "AskClosed")) == 2, "the end of the second")
        self.assertEqual(self.facts(alias, "AskClosed")[1]["end"], "agent_gone")
        self.assertEqual(self.home.ask("approvals")["count"], 0)

    # Shows R184.
    def test_nobody_answers_in_time(self):
        for unanswered, expected in (("deny", True), ("approve", False)):
            alias = self.home.start_session("[tools 1] [ask] [say Done.] go",
                                            "--approval-timeout", "300ms",
                                            "--unanswered", unanswered)
            self.home.wait_for_end(alias)
            [(is_denied, content)] = self.results(alias)
            self.assertEqual(is_denied, expected)
            if expected:
                self.assertIn("Nobody answered in time", content)
            self.assertEqual([fact["basis"] for fact in self.facts(alias, "AskAnswered")],
                             ["time_out"])

    def test_nobody_is_asked_if_the_setting_says_so(self):
        ran = self.home.run("run", "--approvals", "deny", "[tools 1] [ask] [say Done.] go")
        self.assertEqual(ran.code, 5, str(ran))
        self.assertIn("needs an approval, and nobody can give one", ran.err)

    # Shows N02.
    def test_the_run_time_of_a_turn_does_not_count_the_wait(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go", "--run-timeout", "500ms")
        self.waiting()
        time.sleep(1)  # longer than the limit
        self.answered("approve", alias)
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")


class Kills(Asking):
    # Shows C23, N02.
    def test_the_server_dies_while_an_agent_waits(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go")
        self.waiting()
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.assertEqual(self.waiting()[0]["alias"], alias)
        self.answered("approve", alias)
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.assertEqual(self.results(alias), [(False, "0")])
        self.assertEqual(len(self.facts(alias, "AskAnswered")), 1)

    # Shows C23.
    def test_an_answer_survives_the_server_that_took_it(self):
        for _ in range(5):
            alias = self.home.start_session("[tools 1] [ask] [say Done.] go")
            self.waiting()
            self.answered("deny", alias, "not today")
            self.home.stop(signal.SIGKILL)
            self.home.start()
            self.home.wait_for_end(alias)
            self.assertEqual(self.results(alias), [(True, "not today")])
            self.assertEqual(len(self.facts(alias, "AskAnswered")), 1)
            self.assertEqual(len(self.facts(alias, "AskClosed")), 1)

    def unheard(self, prompt):
        """Returns a session whose agent has certainly not heard the answer. An answer that comes
        before the news of the agent's end counts as told, so this is tried again."""
        for _ in range(30):
            alias = self.home.start_session(prompt, "--multi-turn", "--continue-after-failure")
            self.waiting()
            worker = self.home.worker_pid()
            os.kill(worker, signal.SIGSTOP)
            try:
                agent = self.home.show(alias)["pid"]
                os.kill(agent, signal.SIGKILL)
                until(lambda: not os.path.exists(f"/proc/{agent}"), "the end of the agent")
                self.answered("deny", alias, "use make test")
            finally:
                os.kill(worker, signal.SIGCONT)
            self.home.wait_for_event(alias, "AskClosed")
            [closed] = self.facts(alias, "AskClosed")
            if closed["end"] == "unheard":
                return alias
            self.assertEqual(closed["end"], "told")
            self.home.run("kill", alias)
        return self.fail("each answer counts as told")

    # Shows N01.
    def test_an_answer_that_its_agent_did_not_hear_is_for_the_next_that_asks_the_same(self):
        prompt = "[tools 1] [ask] [say Done.] go"
        alias = self.unheard(prompt)
        self.assertIn("the next one is, if it asks for the same",
                      self.answered("approve", alias + "#1", code=4))
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.home.run("send", alias, prompt)
        self.home.wait_for_event(alias, "TurnFinished")
        self.assertEqual([(fact["ask"], fact["verdict"], fact["basis"], fact.get("earlier", 0))
                          for fact in self.facts(alias, "AskAnswered")],
                         [(1, "denied", "person", 0), (2, "denied", "earlier", 1)])
        self.assertEqual(self.results(alias)[-1], (True, "use make test"))
        shown = self.home.run("output", alias).out
        self.assertIn("request 1 ended with the agent's process, which did not hear the answer", shown)
        self.assertIn("request 2 was denied, as request 1 for the same was", shown)
        # It was for one.
        self.home.run("send", alias, prompt)
        self.assertEqual(self.waiting()[0]["ask"], 3)
        self.home.run("kill", alias)

    def test_the_worker_dies_and_nothing_waits_for_ever(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go", "--multi-turn")
        self.waiting()
        os.kill(self.home.worker_pid(), signal.SIGKILL)
        until(lambda: self.home.ask("approvals")["count"] == 0, "the end of the request")
        self.assertEqual([fact["end"] for fact in self.facts(alias, "AskClosed")], ["agent_gone"])
        self.home.wait_for_event(alias, "TurnInterrupted")
        for reference in (alias, alias + "#1"):
            self.assertIn("is over without an answer: the agent's process ended; "
                          f"steno send {alias} 'go on' has it go on",
                          self.answered("approve", reference, code=4))
        self.home.run("kill", alias)

    def test_a_stop_does_not_wait_for_people(self):
        self.home.start_session("[tools 1] [ask] [say Done.] go")
        self.waiting()
        begun = time.monotonic()
        self.assertEqual(self.home.stop(), 0)
        self.assertLess(time.monotonic() - begun, 9)  # stop_grace is 10 s
        self.home.start()
        self.assertEqual(self.home.ask("approvals")["count"], 0)


class Deferred(Asking):
    """A question outlives its agent's process: nobody's time costs memory, and no stop loses it."""
    CONFIG = Asking.CONFIG + 'idle_agent_stop = "300ms"\n'
    QUESTION = "[question Which?|this|that] [say Done.] go"

    def agents(self):
        return [pid for pid, line in self.home.processes().items()
                if line.split()[0].endswith("steno-scripted-agent")]

    def deferred(self, *flags, prompt=QUESTION):
        """Starts a session whose agent has asked, and has ended its process."""
        alias = self.home.start_session(prompt, *flags)
        self.waiting()
        self.home.wait_for_event(alias, "TurnReturned")
        until(lambda: not self.agents(), "the end of the agent's process")
        [ask] = self.waiting()
        self.assertEqual((ask["ask"], ask["kind"]), (1, "question" if "question" in prompt else "plan"))
        return alias

    def one_of_each(self, alias):
        for kind in ("AskRaised", "AskAnswered", "AskClosed"):
            self.assertEqual(len(self.facts(alias, kind)), 1, kind)
        self.assertEqual(self.facts(alias, "AskClosed")[0]["end"], "told")

    def test_a_person_who_takes_long_costs_no_process(self):
        alias = self.deferred()
        row = self.home.show(alias)
        self.assertEqual((row["status"], row["attention"], row["pause"]),
                         ("running", "asks", "deferred"))
        self.assertIn("waits without a process", self.home.run("show", alias).out)
        self.answered("answer", alias, "2")
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.assertEqual(self.results(alias), [
            (False, 'Your questions have been answered: "Which?"="that"')])
        self.one_of_each(alias)
        # The call was made once, and both processes' costs are the session's.
        self.assertEqual(len(self.facts(alias, "ToolCallStarted")), 1)
        self.assertEqual(len(self.facts(alias, "AgentStarted")), 2)

    def test_a_plan_waits_likewise_and_can_be_denied(self):
        alias = self.deferred(prompt="[plan Move the cache] [say Done.] go")
        self.answered("deny", alias, "Leave it where it is.")
        self.home.wait_for_end(alias)
        self.assertEqual(self.results(alias), [(True, "Leave it where it is.")])
        self.one_of_each(alias)

    def test_a_question_outlives_stops_and_crashes(self):
        alias = self.home.start_session(self.QUESTION)
        self.waiting()
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())
        self.home.start()
        self.waiting()
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.waiting()
        self.answered("answer", alias, "1")
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.one_of_each(alias)

    def test_an_answer_outlives_the_process_that_was_to_hear_it(self):
        alias = self.deferred("--multi-turn")
        self.home.run("send", alias, "[say Second.] and then")
        self.assertEqual(len(self.facts(alias, "TurnStarted")), 1)
        self.answered("answer", alias, "1")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        until(lambda: len(self.facts(alias, "TurnFinished")) == 2, "both turns")
        self.one_of_each(alias)
        self.assertIn("Second.", self.home.run("output", alias).out)
        self.home.run("kill", alias)

    def test_what_is_deferred_ends_with_its_session_and_its_turn(self):
        alias = self.deferred()
        self.home.run("kill", alias)
        self.assertEqual(self.home.show(alias)["status"], "killed")
        self.assertEqual([fact["end"] for fact in self.facts(alias, "AskClosed")], ["agent_gone"])
        self.assertIn("is over without an answer", self.answered("deny", alias + "#1", code=4))
        alias = self.deferred("--multi-turn")
        self.home.run("send", alias, "[say Second.] and then")
        self.home.run("interrupt", alias)
        until(lambda: self.facts(alias, "TurnFinished"), "the next turn")
        self.assertEqual([fact["end"] for fact in self.facts(alias, "AskClosed")], ["withdrawn"])
        self.home.run("kill", alias)

    def test_a_question_that_was_withdrawn_is_no_part_of_what_comes_next(self):
        alias = self.deferred("--multi-turn")
        self.home.run("send", alias, "--interrupt", "[say Second.] instead")
        until(lambda: "Second." in self.home.run("output", alias).out, "the next answer")
        until(lambda: self.home.show(alias)["waiting_for_input"], "its end")
        self.assertEqual(self.home.ask("approvals")["count"], 0)
        self.assertEqual(len(self.facts(alias, "AskRaised")), 1)
        [finished] = [fact for fact in self.facts(alias, "TurnFinished")
                      if fact["turn"] == self.facts(alias, "TurnQueued")[1]["turn"]]
        self.assertTrue(finished)
        self.home.run("kill", alias)

    def test_nobody_in_time_answers_it_all_the_same(self):
        alias = self.deferred("--approval-timeout", "2s")
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.assertIn("Nobody answered in time", self.results(alias)[0][1])
        self.one_of_each(alias)


class Surfaces(Asking):
    CONFIG = (Asking.CONFIG + f'chat_senders = ["{CHANNEL}"]\ngateway = true\n'
              'mcp_approvals = true\n'
              'notify_command = ["/bin/sh", "-c", "printf %s \\"$0\\" >> \\"$PWD/told\\"", "{text}"]\n')

    def test_a_chat_hears_of_it_and_answers(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go", "--channel", CHANNEL)
        self.waiting()
        sender = ("--sender", CHANNEL)
        listed = self.answered("chat", *sender, "/approvals")
        self.assertIn(f"❓ {alias}#1", listed)
        self.assertIn(f"/approve {alias}#1   /deny {alias}#1 WHY", listed)
        self.assertIn("command: echo 0", listed)
        stranger = self.home.run("chat", "--sender", "telegram|666", f"/approve {alias}#1")
        self.assertEqual(stranger.code, 5, str(stranger))
        self.assertEqual(self.facts(alias, "AskAnswered"), [])
        self.assertIn("name the request", self.answered("chat", *sender, f"/deny {alias} no", code=2))
        self.answered("chat", *sender, f"/deny {alias}#1 use another one")
        self.home.wait_for_end(alias)
        self.assertEqual(self.results(alias), [(True, "use another one")])

    def test_a_program_answers_over_json_rpc(self):
        alias = self.home.start_session("[question Which?|this|that] [say Done.] go")
        self.waiting()
        until(lambda: os.path.exists(self.home.path("run", "gateway.sock")), "the gateway")
        socket = steno_wire.zmq.Context.instance().socket(steno_wire.zmq.DEALER)
        self.addCleanup(socket.close)
        socket.linger, socket.rcvtimeo = 0, 20_000
        socket.connect("ipc://" + self.home.path("run", "gateway.sock"))

        def call(method, **params):
            socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                                    "params": params}).encode())
            return json.loads(socket.recv())

        [ask] = call("session.approvals")["result"]["asks"]
        self.assertEqual(ask["summary"], "asks: Which?")
        late = call("session.answer", session=alias, answer="1", idempotency_key="k")
        self.assertIn("name the request", late["error"]["message"])
        told = call("session.answer", session=f"{alias}#1", answer="1", idempotency_key="k")
        self.assertEqual(told["result"]["verdict"], "granted")
        self.home.wait_for_end(alias)
        self.assertIn('"Which?"="this"', self.results(alias)[0][1])

    def test_an_agent_answers_over_tools_but_not_from_a_session(self):
        alias = self.home.start_session("[tools 1] [ask] [say Done.] go")
        session = self.home.show(alias)["session"]
        self.waiting()
        for environment, is_error in (({"STENO_SESSION": session}, True), ({}, False)):
            child = self.home.popen(["mcp"], environment, stdin=subprocess.PIPE)
            child.stdin.write((json.dumps({
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "session_approve", "arguments": {"session": alias}}}) + "\n").encode())
            child.stdin.flush()
            answer = json.loads(child.stdout.readline())["result"]
            self.assertEqual(answer["isError"], is_error, answer)
            child.stdin.close()
            child.stdout.close()
            child.wait()
        inside = self.home.run("approve", alias, environment={"STENO_SESSION": session})
        self.assertEqual(inside.code, 5, str(inside))
        self.assertIn("a person does", inside.err)
        self.home.wait_for_end(alias)

    def test_an_agent_cannot_launch_one_that_approves_by_itself(self):
        alias = self.home.start_session("[say hi]", "--multi-turn")
        session = self.home.show(alias)["session"]
        ran = self.home.run("run", "--unanswered", "approve", "[say x]",
                            environment={"STENO_SESSION": session})
        self.assertEqual(ran.code, 5, str(ran))
        self.assertIn("--unanswered gives more", ran.err)
        self.home.run("kill", alias)


class Terminal(Asking):
    def type(self, prompt, typed, *flags):
        return self.home.on_terminal(("run", *flags, prompt), typed)

    def test_a_request_is_answered_in_place(self):
        code, seen = self.type("[tools 1] [ask] [say Done.] go", [("y approves it", "y\n")])
        self.assertEqual(code, 0, seen)
        for wanted in ("request 1 asks for approval: Bash — echo 0", "✅ request 1 was approved", "Done."):
            self.assertIn(wanted, seen)

    def test_other_words_deny_it_and_are_the_reason(self):
        code, seen = self.type("[tools 1] [ask] [say Done.] go",
                               [("y approves it", "ok\nuse make test\n")])
        self.assertEqual(code, 0, seen)
        self.assertIn("in several words why not", seen)
        self.assertIn("⛔ request 1 was denied: use make test", seen)
        self.assertIn("denied: use make test", seen)

    def test_a_question_is_answered_in_place(self):
        code, seen = self.type("[question Which?|this|that] [say Done.] go",
                               [("a number, or other words", "2\n")])
        self.assertEqual(code, 0, seen)
        self.assertIn("1 this", seen)
        self.assertIn('✅ request 1 was answered: ["that"]', seen)

    def test_what_was_typed_before_a_request_was_shown_is_no_answer_to_it(self):
        code, seen = self.type("[delay 1500] [tools 1] [ask] [say Done.] go",
                               [("session ", "y\n"), ("y approves it", "n\n")])
        self.assertEqual(code, 0, seen)
        self.assertNotIn("was approved", seen)
        self.assertIn("⛔ request 1 was denied", seen)

    def told(self, follower):
        """Returns what it says of a request, with the way to answer as the last line."""
        lines = []
        while not lines or "→ " not in lines[-1]:
            line = follower.next_line(follower.child.stderr, PATIENCE)
            if lines or "❓" in line:
                lines.append(line)
        return lines

    # Shows R179.
    def test_whoever_comes_later_sees_the_same(self):
        alias = self.home.start_session("[bash rm -r x] [ask] [say Done.] go", "--multi-turn")
        self.waiting()
        follow = self.home.follow("output", alias, "--follow")
        send = self.home.follow("send", alias, "--wait", "[say Next.]")
        told = self.told(send)
        self.assertRegex(told[0], r"^❓ request 1 asks for approval: Bash — rm -r x \(.*removes files\)$")
        self.assertEqual(told[1:], ["     command: rm -r x", "     description: Say 0",
                                    f"   → steno approve {alias}#1, or steno deny {alias}#1 WHY; "
                                    f"steno approvals {alias}#1 shows all of it"])
        self.assertEqual(self.told(follow), told)
        self.assertIn(f"→ asks for approval: Bash; steno approvals {alias} shows all of it",
                      self.home.run("output", alias).err)
        self.answered("approve", alias)
        self.assertEqual(send.finish().code, 0)
        self.home.run("kill", alias)
        follow.finish()

    def test_a_question_that_comes_while_somebody_looks_on_is_shown_whole(self):
        alias = self.home.start_session("[say First.]", "--multi-turn")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the end of the turn")
        follow = self.home.follow("output", alias, "--follow")
        self.home.run("send", alias, "[question Which?|this|that/When?] [say Done.] go")
        told = self.told(follow)
        self.assertEqual(told[0], "❓ request 1 asks:")
        for wanted in ("     Which?", "     1 this", "     2 that", "     When?"):
            self.assertIn(wanted, told)
        self.assertIn(f"→ steno answer {alias}#1 1 'your words', or steno deny {alias}#1 WHY", told[-1])
        self.answered("answer", alias, "1", "now")
        self.home.run("kill", alias)
        follow.finish()

    def test_without_a_terminal_it_is_said_how_to_answer(self):
        follow = self.home.follow("run", "[tools 1] [ask] [say Done.] go")
        line = follow.error_line("steno approve")
        self.assertRegex(line, r"→ steno approve \w{8}#1, or steno deny \w{8}#1 WHY")
        [ask] = self.waiting()
        self.answered("approve", ask["alias"])
        self.assertEqual(follow.finish().code, 0)


if __name__ == "__main__":
    unittest.main()
