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

// Without braces.
void write_reservation(JsonWriter& json, const ReservationRow& row,
                       const queue::ReservationView& view, const ResourceGraph& graph) {
  json.member("name", row.name);
  json.member("by", row.by);
  json.member_json("asked", row.asked);
  json.array("times", view.times, [&](const queue::ReservationView::Time& time) {
    json.object([&] {
      json.member("from", time.from_s);
      json.member("until", time.until_s);
      json.member("nodes", hosts_of(graph, time.nodes));
      if (!time.jobs.empty()) {
        json.array("jobs", time.jobs, [&](JobId job) { json.value(job); });
      }
    });
  });
  if (view.later) json.member("next", view.later->from_s);  // that is not booked yet
  if (view.waiting > 0) json.member("waiting", view.waiting);
}

// Without braces: what it does to jobs.
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

// Names are looked for in a list that is made when the first one is.
plan::ReservationReadOptions LiveReservations::machine() const {
  const ResourceGraph& graph = queue_->engine().graph();
  plan::ReservationReadOptions out;
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
    const ReservationRow& row, const plan::ReservationReadOptions& how) const {
  auto spec = spec_of(row, how);
  if (!spec || !spec->users || !user_of_) return spec;
  for (std::string& user : *spec->users) user = user_of_(user);
  return spec;
}

// Of what was good when it was asked for, some nodes may be gone.
Result<void> LiveReservations::begin(queue::JobQueue& queue, const JobBook& jobs,
                                     const UserOf& user_of) {
  queue_ = &queue;
  user_of_ = user_of;
  std::map<std::string_view, std::vector<JobId>> inside;
  for (const auto& [id, row] : jobs.rows()) {
    if (row->stage == JobStage::running && !row->reservation.empty()) {
      inside[row->reservation].push_back(id);
    }
  }
  std::map<std::int64_t, const ReservationRow*> in_order;
  for (const auto& [name, row] : book_.rows()) in_order.emplace(row.number, &row);
  for (const auto& [number, row] : in_order) {
    const auto spec = read(*row, {.clock_end_s = queue.engine().options().horizon});
    const auto done = spec ? queue.resume(*spec, row->booked, inside[row->name])
                           : Result<void>(std::unexpected(spec.error()));
    if (done) continue;
    return fail(done.error().code, fmt::format("the reservation \"{}\" can't be booked again: {}",
                                               row->name, done.error().message()));
  }
  noted_ = queue.bookings_version();
  return {};
}

Result<void> LiveReservations::run(const SessionLine& line, const JobCaller& caller,
                                   std::string& out) {
  switch (line.op) {
    case SessionLine::Op::add_reservation:
    case SessionLine::Op::try_reservation: return add(line, caller, out);
    case SessionLine::Op::end_reservation: {
      auto done = end(line);
      if (done) out += "{}";
      return done;
    }
    default: list(out); return {};
  }
}

Result<LiveReservations::Asked> LiveReservations::asked(const SessionLine& line,
                                                        const JobCaller& caller) const {
  if (line.new_reservation.empty()) {
    return fail(ErrorCode::invalid,
                "\"reservation\" is an object: its name, start, duration, and "
                "nodes, a constraint or a shape");
  }
  ReservationRow row{
      .by = caller.name, .at = queue_->engine().now(), .asked = in_one_line(line.new_reservation)};
  auto spec = read(row, machine());
  if (!spec) return std::unexpected(spec.error());
  row.name = spec->name;
  for (const auto& [name, other] : book_.rows()) {
    row.number = std::max(row.number, other.number + 1);
  }
  return Asked{std::move(row), std::move(*spec)};
}

// What it does to promises is seen on a copy, before: the queue itself looks at its jobs later.
Result<void> LiveReservations::add(const SessionLine& line, const JobCaller& caller,
                                   std::string& out) {
  auto asked = this->asked(line, caller);
  if (!asked) return std::unexpected(asked.error());
  const auto trial = queue::try_reservation(*queue_, asked->spec);
  if (!trial) return std::unexpected(trial.error());
  const bool tried = line.op == SessionLine::Op::try_reservation;
  if (!tried) {
    if (const auto losses = queue_->reserve(asked->spec); !losses) {
      return std::unexpected(losses.error());
    }
  }
  const ResourceGraph& graph = queue_->engine().graph();
  JsonWriter json(out);
  json.object([&] {
    write_reservation(json, asked->row, trial->view, graph);
    write_trial(json, *trial, graph);
    if (tried) json.member("tried", true);
  });
  if (tried) return {};
  asked->row.booked = queue_->bookings().at(asked->row.name);
  noted_ = queue_->bookings_version();
  book_.put(std::move(asked->row));
  return {};
}

Result<void> LiveReservations::end(const SessionLine& line) {
  const auto& name = line.in_reservation ? line.in_reservation : line.name;
  if (!name) return missing("name");
  if (book_.find(*name) == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& [one, row] : book_.rows()) known.emplace_back(one);
    return fail(ErrorCode::not_found, unknown_word("reservation", *name, known));
  }
  if (auto ok = queue_->cancel_reservation(*name); !ok) return ok;
  note();
  return {};
}

void LiveReservations::list(std::string& out) const {
  auto views = queue_->reservations();  // by name
  std::ranges::stable_sort(views, {}, [](const queue::ReservationView& view) {
    return view.times.empty() ? INT64_MAX : view.times.front().from_s;
  });
  JsonWriter json(out);
  json.object([&] {
    json.array("reservations", views, [&](const queue::ReservationView& view) {
      json.object(
          [&] { write_reservation(json, *book_.find(view.name), view, queue_->engine().graph()); });
    });
  });
}

void LiveReservations::note() {
  if (noted_ == queue_->bookings_version()) return;
  noted_ = queue_->bookings_version();
  auto booked = queue_->bookings();
  std::vector<std::string> over;
  for (const auto& [name, row] : book_.rows()) {
    if (!booked.contains(name)) over.push_back(name);
  }
  for (const std::string& name : over) book_.remove(name);
  for (auto& [name, times] : booked) {
    const ReservationRow* row = book_.find(name);
    if (row->booked == times) continue;
    ReservationRow changed = *row;
    changed.booked = std::move(times);
    book_.put(std::move(changed));
  }
}

}  // namespace copse::server
