// Declares the commands that show what was recorded.
#include "eventlog/base/digits.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_filter.hpp"
#include "tools/steno/command_line/session_flags.hpp"

namespace steno {
namespace {

void add_list(CommandLine& line) {
  auto& arguments = line.keep<ListArguments>();
  CLI::App* command = line.command(line.app, "ls", "List sessions, the newest first",
                                   "  steno ls\n"
                                   "  steno ls --status waiting,asks\n"
                                   "  steno ls --since 7d --sort cost -n 10\n"
                                   "  steno ls --name 'deploy-*' -q\n"
                                   "  steno ls --status live --watch",
                                   arguments, reporting(list));
  command
      ->add_option("--status", arguments.statuses, "Only those that are any of: " + status_words())
      ->delimiter(',');
  command->add_option("--since", arguments.since, "Only what was active since, as 7d or 2026-11-20")
      ->type_name("TIME");
  command->add_option("--until", arguments.until, "Only what was started before")
      ->type_name("TIME");
  command->add_option("--name", arguments.name,
                      "Only with this in the name; * and ? match all of it");
  command->add_option("--workdir", arguments.workdir, "Only in this folder, or below")
      ->type_name("PATH");
  command->add_option("--label", arguments.labels, "Only with this label; again: with both")
      ->type_name("LABEL");
  command->add_option("--schedule", arguments.schedule, "Only runs of this schedule")
      ->type_name("NAME");
  command->add_option("--sort", arguments.sort, "By what: " + sort_words())->capture_default_str();
  command->add_flag("-q,--quiet", arguments.is_quiet, "Print the aliases alone, one a line");
  command->add_flag("--utc", arguments.has_utc, "Times of UTC, also at a terminal");
  command->add_flag("-w,--watch", arguments.is_watched,
                    "On a terminal: draw it anew as sessions change, until Ctrl-C");
  command->add_flag("-A,--all-agents", arguments.all_agents, "Of all agents");
  CLI::Option* count = command
                           ->add_option("-n,--limit", arguments.count,
                                        "At most this many, 1 to 1000000; default: 50, with -q all")
                           ->check(within(1, 1'000'000))
                           ->type_name("COUNT");
  command->add_flag("-a,--all", arguments.is_all, "All sessions, back to the first")
      ->excludes(count);
  command->add_flag("--tree", arguments.is_tree, "Subagents below their parents");
}

void add_attention(CommandLine& line) {
  auto& arguments = line.keep<AttentionArguments>();
  CLI::App* command = line.command(
      line.app, "attention", "List the sessions that need a person, the longest waiting first",
      "  steno attention\n  steno attention --dismiss nightly\n"
      "  steno attention --all-agents -o jsonl\n"
      "Their agents ask, they wait for input, are stuck or over budget, or have failed. One that "
      "is dismissed is "
      "listed\nagain when it comes to need a person anew.",
      arguments, reporting(attention));
  CLI::Option* dismiss =
      command
          ->add_option("--dismiss", arguments.dismissed,
                       "You know of this session: do not list it; can be repeated")
          ->allow_extra_args(false)
          ->type_name("REF");
  command
      ->add_flag("--dismiss-all", arguments.dismisses_all, "You know of all that would be listed")
      ->excludes(dismiss);
  command->add_flag("-A,--all-agents", arguments.all_agents, "Of all agents")->excludes(dismiss);
}

void add_top(CommandLine& line) {
  auto& arguments = line.keep<TopArguments>();
  CLI::App* command = line.command(
      line.app, "top", "Show the sessions on a screen that keeps itself current",
      "  steno top\n"
      "  steno top --all-agents\n"
      "Those that need you come first, then those that work, then those that wait. Keys choose\n"
      "one, show its output, approve or deny what it asks, send it a prompt, interrupt or kill\n"
      "it; ? lists them. Needs a terminal; steno ls --status live prints the same once.",
      arguments, reporting(top));
  command->add_flag("-A,--all-agents", arguments.all_agents, "Of all agents");
}

CLI::Option* add_output_since(CLI::App* command, OutputArguments& arguments) {
  return command
      ->add_option("--since", arguments.since,
                   "Only what was said from then on: an age such as 10m, or a time such as "
                   "2026-11-20T12:00")
      ->type_name("AGE|TIME");
}

// With --since the default does not count.
void note_count(CLI::App* command, const CLI::Option* count, OutputArguments& arguments) {
  command->parse_complete_callback(
      [count, &arguments] { arguments.is_counted = count->count() > 0; });
}

void add_output(CommandLine& line) {
  auto& arguments = line.keep<OutputArguments>();
  CLI::App* command = line.command(
      line.app, "output", "Print what a session's agent said",
      "  steno output nightly\n  steno output nightly --follow\n"
      "  steno output nightly --last --kind said\n"
      "  steno output nightly --turn 3\n"
      "  steno output nightly --since 10m --turns | less\n"
      "  steno output 4fzk --all -o jsonl\n"
      "  steno output 4fzk --kind said --kind failure\n"
      "On a terminal each turn has a heading with its number, and a line with its time and cost\n"
      "where it ends. Elsewhere --turns adds them; in JSON, the ends as items of the kind ended.",
      arguments, reporting(output));
  add_reference(command, arguments);
  CLI::Option* count =
      command
          ->add_option("-n,--tail", arguments.count,
                       "The last blocks that the agent said, and everything between them")
          ->check(within(1, 100'000))
          ->type_name("COUNT")
          ->capture_default_str();
  CLI::Option* all =
      command->add_flag("--all", arguments.is_all, "From the beginning")->excludes(count);
  CLI::Option* turn =
      command
          ->add_option("--turn", arguments.turn,
                       "Only this turn, as they are counted from 1; -1 is the last one")
          ->check(CLI::Validator(
              [](const std::string& value) {
                return value == "0" ? std::string("turns are counted from 1, or from -1 backwards")
                                    : std::string();
              },
              ""))
          ->type_name("NUMBER")
          ->excludes(count)
          ->excludes(all);
  CLI::Option* last = command->add_flag("--last", arguments.is_last, "Only the last turn")
                          ->excludes(count)
                          ->excludes(all)
                          ->excludes(turn);
  note_count(command, count, arguments);
  add_output_since(command, arguments)->excludes(all)->excludes(turn)->excludes(last);
  command->add_flag("--turns", arguments.has_turns,
                    "Show where turns begin and end also where this is no terminal");
  command
      ->add_option(
          "--kind", arguments.kinds,
          "Only items of this kind: prompt, said, thought, tool_call, tool_result, failure, "
          "or subagent for all that a subagent of the agent said and did; can be repeated")
      ->allow_extra_args(false)
      ->type_name("KIND");
  command->add_flag("--follow,-f", arguments.is_followed, "Go on until the session ends")
      ->excludes(turn);
}

void add_logs(CommandLine& line) {
  auto& arguments = line.keep<OutputArguments>();
  arguments.is_followed = true;
  arguments.count = 20;
  CLI::App* command = line.command(
      line.app, "logs", "Print what a session's agent said last, and go on as it says more",
      "  steno logs nightly\n  steno logs nightly --tail 100\n"
      "The same as steno output --follow. Ctrl-C ends the printing; the session goes on.",
      arguments, reporting(output));
  add_reference(command, arguments);
  CLI::Option* count = command
                           ->add_option("-n,--tail", arguments.count,
                                        "Begin with so many blocks of what the agent said")
                           ->check(within(1, 1'000'000))
                           ->type_name("COUNT")
                           ->capture_default_str();
  note_count(command, count, arguments);
  add_output_since(command, arguments);
  command->add_flag("-f,--follow", arguments.is_followed,
                    "As without it; steno output prints what is there, and ends");
}

void add_transcript(CommandLine& line) {
  auto& arguments = line.keep<TranscriptArguments>();
  CLI::App* command = line.command(
      line.app, "transcript", "Read what was said in a session or a conversation, page by page",
      "  steno transcript nightly\n  steno transcript main --role user --role assistant\n"
      "  steno transcript nightly --before 1234 -n 20\n"
      "  steno transcript agent:main:telegram:group:42 --first -o jsonl\n"
      "REF can be a session key: then it is what its sessions said, one after the other. With "
      "tool\n"
      "calls, and what each turn used and cost. Pages are told by positions, which never change.",
      arguments, reporting(transcript));
  command
      ->add_option("REF", arguments.reference,
                   "Session: id, alias, name, or the start of one; or a session key")
      ->required();
  command->add_option("-n,--limit", arguments.count, "At most this many items, 1 to 1000")
      ->check(within(1, 1000))
      ->type_name("COUNT")
      ->capture_default_str();
  CLI::Option* before =
      command->add_option("--before", arguments.before, "The last ones before this position")
          ->check(within(1, base::kIntegerLimit - 1))
          ->type_name("POSITION");
  CLI::Option* after =
      command->add_option("--after", arguments.after, "The first ones behind this position")
          ->check(within(1, base::kIntegerLimit - 1))
          ->type_name("POSITION")
          ->excludes(before);
  command->add_flag("--first", arguments.is_first, "From the beginning; else the last ones")
      ->excludes(before)
      ->excludes(after);
  command
      ->add_option("--role", arguments.roles,
                   "Only what was said by user, assistant or tool; can be repeated")
      ->allow_extra_args(false)
      ->type_name("ROLE");
}

void add_search(CommandLine& line) {
  auto& arguments = line.keep<SearchArguments>();
  CLI::App* command = line.command(
      line.app, "search", "Find what was said in all sessions",
      "  steno search login timeout\n"
      "  steno search '\"fix the login\" -test' --since 7d --role user\n"
      "  steno search 'time* OR delay' --session nightly --sort newest\n"
      "  steno search -o jsonl 'src/main.cpp' | jq -r .alias\n"
      "Words: all must be in one text, in any order, in capitals or not, with accents or not.\n"
      "\"two words\" must follow each other, and so must the parts of main.cpp or --since.\n"
      "word* begins so; OR is between alternatives; -word must not be there.\n"
      "The shell takes quotes away, so put the whole query into single ones. A query that begins\n"
      "with a dash comes after --. Of each text the first 64 KiB are searched.",
      arguments, reporting(search));
  command->add_option("WORDS", arguments.words, "What for")->required();
  command
      ->add_option("--since", arguments.since,
                   "Only what was said from then on: an age such as 7d, or a time such as "
                   "2026-11-20")
      ->type_name("AGE|TIME");
  CLI::Option* session =
      command->add_option("--session", arguments.session, "Only what was said in this session");
  session->type_name("REF");
  command->add_flag("-A,--all-agents", arguments.all_agents, "In the sessions of all agents")
      ->excludes(session);
  command
      ->add_option("--role", arguments.roles,
                   "Only what was said by user, assistant or tool; can be repeated")
      ->allow_extra_args(false)
      ->type_name("ROLE");
  command->add_option("--sort", arguments.sort, "best: what fits best comes first; or newest")
      ->type_name("ORDER")
      ->capture_default_str();
  command->add_option("-n,--limit", arguments.count, "At most this many, 1 to 1000")
      ->check(within(1, 1000))
      ->type_name("COUNT")
      ->capture_default_str();
}

void add_stats(CommandLine& line) {
  auto& arguments = line.keep<StatsArguments>();
  CLI::App* command = line.command(
      line.app, "stats", "Show totals over all sessions",
      "  steno stats\n  steno stats --all-agents -o json\n"
      "  steno stats --since 7d\n"
      "  steno stats --since 2026-11-01 --until 2026-12-01\n"
      "  steno stats -o prometheus > /var/lib/node_exporter/steno.prom\n"
      "With --since or --until the same is counted of that time alone: what was opened\n"
      "then, what ended then, and what was spent then. It reads the facts of the\n"
      "agent's events in the window, and no texts.",
      arguments, reporting(stats));
  command->add_flag("-A,--all-agents", arguments.all_agents, "Of all agents");
  command
      ->add_option("--since", arguments.since,
                   "Only what was recorded from then on: an age such as 7d, or a time such as "
                   "2026-11-20")
      ->type_name("AGE|TIME");
  command->add_option("--until", arguments.until, "Only what was recorded before, likewise")
      ->type_name("AGE|TIME");
}

void add_watch(CommandLine& line) {
  auto& arguments = line.keep<WatchArguments>();
  CLI::App* command = line.command(line.app, "watch", "Print events as they are recorded",
                                   "  steno watch\n  steno watch nightly --from start\n"
                                   "  steno watch --since 10m\n"
                                   "  steno watch --all-agents --from 1200 -o jsonl\n"
                                   "  steno watch --attention",
                                   arguments, reporting(watch));
  command->add_option("REF", arguments.reference, "Only this session; default: all of the agent");
  CLI::Option* from =
      command->add_option("--from", arguments.from, "A position, start or now (default)");
  CLI::Option* since =
      command
          ->add_option("--since", arguments.since,
                       "From then on: an age such as 10m, or a time such as 2026-11-20T12:00")
          ->type_name("AGE|TIME")
          ->excludes(from);
  command
      ->add_flag("--attention", arguments.is_about_attention,
                 "Instead of events, each session that needs a person, and each that comes to "
                 "need one; on a terminal with a bell")
      ->excludes(from)
      ->excludes(since);
  command->add_flag("-A,--all-agents", arguments.all_agents, "Events of all agents and the server");
  command->add_flag("--no-texts", arguments.leaves_out,
                    "Do not fetch texts that are too long for the feed");
  command->add_option("-n", arguments.count, "Stop after this many; 0: never")
      ->check(within(0, base::kIntegerLimit - 1))
      ->type_name("COUNT")
      ->capture_default_str();
}

}  // namespace

void add_reading_commands(CommandLine& line) {
  add_list(line);
  add_attention(line);
  add_top(line);
  add_output(line);
  add_logs(line);
  add_transcript(line);
  add_search(line);
  add_stats(line);
  add_watch(line);
}

}  // namespace steno
