// The table [conversations] of the configuration file, with the tables in it: how messages wait,
// when conversations begin anew, what is sent to their places, and which agent a message is for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/result.hpp"
#include "eventlog/domain/conversation/policy.hpp"
#include "eventlog/domain/conversation/routing.hpp"
#include "tools/steno/config/config_file.hpp"

namespace steno {

struct ConfigKey;
struct Setting;
enum class KeyKind;

constexpr std::string_view kConversationsTable = "conversations";

struct ConversationTables {
  domain::ConversationPolicy policy;
  domain::RoutingSettings routing;
  // As it was said, named "conversations.queue.telegram.mode" and so on.
  std::vector<Setting> said;
};

// Reads what the file says in these tables; settings of others are passed over. `path` is the
// file's. Errors `invalid`, with place and key: an unknown table or key, a value that is not
// accepted, a rule without an action, a binding without an agent or a channel.
base::Result<ConversationTables> read_conversation_tables(const std::vector<FileSetting>& settings,
                                                          const std::string& path);

// Returns the kind of a key of a table such as {"conversations", "queue"}; none: there is no such
// key, or it stands in a list of tables.
std::optional<KeyKind> kind_of_conversation_key(const std::vector<std::string>& table,
                                                const std::string& key);

// Returns the keys, named "conversations.queue.mode" and so on. "*" stands for a name.
const std::vector<ConfigKey>& conversation_keys();

}  // namespace steno
