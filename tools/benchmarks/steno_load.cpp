// Keeps queued turns by their prompts' ids, so that later requests can interrupt them.
#include "tools/benchmarks/steno_load.hpp"

#include <algorithm>

#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kSpawnsOutstanding = 64;

const std::string& any_prompt() {
  static const std::string kPrompt(kPromptBytes, 'p');
  return kPrompt;
}

}  // namespace

base::Result<std::unique_ptr<StenoLoad>> StenoLoad::connect(Workbench& bench,
                                                            const StenoServer& server,
                                                            StenoLoadOptions options) {
  std::unique_ptr<StenoLoad> load(new StenoLoad(bench, options.are_ended));
  if (auto ok = load->CommandLoad::connect(server, options.connections); !ok) {
    return tl::unexpected(ok.error());
  }
  load->sessions_ = std::move(options.sessions);
  if (!load->sessions_.empty()) return load;
  if (auto ok = load->spawn_sessions(options.spawn_count); !ok) return tl::unexpected(ok.error());
  return load;
}

base::Result<void> StenoLoad::spawn_sessions(std::size_t count) {
  std::vector<std::size_t> done;
  while (sessions_.size() < count) {
    done.clear();
    const std::size_t batch = std::min(kSpawnsOutstanding, count - sessions_.size());
    for (std::size_t slot = 0; slot < batch; ++slot) {
      sessions_.push_back(base::SessionId::make(bench_.clock().wall(), bench_.random()));
      if (auto ok = ask(slot, sessions_.size() - 1, spawn_command()); !ok) return ok;
    }
    while (done.size() < batch) {
      const std::size_t before = done.size();
      if (auto ok = advance(done); !ok) return ok;
      if (done.size() > before) continue;
      if (auto ok = wait(-1); !ok) return ok;
    }
  }
  count_anew();
  return {};
}

base::Result<void> StenoLoad::start(std::size_t slot) {
  if (are_ended_) {
    next_session_ = (next_session_ + 1) % sessions_.size();
    return ask(slot, next_session_, domain::KillSession{});
  }
  was_prompt_ = !was_prompt_ || queued_.empty();
  if (was_prompt_) {
    next_session_ = (next_session_ + 1) % sessions_.size();
    return ask(slot, next_session_, domain::SendPrompt{any_prompt(), false});
  }
  const QueuedTurn oldest = queued_.front();
  queued_.pop_front();
  return ask(slot, oldest.session, domain::InterruptTurn{oldest.turn});
}

base::Result<void> StenoLoad::ask(std::size_t slot, std::size_t session,
                                  const domain::Command& command) {
  workers::CommandBody body = workers::encode_command(command);
  body.session = sessions_[session];
  body.agent = kLogAgent;
  // A new session has the id of the command that spawns it.
  const auto id = (domain::type_name(command) == domain::Spawn::kType)
                      ? base::CommandId{sessions_[session].bytes}
                      : base::CommandId::make(bench_.clock().wall(), bench_.random());
  if (asked_.size() <= slot) asked_.resize(slot + 1);
  asked_[slot] = {session, (domain::type_name(command) == domain::SendPrompt::kType)};
  return send(slot, id, std::move(body));
}

base::Result<void> StenoLoad::finish(std::size_t slot, const bus::Reply& reply) {
  if (auto ok = count<workers::CommandReplyBody>(reply); !ok) return ok;
  if (asked_[slot].is_prompt) queued_.push_back({asked_[slot].session, {id_in(slot).bytes}});
  return {};
}

}  // namespace benchmarks
