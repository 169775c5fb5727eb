// A flag of this process is what was said.
#include "tools/steno/client/own_grant.hpp"

namespace steno {
namespace {

Outcome<std::vector<std::string>> hold(Connection& connection, const workers::SaidForGrant& said,
                                       const projections::SessionRow* resumed,
                                       domain::SessionSpec& spec) {
  const workers::Caller& caller = connection.caller();
  if (!workers::session_of(caller).is_set()) return std::vector<std::string>();
  const auto grant = connection.run(workers::program_grant(caller));
  if (!grant) return tl::unexpected(grant.error());
  return connection.run(workers::hold_to(*grant, said, caller, resumed, spec));
}

}  // namespace

Outcome<std::vector<std::string>> hold_process(Connection& connection,
                                               const projections::SessionRow* resumed,
                                               domain::SessionSpec& spec) {
  const workers::SaidForGrant said = [&](std::string_view key) {
    return is_flag(connection.config(), key);
  };
  return hold(connection, said, resumed, spec);
}

Outcome<bool> hold_edited(Connection& connection, domain::SessionSpec& spec) {
  const workers::SaidForGrant all = [](std::string_view) { return true; };
  const auto held = hold(connection, all, nullptr, spec);
  if (!held) return tl::unexpected(held.error());
  return true;
}

}  // namespace steno
