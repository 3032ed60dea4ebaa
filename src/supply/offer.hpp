// SPDX-License-Identifier: Apache-2.0
//
// Offer: what the supply has for one request over one window, while nodes are chosen for it.
//
// A node is eligible if, by itself, it could be the job's: in mode 1 some layer over it has enough
// all the time, in mode 2 every one has, in mode 3 every one on its path. Taking a node lowers, in
// mode 3, what is left on its path; giving back is in the reverse order. What layers are charged in
// the end follows from all nodes that were chosen: charge().
//
// Invariants: the offer writes nothing but itself; amounts of layers are asked for when first
// needed. Cost: begin O(needs); eligible and take O(layers of the node's path), the first time for
// each cover and layer a query of the layer's planner; charge O(nodes · needs + layers touched).
// Sketch: 25 bytes a layer, 4 bytes a node, 8 a cover and need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supply/supply.hpp"

namespace copse {

class Offer {
 public:
  explicit Offer(const ResourceGraph& graph, const Supply& supply)
      : graph_(graph), supply_(supply) {}

  // Begins anew. `empty`: no grants and no reservations.
  void begin(std::span<const HresNeed> needs, Supply::Job job, std::int64_t start, std::int64_t end,
             bool empty);

  // Whether a node could be among the job's, with those that were taken. REQUIRES a node's pool.
  [[nodiscard]] bool eligible(PoolId node);
  // Takes it, if it is eligible and not taken yet. False: not eligible.
  bool take(PoolId node);
  [[nodiscard]] std::size_t mark() const { return log_.size(); }
  void undo_to(std::size_t mark);
  // Whether take() refused a node that would be eligible alone since begin() or again().
  [[nodiscard]] bool crowded() const { return crowded_; }

  // For walks that do not take what they choose: of `nodes`, in order of preference, keeps as many
  // as fit together; the others are not eligible any more. False if all fit.
  bool thin_out(std::span<const PoolId> nodes);
  // Forgets what was taken, not what was thinned out.
  void again();

  // What the layers are charged for these nodes, appended; false: some layer does not have it.
  // Without nodes nothing is served.
  bool charge(std::span<const PoolId> nodes, std::vector<LayerCharge>& out);

  // What layers are charged, after the nodes of a grant or the layers over them have changed: in
  // modes 2 and 3 anew, in mode 1 the layer that paid, if it is still there. O(as charge).
  void redraw(std::span<const PoolId> nodes, Draw& draw);

  // Whether it is plain that no node serves some need, or that a tree's root has too little for so
  // many nodes. O(covers) at worst; where something serves, O(1).
  [[nodiscard]] bool hopeless(std::int64_t nodes);
  // Whether so many nodes can never be found, whatever else is asked of them: a proof, from the
  // amounts of this offer. O(nodes). REQUIRES nothing taken.
  [[nodiscard]] bool too_few(std::int64_t nodes);
  // Of the needs, how many are of mode 3: with two or more, taking nodes in order may miss what
  // another choice would find.
  [[nodiscard]] std::uint32_t trees() const { return trees_; }
  // Whether some nodes draw more than others: then the order of nodes matters, too.
  [[nodiscard]] bool uneven() const { return uneven_; }
  // Of what was taken, one that draws most is not eligible any more; if nothing is, all that draw
  // most. False if all draw the same.
  bool refuse_heaviest();
  // Of candidates in order of preference, the first set of so many nodes that two trees have
  // together; all others are not eligible any more. False: there is none, and nothing changed.
  // REQUIRES trees() == 2 and not uneven(), and nothing taken. Cost: two_trees.hpp.
  bool keep_only_in_two_trees(std::span<const PoolId> candidates, std::int64_t wanted);
  // Only what lies below this pool is eligible; kNoPool: all.
  void confine(PoolId top) { top_ = top; }
  // How many of these nodes the supply has together, beside what is taken. O(nodes · their paths).
  [[nodiscard]] std::int64_t capacity(std::span<const PoolId> nodes);

 private:
  struct Amount {
    std::uint32_t stamp = 0;
    std::int64_t free = 0, left = 0;
  };
  // What a variable that depends on properties is on each node.
  struct Table {
    std::uint32_t resource, kinds;
    std::uint64_t properties_version, structure;
    std::vector<std::int64_t> counts;  // by node
  };
  enum class Verdict : std::uint8_t { no, yes };
  struct Known {
    std::uint32_t stamp = 0;
    Verdict verdict = Verdict::no;
  };

  [[nodiscard]] Amount& amount(std::uint32_t layer);
  const Table& table_of(const HresNeed& need);
  [[nodiscard]] bool serves(std::size_t need, std::uint32_t cover);
  [[nodiscard]] bool serves_node(std::size_t need, std::uint32_t node);
  [[nodiscard]] bool served_somewhere(std::size_t need);
  // What one need draws on a node: mode 3.
  [[nodiscard]] std::int64_t count_on(std::size_t need, std::uint32_t node) const {
    return needs_[need].kinds == HresNeed::kSame ? needs_[need].count : tables_[need]->counts[node];
  }
  void find_tables();
  [[nodiscard]] bool eligible_node(PoolId pool, std::uint32_t node);
  [[nodiscard]] bool fits(std::uint32_t node);
  void lower(std::uint32_t node, int sign);
  [[nodiscard]] const Supply::Resource& resource(const HresNeed& need) const {
    return supply_.resources()[need.resource];
  }
  [[nodiscard]] bool touch(std::span<const std::uint32_t> numbers, std::size_t need);

  const ResourceGraph& graph_;
  const Supply& supply_;
  std::vector<HresNeed> needs_;
  Supply::Job job_ = 0;
  std::int64_t start_ = 0, end_ = 0;
  bool empty_ = false, crowded_ = false, uneven_ = false;
  PoolId top_ = kNoPool;
  std::uint32_t trees_ = 0;
  std::uint32_t stamp_ = 0;        // of begin()
  std::uint32_t taken_stamp_ = 0;  // of again()

  std::vector<Table> kept_;
  std::vector<const Table*> tables_;       // by need
  std::vector<Amount> amounts_;            // by layer
  std::vector<std::vector<Known>> known_;  // by need and cover
  std::vector<std::uint32_t> taken_;       // by node: the stamp
  std::vector<std::uint32_t> refused_;     // by node: the stamp
  std::vector<std::uint32_t> log_;         // nodes taken
  // Scratch of charge()
  std::vector<std::uint32_t> numbers_;
  std::vector<std::int64_t> counts_;   // by cover: nodes
  std::vector<std::uint32_t> covers_;  // touched
  std::vector<std::int64_t> sums_;     // by layer: nodes; 0: not touched
  std::vector<std::uint32_t> layers_;  // touched
};

}  // namespace copse
