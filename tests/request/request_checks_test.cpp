// SPDX-License-Identifier: Apache-2.0
#include "request/request_checks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "formats/rv1/rv1_read.hpp"
#include "request/constraint.hpp"
#include "request/resource_of.hpp"

namespace copse {
namespace {

std::vector<std::string> missing(const char* constraint) {
  const auto r = read_r(R"({"version": 1, "execution": {"starttime": 0, "expiration": 0,
      "R_lite": [{"rank": "0-1", "children": {"core": "0"}}], "nodelist": ["n[0-1]"],
      "properties": {"fast": "0", "gpu": "1"}}})",
                        "r");
  const auto graph = graph_of_r(*r);
  return unknown_properties(*graph, *parse_constraint(constraint));
}

TEST(KnownProperties, ThoseThatNoNodeHasAreNamed) {
  using Sentences = std::vector<std::string>;
  EXPECT_EQ(missing(R"({"properties": ["fastt"]})"),
            Sentences{R"(no node has the property "fastt"; did you mean "fast"?)"});
  EXPECT_EQ(missing(R"({"and": [{"properties": ["tape", "fast"]}, {"ranks": ["0"]}]})"),
            Sentences{R"(no node has the property "tape"; there are fast, gpu)"});
  EXPECT_EQ(missing(R"({"or": [{"properties": ["gpu"]}, {"properties": ["zzz"]}]})").size(), 1U);
  // What is to be absent may be.
  EXPECT_EQ(missing(R"({"properties": ["^zzz", "fast"]})"), Sentences{});
  EXPECT_EQ(missing(R"({"not": [{"properties": ["zzz"]}]})"), Sentences{});
  EXPECT_EQ(missing(R"({"hostlist": ["n0"]})"), Sentences{});
}

TEST(LeastUnits, AreCountedAtAnyDepth) {
  std::vector<Resource> resources{
      resource_of("node", 3, {resource_of("slot", 2, {resource_of("core", 4)})})};
  EXPECT_EQ(least_units(resources, "core"), 24);
  EXPECT_EQ(least_units(resources, "node"), 3);
  EXPECT_EQ(least_units(resources, "gpu"), 0);
  resources.push_back(resource_of("core", 1));
  resources.back().count = {.min = 5, .max = 9};
  EXPECT_EQ(least_units(resources, "core"), 29);
  resources.push_back(resource_of("slot", INT64_MAX, {resource_of("core", 2)}));
  EXPECT_EQ(least_units(resources, "core"), INT64_MAX);
}

}  // namespace
}  // namespace copse
