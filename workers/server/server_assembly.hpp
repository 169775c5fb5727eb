// Puts a server together with everything that its loop needs. The product's process, the simulator
// and the crash tests all use it. They pass in different stores, sockets, locks, clocks and ways to
// work beside the loop.
#pragma once

#include <memory>
#include <vector>

#include "eventlog/store/head_file.hpp"
#include "workers/server/derived_stores.hpp"
#include "workers/server/server.hpp"

namespace workers {

// The stores of one log, opened by the caller. All outlive the assembly.
struct ServerStores {
  eventlog::BlockStore& log;
  eventlog::HeadFile* head;  // null: the log has none
  eventlog::KeyValueStore& index_rows;
  eventlog::KeyValueStore& view_rows;
};

// The world outside of the server's process. All outlive the assembly.
struct ServerSurroundings {
  base::Clock& clock;
  base::Random& random;
  LeaseLocks& locks;
  bus::ServerSocket& command_socket;
  bus::ServerSocket& worker_socket;
  bus::PublisherSocket& feed_socket;
};

// Port: makes all ports that work beside the server's loop, also those that are not reactors'.
class ServerSideWork : public SideWork {
 public:
  virtual std::unique_ptr<eventlog::Committer> make_committer(const ServerStores& stores) = 0;
  virtual std::unique_ptr<eventlog::StreamLoader> make_loader(const ServerStores& stores,
                                                              DerivedStores& derived) = 0;
  virtual std::unique_ptr<QueryPort> make_query_port(QueryService& service) = 0;
};

// Works with a thread for each port, and for each sink.
std::unique_ptr<ServerSideWork> make_thread_side_work(SinkOptions sinks);
// Works on the thread of the server's loop, so equal calls give equal orders of disk operations.
// Delivers no notification.
std::unique_ptr<ServerSideWork> make_inline_side_work();

// Used by one thread, which runs the server's loop.
class ServerAssembly {
 public:
  // Makes the parts and the server; nothing is recorded before its first do_work(). `derived` is
  // what open_derived_stores made of the same stores. `side_work` is used during this call alone.
  ServerAssembly(const ServerStores& stores, std::unique_ptr<DerivedStores> derived,
                 const ServerSurroundings& around, const ServerOptions& options,
                 ServerSideWork& side_work);

  Server& server() { return server_; }
  const Server& server() const { return server_; }
  DerivedStores& derived() { return *derived_; }
  // Returns descriptors that become readable when work beside the loop is done; -1 for a port
  // without one.
  std::vector<int> wake_fds() const;

 private:
  // In the order of their making: each uses those above it.
  std::unique_ptr<DerivedStores> derived_;
  std::unique_ptr<eventlog::Committer> committer_;
  std::unique_ptr<eventlog::StreamLoader> loader_;
  std::unique_ptr<QueryPort> queries_;
  Server server_;
};

}  // namespace workers
