"""A run of ./tools/soak: builds, lets the canaries fail, then starts portions of the campaigns in
turn and records the outcome of each."""
import datetime
import os
import signal
import subprocess
import sys
import time

from . import ledger as ledgers
from . import registry, report
from .portion import Portion

POLL_SECONDS = 0.05
FIRST_SHARE = 10  # of a portion, while its duration is unknown
CANARY_SECONDS = 600.0
OUTPUT_SHOWN = 4000


def say(text):
    print(text, flush=True)


class Build:
    """Builds the targets that entries need, each once."""

    def __init__(self, root, jobs):
        self.root, self.jobs, self.done = root, jobs, {}

    def error(self, campaign):
        """Builds the campaign's targets; returns why it failed, or an empty text."""
        if campaign.error or not campaign.preset:
            return campaign.error
        return self._run("cmake", "--preset", campaign.preset) or self._run(
            "cmake", "--build", campaign.build, "-j", self.jobs, "--target", *campaign.targets)

    def _run(self, *command):
        if command not in self.done:
            say(" ".join(command))
            made = subprocess.run(command, cwd=self.root, capture_output=True, text=True,
                                  check=False)
            told = (made.stdout + made.stderr).strip().splitlines()[-15:]
            self.done[command] = "" if made.returncode == 0 else (
                f"`{' '.join(command)}` failed:\n  " + "\n  ".join(told))
        return self.done[command]


class Soak:
    def __init__(self, root, arguments, campaigns, ledger):
        self.root, self.arguments = root, arguments
        self.campaigns, self.ledger = campaigns, ledger
        self.product = ledgers.product_digest(root)
        self.commit = ledgers.commit(root)
        self.build = Build(root, os.environ.get("STENO_BUILD_JOBS", "2"))
        self.spent = {campaign.name: 0.0 for campaign in campaigns}  # seconds, of this run
        self.past = {campaign.name: sum(entry["seconds"] for entry in ledger.of(campaign.name))
                     for campaign in campaigns}  # seconds, of earlier runs
        self.added = {campaign.name: 0 for campaign in campaigns}
        self.over = set()  # names of campaigns that run no more
        self.running = []
        self.found = self.failed = False
        self.stopped_by = 0
        self.shown = 0.0

    def catch_signals(self):
        def stop(number, _):
            self.stopped_by = number
        signal.signal(signal.SIGINT, stop)
        signal.signal(signal.SIGTERM, stop)

    # ---- before ----

    def fail(self, name, why):
        self.failed = True
        self.over.add(name)
        say(f"{name}: cannot be run: {why}")

    def prepare(self, canaries):
        """Builds, and lets the canaries fail. False: the run cannot go on."""
        for campaign in self.campaigns:
            why = self.build.error(campaign)
            if self.stopped_by:  # and the compiler with it
                return False
            if why:
                self.fail(campaign.name, why)
        kinds = {campaign.kind for campaign in self.campaigns if campaign.name not in self.over}
        for canary in canaries:
            if canary.of in kinds and not self.stopped_by and not self.sings(canary):
                return False
        return True

    def sings(self, canary):
        if why := self.build.error(canary):
            self.fail(canary.name, why)
            return False
        portion = Portion(canary, 1, 1, CANARY_SECONDS, self.root)
        while not portion.has_ended():
            time.sleep(POLL_SECONDS)
            if self.stopped_by or time.monotonic() - portion.started > CANARY_SECONDS:
                portion.stop()
                if not self.stopped_by:
                    self.fail(canary.name, f"not over after {CANARY_SECONDS:.0f} s")
                return bool(self.stopped_by)
        text = portion.text()
        if portion.child.returncode == 0:
            self.fail(canary.name, f"the canary did not fail: {portion.command}")
            return False
        if portion.not_run() or canary.expect not in text:
            self.fail(canary.name, f"it failed, but does not say \"{canary.expect}\": "
                                   f"{portion.command}\n{text[-OUTPUT_SHOWN:]}")
            return False
        say(f"{canary.name}: fails, as it must ({portion.seconds:.0f} s)")
        return True

    # ---- choosing ----

    def seconds_of(self, campaign):
        """Returns the seconds of a unit in its last run (goal "all": of the whole); None: unknown."""
        past = [entry for entry in self.ledger.of(campaign.name) if entry["count"] > 0]
        if not past:
            return None
        last = past[-1]
        return last["seconds"] / (1 if campaign.goal == registry.ALL else last["count"])

    def next_range(self, campaign, left, share):
        """Returns (from, count) of the next portion, if one fits into the time left. A campaign that
        can run in smaller pieces takes no more than its share of that time."""
        unit = self.seconds_of(campaign)
        if campaign.goal == registry.ALL:
            is_busy = any(portion.campaign is campaign for portion in self.running)
            return None if is_busy or self.added[campaign.name] or (unit or 0) > left else (1, 1)
        count = campaign.portion
        if unit is None:
            count = max(1, count // FIRST_SHARE)
        elif unit > 0:
            count = min(count, int(left / unit), max(1, int(share / unit)))
        taken = [(portion.first, portion.count) for portion in self.running
                 if portion.campaign is campaign]
        if campaign.in_sequence:  # a finding is run again as it was, or skipped for now
            again = [(entry["from"], entry["asked"])
                     for entry in self.ledger.open_findings(campaign)]
            for first, size in again:
                if (first, size) not in taken and (unit or 0) * size <= left:
                    return first, size
            taken += again
        first, free = self.ledger.gap(campaign.name, self.arguments.seed, taken)
        count = count if free is None else min(count, free)
        return (first, count) if count >= 1 else None

    def next_portion(self, left):
        open_ones = [campaign for campaign in self.campaigns if campaign.name not in self.over]
        wanting = [one for one in open_ones if not self.is_reached(one)] or open_ones
        busy = {}
        for portion in self.running:
            name = portion.campaign.name
            busy[name] = busy.get(name, 0.0) + time.monotonic() - portion.started
        share = left * self.arguments.jobs / len(wanting) if wanting else left
        for campaign in sorted(wanting, key=lambda one: (
                self.spent[one.name] + busy.get(one.name, 0.0), one.name in busy,
                self.past[one.name])):
            if chosen := self.next_range(campaign, left, share):
                return Portion(campaign, *chosen, left, self.root)
        return None

    # ---- running ----

    def run(self):
        deadline = time.monotonic() + self.arguments.minutes * 60
        while not self.stopped_by:
            left = deadline - time.monotonic()
            while left > 0 and len(self.running) < self.arguments.jobs:
                portion = self.next_portion(left)
                if portion is None:
                    break
                self.running.append(portion)
            if not self.running:
                break
            self.show(left)
            time.sleep(POLL_SECONDS)
            for portion in self.running:
                portion.end_if_late()
            for portion in [one for one in self.running if one.has_ended()]:
                self.running.remove(portion)
                self.account(portion)
        for portion in self.running:
            portion.stop()
            say(f"{portion.campaign.name}: the portion under way was ended and is not counted")
        self.running.clear()

    def account(self, portion):
        campaign, name = portion.campaign, portion.campaign.name
        self.spent[name] += portion.seconds
        if why := portion.not_run():
            return self.fail(name, f"{why}\n{portion.text()[-OUTPUT_SHOWN:].rstrip()}")
        result, findings = portion.result(), portion.findings()
        count = int(result.get(campaign.unit, 0))
        if campaign.unit == registry.RUNS and findings == 0:
            count = 1
        if findings == 0 and count < 1:
            return self.fail(name, f"it does not say how many {campaign.unit} it ran: "
                                   f"{portion.command}\n{portion.text()[-OUTPUT_SHOWN:]}")
        # Keys that entries have anyway are left out, and so are lists and maps, which are too long.
        figures = {key: value for key, value in result.items()
                   if isinstance(value, int | float) and key not in
                   ("first", "seed", "seconds", "violations", "findings", campaign.unit)}
        now = datetime.datetime.now(datetime.timezone.utc)
        self.ledger.append({
            "campaign": name, "commit": self.commit, "product": self.product,
            "at": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "from": portion.first,
            "asked": portion.count, "count": count, "seconds": round(portion.seconds, 2),
            "findings": findings, "figures": figures})
        self.added[name] += count
        if findings:
            self.found = True
            self.over.add(name)
            what = (f"it was not over after {campaign.limit:g} min, and was ended. "
                    if portion.is_late else "")
            say(f"{portion.text()[-OUTPUT_SHOWN:].rstrip()}\n"
                f"{name}: FOUND SOMETHING. {what}This repeats it:\n  {portion.command}\n"
                f"All that it said is in {portion.keep(self.arguments.results)}")
        elif not sys.stderr.isatty():
            say(f"{name}: {report.number(count)} {campaign.unit} from {portion.first} "
                f"in {report.duration(portion.seconds)}")
        return None

    def show(self, left):
        if not sys.stderr.isatty() or time.monotonic() - self.shown < 1:
            return
        self.shown = time.monotonic()
        now = ", ".join(portion.campaign.name for portion in self.running)
        done = ", ".join(f"{name} {report.number(count)}" for name, count in self.added.items()
                         if count)
        time_left = report.duration(left) + " left" if left > 0 else "ending"
        print(f"\r\033[K{time_left} · {now} · {done}"[:200], end="", file=sys.stderr, flush=True)

    def summary(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        for campaign in self.campaigns:
            if count := self.added[campaign.name]:
                seconds = self.spent[campaign.name]
                say(f"{campaign.name}: {report.number(count)} {campaign.unit} in "
                    f"{report.duration(seconds)}, {count / seconds * 60:,.0f} a minute")
            elif campaign.name not in self.over and not self.stopped_by:
                say(f"{campaign.name}: not run: {self.why_not_run(campaign)}")

    def why_not_run(self, campaign):
        least = self.seconds_of(campaign) or 0.0
        if least > self.arguments.minutes * 60:
            what = "all" if campaign.goal == registry.ALL else "one"
            return (f"{what} of its {campaign.unit} took {report.duration(least)} the last time, "
                    f"which is more than --minutes")
        if self.is_reached(campaign) and not all(map(self.is_reached, self.campaigns)):
            return "its goal is reached, that of others is not"
        return "the time was over before its turn, or what was left was too short for it"

    def is_reached(self, campaign):
        return report.is_reached(campaign, report.sums(campaign, self.ledger, self.product))
