#!/usr/bin/env python3
"""Opens and ends many sessions in one server, as days of work do. Its memory and that of its worker
must not grow with what has ended.

Usage: memory_rounds_test.py [STENO] [--sessions N]
Prints a table: the memory of both after each tenth of the sessions, without that of files. The
server keeps the streams of the last minute, and the feed's levels of 65,536 sessions. So it grows
until some 80,000 sessions have ended.
"""
import argparse
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import steno_wire  # noqa: E402
from steno_process import Home, memory_bytes, until  # noqa: E402

AT_ONCE = 40
MIB = 1 << 20
# Caches and RocksDB's buffers take less.
SERVER_MAX = 48 * MIB
WORKER_MAX = 6 * MIB
# Each session that has ended may take this much more, for its stream and its level.
ENDED_MAX = 704
# The server keeps those of so many sessions, with a fifth to spare.
ENDED_KEPT = 100_000
# For each session that has ended, after a fifth of them.
SERVER_GROWTH_MAX = 12 * 1024
WORKER_GROWTH_MAX = 1024


@unittest.skipUnless(steno_wire.is_available, "needs python3-zmq and python3-msgpack")
class MemoryRounds(unittest.TestCase):
    SESSIONS = 2_400

    # Shows C16.
    def test_memory_does_not_grow_with_what_has_ended(self):
        home = Home(f"max_sessions = {AT_ONCE}\n")
        self.addCleanup(home.close)
        home.start()
        worker = home.worker_pid()
        [server] = [pid for pid in home.processes() if pid != worker]
        rounds = max(10, self.SESSIONS // AT_ONCE)
        print(f"\n{'sessions':>10} {'server MiB':>11} {'worker MiB':>11}")
        seen = []
        with steno_wire.Wire("ipc://" + home.path("run", "command.sock")) as wire:
            for number in range(1, rounds + 1):
                for _ in range(AT_ONCE):
                    wire.spawn(f"[tools 1] [say {number}]")
                until(lambda: home.ask("stats")["totals"]["completed"] == number * AT_ONCE,
                      "all have ended")
                if number % (rounds // 10) == 0:
                    seen.append([memory_bytes(pid, "RssAnon") for pid in (server, worker)])
                    print(f"{number * AT_ONCE:>10} {seen[-1][0] / MIB:>11.1f} "
                          f"{seen[-1][1] / MIB:>11.1f}", flush=True)
        kept = min(self.SESSIONS, ENDED_KEPT) * ENDED_MAX
        self.assertLess(max(row[0] for row in seen), SERVER_MAX + kept)
        self.assertLess(max(row[1] for row in seen), WORKER_MAX)
        # Caches fill by some 6 KiB for each session at first.
        later = (rounds - 2 * (rounds // 10)) * AT_ONCE
        for which, most in enumerate((SERVER_GROWTH_MAX, WORKER_GROWTH_MAX)):
            self.assertLess((seen[-1][which] - seen[1][which]) / later, most)
        self.assertEqual(home.stop(), 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steno", nargs="?", help="the program; default: $STENO_PROGRAM")
    parser.add_argument("--sessions", type=int, default=MemoryRounds.SESSIONS)
    arguments = parser.parse_args()
    if arguments.steno:
        os.environ["STENO_PROGRAM"] = os.path.abspath(arguments.steno)
    MemoryRounds.SESSIONS = arguments.sessions
    unittest.main(argv=sys.argv[:1], verbosity=2)
