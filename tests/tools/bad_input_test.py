#!/usr/bin/env python3
"""Input that nobody should send: the answer says what is wrong and what is accepted, nothing is
recorded, and nobody else is disturbed."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import steno_wire  # noqa: E402
from steno_process import Home, peak_bytes  # noqa: E402
from steno_wire import Wire, new_id  # noqa: E402

MIB = 1 << 20


class OneServer(unittest.TestCase):
    """The tests of a class share a server, which none of them may disturb."""

    ENVIRONMENT = {}

    @classmethod
    def setUpClass(cls):
        cls.home = Home(environment=cls.ENVIRONMENT)
        cls.addClassCleanup(cls.home.close)
        cls.home.start()

    def setUp(self):
        self.before = self.home.position()

    def nothing_is_recorded(self):
        self.assertEqual(self.home.position(), self.before)

    def refused(self, code, words, *arguments, **options):
        """The command ends with this code, and its error, which is returned, has these words."""
        result = self.home.run(*arguments, **options)
        self.assertEqual(result.code, code, str(result))
        self.assertEqual(result.out, "", str(result))
        for word in words:
            self.assertIn(word, result.err, str(result))
        self.assertEqual(result.err.count("\n"), 1, "one line: " + str(result))
        self.nothing_is_recorded()
        return result.err


@unittest.skipUnless(steno_wire.is_available, "no python3-zmq and python3-msgpack")
class OneIdTwice(unittest.TestCase):
    """One session id for two agents, also by a connection that acts for the second one only."""

    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)
        self.home.start()
        self.identity = new_id()

    def wires(self):
        endpoint = "ipc://" + self.home.path("run", "command.sock")
        both = [Wire(endpoint), Wire(endpoint, says_hello=False)]
        both[1].exchange(["hello", {"protocol_lowest": 1, "protocol_highest": 1, "scope": "other"}])
        for wire in both:
            self.addCleanup(wire.close)
        return both

    def is_refused(self, wires):
        for wire in wires:
            reply = wire.command("Spawn", {"prompt": "[say yours]", "spec": steno_wire.spec()},
                                 agent="other", identity=self.identity)
            self.assertEqual((reply["status"], reply["code"]), ("rejected", "already_exists"), reply)
            self.assertIn("no two sessions have one id", reply["text"])
            self.assertNotIn("main", reply["text"])

    # Shows R013.
    def test_it_is_refused_while_the_first_lives_when_it_has_ended_and_by_the_next_server(self):
        wires = self.wires()
        taken = wires[0].spawn("[hang]", identity=self.identity)
        self.assertEqual(taken["status"], "ok", taken)
        alias = taken["body"]["alias"]
        self.is_refused(wires)
        self.home.run("kill", alias)
        self.home.wait_for_end(alias)
        self.is_refused(wires)
        self.home.stop()
        self.home.start()
        self.is_refused(self.wires())
        self.assertEqual(self.home.ask("ls", "--all-agents")["sessions"][0]["agent"], "main")
        made = self.home.run("backup", "create", self.home.path("copy"))
        self.assertEqual(made.code, 0, str(made))


@unittest.skipUnless(steno_wire.is_available, "no python3-zmq and python3-msgpack")
class Frames(OneServer):
    def setUp(self):
        super().setUp()
        self.endpoint = "ipc://" + self.home.path("run", "command.sock")
        self.bystander = Wire(self.endpoint)
        self.addCleanup(self.bystander.close)

    def tearDown(self):
        # The same connection as before, and the same log.
        self.assertEqual(self.bystander.position(), self.before)

    def wire(self, **options):
        wire = Wire(self.endpoint, **options)
        self.addCleanup(wire.close)
        return wire

    def assert_reply(self, reply, status, code, *words):
        self.assertEqual((reply.get("status"), reply.get("code")), (status, code), reply)
        for word in words:
            self.assertIn(word, reply["text"])

    def bad_frame(self, frame, *words):
        wire = self.wire()
        wire.send(frame)
        kind, reply = wire.receive()
        self.assertEqual(kind, "reply")
        self.assert_reply(reply, "error", "bad_frame", *words)
        self.assertGreater(wire.position(), 0)  # it is still served

    def test_what_is_no_frame_is_told_what_one_is(self):
        for frame in (b"", b"\xc1", b"\x93\x01\x02\x03", b"\x92\xa5hello", b"hello", b"\x92\x01\x80",
                      os.urandom(1000), b"\x92\xa5hello\x80\x00", b"\xdd\xff\xff\xff\xff"):
            with self.subTest(frame=frame[:16]):
                self.bad_frame(frame, "msgpack array of two is accepted, kind and map of fields")

    def test_an_unknown_kind_of_frame_is_told_the_known_ones(self):
        self.bad_frame(b"\x92\xa7goodbye\x80", "goodbye", "hello, welcome, request, reply, notice")

    def test_a_frame_only_servers_send_is_refused(self):
        self.bad_frame(b"\x92\xa5reply\x81\xa2id\xc4\x10" + bytes(range(16)),
                       "accept hello, request and notice")

    def test_a_wrong_kind_of_field_is_named(self):
        self.bad_frame(b"\x92\xa7request\x81\xa2id\x05", "request", "id", "16 bytes")

    def test_many_parts_are_dropped(self):
        wire = self.wire()
        wire.send(b"one", b"two", b"three")
        self.assertGreater(wire.position(), 0)

    def test_before_hello_nothing_is_answered(self):
        wire = self.wire(says_hello=False)
        kind, reply = wire.exchange(["request", {"id": new_id(), "verb": "status"}])
        self.assertEqual(kind, "reply")
        self.assert_reply(reply, "error", "hello_first", "opens with hello")

    def test_a_protocol_of_another_age_is_told_the_range(self):
        wire = self.wire(says_hello=False)
        kind, reply = wire.exchange(["hello", {"protocol_lowest": 7, "protocol_highest": 9}])
        self.assertEqual(kind, "reply")
        self.assert_reply(reply, "error", "protocol", "7 to 9", "accepted are 1 to 1")

    def test_a_frame_over_the_limit_is_refused_with_the_limit(self):
        wire = self.wire()
        wire.send(b"\x92\xa5hello\xc6" + (97 * MIB).to_bytes(4, "big") + bytes(97 * MIB))
        kind, reply = wire.receive()
        self.assertEqual(kind, "reply")
        self.assert_reply(reply, "error", "bad_frame", str(96 * MIB))

    def test_a_frame_far_over_the_limit_costs_its_connection_only(self):
        wire = self.wire()
        wire.watch_connection()
        wire.send(bytes(105 * MIB))
        wire.wait_for_disconnection()

    def test_an_unknown_verb_is_told_the_known_ones(self):
        self.assert_reply(self.wire().request("dance", {}), "error", "invalid", "dance",
                          "command, list, attention, show, output, stats, digests, read, asks, "
                          "search, conversations, record, hook_step, status")

    def test_an_unknown_command_is_told_the_known_ones(self):
        self.assert_reply(self.wire().command("Dance", {}), "rejected", "invalid", "Dance",
                          "Spawn, SendPrompt, InterruptTurn, KillSession, CloseSession")

    def test_a_wrong_kind_of_field_in_a_command_is_named(self):
        wire = self.wire()
        for body, words in (({"prompt": 5}, ("prompt", "a text")),
                            ({"prompt": "p", "spec": "none"}, ("spec", "a map")),
                            ({"prompt": "p", "spec": {"budget": "much"}},
                             ("spec.budget", "a whole number")),
                            ({"prompt": "p", "spec": {"permission_mode": "yolo"}},
                             ("spec.permission_mode", "default, plan, acceptEdits")),
                            ({"prompt": "p", "spec": {"allowed_tools": ["Bash", 7]}},
                             ("spec.allowed_tools", "a list, each item a text")),
                            ({"prompt": "p", "fork": 1}, ("fork", "true or false")),
                            ({"prompt": "p", "resume": b"short"}, ("resume", "16 bytes")),
                            ([1, 2], ("map of named fields",))):
            with self.subTest(body=body):
                self.assert_reply(wire.command("Spawn", body), "rejected", "invalid", *words)

    def test_a_wrong_agent_or_session_is_named(self):
        wire = self.wire()
        body = {"prompt": "p", "spec": steno_wire.spec()}
        for agent in ("", "Upper", "has space", "../etc", "x" * 65, "-a"):
            with self.subTest(agent=agent):
                self.assert_reply(wire.command("Spawn", body, agent=agent), "rejected", "invalid",
                                  "1 to 64 of a-z 0-9 . _ -")
        self.assert_reply(wire.request("command", {"agent": "main", "type": "Spawn", "body": body}),
                          "rejected", "invalid", "id")

    def test_what_a_session_cannot_be_is_said(self):
        wire = self.wire()
        for changes, words in (({"workdir": "work"}, ("absolute", "'work'")),
                               ({"workdir": ""}, ("absolute",)),
                               ({"workdir": "/a\0b"}, ("absolute",)),
                               ({"engine": "steam"}, ("steam", "claude and scripted")),
                               ({"budget": -1}, ("budget", "negative")),
                               ({"max_turns": -1}, ("max_turns", "negative"))):
            with self.subTest(changes=changes):
                self.assert_reply(wire.spawn(**changes), "rejected", "invalid", *words)
        self.assert_reply(wire.spawn(prompt=""), "rejected", "invalid", "prompt is empty")

    def test_commands_to_nobody_are_not_found(self):
        wire = self.wire()
        for kind, body in (("SendPrompt", {"prompt": "p"}), ("KillSession", {}),
                           ("CloseSession", {}), ("InterruptTurn", {"turn": new_id()})):
            with self.subTest(kind=kind):
                self.assert_reply(wire.command(kind, body), "rejected", "not_found", "no session")

    def test_a_question_that_makes_no_sense_is_told_why(self):
        wire = self.wire()
        for verb, body, words in (("list", {"limit": "ten"}, ("limit", "a whole number")),
                                  ("list", {"statuses": ["asleep"]}, ("statuses", "running")),
                                  ("list", 7, ("map of named fields",)),
                                  ("read", {"level": "everything"}, ("everything", "all/")),
                                  ("read", {"level": "session/main/x/"}, ("session/main/x/",)),
                                  ("read", {"level": "all/", "after": "now"}, ("after",)),
                                  ("read", {"level": "all/", "after": -5}, ("after", "-5"))):
            with self.subTest(verb=verb, body=body):
                self.assert_reply(wire.request(verb, body), "error", "invalid", *words)
        self.assert_reply(wire.request("show", {"agent": "main", "reference": "no one"}), "error",
                          "not_found", "no one")

    def test_a_condition_that_does_not_hold_is_said(self):
        wire = self.wire()
        identity = new_id()
        command = {"session": identity, "agent": "main", "type": "Spawn",
                   "body": {"prompt": "p", "spec": steno_wire.spec()}}
        self.assert_reply(wire.request("command", {**command, "expected_version": 3}, identity),
                          "rejected", "version_conflict", "at version 0")
        self.assert_reply(wire.request("command", {**command, "deadline": 1}, identity), "rejected",
                          "deadline_passed", "deadline")

    def test_a_prompt_over_the_limit_is_refused_with_the_limit(self):
        reply = self.wire().spawn(prompt="[say hi]" + "x" * (65 * MIB))
        self.assert_reply(reply, "rejected", "limit_reached", "prompt", str(65 * MIB + 8),
                          str(64 * MIB))


@unittest.skipUnless(steno_wire.is_available, "no python3-zmq and python3-msgpack")
class HostilePeers(OneServer):
    """Input of one peer costs the server bounded time and bounded memory."""

    COUNT, VALUES = 50, 9_400_000
    GROWTH_MAX = 400 * MIB  # a peer's share of the queue, and the input of one cycle

    # Measures the server's own memory, not freed memory that a sanitizer keeps back.
    ENVIRONMENT = {"ASAN_OPTIONS": "quarantine_size_mb=8:thread_local_quarantine_size_kb=64"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.at_first = peak_bytes(cls.home.server.child.pid)
        cls.endpoint = "ipc://" + cls.home.path("run", "command.sock")

    def request_of(self, body):
        return steno_wire.pack(["request", {"id": new_id(), "verb": "command", "body": body}])

    def assert_bounded(self, frame, *words):
        with Wire(self.endpoint) as hostile, Wire(self.endpoint) as good:
            for _ in range(self.COUNT):
                hostile.send(frame)
            self.assertGreater(good.position(), 0)
            codes = set()
            while "bad_frame" not in codes:
                _, reply = hostile.receive()
                codes.add(reply["code"])
                if reply["code"] == "bad_frame":
                    for word in words:
                        self.assertIn(word, reply["text"])
            self.assertLessEqual(codes, {"bad_frame", "busy"})
        self.assertLess(peak_bytes(self.home.server.child.pid) - self.at_first, self.GROWTH_MAX)
        self.nothing_is_recorded()

    def test_lists_of_millions(self):
        many = b"\xdd" + self.VALUES.to_bytes(4, "big") + b"\xa0" * self.VALUES
        head = steno_wire.pack(["request", {"id": new_id(), "verb": "command", "body": 0}])[:-1]
        for kind, field in ((b"Spawn", b"allowed_tools"), (b"EraseContent", b"ranges")):
            with self.subTest(field=field):
                inner = b"\x81" + bytes([0xA0 | len(field)]) + field + many
                body = (b"\x82\xa4type" + bytes([0xA0 | len(kind)]) + kind + b"\xa4body" + inner)
                self.assert_bounded(head + body, "more than 65536 values")

    def test_a_hello_of_millions_of_features(self):
        many = b"\xdd" + self.VALUES.to_bytes(4, "big") + b"\xa0" * self.VALUES
        self.assert_bounded(b"\x92\xa5hello\x81\xa8features" + many, "more than 65536 values")

    def test_a_map_of_millions_that_nobody_knows(self):
        half = self.VALUES // 2
        many = b"\xdf" + half.to_bytes(4, "big") + b"\xa0\xc0" * half
        self.assert_bounded(b"\x92\xa6notice\x81\xa7unknown" + many, "more than 65536 values")

    def test_prompts_of_many_megabytes_to_nobody(self):
        body = {"session": new_id(), "agent": "main", "type": "SendPrompt",
                "body": {"prompt": "x" * 9_400_000}}
        with Wire(self.endpoint) as hostile, Wire(self.endpoint) as good:
            for _ in range(self.COUNT):
                hostile.send(self.request_of(body))
            self.assertGreater(good.position(), 0)
            _, reply = hostile.receive()
            self.assertIn(reply["code"], ("not_found", "busy"), reply)
        self.assertLess(peak_bytes(self.home.server.child.pid) - self.at_first, self.GROWTH_MAX)


@unittest.skipUnless(steno_wire.is_available, "no python3-zmq and python3-msgpack")
class CommandIds(OneServer):
    def test_an_id_has_one_outcome_and_one_body(self):
        with Wire("ipc://" + self.home.path("run", "command.sock")) as wire:
            identity = new_id()
            first = wire.spawn("[say once]", identity)
            self.assertEqual(first["status"], "ok", first)
            self.home.wait_for_end(first["body"]["alias"])
            position = wire.position()
            again = wire.spawn("[say once]", identity)
            self.assertTrue(again["body"]["repeated"])
            other = wire.spawn("[say twice]", identity)
            self.assertEqual((other["status"], other["code"]), ("rejected", "id_reused"), other)
            self.assertIn("another body", other["text"])
            elsewhere = wire.spawn("[say once]", identity, new_id())
            self.assertEqual((elsewhere["status"], elsewhere["code"]), ("rejected", "invalid"),
                             elsewhere)
            self.assertEqual(wire.position(), position)


class CommandLine(OneServer):
    def test_values_of_flags(self):
        for arguments, words in (
                (("--agent", "Not OK", "ls"), ("Not OK", "a-z 0-9", "--agent")),
                (("--max-sessions", "0", "ls"), ("max_sessions", "from 1 to 10000")),
                (("--max-sessions", "9x", "ls"), ("9x", "from 1 to 10000")),
                (("--budget-usd", "-1", "ls"), ("-1", "2.50")),
                (("--budget-usd", "1e3", "ls"), ("1e3", "2.50")),
                (("--daily-budget-usd", "much", "serve"), ("much", "20")),
                (("--max-tokens", "-1", "ls"), ("max_tokens", "from 0 to 10^15")),
                (("--permission-mode", "yolo", "ls"), ("yolo", "acceptEdits")),
                (("--engine", "steam", "ls"), ("steam", "claude or scripted")),
                (("--log-level", "loud", "ls"), ("loud", "trace, debug")),
                (("-o", "yaml", "ls"), ("yaml", "table, json or jsonl")),
                (("--timeout", "0s", "ls"), ("0s", "500ms")),
                (("--timeout", "soon", "ls"), ("soon", "500ms")),
                (("--keep-workers=perhaps", "ls"), ("perhaps", "true or false")),
                (("--workdir", "", "ls"), ("workdir", "a path")),
                (("ls", "--status", "asleep"), ("asleep", "starting, running")),
                (("ls", "-n", "0"), ("-n", "from 1 to")),
                (("output", "x", "-n", "many"), ("-n", "many")),
                (("ps", "--help"), ("steno ls",)),
                (("stop", "nightly"), ("steno kill REF",)),
                (("run", "--continue", "p"), ("steno resume REF",)),
                (("watch", "--from", "yesterday"), ("yesterday", "start or now")),
                (("watch", "-n", "-1"), ("-n", "-1")),
                (("run", "--max-turns", "-1", "p"), ("--max-turns", "-1")),
                (("run", "--max-turns", "9" * 18, "p"), ("--max-turns", "9" * 18)),
                (("run", "p", "q"), ("q",)),
                (("run",), ("PROMPT",)),
                (("show",), ("REF",)),
                (("dance",), ("dance", "--help")),
                (("replay", "dance"), ("dance", "--help")),
                (("ls", "--dance"), ("--dance",)),
                ((), ("subcommand",))):
            with self.subTest(arguments=arguments):
                self.refused(2, words, *arguments)

    def test_words_of_other_programs(self):
        for arguments, words in (
                (("ps",), ("steno ls",)),
                (("ps", "-a"), ("unknown command 'ps'", "steno ls")),
                (("get", "pods", "-o", "wide"), ("steno ls",)),
                (("describe", "x"), ("steno show REF",)),
                (("exec", "x", "ls"), ("unknown command 'exec'", "steno send REF")),
                (("events", "--since", "1h"), ("steno watch",)),
                (("rm", "x"), ("steno kill REF", "steno erase REF")),
                (("detach",), ("Ctrl-D",)),
                (("help", "ps"), ("steno ls",)),
                (("--bg", "p"), ("steno spawn",)),
                (("-c",), ("steno resume",)),
                (("--resume", "x"), ("steno resume",)),
                (("-p", "x"), ("steno run",)),
                (("ls", "--json", "name"), ("'--json'; here that is -o json",)),
                (("ls", "--filter", "status=running"), ("--status, --name",)),
                (("show", "x", "--format={{.ID}}"), ("-o json",)),
                (("ls", "-l", "a=b"), ("--label",)),
                (("logs", "x", "--timestamps"), ("-o jsonl",))):
            with self.subTest(arguments=arguments):
                said = self.refused(2, words, *arguments)
                self.assertNotIn("did you mean", said)

    def test_only_who_takes_words_is_told_how_to_begin_them_with_a_dash(self):
        for arguments in (("run", "--nosuch"), ("send", "x", "--nosuch"), ("deny", "x", "--nosuch"),
                          ("search", "--nosuch"), ("conv", "send", "main", "--nosuch")):
            with self.subTest(arguments=arguments):
                self.refused(2, ("unknown option '--nosuch'", "behind --"), *arguments)
        for arguments in (("ls", "--nosuch"), ("kill", "--nosuch"), ("--nosuch",)):
            with self.subTest(arguments=arguments):
                self.assertNotIn("behind --", self.refused(2, ("'--nosuch'",), *arguments))

    def test_an_unknown_command_is_named_whatever_follows_it(self):
        for arguments in (("dance", "--all"), ("dance", "ls"), ("dance", "x", "status", "-f")):
            with self.subTest(arguments=arguments):
                self.refused(2, ("unknown command 'dance'; see `steno --help`",), *arguments)

    def test_values_of_the_environment(self):
        for name, value, word in (("STENO_MAX_SESSIONS", "many", "from 1 to 10000"),
                                  ("STENO_OUTPUT", "xml", "table, json or jsonl"),
                                  ("STENO_TIMEOUT", "-3s", "500ms"),
                                  ("STENO_AGENT", "No Agent", "a-z 0-9"),
                                  ("STENO_KEEP_WORKERS", "perhaps", "true or false"),
                                  ("STENO_BUDGET_USD", "lots", "2.50"),
                                  ("STENO_ENGINE", "steam", "claude or scripted")):
            with self.subTest(name=name):
                self.refused(2, (name, value, word), "ls", environment={name: value})

    def test_the_configuration_file(self):
        path = self.home.path("other.toml")
        for text, words in (('dance = 1\n', ("unknown key 'dance'", "max_sessions", "line 1")),
                            ('\nmax_sessions = "5"\n', ("max_sessions", "from 1 to 10000", "line 2")),
                            ('workdir = "here"\n', ("workdir", "here", "absolute")),
                            ('timeout = 5\n', ("timeout", "500ms", "in quotes")),
                            ('[table]\na = 1\n', ("unknown table [table]", "[engines.NAME]")),
                            ('agent = \n', ("not TOML", "line 1")),
                            ('agent = "a"\nagent = "b"\n', ("not TOML", "line 2"))):
            with self.subTest(text=text):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                self.refused(2, words + (path,), "--config", path, "ls")
        self.refused(2, ("No such file", "/nowhere.toml"), "--config", "/nowhere.toml", "ls")

    def test_prompts(self):
        self.refused(2, ("prompt is empty",), "run", "--engine", "scripted", "")
        self.refused(2, ("prompt is empty",), "run", "--engine", "scripted", "-", stdin=b"\n\n")
        self.refused(2, ("prompt is empty",), "run", "--engine", "scripted", " \t\u00a0")
        self.refused(2, ("at most 64 bytes",), "spawn", "--engine", "scripted",
                     "--name", "n" * 65, "p")

    def test_a_prompt_over_the_limit_is_not_sent(self):
        self.refused(5, ("prompt is over", str(64 * MIB)), "run", "--engine", "scripted", "-",
                     stdin=b"x" * 70_000_000)

    def test_a_home_in_place_of_a_log_and_a_folder_in_place_of_a_file(self):
        self.refused(3, ["no log in this folder; there is one in " + self.home.path("data")],
                     "replay", "verify", self.home.folder)
        self.refused(2, ["it is a folder; name a file of lines"],
                     "replay", "import", self.home.folder, "--to", self.home.path("new"))

    def test_sessions_that_do_not_exist(self):
        for arguments in (("show", "nobody"), ("output", "nobody"), ("send", "nobody", "p"),
                          ("interrupt", "nobody"), ("kill", "nobody"), ("close", "nobody"),
                          ("resume", "nobody"), ("watch", "nobody")):
            with self.subTest(arguments=arguments):
                self.refused(3, ("'nobody'", "id, alias or name"), *arguments)


class LargePrompts(OneServer):
    def test_five_megabytes_go_through_and_are_read_back_whole(self):
        prompt = "[say read it] " + "0123456789abcdé\n" * 312_500
        result = self.home.run("run", "--engine", "scripted", "-", stdin=prompt.encode())
        self.assertEqual((result.code, result.out), (0, "read it\n"), result.err)
        self.assert_recorded(prompt.rstrip("\n"))

    def test_so_do_five_megabytes_in_one_line(self):
        prompt = "[say one line] " + "y" * 5_000_000
        result = self.home.run("run", "--engine", "scripted", "-", stdin=prompt.encode())
        self.assertEqual((result.code, result.out), (0, "one line\n"), result.err)
        self.assert_recorded(prompt)

    def test_so_does_a_later_prompt_of_two_megabytes(self):
        later = "[say two] " + "z" * 2_000_000
        result = self.home.run("run", "--engine", "scripted", "--multi-turn", "[say one]",
                               stdin=later.encode() + b"\n[say three]\n")
        self.assertEqual((result.code, result.out), (0, "one\ntwo\nthree\n"), result.err)
        self.assert_recorded("[say one]", later, "[say three]")

    def assert_recorded(self, *prompts):
        row = self.home.ask("ls", "-n", "1")["sessions"][0]
        items = self.home.run("output", row["alias"], "--all", "-o", "jsonl").lines()
        recorded = [item["text"] for item in items if item["type"] == "TurnQueued"]
        # Not assertEqual, which would print the difference of megabytes.
        self.assertTrue(recorded == list(prompts), [len(text) for text in recorded])
        for event in self.home.events(row["session"]):
            if event["type"] == "TurnQueued" and "content" not in event:
                self.assertIn(event["content_bytes"], [len(each.encode()) for each in prompts])

    def test_a_prompt_that_is_not_text_is_refused(self):
        for prompt in (b"[say well] \xff\xfe\xc3 end", b"\x7fELF\x02\x00\x01"):
            self.refused(2, ("the prompt is not text", "name the file"), "run", "--engine",
                         "scripted", "-", stdin=prompt)



if __name__ == "__main__":
    unittest.main(verbosity=2)
