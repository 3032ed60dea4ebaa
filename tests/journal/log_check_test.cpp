// SPDX-License-Identifier: Apache-2.0
#include "journal/state/log_check.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "journal/sqlite_store.hpp"
#include "temporary_folder.hpp"

namespace copse::journal {
namespace {

class LogCheckTest : public testing::Test {
 protected:
  // Commits of some pages each.
  void SetUp() override {
    auto store = SqliteStore::open(scratch_.path().string());
    ASSERT_TRUE(store.has_value());
    for (Sequence next = 0; next < 20; ++next) {
      const std::vector<std::string> records{std::string(6'000, 'r')};
      ASSERT_TRUE((*store)->append(next, records));
    }
    (*store).reset();
    std::ifstream in(path(), std::ios::binary);
    bytes_ = {std::istreambuf_iterator<char>(in), {}};
    ASSERT_GT(bytes_.size(), 32 + 20 * kFrame);
  }
  [[nodiscard]] std::string path() const { return (scratch_.path() / "state.db-wal").string(); }
  [[nodiscard]] LogCheck check(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary) << bytes;
    auto file = VfsFile::open(path(), "", VfsFile::Access::read);
    const auto checked = check_log(*file);
    EXPECT_TRUE(checked.has_value());
    return checked.value_or(LogCheck{});
  }
  [[nodiscard]] std::string flipped(std::size_t at) const {
    std::string out = bytes_;
    out[at] = static_cast<char>(out[at] ^ 1);
    return out;
  }

  static constexpr std::size_t kFrame = 24 + 4096;
  TemporaryFolder scratch_;
  std::string bytes_;
};

TEST_F(LogCheckTest, AWholeLogIsIntact) {
  const LogCheck whole = check(bytes_);
  EXPECT_TRUE(whole.header_valid);
  EXPECT_EQ(whole.valid, (bytes_.size() - 32) / kFrame);
  EXPECT_FALSE(whole.damaged);
}

TEST_F(LogCheckTest, ATornEndIsNoDamage) {
  for (const std::size_t less : {1UL, 5'000UL, 9'000UL}) {
    EXPECT_FALSE(check(bytes_.substr(0, bytes_.size() - less)).damaged) << less;
  }
  EXPECT_FALSE(check(flipped(bytes_.size() - 7)).damaged);
  EXPECT_FALSE(check(bytes_.substr(0, 20)).damaged);
}

TEST_F(LogCheckTest, ADamagedFrameBeforeOthersIsDamage) {
  for (const std::size_t frame : {0UL, 3UL, 10UL}) {
    for (const std::size_t in_frame : {0UL, 5UL, 9UL, 17UL, 24UL, 3'000UL}) {
      const LogCheck log = check(flipped(32 + frame * kFrame + in_frame));
      EXPECT_TRUE(log.damaged) << frame << ' ' << in_frame;
      EXPECT_EQ(log.valid, frame);
    }
  }
}

TEST_F(LogCheckTest, ADamagedHeaderIsReported) {
  for (const std::size_t at : {0UL, 5UL, 10UL, 17UL, 25UL}) {
    const LogCheck log = check(flipped(at));
    EXPECT_FALSE(log.header_valid) << at;
    EXPECT_GT(log.frames, 0U);
  }
}

}  // namespace
}  // namespace copse::journal
