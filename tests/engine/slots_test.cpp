// SPDX-License-Identifier: Apache-2.0
//
// The number of slots of a grant (RFC 20, `nslots`), by every traverser.
#include <gtest/gtest.h>

#include <string>

#include "engine/jobs.hpp"

namespace copse {
namespace {

std::int64_t slots(const std::string& text, Traverser traverser,
                   const std::string& policy = "low") {
  const auto e = engine({.policy = *find_policy(policy), .traverser = traverser});
  const auto m = allocate(*e, text);
  EXPECT_TRUE(m) << text << ": " << (m ? "" : m.error().message());
  return m ? m->nslots : -1;
}

TEST(Slots, AreCountedByEveryTraverser) {
  struct Row {
    std::string text;
    std::int64_t slots;
  };
  const Row rows[] = {
      {job(slot("2", res("core", "2"))), 2},
      {job(slot("3", res("node"))), 3},
      {job(res("node", "2", slot("3", res("socket", "1")))), -1},
      {job(res("node", "2", slot("2", res("socket")))), 4},
      {job(res("rack", "2", res("node", "1", slot("2", res("core", "1"))))), 4},
      // A range of slots, and a range in a slot.
      {job(slot("{min: 1, max: 3, operator: +, operand: 1}", res("node"))), 3},
      {job(res("socket", "1", slot("1", res("core", "{min: 1, max: 3, operator: +, operand: 1}")))),
       1},
      {job(res("node", "1", "", ", exclusive: true")), 1},  // without a slot
  };
  for (const Row& row : rows) {
    if (row.slots < 0) continue;
    for (const Traverser traverser :
         {Traverser::simple, Traverser::flexible, Traverser::loop_aware}) {
      EXPECT_EQ(slots(row.text, traverser), row.slots) << row.text;
      EXPECT_EQ(slots(row.text, traverser, "first"), row.slots) << row.text;
    }
  }
}

TEST(Slots, OfSiblingsAreAddedUp) {
  const std::string siblings = job(res("rack", "1",
                                       slot("1", res("node", "1", res("socket", "2"))) + ", " +
                                           slot("1", res("node", "1", res("socket", "1")))));
  EXPECT_EQ(slots(siblings, Traverser::loop_aware), 2);
  const std::string either =
      job(res("socket", "1", slot("1", res("gpu")) + ", " + slot("2", res("core"))));
  EXPECT_EQ(slots(either, Traverser::flexible), 2);
}

TEST(Slots, AreKeptWithTheGrant) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, job(slot("3", res("core"))), 7));
  EXPECT_EQ(e->grant(7)->nslots, 3);
}

}  // namespace
}  // namespace copse
