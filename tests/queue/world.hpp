// SPDX-License-Identifier: Apache-2.0
//
// A machine with its queues, and what happens to them: values that tests and fuzzers draw
// (event_stream.hpp) and play (player.hpp).
//
// Ids are given in the order of submission, from 1; those of grants outside the queue from
// kFirstOutside on. An event may name an unknown job: the queue refuses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::queue {

inline constexpr std::uint64_t kFirstOutside = 1'000'000;

// The nodes of a job, a queue or a reservation.
struct Among {
  int first = -1, last = -1;  // first < 0: all
  bool fast = false;          // of these those with the property "fast"

  [[nodiscard]] bool any() const { return first < 0 && !fast; }
  [[nodiscard]] std::string text() const {
    return (first < 0 ? "" : " in " + std::to_string(first) + "-" + std::to_string(last)) +
           (fast ? " fast" : "");
  }
  [[nodiscard]] std::string constraint() const {
    const std::string property = R"({"properties": ["fast"]})";
    if (first < 0) return property;
    const std::string hosts =
        R"({"hostlist": ["node[)" + std::to_string(first) + "-" + std::to_string(last) + "]\"]}";
    return fast ? "{\"and\": [" + property + ", " + hosts + "]}" : hosts;
  }
};

// The request of a job: whole nodes, or a number of slots of cores and gpus.
struct Ask {
  std::int64_t nodes = 0;
  std::int64_t slots = 0, cores = 0, gpus = 0;  // without nodes
  Among among{};
  std::int64_t licences = 0;
  std::int64_t power = 0;  // of each whole node

  [[nodiscard]] std::string hres() const {
    std::string out = licences > 0 ? "licence:" + std::to_string(licences) : "";
    if (power > 0) out += (out.empty() ? "power:" : ",power:") + std::to_string(power);
    return out;
  }
  [[nodiscard]] std::string shape() const {
    if (nodes > 0) return "slot=" + std::to_string(nodes) + "/node";
    const std::string core = "core=" + std::to_string(cores);
    return "slot=" + std::to_string(slots) + "/" +
           (gpus == 0 ? core : "[" + core + ";gpu=" + std::to_string(gpus) + "]");
  }
  // Jobs of one kind have the same request.
  [[nodiscard]] std::string kind() const {
    return shape() + among.text() + (hres().empty() ? "" : " " + hres());
  }
};

// A reservation of whole nodes: all of some, or `nodes` of them if that is above 0.
struct Booked {
  int name = 0;
  std::int64_t in_s = 0, duration_s = 1;  // in_s: from now; below 0: it has begun
  std::int64_t every_s = 0, count = 1;
  Among among{};
  std::int64_t nodes = 0;
  int users = -1;  // a bit each; -1: all

  [[nodiscard]] std::string text() const {
    const auto number = [](auto n) { return std::to_string(n); };
    return "r" + number(name) + " in " + number(in_s) + " for " + number(duration_s) +
           (every_s > 0 ? " every " + number(every_s) + " times " + number(count) : "") +
           among.text() + (nodes > 0 ? " of these " + number(nodes) : "") + " users " +
           number(users);
  }
};

struct QueueWorld {
  std::string name;
  std::string discipline;
  std::size_t depth = SIZE_MAX;
  std::size_t depth_max = SIZE_MAX;  // of `depth`
  std::size_t reservation_depth = 64;
  Among among{};    // its nodes
  int parent = -1;  // a virtual queue: the queue in which its jobs wait

  [[nodiscard]] std::string rules() const {
    const auto number = [](std::size_t n) { return n == SIZE_MAX ? "-" : std::to_string(n); };
    return discipline + " depth " + number(depth) + " of " + number(depth_max) + " reservations " +
           number(reservation_depth);
  }
};

// How jobs are ordered: see PriorityRule.
struct RuleWorld {
  double age = 0, size = 0, fair_share = 0;
  std::int64_t age_max_s = 1, half_life_s = 1, period_s = 1;
  std::vector<double> queues{};  // by queue; none: 0
  std::array<double, 3> shares{1, 1, 1};
};

// The machine and its queues: cluster > node[nodes] > (core[cores], gpu[gpus]), some nodes fast.
struct World {
  int nodes = 1, cores = 4, gpus = 0;
  int fast = 0;      // the first ones
  int licences = 0;  // of the whole cluster; 0: none
  int power = 0;     // of all nodes together, and of each half two thirds of it
  std::vector<QueueWorld> queues;

  [[nodiscard]] int half_power() const { return (2 * power + 2) / 3; }

  // Kinds of events that are drawn.
  bool shared_nodes = false;  // jobs request cores, too
  bool in_order = true;       // no job is held or gets another priority
  bool nodes_fail = false;
  bool reservations = false;
  bool constraints = false;    // of jobs
  bool ends_move = false;      // jobs end late, or get another end, or release some nodes
  bool queues_change = false;  // queues stop and go on, or get other disciplines
  bool outside = false;        // grants outside the queue
  RuleWorld rule{};
  std::int64_t duration_max_s = 40, gap_max_s = 12;

  bool ends_after = false;  // ends of jobs are told after the clock has moved, not before
};

struct Event {
  enum class What : std::uint8_t {
    submit,
    cancel,
    hold,
    release,
    priority,
    end,      // now, if it runs
    node,     // one that is up fails, one that is down returns
    advance,  // time passes
    reserve,
    change_reservation,
    cancel_reservation,
    set_end,
    part,  // some of its nodes are released
    stop,  // a queue stops, or goes on
    discipline,
    grant,  // outside the queue
    release_grant,
  };
  What what = What::submit;
  std::uint64_t job = 0;
  Ask ask{};
  std::size_t queue = 0;
  bool held = false;
  int node = 0;
  std::int64_t priority = 0;
  std::int64_t seconds = 0;  // a duration; or the time to pass
  std::int64_t late_s = 0;   // how much longer it runs than it requests
  Booked booked{};           // of a reservation
  int reservation = -1;      // for which a job waits; -1: none
  int user = 0;
  bool stopped = false;  // from now on
  bool later = false;    // a grant outside the queue may begin later
  QueueWorld rules{};    // discipline, depth and reservation_depth from now on

  [[nodiscard]] std::string text() const {
    const std::string id = std::to_string(job);
    switch (what) {
      case What::submit:
        return "submit " + id + " " + ask.kind() + " for " + std::to_string(seconds) +
               " priority " + std::to_string(priority) + " queue " + std::to_string(queue) +
               (held ? " held" : "") +
               (reservation < 0 ? "" : " in r" + std::to_string(reservation)) +
               (user == 0 ? "" : " user " + std::to_string(user)) +
               (late_s == 0 ? "" : " late " + std::to_string(late_s));
      case What::cancel: return "cancel " + id;
      case What::hold: return "hold " + id;
      case What::release: return "release " + id;
      case What::priority: return "priority " + id + " " + std::to_string(priority);
      case What::end: return "end " + id;
      case What::node: return "node " + std::to_string(node);
      case What::advance: return "advance " + std::to_string(seconds);
      case What::reserve: return "reserve " + booked.text();
      case What::change_reservation: return "change " + booked.text();
      case What::set_end: return "end " + id + " in " + std::to_string(seconds);
      case What::stop: return (stopped ? "stop " : "start ") + std::to_string(queue);
      case What::discipline: return "queue " + std::to_string(queue) + " " + rules.rules();
      case What::part: return "give back of " + id + " " + std::to_string(seconds);
      case What::grant:
        return "grant " + id + " " + ask.kind() + " for " + std::to_string(seconds) +
               (later ? " or later" : "");
      case What::release_grant: return "release grant " + id;
      case What::cancel_reservation: return "cancel reservation r" + std::to_string(booked.name);
    }
    return {};
  }
};

}  // namespace copse::queue
