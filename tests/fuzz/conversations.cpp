// Texts about conversations: their keys, the commands in messages, labels, and the words of
// settings. Every input is tried as each of them.
#include "eventlog/base/bytes.hpp"
#include "eventlog/domain/conversation/chat_type.hpp"
#include "eventlog/domain/conversation/entry_fields.hpp"
#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/conversation/queue_directive.hpp"
#include "eventlog/domain/conversation/queued_prompt.hpp"
#include "eventlog/domain/conversation/reset_policy.hpp"
#include "eventlog/domain/conversation/send_policy.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/conversation/short_duration.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"
#include "eventlog/domain/conversation/silent_reply.hpp"
#include "eventlog/domain/conversation/stop_words.hpp"
#include "eventlog/domain/conversation/title.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

void fuzz_keys(base::ByteView in) {
  const auto parts = domain::parse_key_parts(in);
  const auto group = domain::parse_group_key(in);
  fuzz::require(!group || !group->id.empty(), "a group has an id");
  fuzz::require(domain::split_key(in).size() <= in.size() + 1, "a part has a place");
  const auto parsed = domain::parse_session_key(in);
  fuzz::require(!parsed || !parsed->rest.empty(), "a key has a rest");
  if (domain::session_key_fault(in)) return;
  domain::KeySettings settings;
  const auto canonical = domain::canonical_key(in, settings);
  if (!canonical) return;
  fuzz::require(domain::canonical_key(*canonical, settings) == canonical,
                "a canonical key stays as it is");
  static_cast<void>(parts);
}

void fuzz_words(base::ByteView in) {
  static_cast<void>(domain::parse_chat_type(in));
  static_cast<void>(domain::parse_queue_mode(in));
  static_cast<void>(domain::parse_queue_drop(in));
  static_cast<void>(domain::parse_send_action(in));
  static_cast<void>(domain::parse_send_command(in));
  static_cast<void>(domain::parse_short_duration(in, std::chrono::milliseconds(1)));
  const domain::ParsedLabel label = domain::parse_label(in);
  fuzz::require(label.label.empty() || label.fault == domain::LabelFault::none,
                "a label that is taken has no fault");
  for (const domain::EntryField& field : domain::entry_fields()) {
    const auto text = domain::field_text(field, in);
    fuzz::require(!text || domain::field_text(field, *text) == text,
                  "a text in its canonical form stays as it is");
  }
}

void fuzz_messages(base::ByteView in) {
  static_cast<void>(domain::is_stop_request(in, true));
  static_cast<void>(domain::is_silent(in, "NO_REPLY"));
  const auto directive = domain::parse_queue_directive(in);
  fuzz::require(directive.is_present || domain::faults(directive).empty(),
                "what is no directive has no faults");
  const auto rest = domain::reset_remainder({}, in);
  fuzz::require(!rest || rest->size() < in.size(), "a trigger is a part of its message");
  const std::string line = domain::summary_line(in);
  fuzz::require(line.size() <= domain::kSummaryBytesMax && line.find('\n') == std::string::npos,
                "a summary is a line");
  for (base::ByteView left = in; !left.empty();) {
    const std::size_t before = left.size();
    static_cast<void>(domain::take_any_code_point(left));
    fuzz::require(left.size() < before, "each character is taken");
  }
}

}  // namespace

void fuzz::run(ByteView in) {
  fuzz_keys(in);
  fuzz_words(in);
  fuzz_messages(in);
}
