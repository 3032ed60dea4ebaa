// SPDX-License-Identifier: Apache-2.0
//
// What users may take outside the queues: within bounds, and by the rules of a queue.
#include "server/grants/user_grants.hpp"

#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "job_desk.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::server {
namespace {

class UserGrantsTest : public testing::Test {
 protected:
  // A service with the queues of this file, on nodes n0 to n3 of 4 cores.
  void begin(const std::string& toml) {
    auto config = queue::read_queue_config(toml, "q.toml");
    ASSERT_TRUE(config) << config.error().message();
    desk_.emplace(config->queues);
    desk_->rules.limits = config->limits;
    desk_->rules.grants = config->grants;
    desk_->rules.access = config->access;
    desk_->rules.defaults = config->defaults;
    desk_->rules.running_limits = config->running_limits;
    desk_->restart();
    ASSERT_EQ(desk_->error, "");
  }
  std::string ask(const Caller& caller, std::string_view line) {
    std::string out = desk_->service->answer(line, 1'000, 0, caller).text();
    while (!desk_->service->work(1'000)) {
    }
    return out;
  }
  std::string take(std::string_view op, std::string_view shape, std::string_view duration,
                   const Caller& caller = {Role::user, "ada"}) {
    return ask(caller, fmt::format(R"({{"op": "{}", "shape": "{}", "duration": "{}"}})", op, shape,
                                   duration));
  }
  static bool refused(const std::string& answer, std::string_view why) {
    EXPECT_TRUE(answer.starts_with(R"({"error": )") && answer.contains(why)) << answer;
    return answer.contains(why);
  }

  std::optional<ServiceInMemory> desk_;
};

constexpr const char* kQueues = R"(
[policy.limits]
job-size.max.nnodes = 2
[queues.small]
hosts = "n[2-3]"
[queues.large]
hosts = "n[0-1]"
[grants]
duration = "2h"
job-size.max.ncores = 6
)";

TEST_F(UserGrantsTest, AreWithinTimeSizeAndQueues) {
  begin(std::string(kQueues) + "queues = [\"small\"]\n");
  EXPECT_TRUE(
      refused(take("alloc", "slot=1/core", "3h"), "longer than the 02:00:00 of grants.duration"));
  EXPECT_TRUE(refused(take("alloc", "slot=1/core", "0"), "a time without end"));
  EXPECT_TRUE(refused(take("reserve", "slot=7/core", "1h"), "of grants.job-size.max.ncores"));
  EXPECT_TRUE(refused(take("reserve", "slot=3/node/core", "1h"), "of policy.limits.job-size"));
  const std::string got = take("alloc", "slot=1/core", "1h");
  EXPECT_TRUE(got.contains(R"("nodelist": ["n2"])")) << got;  // of the queue small
  // Operators take what they want.
  EXPECT_TRUE(take("alloc", "slot=3/node", "9h", {Role::operate, "op"}).contains("\"R\""));
  EXPECT_TRUE(take("alloc", "slot=1/core", "1h", {Role::guest, "ada"}).contains("forbidden"));
}

TEST_F(UserGrantsTest, TakeTheNextQueueThatHasRoom) {
  begin(kQueues);
  for (const char* node : {"n1", "n0", "n3", "n2"}) {  // the first queue that admits it first
    const std::string got = take("alloc", "slot=1/node{x}", "1h");
    EXPECT_TRUE(got.contains(fmt::format(R"("nodelist": ["{}"])", node))) << got;
  }
  EXPECT_TRUE(refused(take("alloc", "slot=1/node{x}", "1h"), "insufficient"));
}

TEST_F(UserGrantsTest, KeepTheAccessAndTheLimitsOfQueues) {
  begin(R"(
[queues.open]
hosts = "n0"
[queues.closed]
hosts = "n[1-3]"
[queues.closed.policy.access]
allow-user = ["bo"]
[[running-limits]]
user = "*"
ncores = 4
[grants]
duration = "1h"
)");
  EXPECT_TRUE(take("alloc", "slot=1/node{x}", "1h").contains(R"("nodelist": ["n0"])"));
  EXPECT_TRUE(refused(take("alloc", "slot=1/core", "1h"), "user ada may have 4 cores at once"));
  const Caller bo{Role::user, "bo"};
  EXPECT_TRUE(take("alloc", "slot=1/node{x}", "1h", bo).contains(R"("nodelist": ["n3"])"));
  EXPECT_TRUE(refused(take("alloc", "slot=1/core", "1h", {Role::user, "zoe"}), "insufficient"));
  // A job that may not use a queue is refused, except of operators.
  const std::string submit =
      R"({"op": "submit", "shape": "slot=1/core", "duration": 9, "queue": "closed"})";
  EXPECT_TRUE(
      refused(ask({Role::user, "ada"}, submit), "user \\\"ada\\\" may not use queue closed"));
  EXPECT_TRUE(ask({Role::operate, "op"}, submit).starts_with(R"({"id": )"));
}

TEST_F(UserGrantsTest, OverlapNoReservationThatIsToBeBooked) {
  begin("[queues.batch]\n[grants]\nduration = \"30d\"\n");
  const Caller op{Role::operate, "op"};
  EXPECT_TRUE(ask(op, R"({"op": "add-reservation", "reservation": {"name": "upkeep", "nodes": )"
                      R"("n[0-3]", "start": 4600, "duration": "1h", "repeat": "daily"}})")
                  .starts_with(R"({"name": "upkeep")"));
  for (const Caller& caller : {op, Caller{Role::user, "ada"}}) {
    const std::uint64_t before = desk_->service->session().engine().fingerprint();
    const auto records = desk_->service->next();
    EXPECT_TRUE(refused(take("reserve", "slot=4/node{x}", "30h", caller),
                        "it may overlap reservation \\\"upkeep\\\" at "));
    EXPECT_EQ(desk_->service->session().engine().fingerprint(), before);
    EXPECT_EQ(desk_->service->next(), records);
    EXPECT_TRUE(refused(take("reserve", "slot=1/core", "0", caller),
                        caller.role == Role::user ? "a time without end" : "may overlap"));
  }
  EXPECT_TRUE(take("reserve", "slot=4/node{x}", "20h").contains(R"("at": 8200)"));
}

TEST_F(UserGrantsTest, JobsHaveTheDefaultsOfTheirQueues) {
  begin(R"([queues.batch]
[queues.debug.policy.jobspec.defaults.system]
duration = "10m"
[queues.debug.policy.limits]
duration = "20m"
[policy.jobspec.defaults.system]
queue = "batch"
duration = "1h"
)");
  const Caller ada{Role::user, "ada"};
  const auto job = [&](int id, std::string_view more) {
    const std::string said = ask(
        ada, fmt::format(R"({{"op": "submit", "id": {}, "shape": "slot=1/core"{}}})", id, more));
    if (said.starts_with(R"({"error")")) return said;
    return ask(ada, fmt::format(R"({{"op": "job", "id": {}}})", id));
  };
  const std::string plain = job(1, "");
  EXPECT_TRUE(plain.contains(R"("queue": "batch")")) << plain;
  EXPECT_TRUE(plain.contains(R"("duration": 3600)")) << plain;
  const std::string debug = job(2, R"(, "queue": "debug")");
  EXPECT_TRUE(debug.contains(R"("duration": 600)")) << debug;
  EXPECT_TRUE(debug.contains(R"("expiration": 1600)")) << debug;
  EXPECT_TRUE(job(3, R"(, "queue": "debug", "duration": 30)").contains(R"("duration": 30)"));
  EXPECT_TRUE(refused(job(4, R"(, "queue": "debug", "duration": 3000)"), "longer than"));
}

}  // namespace
}  // namespace copse::server
