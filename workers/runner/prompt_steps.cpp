// Context from hooks stands before the next prompt. A command of the agent must stand alone, so
// that context waits for a prompt.
#include "workers/runner/prompt_steps.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "workers/engines/step_changes.hpp"

namespace workers {
namespace {

using domain::HookPoint;
using Json = nlohmann::ordered_json;

std::string text_of(const Json& changes, const char* field) {
  const auto found = changes.find(field);
  return found != changes.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json files_told(std::span<const DirectedFile> files, std::size_t number) {
  Json told = Json::array();
  for (const DirectedFile& file : files) {
    if (file.prompt != static_cast<std::int64_t>(number)) continue;
    told.push_back({{"name", file.name},
                    {"media_type", file.media_type},
                    {"bytes", static_cast<std::int64_t>(file.data.size())}});
  }
  return told;
}

}  // namespace

bool PromptSteps::has(HookPoint point) const {
  return std::find(points_.begin(), points_.end(), point) != points_.end();
}

std::optional<engines::Ask> PromptSteps::next(const PromptPlace& place, const std::string& prompt,
                                              const StartFacts& facts,
                                              std::span<const DirectedFile> files) {
  if (is_awaiting_) return std::nullopt;
  engines::Ask ask;
  ask.kind = engines::AskKind::step;
  ask.turn = place.turn;
  Json context = {{"cwd", facts.spec.workdir},
                  {"permission_mode", base::enum_name(facts.spec.permission_mode)}};
  if (has(HookPoint::session_start) && !std::exchange(is_start_asked_, true)) {
    ask.point = HookPoint::session_start;
    context["source"] = facts.is_resumed ? "resume" : "startup";
    if (!facts.spec.model.empty()) context["model"] = facts.spec.model;
  } else if (has(HookPoint::user_prompt_submit) && asked_ != place) {
    asked_ = place;
    is_granted_ = prompt.size() <= kSteppedPromptMax;
    changed_.reset();
    if (!is_granted_) {
      reason_ = "Hooks are asked about prompts of at most 8 MiB. Name a file instead.";
      return std::nullopt;
    }
    ask.point = HookPoint::user_prompt_submit;
    context["prompt"] = prompt;
    if (Json told = files_told(files, place.number); !told.empty()) context["files"] = told;
  } else {
    return std::nullopt;
  }
  context["hook_event_name"] = base::enum_name(ask.point);
  ask.context = context.dump(-1, ' ', false, Json::error_handler_t::replace);
  is_awaiting_ = true;
  return ask;
}

void PromptSteps::take(HookPoint point, bool is_granted, const std::string& text) {
  is_awaiting_ = false;
  if (!is_granted) {
    // What begins cannot be blocked; its reason is for the model.
    if (point == HookPoint::session_start) context_ += text + "\n";
    is_granted_ = point == HookPoint::session_start;
    reason_ = text;
    return;
  }
  const Json changes = Json::parse(text, nullptr, false);
  if (!changes.is_object()) return;
  if (const std::string stop = text_of(changes, engines::step_field::kStop); !stop.empty()) {
    is_granted_ = point == HookPoint::session_start;
    reason_ = stop;
  }
  if (const std::string context = text_of(changes, engines::step_field::kContext);
      !context.empty()) {
    context_ += context + "\n";
  }
  if (const std::string said = text_of(changes, engines::step_field::kFeedback); !said.empty()) {
    context_ += said + "\n";
  }
  if (std::string prompt = text_of(changes, engines::step_field::kPrompt); !prompt.empty()) {
    changed_ = std::move(prompt);
  }
}

std::optional<SteppedPrompt> PromptSteps::ready(const PromptPlace& place,
                                                const std::string& prompt) {
  if (is_awaiting_) return std::nullopt;
  const bool is_asked = has(HookPoint::user_prompt_submit) && asked_ == place;
  if (is_asked && !is_granted_) return SteppedPrompt{prompt, true, reason_};
  std::string text = is_asked ? changed_.value_or(prompt) : prompt;
  if (!context_.empty() && !text.starts_with('/')) {
    text = "<context from=\"hooks\">\n" + std::exchange(context_, {}) + "</context>\n\n" + text;
  }
  return SteppedPrompt{std::move(text)};
}

}  // namespace workers
