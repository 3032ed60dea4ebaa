// SPDX-License-Identifier: Apache-2.0
#include "server/reservations/live_reservations.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "graph/node_names.hpp"
#include "queue/answers/reservation_trial.hpp"
#include "server/jobs/job_request.hpp"
#include "server/reservations/trial_work.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kMovedShown = 100;

std::string hosts_of(const ResourceGraph& graph, const std::vector<PoolId>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const PoolId node : nodes) names.push_back(graph.name(node));
  return compress_hostlist(names);
}

// Writes members, without braces.
void write_reservation(JsonWriter& json, const ReservationRow& row,
                       const queue::ReservationView& view, const ResourceGraph& graph,
                       const IsHidden& hidden) {
  json.member("name", row.name);
  json.member("by", row.by);
  json.member_json("request", row.request);
  json.array("times", view.times, [&](const queue::ReservationView::Time& time) {
    json.object([&] {
      json.member("from", time.from_s);
      json.member("until", time.until_s);
      json.member("nodes", hosts_of(graph, time.nodes));
      std::vector<JobId> jobs = time.jobs;
      if (hidden) std::erase_if(jobs, hidden);
      if (!jobs.empty()) json.array("jobs", jobs, [&](JobId job) { json.value(job); });
    });
  });
  if (view.later) json.member("next", view.later->from_s);  // not booked yet
  if (view.waiting > 0) json.member("waiting", view.waiting);
}

// Writes the effect on jobs, without braces.
void write_trial(JsonWriter& json, const queue::ReservationTrial& trial,
                 const ResourceGraph& graph) {
  json.array("losses", trial.losses, [&](const queue::ReservationLoss& loss) {
    json.object([&] {
      json.member("job", loss.job);
      json.member("nodes", hosts_of(graph, loss.nodes));
      json.member("from", loss.from_s);
      json.member("until", loss.until_s);
    });
  });
  const auto shown = std::span(trial.moved).first(std::min(trial.moved.size(), kMovedShown));
  json.array("moved", shown, [&](const queue::ReservationTrial::Moved& moved) {
    json.object([&] {
      json.member("job", moved.job);
      json.member("from", moved.from_s);
      json.key("to");
      if (moved.to_s) {
        json.value(*moved.to_s);
      } else {
        json.json("null");
      }
    });
  });
  json.member("moved_count", trial.moved.size());
  if (!trial.complete) json.member("complete", false);
}

}  // namespace

// The set of node names is made at the first lookup.
queue::ReservationReadOptions LiveReservations::machine() const {
  const ResourceGraph& graph = queue_->engine().graph();
  queue::ReservationReadOptions out;
  out.calendar = calendar_;
  out.clock_end_s = queue_->engine().options().horizon;
  out.has_node =
      [&graph, names = std::make_shared<std::unordered_set<std::string>>()](std::string_view name) {
        if (names->empty()) {
          for (std::string& one : node_names(graph)) names->insert(std::move(one));
        }
        return names->contains(std::string(name));
      };
  out.no_node = [&graph](std::string_view name) { return no_such_node(graph, name); };
  return out;
}

Result<queue::ReservationSpec> LiveReservations::read(
    const ReservationRow& row, const queue::ReservationReadOptions& how) const {
  auto spec = spec_of(row, how);
  if (!spec || !spec->users || !user_of_) return spec;
  for (std::string& user : *spec->users) user = user_of_(user);
  return spec;
}

// Nodes of a valid request may have been removed since.
Result<void> LiveReservations::begin(queue::JobQueue& queue, const JobRowTable& jobs,
                                     const UserOf& user_of, const LocalTime& calendar) {
  queue_ = &queue;
  user_of_ = user_of;
  calendar_ = calendar;
  std::map<std::string_view, std::vector<JobId>> inside;
  for (const auto& [id, row] : jobs.rows()) {
    if (row->stage == JobStage::running && !row->reservation.empty()) {
      inside[row->reservation].push_back(id);
    }
  }
  std::map<std::int64_t, const ReservationRow*> in_order;
  for (const auto& [name, row] : table_.rows()) {
    if (in_order.emplace(row.number, &row).second) continue;
    return fail(ErrorCode::invalid,
                fmt::format("the reservation \"{}\" has the number of another one", name));
  }
  for (const auto& [number, row] : in_order) {
    auto spec =
        read(*row, {.calendar = calendar_, .clock_end_s = queue.engine().options().horizon});
    if (spec && spec->name != row->name) {
      spec = fail(ErrorCode::invalid, fmt::format("its request has the name \"{}\"", spec->name));
    }
    const auto done = spec ? queue.resume(*spec, row->booked, inside[row->name])
                           : Result<void>(std::unexpected(spec.error()));
    if (done) continue;
    return fail(done.error().code, fmt::format("the reservation \"{}\" can't be booked again: {}",
                                               row->name, done.error().message()));
  }
  recorded_version_ = queue.bookings_version();
  return {};
}

Result<void> LiveReservations::run(const SessionRequest& line, const JobCaller& caller,
                                   const IsHidden& hidden, SessionAnswer& answer) {
  switch (line.op) {
    case SessionRequest::Op::add_reservation:
    case SessionRequest::Op::try_reservation: return add(line, caller, hidden, answer);
    case SessionRequest::Op::end_reservation: {
      auto done = end(line);
      if (done) answer.body += "{}";
      return done;
    }
    default: list(hidden, answer.body); return {};
  }
}

Result<LiveReservations::ReservationRequest> LiveReservations::read_request(
    const SessionRequest& line, const JobCaller& caller) const {
  if (line.reservation_spec.empty()) {
    return fail(ErrorCode::invalid,
                "\"reservation\" is an object: its name, start, duration, and "
                "nodes, a constraint or a shape");
  }
  ReservationRow row{.by = caller.name,
                     .at = queue_->engine().now(),
                     .request = in_one_line(line.reservation_spec)};
  auto spec = read(row, machine());
  if (!spec) return std::unexpected(spec.error());
  row.name = spec->name;
  for (const auto& [name, other] : table_.rows()) {
    row.number = std::max(row.number, other.number + 1);
  }
  return ReservationRequest{std::move(row), std::move(*spec)};
}

// The trial on a copy shows the effect on promises in advance; the queue itself updates its jobs
// later. What else is answered is true of the queue itself, which may have changed since the trial
// began.
Result<void> LiveReservations::add(const SessionRequest& line, const JobCaller& caller,
                                   const IsHidden& hidden, SessionAnswer& answer) {
  auto request = read_request(line, caller);
  if (!request) return std::unexpected(request.error());
  auto work = std::static_pointer_cast<TrialWork>(caller.work);
  if (work == nullptr) {
    work = std::make_shared<TrialWork>(*queue_, request->spec, trials_under_way_);
    if (caller.in_steps) {
      answer.work = std::move(work);
      return {};
    }
    while (!work->step()) {
    }
  }
  Result<queue::ReservationTrial>& trial = work->result();
  if (!trial) return std::unexpected(trial.error());
  const bool dry_run = line.op == SessionRequest::Op::try_reservation;
  if (!dry_run) {
    auto losses = queue_->reserve(request->spec);
    if (!losses) return std::unexpected(losses.error());
    trial->losses = std::move(*losses);
    auto views = queue_->reservations();
    const auto own = std::ranges::find(views, request->spec.name, &queue::ReservationView::name);
    trial->view = std::move(*own);
  }
  if (hidden) {
    std::erase_if(trial->losses, [&](const auto& loss) { return hidden(loss.job); });
    std::erase_if(trial->moved, [&](const auto& moved) { return hidden(moved.job); });
  }
  const ResourceGraph& graph = queue_->engine().graph();
  JsonWriter json(answer.body);
  json.object([&] {
    write_reservation(json, request->row, trial->view, graph, hidden);
    write_trial(json, *trial, graph);
    if (dry_run) json.member("dry_run", true);
  });
  if (dry_run) return {};
  answer.name = request->row.name;
  request->row.booked = queue_->bookings().at(request->row.name);
  recorded_version_ = queue_->bookings_version();
  table_.put(std::move(request->row));
  return {};
}

Result<void> LiveReservations::end(const SessionRequest& line) {
  const auto& name = line.reservation_name ? line.reservation_name : line.name;
  if (!name) return missing("name");
  if (table_.find(*name) == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& [one, row] : table_.rows()) known.emplace_back(one);
    return fail(ErrorCode::not_found, unknown_word("reservation", *name, known));
  }
  if (auto ok = queue_->cancel_reservation(*name); !ok) return ok;
  record_bookings();
  return {};
}

void LiveReservations::list(const IsHidden& hidden, std::string& out) const {
  auto views = queue_->reservations();  // by name
  std::ranges::stable_sort(views, {}, [](const queue::ReservationView& view) {
    return view.times.empty() ? INT64_MAX : view.times.front().from_s;
  });
  JsonWriter json(out);
  json.object([&] {
    json.array("reservations", views, [&](const queue::ReservationView& view) {
      json.object([&] {
        write_reservation(json, *table_.find(view.name), view, queue_->engine().graph(), hidden);
      });
    });
  });
}

void LiveReservations::record_bookings() {
  if (recorded_version_ == queue_->bookings_version()) return;
  recorded_version_ = queue_->bookings_version();
  auto booked = queue_->bookings();
  std::vector<std::string> ended;
  for (const auto& [name, row] : table_.rows()) {
    if (!booked.contains(name)) ended.push_back(name);
  }
  for (const std::string& name : ended) table_.remove(name);
  for (auto& [name, times] : booked) {
    const ReservationRow* row = table_.find(name);
    if (row->booked == times) continue;
    ReservationRow changed = *row;
    changed.booked = std::move(times);
    table_.put(std::move(changed));
  }
}

}  // namespace copse::server
