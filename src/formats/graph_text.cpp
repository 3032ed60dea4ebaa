// SPDX-License-Identifier: Apache-2.0
#include "formats/graph_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace copse {

TextSink sink_into(std::string& out) {
  return [&out](std::string_view piece) {
    out += piece;
    return true;
  };
}

bool TextPieces::hand_over() {
  if (open_ && !text_.empty()) open_ = sink_(text_);
  text_.clear();
  return open_;
}

Result<void> TextPieces::finish() {
  if (hand_over()) return {};
  return fail(ErrorCode::io, "the text of the graph could not be written to its end");
}

Result<ChosenPools> ChosenPools::find(const ResourceGraph& graph,
                                      std::span<const SubsystemId> subsystems) {
  ChosenPools out;
  out.places_.assign(graph.subsystem_count(), kNone);
  for (const SubsystemId s : subsystems) {
    if (s.v >= graph.subsystem_count()) {
      return fail(ErrorCode::not_found, fmt::format("there is no subsystem {}; the graph has {}",
                                                    s.v, graph.subsystem_count()));
    }
    if (out.places_[s.v] != kNone) continue;
    out.places_[s.v] = static_cast<std::uint8_t>(out.subsystems_.size());  // at most 255 subsystems
    out.subsystems_.push_back(s);
  }
  out.first_of_.assign(graph.pool_count(), kNone);
  const auto note = [&](PoolId p, std::uint8_t place) {
    out.first_of_[p.v] = std::min(out.first_of_[p.v], place);
  };
  for (const SubsystemId s : out.subsystems_) {
    if (graph.subsystem_root(s) != kNoPool) note(graph.subsystem_root(s), out.place(s));
  }
  graph.for_each_edge([&](const Edge& edge) {
    const std::uint8_t place = out.place(edge.subsystem);  // kNone changes nothing
    note(edge.from, place);
    note(edge.to, place);
  });
  return out;
}

}  // namespace copse
