#!/usr/bin/env python3
"""Engines that only the configuration file knows, as their users see them."""
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, beside, until  # noqa: E402

TABLE = """
[engines.my-agent]
kind = "scripted"
program = ["{agent}"]
environment = ["HUE=blue"]
description = "a script of ours"
"""
# An agent that leaves a trace of what it was given.
AGENT = """#!/bin/sh
echo "$HUE" >> started
exec {scripted} "$@"
"""


class ConfiguredEngine(unittest.TestCase):
    def home(self, text=TABLE):
        home = Home()
        self.addCleanup(home.close)
        agent = home.path("agent")
        with open(agent, "w", encoding="utf-8") as file:
            file.write(AGENT.format(scripted=beside("steno-scripted-agent")))
        os.chmod(agent, 0o755)
        home.write_config(text.format(agent=agent))
        return home

    def hues(self, home):
        """Returns what each agent that was started had from its table."""
        with open(os.path.join(home.workdir, "started"), encoding="utf-8") as file:
            return file.read().split()

    def says(self, home, session, word):
        sent = home.run("send", session, "--wait", f"[say {word}]")
        self.assertEqual(sent.code, 0, str(sent))
        self.assertIn(word, home.run("output", session).out)

    def test_a_session_of_it_lives_across_restarts_and_is_resumed(self):
        home = self.home().start()
        session = home.start_session("[say one]", "--multi-turn", engine="my-agent")
        home.wait_for_event(session, "TurnFinished")
        self.assertEqual(home.show(session)["engine"], "my-agent")
        self.assertEqual(self.hues(home), ["blue"])

        worker = home.worker_pid()
        os.kill(worker, signal.SIGKILL)
        until(lambda: home.worker_pid() != worker, "another worker")
        self.says(home, session, "two")
        self.assertEqual(self.hues(home), ["blue"] * 2)

        self.assertEqual(home.stop(), 0)
        home.start()
        self.says(home, session, "three")
        self.assertEqual(self.hues(home), ["blue"] * 3)

        self.assertEqual(home.run("kill", session).code, 0)
        home.wait_for_end(session)
        resumed = home.run("resume", session, "[say four]")
        self.assertEqual(resumed.code, 0, str(resumed))
        until(lambda: len(self.hues(home)) == 4, "an agent of the resumed session")
        self.assertEqual(self.hues(home), ["blue"] * 4)

    def test_everybody_who_names_engines_names_it(self):
        home = self.home().start()
        refused = home.run("run", "--engine", "my-agnt", "x")
        self.assertEqual(refused.code, 2, str(refused))
        self.assertIn("claude, scripted or my-agent", refused.err)
        config = {row["key"]: row for row in home.ask("config")["settings"]}
        self.assertEqual(config["engines.my-agent.kind"]["value"], "scripted")
        self.assertIn("line 5", config["engines.my-agent.environment"]["where"])
        doctor = home.run("doctor")
        self.assertIn("agent program of my-agent", doctor.out)
        self.assertIn(home.path("agent"), doctor.out)

    def test_a_mistake_in_its_table_keeps_the_server_from_starting(self):
        home = self.home('[engines.x]\nkind = "nothing"\n')
        refused = home.run("serve")
        self.assertEqual(refused.code, 2, str(refused))
        self.assertIn("[engines.x] kind = 'nothing' is not accepted; accepted: claude or scripted",
                      refused.err)
        self.assertIn("line 2", refused.err)

    def test_an_engine_that_was_removed_says_so(self):
        home = self.home().start()
        session = home.start_session("[say one]", "--multi-turn", engine="my-agent")
        home.wait_for_event(session, "TurnFinished")
        self.assertEqual(home.stop(), 0)
        home.write_config("")
        home.start()
        home.run("send", session, "[say two]")
        event = home.wait_for_event(session, "AgentStartFailed")
        self.assertIn("no engine 'my-agent'", str(event))


if __name__ == "__main__":
    unittest.main(verbosity=2)
