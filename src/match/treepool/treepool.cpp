// SPDX-License-Identifier: Apache-2.0
//
// TreePool: which nodes, in which order, and how much of each.
#include "match/treepool/treepool.hpp"

#include <algorithm>

#include "match/treepool/treepool_candidates.hpp"
#include "match/treepool/treepool_sums.hpp"

namespace copse {

// --- The question

void TreePool::begin(const CompiledRequest& request, View view, std::int64_t start,
                     std::int64_t end) {
  request_ = &request;
  view_ = view;
  start_ = start;
  end_ = end;
  visits_ = 0;
  of_kind_.resize(kinds_.size());
  window_.clear();
  if (view == View::empty) return;
  renew();
  if (view == View::later || !later_nodes_.empty()) list_window(view == View::later);
}

// Nodes whose masks over the window are not those of now.
void TreePool::list_window(bool all) {
  const std::size_t n = all ? nodes_.size() : later_nodes_.size();
  std::size_t words = 0;
  for (std::size_t i = 0; i < n; ++i) {
    words += kinds_[nodes_[all ? i : later_nodes_[i]].kind].word_count();
  }
  window_words_.resize(words);
  Word* mask = window_words_.data();
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t node = all ? static_cast<std::uint32_t>(i) : later_nodes_[i];
    const NodeKind& kind = kinds_[nodes_[node].kind];
    if (free_over(node, start_, end_, mask)) {
      const std::span<const Word> free(mask, kind.word_count());
      window_.push_back({node, count_bits(free.first(kind.core_words)),
                         count_bits(free.subspan(kind.core_words, kind.gpu_words)), mask});
    }
    mask += kind.word_count();
  }
  std::ranges::sort(window_, Candidates::before);
}

// Finds the numbers of the names; false if there is a domain that no node has.
bool TreePool::name_parts(const std::vector<SlotPart>& parts, std::vector<NamedPart>& out) {
  for (const SlotPart& part : parts) {
    NamedPart& named = out.emplace_back(NamedPart{.count = part.count,
                                                  .repeat = part.repeat,
                                                  .cores = part.cores,
                                                  .gpus = part.gpus,
                                                  .stocks = part.stocks,
                                                  .whole = part.whole});
    if (!part.name.empty()) {
      const auto known = names_.find(part.name);
      if (known == names_.end()) return false;
      named.name = known->second;
    }
    if (!name_parts(part.parts, named.parts)) return false;
  }
  return true;
}

// What a node must have free at least for the parts. A domain taken whole may be of any kind.
void TreePool::least_of(const std::vector<NamedPart>& parts, std::int64_t& cores,
                        std::int64_t& gpus) const {
  for (const NamedPart& part : parts) {
    std::int64_t cores_inside = part.cores, gpus_inside = part.gpus;
    least_of(part.parts, cores_inside, gpus_inside);
    cores_inside = times(cores_inside, part.repeat);
    gpus_inside = times(gpus_inside, part.repeat);
    if (part.whole) {
      std::int64_t fewest_cores = INT64_MAX, fewest_gpus = INT64_MAX;
      for (const NodeKind& kind : kinds_) {
        for (const KindDomain& domain : kind.domains) {
          if (domain.number != part.name) continue;
          fewest_cores = std::min<std::int64_t>(fewest_cores, kind.groups[domain.group].cores.bits);
          fewest_gpus = std::min<std::int64_t>(fewest_gpus, kind.groups[domain.group].gpus.bits);
        }
      }
      cores_inside = std::max(cores_inside, fewest_cores);
      gpus_inside = std::max(gpus_inside, fewest_gpus);
    }
    cores = plus(cores, times(cores_inside, part.count));
    gpus = plus(gpus, times(gpus_inside, part.count));
  }
}

TreePool::Ask TreePool::ask_of(const TreepoolRequest& request) {
  Ask ask;
  ask.by_node = request.by_node;
  ask.whole = request.whole_nodes;
  if (request.by_node) ask.nodes = times(request.nodes.min, request.node_factor);
  ask.units = request.units.min;
  ask.unit.cores = request.cores.min;
  ask.unit.gpus = request.gpus.min;
  ask.unit.stocks = request.stocks;
  return ask;
}

void TreePool::set_least(Ask& ask) {
  ask.cores_min = ask.unit.cores;
  ask.gpus_min = ask.unit.gpus;
  least_of(ask.unit.parts, ask.cores_min, ask.gpus_min);
}

// --- The answer

// Whether every node that is allowed and has enough free serves.
bool TreePool::counts_tell(const Ask& ask, bool spill) const {
  if (ask.whole || !ask.unit.parts.empty() || request_->constrained()) return false;
  if (ask.unit.has_stocks()) return false;
  return ask.unit.gpus > 0 || spill || !ask.by_node || ask.units == 1;
}

void TreePool::take_up(const Ask& ask, bool spill, NodeIndex& fits, std::uint32_t node) {
  if (!index_->contains(node) || !allowed(node)) return fits.erase(node);
  const Candidate at{node, index_->cores_of(node), index_->gpus_of(node),
                     free_.data() + nodes_[node].free_at};
  const std::int64_t units = ask.by_node ? ask.units : 1;
  const NodeKind& kind = kinds_[nodes_[node].kind];
  bool serves = at.cores >= times(ask.cores_min, units) && at.gpus >= times(ask.gpus_min, units);
  if (ask.whole) {  // whether something else of it is in use depends on the window: asked later
    serves = at.cores == kind.cores.size() && at.gpus == kind.gpus.size() &&
             of_kind_[nodes_[node].kind] >= units;
  } else if (serves) {
    serves = capacity(ask, at, units, spill) >= units;
  }
  if (serves) {
    fits.put(node, at.cores, at.gpus);
  } else {
    fits.erase(node);
  }
}

bool TreePool::fill(const Ask& ask, bool spill) {
  chosen_.clear();
  taken_.clear();
  units_ = 0;
  undo_supply(0);
  const std::int64_t wanted = ask.by_node ? times(ask.nodes, ask.units) : ask.units;
  const std::int64_t units = ask.by_node ? ask.units : 1;
  const NodeIndex* index = index_.get();
  const bool listed = view_ == View::now && !counts_tell(ask, spill);
  FitQuestion question;
  if (listed) {
    question = {ask.unit, units, ask.whole, spill, request_->allowed.pools()};
    (void)candidates(*index, ask, units, spill);  // knows what nodes have when they are empty
    const NodeIndex* fits =
        fits_.find(question, static_cast<std::uint32_t>(nodes_.size()),
                   [&](NodeIndex& list, std::uint32_t n) { take_up(ask, spill, list, n); });
    if (fits != nullptr) index = fits;
  }
  Candidates all = candidates(*index, ask, units, spill);
  for (Candidate at{}; units_ < wanted && all.next(at);) {
    ++visits_;
    const NodeKind& kind = kinds_[nodes_[at.node].kind];
    if (ask.whole) {
      if (capacity(ask, at, ask.units, spill) < ask.units || !take_supply(at.node)) continue;
      chosen_.push_back({at.node, 0, true});
      units_ += ask.units;
      continue;
    }
    const std::size_t mark = taken_.size();
    taken_.insert(taken_.end(), at.free, at.free + kind.word_count());
    Word* left = taken_.data() + mark;
    const std::int64_t most = ask.by_node ? ask.units : wanted - units_;
    const std::int64_t placed = placer_.place(kind, ask.unit, most, spill, left);
    if (placed == 0 || (ask.by_node && placed < ask.units) || !take_supply(at.node)) {
      taken_.resize(mark);
      continue;
    }
    for (std::uint32_t w = 0; w < kind.word_count(); ++w) left[w] = at.free[w] & ~left[w];
    units_ += placed;
    chosen_.push_back({at.node, mark, false});
  }
  if (listed && index == index_.get() && all.passed() > chosen_.size()) {
    fits_.passed(std::move(question), all.passed() - chosen_.size(),
                 static_cast<std::uint32_t>(nodes_.size()), cores_max_);
  }
  return units_ >= wanted;
}

bool TreePool::select(const CompiledRequest& compiled, View view, std::int64_t start,
                      std::int64_t end, Selection& out, std::int64_t& nslots) {
  const TreepoolRequest& request = *compiled.treepool;
  out.clear();
  nslots = 0;
  begin(compiled, view, start, end);
  Ask ask = ask_of(request);
  if (!name_parts(request.parts, ask.unit.parts)) return false;
  set_least(ask);
  if (view == View::empty) {
    return ask.by_node ? nodes_with(ask) >= ask.nodes : total_capacity(ask) >= ask.units;
  }
  if (request.moldable() && !grow(request, ask)) return false;
  const bool may_spill = ask.unit.gpus == 0 && !ask.unit.has_stocks() && ask.unit.parts.empty();
  bool found = fill(ask, false) || (may_spill && fill(ask, true));
  if (!found && offer_ != nullptr && request.moldable()) {  // it has too little for what was grown
    ask = ask_of(request);
    if (!name_parts(request.parts, ask.unit.parts)) return false;
    set_least(ask);
    found = fill(ask, false) || (may_spill && fill(ask, true));
  }
  if (!found) return false;
  write(out);
  nslots = times(units_, request.unit_slots);
  return true;
}

}  // namespace copse
