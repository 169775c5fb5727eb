// `steno replay verify`: gathers every checkpoint outside the log, runs verify_log, prints the
// report and turns it into a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/proof/anchor.hpp"
#include "eventlog/proof/verify.hpp"
#include "projections/anchored_rows.hpp"
#include "tools/steno/replay/replay.hpp"
#include "tools/steno/replay/replay_checkpoints.hpp"
#include "tools/steno/replay/replay_report.hpp"

namespace steno {
namespace {

using eventlog::kUnknownEnd;
using eventlog::Problem;
using eventlog::UnprovedLog;
using eventlog::VerifyReport;
using Json = nlohmann::ordered_json;

struct Verdict {
  int exit = kExitOk;
  std::string_view word;  // for programs
  std::string_view text;  // for people
};

Verdict verdict_of(const UnprovedLog& log, const VerifyReport& report) {
  bool is_wrong = false;
  for (const Problem& problem : report.problems) {
    if (problem.code != base::ErrorCode::wrong_log) {
      return {kExitDamaged, "damaged", "something is missing or damaged"};
    }
    is_wrong = true;
  }
  if (is_wrong) {
    return {kExitWrongLog, "wrong_log", "of another log, or of a newer release than this one"};
  }
  if (log.is_torn) {
    return {kExitTornTail, "torn",
            "the last write was cut short; nothing that was acknowledged is missing"};
  }
  return {kExitOk, "clean", "whole: nothing is missing"};
}

// Returns the log's end as a checkpoint, if there is no problem up to there.
std::optional<eventlog::Checkpoint> checkpoint_of(const VerifyReport& report) {
  if (!report.problems.empty() || report.blocks == 0) return std::nullopt;
  return eventlog::Checkpoint{report.log, report.epoch, report.last, report.hash};
}

// Returns "12, signed up to position 4711 by key 1a2b-…", or "none".
std::string anchors_text(const VerifyReport& report) {
  if (report.anchors.empty()) return "none";
  std::int64_t count = 0;
  std::string keys;
  for (const auto& [key, of_key] : report.anchors) {
    count += of_key;
    keys += (keys.empty() ? "" : ", ") + key;
  }
  return fmt::format("{}, signed up to position {} by key {}", count, report.anchored.value, keys);
}

void print_report_as_text(std::FILE* out, const UnprovedLog& log, const VerifyReport& report,
                          const Verdict& verdict) {
  const auto row = [&](std::string_view name, const std::string& value) {
    fmt::print(out, "{:<12}{}\n", name, value);
  };
  row("log", report.log.is_set() ? report.log.text() : "empty");
  row("events", fmt::format("{}", report.events) +
                    (report.events > 0 ? fmt::format(", positions {} to {}", report.first.value,
                                                     report.last.value)
                                       : ""));
  row("blocks", fmt::format("{}", report.blocks));
  row("streams", fmt::format("{}", report.streams));
  if (log.base) {
    row("begins", "behind anchor " + std::to_string(log.base->anchor.at.position.value) + "; " +
                      printable(eventlog::where_archived(*log.base)));
  }
  row("epochs", fmt::format("{}", report.epochs));
  row("contents", fmt::format("{}, {} erased", report.contents, report.contents_erased));
  row("anchors", anchors_text(report));
  row("hash", report.blocks > 0 ? base::to_hex(base::view(report.hash)) : "none");
  if (const auto checkpoint = checkpoint_of(report)) {
    row("checkpoint", checkpoint_text(*checkpoint));
  }
  row("head", log.head ? fmt::format("position {}, {} events behind it", log.head->position.value,
                                     report.after_head)
                       : "none");
  if (log.is_in_use) row("in use", "a server has the log open; it was read up to its head");
  for (const std::string& path : log.foreign) {
    row("foreign", printable(path) + " is no part of a log, and is left alone");
  }
  row("problems", fmt::format("{}", static_cast<std::int64_t>(report.problems.size()) +
                                        report.problems_left_out));
  for (const Problem& problem : report.problems) {
    fmt::print(out, "  position {}: {}\n", problem.position.value, printable(problem.text));
  }
  if (report.problems_left_out > 0) {
    fmt::print(out, "  and {} more\n", report.problems_left_out);
  }
  row("verdict", std::string(verdict.text));
}

void print_report_as_json(std::FILE* out, const UnprovedLog& log, const VerifyReport& report,
                          const Verdict& verdict) {
  Json json;
  json["verdict"] = verdict.word;
  json["log"] = report.log.is_set() ? Json(report.log.text()) : Json();
  json["events"] = report.events;
  json["blocks"] = report.blocks;
  json["first"] = report.first.value;
  json["last"] = report.last.value;
  json["hash"] = report.blocks > 0 ? Json(base::to_hex(base::view(report.hash))) : Json();
  const auto checkpoint = checkpoint_of(report);
  json["checkpoint"] = checkpoint ? Json(checkpoint_text(*checkpoint)) : Json();
  json["streams"] = report.streams;
  json["epochs"] = report.epochs;
  json["contents"] = report.contents;
  json["contents_erased"] = report.contents_erased;
  json["archived"] = log.base ? Json(log.base->anchor.at.position.value) : Json();
  json["anchors"] = report.anchors;
  json["anchored"] = report.anchored.value;
  json["head"] = log.head ? Json(log.head->position.value) : Json();
  json["events_behind_head"] = report.after_head;
  json["in_use"] = log.is_in_use;
  json["torn"] = log.is_torn;
  json["foreign"] = log.foreign;
  json["problems"] = Json::array();
  for (const Problem& problem : report.problems) {
    json["problems"].push_back(
        {{"position", problem.position.value},
         {"through", problem.through == kUnknownEnd ? Json() : Json(problem.through.value)},
         {"kind", problem.code == base::ErrorCode::wrong_log ? "wrong_log" : "damaged"},
         {"text", problem.text}});
  }
  json["problems_left_out"] = report.problems_left_out;
  print_json_text(out, json);
}

// Returns the anchor of a file as a witness, if an accepted key signed it.
base::Result<eventlog::Witness> anchor_witness(const ReplayArguments& arguments) {
  const auto file = eventlog::read_anchor_file(arguments.anchor);
  if (!file) return tl::unexpected(file.error());
  const auto anchor = eventlog::open_anchor(*file);
  if (!anchor) return tl::unexpected(anchor.error());
  const auto& keys = arguments.keys;
  const std::string signer = base::fingerprint(file->key);
  if (keys.empty() || std::find(keys.begin(), keys.end(), signer) != keys.end()) {
    return eventlog::Witness{"the anchor in " + arguments.anchor, anchor->at};
  }
  return base::failure(base::ErrorCode::wrong_log,
                       "the anchor is signed by key " + signer + ", not by the one that was given",
                       arguments.anchor);
}

// Removes witnesses from before a trimmed log's first block: such rows are built anew at a start.
std::vector<eventlog::Witness> without_earlier(std::vector<eventlog::Witness> witnesses,
                                               const UnprovedLog& log) {
  if (!log.base) return witnesses;
  std::erase_if(witnesses, [&](const eventlog::Witness& witness) {
    return witness.checkpoint.position <= log.base->anchor.at.position;
  });
  return witnesses;
}

// Fails for a user's own checkpoint before a trimmed log's anchor: the log can only be compared
// from there on.
base::Result<void> check_reach(const std::optional<eventlog::Witness>& witness,
                               const UnprovedLog& log) {
  if (!witness || !log.base) return {};
  const eventlog::Checkpoint& begin = log.base->anchor.at;
  const base::Position position = witness->checkpoint.position;
  if (position > begin.position || witness->checkpoint == begin) return {};
  if (position < begin.position) {
    return base::failure(base::ErrorCode::not_found, witness->name + " is of position " +
                                                         std::to_string(position.value) + ", and " +
                                                         eventlog::where_archived(*log.base) +
                                                         "; give it with --archive");
  }
  return base::failure(
      base::ErrorCode::damaged,
      "the log begins behind another block than the one that " + witness->name + " names",
      "position " + std::to_string(position.value));
}

// Checks the rows that a trimmed log's projections are built upon.
void check_base(const UnprovedLog& log, VerifyReport& report) {
  if (!log.base || log.base_error) return;
  const auto found = projections::check_anchored_rows(*log.base);
  if (found || found.error().code == base::ErrorCode::wrong_log) return;
  const base::Position position = log.base->anchor.at.position;
  report.problems.insert(report.problems.begin(),
                         {position, position, found.error().code, base::describe(found.error())});
}

}  // namespace

int replay_verify(const ReplayArguments& arguments) {
  auto witnesses = read_witnesses(arguments.folder);
  std::optional<eventlog::Witness> noted;
  std::optional<eventlog::Witness> carried;
  if (!arguments.checkpoint.empty()) {
    const auto checkpoint = parse_checkpoint(arguments.checkpoint);
    if (!checkpoint) {
      return fail(arguments.err, {base::ErrorCode::invalid,
                                  "'" + arguments.checkpoint +
                                      "' is not a checkpoint; steno replay verify prints one",
                                  {}});
    }
    noted = {"the checkpoint", *checkpoint};
  }
  if (!arguments.anchor.empty()) {
    auto witness = anchor_witness(arguments);
    if (!witness) return fail(arguments.err, witness.error());
    carried = std::move(*witness);
  }
  const auto log = eventlog::open_unproved_log(arguments.folder, arguments.archives);
  if (!log) return fail(arguments.err, log.error());
  eventlog::VerifyBesides besides = eventlog::besides_of(*log);
  besides.witnesses = without_earlier(std::move(witnesses), *log);
  for (const auto& witness : {noted, carried}) {
    if (auto ok = check_reach(witness, *log); !ok) return fail(arguments.err, ok.error());
    if (witness) besides.witnesses.push_back(*witness);
  }
  besides.keys = {arguments.keys.begin(), arguments.keys.end()};
  ProgressLine progress(arguments.err, "verify");
  VerifyReport report = eventlog::verify_log(
      *log->store, log->head, [&](auto reached, auto tail) { progress.show(reached, tail); },
      besides);
  progress.clear();
  check_base(*log, report);
  // These errors get a position behind everything known, on which verify_log reports itself.
  const base::Position head = log->head ? log->head->position : base::Position{};
  const base::Position behind = std::max({log->store->tail(), report.last, head}).next();
  for (const auto& error : {log->head_error, log->store_error, log->base_error}) {
    if (!error) continue;
    report.problems.insert(report.problems.begin(),
                           {behind, kUnknownEnd, error->code, base::describe(*error)});
  }
  const Verdict verdict = verdict_of(*log, report);
  (arguments.is_json ? print_report_as_json : print_report_as_text)(arguments.out, *log, report,
                                                                    verdict);
  return verdict.exit;
}

}  // namespace steno
