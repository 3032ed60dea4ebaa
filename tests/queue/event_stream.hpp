// SPDX-License-Identifier: Apache-2.0
//
// Events for a queue, drawn one by one: properties and the comparison with the oracle draw them
// from a seed (property/random.hpp), fuzzers from bytes (byte_draws.hpp). The same draws make the
// same machine and the same events, on every platform.
//
// Ids are given in the order of submission, from 1. An event may name an unknown job: the queue
// refuses it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::queue {

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
      case What::cancel_reservation: return "cancel reservation r" + std::to_string(booked.name);
    }
    return {};
  }
};

// The machines that are drawn.
enum class Machines : std::uint8_t {
  whole_nodes,   // all jobs request whole nodes, some of them fast ones
  shared_nodes,  // and for cores and gpus of nodes
  hierarchical,  // and for licences of the cluster
};

template <class Draws>
void draw_rules(Draws& draws, QueueWorld& queue) {
  queue.discipline = draws.template pick<const char*>({"fcfs", "easy", "hybrid", "conservative"});
  if (draws.chance(15)) queue.depth = static_cast<std::size_t>(draws.between(1, 5));
  queue.reservation_depth = static_cast<std::size_t>(draws.between(1, 4));
}

template <class Draws>
World draw_world(Draws& draws, Machines machines) {
  World out;
  out.nodes = static_cast<int>(draws.between(1, 8));
  if (draws.chance(40)) out.fast = static_cast<int>(draws.between(1, out.nodes));
  if (machines != Machines::whole_nodes) {
    out.shared_nodes = true;
    if (draws.chance(50)) out.gpus = static_cast<int>(draws.between(1, 2));
  }
  if (machines == Machines::hierarchical) out.licences = static_cast<int>(draws.between(1, 6));
  const auto queues = draws.chance(70) ? 1 : draws.between(2, 3);
  for (std::int64_t n = 0; n < queues; ++n) {
    QueueWorld queue;
    queue.name = queues == 1 ? "" : std::string(1, static_cast<char>('a' + n));
    draw_rules(draws, queue);
    out.queues.push_back(queue);
  }
  out.in_order = draws.chance(40);
  out.nodes_fail = draws.chance(40);
  out.duration_max_s = draws.template pick<std::int64_t>({5, 40, 40, 300});
  out.gap_max_s = draws.template pick<std::int64_t>({2, 12, 60});
  out.ends_after = draws.chance(30);
  return out;
}

// Some consecutive nodes.
template <class Draws>
Among draw_among(Draws& draws, const World& world) {
  Among out;
  out.first = static_cast<int>(draws.between(0, world.nodes - 1));
  out.last = static_cast<int>(draws.between(out.first, world.nodes - 1));
  out.fast = world.fast > 0 && draws.chance(15);
  return out;
}

template <class Draws>
Ask draw_ask(Draws& draws, const World& world) {
  Ask out;
  if (world.shared_nodes && draws.chance(50)) {
    out.slots = draws.between(1, 3);
    out.cores = draws.between(1, world.cores);
    if (world.gpus > 0 && draws.chance(30)) out.gpus = draws.between(1, world.gpus);
  } else {
    out.nodes = draws.between(1, draws.chance(40) ? world.nodes : (world.nodes + 2) / 3);
    if (draws.chance(2)) out.nodes = world.nodes + 1;  // denied
  }
  out.among.fast = world.fast > 0 && draws.chance(15);
  if (world.constraints && draws.chance(15)) out.among = draw_among(draws, world);
  if (world.licences > 0 && draws.chance(40)) out.licences = draws.between(1, 3);
  if (world.power > 0 && out.nodes > 0 && draws.chance(40)) out.power = draws.between(1, 4);
  return out;
}

// Settings of sites: reservations, nodes of their own for jobs and queues, virtual queues, priority
// rules.
template <class Draws>
void draw_site(Draws& draws, World& world) {
  world.reservations = draws.chance(50);
  world.constraints = draws.chance(30);
  world.ends_move = draws.chance(30);
  world.queues_change = draws.chance(30);
  if (world.licences > 0 && world.nodes > 1 && draws.chance(50)) {
    world.power = static_cast<int>(draws.between(2, 3 * world.nodes));
  }
  for (QueueWorld& queue : world.queues) {
    if (draws.chance(15)) queue.among = draw_among(draws, world);
    if (draws.chance(15)) queue.depth_max = static_cast<std::size_t>(draws.between(1, 5));
  }
  const std::size_t parents = world.queues.size();
  for (int n = 0; n < 2 && draws.chance(20); ++n) {
    QueueWorld queue;
    queue.name = "v" + std::to_string(n);
    queue.parent = static_cast<int>(draws.below(parents));
    if (draws.chance(50)) queue.among = draw_among(draws, world);
    world.queues.push_back(queue);
  }
  if (!draws.chance(40)) return;
  RuleWorld& rule = world.rule;
  const auto weight = [&] { return static_cast<double>(draws.between(-20, 20)); };
  if (draws.chance(50)) rule.age = weight();
  if (draws.chance(50)) rule.size = weight();
  if (draws.chance(50)) rule.fair_share = 5 * weight() + 0.0137;  // no user's is half a number
  rule.age_max_s = draws.between(1, 200);
  rule.half_life_s = draws.between(1, 200);
  rule.period_s = draws.between(1, 60);
  for (std::size_t n = 0; n < world.queues.size(); ++n) {
    rule.queues.push_back(draws.chance(20) ? weight() : 0);
  }
  for (double& share : rule.shares) share = static_cast<double>(draws.between(1, 4));
}

template <class Draws>
Booked draw_reservation(Draws& draws, const World& world) {
  Booked out;
  out.name = static_cast<int>(draws.below(3));
  out.in_s = draws.between(draws.chance(20) ? -10 : 0, 2 * world.duration_max_s);
  out.duration_s = draws.between(1, world.duration_max_s);
  if (draws.chance(30)) {
    out.every_s = out.duration_s + draws.between(0, world.duration_max_s);
    out.count = draws.between(2, 12);
  }
  out.among = draw_among(draws, world);
  if (draws.chance(40)) out.nodes = draws.between(1, out.among.last - out.among.first + 1);
  if (draws.chance(30)) out.users = static_cast<int>(draws.below(4));
  return out;
}

// The next event of a stream in which `jobs` were submitted so far.
template <class Draws>
Event draw_event(Draws& draws, const World& world, std::uint64_t jobs) {
  using What = Event::What;
  Event out;
  if (world.reservations && draws.chance(6)) {
    out.what = draws.template pick<What>(
        {What::reserve, What::reserve, What::change_reservation, What::cancel_reservation});
    out.booked = draw_reservation(draws, world);
    return out;
  }
  if (world.queues_change && draws.chance(4)) {
    out.what = draws.chance(70) ? What::stop : What::discipline;
    out.queue = draws.below(world.queues.size());
    out.stopped = draws.chance(50);
    if (out.what == What::discipline) draw_rules(draws, out.rules);
    return out;
  }
  const std::uint64_t dice = draws.below(100);
  const bool end_moves = world.ends_move && draws.chance(15);
  // Mostly one of the last thirty, which probably still exist.
  const std::uint64_t recent = jobs > 30 && draws.chance(80) ? jobs - 30 : 0;
  out.job = jobs == 0 ? 0 : recent + 1 + draws.below(jobs - recent);
  if (dice < 38 || jobs == 0) {
    out.job = jobs + 1;
    out.ask = draw_ask(draws, world);
    out.queue = draws.below(world.queues.size());
    out.seconds = draws.chance(1) ? 0 : draws.between(1, world.duration_max_s);
    if (!world.in_order && draws.chance(25)) out.priority = draws.between(-3, 3);
    out.held = !world.in_order && draws.chance(5);
    if (end_moves) out.late_s = draws.between(1, 100);
    if (world.reservations && draws.chance(20)) out.reservation = static_cast<int>(draws.below(3));
    if (world.reservations || world.rule.fair_share != 0)
      out.user = static_cast<int>(draws.below(3));
  } else if (end_moves) {
    out.what = draws.chance(50) ? What::set_end : What::part;
    out.seconds =
        out.what == What::part ? draws.between(1, 3) : draws.between(0, 2 * world.duration_max_s);
  } else if (dice < 64) {
    out.what = What::advance;
    out.seconds = draws.between(1, world.gap_max_s);
  } else if (dice < 79) {
    out.what = What::end;
  } else if (dice < 84) {
    out.what = What::cancel;
  } else if (dice < 88 && !world.in_order) {
    out.what = What::hold;
  } else if (dice < 92 && !world.in_order) {
    out.what = What::release;
  } else if (dice < 97 && !world.in_order) {
    out.what = What::priority;
    out.priority = draws.between(-3, 3);
  } else if (dice >= 97 && world.nodes_fail) {
    out.what = What::node;
    out.node = static_cast<int>(draws.between(0, world.nodes - 1));
  } else {
    out.what = What::advance;
    out.seconds = 1;
  }
  return out;
}

// A whole stream.
template <class Draws>
std::vector<Event> draw_events(Draws& draws, const World& world, int count) {
  std::vector<Event> out;
  std::uint64_t jobs = 0;
  for (int n = 0; n < count; ++n) {
    out.push_back(draw_event(draws, world, jobs));
    if (out.back().what == Event::What::submit) ++jobs;
  }
  return out;
}

}  // namespace copse::queue
