// Makes the parts of a server in the order in which they depend on each other.
#include "workers/server/server_assembly.hpp"

namespace workers {

std::unique_ptr<eventlog::Committer> ThreadSideWork::make_committer(const ServerStores& stores) {
  return eventlog::make_thread_committer(stores.log, stores.head);
}

std::unique_ptr<eventlog::StreamLoader> ThreadSideWork::make_loader(const ServerStores& stores,
                                                                    DerivedStores& derived) {
  return eventlog::make_thread_loader(stores.log, derived.index, derived.snapshots);
}

std::unique_ptr<ContentLoader> ThreadSideWork::make_content_loader(const ServerStores& stores) {
  return make_thread_content_loader(stores.log);
}

std::unique_ptr<QueryPort> ThreadSideWork::make_query_port(QueryService& service) {
  return make_thread_query_port(service);
}

std::unique_ptr<UpkeepPort> ThreadSideWork::make_upkeep_port(UpkeepJobs jobs) {
  return make_thread_upkeep_port(std::move(jobs));
}

std::unique_ptr<eventlog::Committer> InlineSideWork::make_committer(const ServerStores& stores) {
  return std::make_unique<eventlog::InlineCommitter>(stores.log, stores.head);
}

std::unique_ptr<eventlog::StreamLoader> InlineSideWork::make_loader(const ServerStores& stores,
                                                                    DerivedStores& derived) {
  return std::make_unique<eventlog::InlineLoader>(stores.log, derived.index, derived.snapshots);
}

std::unique_ptr<ContentLoader> InlineSideWork::make_content_loader(const ServerStores& stores) {
  return std::make_unique<InlineContentLoader>(stores.log);
}

std::unique_ptr<QueryPort> InlineSideWork::make_query_port(QueryService& service) {
  return std::make_unique<InlineQueryPort>(service);
}

std::unique_ptr<UpkeepPort> InlineSideWork::make_upkeep_port(UpkeepJobs jobs) {
  return std::make_unique<InlineUpkeepPort>(std::move(jobs));
}

ServerAssembly::ServerAssembly(const ServerStores& stores, std::unique_ptr<DerivedStores> derived,
                               const ServerSurroundings& around, const ServerOptions& options,
                               UpkeepOptions upkeep, SideWork& side_work)
    : derived_(std::move(derived)),
      committer_(side_work.make_committer(stores)),
      loader_(side_work.make_loader(stores, *derived_)),
      contents_(side_work.make_content_loader(stores)),
      queries_(side_work.make_query_port(*derived_->service)),
      upkeep_(side_work.make_upkeep_port(
          {stores.log, derived_->index, stores.view_rows, std::move(upkeep), &stores.index_rows})),
      server_({around.clock, around.random, *committer_, *loader_, *contents_, *queries_, *upkeep_,
               around.locks, around.command_socket, around.worker_socket, around.feed_socket},
              options, std::move(derived_->takeover)) {}

std::vector<int> ServerAssembly::wake_fds() const {
  return {committer_->wake_fd(), loader_->wake_fd(), contents_->wake_fd(), queries_->wake_fd(),
          upkeep_->wake_fd()};
}

}  // namespace workers
