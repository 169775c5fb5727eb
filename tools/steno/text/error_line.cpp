// One switch for the whole process, so that code that fails needs no configuration.
#include "tools/steno/text/error_line.hpp"

#include <nlohmann/json.hpp>

#include "tools/steno/text/exit_codes.hpp"

namespace steno {
namespace {

bool is_json = false;

}  // namespace

void make_errors_json() {
  is_json = true;
}

std::string error_line(std::string_view program, int exit_code, std::string_view text) {
  using Json = nlohmann::ordered_json;
  if (!is_json) return std::string(program) + ": " + std::string(text);
  const Json error = {{"code", exit_code_name(exit_code)}, {"exit", exit_code}, {"text", text}};
  return Json({{"error", error}}).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace steno
