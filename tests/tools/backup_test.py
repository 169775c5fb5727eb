#!/usr/bin/env python3
"""Backups and restores as users see them: made while the server works, proved, reached by erasures,
and restored into a home with a new epoch."""
import os
import shutil
import signal
import stat
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from erase_test import SECRET, files_with  # noqa: E402
from steno_process import Home, until  # noqa: E402


class Backups(unittest.TestCase):
    def setUp(self):
        self.home = Home("max_sessions = 50\n")
        self.addCleanup(self.home.close)
        self.home.start()

    def succeeds(self, *arguments):
        result = self.home.run(*arguments)
        self.assertEqual(result.code, 0, str(result))
        return result

    def fails(self, code, word, *arguments):
        result = self.home.run(*arguments)
        self.assertEqual(result.code, code, str(result))
        self.assertIn(word, result.err)

    def say(self, text, name):
        row = self.home.wait_for_end(self.home.start_session(f"[say {text}]", "--name", name))
        until(lambda: any(event["type"] == "LeaseReleased"
                          for event in self.home.events(row["session"])), "the lease's end")
        return row

    def test_a_copy_that_is_being_made_can_be_forgotten_once_it_is_made(self):
        self.home.wait_for_end(self.home.start_session("[big 3000000]"))
        for number in range(5):
            making = self.home.follow("backup", "create", self.home.path(f"copy{number}"))
            until(lambda name=f"copy{number}": self.forgets(name), "that the copy is forgotten")
            making.finish()

    def forgets(self, name):
        """A copy that is not begun yet is not found."""
        result = self.home.run("backup", "forget", name)
        self.assertIn(result.code, (0, 3), str(result))
        return result.code == 0

    def test_a_backup_is_made_while_agents_talk_and_is_restored(self):
        self.say("hello", "first")
        busy = [self.home.start_session("[words 300] [delay 1]") for _ in range(3)]
        folder = self.home.path("copy")
        unnamed = self.home.run("backup", "create", self.home.path("Monday"))
        self.assertEqual(unnamed.code, 2)
        self.assertIn("its folder 'Monday' is not; give it a name by --name", unnamed.err)
        made = self.home.ask("backup", "create", folder)
        self.assertGreater(made["through"], 5)
        self.succeeds("backup", "verify", folder)
        self.assertEqual([(row["name"], row["folder"]) for row in
                          self.home.ask("backup", "ls")["backups"]], [("copy", folder)])
        for alias in busy:
            self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        epoch = self.home.run("doctor", "-o", "json").json()["status"]["epoch"]
        again = Home()
        self.addCleanup(again.close)
        restored = self.home.run("restore", folder, "--to", again.folder, "-o", "json")
        self.assertEqual(restored.code, 0, str(restored))
        self.assertEqual(restored.json()["epoch"], epoch + 1)
        again.start()
        self.assertEqual(again.show("first")["status"], "completed")
        self.assertIn("hello", again.run("output", "first").out)
        # Sessions that were running are over there, and the home works.
        until(lambda: all(row["status"] != "running"
                          for row in again.ask("ls")["sessions"]), "the end of the lost sessions")
        again.wait_for_end(again.start_session("[say more]"))
        self.assertEqual(again.run("replay", "verify").code, 0)
        # The copy is a backup of the new home, too.
        self.assertEqual([(row["name"], row["through"]) for row in
                          again.ask("backup", "list")["backups"]], [("copy", made["through"])])
        self.succeeds("backup", "verify", folder)

    def test_an_erasure_reaches_into_backups(self):
        self.say(SECRET, "secret")
        first, second = self.home.path("one"), self.home.path("two")
        self.succeeds("backup", "create", first)
        self.say("something else", "other")
        self.succeeds("backup", "create", "--name", "second", second)
        self.assertTrue(files_with(first, SECRET))
        self.succeeds("erase", "secret", "--wait")
        self.assertEqual(files_with(self.home.folder, SECRET), [])
        for folder in (first, second):
            self.succeeds("backup", "verify", folder)

    def test_an_erasure_waits_for_a_backup_that_is_away(self):
        self.say(SECRET, "secret")
        folder, away, other = (self.home.path(name) for name in ("one", "away", "two"))
        self.succeeds("backup", "create", folder)
        self.succeeds("backup", "create", other)
        os.rename(folder, away)
        waiting = self.home.follow("erase", "secret", "--wait")
        until(lambda: "backup one is not reached" in
              str(self.home.run("doctor", "-o", "json").json().get("status", {})),
              "that the backup is away")
        self.assertTrue(self.home.show("secret")["erasing"])
        self.assertTrue(files_with(away, SECRET))
        # The backup that is there does not wait for the other one.
        self.assertEqual(files_with(other, SECRET), [])
        os.rename(away, folder)
        self.home.stop(signal.SIGKILL)  # the next one looks at once
        self.home.start()
        self.assertEqual(waiting.finish(60).code, 0)
        self.assertEqual(files_with(self.home.folder, SECRET), [])

    def test_what_is_forgotten_is_not_waited_for(self):
        self.say(SECRET, "secret")
        folder = self.home.path("one")
        self.succeeds("backup", "create", folder)
        shutil.rmtree(folder)
        self.succeeds("erase", "secret")
        self.succeeds("backup", "forget", "one")
        until(lambda: not self.home.show("secret")["erasing"], "the erasure's end")
        self.assertEqual(files_with(self.home.folder, SECRET), [])
        self.assertEqual(self.home.ask("backup", "list").get("backups", []), [])

    def test_a_create_that_copies_nothing_never_succeeds(self):
        self.say(SECRET, "secret")
        folder, away = self.home.path("nightly"), self.home.path("away")
        self.assertIn("up to event", self.succeeds("backup", "create", folder).out)
        first = self.home.ask("backup", "list")["backups"]
        self.say("the day after", "next")
        self.fails(4, "no copy was made", "backup", "create", folder)
        self.assertEqual(self.home.ask("backup", "list")["backups"], first)
        # A folder that was moved can still exist: erasures wait for the backup by name.
        os.rename(folder, away)
        self.fails(4, "steno backup forget nightly", "backup", "create", folder)
        self.assertFalse(os.path.exists(folder))
        waiting = self.home.follow("erase", "secret", "--wait")
        until(lambda: "backup nightly is not reached" in
              str(self.home.run("doctor", "-o", "json").json().get("status", {})),
              "that the backup is away")
        self.assertTrue(self.home.show("secret")["erasing"])
        # Once it is forgotten, a new copy can be made in its place.
        self.succeeds("backup", "forget", "nightly")
        self.assertEqual(waiting.finish(60).code, 0)
        again = self.home.ask("backup", "create", folder)
        self.assertGreater(again["through"], first[0]["through"])
        self.succeeds("backup", "verify", folder)
        self.assertEqual(files_with(folder, SECRET), [])

    def test_a_copy_shares_no_file_with_the_log_unless_asked_to(self):
        self.say("hello", "first")
        self.succeeds("backup", "create", self.home.path("before"))  # the log has tables from here on
        logs = {}
        for name, flags in (("own", []), ("shared", ["--share-files"])):
            self.succeeds("backup", "create", *flags, self.home.path(name))
            self.succeeds("backup", "verify", self.home.path(name))
            logs[name] = [os.stat(os.path.join(path, file)) for path, _, files in
                          os.walk(self.home.path(name)) for file in files]
        live = {os.stat(self.home.path("data", "log", name)).st_ino
                for name in os.listdir(self.home.path("data", "log"))}
        self.assertEqual([file.st_ino for file in logs["own"] if file.st_nlink > 1
                          or file.st_ino in live], [])
        self.assertTrue([file for file in logs["shared"] if file.st_ino in live])

    def test_a_backup_that_a_killed_server_left_half_made_is_removed(self):
        self.say(SECRET, "secret")
        folder = self.home.path("one")
        making = self.home.follow("backup", "create", folder)
        until(lambda: os.path.exists(folder), "the beginning of a copy")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        making.finish(60)

        def is_settled():
            rows = self.home.ask("backup", "list").get("backups", [])
            return all(row["through"] or row["fault"] for row in rows)
        until(is_settled, "that it is whole or gone")
        rows = self.home.ask("backup", "list").get("backups", [])
        self.assertEqual(os.path.exists(folder), any(row["through"] for row in rows))
        self.succeeds("erase", "secret", "--wait")
        self.assertEqual(files_with(self.home.folder, SECRET), [])

    def test_what_makes_no_sense_is_refused(self):
        full = self.home.path("full")
        os.mkdir(full)
        with open(os.path.join(full, "letter"), "w", encoding="ascii") as file:
            file.write("dear")
        self.fails(1, "something in the folder", "backup", "create", full)
        self.assertEqual(os.listdir(full), ["letter"])
        self.fails(1, "missing", "backup", "create", self.home.path("a", "b"))
        self.fails(2, "named by", "backup", "create", "--name", "No Name", self.home.path("x"))
        self.fails(3, "no backup", "backup", "forget", "nothing")
        self.succeeds("backup", "create", self.home.path("one"))
        self.fails(4, "is in", "backup", "create", "--name", "one", self.home.path("other"))
        self.fails(4, "backup one is in", "backup", "create", "--name", "two", self.home.path("one"))
        self.fails(3, "no backup", "restore", full, "--to", self.home.path("new"))
        self.fails(4, "there is a log", "restore", self.home.path("one"), "--to", self.home.folder)
        self.fails(2, "--to", "restore", self.home.path("one"))

    def test_an_empty_folder_is_closed_and_a_foreign_one_left_alone(self):
        def mode(path):
            return stat.S_IMODE(os.stat(path).st_mode)
        ready, shared, other = (self.home.path(name) for name in ("ready", "shared", "other"))
        for path, bits in ((ready, 0o755), (shared, 0o1777), (other, 0o755)):
            os.mkdir(path)
            os.chmod(path, bits)
        self.succeeds("backup", "create", ready)
        self.assertEqual(mode(ready), 0o700)
        self.fails(1, "every user may write", "backup", "create", shared)
        self.assertEqual(mode(shared), 0o1777)
        self.fails(3, "no backup", "restore", self.home.path("none"), "--to", other)
        self.assertEqual(mode(other), 0o755)


if __name__ == "__main__":
    unittest.main()
