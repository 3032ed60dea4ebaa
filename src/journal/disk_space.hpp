// SPDX-License-Identifier: Apache-2.0
//
// DiskSpace: measures free disk space, and keeps a reserve file for writes that must succeed when
// the disk is full.
//
// Below Limits::changes_min, the host refuses requests that need space, and still answers reads and
// releases. A file of Limits::reserve bytes is stored next to the state. Below
// Limits::release_below, it is deleted, so that releases can still be written. It is created again
// when there is space for it and for changes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "copse/error.hpp"

namespace copse::journal {

class DiskSpace {
 public:
  struct Limits {
    std::uint64_t changes_min = 256u << 20;   // free bytes that changes need
    std::uint64_t reserve = 64u << 20;        // bytes of the reserve file
    std::uint64_t release_below = 16u << 20;  // free bytes below which the reserve file is deleted
  };
  // Free bytes in a folder. Errors: io.
  using MeasureFreeBytes = std::function<Result<std::uint64_t>(const std::string& folder)>;
  [[nodiscard]] static Result<std::uint64_t> free_bytes(const std::string& folder);

  DiskSpace(std::string folder, Limits limits, MeasureFreeBytes measure = free_bytes);

  // Measures. Errors: io (has_space() keeps its value).
  [[nodiscard]] Result<void> update();
  [[nodiscard]] bool has_space() const { return has_space_; }  // for changes, when last measured
  [[nodiscard]] bool has_reserve() const { return has_reserve_; }

 private:
  [[nodiscard]] std::string path() const { return folder_ + "/reserve"; }
  void make_reserve();

  std::string folder_;
  Limits limits_;
  MeasureFreeBytes measure_;
  bool has_space_ = true, has_reserve_ = false;
};

}  // namespace copse::journal
