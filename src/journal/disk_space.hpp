// SPDX-License-Identifier: Apache-2.0
//
// DiskSpace: whether there is room for changes, and a reserve for what must go on without room.
//
// When less than Limits::changes are free, the host refuses what takes more space, and goes on to give
// back and to answer. A file of Limits::reserve bytes lies beside the state. When nearly nothing is
// free, it is given up, so that what is given back can be kept. It is made again when there is room
// for it and for changes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "copse/error.hpp"

namespace copse::store {

class DiskSpace {
 public:
  struct Limits {
    std::uint64_t changes = 256u << 20;  // bytes that must be free for changes
    std::uint64_t reserve = 64u << 20;   // bytes of the file
    std::uint64_t least = 16u << 20;     // with less than that free, the file is given up
  };
  // Bytes that are free in a folder. Errors: io.
  using Look = std::function<Result<std::uint64_t>(const std::string& folder)>;
  [[nodiscard]] static Result<std::uint64_t> free_bytes(const std::string& folder);

  DiskSpace(std::string folder, Limits limits, Look look = free_bytes);

  // Looks at the disk. Errors: io (nobody knows how much is free; as it was).
  [[nodiscard]] Result<void> update();
  [[nodiscard]] bool room() const { return room_; }  // for what takes more space, at the last look

 private:
  [[nodiscard]] std::string path() const { return folder_ + "/reserve"; }
  void make_reserve();

  std::string folder_;
  Limits limits_;
  Look look_;
  bool room_ = true, has_reserve_ = false;
};

}  // namespace copse::store
