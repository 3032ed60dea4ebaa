// SPDX-License-Identifier: Apache-2.0
//
// Engine: a machine with its allocations and reservations. Only the engine writes state.
//
//   auto engine = copse::Engine::create(std::move(graph), {.policy = *copse::find_policy("low")});
//   auto request = (*engine)->prepare(jobspec_text, "job.yaml");
//   auto match = (*engine)->match(copse::Operation::allocate_orelse_reserve, **request, 1);
//
// Times are whole seconds; now() is the present, and no grant extends beyond `horizon`.
// Thread safety: none; one engine, one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/effect.hpp"
#include "copse/error.hpp"
#include "copse/explain.hpp"
#include "copse/grant.hpp"
#include "copse/graph.hpp"
#include "copse/hres.hpp"
#include "copse/ids.hpp"
#include "copse/layout.hpp"
#include "copse/match.hpp"
#include "copse/options.hpp"
#include "copse/request.hpp"
#include "copse/selection.hpp"
#include "copse/status.hpp"

namespace copse {

// A request compiled against the engine's graph, and what searches have learned about it.
struct LearnedRequest;
struct EngineParts;
class Engine;
class PreparedRequest {
 public:
  // As it was prepared: a duration that was set is not in it.
  [[nodiscard]] const Request& request() const { return request_; }
  // The duration that was set, or that of the request; 0: the whole window; negative: invalid.
  [[nodiscard]] std::int64_t duration_s() const {
    return duration_s_.value_or(request_.duration_invalid ? -1 : request_.duration_s);
  }
  // Sets another duration; 0: the whole window. So one compiled request serves all jobs that differ
  // only in duration. Each copy has its own duration. O(1).
  void set_duration(std::int64_t duration_s) { duration_s_ = duration_s; }

 private:
  friend class Engine;
  friend struct EngineParts;
  std::shared_ptr<LearnedRequest> compiled_;
  Request request_;
  std::optional<std::int64_t> duration_s_;  // nullopt: that of the request
  const Engine* engine_ = nullptr;  // the engine that prepared it; no other engine may use it
};

class Engine {
 public:
  // `layouts`: of nodes, by rank: for treepool, and for slots in a domain (slot=1/socket/core=2).
  // Errors: invalid (prune filters); limit (layouts); not_found (an auxiliary subsystem).
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(ResourceGraph graph,
                                                              EngineOptions options,
                                                              Layouts layouts = {});
  ~Engine();
  // A second engine with the same state. Later changes of one do not affect the other. They share
  // graph and state, part by part, until one of them writes. They may be in different threads, if
  // this engine is idle while it is cloned. Requests must be prepared again for the clone.
  // Cost: about 16 bytes for each 1,024 pools, 64 interior pools, 32 grants and 64 records of
  // exclusive spans; 2 bits per pool; for treepool 30 bytes per node; for loop_aware O(pools); for
  // hierarchical resources 4 bytes per node of each layer; 32 bytes per grant once the clock has
  // moved. The first write to a part copies it (4 KB, or what is in use at 64 pools). Candidate
  // lists and windows of leaves are built when the clone first needs them.
  [[nodiscard]] std::unique_ptr<Engine> clone() const;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const ResourceGraph& graph() const;
  [[nodiscard]] const EngineOptions& options() const;

  // Parses and compiles a jobspec; the same text again costs a hash and a comparison.
  // Errors: as parse_jobspec; not_found for a resource type that neither the graph nor a prune
  // filter knows; limit if its xor_slots make more than 1,000 variants. The pointer is valid until
  // the next call of prepare. That call resets the duration to the text's, if the text is the same.
  [[nodiscard]] Result<PreparedRequest*> prepare(std::string_view text, std::string_view file = {});
  // The same for a request that was not parsed from text; not cached.
  [[nodiscard]] Result<PreparedRequest> prepare(Request request);
  // The request without these nodes, with its duration: for a match before properties or the machine
  // change. Errors: as prepare, when a constraint has to be evaluated again. O(pools / 64 + nodes).
  [[nodiscard]] Result<PreparedRequest> without_nodes(PreparedRequest& request,
                                                      std::span<const PoolId> nodes) const;

  // Matches, and grants the result to `job` if the operation allocates. The pointer is valid until
  // the next call. For satisfiability the selection is empty.
  // Errors, state unchanged: insufficient; infeasible (never on this system; only from operations
  // that check it); invalid (an invalid duration); exists (the job has a grant).
  // Cost: a walk (see match/); for a reservation one for each step of the root's planner at which
  // the request may fit.
  [[nodiscard]] MatchResult match(Operation operation, PreparedRequest& request, JobId job);
  // Grants at the earliest time in [from, before) at which the request fits. Errors, state
  // unchanged: as match() with Operation::allocate. Cost: a walk for each time that the totals at
  // the root do not exclude.
  [[nodiscard]] MatchResult match_between(PreparedRequest& request, JobId job, std::int64_t from,
                                          std::int64_t before);
  // Explains why the request gets nothing now, or reports that it fits. Grants nothing and changes
  // neither the state nor the exploration order. Invalidates the result of match().
  // Errors: as prepare, when a constraint has to be evaluated again.
  // Cost: a failed match with satisfiability, and one visit to each candidate; see
  // explain/failure_census.hpp and explain/holders.hpp.
  [[nodiscard]] Result<Explanation> explain(PreparedRequest& request);
  // Whether explain() would report that it fits. Errors: as explain(). Cost: a walk.
  [[nodiscard]] Result<bool> fits(PreparedRequest& request);
  // A sentence for each property that the constraint requires and no node has, and for each that a
  // resource requires and no pool of its type has. O(pools), if there are such.
  [[nodiscard]] std::vector<std::string> missing_properties(const PreparedRequest& request) const;
  // The findings of explain() about hierarchical resources, as `job` sees the layers: now or, with
  // `ever`, without grants and reservations. Empty if layers are not the reason. Invalidates the
  // result of match(). O(nodes + layers), and a failed match.
  [[nodiscard]] std::vector<Finding> short_layers(PreparedRequest& request, JobId job, bool ever);

  // Moves the reservation of a job to the earliest time in [from, before) at which it fits without
  // the old one, if that is earlier. Returns true if it was moved; else nothing changes. REQUIRES
  // the job's own request, with its duration. Errors, state unchanged: not_found (the job), those
  // of prepare.
  // Cost: a walk for each time that the totals at the root do not exclude. The grant is removed and
  // applied again only for times at which it conflicts with itself.
  [[nodiscard]] Result<bool> move_earlier(JobId job, PreparedRequest& request, std::int64_t from,
                                          std::int64_t before);

  // Moves the clock to `t`. Grants that end by then are removed; reservations that start by then
  // become allocations. Errors, state unchanged: invalid if t < now() or t >= horizon. Cost: O(size
  // of the grants that start or end, and log n for each).
  [[nodiscard]] Result<void> advance(std::int64_t t);
  [[nodiscard]] std::int64_t now() const;

  // Releases the grant of a job. Errors: not_found. Cost: O(size of the grant).
  [[nodiscard]] Result<void> cancel(JobId job);
  [[nodiscard]] const Grant* grant(JobId job) const;  // nullptr if it has none
  [[nodiscard]] std::size_t grant_count() const;
  [[nodiscard]] std::vector<JobId> jobs() const;  // jobs with a grant, ascending

  // Releases those of `pools` that the job has; each means itself, without the pools below it. Of a
  // divisible pool with an amount, only that many units are released.
  // Returns true if nothing is left: the grant is then removed. Errors, state unchanged: not_found
  // (the job), unsupported (a reservation, unless `planned_too`; Fluxion does not cut
  // reservations), invalid (it has none of the pools). Cost: O(size of the grant).
  [[nodiscard]] Result<bool> cancel_part(JobId job, const PoolChoice& pools,
                                         bool planned_too = false);
  // Sets the end of a grant. Errors, state unchanged: not_found; invalid (not after its start and
  // now, or beyond the horizon); insufficient, naming a pool that another job has before that end.
  // Charges may exceed the counts of layers.
  // Cost: O(what it has).
  [[nodiscard]] Result<void> set_end(JobId job, std::int64_t end);
  // Grants pools that the caller chose, each exclusively, over [start, start + duration). A `start`
  // after now makes a reservation. Errors, state unchanged: exists; invalid (times, no pool);
  // insufficient, naming a pool that is not free. Cost: O(pools × depth + amounts × log pools).
  // `charges` comes from charges_of(). Layers are charged for its needs, even beyond their totals.
  // In mode 1 the layer that it names is charged; else the one that a match would charge, else the
  // first.
  [[nodiscard]] Result<const Match*> update(JobId job, const PoolChoice& pools, std::int64_t start,
                                            std::int64_t duration_s,
                                            const GrantCharges& charges = {});

  // --- A machine that grows and shrinks while jobs run. Pool numbers may change (if the graph has
  // to be rebuilt); requests prepared from text must then be prepared again. Adds subtrees. All
  // their pools are free. Errors, state unchanged: as ResourceGraph::attach.
  // Cost: O(pools of the subtrees and of the paths to the root); O(machine) if the graph has to be
  // rebuilt.
  [[nodiscard]] Result<void> attach(std::span<const NewSubtree> subtrees);
  // Removes subtrees. Jobs lose the pools that they have there; grants without pools are removed.
  // Returns the jobs that lost pools. Errors, state unchanged: as ResourceGraph::remove.
  [[nodiscard]] Result<std::vector<JobId>> remove(std::span<const PoolId> tops);
  // Rebuilds the graph without its removed pools. All pools get new numbers, in preorder.
  // O(machine).
  [[nodiscard]] Result<void> compact();
  [[nodiscard]] Names& names();  // to intern the words of NewPool

  // Sets the user of a job that has a grant, for a visiting policy (copse/policy/visit.hpp): if it was not
  // matched with Request::user. O(log jobs).
  void set_user(JobId job, const std::string& user);

  [[nodiscard]] Status status(PoolId pool) const;
  void set_status(PoolId pool, Status status);
  void set_property(PoolId pool, std::string key, std::string value);
  bool remove_property(PoolId pool, const std::string& key);  // false: it has no such property
  void set_tag(PoolId pool, std::string key, std::string value = {});

  // Pools that match the expression, and their ancestors: children before parents, all shown as
  // exclusive. `with_filters`: the expression has agfilter=true.
  // Grammar: docs/reference/find.md. Errors: invalid. Cost: O(pools).
  struct FindResult {
    std::vector<ExpandedPool> pools;
    bool with_filters = false;
    JobId filter_job = 0;  // show what this job uses; 0: all jobs
  };
  [[nodiscard]] Result<FindResult> find(std::string_view expression) const;
  // For each type that the prune filter of an interior pool tracks: units in use now, and in total.
  // As in Fluxion, what lies below a pool that a job has exclusively does not count as in use; see
  // free_units().
  struct FilterUse {
    TypeId type;
    std::int64_t used, total;
  };
  [[nodiscard]] std::vector<FilterUse> filter_use(PoolId pool, JobId job = 0) const;
  // Units of a type in a subtree that are free now, however the others were requested: their pool and
  // all above it are usable, and no job has one of these exclusively, or a part of their pool.
  // O(depth + pools with a job on some of what lies below them, and their children); O(pools of the
  // subtree) while some pool of the machine is not usable.
  [[nodiscard]] std::int64_t free_units(PoolId top, TypeId type) const;

  // --- Hierarchical resources. Nodes and layers of a request are matched and charged together.
  // Adds resources, and layers to those of the same name. Running jobs continue. In modes 2 and 3
  // they are charged for new layers over their nodes; in mode 1 the layer that was charged stays
  // charged. Use may then exceed the count; no further request fits until enough is released.
  // Errors, state unchanged: invalid, with its location in the file; exists (a layer with the same
  // nodes); limit. Cost: O(nodes of all layers + charges of all grants).
  [[nodiscard]] Result<void> add_resources(const HresSpec& spec, std::string_view file = {});
  // A layer is identified by its resource and its set of nodes, in any spelling. Errors, state
  // unchanged: not_found; invalid (the remaining layers are not a tree; the layer is reserved; a
  // count below the base).
  // Cost: as above; of a count O(layers of the resource).
  [[nodiscard]] Result<void> remove_layer(std::string_view resource, std::string_view nodes);
  [[nodiscard]] Result<void> set_layer_nodes(std::string_view resource, std::string_view nodes,
                                             std::string_view to);
  [[nodiscard]] Result<void> set_layer_count(std::string_view resource, std::string_view nodes,
                                             std::int64_t count);
  // Reserves an amount of one layer for named jobs, which may have grants already. Errors, state
  // unchanged: not_found, exists (the id), invalid, limit; infeasible (more than the layer has),
  // insufficient.
  [[nodiscard]] Result<void> reserve_layer(const LayerReservation& reservation);
  [[nodiscard]] Result<void> free_layer(std::string_view id);  // errors: not_found
  // The first time >= t at which a reservation of a layer starts or ends. Grants do not count.
  // O(log reservations).
  [[nodiscard]] std::optional<std::int64_t> next_layer_change(std::int64_t t) const;
  // All layers as they are at a time, by resource, in the order of the file. O(layers · log spans).
  [[nodiscard]] std::vector<LayerView> layers(std::int64_t at) const;
  // "flat:2;natural(node[01-32]):5": resources, counts and, in mode 1, the layer that is charged.
  [[nodiscard]] std::string charges_text(const GrantCharges& charges) const;
  // Reads such a text (parsed by parse_hres_shares, request/hres.hpp): its needs, and the layers
  // that it names.
  // Errors: invalid (an unknown resource or variable; a sum beyond 63 bits); not_found (a layer).
  [[nodiscard]] Result<GrantCharges> charges_of(std::span<const HresShare> shares) const;

  // What grants charge at a time to a pool that is a capacity of an auxiliary subsystem. O(log n).
  [[nodiscard]] std::int64_t charged(PoolId pool, std::int64_t at) const;
  // The name of a channel: "power", "pfs1bw".
  [[nodiscard]] const std::string& channel_name(std::uint32_t channel) const;

  // --- Effects (copse/effect.hpp). Reports each change to the sink, after it was made; nullptr: to
  // none. REQUIRES that uniq_ids of pools differ, and that the sink outlives the engine.
  void observe(EffectSink* sink);
  // Applies an effect of an engine that was equal to this one. The sink of this engine is notified,
  // too. Errors, state unchanged: invalid, and those of the call that made the effect. Exception:
  // if pools or layers were removed and the effect has an invalid grant, the state is changed in
  // part. Cost: of the change, without the match.
  [[nodiscard]] Result<void> apply(const Effect& effect);

  // Equal states have equal fingerprints (properties, the exploration order of `first` and the order
  // in which grants came are not part of it). O(pools + grants).
  [[nodiscard]] std::uint64_t fingerprint() const;
  [[nodiscard]] std::uint64_t bytes() const;  // of graph and state

 private:
  friend class EngineImager;
  explicit Engine(std::unique_ptr<EngineParts> parts);
  std::unique_ptr<EngineParts> parts_;
};

}  // namespace copse
