// People read the first lines that were not understood, and programs all of them.
#include "tools/steno/client/import_report.hpp"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tools/steno/text/console.hpp"
#include "tools/steno/text/exit_codes.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kNamedMax = 20;

std::string lines_counted(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string reason_of(const workers::UnreadLine& line) {
  std::string reason(base::enum_name(line.reading));
  if (!line.kind.empty()) reason += " " + line.kind;
  return reason;
}

}  // namespace

ImportReport::ImportReport(OutputFormat format, bool is_dry, std::int64_t bytes)
    : format_(format), is_dry_(is_dry), bytes_(bytes), line_(stderr, "import") {}

void ImportReport::add(const ImportedFile& file) {
  files_[file.fate] += 1;
  lines_ += file.lines;
  messages_ += file.messages;
  if (format_ == OutputFormat::table) {
    const bool is_told = file.fate == FileFate::failed || file.fate == FileFate::other ||
                         file.fate == FileFate::duplicate;
    if (!is_told) return;
    line_.clear();
    remark(file.path + ": " +
           (file.fate == FileFate::other ? "no transcript; it was left alone" : file.note));
    return;
  }
  Json json;
  json["file"] = file.path;
  json["outcome"] = base::enum_name(file.fate);
  if (file.session.is_set()) json["session"] = file.session.text();
  json["lines"] = file.lines;
  json["messages"] = file.messages;
  if (!file.note.empty()) json["note"] = file.note;
  if (format_ == OutputFormat::jsonl) return print(json_line(json) + "\n");
  named_.push_back(json_line(json));
}

void ImportReport::add(const std::string& path, const workers::UnreadLine& line) {
  unread_[reason_of(line) + (line.is_left ? " (left)" : "")] += 1;
  const std::string fate =
      line.is_left ? "left for the next import: it may still be written" : "kept as it is";
  if (format_ == OutputFormat::table) {
    if (++told_ > kNamedMax) return;
    line_.clear();
    return remark(path + ":" + std::to_string(line.line) + ": " + reason_of(line) + ", " +
                  lines_counted(line.bytes, "byte", "bytes") + "; " + fate);
  }
  Json json;
  json["file"] = path;
  json["line"] = line.line;
  json["reading"] = base::enum_name(line.reading);
  if (!line.kind.empty()) json["kind"] = line.kind;
  json["bytes"] = line.bytes;
  json["kept"] = !line.is_left;
  if (format_ == OutputFormat::jsonl) return print(json_line(json) + "\n");
  named_.push_back(json_line(json));
}

void ImportReport::add(const workers::IndexFault& fault) {
  ++faults_;
  const std::string place = fault.line == 0 ? "" : ":" + std::to_string(fault.line);
  if (format_ == OutputFormat::table) {
    line_.clear();
    return remark(fault.path + place + ": " + fault.text);
  }
  Json json;
  json["file"] = fault.path;
  if (fault.line > 0) json["line"] = fault.line;
  json["fault"] = fault.text;
  if (format_ == OutputFormat::jsonl) return print(json_line(json) + "\n");
  named_.push_back(json_line(json));
}

void ImportReport::progress(std::int64_t bytes) {
  read_ += bytes;
  if (bytes_ > 0) line_.show_share(std::min<std::int64_t>(read_ * 1000 / bytes_, 1000));
}

int ImportReport::finish() {
  line_.clear();
  const int code = files_.contains(FileFate::failed) ? kExitFailed : kExitOk;
  if (format_ != OutputFormat::table) {
    Json sums;
    for (const auto& [fate, count] : files_) {
      sums["files"][std::string(base::enum_name(fate))] = count;
    }
    sums["lines"] = lines_;
    sums["messages"] = messages_;
    sums["unread"] = Json::object();
    for (const auto& [reason, count] : unread_) sums["unread"][reason] = count;
    sums["index_faults"] = faults_;
    sums["dry_run"] = is_dry_;
    if (format_ == OutputFormat::jsonl) {
      print(json_line(sums) + "\n");
      return code;
    }
    std::string all = "[";
    for (const std::string& one : named_) all += (all.size() > 1 ? "," : "") + one;
    print("{\"sums\":" + json_line(sums) + ",\"items\":" + all + "]}\n");
    return code;
  }
  if (told_ > kNamedMax) {
    remark("… and " + std::to_string(told_ - kNamedMax) +
           " more lines that were not understood; steno import -o jsonl names all of them");
  }
  const std::string verb = is_dry_ ? "would be imported" : "imported";
  print(lines_counted(files_[FileFate::imported], "session", "sessions") + " " + verb + ", " +
        std::to_string(files_[FileFate::grown]) + " grown, " +
        std::to_string(files_[FileFate::unchanged]) + " unchanged" +
        (files_[FileFate::of_steno] > 0
             ? ", " + std::to_string(files_[FileFate::of_steno]) + " of Steno's own"
             : "") +
        (files_[FileFate::failed] > 0 ? ", " + std::to_string(files_[FileFate::failed]) + " failed"
                                      : "") +
        "; " + lines_counted(lines_, "line", "lines") + " with " +
        lines_counted(messages_, "message", "messages") + "\n");
  for (const auto& [reason, count] : unread_) {
    print("  not understood: " + lines_counted(count, "line", "lines") + ", " +
          workers::safe_line(reason) + "\n");
  }
  return code;
}

std::int64_t total_bytes(const std::vector<workers::TranscriptSource>& transcripts) {
  std::int64_t bytes = 0;
  for (const workers::TranscriptSource& one : transcripts) {
    struct stat facts {};
    if (::stat(one.path.c_str(), &facts) == 0) bytes += facts.st_size;
  }
  return bytes;
}

}  // namespace steno
