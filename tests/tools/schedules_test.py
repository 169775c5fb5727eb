#!/usr/bin/env python3
"""What sessions are for, and prompts that run at set times, over kills of server and worker."""
import json
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, beside, until  # noqa: E402


class WithHome(unittest.TestCase):
    def setUp(self):
        self.home = Home('worker_silence_max = "1s"\nmax_sessions = 50\n')
        self.addCleanup(self.home.close)

    def prompts(self, reference):
        items = self.home.ask("output", reference, "--all")["items"]
        return [item["text"] for item in items if item["kind"] == "prompt"]

    def alias(self, reference):
        return self.home.show(reference)["alias"]

    def kill_server(self):
        self.home.server.signal(signal.SIGKILL)
        self.home.server.child.wait()
        self.home.server.close()
        self.home.start()

    def lose_worker(self):
        """Kills the worker; its agents end with it, and another one takes its place."""
        os.kill(self.home.worker_pid(), signal.SIGKILL)


class Descriptors(WithHome):
    # Shows R298, R300, R301, R305.
    def test_a_session_is_found_by_what_it_is_for(self):
        self.home.start()
        missing = self.home.run("show", "@foreground")
        self.assertEqual(missing.code, 3)
        self.assertIn("No recent foreground session found.", missing.err)
        first = self.home.start_session("hello", "--multi-turn", "--user", "telegram/alice/42")
        self.home.start_session("count", "--multi-turn")
        self.home.run("schedule", "add", "beat", "--every", "1d", "--heartbeat", "look")
        self.home.run("schedule", "run", "beat")
        second = self.home.start_session("hello", "--multi-turn", "--user", "slack/bob/7")
        until(lambda: self.home.run("show", "@heartbeat").code == 0, "the heartbeat's session")
        for _ in range(2):
            self.assertEqual(self.alias("@foreground"), second)
            self.assertEqual(self.alias("@telegram/alice/42"), first)
            # It waits for as long as it takes.
            self.assertLess(self.home.show("@heartbeat")["idle_timeout_us"], 0)
            descriptor = self.home.show("@heartbeat")["descriptor"]
            self.assertEqual((descriptor["kind"], descriptor["task"]), ("heartbeat", "beat"))
            self.kill_server()
        self.home.run("kill", second)
        self.assertEqual(self.alias("@foreground"), first)
        sent = self.home.run("send", "@telegram/alice/42", "--wait", "again")
        self.assertEqual(sent.code, 0, sent)
        self.assertEqual(self.prompts(first), ["hello", "again"])
        self.assertEqual(self.home.run("show", "@nobody").code, 2)
        self.assertEqual(self.home.run("spawn", "--user", "alice", "hello").code, 2)

    # Shows R296, R305.
    def test_whoever_writes_for_a_user_finds_a_session_or_opens_one(self):
        self.home.start()
        user = "@telegram/alice/42"
        opened = self.home.run("send", user, "--wait", "[say hello]")
        self.assertEqual((opened.code, opened.out.strip()), (0, "hello"), str(opened))
        first = self.home.show(user)
        self.assertEqual((first["descriptor"]["kind"], first["descriptor"]["user"]),
                         ("user", "alice"))
        [fact] = [event["facts"] for event in self.home.events(first["session"])
                  if event["type"] == "SessionOpened"]
        self.assertEqual(fact["origin_channel"], "telegram|42")
        self.assertEqual(self.home.show("@foreground")["session"], first["session"])
        # It lives: the next one goes there.
        self.assertEqual(self.home.run("send", user, "--wait", "[say there]").code, 0)
        self.assertEqual(self.home.show(user)["session"], first["session"])
        for command in (("send", user), ("message", "--to", user)):
            before = self.home.show(user)
            self.home.run("kill", before["alias"])
            self.home.wait_for_end(before["alias"])
            said = self.home.run(*command, "[say again]")
            self.assertEqual(said.code, 0, str(said))
            self.assertIn(f"goes on with {before['name']} [{before['alias']}]", said.out)
            after = self.home.show(user)
            self.assertEqual(after["resumed_from"], before["session"])
            self.assertRegex(self.home.run("show", user).out,
                             rf"resumed from +{before['name']} \[{before['alias']}\]")
            until(lambda: self.home.show(user)["turns_finished"] == 1, "the answer")
        told = self.home.run("message", "--to", "@slack/bob/7", "[say yes]", "-o", "json")
        self.assertEqual(self.home.show("@slack/bob/7")["alias"], told.json()["alias"], str(told))
        self.assertEqual(self.home.run("send", "@telegram//42", "hello").code, 2)
        self.assertEqual(self.home.run("send", "@heartbeat", "hello").code, 3)

    # Shows R302, R306, R307.
    def test_a_message_goes_to_the_parent_or_else_to_the_foreground(self):
        self.home.start()
        user = self.home.start_session("hello", "--multi-turn", "--user", "telegram/alice/42")
        boss = self.home.start_session("lead", "--multi-turn")
        child = self.home.start_session("help", "--multi-turn", "--parent", boss)

        def message(sender, *words):
            session = self.home.show(sender)["session"]
            return self.home.run("message", *words, environment={"STENO_SESSION": session})
        self.assertEqual(message(child, "from the subagent").code, 0)
        self.assertEqual(message(boss, "from another").code, 0)
        self.assertEqual(message(boss, "--to", child, "to the subagent").code, 0)
        self.assertEqual(self.home.run("message", "--from", child, "again").code, 0)
        self.assertIn("from the subagent", self.prompts(boss))
        self.assertIn("again", self.prompts(boss))
        self.assertIn("from another", self.prompts(user))
        self.assertIn("to the subagent", self.prompts(child))
        sent = [event for event in self.home.events(self.home.show(boss)["session"])
                if event["type"] == "TurnQueued" and event["facts"]["from"]]
        self.assertEqual({event["facts"]["from"] for event in sent},
                         {self.home.show(child)["session"]})
        parent = self.home.run("show", "@parent", "-o", "json",
                               environment={"STENO_SESSION": self.home.show(child)["session"]})
        self.assertEqual(parent.json()["session"]["alias"], boss)
        self.assertEqual(self.home.run("show", "@parent").code, 2)
        nested = self.home.run("spawn", "--parent", child, "--engine", "scripted", "more")
        self.assertEqual(nested.code, 2)
        self.assertIn("is a subagent itself", nested.err)
        tree = self.home.run("ls", "--tree").out.split("\n")
        self.assertIn("└ ", tree[[boss in line for line in tree].index(True) + 1])

    # Shows R306, R307.
    def test_an_agent_reaches_its_server_and_its_parent(self):
        self.home.start(serve_flags=())
        script = self.home.path("agent.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{os.environ['STENO_PROGRAM']} message 'from within' > "
                       f"{self.home.path('said')} 2>&1\nexec {beside('steno-scripted-agent')} \"$@\"\n")
        os.chmod(script, 0o700)
        self.home.stop()
        with open(self.home.path("steno.toml"), encoding="utf-8") as file:
            config = file.read()
        self.home.write_config(config.replace(beside("steno-scripted-agent"), script))
        self.home.start()
        boss = self.home.ask("spawn", "--agent", "ci", "--engine", "scripted", "--multi-turn",
                             "lead")["alias"]
        self.home.ask("spawn", "--agent", "ci", "--engine", "claude", "--parent", boss, "help")

        def heard():
            items = self.home.ask("output", "--agent", "ci", boss, "--all")["items"]
            return "from within" in [item["text"] for item in items]
        until(heard, "the message of the subagent's own shell")

    # Shows R309, R312, R316, R317.
    def test_a_parent_and_a_user_hear_that_a_turn_was_lost(self):
        script = self.home.path("sink.sh")
        told = self.home.path("told")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$@" >> {told}\n')
        os.chmod(script, 0o700)
        with open(self.home.path("steno.toml"), "a", encoding="utf-8") as file:
            file.write(f"notify_command = {json.dumps(script + ' {target} {text}')}\n")
        self.home.start()
        boss = self.home.start_session("lead", "--multi-turn")
        self.home.start_session("[hang]", "--multi-turn", "--parent", boss, "--name", "helper")
        self.home.start_session("[hang]", "--multi-turn", "--user", "telegram/alice/42")
        child = self.alias("helper")
        until(lambda: self.home.show(child)["pid"] and self.home.show("@foreground")["pid"],
              "that both run")
        self.lose_worker()
        text = f"Subagent helper ({child}) failed: Restored with pending work."
        until(lambda: [one for one in self.prompts(boss) if one.startswith(text)], "the news")
        self.kill_server()
        until(lambda: not self.home.ask("notify", "ls")["notifications"], "that nothing waits")
        self.assertEqual(len([one for one in self.prompts(boss) if one.startswith(text)]), 1)
        with open(told, encoding="utf-8") as file:
            lines = file.read().split("\n")
        self.assertEqual(len([line for line in lines if line.startswith("42 ⚠️ Internal error.")]), 1)
        self.assertEqual(self.home.show("@foreground")["turns_interrupted"], 1)

    # Shows R310, R311.
    def test_nobody_hears_of_a_scheduled_run_that_was_lost_and_the_next_one_proceeds(self):
        self.home.start()
        self.home.run("schedule", "add", "often", "--every", "1d", "--channel", "telegram|42",
                      "--engine", "scripted", "[hang]")
        self.home.run("schedule", "run", "often")
        until(lambda: self.home.ask("ls")["sessions"], "the run")
        run = self.home.ask("ls")["sessions"][0]["alias"]
        until(lambda: self.home.show(run)["pid"], "that it runs")
        self.lose_worker()
        self.assertEqual(self.home.wait_for_end(run)["end_reason"], "worker_lost")
        self.assertEqual([event for event in self.home.events()
                          if event["type"] == "NotificationRequested"], [])
        self.home.run("schedule", "run", "often")
        until(lambda: len(self.home.ask("ls")["sessions"]) == 2, "the next run")


class Schedules(WithHome):
    def runs(self, name):
        return self.home.ask("schedule", "log", name).get("runs", [])

    # Shows R304, C30.
    def test_a_schedule_runs_and_goes_on_after_a_kill(self):
        self.home.start()
        added = self.home.run("schedule", "add", "often", "--every", "1s", "--engine", "scripted",
                              "[say Looked.] look around")
        self.assertRegex(added.out, r"^often: every 1s, next at \d{4}-")
        until(lambda: len(self.runs("often")) >= 2, "two runs")
        self.kill_server()
        before = len(self.runs("often"))
        until(lambda: len(self.runs("often")) >= before + 2, "two more runs")
        self.assertEqual(self.home.run("schedule", "rm", "often").code, 0)
        events = self.home.events()
        fired = [event["facts"] for event in events if event["type"] == "ScheduleFired"]
        taken = [event["facts"]["run"] for event in events if event["type"] == "RunTaken"]
        opened = [event["facts"] for event in events if event["type"] == "SessionOpened"]
        self.assertEqual(len(taken), len(set(taken)))
        self.assertLessEqual(len(fired) - len(taken), 1)
        self.assertEqual([one["session"] for one in fired][:len(opened)],
                         [one["session"] for one in opened])
        for one in opened:
            self.assertEqual((one["descriptor"]["kind"], one["descriptor"]["task"]),
                             ("cron", "often"))
        self.assertIn("for            a run of the schedule often",
                      self.home.run("show", opened[0]["session"]).out)

    def add(self, name, prompt, *flags):
        result = self.home.run("schedule", "add", name, "--every", "1d", "--engine", "scripted",
                               *flags, prompt)
        self.assertEqual(result.code, 0, result)

    # Shows R304.
    def test_a_schedule_says_what_became_of_its_runs(self):
        self.home.start()
        self.add("fine", "[say fine] look")
        self.add("bad", "[error]")
        for name in ("fine", "bad"):
            ran = self.home.run("schedule", "run", name)
            self.assertEqual(ran.code, 0, ran)
            self.assertRegex(ran.out, rf"^runs as session \w+ {name}\n$")
        until(lambda: " completed $" in self.home.run("schedule", "log", "fine").out, "its end")
        until(lambda: " failed (turn_error) $" in self.home.run("schedule", "log", "bad").out,
              "the failure")
        self.add("asks", "[ask]", "--approvals", "deny")
        self.home.run("schedule", "run", "asks")
        for command in ("log", "asks"), ("ls",), ("show", "asks"):
            until(lambda: "completed, 1 denied $" in self.home.run("schedule", *command).out,
                  "the denied call")
        row = self.home.show("bad")
        self.assertRegex(self.home.run("schedule", "ls").out,
                         rf"bad .*failed \(turn_error\) \S+ +{row['alias']}")
        document = self.home.ask("schedule", "show", "bad")
        self.assertEqual(document["sessions"][0]["status"], "failed")
        self.assertEqual((document["runs"][0]["outcome"], document["runs"][0]["skipped"]),
                         ("taken", None))
        # A name that is taken is numbered.
        self.add("busy", "[hang]", "--overlap")
        self.home.run("schedule", "run", "busy")
        self.assertRegex(self.home.run("schedule", "run", "busy").out, r" busy-2\n$")

    # Shows R304.
    def test_a_run_that_is_refused_says_so(self):
        with open(self.home.path("steno.toml"), encoding="utf-8") as file:
            config = file.read()
        self.home.write_config(config.replace("max_sessions = 50", "max_sessions = 1"))
        self.home.start()
        self.home.start_session("[hang]", "--multi-turn")
        self.add("nightly", "look")
        ran = self.home.run("schedule", "run", "nightly")
        self.assertEqual((ran.code, ran.out), (5, ""))
        self.assertIn("max_sessions", ran.err)
        self.assertIn("refused: session_limit: 1 of 1 sessions are running (max_sessions); kill one "
                      "first, or raise the limit", self.home.run("schedule", "log", "nightly").out)

    def test_a_schedule_is_shown_changed_and_paused(self):
        self.home.start()
        self.add("nightly", "look around")
        shown = self.home.run("schedule", "show", "nightly").out
        self.assertRegex(shown, r"prompt +look around\n")
        self.assertEqual(self.home.run("schedule", "pause", "nightly").code, 0)
        self.assertIn("paused", self.home.run("schedule", "ls").out)
        edited = self.home.run("schedule", "edit", "nightly", "--every", "2h", "--model", "opus",
                               "look again")
        self.assertEqual(edited.code, 0, edited)
        self.assertEqual(self.home.run("schedule", "unpause", "nightly").code, 0)
        spec = self.home.ask("schedule", "show", "nightly")["spec"]
        self.assertEqual((spec["when"], spec["prompt"], spec["session"]["model"]),
                         ("2h", "look again", "opus"))
        changed = {"fallback_model": "haiku", "restart_policy": "retry", "setting_sources": "user",
                   "hooks_must_answer": "true", "mcp_must_connect": "true",
                   "repeated_calls_max": "7", "remind_after": "1h"}
        flags = [word for key, value in changed.items()
                 for word in ("--" + key.replace("_", "-"), value)]
        edited = self.home.run("schedule", "edit", "nightly", *flags)
        self.assertEqual(edited.code, 0, edited)
        session = self.home.ask("schedule", "show", "nightly")["spec"]["session"]
        for key in ("fallback_model", "restart_policy", "setting_sources"):
            self.assertEqual(session[key], changed[key])
        self.assertTrue(session["hooks_must_answer"] and session["mcp_must_connect"])
        self.assertEqual(session["repeated_calls_max"], 7)
        for words in (("ls", "--permission-mode", "plan"), ("run", "nightly", "--model", "opus"),
                      ("edit", "nightly", "--start-within", "1h")):
            refused = self.home.run("schedule", *words)
            self.assertEqual(refused.code, 2, str(refused))
            self.assertIn("has no use for it", refused.err)
        boss = self.home.start_session("[say hi]", "--multi-turn")
        ping = ("schedule", "add", "ping", "--every", "1d", "--to", boss, "ping")
        for words in ((*ping, "--restart-policy", "retry"), ping,
                      ("schedule", "edit", "ping", "--model", "opus")):
            to_boss = self.home.run(*words)
            self.assertEqual(to_boss.code, 0 if words is ping else 2, str(to_boss))
            if words is not ping:
                self.assertIn("is of a session that is opened", to_boss.err)
        self.assertEqual(self.home.run("schedule", "edit", "other", "--every", "2h").code, 3)
        self.assertEqual(self.home.run("schedule", "pause", "other").code, 3)

    # Shows R075.
    def test_the_channel_of_a_run_is_found_when_it_runs(self):
        self.home.start()
        self.add("nightly", "look")
        self.home.stop()
        with open(self.home.path("steno.toml"), "a", encoding="utf-8") as file:
            file.write('fallback_channel = "slack|fallback"\n')
        self.home.start()
        self.home.run("schedule", "run", "nightly")
        opened = self.home.wait_for_event("nightly", "SessionOpened")
        self.assertEqual(opened["facts"]["spec"]["channel"], "slack|fallback")

    # Shows R075.
    def test_what_an_agent_opens_is_heard_where_its_session_is(self):
        with open(self.home.path("steno.toml"), "a", encoding="utf-8") as file:
            file.write('fallback_channel = "slack|fallback"\nchannel = "slack|ops"\n')
        self.home.start()
        boss = self.home.start_session("lead", "--multi-turn", "--channel", "telegram|77")
        own = {"STENO_SESSION": self.home.show(boss)["session"]}
        child = self.home.ask("spawn", "--engine", "scripted", "work", environment=own)["alias"]
        self.assertEqual(self.home.show(child)["descriptor"]["parent"], own["STENO_SESSION"])
        opened = self.home.wait_for_event(child, "SessionOpened")
        self.assertEqual(opened["facts"]["spec"]["channel"], "telegram|77")
        self.home.wait_for_event(boss, "AgentInitialized")
        self.home.run("kill", boss)
        for flags, channel in ((), "telegram|77"), (("--channel", "telegram|78"), "telegram|78"):
            resumed = self.home.ask("resume", boss, *flags, "--fork", "go on")["alias"]
            opened = self.home.wait_for_event(resumed, "SessionOpened")
            self.assertEqual(opened["facts"]["spec"]["channel"], channel)
        user = self.home.start_session("hi", "--user", "telegram/ann/42")
        opened = self.home.wait_for_event(user, "SessionOpened")
        self.assertEqual(opened["facts"]["spec"]["channel"], "telegram|42")

    def test_what_is_no_schedule_is_refused_with_what_is_accepted(self):
        self.home.start()

        def refusal(*flags, code=2):
            result = self.home.run("schedule", "add", "new", *flags,
                                   environment={"STENO_ENGINE": "scripted"})
            self.assertEqual(result.code, code, result)
            return result.err
        self.assertIn("'25' is no hour; accepted are 0 to 23", refusal("--cron", "0 25 * * *", "x"))
        self.assertIn("is no time; accepted are s, m, h and d", refusal("--every", "5x", "x"))
        self.assertIn("is no time; accepted are a date", refusal("--at", "tomorrow", "x"))
        self.assertIn("is never due", refusal("--at", "2020-01-01 09:00", "x"))
        self.assertIn("is never due", refusal("--cron", "0 0 31 2 *", "x"))
        self.assertIn("there is no time zone 'Mars/Olympus'",
                      refusal("--cron", "0 0 * * *", "--zone", "Mars/Olympus", "x"))
        for rule in ("JST-9", "CET-1CEST,M3.5.0,M10.5.0/3", "/srv/zone"):
            refused = self.home.run("schedule", "add", "new", "--cron", "0 0 * * *", "x",
                                    environment={"STENO_ENGINE": "scripted", "TZ": rule})
            self.assertEqual(refused.code, 2, refused)
            self.assertIn(rule, refused.err)
            self.assertIn("zone", refused.err)
        self.assertIn("--at,--every,--cron", refusal("x"))
        self.assertIn("--zone excludes --every", refusal("--every", "1h", "--zone", "UTC", "x"))
        self.assertIn("the prompt is empty", refusal("--every", "1h", ""))
        self.assertIn("has no session 'nobody'",
                      refusal("--every", "1h", "--to", "nobody", "x", code=3))
        self.assertIn("--model is of a session that is opened",
                      refusal("--every", "1h", "--to", "nobody", "--model", "opus", "x"))
        self.assertIn("--subagent requires --heartbeat",
                      refusal("--every", "1h", "--subagent", "x"))
        self.assertIn("can start no subagent",
                      refusal("--every", "1h", "--heartbeat", "--subagent", "--background",
                              "forbid", "x"))
        single = self.home.start_session("once")
        self.assertIn("takes no prompts", refusal("--every", "1h", "--to", single, "x", code=4))
        self.assertEqual(self.home.ask("schedule", "ls").get("schedules", []), [])
        missing = self.home.run("schedule", "rm", "nightly")
        self.assertEqual(missing.code, 3)
        self.assertIn("there is no schedule 'nightly'; steno schedule add makes one", missing.err)
        added = self.home.run("schedule", "add", "beat", "--every", "1h", "--heartbeat",
                              "--subagent", "--engine", "scripted", "look around")
        self.assertEqual(added.code, 0, added)
        self.assertIn("by a subagent: look around", self.home.run("schedule", "ls").out)


if __name__ == "__main__":
    unittest.main()
