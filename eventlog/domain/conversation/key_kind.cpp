// The rest of a key is matched form by form, from its first part on. A channel can put anything
// into the id of a sender or a group, but nothing before it.
#include "eventlog/domain/conversation/key_kind.hpp"

#include <array>
#include <span>

#include "eventlog/domain/conversation/key_text.hpp"

namespace domain {
namespace {

using Parts = std::span<const std::string_view>;

struct Word {
  std::string_view word;
  KeyKind kind;
};

// Conversations that no channel brings: `<word>:<id>`.
constexpr Word kHeads[] = {
    {"subagent", KeyKind::subagent}, {"cron", KeyKind::cron},          {"acp", KeyKind::acp},
    {"openai", KeyKind::openai},     {"openai-user", KeyKind::openai}, {"wizard", KeyKind::wizard},
    {"hook", KeyKind::hook},         {"node", KeyKind::node}};
// The same in the form `<word>-<id>`.
constexpr Word kDashHeads[] = {{"wizard-", KeyKind::wizard}, {"node-", KeyKind::node}};

constexpr Word kPlaces[] = {
    {"dm", KeyKind::dm}, {"group", KeyKind::group}, {"channel", KeyKind::channel}};

KeyKind kind_of(std::span<const Word> words, std::string_view word) {
  for (const Word& known : words) {
    if (known.word == word) return known.kind;
  }
  return KeyKind::other;
}

bool take_head(Parts parts, KeyParts& key) {
  if (parts.size() > 1) key.place = kind_of(kHeads, parts.front());
  if (key.place != KeyKind::other) {
    key.id = join_key(parts.subspan(1));
    return true;
  }
  for (const auto& [word, kind] : kDashHeads) {
    if (!parts.front().starts_with(word) || parts.front().size() == word.size()) continue;
    key.place = kind;
    key.id = join_key(parts).substr(word.size());
    return true;
  }
  return false;
}

// Takes the threads off the parts, and returns what is left of them.
Parts take_threads(Parts parts, KeyParts& key) {
  const std::size_t count = place_part_count(parts);
  if (count == parts.size()) return parts;
  std::size_t last = parts.size() - 2;
  while (!is_thread_word(parts[last])) --last;
  key.kind = parts[last] == "thread" ? KeyKind::thread : KeyKind::topic;
  key.thread = join_key(parts.subspan(last + 1));
  return parts.first(count);
}

void take_place(Parts parts, std::string_view main_key, KeyParts& key) {
  const std::string rest = join_key(parts);
  if (rest == kMainKey || rest == normal_main_key(main_key)) {
    key.place = KeyKind::main;
    return;
  }
  for (std::size_t mark = 0; mark < 3 && mark + 1 < parts.size(); ++mark) {
    const KeyKind kind = kind_of(kPlaces, parts[mark]);
    // Only one person's messages are told apart by account, or have no channel.
    if (kind == KeyKind::other || (kind != KeyKind::dm && mark != 1)) continue;
    key.place = kind;
    if (mark > 0) key.channel = parts[0];
    if (mark > 1) key.account = parts[1];
    key.id = join_key(parts.subspan(mark + 1));
    return;
  }
}

// The rest of a key in small letters, and its agent; no rest: it lacks a part.
SessionKey split_agent(std::string_view word) {
  if (auto parsed = parse_session_key(word)) {
    return {normal_agent_id(parsed->agent), with_group_form(parsed->rest)};
  }
  return {{}, word.starts_with("agent:") ? "" : with_group_form(join_key(split_key(word)))};
}

}  // namespace

KeyParts parse_key_parts(std::string_view key, std::string_view main_key) {
  const std::string word = key_word(key);
  KeyParts of;
  if (word == kGlobalKey) of.kind = of.place = KeyKind::global;
  if (word == kUnknownKey) of.kind = of.place = KeyKind::unknown;
  const SessionKey split = split_agent(word);
  if (of.kind != KeyKind::other || split.rest.empty()) return of;
  of.agent = split.agent;
  const KeyTexts parts = split_key(split.rest);
  if (!take_head(parts, of)) take_place(take_threads(parts, of), main_key, of);
  if (of.thread.empty()) of.kind = of.place;
  return of;
}

std::optional<GroupKey> parse_group_key(std::string_view key) {
  const std::string rest = split_agent(key_word(key)).rest;
  const KeyTexts parts = split_key(rest);
  KeyParts of;
  if (parts.empty() || take_head(parts, of)) return std::nullopt;
  take_place(parts, kMainKey, of);
  if (of.place != KeyKind::group && of.place != KeyKind::channel) return std::nullopt;
  const ChatType type = of.place == KeyKind::group ? ChatType::group : ChatType::channel;
  return GroupKey{std::move(of.channel), type, std::move(of.id)};
}

std::string format_group_key(const GroupKey& group) {
  return join_key(
      std::array<std::string_view, 3>{group.channel, base::enum_name(group.type), group.id});
}

}  // namespace domain
