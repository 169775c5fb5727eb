#!/usr/bin/env python3
"""The screen of `steno top`: people find there who needs them, and act by keys."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.screen import Screen  # noqa: E402
from support.steno_process import PATIENCE, Home, program, until  # noqa: E402

OWN_SCREEN = 1049
PASTES_MARKED, PASTES_PLAIN = "\x1b[?2004h", "\x1b[?2004l"
COLOR = re.compile(r"\x1b\[[0-9;]*3[0-7]m")


class Top:
    """steno top on a terminal of its own."""

    def __init__(self, home, *arguments, rows=24, columns=80, environment=None):
        self.parent, self.child = pty.openpty()
        home.followers.append(self)  # which ends it with the test
        self.size(rows, columns)
        self.screen, self.raw, self.left = Screen(rows, columns), "", b""
        self.before = termios.tcgetattr(self.child)
        self.process = subprocess.Popen(
            [program(), "--home", home.folder, "top", *arguments], cwd=home.workdir,
            env={**home.environment, "TERM": "xterm", **(environment or {})},
            stdin=self.child, stdout=self.child, stderr=self.child, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def size(self, rows, columns):
        fcntl.ioctl(self.child, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        # All that was drawn for the size before is read first.
        while self.read(0):
            pass
        self.screen.resize(rows, columns)
        self.size(rows, columns)

    def read(self, seconds):
        if not select.select([self.parent], [], [], seconds)[0]:
            return False
        self.left += os.read(self.parent, 65536)
        text = self.left.decode(errors="ignore")
        # The end of a read can be in the middle of a character.
        whole = len(text.encode())
        self.left = self.left[whole:]
        self.raw += text
        self.screen.feed(text)
        return True

    def shown(self):
        return "\n".join(self.screen.lines())

    def see(self, condition):
        """Waits until the screen has a text, or meets a condition."""
        if isinstance(condition, str):
            words = condition
            condition = lambda shown: words in shown  # noqa: E731
        deadline = time.monotonic() + PATIENCE
        # A screen comes in pieces: what is looked at is one of which nothing more comes.
        while self.read(0.02) or not condition(self.shown()):
            if time.monotonic() > deadline or (not self.read(0.2) and
                                               self.process.poll() is not None):
                raise AssertionError(f"not seen\n{self.shown()}\n{self.raw[-500:]!r}")

    def see_request(self, words="Bash — echo 0"):
        """Waits for a request of that text; it is also the last line of a session at work."""
        self.see(lambda shown: words in shown.partition("NEEDS YOU")[2].partition("WORKS")[0])

    def press(self, keys):
        os.write(self.parent, keys.encode())

    def end(self):
        """Waits for its end; returns its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self.read(0.1)
            if time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"it goes on\n{self.shown()}")
        while self.read(0):
            pass
        self.after = termios.tcgetattr(self.child)
        os.close(self.parent)
        os.close(self.child)
        return self.process.returncode


class TopTest(unittest.TestCase):
    def setUp(self):
        self.home = Home('engine = "scripted"\nmax_sessions = 20\n')
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        if self.home.server is not None:
            self.home.run("kill", "--all")
            self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def leave(self, top):
        top.press("q")
        self.assertEqual(top.end(), 0, top.shown())
        self.assertNotIn(OWN_SCREEN, top.screen.modes)
        self.assertEqual(top.after, top.before)


class Acts(TopTest):
    def answers(self, session):
        return [event["facts"]["verdict"] for event in self.home.events(session)
                if event["type"] == "AskAnswered"]

    def test_who_asks_comes_first_and_is_approved_by_key(self):
        self.home.start_session("[hang]", "--name", "busy")
        top = Top(self.home)
        top.see("1 live")
        top.see("busy")
        alias = self.home.start_session("[tools 1] [ask] [say Done.]", "--name", "careful")
        top.see_request()
        lines = top.screen.lines()
        self.assertIn("1 needs you, 1 works", lines[0])
        self.assertIn("NEEDS YOU", lines[1])
        self.assertIn("careful", lines[2])
        self.assertIn("WORKS", lines[3])
        self.assertIn("busy", lines[4])
        # The session that was chosen before is chosen still.
        self.assertTrue(lines[4].startswith("> busy"), lines)
        top.press("ga")
        top.see("careful asks")
        top.see("command: echo 0")
        top.see("y approves")
        session = self.home.show(alias)["session"]
        self.assertEqual(self.answers(session), [])
        top.press("y")
        top.see("approved")
        self.assertEqual(self.answers(session), ["granted"])
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        top.see(lambda shown: "careful" not in shown.split("approved")[0])
        self.leave(top)

    def test_what_is_typed_ahead_approves_nothing(self):
        alias = self.home.start_session("[tools 1] [ask]", "--name", "careful")
        top = Top(self.home)
        top.see_request()
        top.press("ay")
        top.see("command: echo 0")
        top.press("n")
        top.see("NEEDS YOU")
        self.assertEqual(self.answers(self.home.show(alias)["session"]), [])
        self.leave(top)

    def test_a_denial_has_its_reason(self):
        alias = self.home.start_session("[tools 1] [ask]", "--name", "careful")
        top = Top(self.home)
        top.see_request()
        top.press("d")
        top.see("because>")
        top.see("command: echo 0")
        top.press("use make\r")
        top.see("denied")
        session = self.home.show(alias)["session"]
        self.assertEqual(self.answers(session), ["denied"])
        self.assertIn("use make", self.home.run("output", alias).out)
        self.leave(top)

    def test_a_question_is_answered(self):
        alias = self.home.start_session("[question Which?|this|that] [say Fine.]", "--name", "quiz")
        top = Top(self.home)
        top.see_request("Which?")
        top.press("a")
        top.see("2 that")
        top.see("answer>")
        top.press("9\r")
        top.see("has no choice 9")
        top.press("a")
        top.see("answer>")
        top.press("2\r")
        top.see("answered")
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.leave(top)

    def test_kill_asks_first(self):
        alias = self.home.start_session("[hang]", "--name", "busy")
        self.home.wait_for_event(alias, "TurnStarted")
        top = Top(self.home)
        top.see("> busy")
        for keys in ("x", "\x1b[200~x\x1b[201~x"):  # what is pasted is no key
            top.press(keys)
            top.see("kill busy?")
            top.press("n")
            top.see("o output")
        self.assertEqual(self.home.show(alias)["status"], "running")
        top.press("x")
        top.see("kill busy?")
        top.press("y")
        top.see(f"killed {alias} busy")
        self.assertEqual(self.home.show(alias)["status"], "killed")
        top.see("no session lives or needs you")
        self.leave(top)

    def test_prompts_interrupts_and_output(self):
        alias = self.home.start_session("[say First words.]", "--multi-turn", "--name", "talk",
                                        "--continue-after-failure")
        top = Top(self.home)
        top.see("WAITS")
        top.press("p")
        top.see("prompt for talk>")
        top.press("[hang] wörld 世\x7f世界\r")
        top.see("queued for")
        top.see("WORKS")
        top.press("i")
        top.see("interrupting")
        top.see("WAITS")
        top.press("\r")
        top.see("First words.")
        top.see("> [hang] wörld 世界")
        self.home.run("send", "--wait", alias, "[say Later \x1b[2J\x07 words.]")
        top.see("Later \\x1b[2J\\x07 words.")
        top.press("q")
        top.see("WAITS")
        self.leave(top)

    def test_paused_prompts_go_on(self):
        alias = self.home.start_session("[delay 3000] [error]", "--multi-turn", "--name", "talk")
        self.home.wait_for_event(alias, "TurnStarted")
        self.home.run("send", alias, "[say Second.]")
        self.assertEqual(self.home.show(alias)["turns_waiting"], 1)
        top = Top(self.home)
        top.see("turn failed")
        top.press("c")
        top.see("goes on with 1 prompt")
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the second turn")
        self.leave(top)

    def test_a_need_that_is_known_goes(self):
        alias = self.home.start_session("[error]", "--name", "broken")
        self.home.wait_for_end(alias)
        top = Top(self.home)
        top.see("> broken")
        top.press("z")
        top.see(f"{alias}: failed")
        top.see("no session lives or needs you")
        self.assertIn(f"{alias}: failed", top.shown())
        self.assertIn("dismissed", top.shown())
        self.leave(top)

    def test_a_filter_shows_some(self):
        for name in ("deploy-eu", "deploy-us", "docs"):
            self.home.start_session("[hang]", "--name", name)
        top = Top(self.home)
        top.see("3 live")
        top.see("docs")
        top.press("/deploy")
        top.see(lambda shown: "docs" not in shown and "deploy-eu" in shown)
        top.press("\r\x1b")
        top.see("docs")
        self.leave(top)


class Terminals(TopTest):
    def test_a_new_size_is_drawn_for(self):
        self.home.start_session("[say 世界 🔧 wide words]", "--multi-turn", "--name", "翻訳する会話")
        top = Top(self.home)
        top.see("翻訳する会話")
        top.see("SINCE")
        for rows, columns in ((10, 40), (24, 120), (5, 7), (1, 1), (2, 1), (24, 1),
                              (1000, 1000), (24, 80)):
            top.resize(rows, columns)
            if columns >= 40:
                top.see("翻訳する")
            else:
                top.see(lambda shown: shown.strip() != "")
        top.see("SINCE")
        self.assertIn("翻訳する会話", top.shown())
        self.leave(top)

    def test_a_server_that_goes_and_comes_back(self):
        self.home.start_session("[hang]", "--name", "busy")
        top = Top(self.home)
        top.see("> busy")
        self.home.stop(signal.SIGKILL)
        top.see("the server has ended")
        top.press("i")
        top.press("pkept words")
        top.see("prompt for busy> kept words")
        top.press("\r")
        top.see("the server has ended")
        self.home.start()
        top.see(lambda shown: "the server has ended" not in shown)
        self.assertIn("the server is back", top.shown())
        top.press("p")
        top.see("prompt for busy> kept words")
        top.press("\x1b")
        self.assertEqual(self.home.show("busy")["turns_interrupted"], 0)
        self.home.start_session("[hang]", "--name", "later")
        top.see("later")
        self.leave(top)

    def test_ctrl_c_and_sigterm_give_the_terminal_back(self):
        for leave in (lambda top: top.press("\x03"),
                      lambda top: top.process.send_signal(signal.SIGTERM)):
            top = Top(self.home)
            top.see("no session lives")
            self.assertIn(OWN_SCREEN, top.screen.modes)
            leave(top)
            self.assertEqual(top.end(), 130)
            self.assertNotIn(OWN_SCREEN, top.screen.modes)
            self.assertEqual(top.after, top.before)

    def test_ctrl_z_gives_the_terminal_back_for_a_while(self):
        self.home.start_session("[hang]", "--name", "busy")
        top = Top(self.home)
        top.see("> busy")
        self.assertEqual(top.raw.count(PASTES_MARKED), 1)
        top.press("\x1a")  # no shell is there to let it go on, so it goes on at once
        top.see(lambda _: top.raw.count(PASTES_MARKED) == 2)
        before, _, after = top.raw.partition(PASTES_PLAIN)
        self.assertIn(PASTES_MARKED, before)
        self.assertIn("\x1b[?1049l", after.partition(PASTES_MARKED)[0])
        self.assertIn(OWN_SCREEN, top.screen.modes)
        top.see("> busy")
        top.press("?")
        top.see("NEEDS YOU")
        top.press("q")
        top.see("> busy")
        self.leave(top)

    def test_a_paste_whose_end_is_lost_ends_with_esc(self):
        self.home.start_session("[hang]", "--name", "busy")
        top = Top(self.home)
        top.see("> busy")
        top.press("/\x1b[200~zzz")
        top.see(lambda shown: "no session has these words" in shown and "o output" not in shown)
        top.press("\x1b")
        top.see("o output")
        top.press("\x1b")
        top.see("> busy")
        self.leave(top)

    def test_it_ends_with_its_terminal(self):
        top = Top(self.home)
        top.see("no session lives")
        os.close(top.child)
        os.close(top.parent)
        self.assertNotEqual(top.process.wait(PATIENCE), 0)

    def test_colours_are_left_out_where_none_are_wanted(self):
        self.home.start_session("[hang]", "--name", "busy")
        for environment in ({}, {"NO_COLOR": "1"}, {"TERM": "vt100"}):
            top = Top(self.home, environment=environment)
            top.see("> busy")
            top.press("?")
            top.see("NEEDS YOU")
            top.press("q/zzz")
            top.see("no session has these words")
            top.press("\x15\r")
            alias = self.home.start_session("[tools 1] [ask]")
            top.see_request()
            self.home.run("kill", alias)
            self.assertEqual(bool(COLOR.search(top.raw)), environment == {}, environment)
            self.leave(top)

    def test_where_it_cannot_be_it_says_what_does(self):
        piped = self.home.run("top")
        self.assertEqual((piped.code, piped.out), (2, ""))
        self.assertIn("steno ls --status live", piped.err)
        for term, why in (("dumb", "TERM is dumb"), ("no-such", "not known"), ("", "TERM is not set")):
            top = Top(self.home, environment={"TERM": term})
            self.assertEqual(top.end(), 2)
            self.assertIn(why, top.raw)
            self.assertIn("steno ls --status live", top.raw)
            self.assertNotIn("\x1b", top.raw)

    def test_another_agent_is_shown_and_acted_on(self):
        alias = self.home.start_session("[hang]", "--name", "foreign", "--agent", "other")
        top = Top(self.home)
        top.see("no session lives")
        self.leave(top)
        top = Top(self.home, "--all-agents")
        top.see("> other: foreign")
        top.press("xy")
        top.see("killed")
        rows = self.home.ask("ls", "--all-agents")["sessions"]
        self.assertEqual([row["status"] for row in rows if row["alias"] == alias], ["killed"])
        self.leave(top)


if __name__ == "__main__":
    unittest.main()
