// SPDX-License-Identifier: Apache-2.0
//
// What must be true of the short cause of any job that waits, on any machine:
//   * it has at most 80 characters, also with the time at which the waiting ends;
//   * it names types that the request has, and no others;
//   * if it says how much is free, that is less than what is needed.
#include <gtest/gtest.h>

#include <cctype>
#include <regex>
#include <set>

#include "property/generator.hpp"
#include "property/seeds.hpp"
#include "queue/answers/answers.hpp"
#include "queue/answers/short_cause.hpp"
#include "queue/job_queue.hpp"
#include "text/clauses.hpp"

namespace copse::property {
namespace {

void add_types(const std::vector<Resource>& resources, std::set<std::string>& out) {
  for (const Resource& resource : resources) {
    out.insert(resource.type);
    add_types(resource.with, out);
  }
}

// Its words in small letters, without the s of plurals.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> out;
  std::string word;
  for (const char c : text + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (word.ends_with('s')) word.pop_back();
    if (!word.empty()) out.insert(std::exchange(word, {}));
  }
  return out;
}

struct Ends : queue::QueueSink {
  std::vector<JobId> running;
  void started(JobId job, const Grant& /*grant*/) override { running.push_back(job); }
  void planned(JobId, std::int64_t) override {}
  void unplanned(JobId) override {}
  void denied(JobId, const Error&) override {}
  void unplaceable(JobId, const Error&) override {}
};

class Waiting {
 public:
  explicit Waiting(const Case& a_case) : case_(a_case), random_(a_case.seed) {
    auto graph = a_case.machine.build();
    EXPECT_TRUE(graph);
    auto engine = Engine::create(std::move(*graph), {.policy = *find_policy("low"),
                                                     .prune_filters = a_case.machine.prune_filters,
                                                     .now = a_case.machine.now,
                                                     .horizon = a_case.machine.horizon});
    EXPECT_TRUE(engine);
    engine_ = std::move(*engine);
    for (std::uint32_t v = 0; v < engine_->graph().pool_count(); ++v) {
      types_.insert(engine_->graph().type_name(engine_->graph().type(PoolId{v})));
    }
    const char* const disciplines[] = {"fcfs", "easy", "conservative"};
    queue_ = std::make_unique<queue::JobQueue>(
        *engine_,
        std::vector<queue::QueueSpec>{
            {.discipline = *find_discipline(disciplines[random_.below(3)])}},
        ends_);
  }

  std::size_t run() {
    for (JobId id = 1; id <= 40; ++id) {
      const std::size_t n = random_.below(case_.requests.size());
      const Request& request = case_.requests[n];
      const bool is = queue_
                          ->submit({.id = id,
                                    .submit_s = engine_->now(),
                                    .duration_s = static_cast<std::int64_t>(random_.below(100)) + 1,
                                    .kind = std::to_string(n),
                                    .request = &request})
                          .has_value();
      if (is) requests_[id] = &request;
      queue_->work();
      if (random_.below(4) == 0 && !ends_.running.empty()) {
        (void)queue_->ended(ends_.running.back(), engine_->now());
        ends_.running.pop_back();
        queue_->work();
      }
      check();
      if (::testing::Test::HasFailure()) break;
    }
    return seen_;
  }

 private:
  void check() {
    queue::Answers answers(*queue_);
    queue::WorkBudget all;
    (void)answers.work(all);
    for (const queue::Answers::Brief& brief : answers.all()) {
      const std::string& cause = brief.why.brief;
      ASSERT_FALSE(cause.empty());
      EXPECT_LE(characters(cause), queue::kCauseCharacters) << cause;
      EXPECT_LE(characters(queue::timed_cause(cause, brief.when.start_s, brief.when.estimated,
                                              engine_->now())),
                queue::kCauseCharacters)
          << cause;
      std::set<std::string> asked;
      add_types(requests_.at(brief.when.job)->resources, asked);
      const std::set<std::string> words = words_of(cause);
      for (const std::string& type : types_) {
        if (words.contains(type)) {
          EXPECT_TRUE(asked.contains(type)) << type << ": " << cause;
        }
      }
      static const std::regex kAmounts("waits for (\\d+) of (\\d+) free.*");
      std::smatch amounts;
      if (std::regex_match(cause, amounts, kAmounts)) {
        EXPECT_GT(std::stoll(amounts[1]), std::stoll(amounts[2])) << cause;
      }
      ++seen_;
    }
  }

  const Case& case_;
  Random random_;
  std::unique_ptr<Engine> engine_;
  Ends ends_;
  std::unique_ptr<queue::JobQueue> queue_;
  std::map<JobId, const Request*> requests_;
  std::set<std::string> types_;
  std::size_t seen_ = 0;
};

TEST(ShortCauseProperty, CausesAreShortAndNameWhatWasRequested) {
  Seeds seeds(1, 150);
  std::size_t seen = 0;
  seeds.each([&](std::uint64_t seed) {
    const Case a_case = make_case(seed, MachineSize::small);
    seen += Waiting(a_case).run();
  });
  if (seeds.whole()) {
    EXPECT_GT(seen, seeds.count());
  }
}

}  // namespace
}  // namespace copse::property
