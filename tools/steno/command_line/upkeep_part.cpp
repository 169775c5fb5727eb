// Declares the commands that look after the log, and after what it told.
#include "eventlog/base/digits.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/command_line/parts.hpp"

namespace steno {
namespace {

void add_backup(CommandLine& line) {
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    Outcome<int> (*run)(const Config&, const BackupArguments&);
  };
  constexpr Kind kKinds[] = {
      {"create", "Copy the log while it is written, and prove the copy",
       "  steno backup create /mnt/usb/steno-monday\n"
       "  steno backup create --name monday /mnt/usb/1\n"
       "Each copy needs a folder of its own: one that holds a backup is never written again.\n"
       "A nightly job can name folders by their date.",
       backup_create},
      {"list", "List the copies that erasures reach into", "  steno backup list", backup_list},
      {"forget", "Declare a copy gone, so that erasures no longer wait for it",
       "  steno backup forget monday", backup_forget},
  };
  CLI::App& backup = add_backup_group(line);
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<BackupArguments>();
    CLI::App* command =
        line.command(backup, kind.name, kind.help, kind.examples, arguments, reporting(kind.run));
    if (kind.run == backup_list) command->alias("ls");
    if (kind.run == backup_create) {
      command->add_option("DIR", arguments.folder, "A folder that is missing or empty")->required();
      command->add_option("--name", arguments.name, "Its name; default: the folder's own");
      command->add_flag("--share-files", arguments.shares_files,
                        "On the log's own file system: share files with it instead of copying "
                        "them. Takes no time or space, but one bad sector then damages both");
    } else if (kind.run == backup_forget) {
      command->add_option("NAME", arguments.name, "As the list says")->required();
    }
  }
}

void add_archive(CommandLine& line) {
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    Outcome<int> (*run)(const Config&, const ArchiveArguments&);
  };
  constexpr Kind kKinds[] = {
      {"create", "Move the beginning of the log into a folder of its own",
       "  steno archive create /mnt/usb/steno-2026 --before 2027-01-01\n"
       "  steno archive create --name spring /srv/archives/spring --before 90d\n"
       "The beginning is copied and proved, its end is signed, and only then is it removed from\n"
       "the log. Events from the oldest live session on stay. Texts of earlier sessions are in "
       "the\n"
       "archive:\n"
       "  steno replay state --archive /mnt/usb/steno-2026 --session nightly",
       archive_create},
      {"list", "List the archives, which erasures reach into", "  steno archive list",
       archive_list},
      {"forget", "Declare an archive gone, so that erasures no longer wait for it",
       "  steno archive forget spring", archive_forget},
  };
  CLI::App* archive = line.app.add_subcommand("archive", "Move the log's beginning elsewhere");
  archive->require_subcommand(1)->fallthrough();
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<ArchiveArguments>();
    CLI::App* command =
        line.command(*archive, kind.name, kind.help, kind.examples, arguments, reporting(kind.run));
    if (kind.run == archive_list) command->alias("ls");
    if (kind.run == archive_create) {
      command->add_option("DIR", arguments.folder, "A folder that is missing or empty")->required();
      command->add_option("--name", arguments.name, "Its name; default: the folder's own");
      command
          ->add_option("--before", arguments.before,
                       "Keep events from this position, time or age on; whole blocks only")
          ->required()
          ->type_name("POSITION|TIME|AGE");
    } else if (kind.run == archive_forget) {
      command->add_option("NAME", arguments.name, "As the list says")->required();
    }
  }
}

void add_anchor(CommandLine& line) {
  CLI::App* anchor = line.app.add_subcommand("anchor", "Have the server sign the log's end");
  anchor->require_subcommand(1)->fallthrough();
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    Outcome<int> (*run)(const Config&, const AnchorArguments&);
  };
  constexpr Kind kKinds[] = {
      {"create", "Sign the log up to its end, and record the signature in it",
       "  steno anchor create\n"
       "  steno anchor create --to /mnt/usb/steno.anchor\n"
       "With the file, anyone can later detect that the log was edited or shortened:\n"
       "  steno replay verify --anchor /mnt/usb/steno.anchor --key <fingerprint>",
       anchor_create},
      {"show", "Show the last one", "  steno anchor show\n  steno anchor show --to monday.anchor",
       anchor_show},
  };
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<AnchorArguments>();
    line.command(*anchor, kind.name, kind.help, kind.examples, arguments, reporting(kind.run))
        ->add_option("--to", arguments.file, "Write a copy into this file, for storage elsewhere")
        ->type_name("FILE");
  }
}

// The number of a notification is a position.
CLI::Validator is_notification() {
  return {[](const std::string& text) {
            const auto number = base::parse_digits(text);
            const bool is_position = number && *number > 0 && *number < base::kIntegerLimit;
            return is_position ? std::string()
                               : "'" + text +
                                     "' is no number of a notification; steno notify ls lists them";
          },
          ""};
}

void add_notify(CommandLine& line) {
  CLI::App* notify =
      line.app.add_subcommand("notify", "Notifications that have not reached their targets");
  notify->require_subcommand(1)->fallthrough();
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    const char* named;  // help of the positional argument; null: there is none
    Outcome<int> (*run)(const Config&, const NotifyArguments&);
  };
  constexpr Kind kKinds[] = {
      {"ls", "List them, the oldest first, with the last error of each",
       "  steno notify ls\n  steno notify ls -o json | jq '.notifications[].error'", nullptr,
       notify_list},
      {"retry", "Try one again now", "  steno notify retry 1234\n  steno notify retry --all",
       "Its number, as the list says", notify_retry},
      {"drop", "Do not deliver one any more", "  steno notify drop 1234\n  steno notify drop --all",
       "Its number, as the list says", notify_drop},
  };
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<NotifyArguments>();
    CLI::App* command =
        line.command(*notify, kind.name, kind.help, kind.examples, arguments, reporting(kind.run));
    if (kind.named == nullptr) continue;
    command->add_option("NUMBER", arguments.notification, kind.named)->check(is_notification());
    command->add_flag("--all", arguments.is_all, "Each one that was given up");
  }
}

}  // namespace

void add_upkeep_commands(CommandLine& line) {
  add_backup(line);
  add_archive(line);
  add_anchor(line);
  add_notify(line);
}

}  // namespace steno
