// SPDX-License-Identifier: Apache-2.0
//
// Events for a queue, drawn one by one: properties and the comparison with the oracle draw them
// from a seed (property/random.hpp), fuzzers from bytes (byte_draws.hpp). The same draws make the
// same machine and the same events, on every platform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "queue/world.hpp"

namespace copse::queue {

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
// A few ids, so that some are given twice, or released.
template <class Draws>
Event draw_outside(Draws& draws, const World& world) {
  Event out;
  out.what = draws.chance(65) ? Event::What::grant : Event::What::release_grant;
  out.job = kFirstOutside + draws.below(12);
  if (out.what == Event::What::release_grant) return out;
  if (draws.chance(40)) {
    out.ask.slots = draws.between(1, 2);
    out.ask.cores = draws.between(1, world.cores);
  } else {
    out.ask.nodes = draws.between(1, (world.nodes + 2) / 2);
  }
  out.seconds = draws.between(1, world.duration_max_s);
  out.later = !world.ends_move && draws.chance(30);
  return out;
}

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
  if (world.outside && draws.chance(12)) return draw_outside(draws, world);
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
