// The results of operations about conversations, as JSON and as text. The names are those of
// OpenClaw's session methods.
#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/conversation/chat_type.hpp"
#include "eventlog/domain/conversation/key_listing.hpp"
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
  text += "\n   " + state_of(one) + "; " + std::to_string(one.messages) +
          (one.messages == 1 ? " message" : " messages") + ", changed " +
          base::duration_text(now - one.updated_at) + " ago";
  return text;
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
  if (has_failed) json["error"] = outcome.why;
  return json;
}

std::string sent_json(const SentMessage& sent) {
  return ascii_text(json_of(sent));
}

Json json_of(const ConversationPage& page) {
  Json json = {{"ts", page.as_of.us / 1000}, {"count", page.conversations.size()}};
  json["sessions"] = Json::array();
  for (const ConversationShown& one : page.conversations) {
    json["sessions"].push_back(conversation_json(one));
  }
  if (page.has_more) json["before"] = before_of(page.conversations.back());
  return json;
}

Json json_of(const OneConversation& one) {
  return conversation_json(one.shown);
}

Json json_of(const DeletedConversation& deleted) {
  return {{"key", deleted.key}, {"deleted", true}};
}

std::string text_of(const SentMessage& sent, Reader) {
  const MessageOutcome& outcome = sent.outcome;
  if (!sent.is_waited_for) {
    return sent.conversation.key + " has it" +
           (sent.reply.waiting > 0 && sent.reply.run.is_set()
                ? "; " + std::to_string(sent.reply.waiting) + " wait for the agent"
                : "");
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

std::string text_of(const DeletedConversation& deleted, Reader) {
  return "deleted " + deleted.key;
}

}  // namespace workers
