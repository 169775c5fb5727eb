#!/usr/bin/env python3
"""A session is seen as it works and typed into, and left as it is."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402
from support.terminal import EARLIER_SCREEN, OWN_SCREEN, Terminal  # noqa: E402


class Attach(unittest.TestCase):
    def setUp(self):
        self.home = Home('engine = "scripted"\n')
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def attach(self, *arguments, **options):
        return Terminal(self.home, *arguments, **options)

    def opened(self, prompt):
        return self.home.start_session(prompt, "--multi-turn", "--continue-after-failure")

    # Shows N21.
    def test_what_was_said_is_seen_and_what_is_typed_is_a_prompt(self):
        alias = self.opened("[say first words]")
        until(lambda: self.home.show(alias)["waiting_for_input"], "its answer")
        terminal = self.attach(alias)
        terminal.see("first words")
        terminal.see("Ctrl-D leaves")
        terminal.see("> ")
        terminal.type("[say secnd\x7f\x7fond words]\n")
        terminal.see("second words")
        terminal.see("> ")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0, terminal.seen)
        self.assertIn(OWN_SCREEN, terminal.seen)
        self.assertIn("the session goes on", terminal.seen.split(EARLIER_SCREEN)[1])
        self.assertEqual(self.home.show(alias)["status"], "running")
        self.home.run("kill", alias)

    def test_a_line_that_is_typed_outlives_what_is_printed_meanwhile(self):
        alias = self.opened("[words 20] [delay 60]")
        terminal = self.attach(alias)
        terminal.see("word3")
        terminal.type("[say whole")
        terminal.see("word12")
        terminal.type(" line]\n")
        terminal.see("whole line")
        terminal.see("whole line")
        until(lambda: self.home.show(alias)["turns_finished"] == 2, "both answers")
        terminal.type("\x1c")  # Ctrl-\
        self.assertEqual(terminal.end(), 0, terminal.seen)
        self.home.run("kill", alias)

    def test_a_run_without_a_prompt_is_a_session_to_talk_with(self):
        terminal = self.attach(command="run")
        terminal.see("type what the agent is to do")
        terminal.type("\n[say First.]\n")
        # The terminal also shows the typed line.
        until(lambda: [row["turns_finished"] for row in self.home.ask("ls")["sessions"]] == [1],
              "the first answer")
        terminal.type("[say Second.]\n")
        until(lambda: self.home.ask("ls")["sessions"][0]["turns_finished"] == 2, "the second")
        for said in ("First.", "Second."):
            terminal.see(said)
            terminal.see(said)
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0, terminal.seen)
        [row] = self.home.ask("ls")["sessions"]
        self.assertEqual((row["status"], row["turns_finished"], row["idle_timeout_us"]),
                         ("running", 2, -1))
        self.assertIn("the session goes on", terminal.seen.split(EARLIER_SCREEN)[1])
        self.home.run("kill", row["alias"])
        # Whoever leaves before has started nothing.
        for key in ("\x04", "\x03"):
            terminal = self.attach(command="run")
            terminal.see("> ")
            terminal.type(key)
            self.assertEqual(terminal.end(), 0, terminal.seen)
            self.assertIn("nothing was started", terminal.seen.split(EARLIER_SCREEN)[1])
        self.assertEqual(len(self.home.ask("ls", "--all")["sessions"]), 1)
        piped = self.home.run("run")
        self.assertEqual(piped.code, 2, str(piped))
        self.assertIn("the prompt is empty", piped.err)

    # Shows N22.
    def test_a_tiny_window_is_that_of_its_own_terminal(self):
        line = "a line of " + "many " * 30 + "words"
        alias = self.opened(f"[say {line}]")
        until(lambda: self.home.show(alias)["waiting_for_input"], "its answer")
        wide = self.attach(alias, columns=220)
        wide.see(line)
        tiny = self.attach(alias, columns=12)
        tiny.see("> ")
        tiny.type(f"[say again: {line}]\n")
        wide.see("again: " + line)
        for terminal in (tiny, wide):
            terminal.type("\x04")
            self.assertEqual(terminal.end(), 0, terminal.seen)
        # Neither is the agent's: it has no terminal.
        self.assertEqual([item["text"] for item in self.home.ask("output", alias)["items"]
                          if item["kind"] == "said"], [line, "again: " + line])
        self.home.run("kill", alias)

    def test_what_the_agent_asks_is_answered_in_place(self):
        alias = self.opened("[tools 1] [ask] [say Done.]")
        until(lambda: self.home.ask("approvals")["count"] == 1, "the request")
        terminal = self.attach(alias)
        terminal.see("request 1: Bash — echo 0")
        terminal.see("request 1 asks for approval: Bash — echo 0")
        terminal.see("command: echo 0")
        terminal.see(f"steno approvals {alias}#1 shows all of it")
        terminal.see("answer> ")
        terminal.type("y\n")
        terminal.see("request 1 was approved")
        terminal.see("Done.")
        terminal.type("[question Which?|this|that] [say Fine.]\n")
        terminal.see("answer> ")
        terminal.type("2\n")
        terminal.see("was answered")
        terminal.see("Fine.")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0, terminal.seen)
        self.home.run("kill", alias)

    def test_a_question_that_waits_is_shown_with_its_choices(self):
        alias = self.opened("[question Which?|this|that] [say Fine.]")
        until(lambda: self.home.ask("approvals")["count"] == 1, "the question")
        terminal = self.attach(alias)
        for wanted in ("request 1 asks:", "Which?", "1 this", "2 that", "answer> "):
            terminal.see(wanted)
        terminal.type("3\n")
        terminal.see("'Which?' has no choice 3")
        terminal.see("answer> ")
        terminal.type("2\n")
        terminal.see("Fine.")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0, terminal.seen)
        self.home.run("kill", alias)

    def test_control_c_interrupts_when_it_is_pressed_twice(self):
        alias = self.opened("[hang]")
        self.home.wait_for_event(alias, "TurnStarted")
        terminal = self.attach(alias)
        terminal.see("> ")
        terminal.type("\x03")
        terminal.see("Ctrl-C again interrupts")
        self.assertFalse(self.home.show(alias)["waiting_for_input"])
        terminal.type("\x03")
        terminal.see("turn interrupted")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the end of the turn")
        terminal.type("\x03")
        terminal.see("nothing runs")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0, terminal.seen)
        self.home.run("kill", alias)

    def test_two_terminals_see_the_same_and_the_end_is_told_to_both(self):
        alias = self.opened("[say first]")
        until(lambda: self.home.show(alias)["waiting_for_input"], "its answer")
        terminals = [self.attach(alias), self.attach(alias, term="dumb")]
        for terminal in terminals:
            terminal.see("> ")
        terminals[0].type("[say to both]\n")
        for terminal in terminals:
            terminal.see("to both")
        self.home.run("close", alias)
        for terminal in terminals:
            self.assertEqual(terminal.end(), 0, terminal.seen)
            self.assertIn(f"session {alias} completed", terminal.seen)
        self.assertNotIn(OWN_SCREEN, terminals[1].seen)

    def test_hostile_words_do_nothing_to_the_terminal(self):
        alias = self.opened("[say \x1b[2Jwiped\x07]")
        until(lambda: self.home.show(alias)["waiting_for_input"], "its answer")
        terminal = self.attach(alias)
        terminal.see("wiped")
        terminal.see("> ")
        self.assertNotIn("\x1b[2J", terminal.seen)
        terminal.type("\x04")
        terminal.end()
        self.home.run("kill", alias)

    def test_without_a_name_it_is_the_only_one_that_lives(self):
        code, seen = self.home.on_terminal(["attach"], [])
        self.assertEqual(code, 3, seen)
        self.assertIn("no session of agent main lives", seen)
        alias = self.opened("[say only one]")
        until(lambda: self.home.show(alias)["waiting_for_input"], "its answer")
        terminal = self.attach()
        terminal.see("only one")
        terminal.type("\x04")
        self.assertEqual(terminal.end(), 0, terminal.seen)
        other = self.opened("[say another]")
        code, seen = self.home.on_terminal(["attach"], [])
        self.assertEqual(code, 2, seen)
        self.assertIn("2 sessions live", seen)
        self.home.run("kill", alias, other)

    def test_where_it_cannot_be_it_says_what_does(self):
        alias = self.opened("[say first]")
        piped = self.home.run("attach", alias)
        self.assertEqual(piped.code, 2, str(piped))
        self.assertIn(f"steno output {alias} --follow", piped.err)
        self.home.run("kill", alias)
        ended = self.attach(alias)
        ended.see("has ended")
        self.assertEqual(ended.end(), 4)
        nobody = self.attach("nobody")
        self.assertEqual(nobody.end(), 3)
        self.assertNotIn(OWN_SCREEN, nobody.seen)


if __name__ == "__main__":
    unittest.main()
