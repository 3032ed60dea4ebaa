// SPDX-License-Identifier: Apache-2.0
#include "formats/formats.hpp"

#include <iterator>
#include <ranges>

#include <fmt/format.h>

#include "formats/jgf/jgf.hpp"

namespace copse {

namespace {

void line(const ResourceGraph& graph, const ExpandedPool& e, std::string_view access,
          std::string& out) {
  out.append(6, ' ');
  for (std::uint32_t level = 0; level <= e.depth; ++level) out += "---";
  graph.append_name(e.pool, out);
  fmt::format_to(std::back_inserter(out), "[{}:{}]\n", units_of(graph, e), access);
}

// One line a pool: 6 blanks, "---" for each level, name[units:x] (exclusive) or :s (shared).
void write_simple(const OutputRequest& request, std::string& out) {
  for (const ExpandedPool& e : request.pools) line(request.graph, e, e.exclusive ? "x" : "s", out);
}

// The lines of write_simple in reverse, with words: name[units:exclusive]. Then, by subsystem and root
// first, what is drawn along auxiliary ones: path[units:drawn].
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

}  // namespace

void Writer::write(const OutputRequest& request, std::string& out) {
  if (request.pools.empty()) return;
  switch (format_) {
    case Format::simple: return write_simple(request, out);
    case Format::pretty_simple: return write_pretty_simple(request, out);
    case Format::jgf:
    case Format::jgf_shorthand:
      append_jgf(request, format_ == Format::jgf_shorthand, out);
      out += '\n';
      return;
    case Format::rlite:
    case Format::rv1_nosched:
    case Format::rv1:
    case Format::rv1_shorthand: return r_.write(request, format_, out);
  }
}

}  // namespace copse
