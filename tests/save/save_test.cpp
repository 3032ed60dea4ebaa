// SPDX-License-Identifier: Apache-2.0
//
// Saves: complete, truncated, with flipped bits, and hostile. The property tests
// (property/reborn.hpp) check that all answers are the same after a load.
#include "copse/save.hpp"

#include <gtest/gtest.h>

#include "property/random.hpp"
#include "save/desk.hpp"
#include "save/seal.hpp"

namespace copse {
namespace {

using property::Random;
using test::Desk;
using test::shown;

void expect_one_clear_line(const Error& error) {
  EXPECT_FALSE(error.text.empty());
  EXPECT_EQ(error.text.find('\n'), std::string::npos) << error.text;
}

std::string desk_save() {
  Desk desk;
  desk.all_that_can_happen();
  return save(*desk.engine, "of the host");
}

TEST(SaveTest, IsTheEngineAgain) {
  Desk desk;
  desk.all_that_can_happen();
  const auto loaded = load(save(*desk.engine, "of the host"));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->host, "of the host");
  EXPECT_EQ(loaded->engine->fingerprint(), desk.engine->fingerprint());
  EXPECT_EQ(shown(*loaded->engine), shown(*desk.engine));
  EXPECT_EQ(loaded->engine->graph().pool_count(), desk.engine->graph().pool_count());
}

// Every released format version is kept. A new one is added to them.
TEST(SaveTest, ReadsWhatWasSavedBefore) {
  const auto loaded = load(test::text_of_file("tests/data/save/desk-1.save"));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(shown(*loaded->engine), test::text_of_file("tests/data/save/desk-1.txt"));
}

TEST(SaveTest, RefusesWhatIsCutShort) {
  const std::string bytes = desk_save();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto loaded = load(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(loaded) << size;
    expect_one_clear_line(loaded.error());
  }
  EXPECT_FALSE(load(bytes + "x"));
}

TEST(SaveTest, RefusesWhatIsFlipped) {
  const std::string bytes = desk_save();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    const auto loaded = load(flipped);
    ASSERT_FALSE(loaded) << at;
    expect_one_clear_line(loaded.error());
  }
}

TEST(SaveTest, NamesALaterVersion) {
  const auto loaded = load(sealed({"COPSESAV", 7, "save"}, "anything"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::unsupported);
  EXPECT_EQ(loaded.error().text, "the save has version 7; this Copse reads up to 1");
}

TEST(SaveTest, RefusesMorePoolsThanItMay) {
  const auto loaded = load(desk_save(), {}, {.pools_max = 10});
  ASSERT_FALSE(loaded);
  expect_one_clear_line(loaded.error());
}

// Anyone can compute the checksum of any bytes: such a save is refused, or it loads as an engine.
TEST(SaveTest, HostileSavesAreRefusedOrMakeAnEngine) {
  const std::string bytes = desk_save();
  const std::string content = bytes.substr(kSealBytes);
  Random random(11);
  std::uint64_t refused = 0, taken = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string hostile = content;
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
      const std::size_t at = random.below(hostile.size());
      if (random.chance(70)) {
        hostile[at] = static_cast<char>(random.below(256));
      } else if (random.chance(50)) {
        hostile.insert(at, 1, static_cast<char>(random.below(256)));
      } else {
        hostile.erase(at, 1 + random.below(4));
      }
    }
    auto loaded = load(sealed(kSaveSeal, hostile), {}, {.pools_max = 10'000});
    if (!loaded) {
      expect_one_clear_line(loaded.error());
      ++refused;
      continue;
    }
    ++taken;
    const auto again = load(save(*loaded->engine));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->engine->fingerprint(), loaded->engine->fingerprint());
    for (const JobId job : loaded->engine->jobs()) EXPECT_TRUE(loaded->engine->cancel(job));
  }
  EXPECT_GT(refused, 500U);
  EXPECT_GT(taken, 20U);
}

}  // namespace
}  // namespace copse
