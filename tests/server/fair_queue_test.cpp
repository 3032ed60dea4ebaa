// SPDX-License-Identifier: Apache-2.0
#include "server/fairness/fair_queue.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace copse::server {
namespace {

// Work of steps that take some time on a clock that only they advance.
class Worker : public FairQueue::Client {
 public:
  Worker(std::int64_t& clock, std::int64_t step, std::size_t steps)
      : clock_(clock), step_(step), left_(steps) {}

  bool work(queue::WorkBudget budget) override {
    ++turns;
    while (left_ > 0) {
      clock_ += step_;
      used += step_;
      if (--left_ == 0) done_at = clock_;
      if (budget.spend()) break;
    }
    return left_ > 0;
  }
  void give(std::size_t steps) { left_ += steps; }
  [[nodiscard]] bool done() const { return left_ == 0; }

  std::int64_t used = 0, done_at = 0;
  int turns = 0;

 private:
  std::int64_t& clock_;
  std::int64_t step_;
  std::size_t left_;
};

class FairQueueTest : public testing::Test {
 protected:
  // One turn of at most `budget`.
  void run(std::int64_t budget = 2'000) {
    struct End {
      std::int64_t& clock;
      std::int64_t at;
    } end{clock, clock + budget};
    turns.run({.expired =
                   [](void* of) {
                     const End& one = *static_cast<End*>(of);
                     return one.clock >= one.at;
                   },
               .context = &end},
              [this] { return clock; });
    ASSERT_TRUE(turns.check());
  }
  std::shared_ptr<Worker> worker(std::int64_t step, std::size_t steps) {
    return std::make_shared<Worker>(clock, step, steps);
  }

  std::int64_t clock = 0;
  FairQueue turns;
};

TEST_F(FairQueueTest, AShortRequestWaitsForOneTurnOfALongOne) {
  const auto much = worker(100, 100'000), little = worker(10, 1);
  turns.add({"user ada"}, much);
  for (int i = 0; i < 50; ++i) run();
  turns.add({"user bob"}, little);
  const std::int64_t asked = clock;
  while (!little->done()) run();
  EXPECT_LE(little->done_at - asked, 2'000 + 100 + 10);
}

TEST_F(FairQueueTest, AccountsShareTheTimeWhateverTheirNumberOfClients) {
  std::vector<std::shared_ptr<Worker>> many;
  for (int i = 0; i < 20; ++i) {
    many.push_back(worker(100, 1'000'000));
    turns.add({"user ada"}, many.back());
  }
  const auto one = worker(700, 1'000'000), boss = worker(100, 1'000'000);
  turns.add({"user bob"}, one);
  turns.add({"user eve", true}, boss);
  for (int i = 0; i < 6'000; ++i) run();
  double ada = 0;
  for (const auto& each : many) ada += static_cast<double>(each->used);
  const auto all = static_cast<double>(clock);
  EXPECT_NEAR(ada, all / 6, all / 100);
  EXPECT_NEAR(static_cast<double>(one->used), all / 6, all / 100);
  for (const auto& each : many) EXPECT_NEAR(static_cast<double>(each->used), ada / 20, 3'000);
}

TEST_F(FairQueueTest, WhoWasIdleHasSavedNothing) {
  const auto busy = worker(100, 1'000'000), idle = worker(100, 10);
  turns.add({"user ada"}, busy);
  turns.add({"user bob"}, idle);
  for (int i = 0; i < 1'000; ++i) run();
  ASSERT_TRUE(idle->done());
  idle->give(1'000'000);
  turns.add({"user bob"}, idle);
  const std::int64_t before = idle->used, busy_before = busy->used;
  for (int i = 0; i < 100; ++i) run();
  EXPECT_NEAR(static_cast<double>(idle->used - before),
              static_cast<double>(busy->used - busy_before), 4'000);
}

TEST_F(FairQueueTest, ATicketIsServedWhenAllWhoWaitedHadATurn) {
  const auto a = worker(100, 1'000), b = worker(100, 1'000);
  turns.add({"user ada"}, a);
  turns.add({"user ada"}, b);
  const FairQueue::Ticket now = turns.next_ticket();
  EXPECT_FALSE(turns.served(now));
  run();
  EXPECT_FALSE(turns.served(now));
  run();
  EXPECT_TRUE(turns.served(now));
  EXPECT_FALSE(turns.served(turns.next_ticket()));
}

TEST_F(FairQueueTest, AClientThatIsGoneHasNoTurn) {
  auto gone = worker(100, 1'000);
  turns.add({"user ada"}, gone);
  turns.add({"user ada"}, gone);  // it waits already
  gone = nullptr;
  run();
  EXPECT_TRUE(turns.empty());
  EXPECT_EQ(clock, 0);
}

// Of many accounts and clients that come and go, each request is done within a turn of each account.
TEST_F(FairQueueTest, NobodyWaitsForMoreThanATurnOfEachAccount) {
  std::mt19937_64 random(7);
  constexpr int kAccounts = 12;
  struct One {
    std::shared_ptr<Worker> worker;
    std::int64_t asked = 0;
    bool waits = false;
  };
  std::vector<One> all(kAccounts);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].worker = worker(100 + 150 * static_cast<std::int64_t>(i % 3), 0);
  }
  std::int64_t longest = 0;
  for (int step = 0; step < 50'000; ++step) {
    const auto i = static_cast<std::size_t>(random() % kAccounts);
    if (!all[i].waits) {
      all[i].worker->give(i == 0 ? 500 : 1 + random() % 4);
      turns.add({fmt::format("user {}", i), i == 1}, all[i].worker);
      all[i].asked = clock;
      all[i].waits = true;
    }
    if (!turns.empty()) run();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!all[k].waits || !all[k].worker->done()) continue;
      if (k != 0) longest = std::max(longest, all[k].worker->done_at - all[k].asked);
      all[k].waits = false;
    }
  }
  EXPECT_LE(longest, kAccounts * 2 * (2'000 + 400));
}

}  // namespace
}  // namespace copse::server
