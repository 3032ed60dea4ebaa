// SPDX-License-Identifier: Apache-2.0
//
// StartBounds: lower bounds on the start of a request, from the use of each pool of a requested
// type.
//
// A *gate* is a number of units of a type that a request needs, from pools that are idle or have
// some amount free below. A pool is open over a window of starts [from, until] if it meets the gate
// for the whole duration after each such start. A request can start only while enough pools are
// open, so other times are not tried. This bound is necessary, not sufficient: the walk decides.
// Gates ignore what they cannot express: leaves, alternatives, moldable counts above their minimum.
// A slot of the top level has one if all pools where it can be formed are of one type: as many of them
// must be open for one slot each as all slots need at least.
//
// For idle pools, the timeline of all pools of the type has the times at which enough are open, and
// which. For parts of pools, the timeline of each pool's leaves has them; if that would be too
// large, the pool's spans and planner. A need that is requested repeatedly gets a timeline of all
// pools (at most kNeedsMax), which tells for which pools the leaves should be checked; other needs
// use that of a smaller need. Windows are computed on first use and only move forward: a skipped
// time is never checked again. No window is searched for beyond those of other pools. Queries
// change neither graph nor state.
//
// Cost: begin O(levels). Without a timeline: the first next() O(pools of the type × steps of each
// until the answer); each further one O(pools of the type), plus the windows that ended. 16 bytes
// per pool. With one: that of PoolTimeline::first_fit and, if pools need not be idle, of the leaves
// of the pools that are checked.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"
#include "copse/shared.hpp"
#include "match/compile/compiled.hpp"
#include "state/state.hpp"
#include "state/timelines/leaf_timelines.hpp"
#include "state/timelines/pool_timeline.hpp"

namespace copse {

class StartBounds {
 public:
  StartBounds(const ResourceGraph& graph, const State& state)
      : graph_(graph), state_(state), lines_(graph, state.exclusive_spans()) {}
  // For copies of graph and state: timelines of idle pools are shared, those of leaves are rebuilt.
  StartBounds(const ResourceGraph& graph, const State& state, const StartBounds& other);

  // For one request, which must not change. REQUIRES that neither graph nor state change until the
  // next begin.
  // `windows`: use also windows of single pools, which cost O(pools) at first; else only existing
  // timelines. False if there is no bound: then next() returns its argument.
  bool begin(const CompiledRequest& request, std::int64_t duration_s, std::int64_t horizon,
             bool windows);
  // The first time from `t` on at which enough pools are open; nullopt if there is none before the
  // horizon. REQUIRES that t does not decrease.
  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t t);
  // What is known about p, for a level of the request, at the time that next() returned. Open: the
  // pool itself fits: usable, allowed, not allocated exclusively, idle if required, and with enough
  // below. Closed: it does not. O(gates).
  enum class Known : std::uint8_t { nothing, closed, open };
  [[nodiscard]] Known known(PoolId p, std::uint32_t level) const {
    for (const Gate& gate : gates_) {
      if (gate.level != level || graph_.leaf(p)) continue;
      const std::uint32_t place = gate.pools->place[graph_.interior(p)];
      if (place == kNowhere) return Known::nothing;
      if (gate.masked) {
        if (gate.busy.empty()) return Known::nothing;
        if ((gate.busy[place / 64] >> (place % 64)) & 1) return Known::closed;
        if (gate.idle) return Known::open;
        const auto later = gate.later.find(place);
        const bool closed = later != gate.later.end() && later->second.from > time_;
        return closed ? Known::closed : Known::nothing;
      }
      if (gate.windows.empty()) return Known::nothing;
      return gate.windows[place].from > time_ ? Known::closed : Known::nothing;
    }
    return Known::nothing;
  }

  // The pools of one type that may fit a level; all others of the type do not.
  struct OpenPools {
    std::span<const PoolTimeline::Word> busy;  // by index into pools
    std::span<const PoolId> pools;
    std::span<const std::uint32_t> place;  // by interior number: index into pools
    const ResourceGraph* graph;

    [[nodiscard]] bool has(std::uint32_t interior) const {
      const std::uint32_t at = place[interior];
      return at != kNowhere && ((busy[at / 64] >> (at % 64)) & 1) == 0;
    }
    [[nodiscard]] std::uint32_t count() const;  // O(pools / 64)
    template <class Visit>                      // visit(interior number), in preorder
    void for_each(Visit visit) const;
  };
  // At the time that next() returned; nullopt if they are not known as a mask. O(gates). O(gates).
  [[nodiscard]] std::optional<OpenPools> open(std::uint32_t level) const {
    for (const Gate& gate : gates_) {
      if (gate.level != level || !gate.masked || gate.busy.empty()) continue;
      return OpenPools{gate.busy, gate.pools->pools, gate.pools->place, &graph_};
    }
    return {};
  }

  // Whether no other pools of their type are between them in preorder. O(1).
  [[nodiscard]] bool in_a_row(std::span<const PoolId> siblings) const;
  // Visits pools that are consecutive in the preorder of their type and may fit a level at the time
  // that next() returned: visit(pool), in order or backward, until it returns true. False, and
  // nothing visited, if this is not known. O(pools / 64 + those visited).
  template <class Visit>
  bool visit_open(PoolId first, PoolId last, std::uint32_t level, bool backward, Visit visit) const;

  // After a selection was applied or removed.
  void applied(const Selection& selection, std::int64_t start, std::int64_t end, int sign) {
    lines_.applied(selection, start, end);
    for (auto& [type, pools] : pools_) {
      if (pools.idle != nullptr) pools.idle->applied(selection, start, end, sign);
      for (auto& line : pools.by_need) line->applied(selection, start, end, sign);
    }
  }
  void graph_changed() {
    pools_.clear();
    slot_hosts_.clear();
    lines_.forget();
  }

 private:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  static constexpr std::size_t kNeedsMax = 4;  // timelines by need, of a type
  struct Pools {                               // of one type
    SharedColumn<PoolId> pools;
    SharedColumn<std::uint32_t> place;  // by interior number: index into pools
    bool ones = true;                   // all are of size 1
    std::set<std::uint32_t> shapes{};
    std::unique_ptr<PoolTimeline> idle{};  // made on first use
    std::vector<std::unique_ptr<PoolTimeline>> by_need{};
    std::vector<PoolTimeline::Need> last_need{};  // the last need without a timeline
  };
  struct Window {
    std::int64_t from, until;  // starts
  };
  struct Gate {
    std::uint32_t level;
    std::int64_t units;  // of the type, at least
    bool idle;           // no other job may use the pool
    const std::vector<Need>* needs;
    Pools* pools = nullptr;
    PoolTimeline* line = nullptr;                        // masked
    bool masked = false;                                 // by its pools' timeline, else by windows
    std::vector<PoolTimeline::Word> excluded{}, busy{};  // of a masked gate
    std::vector<LeafTimelines::Need> leaf_needs{};
    std::vector<Window> windows{};  // as pools; empty until first asked for
    std::unordered_map<std::uint32_t, Window>
        later{};  // masked: of pools that turn out to open later
  };

  using Types = std::vector<std::uint16_t>;

  void add_gates(std::uint32_t level, std::int64_t parents, bool idle, bool windows);
  void add_slot_gate(std::uint32_t level, bool windows);
  void add_gate(std::uint32_t level, std::int64_t units, bool idle, Pools& of_type, bool windows);
  [[nodiscard]] std::optional<TypeId> slot_host(const Level& slot);
  void set_mask(Gate& gate, PoolTimeline& line);
  [[nodiscard]] PoolTimeline& idle_line(Pools& of_type) const;
  [[nodiscard]] PoolTimeline* need_line(Pools& of_type, const std::vector<Need>& needs) const;
  [[nodiscard]] bool ever(const Gate& gate, PoolId p) const;
  [[nodiscard]] Pools& pools_of(TypeId type);
  [[nodiscard]] std::optional<std::int64_t> next(Gate& gate, std::int64_t t);
  [[nodiscard]] std::optional<std::int64_t> next_by_need(Gate& gate, std::int64_t t);
  [[nodiscard]] Window window(const Gate& gate, PoolId p, std::int64_t t, std::int64_t limit);
  [[nodiscard]] bool wait_for_exclusive_spans(PoolId p, Window& window) const;
  [[nodiscard]] bool wait_for_planner(const Gate& gate, PoolId p, Window& window);

  const ResourceGraph& graph_;
  const State& state_;
  LeafTimelines lines_;
  std::unordered_map<std::uint16_t, Pools> pools_;
  // By the types that a slot lists, ascending: the type of the pools that have children of each.
  std::map<Types, std::optional<TypeId>> slot_hosts_;

  // The current request
  const CompiledRequest* request_ = nullptr;
  std::int64_t duration_s_ = 0, horizon_ = 0, time_ = 0;
  std::vector<Gate> gates_;
  std::vector<std::int64_t> allowed_;  // scratch
  std::vector<std::int64_t> later_;    // scratch: starts of windows to come
};

template <class Visit>
void StartBounds::OpenPools::for_each(Visit visit) const {
  for (std::uint32_t w = 0; w < busy.size(); ++w) {
    for (PoolTimeline::Word word = ~busy[w]; word != 0; word &= word - 1) {
      visit(graph->interior(pools[w * 64 + static_cast<std::uint32_t>(std::countr_zero(word))]));
    }
  }
}

template <class Visit>
bool StartBounds::visit_open(PoolId first, PoolId last, std::uint32_t level, bool backward,
                             Visit visit) const {
  for (const Gate& gate : gates_) {
    if (gate.level != level || !gate.masked || gate.busy.empty()) continue;
    const std::uint32_t begin = gate.pools->place[graph_.interior(first)];
    const std::uint32_t end = gate.pools->place[graph_.interior(last)];
    if (begin == kNowhere || end == kNowhere || begin > end) return false;
    const auto open = [&](std::uint32_t w) {
      PoolTimeline::Word word = ~gate.busy[w];
      if (w == begin / 64) word &= ~PoolTimeline::Word{0} << (begin % 64);
      if (w == end / 64) word &= ~PoolTimeline::Word{0} >> (63 - end % 64);
      return word;
    };
    for (std::uint32_t k = 0; k <= end / 64 - begin / 64; ++k) {
      const std::uint32_t w = backward ? end / 64 - k : begin / 64 + k;
      for (PoolTimeline::Word word = open(w); word != 0;) {
        const int bit = backward ? 63 - std::countl_zero(word) : std::countr_zero(word);
        word &= ~(PoolTimeline::Word{1} << bit);
        if (visit(gate.pools->pools[w * 64 + static_cast<std::uint32_t>(bit)])) return true;
      }
    }
    return true;
  }
  return false;
}

}  // namespace copse
