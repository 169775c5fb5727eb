// A hostile client in a process of its own. All kinds but one send as fast as they can, whatever is
// answered. The rows of flood_rows.cpp say what each kind is for.
#pragma once

#include <memory>
#include <string>

#include "tools/benchmarks/child_process.hpp"
#include "tools/benchmarks/steno_server.hpp"

namespace benchmarks {

enum class FloodKind {
  prompts,  // small ones, all to one session of its own
  deaf,     // the same, and no answer is ever read
  lists,    // a Spawn of 9.4 MB, with nothing in it but millions of empty allowed_tools
  large,    // prompts of 9.4 MB, all to one session of its own
  compute,  // sends nothing; two threads that take all the processor time they get
};

// Starts a flood of that kind. It runs from the return of this function until the child is
// destroyed.
base::Result<std::unique_ptr<ChildProcess>> start_flood(Workbench& bench, const StenoServer& server,
                                                        FloodKind kind);

// The child's own part. `spec` is a kind's number, a comma and the server's endpoint. Returns only
// with an exit code.
int run_flood(const std::string& spec);

}  // namespace benchmarks
