#!/usr/bin/env python3
"""A prompt from a file, from stdin and from an editor, wherever one is taken."""
import glob
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home  # noqa: E402

TEXT = "[say Done.] first line\n\n  indented 'quoted' \"line\" — ünï\nlast line"


class Prompts(unittest.TestCase):
    def setUp(self):
        self.home = Home('engine = "scripted"\n')
        self.addCleanup(self.home.close)
        self.home.environment["TMPDIR"] = self.home.path("tmp")
        os.mkdir(self.home.path("tmp"))
        self.home.start()

    def tearDown(self):
        self.home.run("kill", "--all")
        self.assertEqual(self.home.stop(), 0)

    def file(self, name, text):
        path = self.home.path("work", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def editor(self, script):
        """Makes an editor of these lines of the shell, in which $1 is the file."""
        path = self.file("editor", "#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o700)
        return {"EDITOR": path, "VISUAL": ""}

    def ran(self, *arguments, code=0, **options):
        result = self.home.run(*arguments, **options)
        self.assertEqual(result.code, code, str(result))
        return result

    def prompts(self):
        """Returns the texts of all prompts that are on the record, in their order."""
        return [event["content"] for event in self.home.events()
                if event["type"] in ("TurnQueued", "MessageReceived", "PromptInjected")]

    def left_files(self):
        return glob.glob(self.home.path("tmp", "steno-prompt-*"))

    def test_a_file_is_a_prompt_wherever_one_is_taken(self):
        self.file("task.md", TEXT + "\n\n")
        self.ran("run", "--prompt-file", "task.md")
        self.ran("spawn", "--prompt-file", "task.md", "--multi-turn", "--name", "talk")
        self.ran("send", "talk", "--prompt-file", "task.md", "--wait")
        self.ran("message", "--to", "talk", "--prompt-file", "task.md")
        self.ran("conv", "send", "main", "--prompt-file", "task.md", "--wait")
        self.ran("close", "talk")
        self.ran("wait", "talk")
        self.ran("resume", "talk", "--prompt-file", "task.md")
        self.assertEqual(self.prompts()[:4] + self.prompts()[-1:], [TEXT] * 5)
        self.ran("schedule", "add", "nightly", "--every", "24h", "--prompt-file", "task.md")
        self.assertIn("last line", self.ran("schedule", "show", "nightly").out)
        self.file("task.md", "another one")
        self.ran("schedule", "edit", "nightly", "--prompt-file", "task.md")
        self.assertIn("another one", self.ran("schedule", "show", "nightly").out)

    def test_what_a_prompt_says_is_not_looked_at(self):
        self.file("dash", "-")
        self.ran("run", "--prompt-file", "dash")
        self.ran("run", "@missing.md [say Hi.]")
        self.ran("run", "--prompt-file", "-", stdin=TEXT.encode() + b"\n")
        self.assertEqual(self.prompts(), ["-", "@missing.md [say Hi.]", TEXT])
        help_text = self.ran("help", "run").out
        self.assertIn("agents read @PATH", " ".join(help_text.split()))

    def test_a_file_that_cannot_be_read_is_named(self):
        missing = self.ran("spawn", "--prompt-file", "none.md", code=3)
        self.assertIn("none.md cannot be read: No such file", missing.err)
        self.assertIn("Is a directory", self.ran("run", "--prompt-file", ".", code=1).err)
        self.file("empty.md", "\n \n")
        self.assertIn("the prompt is empty", self.ran("run", "--prompt-file", "empty.md",
                                                      code=2).err)
        self.assertIn("excludes", self.ran("run", "--prompt-file", "empty.md", "both", code=2).err)
        for command in (("spawn",), ("send", "x"), ("message",), ("conv", "send", "main"),
                        ("schedule", "add", "x", "--every", "1h")):
            self.assertIn("--prompt-file", self.ran(*command, code=2).err)
        self.assertEqual(self.prompts(), [])

    def test_an_editor_writes_a_prompt_of_several_lines(self):
        self.file("text", TEXT + "\n")
        self.ran("run", "--edit", environment=self.editor('cat text > "$1"'))
        # VISUAL comes first, and is a line of the shell.
        self.ran("run", "--edit", environment={"EDITOR": "false", "VISUAL": "cp text"})
        draft = self.editor('grep -q "^the draft$" "$1" && echo "and more" >> "$1"')
        self.ran("run", "--edit", "the draft", environment=draft)
        self.ran("run", "--edit", "-", stdin=b"the draft\n", environment=draft)
        self.assertEqual(self.prompts(), [TEXT, TEXT] + ["the draft\nand more"] * 2)
        self.assertEqual(self.left_files(), [])

    def test_an_editor_begins_with_the_prompt_of_a_template(self):
        os.chmod(self.file(".steno.toml", '[templates.t]\nprompt = "the template"\n'), 0o644)
        editor = self.editor('grep -q "^the template$" "$1" && echo "and more" >> "$1"')
        self.ran("run", "--template", "t", "--edit", environment=editor)
        self.assertEqual(self.prompts(), ["the template\nand more"])

    def test_a_draft_is_gone_once_its_prompt_is_accepted(self):
        self.file("text", TEXT + "\n")
        self.home.environment.update(self.editor('cat text > "$1"'))
        following = self.home.follow("run", "--multi-turn", "--edit")
        following.error_line("session ")
        self.assertEqual(self.left_files(), [])
        self.assertIsNone(following.child.poll())
        self.assertEqual(following.finish().code, 0)
        self.assertEqual(self.prompts(), [TEXT])

    def test_no_text_sends_nothing(self):
        empty = self.ran("run", "--edit", "the draft", code=1, environment=self.editor(': > "$1"'))
        self.assertIn("nothing was sent: the editor left no text", empty.err)
        failed = self.ran("run", "--edit", code=1, environment=self.editor("exit 3"))
        self.assertIn("ended with 3", failed.err)
        none = self.ran("run", "--edit", code=1, environment={"EDITOR": "/none/there"})
        self.assertIn("set VISUAL or EDITOR", none.err)
        # The usual editor would wait for keys that nobody can press.
        alone = self.home.popen(("run", "--edit"), {"EDITOR": "", "VISUAL": ""},
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                start_new_session=True)
        self.assertIn("there is no terminal for an editor; give the prompt by --prompt-file FILE",
                      alone.communicate(timeout=60)[1].decode())
        self.assertEqual(alone.returncode, 2)
        self.assertEqual(self.prompts(), [])
        self.assertEqual(self.left_files(), [])

    def test_a_text_that_was_not_sent_is_kept(self):
        self.file("text", TEXT + "\n")
        editor = self.editor('cat text > "$1"; exit "${CODE:-0}"')
        refused = self.ran("send", "nobody", "--edit", code=3, environment=editor)
        [left] = self.left_files()
        self.assertIn(f"kept in {left}, which --prompt-file reads", refused.err)
        self.assertEqual(os.stat(left).st_mode & 0o777, 0o600)
        self.ran("run", "--prompt-file", left)
        self.assertEqual(self.prompts(), [TEXT])
        os.remove(left)
        crashed = self.ran("run", "--edit", code=1, environment={**editor, "CODE": "1"})
        [left] = self.left_files()
        self.assertIn(f"the text is in {left}", crashed.err)

    def test_the_editor_has_the_terminal_where_pipes_are(self):
        self.home.environment.update(self.editor(
            'test -t 0 && test -t 1 && echo "[say Seen.] typed" > "$1"'))
        steno = self.home.program
        self.home.program = self.file("piped", f'#!/bin/sh\n{steno} "$@" < /dev/null | cat\n')
        os.chmod(self.home.program, 0o700)
        code, seen = self.home.on_terminal(["spawn", "--edit", "-o", "json"], [])
        self.home.program = steno
        self.assertIn('"alias":', seen)
        self.assertEqual((code, self.prompts()), (0, ["[say Seen.] typed"]))


if __name__ == "__main__":
    unittest.main()
