// `set`, `rename` and `commands`: over the operations of the same names.
#include "eventlog/domain/session/spec_settings.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/operations/answer_text.hpp"
#include "workers/operations/changing.hpp"
#include "workers/operations/handlers.hpp"

namespace steno {
namespace {

template <class Arguments, class Result>
Outcome<int> run_one(const Config& config, const Arguments& arguments,
                     workers::Task<workers::Outcome<Result>> (*handler)(const workers::Caller&,
                                                                        const Arguments&)) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto result = (*connection)->run(handler((*connection)->caller(), arguments));
  if (!result) return tl::unexpected(result.error());
  const bool is_table = config.output == OutputFormat::table;
  print((is_table ? workers::text_of(*result, workers::Reader::person)
                  : workers::ascii_json(*result)) +
        "\n");
  return kExitOk;
}

}  // namespace

Outcome<int> set(const Config& config, const ReferenceArguments& arguments) {
  workers::SetArguments said;
  said.session = arguments.reference;
  said.settings = config.session;
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    if (is_flag(config, setting.key)) said.said.emplace_back(setting.key);
  }
  if (said.said.empty()) {
    return fail(kExitUsage, "say what is to be changed, as in steno set " + arguments.reference +
                                " --permission-mode plan; steno set --help lists the rest");
  }
  return run_one(config, said, workers::set);
}

Outcome<int> rename(const Config& config, const RenameArguments& arguments) {
  return run_one(config, workers::RenameArguments{arguments.reference, arguments.name},
                 workers::rename);
}

Outcome<int> commands(const Config& config, const ReferenceArguments& arguments) {
  return run_one(config, workers::CommandsArguments{arguments.reference}, workers::list_commands);
}

}  // namespace steno
