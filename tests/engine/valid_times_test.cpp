// SPDX-License-Identifier: Apache-2.0
//
// EngineOptions::valid_from and valid_until: the starttime and expiration of a machine's R bound what
// is granted (RFC 20).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "copse/save.hpp"
#include "engine/jobs.hpp"

namespace copse {
namespace {

std::unique_ptr<Engine> between(std::int64_t from, std::int64_t until) {
  EngineOptions options = with_policy("low");
  options.valid_from = from;
  options.valid_until = until;
  return engine(std::move(options));
}

bool says(const Matched& m, const std::string& sentence) {
  return std::ranges::find(remarks_of(m), sentence) != remarks_of(m).end();
}

TEST(ValidTimes, NothingIsGrantedBeyondTheEnd) {
  const auto e = between(0, 50);
  EXPECT_EQ(error_of(allocate(*e, nodes(1, "50"), 1)), "");
  const auto late = allocate(*e, nodes(1, "51"), 2);
  EXPECT_EQ(error_of(late), "insufficient");
  EXPECT_TRUE(says(late, "the machine's R ends at 50 (its expiration)"));
  const auto wait = match(*e, Operation::allocate_orelse_reserve, nodes(1, "51"), 2);
  EXPECT_EQ(error_of(wait), "infeasible");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, nodes(1, "51"))), "infeasible");
  ASSERT_TRUE(e->advance(40));
  EXPECT_EQ(error_of(allocate(*e, nodes(1, "10"), 3)), "");
  EXPECT_EQ(error_of(allocate(*e, nodes(1, "11"), 4)), "insufficient");
  ASSERT_TRUE(e->advance(60));
  const auto over = allocate(*e, nodes(1, "1"), 5);
  EXPECT_EQ(error_of(over), "insufficient");
  EXPECT_TRUE(says(over, "the machine's R ended at 50 (its expiration)"));
}

TEST(ValidTimes, AReservationEndsInTime) {
  const auto e = between(0, 100);
  ASSERT_EQ(error_of(allocate(*e, nodes(4, "60"), 1)), "");
  const auto fits = match(*e, Operation::allocate_orelse_reserve, nodes(4, "40"), 2);
  ASSERT_EQ(error_of(fits), "");
  EXPECT_EQ(fits->start, 60);
  EXPECT_EQ(error_of(match(*e, Operation::allocate_orelse_reserve, nodes(4, "41"), 3)),
            "insufficient");
}

TEST(ValidTimes, WithoutADurationAJobEndsWithTheMachine) {
  const auto e = between(0, 100);
  const auto now = allocate(*e, nodes(1, "0"), 1);
  ASSERT_EQ(error_of(now), "");
  EXPECT_EQ(now->end, 100);
  ASSERT_EQ(error_of(allocate(*e, nodes(3, "30"), 2)), "");
  const auto later = match(*e, Operation::allocate_orelse_reserve, nodes(3, "0"), 3);
  ASSERT_EQ(error_of(later), "");
  EXPECT_EQ(later->start, 30);
  EXPECT_EQ(later->end, 100);
}

TEST(ValidTimes, NothingIsGrantedBeforeTheBeginning) {
  const auto e = between(20, 100);
  const auto early = allocate(*e, nodes(1, "10"), 1);
  EXPECT_EQ(error_of(early), "insufficient");
  EXPECT_TRUE(says(early, "the machine's R begins at 20 (its starttime)"));
  const auto later = match(*e, Operation::allocate_orelse_reserve, nodes(1, "10"), 1);
  ASSERT_EQ(error_of(later), "");
  EXPECT_EQ(later->start, 20);
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, nodes(1, "81"))), "infeasible");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, nodes(1, "80"))), "");
}

TEST(ValidTimes, AreSaved) {
  const auto e = between(20, 100);
  const auto loaded = load(save(*e));
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->engine->options().valid_from, 20);
  EXPECT_EQ(loaded->engine->options().valid_until, 100);
}

TEST(ValidTimes, AreExplained) {
  const auto e = between(0, 50);
  auto request = e->prepare(nodes(1, "60"), "job.yaml");
  ASSERT_TRUE(request);
  const auto why = e->explain(**request);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->verdict, Verdict::infeasible);
  ASSERT_EQ(why->findings.size(), 1U);
  EXPECT_EQ(why->findings[0].cause, Cause::duration);
  EXPECT_EQ(why->findings[0].most_has, 50);
}

}  // namespace
}  // namespace copse
