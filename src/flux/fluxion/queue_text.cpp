// SPDX-License-Identifier: Apache-2.0
#include "flux/fluxion/queue_text.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/job_id.hpp"
#include "text/json_writer.hpp"

namespace copse::flux {

namespace {

constexpr std::int64_t kMaxQueueDepth = 1'000'000;

// With the letter f of ASCII as its prefix.
std::string plain_f58(JobId id) {
  std::string out = f58_text(id);
  const std::size_t digits = out.find_first_not_of("\xC6\x92");  // ƒ
  return "f" + out.substr(std::min(digits, out.size()));
}

struct JobsOfQueue {
  std::vector<JobId> waiting, running;
};

JobsOfQueue jobs_of(const Scheduler& scheduler, const queue::QueueView& view,
                    std::uint16_t number) {
  JobsOfQueue out;
  for (const auto& [id, slot] : view.jobs.slots()) {
    const queue::QueuedJob& job = view.jobs[slot];
    if (job.waiting_queue != number || scheduler.is_outside_job(id)) continue;
    (job.state == queue::JobState::running ? out.running : out.waiting).push_back(id);
  }
  std::ranges::sort(out.waiting);
  std::ranges::sort(out.running);
  return out;
}

QueueCounts counts_of(const Scheduler& scheduler, const queue::QueueView& view,
                      std::uint16_t number) {
  QueueCounts out;
  for (const auto& queue : view.queues.named()) {
    if (queue.waiting_queue != number) continue;
    const QueueCounts counts = scheduler.counts(queue.name);
    out.submitted += counts.submitted;
    out.started += counts.started;
    out.promised += counts.promised;
    out.denied += counts.denied;
    out.ended += counts.ended;
    out.cancelled += counts.cancelled;
    out.prioritized += counts.prioritized;
  }
  return out;
}

void write_queue(JsonWriter& json, const queue::WaitingQueue& queue, const JobsOfQueue& jobs,
                 const QueueCounts& counts) {
  const auto ids = [&](std::string_view key, const std::vector<JobId>& list) {
    json.array(key, list, [&](JobId id) { json.value(plain_f58(id)); });
  };
  json.object([&] {
    json.member("policy", queue.discipline().name);
    json.member("queue_depth",
                static_cast<std::int64_t>(std::min<std::uint64_t>(queue.depth(), kMaxQueueDepth)));
    json.member("max_queue_depth", kMaxQueueDepth);
    json.object("queue_parameters", [] {});
    json.object("policy_parameters", [] {});
    json.object("action_counts", [&] {
      json.member("pending", counts.submitted);
      json.member("running", counts.started);
      json.member("reserved", counts.promised);
      json.member("rejected", counts.denied);
      json.member("complete", counts.ended);
      json.member("cancelled", counts.cancelled);
      json.member("reprioritized", counts.prioritized);
    });
    json.object("pending_queues", [&] {
      ids("pending", jobs.waiting);
      ids("pending_provisional", {});
      ids("blocked", {});
    });
    json.object("scheduled_queues", [&] {
      ids("running", jobs.running);
      ids("rejected", {});
      ids("canceled", {});
    });
  });
}

void write_params(JsonWriter& json, const QueueParams::Text& params, std::string_view policy) {
  json.member("queue-policy", policy);
  json.member("queue-params", params.queue);
  json.member("policy-params", params.policy);
}

}  // namespace

std::string queue_text(Scheduler& scheduler, const QueueParams& params) {
  const queue::QueueView view = scheduler.view();
  const auto name_of = [](const queue::QueueTable::Entry& queue) {
    return queue.name.empty() ? std::string("default") : queue.name;
  };
  return object_text([&](JsonWriter& json) {
    json.object("stats", [&] {
      json.object("queues", [&] {
        for (const auto& queue : view.queues.named()) {
          if (queue.is_virtual) continue;
          json.key(name_of(queue));
          write_queue(json, view.queues[queue.waiting_queue],
                      jobs_of(scheduler, view, queue.waiting_queue),
                      counts_of(scheduler, view, queue.waiting_queue));
        }
      });
    });
    json.object("params", [&] {
      json.object("params", [&] {
        write_params(json, params.all, params.policy);
        for (const auto& queue : view.queues.named()) {
          if (queue.is_virtual) continue;
          const auto own = params.of_queue.find(queue.name);
          json.object(name_of(queue), [&] {
            write_params(json, own == params.of_queue.end() ? params.all : own->second,
                         view.queues[queue.waiting_queue].discipline().name);
          });
        }
      });
    });
  });
}

}  // namespace copse::flux
