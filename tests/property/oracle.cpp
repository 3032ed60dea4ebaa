// SPDX-License-Identifier: Apache-2.0
#include "property/oracle.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace copse::property {

std::string text(const Answer& answer, const Machine& machine) {
  if (answer.error) return word(*answer.error);
  std::string out = fmt::format("[{}, {})", answer.start, answer.end);
  for (const auto& [number, exclusive] : answer.pools) {
    out += fmt::format(" {}#{}{}", machine.pools[number].name(), number, exclusive ? "!" : "");
  }
  for (const auto& [number, units] : answer.amounts) out += fmt::format(" #{}:{}", number, units);
  for (const auto& [number, label] : answer.labels) out += fmt::format(" #{}={}", number, label);
  return out;
}

Oracle::Oracle(const Machine& machine, const std::string& policy)
    : root_(machine.root),
      now_(machine.now),
      horizon_(machine.horizon),
      prune_filters_(machine.prune_filters),
      power_(machine.power) {
  divisible_types_ = machine.divisible;
  high_ = !policy.starts_with("lo") || policy == "locality";
  first_ = policy.starts_with("first");
  node_centric_ = first_ || policy.starts_with("hinode") || policy.starts_with("lonode");
  whole_nodes_ = policy.ends_with("nodex");
  by_runs_ = policy == "locality";
  dice_ = policy.starts_with("dice");
  high_ &= policy != "dice-low" && policy != "visits-low" && policy != "variation" &&
           !policy.contains("policy=low");
  variation_ = policy == "variation";
  first_ |= policy.contains("stop_on_1_matches=true");
  node_centric_ |= policy.contains("node_centric=true");
  whole_nodes_ |= policy.contains("node_exclusive=true");

  for (const char* known : {"cluster", "core", "socket", "gpu", "node", "rack", "slot", "xor_slot",
                            "ssd", "storage_node", "*", ""}) {
    types_.emplace_back(known);
  }
  node_ = type("node");
  storage_node_ = type("storage_node");
  slot_ = type("slot");
  for (const MachinePool& pool : machine.pools) {
    Vertex v{};
    v.type = type(pool.type);
    v.divisible = machine.divisible.contains(pool.type);
    v.size = pool.size;
    v.id = pool.id;
    v.rank = pool.rank;
    v.name = pool.name();
    v.properties = pool.properties;
    v.parent = UINT32_MAX;
    v.weight = UINT64_MAX;
    vertices_.push_back(std::move(v));
  }
  for (const auto& [from, to] : machine.edges) {
    vertices_[from].children.push_back(to);
    vertices_[from].child_types.push_back(vertices_[to].type);
    vertices_[to].parent = from;
  }
  for (const auto& [from, to] : machine.power) {
    vertices_[from].child_types.push_back(vertices_[to].type);
  }
  for (const Vertex& v : vertices_) {
    for (Number up = v.parent; up != UINT32_MAX; up = vertices_[up].parent) {
      vertices_[up].total[v.type] += v.size;
    }
  }
  read_filters();
}

Oracle::Type Oracle::type(const std::string& name) {
  const auto it = std::find(types_.begin(), types_.end(), name);
  if (it != types_.end()) return static_cast<Type>(it - types_.begin());
  types_.push_back(name);
  return types_.size() - 1;
}

// Three effects of the filters are visible: whether nodes are tracked, the last type of each list,
// and whether a job has any tracked type below a pool.
void Oracle::read_filters() {
  std::vector<std::pair<std::string, std::string>> filters;
  std::string rest = prune_filters_ + ",";
  while (!rest.empty()) {
    const std::size_t comma = rest.find(','), colon = rest.find(':');
    const std::string above = rest.substr(0, colon),
                      below = rest.substr(colon + 1, comma - colon - 1);
    rest.erase(0, comma + 1);
    const bool by_all = std::find(filters.begin(), filters.end(),
                                  std::pair{std::string("ALL"), below}) != filters.end();
    if (by_all) continue;
    if (above == "ALL") {
      std::erase_if(filters, [&](const auto& f) { return f.second == below; });
    } else {
      (void)type(above);
    }
    filters.emplace_back(above, below);
    (void)type(below);
  }
  std::set<std::string> tracked;
  for (const auto& [above, below] : filters) tracked.insert(below);
  for (const Vertex& v : vertices_) {  // leaf types are tracked at the cluster, if at no other pool
    const bool in_tree = !v.gone && (v.parent != UINT32_MAX || &v == &vertices_[root_]);
    if (in_tree && v.children.empty()) leaf_types_.insert(types_[v.type]);
  }
  for (const std::string& leaf : leaf_types_) {
    if (tracked.insert(leaf).second) filters.emplace_back("cluster", leaf);
  }
  nodes_tracked_ = tracked.contains("node");
  tracked_ = tracked;
  last_filter_.assign(types_.size(), SIZE_MAX);
  for (Type t = 0; t < types_.size(); ++t) {
    std::vector<Type> own, of_all;
    for (const auto& [above, below] : filters) {
      if (above == types_[t]) own.push_back(type(below));
      if (above == "ALL" && below != types_[t]) of_all.push_back(type(below));
    }
    const std::vector<Type>& last = of_all.empty() ? own : of_all;
    if (!last.empty()) last_filter_[t] = *std::max_element(last.begin(), last.end());
  }
}

std::int64_t effective_count(const Count& count, std::int64_t have) {
  if (count.min < 1 || count.min > count.max || count.min > have) return 0;
  const std::int64_t bound = std::min(have, count.max);
  if (count.op == '+') return count.min + (bound - count.min) / count.operand * count.operand;
  std::int64_t c = count.min;
  for (;;) {
    std::int64_t next = c;
    bool beyond = false;
    const std::int64_t times = count.op == '*' ? 1 : count.operand - 1;
    for (std::int64_t i = 0; i < times && !beyond; ++i) {
      beyond = __builtin_mul_overflow(next, count.op == '*' ? count.operand : c, &next);
    }
    if (beyond || next > bound || next == c) return c;
    c = next;
  }
}

Oracle::Wants Oracle::read(const std::vector<Resource>& resources) {
  Wants out;
  for (const Resource& r : resources) {
    const Type t = type(r.type);
    const bool divided = divisible_types_.contains(r.type);
    if (r.exclusive == Exclusivity::yes && t != slot_ && !divided) whole_types_.push_back(t);
    out.push_back({t, t == slot_, r.count, r.exclusive, r.label, read(r.with)});
  }
  return out;
}

void Oracle::begin(const Request& request) {
  whole_types_.clear();
  if (whole_nodes_) whole_types_.push_back(node_);
  wants_ = read(request.resources);
  constraint_ = request.constraint;
  find_typed_devices();
}

bool Oracle::overlaps(const std::vector<Span>& spans, std::int64_t start, std::int64_t end) {
  return std::any_of(spans.begin(), spans.end(),
                     [&](const Span& s) { return s.start < end && start < s.end; });
}

// A pool of several units provides that many of a count, and needs the request's contents only
// once.
std::int64_t Oracle::nodes_needed(const Wants& wants) const {
  std::int64_t needed = 0;
  for (const Want& w : wants) {
    std::int64_t largest = 1;
    for (const Vertex& v : vertices_) {
      if (v.type == w.type) largest = std::max(largest, v.size);
    }
    if (w.type == node_) needed += w.count.min;
    needed += (w.count.min + largest - 1) / largest * nodes_needed(w.with);
  }
  return needed;
}

bool Oracle::usable_on_path(Number v) const {
  for (; v != UINT32_MAX; v = vertices_[v].parent) {
    if (!usable(vertices_[v].status)) return false;
  }
  return true;
}

bool Oracle::held_on_path(Number v, std::int64_t start, std::int64_t end) const {
  for (; v != UINT32_MAX; v = vertices_[v].parent) {
    if (overlaps(vertices_[v].held, start, end)) return true;
  }
  return false;
}

std::int64_t Oracle::usable_nodes() const {
  std::int64_t units = 0;
  for (Number v = 0; v < vertices_.size(); ++v) {
    const Vertex& u = vertices_[v];
    if (u.type == node_ && !u.gone && usable_on_path(v)) units += u.size;
  }
  return units;
}

// The check before any walk. See StartSearch::enough_nodes.
bool Oracle::enough_nodes(Operation operation, std::int64_t duration_s) const {
  if (!nodes_tracked_) return true;
  const bool ask = operation == Operation::allocate_with_satisfiability;
  const bool now_only =
      operation == Operation::allocate || operation == Operation::without_allocating;
  const std::int64_t needed = nodes_needed(wants_), at = now_only ? now_ : horizon_ - 1;
  const std::int64_t units_up = usable_nodes() + std::max<std::int64_t>(nodes_lost_, 0);
  std::int64_t pools_free = 0;
  for (Number v = 0; v < vertices_.size(); ++v) {
    const Vertex& u = vertices_[v];
    if (u.type != node_ || u.gone) continue;
    if (!ask && !usable(u.status)) continue;
    if (allowed(u, constraint_) && !held_on_path(v, at, at + duration_s)) ++pools_free;
  }
  if (needed > units_up) return false;  // also for satisfiability: sessions pin that
  return constraint_.empty() || needed <= pools_free;
}

std::vector<std::int64_t> Oracle::candidate_times() const {
  std::set<std::int64_t> times;
  for (const auto& [id, job] : jobs_) times.insert({job.start, job.end});
  std::vector<std::int64_t> out;
  for (std::int64_t t : times) {
    if (t > now_ && t < horizon_) out.push_back(t);
  }
  return out;
}

bool Oracle::fits_at(const Request& request, std::int64_t start) {
  begin(request);
  const std::int64_t duration_s = request.duration_s == 0 ? horizon_ - now_ : request.duration_s;
  Answer answer;
  return select(Mode::granting, start, std::min(start + duration_s, horizon_), answer);
}

void Oracle::try_all(Operation operation, std::int64_t duration_s, Answer& answer) {
  auto satisfiable = [&] {
    Answer unused;
    return select(Mode::empty, now_, now_ + duration_s, unused);
  };
  const bool may_wait = operation == Operation::allocate_orelse_reserve ||
                        operation == Operation::without_allocating_future;
  const bool ask = operation == Operation::allocate_with_satisfiability;
  if (operation == Operation::satisfiability) {
    if (!satisfiable()) answer.error = ErrorCode::infeasible;
    answer.start = answer.end = now_;
    return;
  }
  if (!enough_nodes(operation, duration_s)) {
    answer.error = ask ? ErrorCode::infeasible : ErrorCode::insufficient;
    return;
  }
  std::vector<std::int64_t> times{now_};
  if (may_wait) {
    const auto later = candidate_times();
    times.insert(times.end(), later.begin(), later.end());
  }
  for (std::int64_t start : times) {
    const std::int64_t end = std::min(start + duration_s, horizon_);
    if (!select(Mode::granting, start, end, answer)) continue;
    answer.start = start;
    answer.end = end;
    if (answer.pools.empty()) answer.error = ErrorCode::insufficient;  // nothing is exclusive
    return;
  }
  answer.error =
      (may_wait || ask) && !satisfiable() ? ErrorCode::infeasible : ErrorCode::insufficient;
}

Answer Oracle::match(Operation operation, const Request& request, JobId job) {
  Answer answer;
  const bool grants = operation == Operation::allocate ||
                      operation == Operation::allocate_with_satisfiability ||
                      operation == Operation::allocate_orelse_reserve;
  const std::int64_t window = horizon_ - now_;
  if (request.duration_invalid || request.duration_s > window) {
    answer.error = ErrorCode::invalid;
  } else if (grants && jobs_.contains(job)) {
    answer.error = ErrorCode::exists;
  } else {
    begin(request);
    try_all(operation, request.duration_s == 0 ? window : request.duration_s, answer);
  }
  if (answer.error) return Answer{answer.error, 0, 0, {}, {}};
  if (operation == Operation::satisfiability) return Answer{{}, now_, now_, {}, {}};
  if (grants) commit(job, answer);
  if (first_) reweigh(answer, grants);
  return answer;
}

// Units in use below each pool now, for the exploration order of `first`.
void Oracle::account(const Job& job, std::int64_t sign) {
  if (job.start > now_ || now_ >= job.end) return;
  for (const auto& [number, exclusive] : job.pools) {
    const Vertex& v = vertices_[number];
    for (Number up = v.parent; exclusive && up != UINT32_MAX; up = vertices_[up].parent) {
      vertices_[up].used_now[v.type] += sign * units_of(job, number);
    }
  }
}

void Oracle::commit(JobId job, const Answer& answer) {
  Job made{answer.start, answer.end, answer.pools, answer.amounts, {}};
  for (const auto& [number, exclusive] : made.pools) {
    const Vertex& v = vertices_[number];
    if (taken_whole(v) && !v.children.empty()) made.whole.insert(number);
  }
  mark(job, made);
  jobs_.emplace(job, made);
}

bool Oracle::cancel(JobId job) {
  const auto it = jobs_.find(job);
  if (it == jobs_.end()) return false;
  unmark(job, it->second);
  jobs_.erase(it);
  return true;
}

bool Oracle::advance(std::int64_t t) {
  if (t < now_ || t >= horizon_) return false;
  std::vector<JobId> over, begun;
  for (const auto& [id, job] : jobs_) {
    if (job.end <= t) {
      over.push_back(id);
    } else if (job.start > now_ && job.start <= t) {
      begun.push_back(id);
    }
  }
  for (JobId id : over) (void)cancel(id);
  now_ = t;
  for (JobId id : begun) account(jobs_.at(id), 1);
  return true;
}

void Oracle::reweigh(const Answer& answer, bool committed) {
  for (const auto& [number, exclusive] : answer.pools) {
    Vertex& v = vertices_[number];
    const Type last = last_filter_[v.type];
    if (v.children.empty() || last == SIZE_MAX) continue;
    const bool below =
        std::any_of(answer.pools.begin(), answer.pools.end(), [&](const auto& other) {
          if (!tracked_.contains(types_[vertices_[other.first].type])) return false;
          Number up = vertices_[other.first].parent;
          while (up != UINT32_MAX && up != number) up = vertices_[up].parent;
          return up == number;
        });
    v.recorded |= committed && below;
    const std::int64_t total = v.total[last];
    if (number == root_ || (total == 0 && !v.recorded)) continue;
    v.weight = static_cast<std::uint64_t>(std::max<std::int64_t>(total - v.used_now[last], 0));
  }
}

}  // namespace copse::property
