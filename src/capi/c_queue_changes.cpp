// SPDX-License-Identifier: Apache-2.0
//
// Changes of queues: machine events, reservations, and jobs that already run.
#include "capi/pools_in.hpp"
#include "capi/queue_object.hpp"
#include "formats/allocation_file.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "formats/jgf/jgf_subtrees.hpp"
#include "host/clock/real_clock.hpp"
#include "host/plugins.hpp"
#include "queue/reservation/reservation_reader.hpp"

namespace copse::capi {

namespace {

Outcome<AllocatedPools> resources_in(const ResourceGraph& graph, const char* resources,
                                     std::size_t length) {
  const auto text = text_in(resources, length, "the resources");
  if (!text) return std::unexpected(text.error());
  auto file = read_allocation(graph, *text, "resources");
  if (!file) return std::unexpected(Failure(file.error()));
  if (!file->missing.empty()) return refuse(COPSE_NOT_FOUND, file->missing.front());
  return std::move(file->taken);
}

Outcome<void> adopt(QueueObject& object, const copse_job& job, const char* resources,
                    std::size_t length, std::int64_t end) {
  const auto pools = resources_in(object.queue().engine().graph(), resources, length);
  if (!pools) return std::unexpected(pools.error());
  const auto request = request_of(job);
  if (!request) return std::unexpected(request.error());
  const std::string kind = kind_of(job);
  queue::Adoption running;
  running.job = submission_of(job, *request, kind);
  running.pools = pools->pools;
  running.amounts = pools->amounts;
  running.end_s = end;
  return done(object.queue().adopt(running));
}

// Reads one reservation and books it with `change`; returns the jobs that keep some of its nodes.
template <class Change>
Outcome<void> book(QueueObject& object, const char* json, std::size_t length, std::uint64_t** jobs,
                   std::size_t* count, Change change) {
  const auto text = text_in(json, length, "the reservation");
  if (!text) return std::unexpected(text.error());
  if (jobs != nullptr && count == nullptr) return refuse(COPSE_INVALID, "the count is NULL");
  queue::ReservationReadOptions how;
  how.calendar = utc_of_local_time;
  how.clock_end_s = object.queue().engine().options().horizon;
  const auto specs = queue::read_reservations(*text, "reservation", how);
  if (!specs) return std::unexpected(Failure(specs.error()));
  if (specs->size() != 1) {
    return refuse(COPSE_INVALID, "there are " + std::to_string(specs->size()) +
                                     " reservations in the text; write one");
  }
  const auto losses = change(object.queue(), specs->front());
  if (!losses) return std::unexpected(Failure(losses.error()));
  if (jobs == nullptr) return {};
  std::vector<std::uint64_t> keep;
  for (const queue::ReservationLoss& loss : *losses) keep.push_back(loss.job);
  return list_out(keep, jobs, count);
}

}  // namespace

extern "C" {

copse_code copse_queue_adopt(copse_queue* queue, const copse_job* job, const char* resources,
                             size_t length, int64_t end, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    copse_job what = COPSE_JOB_INIT;
    if (job == nullptr) return refuse(COPSE_INVALID, "the job is NULL");
    if (auto ok = read_struct(job, what); !ok) return ok;
    return adopt(object, what, resources, length, end);
  });
}

copse_code copse_queue_ended_part(copse_queue* queue, uint64_t job, const char* resources,
                                  size_t length, bool* gone, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    const auto pools = resources_in(object.queue().engine().graph(), resources, length);
    if (!pools) return std::unexpected(pools.error());
    const auto over = object.queue().ended_part(job, *pools);
    if (!over) return std::unexpected(Failure(over.error()));
    if (gone != nullptr) *gone = *over;
    return {};
  });
}

copse_code copse_queue_set_discipline(copse_queue* queue, const char* name, const char* discipline,
                                      uint64_t depth, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    const auto word = word_in(discipline, "the discipline");
    if (!word) return std::unexpected(word.error());
    auto found = choose_discipline(*word);
    if (!found) return std::unexpected(Failure(found.error()));
    return done(object.queue().set_discipline(word_or(name, ""), std::move(*found),
                                              depth == 0 ? SIZE_MAX : depth));
  });
}

copse_code copse_queue_grow(copse_queue* queue, const char* jgf, size_t length,
                            copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    const auto text = text_in(jgf, length, "the JGF");
    if (!text) return std::unexpected(text.error());
    const auto set = read_jgf_set(*text, "JGF");
    if (!set) return std::unexpected(Failure(set.error()));
    Engine& engine = *object.core()->engine;
    const auto subtrees = subtrees_of(engine.graph(), engine.names(), *set);
    if (!subtrees) return std::unexpected(Failure(subtrees.error()));
    return done(object.queue().attach(*subtrees));
  });
}

copse_code copse_queue_shrink(copse_queue* queue, const char* where, uint64_t** jobs, size_t* count,
                              copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    const auto pools = pools_in(object.queue().engine().graph(), where);
    if (!pools) return std::unexpected(pools.error());
    if (jobs != nullptr && count == nullptr) return refuse(COPSE_INVALID, "the count is NULL");
    const auto lost = object.queue().remove(*pools);
    if (!lost) return std::unexpected(Failure(lost.error()));
    return jobs == nullptr ? Outcome<void>() : list_out(*lost, jobs, count);
  });
}

copse_code copse_queue_reserve(copse_queue* queue, const char* json, size_t length, uint64_t** jobs,
                               size_t* count, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) {
    return book(object, json, length, jobs, count,
                [](queue::JobQueue& jobs_of, const auto& spec) { return jobs_of.reserve(spec); });
  });
}

copse_code copse_queue_change_reservation(copse_queue* queue, const char* json, size_t length,
                                          uint64_t** jobs, size_t* count, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) {
    return book(object, json, length, jobs, count, [](queue::JobQueue& jobs_of, const auto& spec) {
      return jobs_of.change_reservation(spec);
    });
  });
}

copse_code copse_queue_cancel_reservation(copse_queue* queue, const char* name,
                                          copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    const auto word = word_in(name, "the name");
    if (!word) return std::unexpected(word.error());
    return done(object.queue().cancel_reservation(*word));
  });
}

}  // extern "C"

}  // namespace copse::capi
