#!/usr/bin/env python3
"""`diff` shows what has changed since a session began. A worktree is a session's own: it is removed
when nothing would be lost, and stays otherwise."""
import json
import os
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support.steno_process import Home, until  # noqa: E402

IDENTITY = {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
            "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org",
            "GIT_CONFIG_NOSYSTEM": "1"}


class WithRepository(unittest.TestCase):
    CONFIG = 'engine = "scripted"\nmax_sessions = 20\nkill_grace = "300ms"\n'

    def setUp(self):
        self.home = Home(self.CONFIG, IDENTITY)
        self.addCleanup(self.home.close)
        self.home.start()
        self.repository = self.make("shop")
        self.home.workdir = self.repository

    def tearDown(self):
        self.home.run("kill", "--all")
        self.assertEqual(self.home.stop(), 0)
        self.assertFalse(self.home.processes())

    def git(self, *words, folder=None):
        return subprocess.run(["git", "-C", folder or self.repository, *words], check=True,
                              capture_output=True, text=True,
                              env=self.home.environment).stdout.strip()

    def make(self, name):
        """Makes a repository with two files; returns its folder."""
        folder = self.home.path(name)
        os.makedirs(os.path.join(folder, "api"))
        self.git("init", "-q", "-b", "main", folder=folder)
        self.write("one\n", folder, "one.txt")
        self.write("in\n", folder, "api", "in.txt")
        self.write("*.log\n", folder, ".gitignore")
        self.commit("first", folder)
        return folder

    @staticmethod
    def write(text, *parts):
        with open(os.path.join(*parts), "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, message, folder=None):
        self.git("add", "-A", folder=folder)
        self.git("commit", "-q", "-m", message, folder=folder)

    def refused(self, code, *arguments, **options):
        result = self.home.run(*arguments, **options)
        self.assertEqual(result.code, code, str(result))
        return result.err


class Diffs(WithRepository):
    def open(self, *flags):
        """Opens a session, and waits for the next second: git knows when HEAD moved in seconds."""
        alias = self.home.start_session("[say Hello.]", "--multi-turn", *flags)
        began = int(time.time())
        until(lambda: int(time.time()) > began, "the next second")
        return alias

    def changed(self, alias, *paths):
        return {file["path"]: (file["status"], file["added"], file["removed"])
                for file in self.home.ask("diff", alias, *paths)["files"]}

    def test_commits_changes_and_new_files_are_shown_and_nothing_is_touched(self):
        first = self.git("rev-parse", "HEAD")
        alias = self.open("--workdir", os.path.join(self.repository, "api"))
        nothing = self.home.run("diff", alias)
        self.assertEqual((nothing.code, nothing.out), (0, ""), str(nothing))
        self.assertIn(f"since {first[:10]}, where HEAD was when the session began", nothing.err)
        self.assertIn("nothing has changed", nothing.err)

        self.write("one\ntwo\n", self.repository, "one.txt")
        self.commit("second")
        self.write("out\n", self.repository, "api", "in.txt")
        self.write("new\n", self.repository, "api", "new file.txt")
        self.write("noise\n", self.repository, "api", "noise.log")
        with open(os.path.join(self.repository, ".git", "index"), "rb") as file:
            index = file.read()
        status = self.git("status", "--porcelain")
        self.assertEqual(self.changed(alias), {"one.txt": ("M", 1, 0), "api/in.txt": ("M", 1, 1),
                                               "api/new file.txt": ("A", 1, 0)})
        shown = self.home.ask("diff", alias)
        self.assertEqual((shown["base"], shown["base_from"], shown["alias"]),
                         (first, "reflog", alias))
        self.assertEqual(shown["head"], self.git("rev-parse", "HEAD"))
        self.assertEqual(self.changed(alias, "new file.txt"), {"api/new file.txt": ("A", 1, 0)})
        text = self.home.run("diff", alias)
        self.assertEqual(text.code, 0, str(text))
        for line in ("+two", "-in", "+out", "+new"):
            self.assertIn("\n" + line + "\n", text.out)
        self.assertNotIn("\x1b", text.out)
        self.assertNotIn("noise", text.out)
        self.assertEqual(sorted(self.home.run("diff", alias, "--name-only").out.splitlines()),
                         ["api/in.txt", "api/new file.txt", "one.txt"])
        self.assertIn("3 files changed", self.home.run("diff", alias, "--stat").out)
        self.refused(2, "diff", alias, "--stat", "--name-only")
        with open(os.path.join(self.repository, ".git", "index"), "rb") as file:
            self.assertEqual(file.read(), index)
        self.assertEqual(self.git("status", "--porcelain"), status)
        # It can be read when the session has ended, also from a git with another repository.
        self.home.run("kill", alias)
        other = self.make("other")
        self.assertEqual(len(self.home.ask("diff", alias, environment={
            "GIT_DIR": os.path.join(other, ".git"), "GIT_WORK_TREE": other})["files"]), 3)

    def test_a_terminal_has_the_colours_of_git(self):
        alias = self.open()
        self.write("two\n", self.repository, "one.txt")
        self.home.environment["GIT_PAGER"] = "cat"
        self.home.environment["TERM"] = "xterm"
        code, seen = self.home.on_terminal(["diff", alias], [])
        self.assertEqual(code, 0)
        self.assertIn("\x1b[32m+", seen)

    def test_before_the_first_commit_all_is_new(self):
        folder = self.home.path("fresh")
        os.mkdir(folder)
        self.git("init", "-q", folder=folder)
        alias = self.open("--workdir", folder)
        self.write("a\n", folder, "a.txt")
        self.assertEqual(self.changed(alias), {"a.txt": ("A", 1, 0)})
        self.commit("first", folder)
        self.assertEqual(self.changed(alias), {"a.txt": ("A", 1, 0)})
        self.assertEqual(self.home.ask("diff", alias)["base_from"], "nothing")
        self.assertIn("when there was no commit", self.home.run("diff", alias).err)

    def test_without_a_reflog_the_dates_of_commits_tell(self):
        first = self.git("rev-parse", "HEAD")
        alias = self.open()
        self.write("two\n", self.repository, "one.txt")
        self.commit("second")
        shutil.rmtree(os.path.join(self.repository, ".git", "logs"))
        shown = self.home.ask("diff", alias)
        self.assertEqual((shown["base"], shown["base_from"]), (first, "date"))

    def test_where_git_cannot_tell_it_says_why(self):
        plain = self.home.path("plain")
        os.mkdir(plain)
        alias = self.home.start_session("[say Hello.]", "--workdir", plain)
        self.home.wait_for_end(alias)
        self.assertIn("in no repository of git", self.refused(3, "diff", alias))
        os.rmdir(plain)
        self.assertIn(f"the folder {plain} is not there", self.refused(3, "diff", alias))
        self.refused(3, "diff", "nobody")
        there = self.home.start_session("[say Hello.]")
        programs = self.home.path("programs")
        os.mkdir(programs)
        self.assertIn("git is not installed", self.refused(
            1, "diff", there, environment={"PATH": programs}))


class Worktrees(WithRepository):
    def listed(self):
        return {row["name"]: row for row in self.home.ask("worktree", "ls")}

    def branches(self):
        return self.git("branch", "--format=%(refname:short)", "--list", "steno/*").split()

    def spawned(self, *flags):
        return self.home.ask("spawn", "--multi-turn", *flags, "[say Hello.]")

    def test_a_session_works_in_a_worktree_of_its_own(self):
        self.home.workdir = os.path.join(self.repository, "api")
        self.write("mine\n", self.repository, "one.txt")
        opened = self.home.run("spawn", "--multi-turn", "--worktree=login", "-o", "json",
                               "[say Hello.]")
        self.assertEqual(opened.code, 0, str(opened))
        self.assertIn("what is not committed", opened.err)
        alias, workdir = opened.json()["alias"], opened.json()["workdir"]
        self.assertEqual(self.home.show(alias)["workdir"], workdir)
        self.assertTrue(workdir.startswith(self.home.path("data", "worktrees", "shop-")), workdir)
        self.assertTrue(workdir.endswith("/login/api"), workdir)
        self.assertEqual(os.listdir(workdir), ["in.txt"])
        root = os.path.dirname(workdir)
        self.assertEqual(self.git("branch", "--show-current", folder=root), "steno/login")
        self.assertEqual(self.git("status", "--porcelain"), "M one.txt")
        self.assertEqual(self.home.ask("diff", alias)["files"], [])
        row = self.listed()["login"]
        self.assertEqual((row["sessions"], row["branch"], row["repository"], row["path"]),
                         ([alias], "steno/login", self.repository, root))
        self.assertIn(alias, self.home.run("worktree", "ls").out)

        self.write("new\n", workdir, "new.txt")
        self.assertEqual([file["path"] for file in self.home.ask("diff", alias)["files"]],
                         ["api/new.txt"])
        self.assertIn(f"is that of session {alias}", self.refused(4, "worktree", "rm", "login"))
        self.assertIn(f"is that of session {alias}",
                      self.refused(4, "worktree", "rm", "login", "--force"))
        self.home.run("kill", alias)
        self.assertIn("1 file that is not committed", self.refused(4, "worktree", "rm", "login"))
        self.commit("new", root)
        self.assertIn("1 commit on no other branch", self.refused(4, "worktree", "rm", root))
        self.assertEqual(self.home.run("worktree", "prune").out, "")
        self.assertEqual(self.listed()["login"]["commits"], 1)
        self.git("checkout", "-q", "--", ".")
        self.git("merge", "-q", "steno/login")
        self.assertEqual(self.home.run("worktree", "rm", "login").out, f"removed {root}\n")
        self.assertEqual((self.listed(), self.branches()), ({}, []))
        self.assertFalse(os.path.exists(root))
        self.refused(3, "worktree", "rm", "login")
        self.assertIn("is not there", self.refused(3, "diff", alias))

    def test_force_removes_all_and_says_what_the_branch_was_at(self):
        root = self.spawned("--worktree=lost", "--name", "lost")["workdir"]
        self.home.run("kill", "lost")
        self.write("new\n", root, "new.txt")
        self.commit("new", root)
        self.write("newer\n", root, "new.txt")
        at = self.git("rev-parse", "HEAD", folder=root)
        removed = self.home.run("worktree", "rm", "lost", "--force")
        self.assertEqual(removed.code, 0, str(removed))
        self.assertIn(f"branch steno/lost {at}", removed.err)
        self.assertEqual(self.branches(), [])

    def test_prune_removes_what_nobody_needs(self):
        for name in ("clean", "dirty", "live"):
            self.spawned(f"--worktree={name}", "--name", name)
        self.home.run("kill", "clean")
        self.home.run("kill", "dirty")
        paths = {name: row["path"] for name, row in self.listed().items()}
        self.write("new\n", paths["dirty"], "new.txt")
        self.write("noise\n", paths["clean"], "noise.log")
        self.assertEqual(self.home.run("worktree", "prune", "--dry-run").out,
                         f"would remove {paths['clean']}\n")
        pruned = self.home.run("worktree", "prune")
        self.assertEqual(pruned.out, f"removed {paths['clean']}\n", str(pruned))
        self.assertIn("2 are kept", pruned.err)
        self.assertEqual(sorted(self.branches()), ["steno/dirty", "steno/live"])
        # One whose repository is gone cannot be looked at.
        shutil.rmtree(self.repository)
        self.home.workdir = self.home.folder
        self.assertIn("its repository is gone", self.refused(4, "worktree", "rm", "dirty"))
        self.assertEqual(self.home.run("worktree", "rm", "dirty", "--force").code, 0)
        self.assertEqual(list(self.listed()), ["live"])

    def test_run_removes_what_has_not_changed_and_keeps_the_rest(self):
        ran = self.home.run("run", "--worktree=first", "[say Hello.]")
        self.assertEqual((ran.code, ran.out), (0, "Hello.\n"), str(ran))
        self.assertIn("steno/first", ran.err)
        self.assertIn("its worktree is removed", ran.err)
        self.assertEqual((self.listed(), self.branches()), ({}, []))
        kept = self.home.run("run", "--worktree=second", "--worktree-at-end", "keep",
                             "[say Hello.]")
        self.assertIn("its worktree stays", kept.err)
        self.assertEqual(self.branches(), ["steno/second"])

        talk = self.home.follow("run", "--multi-turn", "--worktree=third", "[say Hello.]")
        self.assertEqual(talk.line(), "Hello.")
        path = self.listed()["third"]["path"]
        self.write("new\n", path, "new.txt")
        ended = talk.finish()
        self.assertEqual(ended.code, 0, str(ended))
        self.assertIn("its worktree stays: 1 file that is not committed", ended.err)
        self.assertEqual(self.listed()["third"]["files"], 1)
        # A commit is a change, also where another branch has it.
        talk = self.home.follow("run", "--multi-turn", "--worktree=fourth", "[say Hello.]")
        self.assertEqual(talk.line(), "Hello.")
        path = self.listed()["fourth"]["path"]
        self.write("new\n", path, "new.txt")
        self.commit("new", path)
        self.git("branch", "copy", "steno/fourth")
        ended = talk.finish()
        self.assertIn("its worktree stays", ended.err)
        self.assertIn("steno/fourth", self.branches())

    def test_names_come_from_the_session_or_are_made(self):
        self.spawned("--worktree", "--name", "Fix the login!")
        self.assertEqual(self.branches(), ["steno/Fix-the-login"])
        self.home.run("kill", "--all")
        self.spawned("--worktree", "--name", "Fix the login!")
        self.spawned("--worktree")
        first, second, third = sorted(self.listed(), key=len, reverse=True)
        self.assertRegex(first, r"^Fix-the-login-[a-z0-9]{8}$")
        self.assertEqual(second, "Fix-the-login")
        self.assertRegex(third, r"^[a-z0-9]{8}$")
        # Two repositories can have one name, and worktrees of one name.
        self.home.workdir = other = self.make("other/shop")
        self.spawned("--worktree=Fix-the-login")
        self.home.run("kill", "--all")
        said = self.refused(4, "worktree", "rm", "Fix-the-login")
        self.assertIn("several worktrees", said)
        path = next(row["path"] for row in self.home.ask("worktree", "ls")
                    if row["repository"] == other)
        self.assertEqual(self.home.run("worktree", "rm", path).code, 0)

    def test_what_cannot_be_leaves_nothing_behind(self):
        def refused(code, *arguments):
            return self.refused(code, "spawn", *arguments, "[say Hello.]")
        for name in ("a/b", "..", "-x", "a b", ".hid", "x" * 65, "x.lock", "a\nb", "ü"):
            self.assertIn("the name of a worktree", refused(2, f"--worktree={name}"))
        self.git("branch", "steno/taken")
        self.assertIn("is there already", refused(4, "--worktree=taken"))
        for workdir, code, words in ((self.home.folder, 3, "in no repository of git"),
                                     (os.path.join(self.repository, ".git"), 3, "has no files")):
            self.assertIn(words, refused(code, "--workdir", workdir, "--worktree"))
        self.git("init", "-q", "--bare", self.home.path("bare.git"))
        self.assertIn("bare", refused(3, "--workdir", self.home.path("bare.git"), "--worktree"))
        self.git("init", "-q", self.home.path("empty"))
        self.assertIn("has no commit",
                      refused(4, "--workdir", self.home.path("empty"), "--worktree"))
        # The server refuses the session, and so there is no worktree either.
        self.home.start_session("[hang]", "--name", "busy")
        self.assertIn("no two live sessions", refused(4, "--worktree=gone", "--name", "busy"))
        self.assertEqual((self.listed(), self.branches()), ({}, ["steno/taken"]))
        self.assertEqual(self.git("worktree", "list").count("\n"), 0)
        self.refused(2, "spawn", "--worktree-at-end", "keep", "[say Hello.]")
        self.refused(2, "run", "--worktree-at-end", "burn", "[say Hello.]")
        self.assertEqual(json.loads(self.home.run("ls", "-o", "json").out)["total"], 1)


if __name__ == "__main__":
    unittest.main()
