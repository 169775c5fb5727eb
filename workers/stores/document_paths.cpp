// Paths are put together as texts; std::filesystem only makes them normal.
#include "workers/stores/document_paths.hpp"

#include <filesystem>

#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace workers {
namespace {

// Escapes an id as a part of a URL is, so that it has no slash and no zero byte.
std::string file_word(std::string_view id) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string word;
  for (const char c : id) {
    if (kPlain.find(c) != std::string_view::npos) {
      word += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    word += {'%', kDigits[byte >> 4], kDigits[byte & 0xF]};
  }
  return word;
}

std::string normal_path(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

}  // namespace

std::string documents_folder(const DocumentRoots& roots, std::string_view agent) {
  return normal_path(roots.state, "agents/" + domain::normal_agent_id(agent) + "/sessions");
}

std::string index_path(const DocumentRoots& roots, std::string_view store, std::string_view agent) {
  constexpr std::string_view kAgentPlace = "{agentId}";
  if (domain::trimmed(store).empty()) return documents_folder(roots, agent) + "/sessions.json";
  std::string path(domain::trimmed(store));
  const std::string id = domain::normal_agent_id(agent);
  for (std::size_t at = 0; (at = path.find(kAgentPlace, at)) != std::string::npos;) {
    path.replace(at, kAgentPlace.size(), id);
    at += id.size();
  }
  if (path == "~" || path.starts_with("~/")) path.replace(0, 1, roots.home);
  return normal_path(roots.state, path);
}

std::string transcript_path(const DocumentRoots& roots, std::string_view agent,
                            std::string_view session, std::optional<std::string_view> topic) {
  std::string name = file_word(session);
  if (topic) name += "-topic-" + file_word(*topic);
  return documents_folder(roots, agent) + "/" + name + ".jsonl";
}

std::string transcript_file(const DocumentRoots& roots, std::string_view agent,
                            std::string_view session, std::string_view entry_file) {
  const std::string file(domain::trimmed(entry_file));
  if (file.empty()) return transcript_path(roots, agent, session);
  return normal_path(documents_folder(roots, agent), file);
}

}  // namespace workers
