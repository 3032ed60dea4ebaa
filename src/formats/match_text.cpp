// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "base/nearest_word.hpp"
#include "copse/formats.hpp"
#include "formats/formats.hpp"

namespace copse {

Result<std::string> write_match(const ResourceGraph& graph, const Match& match,
                                std::string_view format) {
  const auto known = parse_format(format);
  if (!known) {
    constexpr std::array<std::string_view, 8> kFormats{"simple",        "pretty_simple", "jgf",
                                                       "jgf_shorthand", "rlite",         "rv1",
                                                       "rv1_nosched",   "rv1_shorthand"};
    return fail(ErrorCode::unsupported, unknown_word("format", format, kFormats));
  }
  std::vector<ExpandedPool> pools;
  expand(graph, match.selection, pools);
  if (is_r(*known)) list_contents(graph, pools);
  std::string out;
  Writer(*known).write({.graph = graph,
                        .pools = pools,
                        .labels = match.selection.labels,
                        .start = match.start,
                        .end = match.end,
                        .nslots = match.nslots,
                        .drawn = match.charges.capacities},
                       out);
  if (out.empty()) {
    return fail(ErrorCode::invalid, "it has no core and no gpu, so no R can name it");
  }
  return out;
}

}  // namespace copse
