#!/usr/bin/env python3
"""The hooks that Claude Code's makers publish run unchanged as hooks of `steno serve`.

Usage: published_hooks_test.py STENO FOLDER
FOLDER holds a checkout of https://github.com/anthropics/claude-code. They are not free to be copied,
and therefore no part of this repository. Exits with 77 where they, or jq, which they use, are missing.
"""
import json
import os
import shutil
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from support.steno_process import Home, until  # noqa: E402

SKIPPED = 77
EXAMPLES = "plugins/plugin-dev/skills/hook-development/examples"


def published(*names):
    return os.path.join(os.environ["PUBLISHED_HOOKS"], *names)


def hook(name, on, command, **keys):
    rows = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
    return f'[[hooks]]\nname = "{name}"\non = "{on}"\ncommand = {json.dumps(command)}\n{rows}'


def plugin(name):
    """Returns the hooks of a plugin, as its own file has them."""
    with open(published("plugins", name, "hooks", "hooks.json"), encoding="utf-8") as file:
        points = json.load(file)["hooks"]
    root = published("plugins", name)
    return "\n".join(
        hook(f"{name}-{on.lower()}", on, f"export CLAUDE_PLUGIN_ROOT={root}; {one['command']}")
        for on, matchers in points.items() for matcher in matchers for one in matcher["hooks"])


class Published(unittest.TestCase):
    def start(self, *tables):
        self.home = Home('engine = "scripted"\nstop_grace = "300ms"\n' + "\n".join(tables))
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def file(self, name, text):
        path = os.path.join(self.home.workdir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def ran(self, prompt):
        alias = self.home.start_session(prompt)
        self.home.wait_for_end(alias)
        return alias

    def events(self, alias, kind):
        return [event for event in self.home.events(self.home.show(alias)["session"])
                if event["type"] == kind]

    def hooks(self, alias):
        return [(event["facts"]["hook"], event["facts"]["outcome"])
                for event in self.events(alias, "HookRan")]

    def results(self, alias):
        return [event["content"] for event in self.events(alias, "ToolCallFinished")]

    def said(self, alias):
        return self.events(alias, "OutputRecorded")[-1]["content"]

    def test_the_validator_of_commands_blocks_and_says_what_to_use(self):
        script = published("examples", "hooks", "bash_command_validator_example.py")
        self.start(hook("validator", "PreToolUse", f"python3 {script}", tool="Bash"))
        alias = self.ran("[bash grep needle haystack] [say Done.]")
        self.assertIn("Use 'rg' (ripgrep) instead of 'grep'", self.results(alias)[0])
        self.assertEqual(self.hooks(alias), [("validator", "blocked")])
        self.assertEqual(self.hooks(self.ran("[bash ls] [say Done.]")), [("validator", "passed")])

    def test_scripts_that_guard_commands_and_files_block(self):
        self.start(hook("bash", "PreToolUse", "bash " + published(EXAMPLES, "validate-bash.sh"), tool="Bash"),
                   hook("write", "PreToolUse", "bash " + published(EXAMPLES, "validate-write.sh"), tool="Write"))
        for command, outcome in (("rm -rf build", "blocked"), ("sudo ls", "blocked"), ("echo rm", "passed")):
            alias = self.ran(f"[bash {command}] [say Done.]")
            self.assertEqual(self.hooks(alias), [("bash", outcome)], command)
        self.assertIn("Dangerous command detected: rm -rf",
                      self.results(self.ran("[bash rm -rf x] [say Done.]"))[0])
        for path, code in (("/etc/passwd", 5), ("../up", 5), ("app.env", 5), ("src/a.cpp", 0)):
            tried = self.home.run("hooks", "try", "write", "--tool", "Write", "--input",
                                  json.dumps({"file_path": path, "content": "x"}))
            self.assertEqual(tried.code, code, str(tried))

    def test_a_script_loads_context_and_leaves_variables(self):
        self.start(hook("load", "SessionStart", "bash " + published(EXAMPLES, "load-context.sh")))
        self.file("package.json", "{}")
        self.file("tsconfig.json", "{}")
        alias = self.home.start_session("[echo] hello", "--multi-turn")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the answer")
        self.assertIn("Node.js project detected", self.said(alias))
        left = self.home.path("run", "sessions", self.home.show(alias)["session"], "run", "hooks.env")
        with open(left, encoding="utf-8") as file:
            self.assertEqual(file.read(), "export PROJECT_TYPE=nodejs\nexport USES_TYPESCRIPT=true\n")
        self.home.run("kill", alias)
        self.home.wait_for_end(alias)

    def test_a_plugin_adds_its_instructions(self):
        self.start(plugin("explanatory-output-style"))
        self.assertIn("You are in 'explanatory' output style mode", self.said(self.ran("[echo] hello")))

    def test_a_plugin_of_rules_blocks_and_lets_pass_at_all_its_points(self):
        self.start(plugin("hookify"))
        shutil.copy(published("plugins", "hookify", "examples", "dangerous-rm.local.md"),
                    os.path.join(self.home.workdir, "hookify.rm.local.md"))
        os.mkdir(os.path.join(self.home.workdir, ".claude"))
        os.rename(os.path.join(self.home.workdir, "hookify.rm.local.md"),
                  os.path.join(self.home.workdir, ".claude", "hookify.rm.local.md"))
        alias = self.ran("[bash rm -rf build] [say Done.]")
        self.assertEqual(self.hooks(alias), [("hookify-userpromptsubmit", "passed"),
                                             ("hookify-pretooluse", "blocked"), ("hookify-stop", "passed")])
        self.assertIn("Dangerous rm command detected", self.results(alias)[0])
        alias = self.ran("[bash make] [say Done.]")
        self.assertEqual(self.hooks(alias), [("hookify-userpromptsubmit", "passed"),
                                             ("hookify-pretooluse", "passed"),
                                             ("hookify-posttooluse", "passed"), ("hookify-stop", "passed")])

    def test_a_plugin_that_loops_lets_pass_without_a_loop(self):
        self.start(plugin("ralph-wiggum"))
        self.assertEqual(self.hooks(self.ran("[say Done.]")), [("ralph-wiggum-stop", "passed")])


if __name__ == "__main__":
    if len(sys.argv) > 2:
        os.environ["STENO_PROGRAM"] = os.path.abspath(sys.argv[1])
        os.environ["PUBLISHED_HOOKS"] = os.path.abspath(sys.argv[2])
    if not os.path.isdir(os.environ.get("PUBLISHED_HOOKS", "") + "/examples/hooks"):
        print("SKIPPED: no checkout of anthropics/claude-code")
        sys.exit(SKIPPED)
    if shutil.which("jq") is None:
        print("SKIPPED: jq is not installed")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
