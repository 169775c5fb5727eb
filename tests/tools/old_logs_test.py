#!/usr/bin/env python3
"""Logs of an earlier release are read, served and continued as by that release, whose notes stand
beside them in tests/golden/logs."""
import json
import os
import shutil
import sys
import unittest

import msgpack

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import old_logs  # noqa: E402
from steno_process import Home, until  # noqa: E402

OK, DIFFERENT, CONFLICT, DAMAGED, WRONG_LOG = 0, 1, 4, 9, 11
NAMES = {"anchor", "archive", "backup", "erasure", "resume", "salvage", "under_way"}


class WithOldLogs(unittest.TestCase):
    maxDiff = 4000

    def unpacked(self, name):
        """Returns a home with the folders of a fixture."""
        home = Home(old_logs.CONFIG)
        self.addCleanup(home.close)
        old_logs.unpack(name, home.folder)
        return home

    def served(self, name, folder="data"):
        home = self.unpacked(name)
        old_logs.serve(home, folder)
        return home

    def same(self, seen, noted):
        self.assertEqual(old_logs.as_noted(seen, noted), noted)

    def succeeds(self, home, *arguments):
        self.ends_with(OK, home, *arguments)

    def ends_with(self, code, home, *arguments):
        result = home.run(*arguments)
        self.assertEqual(result.code, code, str(result))
        return result

    def is_whole(self, home, checkpoint, folder="data", *flags):
        """The log proves itself, and continues the one that the earlier release verified."""
        self.succeeds(home, "replay", "verify", home.path(folder), "--checkpoint", checkpoint,
                      *flags)

    def goes_on(self, home, source, *flags):
        """Resumes a session and waits for the end; returns the new session's row."""
        alias = home.ask("resume", source, "[say more]", *flags)["alias"]
        row = home.wait_for_end(alias)
        self.assertEqual(row["status"], "completed", str(row))
        self.assertIn("more", home.run("output", alias).out)
        return row


def noted_checkpoint(name, folder="data"):
    return old_logs.notes(name)["read"][folder]["verify"]["said"]["checkpoint"]


class AllOldLogs(WithOldLogs):
    def test_no_fixture_is_gone(self):
        self.assertLessEqual(NAMES, set(old_logs.names()))

    def test_replay_says_what_the_earlier_release_said(self):
        for name in old_logs.names():
            home = self.unpacked(name)
            for key, noted in old_logs.notes(name)["read"].items():
                with self.subTest(fixture=name, read=key):
                    self.same(old_logs.read(home, key), noted)

    # Shows R050, C29, D06.
    def test_clients_of_a_server_see_what_they_saw_then(self):
        for name in old_logs.names():
            for folder, noted in old_logs.notes(name)["served"].items():
                with self.subTest(fixture=name, served=folder):
                    home = self.served(name, folder)
                    self.same(old_logs.clients_see(home), noted)
                    home.wait_for_end(home.start_session("[say something new]"))
                    self.assertEqual(home.stop(), OK)
                    self.is_whole(home, noted_checkpoint(name, folder), folder)

    # Shows C01, C02.
    def test_rows_that_are_folded_anew_show_the_same(self):
        for name in old_logs.names():
            for folder, noted in old_logs.notes(name)["served"].items():
                with self.subTest(fixture=name, served=folder):
                    home = self.unpacked(name)
                    for rows in ("index", "views"):
                        shutil.rmtree(home.path(folder, rows), ignore_errors=True)
                    old_logs.serve(home, folder)
                    self.same(old_logs.clients_see(home), noted)

    def test_an_export_makes_the_same_log(self):
        for name in sorted(NAMES - {"archive", "salvage"}):
            with self.subTest(fixture=name):
                home = self.unpacked(name)
                lines = home.path("lines")
                with open(lines, "wb") as file:
                    file.write(self.ends_with(OK, home, "replay", "export").raw)
                self.succeeds(home, "replay", "import", lines, "--to", home.path("new"), "--exact")
                noted = old_logs.notes(name)["read"]["data"]["export"]
                again = home.run("replay", "export", home.path("new"))
                self.assertEqual(old_logs.held(again.lines()), noted["held"])

    def test_a_figure_that_differs_is_noticed_and_a_new_one_is_not(self):
        noted = old_logs.notes("resume")["read"]["data"]
        seen = json.loads(json.dumps(noted))
        seen["verify"]["said"]["of_a_later_release"] = 1
        seen["state"]["said"]["sessions"][0]["of_a_later_release"] = 1
        self.same(seen, noted)
        for change in (lambda: seen["rebuild"]["said"][0].update(rebuilt="0" * 64),
                       lambda: seen["state"]["said"]["sessions"].pop(),
                       lambda: seen["verify"]["said"].pop("hash")):
            seen = json.loads(json.dumps(noted))
            change()
            self.assertNotEqual(old_logs.as_noted(seen, noted), noted)


class Resume(WithOldLogs):
    def setUp(self):
        self.home = self.served("resume")
        self.rows = {row["name"]: row for row in self.home.ask("ls")["sessions"]}

    # Shows R053, D06.
    def test_an_ended_session_is_gone_on_with(self):
        branch = self.rows["branch"]
        row = self.goes_on(self.home, "branch")
        for field in ("agent_session", "lineage"):
            self.assertEqual(row[field], branch[field])
        self.assertEqual(row["resumed_from"], branch["session"])

    def test_an_agent_session_is_gone_on_with_by_one_session_at_a_time(self):
        first, second = self.rows["first"], self.rows["second"]
        self.assertEqual(second["resumed_from"], first["session"])
        self.assertEqual(second["agent_session"], first["agent_session"])
        self.home.ask("resume", "first", "[hang]", "--name", "hangs")
        self.ends_with(CONFLICT, self.home, "resume", "second", "[say more]")
        row = self.goes_on(self.home, "second", "--fork")
        self.assertEqual(row["lineage"], second["lineage"])
        self.assertNotEqual(row["agent_session"], second["agent_session"])

    def test_a_session_that_waited_takes_its_next_prompt(self):
        sent = self.ends_with(OK, self.home, "send", "open", "--wait", "[say still here]")
        self.assertEqual(sent.out, "still here\n")
        self.assertEqual(self.home.show("open")["agent_session"],
                         self.rows["open"]["agent_session"])
        # Its name is taken for as long as it lives.
        self.ends_with(CONFLICT, self.home, "spawn", "--engine", "scripted", "--name", "open", "x")
        self.succeeds(self.home, "close", "open")
        self.assertEqual(self.home.wait_for_end("open")["status"], "completed")
        self.home.stop()
        self.is_whole(self.home, noted_checkpoint("resume"))


class UnderWay(WithOldLogs):
    # Shows R054, R308, R317, C09, C22.
    def test_turns_that_ran_are_ended_and_what_was_queued_is_run(self):
        home = self.served("under_way")
        until(lambda: home.show("busy")["turns_finished"] == 1, "the queued prompt's turn")
        self.assertIn("queued before the death", home.run("output", "busy").out)
        self.assertEqual(home.show("busy")["turns_interrupted"], 1)
        for name in ("once", "twice"):
            row = home.wait_for_end(name)
            self.assertEqual((row["status"], row["end_reason"]), ("failed", "worker_lost"))
        self.succeeds(home, "close", "busy")
        self.assertEqual(home.wait_for_end("busy")["status"], "completed")
        home.stop()
        self.is_whole(home, noted_checkpoint("under_way"))


class Erasure(WithOldLogs):
    def test_an_erasure_that_waited_for_a_backup_is_completed(self):
        home = self.served("erasure")
        self.assertTrue(home.show("waiting")["erasing"])
        self.succeeds(home, "backup", "forget", "away")
        until(lambda: not home.show("waiting")["erasing"], "the erasure's end")
        self.assertTrue(home.show("waiting")["erased"])
        self.succeeds(home, "erase", "kept", "--wait", "--yes")
        self.assertIn("[erased", home.run("output", "kept").out)
        home.stop()
        self.is_whole(home, noted_checkpoint("erasure"))


class Backup(WithOldLogs):
    def test_an_old_backup_is_verified_and_restored(self):
        home = self.unpacked("backup")
        self.succeeds(home, "backup", "verify", home.path("copy"))
        self.succeeds(home, "restore", home.path("copy"), "--to", home.path("new"))
        copied = old_logs.notes("backup")["read"]["copy"]
        through = copied["verify"]["said"]["last"]
        folded = home.ask("replay", "rebuild", home.path("new", "data"), "--to", str(through))
        noted = {row["projection"]: row["rebuilt"] for row in copied["rebuild"]["said"]}
        self.assertEqual({row["projection"]: row["rebuilt"] for row in folded
                          if row["projection"] in noted}, noted)
        self.is_whole(home, copied["verify"]["said"]["checkpoint"], "new/data")
        home.start("--data-folder", home.path("new", "data"), serve_flags=old_logs.SERVE)
        self.goes_on(home, "branch")

    def test_a_backup_is_made_of_an_old_log(self):
        home = self.served("backup")
        self.succeeds(home, "backup", "create", home.path("fresh"))
        self.succeeds(home, "backup", "verify", home.path("fresh"))
        self.is_whole(home, noted_checkpoint("backup"), "fresh")


class Archive(WithOldLogs):
    # Each log, and the archive that has its beginning.
    BEGINNINGS = (("data", "two"), ("two", "one"))

    def base_of(self, home, folder):
        """Returns the folder with the base of this log."""
        bases = home.path(folder, "base")
        self.assertEqual(len(os.listdir(bases)), 1)
        return os.path.join(bases, os.listdir(bases)[0])

    def remove_rows(self, home):
        for rows in (home.path("data", "index"), home.path("data", "views"),
                     os.path.join(self.base_of(home, "data"), "rows")):
            shutil.rmtree(rows)

    def find_archives_here(self, home):
        """Corrects the bases, which name the folders where the archives once lay."""
        for folder, archive in self.BEGINNINGS:
            path = os.path.join(self.base_of(home, folder), "anchor")
            with open(path, "rb") as file:
                base = msgpack.unpackb(file.read())
            self.assertEqual(os.path.basename(base["folder"]), archive)
            base["folder"] = home.path(archive)
            with open(path, "wb") as file:
                file.write(msgpack.packb(base))

    def test_states_folded_from_old_archives_are_those_that_were_signed(self):
        """A server without the rows of its base folds them from the archives. It starts only if the
        anchor names their digests. One of these, `streams`, covers the states of all streams."""
        home = self.unpacked("archive")
        self.remove_rows(home)
        refused = self.ends_with(DAMAGED, home, "serve", *old_logs.SERVE)
        self.assertIn("archive two", refused.err)
        self.find_archives_here(home)
        old_logs.serve(home, "data")
        noted = old_logs.notes("archive")["served"]["data"]
        self.same(home.ask("ls", "--all")["sessions"], noted["sessions"])
        self.goes_on(home, "recovered")
        home.stop()
        self.is_whole(home, noted_checkpoint("archive"), "data", "--archive", home.path("one"),
                      "--archive", home.path("two"))

    def test_an_archived_session_is_gone_on_with(self):
        home = self.served("archive")
        # The session that goes on keeps the name.
        before = home.show("recovered")["session"]
        row = self.goes_on(home, "recovered")
        self.assertEqual(row["resumed_from"], before)

    def test_a_log_is_made_of_old_archives(self):
        home = self.unpacked("archive")
        self.succeeds(home, "replay", "salvage", "--to", home.path("made"), "--archive",
                      home.path("one"), "--archive", home.path("two"))
        whole = old_logs.notes("archive")["read"]["data one two"]["verify"]["said"]
        self.is_whole(home, whole["checkpoint"], "made")


class Anchor(WithOldLogs):
    FILES = ("early.anchor", "late.anchor")

    def setUp(self):
        self.home = self.unpacked("anchor")
        self.signed = old_logs.notes("anchor")["served"]["data"]["anchor"]["said"]

    def test_old_anchors_are_held_by_the_log(self):
        for name in self.FILES:
            self.succeeds(self.home, "replay", "verify", "--anchor", self.home.path(name), "--key",
                          self.signed["key"])
        self.ends_with(WRONG_LOG, self.home, "replay", "verify", "--key", "-".join(["0000"] * 8))

    def test_the_log_folds_to_what_was_signed(self):
        folded = self.home.run("replay", "rebuild", "--to", str(self.signed["through"]), "-o",
                               "json").json()
        signed = {row["name"]: row["digest"]["hex"] for row in self.signed["rows"]}
        signed.pop("streams")  # which the test of archives folds
        self.assertEqual({row["projection"]: row["rebuilt"] for row in folded
                          if row["projection"] in signed}, signed)

    def test_the_old_key_signs_further_anchors(self):
        old_logs.serve(self.home, "data")
        made = self.home.ask("anchor", "create")
        self.assertEqual(made["key"], self.signed["key"])
        self.assertGreater(made["through"], self.signed["recorded"])
        report = self.home.ask("replay", "verify", "--key", self.signed["key"])
        self.assertEqual(report["anchors"], {self.signed["key"]: 3})

    def test_an_old_anchor_is_not_held_by_another_log(self):
        other = self.unpacked("resume")
        for name in self.FILES:
            self.ends_with(WRONG_LOG, other, "replay", "verify", "--anchor", self.home.path(name))


class Salvage(WithOldLogs):
    def test_a_damaged_log_is_salvaged_to_the_same_log(self):
        home = self.unpacked("salvage")
        self.ends_with(DAMAGED, home, "--data-folder", home.path("damaged"), "serve",
                       *old_logs.SERVE)
        noted = old_logs.notes("salvage")["read"]["damaged"]["salvage"]
        self.same(old_logs.salvage(home, [home.path("damaged")]), noted)
        kept = noted["said"]["kept"]
        parted = self.ends_with(DIFFERENT, home, "replay", "diff", home.path("made"),
                                home.path("salvaged"), "-o", "json").json()
        # The two logs differ from the position where each begins its own epoch.
        self.assertEqual(parted["position"], kept + 1)
        self.assertEqual(self.folded(home, "made", kept), self.folded(home, "salvaged", kept))
        with open(home.path("salvaged-rest.jsonl"), encoding="utf-8") as file:
            self.assertEqual(old_logs.held(json.loads(line) for line in file), noted["rest"])

    def folded(self, home, folder, through):
        rows = home.ask("replay", "rebuild", home.path(folder), "--to", str(through))
        return {row["projection"]: row["rebuilt"] for row in rows}


if __name__ == "__main__":
    unittest.main()
