// SPDX-License-Identifier: Apache-2.0
#include "formats/grant_writer.hpp"

#include <map>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "copse/formats.hpp"
#include "text/json_writer.hpp"

namespace copse {

void append_found(const Engine& engine, const Engine::FindResult& found, Writer& writer,
                  std::string& out) {
  OutputRequest request{.graph = engine.graph(), .pools = found.pools, .complete = true};
  if (found.with_filters) {
    request.more_metadata = [&](PoolId p, JsonWriter& json) {
      std::map<std::string_view, std::string> by_type;
      for (const Engine::FilterUse& use : engine.filter_use(p, found.filter_job)) {
        by_type.emplace(engine.graph().type_name(use.type),
                        fmt::format("used:{}, total:{}", use.used, use.total));
      }
      json.object("agfilter", [&] {
        for (const auto& [type, used] : by_type) json.member(type, used);
      });
    };
  }
  writer.write(request, out);
}

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
                 .device_properties = fills_,
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
