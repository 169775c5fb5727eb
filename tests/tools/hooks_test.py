#!/usr/bin/env python3
"""Hooks are asked at each point, block and change what they may, over any kill and fault."""
import http.server
import json
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "hooks.md")
ENGINE = 'engine = "scripted"\nstop_grace = "300ms"\n'


def examples():
    """Returns the tables of the page about hooks, by the names of the hooks."""
    with open(PAGE, encoding="utf-8") as page:
        blocks = re.findall(r"```toml\n(.*?)```", page.read(), re.DOTALL)
    tables = [table for block in blocks for table in re.split(r"(?=\[\[hooks\]\])", block) if table.strip()]
    return {re.search(r'name = "([^"]+)"', table).group(1): table for table in tables}


class Hooked(unittest.TestCase):
    def start(self, *tables, **settings):
        self.home = Home(ENGINE + "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
                         + "\n".join(tables))
        self.addCleanup(self.home.close)
        self.home.start()

    def start_with(self, *names, **settings):
        self.start(*(examples()[name] for name in names), **settings)

    def stop(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def ran(self, prompt, *flags):
        """Runs a session to its end; returns its alias."""
        alias = self.home.start_session(prompt, *flags)
        self.home.wait_for_end(alias)
        return alias

    def facts(self, alias, kind):
        session = self.home.show(alias)["session"]
        return [event["facts"] for event in self.home.events(session) if event["type"] == kind]

    def contents(self, alias, kind):
        session = self.home.show(alias)["session"]
        return [event["content"] for event in self.home.events(session) if event["type"] == kind]

    def said(self, alias):
        return self.contents(alias, "OutputRecorded")[-1]

    def runs(self, alias):
        return [(one["hook"], one["outcome"]) for one in self.facts(alias, "HookRan")]

    def log(self, alias):
        return self.home.ask("hooks", "log", alias)


class Examples(Hooked):
    """The examples of the page, as it has them."""

    # Shows R172, R268, C24, N08.
    def test_a_destructive_command_is_blocked_and_the_model_hears_why(self):
        self.start_with("no-force-push", "no-rm")
        alias = self.ran("[bash git push --force] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"),
                         ["Nobody forces a push here. Push without --force, or say why it is needed."])
        self.assertEqual(self.runs(alias), [("no-force-push", "blocked")])
        self.assertIn("PreToolUse was blocked by the hook no-force-push: Nobody forces",
                      self.home.run("output", alias).out)
        self.assertEqual(self.home.show(alias)["denied"], 0)
        alias = self.ran("[bash rm -rf /] [say Done.]")
        self.assertEqual(self.runs(alias), [("no-rm", "blocked")])
        alias = self.ran("[bash git push] [say Done.]")
        self.assertEqual((self.contents(alias, "ToolCallFinished"), self.runs(alias)), (["0"], []))
        self.stop()

    # Shows R156, R159.
    def test_the_model_is_told_at_the_start(self):
        self.start_with("branch")
        alias = self.ran("[echo] hello")
        self.assertRegex(self.said(alias), r"(?s)The folder is on branch none\..*\[echo\] hello")
        self.stop()

    # Shows R164, R166, R167.
    def test_a_prompt_is_blocked_by_its_content_and_another_rewritten(self):
        self.start_with("no-secrets", "ticket")
        ran = self.home.run("run", "use AKIAABCDEFGHIJKLMNOP")
        self.assertEqual(ran.code, 1, str(ran))
        self.assertIn("There is a key of AWS in this prompt", ran.out + ran.err)
        alias = self.ran("fix #12. [echo]")
        self.assertIn("fix #12. [echo] Read the ticket first.", self.said(alias))
        self.stop()

    # Shows R174.
    def test_an_argument_is_forced(self):
        self.start_with("polite-curl")
        alias = self.ran("[bash curl localhost] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["curl --max-time 10 localhost"])
        self.assertEqual(self.runs(alias), [("polite-curl", "changed")])
        self.stop()

    # Shows R186, R187, R191, R192, R195, R214, R215.
    def test_what_tools_did_is_audited_and_how_long_turns_took(self):
        self.start_with("audit", "slow")
        alias = self.ran("[tools 1] [say Done.]")
        failing = self.ran("[tools 1] [fail] [say Done.]")
        with open(os.path.join(self.home.workdir, "audit.jsonl"), encoding="utf-8") as file:
            told = [json.loads(line) for line in file]
        self.assertEqual([(one["hook_event_name"], one["tool_name"]) for one in told],
                         [("PostToolUse", "Bash"), ("PostToolUseFailure", "Bash")])
        self.assertEqual((told[0]["type"], told[0]["action"], told[0]["tool"]["name"]),
                         ("tool", "post_use", "Bash"))
        self.assertEqual(told[0]["steno"]["step"].split("#")[0], self.home.show(alias)["session"])
        self.assertEqual((told[0]["tool"]["arguments"]["command"], told[0]["tool_response"]["stdout"]),
                         ("echo 0", "0"))
        self.assertEqual((told[1]["tool"]["arguments"]["command"], told[1]["error"]), ("echo 0", "0"))
        with open(os.path.join(self.home.workdir, "turns.log"), encoding="utf-8") as file:
            self.assertEqual([line.split()[0] for line in file], [alias, failing])
        self.stop()

    # Shows R181.
    def test_what_is_trusted_is_approved_without_people(self):
        self.start_with("trusted")
        alias = self.ran("[bash make all] [ask] [say Done.]")
        [answer] = self.facts(alias, "AskAnswered")
        self.assertEqual((answer["verdict"], answer["basis"]), ("granted", "hook"))
        waiting = self.home.start_session("[bash make && rm x] [ask] [say Done.]")
        until(lambda: self.home.ask("approvals")["count"] == 1, "a request")
        self.home.run("deny", waiting)
        self.home.wait_for_end(waiting)
        self.stop()

    # Shows R188, R193, R194.
    def test_secrets_are_kept_from_the_model_and_an_error_is_explained(self):
        self.start_with("redact", "hint")
        alias = self.ran("[tools 1] [output password=hunter2 and more] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["[redacted] and more"])
        alias = self.ran("[tools 1] [fail] [output No space left on device] [say Done.]")
        self.assertIn("make clean frees some", self.said(alias))
        self.stop()

    # Shows R203, R204, R206, R208, R268.
    def test_subagents_are_bounded_and_told_more(self):
        self.start_with("few-subagents", "brief")
        alias = self.ran("[agent look around] [say Done.]")
        self.assertEqual(self.runs(alias), [("few-subagents", "passed"), ("brief", "changed")])
        [ran] = [one for one in self.log(alias) if one["hook"] == "brief"]
        self.assertEqual((ran["point"], ran["tool"]), ("PreToolUse", "Agent"))
        busy = self.home.start_session("[task 600000] [say 1]", "--multi-turn")
        for tasks in range(1, 5):
            until(lambda: self.home.show(busy)["tasks"] == tasks, f"{tasks} tasks")
            prompt = f"[task 600000] [say {tasks + 1}]" if tasks < 4 else "[agent look around] [say Done.]"
            self.home.run("send", busy, prompt)
        until(lambda: self.runs(busy), "the hook's answer")
        self.assertEqual(self.runs(busy), [("few-subagents", "blocked")])
        until(lambda: "four tasks run already" in "".join(self.contents(busy, "ToolCallFinished")), "a refusal")
        self.home.run("kill", busy)
        self.home.wait_for_end(busy)
        self.stop()

    # Shows R209, R210, R268.
    def test_people_are_told_when_a_subagent_is_done(self):
        self.start_with("subagent-done")
        alias = self.ran("[agent look around] [say Done.]")
        self.assertIn("A subagent is done: I was to look around", self.home.run("output", alias).out)
        [ran] = self.log(alias)
        self.assertEqual(ran["point"], "SubagentStop")
        self.stop()

    # Shows R226, R268.
    def test_what_sessions_cost_is_recorded_at_their_end(self):
        self.start_with("usage")
        alias = self.ran("[cost 0.25] [say Done.]")
        path = os.path.join(self.home.workdir, "usage.csv")
        until(lambda: os.path.exists(path) and os.path.getsize(path), "the file")
        with open(path, encoding="utf-8") as file:
            name, cost, duration = file.read().strip().split(",")
        self.assertEqual((name, float(cost)), (alias, 0.25))
        self.assertGreaterEqual(int(duration), 0)
        self.stop()

    def test_an_agent_goes_on_until_its_tests_pass(self):
        self.start_with("tests")
        with open(os.path.join(self.home.workdir, "Makefile"), "w", encoding="utf-8") as file:
            file.write("check:\n\t@test -e mended || { touch mended; echo They fail.; exit 1; }\n")
        alias = self.ran("[say Done.]")
        self.assertIn("Going on: They fail.", self.said(alias))
        self.assertEqual(self.runs(alias), [("tests", "blocked"), ("tests", "passed")])
        self.assertIn("the agent has to go on by the hook tests: They fail.", self.home.run("output", alias).out)
        self.stop()

    # Shows R196, R198, R201.
    def test_people_are_left_alone_at_night_but_for_what_cannot_wait(self):
        now = time.localtime()
        hour = now.tm_hour
        for begins, is_quiet in ((hour, True), ((hour + 2) % 24, False)):
            until_hour = (begins + 2) % 24 if is_quiet else (begins + 1) % 24
            night = examples()["night"].replace("23:00-08:00", f"{begins:02}:00-{until_hour:02}:59")
            with tempfile.TemporaryDirectory() as folder:
                script, told = os.path.join(folder, "tell"), os.path.join(folder, "told")
                with open(script, "w", encoding="utf-8") as file:
                    file.write(f'printf "%s\\n" "$1" >> {told}\n')
                self.start(night, notify_command=f"sh {script} {{text}}")
                self.home.run("run", "--channel", "telegram|1", "[say Done.]")
                self.home.run("run", "--channel", "telegram|1", "[error]")
                until(lambda: not self.home.ask("notify", "ls")["notifications"], "all are told")
                with open(told, encoding="utf-8") as file:
                    text = file.read()
                self.assertEqual("✅" in text, not is_quiet, text)
                self.assertIn("❌", text)
                self.stop()

    # Shows R225.
    def test_what_a_session_found_is_kept_at_its_end(self):
        self.start_with("findings")
        alias = self.ran("[say The store is slow.]")
        path = os.path.join(self.home.workdir, "MEMORY.md")
        until(lambda: os.path.exists(path), "the file")
        until(lambda: not self.home.ask("notify", "ls")["notifications"], "it is told")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), f"## {alias} none \n\nThe store is slow.\n")
        self.stop()

    def test_no_example_is_untested(self):
        with open(os.path.abspath(__file__), encoding="utf-8") as file:
            text = file.read()
        tested = {name for names in re.findall(r'start_with\(([^)]*)\)', text)
                  for name in re.findall(r'"([^"]+)"', names)}
        tested |= set(re.findall(r'examples\(\)\["([^"]+)"\]', text))
        self.assertEqual(tested, set(examples()))


class Memory(Hooked):
    """What sessions found, kept in their folder."""
    TABLE = '[[hooks]]\nname = "memory"\non = ["SessionStart", "SessionEnd"]\nbuiltin = "memory"\n'

    def notifications(self):
        return self.home.ask("notify", "ls")["notifications"]

    def keep(self, prompt):
        """Runs a session, and waits until its end is told; returns its alias."""
        alias = self.ran(prompt)
        until(lambda: not self.notifications(), "its end is told")
        return alias

    def files(self):
        folder = os.path.join(self.home.workdir, "memory")
        return sorted(os.path.join(folder, name) for name in os.listdir(folder))

    def kept(self):
        [path] = self.files()
        with open(path, encoding="utf-8") as file:
            return file.read()

    # Shows R160, R228, R229, R268.
    def test_what_a_session_found_is_told_the_next_one(self):
        self.start_with("memory")
        first = self.keep("[say The store is slow.]")
        self.assertRegex(os.path.basename(self.files()[0]), r"^\d{4}-\d\d-\d\d\.md$")
        session = self.home.show(first)["session"]
        self.assertRegex(self.kept(), rf"^## \d\d:\d\d {first}: completed <!-- steno {session}#\d+ -->\n\n"
                                      r"The store is slow\.\n$")
        second = self.keep("[echo] hello")
        self.assertIn("The store is slow.", self.said(second))
        self.assertIn("hello", self.said(second))
        self.assertIn(f" {second}: completed <!--", self.kept())
        self.assertEqual(self.runs(first), [("memory", "passed")])
        self.assertEqual(self.runs(second), [("memory", "changed")])
        self.stop()

    def test_an_end_that_is_told_twice_is_kept_once(self):
        fails = table("fails", "SessionEnd", 'command = "test -e go"')
        self.start(self.TABLE, fails)
        alias = self.ran("[say The store is slow.]")
        [failed] = until(lambda: [one for one in self.notifications() if one["attempts"] > 0], "a failure")
        self.assertIn("the hook fails failed", failed["error"])
        with open(os.path.join(self.home.workdir, "go"), "w", encoding="utf-8"):
            pass
        self.home.run("notify", "retry", str(failed["notification"]))
        until(lambda: not self.notifications(), "its end is told")
        self.assertEqual(self.kept().count(alias), 1)
        self.stop()

    def test_no_link_leads_out_of_the_folder(self):
        self.start(self.TABLE)
        outside = self.home.path("outside")
        os.mkdir(outside)
        day = time.strftime("%Y-%m-%d.md")
        other = os.path.join(outside, "other")
        with open(other, "w", encoding="utf-8") as file:
            file.write("secret")
        memory = os.path.join(self.home.workdir, "memory")

        def check(words):
            alias = self.ran("[echo] hello")
            [ran] = self.facts(alias, "HookRan")
            self.assertEqual(ran["outcome"], "failed")
            self.assertIn(words, ran["note"])
            self.assertNotIn("secret", self.said(alias))
            [failed] = until(lambda: [one for one in self.notifications() if one["attempts"] > 0], "a failure")
            self.assertIn(words, failed["error"])
            self.home.run("notify", "drop", str(failed["notification"]))
            self.assertEqual(os.listdir(outside), ["other"])
            with open(other, encoding="utf-8") as file:
                self.assertEqual(file.read(), "secret")

        os.symlink(outside, memory)
        check("the folder memory cannot be opened")
        os.unlink(memory)
        os.mkdir(memory)
        os.symlink(other, os.path.join(memory, day))
        check(f"memory/{day} cannot be opened")
        os.unlink(os.path.join(memory, day))
        os.link(other, os.path.join(memory, day))
        check(f"memory/{day} cannot be opened")
        os.unlink(os.path.join(memory, day))
        os.mkfifo(os.path.join(memory, day))
        check(f"memory/{day} cannot be opened")
        self.stop()

    def test_it_is_bounded(self):
        self.start(self.TABLE)
        self.keep("[say " + "x" * 30_000 + "]")
        size = len(self.kept())
        self.assertGreater(size, 15_000)
        self.assertLess(size, 17_000)
        [path] = self.files()
        with open(path, "a", encoding="utf-8") as file:
            file.write("a line\n" * (((1 << 20) - size) // 7))
        alias = self.ran("[echo] hello")
        self.assertLess(len(self.said(alias)), 9_000)
        self.assertIn("a line", self.said(alias))
        [failed] = until(lambda: [one for one in self.notifications() if one["attempts"] > 0], "a failure")
        self.assertIn("would have more than 1 MiB", failed["error"])
        self.assertLessEqual(os.path.getsize(path), 1 << 20)
        self.stop()


def table(name, on, how, **keys):
    rows = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
    return f'[[hooks]]\nname = "{name}"\non = {json.dumps(on)}\n{how}\n{rows}'


class Powers(Hooked):
    # Shows R221.
    def test_a_compaction_can_be_blocked(self):
        self.start(table("keep", "PreCompact", 'builtin = "deny"', text="not now"))
        alias = self.ran("[compact] [say Done.]")
        [answer] = self.facts(alias, "AskAnswered")
        self.assertEqual((answer["verdict"], answer["point"]), ("denied", "PreCompact"))
        self.assertIn("PreCompact was blocked by the hook keep: not now", self.home.run("output", alias).out)
        self.stop()

    def test_a_prompt_that_is_added_to_a_turn_is_asked_about(self):
        self.start(table("screen", "UserPromptSubmit", 'builtin = "deny"', input="secret", text="no"))
        alias = self.home.start_session("[words 40] [delay 50] go")
        self.home.wait_for_event(alias, "TurnStarted")
        self.home.run("send", alias, "a secret word")
        self.home.wait_for_end(alias)
        self.assertIn(("screen", "blocked"), self.runs(alias))
        self.stop()

    def test_people_are_told_what_a_hook_says_and_a_turn_ends_for_it(self):
        say = '''echo '{"systemMessage": "look here", "continue": false, "stopReason": "enough"}' '''
        self.start(table("says", "UserPromptSubmit", f"command = {json.dumps(say)}"))
        ran = self.home.run("run", "[say Done.]")
        self.assertEqual(ran.code, 1, str(ran))
        self.assertIn("a hook ends the turn: enough", ran.out + ran.err)
        self.stop()


class Order(Hooked):
    """The points of a session, in their order, and the session as it is at each of them."""
    POINTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse",
              "PostToolUseFailure", "Notification", "SubagentStart", "SubagentStop", "Stop", "PreCompact",
              "SessionEnd")

    def told(self):
        path = os.path.join(self.home.workdir, "told.jsonl")
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def start_with_a_witness(self):
        """Starts a server with a hook that keeps what each point is told, and how its session stands."""
        line = ("import fcntl, json, os, subprocess, sys\n"
                "told = json.load(sys.stdin)\n"
                f"show = [{os.environ['STENO_PROGRAM']!r}, '--home', os.environ['HOME'], 'show',\n"
                "        told['steno']['session'], '-o', 'json']\n"
                "told['shown'] = json.loads(subprocess.run(show, stdout=-1, check=True).stdout)['session']\n"
                "with open('told.jsonl', 'a') as file:\n"
                "    fcntl.flock(file, fcntl.LOCK_EX)\n"
                "    print(json.dumps(told), file=file)\n")
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        script = os.path.join(folder, "witness.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(line)
        command = f'command = "python3 -B {script}"'
        # One hook is asked once about the call by which a subagent is started.
        others = [point for point in self.POINTS if point != "SubagentStart"]
        self.start(table("witness", others, command), table("another", "SubagentStart", command),
                   notify_command="true {text}")

    # Shows R153, R157, R161, R165, R197, R200, R226, R264, R265, R266, R267.
    def test_points_come_in_their_order_and_find_the_session_in_its_state(self):
        self.start_with_a_witness()
        alias = self.home.start_session("[compact] [tools 2] [ask] [say Done.] go", "--channel", "telegram|1",
                                        "--multi-turn")
        for request in range(2):
            until(lambda: self.home.ask("approvals")["count"] == 1 and
                  [one["hook_event_name"] for one in self.told()].count("PermissionRequest") > request, "a request")
            self.home.run("approve", alias)
            until(lambda: self.home.ask("approvals")["count"] == 0 or
                  self.home.show(alias)["waiting_for_input"], f"the end of request {request}")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the answer")
        for prompt in ("[agent look around] [say Looked.]", "[tools 1] [fail] [say Failed.]"):
            self.assertEqual(self.home.run("send", "--wait", alias, prompt).code, 0)
        self.home.run("close", alias)
        self.home.wait_for_end(alias)
        until(lambda: not self.home.ask("notify", "ls")["notifications"], "all is told")
        told = self.told()
        points = [one["hook_event_name"] for one in told]
        self.assertEqual(set(points), set(self.POINTS))
        of = {point: [one for one in told if one["hook_event_name"] == point] for point in self.POINTS}
        self.assertEqual(points[:3], ["SessionStart", "UserPromptSubmit", "PreCompact"])
        self.assertEqual([len(of[point]) for point in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")],
                         [1, 3, 3, 1])
        self.check_order(points)
        self.check_what_is_told(of, alias)
        # What people are told is no part of the conversation.
        self.assertNotIn("witness", self.home.run("output", alias).out)
        self.stop()

    def check_order(self, points):
        calls = prompts = 0
        for point in points:
            calls += {"PreToolUse": 1, "PostToolUse": -1, "PostToolUseFailure": -1}.get(point, 0)
            prompts += {"UserPromptSubmit": 1, "Stop": -1}.get(point, 0)
            self.assertIn((calls, prompts), ((0, 0), (0, 1), (1, 1)), points)
            if point == "PermissionRequest":
                self.assertEqual(calls, 1)
        self.assertLess(points.index("SubagentStart"), points.index("SubagentStop"))
        self.assertEqual(calls, 0)
        behind = points[points.index("SessionEnd"):]
        self.assertLessEqual(set(behind), {"SessionEnd", "Notification"})

    def check_what_is_told(self, of, alias):
        for point, type_and_action in (("SessionStart", ("session", "start")),
                                       ("UserPromptSubmit", ("agent", "prompt_submit")),
                                       ("PermissionRequest", ("approval", "request")),
                                       ("Notification", ("notification", "send")),
                                       ("SubagentStop", ("subagent", "stop")), ("Stop", ("lifecycle", "stop")),
                                       ("PreCompact", ("compaction", "pre_compact")), ("SessionEnd", ("session", "end"))):
            for one in of[point]:
                self.assertEqual((one["type"], one["action"]), type_and_action)
                self.assertEqual((one["sessionKey"], one["agentId"]), (f"agent:main:{alias}", "main"))
                self.assertEqual(one["workspace"]["path"], self.home.workdir)
                self.assertTrue(one["timestamp"])
        self.assertEqual(of["SessionStart"][0]["source"], "startup")
        self.assertIn("[compact]", of["UserPromptSubmit"][0]["prompt"])
        self.assertTrue(of["UserPromptSubmit"][0]["runId"])
        for one in of["Notification"]:
            self.assertLessEqual({"title", "body", "priority", "delivery"}, set(one["notification"]))
            self.assertIn(one["notification"]["priority"], ("passive", "active", "timeSensitive"))
            self.assertTrue(one["metadata"]["source"])
        end = of["SessionEnd"][0]
        self.assertEqual((end["reason"], end["session"]["status"]), ("none", "completed"))
        # A turn is under way from the prompt to the answer, and people are asked meanwhile.
        for point in ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "SubagentStart", "Stop"):
            for one in of[point]:
                self.assertIn(one["shown"]["status"], ("starting", "running"), point)
                self.assertTrue(one["shown"]["turn"], point)
        for one in of["PermissionRequest"]:
            self.assertEqual([ask["tool"] for ask in one["shown"]["asks"] if ask["kind"] == "approval"], ["Bash"])
        self.assertEqual(end["shown"]["status"], "completed")

    # Shows R157, R161.
    def test_a_session_that_goes_on_says_so_at_its_start(self):
        self.start_with_a_witness()
        first = self.ran("[say Done.]")
        resumed = self.home.ask("resume", first, "[say More.]")["alias"]
        self.home.wait_for_end(resumed)
        until(lambda: not self.home.ask("notify", "ls")["notifications"], "all is told")
        self.assertEqual([one["source"] for one in self.told() if one["hook_event_name"] == "SessionStart"],
                         ["startup", "resume"])
        self.stop()


class Faults(Hooked):
    def test_a_hook_that_fails_lets_pass_or_blocks_as_its_setting_says(self):
        self.start(table("loose", "PreToolUse", 'command = "echo boom >&2; exit 1"'))
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual((self.contents(alias, "ToolCallFinished"), self.runs(alias)),
                         (["0"], [("loose", "failed")]))
        self.assertIn("the hook loose failed: it ended with code 1: boom", self.home.run("output", alias).out)
        self.assertIn("loose: it ended with code 1", self.home.run("hooks", "ls").err)
        self.stop()
        self.start(table("strict", "PreToolUse", 'command = "exit 1"', on_failure="block"))
        alias = self.ran("[tools 1] [say Done.]")
        self.assertIn("The hook strict failed: it ended with code 1", self.contents(alias, "ToolCallFinished")[0])
        self.stop()

    def test_nonsense_floods_and_hangs_are_failures(self):
        faults = {
            "nonsense": ("echo '{'", "its answer is no JSON"),
            "wrong": ("""echo '{"decision": "maybe"}'""", "the decision is unknown"),
            "number": ("""echo '{"hookSpecificOutput": {"updatedInput": 7}}'""", "updatedInput is no object"),
            "flood": ("(printf '{'; yes) 2>/dev/null", "did not end within 1 s"),
            "hang": ("sleep 1000 & sleep 1000", "did not end within 1 s"),
            "forks": ("sleep 1000 & exit 1", "it ended with code 1"),
            "many": ("for i in $(seq 300); do sleep 1000 & done; wait", "did not end within 1 s"),
            "tree": ("f() { [ $1 = 0 ] || { f $(($1 - 1)) & f $(($1 - 1)) & }; sleep 1000; }; f 6",
                     "did not end within 1 s"),
            "binary": (r"printf '\377\000\376nonsense'", ""),
            "gone": ("kill -9 $$", "signal 9"),
        }
        self.start(*(table(name, "PreToolUse", f"command = {json.dumps(line)}", timeout="1s")
                     for name, (line, _) in faults.items()))
        alias = self.ran("[tools 1] [say Done.]")
        notes = {one["hook"]: one["note"] for one in self.facts(alias, "HookRan")}
        for name, (_, note) in faults.items():
            self.assertIn(note, notes[name], name)
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["0"])
        self.stop()

    def test_a_hook_without_the_right_to_change_only_blocks(self):
        change = """echo '{"hookSpecificOutput": {"updatedInput": {"command": "other"}}}'"""
        self.start(table("quiet", "PreToolUse", f"command = {json.dumps(change)}", modify=False))
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["0"])
        self.assertIn("may change nothing", self.facts(alias, "HookRan")[0]["note"])
        self.stop()

    def test_hooks_are_asked_in_order_and_see_what_was_changed(self):
        def change(command):
            answer = {"hookSpecificOutput": {"updatedInput": {"command": command}}}
            return "tee -a told.jsonl >/dev/null; echo >> told.jsonl; echo " + "'" + json.dumps(answer) + "'"
        self.start(table("first", "PreToolUse", f"command = {json.dumps(change('one'))}"),
                   table("second", "PreToolUse", f"command = {json.dumps(change('two'))}"))
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["two"])
        with open(os.path.join(self.home.workdir, "told.jsonl"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line)["tool_input"]["command"] for line in file], ["echo 0", "one"])
        self.stop()

    def test_a_wrong_setting_is_named(self):
        wrong = {
            "needs one of command": table("a", "PreToolUse", ""),
            "'PreTool' is not accepted": table("a", "PreTool", 'command = "true"'),
            "(RE2 says: missing ): ()": table("a", "PreToolUse", 'command = "true"', input="("),
            "is there twice": table("a", "Stop", 'command = "true"') + table("a", "Stop", 'command = "true"'),
            "did you mean timeout?": table("a", "Stop", 'command = "true"', timeouts="1s"),
            "redacts: it needs a pattern": table("a", "Stop", 'builtin = "redact"', pattern="x"),
            "names a tool, and is asked where": table("a", "Stop", 'command = "true"', tool="Bash"),
            "has several of command": table("a", "Stop", 'command = "true"\nbuiltin = "deny"'),
            "is a memory: it needs": table("a", "Stop", 'builtin = "memory"'),
            "has no name": '[[hooks]]\non = "Stop"\ncommand = "true"\n',
            "accepted are tables [[hooks]]": "hooks = 7\n",
        }
        for words, tables in wrong.items():
            with Home(ENGINE + tables) as home:
                ran = home.run("serve")
                self.assertEqual(ran.code, 2, (words, str(ran)))
                self.assertIn(words, ran.err)
                self.assertIn("line ", ran.err)

    def test_a_wrong_hook_keeps_nobody_from_a_server_that_runs(self):
        self.start()
        self.home.write_config(ENGINE + table("a", "PreTool", 'command = "true"'))
        self.assertEqual(self.home.run("ls").code, 0)
        restarted = self.home.run("restart")
        self.assertIn("the one that runs was left as it is", restarted.err)
        self.assertIn("'PreTool' is not accepted", self.home.run("hooks", "try", "a").err)
        self.stop()
        with Home(ENGINE + table("a", "Stop", 'command = "true"', engine="scriptd")) as home:
            self.assertIn("there is no engine 'scriptd'", home.run("serve").err)


class Engines(Hooked):
    """Engines whose agents cannot be asked everywhere."""
    OLD = '[engines.old]\nkind = "scripted"\nhook_points = ["PreToolUse"]\n'
    REFUSAL = "the hook checks is asked at Stop, where agents of the engine old cannot be asked"

    def test_a_session_whose_engine_cannot_be_asked_is_refused(self):
        self.start(self.OLD)
        before = self.home.start_session("[say Done.]", engine="old")
        self.home.wait_for_end(before)
        self.stop_and_add(table("checks", ["Stop", "PreToolUse"], 'command = "true"'))
        for arguments in (("spawn", "--engine", "old", "[say Done.]"),
                          ("resume", before, "[say Done.]", "--engine", "old"),
                          ("resume", before, "[say Done.]", "--engine", "old", "--fork"),
                          ("schedule", "add", "nightly", "--every", "1d", "--engine", "old", "[say Done.]")):
            refused = self.home.run(*arguments)
            self.assertEqual(refused.code, 5, str(refused))
            self.assertIn(self.REFUSAL, refused.err)
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual(self.runs(alias), [("checks", "passed"), ("checks", "passed")])
        self.stop()

    def stop_and_add(self, tables):
        self.assertEqual(self.home.stop(), 0)
        with open(self.home.path("steno.toml"), "a", encoding="utf-8") as file:
            file.write("\n" + tables)
        self.home.start()

    def test_a_hook_of_others_refuses_nothing(self):
        self.start(self.OLD, table("checks", "Stop", 'command = "true"', engine="scripted"),
                   table("others", "Stop", 'command = "true"', agent="other"),
                   table("ends", ["SessionStart", "UserPromptSubmit", "SessionEnd"], 'command = "true"'))
        alias = self.home.start_session("[say Done.]", engine="old")
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.assertEqual(self.runs(alias), [("ends", "passed"), ("ends", "passed")])
        refused = self.home.run("spawn", "--agent", "other", "--engine", "old", "[say Done.]")
        self.assertIn("the hook others is asked at Stop", refused.err)
        self.stop()

    def test_sessions_do_without_an_optional_hook_and_say_so(self):
        self.start(self.OLD, table("checks", ["Stop", "PreToolUse"], 'command = "true"', optional=True))
        alias = self.home.start_session("[tools 1] [say Done.]", engine="old")
        self.home.wait_for_end(alias)
        self.assertEqual(self.runs(alias), [("checks", "passed")])
        self.assertRegex(self.home.run("show", alias).out, r"hook +checks: not asked, engine old has no Stop\n")
        self.assertEqual(self.home.ask("hooks", "ls")["hooks"][0]["not_asked"], {"old": "Stop"})
        other = self.ran("[say Done.]")
        self.assertNotIn("not asked", self.home.run("show", other).out)
        self.stop()

    def test_wrong_points_of_an_engine_are_named(self):
        with Home(ENGINE + self.OLD.replace("PreToolUse", "SessionStart")) as home:
            ran = home.run("serve")
            self.assertEqual(ran.code, 2, str(ran))
            self.assertIn("'SessionStart' is not accepted", ran.err)


class Http(Hooked):
    def serve(self, answer, status=200):
        seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                seen.append((dict(self.headers), json.loads(body)))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(answer.encode())

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/", seen

    def test_a_url_is_asked_signed_and_answers(self):
        answer = {"decision": "block", "reason": "not today"}
        url, seen = self.serve(json.dumps(answer))
        folder = Home()
        self.addCleanup(folder.close)
        secret = os.path.join(folder.folder, "hook")
        with open(secret, "w", encoding="utf-8") as file:
            file.write(url + "\nwhsec_c2VjcmV0\n")
        os.chmod(secret, stat.S_IRUSR | stat.S_IWUSR)
        self.start(table("remote", "PreToolUse", f'url_file = "{secret}"'))
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["not today"])
        [(headers, body)] = seen
        self.assertTrue(headers["webhook-signature"].startswith("v1,"))
        self.assertEqual((body["hook_event_name"], body["tool_input"]["command"]), ("PreToolUse", "echo 0"))
        self.stop()

    def test_an_error_of_the_other_side_is_a_failure(self):
        url, _ = self.serve("{}", 500)
        self.start(table("remote", "PreToolUse", f'url = "{url}"', on_failure="block"))
        alias = self.ran("[tools 1] [say Done.]")
        self.assertIn("HTTP status 500", self.contents(alias, "ToolCallFinished")[0])
        self.stop()


class Rules(Hooked):
    def test_a_rule_holds_at_calls_that_need_no_approval(self):
        self.start(permission_mode="bypassPermissions")
        self.home.run("rules", "add", "--deny", "Bash(echo 1*)")
        alias = self.ran("[tools 2] [say Done.]")
        self.assertEqual([one.startswith("Denied by the rule Bash(echo 1*)")
                          for one in self.contents(alias, "ToolCallFinished")], [False, True])
        self.assertEqual(self.home.show(alias)["denied"], 0)
        self.assertIn("PreToolUse was blocked by rule 1", self.home.run("output", alias).out)
        self.home.run("rules", "add", "--ask", "Bash(echo 0*)")
        asking = self.home.start_session("[tools 1] [say Done.]")
        until(lambda: self.home.ask("approvals")["count"] == 1, "a request")
        self.assertIn("✅ approved", self.home.run("approve", asking).out)
        self.home.wait_for_end(asking)
        self.assertEqual(self.contents(asking, "ToolCallFinished"), ["0"])
        self.stop()

    def test_without_rules_and_hooks_no_step_is_asked(self):
        self.start()
        alias = self.ran("[tools 1] [say Done.]")
        self.assertEqual(self.facts(alias, "AskRaised"), [])
        self.assertIn("there are no hooks", self.home.run("hooks", "ls").err)
        self.stop()


class Kills(Hooked):
    WAITS = "until test -e go; do sleep 0.05; done; echo asked >> asked"

    def let_go(self):
        with open(os.path.join(self.home.workdir, "go"), "w", encoding="utf-8"):
            pass

    def test_a_step_survives_a_kill_of_the_server(self):
        self.start(table("waits", "PreToolUse", f'command = "{self.WAITS}"', timeout="1m"))
        alias = self.home.start_session("[tools 1] [say Done.]")
        self.home.wait_for_event(alias, "AskRaised")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.let_go()
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.assertEqual(self.contents(alias, "ToolCallFinished"), ["0"])
        self.assertEqual([one["end"] for one in self.facts(alias, "AskClosed")], ["told"])
        self.assertEqual(self.runs(alias), [("waits", "passed")])
        self.stop()

    def test_a_step_ends_with_its_agent_and_nothing_of_the_hook_is_left(self):
        self.start(table("waits", "PreToolUse", f'command = "{self.WAITS}"', timeout="1m"))
        alias = self.home.start_session("[tools 1] [say Done.]")
        self.home.wait_for_event(alias, "AskRaised")
        self.home.run("kill", alias)
        self.home.wait_for_end(alias)
        self.assertEqual([one["end"] for one in self.facts(alias, "AskClosed")], ["agent_gone"])
        self.assertEqual(self.contents(alias, "ToolCallFinished"), [])
        self.stop()

    def test_an_interrupt_withdraws_a_step(self):
        self.start(table("waits", "PreToolUse", f'command = "{self.WAITS}"', timeout="1m"))
        alias = self.home.start_session("[tools 1] [say Done.]", "--multi-turn")
        self.home.wait_for_event(alias, "AskRaised")
        self.home.run("interrupt", alias)
        self.home.wait_for_event(alias, "TurnInterrupted")
        self.assertEqual([one["end"] for one in self.facts(alias, "AskClosed")], ["withdrawn"])
        self.home.run("kill", alias)
        self.stop()

    def test_a_step_before_a_prompt_is_asked_again_after_its_worker_was_killed(self):
        self.start(table("waits", "UserPromptSubmit", f'command = "{self.WAITS}"', timeout="1m"))
        alias = self.home.start_session("[say Done.]")
        self.home.wait_for_event(alias, "AskRaised")
        os.kill(self.home.worker_pid(), signal.SIGKILL)
        until(lambda: len(self.facts(alias, "AskRaised")) == 2, "the step again")
        self.let_go()
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")
        self.assertEqual([one["end"] for one in self.facts(alias, "AskClosed")], ["agent_gone", "told"])
        self.stop()


class Tried(Hooked):
    def test_a_hook_is_tried_without_effect(self):
        self.start(examples()["no-rm"], examples()["redact"])
        tried = self.home.run("hooks", "try", "no-rm", "--input", '{"command": "rm -rf /"}')
        self.assertRegex(tried.out, r"no-rm: blocked after \S+\nNothing outside the folder is removed\.\n")
        self.assertEqual(tried.code, 5)
        other = self.home.run("hooks", "try", "no-rm", "--input", '{"command": "ls"}')
        self.assertIn("is not asked about this", other.err)
        self.assertEqual(other.code, 2)
        redacted = self.home.run("hooks", "try", "redact", "--result", "token=abc")
        self.assertIn("[redacted]", redacted.out)
        self.assertEqual(redacted.code, 0)
        self.assertEqual(self.home.run("hooks", "try", "nobody").code, 3)
        alias = self.ran("[bash rm -rf /] [say Done.]")
        [event] = [one for one in self.home.events(self.home.show(alias)["session"])
                   if one["type"] == "AskRaised"][:1]
        again = self.home.run("hooks", "try", "no-rm", "--session", alias, "--at", str(event["position"]))
        self.assertIn("no-rm: blocked", again.out)
        gone = self.home.run("hooks", "try", "no-rm", "--session", alias, "--at", "1")
        self.assertEqual(gone.code, 3, str(gone))
        self.stop()

    def test_they_are_listed_with_what_came_of_them(self):
        self.start(examples()["no-rm"])
        self.ran("[bash rm -rf /] [say Done.]")
        [row] = self.home.ask("hooks", "ls")["hooks"]
        self.assertEqual((row["name"], row["how"], row["runs"], row["blocked"]), ("no-rm", "deny", 1, 1))
        self.assertRegex(self.home.run("hooks", "ls").out, r"no-rm +PreToolUse +Bash /rm -rf\? // +deny +10s")
        self.stop()


if __name__ == "__main__":
    unittest.main()
