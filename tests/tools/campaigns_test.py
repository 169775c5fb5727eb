#!/usr/bin/env python3
"""Nothing is forgotten in tests/campaigns.toml: every test that kills processes stands there, every
pattern is that of a test, and every short form runs something."""
import fnmatch
import os
import re
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
    """Names of the tests of this build that ctest would run."""
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "-N", *filters], capture_output=True,
                            text=True, check=True)
    return [name.removesuffix(SUFFIX)
            for name in re.findall(r"^ +Test +#\d+: (.*)$", listed.stdout, re.MULTILINE)]


class Campaigns(unittest.TestCase):
    def setUp(self):
        entries = registry.read(os.path.join(ROOT, "tests", "campaigns.toml"))
        self.campaigns = [entry for entry in entries if not entry.is_canary]

    def test_every_crash_test_is_a_campaign(self):
        patterns = [pattern for campaign in self.campaigns for pattern in campaign.tests]
        names = tests("-L", "crash")
        self.assertGreater(len(names), 0)
        for name in names:
            self.assertTrue(any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns),
                            f"not in tests/campaigns.toml: {name}")
        for pattern in patterns:
            self.assertTrue(fnmatch.filter(names, pattern), f"there is no such test: {pattern}")

    def test_every_smoke_runs_something(self):
        for campaign in self.campaigns:
            self.assertTrue(tests(*campaign.smoke_arguments()), campaign.name)

    def test_every_item_is_listed_by_its_tool(self):
        for campaign in self.campaigns:
            for one in registry.expand(campaign, ROOT):
                self.assertEqual(one.error, "", one.name)


if __name__ == "__main__":
    unittest.main()
