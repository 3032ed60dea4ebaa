// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/reservation_trial.hpp"

#include "queue/events.hpp"

namespace copse::queue {
namespace {

using TriedMoves = std::vector<ReservationTrial::Moved>;

ReservationSpec reserved_all(std::int64_t start_s, std::int64_t duration_s) {
  ReservationSpec out{.name = "all", .start_s = start_s, .duration_s = duration_s};
  out.request = request_of("slot=2/node");
  return out;
}

// Both nodes until 100, then job 2, then job 3.
struct PromisedInTurn {
  explicit PromisedInTurn(const char* shape) : desk(2, "conservative") {
    desk.submit(1, shape, 100);
    desk.submit(2, shape, 50);
    desk.submit(3, shape, 50);
    (void)desk.work();
    before = desk.engine->fingerprint();
  }
  ~PromisedInTurn() {  // no trial changes the queue
    EXPECT_EQ(desk.engine->fingerprint(), before);
    EXPECT_EQ(desk.work(), Words{});
    EXPECT_TRUE(desk.queue.reservations().empty());
  }
  Desk desk;
  std::uint64_t before = 0;
};

class ReservationTrialOf : public ::testing::TestWithParam<const char*> {};
// Counted and pinned promises.
INSTANTIATE_TEST_SUITE_P(Forms, ReservationTrialOf,
                         ::testing::Values("slot=2/node", "slot=2/node/core=4"));

TEST_P(ReservationTrialOf, MovesPromises) {
  PromisedInTurn p(GetParam());
  const auto trial = try_reservation(p.desk.queue, reserved_all(120, 80));
  ASSERT_TRUE(trial) << trial.error().message();
  EXPECT_EQ(trial->moved, (TriedMoves{{2, 100, 200}, {3, 150, 250}}));
  EXPECT_TRUE(trial->losses.empty());
  EXPECT_TRUE(trial->complete);
  EXPECT_EQ(trial->view.times.front().nodes.size(), 2);
}

TEST_P(ReservationTrialOf, LeavesOthersAlone) {
  PromisedInTurn p(GetParam());
  const auto trial = try_reservation(p.desk.queue, reserved_all(200, 80));
  ASSERT_TRUE(trial);
  EXPECT_EQ(trial->moved, TriedMoves{});
}

// It gives way, and what the queue does meanwhile does not change it.
TEST_P(ReservationTrialOf, GivesWay) {
  PromisedInTurn p(GetParam());
  std::size_t pauses = 0;
  const auto trial = try_reservation(p.desk.queue, reserved_all(120, 80), kTrialJobsMax, [&] {
    if (++pauses > 1) return;
    p.desk.submit(4, GetParam(), 50);
    EXPECT_TRUE(p.desk.queue.cancel(4));
    (void)p.desk.work();
  });
  ASSERT_TRUE(trial) << trial.error().message();
  EXPECT_EQ(trial->moved, (TriedMoves{{2, 100, 200}, {3, 150, 250}}));
  EXPECT_GE(pauses, 4U);  // when it begins, for both jobs, and for the reservation
}

TEST_P(ReservationTrialOf, IsCutShort) {
  PromisedInTurn p(GetParam());
  const auto trial = try_reservation(p.desk.queue, reserved_all(120, 80), 1);
  ASSERT_TRUE(trial);
  EXPECT_FALSE(trial->complete);
  EXPECT_EQ(trial->moved.size(), 2);
}

TEST(ReservationTrial, OfWhatCannotBe) {
  Desk desk(2, "easy");
  const auto trial = try_reservation(desk.queue, reserved_all(0, 0));
  ASSERT_FALSE(trial);
  desk.submit(1, "slot=1/node", 100);
  (void)desk.work();
  const auto running = try_reservation(desk.queue, reserved_all(10, 20));
  ASSERT_TRUE(running) << running.error().message();
  ASSERT_EQ(running->losses.size(), 1);
  EXPECT_EQ(running->losses.front().job, 1);
}

}  // namespace
}  // namespace copse::queue
