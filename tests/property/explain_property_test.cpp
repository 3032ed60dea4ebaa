// SPDX-License-Identifier: Apache-2.0
//
// What must be true of the explanation of any request on any machine at any time:
//   * its verdict is that of the engine, and explaining changes nothing;
//   * a request that fits lacks nothing: its analysis finds no cause;
//   * the numbers of a finding are consistent.
// The second is checked on a separate state with the same grants.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "copse/engine.hpp"
#include "explain/explain.hpp"
#include "property/custom_policies.hpp"
#include "property/generator.hpp"
#include "property/replay.hpp"
#include "state/grants.hpp"
#include "state/state.hpp"

namespace copse::property {
namespace {

struct Told {
  std::uint64_t fits = 0, explained = 0, unequal = 0;
};

class Explaining {
 public:
  Explaining(const Case& a_case, const std::string& policy)
      : case_(a_case), policy_(*find_policy(policy, custom_policies())) {
    auto graph = a_case.machine.build();
    EXPECT_TRUE(graph);
    auto engine = Engine::create(std::move(*graph), {.policy = policy_,
                                                     .prune_filters = a_case.machine.prune_filters,
                                                     .now = a_case.machine.now,
                                                     .horizon = a_case.machine.horizon});
    EXPECT_TRUE(engine);
    engine_ = std::move(*engine);
    state_ = std::make_unique<State>(engine_->graph(), a_case.machine.now);
    for (std::uint32_t v = 0; v < engine_->graph().pool_count(); ++v) {
      pools_[engine_->graph().created(PoolId{v})] = PoolId{v};
    }
    for (const Request& request : a_case.requests) {
      prepared_.push_back(std::move(*engine_->prepare(request)));
    }
  }

  void run(Told& told) {
    for (const Event& event : case_.events) {
      switch (event.kind) {
        case Event::Kind::match: match(event, told); break;
        case Event::Kind::cancel: cancel(event.job); break;
        case Event::Kind::set_status:
          engine_->set_status(pools_.at(event.pool), event.status);
          state_->set_status(pools_.at(event.pool), event.status);
          break;
        case Event::Kind::set_property:
          engine_->set_property(pools_.at(event.pool), event.key, "1");
          break;
        default: break;  // here the clock does not advance
      }
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  void cancel(JobId job) {
    const Grant* grant = engine_->grant(job);
    if (grant == nullptr) return;
    const std::uint32_t number = *grants_.number_of(job);
    state_->apply(grant->selection, grant->start, grant->end, number, -1);
    grants_.drop(number);
    EXPECT_TRUE(engine_->cancel(job));
  }

  static void check_numbers(const Explanation& why) {
    for (const Finding& f : why.findings) {
      const Candidates& c = f.candidates;
      EXPECT_EQ(c.all, c.fit + c.too_small + c.excluded + c.down + c.held + c.busy + c.lacking +
                           c.passed_over);
      if (f.cause == Cause::too_few) {
        EXPECT_LT(f.most_fits, f.needed) << f.path;
      }
      if (f.cause == Cause::too_few) {
        EXPECT_LE(f.most_fits, f.most_has) << f.path;
      }
      // Of a pool that has units left, others may have some.
      EXPECT_TRUE(f.holders.empty() || c.held + c.busy > 0 || f.most_fits < f.most_has) << f.path;
      if (why.verdict == Verdict::insufficient && c.held > 0) {
        EXPECT_FALSE(f.holders.empty());
      }
      if (why.verdict == Verdict::infeasible) {
        EXPECT_EQ(c.down + c.held + c.busy, 0U);
      }
      EXPECT_EQ(f.down.empty(), c.down == 0) << f.path;
      EXPECT_LE(f.down.size(), Finding::kDownBytesMax);
      EXPECT_TRUE(std::is_sorted(f.holders.begin(), f.holders.end(),
                                 [](const Holder& a, const Holder& b) { return a.end < b.end; }));
      for (const Holder& h : f.holders) {
        EXPECT_TRUE(h.start < why.until && h.end > why.at && h.units > 0) << f.path;
      }
    }
  }

  // A request that fits now lacks nothing.
  void check_fits(const Request& request, const Explanation& why) {
    const auto compiled = compile(request, engine_->graph(), policy_);
    ASSERT_TRUE(compiled);
    const PoolId root = engine_->graph().root();
    const std::int64_t active =
        engine_->graph().leaf(root) ? 0 : state_->row(engine_->graph().interior(root))[0];
    const auto findings = find_causes(
        {
            .graph = engine_->graph(),
            .state = *state_,
            .request = request,
            .compiled = *compiled,
            .policy = policy_,
            .grants = grants_,
            .reservations = active < static_cast<std::int64_t>(engine_->grant_count()),
            .start = why.at,
            .end = std::min(why.until, case_.machine.horizon),
        },
        Verdict::insufficient);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_STREQ(word(findings[0].cause), word(Cause::unequal)) << findings[0].path;
  }

  void match(const Event& event, Told& told) {
    PreparedRequest& request = prepared_[event.request];
    const std::uint64_t before = engine_->fingerprint();
    const auto why = engine_->explain(request);
    ASSERT_TRUE(why);
    EXPECT_EQ(engine_->fingerprint(), before);
    EXPECT_EQ(why->findings.empty(), why->verdict == Verdict::fits);
    EXPECT_LE(why->findings.size(), Explanation::kFindingsMax);
    check_numbers(*why);

    const JobId looker = 1'000'000;
    const auto now = engine_->match(Operation::without_allocating, request, looker);
    const auto ever = engine_->match(Operation::satisfiability, request, looker);
    const ErrorCode code = now ? ErrorCode::exists : now.error().code;
    if (why->verdict == Verdict::invalid) {
      EXPECT_EQ(code, ErrorCode::invalid);
      return;
    }
    EXPECT_EQ(why->verdict == Verdict::fits, now.has_value());
    if (!now) {
      EXPECT_EQ(why->verdict == Verdict::infeasible, !ever.has_value());
    }
    if (now) {
      ++told.fits;
      check_fits(case_.requests[event.request], *why);
    } else {
      ++told.explained;
      told.unequal += why->findings.front().cause == Cause::unequal ? 1 : 0;
    }
    if (engine_->grant(event.job) != nullptr) return;
    (void)engine_->match(event.operation, request, event.job);
    const Grant* grant = engine_->grant(event.job);
    if (grant == nullptr) return;
    const std::uint32_t number = grants_.add(event.job, grant->start, grant->end);
    grants_.own(number).selection = grant->selection;
    state_->apply(grant->selection, grant->start, grant->end, number, 1);
  }

  const Case& case_;
  Policy policy_;
  std::unique_ptr<Engine> engine_;
  Grants grants_;  // of state_
  std::unique_ptr<State> state_;
  std::map<Number, PoolId> pools_;
  std::vector<PreparedRequest> prepared_;
};

class Explained : public ::testing::TestWithParam<std::string> {};

TEST_P(Explained, AgreesWithTheEngine) {
  Told told;
  for (std::uint64_t seed = 6'000'000; seed < 6'000'600 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case a_case = make_case(seed, MachineSize::small);
    Explaining(a_case, GetParam()).run(told);
  }
  for (std::uint64_t seed = 7'000'000; seed < 7'000'020 && !HasFailure(); ++seed) {
    SCOPED_TRACE("large, seed " + std::to_string(seed));
    const Case a_case = make_case(seed, MachineSize::large);
    Explaining(a_case, GetParam()).run(told);
  }
  if (HasFailure()) return;
  EXPECT_GT(told.fits, 100U);
  EXPECT_GT(told.explained, 100U);
  // Explanations without a simple cause must remain rare.
  EXPECT_LT(told.unequal, told.explained / 100) << told.unequal << " of " << told.explained;
}

INSTANTIATE_TEST_SUITE_P(Policies, Explained,
                         ::testing::Values("low", "first", "lonodex", "dice-high"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace copse::property
