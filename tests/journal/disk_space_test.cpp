// SPDX-License-Identifier: Apache-2.0
#include "journal/disk_space.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "journal/folder_lock.hpp"
#include "temporary_folder.hpp"

namespace copse::journal {
namespace {

TEST(DiskSpace, RefusesChangesBeforeNothingIsLeft) {
  const TemporaryFolder scratch;
  std::uint64_t free = 1000;
  DiskSpace space(scratch.path().string(),
                  {.changes_min = 300, .reserve = 100, .release_below = 20},
                  [&](const std::string&) { return Result<std::uint64_t>(free); });
  ASSERT_TRUE(space.update());
  EXPECT_TRUE(space.has_space());
  EXPECT_EQ(std::filesystem::file_size(scratch.path() / "reserve"), 100U);
  free = 300;
  ASSERT_TRUE(space.update());
  EXPECT_TRUE(space.has_space());
  free = 299;
  ASSERT_TRUE(space.update());
  EXPECT_FALSE(space.has_space());
  EXPECT_TRUE(space.has_reserve());
  free = 19;
  ASSERT_TRUE(space.update());
  EXPECT_FALSE(space.has_reserve());
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "reserve"));
  free = 399;
  ASSERT_TRUE(space.update());
  EXPECT_TRUE(space.has_space());
  EXPECT_FALSE(space.has_reserve());  // it would take what changes need
  free = 400;
  ASSERT_TRUE(space.update());
  EXPECT_TRUE(space.has_reserve());
}

TEST(DiskSpace, ChangesNeed256MiB) {
  const TemporaryFolder scratch;
  std::uint64_t free = (std::uint64_t{256} << 20) - 1;
  DiskSpace space(scratch.path().string(), {},
                  [&](const std::string&) { return Result<std::uint64_t>(free); });
  ASSERT_TRUE(space.update());
  EXPECT_FALSE(space.has_space());
  ++free;
  ASSERT_TRUE(space.update());
  EXPECT_TRUE(space.has_space());
}

TEST(DiskSpace, FindsTheReserveOfBefore) {
  const TemporaryFolder scratch;
  const auto plenty = [](const std::string&) { return Result<std::uint64_t>(1000); };
  DiskSpace before(scratch.path().string(),
                   {.changes_min = 300, .reserve = 100, .release_below = 20}, plenty);
  ASSERT_TRUE(before.update());
  EXPECT_TRUE(DiskSpace(scratch.path().string(),
                        {.changes_min = 300, .reserve = 100, .release_below = 20}, plenty)
                  .has_reserve());
}

TEST(DiskSpace, LooksAtARealDisk) {
  EXPECT_GT(DiskSpace::free_bytes("/").value_or(0), 0U);
  EXPECT_FALSE(DiskSpace::free_bytes("/nowhere").has_value());
}

TEST(FolderLock, LetsOneIn) {
  const TemporaryFolder scratch;
  auto first = FolderLock::take(scratch.path().string());
  ASSERT_TRUE(first.has_value());
  const auto second = FolderLock::take(scratch.path().string());
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().text.find("is in use by process " + std::to_string(::getpid())),
            std::string::npos);
  {
    const FolderLock gone = std::move(*first);
  }
  EXPECT_TRUE(FolderLock::take(scratch.path().string()).has_value());
}

}  // namespace
}  // namespace copse::journal
