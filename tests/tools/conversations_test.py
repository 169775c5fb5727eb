#!/usr/bin/env python3
"""Conversations: messages reach an agent in their order, once, over kills, resets and undos."""
import base64
import json
import os
import signal
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from attachments_test import MIB, NOTES, PNG, image, prompt, text_file  # noqa: E402
from support import steno_wire  # noqa: E402
from support.steno_process import Home, until  # noqa: E402

MAIN = "agent:main:main"


class Conversing(unittest.TestCase):
    CONFIG = 'engine = "scripted"\n'

    def setUp(self):
        self.home = Home(self.CONFIG)
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())
        self.assertEqual(self.home.run("replay", "verify").code, 0)

    def conv(self, *arguments, code=0):
        result = self.home.run("conv", *arguments)
        self.assertEqual(result.code, code, str(result))
        return result.out if code == 0 else result.err

    def shown(self, key="main"):
        return json.loads(self.home.run("-o", "json", "conv", "show", key).out)

    def rests(self, key="main"):
        def is_at_rest():
            shown = self.shown(key)
            return not shown.get("run") and not shown["waiting"]
        until(is_at_rest, f"the end of what {key} runs")
        return self.shown(key)

    def events(self, kind):
        return [event for event in self.home.events() if event["type"] == kind]

    def prompts(self):
        return [event["content"] for event in self.events("TurnQueued")]

    def sessions(self):
        return self.home.ask("ls")["sessions"]


class Talking(Conversing):
    # Shows R106, R107, R111, R112.
    def test_a_conversation_begins_with_a_message_and_stays_in_its_session(self):
        self.assertIn("there are no conversations", self.home.run("conv", "ls").err)
        self.assertEqual(self.conv("send", "main", "[say Hello.] hi"),
                         f"{MAIN}: received, as the first message of a new conversation\n")
        self.rests()
        self.assertEqual(self.conv("send", "main", "[say Again.] more"), f"{MAIN}: received\n")
        shown = self.rests()
        self.assertEqual((shown["messages"], shown["runs"]), (2, 2))
        self.assertEqual(self.prompts(), ["[say Hello.] hi", "[say Again.] more"])
        [session] = self.sessions()
        self.assertEqual(session["session"], shown["session"])
        self.assertEqual(session["descriptor"]["conversation"], MAIN)
        self.assertIn(MAIN, self.conv("ls"))
        self.assertIn("messages  2 in 2 runs", self.conv("show", "main"))

    # Shows R170, R217, R247, R249, N17.
    def test_what_comes_while_the_agent_works_is_one_prompt(self):
        self.conv("send", "main", "[delay 1500] [say One.] first")
        until(lambda: self.shown()["runs"] == 1, "the first run")
        self.assertIn("1 message waits for the agent", self.conv("send", "main", "second"))
        self.assertIn("2 messages wait for the agent", self.conv("send", "main", "third"))
        self.rests()
        self.assertEqual(self.prompts()[1],
                         "[Queued messages while agent was busy]\n\n---\nQueued #1\nsecond\n\n"
                         "---\nQueued #2\nthird")

    # Shows R098.
    def test_the_queue_can_be_told_to_take_one_after_the_other(self):
        self.assertEqual(self.conv("send", "main", "/queue followup debounce:0"),
                         f"changed {MAIN}\n")
        for text in ("[delay 800] one", "two", "three"):
            self.conv("send", "main", text)
        self.rests()
        self.assertEqual(self.prompts(), ["[delay 800] one", "two", "three"])
        self.assertEqual(self.shown()["entry"], {"queueDebounceMs": "0", "queueMode": "followup"})

    # Shows R109, R114, R230, C25, C29.
    def test_a_reset_begins_another_session_and_can_be_undone(self):
        self.conv("send", "main", "[say One.] one")
        first = self.rests()["session"]
        self.conv("send", "main", "/new [say Two.] two")
        shown = self.rests()
        self.assertNotEqual(shown["session"], first)
        self.assertEqual([(past["session"], past["reason"]) for past in shown["past"]],
                         [(first, "trigger")])
        # What was left stays listed, and comes to its end.
        until(lambda: {one["session"]: one["status"] for one in self.sessions()}[first] ==
              "completed", "the end of the first session")
        self.assertEqual(self.conv("undo", "main"), f"undid the reset of {MAIN}\n")
        self.conv("send", "main", "[say Three.] three")
        last = self.rests()["session"]
        [opened] = [event for event in self.events("SessionOpened")
                    if event["facts"]["session"] == last]
        self.assertEqual(opened["facts"]["resumed_from"], first)
        self.assertIn("no reset", self.conv("undo", "main", code=4))

    def test_a_stop_ends_what_runs_and_what_waits(self):
        self.conv("send", "main", "[delay 60000] long")
        until(lambda: self.shown()["runs"] == 1, "the run")
        self.conv("send", "main", "waits")
        self.assertEqual(self.conv("send", "main", "stop"), f"stopped {MAIN}\n")
        self.rests()
        [ended] = self.events("MessagesEnded")
        self.assertEqual(ended["facts"]["end"], "stopped")
        [run] = self.events("ConversationRunEnded")
        self.assertEqual(run["facts"]["outcome"], "interrupted")

    def test_a_message_that_comes_twice_counts_once(self):
        for _ in range(2):
            self.conv("send", "telegram:group:42", "[say Hi.] hello", "--channel", "telegram|42",
                      "--from", "ada", "--id", "m1")
        shown = self.rests("telegram:group:42")
        self.assertEqual((shown["messages"], shown["last_route"]["channel"]), (1, "telegram"))

    def test_what_nobody_may_do_changes_nothing(self):
        self.conv("send", "main", "[say Hi.] hello")
        self.rests()
        for setting, said in (("x=1", "has no setting 'x'"),
                              ("sendPolicy=maybe", "accepted are allow and deny"),
                              ("queueCap=-1", "a whole number from 1 to 1000"),
                              ("label", "no NAME=VALUE")):
            self.assertIn(said, self.conv("set", "main", "subject=ok", setting, code=2))
        self.assertEqual(self.shown()["entry"], {})
        self.conv("set", "main", "label=home", "thinkingLevel=med")
        self.assertEqual(self.shown()["entry"], {"label": "home", "thinkingLevel": "medium"})
        self.conv("set", "main", "label=")
        self.assertEqual(self.shown()["entry"], {"thinkingLevel": "medium"})
        self.assertIn("cannot be deleted", self.conv("rm", "main", code=5))
        self.assertIn("there is no conversation", self.conv("show", "nobody", code=3))
        self.assertIn("session key", self.conv("send", "agent:x", "hello", code=2))


class Kills(Conversing):
    # Shows C09, C22, N14, N27.
    def test_nothing_that_was_accepted_is_lost_or_doubled_over_kills_of_the_server(self):
        self.conv("send", "main", "/queue followup debounce:0")
        texts = [f"[delay 200] [say Done {i}.] message {i}" for i in range(8)]
        sent = threading.Thread(target=lambda: [self.sent_again(text, f"m{i}")
                                                for i, text in enumerate(texts)])
        sent.start()
        for _ in range(3):
            until(lambda: True, "nothing")
            self.home.stop(signal.SIGKILL)
            self.home.start()
        sent.join()
        self.rests()
        self.assertEqual(self.prompts(), texts)
        self.assertEqual(len(self.events("MessageReceived")), len(texts))

    def sent_again(self, text, name):
        """Sends the message until the server has taken it, as a channel does."""
        until(lambda: self.home.run("conv", "send", "main", text, "--id", name).code == 0,
              f"an answer for {name}")

    def test_a_run_goes_on_with_the_next_server(self):
        self.conv("send", "main", "[delay 1000] [say Done.] work")
        until(lambda: self.shown()["runs"] == 1, "the run")
        self.conv("send", "main", "[say More.] more")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.rests()
        self.assertEqual(self.prompts(), ["[delay 1000] [say Done.] work",
                                          "[Queued messages while agent was busy]\n\n---\n"
                                          "Queued #1\n[say More.] more"])

    def test_a_killed_session_strands_nobody(self):
        self.conv("send", "main", "[delay 60000] long")
        until(lambda: self.shown()["runs"] == 1, "the run")
        self.conv("send", "main", "[say More.] more")
        self.home.run("kill", self.sessions()[0]["alias"])
        self.rests()
        self.assertIn("[say More.] more", self.prompts()[-1])


class Pruning(Conversing):
    # Shows R114.
    def test_what_nobody_has_used_for_long_is_deleted_and_nothing_else(self):
        for key in ("main", "telegram:group:1", "telegram:group:2"):
            self.conv("send", key, "[say Hello.] hi")
            self.rests(key)
        self.conv("send", "cron:nightly", "[delay 60000] work")
        until(lambda: self.shown("cron:nightly")["runs"] == 1, "the run")

        def pruned(*flags):
            result = self.home.run("conv", "prune", "--unused", *flags)
            self.assertEqual(result.code, 0, str(result))
            return [line.split(",")[0] for line in result.out.splitlines()], result.err
        self.assertEqual(pruned("1h"), ([], "0 deleted; their sessions stay on the record\n"))
        groups = ["agent:main:telegram:group:2", "agent:main:telegram:group:1"]
        until(lambda: pruned("1s", "--dry-run")[0] == groups, "a second of silence")
        self.assertEqual(len(self.events("ConversationDeleted")), 0)
        self.assertEqual(pruned("1s", "--kind", "cron"),
                         ([], "0 deleted; their sessions stay on the record\n"))
        self.assertEqual(pruned("1s"),
                         (groups, "2 deleted; their sessions stay on the record\n"))
        left = [row["key"] for row in self.home.run("-o", "json", "conv", "ls").json()
                ["conversations"]]
        self.assertEqual(sorted(left), ["agent:main:cron:nightly", MAIN])
        self.assertEqual(len(self.sessions()), 4)
        self.assertIn("--unused is required", self.conv("prune", code=2))
        self.conv("stop", "cron:nightly")
        self.rests("cron:nightly")


class Lanes(Conversing):
    CONFIG = 'engine = "scripted"\nmax_sessions = 2\n'

    # Shows R246.
    def test_without_a_place_an_agent_that_rests_gives_up_its_own(self):
        keys = ["telegram:group:1", "telegram:group:2", "telegram:group:3"]
        for key in keys:
            self.conv("send", key, "[delay 500] [say Done.] work")
        for key in keys:
            self.rests(key)
        self.assertEqual(len(self.events("ConversationRunEnded")), 3)

    # A conversation at rest needs nobody. It gives its place away.
    def test_a_new_session_finds_a_place_where_conversations_rest(self):
        for key in ("telegram:group:1", "telegram:group:2"):
            self.conv("send", key, "[say Done.] work", "--wait")
            self.rests(key)
        self.assertEqual(self.home.ask("attention")["sessions"], [])
        for row in self.sessions():
            self.assertEqual(row["attention"], "none")
            self.assertNotIn("needs you", self.home.run("show", row["alias"]).out)
        self.assertIn("New.", self.home.run("run", "[say New.] work").out)
        self.assertEqual(self.conv("send", "telegram:group:1", "[say Again.] more", "--wait"),
                         "Again.\n")


class Asking(Conversing):
    def test_who_waits_for_an_answer_is_told_what_the_agent_asks(self):
        key = "agent:main:telegram:group:1"
        with self.home.popen(["conv", "send", key, "[ask] [say Done.] work", "--wait"],
                             stderr=subprocess.PIPE, text=True) as waiting:
            heard = ""
            while "→" not in heard:
                heard += waiting.stderr.readline()
            shown = self.conv("show", key)
            alias = shown.split("session   ")[1].split()[0]
            for text in (heard, shown):
                self.assertIn(f"steno approve {alias}#1   steno deny {alias}#1 WHY", text)
            self.assertIn("the agent asks, and waits for an answer:", heard)
            # A key names its session.
            approved = self.home.run("approve", key + "#1")
            self.assertEqual(approved.code, 0, str(approved))
            self.assertEqual(waiting.communicate(timeout=30), ("Done.\n", ""))
            self.assertEqual(waiting.returncode, 0)
        self.assertEqual(self.home.ask("show", key)["session"]["alias"], alias)
        self.assertIn("Done.", self.home.run("output", key).out)
        self.assertIn("Done.", self.home.run("export", key, "--as", "claude-jsonl").out)
        unknown = self.home.run("show", "agent:main:none")
        self.assertEqual(unknown.code, 3, str(unknown))


class Steering(Conversing):
    # Shows R249.
    def test_a_message_reaches_the_turn_under_way(self):
        self.conv("send", "main", "/queue steer")
        self.conv("send", "main", "[tools 1] [delay 1500] [say Done.] work")
        until(lambda: self.events("ToolCallStarted"), "the call of a tool")
        self.assertEqual(self.conv("send", "main", "and hurry", "--wait"), "Done.\n")
        shown = self.rests()
        self.assertEqual((shown["messages"], shown["runs"]), (2, 1))
        [steered] = self.events("MessageSteered")
        [injected] = self.events("PromptInjected")
        self.assertEqual(injected["content"], "and hurry")
        [received] = [event for event in self.events("MessageReceived")
                      if event["content"] == "and hurry"]
        self.assertEqual(steered["facts"]["message"], received["position"])


class Files(Conversing):
    """Messages with files. The scripted agent tells which blocks it was given."""

    def file(self, name, data):
        path = os.path.join(self.home.workdir, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def said(self, session):
        return self.home.run("output", session).out

    def test_the_agent_is_given_them_before_the_text(self):
        self.file("shot.jpg", PNG)
        self.file("notes.md", NOTES)
        text = "what is it? [blocks]"
        answer = self.conv("send", "main", text, "--file", "notes.md", "--file", "shot.jpg",
                           "--wait")
        self.assertIn(text_file("notes.md", NOTES) + image(PNG) + prompt(text), answer)
        self.assertIn(image(PNG) + "\n", self.conv("send", "main", "", "--file", "shot.jpg",
                                                   "--wait"))
        # The next one has none.
        self.assertNotIn("image", self.conv("send", "main", "and now? [blocks]", "--wait"))
        shown = self.rests()
        self.assertIn(f"> {text} [with notes.md (text/plain, {len(NOTES)} bytes), shot.jpg "
                      f"(image/png, {len(PNG)} bytes)]", self.said(shown["session"]))
        received = [event["facts"]["files"] for event in self.events("MessageReceived")]
        self.assertEqual(received[0],
                         [{"name": "notes.md", "media_type": "text/plain", "bytes": len(NOTES)},
                          {"name": "shot.jpg", "media_type": "image/png", "bytes": len(PNG)}])
        attached = self.events("MessageFileAttached")
        self.assertEqual([event["content_bytes"] for event in attached],
                         [len(NOTES), len(PNG), len(PNG)])
        self.assertFalse(any("content" in event for event in attached))
        watched = self.home.run("watch", "--all-agents", "--from", "start", "-n",
                                str(self.home.position())).out
        self.assertRegex(watched, rf"MessageFileAttached .*\({len(PNG)} bytes\)\n")
        self.assertNotIn("swordfish", self.home.server_log())

    def test_they_wait_for_their_run_over_a_kill_of_the_server(self):
        self.conv("send", "main", "[delay 2000] [say One.] first")
        until(lambda: self.shown()["runs"] == 1, "the first run")
        paths = [self.file("shot.png", PNG), self.file("notes.md", NOTES)]
        self.conv("send", "main", "look [blocks]", "--file", paths[0], "--file", paths[1])
        self.assertIn("2 messages wait", self.conv("send", "main", "and behind [blocks]"))
        self.home.stop(signal.SIGKILL)
        for path in paths:
            os.remove(path)
        self.home.start()
        files = f"shot.png (image/png, {len(PNG)} bytes), notes.md (text/plain, {len(NOTES)} bytes)"
        self.assertIn(f"  files     {files}\n", self.conv("show", "main"))
        self.assertEqual([file["name"] for file in self.shown()["files"]], ["shot.png", "notes.md"])
        shown = self.rests()
        self.assertEqual(shown["runs"], 3)
        busy = "[Queued messages while agent was busy]\n\n---\nQueued #1\n"
        texts = ["[delay 2000] [say One.] first", f"{busy}look [blocks] [with {files}]",
                 f"{busy}and behind [blocks]"]
        self.assertEqual(self.prompts(), texts)
        given = self.said(shown["session"])
        self.assertIn(image(PNG) + text_file("notes.md", NOTES) + prompt(texts[1]), given)
        self.assertEqual(given.count("[image"), 1)
        self.assertIn(prompt(texts[2]), given)
        self.assertEqual(shown.get("files", []), [])

    def test_a_message_with_files_does_not_go_into_the_turn_under_way(self):
        self.file("shot.png", PNG)
        self.conv("send", "main", "/queue steer debounce:0")
        self.conv("send", "main", "[tools 1] [delay 1000] [say Done.] work")
        until(lambda: self.events("ToolCallStarted"), "the call of a tool")
        self.conv("send", "main", "look [blocks]", "--file", "shot.png")
        self.conv("send", "main", "what is it? [blocks]")
        shown = self.rests()
        self.assertEqual((shown["runs"], self.events("MessageSteered")), (3, []))
        self.assertIn(image(PNG) + prompt("look [blocks]"), self.said(shown["session"]))

    def test_bad_files_are_refused_and_nothing_is_sent(self):
        self.file("program.zip", b"PK\x03\x04\x14\x00\x00")
        self.file("empty.txt", b"")
        self.file("huge.txt", b"x" * (20 * MIB + 1))
        self.file("half.txt", b"x" * (11 * MIB))
        self.file("image.png", PNG + bytes(5 * MIB))
        self.file("a.txt", b"text")
        self.file("secret.txt", b"text")
        os.chmod(self.home.path("work", "secret.txt"), 0)
        os.mkdir(self.home.path("work", "folder"))
        cases = [(["missing.png"], 3, "missing.png cannot be read: No such file"),
                 (["folder"], 2, "folder is a folder; name a file in it"),
                 (["empty.txt"], 2, "empty.txt is empty"),
                 (["program.zip"], 2, "none of the files that can be sent"),
                 (["huge.txt"], 5, "the files of a prompt have 20 MiB"),
                 (["half.txt"] * 2, 5, "of 20 MiB at most"),
                 (["image.png"], 5, "an image has 5 MiB at most"),
                 (["a.txt"] * 11, 5, "11 files are named, and a prompt has 10")]
        if os.geteuid() != 0:
            cases.append((["secret.txt"], 1, "secret.txt cannot be read: Permission denied"))
        for names, code, words in cases:
            with self.subTest(names=names):
                files = [word for name in names for word in ("--file", name)]
                self.assertIn(words, self.conv("send", "main", "look", *files, code=code))
        self.assertIn("no file can go with it",
                      self.conv("send", "main", "/send off", "--file", "a.txt", code=2))
        self.assertIn("stdin is read once", self.conv("send", "main", "-", "--file", "-", code=2))
        self.assertIn("the prompt is empty", self.conv("send", "main", "", code=2))
        self.assertIn("there are no conversations", self.home.run("conv", "ls").err)
        self.assertFalse(self.events("MessageFileAttached"))

    def test_a_command_with_a_file_leaves_the_file_to_the_agent(self):
        self.file("shot.png", PNG)
        self.conv("send", "main", "[say One.] one", "--wait")
        self.assertIn(image(PNG) + "\n",
                      self.conv("send", "main", "/new", "--file", "shot.png", "--wait"))
        self.assertEqual(self.rests()["resets"], 1)


class Told(Conversing):
    """With a program that sends to channels."""

    def setUp(self):
        self.home = Home(self.CONFIG)
        self.addCleanup(self.home.close)
        script = self.home.path("sink.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {self.home.path("told")}\n')
        os.chmod(script, 0o700)
        with open(self.home.path("steno.toml"), "a", encoding="utf-8") as file:
            file.write(f'notify_command = "{script} {{channel}} {{target}} {{thread}} {{text}}"\n')
        self.home.start()

    def told(self, words):
        def lines():
            try:
                with open(self.home.path("told"), encoding="utf-8") as file:
                    return [line for line in file if words in line]
            except FileNotFoundError:
                return []
        return until(lines, f"that somebody is told: {words}")


class Places(Told):
    # Shows R279, R284.
    def test_each_answer_goes_to_where_its_message_came_from(self):
        for words, place, line in (("One.", ("--channel", "telegram|42"), "telegram 42 "),
                                   ("Two.", ("--channel", "signal|7"), "signal 7 "),
                                   ("Three.", ("--channel", "telegram|42", "--thread", "55"),
                                    "telegram 42 55 ")):
            self.conv("send", "main", f"[say {words}] talk", *place)
            self.rests()
            self.assertEqual(self.told(words), [f"{line}{words}\n"])
        self.assertEqual(len(self.sessions()), 1)


    def test_a_session_that_is_left_gives_its_answer_and_no_more(self):
        place = ("--channel", "telegram|42")
        for number, words in enumerate(("Late.", "NO_REPLY")):
            key = f"telegram:group:{number}"
            self.conv("send", key, f"[delay 1500] [say {words}] long", *place)
            until(lambda key=key: self.shown(key)["runs"] == 1, "the run")
            self.conv("send", key, f"/new [say Hi {number}.] hello", *place)
            self.told(f"Hi {number}.")
        self.home.stop()  # which waits for what is being told
        with open(self.home.path("told"), encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(),
                             ["telegram 42 Late.", "telegram 42 Hi 0.", "telegram 42 Hi 1."])
        self.home.start()


class Senders(Told):
    """Those who sent messages that come to nothing."""

    # Shows N13.
    def test_who_sent_what_was_dropped_or_came_too_late_is_told_once(self):
        key = "telegram:group:42"
        place = ("--channel", "telegram|42")
        self.conv("send", key, "/queue followup cap:1 drop:old debounce:0", *place)
        self.conv("send", key, "[delay 2500] work", *place)
        until(lambda: self.shown(key)["runs"] == 1, "the run")
        self.conv("send", key, "dropped", *place)
        self.conv("send", key, "late", "--start-within", "1s", *place)
        dropped = self.told("too many waited")
        late = self.told("could not begin in time")
        self.rests(key)
        for [line] in (dropped, late):
            self.assertTrue(line.startswith("telegram 42 "), line)
            self.assertIn(f"agent:main:{key}", line)
        self.assertEqual([event["facts"]["end"] for event in self.events("MessagesEnded")],
                         ["dropped", "expired"])


class Tasks(Told):
    """Conversations that give subagents tasks, and hear how these ended."""
    PARENT = "agent:main:telegram:group:42"

    def setUp(self):
        super().setUp()
        self.conv("send", self.PARENT, "[say Hi.] hello", "--channel", "telegram|42")
        self.rests(self.PARENT)

    def spawn(self, task, *flags):
        started = json.loads(self.conv("spawn", task, "--parent", self.PARENT, *flags, "-o", "json"))
        self.assertEqual(started["requesterSessionKey"], self.PARENT)
        return started["childSessionKey"]

    def announcements(self, count=1):
        def heard():
            texts = [text for text in self.prompts() if text.startswith("A background task ")]
            return len(texts) >= count and texts
        texts = until(heard, "an announcement")
        self.rests(self.PARENT)
        return texts

    # Shows R127, R205, R207, R212.
    def test_the_conversation_hears_what_the_subagent_found_and_tells_its_place(self):
        child = self.spawn("[say Found it.] look", "--label", "look")
        self.assertRegex(child, "^agent:main:subagent:[0-9a-f-]{36}$")
        [text] = self.announcements()
        self.assertIn('"[say Found it.] look" completed successfully.', text)
        self.assertIn("Findings:\nFound it.\n", text)
        self.assertIn(f"session {child}", text)
        shown = self.shown(child)
        self.assertEqual((shown["parent"], shown["entry"]["label"], shown["runs"]),
                         (self.PARENT, "look", 1))
        [session] = [row for row in self.home.ask("ls", "--all")["sessions"]
                     if row["session"] == shown["session"]]
        self.assertEqual(session["status"], "completed")
        self.assertEqual(len(self.announcements()), 1)
        # It goes on where it ended, and that is no task.
        self.assertEqual(self.conv("send", child, "[say More.] and?", "--wait"), "More.\n")

    def test_a_subagent_can_go_once_its_parent_has_heard(self):
        child = self.spawn("[say Found it.] look", "--label", "look", "--delete")
        self.announcements()
        self.assertIn("there is no conversation", self.conv("show", child, code=3))
        statuses = [row["status"] for row in self.home.ask("ls", "--all")["sessions"]]
        self.assertEqual(statuses.count("completed"), 1, statuses)
        # Its label is free. One that people have written to stays.
        child = self.spawn("[delay 5000] [say Found it.] look", "--label", "look", "--delete")
        self.conv("send", child, "[say More.] and?")
        self.announcements(2)
        self.rests(child)
        self.assertEqual(self.shown(child)["messages"], 2)

    def test_a_task_that_fails_or_takes_too_long_is_told_as_that(self):
        # The announcement has the beginning of a task, which the agents of this test obey.
        long = "wait " * 20 + "[delay 60000]"
        self.spawn("[error] break")
        self.assertIn('" failed: ', self.announcements()[0])
        self.spawn(long, "--within", "1")
        self.assertIn('" timed out.', self.announcements(2)[1])
        child = self.spawn(long, "--within", "0")
        until(lambda: self.shown(child).get("session"), "the session")
        self.assertEqual(self.home.show(child)["run_timeout_us"], -1)
        self.conv("stop", child)
        self.assertIn("somebody ended it", self.announcements(3)[2])

    # Shows R119.
    def test_its_place_hears_what_the_agent_makes_of_it_and_nothing_that_is_for_nobody(self):
        self.spawn("[say Found it.] look")
        self.announcements()
        self.conv("send", self.PARENT, "[say NO_REPLY] hush", "--channel", "telegram|42")
        self.rests(self.PARENT)
        self.conv("send", self.PARENT, "[say Loud.] speak", "--channel", "telegram|42")
        self.told("Loud.")
        with open(self.home.path("told"), encoding="utf-8") as file:
            told = file.read()
        self.assertIn("Found it.", told)
        self.assertNotIn("NO_REPLY", told)
        # People hear of the subagent from its parent alone.
        self.assertNotIn("completed", told)

    # Shows C10.
    def test_a_restart_loses_no_announcement_and_doubles_none(self):
        self.spawn("[delay 1000] [say Found it.] look")
        until(lambda: len(self.sessions()) > 1, "the subagent's session")
        for _ in range(3):
            self.home.stop(signal.SIGKILL)
            self.home.start()
        self.announcements()
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.rests(self.PARENT)
        self.assertEqual(len(self.announcements()), 1)

    def test_a_stop_of_the_conversation_stops_its_tasks_and_announces_none(self):
        children = [self.spawn(f"[delay 60000] look {number}") for number in (1, 2)]
        for child in children:
            until(lambda child=child: self.shown(child)["runs"] == 1, "the task's run")
        self.conv("send", "main", "[say Mine.] mine")
        other = json.loads(self.conv("spawn", "[delay 500] [say Yours.] look", "--parent", "main",
                                     "-o", "json"))["childSessionKey"]
        self.assertEqual(self.conv("send", self.PARENT, "stop", "--channel", "telegram|42"),
                         f"stopped {self.PARENT}\n")
        for child in children:
            self.rests(child)
        ends = {row["session"]: row["status"] for row in self.home.ask("ls", "--all")["sessions"]}
        self.assertEqual([ends[self.shown(child)["session"]] for child in children],
                         ["killed", "killed"])
        self.assertEqual(len(self.events("TaskWithdrawn")), 2)
        # The other conversation's task goes on, and is the only one of which anybody hears.
        self.rests(other)
        texts = self.announcements()
        self.assertEqual(len(texts), 1)
        self.assertIn("Yours.", texts[0])
        # A restart finds nothing left to tell.
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.rests(self.PARENT)
        self.assertEqual(len(self.announcements()), 1)

    # Shows R128, R208.
    def test_who_gives_a_task_to_whom(self):
        spawn = ("spawn", "look", "--parent")
        self.assertIn("there is no conversation agent:main:none",
                      self.conv(*spawn, "agent:main:none", code=3))
        self.assertIn("is no session key", self.conv(*spawn, "agent:", code=2))
        self.assertIn("is empty", self.conv("spawn", " ", "--parent", "main", code=2))
        child = self.spawn("[say Found it.] look", "--label", "look")
        self.announcements()
        self.assertIn("look", self.conv(*spawn, self.PARENT, "--label", "look", code=4))
        self.assertIn("a subagent cannot give tasks", self.conv(*spawn, child, code=5))
        self.home.environment["STENO_SESSION"] = self.shown(self.PARENT)["session"]
        self.addCleanup(self.home.environment.pop, "STENO_SESSION", None)
        self.assertIn("cannot give tasks to work",
                      self.conv("spawn", "look", "--for-agent", "work", code=5))
        self.assertIn("for its own conversation", self.conv(*spawn, "main", code=5))
        self.conv("spawn", "[say Mine.] look")
        self.assertIn("Mine.", self.announcements(2)[1])


class Hooked(Conversing):
    CONFIG = """engine = "scripted"
[[hooks]]
name = "note"
on = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]
command = "cat >> $HOME/heard"
"""

    def test_hooks_are_told_the_session_key(self):
        self.conv("send", "main", "[say Hi.] hello")
        self.rests()
        self.conv("reset", "main")
        heard = os.path.join(self.home.environment["HOME"], "heard")

        def told():
            with open(heard, encoding="utf-8") as file:
                steps = [json.loads(line) for line in file.read().replace("}{", "}\n{").splitlines()]
            return len(steps) >= 4 and steps
        steps = until(told, "the four steps")
        self.assertEqual([(step["hook_event_name"], step["sessionKey"]) for step in steps],
                         [(name, MAIN) for name in
                          ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")])


class Policies(Conversing):
    CONFIG = """engine = "scripted"
[conversations]
zone = "Europe/Berlin"
agents = ["main", "work"]
dm_scope = "per-channel-peer"
[conversations.identity_links]
ada = ["telegram:7", "signal:8"]
[conversations.queue]
debounce = "0s"
[conversations.queue.telegram]
mode = "followup"
cap = 2
drop = "new"
[conversations.reset]
mode = "daily"
at_hour = 5
[conversations.reset.thread]
mode = "idle"
idle_minutes = 30
[conversations.send]
default = "allow"
[[conversations.send.rules]]
action = "deny"
chat_type = "group"
channel = "signal"
[[conversations.bindings]]
agent = "work"
channel = "signal"
account = "*"
"""

    # Shows R121, R122, R123, R124, R140.
    def test_the_file_says_what_holds_for_conversations(self):
        key = "agent:main:telegram:group:42"
        self.conv("send", key, "[delay 1500] one", "--channel", "telegram|42")
        until(lambda: self.shown(key)["runs"] == 1, "the first run")
        for text in ("two", "three"):
            self.conv("send", key, text, "--channel", "telegram|42")
        self.assertIn("as many as may", self.conv("send", key, "four", "--channel", "telegram|42",
                                                  code=5))
        self.rests(key)
        self.assertEqual(self.prompts(), ["[delay 1500] one", "two", "three"])
        told = self.conv("policy", key)
        self.assertIn("followup, 0s of silence, at most 2, then new", told)
        self.assertIn("daily at 5:00 Europe/Berlin", told)
        self.assertIn("send    allow", told)
        denied = "agent:work:signal:group:9"
        self.assertIn("send blocked by session policy",
                      self.conv("send", denied, "hello", "--channel", "signal|9", code=5))
        self.assertIn("conversations.queue.telegram.cap", self.home.run("config").out)

    def test_a_mistake_in_the_file_is_named_and_starts_no_server(self):
        self.home.stop()
        with open(self.home.path("steno.toml"), encoding="utf-8") as file:
            text = file.read()
        for wrong, said in (("[conversations.queue.x]\nmod = 'a'", "did you mean mode?"),
                            ("[conversations.foo]\na = 1", "unknown table [conversations.foo]"),
                            ("[[conversations.bindings]]\nagent = 'a'", "an agent and a channel"),
                            ("[conversations.lanes]\nmain = 0", "1 to 1000")):
            with open(self.home.path("steno.toml"), "w", encoding="utf-8") as file:
                file.write(text + wrong + "\n")
            result = self.home.run("serve")
            self.assertEqual(result.code, 2, str(result))
            self.assertIn(said, result.err)
            shown = self.home.run("config")
            self.assertEqual(shown.code, 0)
            self.assertIn(said, shown.err)
            self.assertIn(said, self.home.run("doctor").out)
        with open(self.home.path("steno.toml"), "w", encoding="utf-8") as file:
            file.write(text.replace("Europe/Berlin", "Europe/Berlyn"))
        self.assertIn("there is no time zone 'Europe/Berlyn'", self.home.run("serve").err)
        with open(self.home.path("steno.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        self.home.start()


class FullLanes(Conversing):
    CONFIG = 'engine = "scripted"\n[conversations.lanes]\nmain = 1\n'

    def test_attention_says_who_waits_for_a_place(self):
        self.conv("send", "main", "[delay 60000] long")
        until(lambda: self.shown()["runs"] == 1, "the run")
        waits = "agent:main:telegram:group:42"
        self.conv("send", waits, "[say Done.] next")

        def told():
            said = self.home.run("attention").out
            return "lane" in said and said
        self.assertRegex(until(told, "the lane"),
                         f"lane main: 1 runs, 1 waits; the first for .*: {waits}\n")
        lane = self.home.ask("attention")["lanes"][0]
        self.assertEqual((lane["lane"], lane["running"], lane["waiting"], lane["first"]),
                         ("main", 1, 1, waits))
        self.conv("stop", "main")
        self.rests(waits)
        self.rests()
        self.assertNotIn("lane", self.home.run("attention").out)

    # Shows R099, R100.
    def test_a_conversation_says_what_it_has_used(self):
        self.conv("send", "main", "[say Hello.] [compact] hi")
        use = self.rests()["use"]
        self.assertGreater(use["usage"]["input"], 0)
        self.assertGreater(use["usage"]["output"], 0)
        self.assertEqual(use["compactions"], 1)
        self.assertRegex(self.conv("show", "main"), r"used +[0-9]+ tokens in, [0-9]+ out, ")
        self.assertEqual(self.conv("compact", "main"), f"its agent compacts the context of {MAIN}\n")
        self.rests()
        self.assertEqual(self.prompts()[-1], "/compact")
        self.conv("send", "main", "[delay 60000] long")
        until(lambda: self.shown()["runs"] == 3, "the run")
        self.assertIn("when it rests", self.conv("compact", "main", code=4))
        self.conv("stop", "main")
        self.rests()
        self.assertIn("there is no", self.conv("compact", "telegram:group:9", code=3))


@unittest.skipUnless(steno_wire.is_available, "needs python3-zmq")
class Programs(Conversing):
    """Conversations by the methods that programs call."""

    CONFIG = "gateway = true\n" + Policies.CONFIG

    def setUp(self):
        super().setUp()
        until(lambda: os.path.exists(self.home.path("run", "gateway.sock")), "the gateway")
        self.socket = steno_wire.zmq.Context.instance().socket(steno_wire.zmq.DEALER)
        self.socket.linger, self.socket.rcvtimeo = 0, 20_000
        self.socket.connect("ipc://" + self.home.path("run", "gateway.sock"))
        self.addCleanup(self.socket.close)

    def call(self, method, **params):
        self.socket.send(json.dumps({"jsonrpc": "2.0", "id": method, "method": method,
                                     "params": params}).encode())
        return json.loads(self.socket.recv())

    def result(self, method, **params):
        answer = self.call(method, **params)
        self.assertIn("result", answer, answer)
        return answer["result"]

    # Shows R092, R125, R271, R279, R291, R292.
    def test_a_bridge_needs_to_know_no_key(self):
        sent = self.result("chat.send", message="[say Hello Ada.] hi", channel="telegram", peer="7",
                           sender="ada", messageId="1", timeoutSeconds=30)
        self.assertEqual((sent["key"], sent["status"], sent["reply"]),
                         ("agent:main:telegram:dm:ada", "ok", "Hello Ada."))
        again = self.result("chat.send", message="[say Hello Ada.] hi", channel="telegram",
                            peer="7", messageId="1", timeoutSeconds=30)
        self.assertEqual((again["status"], again["reply"]), ("ok", "Hello Ada."))
        bound = self.result("chat.send", message="[say At work.] hi", channel="signal", peer="8",
                            timeoutSeconds=30)
        self.assertEqual((bound["key"], bound["reply"]), ("agent:work:signal:dm:ada", "At work."))
        thread = self.result("chat.send", message="[error] oh", channel="telegram", peer="5",
                             peerKind="group", thread="3", timeoutSeconds=30)
        self.assertEqual((thread["key"], thread["status"]),
                         ("agent:main:telegram:group:5:thread:3", "error"))
        listed = self.result("sessions.list", includeDerivedTitles=True)
        self.assertEqual([one["key"] for one in listed["sessions"]],
                         [thread["key"], sent["key"]])
        self.assertEqual(listed["sessions"][1]["title"], "[say Hello Ada.] hi")
        self.assertEqual([one["kind"] for one in listed["sessions"]], ["group", "other"])
        page = self.result("sessions.list", allAgents=True, limit=2)
        last = self.result("sessions.list", allAgents=True, limit=2, before=page["before"])
        self.assertEqual([one["key"] for one in page["sessions"] + last["sessions"]],
                         [thread["key"], bound["key"], sent["key"]])
        self.assertNotIn("before", last)
        self.assertEqual(self.result("sessions.list", search="GROUP")["count"], 1)

    def test_a_message_has_files(self):
        data = base64.b64encode(NOTES).decode()
        with open(self.home.path("work", "shot.png"), "wb") as file:
            file.write(PNG)
        files = [self.home.path("work", "shot.png"), {"name": "notes.md", "data": data}]
        sent = self.result("chat.send", message="look [blocks]", key="main", files=files,
                           timeoutSeconds=30)
        self.assertIn(image(PNG) + text_file("notes.md", NOTES) + prompt("look [blocks]"),
                      sent["reply"])
        for wrong, said in ((["shot.png"], "absolute paths"), ([7], "a list of paths"),
                            ([files[0]] * 11, "10 at most"),
                            ([{"name": "a.txt", "data": "!!"}], "no base64")):
            answer = self.call("chat.send", message="x", key="main", files=wrong)
            self.assertIn(said, answer["error"]["message"])
        self.assertEqual(len(self.events("MessageReceived")), 1)

    # Shows R093, R094, R095, R096, R097, R113, R136, R137, R277, R286, R287.
    def test_settings_change_and_what_is_wrong_changes_nothing(self):
        key = self.result("chat.send", message="[say Hi.] hello", key="main",
                          timeoutSeconds=30)["key"]
        patched = self.result("sessions.patch", key=key, label="home", queueCap=3,
                              labels="red, green,red", thinkingLevel="med")
        self.assertEqual(patched["entry"], {"label": "home", "labels": ["red", "green"],
                                            "queueCap": 3, "thinkingLevel": "medium"})
        for wrong, said in (({"sendPolicy": "maybe"}, "accepted are allow and deny"),
                            ({"queueCap": "3"}, "queueCap takes a whole number"),
                            ({"colour": "red"}, "there is no parameter 'colour'")):
            answer = self.call("sessions.patch", key=key, subject="x", **wrong)
            self.assertIn(said, answer["error"]["message"])
        self.assertEqual(self.result("sessions.resolve", label="home")["entry"], patched["entry"])
        self.assertEqual(self.result("sessions.list", label="green")["count"], 1)
        other = self.result("chat.send", message="[say Hi.]", key="telegram:group:1")["key"]
        self.assertIn("is that of agent:main:main",
                      self.call("sessions.patch", key=other, label="home")["error"]["message"])
        cleared = self.result("sessions.patch", key=key, label=None, labels=None)
        self.assertEqual(cleared["entry"], {"queueCap": 3, "thinkingLevel": "medium"})
        first = self.result("sessions.resolve", key="main")["sessionId"]
        reset = self.result("sessions.reset", key="main")
        self.assertEqual((reset["sessionId"], reset["pastSessions"][0]["sessionId"]), (None, first))
        self.assertEqual(self.result("sessions.reset", key="main", undo=True)["sessionId"], first)
        self.rests("telegram:group:1")
        self.assertEqual(self.result("sessions.delete", key=other)["deleted"], True)
        self.assertIn("there is no conversation",
                      self.call("sessions.resolve", key=other)["error"]["message"])


    # Shows R289, R292.
    def test_programs_read_what_was_said(self):
        self.result("chat.send", key="main", message="[say One.] first", timeoutSeconds=30)
        self.result("chat.send", key="main", message="/new [say Two.] second", timeoutSeconds=30)
        self.result("chat.send", key="main", message="[tools 1] [say Three.] third",
                    timeoutSeconds=30)
        history = self.result("chat.history", sessionKey="main")
        self.assertEqual([(one["role"], one["content"][0]["text"]) for one in history["messages"]],
                         [("user", "[say One.] first"), ("assistant", "One."),
                          ("user", "[say Two.] second"), ("assistant", "Two."),
                          ("user", "[tools 1] [say Three.] third"), ("assistant", "Three.")])
        self.assertEqual(history["sessionKey"], "agent:main:main")
        self.assertEqual(len({one["sessionId"] for one in history["messages"]}), 2)
        self.assertFalse(history["has_earlier"] or history["has_later"])
        last = self.result("chat.history", key="main", limit=1)
        self.assertEqual([one["content"][0]["text"] for one in last["messages"]], ["Three."])
        self.assertTrue(last["has_earlier"])
        before = self.result("chat.history", key="main", limit=1, before=last["from"])
        self.assertEqual(before["messages"], history["messages"][-2:-1])
        after = self.result("chat.history", key="main", after=history["messages"][3]["position"])
        self.assertEqual(after["messages"], history["messages"][4:])
        called = self.result("chat.history", key="main", includeTools=True)
        self.assertIn("toolResult", [one["role"] for one in called["messages"]])
        self.assertIn("there is no conversation",
                      self.call("chat.history", key="telegram:dm:nobody")["error"]["message"])
        previews = self.result("sessions.preview", keys=["main", "telegram:dm:nobody", "a\nb"],
                               limit=3, maxChars=20)["previews"]
        self.assertEqual([one["status"] for one in previews], ["ok", "missing", "error"])
        listed = self.result("sessions.list", includeLastMessage=True)["sessions"]
        self.assertEqual([one["lastMessagePreview"] for one in listed], ["Three."])
        self.assertEqual(previews[0]["items"],
                         [{"role": "user", "text": "[tools 1] [say Th..."},
                          {"role": "tool", "text": "call Bash"},
                          {"role": "assistant", "text": "Three."}])
        self.assertIn("1 to 1000", self.call("chat.history", key="main",
                                             limit=0)["error"]["message"])


class Within(Conversing):
    """What the agent of a session can do with conversations."""

    # Shows R126, R128.
    def test_an_agent_reaches_conversations_of_its_own_agent_alone(self):
        self.conv("send", "main", "[say Hi.] hello")
        self.rests()
        self.home.environment["STENO_SESSION"] = self.shown()["session"]
        self.addCleanup(self.home.environment.pop, "STENO_SESSION", None)
        client = self.home.follow("mcp")
        calls = iter(range(1, 100))

        def call(tool, /, **arguments):
            client.write(json.dumps({"jsonrpc": "2.0", "id": next(calls), "method": "tools/call",
                                     "params": {"name": tool, "arguments": arguments}}) + "\n")
            answer = json.loads(client.line())["result"]
            return answer["isError"], answer["content"][0]["text"]

        self.assertEqual(call("sessions_send", key="telegram:group:1", message="[say Yes.] so?",
                              timeout_seconds=30), (False, "Yes."))
        is_error, text = call("sessions_send", key="agent:work:main", message="hello")
        self.assertTrue(is_error)
        self.assertIn("is a conversation of agent work", text)
        self.assertTrue(call("sessions_list", all_agents=True)[0])
        self.assertEqual(call("sessions_history", key="telegram:group:1"),
                         (False, "user: [say Yes.] so?\n\nassistant: Yes."))
        self.assertIn("is a conversation of agent work",
                      call("sessions_history", key="agent:work:main")[1])
        is_error, text = call("sessions_spawn", task="[say Found.] look")
        self.assertFalse(is_error)
        self.assertIn(f"a message will tell {MAIN} how it ended", text)
        # Where messages come from is not for it to say.
        for place in ({"channel": "webchat", "peer": "x"}, {"to": "x"}, {"thread": "7"}):
            is_error, text = call("sessions_send", key="telegram:group:1", message="hello", **place)
            self.assertIn("names a conversation by its key", text)
        is_error, text = call("sessions_send", key="main", message="so?", timeout_seconds=9)
        self.assertTrue(is_error)
        self.assertIn("cannot be waited for", text)
        is_error, text = call("sessions_send", key="main", message="so?",
                              files=[self.home.path("steno.toml")])
        self.assertTrue(is_error)
        self.assertIn("would be read without its permissions", text)
        # What is a command in the words of a person is a text in its own.
        self.assertEqual(call("sessions_send", key="telegram:group:1", message="/new [say Word.]",
                              timeout_seconds=30), (False, "Word."))
        self.assertEqual(self.shown("telegram:group:1")["resets"], 0)
        for command in (("set", "main", "label=x"), ("reset", "main"), ("stop", "main"),
                        ("rm", "telegram:group:1")):
            self.assertIn("a person does", self.conv(*command, code=5))
        self.assertIn("is a conversation of agent work",
                      self.conv("send", "agent:work:main", "hello", code=5))
        refused = self.home.run("conv", "send", "telegram:group:9", "hello",
                                "--permission-mode=bypassPermissions")
        self.assertEqual(refused.code, 5, str(refused))
        is_error, text = call("sessions_list", kinds=["group"])
        self.assertFalse(is_error)
        self.assertIn("agent:main:telegram:group:1", text)
        self.assertNotIn("agent:main:main", text)
        self.assertEqual(client.finish().code, 0)


if __name__ == "__main__":
    unittest.main()
