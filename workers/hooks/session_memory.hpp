// What sessions found, kept in their folder: a file for each day, memory/YYYY-MM-DD.md, for the
// model and for people. No link is followed from the folder on, so nothing outside of it is read or
// written.
#pragma once

#include <string>

#include "eventlog/base/time.hpp"

namespace workers {

// The most of what a session found, of a file, and of what the model is told.
constexpr std::size_t kMemoryEntryBytesMax = std::size_t{16} << 10;
constexpr std::size_t kMemoryFileBytesMax = std::size_t{1} << 20;
constexpr std::size_t kMemoryToldBytesMax = std::size_t{8} << 10;

struct MemoryEntry {
  std::string folder;  // of the session
  std::string step;    // an entry of the same step is made once
  std::string title;   // one line
  base::Time at;       // decides the day, by the clock of this place; the same in each repetition
  std::string found;   // longer ones are cut
};

// Appends the entry to the file of its day, which is made if it is missing. It is on the disk when
// this returns. Returns why it is not; empty: it is. Waits for others that write there for 2 s at
// most, or until `stop_fd` is readable.
std::string keep_memory(const MemoryEntry& entry, int stop_fd);

struct Recalled {
  std::string problem;  // why it could not be read; empty: it was, or there is none
  std::string text;     // empty: there is none
};
// Reads the end of the last day's file, whole lines.
Recalled recall_memory(const std::string& folder);

}  // namespace workers
