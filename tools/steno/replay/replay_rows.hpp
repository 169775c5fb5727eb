// Folds projections anew from the log, beside the server's own rows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/folder/open_log.hpp"
#include "eventlog/rocksdb/private_folder.hpp"
#include "eventlog/store/key_value_store.hpp"
#include "projections/projections.hpp"
#include "tools/steno/replay/replay.hpp"

namespace steno {

// One projection, folded up to the live rows' checkpoint, or to `arguments.to`.
struct RebuiltProjection {
  std::string name;
  base::Position position;
  std::optional<eventlog::Checkpoint> live;  // none: no live rows that this release can compare
  base::Hash live_digest{};
  base::Hash digest{};
  bool is_compared = false;  // the live rows stand at the same position
  bool is_equal = false;     // same history and same rows
};

class RebuiltRows {
 public:
  // Opens the live rows first, then the log, so that the log is never behind them. The arguments
  // must outlive the object. Errors: those of open_log read-only; io.
  static base::Result<RebuiltRows> open(const ReplayArguments& arguments);

  // Folds one projection and compares it. Errors:
  //   not_found  the log has not reached the position, or it is archived
  //   damaged    the live rows hold events that the log does not, or a block is not whole
  base::Result<RebuiltProjection> run(const projections::Projection& projection);

  eventlog::KeyValueStore& rebuilt() { return *rows_; }
  eventlog::KeyValueStore* live() { return live_.get(); }  // null: there are none

 private:
  RebuiltRows(const ReplayArguments& arguments, eventlog::PrivateFolder folder)
      : arguments_(&arguments), folder_(std::move(folder)) {}

  base::Result<void> read_live(const projections::Projection& projection,
                               RebuiltProjection& outcome);
  base::Result<base::Position> choose_end(const RebuiltProjection& outcome) const;
  base::Result<void> fold(projections::Projector& projector, base::Position end);

  const ReplayArguments* arguments_;
  std::unique_ptr<eventlog::KeyValueStore> live_;
  std::optional<eventlog::OpenedLog> log_;
  std::unique_ptr<eventlog::KeyValueStore>
      base_rows_;                   // rows to start from; null: start at position 1
  eventlog::PrivateFolder folder_;  // holds rows_, and must outlive it
  std::unique_ptr<eventlog::KeyValueStore> rows_;
};

// Returns all projections, or the one of that name. Error not_found names the existing ones.
base::Result<std::vector<std::unique_ptr<projections::Projection>>> choose_projections(
    const std::string& name);

}  // namespace steno
