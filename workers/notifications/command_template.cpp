// Names are found by their braces; a value is put in as it is, whatever it holds.
#include "workers/notifications/command_template.hpp"

#include <algorithm>
#include <functional>

#include "eventlog/domain/outbox/route.hpp"

namespace workers {
namespace {

constexpr std::string_view kNames[] = {"text",   "title",   "kind",    "session", "name",
                                       "agent",  "workdir", "channel", "account", "target",
                                       "thread", "origin",  "id"};

// Calls `found` for each name in braces, and `plain` for all between.
void scan(std::string_view word, const std::function<void(std::string_view)>& plain,
          const std::function<void(std::string_view)>& found) {
  while (!word.empty()) {
    const std::size_t open = word.find('{');
    const std::size_t close = open == std::string_view::npos ? open : word.find('}', open);
    if (close == std::string_view::npos) return plain(word);
    plain(word.substr(0, open));
    found(word.substr(open + 1, close - open - 1));
    word.remove_prefix(close + 1);
  }
}

bool is_one_value(std::string_view word) {
  return word.starts_with('{') && word.find('}') == word.size() - 1;
}

}  // namespace

base::Result<void> check_template(const std::vector<std::string>& words) {
  if (words.empty() || words.front().empty()) {
    return base::failure(base::ErrorCode::invalid, "it names no program");
  }
  if (words.front().find('{') != std::string::npos) {
    return base::failure(base::ErrorCode::invalid, "the program itself cannot be a value");
  }
  std::string unknown;
  for (const std::string& word : words) {
    scan(
        word, [](std::string_view) {},
        [&](std::string_view name) {
          const bool is_known =
              std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
          if (!is_known) unknown = name;
        });
  }
  if (unknown.empty()) return {};
  std::string known;
  for (const std::string_view name : kNames)
    known.append(known.empty() ? "{" : " {").append(name).append("}");
  return base::failure(base::ErrorCode::invalid,
                       "{" + unknown + "} stands for nothing; known are " + known);
}

std::map<std::string, std::string> route_values(const std::string& channel) {
  std::map<std::string, std::string> values{{"origin", channel}};
  if (auto route = domain::parse_route(channel)) {
    values["channel"] = std::move(route->channel);
    values["account"] = std::move(route->account);
    values["target"] = std::move(route->target);
    values["thread"] = std::move(route->thread);
  }
  return values;
}

std::vector<std::string> fill_template(const std::vector<std::string>& words,
                                       const std::map<std::string, std::string>& values) {
  std::vector<std::string> filled;
  for (const std::string& word : words) {
    std::string text;
    scan(
        word, [&](std::string_view plain) { text += plain; },
        [&](std::string_view name) {
          const auto value = values.find(std::string(name));
          if (value != values.end()) text += value->second;
        });
    std::erase(text, '\0');
    if (text.empty() && is_one_value(word)) {
      if (filled.size() > 1 && filled.back().starts_with("--")) filled.pop_back();
      continue;
    }
    filled.push_back(std::move(text));
  }
  return filled;
}

}  // namespace workers
