// The rules for source files. Each is a function from a file to complaints about it, so that
// tests/tidy_test.cpp can try it on wrong samples as well as on the sources.
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

using Complaints = std::vector<std::string>;  // "path:line: reason"; empty: nothing is wrong

// Returns the text with the insides of comments, strings and characters blanked; lines stay.
std::string code_of(std::string_view text);

// Includes go one way: tools → workers, projections, bus, eventlog; workers → projections, bus,
// eventlog; projections → eventlog; bus → eventlog/base. Inside each of these, a list says which
// folders a folder can include.
Complaints check_dependencies(const SourceFile& file);

// The domain (eventlog/domain and below) uses no clock, randomness, thread, I/O, floating point or
// library.
Complaints check_purity(const SourceFile& file);
// An aggregate compiles with those that its folder includes alone, and includes go one way.
Complaints check_aggregates(const std::vector<SourceFile>& files);

// A library's types stay in one folder: a header that includes the library, or such a header, is
// private to the files of its folder. Checks the product's files.
Complaints check_third_party(const std::vector<SourceFile>& files);

// Calls and words that are banned everywhere, or allowed in a few named files only.
Complaints check_banned_words(const SourceFile& file);

// The product uses std::filesystem without exceptions: calls get an error_code of the same file,
// and only base::list_files reads folders.
Complaints check_file_system(const SourceFile& file);

// Every .cpp file is compiled by some target.
Complaints check_is_built(const SourceFile& file, std::string_view cmake_lists);

// Every function that a header declares is used somewhere, tests included. Told by its name alone,
// so a dead function whose name another one has is not found.
Complaints check_is_used(const std::vector<SourceFile>& files);

// No two headers define a type of one name in one namespace: a program with both of them would have
// the functions of one. A definition whose base classes begin on the next line is not seen.
Complaints check_types_are_unique(const std::vector<SourceFile>& files);

// Relative links of a Markdown file have a target. `exists` takes a path from the root.
Complaints check_links(const SourceFile& file,
                       const std::function<bool(const std::string&)>& exists);

// Each item of a list of walks has at most 8 stops and 2 climbs, and each function that it links to
// is in that file. `read` returns the text of a file, whose path is from the root.
Complaints check_walks(const SourceFile& list,
                       const std::function<std::string(const std::string&)>& read);

// A header begins with a comment that says what it is for, then #pragma once.
Complaints check_header_form(const SourceFile& file);

// No line is longer than 100 characters.
Complaints check_width(const SourceFile& file);

// Test names have no character that CTest's lists or Catch's filters treat specially.
Complaints check_test_names(const SourceFile& file);

// base and Catch both define a macro CHECK, so no header and no test includes that of base.
Complaints check_check_macro(const SourceFile& file);

}  // namespace support
