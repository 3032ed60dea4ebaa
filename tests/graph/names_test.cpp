// SPDX-License-Identifier: Apache-2.0
#include "copse/names.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace copse {
namespace {

TEST(Interner, NumbersAreDenseInOrderOfFirstUse) {
  Interner names;
  EXPECT_EQ(names.size(), 0u);
  EXPECT_EQ(names.intern("rack"), 0u);
  EXPECT_EQ(names.intern("node"), 1u);
  EXPECT_EQ(names.intern("rack"), 0u);
  EXPECT_EQ(names.intern("core"), 2u);
  EXPECT_EQ(names.size(), 3u);
  EXPECT_EQ(names.text(0), "rack");
  EXPECT_EQ(names.text(1), "node");
  EXPECT_EQ(names.text(2), "core");
}

TEST(Interner, FindAddsNothing) {
  Interner names;
  names.intern("node");
  EXPECT_EQ(names.find("node"), 0u);
  EXPECT_EQ(names.find("nod"), Interner::kNone);
  EXPECT_EQ(names.find("node "), Interner::kNone);
  EXPECT_EQ(names.find(""), Interner::kNone);
  EXPECT_EQ(names.size(), 1u);
}

TEST(Interner, AnyBytesAreText) {
  using namespace std::string_view_literals;
  Interner names;
  const std::string_view texts[] = {""sv, "\0"sv, "a\0b"sv, "a\0c"sv, "a"sv, "\xff\xfe"sv};
  for (std::uint32_t i = 0; i < std::size(texts); ++i) EXPECT_EQ(names.intern(texts[i]), i);
  for (std::uint32_t i = 0; i < std::size(texts); ++i) {
    EXPECT_EQ(names.find(texts[i]), i);
    EXPECT_EQ(names.text(i), texts[i]);
  }
}

TEST(Interner, KeepsItsOwnCopyOfTheText) {
  Interner names;
  std::string buffer = "node";
  names.intern(buffer);
  buffer = "core";
  EXPECT_EQ(names.text(0), "node");
  EXPECT_EQ(names.find("node"), 0u);
  EXPECT_EQ(names.find("core"), Interner::kNone);
}

// Short strings hold their bytes inside the object: moving the object would move its text.
TEST(Interner, TextsNeverMove) {
  Interner names;
  const std::string* const first = &names.text(names.intern("n"));
  const char* const bytes = first->data();
  for (int i = 0; i < 10'000; ++i) names.intern("n" + std::to_string(i));
  EXPECT_EQ(&names.text(0), first);
  EXPECT_EQ(names.text(0).data(), bytes);
  for (std::uint32_t i = 0; i < 10'000; ++i) EXPECT_EQ(names.find("n" + std::to_string(i)), i + 1);
}

TEST(Interner, MovingKeepsNumbersAndPlaces) {
  Interner names;
  for (int i = 0; i < 1'000; ++i) names.intern(std::to_string(i));
  const std::string* const place = &names.text(999);

  Interner built = std::move(names);
  EXPECT_EQ(&built.text(999), place);
  EXPECT_EQ(built.find("999"), 999u);

  Interner assigned;
  assigned.intern("gone");
  assigned = std::move(built);
  EXPECT_EQ(&assigned.text(999), place);
  EXPECT_EQ(assigned.find("gone"), Interner::kNone);
  EXPECT_EQ(assigned.intern("0"), 0u);
  EXPECT_EQ(assigned.intern("new"), 1'000u);
}

RC_GTEST_PROP(Interner, AgreesWithAMap, (const std::vector<std::string>& texts)) {
  Interner names;
  std::map<std::string, std::uint32_t> expected;
  for (const std::string& text : texts) {
    const auto number = static_cast<std::uint32_t>(expected.size());
    RC_ASSERT(names.intern(text) == expected.emplace(text, number).first->second);
  }
  RC_ASSERT(names.size() == expected.size());
  for (const auto& [text, number] : expected) {
    RC_ASSERT(names.find(text) == number);
    RC_ASSERT(names.text(number) == text);
  }
}

}  // namespace
}  // namespace copse
