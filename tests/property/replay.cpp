// SPDX-License-Identifier: Apache-2.0
#include "property/replay.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "property/left_behind.hpp"
#include "property/oracle.hpp"
#include "property/reborn.hpp"
#include "property/seeds.hpp"

namespace copse::property {

namespace {

Score dice(GraphView graph, PoolId pool) {
  const auto has = [&](std::string_view key) { return graph.property(pool, key).has_value(); };
  return static_cast<Score>(graph.uniq_id(pool) * 7 % 11) + (has("fast") ? 6 : 0) -
         (has("slow") ? 9 : 0);
}

// Property values for `variation`: classes for two pools of three, few enough that many are equal,
// and invalid values.
Machine with_classes(Machine machine) {
  static constexpr const char* kWords[] = {"0", "1", "1", "2", "17", "9999", "10000", "-3", "fast"};
  for (std::size_t v = 0; v < machine.pools.size(); ++v) {
    const std::size_t dice = v * 2'654'435'761U >> 7;
    if (dice % 3 != 0) machine.pools[v].properties["perf_class"] = kWords[dice / 3 % 9];
  }
  return machine;
}

class Replay {
 public:
  Replay(const Case& a_case, const ReplayOptions& options)
      : case_(a_case),
        options_(options),
        left_behind_(a_case.seed),
        machine_(options.policy == "variation" ? with_classes(a_case.machine) : a_case.machine) {}

  Replayed run() {
    auto graph = machine_.build();
    if (!graph) return failed("build: " + graph.error().message());
    auto engine = Engine::create(std::move(*graph),
                                 {.policy = *find_policy(options_.policy, custom_policies()),
                                  .traverser = options_.traverser,
                                  .prune_filters = machine_.prune_filters,
                                  .now = machine_.now,
                                  .horizon = machine_.horizon,
                                  .exhaustive = options_.exhaustive});
    if (!engine) return failed("create: " + engine.error().message());
    engine_ = std::move(*engine);
    children_ = machine_.children();
    parents_.resize(machine_.pools.size(), kNone);
    for (const auto& [from, to] : machine_.edges) parents_[to] = from;
    number_pools();
    // The oracle visits all nodes; tests/match/node_choice_test.cpp checks which are chosen.
    const bool judged = options_.with_oracle && options_.policy != "compact";
    if (judged) oracle_ = std::make_unique<Oracle>(machine_, options_.policy);
    for (const Request& request : case_.requests) texts_.push_back(jobspec_text(request));
    prepare_all();
    if (out_.failure) return out_;
    if (options_.twinned) {
      if (const std::string why = twin_.follow(*engine_); !why.empty()) return failed(why);
    }
    initial_ = engine_->fingerprint();
    for (std::size_t i = 0; i < case_.events.size(); ++i) {
      if (options_.cloned && left_behind_.now(25)) split();
      event(case_.events[i]);
      Seeds::add_steps(1);
      if (options_.rebuilt && !out_.failure) build_again();
      if (options_.reloaded && !out_.failure) reload();
      if (options_.twinned && !out_.failure) follow_twin(i % 3 == 2);
      if (out_.failure) {
        *out_.failure = fmt::format("event {}, {}: {}", i, text(case_.events[i]), *out_.failure);
        return out_;
      }
    }
    empty_all();
    return out_;
  }

 private:
  void prepare_all() {
    prepared_.clear();
    for (const Request& request : case_.requests) {
      auto prepared = engine_->prepare(request);
      if (!prepared) return fail("prepare: " + prepared.error().message());
      prepared_.push_back(std::move(*prepared));
    }
  }

  void split() {
    const std::string wrong = left_behind_.split(engine_);
    if (!wrong.empty()) return fail(wrong);
    prepare_all();
  }

  Replayed failed(const std::string& why) {
    fail(why);
    return out_;
  }
  void fail(const std::string& why) {
    if (!out_.failure) out_.failure = why;
  }

  [[nodiscard]] Number number(PoolId p) const {
    return static_cast<Number>(engine_->graph().uniq_id(p));
  }

  void reload() {
    prepared_.clear();
    const std::string why = save_and_load(engine_);
    if (!why.empty()) return fail(why);
    prepare_all();
  }

  void follow_twin(bool swap) {
    std::string why = twin_.catch_up();
    if (why.empty() && swap) {
      prepared_.clear();
      why = twin_.swap(engine_);
      if (why.empty()) prepare_all();
    }
    if (!why.empty()) fail(why);
  }

  void number_pools() {
    pool_of_.assign(machine_.pools.size(), kNoPool);
    for (std::uint32_t v = 0; v < engine_->graph().pool_count(); ++v) {
      if (!engine_->graph().removed(PoolId{v})) pool_of_[number(PoolId{v})] = PoolId{v};
    }
  }

  void event(const Event& e) {
    switch (e.kind) {
      case Event::Kind::match: return match(e);
      case Event::Kind::cancel: return cancel(e.job);
      case Event::Kind::attach: return attach(e);
      case Event::Kind::remove: return remove(e.pool);
      case Event::Kind::update: return update(e);
      case Event::Kind::cancel_part: return cancel_part(e);
      case Event::Kind::compact: return compact();
      case Event::Kind::advance: return advance(machine_.now + e.duration_s);
      case Event::Kind::set_status:
        if (!there(e.pool)) return;
        engine_->set_status(pool_of_[e.pool], e.status);
        if (oracle_) oracle_->set_status(e.pool, e.status);
        out_.answers.emplace_back("set");
        return;
      case Event::Kind::set_property:
        if (!there(e.pool)) return;
        set_property(e.pool, e.key, "1");
        if (options_.policy == "variation") {
          set_property(e.pool, "perf_class", e.key == "slow" ? "none" : "1");
        }
        out_.answers.emplace_back("set");
        return;
    }
  }

  void set_property(Number pool, const std::string& key, const std::string& value) {
    engine_->set_property(pool_of_[pool], key, value);
    if (oracle_) oracle_->set_property(pool, key, value);
  }

  [[nodiscard]] std::map<Number, bool> pools_of(const Selection& selection) const {
    std::map<Number, bool> out;
    std::vector<ExpandedPool> expanded;
    expand(engine_->graph(), selection, expanded);
    for (const ExpandedPool& e : expanded) out[number(e.pool)] = e.exclusive;
    return out;
  }

  // The engine's answer; the text of a jobspec and the request itself are used in turn.
  Answer ask(const Event& e) {
    Answer answer;
    PreparedRequest* request = &prepared_[e.request];
    if (e.job % 2 == 0) {
      auto by_text = engine_->prepare(texts_[e.request], "job.json");
      if (!by_text) {
        fail("prepare: " + by_text.error().message());
        return answer;
      }
      request = *by_text;
    }
    const auto match = engine_->match(e.operation, *request, e.job);
    if (!match) {
      answer.error = match.error().code;
      return answer;
    }
    answer.start = (*match)->start;
    answer.end = (*match)->end;
    if (e.operation == Operation::satisfiability) return answer;
    answer.pools = pools_of((*match)->selection);
    for (const auto& [pool, label] : (*match)->selection.labels) {
      answer.labels.emplace_back(number(pool), label);
    }
    std::sort(answer.labels.begin(), answer.labels.end());
    return answer;
  }

  void match(const Event& e) {
    const std::uint64_t before = engine_->fingerprint();
    const bool known = engine_->grant(e.job) != nullptr;
    const std::vector<std::int64_t> times = change_times();
    const Answer answer = ask(e);
    const bool granted = !known && engine_->grant(e.job) != nullptr;
    if (oracle_ && options_.traverser == Traverser::loop_aware) {
      judge(e, answer, granted);
    } else if (oracle_) {
      if (granted && answer.start > machine_.now) check_earliest(e, answer, times);
      const Answer expected = oracle_->match(e.operation, case_.requests[e.request], e.job);
      if (answer != expected) {
        fail(fmt::format("\n  engine {}\n  oracle {}", text(answer, machine_),
                         text(expected, machine_)));
      }
    }
    out_.answers.push_back(text(answer, machine_));
    took(e, answer, before, granted);
  }

  // The invariants after an event that may have granted something.
  void took(const Event& e, const Answer& answer, std::uint64_t before, bool granted) {
    if (!granted) {
      ++out_.refused;
      if (engine_->fingerprint() != before) fail("the state changed, though nothing was granted");
      return;
    }
    ++(answer.start > machine_.now ? out_.reserved : out_.granted);
    once_had_[e.job] = answer;
    check_grant(e.job, answer);
    if (!e.undo) return;
    cancel(e.job);
    if (engine_->fingerprint() != before)
      fail("cancelling the last job does not restore the state");
  }

  // For the loop-aware traverser any placement at the first possible time is valid.
  void judge(const Event& e, const Answer& answer, bool granted) {
    const Request& request = case_.requests[e.request];
    if (granted && !oracle_->fits_at(request, answer.start)) ++out_.searched;
    const std::string wrong = oracle_->judge(e.operation, request, e.job, answer);
    if (!wrong.empty()) {
      fail(fmt::format("\n  engine {}\n  {}", text(answer, machine_), wrong));
    }
  }

  // A reservation starts where some grant starts or ends, and no earlier such time fits.
  [[nodiscard]] std::vector<std::int64_t> change_times() const {
    std::vector<std::int64_t> out{machine_.now};
    for (JobId job : jobs_) {
      const Grant& grant = *engine_->grant(job);
      if (grant.start > machine_.now) out.push_back(grant.start);
      out.push_back(grant.end);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  void check_earliest(const Event& e, const Answer& answer,
                      const std::vector<std::int64_t>& times) {
    if (!std::binary_search(times.begin(), times.end(), answer.start)) {
      fail(fmt::format("a reservation starts at {}, where nothing changes", answer.start));
    }
    for (std::int64_t t : times) {
      if (t >= answer.start) break;
      if (oracle_->fits_at(case_.requests[e.request], t)) {
        fail(fmt::format("reserved at {}, though {} would do", answer.start, t));
      }
    }
  }

  // No unit is granted twice: no other job that runs at the same time has any of a job's exclusive
  // pools or of those below them. Checked by plain marks, from the grants alone.
  void check_grant(JobId job, const Answer& answer) {
    const Grant& mine = *engine_->grant(job);
    if (mine.start != answer.start || mine.end != answer.end || mine.start >= mine.end ||
        mine.start < machine_.now || mine.end > machine_.horizon) {
      fail("the grant's times are wrong");
    }
    const Selection& selection = mine.selection;
    for (JobId other : jobs_) {
      const Grant& theirs = *engine_->grant(other);
      if (mine.start >= theirs.end || theirs.start >= mine.end) continue;
      const auto a = pools_of(selection), b = pools_of(theirs.selection);
      if (meet(a, b) || meet(b, a)) fail(fmt::format("shares units with job {}", other));
    }
    jobs_.push_back(job);
  }

  [[nodiscard]] bool meet(const std::map<Number, bool>& holder,
                          const std::map<Number, bool>& other) const {
    std::vector<bool> held(machine_.pools.size(), false);
    for (const auto& [number, exclusive] : holder) {
      if (exclusive && !held[number]) hold(number, held);
    }
    return std::any_of(other.begin(), other.end(), [&](const auto& p) { return held[p.first]; });
  }
  void hold(Number v, std::vector<bool>& held) const {
    held[v] = true;
    for (Number child : children_[v]) hold(child, held);
  }

  void cancel(JobId job) {
    const bool cancelled = engine_->cancel(job).has_value();
    if (oracle_ && oracle_->cancel(job) != cancelled) fail("one of the two does not know the job");
    std::erase(jobs_, job);
    if (engine_->grant(job) != nullptr) fail("a cancelled job has a grant");
    out_.answers.emplace_back(cancelled ? "cancelled" : "unknown");
  }

  void advance(std::int64_t t) {
    const bool moved = engine_->advance(t).has_value();
    if (oracle_ && oracle_->advance(t) != moved) fail("one of the two clocks does not move");
    if (moved) machine_.now = t;
    if (engine_->now() != machine_.now) fail("the clock is wrong");
    std::erase_if(jobs_, [&](JobId job) {
      const Grant* grant = engine_->grant(job);
      if (grant != nullptr && grant->end <= machine_.now) fail("a grant has not ended");
      if (oracle_ && oracle_->has(job) != (grant != nullptr)) {
        fail(fmt::format("one of the two ended job {}", job));
      }
      return grant == nullptr;
    });
    out_.answers.emplace_back(moved ? "advanced" : "stays");
  }

  // --- A machine that changes
  [[nodiscard]] bool there(Number v) const { return v < pool_of_.size() && pool_of_[v] != kNoPool; }

  void attach(const Event& e) {
    if (!there(e.pool)) return;  // its parent does not exist, since events were removed
    NewSubtree subtree{pool_of_[e.pool], {}};
    machine_.pools.resize(std::max<std::size_t>(machine_.pools.size(), e.first));
    children_.resize(machine_.pools.size());
    parents_.resize(machine_.pools.size(), kNone);
    for (const ComingPool& c : e.coming) {
      const auto v = static_cast<Number>(machine_.pools.size());
      const MachinePool& pool = c.pool;
      Names& names = engine_->names();
      subtree.pools.push_back(
          {.parent = c.parent,
           .type = TypeId{static_cast<std::uint16_t>(names.types.intern(pool.type))},
           .basename = NameId{names.basenames.intern(pool.basename)},
           .unit = UnitId{static_cast<std::uint16_t>(names.units.intern(pool.unit))},
           .size = pool.size,
           .id = pool.id,
           .rank = pool.rank,
           .uniq_id = v,
           .name = {},
           .down = c.down,
           .properties = pool.properties});
      machine_.pools.push_back(pool);
      children_.emplace_back();
      parents_.push_back(c.parent == kNone ? e.pool : e.first + c.parent);
      children_[parents_.back()].push_back(v);
    }
    const auto done = engine_->attach({&subtree, 1});
    if (!done) return fail("attach: " + done.error().message());
    if (oracle_) oracle_->attach(e.pool, e.coming, e.first);
    changed("attached");
  }

  void remove(Number top) {
    if (!there(top) || top == machine_.root) return;
    const std::uint64_t before = engine_->fingerprint();
    const PoolId pool = pool_of_[top];
    const auto done = engine_->remove({&pool, 1});
    const bool gone = done.has_value();
    if (oracle_ && oracle_->remove(top) != gone) fail("one of the two does not remove it");
    if (!gone && engine_->fingerprint() != before) fail("the state changed, but nothing went");
    if (gone) std::erase(children_[parents_[top]], top);
    std::erase_if(jobs_, [&](JobId job) { return engine_->grant(job) == nullptr; });
    changed(gone ? "removed" : "stays");
  }

  void compact() {
    if (auto done = engine_->compact(); !done) return fail("compact: " + done.error().message());
    changed("compact");
  }

  void build_again() {
    changed_ = true;
    if (auto done = engine_->compact(); !done) fail("compact: " + done.error().message());
    number_pools();
  }

  void changed(const char* what) {
    changed_ = true;
    if (options_.compacted) {
      if (auto done = engine_->compact(); !done) fail("compact: " + done.error().message());
    }
    number_pools();
    out_.answers.emplace_back(what);
    for (JobId job : jobs_) {
      if (oracle_ && !oracle_->has(job)) fail(fmt::format("job {} should have nothing left", job));
      for (const auto& [v, exclusive] : pools_of(engine_->grant(job)->selection)) {
        if (!there(v)) fail(fmt::format("job {} has #{}, which is not in the machine", job, v));
      }
    }
  }

  void update(const Event& e) {
    std::set<Number> wanted;
    std::vector<PoolId> pools;
    for (const auto& [v, exclusive] : once_had_[e.other].pools) {
      if (!exclusive || !there(v)) continue;
      wanted.insert(v);
      pools.push_back(pool_of_[v]);
    }
    const std::uint64_t before = engine_->fingerprint();
    const bool known = engine_->grant(e.job) != nullptr;
    const auto match = engine_->update(e.job, pools, e.start, e.duration_s);
    Answer answer;
    if (match) {
      answer = {{}, (*match)->start, (*match)->end, pools_of((*match)->selection), {}};
    } else {
      answer.error = match.error().code;
    }
    if (oracle_) {
      const Answer expected = oracle_->update(e.job, wanted, e.start, e.duration_s);
      if (answer != expected) {
        fail(fmt::format("\n  engine {}\n  oracle {}", text(answer, machine_),
                         text(expected, machine_)));
      }
    }
    out_.answers.push_back(text(answer, machine_));
    took(e, answer, before, !known && match);
  }

  void cancel_part(const Event& e) {
    std::set<Number> wanted;
    std::vector<PoolId> pools;
    for (Number v = 0; v < pool_of_.size(); ++v) {
      if (!there(v) || (v * 2'654'435'761U + e.dice * 40'503U) >> 8 & 3) continue;
      wanted.insert(v);
      pools.push_back(pool_of_[v]);
    }
    const std::uint64_t before = engine_->fingerprint();
    const auto done = engine_->cancel_part(e.job, pools);
    if (oracle_) {
      const auto error = oracle_->cancel_part(e.job, wanted);
      if (done ? error.has_value() : error != done.error().code) {
        fail("one of the two gives something back");
      }
      if (oracle_->has(e.job) != (engine_->grant(e.job) != nullptr))
        fail("who has something left?");
    }
    if (!done && engine_->fingerprint() != before) fail("the state changed, but nothing was given");
    if (done && *done) std::erase(jobs_, e.job);
    out_.answers.emplace_back(done ? *done ? "all" : "part" : "nothing");
  }

  // The present machine, as if it had been read.
  [[nodiscard]] Machine machine_now() const {
    Machine now = machine_;
    now.pools.clear();
    now.edges.clear();
    std::vector<Number> to(machine_.pools.size(), kNone);
    for (Number v = 0; v < machine_.pools.size(); ++v) {
      if (!there(v)) continue;
      to[v] = static_cast<Number>(now.pools.size());
      now.pools.push_back(machine_.pools[v]);
    }
    for (const bool of_the_tree : {false, true}) {  // of several edges into a pool: the last one
      for (Number v = 0; v < machine_.pools.size(); ++v) {
        for (Number child : children_[v]) {
          if (!there(v) || !there(child) || (parents_[child] == v) != of_the_tree) continue;
          now.edges.emplace_back(to[v], to[child]);
        }
      }
    }
    now.root = to[machine_.root];
    const Interner& types = engine_->graph().names().types;  // the order of first appearance
    for (std::uint32_t t = 0; t < types.size(); ++t) now.types.push_back(types.text(t));
    for (auto& [from, end] : now.power) {
      from = to[from];
      end = to[end];
    }
    return now;
  }

  // Every pool with all its data, in preorder.
  [[nodiscard]] static std::string tree_text(const ResourceGraph& g) {
    std::string out;
    g.preorder(g.root(), [&](PoolId p) {
      out += fmt::format("{} {} {} {} {} leaf {}", g.path(p, g.dominant()), g.type_name(p),
                         g.size(p), g.id(p), g.rank(p), g.leaf(p));
      for (const TypeTotal& t : g.shape(p).totals) {
        out += fmt::format(" {}:{}", g.type_name(t.type), t.total);
      }
      out += '\n';
      return true;
    });
    return out;
  }

  // Without jobs and with everything up, the state equals the initial one.
  void empty_all() {
    while (!jobs_.empty() && !out_.failure) cancel(jobs_[jobs_.size() / 2]);
    if (engine_->grant_count() != 0) fail("grants are left after all jobs were cancelled");
    for (PoolId pool : pool_of_) {
      if (pool != kNoPool) engine_->set_status(pool, Status::up);
    }
    if (changed_) {
      build_again();
      const Machine now = machine_now();
      auto graph = now.build();
      if (!graph) return fail("build: " + graph.error().message());
      auto fresh = Engine::create(std::move(*graph), engine_->options());
      if (!fresh) return fail("create: " + fresh.error().message());
      if (tree_text(engine_->graph()) != tree_text((*fresh)->graph())) {
        return fail("the graph is not as if it was made so:\n" + tree_text(engine_->graph()) +
                    "but\n" + tree_text((*fresh)->graph()));
      }
      initial_ = (*fresh)->fingerprint();
    }
    if (engine_->fingerprint() != initial_)
      fail("cancelling everything does not restore the state");
  }

  static constexpr Number kNone = UINT32_MAX;
  const Case& case_;
  const ReplayOptions& options_;
  LeftBehind left_behind_;
  Machine machine_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Oracle> oracle_;
  Twin twin_;
  std::vector<PoolId> pool_of_;  // by number, which is the uniq_id; kNoPool: does not exist
  std::vector<std::vector<Number>> children_;
  std::vector<std::string> texts_;
  std::vector<PreparedRequest> prepared_;
  std::vector<Number> parents_;
  std::vector<JobId> jobs_;
  std::map<JobId, Answer> once_had_;
  bool changed_ = false;
  std::uint64_t initial_ = 0;
  Replayed out_;
};

}  // namespace

std::span<const Policy> custom_policies() {
  static const Policy policies[] = {
      {.name = "dice-high", .score = dice},
      {.name = "dice-low", .prefer_high = false, .score = dice},
  };
  return policies;
}

Replayed replay(const Case& a_case, const ReplayOptions& options) {
  return Replay(a_case, options).run();
}

Case shrink(Case a_case, const ReplayOptions& options) {
  auto fails = [&](const Case& smaller) { return replay(smaller, options).failure.has_value(); };
  for (std::size_t cut = std::max<std::size_t>(a_case.events.size() / 2, 1); cut > 0; cut /= 2) {
    for (std::size_t at = 0; at + cut <= a_case.events.size();) {
      Case smaller = a_case;
      const auto first = smaller.events.begin() + static_cast<std::ptrdiff_t>(at);
      smaller.events.erase(first, first + static_cast<std::ptrdiff_t>(cut));
      if (fails(smaller)) {
        a_case = std::move(smaller);
      } else {
        ++at;
      }
    }
  }
  return a_case;
}

std::string check(const Case& a_case, const ReplayOptions& options, Replayed* replayed) {
  Replayed first = replay(a_case, options);
  if (replayed != nullptr) *replayed = first;
  if (!first.failure) return {};
  const Case smaller = shrink(a_case, options);
  return fmt::format("COPSE_SEED={} policy {}\n{}{}\n", a_case.seed, options.policy, text(smaller),
                     *replay(smaller, options).failure);
}

}  // namespace copse::property
