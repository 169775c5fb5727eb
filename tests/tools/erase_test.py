#!/usr/bin/env python3
"""Erasure as users see it: after `steno erase --wait` no file below the home contains the words,
whatever happened meanwhile, and the log still proves itself."""
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, until  # noqa: E402

SECRET = "the-password-is-swordfish"
ANSWER = "and-the-answer-is-marlin"
NEIGHBOUR = "what-the-neighbour-said"


def files_with(folder, text):
    """Returns the files that contain the text."""
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    if text.encode() in file.read():
                        found.append(os.path.relpath(path, folder))
    return found


class Erasure(unittest.TestCase):
    CONFIG = "max_sessions = 50\n"

    def setUp(self):
        self.home = Home(self.CONFIG)
        self.addCleanup(self.home.close)
        self.home.start()

    def talk(self, name, prompt, *flags):
        """Runs a session that says the words; returns its row."""
        result = self.home.run("spawn", "--engine", "scripted", "--name", name, *flags, "-o",
                               "json", "-", stdin=prompt.encode())
        self.assertEqual(result.code, 0, str(result))
        row = self.home.wait_for_end(result.json()["alias"])
        self.settle(row)
        return row

    def settle(self, row):
        """Waits until the agent of the ended session is gone, too."""
        until(lambda: any(event["type"] in ("LeaseReleased", "LeaseExpired")
                          for event in self.home.events(row["session"])), "the lease's end")

    def erases(self, *arguments):
        result = self.home.run("erase", *arguments)
        self.assertEqual(result.code, 0, str(result))
        return result

    def refuses(self, code, word, *arguments):
        result = self.home.run("erase", *arguments)
        self.assertEqual(result.code, code, str(result))
        self.assertIn(word, result.err)

    def verify(self):
        """Verifies the log, which must be whole; returns the report."""
        result = self.home.run("replay", "verify", "-o", "json")
        self.assertEqual(result.code, 0, str(result))
        return result.json()

    def gone(self, *texts):
        for text in texts:
            self.assertEqual(files_with(self.home.folder, text), [])

    def test_nothing_that_was_said_is_in_any_file(self):
        row = self.talk("secret", f"look: {SECRET} [say {ANSWER}] [tools 2]")
        self.talk("neighbour", f"[say {NEIGHBOUR}]")
        self.assertTrue(files_with(self.home.folder, SECRET))
        self.assertTrue(files_with(self.home.folder, ANSWER))
        result = self.erases("secret", "--wait")
        self.assertIn("erased all text of " + row["alias"], result.out)
        self.assertIn("secret", result.err)  # the name is a fact, and the output says so
        self.gone(SECRET, ANSWER)
        self.assertTrue(files_with(self.home.folder, NEIGHBOUR))
        self.assertIn(NEIGHBOUR, self.home.run("output", "neighbour").out)
        self.assertGreater(self.verify()["contents_erased"], 3)
        # Still so after the next start, and without a server.
        self.home.stop()
        self.gone(SECRET, ANSWER)
        self.verify()
        self.home.start()
        self.gone(SECRET, ANSWER)

    def test_a_name_made_of_the_prompt_goes_with_it(self):
        """A made name goes with an ended session, or with the prompt of a live one."""
        alias = self.home.start_session("swordfish password [say done]")
        self.assertEqual(self.home.show(alias)["name"], "swordfish-password-say")
        self.settle(self.home.wait_for_end("swordfish-password-say"))
        live = self.home.start_session("swordfish again [say done]", "--multi-turn")
        self.home.wait_for_event(live, "TurnFinished")
        self.assertEqual(self.home.show(live)["name"], "swordfish-again-say")
        prompt = self.home.wait_for_event(live, "TurnQueued")
        self.home.ask("ls")
        self.home.stop(signal.SIGKILL)  # its sessions live on
        self.home.start()
        self.assertTrue(files_with(self.home.folder, "swordfish"))
        erased = self.erases("swordfish-password-say", "--wait")
        self.assertNotIn("swordfish", erased.err)
        self.erases(live, "--wait", "--event", str(prompt["position"]))
        self.gone("swordfish")
        for session in (alias, live):
            self.assertEqual(self.home.show(session)["name"], session)
        self.assertEqual(self.home.run("show", "swordfish-again-say").code, 3)
        self.assertEqual(self.home.show(live)["status"], "running")
        self.verify()

    def test_large_texts_are_gone_too(self):
        self.talk("large", "x" * 200_000 + SECRET + "y" * 500_000 + f" [say {ANSWER}]")
        self.home.stop()  # a stop turns the write-ahead log into tables
        self.home.start()
        self.assertTrue(files_with(self.home.folder, SECRET))
        self.erases("large", "--wait")
        self.gone(SECRET, ANSWER)
        self.verify()

    def test_who_erased_it_and_when_is_told(self):
        row = self.talk("secret", f"look: {SECRET} [say {ANSWER}]")
        self.erases("secret", "--wait")
        shown = self.home.run("show", "secret")
        self.assertIn("requested", shown.out)
        self.assertIn("[erased]", shown.out)
        output = self.home.run("output", "secret", "--all")
        self.assertEqual(output.code, 0, str(output))
        self.assertRegex(output.out, r"\[erased .* by .+\]")
        erasures = self.home.ask("show", "secret")["erasures"]
        self.assertEqual(len(erasures), 1)
        self.assertEqual(erasures[0]["reason"], "requested")
        kinds = [event["type"] for event in self.home.events(row["session"])]
        self.assertEqual(kinds[-2:], ["ContentErased", "ContentErasureCompleted"])
        watched = self.home.run("watch", "secret", "--from", "start", "-n", "2")
        self.assertIn("bytes, erased)", watched.out)
        # A second time changes nothing.
        self.erases("secret", "--wait")
        kinds = [event["type"] for event in self.home.events(row["session"])]
        self.assertEqual(kinds.count("ContentErased"), 1)

    def test_one_event_of_a_live_session(self):
        alias = self.home.start_session(f"look [say {ANSWER}]", "--multi-turn", "--name", "live")
        event = self.home.wait_for_event(alias, "OutputRecorded")
        self.home.wait_for_event(alias, "TurnFinished")
        finished = self.home.wait_for_event(alias, "TurnFinished")
        prompt = self.home.wait_for_event(alias, "TurnQueued")
        self.erases("live", "--wait", *(argument for at in (event, finished, prompt)
                                        for argument in ("--event", str(at["position"]))))
        self.gone(ANSWER)
        self.verify()
        self.assertEqual(self.home.show("live")["status"], "running")

    def test_what_cannot_be_erased_is_refused(self):
        alias = self.home.start_session("[hang] [say x]", "--name", "live")
        prompt = self.home.wait_for_event(alias, "TurnQueued")
        self.home.wait_for_event(alias, "AgentInitialized")
        self.refuses(4, "kill it first", "live")
        self.refuses(4, "yet to be given", "live", "--event", str(prompt["position"]))
        self.refuses(3, "is no event of session", "live", "--event", "1")
        self.refuses(3, "is no event of session", "live", "--event", "99999999")
        self.refuses(3, "has no session", "nobody")
        for wrong in ("0", "-4", "x", "9" * 30):
            self.refuses(2, "--event", "live", "--event", wrong)
        self.refuses(2, "REF")
        self.assertFalse(self.home.show("live").get("erased"))

    def test_a_killed_server_goes_on_with_it(self):
        for round_number in range(5):
            name = f"round{round_number}"
            secret = f"{SECRET}-{round_number}"
            self.talk(name, "x" * 100_000 * (round_number % 2) + f" {secret} [say {ANSWER}]")
            self.erases(name)
            self.home.stop(signal.SIGKILL)
            self.verify()
            self.home.start()
            until(lambda: not self.home.show(name)["erasing"], "the erasure's end")
            self.gone(secret)
            self.verify()

    def test_an_erasure_goes_on_while_others_talk(self):
        self.talk("secret", f"look: {SECRET} [say {ANSWER}]")
        others = [self.home.start_session(f"[words 200] [delay 1] [say {NEIGHBOUR}]")
                  for _ in range(3)]
        self.erases("secret", "--wait")
        self.gone(SECRET, ANSWER)
        for alias in others:
            self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.verify()


class Retention(unittest.TestCase):
    def test_what_was_kept_for_long_enough_is_erased(self):
        with Home('keep_completed_for = "1s"\nkeep_content_for = "forever"\n') as home:
            home.start()
            old = home.wait_for_end(home.start_session(f"[say {SECRET}]", "--name", "old"))
            kept = home.start_session("[hang] " + NEIGHBOUR, "--name", "kept")
            home.wait_for_event(kept, "AgentInitialized")
            self.assertEqual(home.run("kill", kept).code, 0)
            until(lambda: any(event["type"] == "LeaseReleased"
                              for event in home.events(old["session"])), "the lease's end")
            # A server looks once a minute, and when it starts.
            while not home.show("old")["erased"]:
                home.stop()
                home.start()
            until(lambda: not home.show("old")["erasing"], "the erasure's end")
            self.assertEqual(files_with(home.folder, SECRET), [])
            self.assertFalse(home.show("kept")["erased"])
            self.assertTrue(files_with(home.folder, NEIGHBOUR))
            erasure = home.ask("show", "old")["erasures"][0]
            self.assertEqual((erasure["reason"], erasure["actor_kind"]), ("retention", "server"))
            self.assertEqual(home.run("replay", "verify").code, 0)

    def test_rules_that_make_no_sense_are_refused(self):
        with Home() as home:
            for wrong in ("0s", "-1h", "soon", "0"):
                result = home.run("--keep-content-for", wrong, "config")
                self.assertEqual(result.code, 2, str(result))
                self.assertIn("keep_content_for", result.err)


if __name__ == "__main__":
    unittest.main()
