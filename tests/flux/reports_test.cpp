// SPDX-License-Identifier: Apache-2.0
#include "flux/reports.hpp"

#include <gtest/gtest.h>

#include <string>

namespace copse::flux {
namespace {

using queue::Reason;

// The same short cause as everywhere (queue/answers/short_cause.hpp).
TEST(Reports, ReasonsAreShort) {
  const queue::Answers::Brief answer{.when = {.job = 1, .ahead = 2, .start_s = 1000},
                                     .why = {.cause = Reason::Cause::resources,
                                             .text = "needs 2 nodes; of 4 nodes 1 fits now",
                                             .brief = "waits for 2 of 1 free nodes"}};
  Annotations known;
  EXPECT_EQ(
      report_text(known, answer, {}, 10),
      R"({"sched": {"t_estimate": 1000, "reason_pending": "waits for 2 of 1 free nodes", "jobs_ahead": 2}})");
}

TEST(Reports, ReasonsCanBeLeftOut) {
  const queue::Answers::Brief answer{
      .when = {.job = 1, .ahead = 2, .start_s = 1000},
      .why = {.cause = Reason::Cause::resources, .text = std::string(90, 'x')}};
  Annotations none, whole;
  EXPECT_EQ(report_text(none, answer, {.reasons = ReasonStyle::none}, 10),
            R"({"sched": {"t_estimate": 1000}})");
  EXPECT_NE(report_text(whole, answer, {.reasons = ReasonStyle::whole}, 10).find(answer.why.text),
            std::string::npos);
}

TEST(Reports, APromiseSaysItsType) {
  Annotations known;
  EXPECT_EQ(known.planned(1000, true),
            R"({"sched": {"t_estimate": 1000, "selection_type": "reserved"}})");
  EXPECT_EQ(known.planned(1000, true), "");
  EXPECT_EQ(known.planned(2000, true), R"({"sched": {"t_estimate": 2000}})");
  EXPECT_EQ(known.planned(std::nullopt, true),
            R"({"sched": {"t_estimate": null, "selection_type": null}})");
  EXPECT_EQ(known.planned(3000, false), R"({"sched": {"t_estimate": 3000}})");
}

}  // namespace
}  // namespace copse::flux
