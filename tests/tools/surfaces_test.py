#!/usr/bin/env python3
"""The operations as chats, agents and programs on the bus reach them, against a real server."""
import json
import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import steno_wire  # noqa: E402
from support.steno_process import Home, until  # noqa: E402

CHANNEL = "telegram|1234"


class WithServer(unittest.TestCase):
    CONFIG = 'engine = "scripted"\n'

    def setUp(self):
        self.home = Home(self.CONFIG)
        self.addCleanup(self.home.close)
        self.home.start()

    def tearDown(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def wait_for_input(self, reference):
        until(lambda: self.home.show(reference)["waiting_for_input"], f"that {reference} waits")


class Chats(WithServer):
    CONFIG = (WithServer.CONFIG + f'chat_senders = ["{CHANNEL}"]\n'
              'notify_command = "/bin/true {text}"\n')

    def chat(self, line, *flags, code=0, **options):
        result = self.home.run("chat", *flags, line, **options)
        self.assertEqual(result.code, code, str(result))
        return result.out if code == 0 else result.err

    def said(self, line, *flags):
        """Returns the answer for programs."""
        return self.home.ask("chat", *flags, line)

    # Shows R001, R002, R003.
    def test_a_session_lives_and_ends_by_chat_commands(self):
        sender = ("--sender", CHANNEL)
        self.assertIn("🚀 docs [", self.chat("/claude --name docs [say One.] begin", *sender))
        self.wait_for_input("docs")
        row = self.home.show("docs")
        [opened] = [e for e in self.home.events(row["session"]) if e["type"] == "SessionOpened"]
        self.assertEqual(opened["facts"]["origin_channel"], CHANNEL)
        listed = self.chat("/claude_sessions running", *sender)
        self.assertIn(f"🟢 running, waiting docs [{row['alias']}] (", listed)
        self.assertIn("background, multi-turn", listed)
        self.assertIn("[say One.] begin", listed)
        self.chat("/claude_respond docs [say Two.] go on", *sender)
        until(lambda: self.home.show("docs")["turns_finished"] == 2, "the second answer")
        self.chat("/claude_fg docs", *sender)
        self.assertEqual(self.home.show("docs")["foreground"], [CHANNEL])
        self.assertRegex(self.home.run("show", "docs").out, r"\nforeground +telegram\|1234\n")
        [seen] = self.said("/claude_sessions", *sender)["sessions"]
        self.assertEqual((seen["foreground"], seen["foregroundChannels"]), (True, [CHANNEL]))
        moved = self.said("/claude_bg", *sender)["sessions"]
        self.assertEqual([one["alias"] for one in moved], [row["alias"]])
        self.assertEqual(self.home.show("docs")["foreground"], [])
        self.assertEqual(self.chat("/claude_bg", *sender),
                         "No session is currently in foreground.\n")
        self.assertEqual(self.chat("/claude_kill docs"), f"docs [{row['alias']}] is killed.\n")
        self.assertEqual(self.chat("/claude_kill docs"),
                         f"docs [{row['alias']}] is already killed.\n")
        self.assertIn(f"docs [{row['alias']}], ended ", self.chat("/claude_resume --list"))
        resumed = self.said("/claude_resume --fork docs [say Three.] and on")
        self.assertTrue(self.home.show(resumed["alias"])["fork"])
        self.assertEqual(self.home.show(resumed["alias"])["resumed_from"], row["session"])
        self.wait_for_input(resumed["alias"])
        stats = self.said("/claude_stats")
        self.assertEqual((stats["totalLaunched"], stats["sessionsByStatus"]["running"],
                          stats["sessionsByStatus"]["killed"]), (2, 1, 1))
        self.assertEqual(stats["totalCostUsd"], float(self.cost()))
        self.home.run("kill", "--all")

    def cost(self):
        return self.home.ask("stats")["totals"]["cost_usd"]

    def test_only_known_senders_give_commands(self):
        for sender in ("telegram|9", "telegram|12345", "x", ""):
            self.assertIn("is not among the chat_senders",
                          self.chat("/claude_kill docs", "--sender", sender, code=5))
        self.assertIn("not read from stdin", self.chat("-", "--sender", CHANNEL, code=2))
        self.assertEqual(self.home.ask("ls")["sessions"], [])

    def test_a_line_comes_from_stdin_and_keeps_its_lines(self):
        self.chat("-", stdin="/claude --name notes [say ok]\nfirst\nsecond\n".encode())
        self.assertEqual(self.home.ask("show", "notes")["prompt"], "[say ok]\nfirst\nsecond")
        self.home.run("kill", "--all")

    def test_wrong_lines_are_told_what_is_right(self):
        self.assertIn("usage: /claude [--name NAME] PROMPT", self.chat("/claude", code=2))
        self.assertIn("is no command; there are /claude ", self.chat("/dance", code=2))
        self.assertIn("has no session 'x'; name it by", self.chat("/claude_kill x", code=3))
        self.assertIn("session is missing; usage: /claude_resume [--list] [--fork] ",
                      self.chat("/claude_resume", code=2))
        self.assertIn("channel is missing", self.chat("/claude_bg", code=2))
        self.assertIn("is no command", self.chat("/claude\u2014name x", code=2))
        self.assertIn("there is no option", self.chat("/claude \u2014nam x y", code=2))
        self.assertIn("list stands alone", self.chat("/claude_resume --list x", code=2))
        self.assertIn("status takes one of all, ", self.chat("/claude_sessions odd", code=2))

    def test_a_phones_keyboard_is_understood(self):
        self.chat("/claude \u2014name \u201cmy docs\u201d [say ok]")
        self.wait_for_input("my docs")
        self.chat("/claude_kill \u201cmy docs\u201d")
        self.assertEqual(self.home.show("my docs")["status"], "killed")

    def test_a_list_fits_one_message(self):
        for number in range(12):
            self.home.run("run", "--name", f"number {number}", "[say ok] " + "long " * 60)
        listed = self.chat("/claude_sessions")
        self.assertEqual(listed.count("📁"), 10)
        self.assertIn("10 of 12, the newest", listed)
        self.assertLess(len(listed), 4096)
        resumable = self.chat("/claude_resume --list")
        self.assertEqual(resumable.count("📁"), 10)
        self.assertLess(len(resumable), 4096)

    # Shows R296, R305.
    def test_who_writes_in_a_chat_is_a_user(self):
        sender = ("--sender", CHANNEL)
        self.chat("/claude --name mine [say ok]", *sender)
        self.wait_for_input("mine")
        descriptor = self.home.show("@foreground")["descriptor"]
        self.assertEqual((descriptor["kind"], descriptor["connector"], descriptor["channel"]),
                         ("user", "telegram", "1234"))
        self.chat("/claude_kill mine", *sender)
        # Whoever says something to a user's session finds it ended, and goes on with it.
        self.chat("/claude_respond @telegram/1234/1234 [say more] more", *sender)
        resumed = self.home.show("@telegram/1234/1234")
        self.assertEqual(resumed["resumed_from"], self.home.ask("ls")["sessions"][-1]["session"])
        self.assertEqual(resumed["name"], "mine")

    def test_a_prompt_for_an_ended_session_says_how_it_goes_on(self):
        self.chat("/claude --name done [say ok]")
        self.wait_for_input("done")
        self.chat("/claude_kill done")
        told = self.chat("/claude_respond done more", code=4)
        self.assertIn("killed", told)
        self.assertIn("resume", told)


@unittest.skipUnless(steno_wire.is_available, "needs python3-zmq")
class Gateways(WithServer):
    CONFIG = WithServer.CONFIG + "gateway = true\n"

    def setUp(self):
        super().setUp()
        self.endpoint = "ipc://" + self.home.path("run", "gateway.sock")
        until(lambda: os.path.exists(self.home.path("run", "gateway.sock")), "the gateway")
        self.socket = self.connect()
        self.addCleanup(self.socket.close)

    def connect(self):
        socket = steno_wire.zmq.Context.instance().socket(steno_wire.zmq.DEALER)
        socket.linger, socket.rcvtimeo = 0, 20_000
        socket.connect(self.endpoint)
        return socket

    def exchange(self, message):
        self.socket.send(message)
        return json.loads(self.socket.recv())

    def call(self, method, **params):
        answer = self.exchange(json.dumps({"jsonrpc": "2.0", "id": method, "method": method,
                                           "params": params}).encode())
        self.assertEqual(answer["id"], method)
        return answer

    def result(self, method, **params):
        answer = self.call("claude-code." + method, **params)
        self.assertIn("result", answer, answer)
        return answer["result"]

    # Shows R001, R002, R003, R050.
    def test_the_five_methods_do_what_the_command_line_does(self):
        launched = self.result("launch", prompt="[say Hello.] begin", name="rpc",
                               maxBudgetUsd=0.5, workdir=self.home.workdir,
                               originChannel=CHANNEL)
        self.assertEqual((launched["name"], launched["workdir"]), ("rpc", self.home.workdir))
        self.wait_for_input("rpc")
        row = self.home.show("rpc")
        self.assertEqual((row["session"], row["budget_usd"], row["multi_turn"]),
                         (launched["id"], 0.5, True))
        [listed] = self.result("sessions", status="running")["sessions"]
        self.assertEqual(
            {name: listed[name] for name in ("id", "alias", "name", "status", "prompt", "workdir",
                                             "claudeSessionId", "multiTurn", "foreground")},
            {"id": row["session"], "alias": row["alias"], "name": "rpc", "status": "running",
             "prompt": "[say Hello.] begin", "workdir": self.home.workdir,
             "claudeSessionId": row["agent_session"], "multiTurn": True, "foreground": False})
        self.assertEqual(listed["costUsd"], float(row["cost_usd"]))
        output = self.result("output", id=row["alias"])
        self.assertEqual(output["lines"], ["> [say Hello.] begin", "Hello."])
        self.assertEqual((output["lineCount"], output["result"]), (2, "Hello."))
        self.assertEqual(self.result("output", session="rpc", lines=1)["lines"], ["Hello."])
        beyond = self.exchange(json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "claude_output",
                       "arguments": {"session": "rpc", "skip": 50}}}).encode())
        self.assertIn("(nothing before that)", beyond["result"]["content"][0]["text"])
        killed = self.result("kill", session="rpc")
        self.assertEqual((killed["status"], killed["message"]),
                         ("killed", f"rpc [{row['alias']}] is killed."))
        self.assertEqual(self.result("kill", session="rpc")["status"], "killed")
        stats = self.result("stats")
        self.assertEqual((stats["totalLaunched"], stats["sessionsByStatus"]["killed"]), (1, 1))
        self.assertEqual((stats["mostExpensive"]["id"], stats["mostExpensive"]["prompt"]),
                         (row["session"], "[say Hello.] begin"))
        self.assertIn("rpc, $", self.home.run("stats").out)
        self.assertIn(": [say Hello.] begin\n", self.home.run("stats").out)
        resumed = self.result("launch", prompt="[say Again.]", resumeSessionId="rpc",
                              multiTurnDisabled=True)
        self.assertEqual(self.home.wait_for_end(resumed["alias"])["resumed_from"], row["session"])

    # Shows R043.
    def test_lists_go_back_to_the_first_session_in_pages(self):
        names = [f"n{i}" for i in range(5)]
        for name in names:
            self.result("launch", prompt="[say ok]", name=name, multi_turn_disabled=True)
            self.home.wait_for_end(name)
        seen, before = [], None
        while before != 0:
            page = self.result("sessions", limit=2, **({"before": before} if before else {}))
            self.assertEqual(page["total"], 5)
            seen += [session["name"] for session in page["sessions"]]
            before = page.get("before", 0)
        self.assertEqual(seen, names[::-1])

    def test_a_resumed_session_keeps_its_own_settings(self):
        other = self.home.path("other")
        os.mkdir(other)
        self.home.run("run", "--name", "first", "--permission-mode", "plan", "--budget-usd", "2",
                      "--workdir", other, "[say ok]")
        resumed = self.result("launch", prompt="[say ok]", resumeSessionId="first",
                              multiTurnDisabled=True)
        row = self.home.wait_for_end(resumed["alias"])
        self.assertEqual((row["workdir"], row["permission_mode"], row["budget_usd"]),
                         (other, "plan", 2))

    def test_a_session_is_told_of_where_its_folder_says(self):
        watched = self.home.path("watched")
        os.mkdir(watched)
        self.home.stop()
        self.home.write_config(self.CONFIG + f'folder_channels = ["{watched}={CHANNEL}"]\n')
        self.home.start()
        until(self.gateway, "the gateway")
        opened = self.result("launch", prompt="[say ok]", workdir=watched, multiTurnDisabled=True)
        self.home.wait_for_end(opened["alias"])
        [event] = [e for e in self.home.events(opened["id"]) if e["type"] == "SessionOpened"]
        self.assertEqual(event["facts"]["origin_channel"], CHANNEL)

    def test_an_answer_is_bounded_however_much_an_agent_said(self):
        self.home.run("run", "--name", "big", "--multi-turn", "[big 3000000]",
                      stdin=b"[big 3000000]\n[say last]\n")
        output = self.result("output", session="big", full=True)
        self.assertTrue(output["isCut"])
        self.assertEqual((output["lines"][-1], output["result"]), ("last", "last"))
        self.assertEqual(output["lineCount"], 6)
        self.assertLess(len(json.dumps(output)), 2 << 20)

    def test_a_block_under_way_is_one_line(self):
        self.result("launch", prompt="[words 30] [delay 100]", name="slow")
        until(lambda: "word15" in "".join(self.result("output", session="slow")["lines"]),
              "the words")
        lines = self.result("output", session="slow")["lines"]
        self.assertEqual([line.split()[0] for line in lines], [">", "word0"], lines)
        self.home.run("kill", "--all")

    def test_a_program_follows_a_session_by_positions(self):
        opened = self.result("launch", prompt="[say one]", name="followed")
        self.wait_for_input("followed")
        page = self.result("events", session="followed", limit=3)
        self.assertEqual([event["type"] for event in page["events"]][0], "SessionOpened")
        self.assertEqual((len(page["events"]), page["hasMore"]), (3, True))
        rest = self.result("events", id=opened["id"], after=page["through"])
        self.assertEqual(rest["events"][0]["position"] > page["through"], True)
        self.assertFalse(rest["hasMore"])
        nothing = self.result("events", session="followed", after=rest["through"])
        self.assertEqual((nothing["events"], nothing["through"]), ([], rest["through"]))
        beyond = self.call("claude-code.events", session="followed", after=10**6)["error"]
        self.assertEqual((beyond["code"], beyond["data"]["exit"]), (-32602, 2))
        self.assertIn("and the log ends at", beyond["message"])
        # The waits of a batch are one.
        asked = {"session": "followed", "after": rest["through"], "wait_ms": 2000}
        began = time.monotonic()
        answers = self.exchange(json.dumps([
            {"jsonrpc": "2.0", "id": id_, "method": "claude-code.events", "params": asked}
            for id_ in range(20)]).encode())
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual([answer["result"]["events"] for answer in answers], [[]] * 20)
        self.result("respond", session="followed", message="[hang]")
        begun = self.result("events", session="followed", after=rest["through"], wait_ms=2000)
        self.assertEqual(begun["events"][0]["type"], "TurnQueued")
        until(lambda: self.home.show("followed")["turn"], "the turn")
        self.result("interrupt", session="followed")
        self.wait_for_input("followed")
        error = self.call("claude-code.interrupt", session="followed")["error"]
        self.assertEqual(error["data"]["exit"], 4)
        self.home.run("kill", "--all")

    def test_a_call_that_waits_holds_nobody_up(self):
        self.result("launch", prompt="[say ok]", name="quiet")
        self.wait_for_input("quiet")
        through = self.result("events", session="quiet", limit=1000)["through"]
        wait = {"session": "quiet", "after": through, "wait_ms": 2000}
        for id_, method, params in ((1, "events", wait), (2, "stats", {}), (3, "sessions", {})):
            self.socket.send(json.dumps({"jsonrpc": "2.0", "id": id_, "params": params,
                                         "method": "claude-code." + method}).encode())
        answers = [json.loads(self.socket.recv())["id"] for _ in range(3)]
        self.assertEqual(sorted(answers[:2]), [2, 3])
        self.assertEqual(answers[2], 1)
        self.home.run("kill", "--all")

    def test_a_launch_that_is_sent_again_with_its_key_is_one_session(self):
        asked = {"prompt": "[say ok]", "maxBudgetUsd": 1, "idempotencyKey": "monday"}
        first = self.result("launch", **asked)
        self.assertEqual(self.result("launch", **asked)["id"], first["id"])
        both = [{"jsonrpc": "2.0", "id": id_, "method": "session.launch",
                 "params": {**asked, "idempotencyKey": "tuesday"}} for id_ in (1, 2)]
        answers = self.exchange(json.dumps(both).encode())
        self.assertEqual(answers[0]["result"]["id"], answers[1]["result"]["id"])
        self.home.stop(signal.SIGKILL)
        self.home.start()
        until(self.gateway, "the gateway")
        again = self.result("launch", **asked)
        self.assertEqual([again[name] for name in ("id", "alias", "name", "workdir")],
                         [first[name] for name in ("id", "alias", "name", "workdir")])
        error = self.call("claude-code.launch", **{**asked, "prompt": "other"})["error"]
        self.assertEqual(error["data"], {"code": "conflict", "exit": 4})
        self.assertIn("was used with another body", error["message"])
        self.assertEqual(self.result("sessions")["total"], 2)
        self.result("kill", session=first["id"], idempotencyKey="monday")
        self.assertEqual(self.result("launch", **asked)["status"], "killed")
        self.home.run("kill", "--all")

    def test_a_resume_that_is_sent_again_with_its_key_is_one_session(self):
        self.home.run("run", "--name", "old", "[say ok]")
        asked = {"prompt": "[say on]", "resumeSessionId": "old", "idempotencyKey": "k"}
        first = self.result("launch", **asked)
        # The name now means the session that goes on.
        self.assertEqual(self.home.show("old")["session"], first["id"])
        self.assertEqual(self.result("launch", **asked)["id"], first["id"])
        self.assertEqual(self.result("sessions")["total"], 2)
        self.home.run("kill", "--all")

    def test_a_prompt_that_is_sent_again_with_its_key_is_one_turn(self):
        self.result("launch", prompt="[say one]", name="talk")
        self.wait_for_input("talk")
        asked = {"session": "talk", "message": "[say two]", "idempotencyKey": "k"}
        for _ in range(3):
            self.result("respond", **asked)
        self.assertIn("error", self.call("claude-code.respond", **{**asked, "interrupt": True}))
        until(lambda: self.home.show("talk")["turns_finished"] == 2, "the second answer")
        self.wait_for_input("talk")
        self.result("respond", session="talk", message="[say two]")
        until(lambda: self.home.show("talk")["turns_finished"] == 3, "the third answer")
        events = self.home.events(self.home.show("talk")["session"])
        queued = [event for event in events if event["type"] == "TurnQueued"]
        self.assertEqual(len(queued), 3)
        wrong = self.call("claude-code.kill", session="talk", idempotencyKey="")["error"]
        self.assertIn("idempotency_key takes a text of 1 to 200 bytes", wrong["message"])
        self.home.run("kill", "--all")

    def test_half_an_emoji_is_answered_under_its_id(self):
        cut = (b'{"jsonrpc":"2.0","id":3,"method":"claude-code.launch",'
               b'"params":{"prompt":"[say ok] cut \\ud83d","name":"cut"}}')
        self.assertEqual(self.exchange(cut)["id"], 3)
        self.assertEqual(self.home.ask("show", "cut")["prompt"], "[say ok] cut \ufffd")
        self.home.run("kill", "--all")

    def test_what_a_program_launches_is_within_the_settings(self):
        def refusal(**params):
            error = self.call("claude-code.launch", prompt="[say ok]", **params)["error"]
            self.assertEqual(error["data"]["code"], "refused")
            return error["message"]
        self.assertIn("the most is acceptEdits (setting mcp_permission_max)",
                      refusal(permission_mode="bypassPermissions"))
        self.assertIn("a budget of no limit is more than what programs launch can have; the most "
                      "is $5", refusal(max_budget_usd=0))
        self.assertIn("a budget of $5.01", refusal(max_budget_usd=5.01))
        self.result("launch", prompt="[say ok]", name="most", permission_mode="acceptEdits",
                    max_budget_usd=5)
        self.assertEqual(self.home.show("most")["permission_mode"], "acceptEdits")
        # A person can give more to the same session, and a program that resumes it gets less.
        self.home.run("run", "--name", "free", "--budget-usd", "50", "[say ok]")
        resumed = self.result("launch", prompt="[say ok]", resumeSessionId="free",
                              multiTurnDisabled=True)
        self.assertIn("its budget is $5, the most", resumed["notes"][0])
        self.assertEqual(self.home.wait_for_end(resumed["alias"])["budget_usd"], 5)
        self.home.run("kill", "--all")

    def test_what_is_wrong_is_told(self):
        for params, text in (
                ({"prompt": "x", "workdir": "work"}, "workdir takes an absolute path, not work"),
                ({"prompt": "x", "workdir": "/nowhere"}, "the working folder /nowhere is not there"),
                ({"prompt": "x", "max_budget_usd": -1}, "max_budget_usd takes dollars"),
                ({"prompt": "x", "max_budget_usd": 1e-12}, "max_budget_usd takes dollars"),
                ({"prompt": "x", "permission_mode": "ask"}, "permission_mode takes one of "),
                ({"prompt": "x", "allowed_tools": "Bash"}, "allowed_tools takes a list of texts"),
                ({"prompt": "x", "originChannel": "gateway"}, "'gateway' is no channel"),
                ({"prompt": "x", "forkSession": True}, "fork_session needs resume_session_id"),
                ({"prompt": "x", "resume_session_id": "y"}, "has no session 'y'; name it by"),
                ({"prompt": 3}, "prompt takes a text, not 3"),
                ({}, "prompt is missing")):
            error = self.call("claude-code.launch", **params)["error"]
            self.assertIn(text, error["message"])
        self.assertEqual(self.call("claude-code.kill", id="x")["error"]["data"],
                         {"code": "not_found", "exit": 3})
        large = json.dumps({"method": "claude-code.launch", "params": {"prompt": "x" * (2 << 20)},
                            "jsonrpc": "2.0", "id": 9})
        refused = self.exchange(large.encode())
        self.assertEqual((refused["id"], refused["error"]["code"]), (9, -32600))
        self.assertIn("1048576 at most", refused["error"]["message"])
        blank = self.call("claude-code.launch", prompt=" \n\u00a0")["error"]
        self.assertIn("the prompt is empty", blank["message"])
        self.assertEqual(self.exchange(b"\xff\x00")["error"]["code"], -32700)
        self.assertEqual(self.exchange(b"[" * 1_000_000)["error"]["code"], -32600)
        self.assertEqual(self.result("sessions")["sessions"], [])

    def test_the_gateway_goes_and_comes_with_its_server(self):
        before = self.result("launch", prompt="[say ok]", name="kept")
        gateway = self.gateway()
        self.home.stop(signal.SIGKILL)
        until(lambda: gateway not in self.home.processes(), "that the gateway has ended")
        self.home.start()
        until(self.gateway, "another gateway")
        self.assertEqual(self.result("sessions")["sessions"][0]["id"], before["id"])
        gateway = self.gateway()
        os.kill(gateway, signal.SIGKILL)
        until(lambda: self.gateway() not in (0, gateway), "a third gateway")
        self.assertEqual(self.result("sessions")["count"], 1)
        self.home.run("kill", "--all")

    def test_the_gateway_of_a_server_that_an_agent_started_belongs_to_no_session(self):
        outer = self.result("launch", prompt="[say ok]", name="outer")["id"]
        self.home.stop()
        self.home.environment.update(STENO_SESSION=outer, CLAUDECODE="1")
        self.home.start()
        for mark in ("STENO_SESSION", "CLAUDECODE"):
            del self.home.environment[mark]
        until(self.gateway, "the gateway")
        with open(f"/proc/{self.gateway()}/environ", "rb") as file:
            self.assertNotRegex(file.read(), rb"STENO_SESSION|CLAUDECODE")
        launched = self.result("launch", prompt="[say ok]", name="free")["id"]
        self.assertEqual(self.home.show(launched)["descriptor"]["kind"], "none")
        self.home.run("kill", "--all")

    def test_the_gateway_ends_with_its_server_also_within_a_call(self):
        gateway = self.gateway()
        self.home.server.signal(signal.SIGSTOP)
        self.socket.send(b'{"jsonrpc":"2.0","id":1,"method":"claude-code.stats"}')
        self.assertFalse(self.socket.poll(200))
        self.home.stop(signal.SIGKILL)
        until(lambda: gateway not in self.home.processes(), "that the gateway has ended")
        self.home.start()

    def gateway(self):
        """Returns the gateway's pid; 0: there is none."""
        found = [pid for pid, command in self.home.processes().items() if " gateway" in command]
        return found[0] if found else 0


class Agents(WithServer):
    """The tools of agents, over the Model Context Protocol."""

    def test_an_answer_fits_a_models_context_and_says_how_to_get_the_rest(self):
        self.home.run("run", "--name", "big", "--multi-turn", "[words 6000]",
                      stdin=b"[say last]\n")
        client = self.home.follow("mcp")

        def shown(**arguments):
            client.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "claude_output", "arguments": {"session": "big", **arguments}}}) + "\n")
            result = json.loads(client.line())["result"]
            self.assertNotIn("structuredContent", result)
            return result["content"][0]["text"]

        whole = shown(lines=100)
        self.assertLess(len(whole), 20_000)
        self.assertTrue(whole.endswith("\nlast"), whole[-100:])
        self.assertIn("(cut: these are the last ", whole)
        self.assertIn("--all prints all", whole)
        back = shown(lines=1, skip=2)
        self.assertIn("word0 word1 ", back)
        self.assertLess(len(back), 20_000)
        self.assertEqual(len(shown(lines=1).splitlines()), 3)
        self.assertEqual(client.finish().code, 0)

    def test_a_call_that_waits_for_the_server_holds_no_other_up(self):
        client = self.home.follow("mcp")

        def write(id_, method, **params):
            client.write(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method,
                                     "params": params}) + "\n")

        write(1, "tools/call", name="claude_stats")
        self.assertEqual(json.loads(client.line())["id"], 1)
        self.home.server.signal(signal.SIGSTOP)
        write(2, "tools/call", name="claude_stats")
        for id_ in range(3, 103):
            write(id_, "ping")
        self.assertEqual([json.loads(client.line())["id"] for _ in range(100)],
                         list(range(3, 103)))
        self.home.server.signal(signal.SIGCONT)
        self.assertEqual(json.loads(client.line())["id"], 2)
        # More than are answered at once.
        for id_ in range(200):
            write(id_, "tools/call", name="claude_stats")
        self.assertEqual({json.loads(client.line())["id"] for _ in range(200)}, set(range(200)))
        self.assertEqual(client.finish().code, 0)

    def test_a_key_beside_the_arguments_makes_one_session(self):
        client = self.home.follow("mcp")
        for id_ in (1, 2):
            client.write(json.dumps({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {
                "name": "claude_launch", "arguments": {"prompt": "[say ok]"},
                "_meta": {"idempotencyKey": "k"}}}) + "\n")
        launched = [json.loads(client.line())["result"]["structuredContent"] for _ in range(2)]
        self.assertEqual(launched[0]["id"], launched[1]["id"])
        self.assertEqual(len(self.home.ask("ls")["sessions"]), 1)
        self.home.run("kill", "--all")
        self.assertEqual(client.finish().code, 0)

    def test_a_client_whose_pipe_does_not_block_is_waited_for(self):
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        child = self.home.popen(("mcp",), stdin=reader)
        self.addCleanup(child.stdout.close)
        os.close(reader)

        def is_asleep():
            with open(f"/proc/{child.pid}/wchan", encoding="ascii") as file:
                return "poll" in file.read()

        until(is_asleep, "that it waits")
        os.write(writer, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        self.assertEqual(json.loads(child.stdout.readline())["id"], 1)
        os.close(writer)
        self.assertEqual(child.wait(30), 0)

    def test_a_client_launches_watches_and_ends_a_session(self):
        client = self.home.follow("mcp")
        identities = iter(range(1, 100))

        def ask(method, **params):
            client.write(json.dumps({"jsonrpc": "2.0", "id": next(identities), "method": method,
                                     "params": params}) + "\n")
            return json.loads(client.line())["result"]

        def call(tool, /, **arguments):
            return ask("tools/call", name=tool, arguments=arguments)

        self.assertEqual(ask("initialize", protocolVersion="2025-06-18")["protocolVersion"],
                         "2025-06-18")
        client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n\n')
        tools = {tool["name"]: tool for tool in ask("tools/list")["tools"]}
        self.assertEqual(len(tools), 20)
        # Whatever can be said of a session can be said at each surface that opens one.
        said = tools["claude_launch"]["inputSchema"]["properties"]
        keys = [row["key"] for row in self.home.ask("config")["settings"] if row["key"] in said]
        self.assertIn("setting_sources", keys)
        for command in (("run",), ("spawn",), ("resume",), ("schedule", "add"), ("schedule", "edit")):
            help_text = self.home.run(*command, "--help").out
            for key in keys:
                self.assertIn("--" + key.replace("_", "-"), help_text, command)
        launched = call("claude_launch", prompt="[say Done.] work", name="sub")
        self.assertFalse(launched["isError"])
        self.wait_for_input("sub")
        shown = call("claude_output", session="sub")["content"][0]["text"].splitlines()
        self.assertRegex(shown[0], r"^sub \[\w{8}\] running, waiting \(\d+s\)$")
        self.assertEqual(shown[1:], ["-" * 60, "> [say Done.] work", "Done."])
        self.assertFalse(call("claude_respond", session="sub", message="[say More.]")["isError"])
        until(lambda: self.home.show("sub")["turns_finished"] == 2, "the second answer")
        # The server is killed and comes back: the agent's connection goes on.
        self.home.stop(signal.SIGKILL)
        self.home.start()
        listed = call("claude_sessions")
        self.assertEqual(listed["content"][0]["text"].count("📁"), 1)
        self.assertNotIn("structuredContent", listed)
        killed = call("claude_kill", session="sub")
        self.assertEqual(killed["structuredContent"]["status"], "killed")
        unknown = call("claude_kill", session="nobody")
        self.assertTrue(unknown["isError"])
        self.assertIn("has no session 'nobody'; name it by", unknown["content"][0]["text"])
        self.assertEqual(client.finish().code, 0)


class Within(unittest.TestCase):
    """What an agent launches from its own session."""

    def setUp(self):
        self.home = Home('engine = "scripted"\nbudget_usd = 2\nmcp_permission_max = '
                         '"bypassPermissions"\n')
        self.addCleanup(self.home.close)
        self.home.start()
        self.inner = self.home.path("work", "inner")
        os.mkdir(self.inner)

    def tearDown(self):
        self.home.run("kill", "--all")
        self.assertEqual(self.home.stop(), 0)

    def launcher(self, *flags):
        alias = self.home.start_session("[say hi]", "--multi-turn", "--name", "outer", *flags)
        until(lambda: self.home.show(alias)["waiting_for_input"], "the launching session")
        self.home.environment["STENO_SESSION"] = self.home.show(alias)["session"]
        self.addCleanup(self.home.environment.pop, "STENO_SESSION", None)
        return alias

    def test_a_shell_gives_no_more_than_its_session_has(self):
        alias = self.launcher("--allow-tool", "Bash(git:*)", "--allow-tool", "Read",
                              "--budget-usd", "1")
        for flags, told in (
                (("--permission-mode", "acceptEdits"), "the most is default"),
                (("--permission-mode", "bypassPermissions"), f"session {alias} launches"),
                (("--allow-tool", "Bash"), "Bash is not among the tools"),
                (("--allow-tool", "Edit"), "allowed: Bash(git:*), Read"),
                (("--budget-usd", "1.5"), "the most is $0.9"),
                (("--budget-usd", "0"), "a budget of no limit is more"),
                (("--workdir", "/"), "/ is no folder that")):
            for command in (("spawn", "[say x]"), ("schedule", "add", "s", "--every", "1h", "[say x]")):
                result = self.home.run(*command, *flags)
                self.assertEqual(result.code, 5, str(result))
                self.assertIn(told, result.err)
        given = self.home.run("spawn", "--name", "given", "--allow-tool", "Read", "--workdir",
                              self.inner, "--budget-usd", "0.5", "--permission-mode", "plan",
                              "[say x]")
        self.assertEqual(given.code, 0, str(given))
        lowered = self.home.run("run", "--name", "lowered", "[say x]")
        self.assertEqual(lowered.code, 0, str(lowered))
        self.assertIn("its budget is $0.9", lowered.err)
        self.assertLess(self.home.show("lowered")["budget_usd"], 1)

    def test_a_resume_gives_no_more_than_the_session_has(self):
        self.home.run("run", "--name", "free", "--permission-mode", "acceptEdits",
                      "--allow-tool", "Bash", "[say ok]")
        self.launcher()
        refused = self.home.run("resume", "free", "[say x]")
        self.assertEqual(refused.code, 5, str(refused))
        self.assertIn("Bash is not among the tools", refused.err)

    def test_a_tool_gives_no_more_than_its_session_has(self):
        self.launcher("--permission-mode", "acceptEdits")
        client = self.home.follow("mcp")

        def launch(**arguments):
            client.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                     "params": {"name": "claude_launch", "arguments": {
                                         "prompt": "[say x]", **arguments}}}) + "\n")
            return json.loads(client.line())["result"]

        refused = launch(permission_mode="bypassPermissions")
        self.assertTrue(refused["isError"])
        self.assertIn("the most is acceptEdits", refused["content"][0]["text"])
        self.assertTrue(launch(workdir="/")["isError"])
        self.assertTrue(launch(allowed_tools=["Bash"])["isError"])
        self.assertTrue(launch(allowed_tools=["Read(x),Bash"])["isError"])
        taken = launch(permission_mode="acceptEdits", workdir=self.inner)
        self.assertFalse(taken["isError"], taken)
        self.assertEqual(client.finish().code, 0)

    def test_an_edit_of_a_schedule_gives_no_more_than_the_session_has(self):
        self.assertEqual(self.home.run("schedule", "add", "theirs", "--every", "1h",
                                       "--permission-mode", "acceptEdits", "[say x]").code, 0)
        alias = self.launcher()
        added = self.home.run("schedule", "add", "mine", "--every", "1h", "--budget-usd", "1",
                              "[say x]")
        self.assertEqual(added.code, 0, str(added))
        for flags, told in ((("--permission-mode", "bypassPermissions"), "the most is default"),
                            (("--budget-usd", "1000"), f"session {alias} launches can have"),
                            (("--allow-tool", "Bash"), "Bash is not among the tools"),
                            (("--workdir", "/"), "/ is no folder that")):
            refused = self.home.run("schedule", "edit", "mine", *flags)
            self.assertEqual(refused.code, 5, str(refused))
            self.assertIn(told, refused.err)
        theirs = self.home.run("schedule", "edit", "theirs", "[say rm]")
        self.assertEqual(theirs.code, 5, str(theirs))
        edited = self.home.run("schedule", "edit", "mine", "--every", "2h", "--workdir", self.inner)
        self.assertEqual(edited.code, 0, str(edited))

    def test_another_agents_name_frees_no_session_from_its_grant(self):
        alias = self.launcher()
        for flags, told in ((("--permission-mode", "acceptEdits"), "the most is default"),
                            (("--workdir", "/"), f"session {alias} launches")):
            refused = self.home.run("--agent", "other", "run", *flags, "[say x]")
            self.assertEqual(refused.code, 5, str(refused))
            self.assertIn(told, refused.err)
        within = self.home.run("--agent", "other", "run", "[say x]")
        self.assertEqual(within.code, 0, str(within))

    def test_what_protects_a_session_protects_what_it_launches(self):
        protected = ("--setting-sources", "user", "--hooks-must-answer", "true",
                     "--mcp-must-connect", "true", "--max-tokens", "500000", "--background",
                     "forbid")
        self.home.run("run", "--name", "free", "[say ok]")
        alias = self.launcher(*protected)
        wanted = {"setting_sources": "user", "hooks_must_answer": True, "mcp_must_connect": True,
                  "background": "forbid"}

        def spec_of(reference):
            return self.home.wait_for_event(reference, "SessionOpened")["facts"]["spec"]

        for flags in (("spawn", "--name", "child", "[say x]"), ("resume", "free", "[say x]"),
                      ("spawn", "--max-tokens", "400000", "--setting-sources", "none", "[say x]")):
            given = self.home.ask(*flags)
            spec = spec_of(given["alias"])
            if "none" in flags:
                self.assertEqual(spec["setting_sources"], "none")
                self.assertEqual(spec["use_limits"]["max_tokens"], 400000)
                continue
            self.assertEqual({key: spec[key] for key in wanted}, wanted)
            self.assertEqual(spec["use_limits"]["max_tokens"], 500000)
        self.home.wait_for_end("child")
        for flags in (("--setting-sources", "user,project"), ("--setting-sources", "all"),
                      ("--hooks-must-answer", "false"), ("--mcp-must-connect", "false"),
                      ("--max-tokens", "0"), ("--max-tokens", "600000"), ("--background", "allow"),
                      ("--engine", "claude")):
            # A session that has the protection does not hand it on if somebody takes it off.
            for words in (("run",), ("resume", "child", "--fork")):
                refused = self.home.run(*words, *flags, "[say x]")
                self.assertEqual(refused.code, 5, str(refused))
                self.assertIn(f"gives more than what session {alias} launches", refused.err)

    def test_no_flag_of_its_own_widens_what_the_settings_allow(self):
        self.home.write_config('engine = "scripted"\nbudget_usd = 2\n')
        self.launcher("--permission-mode", "bypassPermissions", "--budget-usd", "0")
        for flags, told in ((("--mcp-permission-max", "bypassPermissions", "--permission-mode",
                              "bypassPermissions"), "the most is acceptEdits"),
                            (("--budget-usd", "3"), "the most is $2")):
            refused = self.home.run("run", *flags, "[say x]")
            self.assertEqual(refused.code, 5, str(refused))
            self.assertIn(told, refused.err)

    def test_a_session_of_another_log_is_none(self):
        self.home.environment["STENO_SESSION"] = "01a2" + "0" * 28
        self.addCleanup(self.home.environment.pop, "STENO_SESSION", None)
        client = self.home.follow("mcp")
        client.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "claude_launch", "arguments": {"prompt": "[say x]"}}}) + "\n")
        self.assertFalse(json.loads(client.line())["result"]["isError"])
        self.assertEqual(client.finish().code, 0)

    def test_one_text_grants_one_tool(self):
        self.launcher("--allow-tool", "Read", "--allow-tool", "Bash(git log:*)")
        for text in ("Read(x),Bash", "Read(x) Bash", "Bash(git log:*),Write"):
            refused = self.home.run("run", "--allow-tool", text, "[say x]")
            self.assertEqual(refused.code, 5, str(refused))
            self.assertIn("among the tools", refused.err)
        del self.home.environment["STENO_SESSION"]
        refused = self.home.run("run", "--allow-tool", "Read(x),Bash", "[say x]")
        self.assertEqual(refused.code, 2, str(refused))
        self.assertIn("'Read(x),Bash' is not one tool", refused.err)

    def test_a_session_without_a_limit_of_permissions_is_held_by_the_settings(self):
        self.launcher("--permission-mode", "bypassPermissions")
        self.assertEqual(self.home.run("run", "--permission-mode", "bypassPermissions",
                                       "--allow-tool", "Bash", "[say x]").code, 0)


if __name__ == "__main__":
    unittest.main()
