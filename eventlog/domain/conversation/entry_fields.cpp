// A table, and the one check that goes by it.
#include "eventlog/domain/conversation/entry_fields.hpp"

#include <algorithm>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

constexpr std::string_view kAllowDeny[] = {"allow", "deny"};
constexpr std::string_view kActivation[] = {"mention", "always"};
constexpr std::string_view kChatTypes[] = {"dm", "group", "channel"};
constexpr std::string_view kQueueModes[] = {"steer", "followup", "collect", "steer-backlog",
                                            "interrupt"};
constexpr std::string_view kQueueDrops[] = {"old", "new", "summarize"};
constexpr std::string_view kThinking[] = {"off", "minimal", "low", "medium med", "high"};
constexpr std::string_view kVerbose[] = {"off", "on", "full"};
constexpr std::string_view kReasoning[] = {"off", "on", "stream"};
constexpr std::string_view kElevated[] = {"on", "off", "ask", "full"};
constexpr std::string_view kUsage[] = {"off", "tokens on", "full"};
constexpr std::string_view kHosts[] = {"sandbox", "gateway", "node"};
constexpr std::string_view kSecurity[] = {"deny", "allowlist", "full"};
constexpr std::string_view kAsk[] = {"off", "on-miss", "always"};
constexpr std::string_view kSources[] = {"auto", "user"};
constexpr std::size_t kLabelsMax = 32;
constexpr std::string_view kTts[] = {"off", "always", "inbound", "tagged"};

constexpr EntryField kFields[] = {
    {"authProfileOverride", FieldKind::text, "the login of the provider"},
    {"authProfileOverrideSource", FieldKind::word, "who has chosen it", kSources},
    {"chatType", FieldKind::word, "the kind of place where it is held", kChatTypes},
    {"displayName", FieldKind::text, "how people call it"},
    {"elevatedLevel", FieldKind::word, "whether tools may do more than usual", kElevated},
    {"execAsk", FieldKind::word, "when commands need an approval", kAsk},
    {"execHost", FieldKind::word, "where commands run", kHosts},
    {"execNode", FieldKind::text, "the node on which they run"},
    {"execSecurity", FieldKind::word, "which commands may run", kSecurity},
    {"groupActivation", FieldKind::word, "which messages of a group are answered", kActivation},
    {"groupActivationNeedsSystemIntro", FieldKind::flag, "the next run is told of that"},
    {"groupChannel", FieldKind::text, "the channel of a server, such as #general"},
    {"groupId", FieldKind::text, "the group's id"},
    {"label", FieldKind::text, "a name that no other conversation of the agent has", {}, 0, 64},
    {"labels", FieldKind::labels, "further names, separated by commas", {}, 0, 64},
    {"modelOverride", FieldKind::text, "the model that answers"},
    {"providerOverride", FieldKind::text, "the provider of that model"},
    {"queueCap", FieldKind::number, "so many messages can wait", {}, 1'000, 0, 0, 1},
    {"queueDebounceMs", FieldKind::number, "milliseconds of silence before a run", {}, 86'400'000},
    {"queueDrop", FieldKind::word, "what gives way when as many wait as may", kQueueDrops},
    {"queueMode", FieldKind::word, "how messages wait while the agent works", kQueueModes},
    {"reasoningLevel", FieldKind::word, "whether its reasoning is shown", kReasoning},
    {"responseUsage", FieldKind::word, "whether answers say what they used", kUsage},
    {"sendPolicy", FieldKind::word, "whether anything is sent to its place", kAllowDeny},
    {"space", FieldKind::text, "the server, team or guild of the group"},
    {"subject", FieldKind::text, "the group's own title"},
    {"thinkingLevel", FieldKind::word, "how much the model thinks", kThinking},
    {"ttsAuto", FieldKind::word, "when answers are spoken", kTts},
    {"verboseLevel", FieldKind::word, "how much of its work is shown", kVerbose},
};

std::string_view word_of(std::string_view row) {
  return row.substr(0, row.find(' '));
}

std::string list_of(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += word == words.back() ? " and " : ", ";
    text += word_of(word);
  }
  return text;
}

// True if the row's word, or another one for it, is that.
bool means(std::string_view row, std::string_view word) {
  while (!row.empty()) {
    const std::string_view first = word_of(row);
    if (first == word) return true;
    row.remove_prefix(std::min(first.size() + 1, row.size()));
  }
  return false;
}

bool has_controls(std::string_view text) {
  while (!text.empty()) {
    if (is_control(take_any_code_point(text))) return true;
  }
  return false;
}

tl::unexpected<std::string> fault(const EntryField& field, const std::string& why) {
  return tl::unexpected(std::string(field.name) + " " + why);
}

base::Result<std::string, std::string> line_of(const EntryField& field, std::string_view text) {
  if (has_controls(text)) return fault(field, "is one line without control characters");
  const bool is_long = first_shown(text, field.characters, field.bytes).size() < text.size();
  if (!is_long) return std::string(text);
  return fault(field, "is longer than " + std::to_string(field.characters) + " characters");
}

base::Result<std::string, std::string> joined_labels(const EntryField& field,
                                                     std::string_view text) {
  std::string joined;
  std::vector<std::string> labels = labels_of(text);
  if (labels.size() > kLabelsMax) {
    return fault(field, "are at most " + std::to_string(kLabelsMax));
  }
  for (const std::string& label : labels) {
    const auto line = line_of(field, label);
    if (!line) return tl::unexpected(line.error());
    joined += (joined.empty() ? "" : ",") + *line;
  }
  if (joined.empty()) return fault(field, "has no label; clear it instead");
  return joined;
}

}  // namespace

std::span<const EntryField> entry_fields() {
  return kFields;
}

const EntryField* find_entry_field(std::string_view name) {
  const auto found = std::find_if(std::begin(kFields), std::end(kFields),
                                  [&](const EntryField& field) { return field.name == name; });
  return found == std::end(kFields) ? nullptr : &*found;
}

base::Result<std::string, std::string> field_text(const EntryField& field, std::string_view given) {
  const std::string_view text = trimmed(given);
  if (text.empty()) return fault(field, "is empty; clear it instead");
  switch (field.kind) {
    case FieldKind::text:
      return line_of(field, text);
    case FieldKind::labels:
      return joined_labels(field, text);
    case FieldKind::word: {
      const std::string word = small_letters(text);
      const auto row = std::find_if(field.words.begin(), field.words.end(),
                                    [&](std::string_view one) { return means(one, word); });
      if (row != field.words.end()) return std::string(word_of(*row));
      return fault(field, "is no '" + word + "'; accepted are " + list_of(field.words));
    }
    case FieldKind::flag: {
      const std::string word = small_letters(text);
      if (word == "true" || word == "false") return word;
      return fault(field, "is true or false");
    }
    case FieldKind::number: {
      const auto value = base::parse_digits(text);
      const bool is_within = value && *value >= field.least && *value <= field.most;
      if (is_within) return std::to_string(*value);
      return fault(field, "is a whole number from " + std::to_string(field.least) + " to " +
                              std::to_string(field.most));
    }
  }
  return std::string(text);
}

std::vector<std::string> labels_of(std::string_view field) {
  std::vector<std::string> labels;
  while (!field.empty()) {
    const std::size_t comma = std::min(field.find(','), field.size());
    const std::string label(trimmed(field.substr(0, comma)));
    field.remove_prefix(std::min(comma + 1, field.size()));
    const bool is_new = std::find(labels.begin(), labels.end(), label) == labels.end();
    if (!label.empty() && is_new) labels.push_back(label);
  }
  return labels;
}

std::string_view field_of(const EntryFields& fields, std::string_view name) {
  const auto found = fields.find(std::string(name));
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace domain
