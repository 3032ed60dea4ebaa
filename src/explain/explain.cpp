// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "copse/graph.hpp"
#include "explain/failure_census.hpp"
#include "request/count_text.hpp"

namespace copse {

namespace {

constexpr std::size_t kDownNamesMax = 4096;  // names that are tried to fill kDownBytesMax

// The node that is p or contains p; p itself if there is none.
PoolId named_pool(const ResourceGraph& graph, TypeId node, PoolId p) {
  for (PoolId up = p; up != kNoPool; up = graph.parent(up)) {
    if (graph.type(up) == node) return up;
  }
  return p;
}

// Sets Finding::down and Finding::more_down. Pools below a node are named by the node; repeated
// names in a row count once. O(pools), and O(kDownNamesMax × log) for the names.
void set_down(const ResourceGraph& graph, std::span<const PoolId> pools, Finding& finding) {
  const TypeId node = graph.find_type("node");
  std::vector<std::string> names;
  std::uint64_t unnamed = 0;
  PoolId last = kNoPool;
  for (const PoolId p : pools) {
    const PoolId named = named_pool(graph, node, p);
    if (named == last) continue;
    last = named;
    if (names.size() == kDownNamesMax) {
      ++unnamed;
    } else {
      names.push_back(graph.type(named) == node ? graph.name(named)
                                                : graph.path(named, graph.dominant()));
    }
  }
  if (names.empty()) return;
  ShortHostlist shown = compress_first_hosts(names, Finding::kDownBytesMax);
  finding.down = std::move(shown.text);
  finding.more_down = shown.left + unnamed;
}

std::string path_step(const Resource& r) {
  const std::string type =
      r.properties.empty() ? r.type : fmt::format("{}{{{}}}", r.type, fmt::join(r.properties, ","));
  if (r.count.set) return type + "[" + count_text(r.count) + "]";
  std::string out = type + "[" + std::to_string(r.count.min);
  if (r.count.moldable()) {
    out += r.count.max == Count::kUnlimited ? "+" : "-" + std::to_string(r.count.max);
  }
  return out + "]";
}

class Causes {
 public:
  Causes(const ExplainInput& input, Verdict verdict)
      : in_(input), levels_(input.compiled.levels), empty_(verdict == Verdict::infeasible) {
    // The order of compile.cpp: siblings are contiguous, level by level.
    for (const Resource& r : in_.request.resources) sources_.push_back(&r);
    parents_.assign(levels_.size(), kTop);
    for (std::uint32_t n = 0; n < levels_.size() && n < sources_.size(); ++n) {
      for (const Resource& r : sources_[n]->with) sources_.push_back(&r);
      for (std::uint32_t c = 0; c < levels_[n].children; ++c) parents_[levels_[n].first + c] = n;
    }
  }

  std::vector<Finding> run() {
    // With alternatives, there is no single vertex that is short.
    const bool one = in_.compiled.variants.empty() &&
                     std::none_of(levels_.begin(), levels_.end(),
                                  [](const Level& level) { return level.alternative; });
    if (one) find_broken_rules();
    if (one && out_.empty()) {
      census_.emplace(in_.graph, in_.state, in_.compiled, in_.policy, empty_, in_.reservations,
                      in_.start, in_.end);
      census_->run();
      tell_short(0, in_.compiled.top);
    }
    if (out_.empty()) {
      Finding& f = out_.emplace_back();
      f.cause = Cause::unequal;
      if (in_.policy.visit != nullptr) f.where = in_.policy.name;  // it may have refused all
    }
    return std::move(out_);
  }

 private:
  static constexpr std::uint32_t kTop = UINT32_MAX;

  // --- Requests that no machine can match (see compile.cpp, SimpleTraverser::visit)

  void find_broken_rules() {
    if (!in_.compiled.impossible.empty()) check_siblings(0, in_.compiled.top);
    std::vector<bool> exclusive(levels_.size(), false);  // whether it or a level above is exclusive
    for (std::uint32_t n = 0; n < levels_.size(); ++n) {
      const Level& level = levels_[n];
      const bool above = parents_[n] != kTop && exclusive[parents_[n]];
      exclusive[n] = above || level.slot || level.exclusive == Exclusivity::yes;
      if (!level.slot && above && level.exclusive == Exclusivity::no) {
        add(rule(Cause::exclusive_in_part, n));
      }
      if (level.most == 0) add(rule(Cause::count_zero, n));
      if (!in_.compiled.impossible.empty()) check_siblings(level.first, level.children);
      const bool slot_in_slot = level.slot && parents_[n] != kTop && levels_[parents_[n]].slot;
      if (slot_in_slot || (level.slot && level.children == 0) || sources_[n]->type == "xor_slot") {
        add(rule(Cause::slot_rule, n));
      }
    }
  }

  // Checks for siblings of one type, and for a slot next to anything else.
  void check_siblings(std::uint32_t first, std::uint32_t count) {
    std::vector<std::pair<TypeId, std::uint32_t>> types;
    for (std::uint32_t n = first; n < first + count; ++n) {
      if (levels_[n].slot && count > 1) {
        add(rule(Cause::siblings, n));
        return;
      }
      types.emplace_back(levels_[n].type, n);
    }
    std::sort(types.begin(), types.end());
    for (std::size_t i = 1; i < types.size(); ++i) {
      if (types[i].first == types[i - 1].first) {
        add(rule(Cause::siblings, types[i].second));
        return;
      }
    }
  }

  Finding rule(Cause cause, std::uint32_t n) const {
    Finding f;
    f.cause = cause;
    f.path = path(n);
    f.place = sources_[n]->place;
    f.type = sources_[n]->type;
    f.properties = fmt::format("{}", fmt::join(sources_[n]->properties, ", "));
    f.needed = levels_[n].count.min;
    return f;
  }

  // --- Levels that are short. Recursion is as deep as the request, which its parser bounds.

  [[nodiscard]] bool is_short(std::uint32_t n) const {
    return levels_[n].count.effective(census_->level(n).most_fits) == 0;
  }
  [[nodiscard]] bool any_short(const Level& level) const {
    for (std::uint32_t c = level.first; c < level.first + level.children; ++c) {
      if (is_short(c)) return true;
    }
    return false;
  }
  void tell_short(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t n = first; n < first + count; ++n) {
      if (!is_short(n)) continue;
      if (levels_[n].slot) {
        tell_slot(n);
      } else {
        tell_pools(n);
      }
    }
  }
  void tell_below(const Level& level) { tell_short(level.first, level.children); }

  void tell_pools(std::uint32_t n) {
    const Level& level = levels_[n];
    const VertexCensus& s = census_->level(n);
    const bool enough_exist = level.count.effective(s.most_has) > 0;
    if (any_short(level)) {
      if (s.closed_here > 0) add(finding(n));
      if (s.closed_here == 0 || s.closed < s.candidates.all) tell_below(level);
      if (s.closed_here == 0 && !enough_exist) add(finding(n));
      return;
    }
    const std::uint32_t slot = parents_[n];
    const bool of_several = slot != kTop && levels_[slot].slot && levels_[slot].count.min > 1;
    Finding f = of_several ? of_all_slots(n) : finding(n);
    if (of_several && f.most_fits >= f.needed) f = finding(n);
    const Candidates& c = f.candidates;
    if (level.children > 1 && enough_exist && c.fit == 0 && s.closed < c.all) {
      f.cause = Cause::not_together;
    }
    add(std::move(f));
  }

  void tell_slot(std::uint32_t n) {
    const Level& slot = levels_[n];
    const VertexCensus& s = census_->level(n);
    bool some_part = false;  // whether a part is short for one slot
    for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
      some_part |= is_short(c);
    }
    if (some_part) {
      if (s.closed_here > 0) add(finding(n));
      if (s.closed_here == 0 || s.closed < s.candidates.all) tell_below(slot);
      return;
    }
    const std::size_t before = out_.size();
    for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
      if (slot.count.effective(census_->level(c).slots) == 0) tell_part(n, c);
    }
    if (out_.size() > before) return;
    Finding f = finding(n);
    if (slot.children > 1 && f.candidates.fit == 0 && s.closed < f.candidates.all) {
      f.cause = Cause::not_together;
    }
    add(std::move(f));
  }

  // A part that is enough for some of the slots, but not for all: reports its own numbers, if they
  // are the reason. If slots can be at several pools, the sum over these counts.
  void tell_part(std::uint32_t slot, std::uint32_t n) {
    Finding f = of_all_slots(n);
    if (f.most_fits < f.needed) {
      add(std::move(f));
    } else if (census_->level(slot).places <= 1 && !levels_[n].count.moldable()) {
      f.cause = Cause::whole_pools;
      add(std::move(f));
    }
  }

  // The most units of a type anywhere below one candidate of a level.
  std::int64_t below_one(std::uint32_t n, TypeId type) const {
    const auto& needs = levels_[n].needs;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (needs[i].type == type) return census_->level(n).below_has[i];
    }
    return 0;
  }

  // --- A finding about a level

  std::string path(std::uint32_t n) const {
    std::string out;
    for (std::uint32_t up = n; up != kTop; up = parents_[up]) {
      if (!out.empty()) out.insert(0, " > ");
      out.insert(0, path_step(*sources_[up]));
    }
    return out;
  }

  // The type of the pool that must contain all units of a level, or "" for the machine.
  std::string where(std::uint32_t n) const {
    const std::uint32_t up = parents_[n];
    if (up == kTop) return {};
    if (!levels_[up].slot) return in_.graph.type_name(levels_[up].type);
    const VertexCensus& slot = census_->level(up);
    if (slot.place_type == kNoType || slot.places_differ) return "pool";
    const bool machine = slot.place_type == in_.graph.type(in_.graph.root());
    return machine ? std::string() : in_.graph.type_name(slot.place_type);
  }

  // A slot is formed in one pool, which the request does not name. That this pool has too little is no
  // cause if all of them together have too little, too.
  bool place_is_no_cause(std::uint32_t n) const {
    const std::uint32_t slot = parents_[n];
    if (slot == kTop || !levels_[slot].slot || levels_[n].slot) return false;
    return levels_[n].count.effective(census_->level(n).all_fits) == 0;
  }

  Finding finding(std::uint32_t n) const {
    const ResourceGraph& g = in_.graph;
    const Level& level = levels_[n];
    const VertexCensus& s = census_->level(n);
    Finding f = rule(Cause::too_few, n);
    if (s.sample != kNoPool && !level.slot) {
      f.unit = g.unit_text(s.sample);
      f.counted = g.largest(level.type) <= 1 && f.unit.empty();
    }
    f.factors = {level.count.min};
    f.where = where(n);
    f.most_has = s.most_has;
    f.most_fits = s.most_fits;
    f.candidates = s.candidates;
    if (place_is_no_cause(n)) {
      f.where.clear();
      f.most_has = s.all_has;
      f.most_fits = s.all_fits;
    }
    if (s.most_has == 0 && parents_[n] != kTop && !level.slot && level.filter == 0) {
      const std::int64_t deeper = below_one(parents_[n], level.type);
      if (deeper > 0) {
        f.cause = Cause::deeper;
        f.most_has = deeper;
      }
    }
    // Inner parts in the order of the request (needs are in the order of types).
    std::vector<std::uint32_t> below{n};
    for (std::size_t i = 0; i < below.size(); ++i) {
      const Level& at = levels_[below[i]];
      for (std::uint32_t c = at.first; c < at.first + at.children; ++c) below.push_back(c);
      if (i == 0 || at.slot) continue;
      const std::string& type = g.type_name(at.type);
      const auto same = [&](const Finding::Part& part) { return part.type == type; };
      if (std::any_of(f.each.begin(), f.each.end(), same)) continue;
      for (const Need& need : level.needs) {
        if (need.type == at.type) f.each.push_back({type, need.units});
      }
    }
    set_down(g, s.down, f);
    if (!empty_ && !s.obstacles.empty()) {
      find_holders(g, in_.state, in_.grants, s.obstacles, level.type, in_.start, in_.end, f);
    }
    return f;
  }

  // For a part of a slot: the needs of all slots. For others: finding().
  Finding of_all_slots(std::uint32_t n) const {
    Finding f = finding(n);
    const std::uint32_t slot = parents_[n];
    if (slot == kTop || !levels_[slot].slot || f.cause == Cause::deeper) return f;
    f.factors.insert(f.factors.begin(), levels_[slot].count.min);
    if (__builtin_mul_overflow(levels_[slot].count.min, levels_[n].count.min, &f.needed)) {
      f.needed = INT64_MAX;
    }
    // Where there is one place, its parts are all parts.
    const VertexCensus& part = census_->level(n);
    const bool several = census_->level(slot).places > 1;
    f.where = where(slot);
    f.most_has = several ? part.places_have : part.most_has;
    f.most_fits = several ? part.places_fit : part.most_fits;
    return f;
  }

  void add(Finding f) {
    if (out_.size() < Explanation::kFindingsMax) out_.push_back(std::move(f));
  }

  const ExplainInput& in_;
  const std::vector<Level>& levels_;
  const bool empty_;
  std::vector<const Resource*> sources_;
  std::vector<std::uint32_t> parents_;
  std::optional<FailureCensus> census_;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> find_causes(const ExplainInput& input, Verdict verdict) {
  return Causes(input, verdict).run();
}

LevelSource level_source(const std::vector<Resource>& resources, const CompiledRequest& request,
                         std::uint32_t level) {
  // The order of compile.cpp, as above.
  std::vector<const Resource*> sources;
  std::vector<std::uint32_t> parents(resources.size(), UINT32_MAX);
  sources.reserve(request.levels.size());
  for (const Resource& r : resources) sources.push_back(&r);
  for (std::uint32_t n = 0; n < request.levels.size() && n < sources.size(); ++n) {
    for (const Resource& r : sources[n]->with) {
      sources.push_back(&r);
      parents.push_back(n);
    }
  }
  LevelSource out{path_step(*sources[level]), sources[level]};
  for (std::uint32_t up = parents[level]; up != UINT32_MAX; up = parents[up]) {
    out.path.insert(0, path_step(*sources[up]) + " > ");
  }
  return out;
}

Finding nothing_exclusive() { return {.cause = Cause::nothing_exclusive}; }

}  // namespace copse
