// SPDX-License-Identifier: Apache-2.0
//
// A hwloc text is refused with a place, or what hwloc makes of it becomes a machine that can be
// matched, and a layout that an R can carry. The first byte chooses what is allowed.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/idset_algebra.hpp"
#include "formats/hwloc/hwloc_layout.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/hwloc/hwloc_xml.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "go_on.hpp"
#include "target.hpp"

namespace {

void lay_out(std::string_view text) {
  const auto layout = copse::read_hwloc_layout(text, "fuzz");
  if (!layout) {
    copse::fuzz::require(!layout.error().text.empty());
    return;
  }
  const auto r = copse::r_of_layouts({&*layout, 1}, copse::first_ids(3));
  copse::fuzz::require(r.has_value());
  std::string out, again;
  copse::append_r(out, *r);
  const auto read = copse::read_r(out);
  copse::fuzz::require(read.has_value() && read->scheduling.children.size() == 1);
  copse::append_r(again, *read);
  copse::fuzz::require(out == again);
}

}  // namespace

FUZZ_TARGET(hwloc) {
  constexpr std::size_t kTextMax = 64u << 10;
  constexpr std::array kAllowed{"", "node,socket,core,gpu,storage", "pu,L2cache", "node, group"};
  if (size < 1 || size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto once = copse::hwloc_xml::rewrite(text, "fuzz");
  if (!once) {
    copse::fuzz::require(!once.error().text.empty() && once.error().place.line > 0);
    return 0;
  }
  lay_out(text);
  auto graph = copse::read_hwloc(
      text, "fuzz", {.allowed = kAllowed[data[0] % kAllowed.size()], .memory = data[0] >= 128});
  if (!graph) {
    copse::fuzz::require(!graph.error().text.empty());
    return 0;
  }
  copse::fuzz::require(graph->type_name(graph->root()) == "cluster");
  copse::Request request = copse::fuzz::any_of(*graph);
  const auto policies = copse::bundled_policies();
  const auto engine =
      copse::fuzz::engine_on(std::move(*graph), policies[size % policies.size()].name.c_str());
  copse::fuzz::match_once(*engine, std::move(request));
  return 0;
}
