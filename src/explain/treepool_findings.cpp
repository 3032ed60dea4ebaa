// SPDX-License-Identifier: Apache-2.0
#include "explain/treepool_findings.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "request/count_text.hpp"

namespace copse {

namespace {

// What one unit takes of each type, domains included.
using Amounts = std::map<std::string, std::int64_t>;

void add(Amounts& amounts, const std::string& type, std::int64_t units) {
  if (units > 0) amounts[type] = saturating_sum(amounts[type], units);
}

void add_part(Amounts& amounts, const SlotPart& part, std::int64_t times) {
  times = saturating_product(times, part.count);
  if (!part.name.empty()) add(amounts, part.name, times);
  times = saturating_product(times, part.repeat);
  add(amounts, "core", saturating_product(times, part.amounts[kCore]));
  add(amounts, "gpu", saturating_product(times, part.amounts[kGpu]));
  for (const SlotPart& inside : part.parts) add_part(amounts, inside, times);
}

Amounts amounts_of(const TreepoolRequest& asked) {
  Amounts out;
  add(out, "core", asked.cores.min);
  add(out, "gpu", asked.gpus.min);
  for (const SlotPart& part : asked.parts) add_part(out, part, 1);
  return out;
}

class TreepoolFindings {
 public:
  TreepoolFindings(const TreepoolView& view, Verdict verdict)
      : view_(view), graph_(view.graph), empty_(verdict == Verdict::infeasible) {}

  std::vector<Finding> find() {
    const TreepoolRequest& asked = view_.asked;
    const std::int64_t of_node = asked.by_node ? std::max<std::int64_t>(asked.units.min, 1) : 1;
    const Amounts unit = amounts_of(asked);
    for (const auto& [type, units] : unit) {
      check_node(type, {of_node, units});
    }
    if (!out_.empty()) return std::move(out_);
    if (asked.by_node) {
      check_nodes(saturating_product(asked.nodes.min, asked.node_factor), unit, of_node);
    } else {
      check_units(asked.units.min, unit);
    }
    if (out_.empty()) add_not_together(unit);
    return std::move(out_);
  }

 private:
  struct NodeAmount {
    std::int64_t has = 0, free = 0;
  };

  [[nodiscard]] NodeAmount amount_of(PoolId node, const std::string& type) const {
    NodeAmount out;
    const TypeId id = graph_.find_type(type);
    const Shape& shape = graph_.shape(node);
    const int k = id == kNoType || graph_.leaf(node) ? -1 : shape.total_index(id);
    if (k < 0) return {domains_of(node, type), domains_of(node, type)};
    const auto at = static_cast<std::size_t>(k);
    out.has = shape.totals[at].total;
    out.free = out.has;
    if (empty_) return out;
    out.free -= view_.state.row(graph_.interior(node))[at + 1];
    if (!view_.state.usable(node)) out.free = 0;
    return out;
  }

  // How many domains of a name the node's layout has.
  [[nodiscard]] std::int64_t domains_of(PoolId node, const std::string& name) const {
    const Layout* layout = view_.layouts.of_rank(graph_.rank(node));
    if (layout == nullptr) return 0;
    return std::ranges::count(layout->domains, name, &Domain::name);
  }

  // Whether no job has any part of the node.
  [[nodiscard]] bool untouched(PoolId node) const {
    return view_.state.usable(node) && !view_.state.exclusive_spans().active(node) &&
           (graph_.leaf(node) || view_.state.row(graph_.interior(node))[0] == 0);
  }

  [[nodiscard]] std::vector<PoolId> nodes() const {
    std::vector<PoolId> out;
    for (const PoolId p : graph_.of_type(graph_.find_type("node"))) {
      if (!graph_.removed(p)) out.push_back(p);
    }
    return out;
  }

  [[nodiscard]] NodeAmount most_on_a_node(const std::string& type) const {
    NodeAmount most;
    for (const PoolId node : nodes()) {
      const NodeAmount here = amount_of(node, type);
      most.has = std::max(most.has, here.has);
      most.free = std::max(most.free, here.free);
    }
    return most;
  }

  // The type that no node has enough of for what must be on one node.
  void check_node(const std::string& type, const std::vector<std::int64_t>& factors) {
    std::int64_t needed = 1;
    for (const std::int64_t factor : factors) needed = saturating_product(needed, factor);
    const NodeAmount most = most_on_a_node(type);
    if (most.free >= needed) return;
    Finding& finding = add_finding(type, needed, most);
    finding.factors = factors;
    finding.where = "node";
  }

  // How many times a node has what a unit takes.
  [[nodiscard]] NodeAmount units_on(PoolId node, const Amounts& unit) const {
    NodeAmount out{INT64_MAX, INT64_MAX};
    for (const auto& [type, units] : unit) {
      const NodeAmount here = amount_of(node, type);
      out.has = std::min(out.has, here.has / units);
      out.free = std::min(out.free, here.free / units);
    }
    if (view_.asked.whole_nodes && !empty_ && !untouched(node)) out.free = 0;
    if (!empty_ && !view_.state.usable(node)) out.free = 0;
    return out;
  }

  void check_nodes(std::int64_t needed, const Amounts& unit, std::int64_t of_node) {
    NodeAmount all;
    for (const PoolId node : nodes()) {
      ++all.has;
      if (units_on(node, unit).free >= of_node) ++all.free;
    }
    if (all.free >= needed) return;
    add_finding("node", needed, all);
  }

  void check_units(std::int64_t needed, const Amounts& unit) {
    NodeAmount all;
    for (const PoolId node : nodes()) {
      const NodeAmount here = units_on(node, unit);
      all.has = saturating_sum(all.has, here.has);
      all.free = saturating_sum(all.free, here.free);
    }
    if (all.free < needed) add_finding("slot", needed, all);
  }

  // Whether a node's core or GPU of this type is in the domain, and is free.
  [[nodiscard]] std::int64_t units_in(PoolId node, const Layout& layout, std::size_t domain,
                                      std::string_view type, const IdRanges Domain::* ids) const {
    const TypeId id = graph_.find_type(type);
    std::int64_t out = 0;
    for (const PoolId p : graph_.children(node)) {
      if (graph_.type(p) != id || (!empty_ && view_.state.exclusive_spans().active(p))) continue;
      // Those inside follow it, and have it or one of them as their parent.
      for (std::size_t d = domain; d < layout.domains.size(); ++d) {
        if (d > domain && layout.domains[d].parent < domain) break;
        out += std::ranges::any_of(layout.domains[d].*ids, [&](const auto& range) {
          return range.first <= graph_.id(p) && graph_.id(p) <= range.second;
        });
      }
    }
    return out;
  }

  // The domains of a name, and those that have what one of them must have.
  [[nodiscard]] NodeAmount domains_with(const SlotPart& part) const {
    const auto needed = [&](std::size_t leaf) {
      return saturating_product(part.repeat, part.amounts[leaf]);
    };
    NodeAmount out;
    for (const PoolId node : nodes()) {
      const Layout* const layout = view_.layouts.of_rank(graph_.rank(node));
      if (layout == nullptr) continue;
      for (std::size_t d = 1; d < layout->domains.size(); ++d) {
        if (layout->domains[d].name != part.name) continue;
        ++out.has;
        const bool usable = empty_ || view_.state.usable(node);
        if (usable && units_in(node, *layout, d, "core", &Domain::cores) >= needed(kCore) &&
            units_in(node, *layout, d, "gpu", &Domain::gpus) >= needed(kGpu)) {
          ++out.free;
        }
      }
    }
    return out;
  }

  // A domain that the request names, if too few have what it asks of one.
  bool add_domain() {
    for (const SlotPart& part : view_.asked.parts) {
      if (part.name.empty()) continue;
      const NodeAmount domains = domains_with(part);
      if (domains.free >= part.count) continue;
      Finding& finding = add_finding(part.name, part.count, domains);
      finding.cause = Cause::not_together;
      finding.where = "node";
      finding.candidates = {};
      finding.candidates.all = static_cast<std::uint64_t>(domains.has);
      finding.candidates.fit = static_cast<std::uint64_t>(domains.free);
      (empty_ ? finding.candidates.lacking : finding.candidates.busy) =
          static_cast<std::uint64_t>(domains.has - domains.free);
      return true;
    }
    return false;
  }

  // There is enough of each type, but not in one domain, or not of the nodes that are allowed.
  void add_not_together(const Amounts& unit) {
    if (add_domain()) return;
    const std::string type = unit.contains("gpu")    ? "gpu"
                             : unit.contains("core") ? "core"
                             : unit.empty()          ? "node"
                                                     : unit.begin()->first;
    const auto of_unit = unit.find(type);
    const NodeAmount most = most_on_a_node(type);
    Finding& finding = add_finding(type, of_unit == unit.end() ? 1 : of_unit->second, most);
    finding.cause = Cause::not_together;
    finding.where = "node";
  }

  Finding& add_finding(const std::string& type, std::int64_t needed, const NodeAmount& most) {
    Finding& out = out_.emplace_back();
    out.type = type;
    out.needed = needed;
    out.most_has = most.has;
    out.most_fits = most.free;
    NodeAmount all = most;
    if (type != "node" && type != "slot") {
      all = {};
      for (const PoolId node : nodes()) {
        const NodeAmount here = amount_of(node, type);
        all.has = saturating_sum(all.has, here.has);
        all.free = saturating_sum(all.free, here.free);
      }
    }
    out.candidates.all = static_cast<std::uint64_t>(all.has);
    out.candidates.fit = static_cast<std::uint64_t>(all.free);
    (empty_ ? out.candidates.lacking : out.candidates.busy) =
        static_cast<std::uint64_t>(all.has - all.free);
    if (!empty_) add_holders(out);
    set_path(view_.request.resources, {}, out);
    return out;
  }

  // The jobs on the nodes. Of nodes it is known what excludes each.
  void add_holders(Finding& out) {
    const bool of_nodes = out.type == "node";
    std::vector<Obstacle> obstacles;
    std::uint64_t held = 0, down = 0;
    for (const PoolId node : nodes()) {
      if (untouched(node)) continue;
      if (!view_.state.usable(node)) {
        ++down;
      } else {
        held += view_.state.exclusive_spans().active(node) ? 1 : 0;
        obstacles.push_back({node, Obstacle::Scope::below});
      }
    }
    if (of_nodes) {
      out.candidates.held = std::min(held, out.candidates.busy);
      out.candidates.busy -= out.candidates.held;
      out.candidates.down = std::min(down, out.candidates.busy);
      out.candidates.busy -= out.candidates.down;
    }
    const TypeId type = graph_.find_type(out.type == "slot" ? "node" : out.type);
    if (type == kNoType) return;
    find_holders(graph_, view_.state, view_.grants, obstacles, type, view_.start, view_.end, out);
  }

  // Where in the request the type is.
  bool set_path(const std::vector<Resource>& resources, const std::string& above, Finding& out) {
    for (const Resource& r : resources) {
      const std::string path = fmt::format("{}{}{}[{}]", above, above.empty() ? "" : " > ", r.type,
                                           r.count.min >= 1 ? count_text(r.count) : "0");
      if (r.type == out.type) {
        out.path = path;
        out.place = r.place;
        return true;
      }
      if (set_path(r.with, path, out)) return true;
    }
    return false;
  }

  const TreepoolView& view_;
  const ResourceGraph& graph_;
  bool empty_;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> treepool_findings(const TreepoolView& view, Verdict verdict) {
  return TreepoolFindings(view, verdict).find();
}

}  // namespace copse
