// Each word is a key with its kind in front; the row refers to the session.
#include "projections/views/session_names.hpp"

namespace projections {
namespace {

Bytes key_of(char kind, std::string_view agent, std::string_view word) {
  Bytes key;
  key.reserve(3 + agent.size() + word.size());
  key.append({kind, '/'}).append(agent).push_back('/');
  return key.append(word);
}

Result<std::optional<SessionId>> find(const RowReader& rows, const Bytes& key) {
  auto ref = rows.get<SessionRef>(key);
  if (!ref) return tl::unexpected(ref.error());
  return *ref ? std::optional((*ref)->session) : std::nullopt;
}

}  // namespace

Bytes session_prefix(std::string_view agent) {
  return key_of('s', agent, {});
}

Bytes session_key(std::string_view agent, SessionId session) {
  return key_of('s', agent, session.view());
}

Bytes alias_prefix(std::string_view agent) {
  return key_of('a', agent, {});
}

const domain::StreamRef* session_of(const std::optional<domain::StreamRef>& stream) {
  return stream && stream->is<domain::SessionStream>() ? &*stream : nullptr;
}

void refer_opened(Rows& rows, const domain::SessionOpened& opened, const std::string& agent,
                  SessionId session) {
  rows.put(key_of('a', agent, opened.alias), SessionRef{session});
  if (opened.name.empty()) return;
  rows.edit<NameRef>(key_of('n', agent, opened.name), [&](NameRef& name) {
    // A live session keeps its name, in case an imported log has another one of that name behind
    // it.
    if (!name.live.is_set()) name.live = session;
    name.newest = session;
    return true;
  });
}

void refer_renamed(Rows& rows, const std::string& agent, SessionId session, bool is_live,
                   std::string_view before, std::string_view after) {
  if (!before.empty()) {
    rows.edit<NameRef>(key_of('n', agent, before), [&](NameRef& name) {
      if (name.live == session) name.live = {};
      if (name.newest == session) name.newest = {};
      return true;
    });
  }
  rows.edit<NameRef>(key_of('n', agent, after), [&](NameRef& name) {
    if (is_live && !name.live.is_set()) name.live = session;
    name.newest = session;
    return true;
  });
}

void refer_agent_session(Rows& rows, std::string_view agent, std::string_view agent_session,
                         SessionId session) {
  if (agent_session.empty()) return;
  rows.put(key_of('u', agent, agent_session), SessionRef{session});
}

void release_name(Rows& rows, std::string_view agent, std::string_view name, SessionId session) {
  rows.edit<NameRef>(key_of('n', agent, name), [&](NameRef& ref) {
    if (ref.live != session) return false;
    ref.live = {};
    return true;
  });
}

Result<std::optional<SessionId>> find_alias(const RowReader& rows, std::string_view agent,
                                            std::string_view alias) {
  return find(rows, key_of('a', agent, alias));
}

Result<std::optional<SessionId>> find_name(const RowReader& rows, std::string_view agent,
                                           std::string_view name) {
  auto ref = rows.get<NameRef>(key_of('n', agent, name));
  if (!ref) return tl::unexpected(ref.error());
  if (!*ref) return std::nullopt;
  const auto& [live, newest] = **ref;
  if (live.is_set()) return live;
  return newest.is_set() ? std::optional(newest) : std::nullopt;
}

Result<std::optional<SessionId>> find_agent_session(const RowReader& rows, std::string_view agent,
                                                    std::string_view agent_session) {
  return find(rows, key_of('u', agent, agent_session));
}

}  // namespace projections
