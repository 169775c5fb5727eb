#!/usr/bin/env python3
"""Search as users see it: what was said in all sessions is found at once, also by the next server
and after the index was lost; what was erased is neither found nor in the index's file; a query that
cannot be understood is refused in plain words."""
import os
import re
import shutil
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, until  # noqa: E402


class Search(unittest.TestCase):
    CONFIG = "max_sessions = 50\n"

    def setUp(self):
        self.home = Home(self.CONFIG)
        self.addCleanup(self.home.close)
        self.home.start()

    def talk(self, name, prompt, *flags):
        """Runs a session to its end; returns its row."""
        alias = self.home.start_session(prompt, "--name", name, *flags)
        row = self.home.wait_for_end(alias)
        until(lambda: any(event["type"] in ("LeaseReleased", "LeaseExpired")
                          for event in self.home.events(row["session"])), "the lease's end")
        return row

    def hits(self, *arguments):
        answer = self.home.ask("search", *arguments)
        self.assertEqual(answer["indexed"], answer["position"])
        return answer["hits"]

    def names(self, *arguments):
        return sorted({hit["name"] for hit in self.hits(*arguments)})

    def refuses(self, code, word, *arguments):
        result = self.home.run("search", *arguments)
        self.assertEqual(result.code, code, str(result))
        self.assertIn(word, result.err)
        for raw in ("fts5", "syntax error", "SQL"):
            self.assertNotIn(raw, result.err)

    def index_bytes(self):
        """Returns all bytes of the index's files."""
        folder = self.home.path("data", "content", "search")
        found = b""
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                found += file.read()
        return found

    def test_what_was_said_is_found_at_once(self):
        login = self.talk("login", "fix the login page [say The marlin swims.]")
        self.talk("docs", "write the manual [tools 2] [say The herring is done.]")
        hits = self.hits("marlin")
        self.assertEqual(len(hits), 2)  # the prompt says it, too
        self.assertEqual({hit["role"] for hit in hits}, {"user", "assistant"})
        said = next(hit for hit in hits if hit["role"] == "assistant")
        self.assertEqual(said["session"], login["session"])
        self.assertEqual(said["alias"], login["alias"])
        self.assertEqual(said["agent"], "main")
        begin, end = said["marks"]
        self.assertEqual(said["snippet"].encode()[begin:end], b"marlin")
        event = next(event for event in self.home.events(login["session"])
                     if event["position"] == said["position"])
        self.assertEqual(event["type"], "OutputRecorded")
        self.assertEqual(self.names("swim*"), ["login"])
        self.assertEqual(self.names("marlin OR herring"), ["docs", "login"])
        self.assertEqual(self.names('"the login" -herring'), ["login"])
        self.assertEqual(self.names("the", "--session", "docs"), ["docs"])
        self.assertEqual(self.hits("marlin", "--role", "tool"), [])
        self.assertEqual(len(self.hits("marlin", "--role", "user", "--role", "assistant")), 2)
        self.assertEqual(self.hits("marlin", "--since", "2020-01-01", "--role", "user")[0]["name"],
                         "login")
        self.assertEqual(len(self.hits("the", "--limit", "1")), 1)
        newest = [hit["position"] for hit in self.hits("the", "--sort", "newest")]
        self.assertEqual(newest, sorted(newest, reverse=True))
        lines = self.home.run("search", "marlin", "-o", "jsonl").lines()
        self.assertEqual(len(lines), 2)
        self.assertTrue({hit["role"] for hit in self.hits("input", "--role", "tool")} <= {"tool"})

    def test_other_agents_are_found_only_when_asked_for(self):
        self.talk("mine", "a marlin [say done]")
        alias = self.home.ask("--agent", "other", "spawn", "--engine", "scripted", "--name",
                              "theirs", "a marlin, too [say done]")["alias"]
        self.home.run("--agent", "other", "output", alias, "--follow")
        self.assertEqual(self.names("marlin"), ["mine"])
        self.assertEqual(self.names("marlin", "--all-agents"), ["mine", "theirs"])
        self.assertEqual(self.names("marlin", "--agent", "other"), ["theirs"])

    def test_the_table_is_safe_and_marks_the_words(self):
        self.home.start_session("look \x1b[31m\u202ered marlin\x07 [say done]", "--name", "evil")
        result = self.home.run("search", "marlin")
        self.assertEqual(result.code, 0, str(result))
        self.assertIn("\\x1b[31m\\u202ered [marlin]\\x07", result.out)
        self.assertNotIn("\x1b", result.out)
        self.assertRegex(result.out, r"^\S+Z  \w{8}  evil  user  position \d+\n")
        code, shown = self.home.on_terminal(["search", "marlin"], [])
        self.assertEqual(code, 0)
        self.assertIn("\x1b[1mmarlin\x1b[0m", shown)
        self.assertNotIn("\x1b[31m", shown)

    def test_a_query_that_cannot_be_understood_is_refused_in_plain_words(self):
        self.talk("login", "fix the login page [say done]")
        self.refuses(2, "WORDS")
        self.refuses(2, "is empty", " ")
        self.refuses(2, "not closed", '"the login')
        self.refuses(2, "only excludes", "--", "-login")
        self.refuses(2, "after it", "login OR")
        self.refuses(2, "no letter or digit", "login ???")
        self.refuses(2, "neither an age", "login", "--since", "yesterday")
        self.refuses(2, "unknown role", "login", "--role", "nobody")
        self.refuses(2, "unknown order", "login", "--sort", "worst")
        self.refuses(2, "1001", "login", "--limit", "1001")
        self.refuses(3, "nobody", "login", "--session", "nobody")
        for query in ("'; DROP TABLE words; --", "NEAR(a b)", "text: login", "^login", "a\\\"b"):
            result = self.home.run("search", query)
            self.assertIn(result.code, (0, 2), str(result))
        self.assertEqual(self.names("login"), ["login"])
        none = self.home.run("search", "nowhere")
        self.assertEqual((none.code, none.out), (0, ""))
        self.assertIn("nothing found", none.err)
        self.assertNotIn("rows_built_anew", self.home.server_log())

    def test_a_killed_server_and_a_lost_index_lose_nothing(self):
        self.talk("before", "a marlin [say done]")
        self.assertEqual(self.names("marlin"), ["before"])
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.talk("after", "another marlin [say done]")
        self.assertEqual(self.names("marlin"), ["after", "before"])
        self.home.stop()
        shutil.rmtree(self.home.path("data", "content"))
        self.home.start()
        self.assertEqual(self.names("marlin"), ["after", "before"])
        self.home.stop()
        with open(self.home.path("data", "content", "search", "search.db"), "r+b") as file:
            file.write(b"no database")
        self.home.start()
        self.assertEqual(self.names("marlin"), ["after", "before"])
        self.assertIn("content/search", self.home.server_log())

    def test_what_was_erased_is_neither_found_nor_in_the_index(self):
        self.talk("secret", "the password is swordfish [tools 1] [say swordfish it is]")
        self.talk("other", "a herring [say done]")
        self.assertEqual(self.names("swordfish"), ["secret"])
        self.assertIn(b"swordfish", self.index_bytes())
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.assertIn(b"swordfish", self.index_bytes())
        erased = self.home.run("erase", "secret", "--wait")
        self.assertEqual(erased.code, 0, str(erased))
        for word in (b"swordfish", b"ordfish"):  # words are stored without what they share
            self.assertNotIn(word, self.index_bytes())
        self.assertEqual(self.hits("swordfish"), [])
        self.assertEqual(self.names("herring"), ["other"])
        self.home.stop(signal.SIGKILL)
        shutil.rmtree(self.home.path("data", "content"))
        self.home.start()
        self.assertEqual(self.hits("swordfish"), [])
        self.assertEqual(self.names("herring"), ["other"])
        self.assertNotIn(b"swordfish", self.index_bytes())

    def test_a_server_that_is_killed_in_an_erasure_completes_it(self):
        self.talk("secret", "the password is swordfish [say swordfish it is]")
        self.talk("other", "a herring [say done]")
        self.assertEqual(self.names("swordfish"), ["secret"])
        self.home.run("erase", "secret", "--yes")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        row = self.home.show("secret")
        until(lambda: any(event["type"] == "ContentErasureCompleted"
                          for event in self.home.events(row["session"])), "the erasure's end")
        self.assertNotIn(b"ordfish", self.index_bytes())
        self.assertEqual(self.hits("swordfish"), [])
        self.assertEqual(self.names("herring"), ["other"])

    def test_the_help_explains_how_to_quote(self):
        text = self.home.run("search", "--help").out
        for word in ("single ones", "OR", "-word", "word*", "64 KiB"):
            self.assertIn(word, re.sub(r"\s+", " ", text))


if __name__ == "__main__":
    unittest.main()
