// SPDX-License-Identifier: Apache-2.0
//
// Whether a uid of the kernel names one user.
#include "server/rights/user_namespace.hpp"

#include <gtest/gtest.h>

namespace copse::server {
namespace {

TEST(UserNamespaceTest, ReadsWhichUsersAreMapped) {
  struct Row {
    std::string_view text;
    bool all;
  };
  const Row rows[] = {{"         0          0 4294967295\n", true},
                      {"0 0 1\n", false},
                      {"", false},
                      {"0 100000 65536\n", false},
                      {"0 1000 1\n1 0 1000\n1001 1001 4294966294\n", true},
                      {"0 0 1\n65534 998 1\n", false}};
  for (const Row& row : rows) {
    const auto all = UserNamespace::maps_all(row.text);
    ASSERT_TRUE(all.has_value()) << row.text;
    EXPECT_EQ(*all, row.all) << row.text;
  }
  for (const std::string_view wrong : {"0 0", "a b c", "0 0 1 2", "0 0 -1", "0 0 99999999999"}) {
    EXPECT_FALSE(UserNamespace::maps_all(wrong).has_value()) << wrong;
  }
}

TEST(UserNamespaceTest, AnUnnamedUserIsNoUser) {
  const UserNamespace some(65'534), all(std::nullopt);
  EXPECT_TRUE(some.is_named(0));
  EXPECT_FALSE(some.is_named(65'534));
  EXPECT_TRUE(all.is_named(65'534));
  EXPECT_TRUE(all.check_everybody().has_value());
  const auto refused = some.check_everybody();
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().message().contains("user namespace"));
}

}  // namespace
}  // namespace copse::server
