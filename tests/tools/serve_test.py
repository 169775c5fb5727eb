#!/usr/bin/env python3
"""`steno serve` in failing surroundings: its log is removed, its data folder is unexpectedly empty,
or more connections come than it may have descriptors."""
import contextlib
import os
import resource
import shutil
import signal
import socket
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Follower, Home, until  # noqa: E402

FAILED, REFUSED, DAMAGED = 1, 5, 9


class WithHome(unittest.TestCase):
    def setUp(self):
        self.home = Home("max_sessions = 50\n")
        self.addCleanup(self.home.close)

    def serve_is_refused(self, *words, flags=()):
        result = self.home.run("serve", *flags)
        self.assertEqual(result.code, REFUSED, str(result))
        for word in words:
            self.assertIn(word, result.err)


class LogsThatGo(WithHome):
    def stops_without_another_answer(self, *words):
        """No later request is accepted, and the server ends by itself."""
        accepted = []
        for number in range(20):
            result = self.home.run("spawn", "--engine", "scripted", "--name", f"lost-{number}",
                                   "--timeout", "2s", "[say lost]")
            if result.code == 0:
                accepted.append(number)
            if self.home.server.child.poll() is not None:
                break
        self.assertEqual(accepted, [])
        self.assertEqual(self.home.server.child.wait(30), FAILED)
        for word in words:
            self.assertIn(word, self.home.server_log())
        self.home.server.close()
        self.home.server = None

    def test_nothing_is_acknowledged_once_the_log_is_removed(self):
        self.home.start()
        self.home.wait_for_end(self.home.start_session("[say kept]"))
        shutil.rmtree(self.home.path("data", "log"))
        self.stops_without_another_answer("is gone", "restore a backup")
        refused = self.home.run("serve")
        self.assertEqual(refused.code, DAMAGED, str(refused))
        self.assertIn("missing", refused.err)

    # Shows C28.
    def test_nothing_is_acknowledged_while_the_data_folder_is_elsewhere(self):
        self.home.start()
        self.home.wait_for_end(self.home.start_session("[say kept]", "--name", "kept"))
        os.rename(self.home.path("data"), self.home.path("away"))
        self.stops_without_another_answer("is gone", "Put the data folder back")
        # An empty folder in its place, such as an empty mount point, does not become a log.
        os.mkdir(self.home.path("data"))
        self.serve_is_refused("was served from here", "served-log")
        self.assertEqual(os.listdir(self.home.path("data")), [])
        os.rmdir(self.home.path("data"))
        os.rename(self.home.path("away"), self.home.path("data"))
        self.home.start()
        self.assertEqual(self.home.show("kept")["status"], "completed")

    def test_another_log_in_its_place_is_noticed(self):
        self.home.start()
        self.home.wait_for_end(self.home.start_session("[say kept]"))
        log = self.home.path("data", "log")
        os.rename(log, self.home.path("log"))
        shutil.copytree(self.home.path("log"), log)
        self.stops_without_another_answer("another file")


class NewLogs(WithHome):
    def test_a_new_log_is_announced_once(self):
        said = f"no log in {self.home.path('data')}: a new one begins"
        self.home.start()
        self.assertEqual(self.home.server_log().count(said), 1)
        self.home.stop()
        self.home.start(serve_flags=["--existing"])
        self.assertEqual(self.home.server_log().count(said), 1)

    def test_a_log_that_must_be_there_is_not_begun(self):
        self.serve_is_refused("no log here", "--existing", flags=["--existing"])
        self.assertFalse(os.path.exists(self.home.path("data", "log")))

    def test_who_says_so_begins_a_new_log_where_one_was(self):
        self.home.start()
        self.home.stop()
        shutil.rmtree(self.home.path("data"))
        self.serve_is_refused("was served from here", self.home.path("run", "served-log"))
        self.assertFalse(os.path.exists(self.home.path("data", "log")))
        os.remove(self.home.path("run", "served-log"))
        self.home.start()


class Descriptors(WithHome):
    LIMIT = 256

    def start_limited(self, limit):
        def set_limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(64, limit), limit))
        with open(self.home.path("server.log"), "ab") as log:
            child = self.home.popen(["serve"], stderr=log, preexec_fn=set_limit)
            self.home.server = Follower(child, ("serve",))
        return child

    def test_a_flood_of_connections_ends_nothing(self):
        server = self.start_limited(self.LIMIT)
        self.assertEqual(self.home.server.line(), "ready")
        self.assertIn("few_open_files limit=256", self.home.server_log())
        self.assertIn("few_agent_files limit=64 agents_max=6 max_sessions=50",
                      self.home.server_log())
        self.home.start_session("[words 1000000] [delay 20]", "--name", "busy")
        # Its worker and the agents have the limit with which the server was started.
        with open(f"/proc/{self.home.worker_pid()}/limits", encoding="ascii") as file:
            [files] = [line for line in file if line.startswith("Max open files")]
        self.assertEqual(files.split()[3:5], ["64", str(self.LIMIT)])
        watch = self.home.follow("watch", "busy", "--from", "start", "-o", "jsonl")
        watch.line()
        with contextlib.ExitStack() as stack:
            for name in ("command.sock", "feed.sock") * 300:
                peer = stack.enter_context(socket.socket(socket.AF_UNIX))
                peer.settimeout(20)
                peer.connect(self.home.path("run", name))
            until(lambda: len(os.listdir(f"/proc/{server.pid}/fd")) > self.LIMIT // 2 - 20
                  or server.poll() is not None, "that the flood has come")
            # The log is still written, and earlier connections are served.
            for _ in range(20):
                watch.line()
            self.assertIsNone(server.poll(), self.home.server_log())
            self.assertLess(len(os.listdir(f"/proc/{server.pid}/fd")), self.LIMIT * 3 // 4)
        self.assertEqual(self.home.run("kill", "busy").code, 0)
        self.assertEqual(self.home.wait_for_end("busy")["status"], "killed")
        self.assertEqual(self.home.stop(), 0)

    def test_a_server_with_too_few_descriptors_says_so(self):
        server = self.start_limited(100)
        self.assertEqual(server.wait(30), REFUSED)
        self.assertIn("LimitNOFILE", self.home.server_log())
        self.home.server.close()
        self.home.server = None


if __name__ == "__main__":
    unittest.main()
