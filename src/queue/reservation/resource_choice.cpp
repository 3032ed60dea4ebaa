// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/resource_choice.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "queue/counts/counted_request.hpp"
#include "request/constraint.hpp"
#include "text/counted.hpp"

namespace copse::queue {

namespace {

using Resources = ReservedNodes::Resources;

Result<Resources> resources_of_constraint(const ResourceGraph& graph, TypeId node,
                                          const Constraint& wanted, const ReservedBy& reserved_by) {
  Resources out;
  std::string name;
  for (const PoolId p : graph.of_type(node)) {
    name.clear();
    graph.append_name(p, name);
    if (!graph.in_tree(p) || !holds(wanted, {name, graph.rank(p), graph.properties(p)})) continue;
    if (const std::string* other = reserved_by(p)) {
      return fail(ErrorCode::exists,
                  fmt::format("the reservation \"{}\" has {} at that time", *other, name));
    }
    out.nodes.push_back(p);
  }
  if (out.nodes.empty()) {
    return fail(ErrorCode::invalid, "the machine has no node for which the constraint holds");
  }
  std::ranges::sort(out.nodes);
  return out;
}

// Tries a request on a clone of the engine, with the clock at the start.
class Trial {
 public:
  Trial(const Engine& engine, TypeId node, std::int64_t start_s, std::int64_t end_s,
        const ReservedBy& reserved_by)
      : clone_(engine.clone()),
        graph_(clone_->graph()),
        node_(node),
        now_s_(engine.now()),
        end_s_(end_s),
        reserved_by_(reserved_by) {
    [[maybe_unused]] const auto there = clone_->advance(start_s);
    assert(there);
  }

  Result<Resources> choose(const Request& request) {
    auto prepared = clone_->prepare(request);
    if (!prepared) return std::unexpected(prepared.error());
    prepared->set_duration(end_s_ - clone_->now());
    std::expected<void, NoMatch> found = match(*prepared);
    if (!found) {
      cancel([&](const Grant& grant) { return grant.start > now_s_; });
      found = match(*prepared);
    }
    if (!found) {
      cancel([&](const Grant& grant) { return !in_other(grant); });
      found = match(*prepared);
    }
    if (!found) return std::unexpected(too_little(request, found.error()));
    return resources();
  }

 private:
  // For a request of whole nodes, the error has the number of nodes of the machine.
  [[nodiscard]] Error too_little(const Request& request, const NoMatch& why) const {
    const auto there =
        std::ranges::count_if(graph_.of_type(node_), [&](PoolId p) { return graph_.in_tree(p); });
    const std::int64_t asked = requested_nodes(request);
    if (asked <= there) return {why.code, why.text, {}};
    return {ErrorCode::infeasible,
            fmt::format("it asks for {}, and the machine has {}", counted(asked, "node"), there),
            {}};
  }

  static constexpr JobId kTrial = ~JobId{0};  // an id that no grant has

  std::expected<void, NoMatch> match(PreparedRequest& request) {
    layers_ = clone_->layers(clone_->now());
    const auto made = clone_->match(Operation::allocate, request, kTrial);
    if (!made) return std::unexpected(made.error());
    return {};
  }

  template <class Which>
  void cancel(Which which) {
    for (const JobId job : clone_->jobs()) {
      if (is_reservation(job)) continue;
      const Grant& grant = *clone_->grant(job);
      if (grant.start >= end_s_ || !which(grant)) continue;
      [[maybe_unused]] const auto gone = clone_->cancel(job);
    }
  }

  PoolId node_of(PoolId pool) const {
    while (pool != kNoPool && graph_.type(pool) != node_) pool = graph_.parent(pool);
    return pool;
  }

  std::vector<PoolId> nodes_of(const Grant& grant) const {
    std::vector<ExpandedPool> pools;
    expand(graph_, grant.selection, pools);
    std::vector<PoolId> out;
    for (const ExpandedPool& pool : pools) {
      if (const PoolId node = node_of(pool.pool); node != kNoPool) out.push_back(node);
    }
    std::ranges::sort(out);
    const auto same = std::ranges::unique(out);
    out.erase(same.begin(), same.end());
    return out;
  }

  bool in_other(const Grant& grant) const {
    return std::ranges::any_of(nodes_of(grant),
                               [&](PoolId node) { return reserved_by_(node) != nullptr; });
  }

  // The charge of a layer is the increase of its use.
  Result<Resources> resources() const {
    Resources out;
    out.nodes = nodes_of(*clone_->grant(kTrial));
    if (out.nodes.empty()) {
      return fail(ErrorCode::unsupported, "a reservation has nodes, and the request asks for none");
    }
    for (const PoolId node : out.nodes) {
      if (const std::string* other = reserved_by_(node)) {
        return fail(ErrorCode::exists, fmt::format("the reservation \"{}\" has {} at that time",
                                                   *other, graph_.name(node)));
      }
    }
    const std::vector<LayerView> after = clone_->layers(clone_->now());
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::int64_t amount = after[i].used - layers_[i].used;
      if (amount > 0 && after[i].total != kUnlimitedCount) {
        out.layers.push_back(
            {.resource = after[i].resource, .nodes = after[i].nodes, .amount = amount});
      }
    }
    return out;
  }

  std::unique_ptr<Engine> clone_;
  const ResourceGraph& graph_;
  TypeId node_;
  std::int64_t now_s_;  // of the engine
  std::int64_t end_s_;
  const ReservedBy& reserved_by_;
  std::vector<LayerView> layers_;  // before the match
};

}  // namespace

Result<Resources> choose_resources(const Engine& engine, const ReservationSpec& spec,
                                   std::int64_t start_s, std::int64_t end_s,
                                   const ReservedBy& reserved_by) {
  const ResourceGraph& graph = engine.graph();
  const TypeId node = graph.find_type("node");
  if (node == kNoType) {
    return fail(ErrorCode::unsupported, "a reservation has nodes, and the machine has none");
  }
  if (!spec.request) return resources_of_constraint(graph, node, spec.constraint, reserved_by);
  Request request = *spec.request;
  request.constraint = both(std::move(request.constraint), spec.constraint);
  return Trial(engine, node, start_s, end_s, reserved_by).choose(request);
}

}  // namespace copse::queue
