#!/usr/bin/env python3
"""README.md works as printed, and so do the pages that go on from it. Their blocks are run in order,
as somebody new would: each command must succeed, and its output must be what stands below it. Ids,
aliases, times and counts can differ."""
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import unittest

import zmq

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Follower, Home, PATIENCE, beside, until  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# One after the other; a page goes on with the sessions of those before it.
PAGES = ("docs/guide.md", "docs/chat.md", "docs/schedules.md", "docs/operations.md")
# What answers from rows, which can need a moment.
READING = ("steno ls", "steno show", "steno output", "steno stats", "steno attention")
# Their output tells of a log that is not this one.
OWN_OUTPUT = ("steno replay salvage", "steno replay rebuild")
KEY = re.compile(r"\b[0-9a-f]{4}(?:-[0-9a-f]{4}){7}\b")


def blocks(page):
    """Returns the kind and the text of each block of the page, in order."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return re.findall(r"^```(\w*)\n(.*?)^```", file.read(), re.S | re.M)


def steps(block):
    """Returns the block's commands, each with the lines printed below it."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def shape(lines, aliases, workdir):
    """Returns the lines without the parts that differ from run to run."""
    text = "\n".join(lines).replace(workdir, "/tmp/project")
    for alias in aliases:
        text = text.replace(alias, "ALIAS")
    text = KEY.sub("KEY", text)
    text = re.sub(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "ID", text)
    text = re.sub(r"…[0-9a-f]{6}\b", "…ID", text)
    text = re.sub(r"\b[0-9a-f]{16,64}\b", "HASH", text)
    text = re.sub(r"\d{4}-\d\d-\d\d(T[\d:]+Z)?", "TIME", text)
    text = re.sub(r"\b(\d+m)?\d+s\b", "0s", text)
    text = re.sub(r"^ *\d+  TIME", "POSITION TIME", text, flags=re.M)
    return [" ".join(line.split()) for line in text.splitlines()]


def without_numbers(lines):
    return [re.sub(r"\d+", "N", line) for line in lines]


class Habits(unittest.TestCase):
    """Each command of the page about other tools is one that Steno understands."""
    NOT_RUN = {"steno serve", "steno ps"}

    def test_commands_are_understood(self):
        with open(os.path.join(ROOT, "docs/expectations.md"), encoding="utf-8") as file:
            text = file.read().replace("\\|", "|")
        lines = [line.split(" | ")[0] for line in re.findall(r"`[^`]*?\b(steno [^`]+)`", text)]
        known = sorted(set(lines) - self.NOT_RUN)
        self.assertGreater(len(known), 60)
        with Home() as home:
            for line in known:
                words = shlex.split(re.sub(r"\$\(.*\)", "REF", line))
                with self.subTest(line=line):
                    said = home.run(*words[1:]).err
                    self.assertNotIn("see `steno", said)


class Readme(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)
        # Folders that a user has, and a program that a setting names.
        for folder in ("srv", "media/usb", "bin", ".config/steno"):
            os.makedirs(self.home.path(folder))
        with open(self.home.path(".config/steno/webhook"), "w", encoding="ascii") as file:
            file.write("http://127.0.0.1:9/\n")
        os.chmod(file.name, 0o600)
        with open(self.home.path("bin/openclaw"), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n")
        os.chmod(file.name, 0o700)
        self.home.environment.update(
            STENO_ENGINE="scripted",
            PATH=os.pathsep.join([os.path.dirname(beside("steno")), self.home.path("bin"),
                                  os.environ["PATH"]]))
        self.environment = {**self.home.environment, "STENO_HOME": self.home.folder}
        self.names = {}  # what the pages have in place of what there is here
        self.ran = 0

    def test_the_readme(self):
        self.read("README.md")
        self.assertGreater(self.ran, 0)

    def test_the_pages_behind_it(self):
        for page in PAGES:
            self.read(page)
        self.assertGreater(self.ran, 25)

    def read(self, page):
        for kind, block in blocks(page):
            with self.subTest(page=page, block=block.splitlines()[0]):
                if kind == "toml":
                    self.configure(block)
                elif block.startswith("{"):
                    self.call(block)
                elif block.startswith("$ "):
                    for command, printed in steps(block):
                        self.take(command, printed)
                else:
                    self.assertIn("──▶", block)  # the picture

    def take(self, command, printed):
        if command.startswith("export "):
            self.assertEqual(command, "export STENO_HOME=/tmp/try STENO_ENGINE=scripted")
        elif command.endswith(" serve &"):
            self.home.start()
            self.assertEqual(printed, ["ready"])
        elif " salvage " in command:
            self.home.stop()
            self.run_command(command, printed)
        elif command.startswith("steno --home ") and command.endswith(" serve"):
            self.serve_elsewhere(self.here(command).split()[2])
            self.home.start()
        else:
            self.run_command(command, printed)

    def configure(self, block):
        """Serves with these settings as well."""
        self.home.stop()
        with open(self.home.path("steno.toml"), "a", encoding="utf-8") as file:
            file.write(block + "gateway = true\n")
        self.home.start()

    def call(self, block):
        endpoint = self.home.path("run", "gateway.sock")
        until(lambda: os.path.exists(endpoint), "the gateway")
        socket = zmq.Context.instance().socket(zmq.DEALER)
        self.addCleanup(socket.close, 0)
        socket.connect("ipc://" + endpoint)
        socket.send(block.encode())
        self.assertTrue(socket.poll(PATIENCE * 1000), "no answer")
        self.assertIn("result", json.loads(socket.recv()))
        self.ran += 1

    def serve_elsewhere(self, home):
        child = subprocess.Popen(["steno", "--home", home, "serve"], stdout=subprocess.PIPE,
                                 env=self.environment, cwd=self.home.workdir)
        server = Follower(child, ("serve",))
        self.addCleanup(server.close)
        self.assertEqual(server.line(), "ready")
        server.signal(signal.SIGTERM)
        self.assertEqual(child.wait(PATIENCE), 0)
        self.ran += 1

    def here(self, command):
        """Returns the command with the names, folders and positions of this home."""
        for name, own in self.names.items():
            command = command.replace(name, own)
        if "--event " in command:
            session = self.home.show("nightly")["session"]
            [queued, *_] = [event for event in self.home.events(session)
                            if event["type"] == "TurnQueued"]
            command = re.sub(r"--event \d+", f"--event {queued['position']}", command)
        command = re.sub(r"(?<= )/(?=srv/|media/)", self.home.folder + "/", command)
        return command

    def learn(self, printed, shown):
        """Notes which alias, and which key, stands for which."""
        for pattern in (re.compile(r"^session (\w{8}) "), re.compile(r"^(\w{8})  nightly "), KEY):
            for theirs, own in zip(printed, shown):
                one, two = pattern.search(theirs), pattern.search(own)
                if one and two:
                    self.names[one[pattern.groups]] = two[pattern.groups]

    def run_command(self, command, printed):
        """Runs the command until it prints what it must: a session can need a moment."""
        self.ran += 1
        deadline = time.monotonic() + PATIENCE
        printed_aliases = re.findall(r"\b(?:3vgmh86z|gy5yfd8q|uyjn4ecv|ks9e990x|8h2k4fzq)\b",
                                     "\n".join(printed))
        wanted = shape(printed, printed_aliases, "/tmp/project")
        whole = "…" not in wanted
        expected = wanted if whole else wanted[:wanted.index("…")]
        while True:
            done = subprocess.run(["bash", "-c", self.here(command)], cwd=self.home.workdir,
                                  env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False, timeout=PATIENCE)
            lines = done.stdout.splitlines()
            is_compared = bool(printed) and not command.startswith(OWN_OUTPUT)
            shown = []
            if is_compared:
                aliases = [row["alias"] for row in self.home.ask("ls")["sessions"]]
                shown = shape(lines, aliases, self.home.workdir)
                if command.startswith(("steno replay", "steno anchor")):
                    shown, expected = without_numbers(shown), without_numbers(expected)
            same = not is_compared or (shown if whole else shown[:len(expected)]) == expected
            if done.returncode == 0 and same:
                break
            is_late = time.monotonic() > deadline or not command.startswith(READING)
            if is_late:
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
                self.assertEqual(shown, expected, command)
            time.sleep(0.05)
        self.learn(printed, lines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
