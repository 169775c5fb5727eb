// A disk that forwards everything to the real one, for tests that change or watch a part of it.
#pragma once

#include "eventlog/store/disk.hpp"

namespace support {

class ForwardingDisk : public eventlog::Disk {
 public:
  base::Result<std::unique_ptr<eventlog::DiskFile>> open(const std::string& path) override {
    return to_.open(path);
  }
  base::Result<bool> make_folder(const std::string& path) override { return to_.make_folder(path); }
  base::Result<bool> link(const std::string& from, const std::string& to) override {
    return to_.link(from, to);
  }
  base::Result<void> rename(const std::string& from, const std::string& to) override {
    return to_.rename(from, to);
  }
  void remove_all(const std::string& path) override { to_.remove_all(path); }
  base::Result<void> sync_folder(const std::string& path) override { return to_.sync_folder(path); }
  base::Result<void> settle(const std::string& path) override { return to_.settle(path); }

 private:
  eventlog::Disk& to_ = eventlog::system_disk();
};

}  // namespace support
