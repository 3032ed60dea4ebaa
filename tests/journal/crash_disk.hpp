// SPDX-License-Identifier: Apache-2.0
//
// CrashDisk: a file system below SQLite that remembers every write and every sync, so that a test
// can ask what a disk might have after power was lost at any moment.
//
// What was written and not synced may be there or not, sector by sector, and the last sector in
// part. What was synced is there. A file is known to its folder when it was synced.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace copse::journal {

class CrashDisk {
 public:
  using Files = std::map<std::string, std::string>;  // contents by path

  // A disk with these files, known to SQLite by its name() until it goes.
  explicit CrashDisk(Files files = {});
  ~CrashDisk();
  CrashDisk(const CrashDisk&) = delete;
  CrashDisk& operator=(const CrashDisk&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // What was done so far: writes, truncations, deletions and syncs.
  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  [[nodiscard]] const Files& files() const { return files_; }
  // What may be left after the first `steps`. With all that was written: `all`.
  [[nodiscard]] Files after(std::size_t steps, std::mt19937_64& random) const;
  [[nodiscard]] Files all_after(std::size_t steps) const;

  // From the step with this number on, every write and sync fails as if the disk were `full`, or
  // broken. SIZE_MAX: never.
  void fail_from(std::size_t step, bool full) {
    fail_from_ = step;
    full_ = full;
  }

  struct Step {
    enum class Kind : std::uint8_t { write, truncate, remove, sync } kind;
    std::string path;
    std::int64_t at = 0;  // of a write; of a truncation: the new size
    std::string bytes{};
  };
  // For the functions that SQLite calls: SQLite's code.
  int add(Step step);

 private:
  static void apply(const Step& step, Files& files);
  static void apply_part(const Step& step, Files& files, std::mt19937_64& random);

  Files before_, files_;
  std::vector<Step> steps_;
  std::size_t fail_from_ = SIZE_MAX;
  bool full_ = false;
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace copse::journal
