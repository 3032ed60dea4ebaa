// SPDX-License-Identifier: Apache-2.0
#include "explain/layer_findings.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "explain/holders.hpp"

namespace copse {

namespace {
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
}

// The free amounts of layers over one window; each is computed once.
class LayerFindings::Room {
 public:
  Room(const HresTable& hres, JobId job, const Window& window)
      : hres_(hres), job_(job), window_(window), left_(hres.layers().size()) {}

  [[nodiscard]] const Window& window() const { return window_; }
  [[nodiscard]] bool empty() const { return window_.view == StateView::empty; }
  [[nodiscard]] std::int64_t left(std::uint32_t number) {
    if (!left_[number]) {
      const HresTable::Layer& layer = hres_.layers()[number];
      const std::int64_t taken =
          empty() ? 0 : layer.times.most_taken(job_, window_.start, window_.end);
      left_[number] = layer.total() - taken;
    }
    return *left_[number];
  }
  [[nodiscard]] std::int64_t nodes_for(std::uint32_t layer, std::int64_t count) {
    return count == 0 ? kMost : std::max<std::int64_t>(left(layer), 0) / count;
  }

 private:
  const HresTable& hres_;
  JobId job_;
  Window window_;
  std::vector<std::optional<std::int64_t>> left_;
};

// The number of nodes that one need could have, and the layer that excludes most nodes.
struct LayerFindings::Served {
  std::int64_t nodes = 0;
  std::uint32_t tightest = HresTable::kNone;
};

std::vector<std::int64_t> LayerFindings::nodes_of_classes(const HresTable::Resource& r) const {
  std::vector<std::int64_t> out(r.classes.count());
  for (std::uint32_t n = 0; n < hres_.numbers().count(); ++n) ++out[r.classes.of(n)];
  return out;
}

std::vector<bool> LayerFindings::classes_to_blame(const HresTable::Resource& r, std::int64_t count,
                                                  const Room& room) const {
  std::vector<bool> out(r.classes.count(), true);
  if (room.empty()) return out;
  const auto enough = [&](std::uint32_t l) { return hres_.layers()[l].total() >= count; };
  bool any = false;
  for (std::uint32_t node_class = 0; node_class < r.classes.count(); ++node_class) {
    const auto layers = r.classes.layers(node_class);
    out[node_class] = !layers.empty() && (r.mode == 1 ? std::ranges::any_of(layers, enough)
                                                      : std::ranges::all_of(layers, enough));
    any = any || out[node_class];
  }
  if (!any) out.assign(out.size(), true);
  return out;
}

// Modes 1 and 2: whether layers have enough for a node does not depend on other nodes.
LayerFindings::Served LayerFindings::served_by_classes(const HresTable::Resource& r,
                                                       std::int64_t count, Room& room) const {
  Served out;
  const std::vector<std::int64_t> nodes_of_class = nodes_of_classes(r);
  const std::vector<bool> counts = classes_to_blame(r, count, room);
  std::vector<std::int64_t> blamed(hres_.layers().size());
  for (std::uint32_t node_class = 0; node_class < r.classes.count(); ++node_class) {
    const auto layers = r.classes.layers(node_class);
    std::size_t enough = 0;
    for (const std::uint32_t l : layers) enough += room.left(l) >= count ? 1 : 0;
    const bool yes = r.mode == 1 ? enough > 0 : enough == layers.size() && enough > 0;
    if (yes) out.nodes += nodes_of_class[node_class];
    for (const std::uint32_t l : layers) {
      if (!yes && counts[node_class] && room.left(l) < count)
        blamed[l] += nodes_of_class[node_class];
    }
  }
  // In mode 1 the layer that is closest to enough, of those that would have enough if they were
  // empty; in mode 2 the one that excludes most nodes. Ties are broken by the other measure.
  const auto weight = [&](std::uint32_t l) {
    const std::int64_t left = room.left(l);
    const bool ever = hres_.layers()[l].total() >= count;
    return r.mode == 1 ? std::tuple(ever, left, blamed[l]) : std::tuple(false, blamed[l], left);
  };
  for (const std::uint32_t l : r.layers) {
    if (blamed[l] == 0) continue;
    if (out.tightest == HresTable::kNone || weight(l) > weight(out.tightest)) out.tightest = l;
  }
  return out;
}

// Mode 3: from the leaves up, each layer passes on as many nodes as it has room for. A root with
// too little for the whole request is a better reason than any layer below it.
LayerFindings::Served LayerFindings::served_by_tree(const HresTable::Resource& r,
                                                    std::int64_t count, Room& room,
                                                    std::int64_t wanted) const {
  Served out;
  const std::vector<std::int64_t> nodes_of_class = nodes_of_classes(r);
  const std::vector<bool> counts = classes_to_blame(r, count, room);
  std::vector<std::int64_t> from_below(hres_.layers().size());
  for (std::uint32_t node_class = 0; node_class < r.classes.count(); ++node_class) {
    const auto path = r.classes.layers(node_class);
    if (!path.empty() && counts[node_class]) from_below[path.front()] += nodes_of_class[node_class];
  }
  std::vector<std::uint32_t> upward(r.layers.begin(), r.layers.end());
  std::ranges::stable_sort(upward, {}, [&](std::uint32_t l) { return hres_.layers()[l].level; });
  // Of layers that exclude equally many: the highest, and of these the one with the most.
  std::tuple<std::int64_t, int, std::int64_t> most{};
  for (const std::uint32_t l : upward) {
    const std::int64_t pass = std::min(from_below[l], room.nodes_for(l, count));
    const std::tuple lost(from_below[l] - pass, hres_.layers()[l].level, room.left(l));
    if (from_below[l] > pass && (out.tightest == HresTable::kNone || lost > most)) {
      most = lost;
      out.tightest = l;
    }
    const std::uint32_t parent = hres_.layers()[l].parent;
    (parent == HresTable::kNone ? out.nodes : from_below[parent]) += pass;
  }
  if (r.root != HresTable::kNone && room.nodes_for(r.root, count) < wanted) out.tightest = r.root;
  return out;
}

// A finding without its cause; the amount is that of one node, if each node is charged.
Finding LayerFindings::about_layer(const HresNeed& need, std::uint32_t layer, Room& room) const {
  const HresTable::Resource& r = hres_.resources()[need.resource];
  Finding out;
  out.path = fmt::format("hres > {}:{}", r.name, need.count);
  out.type = r.name;
  out.factors = {need.count};
  out.needed = need.count;
  if (layer == HresTable::kNone) return out;
  const HresTable::Layer& of = hres_.layers()[layer];
  out.where = of.text;
  out.most_has = of.total();
  out.most_fits = std::max<std::int64_t>(room.left(layer), 0);
  if (room.empty()) return out;
  std::vector<Holder> holders;
  grants_.for_each([&](std::uint32_t, const Grant& grant) {
    if (grant.start >= room.window().end || grant.end <= room.window().start) return;
    for (const LayerCharge& charge : grant.charges.layers) {
      if (charge.layer == layer) {
        holders.push_back({grant.job, grant.start, grant.end, charge.amount});
      }
    }
  });
  set_holders(std::move(holders), out);
  return out;
}

std::optional<Finding> LayerFindings::short_alone(const HresNeed& need, std::int64_t nodes,
                                                  Room& room) const {
  const HresTable::Resource& r = hres_.resources()[need.resource];
  const Served served = r.mode == 3 ? served_by_tree(r, need.count, room, nodes)
                                    : served_by_classes(r, need.count, room);
  if (served.nodes >= nodes) return {};
  Finding out = about_layer(need, served.tightest, room);
  out.cause = Cause::supply;
  if (r.mode == 3) {
    out.factors.push_back(nodes);
    if (__builtin_mul_overflow(need.count, nodes, &out.needed)) out.needed = kMost;
  }
  out.candidates.all = hres_.numbers().count();
  out.candidates.fit = static_cast<std::uint64_t>(served.nodes);
  out.candidates.lacking = out.candidates.all - out.candidates.fit;
  return out;
}

// For the nodes that the request would get without its hierarchical resources: the layer over them
// that misses the most, for the first need that is not met.
std::optional<Finding> LayerFindings::short_there(std::span<const HresNeed> needs,
                                                  const std::vector<PoolId>& nodes,
                                                  Room& room) const {
  for (const HresNeed& need : needs) {
    const HresTable::Resource& r = hres_.resources()[need.resource];
    std::vector<std::int64_t> wanted(hres_.layers().size());  // by layer; in mode 1 for one node
    for (const PoolId p : nodes) {
      const auto layers = r.classes.layers(r.classes.of(hres_.numbers().of(graph_, p)));
      const bool served = r.mode == 1 && std::ranges::any_of(layers, [&](std::uint32_t l) {
                            return room.left(l) >= need.count;
                          });
      if (served) continue;
      if (layers.empty()) {  // no layer is over this node
        Finding out = about_layer(need, HresTable::kNone, room);
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
    std::uint32_t worst = HresTable::kNone;
    std::int64_t worst_missing = 0;
    for (const std::uint32_t l : r.layers) {
      const std::int64_t missing = wanted[l] - std::max<std::int64_t>(room.left(l), 0);
      if (missing <= 0) continue;
      // In mode 1 one layer is enough, so the one closest to enough counts.
      const bool worse = r.mode == 1 ? missing < worst_missing : missing > worst_missing;
      if (worst != HresTable::kNone && !worse) continue;
      worst_missing = missing;
      worst = l;
    }
    if (worst == HresTable::kNone) continue;
    Finding out = about_layer(need, worst, room);
    out.cause = Cause::supply_apart;
    out.needed = wanted[worst];
    if (r.mode == 3 && need.count > 0) out.factors.push_back(wanted[worst] / need.count);
    return out;
  }
  return {};
}

LayerFindings::Answer LayerFindings::find(LearnedRequest& request, const Window& window,
                                          JobId job) {
  Answer out;
  search_.begin(job);
  Window of_pools = window;
  of_pools.layers = false;
  out.pools_fit = request.impossible.empty() &&
                  search_.total_fits(request, window.view == StateView::empty) &&
                  search_.select(request, of_pools) == WalkOutcome::yes;
  const std::vector<PoolId> nodes =
      search_.charged_walk().nodes_of(search_.result().match.selection);
  const std::int64_t least = search_.charged_walk().nodes_at_least(request);
  search_.begin(job);
  Room room(hres_, job, window);
  for (const std::vector<HresNeed>& needs : request.hres.alternatives) {
    const std::size_t before = out.findings.size();
    for (const HresNeed& need : needs) {
      if (out.findings.size() >= Explanation::kFindingsMax) return out;
      if (auto found = short_alone(need, least, room)) out.findings.push_back(std::move(*found));
    }
    if (out.findings.size() > before || !out.pools_fit) continue;
    if (auto found = short_there(needs, nodes, room)) out.findings.push_back(std::move(*found));
  }
  return out;
}

}  // namespace copse
