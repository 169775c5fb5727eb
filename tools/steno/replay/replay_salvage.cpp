// `steno replay salvage`: prints the outcome, and writes blocks without a place in the new log to a
// file beside it.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>

#include "eventlog/salvage/salvage.hpp"
#include "tools/steno/replay/block_lines.hpp"
#include "tools/steno/replay/replay.hpp"
#include "tools/steno/replay/replay_checkpoints.hpp"
#include "tools/steno/replay/replay_report.hpp"

namespace steno {
namespace {

using base::Result;
using eventlog::MissingEvents;
using eventlog::RestBlock;
using eventlog::RestProof;
using eventlog::Salvaged;
using Json = nlohmann::ordered_json;

std::string_view name_of(RestProof proof) {
  switch (proof) {
    case RestProof::head:
      return "head";
    case RestProof::chain:
      return "chain";
    case RestProof::alone:
      break;
  }
  return "alone";
}

// The lines of blocks without a place in the new log. The file is made with its first line.
class RestFile {
 public:
  explicit RestFile(std::string path) : path_(std::move(path)) {}

  Result<void> add(const RestBlock& rest) {
    if (!file_) {
      if (auto ok = make(); !ok) return ok;
    }
    for (const auto& chunk : rest.block.chunks) {
      if (!write(chunk_line(chunk))) return failed("write");
    }
    const auto line = block_line(rest.block, {true, std::string(name_of(rest.proof))});
    if (!line) return tl::unexpected(line.error());
    return write(*line) ? Result<void>() : failed("write");
  }

  Result<void> finish() {
    if (!file_) return {};
    const bool is_synced = std::fflush(file_.get()) == 0 && ::fsync(::fileno(file_.get())) == 0;
    return is_synced ? Result<void>() : failed("sync");
  }

  // Empty: there is no file.
  std::string path() const { return file_ ? path_ : std::string(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  // Made private to the user, since it holds prompts and answers.
  Result<void> make() {
    const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) {
      return base::failure(base::ErrorCode::conflict, "the file exists already", path_);
    }
    if (fd < 0) return failed("make");
    file_.reset(::fdopen(fd, "w"));
    return {};
  }
  bool write(const std::string& line) {
    return std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
           std::fputc('\n', file_.get()) != EOF;
  }
  Result<void> failed(const std::string& what) const {
    return tl::unexpected(eventlog::errno_error("cannot " + what + " the file", path_));
  }

  const std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

std::string range_of(base::Position from, base::Position through) {
  return from == through ? fmt::format("event {}", from.value)
                         : fmt::format("events {} to {}", from.value, through.value);
}

void print_text(std::FILE* out, const Salvaged& done, const std::string& rest) {
  const auto row = [&](std::string_view name, const std::string& value) {
    fmt::print(out, "{:<12}{}\n", name, value);
  };
  row("kept", done.kept.value == 0
                  ? "nothing"
                  : fmt::format("{}, {} blocks", range_of({1}, done.kept), done.kept_blocks));
  row("head", done.old_head.position.value > 0
                  ? fmt::format("position {}", done.old_head.position.value)
                  : "not readable: events behind the listed ones may be missing, too");
  row("new epoch", fmt::format("{}, which begins at position {}", done.end.epoch.counter,
                               done.kept.next().value));
  row("checkpoint", checkpoint_text(done.end));
  row("rest", rest.empty() ? "none" : fmt::format("{} blocks in {}", done.rest_blocks, rest));
  for (const MissingEvents& missing : done.missing) {
    row("missing", range_of(missing.from, missing.through) +
                       (missing.is_in_rest ? ", among the rest" : ", nowhere"));
  }
  for (const auto& missing : done.missing_versions) {
    row("missing", fmt::format("versions {} to {} of stream {}, nowhere", missing.from.value,
                               missing.through.value, printable(missing.stream)));
  }
  for (const base::SessionId session : done.doubled) {
    row("mended", "session " + session.text() +
                      " was of two agents, and is ended: send its prompts to new sessions");
  }
  if (done.contents_lost.empty()) return;
  row("contents", fmt::format("{} are lost, and recorded as lost, of the events at positions:",
                              done.contents_lost.size()));
  for (const base::Position position : done.contents_lost) row("", std::to_string(position.value));
}

Json json_of(const Salvaged& done, const std::string& rest) {
  Json json;
  json["kept"] = done.kept.value;
  json["kept_blocks"] = done.kept_blocks;
  json["head"] = done.old_head.position.value > 0 ? Json(done.old_head.position.value) : Json();
  json["epoch"] = done.end.epoch.counter;
  json["checkpoint"] = checkpoint_text(done.end);
  json["rest"] = rest.empty() ? Json() : Json(rest);
  json["rest_blocks"] = done.rest_blocks;
  json["missing"] = Json::array();
  for (const MissingEvents& missing : done.missing) {
    json["missing"].push_back({{"position", missing.from.value},
                               {"through", missing.through.value},
                               {"in_rest", missing.is_in_rest}});
  }
  json["missing_versions"] = Json::array();
  for (const auto& missing : done.missing_versions) {
    json["missing_versions"].push_back({{"stream", missing.stream},
                                        {"version", missing.from.value},
                                        {"through", missing.through.value}});
  }
  json["doubled"] = Json::array();
  for (const base::SessionId session : done.doubled) json["doubled"].push_back(session.text());
  json["contents_lost"] = Json::array();
  for (const base::Position position : done.contents_lost) {
    json["contents_lost"].push_back(position.value);
  }
  return json;
}

}  // namespace

int replay_salvage(const ReplayArguments& arguments) {
  std::string target = arguments.target;
  while (target.size() > 1 && target.ends_with('/')) target.pop_back();
  if (target.empty()) {
    return fail(arguments.err,
                {base::ErrorCode::invalid, "give the new log's folder with --to", {}});
  }
  RestFile rest(target + "-rest.jsonl");
  ProgressLine progress(arguments.err, "salvage");
  eventlog::SalvageOptions options;
  options.to = target;
  options.archives = arguments.archives;
  options.take_rest = [&](const RestBlock& block) { return rest.add(block); };
  options.progress = [&](std::int64_t share) { progress.show_share(share); };
  base::SystemRandom random;
  const auto done = eventlog::salvage_log(arguments.folder, options, random);
  progress.clear();
  if (!done) return fail(arguments.err, done.error());
  if (auto ok = rest.finish(); !ok) return fail(arguments.err, ok.error());
  if (arguments.is_json) {
    print_json_text(arguments.out, json_of(*done, rest.path()));
  } else {
    print_text(arguments.out, *done, rest.path());
  }
  const bool is_all_there = done->missing.empty() && done->contents_lost.empty();
  return is_all_there && done->old_head.position.value > 0 ? kExitOk : kExitDamaged;
}

}  // namespace steno
