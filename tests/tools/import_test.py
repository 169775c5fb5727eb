#!/usr/bin/env python3
"""Import and export as users see them: transcripts that others wrote become sessions that are
listed, searched, read and resumed; a second import changes nothing; whatever is damaged is named and
kept; and all bytes come back."""
import json
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from steno_process import Home, peak_bytes, until  # noqa: E402
from transcripts import Author, compact  # noqa: E402

MIB = 1 << 20


class Imports(unittest.TestCase):
    CONFIG = ""

    def setUp(self):
        self.home = Home(self.CONFIG)
        self.addCleanup(self.home.close)
        self.home.start()
        self.projects = self.home.path(".claude", "projects")

    def sums(self, *arguments, code=0):
        result = self.home.run("import", *arguments, "-o", "json")
        self.assertEqual(result.code, code, str(result))
        return result.json()

    def claude_file(self, author, lines, project="-srv-project", **options):
        session = author.id()
        path = os.path.join(self.projects, project, session + ".jsonl")
        return session, author.claude(path, session, lines, **options)


class ClaudeImport(Imports):
    def test_transcripts_become_sessions(self):
        author = Author(1)
        session, file = self.claude_file(author, 60, marks=["the walrus swims at night"])
        file.write()
        before = file.bytes()
        result = self.home.run("import", "--claude")
        self.assertEqual(result.code, 0, str(result))
        self.assertIn("1 session imported, 0 grown, 0 unchanged", result.out)
        row = self.home.show(session)
        self.assertEqual((row["status"], row["agent_session"], row["engine"], row["workdir"]),
                         ("completed", session, "claude", "/srv/project"))
        self.assertEqual(row["imported"]["lines"], 60)
        self.assertEqual(row["imported"]["form"], "claude")
        self.assertTrue(row["created_at"].startswith("2025-"), row["created_at"])
        self.assertTrue(row["updated_at"].startswith("2025-"), row["updated_at"])
        self.assertIn(row["session"], [one["session"] for one in self.home.ask("ls")["sessions"]])
        # It ran as long as its lines say, and not until the import.
        self.assertNotRegex(self.home.run("ls").out, r" \d+d")
        [hit] = self.home.ask("search", "walrus")["hits"]
        self.assertEqual((hit["session"], hit["role"]), (row["session"], "user"))
        self.assertTrue(hit["time"].startswith("2025-"))
        self.assertEqual(self.home.ask("search", "walrus", "--since", "1d")["hits"], [])
        shown = self.home.run("output", session, "--all").out
        self.assertIn("the walrus swims at night", shown)
        # Nobody was told, and it is no session that Steno has run.
        self.assertEqual(self.home.ask("stats")["totals"]["launched"], 0)
        with open(file.path, "rb") as unchanged:
            self.assertEqual(unchanged.read(), before)

    def test_a_second_import_changes_nothing(self):
        author = Author(2)
        for _ in range(3):
            self.claude_file(author, 40, damages=2)[1].write()
        self.sums("--claude")
        position = self.home.position()
        again = self.sums("--claude")["sums"]
        self.assertEqual(again["files"], {"unchanged": 3})
        self.assertEqual((again["lines"], again["messages"]), (0, 0))
        self.assertEqual(self.home.position(), position)

    def test_what_a_transcript_has_grown_by_is_added(self):
        author = Author(3)
        session, file = self.claude_file(author, 30)
        file.write()
        self.sums("--claude")
        file.line(compact({"type": "user", "message": {"role": "user", "content": "and the narwhal"},
                           "uuid": author.id(), "sessionId": session, "cwd": "/srv/project",
                           "timestamp": "2025-12-01T00:00:00.000Z"}), 1)
        file.write()
        grown = self.sums("--claude")["sums"]
        self.assertEqual((grown["files"], grown["lines"]), ({"grown": 1}, 1))
        self.assertEqual(len(self.home.ask("search", "narwhal")["hits"]), 1)
        self.assertEqual(self.home.show(session)["updated_at"][:10], "2025-12-01")

    def test_a_transcript_that_was_changed_is_left_as_it_was_imported(self):
        author = Author(4)
        session, file = self.claude_file(author, 30)
        file.write()
        self.sums("--claude")
        position = self.home.position()
        file.parts[-1] = file.parts[-1].replace(b"2025", b"2024")
        file.write()
        changed = self.sums("--claude", code=1)
        self.assertEqual(changed["sums"]["files"], {"failed": 1})
        self.assertIn("was changed", changed["items"][0]["note"])
        file.parts.pop()
        file.write()
        self.assertIn("shorter", self.sums("--claude", code=1)["items"][0]["note"])
        self.assertEqual(self.home.position(), position)
        self.assertEqual(self.home.show(session)["imported"]["lines"], 30)

    def test_a_line_that_is_being_written_waits_for_the_next_import(self):
        author = Author(5)
        session, file = self.claude_file(author, 10)
        file.write()
        with open(file.path, "ab") as growing:  # a moment ago
            growing.write(b'{"type":"user","message":{"role":"us')
        left = self.sums("--claude")
        [line] = [item for item in left["items"] if "reading" in item]
        self.assertEqual((line["line"], line["reading"], line["kept"]), (11, "cut_short", False))
        self.assertEqual(self.home.show(session)["imported"]["lines"], 10)
        with open(file.path, "ab") as growing:
            growing.write(b'er","content":"a late narwhal"},"uuid":"' + author.id().encode() +
                          b'","timestamp":"2025-12-01T00:00:00.000Z"}\n')
        self.assertEqual(self.sums("--claude")["sums"]["lines"], 1)
        self.assertEqual(len(self.home.ask("search", "narwhal")["hits"]), 1)

    def test_half_a_line_at_the_end_is_kept_once_nobody_writes_it(self):
        author = Author(6)
        session, file = self.claude_file(author, 10)
        file.damage(b'{"type":"user","message":{"role":"us', "cut_short")
        file.write()
        [line] = [item for item in self.sums("--claude")["items"] if "reading" in item]
        self.assertEqual((line["line"], line["reading"], line["kept"]), (11, "cut_short", True))
        self.assertEqual(self.home.run("export", session).raw, file.bytes())

    def test_subagents_are_sessions_of_their_parents(self):
        author = Author(7)
        session, file = self.claude_file(author, 20)
        file.write()
        path = os.path.join(self.projects, "-srv-project", session, "subagents", "agent-a1b2.jsonl")
        sub = author.claude(path, session, 12)
        sub.write()
        self.assertEqual(self.sums("--claude")["sums"]["files"], {"imported": 2})
        rows = self.home.ask("ls")["sessions"]
        [child] = [row for row in rows if row["descriptor"]["kind"] == "subagent"]
        self.assertEqual(child["descriptor"]["parent"], self.home.show(session)["session"])
        refused = self.home.run("resume", child["alias"], "--workdir", self.home.workdir)
        self.assertEqual(refused.code, 4, str(refused))

    def test_other_files_are_left_alone_and_named(self):
        os.makedirs(os.path.join(self.projects, "p"))
        with open(os.path.join(self.projects, "p", "notes.jsonl"), "w", encoding="ascii") as file:
            file.write("{}\n")
        result = self.sums("--claude")
        self.assertEqual(result["sums"]["files"], {"other": 1})

    def test_a_dry_run_imports_nothing(self):
        author = Author(8)
        self.claude_file(author, 20)[1].write()
        position = self.home.position()
        self.assertEqual(self.sums("--claude", "--dry-run")["sums"]["files"], {"imported": 1})
        self.assertEqual(self.home.position(), position)

    def test_what_is_erased_is_in_no_export(self):
        author = Author(9)
        session, file = self.claude_file(author, 30, marks=["the secret walrus " * 9])
        file.write()
        self.sums("--claude")
        [hit] = self.home.ask("search", '"secret walrus"')["hits"]
        erased = self.home.run("erase", session, "--event", str(hit["position"]), "--wait")
        self.assertEqual(erased.code, 0, str(erased))
        result = self.home.run("export", session)
        self.assertNotIn("secret walrus", result.out)
        self.assertIn("1 text; erased", result.err)
        for line in result.out.rstrip("\n").split("\n"):
            json.loads(line)
        self.assertEqual(self.home.ask("search", '"secret walrus"')["hits"], [])

    def test_what_is_erased_is_in_no_export_however_it_was_written(self):
        author = Author(11)
        session, file = self.claude_file(author, 0)
        lines = [{"type": "user", "message": {"role": "user", "content": "h\u00fcnter2/a"}},
                 {"type": "user", "message": {"role": "user", "content": [
                     {"type": "tool_result", "tool_use_id": "t", "content": "tiny secret"}]},
                  "toolUseResult": {"stdout": "tiny secret"}}]
        for number, line in enumerate(lines):
            line.update({"uuid": author.id(), "sessionId": session, "cwd": "/srv/project",
                         "timestamp": f"2025-12-01T00:00:0{number}+00:00"})
            file.line(json.dumps(line), 1)
        file.write()
        self.sums("--claude")
        self.assertEqual(self.home.run("export", session).raw, file.bytes())
        self.assertEqual(self.home.show(session)["updated_at"][:19], "2025-12-01T00:00:01")
        for word in ("h\u00fcnter2", "tiny"):
            [hit] = self.home.ask("search", word)["hits"]
            erased = self.home.run("erase", session, "--event", str(hit["position"]), "--wait")
            self.assertEqual(erased.code, 0, str(erased))
        back = self.home.run("export", session)
        for word in ("nter2", "tiny"):
            self.assertNotIn(word, back.out)
        for line in back.out.splitlines():
            json.loads(line)

    def test_times_and_costs_beyond_the_record_are_none(self):
        author = Author(12)
        session, file = self.claude_file(author, 4)
        for at in ("2300-01-01T00:00:00Z", 1760000000000000):
            file.line(compact({"type": "user", "message": {"role": "user", "content": "late"},
                               "uuid": author.id(), "sessionId": session, "cwd": "/srv/project",
                               "timestamp": at}), 1)
        file.write()
        self.assertEqual(self.sums("--claude")["sums"]["files"], {"imported": 1})
        self.assertEqual(self.home.show(session)["updated_at"][:4], "2025")
        state = self.home.path("state", "agents", "main", "sessions", "a.jsonl")
        os.makedirs(os.path.dirname(state))
        with open(state, "w", encoding="ascii") as out:
            for _ in range(2):
                out.write(compact({"type": "message", "message": {"role": "user", "content": "a"},
                                   "usage": {"cost": {"total": 9e6}}}) + "\n")
        self.assertEqual(self.sums("--documents", self.home.path("state"))["sums"]["files"],
                         {"imported": 1})

    def test_sessions_of_steno_are_left_alone(self):
        author = Author(13)
        own = self.home.ask("--agent", "ops", "spawn", "--engine", "scripted", "swim")["alias"]
        held = until(lambda: self.home.ask("--agent", "ops", "show", own)["session"].get(
            "agent_session"), "the agent's session")
        path = os.path.join(self.projects, "p", held + ".jsonl")
        author.claude(path, held, 10).write()
        sub = os.path.join(self.projects, "p", held, "subagents", "agent-a1.jsonl")
        author.claude(sub, held, 10).write()
        position = self.home.position()
        self.assertEqual(self.sums("--claude")["sums"]["files"], {"of_steno": 2})
        self.assertEqual(self.home.position(), position)

    # A home that was copied has the same sessions once more.
    def test_two_transcripts_of_one_session_lose_nothing_in_silence(self):
        author = Author(14)
        session, file = self.claude_file(author, 30, project="-old")
        file.write()
        os.utime(file.path, (1, 1))
        copy = os.path.join(self.projects, "-new", session + ".jsonl")
        os.makedirs(os.path.dirname(copy))
        more = compact({"type": "user", "message": {"role": "user", "content": "and the narwhal"},
                        "uuid": author.id(), "sessionId": session, "cwd": "/srv/project",
                        "timestamp": "2025-12-01T00:00:00.000Z"}) + "\n"
        with open(copy, "wb") as out:
            out.write(file.bytes() + more.encode())
        both = self.sums("--claude")
        self.assertEqual(both["sums"]["files"], {"grown": 1, "imported": 1})
        self.assertEqual(self.home.show(session)["imported"]["lines"], 31)
        again = self.sums("--claude", os.path.dirname(file.path))
        self.assertEqual(again["sums"]["files"], {"duplicate": 1})
        self.assertIn(copy, again["items"][0]["note"])
        # The same length, and other lines.
        with open(copy, "rb") as kept:
            other = kept.read().replace(b"narwhal", b"penguin")
        with open(file.path, "wb") as out:
            out.write(other)
        self.assertEqual(self.sums("--claude")["sums"]["files"], {"duplicate": 1, "unchanged": 1})
        position = self.home.position()
        self.sums("--claude")
        self.assertEqual(self.home.position(), position)

    def test_a_dry_run_knows_of_a_resume(self):
        author = Author(15)
        session, file = self.claude_file(author, 20)
        file.write()
        self.sums("--claude")
        resumed = self.home.run("resume", session, "swim", "--engine", "scripted",
                                "--workdir", self.home.workdir)
        self.assertEqual(resumed.code, 0, str(resumed))
        file.line(compact({"type": "user", "message": {"role": "user", "content": "on"},
                           "uuid": author.id(), "sessionId": session, "cwd": "/srv/project",
                           "timestamp": "2025-12-01T00:00:00.000Z"}), 1)
        file.write()
        for flags in (["--dry-run"], []):
            self.assertEqual(self.sums("--claude", *flags)["sums"]["files"], {"of_steno": 1})

    def test_words_of_a_transcript_do_not_reach_the_terminal_raw(self):
        author = Author(16)
        session, file = self.claude_file(author, 3)
        file.damage(b'{"type":"\\u001b]0;x\\u0007","uuid":"u"}\n', "unknown_kind")
        file.write()
        result = self.home.run("import", "--claude")
        self.assertIn("unknown_kind", result.out)
        self.assertNotIn("\x1b", result.out + result.err)
        self.assertEqual(self.home.run("import", "--documents", self.projects).code, 3)

    # Shows R118, R288.
    def test_pages_of_a_transcript_are_stable(self):
        author = Author(10)
        session, file = self.claude_file(author, 300)
        file.write()
        self.sums("--claude")
        backwards, before = [], None
        while True:
            flags = ["--before", str(before)] if before else []
            page = self.home.ask("transcript", session, "-n", "37", *flags)
            self.assertLessEqual(len(page["items"]), 37)
            backwards = page["items"] + backwards
            if not page["has_earlier"]:
                break
            before = page["from"]
        forwards, after = [], None
        while True:
            flags = ["--after", str(after)] if after else ["--first"]
            page = self.home.ask("transcript", session, "-n", "41", *flags)
            forwards += page["items"]
            if not page["has_later"]:
                break
            after = page["through"]
        self.assertEqual(len(forwards), file.messages)
        self.assertEqual([item["position"] for item in forwards],
                         [item["position"] for item in backwards])
        prompts = self.home.ask("transcript", session, "--first", "-n", "1000", "--role", "user")
        self.assertTrue(all(item["kind"] == "prompt" for item in prompts["items"]))
        tools = self.home.ask("transcript", session, "--first", "-n", "1000", "--role", "tool")
        self.assertTrue(all(item["kind"].startswith("tool_") for item in tools["items"]))
        self.assertTrue(any(item["usage"]["output"] == 3 for item in forwards))


class OwnTranscripts(Imports):
    CONFIG = "max_sessions = 20\n"

    # Shows R116, R117.
    def test_a_session_of_steno_is_a_transcript(self):
        alias = self.home.start_session("swim [tools 2] [say The herring is done.]")
        self.home.wait_for_end(alias)
        page = self.home.ask("transcript", alias, "--first")
        kinds = [item["kind"] for item in page["items"]]
        self.assertEqual(kinds[0], "prompt")
        self.assertEqual(kinds[-1], "ended")
        self.assertEqual(kinds.count("tool_call"), 2)
        self.assertGreater(page["items"][-1]["usage"]["output"], 0)
        lines = [json.loads(line) for line in self.home.run("export", alias).out.splitlines()]
        self.assertEqual([line["type"] for line in lines[:2]], ["user", "assistant"])
        for before, line in zip([{"uuid": None}] + lines, lines):
            self.assertEqual(line["parentUuid"], before["uuid"])
        self.assertIn("The herring is done.", compact(lines[-1]))
        other = [json.loads(line) for line in self.home.run(
            "export", alias, "--as", "messages-jsonl").out.splitlines()]
        self.assertEqual((other[0]["type"], other[0]["version"]), ("session", 3))
        self.assertEqual({line["message"]["role"] for line in other[1:]},
                         {"user", "assistant", "toolResult"})

    def test_an_export_overwrites_nothing(self):
        alias = self.home.start_session("swim")
        self.home.wait_for_end(alias)
        path = self.home.path("there.jsonl")
        with open(path, "w", encoding="ascii") as file:
            file.write("mine")
        refused = self.home.run("export", alias, "--to", path)
        self.assertEqual(refused.code, 4, str(refused))
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), "mine")
        self.assertEqual(self.home.run("export", alias, "--as", "xml").code, 2)

    def archive(self, *aliases):
        """Moves the beginnings of these sessions where nobody finds them."""
        for alias in aliases:
            until(lambda alias=alias: self.home.show(alias)["worker"] is None, "the lease's end")
        folder = self.home.path("archive")
        self.home.ask("archive", "create", folder, "--before", str(self.home.position() + 1))
        os.rename(folder, folder + "-away")

    def test_an_export_is_whole_or_not_there(self):
        alias = self.home.start_session("[big 300000]")
        self.home.wait_for_end(alias)
        path = self.home.path("whole.jsonl")
        self.assertEqual(self.home.run("export", alias, "--to", path).code, 0)
        self.archive(alias)
        for _ in range(2):
            cut = self.home.run("export", alias, "--to", self.home.path("cut.jsonl"))
            self.assertEqual(cut.code, 3, str(cut))
            self.assertIn("archived", cut.err)
        self.assertEqual([name for name in os.listdir(self.home.folder) if "jsonl" in name],
                         ["whole.jsonl"])

    def test_an_export_of_a_fork_ends_where_it_was_forked(self):
        author = Author(30)
        session, file = self.claude_file(author, 20)
        file.write()
        self.sums("--claude")
        forked = self.home.ask("resume", session, "swim", "--fork", "--engine", "scripted",
                               "--workdir", self.home.workdir)["alias"]
        self.home.wait_for_end(forked)
        file.line(compact({"type": "user", "message": {"role": "user", "content": "a late narwhal"},
                           "uuid": author.id(), "sessionId": session, "cwd": "/srv/project",
                           "timestamp": "2025-12-01T00:00:00.000Z"}), 1)
        file.write()
        self.assertEqual(self.sums("--claude")["sums"]["files"], {"grown": 1})
        self.assertIn("narwhal", self.home.run("export", session).out)
        back = self.home.run("export", forked).out
        self.assertIn("swim", back)
        self.assertNotIn("narwhal", back)

    def test_an_agents_session_never_leads_out_of_its_folder(self):
        state = self.home.path("state", "agents", "main", "sessions")
        Author(31).typed(os.path.join(state, "a.jsonl"), "a", 10).write()
        with open(os.path.join(state, "sessions.json"), "w", encoding="ascii") as index:
            index.write("{k: {sessionId: 'a', sdkSessionId: '../../../x'}}")
        told = self.sums("--documents", self.home.path("state"))
        self.assertEqual(told["sums"]["index_faults"], 1)
        [row] = self.home.ask("ls")["sessions"]
        self.assertEqual(row["agent_session"] or "", "")
        self.home.run("export", row["alias"], "--install")
        self.assertFalse(os.path.exists(os.path.join(self.projects, "x.jsonl")))
        self.assertFalse(os.path.exists(self.home.path("x.jsonl")))

    def test_the_transcript_of_a_conversation_is_that_of_its_sessions(self):
        def send(text):
            result = self.home.run("conv", "send", "main", text, "--engine", "scripted")
            self.assertEqual(result.code, 0, str(result))

        def said():
            page = self.home.run("transcript", "agent:main:main", "--first", "-o", "json")
            items = page.json()["items"] if page.code == 0 else []
            return [item["text"] for item in items if item["kind"] == "prompt"], items
        send("one walrus")
        until(lambda: any(i["kind"] == "ended" for i in said()[1]), "the first answer")
        send("/new")
        send("two walruses")
        until(lambda: sum(i["kind"] == "ended" for i in said()[1]) == 2, "the second answer")
        prompts, items = said()
        self.assertEqual(prompts, ["one walrus", "two walruses"])
        self.assertEqual(len({item["session"] for item in items}), 2)


class Files(Imports):
    """A folder in the documents' form beside the log."""
    CONFIG = "max_sessions = 20\n"

    def files(self, code=0):
        result = self.home.run("files", self.home.path("out"))
        self.assertEqual(result.code, code, str(result))
        return result.err

    def index(self, agent="main"):
        path = self.home.path("out", "agents", agent, "sessions", "sessions.json")
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    # Shows R085, R087, R088, R089, R243, R273, R293.
    def test_conversations_are_files(self):
        sent = self.home.run("conv", "send", "main", "one walrus", "--engine", "scripted")
        self.assertEqual(sent.code, 0, str(sent))
        self.home.run("conv", "set", "main", "displayName=Home", "queueCap=7")
        key = "agent:main:main"
        until(lambda: self.home.run("transcript", key, "--first").out.count("Done."), "the answer")
        self.files()
        entry = self.index()[key]
        self.assertEqual((entry["displayName"], entry["queueCap"]), ("Home", 7))
        self.assertEqual(entry["messageCount"], 1)
        path = self.home.path("out", "agents", "main", "sessions", entry["sessionId"] + ".jsonl")
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(lines[0]["type"], "session")
        self.assertEqual(lines[1]["message"]["content"], [{"type": "text", "text": "one walrus"}])
        for name in (path, self.home.path("out", "agents", "main", "sessions", "sessions.json")):
            self.assertEqual(os.stat(name).st_mode & 0o777, 0o600)
        # Whatever is done to the folder, the log is the truth.
        with open(path, "w", encoding="utf-8") as file:
            file.write("gone")
        self.files()
        with open(path, encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), len(lines))
        self.assertIn("0 files written", self.files())

    def test_the_folder_of_a_log_is_no_news_to_it(self):
        for text in ("one walrus", "two walruses"):
            sent = self.home.run("conv", "send", "main", text, "--engine", "scripted", "--wait")
            self.assertEqual(sent.code, 0, str(sent))
            self.home.run("conv", "reset", "main")
            self.files()
        position = self.home.position()
        told = self.sums("--documents", self.home.path("out"))
        self.assertEqual(told["sums"]["files"], {"of_steno": 2})
        self.assertEqual(self.home.position(), position)

    # Shows R272.
    def test_what_was_imported_comes_back_as_files(self):
        author = Author(21)
        state = self.home.path("state")
        session = author.id()
        path = os.path.join(state, "agents", "main", "sessions", session + ".jsonl")
        file = author.typed(path, session, 30, damages=3).write()
        with open(os.path.join(os.path.dirname(path), "sessions.json"), "w",
                  encoding="ascii") as index:
            index.write("{'agent:main:x:group:1': {sessionId: '" + session + "', theirs: [1,],}}")
        self.sums("--documents", state)
        self.files()
        self.assertEqual(self.index(), {
            "agent:main:x:group:1": {"sessionId": session, "theirs": [1]}})
        back = self.home.path("out", "agents", "main", "sessions", session + ".jsonl")
        with open(back, "rb") as written:
            self.assertEqual(written.read(), file.bytes())

    # Shows R243, R272.
    def test_all_of_a_folder_comes_back(self):
        author = Author(22)
        folder = self.home.path("state", "agents", "main", "sessions")
        files = {"c": author.claude(os.path.join(folder, "c.jsonl"), author.id(), 20),
                 "a-topic-7": author.typed(os.path.join(folder, "a-topic-7.jsonl"), "a", 20),
                 "a-topic-8": author.typed(os.path.join(folder, "a-topic-8.jsonl"), "a", 20)}
        for file in files.values():
            file.write()
        with open(os.path.join(folder, "n.jsonl"), "wb") as file:
            file.write(b"no transcript\n")
        os.utime(file.name, (1, 1))
        entries = {"k": {"id": "c", "status": "ended"}, "l": {"sessionId": "c"},
                   "g:topic:7": {"sessionId": "a"}, "g:topic:8": {"sessionId": "a"}}
        with open(os.path.join(folder, "sessions.json"), "w", encoding="ascii") as index:
            json.dump({"sessions": entries}, index)
        told = self.sums("--documents", self.home.path("state"))
        self.assertEqual((told["sums"]["files"], told["sums"]["index_faults"]), ({"imported": 4}, 0))
        self.files()
        self.assertEqual(self.index(), entries)
        out = self.home.path("out", "agents", "main", "sessions")
        for name, file in files.items():
            with open(os.path.join(out, name + ".jsonl"), "rb") as written:
                self.assertEqual(written.read(), file.bytes(), name)
        with open(os.path.join(out, "n.jsonl"), "rb") as written:
            self.assertEqual(written.read(), b"no transcript\n")

    def test_what_is_no_more_on_the_record_goes_from_the_folder(self):
        for key in ("one", "other"):
            sent = self.home.run("--agent", "ops", "conv", "send", f"agent:ops:{key}", "one walrus",
                                 "--engine", "scripted")
            self.assertEqual(sent.code, 0, str(sent))
            until(lambda key=key: self.home.run("--agent", "ops", "transcript", f"agent:ops:{key}",
                                                "--first").out.count("Done."), "the answer")
        self.files()
        self.assertEqual(len(self.index("ops")), 2)
        folder = self.home.path("out", "agents", "ops", "sessions")
        self.assertEqual(len(os.listdir(folder)), 3)
        for key, left in (("other", 2), ("one", 0)):
            gone = self.home.run("--agent", "ops", "conv", "rm", f"agent:ops:{key}")
            self.assertEqual(gone.code, 0, str(gone))
            self.assertIn("removed", self.files())
            self.assertEqual(len(os.listdir(folder)), left)

    def test_an_archived_session_does_not_stop_the_others(self):
        def answered(key):
            until(lambda: self.home.run("transcript", key, "--first").out.count("Done."),
                  "the answer")
            self.files()
            session = self.index()[key]["sessionId"]
            self.home.run("kill", session)
            until(lambda: self.home.show(session)["worker"] is None, "the lease's end")
        self.home.run("conv", "send", "agent:main:old", "one walrus", "--engine", "scripted")
        answered("agent:main:old")
        self.home.wait_for_end(self.home.start_session("[big 300000]"))
        folder = self.home.path("archive")
        self.home.ask("archive", "create", folder, "--before", str(self.home.position() + 1))
        os.rename(folder, folder + "-away")
        self.home.run("conv", "send", "agent:main:new", "two walruses", "--engine", "scripted")
        until(lambda: self.home.run("transcript", "agent:main:new", "--first").out.count("Done."),
              "the answer")
        [old] = [name for name in os.listdir(self.home.path("out", "agents", "main", "sessions"))
                 if name.endswith(".jsonl")]
        os.remove(self.home.path("out", "agents", "main", "sessions", old))
        said = self.files()
        self.assertIn("archived", said)
        self.assertEqual(set(self.index()), {"agent:main:old", "agent:main:new"})
        path = self.home.path("out", "agents", "main", "sessions",
                              self.index()["agent:main:new"]["sessionId"] + ".jsonl")
        self.assertTrue(os.path.exists(path))

    def test_a_folder_belongs_to_one_log(self):
        self.files()
        mark = self.home.path("out", ".steno-files")
        with open(mark, encoding="ascii") as file:
            text = file.read()
        log = self.home.run("doctor", "-o", "json").json()["status"]["log"]
        self.assertIn(log, text)
        with open(mark, "w", encoding="ascii") as file:
            file.write(text.replace(log, "0" * len(log)))
        self.assertIn("another log", self.files(code=4))

    def test_a_folder_is_kept_current(self):
        following = self.home.follow("files", self.home.path("out"), "--follow")
        key = "agent:main:main"
        sent = self.home.run("conv", "send", key, "one walrus", "--engine", "scripted")
        self.assertEqual(sent.code, 0, str(sent))

        def written():
            try:
                entry = self.index()[key]
                path = self.home.path("out", "agents", "main", "sessions",
                                      entry["sessionId"] + ".jsonl")
                with open(path, encoding="utf-8") as file:
                    return "Done." in file.read()
            except (OSError, KeyError):
                return False
        until(written, "the answer in the folder")
        following.signal(signal.SIGINT)
        self.assertEqual(following.finish().code, 0)

    def test_a_folder_of_another_program_is_left_alone(self):
        os.makedirs(self.home.path("out", "agents", "main"))
        self.assertIn("another program", self.files(code=4))


class Corpus(Imports):
    """100,000 lines in all forms, with damage in them."""
    LINES = int(os.environ.get("STENO_CORPUS_LINES", "100000"))

    def corpus(self):
        author = Author(99)
        files = []
        share = self.LINES // 2
        while share > 0:
            lines = min(share, author.random.choice((5, 50, 500, 5000)))
            files.append(self.claude_file(author, lines, damages=lines // 25)[1])
            share -= lines
        share = self.LINES - self.LINES // 2
        state = self.home.path("state")
        index = {"main": {}, "codex": {}}
        number = 0
        while share > 0:
            lines = min(share, author.random.choice((5, 50, 500, 5000)))
            agent = author.random.choice(("main", "codex"))
            session = author.id()
            path = os.path.join(state, "agents", agent, "sessions", session + ".jsonl")
            make = author.random.randrange(2)
            damages = lines // 25
            files.append(author.typed(path, session, lines, damages) if make == 0
                         else author.roles(path, lines, damages))
            index[agent][f"agent:{agent}:telegram:group:{number}"] = session
            number += 1
            share -= lines
        for agent, entries in index.items():
            text = "// kept by hand\n{\n" + "".join(
                f"  '{key}': {{sessionId: '{session}', updatedAt: 1760000000000, "
                f"label: 'group {key[-3:]}', theirs: [1, 2,],}},\n"
                for key, session in entries.items())
            place = ["sessions", "sessions.json"] if agent == "main" else ["sessions.json"]
            os.makedirs(os.path.join(state, "agents", agent, "sessions"), exist_ok=True)
            # Half of an index is read as far as it goes.
            with open(os.path.join(state, "agents", agent, *place), "w", encoding="ascii") as file:
                file.write(text + ("}\n" if agent == "main" else "  'agent:codex:cut': {sess"))
        # A line that is longer than a text, and one without an end.
        session, file = self.claude_file(author, 20)
        file.damage(b'{"type":"user","x":"' + b"a" * (40 * MIB) + b'"}\n', "too_long")
        file.damage(b'{"type":"us', "cut_short")
        files.append(file)
        for one in files:
            one.write()
        return files, state

    def finish(self, *arguments):
        """Runs an import to its end; returns its items and the most memory that it has taken."""
        child = self.home.popen(["import", *arguments, "-o", "json"])
        out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0, out[-2000:])
        return json.loads(out), usage.ru_maxrss * 1024

    def kill_midway(self, *arguments):
        before = self.home.position()
        child = self.home.popen(["import", *arguments], stderr=-1)
        until(lambda: self.home.position() > before + 2000 or child.poll() is not None, "some work")
        child.kill()
        child.communicate()

    # Shows R242, R252, R272, R274.
    def test_the_whole_corpus(self):
        files, state = self.corpus()
        self.kill_midway("--claude")
        self.assertEqual(self.home.stop(signal.SIGKILL), -signal.SIGKILL)
        self.home.start()
        named, read = {}, 0
        most = 0
        for arguments in (["--claude"], ["--documents", state]):
            told, memory = self.finish(*arguments)
            most = max(most, memory)
            for item in told["items"]:
                if "reading" in item:
                    named[(item["file"], item["line"])] = item["reading"]
            faults = [item for item in told["items"] if "fault" in item]
            self.assertEqual(len(faults), 0 if arguments == ["--claude"] else 1, faults)
        print(f"client: {most // MIB} MiB, server: {peak_bytes(self.home.server.child.pid) // MIB}"
              " MiB at most", file=sys.stderr)
        self.assertLess(most, 400 * MIB)
        position = self.home.position()
        for arguments in (["--claude"], ["--documents", state]):
            told, _ = self.finish(*arguments)
            self.assertEqual(set(told["sums"]["files"]), {"unchanged"})
        self.assertEqual(self.home.position(), position)
        rows = {}
        for agent in ("main", "codex"):
            before = None
            answer = self.home.ask("--agent", agent, "ls", "-n", "1000")
            for row in answer["sessions"]:
                rows[row["imported"]["file"]] = row
        self.assertEqual(len(rows), len(files))
        lost = {}
        for file in files:
            row = rows[file.path]
            read += row["imported"]["lines"]
            self.assertEqual(row["imported"]["lines"], len(file.parts), file.path)
            self.assertEqual(row["imported"]["unread"], len(file.unread), file.path)
            for line, reading in file.unread.items():
                lost[(file.path, line)] = reading
            back = self.home.run("--agent", row["agent"], "export", row["session"])
            self.assertEqual(back.raw == file.bytes(), True, file.path)
        self.assertEqual(read, self.LINES + 22)
        # Those that the killed import had named are on the record only.
        for place, reading in named.items():
            self.assertEqual(reading, lost[place])
        titled = [row for row in rows.values() if row["name"].startswith("group")]
        self.assertGreater(len(titled), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
