// The rules that source files are held to, each a function from a file to complaints about it, so
// that tests/tidy_test.cpp can try them on wrong samples as well as on the sources.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace support {

struct SourceFile {
  std::string path;  // relative to the root of the sources, with '/'
  std::string text;
};

using Complaints = std::vector<std::string>;  // "path:line: what is wrong"; empty: nothing

// The text with the insides of comments, strings and character literals blanked out; lines stay.
std::string code_of(std::string_view text);

// Includes go one way: tools → workers, projections, bus, eventlog; workers → projections, bus,
// eventlog; projections → eventlog; bus → eventlog/base; eventlog → eventlog/base.
Complaints check_dependencies(const SourceFile& file);

// The domain (eventlog/domain, eventlog/domain/session) knows no clock, randomness, thread, I/O,
// floating point or library.
Complaints check_purity(const SourceFile& file);

// Libraries' types stay inside a folder: a header that includes a library's, or such a header, is
// private, and may be included by files of its own folder alone. Looks at the product's files.
Complaints check_third_party(const std::vector<SourceFile>& files);

// Calls and words that are nowhere wanted, or in a few named files only.
Complaints check_banned_words(const SourceFile& file);

// The product asks about files without exceptions: calls of std::filesystem are given an error_code
// of the same file, and folders are read by base::list_files alone.
Complaints check_file_system(const SourceFile& file);

// Every .cpp file is compiled by somebody.
Complaints check_is_built(const SourceFile& file, std::string_view cmake_lists);

// Relative links of a Markdown file lead to something. `exists` takes a path from the root.
Complaints check_links(const SourceFile& file,
                       const std::function<bool(const std::string&)>& exists);

// A header begins with a comment that says what it is for, then #pragma once.
Complaints check_header_form(const SourceFile& file);

// No line is longer than 100 characters.
Complaints check_width(const SourceFile& file);

// Names of tests have no character that CTest's list or Catch's filters would trip over.
Complaints check_test_names(const SourceFile& file);

// base's CHECK and Catch's are two macros of one name: no header and no test includes the former.
Complaints check_check_macro(const SourceFile& file);

}  // namespace support
