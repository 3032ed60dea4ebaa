// SPDX-License-Identifier: Apache-2.0
#include "hres/availability/charge_ledger.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "property/random.hpp"

namespace copse {
namespace {

TEST(ChargeLedger, LoadsAnAccountOnceAfterEachBegin) {
  ChargeLedger ledger;
  int loads = 0;
  auto free = [&] { return ledger.account(7, [&] { return std::int64_t{100} + loads++; }).free; };
  EXPECT_EQ(free(), 100);
  EXPECT_EQ(free(), 100);
  ledger.take(7, 0, 30);
  ledger.note_contention();
  ledger.reset();
  EXPECT_FALSE(ledger.contended());
  EXPECT_EQ(free(), 100);
  ledger.take(7, 0, 30);
  ledger.begin();
  EXPECT_EQ(ledger.mark(), 0u);
  EXPECT_EQ(free(), 101);
}

// The free amount equals the sum over all charges, after any undo.
TEST(ChargeLedger, WhatIsLeftFollowsFromTheLog) {
  property::Random random(1);
  ChargeLedger ledger;
  std::vector<std::size_t> marks{0};
  for (int step = 0; step < 3000; ++step) {
    const auto number = static_cast<std::uint32_t>(random.below(8));
    const ChargeLedger::Account& at = ledger.account(number, [] { return std::int64_t{1000}; });
    if (random.chance(70)) {
      ledger.take(number, number, random.between(1, 100));  // may exceed it: callers check
    } else if (random.chance(50)) {
      marks.push_back(ledger.mark());
    } else if (random.chance(90)) {
      ledger.undo_to(marks.back());
      if (marks.size() > 1) marks.pop_back();
    } else {
      ledger.begin();
      marks.assign(1, 0);
      continue;
    }
    std::int64_t sum = 0;
    for (const ChargeLedger::Charge& c : ledger.log()) sum += c.account == number ? c.amount : 0;
    ASSERT_EQ(at.left, 1000 - sum);
    ASSERT_TRUE(ledger.check());
  }
}

}  // namespace
}  // namespace copse
