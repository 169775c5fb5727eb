// Makes the parts of a server in the order in which they depend on each other.
#include "workers/server/server_assembly.hpp"

namespace workers {

namespace {

class ThreadSideWork final : public ServerSideWork {
 public:
  explicit ThreadSideWork(SinkOptions sinks) : sinks_(std::move(sinks)) {}

  std::unique_ptr<eventlog::Committer> make_committer(const ServerStores& stores) override {
    return eventlog::make_thread_committer(stores.log, stores.head);
  }
  std::unique_ptr<eventlog::StreamLoader> make_loader(const ServerStores& stores,
                                                      DerivedStores& derived) override {
    return eventlog::make_thread_loader(stores.log, derived.index, derived.snapshots);
  }
  std::unique_ptr<Lane> make_lane(const char* name) override { return make_thread_lane(name); }
  std::unique_ptr<ContentLoader> make_content_loader(const SideStores& stores) override {
    return make_thread_content_loader(stores.log, stores.index);
  }
  std::unique_ptr<QueryPort> make_query_port(QueryService& service) override {
    return make_thread_query_port(service);
  }
  std::unique_ptr<UpkeepPort> make_upkeep_port(UpkeepJobs jobs) override {
    return make_thread_upkeep_port(std::move(jobs));
  }
  std::unique_ptr<Notifier> make_notifier(const SideStores& stores) override {
    return make_thread_notifier(stores.log, stores.index, sinks_);
  }

 private:
  const SinkOptions sinks_;
};

class InlineSideWork final : public ServerSideWork {
 public:
  std::unique_ptr<eventlog::Committer> make_committer(const ServerStores& stores) override {
    return std::make_unique<eventlog::InlineCommitter>(stores.log, stores.head);
  }
  std::unique_ptr<eventlog::StreamLoader> make_loader(const ServerStores& stores,
                                                      DerivedStores& derived) override {
    return std::make_unique<eventlog::InlineLoader>(stores.log, derived.index, derived.snapshots);
  }
  std::unique_ptr<Lane> make_lane(const char*) override { return make_inline_lane(); }
  std::unique_ptr<ContentLoader> make_content_loader(const SideStores& stores) override {
    return std::make_unique<InlineContentLoader>(stores.log, stores.index);
  }
  std::unique_ptr<QueryPort> make_query_port(QueryService& service) override {
    return std::make_unique<InlineQueryPort>(service);
  }
  std::unique_ptr<UpkeepPort> make_upkeep_port(UpkeepJobs jobs) override {
    return std::make_unique<InlineUpkeepPort>(std::move(jobs));
  }
  std::unique_ptr<Notifier> make_notifier(const SideStores&) override {
    return make_idle_notifier();
  }
};

// Erasures reach the content indexes, too.
ServerOptions with_copies(ServerOptions options, const DerivedStores& derived) {
  if (derived.contents) options.reactors.upkeep.copies = derived.contents->copies();
  return options;
}

}  // namespace

std::unique_ptr<ServerSideWork> make_thread_side_work(SinkOptions sinks) {
  return std::make_unique<ThreadSideWork>(std::move(sinks));
}

std::unique_ptr<ServerSideWork> make_inline_side_work() {
  return std::make_unique<InlineSideWork>();
}

ServerAssembly::ServerAssembly(const ServerStores& stores, std::unique_ptr<DerivedStores> derived,
                               const ServerSurroundings& around, const ServerOptions& options,
                               ServerSideWork& side_work)
    : derived_(std::move(derived)),
      committer_(side_work.make_committer(stores)),
      loader_(side_work.make_loader(stores, *derived_)),
      queries_(side_work.make_query_port(*derived_->service)),
      server_({around.clock, around.random, *committer_, *loader_, *queries_, around.locks,
               around.command_socket, around.worker_socket, around.feed_socket},
              with_copies(options, *derived_), std::move(derived_->takeover),
              {stores.log, derived_->index, stores.index_rows, stores.view_rows}, side_work) {}

std::vector<int> ServerAssembly::wake_fds() const {
  std::vector<int> fds = server_.wake_fds();
  fds.insert(fds.end(), {committer_->wake_fd(), loader_->wake_fd(), queries_->wake_fd()});
  return fds;
}

}  // namespace workers
