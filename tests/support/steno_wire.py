"""The command endpoint, spoken by hand, for bytes that no client of ours would send.

Needs Debian's python3-zmq and python3-msgpack; without them `is_available` is false.
"""
import os
import time

try:
    import msgpack
    import zmq
    is_available = True
except ImportError:
    is_available = False

WELCOME, REPLY = "welcome", "reply"


def new_id():
    """Returns a UUIDv7, the form of ids of sessions and commands."""
    head = int(time.time() * 1000).to_bytes(6, "big")
    tail = bytearray(os.urandom(10))
    tail[0] = 0x70 | tail[0] & 0x0F
    tail[2] = 0x80 | tail[2] & 0x3F
    return head + bytes(tail)


def spec(**changes):
    return {"engine": "scripted", "workdir": "/tmp", **changes}


def pack(value):
    return msgpack.packb(value)


class Wire:
    def __init__(self, endpoint, says_hello=True):
        self.monitor = None
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.rcvtimeo = 20_000
        self.socket.connect(endpoint)
        if says_hello:
            kind, _ = self.exchange(["hello", {"protocol_lowest": 1, "protocol_highest": 1}])
            assert kind == WELCOME

    def send(self, *parts):
        self.socket.send_multipart(parts)

    def receive(self):
        """Returns kind and body of the next frame; fails if none comes in time."""
        return msgpack.unpackb(self.socket.recv())

    def exchange(self, frame):
        self.send(msgpack.packb(frame))
        return self.receive()

    def request(self, verb, body, identity=None):
        """Sends a request; returns the reply."""
        identity = identity or new_id()
        kind, reply = self.exchange(["request", {"id": identity, "verb": verb, "body": body}])
        assert kind == REPLY and reply["id"] == identity, (kind, reply)
        return {"status": "ok", "code": "", "text": "", **reply}

    def command(self, kind, body, session=None, agent="main", identity=None):
        identity = identity or new_id()
        # A new session has the id of the command that spawns it.
        session = session or (identity if kind == "Spawn" else new_id())
        return self.request("command", {"session": session, "agent": agent,
                                        "type": kind, "body": body}, identity)

    def spawn(self, prompt="[say hi]", identity=None, session=None, **changes):
        return self.command("Spawn", {"prompt": prompt, "spec": spec(**changes)}, session,
                            identity=identity)

    def watch_connection(self):
        self.monitor = self.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self.monitor.rcvtimeo = self.socket.rcvtimeo

    def wait_for_disconnection(self):
        """Waits for an end of the connection since watch_connection(); fails if none comes."""
        self.monitor.recv_multipart()
        self.socket.disable_monitor()

    def position(self):
        return self.request("status", {})["body"]["durable"]

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
