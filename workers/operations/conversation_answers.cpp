// The results of operations about conversations, as JSON and as text. The names are those of
// OpenClaw's session methods.
#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/conversation/chat_type.hpp"
#include "eventlog/domain/conversation/key_listing.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "workers/operations/answer_json.hpp"
#include "workers/operations/answer_text.hpp"
#include "workers/operations/text_rows.hpp"
#include "workers/text/terminal_text.hpp"

namespace workers {
namespace {

using projections::ConversationShown;

Json entry_json(const domain::EntryFields& entry) {
  Json json = Json::object();
  for (const auto& [name, text] : entry) {
    const domain::EntryField* field = domain::find_entry_field(name);
    if (field == nullptr) continue;
    switch (field->kind) {
      case domain::FieldKind::number:
      case domain::FieldKind::flag:
        json[name] = Json::parse(text, nullptr, false);
        break;
      case domain::FieldKind::labels:
        json[name] = domain::labels_of(text);
        break;
      case domain::FieldKind::text:
      case domain::FieldKind::word:
        json[name] = text;
    }
  }
  return json;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json route_json(const domain::DeliveryContext& route) {
  return {{"channel", text_or_null(route.channel)},
          {"to", text_or_null(route.to)},
          {"accountId", text_or_null(route.account)},
          {"threadId", text_or_null(route.thread)}};
}

std::string kind_of(const ConversationShown& one) {
  domain::KeySettings settings;
  settings.agent = one.agent;
  const auto type = domain::parse_chat_type(domain::field_of(one.entry, "chatType"));
  return std::string(
      base::enum_name(domain::tool_kind(one.key, settings, domain::list_kind(one.key, type))));
}

Json conversation_json(const ConversationShown& one) {
  Json json = {{"key", one.key}, {"agentId", one.agent}, {"kind", kind_of(one)}};
  json["sessionId"] = one.session.is_set() ? Json(one.session.text()) : Json();
  json["title"] = text_or_null(one.title);
  json["status"] = one.run.is_set() ? "running" : one.waiting > 0 ? "waiting" : "idle";
  json["waiting"] = one.waiting;
  json["messageCount"] = one.messages;
  json["runs"] = one.runs;
  json["resets"] = one.resets;
  json["createdAt"] = one.opened_at.us / 1000;
  json["updatedAt"] = one.updated_at.us / 1000;
  json["spawnedBy"] = text_or_null(one.parent);
  json["deliveryContext"] = route_json(one.last_route);
  json["entry"] = entry_json(one.entry);
  const domain::Usage& usage = one.use.usage;
  json["model"] = text_or_null(one.use.model);
  json["inputTokens"] = usage.input_tokens;
  json["outputTokens"] = usage.output_tokens;
  json["cacheRead"] = usage.cache_read_tokens;
  json["cacheWrite"] = usage.cache_creation_tokens;
  json["totalTokens"] = usage.input_tokens + usage.output_tokens + usage.cache_read_tokens +
                        usage.cache_creation_tokens;
  json["costUsd"] = dollars_json(one.use.cost);
  json["compactionCount"] = one.use.compactions;
  if (!one.files.empty()) {
    json["files"] = Json::array();
    for (const domain::FileFacts& file : one.files) {
      json["files"].push_back(
          {{"name", file.name}, {"mediaType", file.media_type}, {"bytes", file.bytes}});
    }
  }
  json["pastSessions"] = Json::array();
  for (const domain::PastSession& past : one.past) {
    json["pastSessions"].push_back({{"sessionId", past.session.text()},
                                    {"reason", base::enum_name(past.reason)},
                                    {"leftAt", past.at.us / 1000}});
  }
  return json;
}

std::string state_of(const ConversationShown& one) {
  std::string text = one.run.is_set() ? "at work" : one.waiting > 0 ? "waits" : "rests";
  if (one.waiting > 0) text += ", " + std::to_string(one.waiting) + " waiting";
  return text;
}

std::string conversation_lines(const ConversationShown& one, base::Time now) {
  std::string text = one.key;
  const std::string label(domain::field_of(one.entry, "label"));
  if (!label.empty()) text += " (" + safe_line(label) + ")";
  if (!one.title.empty()) text += "\n   " + safe_line(one.title);
  if (!one.files.empty()) text += "\n   with " + safe_line(domain::files_text(one.files));
  text += "\n   " + state_of(one) + "; " + std::to_string(one.messages) +
          (one.messages == 1 ? " message" : " messages") + ", changed " +
          base::duration_text(now - one.updated_at) + " ago";
  return text;
}

// Returns the item in the form that transcripts of OpenClaw have.
Json message_json(const TranscriptItem& one) {
  const OutputItem& item = one.item;
  Json json = {{"role", "assistant"}};
  Json part = {{"type", "text"}, {"text", item.text}};
  switch (item.kind) {
    case ItemKind::prompt:
      json["role"] = "user";
      break;
    case ItemKind::tool_call:
      part = {{"type", "toolCall"}, {"id", item.call}, {"name", item.tool}};
      part["arguments"] = item.text;
      break;
    case ItemKind::tool_result:
      json["role"] = "toolResult";
      json["toolCallId"] = item.call;
      json["isError"] = item.is_error;
      break;
    case ItemKind::thought:
      part = {{"type", "thinking"}, {"thinking", item.text}};
      break;
    case ItemKind::said:
    case ItemKind::failure:
    case ItemKind::notice:
    case ItemKind::ended:
      break;
  }
  json["content"] = Json::array({std::move(part)});
  for (const domain::FileFacts& file : item.files) {
    json["content"].push_back(
        {{"type", "file"}, {"name", file.name}, {"mimeType", file.media_type}});
  }
  json["timestamp"] = item.time.us / 1000;
  json["position"] = item.position.value;
  json["sessionId"] = one.session.text();
  if (!item.model.empty()) json["model"] = item.model;
  if (item.kind == ItemKind::failure) json["stopReason"] = "error";
  if (item.is_queued) json["queued"] = true;
  if (item.erased_at.us != 0) json["erased"] = true;
  return json;
}

// Returns what a reader sees of it; empty: nothing.
std::string message_lines(const OutputItem& item) {
  switch (item.kind) {
    case ItemKind::prompt:
      return "user: " + item.text;
    case ItemKind::said:
      return "assistant: " + item.text;
    case ItemKind::failure:
      return "assistant failed: " + item.text;
    case ItemKind::tool_call:
      return "call of " + item.tool + ": " + item.text;
    case ItemKind::tool_result:
      return std::string(item.is_error ? "failed" : "result") + ": " + item.text;
    case ItemKind::thought:
    case ItemKind::notice:
    case ItemKind::ended:
      return {};
  }
  return {};
}

std::string before_of(const ConversationShown& last) {
  return std::to_string(last.updated_at.us) + " " + last.key;
}

}  // namespace

Json json_of(const SentMessage& sent) {
  Json json = {{"key", sent.conversation.key}, {"agentId", sent.conversation.agent}};
  const MessageOutcome& outcome = sent.outcome;
  const bool has_failed = outcome.is_over && !outcome.why.empty();
  json["status"] = !sent.is_waited_for ? "accepted"
                   : !outcome.is_over  ? "timeout"
                   : has_failed        ? "error"
                                       : "ok";
  json["position"] = sent.reply.position.value;
  json["waiting"] = sent.reply.waiting;
  const base::SessionId session = outcome.session.is_set() ? outcome.session : sent.reply.session;
  json["sessionId"] = session.is_set() ? Json(session.text()) : Json();
  const base::TurnId run = outcome.run.is_set() ? outcome.run : sent.reply.run;
  json["runId"] = run.is_set() ? Json(run.text()) : Json();
  if (!sent.is_waited_for) return json;
  json["reply"] = outcome.answer;
  if (!outcome.asks.empty()) json["asks"] = json_of(AskPage{{}, outcome.asks})["asks"];
  if (has_failed) json["error"] = outcome.why;
  return json;
}

std::string sent_json(const SentMessage& sent) {
  return ascii_text(json_of(sent));
}

Json json_of(const StartedTask& started) {
  return {{"status", "accepted"},
          {"childSessionKey", started.subagent.key},
          {"agentId", started.subagent.agent},
          {"requesterSessionKey", started.parent},
          {"position", started.reply.position.value}};
}

std::string started_json(const StartedTask& started) {
  return ascii_text(json_of(started));
}

Json json_of(const ConversationPage& page) {
  Json json = {{"ts", page.as_of.us / 1000}, {"count", page.conversations.size()}};
  json["sessions"] = Json::array();
  for (const ConversationShown& one : page.conversations) {
    json["sessions"].push_back(conversation_json(one));
    if (page.last.empty()) continue;
    const std::string& last = page.last[json["sessions"].size() - 1];
    json["sessions"].back()["lastMessagePreview"] = text_or_null(last);
  }
  if (page.has_more) json["before"] = before_of(page.conversations.back());
  return json;
}

Json json_of(const OneConversation& one) {
  return conversation_json(one.shown);
}

Json json_of(const ConversationHistory& history) {
  const TranscriptPage& page = history.page;
  Json json = {{"sessionKey", history.conversation.key}};
  json["sessionId"] = history.session.is_set() ? Json(history.session.text()) : Json();
  json["messages"] = Json::array();
  for (const TranscriptItem& one : page.items) {
    json["messages"].push_back(message_json(one));
  }
  json["from"] = page.from.value;
  json["through"] = page.through.value;
  json["has_earlier"] = page.has_earlier;
  json["has_later"] = page.has_later;
  return json;
}

Json json_of(const ConversationPreviews& all) {
  Json json = {{"ts", all.as_of.us / 1000}, {"previews", Json::array()}};
  for (const ConversationPreview& one : all.previews) {
    Json preview = {{"key", one.key}, {"status", base::enum_name(one.status)}};
    preview["items"] = Json::array();
    for (const domain::PreviewItem& item : one.items) {
      preview["items"].push_back({{"role", base::enum_name(item.role)}, {"text", item.text}});
    }
    if (!one.error.empty()) preview["error"] = one.error;
    json["previews"].push_back(std::move(preview));
  }
  return json;
}

Json json_of(const DeletedConversation& deleted) {
  return {{"key", deleted.key}, {"deleted", true}};
}

std::string text_of(const StartedTask& started, Reader) {
  return started.subagent.key + " has the task; a message will tell " + started.parent +
         " how it ended";
}

std::string text_of(const SentMessage& sent, Reader reader) {
  const MessageOutcome& outcome = sent.outcome;
  if (!sent.is_waited_for) {
    return sent.conversation.key + " has it" +
           (sent.reply.waiting > 0 && sent.reply.run.is_set()
                ? "; " + std::to_string(sent.reply.waiting) + " wait for the agent"
                : "");
  }
  if (!outcome.is_over && !outcome.asks.empty()) {
    return sent.conversation.key + " has not answered yet, because its agent asks:\n" +
           text_of(AskPage{outcome.as_of, outcome.asks}, reader);
  }
  if (!outcome.is_over) return sent.conversation.key + " has not answered yet";
  if (!outcome.why.empty()) {
    return sent.conversation.key + " did not answer: " + outcome.why +
           (outcome.answer.empty() ? "" : "\n\n" + outcome.answer);
  }
  return outcome.answer;
}

std::string text_of(const ConversationPage& page, Reader reader) {
  if (page.conversations.empty()) return "No conversations found.";
  TextRows rows(reader);
  const ConversationShown* last = nullptr;
  for (const ConversationShown& one : page.conversations) {
    if (rows.add(conversation_lines(one, page.as_of))) last = &one;
  }
  const bool shows_all = rows.count() == page.conversations.size() && !page.has_more;
  if (shows_all) return rows.text();
  return rows.text() + "\n\n" +
         (reader == Reader::person || last == nullptr
              ? "There are more; fewer with words: /conversations telegram"
              : "There are more, with before: " + before_of(*last));
}

std::string text_of(const OneConversation& one, Reader) {
  std::string text = conversation_lines(one.shown, one.as_of);
  if (one.shown.session.is_set()) text += "\n   session " + one.shown.session.text();
  for (const auto& [name, value] : one.shown.entry) text += "\n   " + name + " " + safe_line(value);
  return text;
}

// The last words count most: those before them are left out where there is no room.
std::string text_of(const ConversationHistory& history, Reader reader) {
  const std::vector<TranscriptItem>& items = history.page.items;
  constexpr std::size_t kNoteMax = 200;
  const std::size_t room = characters_max(reader) - kNoteMax;
  std::string text;
  base::Position from;
  bool is_cut = history.page.has_earlier;
  for (auto one = items.rbegin(); one != items.rend(); ++one) {
    std::string lines = message_lines(one->item);
    if (lines.empty()) continue;
    domain::cut_text(lines, room);
    const bool is_first = text.empty();
    const std::size_t characters = characters_of(text) + characters_of(lines) + 2;
    if (characters > room && !is_first) {
      is_cut = true;
      break;
    }
    text = lines + (is_first ? "" : "\n\n" + text);
    from = one->item.position;
  }
  if (text.empty()) return "Nothing was said in " + history.conversation.key + " yet.";
  if (is_cut) text = "Earlier: before " + std::to_string(from.value) + "\n\n" + text;
  return text;
}

std::string text_of(const ConversationPreviews& all, Reader) {
  std::string text;
  for (const ConversationPreview& one : all.previews) {
    text += (text.empty() ? "" : "\n\n") + safe_line(one.key);
    if (one.status != PreviewStatus::ok) text += ": " + std::string(base::enum_name(one.status));
    for (const domain::PreviewItem& item : one.items) {
      text += "\n" + std::string(base::enum_name(item.role)) + ": " + safe_line(item.text);
    }
  }
  return text;
}

std::string text_of(const DeletedConversation& deleted, Reader) {
  return "deleted " + deleted.key;
}

}  // namespace workers
