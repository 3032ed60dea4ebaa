// SPDX-License-Identifier: Apache-2.0
//
// Oracle: a slow, plain model of an engine, written from the description of Fluxion's traverser and
// from the list of Copse's differences. It visits everything in depth-first order, keeps lists of
// groups, and sorts them; it has no index, no bound, and no early stop except that of `first`,
// which is part of the answer. Time is a list of spans at every pool.
//
// It shares with the engine only the plain types of a request and the error codes.
//
// Cost: a match visits every pool below the root for every time that it tries.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "property/machine.hpp"

namespace copse::property {

// A match, in numbers of creation.
struct Answer {
  std::optional<ErrorCode> error;
  std::int64_t start = 0, end = 0;
  std::map<Number, bool> pools;  // every pool of the output, and whether it is exclusive
  std::vector<std::pair<Number, std::string>> labels;
  std::map<Number, std::int64_t> amounts{};  // units of divisible pools, if only some are taken
  bool operator==(const Answer&) const = default;
};
[[nodiscard]] std::string text(const Answer& answer, const Machine& machine);

class Oracle {
 public:
  Oracle(const Machine& machine, const std::string& policy);

  [[nodiscard]] Answer match(Operation operation, const Request& request, JobId job);
  [[nodiscard]] bool cancel(JobId job);
  [[nodiscard]] bool advance(std::int64_t t);  // false: the clock does not move
  void set_status(Number pool, Status status) { vertices_[pool].status = status; }
  void set_property(Number pool, const std::string& key, const std::string& value) {
    vertices_[pool].properties[key] = value;
  }

  // --- oracle_change.cpp: a machine that changes. New pools are numbered from `first`.
  void attach(Number parent, const std::vector<ComingPool>& coming, Number first);
  [[nodiscard]] bool remove(Number top);  // false: no change
  [[nodiscard]] Answer update(JobId job, const std::set<Number>& pools,
                              const std::map<Number, std::int64_t>& amounts, std::int64_t start,
                              std::int64_t duration_s);
  [[nodiscard]] std::optional<ErrorCode> cancel_part(JobId job, const std::set<Number>& pools);
  [[nodiscard]] bool has(JobId job) const { return jobs_.contains(job); }

  // Whether the request could start at exactly this time. Changes nothing.
  [[nodiscard]] bool fits_at(const Request& request, std::int64_t start);

  // For the loop-aware traverser, where several answers are valid. Returns the error of this
  // answer; "" if it is valid, and then applies it. If the simple walk finds a match, only that one
  // is valid; if a trial of all placements does, any placement at that time is.
  [[nodiscard]] std::string judge(Operation operation, const Request& request, JobId job,
                                  const Answer& given);
  // As fits_at, by the simple walk or a trial of all placements.
  [[nodiscard]] bool placeable_at(const Request& request, std::int64_t start);
  // Times later than now at which a grant starts or ends, ascending.
  [[nodiscard]] std::vector<std::int64_t> candidate_times() const;

 private:
  using Type = std::size_t;  // index into types_
  enum class Mode : std::uint8_t { granting, empty };
  enum class Reach : std::uint8_t { anywhere, children_only };  // may levels be skipped?

  struct Span {
    std::int64_t start, end;
    JobId job;
  };
  struct Units {  // of a divisible pool
    std::int64_t start, end;
    JobId job;
    std::int64_t units;
  };
  struct Vertex {
    Type type;
    bool divisible = false;
    std::vector<Units> divided{};
    std::int64_t size, id;
    std::int32_t rank;
    std::string name;
    std::map<std::string, std::string> properties;
    std::vector<Number> children;
    std::vector<Type> child_types;  // of children in any subsystem
    Number parent;
    bool gone = false;
    Status status = Status::up;
    std::vector<Span> held, touched;
    // The exploration order of `first`.
    std::uint64_t weight = UINT64_MAX;
    bool recorded = false;
    std::map<Type, std::int64_t> total, used_now;  // units strictly below
  };
  struct Want {  // a vertex of the request
    Type type;
    bool slot;
    Count count;
    Exclusivity exclusive;
    std::string label;
    std::vector<Want> with;
  };
  using Wants = std::vector<Want>;
  struct Item {
    Number vertex;
    bool exclusive;
    std::string label;
    std::int64_t units = 0;  // of a divisible pool
  };
  struct Group {
    Score score;
    std::int64_t size;
    std::vector<Item> items;
  };
  using Boards = std::vector<std::vector<Group>>;  // one for each item of a list
  struct Job {
    std::int64_t start, end;
    std::map<Number, bool> pools;
    std::map<Number, std::int64_t> amounts;
    std::set<Number> whole;  // all below these is allocated, and so are pools added there
  };

  // --- oracle.cpp: the operations
  [[nodiscard]] Type type(const std::string& name);
  void read_filters();
  [[nodiscard]] Wants read(const std::vector<Resource>& resources);
  void begin(const Request& request);
  [[nodiscard]] std::int64_t usable_nodes() const;
  [[nodiscard]] Number node_above(const Vertex& u) const;
  [[nodiscard]] bool has_wanted(const Vertex& u) const;
  void want_properties(const Constraint& c);
  void find_typed_devices();
  [[nodiscard]] bool enough_nodes(Operation operation, std::int64_t duration_s) const;
  [[nodiscard]] std::int64_t nodes_needed(const Wants& wants) const;
  [[nodiscard]] bool usable_on_path(Number v) const;
  [[nodiscard]] bool held_on_path(Number v, std::int64_t start, std::int64_t end) const;
  void try_all(Operation operation, std::int64_t duration_s, Answer& answer);
  void commit(JobId job, const Answer& answer);
  void account(const Job& job, std::int64_t sign);
  void reweigh(const Answer& answer, bool committed);

  // --- oracle_change.cpp
  [[nodiscard]] std::int64_t units_of(const Job& job, Number v) const;
  void mark(JobId id, const Job& job);
  void unmark(JobId id, const Job& job);
  [[nodiscard]] bool within(Number v, const std::set<Number>& pools) const;  // or below
  [[nodiscard]] std::map<Number, bool> with_ways(const std::set<Number>& pools) const;
  void keep(JobId id, const std::set<Number>& pools);
  void count_below(Number v, std::int64_t sign);

  // --- oracle_walk.cpp: one walk
  [[nodiscard]] bool select(Mode mode, std::int64_t start, std::int64_t end, Answer& answer);
  bool visit(Number v, const Wants& wants, Reach reach, bool exclusive, Score term, Boards& boards);
  [[nodiscard]] bool passes(const Vertex& u) const;
  [[nodiscard]] bool taken_whole(const Vertex& u) const;
  [[nodiscard]] std::int64_t free_units(const Vertex& u, std::int64_t start,
                                        std::int64_t end) const;
  [[nodiscard]] std::int64_t units_here(const Vertex& u) const;
  [[nodiscard]] std::int64_t part_of(Group& group, std::int64_t wanted,
                                     std::vector<Item>& to) const;
  [[nodiscard]] bool resolves(const Vertex& u, const Want& slot) const;
  [[nodiscard]] bool allowed(const Vertex& u, const Constraint& constraint) const;
  Boards explore(Number v, const Wants& wants, Reach reach, bool exclusive, Score term,
                 std::int64_t shares_wanted);
  [[nodiscard]] std::vector<Group> form_slots(const Want& slot, Boards boards) const;
  [[nodiscard]] bool choose(const Wants& wants, Boards& boards, bool at_root,
                            std::vector<Item>& chosen) const;
  void sort(std::vector<Group>& groups) const;
  void sort_for_slot(std::vector<Group>& groups) const;
  static void sort_by_locality(std::vector<Group>& groups);
  void emit(Answer& answer);
  bool emit_below(Number v, bool parent_exclusive, bool whole, Answer& answer);

  // --- oracle_placing.cpp: all ways to place a request
  struct Task {  // the set of pools to find; for a slot, a place for one
    const Want* want;
    Number at;  // UINT32_MAX: anywhere
    bool exclusive;
    Score term;
  };
  [[nodiscard]] bool placeable(Mode mode, std::int64_t start, std::int64_t end);
  bool place(const Wants& list, Number at, bool in_slot, bool exclusive, Score term);
  bool go_on(const std::vector<Task>& tasks, std::size_t task, std::size_t from, std::int64_t have,
             std::vector<Item>& chosen);
  bool serves(Number v, const Want& want, bool exclusive, Score term);
  [[nodiscard]] std::vector<Number> candidates(const Task& task) const;
  void places(Number v, const Want& slot, std::vector<Number>& out) const;
  [[nodiscard]] bool above(Number a, Number b) const;  // or the same
  [[nodiscard]] Score term_below(Number v, Score term) const;
  std::string settle(Operation operation, JobId job, const Answer& given);
  std::map<std::pair<Number, const Want*>, bool> served_;
  [[nodiscard]] std::int64_t units_given(Number v) const;
  const std::map<Number, bool>* only_ = nullptr;  // exclusive pools must be among these
  const std::map<Number, std::int64_t>* only_amounts_ = nullptr;

  [[nodiscard]] Score score(Number v) const;
  static bool overlaps(const std::vector<Span>& spans, std::int64_t start, std::int64_t end);

  // The policy
  bool high_ = true, node_centric_ = false, whole_nodes_ = false, first_ = false, by_runs_ = false,
       dice_ = false, variation_ = false;

  Number root_;
  std::int64_t now_, horizon_;
  std::vector<Vertex> vertices_;
  std::vector<std::string> types_;  // in type order
  Type node_, storage_node_, slot_;
  bool nodes_tracked_ = false;
  std::int64_t nodes_lost_ = 0;    // usable ones that were removed, less those that were attached
  std::set<std::string> tracked_;  // types that some filter names
  std::string prune_filters_;
  std::set<std::string> leaf_types_;  // ever
  std::set<std::string> divisible_types_;
  std::vector<std::pair<Number, Number>> power_;
  std::vector<Type> last_filter_;  // by type of pool: the last type of its filter; SIZE_MAX: none
  std::map<JobId, Job> jobs_;

  // The current match
  Wants wants_;
  Constraint constraint_;
  std::vector<Type> whole_types_;
  Mode mode_ = Mode::granting;
  std::int64_t start_ = 0, end_ = 0;
  std::vector<std::vector<Item>> chosen_;  // by vertex: the pools chosen below it
  std::map<Number, Item> marked_;
  std::set<std::string> wanted_;                     // properties that the constraint names
  std::set<std::pair<Type, Number>> typed_;          // devices that it tells apart, and their nodes
  std::set<std::pair<Number, std::string>> labels_;  // of the chosen pools
  std::map<Number, std::int64_t> amounts_;           // of the chosen divisible pools
};

// The largest count of a range that is at most `have`; 0 if there is none. Counts one by one.
[[nodiscard]] std::int64_t effective_count(const Count& count, std::int64_t have);

}  // namespace copse::property
