#!/usr/bin/env python3
"""The promises of ./tools/soak: it continues where it was cut off, a finding ends a campaign, a
canary that survives stops everything, and the record survives a torn last line."""
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from steno_process import until  # noqa: E402

SOAK = os.path.join(ROOT, "tools", "soak")
PATIENCE = 60

# A campaign of numbers: `bad` is a finding; at `stuck` it writes a file and waits to be ended.
NUMBERS = """
import json, os, signal, sys
first, count, bad, stuck = map(int, sys.argv[1:5])
told = sys.argv[5]
for number in range(first, first + count):
    if number == stuck:
        open(told, "w").write("stuck")
        while True: signal.pause()
    if number == bad:
        print("seed", number, "is bad")
        print(json.dumps({"numbers": number - first, "violations": 1}))
        sys.exit(1)
print(json.dumps({"numbers": count, "violations": 0, "largest": first + count - 1}))
print("a line that is no JSON")
"""


class Soak(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="steno-soak-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("numbers.py", NUMBERS)
        self.ledger, self.told = self.path("campaigns.jsonl"), self.path("told")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def numbers(self, bad=0, stuck=0):
        return (f"{sys.executable} -S {self.path('numbers.py')} {{seed}} {{count}} {bad} {stuck} "
                f"{self.told}")

    def entry(self, name="numbers", long=None, **more):
        values = {"kind": "simulation", "unit": "numbers", "goal": 100, "portion": 10,
                  "what": "counts", "smoke": "-R numbers", "seed": "the first argument",
                  "long": long or self.numbers(), **more}
        lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()
                 if value is not None]
        return f"[[campaign]]\nname = \"{name}\"\n" + "\n".join(lines) + "\n"

    def canary(self, command="sh -c 'echo tweet; exit 1'", **more):
        return self.entry("canary", command, kind="canary", of="simulation", expect="tweet",
                          unit=None, goal=None, portion=None, smoke=None, seed=None, **more)

    def start(self, *entries, arguments=()):
        registry = self.write("campaigns.toml", "\n".join(entries))
        return subprocess.Popen(
            [sys.executable, SOAK, "--registry", registry, "--results", self.folder,
             *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def soak(self, *entries, arguments=(), code=0):
        child = self.start(*entries, arguments=arguments)
        out, _ = child.communicate(timeout=PATIENCE)
        self.assertEqual(child.returncode, code, out)
        return out

    def row(self, entry):
        """Returns the campaign's row of the report."""
        report = self.soak(entry, self.canary(), arguments=("--report",))
        return [line for line in report.splitlines() if line.startswith("| `numbers`")][0]

    def recorded(self):
        return [json.loads(line) for line in self.read(self.ledger).splitlines()]

    def covered(self):
        return [number for entry in self.recorded()
                for number in range(entry["from"], entry["from"] + entry["count"])]

    # ---- the record ----

    def test_each_number_is_run_once_up_to_the_goal_and_then_on(self):
        self.soak(self.entry(), self.canary(), arguments=("--minutes", "0.03"))
        first = self.covered()
        self.assertEqual(first, list(range(1, len(first) + 1)))
        self.assertGreater(len(first), 10)
        self.soak(self.entry(), self.canary(), arguments=("--minutes", "0.02"))
        both = self.covered()
        self.assertEqual(both, list(range(1, len(both) + 1)))
        self.assertGreater(len(both), len(first))
        entry = self.recorded()[-1]
        self.assertEqual(entry["figures"], {"largest": both[-1]})
        self.assertEqual(entry["findings"], 0)
        self.assertGreater(entry["seconds"], 0)

    def test_an_interrupted_portion_is_not_counted_and_is_run_by_the_next_run(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                before = len(self.covered()) if os.path.exists(self.ledger) else 0
                child = self.start(self.entry(long=self.numbers(stuck=before + 15)), self.canary())
                until(lambda: os.path.exists(self.told), "the portion is under way")
                child.send_signal(number)
                out, _ = child.communicate(timeout=PATIENCE)
                self.assertEqual(child.returncode, 0, out)
                self.assertIn("is not counted", out)
                self.assertNotIn(before + 15, self.covered())
                os.remove(self.told)
                self.soak(self.entry(), self.canary(), arguments=("--minutes", "0.02"))
                numbers = sorted(self.covered())
                self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
                self.assertIn(before + 15, numbers)

    def test_nothing_that_a_portion_started_outlives_it(self):
        long = ("sh -c 'setsid sleep 1000 & echo $! > " + self.told + "; while true; do wait; done'"
                " {seed} {count}")
        child = self.start(self.entry(long=long), self.canary())
        pid = int(until(lambda: os.path.exists(self.told) and self.read(self.told), "its child"))
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=PATIENCE)

        def is_gone():
            try:
                return self.read(f"/proc/{pid}/stat").rpartition(")")[2].split()[0] == "Z"
            except FileNotFoundError:
                return True
        until(is_gone, "the child's end")

    def test_a_torn_last_line_costs_only_itself(self):
        self.soak(self.entry(), self.canary(), arguments=("--minutes", "0.02"))
        whole = self.recorded()
        with open(self.ledger, "rb+") as file:
            file.truncate(os.path.getsize(self.ledger) - 7)
        out = self.soak(self.entry(), self.canary(), arguments=("--minutes", "0.02"))
        self.assertIn(f"passed over line {len(whole)}", out)
        lines = self.read(self.ledger).splitlines()
        del lines[len(whole) - 1]
        entries = [json.loads(line) for line in lines]
        self.assertEqual(entries[:len(whole) - 1], whole[:-1])
        # The portion of the torn line is run again.
        self.assertEqual(entries[len(whole) - 1]["from"], whole[-1]["from"])

    def test_portions_at_once_take_different_numbers(self):
        self.soak(self.entry(goal=1000), self.canary(),
                  arguments=("--minutes", "0.03", "--jobs", "3"))
        numbers = sorted(self.covered())
        self.assertEqual(len(numbers), len(set(numbers)))

    def test_two_runs_do_not_share_a_ledger(self):
        child = self.start(self.entry(long=self.numbers(stuck=1)), self.canary())
        until(lambda: os.path.exists(self.told), "the portion is under way")
        out = self.soak(self.entry(), self.canary(), code=2)
        self.assertIn("another run writes to", out)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=PATIENCE)

    def test_a_seed_says_where_to_begin(self):
        self.soak(self.entry(), self.canary(), arguments=("--minutes", "0.02", "--seed", "500"))
        self.assertEqual(self.recorded()[0]["from"], 500)

    def test_the_time_is_shared(self):
        self.soak(self.entry(goal=10**6), self.entry("others", goal=10**6), self.canary(),
                  arguments=("--minutes", "0.06"))
        seconds = {"numbers": 0.0, "others": 0.0}
        for entry in self.recorded():
            seconds[entry["campaign"]] += entry["seconds"]
        self.assertGreater(min(seconds.values()), 0.3 * max(seconds.values()))

    def test_what_has_run_least_before_begins_and_none_takes_more_than_its_share(self):
        past = [{"campaign": name, "commit": "one", "product": "other", "at": "then", "from": 1,
                 "asked": 10, "count": 10, "seconds": seconds, "findings": 0, "figures": {}}
                for name, seconds in (("numbers", 4.0), ("others", 3.0))]
        self.write("campaigns.jsonl", "".join(json.dumps(entry) + "\n" for entry in past))
        self.soak(self.entry(goal=10**6), self.entry("others", goal=10**6), self.canary(),
                  arguments=("--minutes", "0.05"))
        ran = self.recorded()[2:]
        self.assertEqual([entry["campaign"] for entry in ran[:2]], ["others", "numbers"])
        self.assertEqual(ran[0]["asked"], 4)  # half of 3 s, at 0.3 s for each number

    # ---- what stops it ----

    def test_a_finding_ends_its_campaign_and_says_how_to_repeat_it(self):
        out = self.soak(self.entry(long=self.numbers(bad=3)), self.entry("others"), self.canary(),
                        arguments=("--minutes", "0.08"), code=1)
        self.assertIn("seed 3 is bad", out)
        mine = [entry for entry in self.recorded() if entry["campaign"] == "numbers"]
        self.assertEqual([entry["findings"] for entry in mine], [0] * (len(mine) - 1) + [1])
        self.assertEqual(sum(entry["count"] for entry in mine), 2)
        self.assertIn(", 1, 1 |", self.row(self.entry(goal=5)))
        self.assertNotIn("✓", self.row(self.entry(goal=5)))
        command = out.split("This repeats it:\n")[1].splitlines()[0]
        again = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn("seed 3 is bad", again.stdout)
        self.assertGreater(len(self.recorded()) - len(mine), 1)  # the others went on

    def test_a_crash_without_a_word_is_a_finding(self):
        out = self.soak(self.entry(long="sh -c 'kill -SEGV $$' {count}"), self.canary(), code=1)
        self.assertIn("FOUND SOMETHING", out)
        self.assertEqual([entry["findings"] for entry in self.recorded()], [1])

    def test_what_hangs_is_a_finding(self):
        long = self.numbers(stuck=13)
        out = self.soak(self.entry(long=long, limit=0.02), self.entry("others"), self.canary(),
                        arguments=("--minutes", "0.04"), code=1)
        self.assertIn("numbers: FOUND SOMETHING. it was not over after 0.02 min", out)
        found = [entry for entry in self.recorded() if entry["findings"]]
        self.assertEqual([entry["campaign"] for entry in found], ["numbers"])
        self.assertIn(13, range(found[0]["from"], found[0]["from"] + found[0]["asked"]))

    def test_what_is_under_way_when_the_time_is_up_is_waited_for(self):
        long = "sh -c 'sleep 2; echo {\\\"numbers\\\": {count}}'"
        self.soak(self.entry(long=long, limit=0.5), self.canary(), arguments=("--minutes", "0.01"))
        self.assertEqual([entry["findings"] for entry in self.recorded()], [0])
        os.remove(self.ledger)
        # A hanging portion is waited for until its limit.
        self.soak(self.entry(long=self.numbers(stuck=1), limit=0.04), self.canary(),
                  arguments=("--minutes", "0.01"), code=1)
        self.assertEqual([entry["findings"] for entry in self.recorded()], [1])

    def test_all_that_a_finding_said_is_kept(self):
        long = "sh -c 'echo the first line; seq 20000; exit 1' {count}"
        out = self.soak(self.entry(long=long), self.canary(), code=1)
        self.assertNotIn("the first line\n", out)
        path = out.split("All that it said is in ")[1].splitlines()[0]
        self.assertEqual(path, self.path("numbers-1.log"))
        self.assertTrue(self.read(path).startswith("the first line\n1\n2\n"))

    def test_what_could_not_be_run_is_no_finding(self):
        long = "sh -c 'echo the build failed; exit 2' {count}"
        fuzzer = self.canary().replace("simulation", "fuzzer").replace("canary", "fuzz-canary", 1)
        out = self.soak(self.entry(long=long, kind="fuzzer"), self.entry("others"), self.canary(),
                        fuzzer, arguments=("--minutes", "0.03"), code=2)
        self.assertIn("numbers: cannot be run: it says so", out)
        self.assertIn("the build failed", out)
        self.assertEqual({entry["campaign"] for entry in self.recorded()}, {"others"})
        # The exit code of a crash test is the number of its failed checks.
        self.soak(self.entry(long=long, kind="crash"), self.canary().replace("simulation", "crash"),
                  code=1)

    def test_a_mutant_that_lives_is_a_finding(self):
        long = "echo '{\"mutants\": 3, \"caught\": 2}'"
        canary = self.canary().replace("simulation", "mutants")
        out = self.soak(self.entry(long=long, kind="mutants", unit="mutants", goal="all",
                                   portion=None), canary, code=1)
        self.assertIn("FOUND SOMETHING", out)

    def test_a_canary_that_lives_stops_everything(self):
        out = self.soak(self.entry(), self.canary("echo tweet"), code=2)
        self.assertIn("the canary did not fail", out)
        self.assertEqual(self.recorded(), [])

    def test_a_canary_that_fails_for_another_reason_stops_everything(self):
        for command in ("sh -c 'exit 1'", "/no/such/program"):
            out = self.soak(self.entry(), self.canary(command), code=2)
            self.assertIn('does not say "tweet"', out)

    def test_a_campaign_that_does_not_count_is_an_error(self):
        out = self.soak(self.entry(long="echo {count}"), self.canary(), code=2)
        self.assertIn("does not say how many numbers", out)

    def test_an_absent_program_is_an_error_of_its_campaign_alone(self):
        out = self.soak(self.entry(long="/no/such/program {count}"), self.entry("others"),
                        self.canary(), arguments=("--minutes", "0.03"), code=2)
        self.assertIn("numbers: cannot be run: there is no such program", out)
        self.assertEqual({entry["campaign"] for entry in self.recorded()}, {"others"})

    def test_a_program_that_cannot_be_built_is_an_error_of_its_campaign_alone(self):
        out = self.soak(self.entry(preset="no-such-preset", targets=["x"]), self.entry("others"),
                        self.canary(), arguments=("--minutes", "0.03"), code=2)
        self.assertIn("numbers: cannot be run: `cmake --preset no-such-preset` failed", out)
        self.assertEqual({entry["campaign"] for entry in self.recorded()}, {"others"})

    # ---- items, goals, the report ----

    def test_each_item_is_a_campaign(self):
        long = "sh -c 'echo {\\\"numbers\\\": {count}, \\\"findings\\\": 0}' {item}"
        entry = self.entry("of", long, each="echo one two", goal=5, portion=5)
        self.soak(entry, self.canary(), arguments=("--minutes", "0.02"))
        self.assertEqual({entry["campaign"] for entry in self.recorded()}, {"of:one", "of:two"})
        os.remove(self.ledger)
        self.soak(entry, self.canary(), arguments=("--minutes", "0.02", "--only", "of:two"))
        self.assertEqual({entry["campaign"] for entry in self.recorded()}, {"of:two"})
        broken = self.entry("of", long, each="/no/such/list")
        out = self.soak(broken, self.canary(), code=2)
        self.assertIn("of: cannot be run: `/no/such/list` lists nothing", out)

    def test_what_has_reached_its_goal_waits_for_the_others(self):
        self.soak(self.entry(goal=1), self.entry("others", goal=10**6), self.canary(),
                  arguments=("--minutes", "0.03"))
        names = [entry["campaign"] for entry in self.recorded()]
        self.assertEqual(names.count("numbers"), 1)
        self.assertGreater(names.count("others"), 2)

    def test_what_was_not_run_is_named_with_the_reason(self):
        slow = {"campaign": "numbers", "commit": "one", "product": "other", "at": "then", "from": 1,
                "asked": 1, "count": 1, "seconds": 3600.0, "findings": 0, "figures": {}}
        self.write("campaigns.jsonl", json.dumps(slow) + "\n")
        out = self.soak(self.entry(), self.canary(), arguments=("--minutes", "0.02"))
        self.assertIn("numbers: not run: one of its numbers took 1 h 00 min the last time, which is "
                      "more than --minutes", out)
        self.assertEqual(len(self.recorded()), 1)

    def test_the_report_tells_what_ran_on_other_sources(self):
        self.soak(self.entry(), self.canary(), arguments=("--minutes", "0.02"))
        entry = self.recorded()[0]
        old = {**entry, "product": "other", "from": 1000, "count": 7, "findings": 2}
        with open(self.ledger, "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(one) + "\n" for one in (old, entry)))
        cells = [cell.strip() for cell in self.row(self.entry()).split("|")]
        self.assertEqual(cells[3:6], [str(entry["count"]), str(entry["count"]), "2, 0, 1"])

    def test_a_finding_is_open_until_its_numbers_have_run_clean(self):
        entry = self.entry(goal=12)
        self.soak(self.entry(goal=12, long=self.numbers(bad=13), portion=20), self.canary(),
                  arguments=("--minutes", "0.03"), code=1)
        found = self.recorded()[-1]
        self.assertNotIn("✓", self.row(entry))
        before = len(self.recorded())
        # Once the bug is fixed, this portion runs first, from its beginning.
        self.soak(entry, self.canary(), arguments=("--minutes", "0.02"))
        self.assertEqual(self.recorded()[before]["from"], found["from"])
        clean = [one for one in self.recorded() if one["findings"] == 0]
        numbers = sorted(number for one in clean
                         for number in range(one["from"], one["from"] + one["count"]))
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertIn(13, numbers)
        self.assertIn(", 0 |", self.row(entry))
        self.assertIn("✓", self.row(entry))

    def test_a_finding_of_a_sequence_is_open_until_as_much_has_run_clean(self):
        def sequence(code):
            long = f"sh -c 'echo {{\\\"numbers\\\": {{count}}}}; exit {code}'"
            return self.entry(long=long, in_sequence=True, goal=5)
        silent = self.entry(long="sh -c 'exit 1' {count}", in_sequence=True, goal=5)
        self.soak(sequence(0), self.canary(), arguments=("--minutes", "0.02"))
        first = self.recorded()[0]
        with open(self.ledger, "w", encoding="utf-8") as file:  # of 20, none was counted
            for findings, count, more in ((1, 0, {"asked": 20}), (0, 1, {})):
                entry = {**first, "from": 1, "count": count, "seconds": 0.01, "findings": findings,
                         **more}
                file.write(json.dumps(entry) + "\n")
        self.assertIn(", 1 |", self.row(silent))  # one clean unit proves nothing
        before = len(self.recorded())
        self.soak(sequence(0), self.canary(), arguments=("--minutes", "0.02"))
        again = self.recorded()[before]
        self.assertEqual((again["from"], again["asked"], again["count"]), (1, 20, 20))
        self.assertIn(", 0 |", self.row(silent))

    def test_what_runs_in_one_go_is_open_until_it_has_run_clean(self):
        def whole(bad):
            return self.entry(long=f"sh -c 'echo {{\\\"numbers\\\": 3}}; exit {bad}'",
                              goal="all", portion=None)
        self.soak(whole(1), self.canary(), arguments=("--minutes", "0.02"), code=1)
        self.assertNotIn("✓", self.row(whole(1)))
        self.soak(whole(0), self.canary(), arguments=("--minutes", "0.02"))
        self.assertIn("✓", self.row(whole(0)))

    # ---- bad arguments and registries ----

    def test_bad_arguments_are_refused(self):
        for arguments in (("--minutes", "0"), ("--minutes", "inf"), ("--minutes", "x"),
                          ("--seed", "-1"), ("--jobs", "0"), ("--only", "nobody"), ("--what",)):
            with self.subTest(arguments=arguments):
                self.soak(self.entry(), self.canary(), arguments=arguments, code=2)
        out = self.soak(self.entry(), self.canary(), arguments=("--only", "nobody"), code=2)
        self.assertIn("no campaign is called nobody", out)
        self.assertFalse(os.path.exists(self.ledger))

    def test_a_wrong_registry_is_refused(self):
        for wrong, why in ((self.entry(goal=0), "the goal is a number"),
                           (self.entry(portion=None), "portion missing"),
                           (self.entry(long="true"), "{count} is not in"),
                           (self.entry(long="true {count} {item}"), "belong together"),
                           (self.entry(kind="other"), "'other' is no kind"),
                           (self.entry(extra=1), "unknown: extra"),
                           (self.entry(limit=0), "a number of minutes"),
                           (self.entry(limit="x"), "a number of minutes"),
                           (self.entry(smoke=None), "smoke missing"),
                           (self.entry() + self.entry(), "stands there twice"),
                           (self.entry(kind="fuzzer"), "no canary"),
                           ("[[campaign", "campaigns.toml")):
            with self.subTest(why=why):
                self.assertIn(why, self.soak(wrong, self.canary(), code=2))

    def test_the_list_shows_the_commands(self):
        out = self.soak(self.entry(), self.canary(), arguments=("--list",))
        self.assertIn("numbers.py SEED COUNT", out)
        self.assertIn("ctest -R numbers", out)


if __name__ == "__main__":
    unittest.main()
