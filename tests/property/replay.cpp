// SPDX-License-Identifier: Apache-2.0
#include "property/replay.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "property/custom_policies.hpp"
#include "property/grant_laws.hpp"
#include "property/left_behind.hpp"
#include "property/live_machine.hpp"
#include "property/oracle.hpp"
#include "property/reborn.hpp"
#include "property/seeds.hpp"

namespace copse::property {

namespace {

bool may_grant(Operation operation) {
  return operation == Operation::allocate || operation == Operation::allocate_orelse_reserve ||
         operation == Operation::allocate_with_satisfiability;
}

class Replay {
 public:
  Replay(const Case& a_case, const ReplayOptions& options)
      : case_(a_case),
        options_(options),
        left_behind_(a_case.seed),
        live_(options.policy == "variation" ? with_classes(a_case.machine) : a_case.machine) {}

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
    live_.number_pools(engine_->graph());
    // The oracle visits all nodes; tests/match/rack_choice_test.cpp checks the choice.
    const auto chosen = find_policy(options_.policy);
    const bool judged = options_.with_oracle && !(chosen && chosen->few_racks);
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
        if (!live_.has(e.pool)) return;
        engine_->set_status(live_.pool(e.pool), e.status);
        if (oracle_) oracle_->set_status(e.pool, e.status);
        out_.answers.emplace_back("set");
        return;
      case Event::Kind::set_property:
        if (!live_.has(e.pool)) return;
        set_property(e.pool, e.key, "1");
        if (options_.policy == "variation") {
          set_property(e.pool, "perf_class", e.key == "slow" ? "none" : "1");
        }
        out_.answers.emplace_back("set");
        return;
    }
  }

  void set_property(Number pool, const std::string& key, const std::string& value) {
    engine_->set_property(live_.pool(pool), key, value);
    if (oracle_) oracle_->set_property(pool, key, value);
  }

  // The engine's answer; by the text of a jobspec and by the request itself in turn.
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
    answer.pools = pools_of(engine_->graph(), (*match)->selection);
    answer.amounts = amounts_of(engine_->graph(), (*match)->selection);
    for (const auto& [pool, label] : (*match)->selection.labels) {
      answer.labels.emplace_back(static_cast<Number>(engine_->graph().uniq_id(pool)), label);
    }
    std::sort(answer.labels.begin(), answer.labels.end());
    return answer;
  }

  void match(const Event& e) {
    const std::uint64_t before = engine_->fingerprint();
    const bool known = engine_->grant(e.job) != nullptr;
    const std::vector<std::int64_t> times = change_times(*engine_, jobs_, machine_.now);
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
      if (may_grant(e.operation)) ++out_.refused;
      if (engine_->fingerprint() != before) fail("the state changed, though nothing was granted");
      return;
    }
    ++(answer.start > machine_.now ? out_.reserved : out_.granted);
    once_had_[e.job] = answer;
    const std::string wrong = grant_fault(*engine_, live_, jobs_, e.job, answer);
    if (!wrong.empty()) fail(wrong);
    jobs_.push_back(e.job);
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

  // A reservation starts where some grant starts or ends, and no such time before would do.
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
  void attach(const Event& e) {
    if (!live_.has(e.pool)) return;  // its parent does not exist, since events were cut
    const NewSubtree subtree = live_.attach(e, engine_->names());
    const auto done = engine_->attach({&subtree, 1});
    if (!done) return fail("attach: " + done.error().message());
    if (oracle_) oracle_->attach(e.pool, e.coming, e.first);
    changed("attached");
  }

  void remove(Number top) {
    if (!live_.has(top) || top == machine_.root) return;
    const std::uint64_t before = engine_->fingerprint();
    const PoolId pool = live_.pool(top);
    const auto done = engine_->remove({&pool, 1});
    const bool gone = done.has_value();
    if (oracle_ && oracle_->remove(top) != gone) fail("one of the two does not remove it");
    if (!gone && engine_->fingerprint() != before) fail("the state changed, but nothing went");
    if (gone) live_.remove(top);
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
    live_.number_pools(engine_->graph());
  }

  void changed(const char* what) {
    changed_ = true;
    if (options_.compacted) {
      if (auto done = engine_->compact(); !done) fail("compact: " + done.error().message());
    }
    live_.number_pools(engine_->graph());
    out_.answers.emplace_back(what);
    for (JobId job : jobs_) {
      if (oracle_ && !oracle_->has(job)) fail(fmt::format("job {} should have nothing left", job));
      for (const auto& [v, exclusive] :
           pools_of(engine_->graph(), engine_->grant(job)->selection)) {
        if (!live_.has(v)) fail(fmt::format("job {} has #{}, which is not in the machine", job, v));
      }
    }
  }

  void update(const Event& e) {
    std::set<Number> wanted;
    std::vector<PoolId> pools;
    std::map<Number, std::int64_t> units;
    std::vector<PoolAmount> amounts;
    const Answer& once = once_had_[e.other];
    for (const auto& [v, exclusive] : once.pools) {
      if (!exclusive || !live_.has(v)) continue;
      wanted.insert(v);
      pools.push_back(live_.pool(v));
      if (!once.amounts.contains(v)) continue;
      units[v] = once.amounts.at(v);
      amounts.push_back({pools.back(), units[v]});
    }
    const std::uint64_t before = engine_->fingerprint();
    const bool known = engine_->grant(e.job) != nullptr;
    const auto match = engine_->update(e.job, {pools, amounts}, e.start, e.duration_s);
    Answer answer;
    if (match) {
      answer = {
          {}, (*match)->start, (*match)->end, pools_of(engine_->graph(), (*match)->selection), {}};
      answer.amounts = amounts_of(engine_->graph(), (*match)->selection);
    } else {
      answer.error = match.error().code;
    }
    if (oracle_) {
      const Answer expected = oracle_->update(e.job, wanted, units, e.start, e.duration_s);
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
    for (Number v = 0; v < live_.pools().size(); ++v) {
      if (!live_.has(v) || (v * 2'654'435'761U + e.dice * 40'503U) >> 8 & 3) continue;
      wanted.insert(v);
      pools.push_back(live_.pool(v));
    }
    const std::uint64_t before = engine_->fingerprint();
    const auto done = engine_->cancel_part(e.job, pools);
    if (oracle_) {
      const auto error = oracle_->cancel_part(e.job, wanted);
      if (done ? error.has_value() : error != done.error().code) {
        fail("one of the two gives something back");
      }
      if (oracle_->has(e.job) != (engine_->grant(e.job) != nullptr))
        fail("only one of the two has something left");
    }
    if (!done && engine_->fingerprint() != before) fail("the state changed, but nothing was given");
    if (done && *done) std::erase(jobs_, e.job);
    out_.answers.emplace_back(done ? *done ? "all" : "part" : "nothing");
  }

  // Without jobs and with everything up, the state is as it was made.
  void empty_all() {
    while (!jobs_.empty() && !out_.failure) cancel(jobs_[jobs_.size() / 2]);
    if (engine_->grant_count() != 0) fail("grants are left after all jobs were cancelled");
    for (PoolId pool : live_.pools()) {
      if (pool != kNoPool) engine_->set_status(pool, Status::up);
    }
    if (changed_) {
      build_again();
      const auto fresh = fresh_fingerprint(*engine_, live_.now(engine_->graph().names().types));
      if (!fresh) return fail(fresh.error().message());
      initial_ = *fresh;
    }
    if (engine_->fingerprint() != initial_)
      fail("cancelling everything does not restore the state");
  }

  const Case& case_;
  const ReplayOptions& options_;
  LeftBehind left_behind_;
  LiveMachine live_;
  Machine& machine_ = live_.machine();
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Oracle> oracle_;
  Twin twin_;
  std::vector<std::string> texts_;
  std::vector<PreparedRequest> prepared_;
  std::vector<JobId> jobs_;
  std::map<JobId, Answer> once_had_;
  bool changed_ = false;
  std::uint64_t initial_ = 0;
  Replayed out_;
};

}  // namespace

Replayed replay(const Case& a_case, const ReplayOptions& options) {
  return Replay(a_case, options).run();
}

}  // namespace copse::property
