// SPDX-License-Identifier: Apache-2.0
//
// GrantWriter: a match or a grant in one of the output formats. All programs write grants with it.
//
//   GrantWriter writer(Format::rv1_nosched);
//   writer.write(engine.graph(), GrantView::of(match, queue), out);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "copse/graph.hpp"
#include "copse/match.hpp"
#include "formats/formats.hpp"
#include "rset/rset_scheduling.hpp"

namespace copse {

// What a find expression found, as text.
// Appends it in the format of the writer; nothing, if nothing was found. O(pools found).
void append_found(const Engine& engine, const Engine::FindResult& found, Writer& writer,
                  std::string& out);

// The parts of a match or a grant that are written; the members are those of OutputRequest.
struct GrantView {
  const Selection& selection;
  std::int64_t start = 0, end = 0;
  std::string_view queue{};
  std::int64_t nslots = 0;
  std::span<const std::pair<PoolId, std::string>> labels{};
  std::span<const CapacityCharge> drawn{};
  const RScheduling* scheduling = nullptr;

  // All that the formats of resource-query show. `given` must outlive the view.
  [[nodiscard]] static GrantView of(const Match& given, std::string_view queue) {
    return {.selection = given.selection,
            .start = given.start,
            .end = given.end,
            .queue = queue,
            .labels = given.selection.labels,
            .drawn = given.charges.capacities};
  }
};

// Keeps its scratch memory from one grant to the next. One thread each.
class GrantWriter {
 public:
  // What an R lists of a pool that is granted as a whole, and below which nothing was requested.
  enum class WholePools : std::uint8_t {
    bare,    // nothing, as Fluxion
    filled,  // all cores and GPUs below it
  };
  explicit GrantWriter(Format format, WholePools whole = WholePools::bare)
      : writer_(format), fills_(whole == WholePools::filled && is_r(format)) {}

  // Appends a text that ends with a newline; nothing if the format cannot represent the grant (see
  // Writer::write). Cost: O(pools granted + length of the text).
  void write(const ResourceGraph& graph, const GrantView& grant, std::string& out);
  [[nodiscard]] Writer& writer() { return writer_; }
  [[nodiscard]] Format format() const { return writer_.format(); }

 private:
  Writer writer_;
  bool fills_;
  std::vector<ExpandedPool> pools_{};
};

}  // namespace copse
