// A prompt is written where its turn is started. All that the agent says and calls between two
// pieces of the user's side is one answer of the model. A call without a result gets one: providers
// refuse a conversation in which one is missing.
#include "workers/stores/transcript_writer.hpp"

#include <algorithm>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/session/events.hpp"
#include "workers/stores/line_texts.hpp"
#include "workers/stores/message_pieces.hpp"

namespace workers {
namespace {

using domain::RecordedEvent;

constexpr std::string_view kInterrupted = "It was interrupted; its outcome is not known.";
constexpr std::string_view kUnderWay = "It was under way when this was written.";

std::string field(std::string_view name, std::string_view text) {
  return "\"" + std::string(name) + "\":" + line_string(text);
}

// Returns the time as JavaScript writes it, in milliseconds.
std::string moment(base::Time at) {
  std::string text = base::time_text({at.us / 1000 * 1000});
  const std::size_t dot = text.find('.');
  return dot == std::string::npos ? text : text.substr(0, dot + 4) + "Z";
}

std::string clean_utf8(std::string_view text) {
  if (base::is_utf8(text)) return std::string(text);
  std::string clean;
  for (const char c : text) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    clean += is_ascii ? std::string(1, c) : "\xEF\xBF\xBD";
  }
  return clean;
}

std::string text_block(std::string_view text) {
  return "{\"type\":\"text\"," + field("text", clean_utf8(text)) + "}";
}

// Returns the tool's input, which is an object.
std::string input_of(std::string_view input) {
  const engines::JsonLine json(input);
  return json.object() ? std::string(input) : "{}";
}

std::string text_of(const RecordedEvent& event) {
  return event.content ? event.content->text : std::string();
}

}  // namespace

TranscriptWriter::TranscriptWriter(WrittenFile file) : file_(std::move(file)) {}

std::string TranscriptWriter::made_id(std::string_view of) {
  base::Blake2bStream all;
  for (const std::string_view part :
       {std::string_view("steno export"), std::string_view(file_.session), of}) {
    all.add(part);
  }
  all.add(std::to_string(++made_));
  const base::Hash hash = all.finish();
  base::IdBytes bytes{};
  std::copy_n(hash.begin(), bytes.size(), bytes.begin());
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x80);
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);
  return base::id_text(bytes);
}

std::string TranscriptWriter::header() {
  if (file_.form == WrittenForm::claude || lines_ > 0) return {};
  ++lines_;
  return "{\"type\":\"session\",\"version\":3," + field("id", file_.session) + "," +
         field("timestamp", moment(file_.began)) + "," + field("cwd", file_.workdir) + "}\n";
}

std::string TranscriptWriter::finish_imported() {
  if (!imported_) return {};
  const Imported one = *std::exchange(imported_, std::nullopt);
  if (one.facts.line == 0) return {};
  std::vector<const std::string*> texts;
  for (const auto& text : one.texts) texts.push_back(text ? &*text : nullptr);
  const bool is_whole = one.facts.reading != domain::LineReading::understood;
  std::string line = is_whole ? one.text : with_texts(one.text, texts);
  is_line_open_ = one.facts.is_open;
  if (std::exchange(imported_line_, one.facts.line) != one.facts.line) ++lines_;
  if (!is_whole) note_parent(line);
  return line += one.facts.goes_on || one.facts.is_open ? "" : "\n";
}

// What is written behind an imported line goes on there.
void TranscriptWriter::note_parent(const std::string& line) {
  const engines::JsonLine json(line);
  const auto object = json.object();
  if (!object || (*object)["isSidechain"].is_true()) return;
  const JsonValue id = (*object)[file_.form == WrittenForm::claude ? "uuid" : "id"];
  if (id.is_text()) parent_ = id.text();
}

std::string TranscriptWriter::write_claude(Side side, base::Time at, const std::string& content,
                                           const std::string& id) {
  std::string line = "{\"parentUuid\":";
  line += parent_.empty() ? "null" : line_string(parent_);
  line += ",\"isSidechain\":false,\"userType\":\"external\"," + field("cwd", file_.workdir) + "," +
          field("sessionId", file_.session) + "," + field("version", file_.agent_version) +
          ",\"gitBranch\":\"\",";
  if (side == Side::user) {
    line += "\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":" + content + "},";
  } else {
    if (answer_.empty()) answer_ = "msg_" + made_id("answer");
    line += "\"type\":\"assistant\",\"message\":{" + field("id", answer_) +
            ",\"type\":\"message\",\"role\":\"assistant\"," + field("model", file_.model) +
            ",\"content\":" + content +
            ",\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":0,"
            "\"output_tokens\":0}},";
  }
  return line + field("uuid", id) + "," + field("timestamp", moment(at)) + "}\n";
}

std::string TranscriptWriter::write_message(Side side, base::Time at, const std::string& content,
                                            const std::string& id) {
  std::string line = "{\"type\":\"message\"," + field("id", id) + ",\"parentId\":";
  line += parent_.empty() ? "null" : line_string(parent_);
  line += "," + field("timestamp", moment(at)) + ",\"message\":{";
  line += side == Side::user ? "\"role\":\"user\"" : "\"role\":\"assistant\"";
  line += ",\"content\":" + content;
  if (side == Side::agent && !file_.model.empty()) line += "," + field("model", file_.model);
  return line + ",\"timestamp\":" + std::to_string(at.us / 1000) + "}}\n";
}

std::string TranscriptWriter::write_line(Side side, base::Time at, const std::string& content,
                                         const std::string& id) {
  std::string out = header();
  if (side == Side::user) answer_.clear();
  out += file_.form == WrittenForm::claude ? write_claude(side, at, content, id)
                                           : write_message(side, at, content, id);
  parent_ = id;
  ++lines_;
  return out;
}

std::string TranscriptWriter::write_result(const std::string& call, const std::string& text,
                                           bool is_error, base::Time at, const std::string& id) {
  const auto open = calls_.find(call);
  const std::string tool = open == calls_.end() ? std::string() : open->second;
  if (open != calls_.end()) calls_.erase(open);
  if (file_.form == WrittenForm::claude) {
    std::string block = "[{\"type\":\"tool_result\"," + field("tool_use_id", call) + "," +
                        field("content", clean_utf8(text));
    if (is_error) block += ",\"is_error\":true";
    return write_line(Side::user, at, block + "}]", id);
  }
  answer_.clear();
  std::string line = header() + "{\"type\":\"message\"," + field("id", id) +
                     ",\"parentId\":" + (parent_.empty() ? "null" : line_string(parent_)) + "," +
                     field("timestamp", moment(at)) + ",\"message\":{\"role\":\"toolResult\"," +
                     field("toolCallId", call) + "," + field("toolName", tool) + ",\"content\":[" +
                     text_block(text) + "],\"isError\":" + (is_error ? "true" : "false") +
                     ",\"timestamp\":" + std::to_string(at.us / 1000) + "}}\n";
  parent_ = id;
  ++lines_;
  return line;
}

std::string TranscriptWriter::end_calls(base::Time at, std::string_view why) {
  std::string out;
  while (!calls_.empty()) {
    const std::string call = calls_.begin()->first;
    out += write_result(call, std::string(why), true, at, made_id(call));
  }
  return out;
}

std::string TranscriptWriter::write_prompt(const RecordedEvent& event, base::TurnId turn) {
  if (!event.content) {
    ++left_out_.erased;
    return {};
  }
  const base::Time at = event.envelope.wall_time;
  std::string out = end_calls(at, kInterrupted);
  const std::string text = clean_utf8(text_of(event));
  const std::string content =
      file_.form == WrittenForm::claude ? line_string(text) : "[" + text_block(text) + "]";
  return out += write_line(Side::user, at, content, turn.is_set() ? turn.text() : made_id("user"));
}

std::string TranscriptWriter::write_answer(const RecordedEvent& event, const std::string& id) {
  if (!event.content) {
    ++left_out_.erased;
    return {};
  }
  return write_line(Side::agent, event.envelope.wall_time, "[" + text_block(text_of(event)) + "]",
                    id);
}

// Counts blocks that were never finished.
void TranscriptWriter::note_partial(const domain::Event& event) {
  if (event.is<domain::PartialOutputRecorded>()) is_partial_ = true;
  if (event.is<domain::OutputRecorded>()) is_partial_ = false;
  const bool is_over = event.is<domain::TurnFinished>() || event.is<domain::TurnFailed>() ||
                       event.is<domain::TurnInterrupted>() || event.is<domain::TurnReturned>();
  if (is_over && std::exchange(is_partial_, false)) ++left_out_.cut_off;
}

std::string TranscriptWriter::write_piece(const RecordedEvent& event) {
  const base::Time at = event.envelope.wall_time;
  const std::string position = std::to_string(event.envelope.position.value);
  const auto is_left = [&](const std::string& parent) {
    left_out_.subagents += parent.empty() ? 0 : 1;
    return !parent.empty();
  };
  if (const auto* said = event.event.as<domain::OutputRecorded>()) {
    if (is_left(said->parent)) return {};
    if (said->kind == domain::OutputKind::thinking) {
      ++left_out_.thoughts;
      return {};
    }
    return write_answer(event, said->message.empty() ? made_id(position) : said->message);
  }
  if (const auto* finished = event.event.as<domain::TurnFinished>()) {
    const bool has_answer = finished->is_answer && event.envelope.content;
    return has_answer ? write_answer(event, made_id(position)) : std::string();
  }
  if (const auto* call = event.event.as<domain::ToolCallStarted>()) {
    if (is_left(call->parent)) return {};
    calls_[call->call] = call->tool;
    const bool is_claude = file_.form == WrittenForm::claude;
    const std::string block =
        std::string("[{\"type\":") + (is_claude ? "\"tool_use\"" : "\"toolCall\"") + "," +
        field("id", call->call) + "," + field("name", call->tool) +
        (is_claude ? ",\"input\":" : ",\"arguments\":") + input_of(text_of(event)) + "}]";
    return write_line(Side::agent, at, block,
                      call->message.empty() ? made_id(position) : call->message);
  }
  if (const auto* done = event.event.as<domain::ToolCallFinished>()) {
    if (is_left(done->parent) || !calls_.contains(done->call)) return {};
    return write_result(done->call, text_of(event), done->is_error, at, made_id(position));
  }
  return {};
}

std::string TranscriptWriter::add(const RecordedEvent& event) {
  if (const auto* message = event.event.as<domain::MessageImported>()) {
    static_cast<void>(message);
    if (!imported_) return {};
    const bool is_erased = event.envelope.content && !event.content;
    left_out_.erased += is_erased ? 1 : 0;
    imported_->texts.push_back(is_erased ? std::nullopt : std::optional(text_of(event)));
    return {};
  }
  last_ = event.envelope.wall_time;
  note_partial(event.event);
  std::string out = finish_imported();
  if (const auto* line = event.event.as<domain::LineImported>()) {
    left_out_.erased += event.envelope.content && !event.content ? 1 : 0;
    imported_ = Imported{*line, text_of(event), {}};
    return out;
  }
  return out += behind_imported(write_own(event));
}

std::string TranscriptWriter::write_own(const RecordedEvent& event) {
  if (const auto* queued = event.event.as<domain::TurnQueued>()) {
    prompts_.insert_or_assign(queued->turn, event);
    return {};
  }
  if (const auto* started = event.event.as<domain::TurnStarted>()) {
    const auto prompt = prompts_.find(started->turn);
    if (prompt == prompts_.end()) return {};
    const RecordedEvent given = std::move(prompt->second);
    prompts_.erase(prompt);
    return write_prompt(given, started->turn);
  }
  if (event.event.is<domain::PromptInjected>()) return write_prompt(event, {});
  left_out_.files += event.event.is<domain::FileAttached>() ? 1 : 0;
  left_out_.failures += event.event.is<domain::TurnFailed>() && event.envelope.content ? 1 : 0;
  return write_piece(event);
}

// The last line that was imported can lack its end.
std::string TranscriptWriter::behind_imported(const std::string& lines) {
  const bool needs_end = !lines.empty() && std::exchange(is_line_open_, false);
  return needs_end ? "\n" + lines : lines;
}

std::string TranscriptWriter::finish() {
  std::string out = finish_imported();
  left_out_.cut_off += std::exchange(is_partial_, false) ? 1 : 0;
  return out += behind_imported(end_calls(last_, file_.is_live ? kUnderWay : kInterrupted));
}

}  // namespace workers
