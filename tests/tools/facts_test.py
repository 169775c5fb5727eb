#!/usr/bin/env python3
"""A fact of a session shows on every surface where people and programs would look for it.

FACTS is the table: a row makes the fact with the scripted agent, and says what each surface must
show. A surface that a row does not name shows nothing of that fact, or has its own test.
"""
import http.server
import json
import os
import re
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402

CHANNEL = "telegram|bot|1234"


class Fact:
    """`prompt` and `flags` make it, and `run` exits with `code`. The others are regular
    expressions, or values of JSON by key."""

    def __init__(self, name, prompt, *flags, code=0, **surfaces):
        self.name, self.prompt, self.flags, self.code = name, prompt, flags, code
        self.surfaces = surfaces


FACTS = [
    Fact("a denied tool call", "[ask] change a file", "--approvals", "deny", code=5,
         run="✗ Bash — .*: denied(.|\n)*; --allow-tool Bash grants it:",
         ls="completed, 1 denied",
         show="denied +1 tool call was denied: Bash",
         attention="completed, but 1 tool call was denied: Bash +.*steno resume \\S+ "
                   "--allow-tool Bash",
         stats="denied tool calls +1",
         prometheus="steno_tool_calls_denied_total\\{agent=\"main\"\\} 1",
         chat="completed, 1 denied",
         notification="⚠️ Session \\S+ \\[\\w+\\] completed, but 1 tool call was denied: Bash",
         system="Caution: 1 tool call was denied: Bash",
         webhook={"kind": "completed", "denied": 1, "denied_tools": ["Bash"]},
         row={"denied": 1, "denied_tools": ["Bash"], "attention": "denied"}),
    Fact("a refused prompt", "[refuse not on Sundays] tidy up", code=1,
         run="turn failed \\(prompt_refused\\): .*not on Sundays",
         ls="failed \\(turn_error\\)",
         output="❌ UserPromptSubmit operation blocked by hook: not on Sundays",
         attention="failed \\(turn_error\\)",
         notification="❌ Session .*\n.*\n.*\n⚠️ .*not on Sundays",
         webhook={"kind": "failed"},
         row={"status": "failed", "end_reason": "turn_error"}),
    Fact("a turn that a hook stopped", "[tools 1] [stop] tidy up",
         run="the agent gave no answer; the turn ended by hook_stopped",
         ls="completed, hook_stopped",
         output="⚠ the agent gave no answer; the turn ended by hook_stopped",
         chat="completed, hook_stopped",
         notification="⚠️ Session \\S+ \\[\\w+\\] completed, but the agent gave no answer; "
                      ".*hook_stopped",
         row={"terminal_reason": "hook_stopped"}),
    Fact("an empty answer", "[say ] tidy up",
         run="the agent gave no answer",
         output="⚠ the agent gave no answer",
         system="Caution: the agent gave no answer",
         webhook={"end": "the agent gave no answer"}),
    Fact("a hook that gave no verdict", "[warn A hook did not answer] tidy up",
         run="⚠ A hook did not answer",
         output="⚠ A hook did not answer"),
    Fact("a hook that must answer", "[warn A hook did not answer] [delay 60000] tidy up",
         "--hooks-must-answer", "true", code=1,
         run="turn interrupted: hook_unanswered",
         ls="failed \\(hook_unanswered\\)",
         attention="failed \\(hook_unanswered\\)",
         row={"end_reason": "hook_unanswered"}),
    Fact("an MCP server that failed", "[mcp docs] tidy up",
         run="⚠ MCP server docs: failed",
         show="MCP +⚠ MCP server docs: failed",
         output="⚠ MCP server docs: failed",
         row={"mcp_broken": ["docs: failed"]}),
    Fact("an MCP server that must connect", "[mcp docs] [delay 60000] tidy up",
         "--mcp-must-connect", "true", code=1,
         run="could not be started: MCP servers .*docs: failed",
         ls="failed \\(start_failed\\)",
         row={"end_reason": "start_failed"}),
]


class Webhook(http.server.BaseHTTPRequestHandler):
    """Keeps the bodies of requests."""
    bodies = []

    def do_POST(self):  # noqa: N802, a name of the library
        length = int(self.headers["Content-Length"])
        Webhook.bodies.append(json.loads(self.rfile.read(length)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Facts(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Webhook)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def home_with_sinks(self):
        home = Home('engine = "scripted"\nnotify_per_minute = 0\n')
        self.addCleanup(home.close)
        sink = home.path("sink.py")
        with open(sink, "w", encoding="utf-8") as file:
            file.write("#!/usr/bin/env python3\nimport json, sys\n"
                       f"with open({home.path('told.jsonl')!r}, 'a', encoding='utf-8') as file:\n"
                       "    file.write(json.dumps(sys.argv[1:]) + '\\n')\n")
        os.chmod(sink, 0o700)
        hook = home.path("hook")
        with open(hook, "w", encoding="utf-8") as file:
            file.write(f"http://127.0.0.1:{self.server.server_address[1]}/hook\n")
        os.chmod(hook, 0o600)
        with open(home.path("steno.toml"), "a", encoding="utf-8") as file:
            file.write(f'notify_command = "{sink} channel {{text}}"\n'
                       f'notify_system_command = "{sink} system {{text}}"\n'
                       f'notify_webhook_file = "{hook}"\n')
        return home

    def told(self, home, kind):
        try:
            with open(home.path("told.jsonl"), encoding="utf-8") as file:
                calls = [json.loads(line) for line in file]
        except FileNotFoundError:
            return ""
        return "\n".join(text for to, text in calls if to == kind)

    def shown(self, home, alias, ran):
        """Returns what each surface that shows text says."""
        return {
            "run": lambda: ran.out + ran.err,
            "ls": lambda: home.run("ls").out,
            "show": lambda: home.run("show", alias).out,
            "output": lambda: home.run("output", alias).out,
            "attention": lambda: home.run("attention").out,
            "stats": lambda: home.run("stats").out,
            "prometheus": lambda: home.run("stats", "-o", "prometheus").out,
            "chat": lambda: home.run("chat", "/claude_sessions").out,
            "notification": lambda: self.told(home, "channel"),
            "system": lambda: self.told(home, "system"),
        }

    def check_fact(self, fact):
        home = self.home_with_sinks()
        home.start()
        Webhook.bodies.clear()
        ran = home.run("run", "--channel", CHANNEL, "--name", "task", *fact.flags, fact.prompt)
        self.assertEqual(ran.code, fact.code, str(ran))
        row = home.show("task")
        until(lambda: not home.ask("notify", "ls")["notifications"], "that nobody waits for news")
        shown = self.shown(home, row["alias"], ran)
        for surface, wanted in fact.surfaces.items():
            with self.subTest(fact=fact.name, surface=surface):
                if surface == "row":
                    self.assertEqual({key: row[key] for key in wanted}, wanted)
                elif surface == "webhook":
                    [body] = Webhook.bodies
                    self.assertEqual({key: body[key] for key in wanted}, wanted)
                else:
                    text = shown[surface]()
                    self.assertTrue(re.search(wanted, text), f"{wanted!r} is not in:\n{text}")
        self.assertEqual(home.stop(), 0)

    def test_each_fact_shows_where_people_look(self):
        for fact in FACTS:
            with self.subTest(fact=fact.name):
                self.check_fact(fact)

    def test_a_fact_that_is_not_there_shows_nowhere(self):
        home = self.home_with_sinks()
        home.start()
        ran = home.run("run", "--channel", CHANNEL, "--name", "task", "[tools 1] all is well")
        self.assertEqual(ran.code, 0, str(ran))
        until(lambda: not home.ask("notify", "ls")["notifications"], "that nobody waits for news")
        for surface, text in self.shown(home, "task", ran).items():
            with self.subTest(surface=surface):
                self.assertNotRegex(text(), "⚠|[1-9] denied|hook|MCP|rate limit")
        self.assertEqual(home.run("attention").out, "")
        self.assertEqual(home.stop(), 0)


class Advice(unittest.TestCase):
    def test_a_live_session_is_told_how_another_one_is_granted_the_tool(self):
        home = Home('engine = "scripted"\n')
        self.addCleanup(home.close)
        home.start()
        alias = home.start_session("[say hi]", "--multi-turn", "--approvals", "deny")
        denied = home.run("send", "--wait", alias, "[ask]")
        self.assertEqual(denied.code, 5, str(denied))
        self.assertIn(f"steno close {alias}; steno resume {alias} --allow-tool Bash PROMPT:",
                      denied.err)
        home.run("kill", alias)
        self.assertEqual(home.stop(), 0)


class Interrupts(unittest.TestCase):
    def test_a_prompt_that_is_about_to_start_can_be_interrupted(self):
        home = Home('engine = "scripted"\n')
        self.addCleanup(home.close)
        home.start()
        alias = home.start_session("[hang] go")
        self.assertEqual(home.run("interrupt", alias).code, 0)
        row = home.wait_for_end(alias)
        self.assertEqual((row["status"], row["end_reason"]), ("killed", "user"))
        self.assertEqual(home.stop(), 0)

    def test_there_can_be_nothing_to_interrupt(self):
        home = Home('engine = "scripted"\n')
        self.addCleanup(home.close)
        home.start()
        alias = home.start_session("go", "--multi-turn")
        until(lambda: home.show(alias)["waiting_for_input"], "that it waits")
        refused = home.run("interrupt", alias)
        self.assertEqual(refused.code, 4, str(refused))
        self.assertIn("runs no turn now, and no prompt waits for it", refused.err)
        self.assertEqual(home.stop(), 0)


class Chats(unittest.TestCase):
    def test_a_chat_cannot_have_any_file_read(self):
        home = Home('engine = "scripted"\nchat_senders = ["telegram|1"]\n')
        self.addCleanup(home.close)
        home.start()
        for line in ("/claude look at @/etc/passwd", '/claude see (@"/etc/my file")',
                     "/claude @~/.ssh/id_rsa", "/claude @../../secret"):
            refused = home.run("chat", "--sender", "telegram|1", line)
            self.assertEqual(refused.code, 5, str(refused))
            self.assertIn("chat_file_mentions", refused.err)
        self.assertEqual(home.ask("ls")["sessions"], [])
        mail = home.run("chat", "--sender", "telegram|1",
                        "/claude --name m write to bob@host/x, @bob")
        self.assertEqual(mail.code, 0, str(mail))
        home.run("kill", "m")
        self.assertEqual(home.stop(), 0)


if __name__ == "__main__":
    unittest.main()
