// SPDX-License-Identifier: Apache-2.0
//
// Reservations that become earlier.
#include <algorithm>

#include "engine/impl.hpp"

namespace copse {

// Whether the numbers at the root leave a start in [from, before), looking no further than `until`.
bool Engine::Impl::may_fit_between(const CompiledRequest& request, std::int64_t duration_s,
                                   std::int64_t from, std::int64_t before, std::int64_t until) {
  const PoolId root = graph.root();
  const Planner* planner = graph.leaf(root) ? nullptr : state.planner(graph.interior(root));
  if (planner == nullptr) return true;
  if (!request.hres.empty()) {  // reservations of layers start and end apart from all grants
    const auto edge = supply->next_edge(std::max(from, options.now + 1));
    if (edge && *edge < before) return true;
  }
  allowed_at_root(request);
  if (from <= options.now) {
    const std::int64_t end = options.now + std::min(duration_s, until - options.now);
    if (planner->within(options.now, end, allowed)) return true;
  }
  const auto t = planner->earliest_fit(std::max(from, options.now + 1), duration_s, until, allowed);
  return t && *t < before;
}

// A start in [from, before), now included.
bool Engine::Impl::find_between(const CompiledRequest& request, std::int64_t duration_s,
                                std::int64_t from, std::int64_t before) {
  if (from <= options.now && options.now < before && total_fits(request, false) &&
      try_at(request, View::now, options.now, duration_s)) {
    return true;
  }
  return find_later(request, duration_s, std::max(from, options.now + 1), before);
}

// Up to the duration before its own start a job is not in its own way: these times are tried as the
// engine is, the others without the old grant.
Result<bool> Engine::move_earlier(JobId job, PreparedRequest& request, std::int64_t from,
                                  std::int64_t before) {
  Impl& e = *impl_;
  auto it = e.by_job.find(job);
  if (it == e.by_job.end()) {
    return fail(ErrorCode::not_found, "nonexistent job " + std::to_string(job));
  }
  const std::uint32_t number = it->second;
  const std::int64_t own_start = e.grants[number].start;
  before = std::min(before, own_start);
  from = std::max(from, e.options.now);
  if (from >= before) return false;
  if (auto ok = e.refresh(request); !ok) return std::unexpected(ok.error());
  const CompiledRequest& compiled = *request.compiled_;
  const std::int64_t window = e.options.horizon - e.options.now;
  const std::int64_t asked_s = request.duration_s();
  if (!compiled.impossible.empty() || asked_s < 0) return false;
  const std::int64_t duration_s = asked_s == 0 ? window : std::min(asked_s, window);
  const std::int64_t in_its_way = own_start - duration_s + 1;
  e.begin_match(job);
  bool found =
      from < in_its_way && e.find_between(compiled, duration_s, from, std::min(before, in_its_way));
  from = std::max(from, in_its_way);
  const bool again =
      !found && from < before && e.may_fit_between(compiled, duration_s, from, before, own_start);
  if (!found && !again) return false;
  e.bounding = false;  // what openings know is of the state as it was
  e.apply(number, -1);
  if (again) found = e.find_between(compiled, duration_s, from, before);
  if (!found || e.match.selection.empty()) {
    e.apply(number, 1);
    return false;
  }
  Grant& grant = e.grants[number];
  grant.start = e.match.start;
  grant.end = e.match.end;
  grant.selection.taken.assign(e.match.selection.taken.begin(), e.match.selection.taken.end());
  grant.selection.moved = e.match.selection.moved;
  grant.nslots = e.match.nslots;
  grant.draw = e.match.draw;
  e.note_times(number);
  e.apply(number, 1);
  e.forget_growth();
  if (e.treepool == nullptr) e.matcher.explored(e.match.selection, true);
  return true;
}

}  // namespace copse
