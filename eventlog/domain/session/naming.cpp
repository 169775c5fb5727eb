// Decides about names that are given: at a session's beginning, which opening.cpp decides, or
// later.
#include "eventlog/base/check.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/session/session_name.hpp"

namespace domain {

// Sessions admitted by an older release are known only to the registry of their agent, by their id.
// A mark can be that of another name, once in millions.
std::optional<NameHolder> holder_of(const Deciding& d, const std::string& name) {
  const auto* registry = d.states.find<RegistryStream>(registry_stream(d.agent()));
  const auto* admission = d.states.find<AdmissionStream>(kAdmissionStream);
  CHECK(registry != nullptr && admission != nullptr);
  const auto given = admission->names.find(name);
  if (given != admission->names.end()) return given->second;
  const auto made = admission->name_marks.find(name_mark(name));
  if (made != admission->name_marks.end()) return made->second;
  const auto older = registry->names.find(name);
  if (older == registry->names.end()) return std::nullopt;
  return NameHolder{older->second, older->second.text()};
}

std::optional<Rejection> check_name_free(const Deciding& d, const std::string& name) {
  const auto holder = holder_of(d, name);
  if (!holder || holder->session == d.context.target.id) return std::nullopt;
  return Rejection{RejectionCode::already_exists,
                   "the name '" + name + "' is that of session " + holder->alias +
                       ", which is live, and no two live sessions have one name; give another "
                       "name, or end that session first"};
}

Decided decide_one(Deciding d, const RenameSession& c) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  if (c.name.empty()) {
    return reject(RejectionCode::invalid, "a session's name is not empty; give one");
  }
  if (auto fault = name_fault(c.name)) return reject(RejectionCode::invalid, *fault);
  if (auto bad = check_name_free(d, c.name)) return tl::unexpected(*bad);
  if (c.name == s.name) return Decision{};
  d.emit(SessionRenamed{c.name});
  if (!is_live(s.status)) return std::move(d.decision);
  if (!s.name.empty()) d.emit_to_registry(NameReleased{s.session, s.name});
  d.emit_to_registry(NameClaimed{s.session, c.name, {}});
  if (d.is_admitted()) d.emit_to_admission(NameChanged{s.session, s.alias, c.name});
  return std::move(d.decision);
}

}  // namespace domain
