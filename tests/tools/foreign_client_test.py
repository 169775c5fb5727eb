#!/usr/bin/env python3
"""The documents suffice to write a client: the client of workers/WIRE.md and the subscriber of
bus/README.md run exactly as printed there, against a real server that is killed."""
import base64
import fcntl
import os
import re
import signal
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import steno_wire  # noqa: E402
from steno_process import Home, until  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# More than the publisher (1,000 messages) and the kernel (208 KiB) hold for one subscriber.
STOPPED_MESSAGES = 2_000
# More than the publisher, the kernel and the queue of an idle subscriber hold.
UNREAD_MESSAGES = 3_000
QUEUES_MESSAGES = 2_000
KERNEL_BYTES = 320 << 10  # 208 KiB, and messages that ZeroMQ has taken out of its queues
BEACONS = 3  # of a level but `all/`, 250 ms, 1 s and 4 s after its last event
PROMPTS_WAITING = 20  # enough to keep agents busy, and to end soon
PATIENCE = 120.0


def example(document):
    """Returns the only Python program in a document."""
    with open(os.path.join(ROOT, document), encoding="utf-8") as file:
        found = re.findall(r"^```python\n(.*?)^```", file.read(), re.S | re.M)
    assert len(found) == 1, (document, len(found))
    return found[0]


def load_client():
    names = {}
    exec(compile(example("workers/WIRE.md"), "workers/WIRE.md", "exec"), names)
    return names


def logged(home):
    """Returns (position, facts, stream) of each event from an export of the log."""
    result = home.run("replay", "export", "--without-content", seconds=180)
    assert result.code == 0, result
    return [(event["position"], base64.b64decode(event["bytes"]), event["stream"])
            for line in result.lines() for event in line.get("events", ())]


def belongs(stream, level):
    """True if a stream's events belong to a level, by the rules of workers/WIRE.md."""
    kind, _, rest = level.partition("/")
    if kind == "all":
        return True
    if kind == "agent":
        return stream.startswith(rest)
    agent, session, _ = rest.split("/")
    return stream == f"{agent}/session/{session}"


class Subscriber:
    """The program of bus/README.md at one level, with its output."""

    def __init__(self, home, level):
        self.level, self.out = level, b""
        argv = [sys.executable, "-c", example("bus/README.md"), endpoint(home, "command"),
                endpoint(home, "feed"), level, "0"]
        self.child = subprocess.Popen(argv, stdout=subprocess.PIPE)
        flags = fcntl.fcntl(self.child.stdout, fcntl.F_GETFL)
        fcntl.fcntl(self.child.stdout, fcntl.F_SETFL, flags | os.O_NONBLOCK)

    def read(self):
        try:
            self.out += self.child.stdout.read() or b""
        except BlockingIOError:
            pass

    def last(self):
        whole = self.out[:self.out.rfind(b"\n") + 1]
        return int(whole.splitlines()[-1].split()[0]) if whole else 0

    def signal(self, number):
        self.child.send_signal(number)

    def close(self):
        self.child.kill()
        self.child.wait()
        self.child.stdout.close()


def endpoint(home, name):
    return "ipc://" + home.path("run", name + ".sock")


class Counter:
    """Counts the messages of a level, their bytes, and the beacons since the last one, with a queue
    that is never full."""

    def __init__(self, home, level):
        self.messages = self.bytes = self.beacons = 0
        self.socket = steno_wire.zmq.Context.instance().socket(steno_wire.zmq.SUB)
        self.socket.setsockopt(steno_wire.zmq.RCVHWM, 0)
        self.socket.setsockopt(steno_wire.zmq.LINGER, 0)
        self.socket.connect(endpoint(home, "feed"))
        self.socket.subscribe(level)

    def take(self):
        while self.socket.poll(0):
            _, frame = self.socket.recv_multipart()
            header, _ = steno_wire.msgpack.unpackb(frame)
            if header.get("kind", "events") == "events":
                self.messages += 1
                self.bytes += len(frame)
                self.beacons = 0
            else:
                self.beacons += 1

    def close(self):
        self.socket.close()


@unittest.skipUnless(steno_wire.is_available, "no python3-zmq and python3-msgpack")
class Stranger(unittest.TestCase):
    def setUp(self):
        self.home = Home("max_sessions = 20\n")
        self.addCleanup(self.home.close)
        self.home.start()
        self.wire = load_client()
        self.client = self.connected()

    def connected(self):
        client = self.wire["Client"](endpoint(self.home, "command"))
        self.addCleanup(client.socket.close)
        return client

    def spawn(self, prompt="[say hi]", agent="main", **spec):
        spec = {"engine": "scripted", "workdir": self.home.workdir, **spec}
        return self.client.spawn(prompt, agent, **spec)

    def row(self, session):
        found = [row for row in self.client.list() if row["session"] == session]
        return found[0] if found else {}

    # ---- the client ----

    # Shows R003.
    def test_the_client_of_the_documents_spawns_sends_lists_and_kills(self):
        session = self.spawn("[say one]", "first", multi_turn=True)
        other = self.spawn("[hang]", "second")
        answer = self.client.send(session, "[say two]", "first")
        self.assertEqual(answer["position"],
                         max(event[0] for event in logged(self.home)
                             if event[2] == f"first/session/{self.text(session)}"
                             and event[0] <= answer["position"]))
        until(lambda: self.row(session).get("turns_finished") == 2, "two turns")
        self.assertEqual([row["session"] for row in self.client.list("second")], [other])
        self.client.kill(other, "second")
        self.assertEqual(self.row(other)["status"], "killed")
        self.client.kill(other, "second")  # no effect, and no error
        with self.assertRaises(self.wire["Refused"]) as refused:
            self.client.send(other, "[say more]", "second")
        self.assertEqual(refused.exception.args[0], "session_ended")
        query = {"agent": "first", "reference": self.text(session)}
        said = self.client.ask("output", query)["items"]
        self.assertEqual([item["text"] for item in said if item.get("kind") == "said"],
                         ["one", "two"])

    def test_a_position_is_of_the_last_event_that_a_command_appended_to_its_session(self):
        session = os.urandom(16)
        body = {"name": "positioned", "prompt": "[say hi]",
                "spec": {"engine": "scripted", "workdir": "/tmp"}}
        answer = self.client.command("Spawn", session, body, "main", id=session)
        facts = {position: steno_wire.msgpack.unpackb(facts)
                 for position, facts, _ in logged(self.home)}
        at = answer["position"]
        self.assertEqual([facts[at + more]["t"] for more in range(-1, 3)],
                         ["SessionOpened", "TurnQueued", "NameClaimed", "SessionAdmitted"])
        # The smallest spec; all other fields have their defaults.
        said = facts[at - 1]["f"]["spec"]  # and the server's limits
        self.assertEqual({name: said[name] for name in body["spec"]}, body["spec"])
        again = self.client.command("Spawn", session, body, "main", id=session)
        self.assertEqual((again["position"], again["repeated"]), (at, True))

    def test_a_command_id_reaches_as_far_as_its_session(self):
        one, two = (self.spawn("[say hi]", multi_turn=True) for _ in range(2))
        same = os.urandom(16)
        for session in (one, two):
            answer = self.client.command("SendPrompt", session, {"prompt": "[say x]"}, "main", same)
            self.assertNotIn("repeated", answer)
        with self.assertRaises(self.wire["Refused"]) as refused:
            self.client.command("SendPrompt", one, {"prompt": "[say y]"}, "main", same)
        self.assertEqual(refused.exception.args[0], "id_reused")

    def test_an_id_of_zeros_is_none(self):
        session = self.spawn()
        with self.assertRaises(self.wire["Refused"]) as refused:
            self.client.command("KillSession", session, {}, "main", bytes(16))
        self.assertEqual(refused.exception.args[0], "bad_frame")

    def test_a_command_without_a_body_has_the_defaults(self):
        session = self.spawn("[hang]", multi_turn=True)
        for more in ({}, {"body": None}):
            self.client.ask("command", {"session": session, "agent": "main",
                                        "type": "KillSession", **more})
        self.assertEqual(self.row(session)["status"], "killed")
        with self.assertRaises(self.wire["Refused"]) as refused:
            self.client.ask("command", {"session": session, "agent": "main", "type": "SendPrompt"})
        self.assertEqual(refused.exception.args[0], "session_ended")

    def test_epoch_is_a_map_but_in_status(self):
        status = self.client.ask("status", {})
        page = self.client.ask("read", {"level": "all/", "after": 0})
        self.assertEqual(status["epoch"], page["epoch"]["counter"])
        self.assertEqual(len(page["epoch"]["random"]), 8)

    def text(self, session):
        return self.wire["level_of"](session).split("/")[2]

    # ---- the subscribers ----

    # Shows C26.
    def test_subscribers_at_all_levels_miss_nothing_whatever_happens(self):
        followed = self.spawn("[say begun]", "first", multi_turn=True)
        others = [(self.spawn("[say begun]", agent, multi_turn=True), agent)
                  for agent in ("first", "second", "third")]
        level = self.wire["level_of"](followed, "first")
        subscribers = []
        for where in ("all/", "agent/first/", level):
            subscribers.append(Subscriber(self.home, where))
            self.addCleanup(subscribers[-1].close)
        counter = Counter(self.home, level)
        self.addCleanup(counter.close)
        load = Load(self, [(followed, "first")] * 5 + others)
        self.addCleanup(load.stop)

        def seen(end):
            for subscriber in subscribers:
                subscriber.read()
                self.assertIsNone(subscriber.child.poll(), "it has ended: " + subscriber.level)
            counter.take()
            return all(subscriber.last() >= end(subscriber.level) for subscriber in subscribers)

        def all_is_seen():
            events = logged(self.home)
            ends = {s.level: max(p for p, _, stream in events if belongs(stream, s.level))
                    for s in subscribers}
            until(lambda: seen(ends.get), "the log's end at all levels", PATIENCE)
            for subscriber in subscribers:
                wanted = [f"{position} {facts.hex()}" for position, facts, stream in events
                          if belongs(stream, subscriber.level)]
                printed = subscriber.out.decode().splitlines()
                printed = [line for line in printed if int(line.split()[0]) <= events[-1][0]]
                self.assertEqual(len(printed), len(wanted), subscriber.level)
                self.assertTrue(printed == wanted, subscriber.level)

        def messages(count, reading):
            """Waits until the followed session's level has had this many more events."""
            counter.take()
            begun, size = counter.messages, counter.bytes

            def enough():
                seen(lambda _: 0) if reading else counter.take()
                return counter.messages - begun >= count
            until(enough, f"{count} messages", PATIENCE)
            return counter.bytes - size

        def silence():
            """Waits until the followed session's level has had its last beacon."""
            def is_silent():
                counter.take()
                return counter.beacons >= BEACONS
            until(is_silent, "the last beacon", PATIENCE)

        load.begin()
        messages(50, True)

        # They stand still until their queues have overflowed and all beacons have passed.
        for subscriber in subscribers:
            subscriber.signal(signal.SIGSTOP)
        messages(STOPPED_MESSAGES, False)
        load.pause()
        silence()
        for subscriber in subscribers:
            subscriber.signal(signal.SIGCONT)
        all_is_seen()

        # The server dies under load, and the next one goes on with its log.
        load.begin()
        messages(50, True)
        self.home.stop(signal.SIGKILL)
        self.home.start()
        messages(50, True)
        load.pause()
        all_is_seen()

        # It dies while they stand still; they return when the next one is silent.
        for subscriber in subscribers:
            subscriber.signal(signal.SIGSTOP)
        load.begin()
        messages(50, False)
        self.home.stop(signal.SIGKILL)
        self.home.start()
        messages(50, False)
        load.pause()
        silence()
        for subscriber in subscribers:
            subscriber.signal(signal.SIGCONT)
        all_is_seen()

        # Nobody reads their output until every queue up to them is full.
        load.begin()
        size = messages(UNREAD_MESSAGES, False)
        beyond = (UNREAD_MESSAGES - QUEUES_MESSAGES) / UNREAD_MESSAGES
        self.assertGreater(size * beyond, KERNEL_BYTES)
        load.pause()
        silence()
        all_is_seen()


class Load:
    """Gives sessions prompts, one after the other, unless paused. The client handles late answers
    and repeated requests."""

    def __init__(self, test, sessions):
        self.test, self.sessions = test, sessions
        self.runs, self.is_over, self.idle = threading.Event(), False, threading.Event()
        self.idle.set()
        self.failure = None
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        client = self.test.wire["Client"](endpoint(self.test.home, "command"), "load")
        try:
            turn = 0
            while not self.is_over:
                if not self.runs.is_set():
                    self.idle.set()
                    self.runs.wait()
                    continue
                session, agent = self.sessions[turn % len(self.sessions)]
                turn += 1
                client.send(session, f"[tools 1] [say turn {turn}]", agent)
                if turn % PROMPTS_WAITING == 0:
                    until(lambda: self.waiting(client) < PROMPTS_WAITING, "turns' ends", PATIENCE)
        except Exception as failure:
            self.failure = failure
            self.idle.set()
        finally:
            client.socket.close()

    @staticmethod
    def waiting(client):
        return sum(row.get("turns_waiting", 0) for row in client.list())

    def begin(self):
        assert self.failure is None, self.failure
        self.idle.clear()
        self.runs.set()

    def pause(self):
        """Stops, and waits until every requested turn is done."""
        self.runs.clear()
        assert self.idle.wait(PATIENCE)
        assert self.failure is None, self.failure
        until(lambda: all(row.get("waiting_for_input") for row in self.test.client.list()),
              "the end of all turns", PATIENCE)

    def stop(self):
        self.is_over = True
        self.runs.set()
        self.thread.join(PATIENCE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
