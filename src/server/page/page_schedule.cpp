// SPDX-License-Identifier: Apache-2.0
//
// Past, present and future of some nodes over some time.
#include <algorithm>

#include <fmt/format.h>

#include "base/job_id.hpp"
#include "server/http/problem.hpp"
#include "server/page/page_handlers.hpp"
#include "server/page/schedule_window.hpp"

namespace copse::server {

namespace {

using Kind = ScheduleWindow::Kind;

Result<ScheduleWindow::Shape> shape_of(const HttpCall& call, const Engine& engine,
                                       std::uint32_t nodes) {
  constexpr std::int64_t kHour_s = 3'600;
  const std::int64_t now_s = engine.now(), last_s = engine.options().horizon;
  const Target& target = call.target;
  const auto from =
      number_of(target, "from", std::max<std::int64_t>(now_s - kHour_s, 0), 0, last_s);
  if (!from) return std::unexpected(from.error());
  const auto to = number_of(target, "to", std::min(*from + 4 * kHour_s, last_s), *from + 1, last_s);
  if (!to) return std::unexpected(to.error());
  const auto first = number_of(target, "first", 0, 0, nodes - 1);
  if (!first) return std::unexpected(first.error());
  const std::int64_t left = nodes - *first;
  const auto count = number_of(target, "count", left, 1, left);
  if (!count) return std::unexpected(count.error());
  const auto rows =
      number_of(target, "rows", std::min<std::int64_t>(*count, 200), 1, ScheduleWindow::kRowsMax);
  if (!rows) return std::unexpected(rows.error());
  const auto columns = number_of(target, "columns", 400, 1, ScheduleWindow::kColumnsMax);
  if (!columns) return std::unexpected(columns.error());
  if (*rows * *columns > std::int64_t{ScheduleWindow::kCellsMax}) {
    return fail(ErrorCode::limit,
                fmt::format("there are {} rows × {} columns; at most {} cells are shown at once",
                            *rows, *columns, ScheduleWindow::kCellsMax));
  }
  return ScheduleWindow::Shape{*from,
                               *to,
                               static_cast<std::uint32_t>(*first),
                               static_cast<std::uint32_t>(*count),
                               static_cast<std::uint32_t>(std::min(*rows, *count)),
                               static_cast<std::uint32_t>(*columns)};
}

void fill(ScheduleWindow& window, HttpContext& context, const IsHidden& hidden) {
  const MachineWatch& machine = context.page->machine();
  const Forecast& forecast = context.page->forecast();
  const JobRowTable& table = context.service.jobs().table();
  const auto is_hidden = [&](JobId job) { return hidden && hidden(job); };
  for (const AllocatedNodes& gone : machine.past()) {
    if (is_hidden(gone.job)) continue;
    window.add(Kind::past, gone.job, gone.start_s, gone.end_s, gone.nodes);
  }
  for (const auto& [job, held] : machine.allocations()) {
    // The forecast, once there is one, includes the promises of the engine.
    const bool reserves = is_reservation(job);
    const bool known = !reserves && !held.runs && table.find(job) != nullptr;
    if ((known && forecast.version() > 0) || is_hidden(job)) continue;
    window.add(reserves    ? Kind::reserved
               : held.runs ? Kind::running
                           : Kind::promised,
               job, held.start_s, held.end_s, held.nodes);
  }
  for (const Forecast::Start& start : forecast.starts()) {
    const JobRow* row = table.find(start.job);
    if (row == nullptr || row->stage == JobStage::running || row->stage == JobStage::ended ||
        is_hidden(start.job)) {
      continue;
    }
    window.add(row->stage == JobStage::planned ? Kind::promised : Kind::forecast, start.job,
               start.start_s, start.end_s, std::span(forecast.places(start), start.runs));
  }
}

}  // namespace

HttpResponse get_page_schedule(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const MachineWatch& machine = context.page->machine();
  const Engine& engine = context.service.session().engine();
  const auto shape = shape_of(call, engine, machine.node_rows().count());
  if (!shape) return problem_of(shape.error());
  ScheduleWindow window(*shape);
  fill(window, context, context.service.hidden_from(call.request.caller));
  return page_object(call, [&](JsonWriter& json) {
    json.member("now", engine.now());
    json.member("from", shape->from_s);
    json.member("to", shape->to_s);
    json.member("first", shape->first);
    json.member("count", shape->count);
    json.member("rows", shape->rows);
    json.member("columns", shape->columns);
    json.member("since", machine.since_s());
    json.member("forecast", context.page->forecast().version());
    json.array("jobs", window.jobs(), [&](JobId job) { json.value(std::to_string(job)); });
    window.append(json);
  });
}

}  // namespace copse::server
