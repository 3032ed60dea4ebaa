// SPDX-License-Identifier: Apache-2.0
//
// Which layer of a hierarchical resource is the reason that a request gets nothing, if one is.
//
// Each need is looked at alone first: if its layers serve fewer nodes than the request takes at
// least, that is a reason whatever else is asked for. (Where nodes draw different amounts, each
// counts with the least: what is said is true, but not all that could be.) Else, if there would be
// pools for the request without its hierarchical resources, the layers over those pools are.
#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "engine/impl.hpp"

namespace copse {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// What layers have over one window; each is asked once.
class Room {
 public:
  Room(const Supply& supply, Supply::Job job, bool empty, std::int64_t start, std::int64_t end)
      : supply_(supply),
        job_(job),
        empty_(empty),
        start_(start),
        end_(end),
        left_(supply.layers().size()) {}

  [[nodiscard]] std::int64_t left(std::uint32_t number) {
    if (!left_[number]) {
      const Supply::Layer& layer = supply_.layers()[number];
      left_[number] = layer.total() - (empty_ ? 0 : layer.times.most_taken(job_, start_, end_));
    }
    return *left_[number];
  }
  [[nodiscard]] std::int64_t nodes_for(std::uint32_t layer, std::int64_t count) {
    return count == 0 ? kMost : std::max<std::int64_t>(left(layer), 0) / count;
  }

 private:
  const Supply& supply_;
  Supply::Job job_;
  bool empty_;
  std::int64_t start_, end_;
  std::vector<std::optional<std::int64_t>> left_;
};

// How many nodes one need could have, and the layer that keeps the most of them away.
struct Served {
  std::int64_t nodes = 0;
  std::uint32_t tightest = Supply::kNone;
};

// Modes 1 and 2: a node is served or not, whatever the others are.
Served served_by_covers(const Supply& supply, const Supply::Resource& r, std::int64_t count,
                        Room& room, const std::vector<std::int64_t>& nodes_of_cover) {
  Served out;
  std::vector<std::int64_t> blamed(supply.layers().size());
  for (std::uint32_t cover = 0; cover < r.covers.count(); ++cover) {
    const auto layers = r.covers.layers(cover);
    std::size_t enough = 0;
    for (const std::uint32_t l : layers) enough += room.left(l) >= count ? 1 : 0;
    const bool yes = r.mode == 1 ? enough > 0 : enough == layers.size() && enough > 0;
    if (yes) out.nodes += nodes_of_cover[cover];
    for (const std::uint32_t l : layers) {
      if (!yes && room.left(l) < count) blamed[l] += nodes_of_cover[cover];
    }
  }
  // In mode 1 the layer that comes closest, in mode 2 the one that keeps the most nodes away; where
  // several do alike, by the other measure.
  const auto weight = [&](std::uint32_t l) {
    const std::int64_t left = room.left(l);
    return r.mode == 1 ? std::pair(left, blamed[l]) : std::pair(blamed[l], left);
  };
  for (const std::uint32_t l : r.layers) {
    if (blamed[l] == 0) continue;
    if (out.tightest == Supply::kNone || weight(l) > weight(out.tightest)) out.tightest = l;
  }
  return out;
}

// Mode 3: from the leaves up, each layer passes on as many nodes as it has room for. A root that
// has too little for what is wanted says more than any layer below it.
Served served_by_tree(const Supply& supply, const Supply::Resource& r, std::int64_t count,
                      Room& room, const std::vector<std::int64_t>& nodes_of_cover,
                      std::int64_t wanted) {
  Served out;
  std::vector<std::int64_t> from_below(supply.layers().size());
  for (std::uint32_t cover = 0; cover < r.covers.count(); ++cover) {
    const auto path = r.covers.layers(cover);
    if (!path.empty() && r.covers.rooted(cover)) from_below[path.front()] += nodes_of_cover[cover];
  }
  std::vector<std::uint32_t> upward(r.layers.begin(), r.layers.end());
  std::ranges::stable_sort(upward, {}, [&](std::uint32_t l) { return supply.layers()[l].level; });
  std::int64_t most_lost = 0;
  for (const std::uint32_t l : upward) {
    const std::int64_t pass = std::min(from_below[l], room.nodes_for(l, count));
    if (from_below[l] - pass >= std::max<std::int64_t>(most_lost, 1)) {
      most_lost = from_below[l] - pass;
      out.tightest = l;
    }
    const std::uint32_t parent = supply.layers()[l].parent;
    (parent == Supply::kNone ? out.nodes : from_below[parent]) += pass;
  }
  if (r.root != Supply::kNone && room.nodes_for(r.root, count) < wanted) out.tightest = r.root;
  return out;
}

}  // namespace

// A finding without its cause: what is wanted of a layer is for one node, if nodes pay.
Finding Engine::Impl::about_layer(const HresNeed& need, std::uint32_t layer, View view,
                                  std::int64_t start, std::int64_t end) const {
  const Supply::Resource& r = supply->resources()[need.resource];
  Finding out;
  out.path = fmt::format("hres > {}:{}", r.name, need.count);
  out.type = r.name;
  out.factors = {need.count};
  out.needed = need.count;
  if (layer == Supply::kNone) return out;
  const Supply::Layer& of = supply->layers()[layer];
  out.where = of.text;
  out.most_has = of.total();
  const bool empty = view == View::empty;
  out.most_fits = std::max<std::int64_t>(Room(*supply, asking, empty, start, end).left(layer), 0);
  if (empty) return out;
  for (const auto& [job, number] : by_job) {
    const Grant& grant = grants[number];
    if (grant.start >= end || grant.end <= start) continue;
    for (const LayerCharge& charge : grant.draw.charges) {
      if (charge.layer == layer)
        out.holders.push_back({job, grant.start, grant.end, charge.amount});
    }
  }
  std::ranges::sort(out.holders, {}, [](const Holder& h) { return std::tuple(h.end, h.job); });
  if (out.holders.size() > Finding::kHoldersMax) {
    out.more_holders = out.holders.size() - Finding::kHoldersMax;
    out.holders.resize(Finding::kHoldersMax);
  }
  return out;
}

std::optional<Finding> Engine::Impl::short_alone(const HresNeed& need, std::int64_t nodes,
                                                 View view, std::int64_t start,
                                                 std::int64_t end) const {
  const Supply::Resource& r = supply->resources()[need.resource];
  Room room(*supply, asking, view == View::empty, start, end);
  const std::uint32_t all = supply->numbers().count();
  std::vector<std::int64_t> nodes_of_cover(r.covers.count());
  for (std::uint32_t n = 0; n < all; ++n) ++nodes_of_cover[r.covers.of(n)];
  const Served served = r.mode == 3
                            ? served_by_tree(*supply, r, need.count, room, nodes_of_cover, nodes)
                            : served_by_covers(*supply, r, need.count, room, nodes_of_cover);
  if (served.nodes >= nodes) return {};
  Finding out = about_layer(need, served.tightest, view, start, end);
  out.cause = Cause::supply;
  if (r.mode == 3) {
    out.factors.push_back(nodes);
    if (__builtin_mul_overflow(need.count, nodes, &out.needed)) out.needed = kMost;
  }
  out.candidates.all = all;
  out.candidates.fit = static_cast<std::uint64_t>(served.nodes);
  out.candidates.lacking = out.candidates.all - out.candidates.fit;
  return out;
}

// Of the nodes that the request would have without its hierarchical resources (with_nodes): the
// layer over them that misses the most, of the first need that is not served there.
std::optional<Finding> Engine::Impl::short_there(std::span<const HresNeed> needs, View view,
                                                 std::int64_t start, std::int64_t end) {
  Room room(*supply, asking, view == View::empty, start, end);
  for (const HresNeed& need : needs) {
    const Supply::Resource& r = supply->resources()[need.resource];
    std::vector<std::int64_t> wanted(supply->layers().size());  // by layer; of mode 1 one node's
    for (const PoolId p : with_nodes) {
      const auto layers = r.covers.layers(r.covers.of(supply->numbers().of(graph, p)));
      const bool served = r.mode == 1 && std::ranges::any_of(layers, [&](std::uint32_t l) {
                            return room.left(l) >= need.count;
                          });
      if (served) continue;
      if (layers.empty()) {  // no layer is over this node
        Finding out = about_layer(need, Supply::kNone, view, start, end);
        out.cause = Cause::supply_apart;
        return out;
      }
      for (const std::uint32_t l : layers) {
        if (r.mode != 3) {
          wanted[l] = need.count;
        } else if (__builtin_add_overflow(wanted[l], need.count, &wanted[l])) {
          wanted[l] = kMost;
        }
      }
    }
    std::uint32_t worst = Supply::kNone;
    std::int64_t most_missing = 0;
    for (const std::uint32_t l : r.layers) {
      const std::int64_t missing = wanted[l] - std::max<std::int64_t>(room.left(l), 0);
      if (missing <= most_missing) continue;
      most_missing = missing;
      worst = l;
    }
    if (worst == Supply::kNone) continue;
    Finding out = about_layer(need, worst, view, start, end);
    out.cause = Cause::supply_apart;
    out.needed = wanted[worst];
    if (r.mode == 3 && need.count > 0) out.factors.push_back(wanted[worst] / need.count);
    return out;
  }
  return {};
}

Engine::Impl::ShortLayers Engine::Impl::short_layers(const CompiledRequest& request, View view,
                                                     std::int64_t start, std::int64_t end) {
  ShortLayers out;
  set_offer(nullptr, false);
  matcher.skip_closed(nullptr);
  search_left = options.search_pools_max;
  out.pools_do = request.impossible.empty() && total_fits(request, view == View::empty) &&
                 select_pools(request, view, start, end);
  nodes_of(match.selection, with_nodes);
  match.selection.clear();
  match.draw.clear();
  const std::int64_t nodes = nodes_at_least(request);
  for (const std::vector<HresNeed>& needs : request.hres.alternatives) {
    const std::size_t before = out.findings.size();
    for (const HresNeed& need : needs) {
      if (out.findings.size() >= Explanation::kFindingsMax) return out;
      if (auto found = short_alone(need, nodes, view, start, end)) {
        out.findings.push_back(std::move(*found));
      }
    }
    if (out.findings.size() > before || !out.pools_do) continue;
    if (auto found = short_there(needs, view, start, end))
      out.findings.push_back(std::move(*found));
  }
  return out;
}

std::vector<Finding> Engine::short_layers(PreparedRequest& request, JobId job, bool ever) {
  Impl& e = *impl_;
  e.begin_match(job);
  if (!e.refresh(request) || request.compiled_->hres.empty()) return {};
  const CompiledRequest& compiled = *request.compiled_;
  const auto duration_s = e.duration_of(request);
  if (!duration_s) return {};
  const std::int64_t start = ever ? 0 : e.options.now;
  return e.short_layers(compiled, ever ? View::empty : View::now, start, start + *duration_s)
      .findings;
}

}  // namespace copse
