#!/usr/bin/env python3
"""Archives as users see them: the log's beginning moves into a folder of its own while the server
works; everything derived from it stays, and can be rebuilt."""
import os
import shutil
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from erase_test import SECRET, files_with  # noqa: E402
from steno_process import Home, until  # noqa: E402

OK, FAILED, USAGE, NOT_FOUND, CONFLICT, REFUSED, DAMAGED, WRONG_LOG = 0, 1, 2, 3, 4, 5, 9, 11


class Archives(unittest.TestCase):
    def setUp(self):
        self.home = Home("max_sessions = 50\n")
        self.addCleanup(self.home.close)
        self.home.start()

    def fails(self, code, word, *arguments):
        result = self.home.run(*arguments)
        self.assertEqual(result.code, code, str(result))
        self.assertIn(word, result.err)

    def succeeds(self, *arguments):
        result = self.home.run(*arguments)
        self.assertEqual(result.code, OK, str(result))
        return result

    def say(self, text, name):
        row = self.home.wait_for_end(self.home.start_session(f"[say {text}]", "--name", name))
        until(lambda: self.home.show(name)["worker"] is None, "the lease's end")
        return row

    def verify(self, *arguments, folder=None):
        result = self.home.run("replay", "verify", folder or self.home.path("data"), *arguments,
                               "-o", "json")
        self.assertEqual(result.code, OK, str(result))
        report = result.json()
        # Every file that a server and its worker keep beside a log is known.
        self.assertEqual(report["foreign"], [])
        return report

    def digests(self, *arguments):
        result = self.home.run("replay", "rebuild", *arguments, "-o", "json")
        self.assertEqual(result.code, OK, str(result))
        return {row["projection"]: (row["rebuilt"], row["equal"]) for row in result.json()}

    def rebuilt_equal(self):
        """Waits until the server's rows are on the disk, where a reader beside it finds them."""
        def equal():
            rows = self.digests()
            return rows if all(is_equal for _, is_equal in rows.values()) else None
        return until(equal, "the rows are on the disk and equal")

    def assert_same_rows(self, *archives):
        """Rows folded from the whole log equal those built from the anchor's. Both stop at one
        position, so that a worker that registers meanwhile is in neither."""
        to = ["--to", str(self.home.position())]
        whole, from_anchor = (
            {name: rebuilt for name, (rebuilt, _) in self.digests(*where, *to).items()}
            for where in (archives, []))
        self.assertEqual(whole, from_anchor)

    def archive(self, folder, before=None, *arguments):
        before = before or str(self.home.position() + 1)
        return self.home.ask("archive", "create", folder, "--before", before, *arguments)

    def bytes_of_log(self):
        folder = self.home.path("data", "log")
        return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))

    def test_the_beginning_moves_away_and_all_else_stays(self):
        self.say(SECRET, "early")
        self.home.wait_for_end(self.home.start_session("[big 300000]", "--name", "large"))
        folder = self.home.path("one")
        self.home.ask("anchor", "create", "--to", self.home.path("early.anchor"))
        self.say("after the anchor", "next")
        before = self.home.position()
        listed = self.home.ask("ls")["sessions"]
        made = self.archive(folder)
        self.assertEqual((made["first"], made["trimmed"]), (1, True))
        self.assertLessEqual(made["through"], before)
        # The words are in the archive, and in no file of the log.
        self.assertTrue(files_with(folder, SECRET))
        # The search index keeps what it has of the beginning, until that is erased.
        left = files_with(self.home.path("data"), SECRET)
        self.assertEqual([name for name in left if not name.startswith("content/")], [])
        self.assertEqual(self.home.ask("ls")["sessions"], listed)
        # They are read there, while it is in its place.
        shown = self.home.ask("show", "early")
        self.assertEqual((shown["archived"], shown["prompt"]), ("", f"[say {SECRET}]"))
        self.assertIn(SECRET, self.succeeds("output", "early").out)
        away = self.home.path("away")
        os.rename(folder, away)
        shown = self.home.ask("show", "early")
        self.assertIn(folder, shown["archived"])
        self.assertEqual(shown["prompt"], "")
        self.assertIn(folder, self.home.run("output", "early").err)
        self.fails(NOT_FOUND, folder, "watch", "--all-agents", "--from", "1", "-n", "1")
        begun = self.home.run("watch", "--all-agents", "--from", "start", "-n", "1", "-o", "jsonl")
        self.assertEqual((begun.code, begun.lines()[0]["position"]), (OK, made["through"] + 1))
        self.assertIn(folder, begun.err)
        os.rename(away, folder)
        # The archiving is on the record.
        since = ["watch", "--all-agents", "--from", str(made["through"] + 1), "-n", "4", "-o", "jsonl"]
        types = [event["type"] for event in self.home.run(*since).lines()]
        self.assertIn("ArchiveBegun", types)
        # New sessions run, and archived ones can be resumed.
        self.say("later", "late")
        resumed = self.home.ask("resume", "early", "[say again]")["alias"]
        self.assertEqual(self.home.wait_for_end(resumed)["status"], "completed")
        report = self.verify()
        self.assertEqual((report["first"], report["archived"]),
                         (made["through"] + 1, made["through"]))
        self.assertEqual(self.verify("--archive", folder)["first"], 1)
        self.assertEqual(self.verify(folder=folder)["last"], made["through"])
        # Anchors and checkpoints can be checked only against the part that the log still has.
        early = self.home.path("early.anchor")
        later = self.home.path("later.anchor")
        self.home.ask("anchor", "create", "--to", later)
        self.verify("--anchor", later)
        self.verify("--anchor", later, "--archive", folder)
        self.fails(NOT_FOUND, folder, "replay", "verify", "--anchor", early)
        self.verify("--anchor", early, "--archive", folder)
        # Rows rebuilt from the anchor's equal those folded from the whole log.
        self.rebuilt_equal()
        self.assert_same_rows("--archive", folder)

    def test_an_archive_that_was_moved_is_read_where_a_setting_says(self):
        self.say("early words", "early")
        folder = self.home.path("one")
        self.archive(folder)
        shelf = self.home.path("shelf")
        os.mkdir(shelf)
        os.rename(folder, os.path.join(shelf, "one"))
        lost = self.home.run("output", "early")
        self.assertNotIn("early words", lost.out)
        for words in (folder + ", which is not there", "archive_folders"):
            self.assertIn(words, lost.err)
        for place in (shelf, os.path.join(shelf, "one")):
            self.home.stop()
            with open(self.home.path("steno.toml"), "w", encoding="utf-8") as file:
                file.write(f'archive_folders = ["{self.home.path("none")}", "{place}"]\n')
            self.home.start()
            self.assertEqual(self.said("early"), ["early words"])
            self.assertEqual(self.home.ask("show", "early")["archived"], "")

    def test_a_session_that_holds_up_an_archive_is_named(self):
        alias = self.home.start_session("hello", "--multi-turn")
        self.archive(self.home.path("one"))
        refused = self.home.run("archive", "create", self.home.path("two"), "--before",
                                str(self.home.position() + 1))
        self.assertNotEqual(refused.code, OK)
        self.assertIn(f"session {self.home.show(alias)['session']} of agent main is not over",
                      refused.err)
        self.assertNotIn("main/session", refused.err)

    def said(self, reference):
        items = self.home.ask("output", reference, "--all")["items"]
        return [item.get("text", "") for item in items if item["kind"] == "said"]

    def test_archived_conversations_are_found_by_their_names_and_read(self):
        texts = {}
        for number in range(3):
            alias = self.home.start_session(f"flaky{number} part fix [say {SECRET} {number}]")
            row = self.home.wait_for_end(alias)
            until(lambda: self.home.show(alias)["worker"] is None, "the lease's end")
            self.assertNotEqual(row["name"], alias)
            texts[row["name"]] = f"{SECRET} {number}"
            self.archive(self.home.path(f"a{number}"))
        listed = self.home.ask("ls")["sessions"]
        self.assertEqual({row["name"] for row in listed}, set(texts))

        def check_all():
            self.assertEqual(self.home.ask("ls")["sessions"], listed)
            for name, text in texts.items():
                self.assertEqual(self.said(name), [text])
                self.assertIn(text, self.home.ask("show", name)["prompt"])
        check_all()
        # Also by an index that was built anew, and knows nothing of what was archived.
        self.home.stop()
        for name in ("index", "views"):
            shutil.rmtree(self.home.path("data", name))
        self.home.start()
        check_all()
        # Behind an archive that is away no earlier one is read.
        oldest, middle, newest = sorted(texts, key=lambda name: texts[name])
        os.rename(self.home.path("a1"), self.home.path("away"))
        names = [row["name"] for row in self.home.ask("ls")["sessions"]]
        self.assertIn(newest, names)
        self.assertFalse({oldest, middle} & set(names))
        self.fails(NOT_FOUND, middle, "output", middle)
        os.rename(self.home.path("away"), self.home.path("a1"))
        # An erasure takes name and words out of the archive, too.
        self.succeeds("erase", middle, "--wait")
        [row] = [row for row in self.home.ask("ls")["sessions"] if row["name"] not in texts]
        self.assertEqual(row["name"], row["alias"])
        self.fails(NOT_FOUND, middle, "output", middle)
        self.assertEqual(self.said(row["alias"]), [""])
        self.assertEqual(files_with(self.home.folder, texts[middle]), [])

    def test_a_server_starts_without_rows_and_without_the_archive(self):
        self.say("hello", "first")
        folder, away = self.home.path("one"), self.home.path("away")
        self.archive(folder)
        self.say("more", "second")
        listed = self.home.ask("ls")["sessions"]
        digests = self.rebuilt_equal()
        self.home.stop()
        os.rename(folder, away)
        for name in ("index", "views"):
            shutil.rmtree(self.home.path("data", name))
        self.home.start()
        self.assertEqual(self.home.ask("ls")["sessions"], listed)
        self.assertEqual(self.home.wait_for_end(
            self.home.ask("resume", "first", "[say again]")["alias"])["status"], "completed")
        self.home.stop()
        # Rows that do not match the anchor are refused as a base.
        through = os.listdir(self.home.path("data", "base"))[0]
        rows = self.home.path("data", "base", through, "rows")
        for name in ("index", "views"):
            shutil.rmtree(self.home.path("data", name))
        shutil.rmtree(rows)
        shutil.copytree(self.home.path("away", "log"), rows)
        refused = self.home.run("serve")
        self.assertEqual(refused.code, DAMAGED, str(refused))
        self.assertIn("archive one", refused.err)
        verified = self.home.run("replay", "verify")
        self.assertEqual(verified.code, DAMAGED, str(verified))
        # With the archive back in its place the rows are folded from it.
        os.rename(away, folder)
        self.home.start()
        names = {row["name"] for row in self.home.ask("ls")["sessions"]}
        self.assertTrue({"first", "second"} <= names, names)
        self.assertTrue(digests)

    def test_what_lies_behind_an_archive_is_shown_without_it(self):
        self.say("old", "old")
        made = self.archive(self.home.path("one"))
        begins = self.say("new", "new")["opened"]
        self.assertGreater(begins, made["through"])
        events = self.succeeds("watch", "new", "--from", "start", "-o", "jsonl").lines()
        self.assertEqual(events[0]["type"], "SessionOpened")
        state = self.succeeds("replay", "state", "-o", "json")
        self.assertEqual([row["name"] for row in state.json()["sessions"]], ["new"])
        self.assertIn("--archive", state.err)
        self.assertEqual(self.home.ask("replay", "state", "--at", str(made["through"]))["sessions"],
                         [])
        changed = self.home.run("replay", "diff", "--from", str(begins - 1), "-o", "json")
        self.assertEqual([row["name"] for row in changed.json()["sessions"]], ["new"])
        counted = self.home.ask("replay", "stats")
        self.assertEqual((counted["first"], counted["sessions"]), (made["through"] + 1, 1))
        before = str(made["through"] - 1)
        self.fails(NOT_FOUND, "--archive", "replay", "state", "--at", before)
        self.fails(NOT_FOUND, "--archive", "replay", "diff", "--from", before)

    def test_what_a_living_session_needs_stays(self):
        self.say("old", "old")
        alias = self.home.start_session("[say one]", "--multi-turn", "--name", "long")
        until(lambda: self.home.show("long")["turns_finished"] == 1, "its first turn")
        opened = self.home.show("long")["opened"]
        made = self.archive(self.home.path("one"))
        self.assertLess(made["through"], opened)
        self.fails(FAILED, "is not over", "archive", "create", self.home.path("two"), "--before",
                   str(self.home.position()))
        self.assertFalse(os.path.exists(self.home.path("two")))
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.succeeds("send", alias, "--wait", "[say two]")
        self.succeeds("close", alias)
        self.home.wait_for_end(alias)
        self.assertIn("two", self.home.run("output", "long").out)
        until(lambda: self.home.show("long")["worker"] is None, "the lease's end")
        later = self.archive(self.home.path("two"))
        self.assertEqual(later["first"], made["through"] + 1)
        both = ["--archive", self.home.path("one"), "--archive", self.home.path("two")]
        self.assertEqual(self.verify(*both)["first"], 1)
        self.fails(NOT_FOUND, "missing", "replay", "verify", "--archive", self.home.path("one"))
        self.assert_same_rows(*both)
        state = self.home.ask("replay", "state", "--session", "long", *both)
        self.assertEqual(state["sessions"][0]["status"], "completed")
        self.fails(NOT_FOUND, self.home.path("two"), "replay", "state", "--at", "2")
        self.fails(NOT_FOUND, "--archive", "replay", "export")
        exported = self.succeeds("replay", "export", *both)
        self.assertIn('"end"', exported.out.splitlines()[-1])
        self.assertEqual([row["name"] for row in self.home.ask("archive", "list")["archives"]],
                         ["one", "two"])

    def test_a_trimmed_log_is_salvaged_with_its_archives(self):
        self.say("before", "first")
        self.say(SECRET, "second")
        self.archive(self.home.path("one"))
        self.say("after", "third")
        self.succeeds("erase", "second", "--wait")
        self.home.stop()
        refused = ["replay", "salvage", "--to", self.home.path("refused")]
        self.fails(NOT_FOUND, "--archive", *refused)
        self.fails(NOT_FOUND, "no archive", *refused, "--archive", self.home.path("three"))
        made = self.home.path("made")
        told = self.succeeds("replay", "salvage", "--to", made, "--archive",
                             self.home.path("one"), "-o", "json").json()
        self.assertEqual((told["missing"], told["contents_lost"], told["rest"]), ([], [], None))
        report = self.verify(folder=made)
        self.assertEqual(report["first"], 1)
        self.assertEqual(files_with(made, SECRET), [])
        # A larger archive of another log is recognized as foreign.
        other = Home()
        self.addCleanup(other.close)
        other.start()
        for number in range(4):
            other.wait_for_end(other.start_session(f"[say {number}]"))
        other.ask("archive", "create", other.path("one"), "--before", str(other.position() + 1))
        other.stop()
        os.rename(self.home.path("data/head"), self.home.path("head"))
        self.fails(WRONG_LOG, "archive of another log", *refused, "--archive",
                   self.home.path("one"), "--archive", other.path("one"))
        self.assertFalse(os.path.exists(self.home.path("refused")))
        os.rename(self.home.path("head"), self.home.path("data/head"))
        # The salvaged log is an ordinary log with all events.
        again = Home()
        self.addCleanup(again.close)
        os.makedirs(again.folder, exist_ok=True)
        os.rename(made, again.path("data"))
        again.start()
        self.assertEqual({row["name"] for row in again.ask("ls")["sessions"]},
                         {"first", "second", "third"})
        self.assertIn("before", again.run("output", "first").out)
        again.wait_for_end(again.start_session("[say more]"))
        self.assertEqual(self.verify(folder=again.path("data"))["first"], 1)

    def test_an_erasure_reaches_into_archives(self):
        self.say(SECRET, "secret")
        folder, away = self.home.path("one"), self.home.path("away")
        self.home.ask("backup", "create", self.home.path("copy"))
        self.archive(folder)
        self.assertTrue(files_with(folder, SECRET))
        os.rename(folder, away)
        waiting = self.home.follow("erase", "secret", "--wait")
        until(lambda: "archive one is not reached" in
              str(self.home.run("doctor", "-o", "json").json().get("status", {})),
              "that the archive is away")
        os.rename(away, folder)
        self.home.stop(signal.SIGKILL)  # the next one looks at once
        self.home.start()
        self.assertEqual(waiting.finish(60).code, OK)
        self.assertEqual(files_with(self.home.folder, SECRET), [])
        self.verify(folder=folder)
        self.verify(folder=self.home.path("copy"))
        self.verify("--archive", folder)

    def test_a_trimmed_log_is_copied_and_restored(self):
        self.say("hello", "first")
        self.archive(self.home.path("one"))
        self.say("more", "second")
        self.home.ask("backup", "create", self.home.path("copy"))
        self.succeeds("backup", "verify", self.home.path("copy"))
        again = Home()
        self.addCleanup(again.close)
        self.succeeds("restore", self.home.path("copy"), "--to", again.folder)
        again.start()
        self.assertEqual({row["name"] for row in again.ask("ls")["sessions"]},
                         {"first", "second"})
        self.assertIn("more", again.run("output", "second").out)
        again.wait_for_end(again.start_session("[say third]"))
        report = self.verify(folder=again.path("data"))
        self.assertGreater(report["first"], 1)

    def test_a_server_that_is_killed_meanwhile_leaves_an_archive_or_none(self):
        for number in range(6):
            self.say(f"{number} " + SECRET, f"s{number}")
            name = f"a{number}"
            making = self.home.follow("archive", "create", self.home.path(name), "--before",
                                      str(self.home.position() + 1))
            moment = ("archive", "base", "trim")[number % 3]
            if moment == "archive":
                until(lambda: os.path.exists(self.home.path(name)) or
                      making.child.poll() is not None, "the beginning of a copy")
            elif moment == "base":
                until(lambda: os.path.exists(self.home.path(name, "head")) or
                      making.child.poll() is not None, "the copy's end")
            self.home.stop(signal.SIGKILL)
            self.home.start()
            making.finish(60)

            def is_settled():
                rows = self.home.ask("archive", "list").get("archives", [])
                # A trim that a reader blocks reports it and is retried.
                return all(row["trimmed"] or
                           (row["fault"] and not os.path.exists(row["folder"])) for row in rows)
            until(is_settled, "that it is whole or gone")
            rows = {row["name"]: row for row in self.home.ask("archive", "list")["archives"]}
            is_there = name in rows and rows[name]["trimmed"]
            self.assertEqual(os.path.exists(self.home.path(name)), is_there, str(rows))
        whole = [row for row in self.home.ask("archive", "list")["archives"] if row["trimmed"]]
        archives = [word for row in whole for word in ("--archive", row["folder"])]
        self.verify()
        self.assertEqual(self.verify(*archives)["first"], 1)
        self.assert_same_rows(*archives)

    def test_space_is_given_back(self):
        for number in range(8):
            self.home.wait_for_end(self.home.start_session("[big 400000]", "--name", f"s{number}"))
        before = self.bytes_of_log()
        self.archive(self.home.path("one"))
        self.assertLess(self.bytes_of_log(), before / 4)

    def test_what_makes_no_sense_is_refused(self):
        self.fails(USAGE, "neither a position", "archive", "create", self.home.path("x"),
                   "--before", "yesterday")
        self.fails(USAGE, "--before", "archive", "create", self.home.path("x"))
        self.fails(FAILED, "nothing to archive", "archive", "create", self.home.path("x"),
                   "--before", "90d")
        self.assertFalse(os.path.exists(self.home.path("x")))
        self.fails(NOT_FOUND, "no archive", "archive", "forget", "nothing")
        full = self.home.path("full")
        os.mkdir(full)
        with open(os.path.join(full, "letter"), "w", encoding="ascii") as file:
            file.write("dear")
        self.say("hello", "first")
        self.fails(FAILED, "something in the folder", "archive", "create", full, "--before",
                   str(self.home.position() + 1))
        self.assertEqual(os.listdir(full), ["letter"])
        self.archive(self.home.path("one"))
        self.say("hello", "second")
        self.fails(CONFLICT, "is in", "archive", "create", "--name", "one", self.home.path("other"),
                   "--before", "1d")
        self.fails(CONFLICT, "no copy was made", "archive", "create", self.home.path("one"),
                   "--before", str(self.home.position() + 1))
        os.rename(self.home.path("one"), self.home.path("away"))
        self.fails(CONFLICT, "no copy was made", "archive", "create", self.home.path("one"),
                   "--before", str(self.home.position() + 1))
        self.succeeds("archive", "forget", "one")


if __name__ == "__main__":
    unittest.main()
