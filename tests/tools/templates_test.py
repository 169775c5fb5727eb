#!/usr/bin/env python3
"""Settings of sessions from a project's .steno.toml, which gives an agent nothing that its user does
not give, unless the user trusts the file."""
import os
import re
import shlex
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home  # noqa: E402

FILE = """[defaults]
model = "opus"
budget_usd = 2

[templates.nightly]
prompt = "[say Updated.] update the dependencies"
name = "nightly-run"
model = "haiku"
system_prompt = "Be brief."
run_timeout = "20m"
max_turns = 5

[templates.wide]
prompt = "[say Wide.] go"
permission_mode = "bypassPermissions"
allow_tool = ["Bash", "Read"]
budget_usd = 50
"""


class Templates(unittest.TestCase):
    def setUp(self):
        self.home = Home('engine = "scripted"\n')
        self.addCleanup(self.home.close)
        self.project = self.home.path("work", "shop")
        os.makedirs(os.path.join(self.project, ".git"))
        os.makedirs(os.path.join(self.project, "src", "deep"))
        self.inside = os.path.join(self.project, "src", "deep")
        self.file = os.path.join(self.project, ".steno.toml")
        self.write(FILE)
        self.home.start()

    def tearDown(self):
        self.home.run("kill", "--all")
        self.assertEqual(self.home.stop(), 0)

    def write(self, text):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.file, 0o644)  # whatever the mask of this process is

    def steno(self, *arguments, code=0, folder=None, environment=None):
        result = subprocess.run(
            [self.home.program, "--home", self.home.folder, *arguments], check=False,
            cwd=folder or self.inside, env={**self.home.environment, **(environment or {})},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, code, f"{arguments}\n{result.stdout}{result.stderr}")
        return result

    def sessions(self):
        return self.home.ask("ls", "--all")["sessions"]

    def spec(self, *arguments, **options):
        """Starts a session; returns the spec that it was opened with."""
        self.steno("run", *arguments, **options)
        session = self.sessions()[0]["session"]
        [opened] = [event["facts"] for event in self.home.events(session)
                    if event["type"] == "SessionOpened"]
        return opened["spec"]

    def refused(self, *arguments, code=5, **options):
        before = len(self.sessions())
        result = self.steno("run", *arguments, code=code, **options)
        self.assertEqual(len(self.sessions()), before)
        return result.stderr

    def test_defaults_and_a_template_are_settings_of_a_session(self):
        spec = self.spec("[say Hi.] go")
        self.assertEqual((spec["model"], spec["budget_usd"]), ("opus", 2))
        spec = self.spec("--template", "nightly")
        self.assertEqual((spec["model"], spec["budget_usd"], spec["max_turns"]), ("haiku", 2, 5))
        self.assertEqual(spec["run_timeout_us"], 1_200_000_000)
        row = self.sessions()[0]
        self.assertEqual(row["name"], "nightly-run")
        shown = self.home.run("show", row["alias"]).out
        self.assertIn("Be brief.", shown)
        self.assertIn("update the dependencies", self.home.run("output", row["alias"]).out)
        said = self.steno("run", "--template", "nightly").stderr
        self.assertIn(f"settings of {self.file}, template nightly", said)
        self.steno("spawn", "--template", "nightly", "--name", "other", "[say Own.] mine")
        self.assertEqual(self.sessions()[0]["name"], "other")

    def test_what_is_typed_is_stronger(self):
        spec = self.spec("--template", "nightly", "--model", "sonnet", "--max-turns", "0", "[say A.]")
        self.assertEqual((spec["model"], spec.get("max_turns", 0)), ("sonnet", 0))
        spec = self.spec("[say B.]", environment={"STENO_MODEL": "sonnet"})
        self.assertEqual(spec["model"], "sonnet")
        spec = self.spec("--template", "none", "[say C.]")
        self.assertEqual((spec["model"], spec["budget_usd"]), ("", 5))
        # Only what the file has is refused, and not what the user says.
        spec = self.spec("--template", "wide", "--permission-mode", "bypassPermissions",
                         "--allow-tool", "Grep", "--budget-usd", "1")
        self.assertEqual((spec["permission_mode"], spec["allowed_tools"], spec["budget_usd"]),
                         ("bypassPermissions", ["Grep"], 1))

    def test_more_than_the_user_gives_needs_trust_once(self):
        said = self.refused("--template", "wide")
        for words in (self.file, "permission_mode (line 15)", "allow_tool (line 16)",
                      "budget_usd (line 17)", f"steno config trust {self.file}",
                      "--template none"):
            self.assertIn(words, said)
        self.assertNotIn("model", said)
        trusted = self.steno("config", "trust", "--yes")
        for words in ("bypassPermissions", "    Bash\n    Read\n", f"{self.file} is trusted"):
            self.assertIn(words, trusted.stdout)
        spec = self.spec("--template", "wide")
        self.assertEqual((spec["permission_mode"], spec["allowed_tools"], spec["budget_usd"]),
                         ("bypassPermissions", ["Bash", "Read"], 50))
        # The trust is for these bytes at this place.
        self.write(FILE + "# changed\n")
        self.assertIn("has changed since you trusted it", self.refused("--template", "wide"))
        self.write(FILE)
        self.spec("--template", "wide")
        moved = self.home.path("work", "copy")
        os.rename(self.project, moved)
        self.refused("--template", "wide", folder=moved)
        os.rename(moved, self.project)
        self.steno("config", "trust", self.project, "--forget")
        self.refused("--template", "wide")
        with open(self.home.path("trusted"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "")

    def test_a_change_of_the_file_of_mcp_servers_takes_the_trust_away(self):
        servers = os.path.join(self.project, "mcp.json")

        def serve(text):
            with open(servers, "w", encoding="utf-8") as file:
                file.write(text)
        serve("{}")
        self.write('[defaults]\nmcp_config = "mcp.json"\n')
        self.assertNotIn("changed", self.refused("[say No.]"))
        self.steno("config", "trust", "--yes")
        self.assertEqual(self.spec("[say Yes.]")["mcp_config"], servers)
        serve('{"mcpServers": {"x": {"command": "/bin/false"}}}')
        self.assertIn("has changed since you trusted it", self.refused("[say No.]"))
        self.steno("config", "trust", "--yes")
        self.spec("[say Yes.]")
        os.remove(servers)
        self.assertIn("has changed since you trusted it", self.refused("[say No.]"))

    def test_all_that_is_trusted_is_shown(self):
        rules = [f"Read(/a/folder/with/a/name/{number})" for number in range(30)]
        self.write("templates = { a = { allow_tool = [" + ", ".join(f'"{rule}"' for rule in rules)
                   + ', "Bash"] }, b = { allow_tool = ["Write"] }, c = { prompt = "/first\\nlast '
                   + 'at \\u001b[2J" } }\n')
        shown = self.steno("config", "trust", "--yes").stdout
        self.assertIn("line 1  [templates.a] allow_tool\n    "
                      + "\n    ".join(rules + ["Bash"]) + "\n", shown)
        self.assertIn("line 1  [templates.b] allow_tool\n    Write\n", shown)
        self.assertIn("line 1  [templates.c] prompt\n    /first\n    last at ", shown)
        self.assertNotIn("\x1b", shown)

    def test_trust_is_given_by_a_person_who_says_so(self):
        self.assertIn("say --yes", self.steno("config", "trust", code=2).stderr)
        self.assertIn("say --yes", self.steno("config", "trust", "-o", "json", code=2).stderr)
        no, seen = self.home.on_terminal(["config", "trust", self.project], [("[y/N]", "n\n")])
        self.assertNotEqual(no, 0)
        self.assertIn("the file is not trusted", seen)
        self.assertFalse(os.path.exists(self.home.path("trusted")))
        yes, seen = self.home.on_terminal(["config", "trust", self.project], [("[y/N]", "y\n")])
        self.assertEqual(yes, 0, seen)
        self.spec("--template", "wide")

    def test_the_command_that_trusts_can_be_pasted(self):
        moved = self.home.path("work", "it's; here")
        os.rename(self.project, moved)
        said = self.refused("--template", "wide", folder=moved)
        path = re.search("steno config trust (.*); --template none", said)[1]
        self.assertEqual(shlex.split(path), [os.path.join(moved, ".steno.toml")])

    def test_each_way_to_more_is_seen(self):
        servers = os.path.join(self.project, "mcp.json")
        with open(servers, "w", encoding="utf-8") as file:
            file.write("{}")
        for line in ('permission_mode = "acceptEdits"', 'permission_mode = "bypassPermissions"',
                     'unanswered = "approve"', 'workdir = "/"', 'workdir = "../.."',
                     'mcp_config = "mcp.json"', 'engine = "claude"', 'budget_usd = 5.01',
                     'budget_usd = 0', 'run_timeout = "never"', 'run_timeout = "2h"',
                     'idle_timeout = "31m"', 'repeated_calls_max = 0', 'allow_tool = ["Bash"]',
                     'channel = "telegram|1"', 'model = "of-no-price-1"',
                     'fallback_model = "of-no-price-1"'):
            self.write("[defaults]\n" + line + "\n")
            self.assertIn(f"{line.split()[0]} (line 2)", self.refused("[say No.]"), line)
        for own, line in (("STENO_SETTING_SOURCES=user", 'setting_sources = "all"'),
                          ("STENO_BACKGROUND=forbid", 'background = "allow"'),
                          ("STENO_APPROVALS=deny", 'approvals = "ask"'),
                          ("STENO_HOOKS_MUST_ANSWER=true", "hooks_must_answer = false"),
                          ("STENO_MAX_TOKENS=1000", "max_tokens = 2000")):
            name, _, value = own.partition("=")
            self.home.write_config(f'engine = "scripted"\n{name[6:].lower()} = '
                                   + (value if value in ("true", "1000") else f'"{value}"') + "\n")
            self.write("[defaults]\n" + line + "\n")
            self.assertIn("(line 2)", self.refused("[say No.]"), line)
        self.home.write_config('engine = "scripted"\nunanswered = "approve"\n')
        self.write('[defaults]\napproval_timeout = "1s"\n')
        self.assertIn("approval_timeout (line 2)", self.refused("[say No.]"))
        self.home.write_config('engine = "scripted"\n')
        self.write('[templates.x]\nprompt = "look at @/etc/passwd"\n')
        self.assertIn("prompt (line 2)", self.refused("--template", "x"))
        for prompt in ("/deploy now", "  /deploy"):
            self.write(f'[templates.x]\nprompt = "{prompt}"\n')
            self.assertIn("prompt (line 2)", self.refused("--template", "x"))
        self.write('[defaults]\nsystem_prompt = "as @~/notes says"\n')
        self.assertIn("system_prompt (line 2)", self.refused("[say No.]"))
        os.symlink("/", os.path.join(self.project, "out"))
        self.write('[defaults]\nworkdir = "out"\n')
        self.assertIn("workdir (line 2)", self.refused("[say No.]"))

    def test_less_than_the_user_gives_needs_none(self):
        self.write('[defaults]\npermission_mode = "plan"\nbudget_usd = 1\nrun_timeout = "10m"\n'
                   'workdir = "src"\napprovals = "deny"\nbackground = "forbid"\n'
                   'setting_sources = "none"\nmcp_config = "none"\nmax_tokens = 100000\n'
                   'hooks_must_answer = true\nthinking_tokens = 1000\nremind_after = "never"\n'
                   'restart_policy = "retry"\nmulti_turn = false\nfallback_model = "haiku"\n')
        spec = self.spec("[say Yes.]")
        self.assertEqual((spec["permission_mode"], spec["workdir"]),
                         ("plan", os.path.join(self.project, "src")))

    def test_a_file_is_looked_for_up_to_the_root_of_the_project(self):
        above = self.home.path("work", ".steno.toml")
        os.rename(self.file, above)
        said = self.refused("--template", "nightly", code=3)
        self.assertIn(f"up to {self.project}", said)
        os.rmdir(os.path.join(self.project, ".git"))
        self.spec("--template", "nightly")  # up to HOME
        # Where there is neither, only the folder itself counts.
        elsewhere = {"HOME": self.home.path("tmp")}
        self.refused("--template", "nightly", code=3, environment=elsewhere)
        self.spec("--template", "nightly", folder=self.home.workdir, environment=elsewhere)
        os.rename(above, self.file)
        nearer = os.path.join(self.inside, ".steno.toml")
        with open(nearer, "w", encoding="utf-8") as file:
            file.write('[defaults]\nmodel = "haiku"\n')
        self.assertEqual(self.spec("[say Near.]")["model"], "haiku")

    def test_mistakes_are_named_with_their_place(self):
        self.assertIn("did you mean nightly?", self.refused("--template", "nigthly", code=3))
        self.assertIn("there are nightly, wide", self.refused("--template", "other", code=3))
        self.write("[defaults]\nmodle = \"x\"\n")
        said = self.refused("[say No.]", code=2)
        self.assertIn(f"{self.file} line 2", said)
        self.assertIn("did you mean model?", said)
        for text, words in (("this is no TOML\n", "not TOML"),
                            ("[defaults]\nbudget_usd = \"x\"\n", "wrong kind"),
                            ("[defaults]\npermission_mode = \"yolo\"\n", "default, plan"),
                            ("[defaults]\nprompt = \"x\"\n", "unknown key 'prompt'"),
                            ("model = \"x\"\n", "belongs into [defaults]"),
                            ("claude_program = \"x\"\n", "your own settings file only"),
                            ("[defaults]\nagent_environment = \"x\"\n", "your own settings file"),
                            ("[defaults]\nstart_within = \"5m\"\n", "your own settings file"),
                            ("[[hooks]]\nname = \"x\"\n", "your own settings file only"),
                            ("[engines.x]\nkind = \"claude\"\n", "your own settings file only"),
                            ("[template.x]\n", "[defaults] and [templates.NAME]"),
                            ("templates = 3\n", "[defaults] and [templates.NAME]"),
                            ("[templates]\nx = 3\n", "is no template")):
            self.write(text)
            self.assertIn(words, self.refused("[say No.]", code=2), text)
        self.write('[templates.x]\nprompt = "-"\n')
        self.assertIn("not - for stdin", self.refused("--template", "x", code=2))
        os.remove(self.file)
        os.mkfifo(self.file)
        self.assertIn("no file that can be read", self.refused("[say No.]", code=1))

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_a_file_of_another_user_needs_trust_for_anything(self):
        self.write('[defaults]\nmodel = "haiku"\n')
        os.chown(self.file, 4711, -1)
        self.assertIn("belongs to another user", self.refused("[say No.]"))
        self.steno("config", "trust", self.file, "--yes")
        self.assertEqual(self.spec("[say Yes.]")["model"], "haiku")

    def test_a_file_that_others_can_write_needs_trust_for_anything(self):
        self.write('[defaults]\nmodel = "haiku"\n')
        for mode in (0o664, 0o646):
            os.chmod(self.file, mode)
            self.assertIn("can be written by others", self.refused("[say No.]"))
        os.chmod(self.file, 0o644)
        self.assertEqual(self.spec("[say Yes.]")["model"], "haiku")

    def test_an_agent_trusts_nothing(self):
        said = self.steno("config", "trust", code=5,
                          environment={"STENO_SESSION": "01890a5d-ac96-774b-bcce-b302099a8057"})
        self.assertIn("a person does", said.stderr)

    def test_every_flag_of_a_session_is_a_key(self):
        """A flag that is added is a key of templates, or stands here with those that are none."""
        none = {"file", "user", "parent", "detach", "template", "edit", "prompt-file", "help",
                "label", "start-within", "worktree"}
        flags = set(re.findall(r"--([a-z][a-z-]+)", re.sub(
            r"(?m)^ {10,}.*", "", self.steno("help", "run").stdout.split("Options:")[1]
            .split("Examples:")[0])))
        self.assertIn("model", flags)
        for flag in flags - none:
            self.write(f"[defaults]\n{flag.replace('-', '_')} = 1979-05-27\n")
            said = self.refused("[say No.]", code=2)
            self.assertNotIn("unknown key", said, flag)


if __name__ == "__main__":
    unittest.main()
