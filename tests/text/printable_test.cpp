// SPDX-License-Identifier: Apache-2.0
#include "text/printable.hpp"

#include <gtest/gtest.h>

namespace copse {
namespace {

TEST(Printable, KeepsWhatATerminalShows) {
  for (const char* text : {"", "node[0-3] \"ä\" ƒ2X … \\n", "日本"}) {
    EXPECT_EQ(printable(text, LineEnds::escape), text);
  }
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb\x7f\r", LineEnds::escape), "a\\x1b[31mb\\x7f\\x0d");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J\xc2\xa0",
                      LineEnds::escape),
            "\\xc2\\x9b2J\xc2\xa0");
  EXPECT_EQ(printable("\xff\xc3", LineEnds::escape), "\\xff\\xc3");
  EXPECT_EQ(printable(std::string_view("\0", 1), LineEnds::keep), "\\x00");
}

TEST(Printable, KeepsLineEndsOfTables) {
  EXPECT_EQ(printable("a\n\tb\n", LineEnds::keep), "a\n\\tb\n");
  EXPECT_EQ(printable("a\n\tb\n", LineEnds::escape), "a\\n\\tb\\n");
}

}  // namespace
}  // namespace copse
