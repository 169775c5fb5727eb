#!/usr/bin/env python3
"""The first steps of README.md work as printed: each command is run, and its output must be what
stands below it. Ids, aliases, times and counts of positions can differ."""
import os
import re
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, PATIENCE, beside  # noqa: E402

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md")
READING = ("steno ls", "steno show", "steno output", "steno stats")


def steps(section):
    """Returns the section's commands, each with the lines printed below it."""
    with open(README, encoding="utf-8") as file:
        text = file.read().split("\n## " + section + "\n")[1].split("\n## ")[0]
    found = []
    for block in re.findall(r"^```\n(.*?)^```", text, re.S | re.M):
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
    text = re.sub(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "ID", text)
    text = re.sub(r"…[0-9a-f]{6}\b", "…ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d(T[\d:]+Z)?", "TIME", text)
    text = re.sub(r"\b\d+s\b", "0s", text)
    text = re.sub(r"^ *\d+  TIME", "POSITION TIME", text, flags=re.M)
    return [" ".join(line.split()) for line in text.splitlines()]


class Readme(unittest.TestCase):
    def test_the_first_steps(self):
        home = Home()
        self.addCleanup(home.close)
        environment = {**home.environment, "STENO_HOME": home.folder, "STENO_ENGINE": "scripted",
                       "PATH": os.path.dirname(beside("steno")) + ":" + os.environ["PATH"]}
        ran = 0
        for command, printed in steps("First steps"):
            if command.startswith("export "):
                self.assertEqual(command, "export STENO_HOME=/tmp/try STENO_ENGINE=scripted")
            elif command.endswith(" serve &"):
                home.environment["STENO_ENGINE"] = "scripted"
                home.start()
                self.assertEqual(printed, ["ready"])
            else:
                ran += 1
                with self.subTest(command):
                    self.compare(home, environment, command, printed)
        self.assertGreater(ran, 5)

    def compare(self, home, environment, command, printed):
        deadline = time.monotonic() + PATIENCE
        wanted = shape(printed, re.findall(r"\b(?:3vgmh86z|gy5yfd8q)\b", "\n".join(printed)),
                       "/tmp/project")
        while True:
            done = subprocess.run(["bash", "-c", command], cwd=home.workdir, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False, timeout=PATIENCE)
            aliases = [row["alias"] for row in home.ask("ls")["sessions"]]
            shown = shape(done.stdout.splitlines(), aliases, home.workdir)
            whole = "…" not in wanted
            expected = wanted if whole else wanted[:wanted.index("…")]
            if (shown if whole else shown[:len(expected)]) == expected:
                return
            # A session that was just begun can need a moment.
            is_late = time.monotonic() > deadline or not command.startswith(READING)
            if is_late:
                self.assertEqual(shown, wanted)
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main(verbosity=2)
