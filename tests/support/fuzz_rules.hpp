// The rule that every decoder of bytes from outside is fuzzed. It recognizes decoders by their
// form, not from a list, so that a new one cannot be forgotten:
//
//   a function of a header, named like one that reads (decode_…, parse_…, split_…, feed, …), that
//   takes a ByteView or a string_view;
//   a struct with `fields` that something is read as: from_body<X>(…), rows.get<X>(…).
//
// Its name must stand in a target of tests/fuzz that includes its header. A struct of a .cpp file
// cannot be named there, so a target must include the file's own header.
#pragma once

#include "tests/support/source_rules.hpp"

namespace support {

// `files`: all sources of product and tests.
Complaints check_is_fuzzed(const std::vector<SourceFile>& files);

// Every target has inputs to begin with and a description. `has_corpus` takes a target's name.
Complaints check_fuzz_targets(std::string_view cmake_lists, std::string_view readme,
                              const std::function<bool(const std::string&)>& has_corpus);

}  // namespace support
