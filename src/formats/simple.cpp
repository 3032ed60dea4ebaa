// SPDX-License-Identifier: Apache-2.0
#include "formats/simple.hpp"

#include <fmt/format.h>

#include <iterator>
#include <ranges>

namespace copse {

namespace {

void line(const ResourceGraph& graph, const ExpandedPool& e, std::string_view access,
          std::string& out) {
  out.append(6, ' ');
  for (std::uint32_t level = 0; level <= e.depth; ++level) out += "---";
  graph.append_name(e.pool, out);
  fmt::format_to(std::back_inserter(out), "[{}:{}]\n", graph.size(e.pool), access);
}

}  // namespace

void write_simple(const OutputRequest& request, std::string& out) {
  for (const ExpandedPool& e : request.pools) line(request.graph, e, e.exclusive ? "x" : "s", out);
}

void write_pretty_simple(const OutputRequest& request, std::string& out) {
  for (const ExpandedPool& e : std::views::reverse(request.pools)) {
    line(request.graph, e, e.exclusive ? "exclusive" : "shared", out);
  }
  const CapacityCharge* before = nullptr;
  for (const CapacityCharge& charge : request.drawn) {
    const ResourceGraph& graph = request.graph;
    if (before == nullptr || before->subsystem != charge.subsystem) {
      fmt::format_to(std::back_inserter(out), "      drawn along {}:\n",
                     graph.subsystem_name(charge.subsystem));
    }
    before = &charge;
    fmt::format_to(std::back_inserter(out), "      ---{}[{}:drawn]\n",
                   graph.path(charge.pool, charge.subsystem), charge.amount);
  }
}

}  // namespace copse
