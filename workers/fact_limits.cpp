#include "workers/fact_limits.hpp"

#include <initializer_list>

namespace workers {
namespace {

std::size_t size_of(const std::vector<std::string>& tools) {
  std::size_t bytes = tools.size();
  for (const std::string& tool : tools) bytes += tool.size();
  return bytes;
}

void cut(std::string& text) {
  cut_text(text, kFactBytesMax);
}

// Of the others each text is content, which is bounded with the agent's lines.
template <class Report>
void cut_facts_of(Report&) {}

void cut_facts_of(domain::ReportInitialized& r) {
  for (std::string* text : {&r.agent_session, &r.model, &r.agent_version}) cut(*text);
}

void cut_facts_of(domain::ReportOutput& r) {
  cut(r.parent);
}

void cut_facts_of(domain::ReportToolCallStarted& r) {
  for (std::string* text : {&r.call, &r.tool, &r.parent}) cut(*text);
}

void cut_facts_of(domain::ReportToolCallFinished& r) {
  for (std::string* text : {&r.call, &r.parent}) cut(*text);
}

void cut_facts_of(domain::ReportTurnResult& r) {
  for (std::string* text : {&r.subtype, &r.terminal_reason}) cut(*text);
}

}  // namespace

std::optional<base::Error> check_length(std::string_view field, std::size_t bytes,
                                        std::size_t bytes_max) {
  if (bytes <= bytes_max) return std::nullopt;
  return base::Error{base::ErrorCode::invalid,
                     std::string(field) + " has " + std::to_string(bytes) + " bytes, of " +
                         std::to_string(bytes_max) + " at most",
                     {}};
}

std::optional<base::Error> check_facts(const CommandBody& body,
                                       const domain::ClientCommand& command) {
  if (auto bad = check_length("actor", body.actor.size(), kFactBytesMax)) return bad;
  if (auto bad = check_length("traceparent", body.traceparent.size(), kFactBytesMax)) return bad;
  const auto* spawn = std::get_if<domain::Spawn>(&command);
  if (spawn == nullptr) return std::nullopt;
  const domain::SessionSpec& spec = spawn->spec;
  if (auto bad = check_length("origin_channel", spawn->origin_channel.size(), kFactBytesMax)) {
    return bad;
  }
  if (auto bad = check_length("engine", spec.engine.size(), kFactBytesMax)) return bad;
  if (auto bad = check_length("model", spec.model.size(), kFactBytesMax)) return bad;
  if (auto bad = check_length("workdir", spec.workdir.size(), kPathBytesMax)) return bad;
  return check_length("allowed_tools", size_of(spec.allowed_tools), kToolsBytesMax);
}

void cut_text(std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
  text.resize(end);
}

void cut_facts(domain::Report& report) {
  std::visit([](auto& r) { cut_facts_of(r); }, report);
}

}  // namespace workers
