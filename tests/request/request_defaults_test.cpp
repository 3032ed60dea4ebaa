// SPDX-License-Identifier: Apache-2.0
#include "request/request_defaults.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "request/shape.hpp"

namespace copse {
namespace {

constexpr RequestDefaults kOfCores{.memory_of_core = 1000}, kOfNodes{.memory_of_node = 6000},
    kWhole{.whole_nodes = true}, kBoth{.memory_of_core = 1000, .whole_nodes = true};

Request request_of(std::string_view shape, bool slots_share = true) {
  auto request = parse_shape(shape);
  EXPECT_TRUE(request) << request.error().message();
  request->slots_share = slots_share;
  return std::move(*request);
}

// The shape with the defaults, or the error.
std::string with(const RequestDefaults& defaults, std::string_view shape, bool slots_share = true) {
  Request request = request_of(shape, slots_share);
  const RequestDefaults apply = that_apply(defaults, request);
  const std::string before = shape_text(request);
  const auto done = add_defaults(request, defaults, "batch");
  if (!done) {
    EXPECT_TRUE(apply.whole_nodes);
    EXPECT_EQ(shape_text(request), before);
    return done.error().message();
  }
  EXPECT_EQ(apply.empty(), shape_text(request) == before) << shape;
  // What applies is all that counts, and it is added once.
  Request again = request_of(shape, slots_share);
  EXPECT_TRUE(add_defaults(again, apply, "batch"));
  EXPECT_EQ(shape_text(again), shape_text(request)) << shape;
  EXPECT_TRUE(add_defaults(again, apply, "batch"));
  EXPECT_EQ(shape_text(again), shape_text(request)) << shape;
  return shape_text(request);
}

std::string shape(std::string_view text) { return shape_text(request_of(text)); }

TEST(RequestDefaults, GiveCoresMemory) {
  EXPECT_EQ(with(kOfCores, "slot=4/core=2"), shape("slot=4/[core=2;memory=2000]"));
  EXPECT_EQ(with(kOfCores, "slot=1/[core=2;gpu]"), shape("slot=1/[core=2;gpu;memory=2000]"));
  EXPECT_EQ(with(kOfCores, "node=2/slot=4/core"), shape("node=2/slot=4/[core;memory=1000]"));
  EXPECT_EQ(with(kOfCores, "slot=2/node=3/socket=2/core=4"),
            shape("slot=2/node=3/[socket=2/core=4;memory=8000]"));
  EXPECT_EQ(with(kOfCores, "slot=2/socket=2/core=4"),
            shape("slot=2/[socket=2/core=4;memory=8000]"));
  EXPECT_EQ(with(kOfCores, "slot=1/core=3-8"), shape("slot=1/[core=3-8;memory=3000]"));
}

TEST(RequestDefaults, GiveNodesMemoryThatTheirSlotsShare) {
  EXPECT_EQ(with(kOfNodes, "node=2/slot=4/core=2"), shape("node=2/slot=4/[core=2;memory=1500]"));
  EXPECT_EQ(with(kOfNodes, "node=2/socket=2/slot=3/core"),
            shape("node=2/socket=2/slot=3/[core;memory=1000]"));
  EXPECT_EQ(with(kOfNodes, "slot=4/core=2"), shape("slot=4/[core=2;memory=1500]"));
  EXPECT_EQ(with(kOfNodes, "slot=7/core"), shape("slot=7/[core;memory=858]"));  // rounded up
  EXPECT_EQ(with(kOfNodes, "slot=2/node=3/core=4"), shape("slot=2/node=3/[core=4;memory=6000]"));
}

TEST(RequestDefaults, LeaveOtherRequestsAlone) {
  for (const std::string_view text :
       {"slot=1/[core=2;memory=1]", "node/[slot=1/core;memory=5]", "slot=1/node", "slot=1/gpu",
        "slot=2/socket", "node=2/core=4", "node=2{x}/slot=1/core=4", "slot=1/node{x}/core=4"}) {
    EXPECT_EQ(with(kOfCores, text), shape(text));
    EXPECT_EQ(with(kOfNodes, text), shape(text));
  }
  // All that is in a slot is exclusive, unless slots share.
  EXPECT_EQ(with(kOfCores, "slot=1/node/core=4", false), shape("slot=1/node/core=4"));
}

TEST(RequestDefaults, TakeWholeNodes) {
  EXPECT_EQ(with(kWhole, "node=2/slot=4/core=2"), shape("node=2{x}/slot=4/core=2"));
  EXPECT_EQ(with(kBoth, "node=2/slot=4/core=2"), shape("node=2{x}/slot=4/core=2"));
  EXPECT_EQ(with(kBoth, "slot=1/node/core=4"), shape("slot=1/node{x}/core=4"));
  EXPECT_EQ(with(kWhole, "rack/node=2{x}/slot=1/core"), shape("rack/node=2{x}/slot=1/core"));
  EXPECT_TRUE(with(kBoth, "slot=4/core=2").contains("default of queue \"batch\": jobs get whole"));
}

TEST(RequestDefaults, KnowWhatWasAdded) {
  Request request = request_of("node=2/slot=4/core=2");
  EXPECT_EQ(place_of_default_memory(request), "");
  ASSERT_TRUE(add_defaults(request, kOfCores, "batch"));
  EXPECT_EQ(place_of_default_memory(request), "default of queue \"batch\"");
  remove_default_memory(request);
  EXPECT_EQ(shape_text(request), shape("node=2/slot=4/core=2"));
  ASSERT_TRUE(add_defaults(request, kOfNodes, ""));
  EXPECT_EQ(place_of_default_memory(request), "default of all queues");
  Request own = request_of("slot=1/[core;memory=3]");
  remove_default_memory(own);
  EXPECT_EQ(shape_text(own), shape("slot=1/[core;memory=3]"));
}

TEST(RequestDefaults, AmountsAreWithinTheBoundOfCounts) {
  EXPECT_EQ(with({.memory_of_core = INT64_MAX}, "slot=1/core=2"),
            shape("slot=1/[core=2;memory=2305843009213693951]"));
}

}  // namespace
}  // namespace copse
