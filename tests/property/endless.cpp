// SPDX-License-Identifier: Apache-2.0
#include "property/endless.hpp"

#include <utility>

#include <fmt/format.h>

#include "property/seeds.hpp"

namespace copse::property {

namespace {

std::string shown(const ResourceGraph& graph, const Match& match) {
  std::string out = fmt::format("{} to {}, {} slots:", match.start, match.end, match.nslots);
  for (const SelectedPools& t : match.selection.taken) {
    out += fmt::format(" {}+{}{}", graph.uniq_id(t.first), t.count, t.exclusive ? "x" : "");
  }
  return out;
}

}  // namespace

Endless::Endless(std::unique_ptr<Engine> engine, const std::vector<Request>& requests)
    : engine_(std::move(engine)), requests_(requests) {
  prepare();
}

void Endless::prepare() {
  prepared_.clear();
  for (const Request& request : requests_) {
    auto prepared = engine_->prepare(request);
    if (prepared) prepared_.push_back(std::move(*prepared));
  }
}

void Endless::replace(std::unique_ptr<Engine> engine) {
  prepared_.clear();
  engine_ = std::move(engine);
  prepare();
}

Endless Endless::clone() const {
  Endless out(engine_->clone(), requests_);
  out.last_job_ = last_job_;
  return out;
}

std::uint64_t Endless::go(std::uint64_t seed, int steps) {
  Random random(seed);
  std::uint64_t digest = 14695981039346656037u;  // FNV-1a
  for (int i = 0; i < steps; ++i) {
    for (const char c : step(random)) {
      digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
  }
  Seeds::add_steps(static_cast<std::uint64_t>(steps));
  return digest;
}

std::string Endless::match(Random& random) {
  if (prepared_.empty()) return "nothing to ask for";
  const auto operation =
      random.pick({Operation::allocate, Operation::allocate, Operation::allocate_orelse_reserve,
                   Operation::allocate_with_satisfiability, Operation::satisfiability,
                   Operation::without_allocating});
  PreparedRequest& request = prepared_[random.below(prepared_.size())];
  request.set_duration(random.between(1, 60));
  auto found = engine_->match(operation, request, ++last_job_);
  if (!found) return found.error().text;
  ++granted_;
  return shown(engine_->graph(), **found);
}

std::string Endless::step(Random& random) {
  const std::uint64_t dice = random.below(100);
  if (dice < 70) return match(random);
  if (dice < 80) {
    const std::vector<JobId> jobs = engine_->jobs();
    if (jobs.empty()) return "no jobs";
    const JobId job = random.pick(jobs);
    return fmt::format("cancel {}: {}", job, engine_->cancel(job).has_value());
  }
  if (dice < 83) {
    const PoolId pool{static_cast<std::uint32_t>(random.below(engine_->graph().pool_count()))};
    engine_->set_status(pool, random.pick({Status::up, Status::up, Status::up, Status::down}));
    return "status";
  }
  const std::int64_t to = engine_->now() + random.between(1, 10);
  if (!engine_->advance(to)) return "the clock stands";
  return fmt::format("now {}, {} jobs", to, engine_->grant_count());
}

}  // namespace copse::property
