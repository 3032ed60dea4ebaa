// SPDX-License-Identifier: Apache-2.0
//
// Queues of include/copse.h.
#include <string>

#include "capi/pools_in.hpp"
#include "capi/queue_object.hpp"
#include "host/plugins.hpp"
#include "queue/answers/answer_text.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::capi {

namespace {

Outcome<queue::QueueConfig> queue_options(const copse_queue_options* options) {
  copse_queue_options how = COPSE_QUEUE_OPTIONS_INIT;
  if (auto ok = read_struct(options, how); !ok) return std::unexpected(ok.error());
  if (how.config != nullptr) {
    const auto own = disciplines_of_environment();
    if (!own) return std::unexpected(Failure(own.error()));
    auto config = queue::read_queue_config(how.config, "config", *own);
    if (!config) return std::unexpected(Failure(config.error()));
    return std::move(*config);
  }
  auto discipline = choose_discipline(word_or(how.discipline, "easy"));
  if (!discipline) return std::unexpected(Failure(discipline.error()));
  auto rule = queue::find_priority_rule(word_or(how.priority, "fifo"));
  if (!rule) return std::unexpected(Failure(rule.error()));
  queue::QueueConfig out;
  out.queues.push_back({.discipline = std::move(*discipline),
                        .depth = how.depth == 0 ? SIZE_MAX : static_cast<std::size_t>(how.depth)});
  out.rule = std::move(*rule);
  return out;
}

Outcome<void> submit(queue::JobQueue& jobs, const copse_job& job) {
  const auto request = request_of(job);
  if (!request) return std::unexpected(request.error());
  const std::string kind = kind_of(job);
  return done(jobs.submit(submission_of(job, *request, kind)));
}

}  // namespace

extern "C" {

copse_code copse_queue_new(copse_engine* engine, const copse_queue_options* options,
                           copse_queue** queue, copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    auto config = queue_options(options);
    if (!config) return std::unexpected(config.error());
    return give(std::make_unique<QueueObject>(use.core(), std::move(config->queues),
                                              std::move(config->rule)),
                queue);
  });
}

copse_code copse_queue_free(copse_queue* queue) { return free_handle<QueueObject>(queue); }

copse_code copse_queue_clone(copse_queue* queue, copse_queue** clone, copse_engine** engine,
                             copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    if (clone == nullptr) return refuse(COPSE_INVALID, "the output pointer of the handle is NULL");
    const auto core = std::make_shared<EngineCore>(object.core()->engine->clone());
    auto copy = std::make_unique<QueueObject>(object, core);
    copse_engine* handle = nullptr;
    if (engine != nullptr) {
      if (auto ok = give(std::make_unique<EngineObject>(core), &handle); !ok) return ok;
    }
    if (auto ok = give(std::move(copy), clone); !ok) {
      if (handle != nullptr) copse_engine_free(handle);
      return ok;
    }
    if (engine != nullptr) *engine = handle;
    return {};
  });
}

copse_code copse_queue_submit(copse_queue* queue, const copse_job* job, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    copse_job what = COPSE_JOB_INIT;
    if (job == nullptr) return refuse(COPSE_INVALID, "the job is NULL");
    if (auto ok = read_struct(job, what); !ok) return ok;
    return submit(object.queue(), what);
  });
}

copse_code copse_queue_cancel(copse_queue* queue, uint64_t job, copse_error* error) {
  return tell_queue(queue, error, [&](auto& jobs) { return jobs.cancel(job); });
}
copse_code copse_queue_hold(copse_queue* queue, uint64_t job, copse_error* error) {
  return tell_queue(queue, error, [&](auto& jobs) { return jobs.hold(job); });
}
copse_code copse_queue_release(copse_queue* queue, uint64_t job, copse_error* error) {
  return tell_queue(queue, error, [&](auto& jobs) { return jobs.release(job); });
}
copse_code copse_queue_set_priority(copse_queue* queue, uint64_t job, int64_t priority,
                                    copse_error* error) {
  return tell_queue(queue, error, [&](auto& jobs) { return jobs.set_priority(job, priority); });
}
copse_code copse_queue_set_duration(copse_queue* queue, uint64_t job, int64_t duration,
                                    copse_error* error) {
  return tell_queue(queue, error, [&](auto& jobs) { return jobs.set_duration(job, duration); });
}
copse_code copse_queue_set_end(copse_queue* queue, uint64_t job, int64_t end, copse_error* error) {
  return tell_queue(queue, error, [&](auto& jobs) { return jobs.set_end(job, end); });
}
copse_code copse_queue_ended(copse_queue* queue, uint64_t job, int64_t at, copse_error* error) {
  return tell_queue(queue, error, [&](auto& jobs) { return jobs.ended(job, at); });
}
copse_code copse_queue_set_stopped(copse_queue* queue, const char* name, bool stopped,
                                   copse_error* error) {
  return tell_queue(queue, error,
                    [&](auto& jobs) { return jobs.set_stopped(word_or(name, ""), stopped); });
}
copse_code copse_queue_advance(copse_queue* queue, int64_t time, copse_error* error) {
  return tell_queue(queue, error, [&](auto& jobs) { return jobs.advance(time); });
}

copse_code copse_queue_set_status(copse_queue* queue, const char* where, copse_status status,
                                  copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    const auto value = status_in(status);
    if (!value) return std::unexpected(value.error());
    const auto pools = pools_in(object.queue().engine().graph(), where);
    if (!pools) return std::unexpected(pools.error());
    for (const PoolId pool : *pools) object.queue().set_status(pool, *value);
    return {};
  });
}

copse_code copse_queue_work(copse_queue* queue, uint64_t looks, bool* done_all,
                            copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    queue::WorkBudget budget;
    if (looks > 0) budget.jobs = looks;
    const bool over = object.queue().work(budget);
    if (done_all != nullptr) *done_all = over;
    return {};
  });
}

copse_code copse_queue_next(copse_queue* queue, copse_decision* decision, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    if (auto ok = check_struct(decision); !ok) return ok;
    const auto next = object.next();
    if (!next) return refuse(COPSE_NOT_FOUND, "there are no further decisions");
    write_struct(*next, decision);
    object.take();
    return {};
  });
}

copse_code copse_queue_next_time(copse_queue* queue, int64_t* time, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    if (time == nullptr) return refuse(COPSE_INVALID, "the time is NULL");
    const auto next = object.queue().next_time();
    if (!next) return refuse(COPSE_NOT_FOUND, "no event is due");
    *time = *next;
    return {};
  });
}

copse_code copse_queue_describe(copse_queue* queue, copse_queue_info* info, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    if (auto ok = check_struct(info); !ok) return ok;
    copse_queue_info value = COPSE_QUEUE_INFO_INIT;
    value.waiting = object.queue().waiting();
    value.running = object.queue().running();
    value.sequence = object.queue().sequence();
    write_struct(value, info);
    return {};
  });
}

copse_code copse_queue_state(copse_queue* queue, uint64_t job, copse_job_state* state,
                             copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    if (state == nullptr) return refuse(COPSE_INVALID, "the state is NULL");
    const auto is = object.queue().state(job);
    if (!is) return refuse(COPSE_NOT_FOUND, "nonexistent job " + std::to_string(job));
    *state = static_cast<copse_job_state>(*is);
    return {};
  });
}

copse_code copse_queue_why(copse_queue* queue, uint64_t job, const char* format, char** text,
                           size_t* length, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    const auto json = wants_json(format);
    if (!json) return std::unexpected(json.error());
    const auto answer = object.answers().of(job);
    if (!answer) return std::unexpected(Failure(answer.error()));
    std::string out;
    if (*json) {
      queue::append_answer_json(out, *answer);
    } else {
      queue::append_answer_text(out, *answer);
    }
    return text_out(out, text, length);
  });
}

copse_code copse_queue_when(copse_queue* queue, uint64_t job, int64_t* start, copse_error* error) {
  return with_queue(queue, error, [&](QueueObject& object) -> Outcome<void> {
    if (start == nullptr) return refuse(COPSE_INVALID, "the start is NULL");
    const auto answer = object.answers().of(job);
    if (!answer) return std::unexpected(Failure(answer.error()));
    if (!answer->expected_s) return refuse(COPSE_INSUFFICIENT, "at no time, as things are");
    *start = *answer->expected_s;
    return {};
  });
}

}  // extern "C"

}  // namespace copse::capi
