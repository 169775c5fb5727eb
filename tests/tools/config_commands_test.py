#!/usr/bin/env python3
"""`steno config get`, `set`, `unset` and `path`: the file is changed in place, and never made wrong."""
import os
import stat
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home  # noqa: E402

FILE = """# mine
agent = "ci"  # who
max_sessions = 7

[engines.sandbox]
kind = "scripted"
environment = ["TOKEN=hunter2"]

[[hooks]]
name = "guard"
on = "PreToolUse"
builtin = "deny"
tool = "Never"
"""


class Config(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)
        self.home.write_config(FILE)

    def text(self):
        with open(self.home.path("steno.toml"), encoding="utf-8") as file:
            return file.read()

    def config(self, *arguments, code=0, **options):
        result = self.home.run("config", *arguments, **options)
        self.assertEqual(result.code, code, str(result))
        return result

    def refused(self, *arguments, code=2):
        before = self.text()
        result = self.config(*arguments, code=code)
        self.assertEqual(self.text(), before)
        self.assertEqual((result.out, result.err.count("\n")), ("", 1), str(result))
        return result.err

    def test_a_value_comes_with_its_place(self):
        self.assertEqual((self.config("get", "max_sessions").out, self.config(
            "get", "max_sessions").err), ("7\n", f"from {self.home.folder}/steno.toml line 3\n"))
        self.assertEqual(self.config("get", "timeout").err, "from default\n")
        variable = self.config("get", "agent", environment={"STENO_AGENT": "x"})
        self.assertEqual((variable.out, variable.err), ("x\n", "from STENO_AGENT\n"))
        self.assertEqual(self.config("get", "agent", "--agent", "y").err, "from --agent\n")
        self.assertEqual(self.home.ask("config", "get", "engines.sandbox.kind"),
                         {"key": "engines.sandbox.kind", "value": "scripted", "source": "file",
                          "where": f"{self.home.folder}/steno.toml line 6"})
        self.assertEqual(self.config("get").out, self.config().out)
        self.assertIn("did you mean max_sessions?", self.refused("get", "max_session"))
        self.assertIn("is not set", self.refused("get", "engines.sandbox.home", code=3))
        self.assertIn("there are get, set, unset, trust, path", self.refused("show"))

    def test_a_key_is_set_and_all_else_stays(self):
        done = self.config("set", "max_sessions", "20")
        self.assertEqual(done.out, f"max_sessions = 20 in {self.home.folder}/steno.toml\n")
        self.assertEqual(self.text(), FILE.replace("= 7", "= 20"))
        self.assertEqual(self.config("set", "max_sessions", "20").err, "it was so before\n")
        self.config("set", "budget_usd", "2.50")
        self.config("set", "mcp_tools", "Read 'Bash(git log:*)'")
        self.config("set", "workdir", "sub")
        self.config("set", "mcp_config", "none")
        self.config("set", "gateway", "true")
        self.config("set", "conversations.queue.mode", "followup")
        self.config("set", "engines.sandbox.sandboxed", "true")
        self.assertEqual(self.home.ask("config", "get", "mcp_tools")["value"],
                         'Read "Bash(git log:*)"')
        self.assertEqual(self.config("get", "workdir").out, self.home.path("work", "sub") + "\n")
        self.assertEqual(self.config("get", "conversations.queue.mode").out, "followup\n")
        for line in FILE.replace("= 7", "= 20").splitlines():
            self.assertIn(line + "\n", self.text())
        for key in ("budget_usd", "mcp_tools", "workdir", "mcp_config", "gateway",
                    "engines.sandbox.sandboxed"):
            self.config("unset", key)
        self.config("unset", "conversations.queue.mode")
        self.assertEqual(self.text(),
                         FILE.replace("= 7", "= 20") + "\n[conversations.queue]\n")

    def test_what_would_make_it_wrong_is_refused(self):
        self.assertIn("did you mean max_sessions?", self.refused("set", "max_session", "3"))
        self.assertIn("a whole number from 1 to 10000", self.refused("set", "max_sessions", "0"))
        self.assertIn("a whole number from 1 to 10000", self.refused("set", "max_sessions", "07"))
        self.assertIn("a whole number from 1 to 10000", self.refused("set", "max_sessions", "many"))
        self.assertIn("true or false", self.refused("set", "gateway", "yes"))
        self.assertIn("default, plan", self.refused("set", "permission_mode", "yolo"))
        self.assertIn("has no kind", self.refused("set", "engines.new.home", "/h"))
        self.assertIn("has no kind", self.refused("unset", "engines.sandbox.kind"))
        self.assertIn("lists of tables", self.refused("set", "hooks.name", "x"))
        self.assertIn("unknown key 'bindings'", self.refused("set", "bindings", "x"))
        self.assertIn("unknown key", self.refused("unset", "nothing"))
        # A variable that is stronger does not hide a wrong value.
        result = self.home.run("config", "set", "agent", "No Name",
                               environment={"STENO_AGENT": "x"})
        self.assertEqual(result.code, 2, str(result))

    def test_one_setting_is_not_said_twice(self):
        self.config("set", "claude_program", "/bin/true")
        self.assertIn("are one setting", self.refused("set", "engines.claude.program", "/bin/x"))

    def test_a_wrong_file_can_be_set_right(self):
        self.home.write_config(FILE + "\n[conversations]\nzon = \"UTC\"\n")
        self.config("unset", "conversations.zon")
        self.assertEqual(self.text(), FILE + "\n[conversations]\n")
        self.home.write_config(FILE.replace("= 7", "= 0"))
        self.assertEqual(self.home.run("config").code, 2)
        self.assertEqual(self.config("path").out, self.home.path("steno.toml") + "\n")
        self.assertIn("another fault", self.refused("set", "agent", "x"))
        self.config("set", "max_sessions", "7")
        self.assertEqual(self.text(), FILE)
        self.home.write_config("max_sesions = 3\n" + FILE)
        self.config("unset", "max_sesions")
        self.assertEqual(self.text(), FILE)
        self.home.write_config("this is no TOML")
        self.assertIn("line 1", self.refused("set", "agent", "x"))

    def test_secrets_are_not_printed(self):
        shown = self.config("get", "engines.sandbox.environment")
        self.assertEqual(shown.out, "TOKEN=…\n")
        done = self.config("set", "engines.sandbox.environment", "TOKEN=swordfish")
        self.assertNotIn("swordfish", done.out + done.err)
        bad = self.refused("set", "engines.sandbox.environment", "swordfish")
        self.assertNotIn("swordfish", bad)
        self.assertIn('environment = "TOKEN=swordfish"', self.text())

    def test_an_agent_changes_nothing(self):
        before = self.text()
        for words in (("set", "permission_mode", "bypassPermissions"), ("unset", "agent")):
            result = self.config(*words, code=5, environment={
                "STENO_SESSION": "01890a5d-ac96-774b-bcce-b302099a8057"})
            self.assertIn("a person does", result.err)
        self.assertEqual(self.text(), before)

    def test_the_file_keeps_its_mode_and_a_link_its_target(self):
        real = self.home.path("dotfiles.toml")
        os.rename(self.home.path("steno.toml"), real)
        os.symlink(real, self.home.path("steno.toml"))
        os.chmod(real, 0o640)
        self.config("set", "max_sessions", "9")
        self.assertTrue(os.path.islink(self.home.path("steno.toml")))
        self.assertEqual(stat.S_IMODE(os.stat(real).st_mode), 0o640)
        self.assertIn("max_sessions = 9", self.text())
        os.remove(self.home.path("steno.toml"))
        self.config("set", "agent", "fresh")
        self.assertEqual(self.text(), 'agent = "fresh"\n')
        self.assertEqual(stat.S_IMODE(os.stat(self.home.path("steno.toml")).st_mode), 0o600)
        left = [name for name in os.listdir(self.home.folder) if name.startswith("steno.toml")]
        self.assertEqual(left, ["steno.toml"])

    def test_what_is_no_file_is_left_alone(self):
        link, target = self.home.path("steno.toml"), self.home.path("missing.toml")
        os.remove(link)
        os.symlink(target, link)
        said = self.config("set", "agent", "x", code=5).err
        self.assertIn("a link to a file that is not there", said)
        self.assertEqual((os.readlink(link), os.path.exists(target)), (target, False))
        folder = self.home.path("a-folder")
        os.mkdir(folder)
        said = self.config("set", "agent", "x", "--config", folder, code=1).err
        self.assertIn("no file that can be read", said)
        self.assertEqual(os.listdir(folder), [])

    def test_changes_at_once_are_not_lost(self):
        keys = ["agent", "timeout", "kill_grace", "stop_grace", "task_wait", "run_timeout"]
        values = ["z"] + ["17s"] * 5
        codes = {}

        def change(key, value):
            while codes.get(key, 75) == 75:
                codes[key] = self.home.run("config", "set", key, value).code
        threads = [threading.Thread(target=change, args=one) for one in zip(keys, values)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(codes, dict.fromkeys(keys, 0))
        for key, value in zip(keys, values):
            self.assertIn(f'{key} = "{value}"', self.text())

    def test_who_sees_a_change_is_said(self):
        self.home.start()
        self.assertIn("steno restart", self.config("set", "max_sessions", "9").err)
        self.assertIn("opened from now on", self.config("set", "model", "opus").err)
        self.assertIn("next command", self.config("set", "timeout", "5s").err)
        done = self.home.ask("config", "set", "max_sessions", "8")
        self.assertEqual((done["value"], done["changed"], done["restart"]), ("8", True, True))
        stronger = self.config("set", "model", "haiku", environment={"STENO_MODEL": "sonnet"})
        self.assertIn("STENO_MODEL is stronger here: model is sonnet", stronger.err)
        self.assertEqual(self.home.stop(), 0)
        self.assertEqual(self.config("set", "max_sessions", "7").err, "")

    def test_a_server_is_looked_for_where_it_was(self):
        self.home.start()
        file, old = self.home.path("own.toml"), self.home.path("data")
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(f'data_folder = "{old}"\n')

        def put(folder, *flags):
            # A home that a flag names would be stronger than the file.
            return subprocess.run(
                [self.home.program, "config", "set", "data_folder", folder, "--config", file,
                 *flags], env=self.home.environment, capture_output=True, text=True, check=True)
        self.assertIn(f"steno stop --data-folder {old} ends it",
                      put(self.home.path("other")).stderr)
        self.assertEqual(put(old).stderr, "")
        self.assertIn('"restart":true', put(self.home.path("other"), "-o", "json").stdout)
        self.assertEqual(self.home.stop(), 0)

    def test_the_path_is_that_of_the_file_that_is_read(self):
        self.assertEqual(self.home.ask("config", "path"),
                         {"config_file": self.home.path("steno.toml"), "exists": True})
        other = self.home.path("other", "file.toml")
        self.assertIn("does not exist", self.config("path", "--config", other).err)
        self.config("set", "agent", "x", "--config", other)
        with open(other, encoding="utf-8") as file:
            self.assertEqual(file.read(), 'agent = "x"\n')
        nowhere = subprocess.run([self.home.program, "config", "set", "agent", "x"], env={},
                                 capture_output=True, text=True, check=False)
        self.assertEqual(nowhere.returncode, 2, nowhere.stderr)
        self.assertIn("HOME", nowhere.stderr)
        shown = subprocess.run([self.home.program, "config", "path"], env={}, capture_output=True,
                               text=True, check=False)
        self.assertEqual((shown.returncode, shown.stdout, shown.stderr), (2, "", nowhere.stderr))


if __name__ == "__main__":
    unittest.main()
