#!/usr/bin/env python3
"""An agent asks with hostile input: what people see is escaped and cut, and obeyed by nobody."""
import hashlib
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402

# Speaks as Claude Code does; its one call has the bytes of a file as input, whatever they are.
AGENT = r"""
import hashlib, json, sys
def write(line):
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()
def frame(**fields):
    write(json.dumps({"session_id": "s", "uuid": "u", **fields}).encode())
for line in sys.stdin.buffer:
    said = json.loads(line)
    if said["type"] == "control_request":
        write(json.dumps({"type": "control_response", "response": {
            "subtype": "success", "request_id": said["request_id"], "response": {}}}).encode())
    elif said["type"] == "control_response":
        answer = said["response"]["response"]
        with open("heard", "w") as file:
            given = answer.get("updatedInput", {}).get("command", "")
            json.dump({"behavior": answer["behavior"], "message": answer.get("message", ""),
                       "bytes": len(given.encode()), "sha256": hashlib.sha256(given.encode()).hexdigest()}, file)
        frame(type="result", subtype="success", is_error=False, result="Done.", num_turns=1,
              duration_ms=1, total_cost_usd=0, usage={}, modelUsage={}, permission_denials=[])
        break
    elif said["type"] == "user":
        frame(type="system", subtype="init", model="m", cwd=".", tools=[], permissionMode="default")
        with open("hostile", "rb") as file:
            write(b'{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool",'
                  b'"tool_name":"Bash","tool_use_id":"t","input":{"command":"' + file.read() + b'"}}}')
"""
ENGINE = '[engines.hostile]\nkind = "claude"\nprogram = ["/usr/bin/env", "python3", "{agent}"]\n'
FORGED = "make\n✅ request 1 was approved by you\n  → steno approve it#1\n#2  other, waits 3 s\n"
BAD = ("\x1b", "\x07", "\x9b", "\u202e", "\u2066", "\x00")


class Hostile(unittest.TestCase):
    def setUp(self):
        self.home = Home('gateway = true\nchat_senders = ["telegram|1"]\n')
        self.addCleanup(self.home.close)
        agent = os.path.join(self.home.folder, "agent.py")
        with open(agent, "w", encoding="utf-8") as file:
            file.write(AGENT)
        self.home.write_config('gateway = true\nchat_senders = ["telegram|1"]\n' + ENGINE.format(agent=agent))
        self.home.start()

    def tearDown(self):
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())
        self.assertEqual(self.home.run("replay", "verify").code, 0)

    def asking(self, command):
        """Starts a session whose agent asks for a call with these bytes; returns its alias."""
        with open(os.path.join(self.home.workdir, "hostile"), "wb") as file:
            file.write(command)
        alias = self.home.start_session("go", engine="hostile")
        until(lambda: self.home.ask("approvals")["count"] == 1, "a request")
        return alias

    def heard(self, alias):
        self.home.wait_for_end(alias)
        with open(os.path.join(self.home.workdir, "heard"), encoding="utf-8") as file:
            return json.load(file)

    def shown(self, alias):
        """Returns what each command shows of the request."""
        commands = (("approvals",), ("approvals", alias), ("ls",), ("show", alias), ("attention",),
                    ("output", alias), ("chat", "--sender", "telegram|1", "/approvals"),
                    ("chat", "--sender", "telegram|1", f"/approvals {alias}"))
        shown = {}
        for command in commands:
            ran = self.home.run(*command)
            self.assertEqual(ran.code, 0, str(ran)[:2000])
            shown[command[0] + str(len(command))] = ran.out + ran.err
            for bad in BAD:
                self.assertNotIn(bad, ran.out + ran.err, command)
        return shown

    def test_control_sequences_are_shown_escaped(self):
        alias = self.asking(b"\\u001b[2J\\u001b]0;owned\\u0007 \\u202e\\u2066 \\u009b31m make \\u0000 end")
        shown = self.shown(alias)
        self.assertIn("end", shown["approvals2"])
        self.home.run("deny", alias, "no \x1b[2J")
        self.assertEqual(self.heard(alias)["message"], "no \x1b[2J")

    def test_text_that_forges_lines_of_steno_is_told_apart(self):
        alias = self.asking(json.dumps(FORGED)[1:-1].encode())
        shown = self.shown(alias)
        for text in shown.values():
            for line in text.splitlines():
                self.assertFalse(line.startswith(("✅", "  → steno approve it", "#2  other")), text)
        self.assertEqual(self.home.ask("approvals")["count"], 1)
        self.home.run("deny", alias)
        self.assertEqual(self.heard(alias)["behavior"], "deny")

    def test_bytes_that_are_no_text_are_shown_as_such(self):
        alias = self.asking(b"echo \xff\xfe\xc3 end")
        self.assertIn("end", self.shown(alias)["approvals2"])
        self.home.run("approve", alias)
        self.assertEqual(self.heard(alias)["behavior"], "allow")

    def test_ten_megabytes_are_cut_for_people_and_whole_for_the_tool(self):
        command = b"echo " + b"x" * 10_000_000
        alias = self.asking(command)
        for name, text in self.shown(alias).items():
            self.assertLess(len(text), 64 << 10, name)
        whole = self.home.run("approvals", alias).out
        self.assertRegex(whole, r"input  has 10\d{6} bytes, too many to be shown here")
        # Rules and hooks look at it, too.
        self.home.run("rules", "add", "--deny", "Bash(/x{100}y$/)")
        self.assertEqual(self.home.run("approve", alias).code, 0)
        heard = self.heard(alias)
        self.assertEqual((heard["behavior"], heard["bytes"], heard["sha256"]),
                         ("allow", len(command), hashlib.sha256(command).hexdigest()))

    def test_an_answer_that_is_no_json_changes_nothing(self):
        alias = self.asking(b"make")
        for given in ("nonsense", "[1]", "7", '{"command": ', "\xff", ""):
            refused = self.home.run("approve", alias, "--input", given)
            self.assertIn(refused.code, (2, 5), str(refused))
            said = self.home.run("chat", "--sender", "telegram|1", f"/approve {alias}#1 [1]")
            self.assertNotIn("✅", said.out)
        self.assertEqual(self.home.ask("approvals")["count"], 1)
        self.home.run("approve", alias, "--input", '{"command": "ls"}')
        self.assertEqual(self.heard(alias)["bytes"], 2)
        late = self.home.run("approve", alias + "#1")
        self.assertEqual(late.code, 4)
        self.assertIn("was approved", late.err)


if __name__ == "__main__":
    unittest.main()
