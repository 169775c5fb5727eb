#!/usr/bin/env python3
"""The server and its worker as users see them: only through the `steno` command line, with the
scripted agent."""
import base64
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, resident_bytes, until  # noqa: E402

MIB = 1 << 20


def one(items, **wanted):
    """Returns the only event or item with these fields."""
    found = [item for item in items if all(item.get(key) == value for key, value in wanted.items())]
    assert len(found) == 1, (wanted, [item.get("type") for item in items])
    return found[0]


class OneServer(unittest.TestCase):
    """The tests of a class share a server."""

    CONFIG = "max_sessions = 50\n"

    @classmethod
    def setUpClass(cls):
        cls.home = Home(cls.CONFIG)
        cls.addClassCleanup(cls.home.close)
        cls.home.start()

    def succeeds(self, *arguments, **options):
        result = self.home.run(*arguments, **options)
        self.assertEqual(result.code, 0, str(result))
        return result

    def fails(self, code, word, *arguments, **options):
        result = self.home.run(*arguments, **options)
        self.assertEqual(result.code, code, str(result))
        self.assertIn(word, result.err)
        self.assertEqual(result.err.count("\n"), 1, "one line: " + str(result))
        return result


class BrokenAgents(OneServer):
    """Everything that an agent does is on the record, and its session ends with the reason."""

    def ended(self, prompt, status, reason, *flags):
        """Returns the row and the events of a session that ended in this way."""
        alias = self.home.start_session(prompt, *flags)
        row = self.home.wait_for_end(alias)
        events = self.home.events(row["session"])
        self.assertEqual((row["status"], row["end_reason"]), (status, reason), events[-3:])
        closed = one(events, type="SessionClosed")["facts"]
        self.assertEqual((closed["status"], closed["reason"]), (status, reason))
        return row, events

    def test_bytes_that_are_no_text(self):
        _, events = self.ended("[invalidutf8]", "completed", "none")
        line = one(events, type="AgentLineRecorded")
        self.assertEqual(line["facts"]["fault"], "invalid_utf8")
        self.assertIn(b"\xff\xfe\xc3", base64.b64decode(line["content"]["base64"]))

    def test_a_line_that_is_not_json(self):
        _, events = self.ended("[junk] [say still here]", "completed", "none")
        line = one(events, type="AgentLineRecorded")
        self.assertEqual((line["facts"]["fault"], line["content"]),
                         ("not_json", "this line is not JSON {"))
        self.assertEqual(one(events, type="OutputRecorded")["content"], "still here")

    def test_half_a_line(self):
        _, events = self.ended("[halfline]", "failed", "agent_exited")
        line = one(events, type="AgentLineRecorded")
        self.assertEqual(line["facts"]["fault"], "cut_short")
        self.assertTrue(line["content"].endswith('"role":"assi'))
        self.assertEqual(one(events, type="AgentExited")["facts"]["exit_code"], 0)

    def test_a_crash(self):
        _, events = self.ended("[crash]", "failed", "agent_exited")
        self.assertEqual(one(events, type="AgentExited")["facts"]["signal"], signal.SIGKILL)
        self.assertEqual(one(events, type="TurnInterrupted")["facts"]["reason"], "agent_exited")

    def test_an_exit_code(self):
        _, events = self.ended("[stderr 10] [exit 3]", "failed", "agent_exited")
        exited = one(events, type="AgentExited")
        self.assertEqual(exited["facts"]["exit_code"], 3)
        self.assertIn("end of stderr", exited["content"])

    def test_a_line_that_never_ends(self):
        worker = self.home.worker_pid()
        row, events = self.ended("[endless]", "failed", "turn_error")
        line = one(events, type="AgentLineRecorded")["facts"]
        self.assertEqual(line["fault"], "too_long")
        self.assertGreater(line["line_bytes"], 15 * MIB)
        failed = one(events, type="TurnFailed")
        self.assertEqual(failed["facts"]["subtype"], "line_too_long")
        self.assertIn("16 MiB", failed["content"])
        self.home.wait_for_event(row["alias"], "LeaseReleased")
        self.assertLess(resident_bytes(worker), 400 * MIB)  # some is kept back by a sanitizer

    def test_a_line_that_never_ends_ends_one_turn_of_several(self):
        alias = self.home.start_session("[say one]", "--multi-turn")
        failed = self.home.run("send", alias, "--wait", "[endless]")
        self.assertEqual(failed.code, 1, str(failed))
        self.assertIn("turn failed (line_too_long)", failed.err)
        self.assertEqual(self.succeeds("send", alias, "--wait", "[say three]").out, "three\n")
        self.succeeds("close", alias)
        row = self.home.wait_for_end(alias)
        self.assertEqual((row["status"], row["turns_finished"], row["turns_failed"]),
                         ("completed", 2, 1))

    # Shows R008, D04.
    def test_a_program_that_is_not_there(self):
        missing = {"STENO_CLAUDE_PROGRAM": self.home.path("nobody")}
        with Home(environment=missing) as home:
            home.start()
            result = home.run("run", "--engine", "claude", "say hi")
            self.assertEqual(result.code, 1, str(result))
            row = home.ask("ls")["sessions"][0]
            self.assertEqual((row["status"], row["end_reason"]), ("failed", "start_failed"))
            failed = [event for event in home.events(row["session"])
                      if event["type"] == "AgentStartFailed"][-1]
            self.assertIn("nobody", failed["content"])
            self.assertIn(failed["content"], result.err)

    def test_a_working_folder_that_is_not_there(self):
        missing = self.home.path("nowhere")
        position = self.home.position()
        for command in ("run", "spawn"):
            self.fails(3, missing, command, "--engine", "scripted", "--workdir", missing, "[say hi]")
        self.assertEqual(self.home.position(), position)


class ManySessions(OneServer):
    # Shows R011, R041.
    def test_killing_all_ends_what_lives_and_nothing_else(self):
        agent = ("--agent", "crowd")
        done = self.home.ask("spawn", *agent, "--engine", "scripted", "[say done]")["alias"]
        self.succeeds("output", done, *agent, "--follow")
        live = [self.home.ask("spawn", *agent, "--engine", "scripted", "[hang]")["alias"]
                for _ in range(3)]
        other = self.home.start_session("[hang]")
        self.fails(2, "--all", "kill", *agent)
        killed = self.home.ask("kill", *agent, "--all")
        self.assertEqual(sorted((one["alias"], one["status"]) for one in killed),
                         sorted((alias, "killed") for alias in live))
        self.assertEqual(self.home.ask("kill", *agent, "--all"), [])
        self.assertIn(self.home.show(other)["status"], ("starting", "running"))
        self.succeeds("kill", other)


class Sessions(OneServer):
    CONFIG = "max_sessions = 2\n"

    # Shows R026.
    def test_the_limit_is_refused_with_its_name(self):
        aliases = [self.home.start_session("[hang]") for _ in range(2)]
        before = self.home.position
        until(lambda: all(self.home.show(alias)["status"] == "running" for alias in aliases),
              "both run")
        position = before()
        refused = self.fails(5, "max_sessions", "run", "--engine", "scripted", "[say hi]")
        self.assertIn("kill one first", refused.err)
        self.assertEqual(before(), position)
        for alias in aliases:
            self.assertEqual(self.succeeds("kill", alias).out, "killed\n")
        self.assertEqual(self.succeeds("run", "--engine", "scripted", "[say hi]").out, "hi\n")

    # Shows R012, R025, C05.
    def test_what_has_ended_stays_as_it_ended(self):
        alias = self.home.start_session("[say hi]")
        self.home.wait_for_end(alias)
        self.assertEqual(self.succeeds("kill", alias).out, "already completed\n")
        self.assertEqual(self.succeeds("close", alias).out, "already completed\n")
        self.fails(4, "already completed", "interrupt", alias)
        self.fails(4, "resume it to go on", "send", alias, "more")
        killed = self.home.start_session("[hang]")
        self.assertEqual(self.succeeds("kill", killed).out, "killed\n")
        self.assertEqual(self.succeeds("kill", killed).out, "already killed\n")

    def test_several_turns_and_an_interrupt(self):
        running = self.home.follow("run", "--engine", "scripted", "--multi-turn", "[say one]")
        self.assertEqual(running.line(), "one")
        running.write("[say two]\n")
        self.assertEqual(running.line(), "two")
        alias = self.home.ask("ls", "--status", "running")["sessions"][0]["alias"]
        running.write("[words 1000] [delay 50]\n")
        until(lambda: self.home.show(alias)["turn"], "the third turn")
        self.succeeds("interrupt", alias)
        self.home.wait_for_event(alias, "TurnInterrupted")
        running.write("[say four]\n")
        result = running.finish()
        self.assertEqual((result.code, result.out.splitlines()[-1]), (0, "four"), str(result))
        row = self.home.show(alias)
        self.assertEqual((row["status"], row["turns_finished"], row["turns_interrupted"]),
                         ("completed", 3, 1))

    def test_what_an_agent_says_by_itself_is_the_answer_to_no_prompt(self):
        alias = self.home.start_session("[say first] [delay 200] [later the task has ended]",
                                        "--multi-turn")
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the first answer")
        answer = self.succeeds("send", alias, "[say second]", "--wait")
        self.assertEqual(answer.out, "second\n")
        self.succeeds("close", alias)
        row = self.home.wait_for_end(alias)
        self.assertEqual((row["status"], row["turns_queued"], row["turns_finished"],
                          row["own_turns"]), ("completed", 2, 2, 1))
        events = self.home.events(row["session"])
        own = one(events, type="OwnTurnStarted")["facts"]
        self.assertEqual((own["cause"], own["task"]), ("task", "task-1"))
        of_own = [event for event in events if event["facts"].get("turn") == own["turn"]]
        self.assertEqual([event["type"] for event in of_own],
                         ["OwnTurnStarted", "OutputRecorded", "SpendingRecorded", "TurnFinished"])
        self.assertEqual(of_own[1]["content"], "the task has ended")
        self.assertEqual(of_own[3]["facts"]["cost"]["cost_usd"], 0.0008)

    def test_a_failed_turn_pauses_the_prompts_behind_it(self):
        alias = self.home.start_session("[hang]", "--multi-turn")
        self.home.wait_for_event(alias, "AgentInitialized")
        sent = self.home.follow("send", alias, "--wait", "[error]")
        until(lambda: self.home.show(alias)["turns_queued"] == 2, "the failing prompt")
        for word in ("three", "four"):
            self.succeeds("send", alias, f"[say {word}]")
        self.succeeds("interrupt", alias)
        failed = sent.finish()
        self.assertEqual(failed.code, 1, str(failed))
        until(lambda: self.home.show(alias)["pause"] == "turn_error", "the pause")
        row = self.home.show(alias)
        self.assertEqual((row["status"], row["turns_failed"], row["turns_waiting"]),
                         ("running", 1, 2))
        self.assertIn("running, paused", self.succeeds("ls").out)
        self.assertIn(f"steno continue {alias}", self.succeeds("show", alias).out)
        self.assertIn("2 waiting prompts", self.succeeds("close", alias).out)
        self.assertIn("2 prompts", self.succeeds("continue", alias).out)
        row = self.home.wait_for_end(alias)
        self.assertEqual((row["status"], row["turns_finished"]), ("completed", 2))

    def needs(self, *flags):
        rows = self.home.ask("attention", *flags)["sessions"]
        return [(row["alias"], row["attention"]) for row in rows]

    def test_who_needs_a_person_is_listed_until_a_person_knows(self):
        self.succeeds("attention", "--dismiss-all")
        self.assertEqual(self.needs(), [])
        self.assertIn("no session needs anybody", self.succeeds("attention").err)
        waiting = self.home.start_session("[say one]", "--multi-turn")
        until(lambda: self.needs() == [(waiting, "waiting_for_input")], "a session that waits")
        failed = self.home.start_session("[error]")
        self.home.wait_for_end(failed)
        self.assertEqual(self.needs(), [(waiting, "waiting_for_input"), (failed, "failed")])
        listed = self.succeeds("attention").out.splitlines()
        self.assertRegex(listed[1], rf"^{waiting} .* waiting for input .* steno send {waiting} ")
        self.assertRegex(listed[2], rf"^{failed} .* failed \(turn_error\) .* steno resume {failed}$")
        elsewhere = self.home.run("--agent", "other", "attention", "--all-agents")
        self.assertIn(f"steno resume {failed} --agent main", elsewhere.out)
        self.assertIn("dismissed", self.succeeds("attention", "--dismiss", failed).err)
        self.assertIn("needs nobody", self.succeeds("attention", "--dismiss", failed).err)
        self.assertEqual(self.needs(), [(waiting, "waiting_for_input")])
        self.succeeds("send", waiting, "--wait", "[say two]")
        self.assertEqual(self.needs(), [(waiting, "waiting_for_input")])
        self.succeeds("kill", waiting)
        self.assertEqual(self.needs(), [])
        self.fails(3, "no session", "attention", "--dismiss", "nobody")

    def test_who_watches_is_told_of_each_need_once(self):
        self.succeeds("attention", "--dismiss-all")
        watcher = self.home.follow("watch", "--attention", "-n", "2")
        alias = self.home.start_session("[say one]", "--multi-turn")
        self.assertIn(f"{alias}  say-one  waiting for input  →  steno send {alias}", watcher.line())
        self.succeeds("send", alias, "--wait", "[say two]")
        ended = watcher.finish()
        self.assertEqual((ended.code, ended.out.count(alias)), (0, 2), str(ended))
        self.fails(2, "--attention", "watch", alias, "--attention")
        self.succeeds("kill", alias)

    def test_limits_of_a_session_are_shown_and_kept_by_a_resume(self):
        alias = self.home.start_session("[say one]", "--multi-turn", "--idle-timeout", "2h",
                                        "--run-timeout", "never", "--repeated-calls-max", "7")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the answer")
        self.succeeds("kill", alias)
        resumed = self.home.ask("resume", alias, "[say two]")["alias"]
        row = self.home.show(resumed)
        self.assertEqual((row["idle_timeout_us"], row["run_timeout_us"] < 0,
                          row["repeated_calls_max"]), (7_200_000_000, True, 7))
        self.assertIn("killed if it waits 2h for a prompt, 7 identical tool calls in a row are told",
                      self.succeeds("show", resumed).out)
        self.succeeds("kill", resumed)

    # Shows C17, C21.
    def test_limits_end_what_nobody_ends(self):
        waiting = self.home.start_session("[say one]", "--multi-turn", "--idle-timeout", "200ms")
        row = self.home.wait_for_end(waiting)
        self.assertEqual((row["status"], row["end_reason"]), ("killed", "idle"))
        running = self.home.run("run", "--run-timeout", "300ms", "[hang]")
        self.assertEqual(running.code, 7, str(running))
        self.assertIn("turn interrupted: run_timeout: it ran for too long", running.err)
        row = self.home.ask("ls", "-n", "1")["sessions"][0]
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "run_timeout"))

    def test_a_session_outlives_its_agent(self):
        for death in ("[crash]", "[halfline]", "[exit 3]"):
            alias = self.home.start_session("[say one]", "--multi-turn",
                                            "--continue-after-failure")
            died = self.home.run("send", alias, "--wait", death)
            self.assertEqual(died.code, 1, str(died))
            answer = self.succeeds("send", alias, "--wait", "[say three]")
            self.assertEqual(answer.out, "three\n")
            self.succeeds("close", alias)
            row = self.home.wait_for_end(alias)
            self.assertEqual((row["status"], row["turns_finished"], row["turns_interrupted"]),
                             ("completed", 2, 1))

    # Shows R057.
    def test_a_prompt_is_added_to_the_turn_of_a_single_turn_session(self):
        running = self.home.follow("run", "[words 2] [delay 1500] [say one]")
        alias = until(lambda: self.home.ask("ls", "--status", "running")["sessions"],
                      "it runs")[0]["alias"]
        self.fails(4, "send the prompt without an interrupt", "send", alias, "--interrupt", "stop")
        sent = self.succeeds("send", alias, "[say two]")
        self.assertEqual(sent.out, f"added to the turn of {alias}\n")
        waiting = self.home.follow("send", alias, "--wait", "[say three]")
        seen, answer = running.finish(), waiting.finish()
        for result in (seen, answer):
            self.assertEqual((result.code, result.out.splitlines()[-3:]),
                             (0, ["one", "two", "three"]), str(result))
        self.assertIn("↳ added to the turn: [say two]", seen.err)
        row = self.home.show(alias)
        self.assertEqual((row["status"], row["turns_finished"]), ("completed", 1))
        kinds = [item["kind"] for item in self.home.ask("output", alias, "--all")["items"]]
        self.assertEqual(kinds.count("prompt"), 3)
        self.fails(4, "resume it to go on", "send", alias, "late")

    def test_who_waits_for_an_answer_gets_that_one_and_no_other(self):
        alias = self.home.start_session("[say first]", "--multi-turn")
        senders = {word: self.home.follow("send", alias, "--wait", f"[delay 20] [say {word}]")
                   for word in ("one", "two", "three", "four", "five")}
        for word, sender in senders.items():
            result = sender.finish()
            self.assertEqual((result.code, result.out), (0, word + "\n"), str(result))
        self.succeeds("kill", alias)

    def test_who_asks_for_all_gets_what_is_said_to_others_and_by_the_agent_itself(self):
        alias = self.home.start_session("[hang]", "--multi-turn")
        self.home.wait_for_event(alias, "AgentInitialized")
        first = self.home.follow("send", alias, "--wait", "[say one] [later two]")
        until(lambda: self.home.show(alias)["turns_queued"] == 2, "the first prompt")
        last = self.home.follow("send", alias, "--wait", "--all", "[say three]")
        until(lambda: self.home.show(alias)["turns_queued"] == 3, "the last prompt")
        self.succeeds("interrupt", alias)
        self.assertEqual(first.finish().out, "one\n")
        self.assertEqual(last.finish().out.split(), ["one", "two", "three"])
        self.succeeds("kill", alias)

    def test_what_an_agent_had_to_itself_goes_with_its_session(self):
        alias = self.home.start_session("[words 3] [delay 1]", "--multi-turn")
        folder = self.home.path("run", "sessions", self.home.show(alias)["session"])
        until(lambda: os.path.isdir(folder), "the agent's folder")
        self.succeeds("close", alias)
        self.home.wait_for_end(alias)
        until(lambda: not os.path.exists(folder), "that it is gone")

    def bounds_of(self, row):
        opened = one(self.home.events(row["session"]), type="SessionOpened")
        spec = opened["facts"]["spec"]
        return opened["content"], spec["allowed_tools"], spec["max_turns"]

    # Shows R033, R053.
    def test_a_session_goes_on_as_a_new_one(self):
        bounds = ["--system-prompt", "Be brief.", "--allow-tool", "Bash", "--max-turns", "9"]
        first = self.home.wait_for_end(self.home.start_session("[say hi]", *bounds))
        forked = self.home.ask("resume", first["alias"], "[say fork]", "--fork")
        self.home.wait_for_end(forked["alias"])
        resumed = self.home.ask("resume", first["name"], "[say on]")
        row = self.home.wait_for_end(resumed["alias"])
        self.assertEqual((row["resumed_from"], row["agent_session"]),
                         (first["session"], first["agent_session"]))
        # It gets the prompt and the limits of the first one, unless a flag says otherwise.
        self.assertEqual(self.bounds_of(row), ("Be brief.", ["Bash"], 9))
        other = self.home.ask("resume", row["alias"], "[say else]", "--system-prompt", "Be long.",
                              "--allow-tool", "Read", "--max-turns", "2")
        self.assertEqual(self.bounds_of(self.home.wait_for_end(other["alias"])),
                         ("Be long.", ["Read"], 2))
        self.fails(3, "'nobody'", "resume", "nobody")

    # Shows R039, R040.
    def test_the_prompts_that_waited_are_taken_along(self):
        alias = self.home.start_session("[hang]", "--multi-turn")
        self.home.wait_for_event(alias, "AgentInitialized")
        long = "[say three] " + "x" * 40_000
        for prompt in ("[say two]", long):
            self.succeeds("send", alias, prompt)
        self.fails(4, "has not ended, and its prompts still wait there", "resume", alias,
                   "--with-queue")
        self.succeeds("kill", alias)
        self.home.wait_for_end(alias)
        resumed = self.succeeds("resume", alias, "[say one]", "--with-queue", "-o", "json").json()
        self.succeeds("send", resumed["alias"], "--wait", "[say four]")
        items = self.home.ask("output", resumed["alias"], "--all")["items"]
        self.assertEqual([item["text"] for item in items if item["kind"] == "prompt"],
                         ["[say one]", "[say two]", long, "[say four]"])
        self.assertEqual([item["text"] for item in items if item["kind"] == "said"],
                         ["one", "two", "three", "four"])
        self.succeeds("close", resumed["alias"])
        self.home.wait_for_end(resumed["alias"])
        none = self.succeeds("resume", resumed["alias"], "[say five]", "--with-queue")
        self.assertIn(f"0 prompts of {resumed['alias']} had waited", none.err)
        self.succeeds("kill", "--all")

    # Shows R039, R040.
    def test_a_prompt_that_was_added_and_died_with_the_agent_is_taken_along(self):
        single = self.home.start_session("[hang]")
        self.home.wait_for_event(single, "AgentInitialized")
        self.succeeds("send", single, "[say added]")
        self.home.wait_for_event(single, "PromptInjected")
        os.kill(self.home.show(single)["pid"], signal.SIGKILL)
        self.assertEqual(self.home.wait_for_end(single)["end_reason"], "agent_exited")
        plain = self.succeeds("resume", single, "[say plain]")
        self.assertIn(f"1 prompt of {single} was accepted, and no agent answered it; "
                      "resume --with-queue takes it along", plain.err)
        resumed = self.succeeds("resume", single, "--fork", "--with-queue", "-o", "json").json()
        row = self.home.wait_for_end(resumed["alias"])
        items = self.home.ask("output", row["alias"], "--all")["items"]
        self.assertEqual([item["text"] for item in items if item["kind"] == "said"], ["added"])

    # Shows C20.
    def test_a_second_resume_goes_on_with_a_copy(self):
        first = self.home.wait_for_end(self.home.start_session("[say hi]"))
        second = self.home.wait_for_end(self.home.ask("resume", first["alias"], "[say on]")["alias"])
        self.assertEqual((second["agent_session"], second["resumed_at"]),
                         (first["agent_session"], "end"))
        third = self.succeeds("resume", first["alias"], "[say else]")
        self.assertIn(f"this one goes on where {first['alias']} ended, with a copy of it", third.err)
        third = self.home.wait_for_end(self.home.ask("ls", "-n", "1")["sessions"][0]["alias"])
        self.assertEqual((third["resumed_at"], third["fork"]), ("message", True))
        self.assertIn("(at its last message, in a copy of the agent's session)",
                      self.succeeds("show", third["alias"]).out)

    def test_who_goes_on_without_asking_says_so_each_time(self):
        bypass = ["--permission-mode", "bypassPermissions"]
        first = self.home.wait_for_end(self.home.start_session("[say hi]", *bypass))

        def mode_after(alias, *flags):
            result = self.succeeds("resume", alias, "[say on]", "-o", "json", *flags)
            row = self.home.wait_for_end(json.loads(result.out)["alias"])
            opened = one(self.home.events(row["session"]), type="SessionOpened")
            return row["alias"], opened["facts"]["spec"]["permission_mode"], result.err

        alias, mode, err = mode_after(first["alias"], *bypass)
        self.assertEqual((mode, err), ("bypassPermissions", ""))
        alias, mode, err = mode_after(alias)
        self.assertEqual(mode, "default")
        self.assertIn("--permission-mode bypassPermissions", err)
        alias, mode, err = mode_after(alias, "--permission-mode", "acceptEdits")
        self.assertEqual(mode_after(alias)[1:], ("acceptEdits", ""))


class Money(OneServer):
    """Each call of the scripted agent costs $0.0008 at this model's price."""

    MODEL = ("--model", "claude-opus-5-5")

    def spent(self, row):
        return [event["facts"] for event in self.home.events(row["session"])
                if event["type"] == "SpendingRecorded"]

    def test_what_a_turn_spends_is_on_the_record_while_it_runs(self):
        alias = self.home.start_session("[tools 40] [delay 100]", *self.MODEL)
        self.home.wait_for_event(alias, "SpendingRecorded")
        row = self.home.show(alias)
        self.assertEqual((row["status"], row["turns_finished"]), ("running", 0))
        self.assertGreaterEqual(row["cost_usd"], 0.0008)
        os.kill(row["pid"], signal.SIGKILL)
        row = self.home.wait_for_end(alias)
        self.assertEqual((row["end_reason"], row["cost_basis"]), ("agent_exited", "at_least"))
        told = sum(one["spent"][0]["cost_usd"] for one in self.spent(row))
        self.assertAlmostEqual(row["cost_usd"], told)
        interrupted = one(self.home.events(row["session"]), type="TurnInterrupted")["facts"]
        self.assertAlmostEqual(interrupted["cost"]["cost_usd"], told)
        self.assertIn("at least", self.succeeds("show", alias).out)
        # A lower bound looks like one wherever money is shown.
        self.assertIn("≥ $0.0", self.succeeds("ls").out)
        self.assertIn("≥ $", self.succeeds("stats").out)
        self.assertIn("steno_cost_is_lower_bound 1", self.prometheus())

    def prometheus(self):
        return self.succeeds("stats", "-o", "prometheus", "--all-agents").out

    # Shows R023.
    def test_a_budget_holds_over_the_deaths_of_workers(self):
        alias = self.home.start_session("[tools 40] [delay 1000]", "--multi-turn", *self.MODEL,
                                        "--budget-usd", "0.012", "--restart-policy", "retry")
        session = self.home.show(alias)["session"]
        for lease in (1, 2):
            until(lambda: len([e for e in self.home.events(session)
                               if e["type"] == "SpendingRecorded" and e["token"] == lease]) >= 2,
                  "calls of the agent")
            spent = self.home.show(alias)["cost_usd"]
            os.kill(self.home.worker_pid(), signal.SIGKILL)
            until(lambda: len([e for e in self.home.events(session)
                               if e["type"] == "LeaseGranted"]) > lease, "the next agent")
            left = [e["facts"]["budget_usd"] for e in self.home.events(session)
                    if e["type"] == "LeaseGranted"][-1]
            self.assertLessEqual(left, 0.012 - spent + 1e-9)
        row = self.home.wait_for_end(alias)
        self.assertEqual(row["end_reason"], "budget")
        self.assertLessEqual(row["cost_usd"], 0.012 + 2 * 0.0008)
        self.assertIn("≥ $0.01", self.succeeds("show", alias).out)

    # Shows R023.
    def test_forks_at_once_share_one_budget(self):
        source = self.home.start_session("[say hi]", *self.MODEL, "--budget-usd", "0.02")
        self.home.wait_for_end(source)
        forks = [self.home.ask("resume", source, "--fork", "[tools 60] [delay 600]",
                               "--budget-usd", "0.02")["alias"] for _ in range(4)]
        rows = [self.home.wait_for_end(alias) for alias in forks]
        for row in rows:
            self.assertEqual((row["status"], row["end_reason"]), ("failed", "budget"))
        spent = self.home.ask("show", source)["lineage_spent_usd"]
        self.assertGreaterEqual(spent, 0.02)
        self.assertLess(spent, 0.02 + 8 * 0.0008)

    # Shows R023.
    def test_an_answer_that_was_too_dear_is_not_green(self):
        run = self.home.run("run", "--engine", "scripted", *self.MODEL, "--budget-usd", "0.0008",
                            "[say hi]")
        self.assertEqual((run.code, run.out), (8, "hi\n"), str(run))
        self.assertIn("⚠ over budget: $0.0008 of $0.0008", run.err)
        row = self.home.ask("ls", "-n", "1")["sessions"][0]
        self.assertEqual((row["status"], row["end_reason"]), ("completed", "budget"))
        self.assertIn("completed (budget)", self.succeeds("ls").out)

    # Shows R023, R045.
    def test_a_model_without_a_price_costs_an_unknown_sum(self):
        run = self.home.run("run", "--engine", "scripted", "--model", "other-1", "--budget-usd",
                            "0.001", "[tools 5] [cost 28] [say hi]")
        self.assertEqual((run.code, run.out), (0, "hi\n"), str(run))
        self.assertIn("⚠ the model other-1 has no price that is known", run.err)
        self.assertIn("--max-tokens", run.err)
        self.assertTrue(run.err.rstrip().endswith(", unknown"), run.err)
        row = self.home.ask("ls", "-n", "1")["sessions"][0]
        self.assertEqual((row["cost_usd"], row["cost_basis"], row["unpriced"]),
                         (0, "unknown", True))
        self.assertIn("unknown, its model has no price that is known",
                      self.succeeds("show", row["alias"]).out)
        self.assertIn("unknown", self.succeeds("ls", "-n", "1").out)
        # Its tokens are limited all the same.
        run = self.home.run("run", "--engine", "scripted", "--model", "other-1", "--max-tokens",
                            "500", "[tools 40] [delay 50]")
        self.assertEqual(run.code, 8, str(run))

    # Shows R045.
    def test_a_difference_to_what_the_agent_says_is_shown(self):
        alias = self.home.start_session("[cost 0.05] [say hi]", *self.MODEL)
        self.assertEqual(self.home.wait_for_end(alias)["cost_usd"], 0.0008)
        self.assertIn("the agent itself says $0.0492 more", self.succeeds("show", alias).out)

    # Shows R023, C17, C18.
    def test_an_agent_that_does_not_keep_to_its_budget_is_interrupted(self):
        run = self.home.run("run", "--engine", "scripted", *self.MODEL, "--budget-usd", "0.004",
                            "[tools 40] [delay 100]")
        self.assertEqual(run.code, 8, str(run))
        self.assertIn("budget", run.err)
        row = self.home.ask("ls", "-n", "1")["sessions"][0]
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "budget"))
        events = self.home.events(row["session"])
        self.assertEqual(one(events, type="InterruptRequested")["facts"]["reason"], "budget")
        self.assertEqual(one(events, type="TurnInterrupted")["facts"]["reason"], "budget")
        self.fails(8, "spent $0.0", "resume", row["alias"], "[say on]")
        self.fails(8, "spent $0.0", "resume", row["alias"], "--fork", "[say on]")
        self.home.wait_for_end(
            self.home.ask("resume", row["alias"], "[say on]", "--budget-usd", "1")["alias"])

    def test_a_budget_is_that_of_all_that_go_on(self):
        def answered(alias):
            until(lambda: self.home.show(alias)["turns_finished"] == 1, "an answer")
            return alias

        def ended(alias):
            self.succeeds("close", answered(alias))
            return self.home.wait_for_end(alias)

        first = ended(self.home.start_session("[cost 0.3] [say one]", "--multi-turn",
                                              "--budget-usd", "0.7"))
        second = ended(self.home.ask("resume", first["alias"], "[cost 0.3] [say two]")["alias"])
        granted = one(self.home.events(second["session"]), type="LeaseGranted")["facts"]
        self.assertAlmostEqual(granted["budget_usd"], 0.4)
        shown = self.succeeds("show", first["alias"]).out
        self.assertIn("$0.7000, spent $0.6000 with its resumes, its forks and what they launched, "
                      "left $0.1000", shown)
        third = answered(
            self.home.ask("resume", first["alias"], "[cost 0.3] [say three]")["alias"])
        self.fails(8, "spent $0.9", "send", third, "[say four]")
        self.succeeds("close", third)
        self.home.wait_for_end(third)
        self.fails(8, "spent $0.9", "resume", first["alias"], "--fork", "[say four]")


    # Shows R023.
    def test_a_session_ends_at_what_it_may_use(self):
        for flag, reason, told in (("--max-tool-calls=3", "max_tool_calls", "all its tool calls"),
                                   ("--max-output-bytes=20", "max_output_bytes", "have said all"),
                                   ("--max-tokens=2000", "max_tokens", "all its tokens")):
            run = self.home.run("run", "--engine", "scripted", *self.MODEL, flag,
                                "[tools 40] [delay 100]")
            self.assertEqual(run.code, 8, str(run))
            self.assertIn(told, run.err)
            row = self.home.ask("ls", "-n", "1")["sessions"][0]
            self.assertEqual((row["status"], row["end_reason"]), ("failed", reason))
            self.assertLess(row["tool_calls"], 40)
            self.assertEqual(row["attention"], "over_budget")
            events = self.home.events(row["session"])
            self.assertEqual(one(events, type="InterruptRequested")["facts"]["reason"], reason)
            self.assertIn("at most " + flag.split("=")[1], self.succeeds("show", row["alias"]).out)
            resumed = self.home.ask("resume", row["alias"], "[say on]", flag.split("=")[0], "9000")
            self.assertEqual(self.home.wait_for_end(resumed["alias"])["status"], "completed")


class DailyBudget(OneServer):
    CONFIG = "max_sessions = 50\ndaily_budget_usd = 0.006\n"
    MODEL = Money.MODEL

    # Shows R023.
    def test_the_sessions_of_an_agent_share_a_budget_of_a_day(self):
        if time.time() % 86400 > 86400 - 120:
            self.skipTest("the day ends too soon")
        waiting = self.home.start_session("[say hi]", "--multi-turn", *self.MODEL)
        until(lambda: self.home.show(waiting)["waiting_for_input"], "the answer")
        run = self.home.run("run", "--engine", "scripted", *self.MODEL, "[tools 40] [delay 100]")
        self.assertEqual(run.code, 8, str(run))
        self.assertIn("daily_budget: the agent's sessions have spent what they may today", run.err)
        self.fails(8, "(daily_budget_usd); wait for the next day, which begins at 00:00 UTC",
                   "run", "--engine", "scripted", "[say more]")
        self.assertIn("which is paused until 00:00 UTC",
                      self.succeeds("send", waiting, "[say later]").out)
        self.assertIn("daily_budget: prompts wait until 00:00 UTC\n",
                      self.succeeds("show", waiting).out)
        self.assertIn("which is paused until 00:00 UTC",
                      self.succeeds("send", waiting, "[say latest]").out)
        self.assertIn("over the budget for the day", self.succeeds("attention").out)
        self.fails(8, "daily_budget_usd", "continue", waiting)
        self.assertIn("$0.0060 for each agent, in a day of UTC", self.succeeds("doctor").out)
        # A restart keeps what was spent; with a larger budget the prompts go on by themselves.
        self.home.stop()
        self.home.start()
        self.fails(8, "daily_budget_usd", "continue", waiting)
        self.home.stop()
        self.home.write_config(self.CONFIG.replace("0.006", "5"))
        self.home.start()
        until(lambda: self.home.show(waiting)["turns_finished"] == 3, "the prompts that waited")
        self.succeeds("kill", waiting)


class Caps(OneServer):
    """The caps of an agent over all time, and of all agents in a day."""

    CONFIG = "agent_budget_usd = 0.002\ntotal_daily_budget_usd = 0.003\n"
    MODEL = Money.MODEL

    # Shows R023.
    def test_caps_hold_for_an_agent_and_for_all(self):
        if time.time() % 86400 > 86400 - 120:
            self.skipTest("the day ends too soon")
        run = self.home.run("run", "--engine", "scripted", *self.MODEL, "[tools 40] [delay 50]")
        self.assertEqual(run.code, 8, str(run))
        self.assertIn("agent_budget: the agent's sessions have spent what they may", run.err)
        self.fails(8, "(agent_budget_usd)", "run", "--engine", "scripted", "[say more]")
        run = self.home.run("run", "--agent", "other", "--engine", "scripted", *self.MODEL,
                            "[tools 40] [delay 50]")
        self.assertEqual(run.code, 8, str(run))
        self.fails(8, "(total_daily_budget_usd)", "run", "--agent", "third", "--engine",
                   "scripted", "[say more]")
        told = self.succeeds("doctor").out
        self.assertIn("$0.0020 for each agent, over all time", told)
        self.assertIn("$0.0030 for all agents", told)


class Prices(OneServer):
    """What models cost, by the operator's own file beside the configuration."""

    def write(self, text):
        with open(self.home.path("prices.toml"), "w", encoding="utf-8") as file:
            file.write(text)

    # Shows R045.
    def test_a_file_of_prices_is_read_beside_the_configuration(self):
        self.home.stop()
        self.write('as_of = "2026-11-21"\n[models]\n'
                   '"local-*" = { input = 0, output = 0 }\n'
                   '"claude-opus-5-5" = { input = 8, output = 40 }\n')
        self.home.start()
        self.assertIn("prices.toml of 2026-11-21", self.succeeds("doctor").out)
        for model, cost in (("local-1", 0), ("claude-opus-5-5", 0.0016)):
            alias = self.home.start_session("[say hi]", "--model", model)
            row = self.home.wait_for_end(alias)
            self.assertEqual((row["cost_usd"], row["cost_basis"]), (cost, "reported"))
        started = one(self.home.events(row["session"]), type="AgentStarted")["facts"]
        self.assertIn("of 2026-11-21", started["prices"])

    def test_a_bad_file_of_prices_is_refused_with_its_line(self):
        self.home.stop()
        for text, said in (('[models]\n"m" = { input = -1, output = 2 }\n',
                            'models."m".input is not accepted'),
                           ('[models]\n"m" = { input = 1 }\n', 'models."m".output is left out'),
                           ('[models]\n"m" = { imput = 1, output = 1 }\n',
                            'models."m".imput is not accepted'),
                           ("prices = 1\n", "prices is not accepted"),
                           ("[models\n", "not TOML")):
            self.write(text)
            served = self.home.run("serve")
            self.assertNotEqual(served.code, 0)
            self.assertIn(said, served.err)
            self.assertIn("prices.toml line ", served.err)
        self.write("")
        self.home.start()


class Tasks(OneServer):
    """Tasks that an agent has in the background."""
    def waits(self, alias, tasks=1):
        until(lambda: self.home.show(alias)["turns_finished"] == 1, "the answer")
        row = self.home.show(alias)
        self.assertEqual((row["status"], row["tasks"], row["waiting_for_input"]),
                         ("running", tasks, False))

    def test_a_run_ends_with_its_tasks(self):
        result = self.succeeds("run", "--engine", "scripted",
                               "[say started] [task 700] [later the task is done]")
        self.assertEqual(result.out, "started\nthe task is done\n")
        self.assertIn("⋯ 1 task in the background: Wait 1", result.err)
        self.assertIn("↪ the agent goes on by itself: a task has ended", result.err)
        row = self.home.ask("ls", "-n", "1")["sessions"][0]
        self.assertEqual((row["status"], row["turns_finished"], row["own_turns"], row["tasks"]),
                         ("completed", 1, 1, 0))
        kinds = [event["type"] for event in self.home.events(row["session"])]
        self.assertLess(kinds.index("OwnTurnStarted"), kinds.index("SessionClosed"))
        self.assertNotIn("ReportIgnored", kinds)

    def test_a_session_shows_that_it_waits_for_tasks(self):
        alias = self.home.start_session("[say started] [task 8000]", "--multi-turn")
        self.waits(alias)
        self.assertIn("running, 1 task", self.succeeds("ls").out)
        self.assertIn("1 task, then it waits for a prompt", self.succeeds("show", alias).out)
        answer = self.succeeds("send", alias, "--wait", "[say meanwhile]")
        self.assertEqual(answer.out, "meanwhile\n")
        until(lambda: self.home.show(alias)["waiting_for_input"], "the end of the task")
        self.assertEqual(self.home.show(alias)["own_turns"], 1)
        self.succeeds("close", alias)
        self.assertEqual(self.home.wait_for_end(alias)["status"], "completed")

    def test_closing_waits_for_tasks(self):
        alias = self.home.start_session("[say started] [task 6000]", "--multi-turn")
        self.waits(alias)
        self.assertEqual(self.succeeds("close", alias).out,
                         f"closing {alias} once 1 task in the background has ended; --now does "
                         "not wait\n")
        self.assertIn("1 task, then it is completed", self.succeeds("show", alias).out)
        row = self.home.wait_for_end(alias)
        self.assertEqual((row["status"], row["own_turns"]), ("completed", 1))

    def test_closing_at_once_does_not(self):
        alias = self.home.start_session("[say started] [task 600000]", "--multi-turn")
        self.waits(alias)
        self.succeeds("close", alias)
        self.assertEqual(self.succeeds("close", alias, "--now").out, f"closing {alias}\n")
        row = self.home.wait_for_end(alias)
        self.assertEqual((row["status"], row["own_turns"]), ("completed", 0))
        self.home.wait_for_event(alias, "LeaseReleased")

    def test_tasks_outlive_the_server(self):
        alias = self.home.start_session("[say started] [task 8000] [later the task is done]")
        self.waits(alias)
        self.home.stop(signal.SIGKILL)
        self.home.start()
        self.assertEqual(self.home.show(alias)["tasks"], 1)
        row = self.home.wait_for_end(alias)
        self.assertEqual((row["status"], row["own_turns"]), ("completed", 1))

    def test_a_killed_session_takes_its_tasks_along(self):
        alias = self.home.start_session("[say started] [task 600000]")
        self.waits(alias)
        self.assertEqual(self.succeeds("kill", alias).out, "killed\n")
        self.home.wait_for_event(alias, "LeaseReleased")

    def test_the_setting_is_kept_by_a_resume(self):
        first = self.home.start_session("[say one]", "--background", "inline")
        self.home.wait_for_end(first)
        again = self.home.ask("resume", first, "[say two]")["alias"]
        self.assertEqual(self.home.wait_for_end(again)["background"], "inline")
        changed = self.home.ask("resume", again, "[say three]", "--background", "forbid")["alias"]
        self.assertEqual(self.home.wait_for_end(changed)["background"], "forbid")
        self.fails(2, "allow, inline or forbid", "run", "--background", "never", "[say hi]")


class TaskLimit(OneServer):
    CONFIG = 'task_wait = "1s"\n'

    def test_tasks_are_not_waited_for_for_ever(self):
        result = self.home.run("run", "--engine", "scripted", "[say started] [task 600000]")
        self.assertEqual((result.code, result.out), (1, "started\n"), str(result))
        self.assertIn("⌛ the tasks in the background are not waited for any longer", result.err)
        row = self.home.ask("ls", "-n", "1")["sessions"][0]
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "tasks_unfinished"))
        self.assertIn("failed (tasks_unfinished)", self.succeeds("ls", "-n", "1").out)
        self.home.wait_for_event(row["alias"], "LeaseReleased")


class Formats(OneServer):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.row = cls.home.wait_for_end(cls.home.start_session("[tools 1] [say well done]"))

    def test_prometheus_reads_the_totals(self):
        totals = self.home.ask("stats")["totals"]
        text = self.home.run("stats", "-o", "prometheus").out
        label = r'\w+="\w+"'
        sample = rf"\w+(\{{{label}(,{label})*\}})? \d+(\.\d+)?"
        for line in text.splitlines():
            self.assertRegex(line, rf"^(# (HELP|TYPE) \w+ .+|{sample})$")
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
        self.assertEqual(values["steno_up"], "1")
        self.assertEqual(values['steno_sessions_started_total{agent="main"}'],
                         str(totals["launched"]))
        self.assertEqual(values['steno_sessions_ended_total{agent="main",status="completed"}'],
                         str(totals["completed"]))
        self.assertEqual(values['steno_tokens_total{agent="main",kind="output"}'],
                         str(totals["usage"]["output"]))
        self.assertAlmostEqual(float(values['steno_cost_usd_total{agent="main"}']),
                               float(totals["cost_usd"]))
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                                     capture_output=True, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout)
        self.assertEqual(self.home.run("ls", "-o", "prometheus").code, 2)

    def test_of_commands_that_answer_one_thing(self):
        for arguments in (("show", self.row["alias"]), ("stats",), ("doctor",), ("config",),
                          ("version",), ("ls",)):
            with self.subTest(arguments=arguments):
                self.assertTrue(self.succeeds(*arguments).out.strip())
                self.assertIsInstance(self.home.ask(*arguments), (dict, list))
                lines = self.succeeds(*arguments, "-o", "jsonl").lines()
                self.assertTrue(all(isinstance(line, dict) for line in lines))

    def test_of_output(self):
        alias = self.row["alias"]
        self.assertIn("well done\n", self.succeeds("output", alias).out)
        lines = self.succeeds("output", alias, "-o", "jsonl").lines()
        self.assertEqual([line["text"] for line in lines if line["type"] == "OutputRecorded"],
                         ["well done"])
        self.assertEqual(self.home.ask("output", alias)["items"], lines)

    def test_of_run(self):
        lines = self.succeeds("run", "--engine", "scripted", "[say hi]", "-o", "jsonl").lines()
        self.assertEqual(lines[-1]["type"], "SessionClosed")
        answer = self.succeeds("run", "--engine", "scripted", "[say hi]", "-o", "json").json()
        self.assertEqual(answer["session"]["status"], "completed")

    def test_of_watch(self):
        table = self.succeeds("watch", "--from", "start", "-n", "3").out.splitlines()
        self.assertEqual(len(table), 3)
        events = self.home.events()
        self.assertEqual([event["position"] for event in events],
                         list(range(1, len(events) + 1)))

    def test_of_watch_with_a_text_that_is_too_long_for_the_feed(self):
        long = "[say hi] " + "y" * 40_000
        row = self.home.wait_for_end(self.home.start_session(long))
        watch = ("watch", row["alias"], "--from", "start", "-o", "jsonl")
        whole = one(self.succeeds(*watch).lines(), type="TurnQueued")
        self.assertEqual(whole["content"], long)
        left_out = one(self.succeeds(*watch, "--no-texts").lines(), type="TurnQueued")
        self.assertEqual(left_out["content_bytes"], len(long))
        self.assertNotIn("content", left_out)

    def test_a_control_sequence_of_an_agent_is_told_as_it_was(self):
        row = self.home.wait_for_end(self.home.start_session("[say a\x1b[31mred\x07]"))
        items = self.succeeds("output", row["alias"], "-o", "jsonl").lines()
        self.assertEqual(one(items, type="OutputRecorded")["text"], "a\x1b[31mred\x07")


class Serving(unittest.TestCase):
    """Each test has servers of its own."""

    def home(self, *arguments):
        home = Home(*arguments)
        self.addCleanup(home.close)
        return home

    def refused(self, home, word, *flags):
        result = home.run(*flags, "serve")
        self.assertEqual(result.code, 11, str(result))
        last = result.err.splitlines()[-1]
        self.assertIn(word, last)

    # Shows R003.
    def test_a_second_server_is_refused(self):
        home = self.home().start()
        self.refused(home, "has this data folder open")
        self.refused(home, "another server has this endpoint", "--data-folder", home.path("other"))
        self.assertEqual(home.run("run", "--engine", "scripted", "[say hi]").out, "hi\n")

    def test_doctor_needs_no_server(self):
        home = self.home()
        result = home.run("doctor", "-o", "json")
        self.assertEqual(result.code, 6, str(result))
        server = one(result.json()["findings"], subject="server")
        self.assertIn(f"steno --home {home.folder} serve", server["text"])
        home.start()
        until(lambda: home.run("doctor").code == 0, "a healthy server")

    def test_doctor_finds_nothing_wrong_while_the_worker_starts(self):
        home = self.home().start()
        result = home.run("doctor")
        self.assertEqual(result.code, 0, str(result))
        self.assertNotIn("BAD", result.out)

    def test_doctor_says_what_is_wrong_with_a_log_that_does_not_open(self):
        home = self.home().start()
        home.run("run", "--engine", "scripted", "[say hi]")
        home.stop()
        self.assertIn("ok  log's end", home.run("doctor").out)
        for name in os.listdir(home.path("data", "log")):
            if name.endswith((".log", ".sst")):
                os.truncate(home.path("data", "log", name), 0)
        result = home.run("doctor")
        self.assertEqual(result.code, 9, str(result))
        self.assertIn("BAD log's end", result.out)
        self.assertIn("steno replay salvage", result.out)
        self.assertNotIn("start it with", result.out)

    def test_a_dead_server_is_told_at_once_and_nothing_waits_for_it(self):
        home = self.home('timeout = "1h"\n').start()  # longer than the test waits
        running = home.follow("run", "--engine", "scripted", "[hang]")
        row = until(lambda: home.ask("ls")["sessions"], "the session")[0]
        home.wait_for_event(row["alias"], "AgentInitialized")
        home.stop(signal.SIGKILL)
        self.assertIn("the server has ended", running.error_line("server"))
        running.signal(signal.SIGINT)
        result = running.finish()
        self.assertEqual(result.code, 130, str(result))
        self.assertIn("nothing was interrupted", result.err)
        self.assertIn(row["session"], result.err)

    def test_the_flight_recorder_is_shown_of_a_server_and_of_one_that_ended_by_a_fault(self):
        home = self.home()
        none = home.run("doctor", "--flight")
        self.assertEqual(none.code, 3, str(none))
        home.start()
        home.run("run", "--engine", "scripted", "[say hi]")
        shown = home.run("doctor", "--flight")
        self.assertEqual(shown.code, 0, str(shown))
        for words in ("frame     from a client", "appended  up to position", "answered  1 commands"):
            self.assertIn(words, shown.out)
        entries = home.ask("doctor", "--flight")["entries"]
        self.assertEqual(entries, sorted(entries, key=lambda entry: entry["at_us"]))
        home.stop()
        with open(home.path("run", "flight.log"), "w", encoding="ascii") as file:
            file.write("1000 durable 7\n3500 failed 0\n")
        left = home.run("doctor", "--flight")
        self.assertIn("flight.log", left.err)
        self.assertEqual([line.split() for line in left.out.splitlines()],
                         [["2.500", "durable", "up", "to", "position", "7"],
                          ["0.000", "failed", "the", "server", "ended", "with", "this"]])

    def test_erasing_at_a_terminal_is_confirmed(self):
        home = self.home().start()
        alias = home.start_session("[say hi]")
        home.wait_for_end(alias)
        for answer, code in ((b"n\n", 130), (b"y\n", 0)):
            leader, terminal = pty.openpty()
            os.write(leader, answer)
            child = home.popen(("erase", alias), stdin=terminal, stderr=subprocess.PIPE)
            out, err = child.communicate(timeout=30)
            os.close(leader)
            os.close(terminal)
            self.assertEqual(child.returncode, code, out + err)
            self.assertIn(b"erase? [y/N]", err)
        self.assertTrue(home.show(alias)["erased"])

    def test_errors_are_json_where_json_is_asked_for(self):
        home = self.home()
        for code, name, arguments in ((6, "no_server", ("ls", "-o", "json")),
                                      (2, "usage", ("nonsense", "--output=jsonl")),
                                      (3, "not_found", ("replay", "export", "-o", "json"))):
            result = home.run(*arguments)
            self.assertEqual(result.code, code, str(result))
            error = json.loads(result.err)["error"]
            self.assertEqual((error["code"], error["exit"]), (name, code))
            self.assertTrue(error["text"])

    def test_a_reader_that_leaves_leaves_nothing_behind(self):
        home = self.home().start()
        for _ in range(3):
            home.run("run", "--engine", "scripted", "[big 100000]")
        home.stop()
        temporary = home.path("temporary")
        os.mkdir(temporary)
        home.environment["TMPDIR"] = temporary
        exporting = home.popen(("replay", "export"), stderr=subprocess.PIPE)
        exporting.stdout.read(10)
        exporting.stdout.close()
        self.assertEqual(exporting.wait(30), 1)
        self.assertEqual(exporting.stderr.read(), b"")
        exporting.stderr.close()
        self.assertEqual(os.listdir(temporary), [])

    def test_a_slow_reader_of_a_pipe_that_does_not_block_gets_all(self):
        home = self.home().start()
        home.run("run", "--engine", "scripted", "--name", "big", "[big 1000000]")
        for arguments in (("output", "big", "--all"), ("watch", "big", "--from", "start",
                                                       "-o", "jsonl")):
            reader, writer = os.pipe()
            os.set_blocking(writer, False)
            child = home.popen(arguments, stdout=writer, stderr=subprocess.PIPE)
            os.close(writer)
            with os.fdopen(reader, "rb") as file:
                self.assertGreater(len(file.read()), 1_000_000)
            self.assertEqual(child.wait(30), 0, child.stderr.read())
            child.stderr.close()

    def test_the_worker_rotates_its_log(self):
        home = self.home()
        os.makedirs(home.path("run"), mode=0o700)
        with open(home.path("run", "worker.log"), "w", encoding="ascii") as file:
            file.write("old\n" * (3 * MIB))
        home.start()
        until(lambda: os.path.exists(home.path("run", "worker.log.1")), "the older log")
        until(lambda: os.path.exists(home.path("run", "worker.log")), "the newer one")
        self.assertLess(os.path.getsize(home.path("run", "worker.log")), MIB)
        self.assertEqual(home.run("run", "--engine", "scripted", "[say hi]").out, "hi\n")

    def test_watching_a_session_ends_with_it(self):
        home = self.home().start()
        alias = home.start_session("[words 5] [delay 50]")
        watching = home.follow("watch", alias, "--from", "start", "-o", "jsonl")
        types = [event["type"] for event in watching.finish().lines()]
        self.assertEqual((types[0], types[-1]), ("SessionOpened", "LeaseReleased"))
        again = home.run("watch", alias, "--from", "start", "-o", "jsonl")
        self.assertEqual([event["type"] for event in again.lines()], types)
        self.assertEqual(home.run("watch", alias).code, 0)

    def test_commands_without_a_server_say_how_to_start_one(self):
        result = self.home().run("ls")
        self.assertEqual(result.code, 6)
        self.assertIn("serve", result.err)

    def stop_with_sessions(self, signals):
        home = self.home('kill_grace = "300ms"\nstop_grace = "100ms"\n').start()
        aliases = [home.start_session("[hang]", "--multi-turn"),
                   home.start_session("[deaf] [child] [hang]")]
        for alias in aliases:
            home.wait_for_event(alias, "AgentInitialized")
        for number in signals[:-1]:
            home.server.signal(number)
        self.assertEqual(home.stop(signals[-1]), 0)
        self.assertEqual(home.processes(), {})
        self.proves_itself(home)
        home.start()
        waiting = home.show(aliases[0])
        self.assertEqual((waiting["status"], waiting["waiting_for_input"]), ("running", True))
        self.assertEqual(waiting["turns_interrupted"], 1)
        ended = home.wait_for_end(aliases[1])
        self.assertEqual((ended["status"], ended["end_reason"]), ("killed", "stopped"))
        answer = home.run("send", aliases[0], "--wait", "[say on]")
        self.assertEqual((answer.code, answer.out), (0, "on\n"), str(answer))
        return home

    def proves_itself(self, home):
        result = home.run("replay", "verify")
        self.assertEqual(result.code, 0, str(result))

    def test_sigterm_ends_worker_and_agents(self):
        self.stop_with_sessions([signal.SIGTERM])

    # Shows R041, R054, C09.
    def test_a_clean_stop_keeps_the_prompts_that_wait(self):
        home = self.home('kill_grace = "300ms"\nstop_grace = "100ms"\n').start()
        alias = home.start_session("[hang]", "--multi-turn")
        home.wait_for_event(alias, "AgentInitialized")
        for word in ("two", "three"):
            home.run("send", alias, f"[say {word}]")
        self.assertEqual(home.stop(), 0)
        home.start()
        until(lambda: home.show(alias)["turns_finished"] == 2, "the prompts that waited")
        row = home.show(alias)
        self.assertEqual((row["turns_interrupted"], row["turns_failed"]), (1, 0))
        events = home.events(row["session"])
        [interrupted] = [e for e in events if e["type"] == "TurnInterrupted"]
        self.assertEqual(interrupted["facts"]["reason"], "stopped")
        said = [e["content"] for e in events if e["type"] == "TurnFinished"]
        self.assertEqual(said, ["two", "three"])

    # Shows R309.
    def test_a_turn_that_is_lost_is_tried_again_twice(self):
        home = self.home('worker_silence_max = "1s"\nstop_grace = "100ms"\n'
                         'restart_policy = "retry"\n').start()
        alias = home.start_session("[words 40000] [delay 100]")  # it never comes to its end
        def begun(count):
            leases = [e for e in home.events(home.show(alias)["session"])
                      if e["type"] == "AgentInitialized"]
            return len(leases) == count
        until(lambda: begun(1), "the first agent")
        os.kill(home.worker_pid(), signal.SIGKILL)
        until(lambda: begun(2), "the second agent")
        self.assertEqual(home.stop(), 0)
        home.start()
        until(lambda: begun(3), "the third agent")
        os.kill(home.worker_pid(), signal.SIGKILL)
        row = home.wait_for_end(alias)
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "worker_lost"))
        returned = [e["facts"]["attempts"] for e in home.events(row["session"])
                    if e["type"] == "TurnReturned"]
        self.assertEqual(returned, [1, 2])

    # Shows R308.
    def test_a_prompt_that_cannot_be_started_in_time_is_dropped(self):
        home = self.home().start()
        alias = home.start_session("[hang]", "--multi-turn")
        home.wait_for_event(alias, "AgentInitialized")
        late = home.run("send", alias, "--start-within", "2s", "--wait", "[say late]")
        self.assertEqual(late.code, 7, str(late))
        self.assertIn("expired: it could not be started in time", late.err)
        later = home.run("send", alias, "--start-within", "2s", "[say later]")
        self.assertEqual(later.code, 0, str(later))
        home.run("send", alias, "--start-within", "1h", "[say in time]")
        home.stop(signal.SIGKILL)
        home.start()
        until(lambda: home.show(alias)["turns_interrupted"] == 2, "that both are dropped")
        home.run("interrupt", alias)
        until(lambda: home.show(alias)["turns_finished"] == 1, "the prompt that was in time")
        events = home.events(home.show(alias)["session"])
        said = [e["content"] for e in events if e["type"] == "TurnFinished"]
        self.assertEqual(said, ["in time"])
        reasons = [e["facts"]["reason"] for e in events if e["type"] == "TurnInterrupted"]
        self.assertEqual(reasons, ["expired", "expired", "user"])
        refused = home.run("send", alias, "--start-within", "soon", "[say no]")
        self.assertEqual(refused.code, 2, str(refused))

    def test_a_turn_may_end_while_the_server_stops(self):
        home = self.home('stop_grace = "20s"\n').start()
        alias = home.start_session("[words 20] [delay 50]", "--multi-turn")
        home.wait_for_event(alias, "AgentInitialized")
        home.run("send", alias, "[say two]")
        self.assertEqual(home.stop(), 0)
        home.start()
        until(lambda: home.show(alias)["turns_finished"] == 2, "both turns")
        self.assertEqual(home.show(alias)["turns_interrupted"], 0)

    def test_an_idle_agent_is_ended_and_resumed(self):
        home = self.home('idle_agent_stop = "200ms"\n').start()
        alias = home.start_session("[say one]", "--multi-turn")
        exited = home.wait_for_event(alias, "AgentExited")
        self.assertTrue(exited["facts"]["stopped"], exited)
        answer = home.run("send", alias, "--wait", "[say two]")
        self.assertEqual((answer.code, answer.out), (0, "two\n"), str(answer))
        row = home.show(alias)
        self.assertEqual((row["status"], row["turns_finished"]), ("running", 2))
        types = [event["type"] for event in home.events(row["session"])]
        self.assertEqual(types.count("LeaseGranted"), 2, types)

    def at_a_terminal(self, home, *arguments):
        """Runs a command as a person does; returns what it prints, also to the terminal."""
        leader, terminal = pty.openpty()
        child = home.popen(arguments, stdin=terminal, stdout=terminal, stderr=subprocess.PIPE)
        os.close(terminal)
        printed = b""
        while True:
            try:
                read = os.read(leader, 4096)
            except OSError:  # everybody has closed the terminal
                break
            printed += read
        os.close(leader)
        _, err = child.communicate(timeout=30)
        self.assertEqual(child.returncode, 0, err)
        return printed.decode()

    def spawn_as_a_person(self, home, *flags):
        """Returns the alias of a multi-turn session."""
        told = self.at_a_terminal(home, "spawn", "--engine", "scripted", "--multi-turn", *flags,
                                  "[say one]", "-o", "json")
        return json.loads(told)["alias"]

    def agents(self, home):
        return [command for command in home.processes().values()
                if command.split(" ")[0].endswith("steno-scripted-agent")]

    # Shows R026, R063.
    def test_a_session_that_a_person_opened_is_parked_instead_of_killed(self):
        home = self.home('idle_agent_stop = "100ms"\nidle_timeout = "300ms"\nmax_sessions = 1\n'
                         'agent_environment = "STENO_SCRIPTED_STATE"\n')
        home.environment["STENO_SCRIPTED_STATE"] = home.folder  # an agent knows its conversations
        home.start()
        alias = self.spawn_as_a_person(home)
        until(lambda: home.show(alias)["parked"], "that its agent was stopped")
        until(lambda: not self.agents(home), "the end of its process")
        # Its place is free. What a program opens is killed meanwhile, after the same time.
        forgotten = home.start_session("[say hi]", "--multi-turn")
        row = home.wait_for_end(forgotten)
        self.assertEqual((row["status"], row["end_reason"]), ("killed", "idle"))
        listed = home.run("ls").out
        self.assertRegex(listed, alias + r" .* running, waiting, parked  ")
        self.assertNotIn("ends in", listed)
        shown = home.run("show", alias).out
        self.assertIn("the next prompt starts the agent again", shown)
        self.assertNotIn("killed if it waits", shown)
        # It is parked over a restart, too, and its next prompt goes on with the conversation.
        self.assertEqual(home.stop(), 0)
        home.start()
        self.assertIn("0 running of 1, 1 parked", home.run("status").out)
        answer = home.run("send", alias, "--wait", "[say two]")
        self.assertEqual((answer.code, answer.out), (0, "two\n"), str(answer))
        events = home.events(home.show(alias)["session"])
        begun = [event["facts"]["agent_session"] for event in events
                 if event["type"] == "AgentInitialized"]
        self.assertEqual((len(begun), len(set(begun))), (2, 1))
        resumed = [event["facts"].get("resume_agent_session") for event in events
                   if event["type"] == "LeaseGranted"]
        self.assertEqual(resumed[-1], begun[0])
        # A flag that a person gives holds at a terminal, too.
        until(lambda: home.show(alias)["parked"], "that its agent was stopped again")
        row = home.wait_for_end(self.spawn_as_a_person(home, "--idle-timeout", "200ms"))
        self.assertEqual((row["status"], row["end_reason"]), ("killed", "idle"))
        self.assertTrue(home.show(alias)["waiting_for_input"])

    # Shows R026.
    def test_prompts_of_parked_sessions_wait_for_a_place_in_their_order(self):
        home = self.home('idle_agent_stop = "100ms"\nmax_sessions = 1\n').start()
        aliases = []
        for name in ("one", "two"):
            aliases.append(home.start_session("[say hi]", "--multi-turn", "--name", name))
            until(lambda: home.show(aliases[-1])["parked"], "that it is parked")
        runs = home.start_session("[hang]")
        until(lambda: len(self.agents(home)) == 1, "the only agent process")
        for alias in aliases:
            sent = home.run("send", alias, "[say on]")
            self.assertEqual(sent.code, 0, str(sent))
            self.assertIn(f"queued for {alias}, which is paused until a place is free", sent.out)
        self.assertEqual(home.run("ls").out.count("running, waits for a place"), 2)
        self.assertIn("session_limit: prompts wait until a place is free (max_sessions)",
                      home.run("show", "one").out)
        early = home.run("continue", "one")
        self.assertEqual(early.code, 5, str(early))
        refused = home.run("spawn", "--engine", "scripted", "[say no]")
        self.assertEqual(refused.code, 5, str(refused))
        self.assertIn("1 of 1 sessions are running (max_sessions), and 2 more wait for a place; "
                      "kill one first", refused.err)
        # A restart keeps the order.
        home.stop(signal.SIGKILL)
        home.start()
        self.assertEqual(home.run("kill", runs).code, 0)
        until(lambda: [home.show(alias)["turns_finished"] for alias in aliases] == [2, 2],
              "both prompts")
        finished = [event["stream"] for event in home.events()
                    if event["type"] == "TurnFinished"][-2:]
        self.assertEqual(finished, [f"main/session/{home.show(alias)['session']}"
                                    for alias in aliases])

    def test_sigterm_twice_is_no_worse(self):
        self.stop_with_sessions([signal.SIGTERM, signal.SIGTERM])

    def test_sigint_is_the_same(self):
        self.stop_with_sessions([signal.SIGINT])

    def test_a_kept_worker_is_taken_back(self):
        home = self.home().start("--keep-workers")
        alias = home.start_session("[words 40] [delay 50]")
        home.wait_for_event(alias, "AgentInitialized")
        worker = home.worker_pid()
        self.assertEqual(home.stop(), 0)
        self.assertIn(worker, home.processes())
        home.start()
        self.assertEqual(home.worker_pid(), worker)
        row = home.wait_for_end(alias)
        self.assertEqual((row["status"], row["turns_finished"]), ("completed", 1))
        self.assertEqual(home.stop(), 0)
        self.assertEqual(home.processes(), {})

    # Shows C07, C27.
    def test_a_killed_server_loses_nothing(self):
        home = self.home().start()
        alias = home.start_session("[words 40] [delay 50]")
        home.wait_for_event(alias, "AgentInitialized")
        home.stop(signal.SIGKILL)
        home.start()
        self.assertEqual(home.wait_for_end(alias)["status"], "completed")
        self.assertEqual(home.stop(), 0)
        self.proves_itself(home)

    def test_another_run_folder_does_not_hide_who_runs_the_agents(self):
        home = self.home().start()
        alias = home.start_session("[hang]")
        home.wait_for_event(alias, "AgentInitialized")
        worker = home.worker_pid()
        home.stop(signal.SIGKILL)
        elsewhere = ("--run-folder", home.path("run-2"))
        home.start(*elsewhere)
        until(lambda: f"process {worker} is a worker and has not registered"
              in home.run(*elsewhere, "doctor").out, "that the worker is elsewhere")
        home.stop(signal.SIGKILL)
        self.assertEqual(home.worker_pid(), worker)
        home.start()
        self.assertEqual(home.run("interrupt", alias).code, 0)
        self.assertEqual(home.wait_for_end(alias)["status"], "killed")
        types = [event["type"] for event in home.events(home.show(alias)["session"])]
        self.assertEqual(types.count("LeaseGranted"), 1, types)
        self.assertNotIn("LeaseExpired", types)

    # Shows C22.
    def test_a_killed_worker_is_replaced(self):
        home = self.home('worker_silence_max = "1s"\n').start()
        alias = home.start_session("[hang]")
        home.wait_for_event(alias, "AgentInitialized")
        os.kill(home.worker_pid(), signal.SIGKILL)
        row = home.wait_for_end(alias)
        self.assertEqual((row["status"], row["end_reason"]), ("failed", "worker_lost"))
        self.assertEqual(home.run("run", "--engine", "scripted", "[say hi]").out, "hi\n")

    def test_replay_says_the_same_each_time(self):
        home = self.home().start()
        home.run("run", "--engine", "scripted", "[tools 2] [say hi]")
        home.run("run", "--engine", "scripted", "[say there]")
        last = home.position()
        home.stop()
        for position in (1, last // 2, last):
            arguments = ("replay", "state", "--at", str(position), "-o", "json")
            first = home.run(*arguments)
            self.assertEqual(first.code, 0, str(first))
            self.assertEqual(first.raw, home.run(*arguments).raw)
        self.proves_itself(home)
        self.assertEqual(home.run("replay", "rebuild").code, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
