// SPDX-License-Identifier: Apache-2.0
//
// Files of resources, as update, partial-cancel and attach take them, on a small machine with some
// grants. The first byte chooses the command, the second the policy. Afterwards every job is
// cancelled, and the machine, built again, is as one that never had a job.
#include <cstdint>
#include <memory>
#include <string_view>

#include "formats/jgf/jgf_set.hpp"
#include "formats/jgf/jgf_subtrees.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "go_on.hpp"
#include "target.hpp"

namespace copse::fuzz {
namespace {

// A job of cores, one of nodes, and a reservation.
void make_grants(Engine& engine) {
  constexpr const char* kJobs[] = {
      R"({"version": 9999, "resources": [{"type": "node", "count": 1, "with": [{"type": "slot",
 "count": 1, "label": "x", "with": [{"type": "socket", "count": 1, "with": [{"type": "core",
 "count": 3}]}]}]}], "tasks": [], "attributes": {"system": {"duration": 60}}})",
      R"({"version": 9999, "resources": [{"type": "slot", "count": 2, "label": "x", "with":
 [{"type": "node", "count": 1, "exclusive": true}]}], "tasks": [], "attributes": {"system":
 {"duration": 60}}})",
      R"({"version": 9999, "resources": [{"type": "rack", "count": 2, "with": [{"type": "slot",
 "count": 1, "label": "x", "with": [{"type": "node", "count": 2}]}]}], "tasks": [], "attributes":
 {"system": {"duration": 60}}})"};
  JobId job = 1;
  for (const char* text : kJobs) {
    auto request = engine.prepare(text, "job");
    require(request.has_value());
    require(engine.match(Operation::allocate_orelse_reserve, **request, job++).has_value());
  }
}

void update(Engine& engine, const Result<std::vector<PoolId>>& pools, bool later) {
  if (!pools) return;
  const std::uint64_t before = engine.fingerprint();
  auto match = engine.update(7, *pools, later ? 100 : 0, 50);
  if (!match) return require(engine.fingerprint() == before);
  write_all(engine, **match);
}

void cancel_part(Engine& engine, const Result<std::vector<PoolId>>& pools, JobId job) {
  if (!pools) return;
  const std::uint64_t before = engine.fingerprint();
  if (!engine.cancel_part(job, *pools)) require(engine.fingerprint() == before);
}

// The five ways in which a file is read, each as its command does.
void run(Engine& engine, unsigned command, std::string_view text) {
  const bool later = (command & 8) != 0;
  if (command % 5 >= 3) {
    auto r = read_r(text, "f");
    if (!r) return;
    if (command % 5 == 3) return update(engine, pools_of_r(engine.graph(), *r), later);
    return cancel_part(engine, pools_of_ranks(engine.graph(), r->ranks()), later ? 2 : 1);
  }
  auto set = read_jgf_set(text, "f");
  if (!set) return;
  if (command % 5 == 2) {
    auto subtrees = subtrees_of(engine.graph(), engine.names(), *set);
    if (!subtrees) return;
    const std::uint32_t pools = engine.graph().pool_count();
    if (!engine.attach(*subtrees)) require(engine.graph().pool_count() == pools);
    return;
  }
  if (command % 5 == 1 && later) {
    std::vector<PoolId> pools;
    for (const JgfNode& node : set->nodes) {
      auto pool = find_pool(engine.graph(), node);
      if (!pool) return;
      pools.push_back(*pool);
    }
    return cancel_part(engine, pools, (command & 16) != 0 ? 1 : 2);
  }
  auto taken = exclusive_pools(engine.graph(), *set, command % 5 == 1);
  if (taken) update(engine, taken->pools, later);
}

}  // namespace
}  // namespace copse::fuzz

FUZZ_TARGET(update) {
  using namespace copse;
  if (size < 2) return 0;
  const auto policies = bundled_policies();
  auto engine =
      fuzz::engine_on(fuzz::small_machine(), policies[data[1] % policies.size()].name.c_str());
  fuzz::make_grants(*engine);
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  fuzz::run(*engine, data[0], text);
  for (JobId job : engine->jobs()) fuzz::require(engine->cancel(job).has_value());
  fuzz::require(engine->grant_count() == 0);
  fuzz::require(engine->compact().has_value());
  for (std::uint32_t p = 0; p < engine->graph().pool_count(); ++p) {
    engine->set_status(PoolId{p}, Status::up);
  }
  const std::uint64_t empty = engine->fingerprint();
  fuzz::match_once(*engine, fuzz::any_of(fuzz::small_machine()));
  fuzz::require(engine->fingerprint() == empty);
  if (!engine->graph().changed() && data[0] % 5 != 2) {
    static const std::uint64_t kIdle = fuzz::engine_on(fuzz::small_machine(), "low")->fingerprint();
    fuzz::require(empty == kIdle);
  }
  return 0;
}
