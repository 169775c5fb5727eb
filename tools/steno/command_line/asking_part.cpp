// Declares the commands that answer agents: requests, rules and hooks.
#include "eventlog/base/digits.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/command_line/parts.hpp"

namespace steno {
namespace {

CLI::App* add_ask_answer(CommandLine& line, const char* name, const char* help,
                         const char* examples, AskAnswerArguments& arguments,
                         Outcome<int> (*run)(const Config&, const AskAnswerArguments&)) {
  CLI::App* command = line.command(line.app, name, help, examples, arguments, reporting(run));
  command
      ->add_option("REF", arguments.reference,
                   "Session that asks: id, alias, name, or the start of one; of several requests "
                   "REF#NUMBER")
      ->required();
  return command;
}

void add_asks(CommandLine& line) {
  auto& listed = line.keep<ApprovalsArguments>();
  CLI::App* list =
      line.command(line.app, "approvals", "List what agents ask for, the oldest first",
                   "  steno approvals\n"
                   "  steno approvals nightly#2\n"
                   "An agent that needs an approval, or has a question, waits until somebody\n"
                   "answers. With REF all of what a session asks is shown.",
                   listed, reporting(approvals));
  list->add_option("REF", listed.reference, "Only of this session, or this request: REF#NUMBER");
  list->add_flag("-A,--all-agents", listed.all_agents, "Of all agents");
  auto& approved = line.keep<AskAnswerArguments>();
  CLI::App* command =
      add_ask_answer(line, "approve", "Approve what an agent asks for",
                     "  steno approve nightly\n"
                     "  steno approve nightly --always\n"
                     "  steno approve nightly#2 --input '{\"command\": \"make test\"}'\n"
                     "steno approvals nightly shows the rule that --always and --session add.",
                     approved, approve);
  command->add_option("--input", approved.input, "What the call gets instead of what it asked for")
      ->type_name("JSON");
  CLI::Option* session = command->add_flag("--session", approved.is_for_session,
                                           "Allow such calls of this session from now on");
  command
      ->add_flag("--always", approved.is_for_always,
                 "Allow such calls of all sessions of the agent from now on")
      ->excludes(session);
  auto& denied = line.keep<AskAnswerArguments>();
  add_ask_answer(line, "deny", "Deny what an agent asks for",
                 "  steno deny nightly\n  steno deny nightly 'use make test instead'", denied, deny)
      ->add_option("WHY", denied.words, "The reason, which the agent is told");
  auto& answered = line.keep<AskAnswerArguments>();
  add_ask_answer(line, "answer", "Answer a question of an agent",
                 "  steno answer nightly 2\n"
                 "  steno answer nightly 'the other one, but without tests'\n"
                 "  steno answer nightly#3 1 1,2\n"
                 "Numbers stand for the choices. Of several questions each has an answer of its "
                 "own.",
                 answered, answer)
      ->add_option("ANSWER", answered.words, "A number, or words")
      ->required();
}

void add_rules(CommandLine& line) {
  CLI::App* rules =
      line.app.add_subcommand("rules", "Answers given beforehand to what agents will ask");
  rules->require_subcommand(1)->fallthrough();
  auto& listed = line.keep<RuleArguments>();
  CLI::App* list =
      line.command(*rules, "ls", "List them", "  steno rules ls\n  steno rules ls -o json", listed,
                   reporting(rules_list));
  list->add_flag("-A,--all-agents", listed.all_agents, "Of all agents");
  auto& added = line.keep<RuleArguments>();
  CLI::App* add = line.command(
      *rules, "add", "Add a rule",
      "  steno rules add --allow 'Bash(make *)'\n"
      "  steno rules add --deny 'Bash(git push *)' --all-agents\n"
      "  steno rules add --ask 'Edit(.github/**)'\n"
      "deny wins over ask, and ask over allow. A command is allowed only if each of its parts is.\n"
      "A rule is a fact, which no erasure reaches.",
      added, reporting(rules_add));
  add->add_option("PATTERN", added.pattern,
                  "A tool, as Bash or mcp__github; with what it does, as Bash(npm run *), "
                  "Edit(src/**), WebFetch(domain:example.org), Bash(/^git (log|diff)/)")
      ->required();
  CLI::App* verdict = add->add_option_group("What")->require_option(1);
  verdict->add_flag("--allow", added.allows, "Such calls are granted at once");
  verdict->add_flag("--deny", added.denies, "They are denied at once");
  verdict->add_flag("--ask", added.asks, "People are asked, whatever allows them");
  CLI::Option* of_session = add->add_option("--session", added.session, "Only of this session");
  of_session->type_name("REF");
  add->add_flag("-A,--all-agents", added.all_agents, "Of all agents")->excludes(of_session);
  auto& imported = line.keep<RuleArguments>();
  CLI::App* import = line.command(
      *rules, "import", "Add the rules of another program's file",
      "  steno rules import .claude/settings.json --dry-run\n"
      "  steno rules import ~/.openclaw/approvals.json --all-agents\n"
      "Of a settings.json of Claude Code permissions.allow, ask and deny are read, of an\n"
      "approvals.json alwaysApprove. What is no rule here is refused by name; if it denies, or\n"
      "has people asked, nothing is added. Rules that are there already are not added again.",
      imported, reporting(rules_import));
  import->add_option("FILE", imported.file, "JSON")->required();
  import->add_flag("-A,--all-agents", imported.all_agents, "For all agents");
  import->add_flag("--dry-run", imported.is_dry, "Say what would be added, and add nothing");
  auto& exported = line.keep<RuleArguments>();
  CLI::App* written = line.command(
      *rules, "export", "Write the rules that allow as an approvals.json",
      "  steno rules export > approvals.json\n"
      "  steno rules export --all-agents --since 30d\n"
      "steno rules import reads it again. What that form cannot say is named, and left out: rules\n"
      "that deny or have people asked, those of one session, and regular expressions.",
      exported, reporting(rules_export));
  written->add_flag("-A,--all-agents", exported.all_agents, "Of all agents");
  written
      ->add_option("--since", exported.since,
                   "With what was decided from then on: an age such as 7d, or a time such as "
                   "2026-11-20; without it history is empty")
      ->type_name("AGE|TIME");
  auto& removed = line.keep<RuleArguments>();
  line.command(*rules, "rm", "Remove one", "  steno rules rm 3", removed, reporting(rules_remove))
      ->add_option("NUMBER", removed.rule, "As the list says")
      ->check(within(1, base::kIntegerLimit - 1))
      ->required();
  auto& tested = line.keep<RuleArguments>();
  CLI::App* test = line.command(
      *rules, "test", "Say what the rules answer to a call, or to the calls on the record",
      "  steno rules test 'make test && git push'\n"
      "  steno rules test --tool Edit --input '{\"file_path\": \"src/a.cpp\"}'\n"
      "  steno rules test --since 7d\n"
      "  steno rules test --since 7d --allow 'Bash(make *)' --deny 'Bash(git push *)'\n"
      "Rules that are given here are tried, beside the stored ones, and not stored.",
      tested, reporting(rules_test));
  CLI::Option* of_bash = test->add_option("COMMAND", tested.command, "Of the tool Bash");
  CLI::Option* input = test->add_option("--input", tested.input, "Its input");
  input->type_name("JSON")->excludes(of_bash);
  test->add_option("--tool", tested.tool, "Another tool")->needs(input);
  CLI::Option* tested_session = test->add_option(
      "--session", tested.session, "As if this session asked; with --since, its calls alone");
  tested_session->type_name("REF");
  CLI::Option* since = test->add_option(
      "--since", tested.since,
      "All calls on the record from then on: an age such as 7d, or a time such as 2026-11-20");
  since->type_name("AGE|TIME")->excludes(of_bash)->excludes(input);
  test->add_flag("-A,--all-agents", tested.all_agents, "Calls of all agents")
      ->needs(since)
      ->excludes(tested_session);
  const auto add_tried = [&](const char* flag, std::vector<std::string>& into, const char* help) {
    test->add_option(flag, into, help)->type_name("PATTERN")->allow_extra_args(false);
  };
  add_tried("--allow", tested.allowed, "Try a rule that allows; can be repeated, as the next two");
  add_tried("--deny", tested.denied, "Try a rule that denies");
  add_tried("--ask", tested.asked, "Try a rule that has people asked");
}

void add_hooks(CommandLine& line) {
  CLI::App* hooks =
      line.app.add_subcommand("hooks", "Programs that are asked about what agents do");
  hooks->require_subcommand(1)->fallthrough();
  auto& listed = line.keep<HookArguments>();
  line.command(*hooks, "ls", "List them, with what came of them since the server began",
               "  steno hooks ls\n  steno hooks ls -o json", listed, reporting(hooks_list));
  auto& logged = line.keep<HookArguments>();
  line.command(*hooks, "log", "Show what hooks were asked about a session, and what came of it",
               "  steno hooks log nightly", logged, reporting(hooks_log))
      ->add_option("REF", logged.reference, "The session")
      ->required();
  auto& tried = line.keep<HookArguments>();
  CLI::App* attempt =
      line.command(*hooks, "try", "Run a hook of the settings here, without effect on any session",
                   "  steno hooks try guard --input '{\"command\": \"rm -rf /\"}'\n"
                   "  steno hooks try screen --prompt 'delete all of it'\n"
                   "  steno hooks try redact --result 'password=hunter2'\n"
                   "  steno hooks try guard --session nightly --at 4711\n"
                   "Exit codes: 0 it lets pass, or changes; 5 it blocks; 1 it fails, also if its "
                   "failure blocks;\n2 it is not asked about this.",
                   tried, reporting(hooks_try));
  attempt->add_option("NAME", tried.name, "The hook's name")->required();
  CLI::Option* input = attempt->add_option("--input", tried.input, "Of a call")->type_name("JSON");
  attempt->add_option("--tool", tried.tool, "Of a call; default: Bash");
  attempt->add_option("--prompt", tried.prompt, "A prompt instead of a call")->excludes(input);
  attempt->add_option("--result", tried.result, "What the call has put out: JSON, or a text");
  attempt->add_option("--on", tried.point, "The point; default: the hook's first one");
  CLI::Option* session = attempt->add_option("--session", tried.reference, "A session's step");
  CLI::Option* at = attempt->add_option("--at", tried.at, "Its position, as steno hooks log says");
  session->type_name("REF")->needs(at);
  at->needs(session);
  auto& served = line.keep<HookServeArguments>();
  CLI::App* serve = line.command(
      *hooks, "serve", "Run a program for each step of the hooks with that subscriber",
      "  steno hooks serve guard -- ./guard.py --strict\n"
      "It reads each step from stdin, and answers as the command of a hook does. A step has one\n"
      "program at a time; start this command again for more.",
      served, reporting(hooks_serve));
  serve->add_option("NAME", served.name, "As subscriber in [[hooks]] names it")->required();
  serve->add_option("PROGRAM", served.program, "With its arguments, behind --")->required();
}

}  // namespace

void add_asking_commands(CommandLine& line) {
  add_asks(line);
  add_rules(line);
  add_hooks(line);
}

}  // namespace steno
