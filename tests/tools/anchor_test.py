#!/usr/bin/env python3
"""Anchors as users see them: signed by the server, kept elsewhere, checked against the log."""
import os
import shutil
import stat
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home  # noqa: E402

OK, FAILED, USAGE, NOT_FOUND, DAMAGED, WRONG_LOG = 0, 1, 2, 3, 9, 11


class Anchors(unittest.TestCase):
    def setUp(self):
        self.home = self.new_home()

    def new_home(self):
        home = Home("max_sessions = 50\n")
        self.addCleanup(home.close)
        return home.start()

    def say(self, text):
        return self.home.wait_for_end(self.home.start_session(f"[say {text}]"))

    def verify(self, code, *arguments, folder=None):
        folder = folder or self.home.path("data")
        result = self.home.run("replay", "verify", folder, *arguments, "-o", "json")
        self.assertEqual(result.code, code, str(result))
        return result.json() if result.out else result

    def test_an_anchor_is_on_the_record_and_in_a_file(self):
        self.say("hello")
        file = self.home.path("one.anchor")
        made = self.home.ask("anchor", "create", "--to", file)
        key = self.home.run("doctor", "-o", "json").json()["status"]["key"]
        self.assertEqual(made["key"], key)
        self.assertIn(key, self.home.server_log())
        self.assertLessEqual({"session_list", "metrics", "resume_index", "streams"},
                             {row["name"] for row in made["rows"]})
        events = [event for event in self.home.events() if event["type"] == "AnchorMade"]
        self.assertEqual([event["position"] for event in events], [made["recorded"]])
        self.assertEqual(self.home.ask("anchor", "show"), made)
        self.assertEqual(stat.S_IMODE(os.stat(self.home.path("data", "key")).st_mode), 0o600)
        report = self.verify(OK, "--anchor", file, "--key", key)
        self.assertEqual((report["anchors"], report["anchored"]), ({key: 1}, made["through"]))
        # Its digests of the rows equal those folded from the log.
        rebuilt = self.home.run("replay", "rebuild", "--to", str(made["through"]), "-o", "json")
        digests = {row["projection"]: row["rebuilt"] for row in rebuilt.json()}
        signed = {row["name"]: row["digest"]["hex"] for row in made["rows"]}
        self.assertEqual(digests, {name: signed[name] for name in digests})
        # The key survives restarts, and a second anchor covers more.
        self.home.stop()
        self.home.start()
        self.say("more")
        later = self.home.ask("anchor", "create")
        self.assertEqual(later["key"], key)
        self.assertGreater(later["through"], made["recorded"])
        self.assertEqual(self.verify(OK, "--key", key)["anchors"], {key: 2})

    def test_a_log_that_was_put_back_or_exchanged_is_told_by_an_anchor(self):
        self.say("hello")
        early = self.home.path("early.anchor")
        self.home.ask("anchor", "create", "--to", early)
        self.home.stop()
        old = self.home.path("old")
        shutil.copytree(self.home.path("data"), old)
        self.home.start()
        self.say("what is to be forgotten")
        file = self.home.path("late.anchor")
        key = self.home.ask("anchor", "create", "--to", file)["key"]
        self.verify(OK, folder=old)
        self.verify(OK, "--anchor", early, "--key", key, folder=old)
        report = self.verify(DAMAGED, "--anchor", file, folder=old)
        self.assertIn(file, str(report["problems"]))
        other = self.new_home()
        other.wait_for_end(other.start_session("[say something else]"))
        other.ask("anchor", "create")
        self.verify(OK, folder=other.path("data"))
        self.verify(WRONG_LOG, "--anchor", file, folder=other.path("data"))
        self.verify(WRONG_LOG, "--key", key, folder=other.path("data"))

    def test_an_anchor_that_was_changed_is_named(self):
        file = self.home.path("one.anchor")
        self.assertEqual(self.home.run("anchor", "show").code, NOT_FOUND)
        self.home.ask("anchor", "create", "--to", file)
        with open(file, "rb") as whole:
            bytes_of = whole.read()
        at = bytes_of.index(b"hash") + 10  # within the hash itself
        with open(file, "wb") as changed:
            changed.write(bytes_of[:at] + bytes([bytes_of[at] ^ 1]) + bytes_of[at + 1:])
        result = self.home.run("replay", "verify", "--anchor", file)
        self.assertEqual(result.code, DAMAGED, str(result))
        self.assertIn(file, result.err)
        self.assertIn("signature", result.err)
        missing = self.home.run("replay", "verify", "--anchor", self.home.path("nothing"))
        self.assertEqual(missing.code, NOT_FOUND, str(missing))

    def test_a_key_that_is_open_to_others_is_not_used(self):
        self.home.stop()
        os.chmod(self.home.path("data", "key"), 0o644)
        refused = self.home.run("serve")
        self.assertEqual(refused.code, 5, str(refused))
        self.assertIn("chmod 600", refused.err)
        os.chmod(self.home.path("data", "key"), 0o600)
        self.home.start()

    def test_no_copy_takes_the_key_along(self):
        key = self.home.ask("anchor", "create")["key"]
        self.home.ask("backup", "create", self.home.path("copy"))
        self.assertFalse(os.path.exists(self.home.path("copy", "key")))
        again = Home()
        self.addCleanup(again.close)
        self.assertEqual(self.home.run("restore", self.home.path("copy"), "--to",
                                       again.folder).code, OK)
        again.start()
        own = again.ask("anchor", "create")["key"]
        self.assertNotEqual(own, key)
        report = self.verify(OK, "--key", key, "--key", own, folder=again.path("data"))
        self.assertEqual(report["anchors"], {key: 1, own: 1})
        self.verify(WRONG_LOG, "--key", own, folder=again.path("data"))


if __name__ == "__main__":
    unittest.main()
