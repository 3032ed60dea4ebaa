// SPDX-License-Identifier: Apache-2.0
//
// The queue decides like the oracle, on random streams of events. After each step the same jobs
// run, since the same second, on the same nodes. The same starts are promised, the same jobs
// denied, and the same events refused.
#include "queue/oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>

#include "property/random.hpp"
#include "queue/configured_queues.hpp"
#include "queue/player.hpp"

namespace copse::queue {
namespace {

#if defined(COPSE_SANITIZED)
constexpr std::uint64_t kTraces = 200;
#else
constexpr std::uint64_t kTraces = 1'000;
#endif
constexpr int kEvents = 80;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Compared {
 public:
  explicit Compared(const World& world)
      : player_(
            world, UINT64_MAX, [this](const Step& step) { follow(step); }, configured(world)),
        world_(world),
        oracle_(machine(world, player_.engine().options().horizon), queues(world), rule(world)) {}

  // The difference after the first event that shows one; "" if there is none.
  std::string play(const std::vector<Event>& events) {
    for (const Event& event : events) {
      player_.play(event);
      if (!difference_.empty()) break;
    }
    return difference_;
  }

 private:
  static queue_oracle::Machine machine(const World& world, std::int64_t horizon_s) {
    std::vector<queue_oracle::Layer> layers;
    if (world.licences > 0) layers.push_back({.count = world.licences});
    if (world.power > 0) {
      const auto among = [](int first, int last) {
        std::vector<int> out;
        for (int node = first; node <= last; ++node) out.push_back(node);
        return out;
      };
      const int half = world.nodes / 2, last = world.nodes - 1;
      layers.push_back({world.power, among(0, last)});
      layers.push_back({world.half_power(), among(0, half - 1)});
      layers.push_back({world.half_power(), among(half, last)});
    }
    return {world.nodes, world.cores, world.gpus, queue_oracle::Layers(layers), horizon_s};
  }
  static queue_oracle::QueueRules queue(const QueueWorld& rules) {
    return {rules.discipline, rules.depth, rules.depth_max, rules.reservation_depth};
  }
  static std::vector<queue_oracle::QueueRules> queues(const World& world) {
    std::vector<queue_oracle::QueueRules> out;
    for (const QueueWorld& rules : world.queues) {
      if (rules.parent < 0) out.push_back(queue(rules));
    }
    return out;
  }
  static queue_oracle::Rule rule(const World& world) {
    const RuleWorld& rule = world.rule;
    queue_oracle::Rule out{rule.age,       rule.size,        rule.fair_share,
                           rule.age_max_s, rule.half_life_s, rule.period_s};
    out.queues = rule.queues;
    out.queues.resize(world.queues.size());
    out.shares = {rule.shares.begin(), rule.shares.end()};
    return out;
  }
  // The nodes that both allow.
  std::vector<int> allowed(const Among& one, const Among& other) const {
    std::vector<int> out;
    for (int node = 0; node < world_.nodes; ++node) {
      const auto in = [&](const Among& among) {
        return (among.first < 0 || (among.first <= node && node <= among.last)) &&
               (!among.fast || node < world_.fast);
      };
      if (in(one) && in(other)) out.push_back(node);
    }
    return out;
  }
  bool tell(const Step& step) {
    switch (step.what) {
      case Step::What::submit: {
        const queue_oracle::Job job = job_of(*step.event, step.number);
        const int reservation = step.event->reservation;
        return reservation < 0 ? oracle_.submit(job) : oracle_.submit_to(job, reservation);
      }
      case Step::What::cancel: return oracle_.cancel(step.job);
      case Step::What::hold: return oracle_.hold(step.job);
      case Step::What::release: return oracle_.release(step.job);
      case Step::What::priority: return oracle_.set_priority(step.job, step.number);
      case Step::What::ended: return oracle_.ended(step.job, step.number);
      case Step::What::node: oracle_.set_up(static_cast<int>(step.number), step.up); break;
      case Step::What::advance: oracle_.advance(step.number); break;
      case Step::What::reserve: return oracle_.reserve(booking_of(step.event->booked, step.number));
      case Step::What::change_reservation:
        return oracle_.change_reservation(booking_of(step.event->booked, step.number));
      case Step::What::cancel_reservation:
        return oracle_.cancel_reservation(step.event->booked.name);
      case Step::What::set_end: return oracle_.set_end(step.job, step.number);
      case Step::What::part: return oracle_.ended_part(step.job, step.number);
      case Step::What::grant: return oracle_.grant(grant_of(*step.event), step.event->later);
      case Step::What::release_grant: return oracle_.release_grant(step.job);
      case Step::What::stop:
      case Step::What::discipline: return tell_line(*step.event);
      case Step::What::work: oracle_.work(); break;
    }
    return true;
  }
  // Virtual queues have no waiting queue.
  bool tell_line(const Event& event) {
    if (world_.queues[event.queue].parent >= 0) return false;
    if (event.what == Event::What::stop) {
      oracle_.set_stopped(event.queue, event.stopped);
    } else {
      oracle_.set_discipline(event.queue, queue(event.rules));
    }
    return true;
  }
  queue_oracle::Booking booking_of(const Booked& booked, std::int64_t now_s) const {
    return {.name = booked.name,
            .start = std::max<std::int64_t>(0, now_s + booked.in_s),
            .duration = booked.duration_s,
            .every = booked.every_s,
            .count = booked.count,
            .among = allowed(booked.among, {}),
            .nodes = booked.nodes,
            .users = booked.users};
  }
  queue_oracle::Job job_of(const Event& event, std::int64_t now_s) const {
    const QueueWorld& submitted_to = world_.queues[event.queue];
    queue_oracle::Job out;
    out.id = event.job;
    out.waiting_queue =
        submitted_to.parent < 0 ? event.queue : static_cast<std::size_t>(submitted_to.parent);
    out.queue = event.queue;
    out.nodes = event.ask.nodes;
    out.slots = event.ask.slots;
    out.cores = event.ask.cores;
    out.gpus = event.ask.gpus;
    out.licences = event.ask.licences;
    out.power = event.ask.power;
    // A virtual queue that names no nodes has those of its parent.
    const bool has_none = submitted_to.parent >= 0 && submitted_to.among.any();
    const Among& among = has_none ? world_.queues[out.waiting_queue].among : submitted_to.among;
    out.allowed = allowed(event.ask.among, among);
    out.constrained = !event.ask.among.any() || !among.any();
    out.duration = event.seconds;
    out.submit = now_s;
    out.given = event.priority;
    out.user = event.user;
    out.state = event.held ? queue_oracle::State::held : queue_oracle::State::waiting;
    return out;
  }
  // Of any nodes.
  queue_oracle::Job grant_of(const Event& event) const {
    queue_oracle::Job out;
    out.id = event.job;
    out.nodes = event.ask.nodes;
    out.slots = event.ask.slots;
    out.cores = event.ask.cores;
    out.allowed = allowed({}, {});
    out.duration = event.seconds;
    return out;
  }
  void follow(const Step& step) {
    if (!difference_.empty()) return;
    const bool done = tell(step);
    if (done != step.done) {
      difference_ = step.event == nullptr ? "job " + std::to_string(step.job) : step.event->text();
      difference_ += " is refused by one\n";
    }
    if (step.what != Step::What::work) return;
    if (player_.denied() != oracle_.denied()) difference_ = "one denies more";
    for (const auto& [id, job] : oracle_.jobs()) {
      const std::string is = job.outside ? of_grant(id) : of_queue(id), should = of_oracle(job);
      if (is != should) difference_ += "queue:  " + is + "\noracle: " + should + "\n";
    }
    const std::string booked = of_queue(player_.queue().reservations());
    const std::string should = of_oracle(oracle_.reservations());
    if (booked != should) difference_ += "queue:  " + booked + "\noracle: " + should + "\n";
    if (difference_.empty()) return;
    difference_ += "at " + std::to_string(player_.now_s()) + ":\n";
    for (const auto& [id, job] : oracle_.jobs()) {
      if (job.state != queue_oracle::State::gone) difference_ += of_oracle(job) + "\n";
    }
  }
  // "r0 10-20: 0 1; 30-40: 1 2. "
  static void add_time(std::string& out, std::int64_t from, std::int64_t until) {
    out += " " + std::to_string(from) + "-" + std::to_string(until) + ":";
  }
  std::string of_queue(const std::vector<ReservationView>& views) const {
    std::string out;
    for (const ReservationView& view : views) {
      out += view.name;
      for (const ReservationView::Time& time : view.times) {
        add_time(out, time.from_s, time.until_s);
        for (const PoolId node : time.nodes) out += " " + std::to_string(number_of(node));
        out += ";";
      }
      out += ". ";
    }
    return out;
  }
  static std::string of_oracle(const queue_oracle::Reservations& reservations) {
    std::map<int, std::string> texts;
    for (const auto& [number, reservation] : reservations.all) {
      std::string& out = texts[reservation.booking.name];
      out = name_of_reservation(reservation.booking.name);
      for (const queue_oracle::ReservedTime& time : reservation.times) {
        add_time(out, time.from, time.until);
        for (const int node : time.nodes) out += " " + std::to_string(node);
        out += ";";
      }
      out += ". ";
    }
    std::string out;
    for (const auto& [name, text] : texts) out += text;
    return out;
  }
  std::ptrdiff_t number_of(PoolId node) const {
    return std::ranges::find(player_.nodes(), node) - player_.nodes().begin();
  }
  // "3 runs 10-20 on 0 1", "4 promised 20 on", "5 waiting".
  static std::string of_oracle(const queue_oracle::Job& job) {
    using queue_oracle::State;
    std::string out = std::to_string(job.id);
    switch (job.state) {
      case State::gone: return out + " gone";
      case State::held: return out + " held";
      case State::waiting: return out + " waiting";
      case State::promised: out += " promised " + std::to_string(job.start); break;
      case State::running:
        out += " runs " + std::to_string(job.start) + "-" + std::to_string(job.end);
    }
    out += " on";
    for (const int unit : job.on) out += " " + std::to_string(unit);
    return out;
  }
  // Outside the queue.
  std::string of_grant(JobId id) {
    std::string out = std::to_string(id);
    const Grant* grant = player_.engine().grant(id);
    if (grant == nullptr) return out + " gone";
    out += " runs " + std::to_string(grant->start) + "-" + std::to_string(grant->end) + " on";
    for (const int unit : units(*grant)) out += " " + std::to_string(unit);
    return out;
  }
  std::string of_queue(JobId id) {
    std::string out = std::to_string(id);
    const auto state = player_.queue().state(id);
    if (!state) return out + " gone";
    switch (*state) {
      case JobState::on_hold: return out + " held";
      case JobState::waiting: return out + " waiting";
      case JobState::promised:
        out += " promised " + std::to_string(*player_.queue().promised_start(id));
        break;
      case JobState::running: {
        const Grant* grant = player_.engine().grant(id);
        if (grant == nullptr) return out + " runs without a grant";
        out += " runs " + std::to_string(grant->start) + "-" + std::to_string(grant->end);
      }
    }
    out += " on";
    const Grant* grant = player_.engine().grant(id);
    if (grant == nullptr) return out;  // a promised time
    for (const int unit : units(*grant)) out += " " + std::to_string(unit);
    return out;
  }
  // The cores and gpus of a grant, as the oracle numbers them.
  std::set<int> units(const Grant& grant) {
    const ResourceGraph& graph = player_.engine().graph();
    const std::vector<PoolId>& nodes = player_.nodes();
    const int width = world_.cores + world_.gpus;
    std::set<int> out;
    for (const SelectedPools& taken : grant.selection.taken) {
      for (std::uint32_t v = taken.first.v; taken.exclusive && v < taken.first.v + taken.count;
           ++v) {
        const auto node = std::ranges::find(nodes, PoolId{v});
        for (int n = 0; n < width && node != nodes.end(); ++n) {
          out.insert(static_cast<int>(node - nodes.begin()) * width + n);
        }
        if (!graph.leaf(PoolId{v})) continue;
        const bool gpu = graph.type_name(graph.type(PoolId{v})) == "gpu";
        out.insert(static_cast<int>(number_of(graph.parent(PoolId{v}))) * width +
                   (gpu ? world_.cores : 0) + static_cast<int>(graph.id(PoolId{v})));
      }
    }
    return out;
  }

  std::string difference_;
  Player player_;
  const World world_;
  queue_oracle::Oracle oracle_;
};

std::string text_of(const World& world, const std::vector<Event>& events) {
  std::string out = std::to_string(world.nodes) + " nodes, " + std::to_string(world.fast) +
                    " fast, " + std::to_string(world.gpus) + " gpus, " +
                    std::to_string(world.licences) + " licences, " + std::to_string(world.power) +
                    " power";
  const RuleWorld& rule = world.rule;
  out += "; age " + std::to_string(rule.age) + " size " + std::to_string(rule.size) +
         " fair share " + std::to_string(rule.fair_share) + " max " +
         std::to_string(rule.age_max_s) + " half-life " + std::to_string(rule.half_life_s) +
         " period " + std::to_string(rule.period_s);
  for (const QueueWorld& queue : world.queues) {
    if (queue.parent >= 0) {
      out += "; " + queue.name + " below " + std::to_string(queue.parent) + queue.among.text();
      continue;
    }
    out += "; " + queue.name + queue.among.text() + " " + queue.rules();
  }
  for (const Event& event : events) out += "\n" + event.text();
  return out;
}

// The fewest events that still show a difference.
std::vector<Event> shortened(const World& world, std::vector<Event> events) {
  for (std::size_t step = events.size() / 2; step > 0; step /= 2) {
    for (std::size_t at = 0; at + step <= events.size();) {
      std::vector<Event> fewer = events;
      const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.erase(from, from + static_cast<std::ptrdiff_t>(step));
      if (Compared(world).play(fewer).empty()) {
        at += step;
      } else {
        events = std::move(fewer);
      }
    }
  }
  return events;
}

// Streams of some kind, from the seeds that the environment names.
void compare_on_random_streams(const std::function<World(property::Random&)>& draw) {
  std::uint64_t events_all = 0;
  const std::uint64_t first = number_of("COPSE_SEED", 0);
  const std::uint64_t count = first > 0 ? 1 : kTraces * number_of("COPSE_SEEDS", 1);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    property::Random random(seed);
    const World world = draw(random);
    const std::vector<Event> events = draw_events(random, world, kEvents);
    events_all += events.size();
    if (first > 0) std::cout << text_of(world, events) << std::endl;
    if (Compared(world).play(events).empty()) continue;
    const std::vector<Event> fewer = shortened(world, events);
    FAIL() << "COPSE_SEED=" << seed << "\n"
           << text_of(world, fewer) << "\n"
           << Compared(world).play(fewer);
  }
  std::cout << "[    TRACES] " << count << ", " << events_all << " events\n";
}

TEST(QueueOracle, DecidesTheSameOnRandomStreams) {
  compare_on_random_streams([](property::Random& random) {
    World world = draw_world(random, random.pick({Machines::whole_nodes, Machines::whole_nodes,
                                                  Machines::shared_nodes, Machines::hierarchical}));
    draw_site(random, world);
    return world;
  });
}

// Of whole nodes or of cores, now or later, beside jobs that are counted or not.
TEST(QueueOracle, DecidesTheSameBesideGrantsOutsideTheQueue) {
  compare_on_random_streams([](property::Random& random) {
    World world = draw_world(random, random.pick({Machines::whole_nodes, Machines::whole_nodes,
                                                  Machines::whole_nodes, Machines::shared_nodes}));
    draw_site(random, world);
    world.reservations = false;
    world.outside = true;
    return world;
  });
}

}  // namespace
}  // namespace copse::queue
