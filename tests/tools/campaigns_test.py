#!/usr/bin/env python3
"""tests/campaigns.toml is complete: every crash test is run by a long form, and every short form
runs something. Fuzz targets and mutants are listed by their own tools."""
import os
import re
import shlex
import subprocess
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools"))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from campaigns import registry  # noqa: E402
from steno_process import program  # noqa: E402

BUILD = os.path.dirname(os.path.abspath(program()))
SUFFIX = " (crash)"


def tests(*filters):
    """Returns the names of the tests of this build that ctest would run."""
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "-N", *filters], capture_output=True,
                            text=True, check=True)
    return {name.removesuffix(SUFFIX)
            for name in re.findall(r"^ +Test +#\d+: (.*)$", listed.stdout, re.MULTILINE)}


def run_by(campaign):
    """Returns the names of the tests in a crash campaign's long form, as its program lists them."""
    command = campaign.command(1, 1, 1).replace(campaign.build + "/", BUILD + "/")
    listed = subprocess.run(["env", *shlex.split(command), "--list-test-names-only"],
                            capture_output=True, text=True, check=False)
    return set(listed.stdout.splitlines())


class Campaigns(unittest.TestCase):
    def setUp(self):
        entries = registry.read(os.path.join(ROOT, "tests", "campaigns.toml"))
        self.campaigns = [entry for entry in entries if not entry.is_canary]

    def test_every_crash_test_is_in_a_long_form(self):
        named = tests("-L", "crash")
        self.assertTrue(named)
        run = set()
        for campaign in self.campaigns:
            if campaign.kind == "crash":
                mine = run_by(campaign)
                self.assertTrue(mine, f"{campaign.name} runs nothing: {campaign.long}")
                run |= mine
        self.assertEqual(named - run, set(), "in no campaign of tests/campaigns.toml")

    def test_every_kind_is_there_and_lists_its_items(self):
        self.assertEqual({campaign.kind for campaign in self.campaigns}, set(registry.KINDS))
        for campaign in self.campaigns:
            for one in registry.expand(campaign, ROOT):
                self.assertEqual(one.error, "", one.name)

    def test_every_short_form_runs_something(self):
        for campaign in self.campaigns:
            self.assertTrue(tests(*campaign.smoke_arguments()), campaign.name)


if __name__ == "__main__":
    unittest.main()
