#!/usr/bin/env python3
"""Prompts with files, as users send them. The scripted agent tells which blocks it was given, with
a hash of each, so every test looks at what the agent got."""
import base64
import json
import os
import signal
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from erase_test import files_with  # noqa: E402
from steno_process import Home, until  # noqa: E402

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
                       "awAAAABJRU5ErkJggg==")
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\xe2\xe3\n%%EOF"
NOTES = "the-file-says-swordfish\nünd more\n".encode()
MIB = 1 << 20
CANNOT = "an agent can be given images (PNG, JPEG, GIF, WebP), PDF, and UTF-8 text"


def fnv(data):
    value = 2166136261
    for byte in data:
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return f"{value:08x}"


def image(data, kind="png"):
    return f"[image image/{kind} {len(data)} bytes {fnv(base64.b64encode(data))}]"


def pdf(name, data):
    return f"[document {name} application/pdf {len(data)} bytes {fnv(base64.b64encode(data))}]"


def text_file(name, data):
    return f"[document {name} text/plain {len(data)} bytes {fnv(data)}]"


def prompt(text):
    return f"[text {len(text.encode())} bytes {fnv(text.encode())}]"


class WithFiles(unittest.TestCase):
    CONFIG = "max_sessions = 50\n"

    def setUp(self):
        # A slow disk takes its time for large files.
        self.home = Home('timeout = "60s"\n' + self.CONFIG)
        self.addCleanup(self.home.close)
        self.home.start()

    def file(self, name, data):
        path = os.path.join(self.home.workdir, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def runs(self, *arguments, **options):
        result = self.home.run(*arguments, **options)
        self.assertEqual(result.code, 0, str(result))
        return result.out

    def session(self, *flags, say="[say ready]"):
        """Starts a multi-turn session that waits for a prompt; returns its alias."""
        alias = self.home.start_session(say, "--multi-turn", *flags)
        self.home.wait_for_event(alias, "TurnFinished")
        return alias

    def given(self, alias, *arguments, **options):
        """Sends a prompt; returns what the agent says of it."""
        return self.runs("send", alias, "--wait", *arguments, **options)

    def answer(self, alias, said):
        """Returns what the agent answers to the session's only prompt, once it has."""
        self.home.wait_for_event(alias, "TurnFinished")
        [answer] = [item["text"] for item in self.home.ask("output", alias)["items"]
                    if item["kind"] == "said"]
        self.assertIn(prompt(said), answer)
        return answer

    def events(self, alias, kind):
        session = self.home.show(alias)["session"]
        return [event for event in self.home.events(session) if event["type"] == kind]


class Files(WithFiles):
    def test_the_agent_is_given_files_in_their_order_before_the_prompt(self):
        self.file("shot.jpg", PNG)  # the name is wrong, and its first bytes say so
        self.file("paper.pdf", PDF)
        self.file("notes.md", NOTES)
        said = "what is it? [blocks]"
        blocks = (text_file("notes.md", NOTES) + image(PNG) + pdf("paper.pdf", PDF) + prompt(said))
        files = ("--file", "notes.md", "--file", "shot.jpg", "--file", "paper.pdf")
        self.assertIn(blocks, self.runs("run", "--engine", "scripted", *files, said))
        alias = self.session()
        self.assertIn(blocks, self.given(alias, *files, said))
        # The next prompt has none.
        self.assertNotIn("document", self.given(alias, "and now? [echo]"))

        shown = self.runs("output", alias)
        self.assertIn(f"> {said} [with notes.md (text/plain, {len(NOTES)} bytes), shot.jpg "
                      f"(image/png, {len(PNG)} bytes), paper.pdf (application/pdf, {len(PDF)} bytes)]",
                      shown)
        [attached] = [event for event in self.events(alias, "TurnQueued") if event["facts"]["files"]]
        self.assertEqual(attached["facts"]["files"],
                         [{"name": "notes.md", "media_type": "text/plain", "bytes": len(NOTES)},
                          {"name": "shot.jpg", "media_type": "image/png", "bytes": len(PNG)},
                          {"name": "paper.pdf", "media_type": "application/pdf", "bytes": len(PDF)}])
        contents = self.events(alias, "FileAttached")
        self.assertEqual([event["content_bytes"] for event in contents],
                         [len(NOTES), len(PNG), len(PDF)])
        self.assertFalse(any("content" in event for event in contents))
        items = self.home.ask("output", alias)["items"]
        self.assertEqual([item["files"] for item in items if item["text"] == said],
                         [attached["facts"]["files"]])
        watched = self.runs("watch", "--all-agents", "--from", "start", "-n",
                            str(self.home.position()))
        self.assertRegex(watched, rf"FileAttached .*\({len(PNG)} bytes\)\n")
        self.assertIn("shot.jpg (image/png", watched)
        self.assertNotIn("PNG", self.home.server_log())
        self.assertNotIn("swordfish", self.home.server_log())

    def test_a_session_that_is_spawned_with_a_file_shows_it(self):
        self.file("notes.md", NOTES)
        alias = self.home.start_session("read [blocks]", "--file", "notes.md")
        self.home.wait_for_end(alias)
        self.assertRegex(self.runs("show", alias),
                         rf"with files +notes.md \(text/plain, {len(NOTES)} bytes\)\n")
        self.assertIn(text_file("notes.md", NOTES) + prompt("read [blocks]"),
                      self.runs("output", alias))

    def test_a_prompt_can_be_empty_beside_a_file(self):
        self.file("shot.png", PNG)
        self.assertIn(image(PNG) + "\n",
                      self.runs("run", "--engine", "scripted", "--file", "shot.png", ""))
        alias = self.session()
        self.assertIn(image(PNG) + "\n", self.given(alias, "--file", "shot.png", ""))
        self.assertIn("> [with shot.png (image/png, ", self.runs("output", alias))
        refused = self.home.run("send", alias, "")
        self.assertEqual((refused.code, "the prompt is empty" in refused.err), (2, True))

    def test_a_file_comes_from_stdin(self):
        alias = self.session()
        self.assertIn(text_file("stdin", NOTES),
                      self.given(alias, "--file", "-", "what? [blocks]", stdin=NOTES))
        for command in (("send", alias), ("run",), ("spawn",)):
            refused = self.home.run(*command, "--file", "-", "-", stdin=b"x")
            self.assertEqual((refused.code, "stdin is read once" in refused.err), (2, True))
        empty = self.home.run("send", alias, "--file", "-", "x")
        self.assertEqual((empty.code, "stdin is empty" in empty.err), (2, True), str(empty))

    def test_large_files_reach_the_agent_whole(self):
        picture = PNG + bytes(range(256)) * ((5 * MIB - len(PNG)) // 256)
        text = ("line of a long text, ünd so on\n" * 400_000).encode()[:12 * MIB]
        while text[-1] >= 0x80:
            text = text[:-1]
        self.file("large.png", picture)
        self.file("large.txt", text)
        alias = self.session()
        said = self.given(alias, "--file", "large.png", "--file", "large.txt", "so? [blocks]")
        self.assertIn(image(picture) + text_file("large.txt", text), said)

    # Shows R015.
    def test_bad_files_are_refused_by_name_and_nothing_is_sent(self):
        alias = self.session()
        self.file("program.zip", b"PK\x03\x04\x14\x00\x00")
        self.file("photo.bmp", b"BM\x7a\x12\x00\x00")
        self.file("utf16.txt", "text".encode("utf-16"))
        self.file("empty.txt", b"")
        self.file("blank.txt", b"\n \n")
        self.file("odd\nname.txt", b"text")
        self.file("turned\u202ename.txt", b"text")
        self.file("huge.txt", b"x" * (20 * MIB + 1))
        self.file("image.png", PNG + bytes(5 * MIB))
        self.file("secret.txt", b"text")
        os.chmod(self.home.path("work", "secret.txt"), 0)
        os.mkdir(self.home.path("work", "folder"))
        os.mkfifo(self.home.path("work", "pipe"))
        cases = [("missing.png", 3, "missing.png cannot be read: No such file"),
                 ("folder", 2, "folder is a folder; name a file in it"),
                 ("pipe", 2, "pipe is no regular file"),
                 ("/dev/null", 2, "is no regular file"),
                 ("empty.txt", 2, "empty.txt is empty"),
                 ("program.zip", 2, "program.zip is none of the files that can be sent, by its "
                                    "bytes: " + CANNOT),
                 ("photo.bmp", 2, CANNOT), ("utf16.txt", 2, CANNOT), ("blank.txt", 2, CANNOT),
                 ("odd\nname.txt", 2, "name has control characters"),
                 ("turned\u202ename.txt", 2, "name has control characters"),
                 ("huge.txt", 5, f"has {20 * MIB + 1} bytes, and the files of a prompt have 20 MiB"),
                 ("image.png", 5, "an image has 5 MiB at most")]
        if os.geteuid() != 0:
            cases.append(("secret.txt", 1, "secret.txt cannot be read: Permission denied"))
        before = len(self.events(alias, "TurnQueued"))
        for name, code, words in cases:
            for command in (("send", alias), ("run", "--engine", "scripted"), ("resume", alias)):
                with self.subTest(name=name, command=command[0]):
                    result = self.home.run(*command, "--file", name, "x")
                    self.assertEqual(result.code, code, str(result))
                    self.assertIn(words, result.err)
                    self.assertNotIn("\u202e", result.err)
        self.file("a.txt", b"text")
        many = self.home.run("send", alias, *["--file", "a.txt"] * 11, "x")
        self.assertEqual((many.code, "11 files are named, and a prompt has 10" in many.err), (5, True))
        self.file("half.txt", b"x" * (11 * MIB))
        together = self.home.run("send", alias, *["--file", "half.txt"] * 2, "x")
        self.assertEqual((together.code, "of 20 MiB at most" in together.err), (5, True))
        self.assertEqual(len(self.events(alias, "TurnQueued")), before)
        self.assertEqual(len(self.home.ask("ls")["sessions"]), 1)
        self.assertIn(text_file("a.txt", b"text"),
                      self.given(alias, "--file", "a.txt", "still there? [blocks]"))

    def test_a_file_that_grows_while_it_is_read_is_sent_whole_or_not_at_all(self):
        alias = self.session()
        path = self.file("log.txt", b"")
        is_over = threading.Event()

        def write():
            with open(path, "ab") as file:
                while not is_over.is_set() and file.tell() < 19 * MIB:
                    file.write(b"one line of the log\n")
                    file.flush()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            until(lambda: os.path.getsize(path) > 1000, "the log's first lines")
            for _ in range(10):
                result = self.home.run("send", alias, "--file", "log.txt", "read [blocks]")
                if result.code != 0:
                    self.assertIn("changed while it was read; send it again", result.err)
        finally:
            is_over.set()
            writer.join()
        for event in self.events(alias, "FileAttached"):
            self.assertLess(event["content_bytes"], 20 * MIB)


class FilesSurvive(WithFiles):
    """What was acknowledged is on the record, and the agent is given it from there."""
    CONFIG = 'max_sessions = 50\nworker_silence_max = "2s"\n'

    def kill(self, both):
        worker = self.home.worker_pid()
        self.home.stop(signal.SIGKILL)
        if both:
            os.kill(worker, signal.SIGKILL)

    def test_a_killed_server_gives_the_files_after_its_restart(self):
        for both in (False, True):
            with self.subTest(both=both):
                alias = self.home.start_session("[hang]", "--multi-turn", "--continue-after-failure")
                self.home.wait_for_event(alias, "AgentInitialized")
                names = [self.file(f"{name}-{both}", data)
                         for name, data in (("shot", PNG), ("notes", NOTES))]
                self.runs("send", alias, "--file", names[0], "--file", names[1], "so? [blocks]")
                self.kill(both)
                for name in names:
                    os.remove(name)
                self.home.start()
                if not both:
                    self.runs("interrupt", alias)
                said = image(PNG) + text_file(f"notes-{both}", NOTES) + prompt("so? [blocks]")
                until(lambda: said in self.runs("output", alias), "the agent's answer")
                # It has them, and is not given them again.
                self.home.stop()
                self.home.start()
                self.assertNotIn("image", self.given(alias, "and now? [echo]"))
                self.runs("kill", alias)
                resumed = self.home.ask("resume", alias, "on [blocks]")["alias"]
                self.assertEqual(self.answer(resumed, "on [blocks]"), prompt("on [blocks]"))
                self.runs("kill", resumed)

    def test_the_first_prompt_of_a_session_keeps_its_files_over_a_kill(self):
        path = self.file("notes.md", NOTES)
        # Its worker obeys nothing, so that no agent has it.
        os.kill(self.home.worker_pid(), signal.SIGSTOP)
        alias = self.home.start_session("read [blocks]", "--multi-turn", "--file", path)
        self.assertFalse(self.events(alias, "AgentStarted"))
        self.kill(True)
        os.remove(path)
        self.home.start()
        said = text_file("notes.md", NOTES) + prompt("read [blocks]")
        until(lambda: said in self.runs("output", alias), "the agent's answer")

    def test_prompts_that_are_added_to_a_turn_have_their_files(self):
        self.file("shot.png", PNG)
        alias = self.home.start_session("[words 3] [delay 4000] [say one]")
        self.home.wait_for_event(alias, "AgentInitialized")
        self.runs("send", alias, "--file", "shot.png", "look [blocks]")
        self.home.wait_for_event(alias, "PromptInjected")
        self.home.wait_for_end(alias)
        shown = self.runs("output", alias)
        self.assertIn(f"look [blocks] [with shot.png (image/png, {len(PNG)} bytes)]", shown)
        self.assertIn(image(PNG) + prompt("look [blocks]"), shown)

    def test_prompts_that_were_left_take_their_files_along(self):
        path = self.file("notes.md", NOTES)
        alias = self.home.start_session("[hang]", "--multi-turn")
        self.home.wait_for_event(alias, "AgentInitialized")
        self.runs("send", alias, "--file", path, "read [blocks]")
        self.runs("kill", alias)
        os.remove(path)
        resumed = self.home.ask("resume", alias, "--with-queue")["alias"]
        self.assertEqual(self.answer(resumed, "read [blocks]"),
                         text_file("notes.md", NOTES) + prompt("read [blocks]"))

    def test_prompts_of_one_turn_that_have_too_many_files_together_become_turns(self):
        paths = [self.file(f"{i}.md", f"note {i}".encode()) for i in range(12)]
        files = [word for path in paths for word in ("--file", path)]
        alias = self.home.start_session("[hang]")
        self.home.wait_for_event(alias, "AgentInitialized")
        self.runs("send", alias, *files[:12], "one [blocks]")
        self.runs("send", alias, *files[12:], "two [blocks]")
        os.kill(self.home.show(alias)["pid"], signal.SIGKILL)
        self.home.wait_for_end(alias)
        refused = self.home.run("resume", alias, "--with-queue")
        self.assertEqual(refused.code, 2, str(refused))
        self.assertIn("have 12 files, and one prompt has at most 10; --multi-turn gives", refused.err)
        resumed = self.home.ask("resume", alias, "--with-queue", "--multi-turn")["alias"]
        shown = until(lambda: self.home.show(resumed)["turns_finished"] == 2 and
                      self.runs("output", resumed), "the answers")
        self.assertIn(text_file("0.md", b"note 0"), shown)
        self.assertIn(text_file("11.md", b"note 11"), shown)
        self.runs("kill", resumed)

    def test_a_resume_with_a_file_gives_it(self):
        self.file("notes.md", NOTES)
        alias = self.home.start_session("[say ok]")
        self.home.wait_for_end(alias)
        self.assertIn(text_file("notes.md", NOTES) + prompt("now? [blocks]"),
                      self.runs("resume", alias, "--file", "notes.md", "--follow", "now? [blocks]"))

    def test_an_erased_file_is_in_no_file_of_the_home(self):
        path = self.file("notes.md", NOTES)
        large = self.file("large.txt", b"marlin-in-a-large-file\n" * 20_000)
        alias = self.session()
        self.given(alias, "--file", path, "--file", large, "read [blocks]")
        os.remove(path)
        os.remove(large)
        self.assertTrue(files_with(self.home.folder, "the-file-says-swordfish"))
        [notes, _] = self.events(alias, "FileAttached")
        self.runs("erase", alias, "--wait", "--event", str(notes["position"]))
        self.assertEqual(files_with(self.home.folder, "the-file-says-swordfish"), [])
        self.assertTrue(files_with(self.home.folder, "marlin-in-a-large-file"))
        self.runs("kill", alias)
        until(lambda: self.events(alias, "LeaseReleased"), "the lease's end")
        self.runs("erase", alias, "--wait")
        self.assertEqual(files_with(self.home.folder, "marlin-in-a-large-file"), [])
        self.assertIn("erased", self.runs("output", alias))
        self.assertEqual(self.home.run("replay", "verify").code, 0)

    def test_a_file_is_not_erased_before_the_agent_has_it(self):
        path = self.file("notes.md", NOTES)
        alias = self.home.start_session("[hang]", "--multi-turn")
        self.home.wait_for_event(alias, "AgentInitialized")
        self.runs("send", alias, "--file", path, "read [blocks]")
        [notes] = self.events(alias, "FileAttached")
        refused = self.home.run("erase", alias, "--event", str(notes["position"]))
        self.assertEqual((refused.code, "yet to be given" in refused.err), (4, True), str(refused))


class Surfaces(WithFiles):
    """Operations take files by path, or themselves; agents name no paths."""

    def client(self):
        child = self.home.follow("mcp")
        numbers = iter(range(1, 1000))

        def call(tool, **arguments):
            number = next(numbers)
            child.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                                    "params": {"name": tool, "arguments": arguments}}) + "\n")
            return json.loads(child.line())
        return call

    def test_files_come_by_path_and_as_data(self):
        call = self.client()
        path = self.file("shot.png", PNG)
        data = base64.b64encode(NOTES).decode()
        said = [path, {"name": "notes.md", "media_type": "text/markdown", "data": data}]
        answer = call("claude_launch", prompt="first [blocks]", name="tool", files=said)
        self.assertIn("shot.png (image/png", answer["result"]["content"][0]["text"])
        self.home.wait_for_event("tool", "TurnFinished")
        blocks = image(PNG) + text_file("notes.md", NOTES)
        self.assertIn(blocks + prompt("first [blocks]"), self.runs("output", "tool"))
        answer = call("claude_respond", session="tool", message="", files=said)
        self.assertIn("[with shot.png", answer["result"]["content"][0]["text"])
        until(lambda: len(self.events("tool", "TurnFinished")) == 2, "the second turn")
        self.assertIn(blocks + "\n", self.runs("output", "tool"))
        for files, words in (
                (["shot.png"], "absolute paths"),
                ([path + ".missing"], "No such file"),
                ([{"name": "a.png", "media_type": "image/png", "data": data}],
                 "a.png is said to be image/png, and its bytes are text/plain"),
                ([{"name": "a.txt", "data": "!!"}], "no base64"),
                ([{"name": "a\nb", "data": data}], "control characters"),
                ([{"name": "a.txt"}], "a list of paths, or of objects with name and data"),
                ([7], "a list of paths"), (path, "a list of paths"), ([path] * 11, "10 at most")):
            with self.subTest(words=words):
                answer = json.dumps(call("claude_respond", session="tool", message="x", files=files))
                self.assertIn(words, answer)
        self.assertEqual(len(self.events("tool", "TurnQueued")), 2)

    def test_a_repeated_request_with_its_key_attaches_once(self):
        call = self.client()
        path = self.file("shot.png", PNG)
        for _ in range(2):
            answer = call("claude_launch", prompt="[blocks]", name="once", files=[path],
                          idempotency_key="the-same")
            self.assertNotIn("error", answer)
        self.assertEqual(len(self.events("once", "FileAttached")), 1)
        other = json.dumps(call("claude_launch", prompt="[blocks]", name="once",
                                files=[path, path], idempotency_key="the-same"))
        self.assertIn("another", other)

    def test_an_agent_cannot_name_a_path(self):
        path = self.file("shot.png", PNG)
        alias = self.session()
        self.home.environment["STENO_SESSION"] = self.home.show(alias)["session"]
        call = self.client()
        refused = json.dumps(call("claude_respond", session=alias, message="x", files=[path]))
        self.assertIn("would be read without its permissions", refused)
        data = base64.b64encode(NOTES).decode()
        taken = call("claude_respond", session=alias, message="so? [blocks]",
                     files=[{"name": "notes.md", "data": data}])
        self.assertIn("notes.md", json.dumps(taken))
        until(lambda: len(self.events(alias, "TurnFinished")) == 2, "the second turn")
        self.assertIn(text_file("notes.md", NOTES), self.runs("output", alias))

    # Shows R165.
    def test_hooks_are_told_of_files_and_not_given_them(self):
        told = self.home.path("told.json")
        script = self.file("hook", f"#!/bin/sh\ncat > {told}\n".encode())
        os.chmod(script, 0o700)
        self.home.stop()
        self.home.write_config(
            f'max_sessions = 50\n[[hooks]]\nname = "told"\non = ["UserPromptSubmit"]\n'
            f'command = "{script}"\n')
        self.home.start()
        self.file("shot.png", PNG)
        self.runs("run", "--engine", "scripted", "--file", "shot.png", "look [blocks]")
        with open(told, encoding="utf-8") as file:
            payload = json.load(file)
        self.assertEqual((payload["prompt"], payload["files"]),
                         ("look [blocks]", [{"name": "shot.png", "media_type": "image/png",
                                             "bytes": len(PNG)}]))


if __name__ == "__main__":
    unittest.main()
