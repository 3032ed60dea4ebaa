// SPDX-License-Identifier: Apache-2.0
//
// Small machines for sessions: a TreePool of 4 nodes, each with 2 NUMA domains of 4 cores and a
// GPU; a plain R of 4 nodes of 4 cores without a scheduling key.
#pragma once

#include <string>
#include <string_view>

namespace copse {

inline constexpr std::string_view kTreepoolMachine = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "0-3", "children": {"core": "0-7", "gpu": "0-1"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["n[0-3]"], "properties": {"big": "2-3"}},
  "scheduling": {"writer": "TreePool", "children": [{"ranks": "0-3", "topo": {"numa": [
    {"cores": "0-3", "gpus": "0"}, {"cores": "4-7", "gpus": "1"}]}}]}})";

inline constexpr std::string_view kPlainMachine = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "0-3", "children": {"core": "0-3"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["n[0-3]"]}})";

}  // namespace copse
