// SPDX-License-Identifier: Apache-2.0
#include "flux/reports.hpp"

#include <gtest/gtest.h>

#include <string>

namespace copse::flux {
namespace {

using queue::Reason;

std::string brief(Reason::Cause cause, const std::string& text) {
  return brief_reason({.cause = cause, .text = text});
}

TEST(Reports, ReasonsEndWithAClause) {
  EXPECT_EQ(brief(Reason::Cause::resources, "needs 1 node"), "needs 1 node");
  EXPECT_EQ(
      brief(Reason::Cause::resources,
            "needs 1 node with 1 free core; of 4 nodes none fits now: 4 are allocated to jobs "
            "(job \xC6\x92"
            "4jxqtyu until 2026-11-22T21:50:55Z)"),
      "needs 1 node with 1 free core; of 4 nodes none fits now: 4 are allocated to jobs");
  EXPECT_EQ(brief(Reason::Cause::down,
                  "needs 4 nodes; of 4 nodes 3 fit now: 1 is down; it waits until enough of them "
                  "are up again"),
            "waits for nodes that are down; needs 4 nodes; of 4 nodes 3 fit now: 1 is down");
  EXPECT_EQ(brief(Reason::Cause::constraint,
                  "needs 2 nodes; of 2 nodes with its constraint none fits now: 2 are allocated to "
                  "jobs (job 5 until 2026-11-22T21:50:55Z)"),
            "its constraint excludes nodes; needs 2 nodes");
}

// Characters are counted, not bytes, and none is cut.
TEST(Reports, ReasonsHaveAtMost80Characters) {
  std::string text;
  for (int i = 0; i < 80; ++i) text += "\xC6\x92";
  EXPECT_EQ(brief(Reason::Cause::resources, text), text);
  EXPECT_EQ(brief(Reason::Cause::resources, text + "x"), text.substr(0, 158) + "\xE2\x80\xA6");
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
