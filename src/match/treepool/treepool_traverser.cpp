// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/treepool_traverser.hpp"

#include <algorithm>
#include <bit>

#include "base/saturating.hpp"

namespace copse {

// Adds the pools between a pool and the open ones.
void SelectionWriter::open_above(PoolId pool, Selection& out) {
  while (!open_.empty() && !graph_.below(pool, open_.back())) open_.pop_back();
  const std::size_t first = out.taken.size();
  const PoolId known = open_.empty() ? kNoPool : open_.back();
  for (PoolId up = graph_.parent(pool); up != known; up = graph_.parent(up)) {
    out.taken.push_back({.first = up});
  }
  std::reverse(out.taken.begin() + static_cast<std::ptrdiff_t>(first), out.taken.end());
  for (std::size_t i = first; i < out.taken.size(); ++i) open_.push_back(out.taken[i].first);
}

void SelectionWriter::add_node(PoolId node, Selection& out) {
  open_above(node, out);
  out.taken.push_back({.first = node, .exclusive = true, .whole = true});
}

void SelectionWriter::add_runs(PoolId node, const std::vector<KindLeaf>& leaves,
                               const Word* taken) {
  for (std::size_t w = 0; w * 64 < leaves.size(); ++w) {
    for (Word rest = taken[w]; rest != 0; rest &= rest - 1) {
      const KindLeaf& at = leaves[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
      const PoolId leaf{node.v + at.offset};
      if (at.follows && !runs_.empty() && runs_.back().first.v + runs_.back().count == leaf.v) {
        ++runs_.back().count;
      } else {
        runs_.push_back({.first = leaf, .exclusive = true});
      }
    }
  }
}

void SelectionWriter::add_leaves(PoolId node, const NodeKind& kind, const Word* taken,
                                 Selection& out) {
  open_above(node, out);
  out.taken.push_back({.first = node});
  open_.push_back(node);
  runs_.clear();
  for (std::size_t k = 0; k < kLeafKinds; ++k) {
    add_runs(node, kind.leaves[k], taken + kind.first_word[k]);
  }
  std::ranges::sort(runs_, {}, &SelectedPools::first);
  for (const SelectedPools& run : runs_) {
    if (open_.back() != graph_.parent(run.first)) open_above(run.first, out);
    out.taken.push_back(run);
  }
}

namespace {

constexpr std::size_t kWhole = SIZE_MAX;  // Chosen::taken_at of a whole node

// Whether every node with enough free cores and GPUs fits.
bool counts_tell(const CompiledRequest& request, const NodeDemand& demand, bool spill) {
  if (demand.whole || !demand.plain() || request.constrained()) return false;
  return demand.unit.amounts[kGpu] > 0 || spill || demand.units_of_node() == 1;
}

// The largest number of the count for which `fits` is true, assuming that it is monotonic; 0 if
// there is none. O(log most) calls.
template <class Fits>
std::int64_t largest(const Count& count, std::int64_t most, Fits fits) {
  std::int64_t low = count.min, high = count.effective(most);
  if (high == 0 || !fits(low)) return 0;
  while (low < high) {
    std::int64_t middle = count.effective(low + (high - low + 1) / 2);
    if (middle <= low) middle = count.after(low);
    if (fits(middle)) {
      low = middle;
    } else {
      high = count.effective(middle - 1);
    }
  }
  return low;
}

}  // namespace

Result<std::unique_ptr<TreepoolTraverser>> TreepoolTraverser::create(const ResourceGraph& graph,
                                                                     const State& state,
                                                                     const Layouts& layouts) {
  auto nodes = FreeNodes::create(graph, state, layouts);
  if (!nodes) return std::unexpected(nodes.error());
  return std::unique_ptr<TreepoolTraverser>(new TreepoolTraverser(graph, state, std::move(*nodes)));
}

// Adds a node to a list of fits, or removes it.
void TreepoolTraverser::take_up(const NodeDemand& demand, bool spill, NodeIndex& fits,
                                std::uint32_t node) {
  const NodeIndex& index = nodes_.index();
  if (!index.contains(node) || !capacities_.allowed(node)) return fits.erase(node);
  const NodeCandidate at{node, index.cores_of(node), index.gpus_of(node), nodes_.mask(node)};
  const std::int64_t units = demand.units_of_node();
  const NodeKind& kind = nodes_.kind(node);
  bool serves = at.cores >= saturating_product(demand.cores_min, units) &&
                at.gpus >= saturating_product(demand.gpus_min, units);
  if (demand.whole) {  // whether the rest of the node is idle depends on the window, and is checked
                       // later
    serves = at.cores == kind.size(kCore) && at.gpus == kind.size(kGpu) &&
             capacities_.of_empty(node) >= units;
  } else if (serves) {
    serves = capacities_.capacity(demand, at, units, spill) >= units;
  }
  if (serves) {
    fits.put(node, at.cores, at.gpus);
  } else {
    fits.erase(node);
  }
}

// Takes units from a node; false if it has too few.
bool TreepoolTraverser::choose(const NodeDemand& demand, bool spill, const NodeCandidate& at) {
  if (demand.whole) {
    if (capacities_.capacity(demand, at, demand.units, spill) < demand.units) return false;
    if (!capacities_.take_layers(at.node)) return false;
    chosen_.push_back({at.node, kWhole});
    units_ += demand.units;
    return true;
  }
  const NodeKind& kind = nodes_.kind(at.node);
  const std::size_t mark = taken_.size();
  taken_.insert(taken_.end(), at.free, at.free + kind.word_count());
  Word* left = taken_.data() + mark;
  const std::int64_t most = demand.by_node ? demand.units : demand.units - units_;
  const std::int64_t placed = placer_.place(kind, demand.unit, most, spill, left);
  if (placed == 0 || (demand.by_node && placed < demand.units) ||
      !capacities_.take_layers(at.node)) {
    taken_.resize(mark);
    return false;
  }
  for (std::uint32_t w = 0; w < kind.word_count(); ++w) left[w] = at.free[w] & ~left[w];
  units_ += placed;
  chosen_.push_back({at.node, mark});
  return true;
}

bool TreepoolTraverser::fill(const NodeDemand& demand, bool spill) {
  chosen_.clear();
  taken_.clear();
  units_ = 0;
  capacities_.return_layers();
  const std::int64_t wanted =
      demand.by_node ? saturating_product(demand.nodes, demand.units) : demand.units;
  const std::int64_t units = demand.units_of_node();
  if (demand.whole) capacities_.measure_kinds(demand, units, spill);
  const bool listed = now_ && !counts_tell(*request_, demand, spill);
  const NodeIndex* fits = nullptr;
  FitQuestion question;
  if (listed) {
    question = {demand.unit, units, demand.whole, spill, request_->allowed.pools()};
    fits = nodes_.fits().find(question, nodes_.size(), [&](NodeIndex& list, std::uint32_t n) {
      take_up(demand, spill, list, n);
    });
  }
  NodeCandidates all = capacities_.candidates(demand, units, fits);
  for (NodeCandidate at{}; units_ < wanted && all.next(at);) {
    ++visits_;
    choose(demand, spill, at);
  }
  if (listed && fits == nullptr && all.passed() > chosen_.size()) {
    nodes_.fits().passed(std::move(question), all.passed() - chosen_.size(), nodes_.size(),
                         nodes_.cores_max());
  }
  return units_ >= wanted;
}

bool TreepoolTraverser::fill(const NodeDemand& demand) {
  return fill(demand, false) ||
         (demand.unit.amounts[kGpu] == 0 && demand.plain() && fill(demand, true));
}

// Raises counts that are ranges: first the nodes, then their contents, as far as earlier counts
// stay the same.
bool TreepoolTraverser::grow(const TreepoolRequest& request, NodeDemand& demand) {
  std::int64_t cores_most = 0, gpus_most = 0;
  for (const NodeKind& kind : nodes_.kinds()) {
    cores_most = std::max<std::int64_t>(cores_most, kind.size(kCore));
    gpus_most = std::max<std::int64_t>(gpus_most, kind.size(kGpu));
  }
  const std::int64_t available = capacities_.available(demand);
  if (demand.by_node) {
    const std::int64_t nodes = request.nodes.effective(available / request.node_factor);
    if (nodes == 0) return false;
    demand.nodes = saturating_product(nodes, request.node_factor);
  } else {
    demand.units = request.units.effective(available);
    if (demand.units == 0) return false;
  }
  auto grow_one = [&](const Count& count, std::int64_t& value, std::int64_t most) {
    if (!count.moldable()) return;
    value = largest(count, most, [&](std::int64_t n) {
      value = n;
      demand.set_least(nodes_.kinds());
      return capacities_.enough(demand);
    });
    demand.set_least(nodes_.kinds());
  };
  if (demand.by_node) grow_one(request.units, demand.units, std::max(cores_most, gpus_most));
  if (demand.units == 0) return false;
  grow_one(request.cores, demand.unit.amounts[kCore], cores_most);
  grow_one(request.gpus, demand.unit.amounts[kGpu], gpus_most);
  return true;
}

void TreepoolTraverser::write(Selection& out) {
  std::ranges::sort(chosen_, {}, [&](const Chosen& c) { return nodes_.pool(c.node); });
  writer_.begin();
  for (const Chosen& chosen : chosen_) {
    const NodeKind& kind = nodes_.kind(chosen.node);
    const bool whole = chosen.taken_at == kWhole;
    const Word* taken = whole ? nullptr : taken_.data() + chosen.taken_at;
    // All leaves of a node are the node: one span instead of one per leaf.
    if (whole || (kind.only_these && kind.has_all(taken) && capacities_.untouched(chosen.node))) {
      writer_.add_node(nodes_.pool(chosen.node), out);
    } else {
      writer_.add_leaves(nodes_.pool(chosen.node), kind, taken, out);
    }
  }
}

TreepoolTraverser::Answer TreepoolTraverser::select(const CompiledRequest& compiled, StateView view,
                                                    std::int64_t start, std::int64_t end,
                                                    Selection& out) {
  const TreepoolRequest& request = *compiled.treepool;
  out.clear();
  request_ = &compiled;
  now_ = view == StateView::now;
  visits_ = 0;
  if (view != StateView::empty) nodes_.renew();
  capacities_.begin(compiled, view, start, end);
  std::optional<NodeDemand> demand = NodeDemand::of(request, nodes_.kinds());
  if (!demand) return {};
  if (view == StateView::empty) return {.found = capacities_.enough(*demand)};
  if (request.moldable() && !grow(request, *demand)) return {};
  bool found = fill(*demand);
  if (!found && capacities_.layered() && request.moldable()) {
    found = fill(*NodeDemand::of(request, nodes_.kinds()));  // not enough for the raised counts
  }
  if (!found) return {.visits = visits_};
  write(out);
  return {true, saturating_product(units_, request.unit_slots), visits_};
}

}  // namespace copse
