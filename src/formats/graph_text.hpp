// SPDX-License-Identifier: Apache-2.0
//
// What the writers of whole graphs as text (DOT, GraphML) share: one walk over the pools and edges of the
// chosen subsystems, and text handed over in pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse {

// Takes one piece of the text; false: it takes no more (the file is full, …).
using TextSink = std::function<bool(std::string_view)>;
// Appends all of it to a string, which must outlive the sink.
[[nodiscard]] TextSink sink_into(std::string& out);

// Collects text and hands it over in pieces of about kPiece bytes.
// Invariant: text() is shorter than kPiece plus what was appended since the last step().
class TextPieces {
 public:
  static constexpr std::size_t kPiece = std::size_t{64} << 10;

  explicit TextPieces(const TextSink& sink) : sink_(sink) {}

  [[nodiscard]] std::string& text() { return text_; }  // append to this
  // Call after each line or so. Returns false once the sink refused a piece.
  bool step() { return text_.size() < kPiece ? open_ : hand_over(); }
  // Hands over the rest. Errors: io, if the sink refused a piece.
  [[nodiscard]] Result<void> finish();

 private:
  bool hand_over();

  const TextSink& sink_;
  std::string text_;
  bool open_ = true;
};

// Which of the chosen subsystems a pool is part of: it is the root, or has an edge (RFC 4: a
// subsystem is its edges and the pools that they connect).
class ChosenPools {
 public:
  static constexpr std::uint8_t kNone = 0xFF;

  // Subsystems given twice count once. Errors: not_found (a number without a subsystem).
  // Cost: O(pools + edges); one byte a pool.
  [[nodiscard]] static Result<ChosenPools> find(const ResourceGraph& graph,
                                                std::span<const SubsystemId> subsystems);

  [[nodiscard]] const std::vector<SubsystemId>& subsystems() const { return subsystems_; }
  // Place in subsystems() of a subsystem, and of the first one that a pool is part of, or kNone.
  [[nodiscard]] std::uint8_t place(SubsystemId s) const { return places_[s.v]; }
  [[nodiscard]] std::uint8_t first_of(PoolId p) const { return first_of_[p.v]; }
  [[nodiscard]] bool contains(PoolId p) const { return first_of_[p.v] != kNone; }

 private:
  std::vector<SubsystemId> subsystems_;
  std::vector<std::uint8_t> places_, first_of_;
};

// Writes the pools of the chosen subsystems in the order of their numbers, then the edges subsystem by
// subsystem in edge order. An Emitter is made of (graph, chosen) and appends to a string: begin(out),
// pool(out, pool), edge(out, edge), end(out). Errors: not_found (a subsystem), io (the sink refused a
// piece). Cost: O(pools + edges) steps; memory: one byte a pool and 64 KiB.
template <class Emitter>
[[nodiscard]] Result<void> write_graph(const ResourceGraph& graph,
                                       std::span<const SubsystemId> subsystems,
                                       const TextSink& sink) {
  const auto chosen = ChosenPools::find(graph, subsystems);
  if (!chosen) return std::unexpected(chosen.error());
  Emitter emitter(graph, *chosen);
  TextPieces pieces(sink);
  emitter.begin(pieces.text());
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    if (!chosen->contains(PoolId{v})) continue;
    emitter.pool(pieces.text(), PoolId{v});
    if (!pieces.step()) return pieces.finish();
  }
  bool open = true;
  graph.for_each_edge([&](const Edge& edge) {
    if (!open || chosen->place(edge.subsystem) == ChosenPools::kNone) return;
    emitter.edge(pieces.text(), edge);
    open = pieces.step();
  });
  emitter.end(pieces.text());
  return pieces.finish();
}

}  // namespace copse
