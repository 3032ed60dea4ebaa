// SPDX-License-Identifier: Apache-2.0
//
// The disciplines of the queue, once more and plainly: what they mean, as a program. It shares no
// code with src/, plans node by node and second by second, and remembers nothing between two
// decisions that could be worked out again. oracle_test.cpp holds the queue against it.
//
// The machine: nodes 0, 1, 2, …, of which the first are fast. A job asks for so many whole nodes,
// or for fast ones. It gets those with the lowest numbers.
//
// A promise is of a time. Only while some job asks for fast nodes, so that nodes are not all alike,
// it is of certain nodes, too; the promise itself stays when that begins or ends.
//
// A pass, whenever anything happened, looks at the queues in the order of their names:
//   1. who is not among the first any more, as far as its discipline and depth go, loses its
//      promise;
//   2. if time was given back that somebody had, or was promised, each promise moves to its
//      earliest start, in the order of the queues and of each; and again, until none does;
//   3. in that order, each job starts if it can, breaking no promise. If it cannot,
//        fcfs          nobody behind it starts
//        easy          the first has its earliest start promised
//        hybrid        the first few have
//        conservative  all have
//      Who could start at no time (nodes are down) is passed over until something is given back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace copse::queue_oracle {

using Id = std::uint64_t;
using Time = std::int64_t;

struct Line {
  std::string discipline;
  std::size_t depth = SIZE_MAX;   // jobs looked at in a pass
  std::size_t reservations = 64;  // hybrid
};

enum class State : std::uint8_t { held, waiting, promised, running, gone };

struct Job {
  Id id = 0;
  std::size_t line = 0;
  std::int64_t nodes = 1;
  bool fast = false;
  Time duration = 1, submit = 0;
  std::int64_t priority = 0;
  State state = State::waiting;
  bool stuck = false;  // at no time, when it was looked at last
  std::size_t arrival = 0;
  Time start = 0, end = 0;  // promised or running
  std::vector<int> on{};    // the nodes that it has, or will have
};

class Oracle {
 public:
  // Lines in the order of their names.
  Oracle(int nodes, int fast, Time horizon, std::vector<Line> lines);

  // Events; false if there is no such job, or it is in no state for that.
  bool submit(Job job);
  bool cancel(Id id);
  bool hold(Id id);
  bool release(Id id);
  bool set_priority(Id id, std::int64_t priority);
  bool ended(Id id, Time at);
  void set_up(int node, bool up);
  void advance(Time now);
  // Decisions.
  void work();

  [[nodiscard]] const std::map<Id, Job>& jobs() const { return jobs_; }  // also those gone
  [[nodiscard]] std::size_t denied() const { return denied_; }

 private:
  [[nodiscard]] Job* find(Id id);
  [[nodiscard]] std::vector<Job*> queue(std::size_t line);
  [[nodiscard]] std::vector<Job*> promised();
  [[nodiscard]] std::size_t promises_max(const Line& line) const;
  void leave_queue(Job& job);

  // Time and nodes
  [[nodiscard]] bool usable(const Job& job, int node) const;
  [[nodiscard]] bool idle(int node, Time from, Time until) const;
  [[nodiscard]] std::vector<int> choose(const Job& job, Time from, Time until) const;
  [[nodiscard]] std::int64_t taken(Time at) const;
  [[nodiscard]] bool fits(const Job& job, Time start) const;
  [[nodiscard]] Time end_of(const Job& job, Time start) const;
  [[nodiscard]] Time earliest(const Job& job) const;
  void promise(Job& job, Time start);
  void start(Job& job);
  void unpromise(Job& job);

  // A pass
  void nodes_or_numbers();
  void take_back(std::size_t line);
  bool move_earlier(std::size_t line);
  void look(std::size_t line);
  void fill(const std::vector<Job*>& rest, std::size_t looks);

  int fast_;
  Time horizon_, now_ = 0;
  std::vector<Line> lines_;
  std::vector<bool> up_;
  std::map<Id, Job> jobs_;
  std::size_t arrivals_ = 0, denied_ = 0;
  bool by_numbers_ = true;   // promises are of times only
  bool happened_ = false;    // anything
  bool freed_ = false;       // somebody left, or a node changed
  bool given_back_ = false;  // and some time, too
};

}  // namespace copse::queue_oracle
