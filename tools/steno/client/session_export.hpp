// Writes sessions of the record as transcripts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/steno/connection/connection.hpp"
#include "workers/stores/transcript_writer.hpp"

namespace steno {

// Returns the session and those that it goes on with, the first one first. The beginning of a chain
// of more than 1,000 is left out; the first one then goes on with another.
Outcome<std::vector<projections::SessionRow>> chain_of(Connection& connection,
                                                       const std::string& agent,
                                                       const std::string& reference);

// Returns what each line says of a file that has what these said. There is at least one.
workers::WrittenFile written_file(workers::WrittenForm form,
                                  const std::vector<projections::SessionRow>& chain);

struct WrittenSessions {
  workers::LeftOut left_out;
  std::int64_t lines = 0;
};

// Gives all lines to `write`, a page at a time. Each session is written up to where the next one
// went on with it. Error kExitNotFound: the beginning of one was archived.
Outcome<WrittenSessions> write_sessions(
    Connection& connection, const workers::WrittenFile& file,
    const std::vector<projections::SessionRow>& chain,
    const std::function<Outcome<bool>(std::string_view text)>& write);

}  // namespace steno
