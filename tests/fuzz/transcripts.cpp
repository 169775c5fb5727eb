// Lines of transcripts, and indexes in JSON5.
#include "tests/fuzz/fuzz.hpp"

#include "workers/engines/json_text.hpp"
#include "workers/stores/json5.hpp"
#include "workers/stores/line_texts.hpp"
#include "workers/stores/transcript_lines.hpp"

using fuzz::require;

namespace {

void read_lines(base::ByteView in) {
  workers::TranscriptContext context;
  while (!in.empty()) {
    const std::size_t end = std::min(in.find('\n'), in.size());
    const base::ByteView line = in.substr(0, end);
    in.remove_prefix(std::min(end + 1, in.size()));
    const workers::TranscriptLine read = workers::read_transcript_line(line, context);
    const domain::ImportedLine& imported = read.line;
    std::vector<const std::string*> texts;
    for (const domain::ImportedMessage& message : imported.messages) {
      require(!message.text.empty(), "a piece has a text");
      require(message.facts.turn.is_set(), "a piece belongs to a turn");
      texts.push_back(&message.text);
    }
    const bool is_read = imported.facts.reading == domain::LineReading::understood;
    require(is_read || texts.empty(), "a line that is not understood says nothing");
    const std::string back = is_read ? workers::with_texts(imported.text, texts) : imported.text;
    require(back == line, "a line comes back as it was");
    domain::TranscriptImported so_far;
    so_far.began = context.began;
    so_far.ended = context.ended;
    so_far.cost = context.cost;
    require(!base::encode(so_far).empty(), "what a file has come to can be sent");
    require(!base::encode(imported).empty(), "a line can be sent");
  }
}

void read_index(base::ByteView in) {
  const workers::Json5Members read = workers::read_json5_object(in);
  require(read.read_bytes <= in.size(), "no more is read than there is");
  for (const auto& [name, value] : read.members) {
    const std::string member = "{" + workers::line_string(name) + ":" + value + "}";
    if (!base::is_utf8(member)) continue;
    const engines::JsonLine json(member);
    require(json.object().has_value(), "a member is JSON");
  }
}

}  // namespace

void fuzz::run(ByteView in) {
  read_lines(in);
  read_index(in);
}
