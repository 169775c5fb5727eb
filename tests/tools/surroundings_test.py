#!/usr/bin/env python3
"""`steno` in the hands of shells, machines and other people: Ctrl-C, closed pipes, a silent server,
wrong folders, large outputs, many at once; and the files and logs that others can see."""
import os
import shutil
import signal
import stat
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, beside, resident_bytes, until  # noqa: E402

MIB = 1 << 20
SECRET = "the-word-that-nobody-may-log"


class WithHome(unittest.TestCase):
    def home(self, *arguments, **options):
        home = Home(*arguments, **options)
        self.addCleanup(home.close)
        return home

    def ended_with(self, result, code, *words):
        self.assertEqual(result.code, code, str(result))
        for word in words:
            self.assertIn(word, result.err)


class ControlC(WithHome):
    def setUp(self):
        self.server = self.home().start()

    def running(self, *arguments):
        """Follows a session whose turn runs; returns the follower and the alias."""
        run = self.server.follow("run", "--engine", "scripted", *arguments)
        row = until(lambda: self.server.ask("ls", "--status", "running")["sessions"], "it runs")[0]
        until(lambda: self.server.show(row["alias"])["turn"], "its turn")
        return run, row["alias"]

    def test_once_ends_the_turn_and_with_it_a_single_turn_session(self):
        run, alias = self.running("[hang]")
        run.signal(signal.SIGINT)
        self.ended_with(run.finish(), 130, "interrupting the session's only turn")
        row = self.server.show(alias)
        self.assertEqual((row["status"], row["turns_interrupted"]), ("killed", 1))

    def test_once_leaves_a_multi_turn_session_to_its_next_prompt(self):
        run, alias = self.running("--multi-turn", "[hang]")
        run.signal(signal.SIGINT)
        self.server.wait_for_event(alias, "TurnInterrupted")
        run.write("[say after]\n")
        self.assertEqual(run.line(), "after")
        self.ended_with(run.finish(), 0)

    def test_twice_kills(self):
        run, alias = self.running("--multi-turn", "[hang]")
        # An agent that answers no interrupt: it is stopped, and so is its end of the pipe.
        agent = self.server.wait_for_event(alias, "AgentStarted")["facts"]["pid"]
        os.kill(agent, signal.SIGSTOP)
        run.signal(signal.SIGINT)
        self.server.wait_for_event(alias, "InterruptRequested")
        run.signal(signal.SIGINT)
        self.ended_with(run.finish(), 130, "killing the session")
        self.assertEqual(self.server.show(alias)["status"], "killed")
        self.server.wait_for_event(alias, "AgentExited")
        self.assertNotIn(agent, self.server.processes())

    def test_ends_a_watch(self):
        watch = self.server.follow("watch", "--all-agents", "--from", "start")
        watch.line()
        watch.signal(signal.SIGINT)
        self.ended_with(watch.finish(), 130)

    def test_of_an_onlooker_leaves_the_session_alone(self):
        alias = self.server.start_session("[words 1000] [delay 20]")
        self.server.wait_for_event(alias, "PartialOutputRecorded")
        looking = self.server.follow("output", alias, "--follow", "-o", "jsonl")
        looking.line()
        looking.signal(signal.SIGINT)
        self.ended_with(looking.finish(), 130)
        self.assertEqual(self.server.show(alias)["status"], "running")


class ServersThatDoNotAnswer(WithHome):
    def test_a_stopped_server_is_waited_for_so_long(self):
        home = self.home().start()
        os.kill(home.server.child.pid, signal.SIGSTOP)
        try:
            result = home.run("--timeout", "300ms", "ls")
            spawned = home.run("--timeout", "300ms", "spawn", "--engine", "scripted", "[say hi]")
        finally:
            os.kill(home.server.child.pid, signal.SIGCONT)
        self.assertIn(result.code, (6, 7), str(result))
        self.assertIn(spawned.code, (6, 7), str(spawned))
        self.assertEqual(home.run("ls").code, 0)

    def test_a_run_goes_on_when_its_server_is_back(self):
        home = self.home().start()
        run = home.follow("run", "--engine", "scripted", "[words 60] [delay 50]")
        alias = until(lambda: home.ask("ls", "--status", "running")["sessions"], "it runs")[0]["alias"]
        home.stop(signal.SIGKILL)
        home.start()
        result = run.finish()
        self.ended_with(result, 0)
        self.assertTrue(result.out.endswith("word58 word59\n"), str(result))
        self.assertEqual(home.show(alias)["status"], "completed")


class FoldersPutBack(WithHome):
    def test_a_watch_notices_a_log_that_went_back_and_grew_beyond_it(self):
        server = self.home().start()
        server.wait_for_end(server.start_session("[say one]"))
        server.stop()
        shutil.copytree(server.path("data"), server.path("earlier"))
        server.start()
        server.wait_for_end(server.start_session("[say two]"))
        watch = server.follow("watch", "--all-agents", "--from", "start", "-o", "jsonl")
        seen = server.position()
        for _ in range(seen):
            watch.line()
        # The watch looks again only when the log is longer than the part it has seen.
        watch.signal(signal.SIGSTOP)
        server.stop()
        shutil.rmtree(server.path("data"))
        os.rename(server.path("earlier"), server.path("data"))
        server.start()
        while server.position() <= seen:
            server.wait_for_end(server.start_session("[say another history]"))
        watch.signal(signal.SIGCONT)
        result = watch.finish()
        self.ended_with(result, 11, "went back to an earlier state")
        self.assertNotIn("another history", result.out)


class Pipes(WithHome):
    def test_a_reader_that_goes_ends_the_command(self):
        home = self.home().start()
        watch = home.follow("watch", "--all-agents", "--from", "start")
        watch.line()
        watch.child.stdout.close()
        # It notices by itself, or writes before it notices.
        self.assertIn(watch.child.wait(20), (0, -signal.SIGPIPE))

    def test_output_of_megabytes_is_whole(self):
        home = self.home().start()
        result = home.run("run", "--engine", "scripted", "[big 5000000]")
        self.ended_with(result, 0)
        self.assertTrue(result.raw == b"x" * 5_000_000 + b"\n", len(result.raw))
        alias = home.ask("ls")["sessions"][0]["alias"]
        again = home.run("output", alias)
        self.assertTrue(again.raw == b"> [big 5000000]\n" + b"x" * 5_000_000 + b"\n", len(again.raw))

    def test_stderr_of_megabytes_is_kept_in_part(self):
        home = self.home().start()
        row = home.wait_for_end(home.start_session("[stderr 5000000] [exit 3]"))
        [exited] = [event for event in home.events(row["session"])
                    if event["type"] == "AgentExited"]
        self.assertTrue(exited["content"].endswith("end of stderr\n"))
        self.assertLess(len(exited["content"]), 100_000)


class Many(WithHome):
    # Shows C06, C16.
    def test_sessions_at_once(self):
        home = self.home("max_sessions = 40\n").start()
        aliases = [home.start_session(f"[tools 2] [say {number}]") for number in range(40)]
        for alias in aliases:
            self.assertEqual(home.wait_for_end(alias)["status"], "completed")
        self.assertEqual(home.ask("stats")["totals"]["completed"], 40)
        until(lambda: len(home.processes()) == 2, "server and worker alone")
        for pid in home.processes():
            self.assertLess(resident_bytes(pid), 300 * MIB)

    def test_a_name_made_that_is_taken_is_numbered(self):
        home = self.home().start()
        names = [home.show(home.start_session("[hang] twins"))["name"] for _ in range(3)]
        self.assertEqual(names, ["hang-twins", "hang-twins-2", "hang-twins-3"])

    def test_a_name_given_is_a_guard(self):
        """The second of two sessions with one name is refused, whatever their agents."""
        home = self.home().start()
        alias = home.start_session("[hang]", "--name", "nightly")
        for flags in ([], ["--agent", "other"]):
            taken = home.run(*flags, "spawn", "--engine", "scripted", "--name", "nightly", "again")
            self.assertEqual(taken.code, 4, str(taken))
            self.assertIn(alias, taken.err)
        for name in (" ", "a\tb", " nightly", "nightly ", alias):
            bad = home.run("spawn", "--engine", "scripted", "--name", name, "again")
            self.assertEqual(bad.code, 2, str(bad))
        self.assertEqual(len(home.ask("ls")["sessions"]), 1)
        self.assertEqual(home.run("kill", "nightly").code, 0)
        again = home.start_session("[say on]", "--name", "nightly")
        self.assertEqual(home.show("nightly")["alias"], again)


class Folders(WithHome):
    def refused(self, home, code, *words, flags=()):
        result = home.run(*flags, "serve")
        self.ended_with(result, code, *words)
        self.assertEqual(result.err.count("\n"), 1, "one line: " + str(result))

    def test_a_path_too_long_for_a_socket(self):
        long = "/tmp/" + "x" * 100
        self.refused(self.home(), 5, long, "107", flags=("--run-folder", long))

    def test_a_run_folder_that_others_share_is_left_as_it_is(self):
        for mode in (0o755, 0o1777):
            home = self.home()
            shared = home.path("shared")
            os.mkdir(shared)
            os.chmod(shared, mode)
            self.refused(home, 5, shared, "open to other users", flags=("--run-folder", shared))
            self.assertEqual(stat.S_IMODE(os.stat(shared).st_mode), mode)
            self.assertEqual(os.listdir(shared), [])

    def test_a_data_folder_that_is_a_file(self):
        home = self.home()
        with open(home.path("data"), "wb"):
            pass
        result = home.run("serve")
        self.assertNotEqual(result.code, 0)
        self.assertIn(home.path("data"), result.err)

    def test_an_agent_home_that_is_not_there(self):
        self.refused(self.home('agent_home = "/nowhere/at/all"\n'), 2, "agent_home",
                     "/nowhere/at/all")

    def test_a_second_worker_is_refused(self):
        home = self.home().start()
        home.run("run", "--engine", "scripted", "[say hi]")  # The worker is there.
        result = home.run("serve", "--role", "worker")
        self.ended_with(result, 11, "worker.lock")

    def assert_closed(self, *tops):
        """Folders are 0700, files and sockets 0600."""
        for top in tops:
            paths = [top] + [os.path.join(folder, name) for folder, folders, files in os.walk(top)
                             for name in folders + files]
            for path in paths:
                mode = 0o700 if os.path.isdir(path) else 0o600
                self.assertEqual(oct(stat.S_IMODE(os.lstat(path).st_mode)), oct(mode), path)

    def test_whatever_holds_content_is_its_owners_alone(self):
        self.addCleanup(os.umask, os.umask(0))  # whatever umask the shell has
        home = self.home().start()
        home.run("run", "--engine", "scripted", f"[big 300000] {SECRET}")
        # Checked while everything is open.
        self.assert_closed(home.path("data"), home.path("run"))
        copy, archive, again, made = (home.path(name) for name in
                                      ("copy", "archive", "again", "made"))
        home.ask("backup", "create", copy)
        home.ask("archive", "create", archive, "--before", str(home.position() + 1))
        home.ask("anchor", "create", "--to", home.path("anchor"))
        self.assertEqual(home.stop(), 0)
        self.ended_with(home.run("restore", copy, "--to", again), 0)
        self.ended_with(home.run("replay", "salvage", "--to", made, "--archive", archive), 0)
        exported = home.run("replay", "export", "--archive", archive)
        self.ended_with(exported, 0)
        self.ended_with(home.run("replay", "import", "-", "--to", home.path("imported"),
                                 stdin=exported.raw), 0)
        self.assert_closed(home.path("data"), home.path("run"), copy, archive, again, made,
                           home.path("imported"))

    def test_what_agents_make_is_as_their_user_wants_it(self):
        for mask, flags in ((0o002, ()), (0o027, ()), (0o077, ("--agent-umask", "0022"))):
            home = self.home()
            agent = home.path("agent")
            with open(agent, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n: > made\nmkdir made.d\n"
                           f"exec {beside('steno-scripted-agent')} \"$@\"\n")
            os.chmod(agent, 0o755)
            home.write_config(f'scripted_program = "{agent}"\n')
            old = os.umask(mask)
            try:
                home.start(serve_flags=flags)
            finally:
                os.umask(old)
            self.ended_with(home.run("run", "--engine", "scripted", "[say hi]"), 0)
            mask = 0o022 if flags else mask
            for name, most in (("made", 0o666), ("made.d", 0o777)):
                found = stat.S_IMODE(os.stat(os.path.join(home.workdir, name)).st_mode)
                self.assertEqual(oct(found), oct(most & ~mask), name)

    def test_what_is_left_is_its_owners_alone_and_tells_no_secret(self):
        home = self.home().start()
        home.run("run", "--engine", "scripted", f"[say {SECRET}] [tools 1] [junk]")
        home.run("run", "--engine", "scripted", f"[stderr 10] [exit 4] {SECRET}")
        self.assertEqual(home.stop(), 0)
        self.assert_closed(home.path("data"), home.path("run"))
        for log in (home.path("server.log"), home.path("run", "worker.log")):
            with open(log, encoding="utf-8") as file:
                self.assertNotIn(SECRET, file.read())


if __name__ == "__main__":
    unittest.main(verbosity=2)
