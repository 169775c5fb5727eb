// Walks the tree of commands. Footers are examples, indented, and lines of text.
#include "tools/steno/command_line/man_page.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "eventlog/base/own_folder.hpp"
#include "eventlog/base/release.hpp"
#include "tools/steno/command_line/completion.hpp"
#include "tools/steno/command_line/help.hpp"

namespace steno {
namespace {

using Options = std::vector<const CLI::Option*>;
using Commands = std::vector<const CLI::App*>;

// Returns the code point at the text's beginning, which is UTF-8, and takes it off.
char32_t take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  char32_t point = length == 1 ? first : first & (0x7fU >> length);
  for (std::size_t i = 1; i < length && i < text.size(); ++i) {
    point = (point << 6) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  text.remove_prefix(std::min(length, text.size()));
  return point;
}

// Returns the text as troff prints it literally: what is typed can be copied from the page.
std::string literal(std::string_view text) {
  std::string out = text.starts_with('.') ? "\\&" : "";
  while (!text.empty()) {
    const char32_t c = take_character(text);
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '"':
        out += "\\(dq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        if (c < 0x80) {
          out += static_cast<char>(c);
        } else {
          char name[16];
          std::snprintf(name, sizeof name, "\\[u%04X]", static_cast<unsigned>(c));
          out += name;
        }
    }
  }
  return out;
}

std::string bold(std::string_view text) {
  return "\\fB" + literal(text) + "\\fR";
}
std::string italic(std::string_view text) {
  return "\\fI" + literal(text) + "\\fR";
}

Commands commands_below(const CLI::App& app) {
  Commands found;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!one->get_name().empty() && !one->get_group().empty()) found.push_back(one);
  }
  return found;
}

// Adds those of the command's groups of options, too, which CLI11 has as commands without a name.
void add_options(const CLI::App& command, bool is_positional, Options& options) {
  for (const CLI::Option* one : command.get_options()) {
    const bool is_help = one == command.get_help_ptr() && command.get_parent() != nullptr;
    const bool is_shown = !one->get_group().empty() && !is_help;
    if (one->get_positional() == is_positional && is_shown) options.push_back(one);
  }
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_name().empty()) add_options(*one, is_positional, options);
  }
}

Options options_of(const CLI::App& command, bool is_positional) {
  Options options;
  add_options(command, is_positional, options);
  return options;
}

// "steno schedule add", as it is typed.
std::string typed(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : typed(*parent) + " ") + command.get_name();
}

std::string with_names(const char* words, const std::set<CLI::Option*>& options) {
  std::string text;
  for (const CLI::Option* one : options) text += (text.empty() ? "" : ", ") + one->get_name();
  return text.empty() ? text : std::string(" ") + words + " " + text + ".";
}

std::string option_text(const CLI::Option& option) {
  std::string term;
  std::stringstream names(option.get_name(option.get_positional(), true));
  for (std::string name; std::getline(names, name, ',');) {
    term += (term.empty() ? "" : ", ") + (option.get_positional() ? italic(name) : bold(name));
  }
  const bool takes_value = option.get_expected_min() > 0 && !option.get_positional();
  const std::string type = option.get_type_name();
  if (takes_value) term += " " + italic(type.empty() || type == "TEXT" ? "VALUE" : type);
  std::string text = option.get_description();
  if (!text.empty() && !text.ends_with('.')) text += '.';
  if (!option.get_default_str().empty()) text += " Default: " + option.get_default_str() + ".";
  text += with_names("Needs", option.get_needs()) + with_names("Not with", option.get_excludes());
  return ".TP\n" + term + "\n" + literal(text) + "\n";
}

std::string options_text(const Options& options) {
  std::string text;
  for (const CLI::Option* one : options) text += option_text(*one);
  return text;
}

std::string synopsis(const CLI::App& command) {
  std::string line = bold(typed(command));
  if (!options_of(command, false).empty()) line += " [" + italic("OPTIONS") + "]";
  for (const CLI::Option* one : options_of(command, true)) {
    const std::string name =
        italic(one->get_name(true)) + (one->get_expected_max() > 1 ? "..." : "");
    line += one->get_required() ? " " + name : " [" + name + "]";
  }
  return line;
}

// A footer in two parts, each in troff.
struct Footer {
  std::string examples;
  std::string notes;
};

Footer footer_of(const CLI::App& command) {
  Footer footer;
  std::string* part = &footer.notes;
  bool is_example = false;
  const auto end_example = [&] {
    if (is_example) *part += ".EE\n.RE\n";
    is_example = false;
  };
  // A command without a footer has its parent's.
  const CLI::App* parent = command.get_parent();
  const bool is_own = parent == nullptr || command.get_footer() != parent->get_footer();
  std::stringstream lines(is_own ? command.get_footer() : std::string());
  for (std::string line; std::getline(lines, line);) {
    if (line == "Examples:") {
      part = &footer.examples;
      continue;
    }
    if (line.starts_with("  ")) {
      if (!is_example) *part += ".PP\n.RS 4\n.EX\n";
      is_example = true;
      *part += literal(std::string_view(line).substr(2)) + "\n";
      continue;
    }
    const bool is_first = is_example || footer.notes.empty();
    end_example();
    part = &footer.notes;
    if (is_first) *part += ".PP\n";
    if (!line.empty()) *part += literal(line) + "\n";
  }
  end_example();
  return footer;
}

std::string section(const char* title, const std::string& text) {
  return text.empty() ? text : std::string(".SH ") + title + "\n" + text;
}

// What a command below the page's own says.
std::string subsection(const CLI::App& command) {
  const Footer footer = footer_of(command);
  return ".SS \"" + literal(typed(command)) + "\"\n" + synopsis(command) + "\n.PP\n" +
         literal(command.get_description()) + ".\n" + footer.notes +
         options_text(options_of(command, true)) + options_text(options_of(command, false)) +
         footer.examples;
}

void add_leaves(const CLI::App& command, Commands& leaves) {
  for (const CLI::App* one : commands_below(command)) {
    leaves.push_back(one);
    add_leaves(*one, leaves);
  }
}

std::string page_name(const CLI::App& command) {
  std::string name = typed(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string title(const CLI::App& command) {
  std::string upper = page_name(command);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return ".TH \"" + literal(upper) + "\" 1 \"\" \"steno " + base::release() + "\" \"Steno\"\n" +
         ".SH NAME\n" + literal(page_name(command)) + " \\- ";
}

std::string program_page(const CLI::App& app) {
  const std::string about = app.get_description().substr(app.get_name().size() + 2);
  std::string commands;
  std::string also;
  std::string group;
  for (const CLI::App* one : commands_below(app)) {
    if (one->get_group() != group) commands += ".SS \"" + literal(one->get_group()) + "\"\n";
    group = one->get_group();
    commands += ".TP\n" + bold(page_name(*one)) + "(1)\n" + literal(one->get_description()) + ".\n";
  }
  std::string codes;
  std::stringstream lines{std::string(exit_codes_text())};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    const std::size_t end = line.find(' ', begin);
    codes += ".TP\n" + bold(line.substr(begin, end - begin)) + "\n" +
             literal(line.substr(line.find_first_not_of(' ', end))) + ".\n";
  }
  const auto of_group = [&](const char* name) {
    Options options;
    for (const CLI::Option* one : app.get_options()) {
      if (one->get_group() == name) options.push_back(one);
    }
    return options_text(options);
  };
  Options own;
  for (const CLI::Option* one : options_of(app, false)) {
    const std::string name = one->get_group();
    if (name != kCommonGroup && name != kSettingsGroup) own.push_back(one);
  }
  return title(app) + literal(about) + "\n" +
         section("SYNOPSIS",
                 bold("steno") + " [" + italic("OPTIONS") + "] " + italic("COMMAND") + "\n") +
         section("DESCRIPTION", footer_of(app).notes) + section("COMMANDS", commands) +
         section("OPTIONS", options_text(own) + of_group(kCommonGroup)) +
         section("SETTINGS", literal(settings_intro()) + "\n" + of_group(kSettingsGroup)) +
         section("EXIT STATUS", codes);
}

}  // namespace

std::string man_page(const CLI::App& app, const CLI::App& command) {
  if (&command == &app) return program_page(app);
  Commands below;
  add_leaves(command, below);
  std::string lines;
  std::string sections;
  for (const CLI::App* one : below) {
    const bool is_group = !commands_below(*one).empty();
    if (is_group) continue;
    lines += ".br\n" + synopsis(*one) + "\n";
    sections += subsection(*one);
  }
  const bool runs_itself = below.empty() || command.get_require_subcommand_min() == 0;
  const std::string own = runs_itself ? synopsis(command) + "\n" : "";
  const Footer footer = footer_of(command);
  return title(command) + literal(command.get_description()) + "\n" +
         section("SYNOPSIS", own + (own.empty() ? lines.substr(std::strlen(".br\n")) : lines)) +
         section("DESCRIPTION", literal(command.get_description()) + ".\n" + footer.notes) +
         section("ARGUMENTS", options_text(options_of(command, true))) +
         section("OPTIONS", options_text(options_of(command, false)) + ".PP\n" +
                                literal("Those of") + " " + bold("steno") +
                                literal("(1), such as --home and -o, can be given, too.") + "\n") +
         section("EXAMPLES", footer.examples) + section("COMMANDS", sections) +
         section("EXIT STATUS", "As " + bold("steno") + "(1) says.\n") +
         section("SEE ALSO", bold("steno") + "(1)\n");
}

Outcome<int> write_man_pages(const CLI::App& app, const std::string& folder) {
  if (const auto ok = base::make_folders(folder); !ok) return fail(ok.error());
  Commands all = commands_below(app);
  all.push_back(&app);
  for (const CLI::App* command : all) {
    const std::string path = folder + "/" + page_name(*command) + ".1";
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << man_page(app, *command);
    if (file.flush()) continue;
    return fail(kExitFailed, path + " cannot be written: " + std::strerror(errno));
  }
  return kExitOk;
}

}  // namespace steno
