// SPDX-License-Identifier: Apache-2.0
#include "server/fairness/fair_limit.hpp"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>
#include <string>

#include <fmt/format.h>

namespace copse::server {
namespace {

class FairLimitTest : public testing::Test {
 protected:
  struct Client {
    std::string account;
    FairLimit::Permit place{};
    bool replaced = false;
  };

  // Whether a client of this account gets a place.
  Client& come(const std::string& account, bool is_operator = false, bool is_stranger = false) {
    Client& client = clients.emplace_back();
    client.account = account;
    client.place = places.take(
        {.account = {account, is_operator}, .is_stranger = is_stranger, .close = [&client] {
           client.replaced = true;
           client.place.release();
         }});
    EXPECT_TRUE(places.check());
    return client;
  }
  [[nodiscard]] std::map<std::string, int> shares() const {
    std::map<std::string, int> out;
    for (const Client& client : clients) out[client.account] += client.place.taken() ? 1 : 0;
    return out;
  }

  FairLimit places{20};
  std::list<Client> clients;
};

TEST_F(FairLimitTest, AreFreeForAllWhileThereAreSome) {
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(come("user ada").place.taken());
  EXPECT_FALSE(come("user ada").place.taken());
  EXPECT_EQ(places.size(), 20U);
  EXPECT_EQ(places.replaced(), 0U);
}

TEST_F(FairLimitTest, AreSharedAlikeWhenAllAreTaken) {
  for (int i = 0; i < 30; ++i) (void)come("user ada");
  for (int i = 0; i < 30; ++i) (void)come("user bob");
  EXPECT_EQ(shares(), (std::map<std::string, int>{{"user ada", 10}, {"user bob", 10}}));
  EXPECT_TRUE(clients.front().replaced);  // the oldest
  for (int i = 0; i < 30; ++i) (void)come("user cy");
  EXPECT_EQ(shares()["user cy"], 6);
}

TEST_F(FairLimitTest, OfOperatorsAreTheirs) {
  for (int i = 0; i < 19; ++i) (void)come("user ada");
  EXPECT_TRUE(come("user eve", true).place.taken());
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(come("user eve", true).place.taken());
  EXPECT_EQ(shares()["user eve"], 10);
  const int before = shares()["user eve"];
  for (int i = 0; i < 30; ++i) (void)come(fmt::format("user {}", i));
  EXPECT_EQ(shares()["user eve"], before);
}

TEST_F(FairLimitTest, OfStrangersGoFirst) {
  for (int i = 0; i < 10; ++i) (void)come("peer 10.0.0.1");
  for (int i = 0; i < 10; ++i) (void)come("peer 10.0.0.1", false, true);
  // A stranger replaces the oldest stranger, also of its own account.
  Client& late = come("peer 10.0.0.1", false, true);
  EXPECT_TRUE(late.place.taken());
  EXPECT_TRUE(std::next(clients.begin(), 10)->replaced);
  EXPECT_FALSE(clients.front().replaced);
  late.place.identify({"user eve", true});
  EXPECT_TRUE(places.check());
  for (int i = 0; i < 30; ++i) (void)come("peer 10.0.0.1", false, true);
  EXPECT_FALSE(late.replaced);
  EXPECT_FALSE(clients.front().replaced);  // it has shown who it is
}

TEST_F(FairLimitTest, KeepTheirInvariantsWhateverComes) {
  std::mt19937_64 random(3);
  for (int step = 0; step < 20'000; ++step) {
    const auto who = random() % 6;
    if (random() % 3 != 0) {
      (void)come(fmt::format("user {}", who), who == 0, random() % 4 == 0);
    } else if (!clients.empty()) {
      auto at = std::next(clients.begin(), static_cast<std::ptrdiff_t>(random() % clients.size()));
      if (random() % 4 == 0) {
        at->place.identify({fmt::format("user {}", who), who == 0});
        if (at->place.taken()) at->account = fmt::format("user {}", who);
      } else {
        clients.erase(at);
      }
    }
    std::erase_if(clients, [](const Client& one) { return !one.place.taken(); });
    ASSERT_TRUE(places.check());
    ASSERT_EQ(places.size(), clients.size());
  }
}

}  // namespace
}  // namespace copse::server
