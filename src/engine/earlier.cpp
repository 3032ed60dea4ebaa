// SPDX-License-Identifier: Apache-2.0
//
// Reservations that become earlier.
#include <algorithm>

#include "engine/impl.hpp"

namespace copse {

// Whether the numbers at the root leave a start before `before`, without the reservation that
// starts at `own_start`: up to then they are known with it in place. REQUIRES before <= own_start.
bool Engine::Impl::may_start_before(const CompiledRequest& request, std::int64_t duration_s,
                                    std::int64_t before, std::int64_t own_start) const {
  const PoolId root = graph.root();
  const Planner* planner = graph.leaf(root) ? nullptr : state.planner(graph.interior(root));
  if (planner == nullptr) return true;
  const std::vector<std::int64_t> allowed = allowed_at_root(request);
  const std::int64_t end = options.now + std::min(duration_s, own_start - options.now);
  bool now = true;
  for (std::uint32_t k = 0; k < allowed.size() && now; ++k) {
    now = allowed[k] == INT64_MAX || planner->max_used(k, options.now, end) <= allowed[k];
  }
  if (now) return true;
  const auto t = planner->earliest_fit(options.now + 1, duration_s, own_start, allowed);
  return t && *t < before;
}

Result<bool> Engine::move_earlier(JobId job, PreparedRequest& request, std::int64_t before) {
  Impl& e = *impl_;
  auto it = e.by_job.find(job);
  if (it == e.by_job.end()) {
    return fail(ErrorCode::not_found, "nonexistent job " + std::to_string(job));
  }
  const std::uint32_t number = it->second;
  const std::int64_t own_start = e.grants[number].start;
  before = std::min(before, own_start);
  if (before <= e.options.now) return false;
  if (auto ok = e.refresh(request); !ok) return std::unexpected(ok.error());
  const CompiledRequest& compiled = *request.compiled_;
  const std::int64_t window = e.options.horizon - e.options.now;
  if (!compiled.impossible.empty() || compiled.duration_invalid) return false;
  const std::int64_t duration_s =
      compiled.duration_s == 0 ? window : std::min(compiled.duration_s, window);
  if (!e.may_start_before(compiled, duration_s, before, own_start)) return false;
  e.begin_match();
  e.apply(number, -1);
  const bool found =
      (e.total_fits(compiled, false) && e.try_at(compiled, View::now, e.options.now, duration_s)) ||
      e.find_later(compiled, duration_s, before);
  if (!found || e.match.selection.empty()) {
    e.apply(number, 1);
    return false;
  }
  Grant& grant = e.grants[number];
  grant.start = e.match.start;
  grant.end = e.match.end;
  grant.selection.taken.assign(e.match.selection.taken.begin(), e.match.selection.taken.end());
  grant.selection.moved = e.match.selection.moved;
  e.note_times(number);
  e.apply(number, 1);
  e.matcher.explored(e.match.selection, true);
  return true;
}

}  // namespace copse
