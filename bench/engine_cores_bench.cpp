// SPDX-License-Identifier: Apache-2.0
//
// Rows "allocate node→slot→core[1] … until full", on growing machines and on one of three kinds of
// nodes; and the same with jobs that end at 64 different times.
#include "fill.hpp"
#include "jobs.hpp"

namespace copse::bench {
namespace {

std::vector<std::string> many_durations() {
  std::vector<std::string> out;
  for (std::int64_t k = 0; k < 64; ++k) {
    out.push_back(cores_in_node(1, 300 + k * 671));  // 5 minutes to 12 hours
  }
  return out;
}

Part flat32(std::int64_t nodes) { return flat(nodes); }

const bool registered = [] {
  struct Kind {
    const char* name;
    Part (*machine)(std::int64_t);
  };
  const std::vector<std::string> one{cores_in_node(1)};
  for (const std::int64_t nodes : {1'000, 10'000, 100'000}) {
    const std::string size = std::to_string(nodes);
    for (const Kind& kind : {Kind{"flat32", flat32}, Kind{"three_kinds", three_kinds}}) {
      for (const char* policy : {"first", "low", "high", "lonode", "hinode"}) {
        register_fill({std::string("one_core/") + policy + "/" + kind.name + "/" + size, policy,
                       kind.machine, nodes, one});
      }
    }
    for (const char* policy : {"first", "low"}) {
      register_fill({std::string("one_core_many_ends/") + policy + "/flat32/" + size, policy,
                     flat32, nodes, many_durations()});
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
