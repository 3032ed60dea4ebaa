// SPDX-License-Identifier: Apache-2.0
//
// Engine: a machine, what runs on it and what is reserved. The one place that writes state.
//
//   auto engine = copse::Engine::create(std::move(graph), {.policy = *copse::find_policy("low")});
//   auto request = (*engine)->prepare(jobspec_text, "job.yaml");
//   auto match = (*engine)->match(copse::Operation::allocate_orelse_reserve, **request, 1);
//
// Times are whole seconds; the present is now(), and nothing is planned beyond `horizon`.
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

// A request compiled against the engine's graph.
struct CompiledRequest;
struct EngineParts;
class Engine;
class PreparedRequest {
 public:
  [[nodiscard]] const std::string& queue() const;
  // Asks for another duration from now on; 0: the whole window. So one compiled request serves all
  // jobs that differ in their duration. Copies have durations of their own. O(1).
  void set_duration(std::int64_t duration_s) { duration_s_ = duration_s; }

 private:
  friend class Engine;
  friend struct EngineParts;
  // Below 0: it is none.
  [[nodiscard]] std::int64_t duration_s() const {
    return duration_s_.value_or(request_.duration_invalid ? -1 : request_.duration_s);
  }
  std::shared_ptr<CompiledRequest> compiled_;
  Request request_;
  std::optional<std::int64_t> duration_s_;  // none: the request's own
  const Engine* engine_ = nullptr;          // that prepared it; no other may be given it
};

class Engine {
 public:
  // `layouts` are those of nodes, by rank, for the treepool traverser; others pass them over.
  // Errors: invalid (prune filters); limit (layouts); not_found (an auxiliary subsystem).
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(ResourceGraph graph,
                                                              EngineOptions options,
                                                              Layouts layouts = {});
  ~Engine();
  // A second engine in the same state: what either does from now on, the other knows nothing of.
  // They share graph and state until one of them writes, part by part; they may live in different
  // threads, if this one is idle while it is cloned. Requests are to be prepared again: those of
  // this engine are not the clone's.
  // Cost: about 16 bytes for each 1,024 pools, 64 interior pools, 32 grants and 64 records of
  // holds; 2 bits per pool; of treepool 30 bytes per node, of loop_aware a visit of each pool; of
  // hierarchical resources 4 bytes for each node of each layer; 32 bytes per grant once the clock
  // moved. Then each first write of a part copies it (4 KB, or what is in use at 64 pools). Lists
  // of candidates and windows of leaves are made when the clone first needs them, as by a new
  // engine.
  [[nodiscard]] std::unique_ptr<Engine> clone() const;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const ResourceGraph& graph() const;
  [[nodiscard]] const EngineOptions& options() const;

  // Parses and compiles a jobspec; the same text again costs a hash and a comparison.
  // Errors: as parse_jobspec; not_found for a resource type that neither the graph nor a prune
  // filter knows; limit if its xor_slots make more than 1,000 variants. The pointer stays good
  // until the next call of prepare; the next one for this text has the text's duration again.
  [[nodiscard]] Result<PreparedRequest*> prepare(std::string_view text, std::string_view file = {});
  // The same for a request made by other means; not kept.
  [[nodiscard]] Result<PreparedRequest> prepare(Request request);

  // Matches, and grants to `job` unless the operation says otherwise. The pointer stays good until
  // the next call. For satisfiability the selection is empty.
  // Errors, state unchanged: insufficient; infeasible (never on this system, only from operations
  // that find out); invalid (a duration that is no duration); exists (the job has a grant).
  // Cost: see matcher.hpp; a reservation tries the steps of the root's planner where it may fit.
  [[nodiscard]] MatchResult match(Operation operation, PreparedRequest& request, JobId job);
  // Grants at the earliest time of [from, before) at which it fits. Errors, state unchanged: as
  // match() with Operation::allocate. Cost: a match for each time that the numbers at the root
  // leave.
  [[nodiscard]] MatchResult match_between(PreparedRequest& request, JobId job, std::int64_t from,
                                          std::int64_t before);
  // Why the request would get nothing now, or that it would: grants nothing, and leaves the state
  // and the order of exploration as they are. Ends what match() returned.
  // Errors: as prepare, when a constraint has to be evaluated again.
  // Cost: a match that fails, asking for satisfiability, and one visit of all candidates; see
  // explain/failure_census.hpp and explain/holders.hpp.
  [[nodiscard]] Result<Explanation> explain(PreparedRequest& request);
  // A sentence for each property that its constraint wants and no node has: none of them can ever
  // help. O(pools), if it has a constraint.
  [[nodiscard]] std::vector<std::string> missing_properties(const PreparedRequest& request) const;
  // Of explain(), the findings about hierarchical resources, as `job` finds them: now, or (`ever`) when
  // nothing is granted or reserved. None if they are not the reason. Ends what match() returned.
  // O(nodes + layers), and a match that fails.
  [[nodiscard]] std::vector<Finding> short_layers(PreparedRequest& request, JobId job, bool ever);

  // Moves the reservation of a job to the earliest time of [from, before) at which it fits without
  // the old one, if that is earlier; true if it was moved. Else all is as it was. The request is
  // the job's, with its duration. Errors, state unchanged: not_found (the job), those of prepare.
  // Cost: a match for each time that the numbers at the root leave; the grant is taken out and put
  // back only for times at which it is in its own way.
  [[nodiscard]] Result<bool> move_earlier(JobId job, PreparedRequest& request, std::int64_t from,
                                          std::int64_t before);

  // Moves the clock to `t`: what ended by then is over (its job has no grant any more), and
  // reservations that start by then run. Errors, state unchanged: invalid if t < now() or t >=
  // horizon. Cost: O(what the grants that start or end have, and log n for each).
  [[nodiscard]] Result<void> advance(std::int64_t t);
  [[nodiscard]] std::int64_t now() const;

  // Gives back all that a job has. Errors: not_found. Cost: O(what it has).
  [[nodiscard]] Result<void> cancel(JobId job);
  [[nodiscard]] const Grant* grant(JobId job) const;  // nullptr if it has none
  [[nodiscard]] std::size_t grant_count() const;
  [[nodiscard]] std::vector<JobId> jobs() const;  // that have a grant, ascending

  // Gives back those of `pools` that the job has; each stands for itself, not for what is below it.
  // True if nothing is left: the job is then gone. Errors, state unchanged: not_found (the job),
  // unsupported (a reservation, which Fluxion does not cut, unless `planned_too`), invalid (it has
  // none of the pools). Cost: O(what it has).
  [[nodiscard]] Result<bool> cancel_part(JobId job, std::span<const PoolId> pools,
                                         bool planned_too = false);
  // What a job has it has until `end` from now on. Errors, state unchanged: not_found; invalid (not
  // after its start and now, or beyond the horizon); insufficient, naming a pool that somebody else
  // has before that end. Layers of hierarchical resources may be drawn beyond their counts.
  // Cost: O(what it has).
  [[nodiscard]] Result<void> set_end(JobId job, std::int64_t end);
  // Grants to `job` over [start, start + duration) what was chosen elsewhere: these pools, each
  // exclusively. `start` after now: a reservation. Errors, state unchanged: exists; invalid (times,
  // no pool); insufficient, naming a pool that is not free. Cost: O(pools × depth).
  // `charges` is what charges_of() gives: layers are charged for its needs, even beyond their totals. In
  // mode 1 the layer that it names pays; else the one that a match would charge, else the first.
  [[nodiscard]] Result<const Match*> update(JobId job, std::span<const PoolId> pools,
                                            std::int64_t start, std::int64_t duration_s,
                                            const GrantCharges& charges = {});

  // --- A machine that grows and shrinks: what runs goes on. Pool numbers may change (they do when
  // the graph has to be built again), and prepared requests made by text must be prepared again.
  // Adds subtrees, free and untouched. Errors, state unchanged: as ResourceGraph::attach.
  // Cost: what they touch; O(machine) where the graph has to be built again.
  [[nodiscard]] Result<void> attach(std::span<const NewSubtree> subtrees);
  // Takes subtrees off. What jobs have there they lose; jobs that then have nothing are gone.
  // Returns the jobs that lost something. Errors, state unchanged: as ResourceGraph::remove.
  [[nodiscard]] Result<std::vector<JobId>> remove(std::span<const PoolId> tops);
  // Builds the graph again without its removed pools, so that all pools have new numbers, in
  // preorder. O(machine).
  [[nodiscard]] Result<void> compact();
  [[nodiscard]] Names& names();  // to intern the words of NewPool

  [[nodiscard]] Status status(PoolId pool) const;
  void set_status(PoolId pool, Status status);
  void set_property(PoolId pool, std::string key, std::string value);
  bool remove_property(PoolId pool, const std::string& key);  // false: it has no such property
  void set_tag(PoolId pool, std::string key, std::string value = {});

  // Pools for which the expression holds, or below which one was found: children before parents,
  // all shown as exclusive. `with_filters`: the expression has agfilter=true.
  // Grammar: docs/reference/find.md. Errors: invalid. Cost: O(pools).
  struct FindResult {
    std::vector<ExpandedPool> pools;
    bool with_filters = false;
    JobId filter_job = 0;  // show what this job uses, 0: all
  };
  [[nodiscard]] Result<FindResult> find(std::string_view expression) const;
  // Of an interior pool: units in use now and in total, for each type that its prune filter tracks.
  struct FilterUse {
    TypeId type;
    std::int64_t used, total;
  };
  [[nodiscard]] std::vector<FilterUse> filter_use(PoolId pool, JobId job = 0) const;

  // --- Hierarchical resources: there are none until some are added. Nodes and layers of a request
  // are matched together, and held together.
  // Adds resources, and layers to those of the same name. What runs goes on: in modes 2 and 3 it
  // is charged where layers over its nodes are new, in mode 1 the layer that paid pays on. More may
  // then be used than there is, and nothing more fits until enough is given back.
  // Errors, state unchanged: invalid, with the place in the file; exists (a layer with the same
  // nodes); limit. Cost: O(nodes of all layers + what grants draw).
  [[nodiscard]] Result<void> add_resources(const HresSpec& spec, std::string_view file = {});
  // Layers are named by their resource and their nodes, however spelled. Errors, state unchanged:
  // not_found; invalid (what is left is no tree; the layer is reserved; a count below the base).
  // Cost: as above; of a count O(layers of the resource).
  [[nodiscard]] Result<void> remove_layer(std::string_view resource, std::string_view nodes);
  [[nodiscard]] Result<void> set_layer_nodes(std::string_view resource, std::string_view nodes,
                                             std::string_view to);
  [[nodiscard]] Result<void> set_layer_count(std::string_view resource, std::string_view nodes,
                                             std::int64_t count);
  // Keeps an amount of one layer for named jobs, granted or to come. Errors, state unchanged:
  // not_found, exists (the id), invalid, limit; infeasible (more than the layer has), insufficient.
  [[nodiscard]] Result<void> reserve_layer(const LayerReservation& reservation);
  [[nodiscard]] Result<void> free_layer(std::string_view id);  // errors: not_found
  // The first time from `t` on at which a reservation of a layer starts or ends, grants apart.
  // O(log reservations).
  [[nodiscard]] std::optional<std::int64_t> next_layer_change(std::int64_t t) const;
  // All layers at a time, by resource, in the order of the file. O(layers · log spans).
  [[nodiscard]] std::vector<LayerView> layers(std::int64_t at) const;
  // "flat:2;natural(node[01-32]):5": resources, counts and, in mode 1, the layer that paid.
  [[nodiscard]] std::string charges_text(const GrantCharges& charges) const;
  // The needs of such a text (parse_hres_shares in request/hres.hpp), and the layers that it names.
  // Errors: invalid (an unknown resource or variable; a sum beyond 63 bits); not_found (a layer).
  [[nodiscard]] Result<GrantCharges> charges_of(std::span<const HresShare> shares) const;

  // What grants draw at a time from a pool that is a capacity of an auxiliary subsystem. O(log n).
  [[nodiscard]] std::int64_t charged(PoolId pool, std::int64_t at) const;
  // "power", "pfs1bw": what was asked for along a channel.
  [[nodiscard]] const std::string& channel_name(std::uint32_t channel) const;

  // --- Effects (copse/effect.hpp). From now on the sink is told of each change, after it happened;
  // nullptr: nobody is. REQUIRES that uniq_ids of pools differ, and that the sink lives as long.
  void observe(EffectSink* sink);
  // Does what an effect of an engine that was equal to this one says was done. A sink of this
  // engine is told as well. Errors, state unchanged: invalid, and those of the call that the effect
  // is of; only where pools or layers went, and what the effect says of a grant is broken, the
  // engine is neither what it was nor what it should be. Cost: of the change, without the match.
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
