// SPDX-License-Identifier: Apache-2.0
//
// Streams of events on a machine that changes: the generator tracks the machine, so that most
// events are valid. Subgraphs that are attached resemble present or former ones.
#include <algorithm>

#include "property/generator.hpp"
#include "property/odd_machine.hpp"

namespace copse::property {

namespace {

class ChangeBuilder {
 public:
  ChangeBuilder(Random& random, Case& made)
      : r_(random), made_(made), pools_(made.machine.pools), children_(made.machine.children()) {
    parents_.resize(pools_.size(), kNone);
    for (const auto& [from, to] : made.machine.edges) parents_[to] = from;
    gone_.resize(pools_.size(), false);
    for (Number v = 0; v < pools_.size(); ++v) {
      gone_[v] = v != made.machine.root && parents_[v] == kNone;
    }
    changes_ = r_.pick<std::uint64_t>({8, 20, 40});
    cancels_ = r_.pick<std::uint64_t>({3, 12, 25});
  }

  Event next() {
    Event e;
    const auto x = r_.below(100);
    if (x < changes_) return change();
    if (x < changes_ + 8) return update_or_part();
    if (x < changes_ + 8 + cancels_) {
      e.kind = Event::Kind::cancel;
      e.job = any_job();
      return e;
    }
    if (x == 90) {
      e.kind = Event::Kind::advance;
      e.duration_s = r_.between(0, 200);
      return e;
    }
    if (x >= 94) {
      e.kind = Event::Kind::set_status;
      e.pool = any_pool();
      e.status = r_.pick({Status::up, Status::up, Status::down, Status::down, Status::failing});
      return e;
    }
    if (x >= 91) {
      e.kind = Event::Kind::set_property;
      e.pool = any_pool();
      e.key = r_.pick<const char*>({"fast", "big", "slow"});
      return e;
    }
    e.operation = r_.pick({Operation::allocate, Operation::allocate, Operation::allocate,
                           Operation::allocate_orelse_reserve, Operation::allocate_orelse_reserve,
                           Operation::allocate_orelse_reserve,
                           Operation::allocate_with_satisfiability, Operation::satisfiability,
                           Operation::without_allocating, Operation::without_allocating_future});
    e.request = static_cast<std::uint32_t>(r_.below(made_.requests.size()));
    e.job = ++job_;
    e.undo = r_.chance(6);
    return e;
  }

 private:
  static constexpr Number kNone = UINT32_MAX;

  JobId any_job() { return 1 + r_.below(job_ + 1); }

  Number any_pool() {
    for (int i = 0; i < 20; ++i) {
      const auto v = static_cast<Number>(r_.below(pools_.size()));
      if (!gone_[v] && (!children_[v].empty() || r_.chance(40))) return v;
    }
    return made_.machine.root;
  }

  Event change() {
    Event e;
    const auto x = r_.below(100);
    if (x < 6) {
      e.kind = Event::Kind::compact;
    } else if (x < 50) {
      e.kind = Event::Kind::remove;
      e.pool = any_pool();
      const Number up = parents_[e.pool];
      // The root stays, and keeps at least one child.
      const bool last = up == made_.machine.root && children_[up].size() == 1;
      if (up == kNone || last) return attach();
      std::erase(children_[up], e.pool);
      forget(e.pool);
    } else {
      return attach();
    }
    return e;
  }

  void forget(Number v) {
    gone_[v] = true;
    for (Number c : children_[v]) forget(c);
  }

  Event attach() {
    Event e;
    e.kind = Event::Kind::attach;
    e.first = static_cast<Number>(pools_.size());
    // A copy of a subgraph, mostly attached where an equal one is.
    Number model = made_.machine.root;
    for (int i = 0; i < 20 && (model == made_.machine.root || parents_[model] == kNone); ++i) {
      model = static_cast<Number>(r_.below(pools_.size()));
    }
    if (model == made_.machine.root || parents_[model] == kNone)
      model = made_.machine.edges[0].second;
    if (r_.chance(50) && parents_[model] != made_.machine.root) model = parents_[model];
    e.pool = parents_[model];
    for (int i = 0; i < 20 && (gone_[e.pool] || r_.chance(30)); ++i) {
      const Number v = any_pool();
      const bool alike = pools_[v].type == pools_[parents_[model]].type;
      if (!children_[v].empty() && (alike || r_.chance(30))) e.pool = v;
      if (children_[v].empty() && r_.chance(4) && !divisible(v)) e.pool = v;  // a leaf until now
    }
    if (gone_[e.pool]) e.pool = made_.machine.root;
    copy(model, kNone, e);
    if (r_.chance(8)) {  // a type that may be new to the machine, or to this parent
      const auto at = r_.below(e.coming.size());
      const auto* type = r_.pick<const char*>({"fpga", "gpu", "core", "ssd"});
      const bool leaf = std::ranges::find(e.coming, static_cast<std::uint32_t>(at),
                                          &ComingPool::parent) == e.coming.end();
      if (leaf || !made_.machine.divisible.contains(type)) {
        e.coming[at].pool.type = e.coming[at].pool.basename = type;
      }
    }
    if (r_.chance(10)) e.coming[r_.below(e.coming.size())].down = true;
    for (std::size_t i = 0; i < e.coming.size(); ++i) {
      const ComingPool& c = e.coming[i];
      const Number up = c.parent == kNone ? e.pool : e.first + c.parent;
      pools_.push_back(c.pool);
      parents_.push_back(up);
      children_.emplace_back();
      children_[up].push_back(e.first + static_cast<Number>(i));
      gone_.push_back(false);
    }
    return e;
  }

  // Nothing is attached below pools that are divided.
  [[nodiscard]] bool divisible(Number v) const {
    return made_.machine.divisible.contains(pools_[v].type);
  }

  // The content of a removed pool is as it was at its removal.
  void copy(Number model, std::uint32_t parent, Event& e) {
    if (e.coming.size() >= 60) return;
    ComingPool c;
    c.pool = pools_[model];
    c.parent = parent;
    if (parent == kNone && r_.chance(80)) {
      c.pool.id = r_.pick<std::int64_t>({c.pool.id, c.pool.id + 1, 77, 12'345, 0});
    }
    if (c.pool.type == "node") c.pool.rank = 1000 + static_cast<std::int32_t>(pools_.size());
    const auto self = static_cast<std::uint32_t>(e.coming.size());
    e.coming.push_back(std::move(c));
    for (Number child : children_[model]) {
      if (r_.chance(95)) copy(child, self, e);
    }
  }

  Event update_or_part() {
    Event e;
    e.job = any_job();
    e.dice = static_cast<std::uint32_t>(r_.below(1000));
    e.kind = Event::Kind::cancel_part;
    if (r_.chance(50)) return e;
    e.kind = Event::Kind::update;
    e.other = any_job();
    if (r_.chance(80)) e.job = ++job_;
    e.start = made_.machine.now + (r_.chance(50) ? 0 : r_.between(-1, 200));
    e.duration_s = r_.chance(5) ? 0 : r_.between(1, 400);
    return e;
  }

  Random& r_;
  Case& made_;
  std::vector<MachinePool> pools_;
  std::vector<std::vector<Number>> children_;
  std::vector<Number> parents_;
  std::vector<bool> gone_;
  std::uint64_t changes_, cancels_;
  JobId job_ = 0;
};

}  // namespace

void add_changes(Random& random, Case& a_case, std::int64_t count) {
  ChangeBuilder maker(random, a_case);
  for (std::int64_t i = 0; i < count; ++i) a_case.events.push_back(maker.next());
}

Case make_change_case(std::uint64_t seed, MachineSize size, bool odd) {
  Random r(seed);
  Case out;
  out.seed = seed;
  do {
    out.machine = make_machine(r, size);
  } while (out.machine.edges.size() < 2);
  if (odd) make_odd(r, out.machine);
  const auto requests = r.between(2, 5);
  for (std::int64_t i = 0; i < requests; ++i) {
    out.requests.push_back(make_request(r, out.machine));
  }
  add_changes(r, out, size == MachineSize::large ? r.between(8, 20) : r.between(10, 50));
  return out;
}

}  // namespace copse::property
