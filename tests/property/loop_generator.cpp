// SPDX-License-Identifier: Apache-2.0
#include "property/loop_generator.hpp"

#include <algorithm>

namespace copse::property {

namespace {

constexpr std::size_t kPools = 25;

class SmallMachine {
 public:
  explicit SmallMachine(Random& random) : r_(random) {}

  Machine run() {
    uneven_ = r_.chance(45);
    add("cluster", 1);
    const auto racks = r_.between(0, 2);
    if (racks == 0) nodes(0);
    for (std::int64_t i = 0; i < racks; ++i) {
      const Number rack = child(0, "rack", 1);
      if (r_.chance(8)) nodes(child(rack, "rack", 1));
      nodes(rack);
      if (r_.chance(20)) leaves(rack, "memory", 2);
    }
    if (r_.chance(15)) leaves(0, "core", 1);
    if (r_.chance(20)) out_.prune_filters = "ALL:core,ALL:node,ALL:memory";
    return std::move(out_);
  }

 private:
  Number add(const std::string& type, std::int64_t size) {
    MachinePool pool;
    pool.type = pool.basename = type;
    pool.size = size;
    pool.id = r_.chance(80) ? static_cast<std::int64_t>(out_.pools.size()) : r_.between(-1, 5);
    if (type == "node") pool.rank = ranks_++;
    out_.pools.push_back(pool);
    return static_cast<Number>(out_.pools.size() - 1);
  }
  Number child(Number parent, const std::string& type, std::int64_t size) {
    const Number made = add(type, size);
    out_.edges.emplace_back(parent, made);
    return made;
  }
  [[nodiscard]] bool room() const { return out_.pools.size() < kPools; }

  void leaves(Number at, const std::string& type, std::int64_t most) {
    const std::int64_t usual = type == "memory" ? r_.pick<std::int64_t>({1, 2, 4}) : 1;
    for (std::int64_t n = r_.between(most > 2 ? 1 : 0, most); n > 0 && room(); --n) {
      const bool other = uneven_ && r_.chance(type == "memory" ? 60 : 15);
      child(at, type, other ? r_.between(r_.chance(5) ? 0 : 1, 4) : usual);
    }
  }
  void nodes(Number at) {
    for (std::int64_t n = r_.between(1, 4); n > 0 && room(); --n) {
      const Number node = child(at, "node", uneven_ && r_.chance(10) ? 2 : 1);
      if (r_.chance(30)) {
        for (std::int64_t s = r_.between(1, 2); s > 0 && room(); --s) {
          const Number socket = child(node, "socket", 1);
          leaves(socket, "core", 3);
          if (r_.chance(30)) leaves(socket, "gpu", 1);
        }
      } else {
        leaves(node, "core", 5);
      }
      if (r_.chance(50)) leaves(node, "memory", 3);
      if (r_.chance(40)) leaves(node, "gpu", 2);
    }
  }

  Random& r_;
  Machine out_;
  bool uneven_ = false;
  std::int32_t ranks_ = 0;
};

class SiblingRequest {
 public:
  SiblingRequest(Random& random, const Machine& machine)
      : r_(random), machine_(machine), children_(machine.children()) {
    for (Number v = 0; v < machine.pools.size(); ++v) {
      if (!children_[v].empty()) interior_.push_back(v);
    }
  }

  Request run() {
    Request out;
    const Number at = r_.pick(interior_);
    if (r_.chance(60)) {
      Resource top = vertex(at, 9);  // its list follows
      top.count = {};
      top.with = list(at, 1, false);
      out.resources.push_back(std::move(top));
    } else {
      out.resources = list(at, 1, false);
    }
    // A request without resources tests nothing.
    if (!takes_something(out.resources)) out.resources[0].exclusive = Exclusivity::yes;
    out.duration_s = r_.pick<std::int64_t>({1, 60, 100, 100, 300});
    return out;
  }

 private:
  static bool takes_something(const std::vector<Resource>& list) {
    return std::any_of(list.begin(), list.end(), [](const Resource& r) {
      return r.is_slot() || r.exclusive == Exclusivity::yes || takes_something(r.with);
    });
  }

  Count count(std::int64_t most) {
    Count c;
    c.min = c.max = r_.chance(60) ? 1 : r_.between(1, most);
    if (!r_.chance(15)) return c;
    c.op = r_.pick({'+', '+', '*', '^'});
    c.operand = c.op == '+' ? r_.between(1, 2) : 2;
    if (c.op == '^') c.min = 2;
    c.max = c.min + r_.between(c.op == '+' ? 1 : 3, 6);
    return c;
  }

  Resource vertex(Number v, std::uint32_t depth) {
    Resource out;
    out.type = machine_.pools[v].type;
    out.count = count(children_[v].empty() ? 3 : 2);
    if (r_.chance(8)) out.exclusive = Exclusivity::yes;
    if (r_.chance(2)) out.exclusive = Exclusivity::no;
    if (!children_[v].empty() && depth < 4 && r_.chance(70)) out.with = list(v, depth + 1, false);
    return out;
  }

  // The resources requested below v: often two of one type.
  std::vector<Resource> list(Number v, std::uint32_t depth, bool in_slot) {
    std::vector<Resource> out;
    const std::size_t wanted = r_.pick<std::size_t>({1, 1, 2, 2, 2, 3});
    Number last = v;
    for (std::size_t i = 0; i < wanted; ++i) {
      if (!in_slot && left_ > 0 && r_.chance(30)) {
        --left_;
        out.push_back(slot(r_.chance(65) ? v : deeper(v), depth));
      } else {
        if (last == v || r_.chance(50)) last = r_.pick(children_[v]);
        out.push_back(vertex(alike(v, last), depth));
      }
    }
    return out;
  }

  // Another child of v of the same type: siblings then have different contents.
  Number alike(Number v, Number child) {
    std::vector<Number> same;
    for (Number c : children_[v]) {
      if (machine_.pools[c].type == machine_.pools[child].type) same.push_back(c);
    }
    return r_.pick(same);
  }
  Number deeper(Number v) {
    for (Number c : children_[v]) {
      if (!children_[c].empty() && r_.chance(60)) return r_.chance(40) ? deeper(c) : c;
    }
    return v;
  }

  Resource slot(Number at, std::uint32_t depth) {
    Resource out;
    out.type = "slot";
    out.count = count(2);
    out.label = "default";
    out.with = list(at, depth + 1, true);
    if (out.with.size() > 2) out.with.pop_back();
    return out;
  }

  Random& r_;
  const Machine& machine_;
  std::vector<std::vector<Number>> children_;
  std::vector<Number> interior_;
  int left_ = 3;  // slots
};

}  // namespace

Case make_loop_case(std::uint64_t seed) {
  Random r(seed);
  Case out;
  out.seed = seed;
  do {
    out.machine = SmallMachine(r).run();
  } while (out.machine.edges.empty());
  const auto requests = r.between(2, 4);
  for (std::int64_t i = 0; i < requests; ++i) {
    out.requests.push_back(SiblingRequest(r, out.machine).run());
  }
  const bool statuses = r.chance(30);
  JobId job = 0;
  for (std::int64_t i = r.between(6, 20); i > 0; --i) {
    Event e;
    const auto x = r.below(100);
    if (x < 12) {
      e.kind = Event::Kind::cancel;
      e.job = 1 + r.below(job + 1);
    } else if (x >= 95) {
      e.kind = Event::Kind::advance;
      e.duration_s = r.between(0, 60);
    } else if (x < 20 && statuses) {
      e.kind = Event::Kind::set_status;
      e.pool = static_cast<Number>(r.below(out.machine.pools.size()));
      e.status = r.pick({Status::up, Status::down, Status::down, Status::degraded});
    } else {
      e.operation = r.pick({Operation::allocate, Operation::allocate, Operation::allocate,
                            Operation::allocate_orelse_reserve, Operation::allocate_orelse_reserve,
                            Operation::allocate_with_satisfiability, Operation::satisfiability,
                            Operation::without_allocating, Operation::without_allocating_future});
      e.request = static_cast<std::uint32_t>(r.below(out.requests.size()));
      e.job = ++job;
      e.undo = r.chance(6);
    }
    out.events.push_back(std::move(e));
  }
  return out;
}

}  // namespace copse::property
