// Declares the commands that open the files of a log.
#include "tools/steno/command_line/parts.hpp"

namespace steno {
namespace {

void add_restore(CommandLine& line) {
  auto& arguments = line.keep<RestoreArguments>();
  CLI::App* command = line.log_command(
      line.app, "restore", "Make a new home from a backup; needs no server",
      "  steno restore /mnt/usb/steno-monday --to ~/steno-again\n"
      "  steno --home ~/steno-again serve\n"
      "The copy is proved first. A new epoch begins, so that nobody who followed the old log\n"
      "goes on in this one without noticing.",
      arguments, &LogCommands::restore, call<RestoreArguments>);
  command->add_option("DIR", arguments.folder, "A backup")->required();
  command->add_option("--to", arguments.home, "The new home; must not hold a log yet")
      ->required()
      ->type_name("HOME");
}

void add_doctor(CommandLine& line) {
  auto& arguments = line.keep<DoctorArguments>();
  CLI::App* command = line.log_command(
      line.app, "doctor", "Say what is wrong here and what to do; needs no server",
      "  steno doctor\n  steno --home /tmp/try doctor -o json\n  steno doctor --flight", arguments,
      &LogCommands::doctor, call<DoctorArguments>);
  command->add_flag("--flight", arguments.shows_flight,
                    "Show the last steps of the server's loop, also after it ended by a fault");
  command->add_flag("--verbose", arguments.is_verbose, "Also show how long the server takes");
}

mode_t octal_mask(const std::string& text) {
  const bool is_octal = text.find_first_not_of("01234567") == std::string::npos;
  if (text.empty() || text.size() > 4 || !is_octal) {
    throw CLI::ValidationError("--agent-umask",
                               "takes an octal number from 0 to 0777, not '" + text + "'");
  }
  return static_cast<mode_t>(std::stoul(text, nullptr, 8)) & 0777;
}

void add_backup_verify(CommandLine& line) {
  auto& verified = line.keep<ReplayArguments>();
  const auto verify = [](auto run, const Config& config, ReplayArguments told) {
    told.is_json = config.output != OutputFormat::table;
    return run(told);
  };
  line.log_command(add_backup_group(line), "verify",
                   "Prove a copy from its first event to its last; needs no server",
                   "  steno backup verify /mnt/usb/steno-monday", verified, &LogCommands::verify,
                   verify)
      ->add_option("DIR", verified.folder, "A backup")
      ->required();
}

void add_serve(CommandLine& line) {
  auto& arguments = line.keep<ServeArguments>();
  CLI::App* command = line.log_command(
      line.app, "serve", "Run the server and its worker until told to stop",
      "  steno serve\n  steno serve --detach\n  steno --home /tmp/try serve\n"
      "  steno serve --max-sessions 20\n"
      "steno status says whether one runs, steno stop ends it.",
      arguments, &LogCommands::serve,
      [](auto run, const Config& config, const ServeArguments& told) { return run(config, told); });
  command->add_option("--role", arguments.role, "Run one role alone: server or worker")
      ->check(CLI::IsMember({"server", "worker"}))
      ->type_name("ROLE");
  CLI::Option* role = command->get_option("--role");
  command
      ->add_flag("--detach", arguments.is_to_detach,
                 "Return when it is ready; it runs on without a terminal, and logs to a file")
      ->excludes(role);
  command->add_flag("--detached", arguments.is_detached, "")->group("");  // given by --detach
  command->add_flag("--accept-clock", arguments.accept_clock,
                    "Serve although the clock is far behind the log's last event");
  command->add_flag("--existing", arguments.needs_log,
                    "Refuse a data folder that holds no log, such as a disk that is not mounted");
  command->add_option("--agent-files", arguments.agent_files, "")
      ->check(within(0, base::kIntegerLimit - 1))
      ->group("");  // given to a worker by its server
  arguments.agent_umask = line.users_umask;
  command
      ->add_option_function<std::string>(
          "--agent-umask",
          [&arguments](const std::string& mask) { arguments.agent_umask = octal_mask(mask); },
          "Permissions that files made by agents withhold; default: as in this shell")
      ->type_name("OCTAL");
}

void add_replay(CommandLine& line) {
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    int (*LogCommands::*run)(const ReplayArguments&);
  };
  constexpr Kind kKinds[] = {
      {"verify", "Prove that the log is whole",
       "  steno replay verify\n  steno replay verify /backup/steno", &LogCommands::verify},
      {"state", "Show sessions as they were at a position or time",
       "  steno replay state --at 1200\n"
       "  steno replay state --at 2026-11-20T15:00:00Z --session 4fzk2q9x",
       &LogCommands::state},
      {"salvage", "Make a new log from the proved parts of a damaged one; list what is missing",
       "  steno replay salvage --to /srv/steno-new/data\n"
       "  steno replay salvage /backup/data --to /srv/steno-new/data -o json",
       &LogCommands::salvage},
      {"export", "Print the whole log as JSON lines",
       "  steno replay export > log.jsonl\n  steno replay export --without-content | less",
       &LogCommands::export_lines},
      {"import", "Make a log from the output of export",
       "  steno replay import log.jsonl --to /srv/steno-new/data", &LogCommands::import_lines},
      {"diff", "Compare two positions, two logs, or a projection with the log",
       "  steno replay diff --from 1200 --to 1300\n"
       "  steno replay diff --from 2026-11-20 --session 4fzk2q9x\n"
       "  steno replay diff /srv/steno/data /backup/data\n"
       "  steno replay diff --projection metrics",
       &LogCommands::diff},
      {"stats", "Count events and bytes by type and agent", "  steno replay stats",
       &LogCommands::stats},
      {"rebuild", "Fold the projections anew and compare them with the live ones",
       "  steno replay rebuild\n  steno replay rebuild --projection metrics",
       &LogCommands::rebuild},
  };
  CLI::App* replay = line.app.add_subcommand("replay", "Read a log offline; never repairs it");
  replay->require_subcommand(1)->fallthrough();
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<ReplayArguments>();
    const auto run = [](auto kind_run, const Config& config, ReplayArguments told) {
      if (told.folder.empty()) told.folder = config.data_folder;
      if (is_flag(config, "agent")) told.agent = config.agent;
      told.is_json = config.output != OutputFormat::table;
      return kind_run(told);
    };
    CLI::App* command =
        line.log_command(*replay, kind.name, kind.help, kind.examples, arguments, kind.run, run);
    if (kind.run == &LogCommands::import_lines) {
      command->add_option("FILE", arguments.file, "The lines; -: read from stdin")->required();
    } else {
      command->add_option("FOLDER", arguments.folder, "A data folder; default: the configured one");
    }
    if (kind.run != &LogCommands::import_lines) {
      command
          ->add_option("--archive", arguments.archives,
                       "Read this archive as the log's beginning; can be repeated")
          ->allow_extra_args(false)
          ->type_name("DIR");
    }
    if (kind.run == &LogCommands::verify) {
      command->add_option("--checkpoint", arguments.checkpoint,
                          "A checkpoint that verify printed earlier: the log must still hold it");
      command
          ->add_option("--anchor", arguments.anchor,
                       "A file that anchor create wrote: the log must still hold it")
          ->type_name("FILE");
      command
          ->add_option("--key", arguments.keys,
                       "Accept anchors of this key only: the fingerprint that was written down; "
                       "can be repeated")
          ->allow_extra_args(false)
          ->type_name("FINGERPRINT");
    } else if (kind.run == &LogCommands::state) {
      command->add_option("--at", arguments.at, "A position or a time; default: the end");
      command->add_option("--session", arguments.session, "Only this one; default: all");
    } else if (kind.run == &LogCommands::salvage || kind.run == &LogCommands::import_lines) {
      command->add_option("--to", arguments.target, "The new log's data folder: new, or empty")
          ->required();
      if (kind.run == &LogCommands::import_lines) {
        command->add_flag("--exact", arguments.is_exact,
                          "Begin no epoch: for a copy that no server will write");
      }
    } else if (kind.run == &LogCommands::export_lines) {
      command->add_flag_callback(
          "--without-content", [&arguments] { arguments.with_content = false; },
          "Facts only; cannot be imported");
    } else if (kind.run == &LogCommands::diff) {
      command->add_option("OTHER", arguments.other, "Another log's data folder");
      command->add_option("--from", arguments.from, "A position or a time; 0: the start");
      command->add_option("--to", arguments.at, "A later one; default: the end");
      command->add_option("--session", arguments.session, "Only this one; default: all");
      command->add_option("--projection", arguments.projection, "Compare its rows with the log");
    } else if (kind.run == &LogCommands::rebuild) {
      command->add_option("--projection", arguments.projection, "Only this one; default: all");
      command->add_option("--to", arguments.to, "The last position to fold")
          ->check(within(1, base::kIntegerLimit - 1))
          ->type_name("POSITION");
    }
  }
}

}  // namespace

void add_log_commands(CommandLine& line) {
  for (const auto add : {add_restore, add_backup_verify, add_doctor, add_serve, add_replay})
    add(line);
}

}  // namespace steno
