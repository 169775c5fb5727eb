#!/usr/bin/env python3
"""Other settings for a session that lives: its agent is told, or has them from its next process."""
import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402


class Settings(unittest.TestCase):
    def setUp(self):
        self.home = Home('engine = "scripted"\n')
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def changed(self, *arguments, code=0):
        result = self.home.run("set", *arguments)
        self.assertEqual(result.code, code, str(result))
        return result.out if code == 0 else result.err

    def answer(self, alias, prompt="[settings] say it"):
        result = self.home.run("send", alias, "--wait", prompt)
        self.assertEqual(result.code, 0, str(result))
        return result.out.strip()

    def facts(self, alias, kind):
        session = self.home.show(alias)["session"]
        return [event["facts"] for event in self.home.events(session) if event["type"] == kind]

    def open_session(self, *flags):
        alias = self.home.start_session("[say Ready.] begin", "--multi-turn", *flags)
        self.home.wait_for_event(alias, "TurnFinished")
        return alias

    def test_an_agent_that_runs_is_told(self):
        alias = self.open_session()
        out = self.changed(alias, "--permission-mode", "plan", "--model", "opus",
                           "--thinking-tokens", "4000")
        self.assertIn("permission_mode plan: from now on, the agent has been told", out)
        self.assertEqual(self.answer(alias), "mode plan, model opus, thinking 4000")
        row = self.home.show(alias)
        self.assertEqual((row["permission_mode"], row["model"]), ("plan", "opus"))
        self.assertEqual(len(self.facts(alias, "SettingsTold")), 1)
        self.assertEqual(len(self.facts(alias, "AgentStarted")), 1)
        # The next process is started with them.
        self.assertEqual(self.home.stop(), 0)
        self.home.start()
        self.assertEqual(self.answer(alias), "mode plan, model opus, thinking 4000")
        self.assertEqual(len(self.facts(alias, "SettingsTold")), 1)
        # So is a session that goes on with it.
        self.home.run("kill", alias)
        resumed = self.home.ask("resume", alias, "[settings] go on")["alias"]
        self.home.wait_for_event(resumed, "TurnFinished")
        self.assertIn("mode plan, model opus, thinking 4000",
                      self.home.run("output", resumed).out)
        self.home.run("kill", resumed)

    def test_an_agent_that_waits_for_an_answer_is_told_at_once(self):
        alias = self.home.start_session("[tools 1] [ask] [settings] go")
        until(lambda: self.home.ask("approvals")["count"] == 1, "a request")
        self.assertIn("acceptEdits: from now on, the agent has been told",
                      self.changed(alias, "--permission-mode", "acceptEdits"))
        self.home.run("approve", alias)
        self.home.wait_for_end(alias)
        self.assertIn("mode acceptEdits, model default", self.home.run("output", alias).out)

    def test_what_an_agent_refuses_holds_from_its_next_process_on(self):
        alias = self.open_session()
        out = self.changed(alias, "--permission-mode", "bypassPermissions")
        self.assertIn("from its agent's next process on, the agent that runs refuses it", out)
        self.assertIn("the agent said: permission_mode: Cannot set permission mode", out)
        self.assertIn("mode default", self.answer(alias))
        self.assertEqual(self.home.stop(), 0)
        self.home.start()
        self.assertIn("mode bypassPermissions", self.answer(alias))

    # Shows R162.
    def test_a_session_without_an_agent_has_them_at_its_next_start(self):
        alias = self.open_session()
        self.assertEqual(self.home.stop(), 0)
        self.home.start()
        out = self.changed(alias, "--model", "haiku", "--idle-timeout", "2h")
        self.assertIn("model haiku: from its agent's next process on", out)
        self.assertIn("idle_timeout 2h: from now on", out)
        self.assertIn("model haiku", self.answer(alias))
        self.assertEqual(self.home.show(alias)["idle_timeout_us"], 7_200_000_000)

    def test_a_limit_holds_for_the_turn_that_runs(self):
        alias = self.home.start_session("[hang] go", "--multi-turn")
        self.home.wait_for_event(alias, "TurnStarted")
        self.assertIn("run_timeout 200ms: from now on", self.changed(alias, "--run-timeout", "200ms"))
        self.home.wait_for_event(alias, "TurnInterrupted")
        self.assertEqual(self.facts(alias, "TurnInterrupted")[0]["reason"], "run_timeout")

    def test_a_server_that_is_killed_has_told_once(self):
        alias = self.open_session()
        self.changed(alias, "--model", "opus")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.assertIn("model opus", self.answer(alias))
        self.assertEqual(len(self.facts(alias, "SettingsChanged")), 1)

    def test_servers_of_mcp_come_from_a_file(self):
        config = self.home.path("servers.json")
        refused = self.home.run("spawn", "--mcp-config", config, "[say Hi.] go")
        self.assertEqual(refused.code, 2, str(refused))
        self.assertIn("which is no file that can be read", refused.err)
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {}}, file)
        alias = self.open_session("--mcp-config", config)
        session = self.home.show(alias)["session"]
        [opened] = [event["facts"] for event in self.home.events(session)
                    if event["type"] == "SessionOpened"]
        self.assertEqual(opened["spec"]["mcp_config"], config)
        self.assertIn("mcp_config none: from its agent's next process on",
                      self.changed(alias, "--mcp-config", "none"))

    def test_slash_commands_are_listed(self):
        alias = self.open_session()
        self.assertIn("/compact /context", self.home.run("commands", alias).out)
        self.assertEqual(self.home.ask("commands", alias)["commands"], ["compact", "context"])

    def test_programs_change_settings_within_their_grant_and_chats_none(self):
        alias = self.open_session()

        def call(**arguments):
            child = self.home.popen(["mcp"], {"STENO_MCP_PERMISSION_MAX": "acceptEdits"},
                                    stdin=subprocess.PIPE)
            answer, _ = child.communicate((json.dumps({
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "session_set", "arguments": {"session": alias, **arguments}}})
                + "\n").encode())
            result = json.loads(answer)["result"]
            return result["isError"], result["content"][0]["text"]
        is_error, text = call(permission_mode="plan")
        self.assertFalse(is_error, text)
        self.assertIn("permission_mode plan: from now on", text)
        is_error, text = call(permission_mode="bypassPermissions")
        self.assertTrue(is_error, text)
        self.assertIn("mcp_permission_max", text)
        said = self.home.run("chat", "--sender", "telegram|1", "--chat-senders", "telegram|1",
                             f"/session_set --permission-mode plan {alias}")
        self.assertNotEqual(said.code, 0, str(said))
        self.assertEqual(len(self.facts(alias, "SettingsChanged")), 1)

    def test_bad_input_changes_nothing(self):
        alias = self.open_session()
        self.assertIn("say what is to be changed", self.changed(alias, code=2))
        self.assertIn("permission_mode", self.changed(alias, "--permission-mode", "yolo", code=2))
        self.assertIn("steno resume REF --budget-usd",
                      self.changed(alias, "--budget-usd", "9", code=2))
        self.assertIn("steno set REF --model",
                      self.home.run("send", alias, "--model", "opus", "go").err)
        self.changed("nobody", "--model", "opus", code=3)
        self.assertIn("a person does", self.home.run(
            "set", alias, "--model", "opus",
            environment={"STENO_SESSION": self.home.show(alias)["session"]}).err)
        self.home.run("kill", alias)
        self.assertIn("resume it to go on", self.changed(alias, "--model", "opus", code=4))
        self.assertEqual(self.facts(alias, "SettingsChanged"), [])


if __name__ == "__main__":
    unittest.main()
