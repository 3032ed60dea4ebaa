// SPDX-License-Identifier: Apache-2.0
//
// Jobs that already run when a queue is made, because their host was restarted.
#include "queue/events.hpp"

namespace copse::queue {
namespace {

std::vector<PoolId> nodes_of(const Desk& desk, std::vector<std::size_t> numbers) {
  const auto nodes = desk.engine->graph().of_type(desk.engine->graph().find_type("node"));
  std::vector<PoolId> out;
  for (const std::size_t number : numbers) out.push_back(nodes[number]);
  return out;
}

Adoption adoption(JobId id, const Request& request, std::string_view kind,
                  const std::vector<PoolId>& pools, std::int64_t end_s) {
  Adoption out;
  out.job = {.id = id, .kind = kind, .request = &request};
  out.pools = pools;
  out.end_s = end_s;
  return out;
}

// Both forms of promises: with whole nodes, and with a job of any resources.
class Adopt : public ::testing::TestWithParam<const char*> {
 protected:
  Desk desk{4, "easy"};
  const Request request = *parse_shape(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Forms, Adopt, ::testing::Values("slot=2/node", "slot=1/core"));

TEST_P(Adopt, KeepsWhatItHas) {
  const auto pools = nodes_of(desk, {0, 1});
  ASSERT_TRUE(desk.queue.adopt(adoption(7, request, GetParam(), pools, 100)));
  EXPECT_EQ(desk.queue.running(), 1U);
  desk.submit(8, "slot=4/node", 50);
  desk.submit(9, "slot=2/node", 100);
  desk.submit(10, "slot=2/node", 101);
  EXPECT_EQ(desk.work(), (Words{"start 9", "plan 8 at 100"}));
  ASSERT_TRUE(desk.queue.ended(7, 0));
  (void)desk.work();
  EXPECT_EQ(desk.queue.promised_start(8), 100);
  desk.queue.check();
}

TEST_P(Adopt, IsRefusedWhereItCannotBe) {
  const auto pools = nodes_of(desk, {0, 1});
  ASSERT_TRUE(desk.queue.adopt(adoption(7, request, GetParam(), pools, 100)));
  const std::uint64_t before = desk.engine->fingerprint();
  EXPECT_EQ(desk.queue.adopt(adoption(7, request, GetParam(), pools, 100)).error().code,
            ErrorCode::exists);
  EXPECT_EQ(desk.queue.adopt(adoption(8, request, GetParam(), pools, 100)).error().code,
            ErrorCode::insufficient);
  ASSERT_TRUE(desk.queue.advance(50));
  EXPECT_EQ(
      desk.queue.adopt(adoption(9, request, GetParam(), nodes_of(desk, {2, 3}), 50)).error().code,
      ErrorCode::invalid);
  EXPECT_EQ(desk.queue.running(), 1U);
  ASSERT_TRUE(desk.queue.ended(7, 50));
  EXPECT_NE(desk.engine->fingerprint(), before);
  desk.queue.check();
}

// A conflicting promise is made again.
TEST_P(Adopt, TakesThePlaceOfAPromise) {
  desk.submit(1, "slot=3/node", 100);
  desk.submit(2, "slot=4/node", 100);
  EXPECT_EQ(desk.work(), (Words{"start 1", "plan 2 at 100"}));
  const TypeId node = desk.engine->graph().find_type("node");
  std::vector<PoolId> unused;
  for (const PoolId p : desk.engine->graph().of_type(node)) unused.push_back(p);
  for (const SelectedPools& taken : desk.engine->grant(1)->selection.taken) {
    for (std::uint32_t i = 0; i < taken.count; ++i) std::erase(unused, PoolId{taken.first.v + i});
  }
  ASSERT_EQ(unused.size(), 1U);
  const Request one = *parse_shape("slot=1/node");
  ASSERT_TRUE(desk.queue.adopt(adoption(7, one, "one", unused, 300)));
  (void)desk.work();
  EXPECT_EQ(desk.queue.promised_start(2), 300);
  desk.queue.check();
}

// All nodes of a list change together.
TEST(SetStatus, OfSeveralNodes) {
  Desk desk(4, "easy");
  desk.queue.set_status(nodes_of(desk, {0, 1, 2}), Status::down);
  desk.submit(1, "slot=2/node", 10);
  EXPECT_EQ(desk.work(), (Words{"unplaceable 1"}));
  desk.queue.set_status(nodes_of(desk, {1, 2}), Status::up);
  EXPECT_EQ(desk.work(), (Words{"start 1"}));
}

}  // namespace
}  // namespace copse::queue
