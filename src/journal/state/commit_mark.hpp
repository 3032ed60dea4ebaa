// SPDX-License-Identifier: Apache-2.0
//
// CommitMark: the end of the committed changes, in a file apart from the database and its log. So
// changes that are cut off there are missed.
//
// The mark is written after each commit, and not synced then: a sync would double the time of a
// commit. The kernel keeps it if the process is killed. After a power failure it may be old, but
// never ahead of the database. It is synced each time the log is moved into the database.
//
// The file has three slots, each in a sector of its own. Slots 0 and 1 alternate, and are synced.
// Slot 2 is written after each commit. So however a write is torn, one synced slot is whole. The
// valid slot with the largest number of writes counts.
//
//   slot      text "copse", writes, next, value, file id, file time, sum (numbers of save/bytes.hpp)
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "journal/state/commit_chain.hpp"
#include "journal/state/vfs_file.hpp"

namespace copse::journal {

// Which file a path names, so that a copy is noticed.
struct FileIdentity {
  std::uint64_t id = 0;       // its inode; 0: unknown
  std::uint64_t time_ns = 0;  // of the last change of file or inode; 0: it is being written
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct Mark {
  ChainEnd end{};
  FileIdentity database{};
};

class CommitMark {
 public:
  // Reads the mark of a state, if there is a valid one. `vfs`: as Database::open. Errors: io.
  [[nodiscard]] static Result<std::optional<Mark>> read(const std::string& path,
                                                        const std::string& vfs);
  // Opens the file to write it; creates it if missing. Errors: io.
  [[nodiscard]] static Result<CommitMark> open(const std::string& path, const std::string& vfs);

  // After a commit. Cost: one write to the kernel's memory.
  [[nodiscard]] Result<void> write(const Mark& mark);
  // Durable when it returns.
  [[nodiscard]] Result<void> write_synced(const Mark& mark);

 private:
  CommitMark(VfsFile file, std::uint64_t writes, std::uint64_t next_synced_slot)
      : file_(std::move(file)), writes_(writes), next_synced_slot_(next_synced_slot) {}
  [[nodiscard]] Result<void> write_slot(std::uint64_t slot, const Mark& mark);

  VfsFile file_;
  std::uint64_t writes_;
  std::uint64_t next_synced_slot_;
};

}  // namespace copse::journal
