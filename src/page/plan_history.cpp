// SPDX-License-Identifier: Apache-2.0
#include "page/plan_history.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "page/exact.hpp"
#include "request/shape.hpp"

namespace copse::page {

namespace {

RunEnd end_of(plan::Ending ending) {
  switch (ending) {
    case plan::Ending::done: return RunEnd::done;
    case plan::Ending::limit: return RunEnd::limit;
    case plan::Ending::cancelled: return RunEnd::cancelled;
    case plan::Ending::failed: return RunEnd::failed;
    case plan::Ending::requeued: break;
  }
  return RunEnd::requeued;
}

const char* event_word(plan::Event::Type type) {
  switch (type) {
    case plan::Event::Type::up: return "up";
    case plan::Event::Type::down: return "down";
    default: return "drain";
  }
}

// The rows of pools, which are nodes or contain nodes.
Idset rows_of(const NodeRows& rows, const ResourceGraph& graph, std::span<const PoolId> pools) {
  std::vector<std::uint32_t> found;
  for (const PoolId pool : pools) {
    std::uint32_t low = 0, high = rows.count();  // the first row at or after the pool
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (rows.pool(middle) < pool) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (; low < rows.count() && graph.below(rows.pool(low), pool); ++low) found.push_back(low);
  }
  std::ranges::sort(found);
  Idset out;
  for (const std::uint32_t row : found) out.add(row);
  return out;
}

}  // namespace

Result<std::unique_ptr<PlanHistory>> PlanHistory::begin(const plan::Jobs& jobs,
                                                        const Engine& engine,
                                                        const NodeRows& rows) {
  if (jobs.jobs.size() > kPageJobsMax) {
    return fail(ErrorCode::limit,
                fmt::format("the page shows at most {} jobs, and the stream has {}; --gantt draws "
                            "more",
                            kPageJobsMax, jobs.jobs.size()));
  }
  std::unique_ptr<PlanHistory> out(new PlanHistory(jobs, engine, rows));
  if (auto ok = add_grants(out->all_, engine, rows); !ok) return std::unexpected(ok.error());
  out->first_ = static_cast<std::uint32_t>(out->all_.jobs.size());
  out->add_stream();
  return out;
}

void PlanHistory::add_stream() {
  std::vector<std::uint32_t> requests;  // indices of words, by number of the stream
  requests.reserve(jobs_.requests.size());
  for (std::size_t i = 0; i < jobs_.requests.size(); ++i) {
    requests.push_back(
        all_.words.number(shape_text(jobs_.requests[static_cast<std::uint32_t>(i)])));
  }
  for (const plan::Job& job : jobs_.jobs) {
    PageJob made{.id = job.name};
    made.user = all_.words.number(jobs_.words[job.user]);
    made.queue = all_.words.number(jobs_.words[job.queue]);
    made.request = requests[job.request];
    made.submit_s = job.submit_s;
    made.limit_s = job.duration_s;
    made.priority = job.priority;
    all_.jobs.push_back(std::move(made));
  }
}

plan::ScheduleObserver PlanHistory::observer(plan::ScheduleObserver next) {
  next_ = std::move(next);
  plan::ScheduleObserver out = next_;
  out.submitted = [this](std::uint32_t job, std::int64_t time_s) {
    all_.jobs[first_ + job].submit_s = time_s;
    if (next_.submitted) next_.submitted(job, time_s);
  };
  out.started = [this](std::uint32_t job, std::int64_t start_s, std::int64_t end_s,
                       plan::Ending ending, const Grant& grant) {
    started(job, start_s, end_s, ending, grant);
    if (next_.started) next_.started(job, start_s, end_s, ending, grant);
  };
  out.refused = [this](std::uint32_t job, std::int64_t time_s, const Error& error) {
    left(job, time_s, NeverRan::refused, error.text);
    if (next_.refused) next_.refused(job, time_s, error);
  };
  out.withdrawn = [this](std::uint32_t job, std::int64_t time_s, bool deadline) {
    left(job, time_s, NeverRan::withdrawn,
         deadline ? "its deadline was over before it started" : "it was cancelled");
    if (next_.withdrawn) next_.withdrawn(job, time_s, deadline);
  };
  out.promised = [this](std::uint32_t job, std::int64_t start_s) {
    PageJob& of = all_.jobs[first_ + job];
    if (!of.promised_s) of.promised_s = start_s;
    if (next_.promised) next_.promised(job, start_s);
  };
  out.reserved = [this](const std::string& name, std::int64_t start_s, std::int64_t end_s,
                        const std::vector<PoolId>& nodes) {
    reserved_.push_back({name, start_s, end_s, nodes});
    if (next_.reserved) next_.reserved(name, start_s, end_s, nodes);
  };
  out.advanced = [this](std::int64_t time_s, std::size_t waiting) {
    if (waiting > waiting_max_) {
      waiting_max_ = waiting;
      busiest_s_ = time_s;
    }
    if (next_.advanced) next_.advanced(time_s, waiting);
  };
  return out;
}

void PlanHistory::started(std::uint32_t job, std::int64_t start_s, std::int64_t end_s,
                          plan::Ending ending, const Grant& grant) {
  PageRun run{.job = first_ + job, .ending = end_of(ending), .start_s = start_s};
  run.end_s = end_s;
  if (runs_left_out_ > 0 || !finder_.add(all_, run, grant)) ++runs_left_out_;
}

Result<const PageJobs*> PlanHistory::jobs() const {
  if (runs_left_out_ == 0) return &all_;
  return fail(ErrorCode::limit,
              fmt::format("the jobs are on more than {} runs of nodes, which is the most that the "
                          "page shows; show fewer jobs, or draw them with --gantt",
                          kPagePlacementsMax));
}

void PlanHistory::left(std::uint32_t job, std::int64_t time_s, NeverRan how,
                       const std::string& remark) {
  PageJob& of = all_.jobs[first_ + job];
  of.never = how;
  of.left_s = time_s;
  of.remark = all_.words.number(remark);
}

void PlanHistory::append_availability_document(std::string& out) const {
  JsonWriter json(out);
  json.object([&] {
    json.member("format", 1);
    json.list("nodes", [&] {
      for (const plan::Event& event : jobs_.events) {
        if (!event.of_nodes()) continue;
        json.object([&] {
          json.member("time", event.time_s);
          json.member("what", std::string_view(event_word(event.type)));
          json.member("nodes", rows_of(rows_, finder_.graph(), jobs_.nodes_of(event)));
        });
      }
    });
    json.array("reservations", reserved_, [&](const Reserved& each) {
      json.object([&] {
        json.member("name", each.name);
        exact_member(json, "start", each.start_s);
        exact_member(json, "end", each.end_s);
        json.member("nodes", rows_of(rows_, finder_.graph(), each.nodes));
      });
    });
  });
}

}  // namespace copse::page
