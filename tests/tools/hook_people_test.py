#!/usr/bin/env python3
"""What people see of hooks and of rules that have them asked: why they are asked, whether they are
told at all, what an agent waits for, and what was counted."""
import json
import os
import shutil
import signal
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from hooks_test import Hooked, table  # noqa: E402
from support.steno_process import until  # noqa: E402

CHANNEL = "telegram|1"
DECIDES = """echo '{"hookSpecificOutput": {"decision": {"behavior": "allow"}}}'"""


class Seen(Hooked):
    def start_told(self, *tables):
        """Starts a server that writes what it tells the channel into a file."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        script, self.told_path = os.path.join(folder, "tell"), os.path.join(folder, "told")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'printf "%s\\n" "$1" >> {self.told_path}\n')
        self.start(*tables, notify_command=f"sh {script} {{text}}")

    def told(self):
        if not os.path.exists(self.told_path):
            return ""
        with open(self.told_path, encoding="utf-8") as file:
            return file.read()

    def waiting(self):
        until(lambda: self.home.ask("approvals")["count"] == 1, "a request")
        return self.home.ask("approvals")["asks"][0]

    def test_people_see_why_a_hook_has_them_asked(self):
        self.start_told(f'chat_senders = ["{CHANNEL}"]\n',
                        table("careful", "PreToolUse", 'builtin = "ask"', text="it touches the store"))
        alias = self.home.start_session("[tools 1] [say Done.]", "--channel", CHANNEL)
        self.assertEqual(self.waiting()["reason"], "it touches the store")
        self.assertIn("  why    it touches the store\n", self.home.run("approvals", alias).out)
        until(lambda: "Why: it touches the store" in self.told(), "the notification")
        self.assertIn("   why it touches the store\n",
                      self.home.run("chat", "--sender", CHANNEL, "/approvals").out)
        self.home.run("approve", alias)
        self.home.wait_for_end(alias)
        follow = self.home.follow("run", "[tools 1] [say Done.]")
        follow.error_line("why: it touches the store")
        self.home.run("approve", self.waiting()["alias"])
        self.assertEqual(follow.finish().code, 0)
        self.stop()

    # Shows R181, R182.
    def test_nobody_is_told_of_what_a_hook_approves_at_once(self):
        self.start_told(table("trusted", "PermissionRequest", f"command = {json.dumps(DECIDES)}"))
        alias = self.ran("[tools 1] [ask] [say Done.]", "--channel", CHANNEL)
        until(lambda: "✅" in self.told(), "the news of the end")
        self.assertNotIn("asks for approval", self.told())
        dropped = [event["facts"] for event in self.home.events() if event["type"] == "NotificationDropped"]
        self.assertEqual([fact["reason"] for fact in dropped], ["superseded"])
        self.assertEqual(self.facts(alias, "AskAnswered")[0]["basis"], "hook")
        self.stop()

    def test_people_are_told_of_what_hooks_leave_to_them_also_by_the_next_server(self):
        self.start_told(table("shy", "PermissionRequest", 'command = "true"'))
        alias = self.home.start_session("[tools 1] [ask] [say Done.]", "--channel", CHANNEL)
        self.waiting()
        self.home.stop(signal.SIGKILL)
        self.home.start()
        until(lambda: "asks for approval: Bash" in self.told(), "the notification")
        self.home.run("approve", alias)
        self.home.wait_for_end(alias)
        until(lambda: not self.home.ask("notify", "ls")["notifications"], "all are told")
        self.assertEqual(self.told().count("asks for approval"), 1)
        self.stop()

    def test_a_session_that_waits_for_a_hook_says_so(self):
        waits = "until test -e go; do sleep 0.05; done"
        self.start(table("slow", "PreToolUse", f"command = {json.dumps(waits)}", timeout="60s"))
        alias = self.home.start_session("[tools 1] [say Done.]")
        until(lambda: "for hooks at PreToolUse" in self.home.run("ls").out, "the wait")
        self.assertRegex(self.home.run("show", alias).out, r"waits \d+s for hooks at PreToolUse")
        with open(os.path.join(self.home.workdir, "go"), "w", encoding="utf-8"):
            pass
        self.home.wait_for_end(alias)
        self.assertNotIn("for hooks", self.home.run("ls").out)
        self.stop()

    def test_hooks_at_notifications_and_ends_are_counted(self):
        self.start_told(table("night", "Notification", 'builtin = "deny"', text="quiet"),
                        table("end", "SessionEnd", 'command = "exit 3"'),
                        table("memory", "SessionEnd", 'command = "true"'))
        self.ran("[say Done.]", "--channel", CHANNEL)

        def counts():
            return {row["name"]: (row["runs"] > 0, row["blocked"], row["failed"] > 0)
                    for row in self.home.ask("hooks", "ls")["hooks"]}

        until(lambda: counts() == {"night": (True, 1, False), "end": (True, 0, True),
                                   "memory": (True, 0, False)}, "the counts")
        self.assertIn("end: it ended with code 3", self.home.run("hooks", "ls").err)
        self.stop()

    def test_the_exit_code_of_a_try_says_what_the_hook_did(self):
        self.start(table("passes", "PreToolUse", 'command = "true"'),
                   table("blocks", "PreToolUse", 'command = "exit 2"'),
                   table("fails", "PreToolUse", 'command = "exit 3"'),
                   table("strict", "PreToolUse", 'command = "exit 3"', on_failure="block"))
        for name, code in (("passes", 0), ("blocks", 5), ("fails", 1), ("strict", 1)):
            tried = self.home.run("hooks", "try", name)
            self.assertEqual(tried.code, code, (name, str(tried)))
        self.stop()


if __name__ == "__main__":
    unittest.main()
