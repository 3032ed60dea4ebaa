// SPDX-License-Identifier: Apache-2.0
//
// What is on disk after power was lost, at every step of a random use of the store: all records
// that were answered, perhaps the next ones, nothing else. COPSE_SEEDS: times as many states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "crash_disk.hpp"
#include "journal/sqlite_store.hpp"

namespace copse::journal {
namespace {

int crash_factor() {
  const char* seeds = std::getenv("COPSE_SEEDS");
  return seeds == nullptr ? 1 : std::max(1, std::atoi(seeds));
}

std::string record_text(Sequence number) {
  std::mt19937_64 random(number);
  return "record " + std::to_string(number) + std::string(random() % 40, '.') +
         std::string(random() % 5 == 0 ? random() % 9000 : 0, 'r');
}

std::string state_text(Sequence next) {
  return "state before " + std::to_string(next) + std::string(next * 977 % 20'000, 's');
}

// A store that is used, and what was promised after how many steps of the disk.
class StoreUse {
 public:
  explicit StoreUse(CrashDisk& disk) : disk_(disk) {}

  // False: the store failed, and may not be asked again.
  bool open() {
    auto opened = SqliteStore::open(
        "/state", {.vfs = disk_.name(), .log_bytes_max = 60'000, .log_bytes_idle_max = 20'000});
    if (!opened) return false;
    store_ = std::move(*opened);
    return true;
  }

  bool step(std::mt19937_64& random) {
    switch (random() % 8) {
      case 0: return store_->maintain().has_value();
      case 1: return next_ == 0 || store_->snapshot(next_, state_text(next_)).has_value();
      default: break;
    }
    std::vector<std::string> records;
    const Sequence first = next_;
    for (auto n = 1 + random() % 5; n > 0; --n) records.push_back(record_text(next_++));
    sent_.emplace_back(disk_.steps(), next_);
    if (!store_->append(first, records)) return false;
    kept_.emplace_back(disk_.steps(), next_);
    return true;
  }

  // How many records were answered after so many steps; how many may be there.
  [[nodiscard]] Sequence kept(std::size_t steps) const {
    Sequence out = 0;
    for (const auto& [at, next] : kept_) out = at <= steps ? next : out;
    return out;
  }
  [[nodiscard]] Sequence sent(std::size_t steps) const {
    Sequence out = 0;
    for (const auto& [at, next] : sent_) out = at < steps ? next : out;
    return out;
  }

 private:
  CrashDisk& disk_;
  std::unique_ptr<SqliteStore> store_;
  Sequence next_ = 0;
  std::vector<std::pair<std::size_t, Sequence>> sent_, kept_;
};

// How many records a disk has, each of which must be what was sent. Errors: what is wrong.
Result<Sequence> records_on(const CrashDisk::Files& files) {
  CrashDisk disk(files);
  auto store = SqliteStore::open("/state", {.vfs = disk.name()});
  if (!store) return std::unexpected(store.error());
  Sequence next = 0;
  return (*store)->load({.state = [&](Sequence after, std::string_view state) -> Result<void> {
                           if (state != state_text(after))
                             return fail(ErrorCode::invalid, "another state");
                           next = after;
                           return {};
                         },
                         .record = [&](Sequence number, std::string_view record) -> Result<void> {
                           if (number != next++) return fail(ErrorCode::invalid, "another number");
                           if (record != record_text(number))
                             return fail(ErrorCode::invalid, "another record");
                           return {};
                         }});
}

void expect_kept(const StoreUse& use, const CrashDisk::Files& files, std::size_t steps) {
  const auto found = records_on(files);
  ASSERT_TRUE(found.has_value()) << "after " << steps << " steps: " << found.error().message();
  EXPECT_GE(*found, use.kept(steps)) << "after " << steps << " steps";
  EXPECT_LE(*found, use.sent(steps)) << "after " << steps << " steps";
}

TEST(StoreCrash, EveryStateOfTheDiskHasWhatWasAnswered) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(crash_factor()); ++seed) {
    std::mt19937_64 random(seed);
    CrashDisk disk;
    StoreUse use(disk);
    ASSERT_TRUE(use.open());
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(use.step(random));
    for (std::size_t steps = 0; steps <= disk.steps(); ++steps) {
      expect_kept(use, disk.all_after(steps), steps);
      for (int i = 0; i < 4; ++i) expect_kept(use, disk.after(steps, random), steps);
      if (HasFailure()) FAIL() << "seed " << seed;
    }
  }
}

TEST(StoreCrash, AfterAFaultOfTheDiskWhatWasAnsweredIsThere) {
  for (const bool full : {false, true}) {
    for (std::size_t fault = 0; fault < 120; ++fault) {
      SCOPED_TRACE("fault " + std::to_string(fault) + (full ? ", full" : ", broken"));
      std::mt19937_64 random(fault);
      CrashDisk disk;
      disk.fail_from(fault, full);
      StoreUse use(disk);
      if (use.open()) {
        for (int i = 0; i < 40 && use.step(random); ++i) {
        }
      }
      disk.fail_from(SIZE_MAX, false);
      expect_kept(use, disk.files(), disk.steps() + 1);
      expect_kept(use, disk.after(disk.steps(), random), disk.steps() + 1);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace copse::journal
