#!/usr/bin/env python3
"""Rules are tried on the record before they are stored, and read from other programs' files."""
import datetime
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402


class Ruled(unittest.TestCase):
    def setUp(self):
        self.home = Home('engine = "scripted"\n')
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def ran(self, prompt, *flags):
        alias = self.home.start_session(prompt, *flags)
        self.home.wait_for_end(alias)
        return alias

    def refused(self, code, *arguments):
        result = self.home.run(*arguments)
        self.assertEqual(result.code, code, str(result))
        return result.err

    def patterns(self):
        return [(rule["verdict"], rule["pattern"], rule["agent"])
                for rule in self.home.ask("rules", "ls", "--all-agents")["rules"]]


class OnTheRecord(Ruled):
    def tried(self, *arguments):
        return self.home.ask("rules", "test", "--since", "7d", *arguments)

    # Shows R176.
    def test_rules_are_held_against_the_calls_on_the_record(self):
        self.ran("[tools 3] [say Done.]")
        self.ran("[bash git push origin] [tools 2] [say Done.]")
        asking = self.home.start_session("[bash make x] [ask] [say Done.]")
        until(lambda: self.home.ask("approvals")["count"] == 1, "a request")
        self.home.run("approve", asking)
        self.home.wait_for_end(asking)
        bare = self.tried()
        self.assertEqual((bare["sessions"], bare["calls"], bare["allow"], bare["ask"], bare["deny"], bare["left"]),
                         (3, 6, 0, 1, 0, 5))
        self.assertEqual(bare["kinds"], [{"answer": "ask", "calls": 1, "call": "Bash(make x)", "rule": 0,
                                          "pattern": "", "stored": False}])
        self.home.run("rules", "add", "--allow", "Bash(echo *)")
        tried = self.tried("--deny", "Bash(git push *)", "--ask", "Bash(echo 2)")
        self.assertEqual((tried["allow"], tried["ask"], tried["deny"], tried["left"]), (2, 2, 2, 0))
        self.assertEqual([(rule["answer"], rule["calls"], rule["rule"], rule["pattern"], rule["stored"])
                          for rule in tried["rules"]],
                         [("ask", 1, 0, "", False), ("ask", 1, 0, "Bash(echo 2)", False),
                          ("allow", 2, 1, "Bash(echo *)", True), ("deny", 2, 0, "Bash(git push *)", False)])
        self.assertEqual([(kind["answer"], kind["calls"], kind["call"]) for kind in tried["kinds"]],
                         [("deny", 2, "Bash(git push origin)"), ("ask", 1, "Bash(make x)"),
                          ("ask", 1, "Bash(echo 2)")])
        shown = self.home.run("rules", "test", "--since", "7d", "--deny", "Bash(git push *)").out
        self.assertIn("6 calls of 3 sessions since 20", shown)
        self.assertIn("would have allowed 3, asked 1, denied 2, and left 0 to the agents", shown)
        self.assertRegex(shown, r" 3 +allow Bash\(echo \*\) \(rule 1, agent main\)\n")
        self.assertRegex(shown, r" 2 +deny Bash\(git push \*\) \(tried, not stored\)\n")
        self.assertRegex(shown, r" 2 +deny +Bash\(git push origin\) +tried\n")
        # What is tried is not stored.
        self.assertEqual(self.patterns(), [("allow", "Bash(echo *)", "main")])
        self.assertEqual(self.tried("--session", asking)["calls"], 1)

    def test_a_call_is_held_against_rules_that_are_tried(self):
        tried = self.home.run("rules", "test", "git push", "--deny", "Bash(git push)").out
        self.assertIn("deny Bash(git push) (tried, not stored)", tried)
        self.assertIn("ask (no rule is about it)", self.home.run("rules", "test", "git push").out)

    def test_what_is_older_and_of_others_is_left_out(self):
        self.assertEqual(self.home.run("run", "[tools 2] [say Done.]", "--agent", "other").code, 0)
        alias = self.home.start_session("[tools 1] [say Done.]", "--multi-turn")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the end of the turn")
        self.assertEqual(self.tried()["calls"], 1)
        self.assertEqual(self.tried("--all-agents")["calls"], 3)
        last = datetime.datetime.fromisoformat(self.home.show(alias)["updated_at"].rstrip("Z"))
        behind = (last + datetime.timedelta(microseconds=1)).isoformat() + "Z"
        self.home.run("send", "--wait", alias, "[tools 4]")
        later = self.home.ask("rules", "test", "--since", behind)
        self.assertEqual((later["sessions"], later["calls"]), (1, 4))
        self.assertEqual(self.home.ask("rules", "test", "--since", "2000-01-01")["calls"], 5)
        self.home.run("kill", alias)

    def test_a_session_of_many_pages_is_read_whole(self):
        self.ran("[tools 1500] [say Done.]")
        tried = self.tried("--deny", "Bash(echo *)")
        self.assertEqual((tried["calls"], tried["deny"], len(tried["kinds"])), (1500, 1500, 1500))
        shown = self.home.run("rules", "test", "--since", "1d", "--deny", "Bash(echo *)")
        self.assertEqual(len(shown.out.splitlines()), 2 + 3 + 22, shown.out)
        self.assertIn("and 1480 further calls", shown.err)

    def test_erased_and_archived_calls_are_counted_as_such(self):
        erased = self.ran("[tools 2] [say Done.]")
        until(lambda: self.home.run("erase", erased, "--wait").code == 0, "the erasure")
        self.ran("[tools 1] [say Done.]")
        tried = self.tried("--allow", "Bash")
        self.assertEqual((tried["calls"], tried["erased"], tried["allow"]), (3, 2, 1))
        self.assertIn("not compared: 2, erased", self.home.run("rules", "test", "--since", "1d").out)
        folder = self.home.path("archive")
        self.home.ask("archive", "create", folder, "--before", str(self.home.position() + 1))
        self.assertEqual(self.tried("--allow", "Bash")["allow"], 1)
        os.rename(folder, folder + "-gone")
        gone = self.tried("--allow", "Bash")
        self.assertEqual((gone["allow"], gone["sessions_archived"]), (0, 2))
        self.assertIn("are not in the log", self.home.run("rules", "test", "--since", "1d").out)

    def test_wrong_words_are_refused(self):
        self.assertIn("neither an age such as 7d", self.refused(2, "rules", "test", "--since", "lately"))
        self.assertIn("lies in the future", self.refused(2, "rules", "test", "--since", "2999-01-01"))
        self.assertIn("names no tool", self.refused(2, "rules", "test", "--since", "1d", "--deny", "a b"))
        self.assertIn("regular expression is wrong: ",
                      self.refused(2, "rules", "test", "--since", "1d", "--deny", "Bash(/[/)"))
        self.refused(2, "rules", "test", "ls", "--since", "1d")
        self.refused(3, "rules", "test", "--since", "1d", "--session", "nobody")
        self.assertIn("or with --since", self.refused(2, "rules", "test"))


class Imported(Ruled):
    def file(self, name, value):
        path = os.path.join(self.home.workdir, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return path

    # Shows R263.
    def test_an_approvals_file_becomes_rules(self):
        path = self.file("approvals.json", {
            "alwaysApprove": {"exec:ls *": True, "Read:*.md": True, "exec:rm *": False},
            "history": [{"requestId": "1", "tool": "exec", "decision": "approve", "timestamp": 1}]})
        dry = self.home.run("rules", "import", path, "--dry-run")
        self.assertEqual(dry.code, 0, str(dry))
        self.assertRegex(dry.out, r"exec:ls \* +allow Bash\(ls \*\) +would be added\n")
        self.assertEqual(self.patterns(), [])
        added = self.home.run("rules", "import", path, "--all-agents")
        self.assertEqual(added.code, 0, str(added))
        self.assertRegex(added.out, r"Read:\*\.md +allow Read\(\*\*/\*\.md\) +added, rule 2\n")
        self.assertRegex(added.out, r"exec:rm \* +- +nothing: false: people are asked")
        self.assertIn("not taken over: history", added.err)
        expected = [("allow", "Bash(ls *)", ""), ("allow", "Read(**/*.md)", "")]
        self.assertEqual(self.patterns(), expected)
        again = self.home.ask("rules", "import", path, "--all-agents")["entries"]
        self.assertEqual([(one["outcome"], one["rule"]) for one in again],
                         [("exists", 1), ("exists", 2), ("nothing", 0)])
        self.assertEqual(self.patterns(), expected)
        self.assertIn("allow Bash(ls *)", self.home.run("rules", "test", "ls -l").out)

    def test_settings_of_claude_code_become_rules(self):
        path = self.file("settings.json", {"permissions": {
            "allow": ["Bash(npm run test:*)", "Edit(src/**)"], "ask": ["Bash(git push:*)"],
            "deny": ["Read(.env)"], "defaultMode": "acceptEdits"}})
        added = self.home.run("rules", "import", path)
        self.assertEqual(added.code, 0, str(added))
        self.assertIn("not taken over: permissions.defaultMode", added.err)
        self.assertEqual(self.patterns(), [
            ("deny", "Read(**/.env)", "main"), ("deny", "Read(**/.env/**)", "main"),
            ("ask", "Bash(git push:*)", "main"), ("allow", "Bash(npm run test:*)", "main"),
            ("allow", "Edit(src/**)", "main")])
        for tool, given, answer in (("Read", {"file_path": "a/.env"}, "deny"),
                                    ("Bash", {"command": "git push -f"}, "ask Bash(git push:*)"),
                                    ("Edit", {"file_path": "src/a/b.cpp"}, "allow")):
            shown = self.home.run("rules", "test", "--tool", tool, "--input", json.dumps(given)).out
            self.assertTrue(shown.startswith(answer), shown)

    def test_what_allows_and_cannot_be_said_is_refused_by_name(self):
        path = self.file("approvals.json", {"alwaysApprove": {"exec:/usr/bin/": True, "exec:ls": True}})
        added = self.home.run("rules", "import", path)
        self.assertEqual(added.code, 1, str(added))
        self.assertRegex(added.out, r"exec:/usr/bin/ +- +refused: between slashes")
        self.assertIn("1 entry is no rule here", added.err)
        self.assertEqual(self.patterns(), [("allow", "Bash(ls)", "main")])

    def test_nothing_is_added_if_what_denies_cannot_be_said(self):
        path = self.file("settings.json", {"permissions": {"allow": ["Bash"], "deny": ["Task(Explore)"]}})
        added = self.home.run("rules", "import", path)
        self.assertEqual(added.code, 2, str(added))
        self.assertIn("must not be left out, so nothing was added", added.err)
        self.assertRegex(added.out, r"Task\(Explore\) +- +refused: calls of Task are compared")
        self.assertEqual(self.patterns(), [])

    def test_a_wrong_file_is_refused(self):
        self.assertIn("cannot read", self.refused(3, "rules", "import", "missing.json"))
        self.assertIn("no JSON object", self.refused(2, "rules", "import", self.file("a.json", "[")))
        self.assertIn("no object alwaysApprove", self.refused(2, "rules", "import", self.file("b.json", {})))
        self.assertIn("more than 4 MiB",
                      self.refused(2, "rules", "import", self.file("c.json", " " * (5 << 20))))
        hostile = self.file("d.json", {"alwaysApprove": {"\x1b[2Jexec:ls": True}})
        shown = self.home.run("rules", "import", hostile)
        self.assertNotIn("\x1b", shown.out + shown.err)
        alias = self.ran("[say Done.]")
        inside = self.home.run("rules", "import", self.file("e.json", {"alwaysApprove": {"exec:ls": True}}),
                               environment={"STENO_SESSION": self.home.show(alias)["session"]})
        self.assertEqual(inside.code, 5, str(inside))


class Exported(Ruled):
    # Shows R263.
    def test_rules_are_written_as_an_approvals_file_and_read_again(self):
        for pattern in ("Bash(ls *)", "Read(**/*.md)", "mcp__github"):
            self.home.run("rules", "add", "--allow", pattern)
        self.home.run("rules", "add", "--allow", "WebSearch", "--agent", "other")
        written = self.home.run("rules", "export")
        self.assertEqual(written.code, 0, str(written))
        self.assertEqual(json.loads(written.out), {"alwaysApprove": {
            "exec:ls *": True, "Read:**/*.md": True, "mcp__github": True}, "history": []})
        self.assertIn("WebSearch", json.loads(
            self.home.run("rules", "export", "--all-agents").out)["alwaysApprove"])
        before = self.patterns()
        path = os.path.join(self.home.workdir, "approvals.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(written.out)
        again = self.home.ask("rules", "import", path)["entries"]
        self.assertEqual([one["outcome"] for one in again], ["exists"] * 3)
        self.assertEqual(self.patterns(), before)

    def test_what_the_form_cannot_say_is_named(self):
        self.home.run("rules", "add", "--deny", "Bash(git push *)")
        self.home.run("rules", "add", "--ask", "Edit(src/**)")
        self.home.run("rules", "add", "--allow", "Bash(/^git log/)")
        alias = self.home.start_session("hello", "--multi-turn")
        self.home.run("rules", "add", "--allow", "Bash(make)", "--session", alias)
        written = self.home.run("rules", "export")
        self.assertEqual(written.code, 1, str(written))
        self.assertEqual(json.loads(written.out)["alwaysApprove"], {})
        for words in ("deny Bash(git push *) (rule 1, agent main): it denies", "it has people asked",
                      "no entry is read as this pattern", "it is for one session",
                      "4 rules cannot be said in this form"):
            self.assertIn(words, written.err)
        self.home.run("kill", alias)

    # Shows R263.
    def test_what_was_decided_is_its_history(self):
        for verdict in ("approve", "deny"):
            alias = self.home.start_session("[bash make x] [ask] [say Done.]")
            until(lambda: self.home.ask("approvals")["count"] == 1, "a request")
            self.home.run(verdict, alias)
            self.home.wait_for_end(alias)
        history = json.loads(self.home.run("rules", "export", "--since", "1d").out)["history"]
        self.assertEqual([(one["tool"], one["decision"]) for one in history],
                         [("exec", "approve"), ("exec", "deny")])
        self.assertEqual(history[1]["requestId"], alias + "#1")
        self.assertLess(history[0]["timestamp"], history[1]["timestamp"])
        self.assertIn("neither an age", self.refused(2, "rules", "export", "--since", "lately"))


if __name__ == "__main__":
    unittest.main()
