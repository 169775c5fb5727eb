// `steno backup`: makes and lists copies of the log.

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/copy_name.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/copies.hpp"

namespace steno {
namespace {

using workers::BackupRow;

constexpr base::Duration kAskBackupsAgain = std::chrono::milliseconds(100);

Outcome<workers::BackupsAnswer> ask_backups(Connection& connection) {
  return connection.ask<workers::BackupsAnswer>(workers::kVerbBackups, workers::QueryBody{});
}

// Waits for the backup whose request was recorded at `begun`; another copy of that name does not
// count.
Outcome<BackupRow> wait_until_made(Connection& connection, const std::string& name,
                                   base::Position begun) {
  for (;;) {
    const auto answer = ask_backups(connection);
    if (!answer) return tl::unexpected(answer.error());
    const BackupRow* found = nullptr;
    for (const BackupRow& row : answer->backups) {
      if (row.name == name && row.begun == begun) found = &row;
    }
    if (found == nullptr) {
      return fail(kExitFailed, "backup " + name +
                                   " was not made: the server was restarted or it "
                                   "was forgotten meanwhile; create it again");
    }
    if (!found->fault.empty()) return fail(kExitFailed, "no backup was made: " + found->fault);
    if (found->through.value > 0) return *found;
    if (auto ok = connection.wait(kAskBackupsAgain); !ok) return tl::unexpected(ok.error());
  }
}

}  // namespace

Outcome<int> backup_create(const Config& config, const BackupArguments& arguments) {
  domain::BeginBackup command;
  command.folder = absolute_path(arguments.folder);
  const auto name = name_of_copy("a backup", arguments.name, command.folder);
  if (!name) return tl::unexpected(name.error());
  command.name = *name;
  command.shares_files = arguments.shares_files;
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  const auto begun = (*connection)->command_server(command);
  if (!begun) return tl::unexpected(begun.error());
  const auto made = wait_until_made(**connection, command.name, *begun);
  if (!made) return tl::unexpected(made.error());
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*made) + "\n");
    return kExitOk;
  }
  print("backup " + made->name + " holds the log up to event " +
        std::to_string(made->through.value) + ", and has proved itself\n");
  return kExitOk;
}

Outcome<int> backup_list(const Config& config, const BackupArguments&) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto answer = ask_backups(**connection);
  if (!answer) return tl::unexpected(answer.error());
  if (config.output == OutputFormat::json) {
    print(workers::to_json(*answer) + "\n");
    return kExitOk;
  }
  if (config.output == OutputFormat::jsonl) {
    for (const BackupRow& row : answer->backups) print(workers::to_json(row) + "\n");
    return kExitOk;
  }
  if (answer->backups.empty()) {
    remark("no backups");
    return kExitOk;
  }
  Table table({{"NAME"}, {"THROUGH", Align::right}, {"FOLDER", Align::left, 100}, {"NOTE"}});
  for (const BackupRow& row : answer->backups) {
    const std::string note = !row.fault.empty()       ? row.fault
                             : row.through.value == 0 ? "being made"
                                                      : "";
    table.add({row.name, std::to_string(row.through.value), row.folder, note});
  }
  print(table.text(stdout_columns()));
  return kExitOk;
}

Outcome<int> backup_forget(const Config& config, const BackupArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  const auto done = (*connection)->command_server(domain::ForgetBackup{arguments.name});
  if (!done) return tl::unexpected(done.error());
  print("forgotten: " + arguments.name + "\n");
  return kExitOk;
}

}  // namespace steno
