// SPDX-License-Identifier: Apache-2.0
//
// The state of the oracle: nodes with their cores and gpus, layers, running and promised jobs, and
// reservations; and what fits when.
//
// A unit is a core or a gpu: of node n those from n * width() on, its cores first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "queue/oracle/groups.hpp"
#include "queue/oracle/layers.hpp"
#include "queue/oracle/reservations.hpp"

namespace copse::queue_oracle {

using Id = std::uint64_t;

inline constexpr Time kNever = -1;

enum class State : std::uint8_t { held, waiting, promised, running, gone };

struct Job {
  Id id = 0;
  std::size_t waiting_queue = 0, queue = 0;     // queue: of its submission
  std::int64_t nodes = 1;                       // whole ones; 0: slots
  std::int64_t slots = 0, cores = 0, gpus = 0;  // of each slot, which is on one node
  std::int64_t licences = 0, power = 0;         // power: of each node
  std::vector<int> allowed{};                   // nodes that it may have
  bool constrained = false;                     // these are not just all
  Time duration = 1, submit = 0;
  std::int64_t given = 0, priority = 0;
  State state = State::waiting;
  bool outside = false;  // a grant outside the queue: it runs, perhaps from later on
  int user = 0;
  int reservation = 0;       // the number of the one that it waits for; 0: none
  bool unplaceable = false;  // at no time, when it was last examined
  std::size_t arrival = 0;
  Time start = 0, end = 0;                    // promised or running
  Time limit = 0;                             // running: its end, without the time that it is late
  Time taken_back = kNever;                   // waiting: the start of a promise to be made again
  std::vector<std::int64_t> given_numbers{};  // its in_group then
  std::set<int> on{};                         // its units, or promised ones
  Drawn drawn{};                              // from layers
  std::vector<std::int64_t> in_group{};       // promised by numbers: nodes of each group

  // Any nodes of those that it may have will do: whole ones, or their only core.
  [[nodiscard]] bool by_numbers(std::int64_t cores_of_node) const {
    return nodes > 0 || (cores_of_node == 1 && cores == 1 && gpus == 0);
  }
};

[[nodiscard]] bool before(const Job& a, const Job& b);  // in a queue

struct Choice {
  std::set<int> on{};  // units; none: it does not fit
  Drawn drawn{};
};

// What a job takes by numbers.
struct Share {
  std::vector<std::int64_t> in_group{};
  Drawn drawn{};
};

struct Machine {
  Machine(int nodes, std::int64_t cores_of_each, std::int64_t gpus_of_each, Layers counts, Time end)
      : cores(cores_of_each),
        gpus(gpus_of_each),
        layers(std::move(counts)),
        horizon(end),
        up(static_cast<std::size_t>(nodes), true) {}

  // Jobs that wait in this queue, in its order; without those that wait for reservations.
  [[nodiscard]] std::vector<Job*> in_order(std::size_t queue);
  [[nodiscard]] std::vector<Job*> waiting_for(int reservation);
  [[nodiscard]] bool anybody_waits() const;
  [[nodiscard]] std::vector<Job*> promised();  // in the order of their starts

  [[nodiscard]] int width() const { return static_cast<int>(cores + gpus); }
  [[nodiscard]] std::set<int> nodes_of(const Job& job) const;
  [[nodiscard]] std::set<int> units_of(int node) const;

  // No job uses them.
  [[nodiscard]] bool fits_empty(const Job& job) const;
  [[nodiscard]] Choice choose(const Job& job, Time from, Time until) const;
  // From now on, within the resources of a reservation.
  [[nodiscard]] Choice choose_in(const Job& job, const ReservedTime& time, Time until) const;
  [[nodiscard]] Time end_of(const Job& job, Time start) const;
  // --- By numbers
  // Nodes of the groups, and layers, at all times of it.
  [[nodiscard]] std::optional<Share> share(const Job& job, Time from, Time until) const;
  // Whether layers have enough for the job on any nodes of a reservation.
  [[nodiscard]] bool layers_serve(const Job& job, const ReservedTime& time, Time until) const;
  // The lowest idle nodes for a share, now.
  [[nodiscard]] std::vector<int> nodes_for(const Share& share) const;
  // For each promise, in the order of their starts, the nodes that it gets: of each group the lowest
  // that are free by then.
  [[nodiscard]] std::vector<std::vector<int>> nodes_of_promises();
  // Groups for all jobs that have not left. REQUIRES no promise by numbers.
  void make_groups();
  [[nodiscard]] bool knows(const Job& job) const;  // its set, and the layers that it charges
  // For a job on these nodes.
  [[nodiscard]] Share share_of(const Job& job, const std::vector<int>& nodes) const;

  // Whether a promise conflicts with a job that runs until then.
  [[nodiscard]] bool promised_away(const Job& job, Time until) const;
  // The nodes of a reservation; none if they are not available.
  [[nodiscard]] std::vector<int> room(const Booking& booking, const ReservedTime& time) const;
  // Nodes of a running job that are up; of a grant outside the queue none.
  [[nodiscard]] std::int64_t running_in(const Job& job, std::size_t group) const;
  // Nodes of all grants outside the queue then, or later in the time.
  [[nodiscard]] std::int64_t outside_in(std::size_t group, Time from, Time until) const;
  // Whether its nodes are no more than promises and other jobs leave, by groups.
  [[nodiscard]] bool numbers_allow(const Job& outside);
  [[nodiscard]] Drawn drawn_most(Time from, Time until) const;

  std::int64_t cores, gpus;  // of a node
  Layers layers;
  Time horizon, now = 0;
  std::vector<bool> up;
  std::map<Id, Job> jobs{};
  Reservations reservations{};
  bool by_numbers = false;  // promises are counted, by groups
  Groups groups{};

 private:
  [[nodiscard]] bool usable(const Job& job, int node) const;
  [[nodiscard]] std::set<int> busy(Time from, Time until) const;
  [[nodiscard]] Drawn drawn_at(Time at, const Job* but = nullptr) const;
  [[nodiscard]] Choice place(const Job& job, const std::vector<int>& nodes,
                             const std::set<int>& busy, const Drawn& drawn) const;
  [[nodiscard]] std::int64_t in_use(std::size_t group, Time at) const;
  [[nodiscard]] std::int64_t free(std::size_t group, Time from, Time until) const;
};

}  // namespace copse::queue_oracle
