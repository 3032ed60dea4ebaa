// SPDX-License-Identifier: Apache-2.0
#include "journal/state/commit_mark.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "crash_disk.hpp"
#include "temporary_folder.hpp"

namespace copse::journal {
namespace {

TEST(CommitMark, HasWhatWasWrittenLast) {
  const TemporaryFolder scratch;
  const std::string path = (scratch.path() / "committed").string();
  EXPECT_FALSE(CommitMark::read(path, "")->has_value());
  for (Sequence next = 1; next < 6; ++next) {
    auto mark = CommitMark::open(path, "");
    ASSERT_TRUE(mark.has_value()) << mark.error().message();
    const Mark one{{next, next * 77}, {5, 6}};
    ASSERT_TRUE(next % 2 == 0 ? mark->write(one) : mark->write_synced(one));
    const auto read = CommitMark::read(path, "");
    ASSERT_TRUE(read.has_value() && read->has_value());
    EXPECT_EQ((*read)->end, one.end);
    EXPECT_EQ((*read)->database, one.database);
  }
}

TEST(CommitMark, ADamagedSlotDoesNotCount) {
  const TemporaryFolder scratch;
  const std::string path = (scratch.path() / "committed").string();
  {
    auto mark = CommitMark::open(path, "");
    ASSERT_TRUE(mark->write_synced({{1, 1}, {}}));
    ASSERT_TRUE(mark->write({{2, 2}, {}}));
  }
  for (const int at : {2 * 512 + 7, 7}) {
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(at).put('x');
    const auto read = CommitMark::read(path, "");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->has_value(), at != 7);
    if (read->has_value()) {
      EXPECT_EQ((*read)->end.next, 1U);
    }
  }
}

// However a power failure tears what was not synced: the mark is never older than the last sync, and
// never newer than the last write.
TEST(CommitMark, SurvivesPowerFailures) {
  std::mt19937_64 random(1);
  CrashDisk disk;
  auto mark = CommitMark::open("/committed", disk.name());
  ASSERT_TRUE(mark.has_value());
  std::vector<std::pair<std::size_t, Sequence>> synced, written;
  for (Sequence next = 1; next < 60; ++next) {
    written.emplace_back(disk.steps(), next);
    const Mark one{{next, next}, {}};
    if (random() % 4 == 0) {
      ASSERT_TRUE(mark->write_synced(one));
      synced.emplace_back(disk.steps(), next);
    } else {
      ASSERT_TRUE(mark->write(one));
    }
  }
  for (std::size_t steps = 0; steps <= disk.steps(); ++steps) {
    Sequence least = 0, most = 0;
    for (const auto& [at, next] : synced) least = at <= steps ? next : least;
    for (const auto& [at, next] : written) most = at < steps ? next : most;
    for (int i = 0; i < 8; ++i) {
      CrashDisk after(disk.after(steps, random));
      const auto read = CommitMark::read("/committed", after.name());
      ASSERT_TRUE(read.has_value());
      const Sequence next = read->has_value() ? (*read)->end.next : 0;
      EXPECT_GE(next, least) << steps;
      EXPECT_LE(next, most) << steps;
    }
  }
}

}  // namespace
}  // namespace copse::journal
