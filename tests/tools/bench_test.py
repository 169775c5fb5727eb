#!/usr/bin/env python3
"""A row of the speed table works alone, in its short form, and gives its figure under its name.
Trying all rows takes minutes; STENO_BENCH_ROWS=all does so."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from steno_process import program  # noqa: E402

BENCH = os.path.join(os.path.dirname(os.path.abspath(program())), "steno-bench")
SHORT_ROWS = ["ack_p50_over_floor", "conversation_list_ms", "fold_events_per_s", "rss_base_mb",
              "spawn_overhead_ms", "transcript_page_ms"]
# With real agents, or with as many sessions as a server may have: too long for each test run.
LONG_ROWS = ["attach_first_screen_ms", "completion_ms", "live_processes", "live_sessions",
             "ls_busy_p99_ms", "ls_ms", "rss_per_live_session_bytes", "top_cpu_percent"]
ROW_MAX_S = 120  # on a machine that is busy with other tests


def run(*arguments):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=ROW_MAX_S,
                          check=False)


def rows():
    """Reads names and goals from --help, one row in each line."""
    text = run("--help").stdout
    return re.findall(r"^  ([a-z0-9_]+)$", text[text.index("Rows:"):], re.MULTILINE)


class Bench(unittest.TestCase):
    def test_a_row_gives_its_figure_by_its_name(self):
        self.assertLess(set(SHORT_ROWS), set(rows()))
        is_all = os.environ.get("STENO_BENCH_ROWS") == "all"
        for row in rows() if is_all else SHORT_ROWS:
            with self.subTest(row=row), tempfile.TemporaryDirectory() as folder:
                report = os.path.join(folder, "figures.json")
                done = run("--quick", "--only", row, "--json", report, "--commit", "abc")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                with open(report, encoding="utf-8") as file:
                    written = json.load(file)
                self.assertEqual(written["commit"], "abc")
                line = next(line for line in done.stdout.splitlines() if line.startswith(row + " "))
                if "no peer" in line:
                    self.assertTrue(written["absent"], line)
                    self.assertEqual(written["figures"], {})
                    continue
                value = float(line.split()[1])
                self.assertGreater(value, 0)
                # Under other load a bare sync can be slower than a server's.
                counts = "does not count" not in line
                self.assertEqual(written["figures"], {row: value} if counts else {})

    def test_rows_of_many_sessions_are_listed(self):
        self.assertLess(set(LONG_ROWS), set(rows()))

    def test_a_row_that_does_not_exist_is_refused(self):
        done = run("--only", "no_such_row")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no row 'no_such_row'", done.stderr)

    def test_a_folder_in_memory_is_refused(self):
        done = run("--quick", "--only", "rss_base_mb", "--folder", "/dev/shm")
        self.assertEqual(done.returncode, 1)
        self.assertIn("where a sync costs nothing", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
