// SPDX-License-Identifier: Apache-2.0
#include "property/hres_oracle.hpp"

#include <algorithm>

namespace copse::property {

namespace {
bool inside(const std::set<int>& a, const std::set<int>& b) {
  return std::all_of(a.begin(), a.end(), [&](int n) { return b.contains(n); });
}
}  // namespace

std::int64_t HresOracle::used(int layer, std::int64_t t) const {
  std::int64_t sum = 0;
  for (const auto& [id, g] : grants) {
    const auto at = g.charges.find(layer);
    if (at != g.charges.end() && g.start <= t && t < g.end) sum += at->second;
  }
  return sum;
}

std::int64_t HresOracle::reserved_at(int layer, std::int64_t t) const {
  std::int64_t sum = 0;
  for (const Reserved& r : reserved) {
    if (r.layer == layer && r.start <= t && t < r.end) sum += r.count;
  }
  return sum;
}

std::int64_t HresOracle::held(int layer, std::int64_t t, std::uint64_t job) const {
  std::map<std::uint64_t, std::int64_t> taken;  // that no reservation has counted yet
  for (const auto& [id, g] : grants) {
    const auto at = g.charges.find(layer);
    if (at != g.charges.end() && g.start <= t && t < g.end) taken[id] = at->second;
  }
  std::int64_t sum = 0;
  for (const Reserved& r : reserved) {
    if (r.layer != layer || t < r.start || t >= r.end) continue;
    std::int64_t rest = r.count;
    bool named = false;
    for (std::uint64_t id : r.jobs) {
      const std::int64_t part = std::min(rest, taken[id]);
      rest -= part;
      taken[id] -= part;
      named = named || id == job;
    }
    if (!named) sum += rest;
  }
  return sum;
}

std::vector<std::int64_t> HresOracle::times(std::int64_t from) const {
  std::set<std::int64_t> out{from};
  for (const auto& [id, g] : grants) out.insert({g.start, g.end});
  for (const Reserved& r : reserved) out.insert({r.start, r.end});
  out.erase(out.begin(), out.lower_bound(from));
  out.erase(out.lower_bound(kForever), out.end());
  return {out.begin(), out.end()};
}

std::int64_t HresOracle::free(int layer, std::int64_t start, std::int64_t end,
                              std::uint64_t job) const {
  const std::int64_t total = layers[static_cast<std::size_t>(layer)].total();
  std::int64_t least = total;
  for (std::int64_t t : times(start)) {
    if (t < end) least = std::min(least, total - used(layer, t) - held(layer, t, job));
  }
  return least;
}

std::int64_t HresOracle::end_of(const Job& job, std::int64_t start) const {
  return job.duration == 0 ? kForever : std::min(start + job.duration, kForever);
}

std::set<int> HresOracle::able(const Job& job, const std::vector<Need>& needs, std::int64_t start,
                               std::uint64_t id, bool empty) const {
  const std::int64_t end = end_of(job, start);
  std::map<int, std::int64_t> amounts;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const int layer = static_cast<int>(l);
    amounts[layer] = empty ? layers[l].total() : free(layer, start, end, id);
  }
  std::set<int> out;
  for (const auto& [node, all] : cores) {
    if (!job.allowed.contains(node) || (!empty && down.contains(node))) continue;
    std::set<int> busy;
    bool touched = false;
    for (const auto& [other, g] : grants) {
      const auto at = g.cores.find(node);
      if (empty || at == g.cores.end() || g.end <= start || end <= g.start) continue;
      busy.insert(at->second.begin(), at->second.end());
      touched = true;
    }
    bool fits = all - static_cast<int>(busy.size()) >= job.cores && !(job.exclusive && touched);
    for (const Need& need : needs) {
      const Resource& r = resources[static_cast<std::size_t>(need.resource)];
      std::size_t over = 0, enough = 0;
      bool leaf = false;
      for (int layer : r.layers) {
        const Layer& l = layers[static_cast<std::size_t>(layer)];
        if (!l.nodes.contains(node)) continue;
        ++over;
        enough += need.count <= amounts[layer] ? 1 : 0;
        leaf = leaf || std::none_of(r.layers.begin(), r.layers.end(), [&](int other) {
                 return other != layer &&
                        inside(layers[static_cast<std::size_t>(other)].nodes, l.nodes);
               });
      }
      fits = fits && (r.mode == 1 ? enough > 0 : over > 0 && enough == over);
      fits = fits && (r.mode != 3 || leaf);
    }
    if (fits) out.insert(node);
  }
  return out;
}

// From the leaves up: the room of a layer is that of the layers below it together, at most its own
// free amount.
std::int64_t HresOracle::most_nodes(const Need& need, const std::set<int>& able, std::int64_t start,
                                    std::int64_t end, std::uint64_t id, bool empty) const {
  const Resource& r = resources[static_cast<std::size_t>(need.resource)];
  std::vector<int> up = r.layers;
  const auto nodes_of = [&](int l) -> const std::set<int>& {
    return layers[static_cast<std::size_t>(l)].nodes;
  };
  std::stable_sort(up.begin(), up.end(),
                   [&](int a, int b) { return nodes_of(a).size() < nodes_of(b).size(); });
  std::map<int, std::int64_t> most;
  for (std::size_t i = 0; i < up.size(); ++i) {
    const int layer = up[i];
    std::int64_t below = 0;
    bool leaf = true;
    for (std::size_t k = 0; k < i; ++k) {
      if (!inside(nodes_of(up[k]), nodes_of(layer))) continue;
      leaf = false;
      bool child = true;  // nothing lies between
      for (std::size_t m = k + 1; m < i; ++m) {
        child = child && !(inside(nodes_of(up[k]), nodes_of(up[m])) &&
                           inside(nodes_of(up[m]), nodes_of(layer)));
      }
      below += child ? most[up[k]] : 0;
    }
    if (leaf)
      below = std::count_if(able.begin(), able.end(),
                            [&](int n) { return nodes_of(layer).contains(n); });
    const std::int64_t has =
        empty ? layers[static_cast<std::size_t>(layer)].total() : free(layer, start, end, id);
    most[layer] = std::min(below, has < 0 ? 0 : has / need.count);
  }
  return most[up.back()];
}

bool HresOracle::serves(const Job& job, const std::vector<Need>& needs, std::int64_t start,
                        std::uint64_t id, bool empty) const {
  const std::set<int> nodes = able(job, needs, start, id, empty);
  auto most = static_cast<std::int64_t>(nodes.size());
  for (const Need& need : needs) {
    if (resources[static_cast<std::size_t>(need.resource)].mode != 3) continue;
    most = std::min(most, most_nodes(need, nodes, start, end_of(job, start), id, empty));
  }
  return most >= job.nodes;
}

int HresOracle::alternative(const Job& job, std::int64_t start, std::uint64_t id,
                            bool empty) const {
  if (job.alternatives.empty()) return serves(job, {}, start, id, empty) ? 0 : -1;
  for (std::size_t i = 0; i < job.alternatives.size(); ++i) {
    if (serves(job, job.alternatives[i], start, id, empty)) return static_cast<int>(i);
  }
  return -1;
}

std::int64_t HresOracle::start_of(const Job& job, std::uint64_t id, bool wait) const {
  if (alternative(job, 0, id, true) < 0) return -1;
  for (std::int64_t t : times(now)) {
    if (alternative(job, t, id, false) >= 0) return t;
    if (!wait) break;
  }
  return -1;
}

HresOracle::Amounts HresOracle::charges(const std::vector<Need>& needs, const std::set<int>& nodes,
                                        std::int64_t start, std::int64_t end,
                                        std::uint64_t id) const {
  Amounts out;
  for (const Need& need : needs) {
    const Resource& r = resources[static_cast<std::size_t>(need.resource)];
    int payer = -1;
    for (int layer : r.layers) {
      const Layer& l = layers[static_cast<std::size_t>(layer)];
      const auto both =
          std::count_if(nodes.begin(), nodes.end(), [&](int n) { return l.nodes.contains(n); });
      if (both == 0) continue;
      if (r.mode == 2) out[layer] = need.count;
      if (r.mode == 3) out[layer] = need.count * both;
      if (r.mode != 1 || free(layer, start, end, id) < need.count) continue;
      const bool better =
          payer < 0 || (!file_order && l.total() > layers[static_cast<std::size_t>(payer)].total());
      if (better) payer = layer;
    }
    if (r.mode == 1) out[payer] = need.count;
  }
  return out;
}

HresOracle::Amounts HresOracle::redrawn(const Grant& grant) const {
  std::set<int> nodes;
  for (const auto& [node, ids] : grant.cores) nodes.insert(node);
  Amounts out;
  for (const Need& need : grant.needs) {
    const Resource& r = resources[static_cast<std::size_t>(need.resource)];
    for (int layer : r.layers) {
      const Layer& l = layers[static_cast<std::size_t>(layer)];
      const auto both =
          std::count_if(nodes.begin(), nodes.end(), [&](int n) { return l.nodes.contains(n); });
      if (r.mode == 1 && grant.charges.contains(layer))
        out[layer] = need.count;  // the charged layer stays charged
      if (r.mode == 2 && both > 0) out[layer] = need.count;
      if (r.mode == 3 && both > 0) out[layer] = need.count * both;
    }
  }
  return out;
}

std::string HresOracle::refuses(const Reserved& wanted) const {
  const std::int64_t total = layers[static_cast<std::size_t>(wanted.layer)].total();
  for (const Reserved& r : reserved) {
    if (r.id == wanted.id) return "exists";
  }
  if (wanted.count > total) return "infeasible";
  HresOracle with = *this;
  with.reserved.push_back(wanted);
  for (std::int64_t t : with.times(wanted.start)) {
    if (t < wanted.end && total - with.used(wanted.layer, t) < with.held(wanted.layer, t, 0)) {
      return "insufficient";
    }
  }
  return "";
}

bool HresOracle::named(std::size_t layer) const {
  const Resource& r = resources[static_cast<std::size_t>(layers[layer].resource)];
  const bool there =
      std::find(r.layers.begin(), r.layers.end(), static_cast<int>(layer)) != r.layers.end();
  return there && !layers[layer].nodes.empty();
}

bool HresOracle::any_named() const {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (named(l)) return true;
  }
  return false;
}

void HresOracle::advance(std::int64_t t) {
  now = t;
  std::erase_if(grants, [&](const auto& entry) { return entry.second.end <= t; });
  std::erase_if(reserved, [&](const Reserved& r) { return r.end <= t; });
}

}  // namespace copse::property
