// Shared by the rows of one run: a private folder on the disk under test, the ZeroMQ context, the
// progress line, and the list of absent peers.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "bus/context.hpp"
#include "eventlog/base/random.hpp"
#include "eventlog/base/time.hpp"
#include "tools/benchmarks/options.hpp"

namespace benchmarks {

class Workbench {
 public:
  // Makes the private folder (0700). Error refused: the folder would lie in memory, where a sync
  // costs nothing. `options` must outlive the workbench.
  static base::Result<std::unique_ptr<Workbench>> open(const Options& options);
  // Removes the folder and everything in it.
  ~Workbench();
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  bool is_quick() const { return options_.is_quick; }
  // Returns a fresh folder of that name in the private one; removes an older one.
  std::string fresh_folder(const std::string& name);
  void remove(const std::string& path);
  // Returns the path of a program that was built beside this one.
  std::string program(const std::string& name) const;

  // Shows one line on stderr, in place of the one before, if that is a terminal.
  void progress(const std::string& text);
  void clear_progress();

  void note_absent(const std::string& peer) { absent_.insert(peer); }
  const std::set<std::string>& absent() const { return absent_; }
  // Returns the average number of processes that wanted a core in the minute before the run, and
  // the number of cores. A run beside other work also measures how it is scheduled.
  std::string load_text() const;

  bus::Context& context() { return context_; }
  base::Clock& clock() { return clock_; }
  base::Random& random() { return random_; }

 private:
  Workbench(const Options& options, std::string folder);

  const Options& options_;
  const std::string folder_;
  double load_before_ = 0;
  base::SystemClock clock_;
  base::SystemRandom random_;
  bus::Context context_;
  std::set<std::string> absent_;
  bool has_progress_ = false;
};

}  // namespace benchmarks
