// `steno archive`: moves the log's beginning into a copy of its own, and lists and forgets
// archives.

#include "eventlog/base/time_text.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/copy_name.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/copies.hpp"

namespace steno {
namespace {

using workers::ArchiveRow;

constexpr base::Duration kAskArchivesAgain = std::chrono::milliseconds(100);

Outcome<workers::ArchivesAnswer> ask_archives(Connection& connection) {
  return connection.ask<workers::ArchivesAnswer>(workers::kVerbArchives, workers::QueryBody{});
}

// Waits for the archive whose request was recorded at `begun`, until the log no longer holds its
// events.
Outcome<ArchiveRow> wait_until_trimmed(Connection& connection, const std::string& name,
                                       base::Position begun) {
  for (;;) {
    const auto answer = ask_archives(connection);
    if (!answer) return tl::unexpected(answer.error());
    const ArchiveRow* found = nullptr;
    for (const ArchiveRow& row : answer->archives) {
      if (row.name == name && row.begun == begun) found = &row;
    }
    if (found == nullptr) {
      return fail(kExitFailed, "archive " + name +
                                   " was not made: the server was restarted or it was forgotten "
                                   "meanwhile; create it again");
    }
    if (!found->fault.empty() && found->through.value == 0) {
      return fail(kExitFailed, "no archive was made: " + found->fault);
    }
    if (!found->fault.empty()) {
      return fail(kExitFailed,
                  "archive " + name + " was made, and the log is not trimmed yet: " + found->fault);
    }
    if (found->is_trimmed) return *found;
    if (auto ok = connection.wait(kAskArchivesAgain); !ok) return tl::unexpected(ok.error());
  }
}

// Parses a position, a time, or an age into the command's bound.
Outcome<bool> parse_before(const std::string& text, base::Time now, domain::BeginArchive& command) {
  const bool is_number = !text.empty() && text.size() <= 15 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) {
    command.before = {std::stoll(text)};
    if (command.before.value > 0) return true;
  } else if (const auto time = base::parse_time_text(text)) {
    command.before_time = *time;
    return true;
  } else if (const auto age = parse_duration(text)) {
    command.before_time = base::Time{now.us - age->count()};
    return true;
  }
  return fail(kExitUsage, "'" + text +
                              "' is neither a position, nor a time such as 2026-11-20, nor an age "
                              "such as 90d");
}

}  // namespace

Outcome<int> archive_create(const Config& config, const ArchiveArguments& arguments) {
  domain::BeginArchive command;
  command.folder = absolute_path(arguments.folder);
  const auto name = name_of_copy("an archive", arguments.name, command.folder);
  if (!name) return tl::unexpected(name.error());
  command.name = *name;
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  const auto told = parse_before(arguments.before, (*connection)->clock().wall(), command);
  if (!told) return tl::unexpected(told.error());
  const auto begun = (*connection)->command_server(command);
  if (!begun) return tl::unexpected(begun.error());
  const auto made = wait_until_trimmed(**connection, command.name, *begun);
  if (!made) return tl::unexpected(made.error());
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*made) + "\n");
    return kExitOk;
  }
  print("archive " + made->name + " holds events " + std::to_string(made->first.value) + " to " +
        std::to_string(made->through.value) +
        ", and has proved itself; the log begins behind it\n");
  return kExitOk;
}

Outcome<int> archive_list(const Config& config, const ArchiveArguments&) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto answer = ask_archives(**connection);
  if (!answer) return tl::unexpected(answer.error());
  if (config.output == OutputFormat::json) {
    print(workers::to_json(*answer) + "\n");
    return kExitOk;
  }
  if (config.output == OutputFormat::jsonl) {
    for (const ArchiveRow& row : answer->archives) print(workers::to_json(row) + "\n");
    return kExitOk;
  }
  if (answer->archives.empty()) {
    remark("no archives");
    return kExitOk;
  }
  Table table({{"NAME"},
               {"FIRST", Align::right},
               {"THROUGH", Align::right},
               {"FOLDER", Align::left, 100},
               {"NOTE"}});
  for (const ArchiveRow& row : answer->archives) {
    const std::string note = !row.fault.empty()       ? row.fault
                             : row.through.value == 0 ? "being made"
                             : !row.is_trimmed        ? "the log is being trimmed"
                                                      : "";
    table.add({row.name, std::to_string(row.first.value), std::to_string(row.through.value),
               row.folder, note});
  }
  print(table.text(stdout_columns()));
  return kExitOk;
}

Outcome<int> archive_forget(const Config& config, const ArchiveArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  const auto done = (*connection)->command_server(domain::ForgetArchive{arguments.name});
  if (!done) return tl::unexpected(done.error());
  print("forgotten: " + arguments.name + "\n");
  return kExitOk;
}

}  // namespace steno
