// Writes a session's events as the lines of a transcript. Lines that were imported come back as
// they were; others are made from what the record holds.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/session/imported.hpp"

namespace workers {

enum class WrittenForm {
  claude,    // Claude Code's own, which it goes on with
  messages,  // document B's
};

// What every line of a file says.
struct WrittenFile {
  WrittenForm form = WrittenForm::claude;
  std::string session;  // the agent's own id of it; of document B's form the session's
  std::string workdir;
  std::string agent_version;
  std::string model;
  base::Time began;
  bool is_live = false;  // the session may go on
};

// What could not be written.
struct LeftOut {
  std::int64_t thoughts = 0;   // without the signature that the model's provider asks for
  std::int64_t subagents = 0;  // pieces of what subagents said and did
  std::int64_t files = 0;      // that went with prompts
  std::int64_t erased = 0;     // texts
  std::int64_t failures = 0;   // texts that say why turns failed
  std::int64_t cut_off = 0;    // blocks of which only a part was said
};

class TranscriptWriter {
 public:
  explicit TranscriptWriter(WrittenFile file);

  // Return the lines that are complete by then, each with its line feed.
  std::string add(const domain::RecordedEvent& event);
  std::string finish();
  const LeftOut& left_out() const { return left_out_; }
  std::int64_t lines() const { return lines_; }

 private:
  struct Imported {
    domain::LineImported facts;
    std::string text;
    std::vector<std::optional<std::string>> texts;
  };
  enum class Side { none, user, agent };

  std::string finish_imported();
  void note_parent(const std::string& line);
  std::string write_own(const domain::RecordedEvent& event);
  std::string behind_imported(const std::string& lines);
  std::string write_prompt(const domain::RecordedEvent& event, base::TurnId turn);
  std::string write_piece(const domain::RecordedEvent& event);
  std::string write_line(Side side, base::Time at, const std::string& content,
                         const std::string& id);
  std::string write_claude(Side side, base::Time at, const std::string& content,
                           const std::string& id);
  std::string write_message(Side side, base::Time at, const std::string& content,
                            const std::string& id);
  std::string write_result(const std::string& call, const std::string& text, bool is_error,
                           base::Time at, const std::string& id);
  std::string end_calls(base::Time at, std::string_view why);
  std::string write_answer(const domain::RecordedEvent& event, const std::string& id);
  void note_partial(const domain::Event& event);
  std::string header();
  // Returns an id for a line that has none, the same in every export.
  std::string made_id(std::string_view of);

  const WrittenFile file_;
  std::optional<Imported> imported_;
  bool is_line_open_ = false;       // that line has no end
  std::int64_t imported_line_ = 0;  // number of the last one that was written
  std::map<base::TurnId, domain::RecordedEvent> prompts_;  // that no agent has been given
  std::map<std::string, std::string> calls_;               // open ones, with their tools
  std::string parent_;                                     // id of the last line
  std::string answer_;                                     // id of the model's answer under way
  bool is_partial_ = false;                                // of the block under way
  base::Time last_;                                        // when the last event was
  LeftOut left_out_;
  std::int64_t lines_ = 0;
  std::int64_t made_ = 0;
};

}  // namespace workers
