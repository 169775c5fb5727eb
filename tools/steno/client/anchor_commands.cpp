// `steno anchor`: asks the server to sign the log's end, and writes a copy of the anchor to a file.
#include "eventlog/proof/anchor.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/copies.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

constexpr base::Duration kAskAnchorAgain = std::chrono::milliseconds(50);

Outcome<workers::AnchorsAnswer> ask_last(Connection& connection) {
  return connection.ask<workers::AnchorsAnswer>(workers::kVerbAnchors, workers::QueryBody{});
}

Outcome<workers::AnchorsAnswer> wait_until_made(Connection& connection, base::Position through) {
  for (;;) {
    auto answer = ask_last(connection);
    if (!answer) return answer;
    if (answer->anchor && answer->through >= through) return answer;
    if (!answer->fault.empty()) return fail(kExitFailed, "no anchor was made: " + answer->fault);
    if (auto ok = connection.wait(kAskAnchorAgain); !ok) return tl::unexpected(ok.error());
  }
}

Outcome<int> tell(const Config& config, const workers::AnchorsAnswer& answer,
                  const AnchorArguments& arguments) {
  const domain::AnchorMade& made = answer.anchor->anchor;
  const auto anchor = eventlog::open_anchor(made);
  if (!anchor) return fail(anchor.error());
  if (!arguments.file.empty()) {
    if (auto ok = eventlog::write_anchor_file(arguments.file, made); !ok) return fail(ok.error());
  }
  const std::string key = base::fingerprint(made.key);
  if (config.output != OutputFormat::table) {
    print(workers::JsonObject()
              .add("recorded", answer.anchor->recorded)
              .add("through", anchor->at.position)
              .add("hash", anchor->at.hash)
              .add("epoch", anchor->at.epoch.counter)
              .add("made", anchor->made)
              .add("key", key)
              .add("rows", anchor->rows)
              .text() +
          "\n");
    return kExitOk;
  }
  print("events 1 to " + std::to_string(anchor->at.position.value) + " are signed by key " + key +
        ", on the record at position " + std::to_string(answer.anchor->recorded.value) + "\n");
  return kExitOk;
}

}  // namespace

Outcome<int> anchor_create(const Config& config, const AnchorArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  const auto begun = (*connection)->command_server(domain::RequestAnchor{});
  if (!begun) return tl::unexpected(begun.error());
  const auto made = wait_until_made(**connection, *begun);
  if (!made) return tl::unexpected(made.error());
  return tell(config, *made, arguments);
}

Outcome<int> anchor_show(const Config& config, const AnchorArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto answer = ask_last(**connection);
  if (!answer) return tl::unexpected(answer.error());
  if (!answer->anchor) {
    return fail(kExitNotFound, "there is no anchor yet; make one with steno anchor create");
  }
  return tell(config, *answer, arguments);
}

}  // namespace steno
