// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/what_if.hpp"

#include "queue/events.hpp"

namespace copse::queue {
namespace {

using Moved = std::vector<WhatIf::Moved>;

Moved moved_by(const JobQueue& queue, const WhatIf::Change& change, std::uint64_t looks = 3) {
  auto what_if = WhatIf::make(queue, change);
  EXPECT_TRUE(what_if);
  WorkBudget budget{.jobs = looks};
  while (!what_if->work(budget)) budget = {.jobs = looks};
  return what_if->moved();
}

// Node 0 until 100, then job 2 on both, then job 3.
struct Waiting {
  explicit Waiting(const char* first) : desk(2, "easy") {
    desk.submit(1, first, 100);
    desk.submit(2, "slot=2/node", 50);
    desk.submit(3, "slot=1/node", 200);
    (void)desk.work();
    before = desk.engine->fingerprint();
  }
  ~Waiting() {  // no query changes the queue
    EXPECT_EQ(desk.engine->fingerprint(), before);
    EXPECT_EQ(desk.work(), Words{});
    desk.advance(100);
    EXPECT_EQ(desk.said.take(), (Words{"start 2", "plan 3 at 150"}));
  }
  Desk desk;
  std::uint64_t before = 0;
};

class WhatIfOf : public ::testing::TestWithParam<const char*> {};
// Counted and pinned promises.
INSTANTIATE_TEST_SUITE_P(Forms, WhatIfOf, ::testing::Values("slot=1/node", "slot=1/core"));

TEST_P(WhatIfOf, NothingChanges) {
  Waiting w(GetParam());
  EXPECT_EQ(moved_by(w.desk.queue, [](JobQueue&) { return Result<void>(); }), Moved{});
}

TEST_P(WhatIfOf, AJobLeaves) {
  Waiting w(GetParam());
  EXPECT_EQ(moved_by(w.desk.queue, [](JobQueue& queue) { return queue.cancel(2); }),
            (Moved{{2, 100, {}}, {3, 150, 0}}));
}

TEST_P(WhatIfOf, AJobComes) {
  Waiting w(GetParam());
  const Request request = request_of("slot=2/node");
  EXPECT_EQ(
      moved_by(
          w.desk.queue,
          [&](JobQueue& queue) {
            const auto done = queue.submit(
                {.id = 4, .duration_s = 20, .priority = 9, .kind = "new", .request = &request});
            return done ? Result<void>() : Result<void>(std::unexpected(done.error()));
          }),
      (Moved{{2, 100, 120}, {3, 150, 170}, {4, {}, 100}}));
}

TEST_P(WhatIfOf, ANodeGoesDown) {
  Waiting w(GetParam());
  const TypeId node = w.desk.engine->graph().find_type("node");
  const PoolId last = w.desk.engine->graph().of_type(node).back();
  EXPECT_EQ(moved_by(w.desk.queue,
                     [&](JobQueue& queue) {
                       queue.set_status(last, Status::down);
                       return Result<void>();
                     }),
            (Moved{{2, 100, {}}, {3, 150, 100}}));
}

TEST_P(WhatIfOf, AnotherDiscipline) {
  Waiting w(GetParam());
  w.desk.submit(4, "slot=1/node", 10);
  EXPECT_EQ(w.desk.work(), (Words{"start 4"}));
  w.desk.submit(5, "slot=1/node", 90);
  EXPECT_EQ(
      moved_by(w.desk.queue,
               [](JobQueue& queue) { return queue.set_discipline("", *find_discipline("fcfs")); }),
      (Moved{{5, 10, 150}}));
  ASSERT_TRUE(w.desk.queue.cancel(5));
  w.desk.end(4, 0);
  w.before = w.desk.engine->fingerprint();
}

TEST(WhatIf, AChangeThatIsNone) {
  Desk desk(1, "easy");
  const auto what_if = WhatIf::make(desk.queue, [](JobQueue& queue) { return queue.cancel(7); });
  ASSERT_FALSE(what_if);
  EXPECT_EQ(what_if.error().text, "there is no job 7");
}

}  // namespace
}  // namespace copse::queue
