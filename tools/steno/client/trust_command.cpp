// The file is read once, and its digest is taken before anybody is asked: so what is
// trusted is what was shown.
#include "tools/steno/client/trust_command.hpp"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "tools/steno/client/line_input.hpp"
#include "tools/steno/client/project_settings.hpp"
#include "tools/steno/config/trusted_files.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/json.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

std::string table_name(const FileSetting& setting) {
  std::string name;
  for (const std::string& part : setting.table) name += (name.empty() ? "" : ".") + part;
  return "[" + name + "]";
}

// Each value whole: a person is to see all that they agree to.
void print_for_people(const std::vector<FileSetting>& more) {
  constexpr const char* kIndent = "    ";
  std::string text;
  for (const FileSetting& setting : more) {
    text += "line " + std::to_string(setting.line) + "  " +
            workers::safe_line(table_name(setting) + " " + setting.key) + "\n";
    const std::string safe = workers::safe_text(setting.text);
    for (const std::string_view line : workers::lines_of(safe)) {
      text.append(kIndent).append(line).append("\n");
    }
    for (const std::string& word : setting.list) {
      text += kIndent + workers::safe_line(word) + "\n";
    }
  }
  print(text);
}

std::string value_text(const FileSetting& setting) {
  std::string text = setting.text;
  for (const std::string& word : setting.list) text += (text.empty() ? "" : ", ") + word;
  return workers::safe_line(text);
}

void print_as_json(const std::string& path, const std::vector<FileSetting>& more, bool is_trusted) {
  std::string settings;
  for (const FileSetting& setting : more) {
    settings += (settings.empty() ? "" : ",") + workers::JsonObject()
                                                    .add("key", setting.key)
                                                    .add("value", value_text(setting))
                                                    .add("line", setting.line)
                                                    .text();
  }
  print("{\"file\":" + workers::to_json(path) + ",\"trusted\":" + workers::to_json(is_trusted) +
        ",\"gives\":[" + settings + "]}\n");
}

// Asks a person, who has seen what the file gives.
Outcome<bool> confirm_trust(const Config& config, const TrustArguments& arguments) {
  if (arguments.is_confirmed) return true;
  if (!is_stdin_terminal() || config.output != OutputFormat::table) {
    return fail(kExitUsage,
                "the file is not trusted, since nobody can be asked here; read it, then say --yes");
  }
  remark("sessions that are opened below its folder get this; trust the file? [y/N]");
  LineInput input(STDIN_FILENO);
  std::optional<std::string> line;
  while (!(line = input.take_line()) && !input.is_at_end()) input.fill();
  if (line && (*line == "y" || *line == "Y" || *line == "yes")) return true;
  return fail(kExitInterrupted, "the file is not trusted");
}

Outcome<std::string> named_project_file(const TrustArguments& arguments) {
  if (arguments.file.empty()) {
    std::string looked_up_to;
    std::string path = project_file_here(looked_up_to);
    if (!path.empty()) return path;
    return fail(kExitNotFound,
                "no " + std::string(kProjectFile) + " is here or above, up to " + looked_up_to);
  }
  std::error_code ignored;
  std::filesystem::path path = arguments.file;
  if (std::filesystem::is_directory(path, ignored)) path /= kProjectFile;
  // As it is found from its folder: a link stays what it is called.
  const auto folder = std::filesystem::weakly_canonical(
      std::filesystem::absolute(path, ignored).parent_path(), ignored);
  return (folder / path.filename()).string();
}

Outcome<int> forget(const Config& config, const std::string& path) {
  const auto is_changed = set_trust(trust_list_of(config), path, "");
  if (!is_changed) return fail(is_changed.error());
  if (config.output != OutputFormat::table) {
    print_as_json(path, {}, false);
  } else {
    const std::string what = *is_changed ? " is not trusted any more" : " was not trusted";
    print(workers::safe_line(path + what) + "\n");
  }
  return kExitOk;
}

}  // namespace

Outcome<int> config_trust(const Config& config, const TrustArguments& arguments) {
  if (runs_in_session()) {
    return fail(kExitRefused, "an agent cannot trust a file that gives agents more; a person does");
  }
  const auto path = named_project_file(arguments);
  if (!path) return tl::unexpected(path.error());
  if (arguments.is_forgotten) return forget(config, *path);
  const auto file = read_project(*path);
  if (!file) return fail(file.error());
  const auto digest = trust_digest(*file);
  if (!digest) return fail(digest.error());
  const auto more = all_widening(config, *file);
  if (!more) return tl::unexpected(more.error());
  const bool is_table = config.output == OutputFormat::table;
  if (is_table) print_for_people(*more);
  if (const auto agreed = confirm_trust(config, arguments); !agreed) {
    return tl::unexpected(agreed.error());
  }
  if (const auto ok = set_trust(trust_list_of(config), *path, *digest); !ok) {
    return fail(ok.error());
  }
  if (is_table) {
    print(workers::safe_line(*path + " is trusted as it is now; a change of it asks again") + "\n");
  } else {
    print_as_json(*path, *more, true);
  }
  return kExitOk;
}

}  // namespace steno
