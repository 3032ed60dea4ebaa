// SPDX-License-Identifier: Apache-2.0
//
// Requests and events. A request is made from pools of the machine, so that most fit, and then
// sometimes changed.
#include <algorithm>

#include "property/generator.hpp"

namespace copse::property {

namespace {

class RequestBuilder {
 public:
  RequestBuilder(Random& random, const Machine& machine)
      : r_(random), machine_(machine), children_(machine.children()) {
    walk(machine.root);
  }

  Request run() {
    Request out;
    // Sometimes one type is exclusive everywhere in the request.
    if (r_.chance(8)) exclusive_type_ = type(guide());
    const auto form = r_.below(100);
    if (form < 45) {
      out.resources.push_back(resource(guide(), 0, 4));
    } else if (form < 85) {
      out.resources.push_back(slot(interior_guide(), 6));
    } else if (form < 97) {
      two_types(out.resources);
    } else {
      out.resources.push_back(resource(machine_.root, 0, 1));
    }
    if (r_.chance(3)) spoil(out.resources);
    const std::int64_t window = machine_.horizon - machine_.now;
    out.duration_s =
        r_.pick<std::int64_t>({0, 1, 60, 100, 100, 300, 300, 600, 900, window - 1, window});
    // A machine that ends soon has no room for most of these.
    if (out.duration_s > window && r_.chance(90)) out.duration_s = r_.between(1, window);
    if (r_.chance(1)) out.duration_s = window + 1;
    if (r_.chance(1)) {
      out.duration_s = 0;
      out.duration_invalid = true;
    }
    if (r_.chance(12)) out.constraint = constraint(0);
    return out;
  }

 private:
  void walk(Number v) {
    all_.push_back(v);
    if (!children_[v].empty()) interior_.push_back(v);
    if (machine_.pools[v].type == "node") nodes_.push_back(v);
    for (Number c : children_[v]) walk(c);
  }

  const std::string& type(Number v) const { return machine_.pools[v].type; }

  Number guide() {
    if (!nodes_.empty() && r_.chance(50)) return r_.pick(nodes_);
    return r_.pick(r_.chance(70) && !interior_.empty() ? interior_ : all_);
  }
  Number interior_guide() {
    const Number v = guide();
    return children_[v].empty() && !interior_.empty() ? r_.pick(interior_) : v;
  }
  // An interior pool strictly below v, or v itself if there is none: for slots above their
  // contents.
  Number deeper(Number v) {
    std::vector<Number> inner;
    for (Number c : children_[v]) {
      if (!children_[c].empty()) inner.push_back(c);
    }
    if (inner.empty()) return v;
    const Number c = r_.pick(inner);
    return r_.chance(40) ? deeper(c) : c;
  }

  Count count(std::int64_t usual, bool may_grow = true) {
    Count c;
    usual = std::max<std::int64_t>(usual, 1);
    c.min = r_.chance(60) ? r_.between(1, std::min<std::int64_t>(usual, 3)) : r_.between(1, usual);
    if (r_.chance(5)) c.min = usual + r_.between(0, 2);
    c.max = c.min;
    if (r_.chance(1)) c.min = c.max = 0;
    if (!may_grow || c.min == 0 || !r_.chance(22)) return c;
    c.op = r_.pick({'+', '+', '*', '^'});
    c.max = c.min + r_.between(1, 2 * usual);
    c.operand = c.op == '+' ? r_.between(1, 3) : r_.between(2, 3);
    if (c.op == '^') c.min = std::max<std::int64_t>(c.min, 2);
    c.max = std::max(c.max, c.min);
    if (c.max == c.min) {
      c.op = '+';
      c.operand = 1;
    } else if (r_.chance(30)) {
      c.max = Count::kUnlimited;
      c.op = '+';
      c.operand = 1;
    }
    return c;
  }

  std::int64_t units_beside(Number v, Number parent) const {
    std::int64_t units = 0;
    for (Number c : children_[parent]) {
      if (type(c) == type(v)) units += machine_.pools[c].size;
    }
    return units;
  }

  Resource resource(Number v, std::uint32_t depth, std::int64_t usual) {
    Resource out;
    out.type = type(v);
    out.count = count(usual);
    const auto x = r_.below(100);
    if (x < 8 || (out.type == exclusive_type_ && x < 60)) out.exclusive = Exclusivity::yes;
    if (x >= 96) out.exclusive = Exclusivity::no;
    if (r_.chance(8)) out.label = r_.pick<const char*>({"a", "b", "c"});
    if (!children_[v].empty() && depth < 5 && r_.chance(depth == 0 ? 85 : 75)) {
      out.with = contents(v, depth + 1, true);
    }
    return out;
  }

  Resource slot(Number at, std::int64_t usual) {
    Resource out;
    out.type = "slot";
    out.count = count(usual);
    out.label = "default";
    if (r_.chance(3)) out.exclusive = r_.pick({Exclusivity::yes, Exclusivity::no});
    out.with = contents(at, 2, false);
    return out;
  }

  // The resources requested below v.
  std::vector<Resource> contents(Number v, std::uint32_t depth, bool may_slot) {
    if (may_slot && r_.chance(45)) return {slot(r_.chance(35) ? deeper(v) : v, 3)};
    std::vector<Number> samples = children_[v];
    r_.shuffle(samples);
    std::vector<Resource> out;
    const std::size_t wanted = r_.pick<std::size_t>({1, 1, 1, 2, 2, 3});
    for (Number c : samples) {
      if (out.size() >= wanted) break;
      const bool twice =
          std::any_of(out.begin(), out.end(), [&](const Resource& o) { return o.type == type(c); });
      if (!twice) out.push_back(resource(c, depth, units_beside(c, v)));
    }
    return out;
  }

  void two_types(std::vector<Resource>& out) {
    const Number a = guide(), b = r_.chance(40) ? r_.pick(interior_) : r_.pick(all_);
    out.push_back(resource(a, 1, 3));
    if (type(b) != type(a)) out.push_back(resource(b, 1, 3));
    if (r_.chance(30)) std::reverse(out.begin(), out.end());
  }

  // Requests that never match, or rarely.
  void spoil(std::vector<Resource>& resources) {
    Resource* at = &resources.front();
    while (!at->with.empty() && r_.chance(60)) at = &at->with.front();
    Resource more;
    switch (r_.below(6)) {
      case 0: at->type = r_.pick<const char*>({"ssd", "gpu", "socket", "rack"}); break;
      case 1: at->with.clear(); break;
      case 2:
        if (!at->with.empty()) at->with.push_back(at->with.front());
        break;
      case 3:
        more.type = "slot";
        more.label = "x";
        more.with.push_back(
            {.type = "core", .count = {}, .label = {}, .unit = {}, .with = {}, .place = {}});
        at->with.push_back(more);
        break;
      case 4: resources.push_back(resources.front()); break;
      default:
        more = *at;
        at->with = {more};
        at->exclusive = Exclusivity::unset;
        break;
    }
  }

  Constraint constraint(int depth) {
    using Op = Constraint::Op;
    Constraint out;
    const auto kind = r_.below(depth < 2 ? 6 : 3);
    if (kind == 0) {
      out.op = Op::properties;
      out.words.emplace_back(r_.pick<const char*>({"fast", "^fast", "big", "^big"}));
      if (r_.chance(30)) out.words.emplace_back(r_.pick<const char*>({"^slow", "fast"}));
    } else if (kind == 1) {
      out.op = Op::hostlist;
      for (Number v : nodes_) {
        if (r_.chance(40)) out.words.push_back(machine_.pools[v].name());
      }
      std::sort(out.words.begin(), out.words.end());
      out.words.erase(std::unique(out.words.begin(), out.words.end()), out.words.end());
    } else if (kind == 2) {
      out.op = Op::ranks;
      std::int64_t rank = r_.between(0, 2);
      for (int i = 0; i < 3; ++i) {
        out.ranks.emplace_back(rank, rank + r_.between(0, 3));
        rank = out.ranks.back().second + 2 + r_.between(0, 2);
      }
    } else {
      out.op = kind == 3 ? Op::all : kind == 4 ? Op::any : Op::negate;
      const auto operands = r_.between(1, 2);
      for (std::int64_t i = 0; i < operands; ++i) out.operands.push_back(constraint(depth + 1));
    }
    return out;
  }

  Random& r_;
  const Machine& machine_;
  std::vector<std::vector<Number>> children_;
  std::vector<Number> all_, interior_, nodes_;
  std::string exclusive_type_;
};

Operation make_operation(Random& r) {
  const auto x = r.below(100);
  if (x < 42) return Operation::allocate;
  if (x < 72) return Operation::allocate_orelse_reserve;
  if (x < 80) return Operation::allocate_with_satisfiability;
  if (x < 86) return Operation::satisfiability;
  return x < 93 ? Operation::without_allocating : Operation::without_allocating_future;
}

// Pools whose status matters: interior pools of any level rather than leaves.
Number make_pool(Random& r, const Machine& machine) {
  const auto& edge =
      machine.edges.empty() ? std::pair{machine.root, machine.root} : r.pick(machine.edges);
  if (r.chance(1)) return machine.root;
  return r.chance(70) && edge.first != machine.root ? edge.first : edge.second;
}

}  // namespace

Request make_request(Random& random, const Machine& machine) {
  return RequestBuilder(random, machine).run();
}

Case make_case(std::uint64_t seed, MachineSize size, Stream stream) {
  Random r(seed);
  Case out;
  out.seed = seed;
  out.machine = make_machine(r, size);
  const bool queue = stream == Stream::queue;
  const auto requests = queue ? r.between(12, 25) : r.between(2, 5);
  for (std::int64_t i = 0; i < requests; ++i) {
    out.requests.push_back(make_request(r, out.machine));
    if (queue && !out.requests.back().duration_invalid) {
      out.requests.back().duration_s = r.between(1, out.machine.horizon > 5'000 ? 300 : 40);
    }
  }
  const bool clock = r.chance(50);
  const bool statuses = r.chance(50), properties = r.chance(40);
  const auto events = queue                        ? r.between(150, 300)
                      : size == MachineSize::large ? r.between(6, 14)
                                                   : r.between(8, 40);
  const std::uint64_t cancels =
      queue ? 6 : r.pick<std::uint64_t>({3, 12, 25});  // few: the machine becomes full
  JobId job = 0;
  for (std::int64_t i = 0; i < events; ++i) {
    Event e;
    const auto x = r.below(100);
    if (clock && r.chance(8)) {
      e.kind = Event::Kind::advance;
      e.duration_s = r.between(0, r.chance(80) ? 60 : 2'000);
    } else if (x < cancels) {
      e.kind = Event::Kind::cancel;
      e.job = 1 + r.below(job + 1);
    } else if (x >= 92 && statuses) {
      e.kind = Event::Kind::set_status;
      e.pool = make_pool(r, out.machine);
      e.status = r.pick({Status::up, Status::up, Status::down, Status::down, Status::degraded,
                         Status::failing, Status::unknown});
    } else if (x >= 88 && x < 92 && properties) {
      e.kind = Event::Kind::set_property;
      e.pool = make_pool(r, out.machine);
      e.key = r.pick<const char*>({"fast", "big", "slow"});
    } else {
      e.operation = queue && r.chance(80) ? Operation::allocate_orelse_reserve : make_operation(r);
      e.request = static_cast<std::uint32_t>(r.below(out.requests.size()));
      e.job = r.chance(2) && job > 0 ? 1 + r.below(job) : ++job;
      e.undo = r.chance(6);
    }
    out.events.push_back(std::move(e));
  }
  return out;
}

}  // namespace copse::property
