// SPDX-License-Identifier: Apache-2.0
//
// Options of `copse serve` in a file.
#include "tools/copse/serve/serve_config.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tools/options/option_cases.hpp"

namespace copse {
namespace {

using ConfigWords = std::vector<std::string>;

std::vector<OptionRow> options_of_serve() {
  std::vector<OptionRow> out;
  for (const OptionRow& row : copse_options().options) {
    if (row.command == "serve") out.push_back(row);
  }
  return out;
}

Result<ConfigWords> added(std::string_view text, ConfigWords words = {"copse", "serve"}) {
  return add_config(std::move(words), text, "serve.toml", options_of_serve());
}

TEST(ServeConfig, OptionsStandBehindTheLine) {
  const auto words = added(
      "listen = [\"7400\", \"[::1]:7400\"]\nclients = 5\nstate = \"/var/lib/copse\"\ncheck = "
      "true\n");
  ASSERT_TRUE(words.has_value()) << words.error().message();
  ConfigWords sorted = *words;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (ConfigWords{"--check", "--clients=5", "--listen=7400", "--listen=[::1]:7400",
                                 "--state=/var/lib/copse", "copse", "serve"}));
  EXPECT_EQ(*added("check = false"), (ConfigWords{"copse", "serve"}));
}

TEST(ServeConfig, TheLineCounts) {
  const ConfigWords short_name{"copse", "serve", "-Lother"},
      long_name{"copse", "serve", "--load-file=other"};
  EXPECT_EQ(*added("load-file = \"one\"", short_name), short_name);
  EXPECT_EQ(*added("load-file = \"one\"", long_name), long_name);
}

TEST(ServeConfig, WrongFilesSayWhere) {
  const auto sentence = [](std::string_view text) {
    const auto read = added(text);
    return read ? "none" : read.error().message();
  };
  EXPECT_EQ(sentence("\nclinets = 5").find("serve.toml:2:11: "), 0U) << sentence("\nclinets = 5");
  EXPECT_NE(sentence("\nclinets = 5").find("did you mean \"clients\"?"), std::string::npos);
  EXPECT_EQ(sentence("check = 1"), "serve.toml:1:9: \"check\" must be true or false");
  EXPECT_EQ(sentence("state = true"), "serve.toml:1:9: \"state\" must be a text or a number");
  EXPECT_EQ(sentence("[state]\na = 1").find("serve.toml:1:"), 0U);
  EXPECT_NE(sentence("config = \"x\""), "none");
  EXPECT_NE(sentence("state = "), "none");
}

TEST(ServeConfig, HasATableOfCertificates) {
  constexpr std::string_view kTable =
      "[tls-clients]\n\"CN:ada\" = { user = \"ada\", role = \"operator\" }\n";
  const auto table = read_certificate_table(kTable, "serve.toml");
  ASSERT_TRUE(table.has_value()) << table.error().message();
  EXPECT_EQ(table->authenticate(std::vector<std::string>{"CN:ada"}).role, server::Role::operate);
  EXPECT_EQ(read_certificate_table("clients = 5\n", "serve.toml")->size(), 0U);
  // It has no command-line option, and no effect without the certificates of clients.
  EXPECT_EQ(*added("tls-client-ca = \"ca.pem\"\n" + std::string(kTable)),
            (ConfigWords{"copse", "serve", "--tls-client-ca=ca.pem"}));
  EXPECT_TRUE(added(kTable, {"copse", "serve", "--tls-client-ca", "ca.pem"}).has_value());
  const auto refused = added(kTable);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message(),
            "serve.toml:1:1: \"tls-clients\" needs \"tls-client-ca\", the authority that signs "
            "these certificates");
}

TEST(ServeConfig, WrongCertificatesSayWhere) {
  const auto sentence = [](std::string_view rows) {
    const auto read = read_certificate_table("[tls-clients]\n" + std::string(rows), "serve.toml");
    return read ? "none" : read.error().message();
  };
  for (const std::string_view rows : {"\"CN:ada\" = 7", "\"CN:ada\" = { user = \"ada\" }",
                                      "\"CN:ada\" = { user = \"ada\", role = 7 }",
                                      "\"CN:ada\" = { user = \"ada\", role = \"user\", more = 1 }",
                                      "\"ada\" = { user = \"ada\", role = \"user\" }",
                                      "\"CN:ada\" = { user = \"a b\", role = \"user\" }",
                                      "\"CN:ada\" = { user = \"ada\", role = \"king\" }"}) {
    EXPECT_EQ(sentence(rows).find("serve.toml:2:"), 0U) << sentence(rows);
  }
  EXPECT_EQ(read_certificate_table("tls-clients = 7", "serve.toml").error().message(),
            "serve.toml:1:15: \"tls-clients\" must be a table");
}

}  // namespace
}  // namespace copse
