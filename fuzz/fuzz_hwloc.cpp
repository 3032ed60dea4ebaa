// SPDX-License-Identifier: Apache-2.0
//
// A hwloc text is refused with a place, or what hwloc makes of it becomes a machine that can be
// matched. The first byte chooses what is allowed.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/hwloc_read.hpp"
#include "formats/hwloc_xml.hpp"
#include "go_on.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kTextMax = 64u << 10;
  constexpr std::array kAllowed{"", "node,socket,core,gpu,storage", "pu,L2cache", "node, group"};
  if (size < 1 || size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto once = copse::hwloc_xml::rewrite(text, "fuzz");
  if (!once) {
    copse::fuzz::require(!once.error().text.empty() && once.error().place.line > 0);
    return 0;
  }
  auto graph = copse::read_hwloc(text, "fuzz", kAllowed[data[0] % kAllowed.size()]);
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
