// SPDX-License-Identifier: Apache-2.0
//
// Matches and grants of include/copse.h.
#include <string>

#include "base/idset.hpp"
#include "capi/match_out.hpp"
#include "capi/objects.hpp"
#include "explain/explanation.hpp"
#include "formats/allocation_file.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "match/option_names.hpp"

namespace copse::capi {

namespace {

// The requested output of a match.
struct Wanted {
  const char* format;
  copse_result* result;

  [[nodiscard]] Outcome<void> check() const {
    if (auto ok = check_format(format); !ok) return ok;
    return result == nullptr ? Outcome<void>() : check_struct(result);
  }
};

// A grant is refused if its text cannot be written.
Outcome<void> tell(Engine& engine, const MatchResult& matched, JobId job, bool granted,
                   const Wanted& wanted) {
  if (!matched) {
    Error error = matched.error();
    for (const std::string& remark : matched.error().remarks) error.text += "; " + remark;
    return std::unexpected(Failure(std::move(error)));
  }
  auto told = match_out(engine, **matched, wanted.format, wanted.result);
  if (!told && granted) {
    if (auto ok = engine.cancel(job); !ok) return done(ok);
  }
  return told;
}

Outcome<void> cancel_pools(Engine& engine, JobId job, const PoolChoice& pools, bool* gone) {
  const auto over = engine.cancel_part(job, pools, true);
  if (!over) return std::unexpected(Failure(over.error()));
  if (gone != nullptr) *gone = *over;
  return {};
}

}  // namespace

extern "C" {

copse_code copse_match(copse_engine* engine, copse_operation operation, copse_request* request,
                       uint64_t job, const char* format, copse_result* result, copse_error* error) {
  return with_request(engine, request, Access::write, error,
                      [&](Engine& e, PreparedRequest& prepared) -> Outcome<void> {
                        const Wanted wanted{operation == COPSE_SATISFIABILITY ? nullptr : format,
                                            result};
                        if (auto ok = wanted.check(); !ok) return ok;
                        if (operation > COPSE_WITHOUT_ALLOCATING_FUTURE) {
                          return refuse(COPSE_INVALID, "unknown operation");
                        }
                        const auto what = static_cast<Operation>(operation);
                        if (job == 0 && allocates(what))
                          return refuse(COPSE_INVALID, "the id of a job is 1 or more");
                        return tell(e, e.match(what, prepared, job), job, allocates(what), wanted);
                      });
}

copse_code copse_match_between(copse_engine* engine, copse_request* request, uint64_t job,
                               int64_t from, int64_t before, const char* format,
                               copse_result* result, copse_error* error) {
  return with_request(engine, request, Access::write, error,
                      [&](Engine& e, PreparedRequest& prepared) -> Outcome<void> {
                        const Wanted wanted{format, result};
                        if (auto ok = wanted.check(); !ok) return ok;
                        if (job == 0) return refuse(COPSE_INVALID, "the id of a job is 1 or more");
                        return tell(e, e.match_between(prepared, job, from, before), job, true,
                                    wanted);
                      });
}

copse_code copse_explain(copse_engine* engine, copse_request* request, const char* format,
                         copse_verdict* verdict, char** text, size_t* length, copse_error* error) {
  return with_request(engine, request, Access::read, error,
                      [&](Engine& e, PreparedRequest& prepared) -> Outcome<void> {
                        const auto json = wants_json(format);
                        if (!json) return std::unexpected(json.error());
                        const auto why = e.explain(prepared);
                        if (!why) return std::unexpected(Failure(why.error()));
                        if (text != nullptr) {
                          std::string out;
                          *json ? append_explanation_json(out, *why)
                                : append_explanation_text(out, *why);
                          if (auto ok = text_out(out, text, length); !ok) return ok;
                        }
                        if (verdict != nullptr) *verdict = static_cast<copse_verdict>(why->verdict);
                        return {};
                      });
}

copse_code copse_update(copse_engine* engine, uint64_t job, const char* resources, size_t length,
                        int64_t start, int64_t duration, copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    Engine& e = use.engine();
    const auto text = text_in(resources, length, "the resources");
    if (!text) return std::unexpected(text.error());
    if (job == 0) return refuse(COPSE_INVALID, "the id of a job is 1 or more");
    const auto file = read_allocation(e.graph(), *text, "resources");
    if (!file) return std::unexpected(Failure(file.error()));
    if (!file->missing.empty()) return refuse(COPSE_NOT_FOUND, file->missing.front());
    std::int64_t from = start;
    if (from < 0) from = file->times.end_s > 0 ? file->times.start_s : e.now();
    if (from > e.options().horizon) return refuse(COPSE_INVALID, "the start is after the horizon");
    std::int64_t lasts = duration;
    if (lasts == 0 && file->times.end_s > 0) {
      lasts = file->times.end_s - file->times.start_s;
    };
    if (lasts == 0) lasts = e.options().horizon - from;
    return done(e.update(job, file->taken, from, lasts));
  });
}

copse_code copse_cancel(copse_engine* engine, uint64_t job, copse_error* error) {
  return with_engine(engine, Access::write, error,
                     [&](EngineUse& use) { return done(use.engine().cancel(job)); });
}

copse_code copse_cancel_part(copse_engine* engine, uint64_t job, const char* resources,
                             size_t length, bool* gone, copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto text = text_in(resources, length, "the resources");
    if (!text) return std::unexpected(text.error());
    auto file = read_allocation(use.engine().graph(), *text, "resources");
    if (!file) return std::unexpected(Failure(file.error()));
    if (!file->missing.empty()) return refuse(COPSE_NOT_FOUND, file->missing.front());
    return cancel_pools(use.engine(), job, file->taken, gone);
  });
}

copse_code copse_cancel_ranks(copse_engine* engine, uint64_t job, const char* ranks, bool* gone,
                              copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto text = word_in(ranks, "the text of ranks");
    if (!text) return std::unexpected(text.error());
    const auto set = Idset::parse(*text);
    if (!set) return std::unexpected(Failure(set.error()));
    const auto pools = pools_of_ranks(use.engine().graph(), *set);
    if (!pools) return std::unexpected(Failure(pools.error()));
    return cancel_pools(use.engine(), job, *pools, gone);
  });
}

copse_code copse_set_end(copse_engine* engine, uint64_t job, int64_t end, copse_error* error) {
  return with_engine(engine, Access::write, error,
                     [&](EngineUse& use) { return done(use.engine().set_end(job, end)); });
}

copse_code copse_move_earlier(copse_engine* engine, uint64_t job, copse_request* request,
                              int64_t from, int64_t before, bool* moved, copse_error* error) {
  return with_request(engine, request, Access::write, error,
                      [&](Engine& e, PreparedRequest& prepared) -> Outcome<void> {
                        const auto is = e.move_earlier(job, prepared, from, before);
                        if (!is) return std::unexpected(Failure(is.error()));
                        if (moved != nullptr) *moved = *is;
                        return {};
                      });
}

copse_code copse_grant(copse_engine* engine, uint64_t job, const char* format, copse_result* result,
                       copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    if (auto ok = Wanted{format, result}.check(); !ok) return ok;
    const Grant* const grant = use.engine().grant(job);
    if (grant == nullptr) {
      return refuse(COPSE_NOT_FOUND, "nonexistent job " + std::to_string(job));
    }
    return match_out(use.engine(),
                     {.start = grant->start,
                      .end = grant->end,
                      .nslots = grant->nslots,
                      .selection = grant->selection,
                      .charges = grant->charges},
                     format, result);
  });
}

copse_code copse_jobs(copse_engine* engine, uint64_t** jobs, size_t* count, copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    return list_out(use.engine().jobs(), jobs, count);
  });
}

}  // extern "C"

}  // namespace copse::capi
