// Applies the rules of tests/support/source_rules.hpp to the sources, and each rule to a wrong
// sample that it must reject.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/fuzz/inputs.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fuzz_rules.hpp"
#include "tests/support/source_rules.hpp"

namespace {

using support::Complaints;
using support::SourceFile;

const std::filesystem::path kRoot = STENO_SOURCE_DIR;
const std::vector<std::string> kProduct = {"bus", "eventlog", "projections", "workers", "tools"};

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void collect(std::vector<SourceFile>& files, const std::string& folder,
             const std::vector<std::string>& endings) {
  if (!std::filesystem::is_directory(kRoot / folder)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() ||
        std::find(endings.begin(), endings.end(), extension) == endings.end()) {
      continue;
    }
    files.push_back({entry.path().lexically_relative(kRoot).generic_string(), read(entry.path())});
  }
}

std::vector<SourceFile> product_sources() {
  std::vector<SourceFile> files;
  for (const std::string& folder : kProduct) collect(files, folder, {".hpp", ".cpp"});
  return files;
}

std::vector<SourceFile> all_sources() {
  std::vector<SourceFile> files = product_sources();
  collect(files, "tests", {".hpp", ".cpp"});
  return files;
}

std::vector<SourceFile> documents() {
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot)) {
    if (entry.path().extension() == ".md") {
      files.push_back({entry.path().filename().string(), read(entry.path())});
    }
  }
  for (const std::string& folder : kProduct) collect(files, folder, {".md"});
  collect(files, "tests", {".md"});
  collect(files, "docs", {".md"});
  return files;
}

void require_none(const Complaints& complaints) {
  for (const std::string& complaint : complaints) FAIL_CHECK(complaint);
}

template <class Rule>
void hold_all(const std::vector<SourceFile>& files, Rule&& rule) {
  REQUIRE(files.size() > 20);
  for (const SourceFile& file : files) require_none(rule(file));
}

// True if a rule found something; a rule that never complains would prove nothing.
bool complains(const Complaints& complaints) {
  return !complaints.empty();
}

TEST_CASE("includes go one way", "[tidy]") {
  hold_all(all_sources(), support::check_dependencies);
  using support::check_dependencies;
  const auto including = [](const char* path, const char* name) {
    return check_dependencies({path, std::string("// x\n#include \"") + name + "\"\n"});
  };
  CHECK(complains(including("eventlog/store/block.cpp", "bus/frame.hpp")));
  CHECK(complains(including("eventlog/store/block.cpp", "eventlog/domain/session/decide.hpp")));
  CHECK(complains(including("eventlog/base/ids.cpp", "eventlog/store/block.hpp")));
  CHECK(complains(including("eventlog/store/block.cpp", "eventlog/rocksdb/rocksdb_store.hpp")));
  CHECK(complains(including("eventlog/log/sequencer.cpp", "eventlog/folder/open_log.hpp")));
  CHECK(complains(including("workers/reactors/upkeep.cpp", "workers/server/server.hpp")));
  CHECK(complains(including("tools/steno/client/watch.cpp", "workers/server/server.hpp")));
  CHECK(complains(including("tools/steno/client/watch.cpp", "eventlog/folder/open_log.hpp")));
  CHECK(complains(including("eventlog/domain/evolve.cpp", "eventlog/store/block.hpp")));
  CHECK(complains(including("bus/frame.cpp", "eventlog/store/block.hpp")));
  CHECK(complains(including("bus/frame.cpp", "eventlog/domain/event.hpp")));
  CHECK(complains(including("projections/view.cpp", "bus/frame.hpp")));
  CHECK(complains(including("projections/view.cpp", "workers/commands/command_loop.hpp")));
  CHECK(complains(including("workers/commands/command_loop.cpp", "tools/steno/main.hpp")));
  CHECK(complains(
      including("eventlog/domain/session/decide.cpp", "workers/commands/command_loop.hpp")));
  CHECK(complains(including("eventlog/domain/session/decide.cpp", "eventlog/store/block.hpp")));
  CHECK(complains(including("tools/steno/main.cpp", "tests/support/log.hpp")));
  CHECK(complains(including("eventlog/store/block.cpp", "block.hpp")));  // not from the root
  CHECK(complains(including("attic/block.cpp", "eventlog/store/block.hpp")));
  CHECK_FALSE(complains(including("eventlog/store/block.cpp", "eventlog/base/ids.hpp")));
  CHECK_FALSE(complains(including("bus/frame.cpp", "eventlog/base/ids.hpp")));
  CHECK(complains(including("workers/commands/command_loop.cpp", "projections/view.hpp")));
  CHECK_FALSE(complains(including("workers/queries/list.cpp", "projections/views/view.hpp")));
  CHECK_FALSE(complains(including("tools/steno/main.cpp", "bus/frame.hpp")));
}

TEST_CASE("the domain is pure", "[tidy]") {
  using support::check_purity;
  hold_all(all_sources(), check_purity);
  const char* kDomain = "eventlog/domain/session/decide.cpp";
  for (const char* header : {"chrono", "random", "thread", "iostream", "fstream", "cstdio",
                             "unordered_map", "unistd.h", "rocksdb/db.h", "msgpack.hpp"}) {
    INFO(header);
    CHECK(complains(check_purity({kDomain, std::string("#include <") + header + ">\n"})));
  }
  CHECK(complains(check_purity({kDomain, "#include \"eventlog/base/random.hpp\"\n"})));
  CHECK(complains(check_purity({kDomain, "double cost = 0;\n"})));
  CHECK(complains(check_purity({kDomain, "const float x = 1;\n"})));
  CHECK(complains(check_purity({kDomain, "auto now = std::chrono::steady_clock::now();\n"})));
  CHECK(complains(check_purity({kDomain, "void f(base::Clock& clock);\n"})));
  CHECK(complains(check_purity({"eventlog/domain/aggregates.hpp", "#include <unordered_map>\n"})));
  CHECK_FALSE(complains(check_purity({kDomain, "#include <vector>\n// a double negation\n"})));
  CHECK_FALSE(complains(check_purity({"workers/loop.cpp", "#include <chrono>\ndouble x;\n"})));
  CHECK_FALSE(complains(check_purity({kDomain, "doubled(\"float\");\n"})));
}

TEST_CASE("an aggregate stands on those below it alone", "[tidy]") {
  using support::check_aggregates;
  require_none(check_aggregates(product_sources()));
  const auto includes = [](const std::string& path, const std::string& name) {
    return SourceFile{path, "#include \"" + name + "\"\n"};
  };
  const SourceFile up = includes("eventlog/domain/a/decide.cpp", "eventlog/domain/aggregates.hpp");
  const SourceFile there = includes("eventlog/domain/a/decide.cpp", "eventlog/domain/b/state.hpp");
  const SourceFile back = includes("eventlog/domain/b/state.hpp", "eventlog/domain/a/events.hpp");
  const SourceFile own = includes("eventlog/domain/b/state.hpp", "eventlog/domain/b/events.hpp");
  CHECK(complains(check_aggregates({up})));
  CHECK(complains(
      check_aggregates({includes("eventlog/domain/decision.hpp", "eventlog/domain/a/state.hpp")})));
  CHECK(complains(check_aggregates({there, back})));
  CHECK_FALSE(complains(check_aggregates({there, own})));
}

TEST_CASE("libraries' types stay inside their folder", "[tidy]") {
  using support::check_third_party;
  require_none(check_third_party(product_sources()));
  const SourceFile shows{"bus/socket.hpp", "// x\n#pragma once\n#include <zmq.hpp>\n"};
  const SourceFile passes_on{"bus/poller.hpp", "// x\n#include \"bus/socket.hpp\"\n"};
  const SourceFile own{"bus/poller.cpp", "#include \"bus/poller.hpp\"\n"};
  const SourceFile other{"workers/loop.cpp", "#include \"bus/poller.hpp\"\n"};
  CHECK_FALSE(complains(check_third_party({shows, passes_on, own})));
  CHECK(complains(check_third_party({shows, passes_on, own, other})));
  CHECK(complains(
      check_third_party({shows, {"workers/loop.hpp", "// x\n#include \"bus/socket.hpp\"\n"}})));
  for (const char* header : {"rocksdb/db.h", "msgpack/pack.hpp", "nlohmann/json.hpp", "zmq.h",
                             "simdjson.h", "boost/beast.hpp", "sqlite3.h"}) {
    const SourceFile leaky{"eventlog/x.hpp", std::string("// x\n#include <") + header + ">\n"};
    CHECK(
        complains(check_third_party({leaky, {"workers/y.cpp", "#include \"eventlog/x.hpp\"\n"}})));
  }
}

TEST_CASE("banned words are nowhere", "[tidy]") {
  using support::check_banned_words;
  hold_all(all_sources(), check_banned_words);
  for (const char* bad : {"std::this_thread::sleep_for(1s);", "std::cout << 1;", "std::mutex m;",
                          "std::atomic<int> n;", "auto t = std::chrono::system_clock::now();",
                          "assert(x);", "using namespace std;", "std::shared_ptr<int> p;"}) {
    INFO(bad);
    CHECK(complains(check_banned_words({"workers/loop.cpp", std::string(bad) + "\n"})));
  }
  CHECK(complains(check_banned_words({"workers/loop.cpp", std::string("// TO") + "DO later\n"})));
  CHECK(complains(check_banned_words({"workers/loop.cpp", std::string("// FIX") + "ME\n"})));
  CHECK_FALSE(complains(check_banned_words({"workers/loop.cpp", "static_assert(true);\n"})));
  CHECK_FALSE(complains(check_banned_words({"workers/loop.cpp", "// no std::mutex here\n"})));
  CHECK_FALSE(complains(check_banned_words({"workers/loop.cpp", "say(\"std::cout\");\n"})));
  CHECK_FALSE(complains(check_banned_words({"eventlog/base/job_thread.hpp", "std::mutex m;\n"})));
}

TEST_CASE("files are asked about without exceptions", "[tidy]") {
  using support::check_file_system;
  hold_all(product_sources(), check_file_system);
  const auto check = [](const std::string& code) {
    return complains(check_file_system(
        {"workers/loop.cpp", "void f() {\n  std::error_code failed;\n  " + code + "\n}\n"}));
  };
  for (const char* bad :
       {"for (auto& e : fs::directory_iterator(p, failed)) {}",
        "std::filesystem::recursive_directory_iterator at(p, failed);",
        "void g(const fs::directory_entry& entry);", "fs::copy(a, b, options, failed);",
        "if (fs::exists(path)) return;", "if (fs::exists(path_of(a, failed))) return;",
        "std::filesystem::remove(path, other);", "auto n = std::filesystem::file_size(\n  path);",
        "fs::rename(a, b);", "auto here = fs::current_path();"}) {
    INFO(bad);
    CHECK(check(bad));
  }
  for (const char* good :
       {"if (fs::exists(path, failed)) return;", "auto name = fs::path(path).filename();",
        "auto n = std::filesystem::file_size(path_of(a, b),\n   failed);",
        "auto here = fs::current_path(failed);", "base::list_files(path);", "// fs::exists(path)",
        "disk.remove_all(path);", "is_empty(path);"}) {
    INFO(good);
    CHECK_FALSE(check(good));
  }
}

TEST_CASE("every function that a header declares is used", "[tidy]") {
  const auto all = all_sources();
  require_none(support::check_is_used(all));
  const SourceFile header{"a/b.hpp", "int dead(int a);\nint used(int a);\n"};
  const SourceFile source{"a/b.cpp", "int dead(int a) {\n  return used(a);\n}\n"};
  CHECK(support::check_is_used({header, source}).size() == 1);
  CHECK(support::check_is_used({header, source, {"a/c.cpp", "  dead(1);\n"}}).empty());
  CHECK(support::check_is_used({{"a/d.hpp", "  bool is_dead() const { return true; }\n"}}).size() ==
        1);
  CHECK(support::check_is_used({{"a/e.hpp", "  void return_value(T value) { value_ = value; }\n"}})
            .empty());
}

TEST_CASE("no two headers define a type of one name", "[tidy]") {
  require_none(support::check_types_are_unique(all_sources()));
  const SourceFile key{"a/key.hpp", "namespace a {\nstruct Key {\n};\n}\n"};
  CHECK(support::check_types_are_unique({key, {"b/key.hpp", key.text}}).size() == 1);
  const SourceFile other{"b/key.hpp", "namespace a {\nclass Key final : public B {\n};\n}\n"};
  CHECK(support::check_types_are_unique({key, other}).size() == 1);
  const SourceFile name{"c/key.hpp", "namespace a {\nenum class Key : char {\n};\n}\n"};
  CHECK(support::check_types_are_unique({key, other, name}).size() == 2);
  CHECK(support::check_types_are_unique({key, {"b/key.hpp", "namespace b {\nstruct Key {\n"}})
            .empty());
  CHECK(support::check_types_are_unique({key, {"b/key.hpp", "namespace a {\nstruct Key;\n"}})
            .empty());
}

TEST_CASE("every source file is built", "[tidy]") {
  const std::string cmake = read(kRoot / "CMakeLists.txt");
  hold_all(all_sources(),
           [&](const SourceFile& file) { return support::check_is_built(file, cmake); });
  CHECK(complains(support::check_is_built({"eventlog/forgotten.cpp", ""}, cmake)));
  CHECK(
      complains(support::check_is_built({"log/block.cpp", ""}, "SOURCES eventlog/log/block.cpp")));
  CHECK_FALSE(complains(support::check_is_built({"a/b.cpp", ""}, "m(x SOURCES a/b.cpp)")));
  CHECK_FALSE(complains(support::check_is_built({"a/b.cpp", ""}, "m(x FOLDERS a)")));
  CHECK_FALSE(
      complains(support::check_is_built({"a/c/b.cpp", ""}, "file(GLOB_RECURSE s a/*.cpp)")));
  CHECK(complains(support::check_is_built({"a/c/b.cpp", ""}, "m(x FOLDERS a)")));
}

TEST_CASE("every relative link in a document leads somewhere", "[tidy]") {
  const auto exists = [](const std::string& path) { return std::filesystem::exists(kRoot / path); };
  for (const SourceFile& file : documents()) require_none(support::check_links(file, exists));
  const auto check = [&](const char* text) {
    return support::check_links({"eventlog/README.md", text}, exists);
  };
  CHECK(complains(check("see [the block](no_such_file.hpp)")));
  CHECK(complains(check("[a](block.hpp) and [b](nothing.md#part)")));
  CHECK_FALSE(
      complains(check("see [the block](store/block.hpp), [root](../CMakeLists.txt#modules)")));
  CHECK_FALSE(complains(check("[web](https://example.org/x) [here](#part)")));
}

TEST_CASE("the walks through the code are short, and name functions that are there", "[tidy]") {
  const auto read_file = [](const std::string& path) { return read(kRoot / path); };
  const std::string page = read(kRoot / "ARCHITECTURE.md");
  const std::size_t begin = page.find("\n## Four walks\n");
  REQUIRE(begin != std::string::npos);
  const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  require_none(support::check_walks({"ARCHITECTURE.md", section}, read_file));
  CHECK(std::count(section.begin(), section.end(), '[') >= 20);
  const auto check = [&](const std::string& text) {
    return support::check_walks({"ARCHITECTURE.md", text}, read_file);
  };
  CHECK(complains(check("- [`Server::fly`](workers/server/server.cpp)")));
  CHECK(complains(check("- [`Server::take`](workers/server/no_such_file.cpp)")));
  CHECK(complains(check("- a → b → c → d → e → f → g → h → i")));
  CHECK(complains(check("- a → b. Back: b ↑ a ↑ c ↑ d")));
  CHECK_FALSE(
      complains(check("- [`Server::take`](workers/server/server.cpp) → b → c → d → e → f")));
  CHECK_FALSE(complains(check("- [`Outgoing::send`](workers/reactors/outgoing.hpp). Back: b ↑ a")));
}

// Lists of all names there are, for clients of earlier releases, and load of the benchmark.
const std::vector<std::string> kNoReaders = {
    "workers/protocol/earlier_names.cpp", "workers/server/older_requests.cpp", "tools/benchmarks/"};

// Returns how many files name the word as a whole.
std::int64_t files_that_name(const std::vector<SourceFile>& files, const std::string& word) {
  const std::regex whole("\\b" + word + "\\b");
  return std::count_if(files.begin(), files.end(), [&](const SourceFile& file) {
    const bool is_reader =
        std::none_of(kNoReaders.begin(), kNoReaders.end(),
                     [&](const std::string& path) { return file.path.starts_with(path); });
    return is_reader && file.text.find(word) != std::string::npos &&
           std::regex_search(file.text, whole);
  });
}

TEST_CASE("an addition costs what the page of additions says", "[tidy]") {
  const auto files = product_sources();
  const std::string page = read(kRoot / "docs/additions.md");
  const std::regex figure("`(\\w+)` (\\d+)");
  std::int64_t figures = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), figure), end; at != end; ++at) {
    INFO(at->str());
    CHECK(files_that_name(files, at->str(1)) == std::stoll(at->str(2)));
    ++figures;
  }
  CHECK(figures >= 9);
  CHECK(files_that_name({{"bus/a.cpp", "ab a_b"}, {"bus/b.cpp", "b a"}}, "a") == 1);
}

TEST_CASE("every header says what it is for, then guards itself", "[tidy]") {
  using support::check_header_form;
  hold_all(all_sources(), check_header_form);
  CHECK(complains(check_header_form({"bus/a.hpp", "#pragma once\n"})));
  CHECK(complains(check_header_form({"bus/a.hpp", "// What it is.\n\n#pragma once\n"})));
  CHECK(complains(check_header_form({"bus/a.hpp", "// What it is.\n#ifndef A\n"})));
  CHECK(complains(check_header_form({"bus/a.hpp", "// What it is."})));
  CHECK_FALSE(complains(check_header_form({"bus/a.hpp", "// What it is.\n#pragma once\n"})));
  CHECK_FALSE(complains(check_header_form({"bus/a.cpp", "#include <map>\n"})));
}

TEST_CASE("no line is wider than 100 columns", "[tidy]") {
  using support::check_width;
  hold_all(all_sources(), check_width);
  CHECK(complains(check_width({"bus/a.cpp", "ok\n" + std::string(101, 'x') + "\n"})));
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "ü";
  CHECK_FALSE(complains(check_width({"bus/a.cpp", wide + "\n"})));
  CHECK(complains(check_width({"bus/a.cpp", wide + "x\n"})));
}

TEST_CASE("names of tests can be listed and filtered", "[tidy]") {
  using support::check_test_names;
  std::vector<SourceFile> tests;
  collect(tests, "tests", {".cpp"});
  hold_all(tests, check_test_names);
  const std::string macro = std::string("TEST_") + "CASE(";
  CHECK(complains(check_test_names({"tests/a.cpp", macro + "\"a [tag] inside\", \"[a]\")"})));
  CHECK(complains(check_test_names({"tests/a.cpp", macro + "\"first; second\", \"[a]\")"})));
  CHECK(complains(check_test_names({"tests/a.cpp", macro + "\"one \"\n  \"two;\", \"[a]\")"})));
  CHECK_FALSE(complains(check_test_names({"tests/a.cpp", macro + "\"plain\", \"[a]\")"})));
}

TEST_CASE("the two macros named CHECK never meet", "[tidy]") {
  using support::check_check_macro;
  hold_all(all_sources(), check_check_macro);
  const std::string include = "#include \"eventlog/base/check.hpp\"\n";
  CHECK(complains(check_check_macro({"eventlog/store/block.hpp", "// x\n" + include})));
  CHECK(complains(check_check_macro({"tests/eventlog/store/block_test.cpp", include})));
  CHECK_FALSE(complains(check_check_macro({"eventlog/store/block.cpp", include})));
}

TEST_CASE("what picks an event by its type reads no bytes, and what reads a row does", "[tidy]") {
  using support::check_is_fuzzed;
  const SourceFile fields{"workers/c.hpp",
                          "struct C {\n  static constexpr void fields(Visit&& visit) {}\n};\n"};
  CHECK_FALSE(complains(check_is_fuzzed({fields, {"workers/d.cpp", "event.as<C>();\n"}})));
  CHECK(complains(check_is_fuzzed({fields, {"workers/d.cpp", "rows.get<C>(key);\n"}})));
}

TEST_CASE("every decoder of bytes from outside is fuzzed", "[tidy]") {
  using support::check_is_fuzzed;
  require_none(check_is_fuzzed(all_sources()));
  const SourceFile decoder{"bus/a.hpp", "base::Result<A> decode_a(\n    base::ByteView bytes);\n"};
  const SourceFile target{"tests/fuzz/a.cpp",
                          "#include \"bus/a.hpp\"\nvoid run(ByteView in) { decode_a(in); }\n"};
  CHECK(complains(check_is_fuzzed({decoder})));
  CHECK(complains(
      check_is_fuzzed({decoder, {"tests/fuzz/a.cpp", "#include \"bus/a.hpp\"\n// decode_a\n"}})));
  CHECK(complains(check_is_fuzzed({decoder, {"tests/bus/a_test.cpp", target.text}})));
  CHECK(complains(check_is_fuzzed({decoder, {"tests/fuzz/a.cpp", "decode_a(in);\n"}})));
  CHECK_FALSE(complains(check_is_fuzzed({decoder, target})));
  CHECK(complains(check_is_fuzzed({{"bus/b.hpp", "void feed(std::string_view chunk);\n"}})));
  CHECK_FALSE(complains(check_is_fuzzed({{"bus/b.hpp", "Result<B> read_b(int fd);\n"}})));

  const std::string fields = "struct C {\n  static constexpr void fields(Visit&& visit) {}\n};\n";
  const std::string reading = "auto c = bus::from_body<workers::C>(body);\n";
  const SourceFile reader{"workers/c.cpp", reading};
  CHECK(complains(check_is_fuzzed({{"workers/c.hpp", fields}, reader})));
  CHECK_FALSE(complains(
      check_is_fuzzed({{"workers/c.hpp", fields},
                       reader,
                       {"tests/fuzz/c.cpp", "#include \"workers/c.hpp\"\nread_again<C>(in);"}})));
  CHECK_FALSE(complains(
      check_is_fuzzed({{"workers/c.hpp", fields}, {"workers/c.cpp", "std::get<C>(variant);\n"}})));
  const SourceFile hidden{"workers/c.cpp", fields + reading};
  CHECK(complains(check_is_fuzzed({hidden})));
  CHECK_FALSE(
      complains(check_is_fuzzed({hidden, {"tests/fuzz/c.cpp", "#include \"workers/c.hpp\"\n"}})));
}

TEST_CASE("every fuzz target has inputs and is described", "[tidy]") {
  using support::check_fuzz_targets;
  const std::string cmake = read(kRoot / "CMakeLists.txt");
  const auto has_corpus = [](const std::string& name) {
    return fuzz::read_inputs(kRoot / "tests/fuzz/corpus" / name).has_value();
  };
  require_none(check_fuzz_targets(cmake, read(kRoot / "tests/fuzz/README.md"), has_corpus));
  const std::string line = "\nsteno_fuzz(tests/fuzz/no_such.cpp USES base)\n";
  CHECK(complains(check_fuzz_targets(line, "`no_such`", has_corpus)));
  CHECK(complains(check_fuzz_targets(line, "", [](const std::string&) { return true; })));
  CHECK_FALSE(
      complains(check_fuzz_targets(line, "`no_such`", [](const std::string&) { return true; })));
}

TEST_CASE("comments and strings are not code", "[tidy]") {
  using support::code_of;
  CHECK(code_of("a // b\nc") == "a     \nc");
  CHECK(code_of("a /* b\nc */ d") == "a     \n     d");
  CHECK(code_of("f(\"a//b\") g") == "f(\"    \") g");
  CHECK(code_of("f(\"a\\\"b\") g") == "f(\"    \") g");
  CHECK(code_of("1'000 + 'x' + y") == "1'000 + ' ' + y");
  CHECK(code_of("R\"(a \" b)\" c") == "R\"(     )\" c");
}

}  // namespace
