// SPDX-License-Identifier: Apache-2.0
#include "formats/found_text.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

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

}  // namespace copse
