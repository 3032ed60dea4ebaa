// SPDX-License-Identifier: Apache-2.0
#include "explain/holders.hpp"

#include <algorithm>
#include <utility>

namespace copse {

namespace {

class Holders {
 public:
  Holders(const State& state, const Grants& grants, std::int64_t start, std::int64_t end)
      : exclusive_spans_(state.exclusive_spans()),
        divided_pools_(state.divided()),
        grants_(grants),
        start_(start),
        end_(end) {}

  // Adds the jobs with spans of p in the window, with `units` each. A job counts once per `owner`
  // (a pool in parts), even if it has several of its parts.
  void add(PoolId p, std::int64_t units, PoolId owner) {
    if (divided_pools_.planner(p) != nullptr) divided_.push_back({p, owner, units});
    if (!exclusive_spans_.marked(p)) return;
    const auto all = exclusive_spans_.all(p);
    auto span = std::partition_point(all.begin(), all.end(),
                                     [&](const ExclusiveSpan& h) { return h.end <= start_; });
    for (; span != all.end() && span->start < end_; ++span) add(*span, units, owner);
  }

  void finish(Finding& finding) {
    if (!divided_.empty()) add_parts();
    for (Kept k : kept_) {
      k.holder.job = grants_[k.grant].job;
      finding.holders.push_back(k.holder);
    }
    std::sort(finding.holders.begin(), finding.holders.end(), [](const Holder& a, const Holder& b) {
      return a.end != b.end ? a.end < b.end : a.job < b.job;
    });
    finding.more_holders = jobs_ - kept_.size();
  }

 private:
  struct Kept {
    Holder holder;
    std::uint32_t grant;
    PoolId owner;
  };

  struct Divided {  // a visited pool that some job has units of
    PoolId pool, owner;
    std::int64_t units;  // of the owner
  };

  // Adds the jobs with units of the visited divided pools.
  void add_parts() {
    std::ranges::sort(divided_, {}, &Divided::pool);
    grants_.for_each([&](std::uint32_t number, const Grant& grant) {
      if (grant.end <= start_ || grant.start >= end_) return;
      for (const PoolAmount& amount : grant.selection.amounts) {
        const auto d = std::ranges::lower_bound(divided_, amount.pool, {}, &Divided::pool);
        if (d == divided_.end() || d->pool != amount.pool) continue;
        const ExclusiveSpan span{grant.start, grant.end, number};
        add(span, d->pool == d->owner ? amount.units : d->units, d->owner);
      }
    });
  }

  void add(const ExclusiveSpan& span, std::int64_t units, PoolId owner) {
    if (span.grant >= seen_.size()) seen_.resize(std::max<std::size_t>(span.grant + 1, 64) * 2);
    const bool seen = seen_[span.grant];
    const bool full = kept_.size() == Finding::kHoldersMax;
    if (full && span.end > kept_.back().holder.end) {
      // A job that is not kept at first is never kept: the kept ones only get earlier ends.
      if (!seen) ++jobs_;
      seen_[span.grant] = true;
      return;
    }
    if (seen) {
      for (Kept& k : kept_) {
        if (k.grant != span.grant || k.owner == owner) continue;
        if (__builtin_add_overflow(k.holder.units, units, &k.holder.units)) {
          k.holder.units = INT64_MAX;
        }
        k.owner = owner;
      }
      return;
    }
    seen_[span.grant] = true;
    ++jobs_;
    auto before = [](const Kept& a, const Kept& b) {
      return a.holder.end != b.holder.end ? a.holder.end < b.holder.end : a.grant < b.grant;
    };
    const Kept made{{0, span.start, span.end, units}, span.grant, owner};
    if (full && !before(made, kept_.back())) return;
    if (full) kept_.pop_back();
    kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), made, before), made);
  }

  const ExclusiveSpans& exclusive_spans_;
  const DividedPools& divided_pools_;
  const Grants& grants_;
  const std::int64_t start_, end_;
  std::vector<Kept> kept_;  // at most kHoldersMax; soonest end, then lowest grant first
  std::vector<bool> seen_;  // by grant
  std::vector<Divided> divided_;
  std::uint64_t jobs_ = 0;
};

}  // namespace

void find_holders(const ResourceGraph& graph, const State& state, const Grants& grants,
                  std::span<const Obstacle> obstacles, TypeId type, std::int64_t start,
                  std::int64_t end, Finding& finding) {
  Holders holders(state, grants, start, end);
  // A slot is not a pool: its place counts.
  auto units_of = [&](PoolId p) {
    if (finding.type == "slot") return std::int64_t{1};
    return graph.type(p) == type ? graph.size(p) : graph.shape(p).total(type);
  };
  for (const Obstacle& o : obstacles) {
    switch (o.scope) {
      case Obstacle::Scope::self: holders.add(o.pool, units_of(o.pool), o.pool); break;
      case Obstacle::Scope::below: {
        const std::int64_t units = units_of(o.pool);
        graph.preorder(o.pool, [&](PoolId p) {
          holders.add(p, units, o.pool);
          return true;
        });
        break;
      }
      case Obstacle::Scope::children:
        for (PoolId c : graph.children(o.pool)) {
          if (graph.type(c) == type) holders.add(c, graph.size(c), c);
        }
        break;
    }
  }
  holders.finish(finding);
}

void set_holders(std::vector<Holder> holders, Finding& finding) {
  std::ranges::sort(holders, {}, [](const Holder& h) { return std::pair(h.end, h.job); });
  if (holders.size() > Finding::kHoldersMax) {
    finding.more_holders = holders.size() - Finding::kHoldersMax;
    holders.resize(Finding::kHoldersMax);
  }
  finding.holders = std::move(holders);
}

void mark_endless(std::span<Finding> findings, std::int64_t horizon) {
  for (Finding& finding : findings) {
    for (Holder& holder : finding.holders) {
      if (holder.end >= horizon) holder.end = Holder::kWithoutEnd;
    }
  }
}

}  // namespace copse
