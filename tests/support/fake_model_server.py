#!/usr/bin/env python3
"""A model API for tests: the Anthropic Messages API on 127.0.0.1, as far as Claude Code uses it.

The newest prompt chooses the answer. It contains one of:
  say TEXT            the text, up to the end of the line
  dear TEXT           likewise, and the call is charged for 150,000 tokens of input
  stream N            N numbered words, one every --word-ms
  cut N               likewise, but the connection breaks off behind the last word. The same prompt
                      asked again is answered "as said", to its end
  bash COMMAND        a call of the Bash tool; when its result comes back, "The command has run."
  loop COMMAND        a call of the Bash tool, and the same again whenever its result comes back
  parallel N          N such calls in one message, each with an output of its own
  background COMMAND  the same, to be run in the background. If the command has "then stream 9" in
                      it, that is the answer when the agent tells of its end
  tool NAME JSON      a call of that tool with these arguments, or of a list of such several calls
                      in one message; then "The tool has answered."
  delegate PROMPT     a call of the Agent tool with that prompt; then "The work is done."
  system              the last line of the system prompt
  history             the prompts of the conversation so far, this one left out
  hang                no answer, until the client goes away
  fail STATUS         the HTTP status, each time
  overload            HTTP 529 to the first model that asks so, each time; to any other one "The
                      other model answers."
TASK followed by "This is a task for a subagent" is taken as "delegate TASK".
Any other prompt is answered "I read: " and its first 60 characters. A request that is not a prompt
of the user (a title, a summary) is answered in the same way.

GET /charged returns a JSON object: for each of the agent's sessions the calls that were charged, in
order, each with its tokens, its texts, its tool calls, the results of tools and the files that came
with it, and whether its answer was sent to the end.
"""
import argparse
import hashlib
import http.server
import itertools
import json
import os
import re
import sys
import threading
import time

VERBS = ("tool|background|delegate|say|dear|stream|cut|bash|loop|parallel|system|history|hang|fail|"
         "overload")
KEYWORD = re.compile(rf"\b({VERBS})\b[ \t]*([^\n]*)")
THEN = re.compile(rf"\bthen ({VERBS})\b[ \t]*([^\n]*)")
TASK = re.compile(r"(.*?)\n\nThis is a task for a subagent\.", re.S)
REMINDER = re.compile(r"<system-reminder>(.*?)</system-reminder>", re.S)
STOP_FEEDBACK = "\nStop hook feedback:\n"  # from 2.1.332 on it stands in a reminder
PRICE_TOKENS = {"input_tokens": 100, "output_tokens": 20}
DEAR_TOKENS = {"input_tokens": 150_000, "output_tokens": 20}
NUMBERS = itertools.count(1)
SESSION = re.compile(r"session[_\W]+(?:id)?\W*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")


def blocks_of(message):
    content = message.get("content", "")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def without_reminders(text):
    """Returns the text; of its reminders only what a Stop hook told the agent to do next."""
    return REMINDER.sub(lambda found: found[1].partition(STOP_FEEDBACK)[2], text).strip()


def prompts_of(request):
    """Returns the texts of the user, not the client, and whether a tool's result follows them."""
    prompts, has_result = [], False
    for message in request.get("messages", []):
        if message.get("role") != "user":
            continue
        for block in blocks_of(message):
            if block.get("type") == "tool_result":
                has_result = True
            elif block.get("type") == "text":
                text = without_reminders(block["text"])
                # The agent says so of each image.
                if text and not text.startswith("[Image: source: "):
                    prompts.append(text)
                    has_result = False
    return prompts or [""], has_result


def newest_results(request):
    """Returns the texts of the results of tools behind the model's last message."""
    results = []
    for message in request.get("messages", []):
        if message.get("role") == "assistant":
            results = []
        for block in blocks_of(message):
            if block.get("type") == "tool_result":
                results.append("".join(part.get("text", "") for part in blocks_of(block)))
    return results


def newest_files(request):
    """Returns the images and documents behind the model's last message, in their order, each
    as kind, title, media type, and SHA-256 of the data."""
    files = []
    for message in request.get("messages", []):
        if message.get("role") == "assistant":
            files = []
        for block in blocks_of(message):
            source = block.get("source", {})
            if block.get("type") in ("image", "document"):
                data = source.get("data", "")
                files.append([block["type"], block.get("title", ""), source.get("media_type", ""),
                              hashlib.sha256(data.encode()).hexdigest()])
    return files


def told_of_task(request):
    """Returns the newest message of the user's side if it tells of a task in the background."""
    texts = [block.get("text", "") for message in request.get("messages", [])
             if message.get("role") == "user" for block in blocks_of(message)]
    return texts[-1] if texts and "<task-notification>" in texts[-1] else ""


def system_prompt(request):
    return "\n".join(block["text"] for block in blocks_of({"content": request.get("system", "")}))


class Answer:
    def __init__(self, request):
        prompts, has_result = prompts_of(request)
        self.prompt = prompts[-1]
        task = TASK.search(self.prompt)
        if task:
            self.prompt = "delegate " + task.group(1)
        found = THEN.search(told_of_task(request)) or KEYWORD.search(self.prompt)
        self.verb, self.rest = (found.group(1), found.group(2).strip()) if found else ("", "")
        self.number = int(re.match(r"\d+", self.rest).group()) if re.match(r"\d", self.rest) else 0
        self.model = request.get("model", "model")
        self.results = newest_results(request)
        self.files = newest_files(request)
        user = json.dumps(request.get("metadata", {})).replace("\\", "")
        session = SESSION.search(user)
        self.session = session.group(1) if session else ""
        self.tokens = DEAR_TOKENS if self.verb == "dear" else PRICE_TOKENS
        self.is_slow = self.verb in ("stream", "cut")
        self.stop_reason = "end_turn"
        if self.verb in ("say", "dear"):
            self.blocks = [text_block(self.rest)]
        elif self.is_slow:
            self.blocks = [text_block(" ".join(f"word{i}" for i in range(self.number)))]
        elif self.verb == "system":
            self.blocks = [text_block(system_prompt(request).strip().rpartition("\n")[2])]
        elif self.verb == "history":
            self.blocks = [text_block(" | ".join(prompts[:-1]))]
        elif self.verb in ("bash", "background", "parallel") and has_result:
            self.blocks = [text_block("The command has run.")]
        elif self.verb == "parallel":
            self.call("I run commands.", "Bash",
                      *({"command": f"echo out{i}", "description": "As the test asks"}
                        for i in range(self.number)))
        elif self.verb in ("bash", "background", "loop"):
            call = {"command": self.rest, "description": "As the test asks"}
            if self.verb == "background":
                call = {"command": self.rest, "description": self.rest, "run_in_background": True}
            self.call("I run a command.", "Bash", call)
        elif self.verb == "tool" and has_result:
            self.blocks = [text_block("The tool has answered.")]
        elif self.verb == "tool":
            name, _, arguments = self.rest.partition(" ")
            calls = json.loads(arguments)
            self.call("I use a tool.", name, *(calls if isinstance(calls, list) else [calls]))
        elif self.verb == "overload":
            self.blocks = [text_block("The other model answers.")]
        elif self.verb == "delegate" and has_result:
            self.blocks = [text_block("The work is done.")]
        elif self.verb == "delegate":
            self.call("I ask for help.", "Agent",
                      {"description": "As the test asks", "prompt": self.rest,
                       "subagent_type": "general-purpose"})
        else:
            self.blocks = [text_block("I read: " + self.prompt[:60])]

    def call(self, text, tool, *calls):
        self.stop_reason = "tool_use"
        self.blocks = [text_block(text),
                       *({"type": "tool_use", "id": f"toolu_fake{next(NUMBERS):06}", "name": tool,
                          "input": arguments} for arguments in calls)]

    def texts(self):
        return [block["text"] for block in self.blocks if block["type"] == "text"]

    def calls(self):
        return [block["id"] for block in self.blocks if block["type"] == "tool_use"]

    def message(self, is_finished):
        return {"id": f"msg_fake{next(NUMBERS):06}", "type": "message", "role": "assistant",
                "model": self.model, "content": self.blocks if is_finished else [],
                "stop_reason": self.stop_reason if is_finished else None, "stop_sequence": None,
                "usage": self.tokens if is_finished else {**self.tokens, "output_tokens": 1}}

    def events(self):
        """Returns the pieces of the streamed answer, and whether to wait before each."""
        yield {"type": "message_start", "message": self.message(False)}, False
        for index, block in enumerate(self.blocks):
            is_text = block["type"] == "text"
            opening = text_block("") if is_text else {**block, "input": {}}
            yield {"type": "content_block_start", "index": index, "content_block": opening}, False
            if is_text:
                pieces = [{"type": "text_delta", "text": word}
                          for word in re.findall(r"\S+\s*", block["text"])]
            else:
                pieces = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
            for piece in pieces:
                yield {"type": "content_block_delta", "index": index, "delta": piece}, self.is_slow
            yield {"type": "content_block_stop", "index": index}, False
        yield {"type": "message_delta", "usage": {"output_tokens": self.tokens["output_tokens"]},
               "delta": {"stop_reason": self.stop_reason, "stop_sequence": None}}, False
        yield {"type": "message_stop"}, False


def text_block(text):
    return {"type": "text", "text": text}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send_json(self, status, body):
        payload = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)

    def do_HEAD(self):
        self.send_json(200, {})

    def do_GET(self):
        charged = self.server.charged if self.path == "/charged" else {}
        self.send_json(200, charged)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            request = json.loads(body)
        except ValueError:
            return self.send_json(400, error_body("invalid_request_error", "the body is not JSON"))
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            return self.send_json(200, {"input_tokens": max(1, len(body) // 4)})
        if not path.endswith("/v1/messages"):
            return self.send_json(404, error_body("not_found_error", "no such path"))
        self.answer(Answer(request), bool(request.get("stream")))

    def answer(self, answer, is_streaming):
        if answer.verb == "hang":
            self.wait_for_client()
        elif answer.verb == "fail":
            self.send_json(answer.number, error_body("api_error", "a failure, as asked"))
        elif (answer.verb == "overload" and
              self.server.overloaded.setdefault(answer.prompt, answer.model) == answer.model):
            self.send_json(529, error_body("overloaded_error", "too much to do"))
        else:
            self.charge(answer, is_streaming)

    def charge(self, answer, is_streaming):
        cut = (answer.session, answer.prompt)
        is_cut = answer.verb == "cut" and cut not in self.server.cuts
        if answer.verb == "cut" and not is_cut:
            answer.blocks = [text_block("as said")]
        self.server.cuts.add(cut)
        call = {"model": answer.model, **answer.tokens, "complete": False, "texts": answer.texts(),
                "calls": answer.calls(), "results": answer.results, "files": answer.files}
        self.server.charged.setdefault(answer.session, []).append(call)
        if is_streaming:
            self.stream(answer, is_cut)
        else:
            self.send_json(200, answer.message(True))
        call["complete"] = not is_cut

    def stream(self, answer, is_cut):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for event, is_late in answer.events():
            if is_cut and event["type"] == "content_block_stop":
                return
            if is_late:
                time.sleep(self.server.word_seconds)
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()

    def wait_for_client(self):
        self.close_connection = True
        try:
            while self.connection.recv(4096):
                pass
        except OSError:
            pass

    def handle(self):
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass


def error_body(kind, text):
    return {"type": "error", "error": {"type": kind, "message": text}}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--port-file", help="written when connections are accepted")
    parser.add_argument("--lifetime", type=float, default=300, help="seconds until it ends itself")
    parser.add_argument("--word-ms", type=int, default=100)
    arguments = parser.parse_args()
    server = Server(("127.0.0.1", arguments.port), Handler)
    server.word_seconds = arguments.word_ms / 1000
    server.charged = {}
    server.cuts = set()  # the session and prompt of each answer that was cut
    server.overloaded = {}  # the first model that asked so, by prompt
    ending = threading.Timer(arguments.lifetime, server.shutdown)
    ending.daemon = True
    ending.start()
    if arguments.port_file:
        unfinished = arguments.port_file + ".new"
        with open(unfinished, "w", encoding="ascii") as file:
            file.write(f"{server.server_address[1]}\n")
        os.replace(unfinished, arguments.port_file)
    else:
        print(server.server_address[1], flush=True)
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
