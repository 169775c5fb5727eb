// All conversations are opened by commands, as clients would open them.
#include "tools/benchmarks/steno_conversations.hpp"

#include <fmt/format.h>

#include "tools/benchmarks/one_command.hpp"

namespace benchmarks {
namespace {

base::Result<ManyConversations> make_many(Workbench& bench) {
  const std::size_t count = many_conversations_count(bench);
  bench.progress(fmt::format("{} conversations", count));
  const std::string home = bench.fresh_folder("conversations");
  auto steno = StenoConversations::open(bench, home, count);
  if (!steno) return tl::unexpected(steno.error());
  const UpdateTurns turns = update_turns(bench);
  for (int turn = 0; turn < turns.count_of_many; ++turn) {
    if (auto ok = steno->run(turns.duration); !ok) return tl::unexpected(ok.error());
  }
  return ManyConversations{home, count, steno->opened_in, std::move(steno->rounds)};
}

}  // namespace

base::Result<StenoConversations> StenoConversations::open(Workbench& bench, const std::string& home,
                                                          std::size_t count) {
  auto server = StenoServer::start_in(bench, home, kConversationsStartMax);
  if (!server) return tl::unexpected(server.error());
  auto load = ConversationLoad::connect(bench, **server, count);
  if (!load) return tl::unexpected(load.error());
  const Nanoseconds begun = now();
  if (auto ok = (*load)->open_all(); !ok) return tl::unexpected(ok.error());
  StenoConversations steno{std::move(*server), std::move(*load), now() - begun};
  const auto one = OneCommand::connect(bench, *steno.server);
  if (!one) return tl::unexpected(one.error());
  if (auto ok = (*one)->wait_for_views(); !ok) return tl::unexpected(ok.error());
  if (auto ok = steno.run(kUpdatesWarmUp); !ok) return tl::unexpected(ok.error());
  steno.rounds = {};
  return steno;
}

base::Result<void> StenoConversations::run(Nanoseconds duration) {
  const auto result = run_closed_loop(*load, {kUpdatesOutstanding, duration, kTurnCountMax});
  if (!result) return tl::unexpected(result.error());
  rounds.add(*result);
  return load->check_appended();
}

UpdateTurns update_turns(Workbench& bench) {
  if (bench.is_quick()) return {5, std::chrono::milliseconds(350), 2};
  return {20, std::chrono::milliseconds(1000), 5};
}

std::size_t many_conversations_count(Workbench& bench) {
  return bench.is_quick() ? 10'000 : 100'000;
}

const base::Result<ManyConversations>& many_conversations(Workbench& bench) {
  static const base::Result<ManyConversations> made = make_many(bench);
  return made;
}

}  // namespace benchmarks
