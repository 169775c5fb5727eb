#!/usr/bin/env python3
"""The operations as chats, agents and programs on the bus reach them, against a real server."""
import json
import os
import signal
import sys
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
        self.assertIn("list stands alone", self.chat("/claude_resume --list x", code=2))
        self.assertIn("status takes one of all, ", self.chat("/claude_sessions odd", code=2))

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
        self.assertEqual(len(ask("tools/list")["tools"]), 8)
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
        self.assertEqual(call("claude_sessions")["structuredContent"]["count"], 1)
        killed = call("claude_kill", session="sub")
        self.assertEqual(killed["structuredContent"]["status"], "killed")
        unknown = call("claude_kill", session="nobody")
        self.assertTrue(unknown["isError"])
        self.assertIn("has no session 'nobody'; name it by", unknown["content"][0]["text"])
        self.assertEqual(client.finish().code, 0)


if __name__ == "__main__":
    unittest.main()
