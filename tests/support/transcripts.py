"""Makes transcripts as other programs keep them, whole and damaged, the same in every run.

Each file knows what an import must say of it: how many lines and messages it has, and which of its
lines cannot be understood, and why."""
import hashlib
import json
import os
import random
import uuid

START = 1_760_000_000  # seconds; some time in 2025
WORDS = ("marlin herring anchor harbour login timeout parser queue ledger mirror snapshot branch "
         "größe naïve 東京 😀 \u2028 \"quoted\" back\\slash tab\there line\nbreak").split(" ")


def moment(seconds):
    whole, milli = divmod(int(seconds * 1000), 1000)
    import datetime
    text = datetime.datetime.fromtimestamp(whole, datetime.timezone.utc)
    return text.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milli:03d}Z"


def compact(value):
    """Returns the JSON as JavaScript writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Written:
    """A file of lines, and what is to be said of it."""

    def __init__(self, path, form):
        self.path, self.form = path, form
        self.parts = []      # bytes of each line, with its line feed
        self.messages = 0
        self.unread = {}     # number of a line → its reading

    def line(self, text, messages=0):
        self.parts.append(text.encode() + b"\n")
        self.messages += messages

    def damage(self, data, reading):
        self.parts.append(data)
        self.unread[len(self.parts)] = reading

    def bytes(self):
        return b"".join(self.parts)

    def write(self, age=3600):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "wb") as file:
            file.write(self.bytes())
        os.utime(self.path, (START, START))
        return self


class Author:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.at = START

    def id(self):
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def words(self, most=30):
        return " ".join(self.random.choice(WORDS)
                        for _ in range(self.random.randint(1, most)))

    def tick(self):
        self.at += self.random.random() * 10
        return self.at

    # ---- Claude Code's own ----

    def claude(self, path, session, lines, damages=0, workdir="/srv/project", marks=()):
        out = Written(path, "claude")
        parent = None
        base = {"isSidechain": False, "userType": "external", "cwd": workdir,
                "sessionId": session, "version": "2.1.329", "gitBranch": "main"}
        damaged = set(self.random.sample(range(lines), damages))
        marks = list(marks)
        call = None
        while len(out.parts) < lines:
            if len(out.parts) in damaged:
                self.break_line(out)
                continue
            own, at = self.id(), moment(self.tick())
            kind = self.random.randrange(8)
            head = {"parentUuid": parent, **base}
            tail = {"uuid": own, "timestamp": at}
            if call is not None:
                result = self.words(200) if self.random.random() < 0.5 else [
                    {"type": "text", "text": self.words(200)}]
                text = result if isinstance(result, str) else result[0]["text"]
                out.line(compact({**head, "type": "user", "message": {"role": "user", "content": [
                    {"tool_use_id": call, "type": "tool_result", "content": result}]}, **tail,
                    "toolUseResult": {"stdout": text, "stderr": ""}}), 1)
                call, parent = None, own
            elif kind < 2:
                words = marks.pop() if marks else self.words()
                out.line(compact({**head, "type": "user", "message": {
                    "role": "user", "content": words}, **tail}), 1)
                parent = own
            elif kind < 6:
                blocks = [{"type": "text", "text": self.words(80)}]
                if kind == 4:
                    blocks = [{"type": "thinking", "thinking": self.words(80),
                               "signature": hashlib.sha256(own.encode()).hexdigest()}]
                if kind == 5:
                    call = "toolu_" + own[:8]
                    blocks = [{"type": "tool_use", "id": call, "name": "Bash",
                               "input": {"command": self.words(9), "n": 1.50}}]
                out.line(compact({**head, "message": {
                    "id": "msg_" + own[:8], "type": "message", "role": "assistant",
                    "model": "claude-opus-5-5", "content": blocks, "stop_reason": None,
                    "usage": {"input_tokens": 10, "output_tokens": 3,
                              "cache_read_input_tokens": 5}}, "type": "assistant", **tail}), 1)
                parent = own
            elif kind == 6:
                out.line(compact({"type": "file-history-snapshot", "messageId": own,
                                  "snapshot": {"n": len(out.parts)}, "isSnapshotUpdate": False}))
            else:
                out.line(compact({**head, "attachment": {"type": "date", "date": at[:10]},
                                  "type": "attachment", **tail}))
        return out

    # ---- the documents' forms ----

    def typed(self, path, session, lines, damages=0):
        out = Written(path, "typed")
        out.line(compact({"type": "session", "version": 3, "id": session,
                          "timestamp": moment(self.at), "cwd": "/srv/clawd"}))
        damaged = set(self.random.sample(range(1, lines), damages))
        while len(out.parts) < lines:
            if len(out.parts) in damaged:
                self.break_line(out)
                continue
            at, own = self.tick(), self.id()[:8]
            kind = self.random.randrange(4)
            message = {"role": "user", "content": [{"type": "text", "text": self.words()}],
                       "timestamp": int(at * 1000)}
            if kind == 1:
                message = {"role": "assistant", "content": [
                    {"type": "text", "text": self.words()},
                    {"type": "toolCall", "id": own, "name": "exec", "arguments": {"cmd": "ls"}}],
                    "api": "anthropic-messages", "provider": "anthropic", "model": "opus",
                    "usage": {"input": 7, "output": 2, "cacheRead": 1, "cacheWrite": 0,
                              "totalTokens": 10, "cost": {"total": 0.25}}, "stopReason": "toolUse"}
            elif kind == 2:
                message = {"role": "toolResult", "toolCallId": own, "toolName": "exec",
                           "content": [{"type": "text", "text": self.words()}], "isError": False}
            out.line(compact({"type": "message", "id": own, "parentId": None,
                              "timestamp": moment(at), "message": message}), 2 if kind == 1 else 1)
        return out

    def roles(self, path, lines, damages=0):
        out = Written(path, "roles")
        damaged = set(self.random.sample(range(1, lines), damages))
        while len(out.parts) < lines:
            if len(out.parts) in damaged:
                self.break_line(out)
                continue
            at = moment(self.tick())
            kind = self.random.randrange(3) if out.parts else 0
            if kind == 0:
                out.line(compact({"role": "user", "content": self.words(), "timestamp": at}), 1)
            elif kind == 1:
                out.line(compact({"role": "assistant", "content": "Let me see.", "timestamp": at,
                                  "tool_calls": [{"id": "c1", "type": "function", "function": {
                                      "name": "read", "arguments": "{\"path\": \"a b\"}"}}]}), 2)
            else:
                out.line(compact({"role": "tool", "tool_call_id": "c1", "content": self.words(),
                                  "timestamp": at}), 1)
        return out

    # ---- damage ----

    def break_line(self, out):
        kind = self.random.randrange(5)
        text = compact({"type": "user", "sessionId": "x", "cwd": "/", "message": {
            "role": "user", "content": self.words()}, "role": "user"})
        whole = text.encode()
        if kind == 0:
            out.damage(text[:len(text) // 2].encode() + b"\n", "not_json")
        elif kind == 1:
            out.damage(b"\0" * self.random.randint(1, 300) + b"\n", "not_json")
        elif kind == 2:
            out.damage(b'{"type":"user","message":"' + b"\xff\xfe" + b'"}\n', "invalid_utf8")
        elif kind == 3:
            out.damage(compact({"type": "of-a-later-release", "role": "oracle", "n": 1.0}).encode()
                       + b"\n", "unknown_kind")
        else:  # two writers at once
            out.damage(whole + whole + b"\n", "not_json")
