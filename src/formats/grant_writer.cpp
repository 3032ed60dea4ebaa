// SPDX-License-Identifier: Apache-2.0
#include "formats/grant_writer.hpp"

#include "base/nearest_word.hpp"
#include "copse/formats.hpp"

namespace copse {

void GrantWriter::write(const ResourceGraph& graph, const GrantView& grant, std::string& out) {
  expand(graph, grant.selection, pools_);
  if (fills_) list_contents(graph, pools_);
  writer_.write({.graph = graph,
                 .pools = pools_,
                 .labels = grant.labels,
                 .start = grant.start,
                 .end = grant.end,
                 .queue = grant.queue,
                 .nslots = grant.nslots,
                 .scheduling = grant.scheduling,
                 .drawn = grant.drawn},
                out);
}

Result<std::string> write_match(const ResourceGraph& graph, const Match& match,
                                std::string_view format) {
  const auto known = parse_format(format);
  if (!known) return fail(ErrorCode::unsupported, unknown_word("format", format, kFormatNames));
  GrantView view = GrantView::of(match, {});
  view.nslots = match.nslots;
  std::string out;
  GrantWriter(*known, GrantWriter::WholePools::filled).write(graph, view, out);
  if (out.empty()) {
    return fail(ErrorCode::invalid, "it has no core and no gpu, so no R can name it");
  }
  return out;
}

}  // namespace copse
