// SPDX-License-Identifier: Apache-2.0
#include "text/json_writer.hpp"

#include <gtest/gtest.h>

namespace copse {
namespace {

TEST(JsonWriterTest, WritesUtf8WhateverATextIsMadeOf) {
  const auto text = [](std::string_view of) {
    std::string out;
    append_json(out, of);
    return out;
  };
  EXPECT_EQ(text("gr\u00fcn \u4f60 \U0001f600"), "\"gr\u00fcn \u4f60 \U0001f600\"");
  EXPECT_EQ(text("a\xff"), "\"a\uFFFD\"");
  EXPECT_EQ(text("\xc3("), "\"\uFFFD(\"");                    // a sequence that is cut off
  EXPECT_EQ(text("\xed\xa0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");  // a surrogate
  EXPECT_EQ(text("\xe4\xbd"), "\"\uFFFD\uFFFD\"");
}

}  // namespace
}  // namespace copse
