// A row for each key says in which table it stands, and how it is read.
#include "tools/steno/config/conversation_tables.hpp"

#include <algorithm>
#include <set>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "tools/steno/config/command_words.hpp"
#include "tools/steno/config/given_setting.hpp"
#include "tools/steno/text/units.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::int64_t kRunsMax = 1'000;

// What a table sets. `name` is the part of the table's own name that "*" stands for.
struct Place {
  ConversationTables& tables;
  std::string name;

  domain::QueueChoices& queue() const {
    return name.empty() ? tables.policy.queue
                        : tables.policy.queue_by_channel[domain::channel_word(name)];
  }
  domain::ResetRule& reset() const {
    domain::ResetSettings& resets = tables.policy.resets;
    if (name.empty()) return resets.general;
    if (name == "dm") return resets.dm;
    if (name == "group") return resets.group;
    if (name == "thread") return resets.thread;
    return resets.by_channel[name];
  }
  domain::SendRule& rule() const { return tables.policy.send.rules.back(); }
  domain::Binding& binding() const { return tables.routing.bindings.back(); }
  domain::Peer& peer() const {
    auto& peer = binding().peer;
    if (!peer) peer.emplace();
    return *peer;
  }
};

struct TableKey {
  ConfigKey key;
  KeyKind kind;
  bool (*set)(const Place&, const Given&);  // returns false if the value is not accepted
};

template <class Value>
bool take(std::optional<Value> value, auto& into) {
  if (value) into = *value;
  return value.has_value();
}

std::optional<std::int64_t> number_of(const Given& given, std::int64_t least, std::int64_t most) {
  const auto number = base::parse_digits(given.text);
  if (!number || *number < least || *number > most) return std::nullopt;
  return number;
}

template <domain::Lane lane>
bool set_lane(const Place& at, const Given& given) {
  return take(number_of(given, 1, kRunsMax),
              at.tables.policy.lanes[static_cast<std::size_t>(lane)]);
}

template <std::string domain::SendRule::*member>
bool set_rule_text(const Place& at, const Given& given) {
  at.rule().*member = given.text;
  return !given.text.empty();
}

template <std::string domain::Binding::*member>
bool set_binding_text(const Place& at, const Given& given) {
  at.binding().*member = given.text;
  return !given.text.empty();
}

const std::vector<TableKey>& all_keys() {
  static const std::vector<TableKey> kKeys = {
      {{"conversations.zone", "the name of a time zone, such as Europe/Berlin",
        "Whose clock shows the hour of daily resets; default: UTC"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         at.tables.policy.zone = given.text;
         return !given.text.empty();
       }},
      {{"conversations.agents", "ids of agents",
        "Those that messages can be for; the first is for messages that no binding names"},
       KeyKind::words,
       [](const Place& at, const Given& given) {
         const auto words = words_of(given);
         for (const std::string& id : words.value_or(std::vector<std::string>())) {
           at.tables.routing.agents.push_back({id, at.tables.routing.agents.empty()});
         }
         return words && !words->empty();
       }},
      {{"conversations.dm_scope", "main, per-peer, per-channel-peer or per-account-channel-peer",
        "Whether direct messages of all people are one conversation; default: main"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         return take(base::parse_enum<domain::DmScope>(given.text), at.tables.routing.dm_scope);
       }},
      {{"conversations.fork_threads", "true or false",
        "Whether a thread begins with a copy of what was said above it; default: false"},
       KeyKind::boolean,
       [](const Place& at, const Given& given) {
         at.tables.policy.forks_threads = given.text == "true";
         return true;
       }},
      {{"conversations.identity_links.*", "ids such as telegram:111",
        "One person, known by several ids; the key is the person's name"},
       KeyKind::words,
       [](const Place& at, const Given& given) {
         const auto words = words_of(given);
         if (!words || words->empty()) return false;
         at.tables.routing.identity_links.push_back({at.name, *words});
         return true;
       }},
      {{"conversations.lanes.main", "1 to 1000", "So many runs at once; default: 4"},
       KeyKind::integer,
       set_lane<domain::Lane::main>},
      {{"conversations.lanes.subagent", "1 to 1000", "Likewise, of subagents; default: 8"},
       KeyKind::integer,
       set_lane<domain::Lane::subagent>},
      {{"conversations.lanes.cron", "1 to 1000", "Likewise, of schedules; default: 1"},
       KeyKind::integer,
       set_lane<domain::Lane::cron>},
      {{"conversations.queue.mode", "steer, followup, collect, steer-backlog or interrupt",
        "How messages wait while the agent works; default: collect"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         return take(domain::parse_queue_mode(given.text), at.queue().mode);
       }},
      {{"conversations.queue.debounce", "a duration from 0s to 24h",
        "The silence before a run of what waits; default: 1s"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         const auto duration = parse_duration(given.text);
         const bool is_in =
             duration && duration->count() >= 0 && *duration <= domain::kQueueDebounceMax;
         return is_in && take(duration, at.queue().debounce);
       }},
      {{"conversations.queue.cap", "1 to 1000", "So many messages can wait; default: 20"},
       KeyKind::integer,
       [](const Place& at, const Given& given) {
         return take(number_of(given, 1, domain::kQueueCapMax), at.queue().cap);
       }},
      {{"conversations.queue.drop", "old, new or summarize",
        "What gives way when as many wait as can; default: summarize"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         return take(domain::parse_queue_drop(given.text), at.queue().drop);
       }},
      {{"conversations.reset.mode", "off, daily or idle",
        "When a conversation begins a new session by itself; default: off"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         return take(base::parse_enum<domain::ResetMode>(given.text), at.reset().mode);
       }},
      {{"conversations.reset.at_hour", "0 to 23", "Of daily resets; default: 4"},
       KeyKind::integer,
       [](const Place& at, const Given& given) {
         return take(number_of(given, 0, 23), at.reset().at_hour);
       }},
      {{"conversations.reset.idle_minutes", "1 to 52704000",
        "Without a message for so long; default of the mode idle: 60"},
       KeyKind::integer,
       [](const Place& at, const Given& given) {
         return take(number_of(given, 1, domain::kIdleMinutesMax), at.reset().idle_minutes);
       }},
      {{"conversations.triggers", "words such as /new",
        "A message that begins with one resets; default: /new, /reset and /clear"},
       KeyKind::words,
       [](const Place& at, const Given& given) {
         return take(words_of(given), at.tables.policy.resets.triggers) &&
                !at.tables.policy.resets.triggers.empty();
       }},
      {{"conversations.send.default", "allow or deny", "Where no rule decides; default: allow"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         return take(domain::parse_send_action(given.text), at.tables.policy.send.otherwise);
       }},
      {{"conversations.send.rules.action", "allow or deny", "What follows where the rule matches"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         return take(domain::parse_send_action(given.text), at.rule().action);
       }},
      {{"conversations.send.rules.channel", "a channel such as telegram", "Default: any"},
       KeyKind::text,
       set_rule_text<&domain::SendRule::channel>},
      {{"conversations.send.rules.chat_type", "dm, group or channel", "Default: any"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         return take(domain::parse_chat_type(given.text), at.rule().chat_type);
       }},
      {{"conversations.send.rules.key_prefix", "the beginning of a session key", "Default: any"},
       KeyKind::text,
       set_rule_text<&domain::SendRule::key_prefix>},
      {{"conversations.bindings.agent", "the id of an agent", "Who gets the messages"},
       KeyKind::text,
       set_binding_text<&domain::Binding::agent>},
      {{"conversations.bindings.channel", "a channel such as telegram", "From where"},
       KeyKind::text,
       set_binding_text<&domain::Binding::channel>},
      {{"conversations.bindings.account", "an account of the channel, or * for any",
        "Default: the account named default"},
       KeyKind::text,
       set_binding_text<&domain::Binding::account>},
      {{"conversations.bindings.peer", "an id of the channel", "From this person or group alone"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         at.peer().id = given.text;
         return !given.text.empty();
       }},
      {{"conversations.bindings.peer_kind", "dm, group or channel", "Default: dm"},
       KeyKind::text,
       [](const Place& at, const Given& given) {
         return take(domain::parse_chat_type(given.text), at.peer().kind);
       }},
      {{"conversations.bindings.guild", "an id of the channel", "From this server alone"},
       KeyKind::text,
       set_binding_text<&domain::Binding::guild>},
      {{"conversations.bindings.team", "an id of the channel", "From this team alone"},
       KeyKind::text,
       set_binding_text<&domain::Binding::team>},
  };
  return kKeys;
}

// The name of a table without what "*" stands for, and that.
struct TableName {
  std::string table;
  std::string name;
};

// Returns none if there is no such table.
std::optional<TableName> table_name(const std::vector<std::string>& path) {
  const std::size_t depth = path.size();
  const std::string second = depth > 1 ? path[1] : std::string();
  if (depth == 1) return TableName{"conversations", {}};
  if (depth == 2 && (second == "lanes" || second == "queue" || second == "reset" ||
                     second == "send" || second == "identity_links")) {
    return TableName{"conversations." + second, {}};
  }
  if (depth == 3 && (second == "queue" || second == "reset" || second == "bindings")) {
    return TableName{"conversations." + second, path[2]};
  }
  if (depth == 4 && second == "send" && path[2] == "rules") {
    return TableName{"conversations.send.rules", path[3]};
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& part : path) text += (text.empty() ? "" : ".") + part;
  return text;
}

bool is_list_of_tables(const std::vector<std::string>& path) {
  const std::string text = joined(path);
  return text == "conversations.bindings" || text == "conversations.send.rules";
}

std::string titled_table(const std::vector<std::string>& path) {
  const std::vector<std::string> list(path.begin(), path.end() - 1);
  if (is_list_of_tables(list)) return "[[" + joined(list) + "]]";
  return "[" + joined(path) + "]";
}

// Returns the row of a key of that table; null: there is none.
const TableKey* find_table_key(const std::string& table, const std::string& key) {
  const bool is_link = table == "conversations.identity_links";
  const std::string wanted = table + "." + (is_link ? "*" : key);
  for (const TableKey& one : all_keys()) {
    if (one.key.name == wanted) return &one;
  }
  return nullptr;
}

class ConversationTableReader {
 public:
  explicit ConversationTableReader(const std::string& path) : path_(path) {}

  Result<void> read(const FileSetting& setting) {
    where_ = path_ + " line " + std::to_string(setting.line);
    std::vector<std::string> whole = setting.table;
    whole.push_back(setting.key);
    if (is_list_of_tables(whole)) {
      return setting.kind == FileValueKind::tables
                 ? Result<void>()
                 : fail(joined(whole) + " is of the wrong kind; accepted are tables [[" +
                        joined(whole) + "]]");
    }
    if (is_list_of_tables(setting.table)) return begin(setting.table);
    if (setting.kind == FileValueKind::table) {
      if (table_name(whole)) return {};
      return fail("unknown table [" + joined(whole) +
                  "]; known are lanes, queue, reset, send, identity_links and bindings of "
                  "conversations");
    }
    return read_key(setting);
  }

  Result<ConversationTables> take_all() {
    if (auto ok = end(); !ok) return tl::unexpected(ok.error());
    const auto& agents = tables_.routing.agents;
    for (const domain::Binding& binding : tables_.routing.bindings) {
      const auto is_bound = [&](const domain::AgentEntry& one) {
        return domain::normal_agent_id(one.id) == domain::normal_agent_id(binding.agent);
      };
      if (agents.empty() || std::any_of(agents.begin(), agents.end(), is_bound)) continue;
      return base::failure(ErrorCode::invalid,
                           "[[conversations.bindings]] names agent " + binding.agent +
                               ", which conversations.agents does not list",
                           path_);
    }
    return std::move(tables_);
  }

 private:
  Result<void> begin(const std::vector<std::string>& list) {
    if (auto ok = end(); !ok) return ok;
    open_ = joined(list);
    begun_at_ = where_;
    keys_.clear();
    if (open_ == "conversations.bindings") {
      tables_.routing.bindings.emplace_back();
    } else {
      tables_.policy.send.rules.emplace_back();
    }
    return {};
  }

  // Checks the rule or binding that was read last.
  Result<void> end() {
    const std::string open = std::exchange(open_, {});
    const auto lacks = [&](const std::string& key) {
      return !open.empty() && !keys_.contains(key);
    };
    const auto fault = [&](const std::string& text) {
      return tl::unexpected(base::Error{ErrorCode::invalid, "[[" + open + "]] " + text, begun_at_});
    };
    if (open == "conversations.send.rules" && lacks("action")) {
      return fault("needs an action: allow or deny");
    }
    if (open == "conversations.bindings" && (lacks("agent") || lacks("channel"))) {
      return fault("needs an agent and a channel");
    }
    if (open == "conversations.bindings" && keys_.contains("peer_kind") && lacks("peer")) {
      return fault("has a peer_kind and no peer");
    }
    return {};
  }

  Result<void> read_key(const FileSetting& setting) {
    const auto table = table_name(setting.table);
    if (!table) return fail("unknown table [" + joined(setting.table) + "]");
    const bool is_link = table->table == "conversations.identity_links";
    const TableKey* key = find_table_key(table->table, setting.key);
    if (key == nullptr) {
      return unknown_key(setting.key, titled_table(setting.table), keys_of(table->table), where_);
    }
    const std::string name = joined(setting.table) + "." + setting.key;
    if (!fits(key->kind, setting.kind)) return wrong_kind(name, key->key, key->kind, where_);
    const Given given = given_in_file(setting, path_, {});
    if (!key->set({tables_, is_link ? setting.key : table->name}, given)) {
      return not_accepted(name, key->key.accepted, key->kind, given);
    }
    keys_.insert(setting.key);
    tables_.said.push_back(
        {name, setting.kind == FileValueKind::list ? join_words(setting.list) : setting.text,
         SettingSource::file, where_});
    return {};
  }

  static std::vector<std::string> keys_of(const std::string& table) {
    std::vector<std::string> names;
    for (const TableKey& one : all_keys()) {
      const std::size_t dot = one.key.name.rfind('.');
      if (one.key.name.substr(0, dot) == table) names.emplace_back(one.key.name.substr(dot + 1));
    }
    return names;
  }

  tl::unexpected<base::Error> fail(std::string text) const {
    return base::failure(ErrorCode::invalid, std::move(text), where_);
  }

  const std::string& path_;
  std::string where_;           // of the setting in work
  std::string open_;            // the list whose last table is read; empty: none is
  std::string begun_at_;        // where that table is
  std::set<std::string> keys_;  // that it has
  ConversationTables tables_;
};

}  // namespace

Result<ConversationTables> read_conversation_tables(const std::vector<FileSetting>& settings,
                                                    const std::string& path) {
  ConversationTableReader reader(path);
  for (const FileSetting& setting : settings) {
    const bool is_outermost = setting.table.empty() && setting.key == kConversationsTable;
    if (is_outermost && setting.kind != FileValueKind::table) {
      return base::failure(ErrorCode::invalid,
                           "conversations is of the wrong kind; accepted is a table "
                           "[conversations]",
                           path + " line " + std::to_string(setting.line));
    }
    if (setting.table.empty() || setting.table.front() != kConversationsTable) continue;
    if (auto ok = reader.read(setting); !ok) return tl::unexpected(ok.error());
  }
  return reader.take_all();
}

std::optional<KeyKind> kind_of_conversation_key(const std::vector<std::string>& table,
                                                const std::string& key) {
  const bool is_known = !table.empty() && table.front() == kConversationsTable;
  const auto name = is_known ? table_name(table) : std::nullopt;
  const TableKey* known = name ? find_table_key(name->table, key) : nullptr;
  return known == nullptr ? std::nullopt : std::optional(known->kind);
}

const std::vector<ConfigKey>& conversation_keys() {
  static const std::vector<ConfigKey> kKeys = [] {
    std::vector<ConfigKey> all;
    for (const TableKey& key : all_keys()) all.push_back(key.key);
    return all;
  }();
  return kKeys;
}

}  // namespace steno
