#!/usr/bin/env python3
"""Notifications reach people outside: real sinks, which also fail, hang and are restarted under."""
import base64
import datetime
import hashlib
import hmac
import http.server
import json
import os
import re
import signal
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, beside, until  # noqa: E402

CHANNEL = "telegram|bot|1234"
SECRET = base64.b64encode(b"a key of some bytes").decode()


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class WithSinks(unittest.TestCase):
    """A home whose sinks are a script, which notes its arguments and does as a file tells."""

    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)
        script = self.home.path("sink.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"""#!/usr/bin/env python3
import json, os, sys, time
with open({self.home.path("told.jsonl")!r}, "a", encoding="utf-8") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
order = {self.home.path("order")!r}
if os.path.exists(order):
    with open(order) as file:
        word = file.read()
    if word == "fail":
        sys.exit("the network is down")
    if word == "repeat":
        sys.exit(" ".join(sys.argv))
    if word == "flood":
        print("x" * 10_000_000)
    if word == "gate" and sys.argv[1] == "send":
        with open({self.home.path("gate")!r}) as gate:
            gate.read()
    if word == "hang" or (word == "hang some" and "hang" in sys.argv[-3]):
        time.sleep(1000)
""")
        os.chmod(script, 0o700)
        self.configure(
            notify_command=f"{script} send --channel {{channel}} --account {{account}} "
                           "--target {target} --message {text}",
            notify_system_command=f"{script} system --text {{text}}")

    def configure(self, **settings):
        with open(self.home.path("steno.toml"), "a", encoding="utf-8") as file:
            for key, value in settings.items():
                file.write(f"{key} = {json.dumps(value)}\n")

    def order(self, word):
        with open(self.home.path("order"), "w", encoding="utf-8") as file:
            file.write(word)

    def calls(self):
        try:
            with open(self.home.path("told.jsonl"), encoding="utf-8") as file:
                return [json.loads(line) for line in file]
        except FileNotFoundError:
            return []

    def told(self, kind="send"):
        """Returns the texts that a sink got, but for what was said to the session elsewhere."""
        return [call[-1] for call in self.calls()
                if call[0] == kind and not call[-1].startswith("↩️")]

    def wait_told(self, count, kind="send"):
        return until(lambda: len(self.told(kind)) >= count and self.told(kind),
                     f"{count} notifications of {kind}")

    def waiting(self):
        return self.home.ask("notify", "ls")["notifications"]

    def spawn(self, prompt, *flags):
        return self.home.start_session(prompt, "--channel", CHANNEL, *flags)


class Deliveries(WithSinks):
    # Shows R033, R066, R067, R068, R076, R079, R082, R083.
    def test_the_ends_of_sessions_are_told(self):
        self.home.start()
        alias = self.spawn("say something")
        self.home.wait_for_end(alias)
        [text] = self.wait_told(1)
        first = text.split("\n")
        self.assertRegex(first[0], rf"^✅ Session \S+ \[{alias}\] completed \(\d+s\)$")
        self.assertEqual(first[2], "📝 say something")
        self.assertEqual(first[3:], ["", "Done."])
        [text] = self.wait_told(1, "system")
        self.assertIn(f"[{alias}]", text.split("\n")[0])
        self.assertIn("Last output:\nDone.", text)
        self.assertIn(f"steno output {alias}", text)
        with open(self.home.path("told.jsonl"), encoding="utf-8") as file:
            calls = [json.loads(line) for line in file]
        self.assertIn(["send", "--channel", "telegram", "--account", "bot", "--target", "1234",
                       "--message"], [call[:-1] for call in calls])
        until(lambda: not self.waiting(), "that nothing waits")

    def test_who_asks_is_heard_before_what_has_ended(self):
        os.mkfifo(self.home.path("gate"))
        self.order("gate")
        self.home.start()
        first = self.spawn("[say A.]", "--name", "first")
        self.wait_told(1)
        self.spawn("[say B.]", "--name", "second")
        until(lambda: any(row["kind"] == "completed" and row["target"] == "channel"
                          and row["attempts"] == 0 and row["alias"] != first
                          for row in self.waiting()), "the end's notification")
        self.spawn("[ask] [say C.]", "--name", "asking")
        until(lambda: any(row["kind"] == "asks" and row["target"] == "channel"
                          for row in self.waiting()), "the request's notification")
        self.order("")
        os.close(os.open(self.home.path("gate"), os.O_RDWR))  # whoever reads there reads its end
        told = self.wait_told(3)
        self.assertEqual([re.search("first|second|asking", text)[0] for text in told],
                         ["first", "asking", "second"])

    # Shows R032, R069, R070, R071, C13, D10.
    def test_a_session_that_waits_is_told_once(self):
        self.home.start()
        alias = self.spawn("first", "--multi-turn", "--name", "talk")
        [text] = self.wait_told(1)
        self.assertEqual(text, "🔔 [talk] The agent waits for input:\nDone.")
        [text] = self.wait_told(1, "system")
        self.assertIn("multi-turn", text)
        self.assertIn(f"steno send {alias}", text)
        # What comes within five seconds is told when they have passed, and once.
        self.home.run("send", alias, "--wait", "second")
        self.wait_told(2)
        requested = [event for event in self.home.events()
                     if event["type"] == "NotificationRequested"]
        moments = [event["facts"]["not_before"] or event["time"] for event in requested
                   if event["facts"]["target"] == "channel"
                   and event["facts"]["kind"] == "waiting"]
        self.assertGreaterEqual(moment(moments[1]) - moment(moments[0]), 5)
        self.home.run("kill", alias)
        told = self.wait_told(3)
        self.assertEqual([text.split(" ")[0] for text in told], ["🔔", "🔔", "⛔"])
        self.assertRegex(told[2], rf"^⛔ Session talk \[{alias}\] killed \(\d+s\)")
        until(lambda: not self.waiting(), "that nothing waits")
        kinds = [event["type"] for event in self.home.events() if event["stream"] == "$outbox"]
        self.assertEqual(kinds.count("NotificationDelivered"), 7)

    # Shows R079.
    def test_an_answer_from_elsewhere_is_told_to_the_channel(self):
        self.configure(channel=CHANNEL)  # of new sessions; a shell is no chat for that
        self.home.start()
        alias = self.spawn("first", "--multi-turn", "--name", "talk")
        self.wait_told(1)
        self.home.run("send", alias, "--channel", CHANNEL, "said there")
        self.home.run("send", alias, "said elsewhere")
        until(lambda: "↩️ [talk] Responded:\nsaid elsewhere" in [c[-1] for c in self.calls()],
              "the echo")
        self.assertFalse([call for call in self.calls() if "said there" in call[-1]])

    # Shows R041.
    def test_all_sessions_are_killed_without_a_word_to_their_channels(self):
        self.home.start()
        one = self.spawn("first", "--multi-turn", "--name", "one")
        other = self.home.ask("spawn", "--engine", "scripted", "--agent", "ops", "--multi-turn",
                              "--channel", CHANNEL, "second")["alias"]
        self.wait_told(2)
        self.assertEqual(self.home.run("kill", "--all").code, 0)
        [line] = until(lambda: [text for text in self.told("system") if "All sessions" in text],
                       "the line")
        self.assertEqual(set(line.rsplit(": ", 1)[1].split(", ")), {one, other})
        until(lambda: not self.waiting(), "that nothing waits")
        self.assertFalse([text for text in self.told() if text.startswith("⛔")])
        self.assertFalse([text for text in self.told("system") if text.startswith("Session killed")])
        self.assertEqual(self.home.ask("ls", "--all-agents", "--status",
                                       "running,starting")["sessions"], [])

    # Shows R081.
    def test_a_long_session_is_reminded_of_once(self):
        self.home.start()
        alias = self.spawn("first", "--multi-turn", "--remind-after", "2s")
        told = self.wait_told(2)
        [reminder] = [text for text in told if text.startswith("⏱️")]
        self.assertRegex(reminder, rf"^⏱️ Session \S+ \[{alias}\] running for \d+s$")
        self.home.run("kill", alias)
        self.wait_told(3)
        kinds = [event["type"] for event in self.home.events()]
        self.assertEqual(kinds.count("LongRunReached"), 1)
        self.assertEqual(len(self.wait_told(2, "system")), 2)

    # Shows R185, R202.
    def test_the_desktop_is_told(self):
        """The desktop's own program is one of this test, which notes its arguments."""
        with open(self.home.path("notify-send"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec {self.home.path('sink.py')} desktop \"$@\"\n")
        os.chmod(self.home.path("notify-send"), 0o700)
        self.home.environment["PATH"] = self.home.folder + ":" + self.home.environment["PATH"]
        self.configure(notify_desktop=True)
        self.home.start()
        alias = self.spawn("[say - a list]", "--name", "listed")
        self.home.wait_for_end(alias)
        [text] = self.wait_told(1, "desktop")
        self.assertEqual(text, "- a list")
        with open(self.home.path("told.jsonl"), encoding="utf-8") as file:
            [call] = [call for call in map(json.loads, file) if call[0] == "desktop"]
        self.assertEqual(call[1:4],
                         ["--app-name=Steno", "--", f"Session completed: listed [{alias}]"])

    def test_a_session_is_told_of_by_the_name_that_it_was_given_last(self):
        self.home.start()
        alias = self.spawn("first", "--multi-turn", "--name", "talk")
        self.wait_told(1)
        self.home.run("rename", "talk", "chat")
        self.home.run("kill", alias)
        self.assertRegex(self.wait_told(2)[1], rf"^⛔ Session chat \[{alias}\] killed")

    # Shows R074.
    def test_a_channel_without_parts_tells_the_system_only(self):
        self.home.start()
        self.home.wait_for_end(self.home.start_session("work", "--channel", "unknown"))
        self.wait_told(1, "system")
        until(lambda: not self.waiting(), "that nothing waits")
        self.assertEqual(self.told(), [])

    # Shows R075.
    def test_the_channel_is_found_in_order(self):
        self.configure(folder_channels=f"{self.home.workdir}=slack|folder /=slack|root",
                       fallback_channel="slack|fallback")
        self.home.start()
        cases = [((), {}, "slack|folder"), (("--workdir", "/tmp"), {}, "slack|root"),
                 ((), {"STENO_CHANNEL": "slack|caller"}, "slack|caller"),
                 (("--channel", "slack|said"), {"STENO_CHANNEL": "slack|caller"}, "slack|said")]
        for flags, environment, wanted in cases:
            alias = self.home.ask("spawn", "--engine", "scripted", *flags, "work",
                                  environment=environment)["alias"]
            self.home.wait_for_end(alias)
            opened = self.home.wait_for_event(alias, "SessionOpened")
            self.assertEqual(opened["facts"]["origin_channel"], wanted)
        resumed = self.home.ask("resume", alias, "go on")["alias"]
        opened = self.home.wait_for_event(resumed, "SessionOpened")
        self.assertEqual(opened["facts"]["spec"]["channel"], "slack|said")

    # Shows D04, D10.
    def test_a_failure_says_so_and_why(self):
        self.home.start()
        alias = self.spawn("[error]")
        self.home.wait_for_end(alias)
        [text] = self.wait_told(1)
        first, *_, last = text.split("\n")
        self.assertRegex(first, rf"^❌ Session \S+ \[{alias}\] failed \(\d+s\)$")
        self.assertEqual(last, "⚠️ Inference failed. Done.")  # and its end is not told twice
        [text] = self.wait_told(1, "system")
        self.assertIn("Session failed", text)
        self.assertNotIn("completed", text)

    # Shows R314.
    def test_a_failed_turn_is_no_question(self):
        self.home.start()
        self.spawn("[error]", "--multi-turn", "--name", "talk")
        [text] = self.wait_told(1)
        first, last = text.split("\n")
        self.assertRegex(first, r"^❌ Session talk \[\w+\] waits for a prompt: a turn failed$")
        self.assertTrue(last.startswith("⚠️ Inference failed. "), text)
        [text] = self.wait_told(1, "system")
        self.assertIn("Session failed a turn: talk", text)
        self.assertIn("Reply: steno send ", text)

    # Shows R308.
    def test_a_prompt_that_is_dropped_is_told(self):
        self.home.start()
        alias = self.spawn("[hang]", "--multi-turn", "--name", "talk")
        self.home.wait_for_event(alias, "AgentInitialized")
        self.home.run("send", alias, "--start-within", "100ms", "late")
        [text] = self.wait_told(1)
        self.assertEqual(text, f"⌛ Session talk [{alias}] dropped a prompt that it could not "
                               "start in time")


class Faults(WithSinks):
    # Shows R199, D12.
    def test_a_sink_that_fails_is_tried_again(self):
        self.order("fail")
        self.home.start()
        self.home.wait_for_end(self.spawn("work"))
        rows = until(lambda: [row for row in self.waiting() if row["attempts"] > 0], "an attempt")
        self.assertIn("the network is down", rows[0]["error"])
        table = self.home.run("notify", "ls").out
        self.assertIn("the network is down", table)
        # What a sink says can hold anything, and is therefore no fact.
        self.assertNotIn("the network is down", json.dumps(self.home.events()))
        doctor = self.home.run("doctor", "-o", "json").json()
        [finding] = [f for f in doctor["findings"] if f["subject"] == "notifications"]
        self.assertIn("tried again", finding["text"])
        self.order("")
        for row in self.waiting():
            self.assertEqual(
                self.home.run("notify", "retry", str(row["notification"])).code, 0)
        until(lambda: not self.waiting(), "that nothing waits")
        self.assertEqual(self.home.run("notify", "retry", "--all").code, 3)
        self.assertEqual(self.home.run("notify", "drop", "999999").code, 3)
        self.assertEqual(self.home.run("notify", "drop").code, 2)

    def test_what_a_sink_repeats_of_erased_words_is_not_told(self):
        self.order("repeat")
        self.home.start()
        alias = self.spawn("say the secret words")
        self.home.wait_for_end(alias)
        until(lambda: "the secret words" in json.dumps(self.waiting()), "what it repeats")
        erased = self.home.run("erase", alias, "--wait")
        self.assertEqual(erased.code, 0, str(erased))
        self.assertNotIn("the secret words", json.dumps(self.waiting()))

    # Shows C10.
    def test_chats_that_hang_keep_no_other_waiting(self):
        self.order("hang some")
        self.home.start()
        for number in range(6):
            self.home.wait_for_end(self.home.start_session("work", "--channel",
                                                           f"telegram|hang{number}"))
        self.home.wait_for_end(self.home.start_session("work", "--channel", "telegram|heard"))
        until(lambda: [call for call in self.calls() if "heard" in call], "the other chat",
              seconds=40)

    def test_the_program_of_a_sink_ends_with_a_killed_server(self):
        self.order("hang")
        self.home.start()
        self.home.wait_for_end(self.spawn("work"))
        self.wait_told(1)
        self.home.stop(signal.SIGKILL)
        # The worker goes on; its settings name the sink as well.
        until(lambda: not any("sink.py" in line and "steno-server" not in line
                              for line in self.home.processes().values()), "that the sink is gone")

    # Shows C10.
    def test_a_sink_that_hangs_delays_no_session_and_no_stop(self):
        self.order("hang")
        self.home.start()
        self.home.wait_for_end(self.spawn("work"))
        self.wait_told(1)
        for _ in range(3):
            self.home.wait_for_end(self.spawn("work"))
        self.assertEqual(len(self.told()), 1)
        self.assertEqual(self.home.stop(seconds=10), 0)
        until(lambda: not any("sink.py" in line for line in self.home.processes().values()),
              "that the sink is gone")
        self.order("flood")
        self.home.start()
        until(lambda: not self.waiting(), "that nothing waits")
        self.assertEqual(len(self.told()), 5)  # the first one twice: it was broken off

    # Shows C11, C12.
    def test_a_killed_server_tells_each_notification_again_at_most_once(self):
        self.home.start()
        for _ in range(3):
            self.home.wait_for_end(self.spawn("work"))
        self.home.stop(signal.SIGKILL)
        self.home.start()
        until(lambda: not self.waiting(), "that nothing waits")
        delivered = [event["facts"]["notification"] for event in self.home.events()
                     if event["type"] == "NotificationDelivered"]
        self.assertEqual(len(delivered), 6)
        self.assertEqual(len(set(delivered)), 6)
        self.assertLessEqual(len(self.told()), 4)

    def test_settings_that_cannot_be_used_are_refused(self):
        with open(self.home.path("webhook"), "w", encoding="utf-8") as file:
            file.write("http://127.0.0.1:1/s3cret\n")
        os.chmod(self.home.path("webhook"), 0o644)
        for environment, words in (
                ({"STENO_NOTIFY_COMMAND": "say {texts}"}, ["notify_command", "{texts}", "{text}"]),
                ({"STENO_NOTIFY_WEBHOOK_FILE": self.home.path("nowhere")}, ["nowhere"]),
                ({"STENO_NOTIFY_WEBHOOK_FILE": self.home.path("webhook")}, ["chmod 600"]),
                ({"STENO_CHANNEL": "x" * 300}, ["channel", "256"])):
            result = self.home.run("serve", environment=environment)
            self.assertNotEqual(result.code, 0)
            for word in words:
                self.assertIn(word, result.err)
            self.assertNotIn("s3cret", result.err)


class Restarts(WithSinks):
    """A stop of the server is told to the same people, in the same words, as a crash of it."""

    def said_after(self, end):
        """Starts a session of each kind, ends the server and its worker, and returns what was told:
        to channels, to the system and to the parent, without ids."""
        self.home = Home('worker_silence_max = "1s"\nmax_sessions = 50\n')
        self.addCleanup(self.home.close)
        script = self.home.path("sink.sh")
        told = self.home.path("told")
        with open(script, "w", encoding="utf-8") as file:
            # One write for a line: sinks run at the same time.
            file.write(f'#!/bin/sh\nline=$(printf "%s\\n" "$*" | tr "\\n" "/")\n'
                       f'printf "%s\\n" "$line" >> {told}\n')
        os.chmod(script, 0o700)
        self.configure(notify_command=f"{script} {{target}} {{text}}",
                       notify_system_command=f"{script} system {{text}}")
        self.home.start()
        ask = self.home.ask
        boss = self.home.start_session("lead", "--multi-turn", "--name", "boss")
        until(lambda: self.home.show(boss)["waiting_for_input"], "that the parent waits")
        until(lambda: not self.waiting(), "that nothing waits")
        names = {boss: "boss"}
        for name, flags in {"um": ("--multi-turn", "--user", "telegram/ann/42"),
                            "us": ("--user", "telegram/bob/43"),
                            "sm": ("--multi-turn", "--parent", boss),
                            "ss": ("--parent", boss)}.items():
            names[self.home.start_session("[hang]", "--name", name, *flags)] = name
        for name, flags in {"cron": (), "beat": ("--heartbeat",)}.items():
            added = self.home.run("schedule", "add", name, "--every", "1d", "--channel",
                                  "telegram|99", "--engine", "scripted", *flags, "[hang]")
            self.assertEqual(added.code, 0, str(added))
            self.home.run("schedule", "run", name)
        rows = until(lambda: (found := ask("ls")["sessions"]) and len(found) == 7 and
                     all(row["turn"] and row["pid"] for row in found if row["alias"] != boss) and
                     found, "that all run")
        for row in rows:
            names.setdefault(row["alias"], (row.get("descriptor") or {}).get("kind", ""))
        with open(told, "w", encoding="utf-8"):
            pass
        end()
        self.home.start()
        until(lambda: all(not row["turn"] for row in ask("ls")["sessions"]
                          if row["alias"] != boss), "the end of what ran")
        until(lambda: not self.waiting(), "that all is told")
        until(lambda: self.home.show(boss)["waiting_for_input"], "that the parent has read it")
        self.home.stop()
        self.home.start()
        until(lambda: not self.waiting(), "that nothing is told twice")
        items = ask("output", boss, "--all")["items"]
        heard = [item["text"].split("\n")[0] for item in items if item["kind"] == "prompt"][1:]
        with open(told, encoding="utf-8") as file:
            heard += [line.split("Full output")[0] for line in file.read().splitlines()]
        for alias, name in names.items():
            heard = [line.replace(alias, f"<{name}>") for line in heard]
        return sorted(re.sub(r"\(\d+s\)", "(…)", line).replace(self.home.workdir, "<work>")
                      for line in heard if "<boss>" not in line)

    # Shows R309, R310, R311, R317.
    def test_a_stop_is_told_as_a_crash_is(self):
        def crash():
            worker = self.home.worker_pid()
            self.home.stop(signal.SIGKILL)
            os.kill(worker, signal.SIGKILL)
        crashed = self.said_after(crash)
        stopped = self.said_after(lambda: self.home.stop())
        # Nothing has failed because the server stopped.
        def others(lines):
            return [line for line in lines if not re.search("<us>|^system.*<ss>", line)]
        self.assertEqual(others(stopped), others(crashed))
        self.assertIn("43 ❌ Session us [<us>] failed", "\n".join(crashed))
        told = "\n".join(stopped)
        self.assertNotIn("asks:", told)
        self.assertNotIn("99 ", told)
        for one in ("42 ⚠️ Internal error.",
                    "43 ⛔ Session us [<us>] was stopped with the server (…)",
                    "/⚠️ Internal error./Go on: steno resume <us>",
                    "system Session was stopped with the server: us [<us>]",
                    "Subagent sm (<sm>) failed: Restored with pending work.",
                    "Subagent ss (<ss>) failed: Restored with pending work."):
            self.assertEqual(told.count(one), 1, told)


class LateAgents(WithSinks):
    """An agent's program that is away for a moment."""

    def setUp(self):
        super().setUp()
        self.program = self.home.path("claude")
        self.away()
        with open(self.home.path("steno.toml"), encoding="utf-8") as file:
            config = file.read()
        self.home.write_config(config.replace(beside("steno-scripted-agent"), self.program))
        self.home.start()

    def away(self):
        if os.path.islink(self.program):
            os.unlink(self.program)

    def back(self):
        os.symlink(beside("steno-scripted-agent"), self.program)

    # Shows R008, R010.
    def test_a_prompt_that_no_agent_could_begin_is_tried_again(self):
        alias = self.home.start_session("[say here]", engine="claude")
        until(lambda: self.home.show(alias)["pause"] == "start_failed", "that it waits")
        self.assertEqual(self.home.ask("attention")["sessions"], [])
        self.back()
        row = self.home.wait_for_end(alias)
        self.assertEqual((row["status"], row["turns_finished"]), ("completed", 1))
        self.assertEqual(self.home.run("output", alias).out.splitlines()[-1], "here")

    # Shows R010, R039, R040.
    def test_prompts_wait_for_a_person_behind_the_last_attempt_and_none_is_lost(self):
        self.back()
        alias = self.home.start_session("[say one]", "--multi-turn", "--channel", CHANNEL,
                                        engine="claude")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the first answer")
        self.away()
        os.kill(self.home.show(alias)["pid"], signal.SIGKILL)
        until(lambda: not self.home.show(alias)["pid"], "the end of the agent")
        for prompt in ("[say two]", "[say three]"):
            self.assertEqual(self.home.run("send", alias, prompt).code, 0)
        until(lambda: self.home.show(alias)["attention"] == "failed", "that it needs a person", 60)
        row = self.home.show(alias)
        self.assertEqual((row["status"], row["pause"], row["turns_waiting"]),
                         ("running", "start_failed", 2))
        told = until(lambda: [text for text in self.told() if text.startswith("⏸️")], "the news")
        self.assertIn("could not be started", told[0])
        self.assertIn(self.program, told[0])
        self.home.run("kill", alias)
        self.home.wait_for_end(alias)
        self.back()
        resumed = self.home.ask("resume", alias, "--with-queue")["alias"]
        until(lambda: self.home.show(resumed)["turns_finished"] == 2, "both answers")
        items = self.home.ask("output", resumed, "--all")["items"]
        self.assertEqual([item["text"] for item in items if item["kind"] == "said"],
                         ["two", "three"])


class Limits(WithSinks):
    """A limit of use that the agent's provider tells the end of."""

    # Shows R010.
    def test_prompts_wait_until_the_limit_ends(self):
        self.home.start()
        alias = self.spawn("[limit 600] [say done]", "--multi-turn", "--continue-after-failure",
                           "--name", "night")
        self.home.run("send", alias, "[say more]")
        until(lambda: self.home.show(alias)["pause"] == "usage_limit", "that it waits")
        row = self.home.show(alias)
        self.assertEqual((row["turns_failed"], row["turns_waiting"], row["attention"]),
                         (0, 2, "over_budget"))
        until_text = row["paused_until"][:16]
        self.assertIn(f"provider's limit until {until_text}", self.home.run("attention").out)
        self.assertIn(f"usage_limit: prompts wait until {until_text}",
                      self.home.run("show", alias).out)
        [told] = self.wait_told(1)
        self.assertIn(f"prompts wait until {until_text}", told)
        other = self.spawn("[say hi]")
        until(lambda: self.home.show(other)["pause"] == "usage_limit", "that the other waits")
        self.home.run("kill", other)
        again = self.home.run("continue", alias)
        self.assertEqual(again.code, 0, str(again))
        until(lambda: self.home.show(alias)["pause"] == "usage_limit" and
              len([event for event in self.home.events(row["session"])
                   if event["type"] == "TurnStarted"]) == 2, "that it was tried")

    # Shows C21.
    def test_a_schedule_says_which_limit_its_session_waits_for(self):
        self.home.start()
        added = self.home.run("schedule", "add", "often", "--every", "2s", "--engine", "scripted",
                              "--multi-turn", "[limit 600] [say done]")
        self.assertEqual(added.code, 0, str(added))
        session = until(lambda: self.home.ask("ls")["sessions"], "a run")[0]["session"]
        row = until(lambda: (row := self.home.show(session))["pause"] == "usage_limit" and row,
                    "that it waits")
        words = ("waits for the end of its provider's limit of use, until "
                 + row["paused_until"][:16])
        log = until(lambda: words in (out := self.home.run("schedule", "log", "often").out) and out,
                    "a time that is skipped")
        self.assertNotIn("still worked", log.splitlines()[1])
        self.assertEqual(len(self.home.ask("ls")["sessions"]), 1)

    def test_prompts_go_on_by_themselves(self):
        # The next agent knows of the limit.
        self.home.environment["STENO_SCRIPTED_STATE"] = self.home.folder
        self.configure(agent_environment="STENO_SCRIPTED_STATE")
        self.home.start()
        alias = self.spawn("[limit 2] [say done]")
        row = self.home.wait_for_end(alias, 60)
        self.assertEqual((row["status"], row["turns_finished"], row["turns_failed"]),
                         ("completed", 1, 0))
        kinds = [event["type"] for event in self.home.events(row["session"])]
        self.assertLess(kinds.index("QueuePaused"), kinds.index("QueueContinued"))


class LostTasks(WithSinks):
    def test_tasks_that_end_with_their_agent_are_told(self):
        self.home.start()
        alias = self.spawn("[say started] [task 600000]", "--multi-turn")
        until(lambda: self.home.show(alias)["tasks"] == 1 and
              self.home.show(alias)["turns_finished"] == 1, "the task")
        refused = self.home.run("interrupt", alias)
        self.assertEqual(refused.code, 4, str(refused))
        self.assertIn(f"steno close --now {alias}", refused.err)
        os.kill(self.home.show(alias)["pid"], signal.SIGKILL)
        row = until(lambda: (row := self.home.show(alias))["tasks_lost"] and row, "the loss")
        self.assertEqual((row["tasks_lost"], row["tasks"], row["status"]), (1, 0, "running"))
        self.assertIn("1 task lost", self.home.run("attention").out)
        self.assertIn("1 task in the background ended with its agent", self.wait_told(1)[-1])
        self.home.run("send", alias, "--wait", "[say on]")
        self.assertEqual(self.home.show(alias)["tasks_lost"], 0)


class Webhooks(WithSinks):
    # Shows R202, C11, D08.
    def test_a_webhook_is_signed_and_kept_secret(self):
        requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                requests.append((dict(self.headers), body))
                self.send_response(500 if len(requests) == 1 else 204)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        file = self.home.path("webhook")
        with open(file, "w", encoding="utf-8") as out:
            out.write(f"http://127.0.0.1:{server.server_port}/s3cret\nwhsec_{SECRET}\n")
        os.chmod(file, 0o600)
        self.configure(notify_webhook_file=file)
        self.home.start()
        alias = self.spawn("work")
        self.home.wait_for_end(alias)
        rows = until(lambda: [row for row in self.waiting() if row["error"]], "a failure")
        self.assertEqual(rows[0]["error"], "the webhook answered with HTTP status 500")
        self.home.run("notify", "retry", str(rows[0]["notification"]))
        until(lambda: len(requests) == 2, "a second request")
        headers, body = requests[1]
        text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        mac = hmac.new(base64.b64decode(SECRET), text, hashlib.sha256).digest()
        self.assertEqual(headers["webhook-signature"], "v1," + base64.b64encode(mac).decode())
        self.assertEqual(headers["webhook-id"], requests[0][0]["webhook-id"])
        told = json.loads(body)
        self.assertEqual((told["kind"], told["alias"], told["last_output"], told["channel"]),
                         ("completed", alias, "Done.", CHANNEL))
        self.assertEqual(float(told["cost_usd"]), self.home.show(alias)["cost_usd"])
        self.assertTrue(told["time"].endswith("Z"))
        until(lambda: not self.waiting(), "that nothing waits")
        for place in (self.home.server_log(), json.dumps(self.home.events()),
                      self.home.run("config").out):
            self.assertNotIn("s3cret", place)
            self.assertNotIn(SECRET, place)


class Wakes(WithSinks):
    # Shows R074, D08.
    def test_a_hook_is_woken_where_no_channel_is_told(self):
        requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                requests.append((self.path, dict(self.headers), json.loads(body)))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        file = self.home.path("wake")
        with open(file, "w", encoding="utf-8") as out:
            out.write(f"http://127.0.0.1:{server.server_port}/hooks/wake\nt0ken\n")
        os.chmod(file, 0o600)
        self.configure(notify_wake_file=file)
        self.home.start()
        self.home.wait_for_end(self.home.start_session("work", "--name", "lone"))
        until(lambda: requests, "the wake")
        path, headers, body = requests[0]
        self.assertEqual(path, "/hooks/wake")
        self.assertEqual(headers["Authorization"], "Bearer t0ken")
        self.assertEqual(headers["x-openclaw-token"], "t0ken")
        self.assertEqual((set(body), body["mode"]), ({"text", "mode"}, "now"))
        self.assertIn("Session completed: lone", body["text"])
        self.home.wait_for_end(self.spawn("work"))
        self.wait_told(1)
        self.wait_told(1, "system")
        until(lambda: not self.waiting(), "that nothing waits")
        self.assertEqual(len(requests), 1)
        self.assertNotIn("t0ken", self.home.server_log() + json.dumps(self.home.events()))


class Foreground(WithSinks):
    def test_a_long_answer_is_shown_whole_in_pieces(self):
        self.home.start()
        alias = self.home.start_session("[words 1500]", "--multi-turn", "--channel", "unknown")
        self.home.wait_for_event(alias, "TurnFinished")
        self.home.run("foreground", alias, "--channel", CHANNEL)
        said = " ".join(f"word{number}" for number in range(1500))

        def shown():
            return [text for text in self.told() if text.startswith("word")]
        until(lambda: "word1499" in "".join(shown()), "the end of the answer")
        self.assertEqual("".join(shown()).split(), said.split())
        self.assertGreater(len(shown()), 1)
        self.assertTrue(all(len(text) <= 3500 for text in shown()))
        seen = until(lambda: [event["facts"] for event in self.home.events()
                              if event["type"] == "OutputSeen"
                              and not event["facts"].get("further_bytes")], "the last piece")
        self.assertTrue(seen)

    # Shows R080.
    def test_a_channel_that_nobody_can_hear_is_refused(self):
        with open(self.home.path("steno.toml"), encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("notify_command")]
        self.home.write_config("".join(lines))
        self.home.start()
        alias = self.home.start_session("work", "--multi-turn")
        refused = self.home.run("foreground", alias, "--channel", CHANNEL)
        self.assertEqual(refused.code, 4)
        self.assertIn("nobody will hear", refused.err)
        spawned = self.home.run("spawn", "--engine", "scripted", "--channel", CHANNEL, "work")
        self.assertEqual(spawned.code, 0)
        self.assertIn("nobody will hear", spawned.err)

    # Shows R029, R030, R060, R061, R062, R077, R078, R080.
    def test_a_channel_is_shown_output_from_where_it_was(self):
        self.home.start()
        alias = self.home.start_session("[tools 1] [say one]", "--multi-turn", "--channel",
                                        "unknown")
        self.home.wait_for_event(alias, "TurnFinished")
        result = self.home.run("foreground", alias, "--channel", CHANNEL)
        self.assertEqual(result.code, 0, result)
        [shown] = self.wait_told(1)
        self.assertRegex(shown, r"^🔧 \S+( — .*)?\none$")
        self.home.run("background", alias, "--channel", CHANNEL)
        self.home.run("send", alias, "--wait", "[say three]")
        self.assertEqual(len(self.told()), 1)
        self.home.run("foreground", alias, "--channel", CHANNEL)
        told = self.wait_told(2)
        self.assertIn("three", told[1])
        self.assertNotIn("one", told[1])
        self.home.run("send", alias, "--wait", "[say four]")
        until(lambda: any("💬" in text for text in self.told()), "that it waits")
        told = self.told()
        self.assertIn("four", told[2])
        self.assertRegex(told[3], rf"^💬 Session \S+ \[{alias}\] is waiting for input")
        until(lambda: sum(event["type"] == "OutputSeen" for event in self.home.events()) == 3,
              "that what was shown is on the record")
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.home.run("send", alias, "--wait", "[say five]")
        [shown] = until(lambda: [text for text in self.told() if "five" in text], "five")
        self.assertEqual(shown, "five")
        self.assertEqual(sum("four" in text for text in self.told()), 1)

    # Shows D05.
    def test_a_channel_that_is_far_behind_is_shown_everything(self):
        self.home.start()
        alias = self.home.start_session("[tools 240] [say the end]", "--multi-turn", "--channel",
                                        "unknown", "--repeated-calls-max", "0")
        self.home.wait_for_event(alias, "TurnFinished")
        self.home.run("foreground", alias, "--channel", CHANNEL)
        told = until(lambda: "the end" in "".join(self.told()) and self.told(), "the end")
        lines = [line for text in told for line in text.split("\n")]
        self.assertEqual(lines, [f"🔧 Bash — echo {number}" for number in range(240)] + ["the end"])

    def test_a_channel_must_be_named(self):
        self.home.start()
        alias = self.spawn("work", "--multi-turn")
        result = self.home.run("foreground", alias)
        self.assertEqual(result.code, 2)
        self.assertIn("--channel", result.err)
        self.assertEqual(self.home.run("foreground", alias, "--channel", "a|").code, 2)


if __name__ == "__main__":
    unittest.main()
