// SPDX-License-Identifier: Apache-2.0
//
// Cases as text: jobspecs, events, and the report of a failing seed.
#include <algorithm>

#include <fmt/format.h>

#include "property/generator.hpp"

namespace copse::property {

namespace {

void write(std::string& out, const Count& count) {
  if (!count.moldable()) {
    out += std::to_string(count.min);
  } else if (count.max == Count::kUnlimited && count.op == '+' && count.operand == 1) {
    out += fmt::format("{{\"min\": {}}}", count.min);
  } else {
    out += fmt::format("{{\"min\": {}, \"max\": {}, \"operator\": \"{}\", \"operand\": {}}}",
                       count.min, count.max, count.op, count.operand);
  }
}

void write(std::string& out, const std::vector<Resource>& resources) {
  out += '[';
  for (const Resource& r : resources) {
    if (out.back() != '[') out += ", ";
    out += fmt::format("{{\"type\": \"{}\", \"count\": ", r.type);
    write(out, r.count);
    if (r.exclusive != Exclusivity::unset) {
      out += fmt::format(", \"exclusive\": {}", r.exclusive == Exclusivity::yes);
    }
    if (!r.label.empty()) out += fmt::format(", \"label\": \"{}\"", r.label);
    if (!r.with.empty()) {
      out += ", \"with\": ";
      write(out, r.with);
    }
    out += '}';
  }
  out += ']';
}

void write(std::string& out, const Constraint& constraint) {
  using Op = Constraint::Op;
  if (constraint.empty()) {
    out += "{}";
    return;
  }
  static constexpr const char* kWords[] = {"",    "properties", "hostlist", "ranks",
                                           "and", "or",         "not"};
  out += fmt::format("{{\"{}\": [", kWords[static_cast<std::size_t>(constraint.op)]);
  if (constraint.op == Op::properties || constraint.op == Op::hostlist) {
    for (const std::string& word : constraint.words) {
      out += fmt::format("{}\"{}\"", out.back() == '[' ? "" : ", ", word);
    }
  }
  for (const auto& [first, last] : constraint.ranks) {
    out += fmt::format("{}\"{}", out.back() == '[' ? "" : ", ", first);
    if (last != first) out += fmt::format("-{}", last);
    out += '"';
  }
  for (const Constraint& operand : constraint.operands) {
    if (out.back() != '[') out += ", ";
    write(out, operand);
  }
  out += "]}";
}

const char* word(Operation operation) {
  switch (operation) {
    case Operation::allocate: return "allocate";
    case Operation::allocate_with_satisfiability: return "allocate_with_satisfiability";
    case Operation::allocate_orelse_reserve: return "allocate_orelse_reserve";
    case Operation::satisfiability: return "satisfiability";
    case Operation::without_allocating: return "without_allocating";
    case Operation::without_allocating_future: return "without_allocating_future";
  }
  return "";
}

void write_tree(std::string& out, const Machine& machine,
                const std::vector<std::vector<Number>>& children, Number v, int depth) {
  const MachinePool& pool = machine.pools[v];
  out += fmt::format("{:{}}{} #{}", "", 2 * depth, pool.name(), v);
  if (pool.size != 1) out += fmt::format(" size {}", pool.size);
  if (machine.divisible.contains(pool.type)) out += " divisible";
  for (const auto& [key, value] : pool.properties) out += " " + key;
  out += '\n';
  for (Number c : children[v]) write_tree(out, machine, children, c, depth + 1);
}

std::string attach_text(const Event& e) {
  std::string out = fmt::format("attach below #{}:", e.pool);
  for (std::size_t i = 0; i < e.coming.size(); ++i) {
    const ComingPool& c = e.coming[i];
    out += fmt::format(" {}#{}", c.pool.name(), e.first + i);
    if (c.parent != UINT32_MAX) out += fmt::format(" in #{}", e.first + c.parent);
    if (c.pool.size != 1) out += fmt::format(" size {}", c.pool.size);
    if (c.down) out += " down";
  }
  return out;
}

}  // namespace

std::string jobspec_text(const Request& request) {
  std::string out = "{\"version\": 9999, \"resources\": ";
  write(out, request.resources);
  out +=
      ", \"tasks\": [{\"command\": [\"app\"], \"slot\": \"default\", \"count\": {\"per_slot\": "
      "1}}]";
  out += fmt::format(", \"attributes\": {{\"system\": {{\"duration\": {}",
                     request.duration_invalid ? -1 : request.duration_s);
  if (!request.queue.empty()) out += fmt::format(", \"queue\": \"{}\"", request.queue);
  if (!request.constraint.empty()) {
    out += ", \"constraints\": ";
    write(out, request.constraint);
  }
  return out + "}}}";
}

std::string text(const Event& e) {
  switch (e.kind) {
    case Event::Kind::match:
      return fmt::format("match {} request {} job {}{}", word(e.operation), e.request, e.job,
                         e.undo ? ", undone" : "");
    case Event::Kind::cancel: return fmt::format("cancel {}", e.job);
    case Event::Kind::set_status: return fmt::format("set-status #{} {}", e.pool, word(e.status));
    case Event::Kind::set_property: return fmt::format("set-property #{} {}", e.pool, e.key);
    case Event::Kind::attach: return attach_text(e);
    case Event::Kind::remove: return fmt::format("remove #{}", e.pool);
    case Event::Kind::update:
      return fmt::format("update {} as {} at {} for {}", e.job, e.other, e.start, e.duration_s);
    case Event::Kind::cancel_part: return fmt::format("partial-cancel {} dice {}", e.job, e.dice);
    case Event::Kind::compact: return "compact";
    case Event::Kind::advance: return fmt::format("advance by {}", e.duration_s);
  }
  return "";
}

std::string text(const Case& a_case) {
  const Machine& m = a_case.machine;
  std::string out = fmt::format("seed {}: {} pools, filters {}, now {}, horizon {}\n", a_case.seed,
                                m.pools.size(), m.prune_filters, m.now, m.horizon);
  if (m.edges.size() <= 400) write_tree(out, m, m.children(), m.root, 0);
  for (const auto& [from, to] : m.power) out += fmt::format("power edge #{} -> #{}\n", from, to);
  for (std::size_t i = 0; i < a_case.requests.size(); ++i) {
    const bool used = std::any_of(a_case.events.begin(), a_case.events.end(), [&](const Event& e) {
      return e.kind == Event::Kind::match && e.request == i;
    });
    if (used) out += fmt::format("request {}: {}\n", i, jobspec_text(a_case.requests[i]));
  }
  for (const Event& e : a_case.events) out += text(e) + '\n';
  return out;
}

}  // namespace copse::property
