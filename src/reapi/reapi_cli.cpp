// SPDX-License-Identifier: Apache-2.0
//
// The functions of Fluxion's C API: they check pointers, set errno and allocate texts for the caller.
#include "resource/reapi/bindings/c/reapi_cli.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <expected>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "match/option_names.hpp"
#include "reapi/reapi_context.hpp"

struct reapi_cli_ctx {
  std::unique_ptr<copse::reapi::Context> context = std::make_unique<copse::reapi::Context>();
};

namespace copse::reapi {

namespace {

int ended(int code) {
  if (code == 0) return 0;
  errno = code;
  return -1;
}

// Runs a body that returns an errno; exceptions become an errno.
template <class Body>
int guarded(Body body) noexcept {
  try {
    return ended(body());
  } catch (const std::bad_alloc&) {
    return ended(ENOMEM);
  } catch (const std::exception&) {
    return ended(EINVAL);
  } catch (...) {
    return ended(EINVAL);
  }
}

// The same with an initialized context.
template <class Body>
int with_context(reapi_cli_ctx* ctx, Body body) noexcept {
  return guarded([&] {
    if (ctx == nullptr || !ctx->context->initialized()) return EINVAL;
    return static_cast<int>(body(*ctx->context));
  });
}

char* copy_of(std::string_view text) {
  auto* const out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out == nullptr) throw std::bad_alloc();
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return out;
}

template <class T>
void put(T* out, const T& value) {
  if (out != nullptr) *out = value;
}

// The numbers of the C API are those of Operation plus 1.
std::optional<Operation> operation_of(match_op_t op) {
  if (!match_op_valid(op)) return std::nullopt;
  return static_cast<Operation>(static_cast<int>(op) - 1);
}

// The results of a match that the caller requests; pointers may be null.
struct MatchOut {
  std::uint64_t* job;
  bool* reserved;
  char** r;
  std::int64_t* at;
  double* overhead;
};

int match(reapi_cli_ctx* ctx, match_op_t op, const char* jobspec, std::optional<std::uint64_t> job,
          const MatchOut& out) {
  return with_context(ctx, [&](Context& context) {
    put(out.at, std::int64_t{0});
    if (jobspec == nullptr) return EINVAL;
    const auto operation = operation_of(op);
    if (!operation) {
      return context.fail(EINVAL, "match_allocate: ERROR: Invalid Match Option: " +
                                      std::to_string(static_cast<int>(op)));
    }
    Context::Matched matched;
    const int code = context.match(*operation, jobspec, job, matched);
    put(out.overhead, matched.overhead_s);
    if (code != 0) return code;
    if (out.r != nullptr) *out.r = copy_of(matched.r);
    put(out.at, matched.at_s);
    put(out.job, matched.job);
    put(out.reserved, matched.reserved);
    return 0;
  });
}

std::optional<Status> status_of(resource_status_t status) {
  if (status == RESOURCE_UP) return Status::up;
  if (status == RESOURCE_DOWN) return Status::down;
  return std::nullopt;
}

// The pools at a path; `code`: none, and a message of `function`.
std::expected<std::vector<PoolId>, int> pools_at(Context& context, std::string_view function,
                                                 std::string_view path, int code) {
  auto pools = context.resource().graph().at_path(path);
  if (!pools.empty()) return pools;
  return std::unexpected(
      context.fail(code, fmt::format("{}: ERROR: no resource has the path {}", function, path)));
}

template <class Set>
int set_status(reapi_cli_ctx* ctx, const char* where, resource_status_t status, Set set) {
  return with_context(ctx, [&](Context& context) {
    const auto value = status_of(status);
    if (where == nullptr || !value) return EINVAL;
    return set(context, *value);
  });
}

template <class Get>
int get_status(reapi_cli_ctx* ctx, const char* where, resource_status_t* status, Get get) {
  return with_context(ctx, [&](Context& context) {
    if (where == nullptr || status == nullptr) return EINVAL;
    Status value = Status::up;
    const int code = get(context, value);
    if (code == 0) *status = usable(value) ? RESOURCE_UP : RESOURCE_DOWN;
    return code;
  });
}

}  // namespace

extern "C" {

reapi_cli_ctx_t* reapi_cli_new(void) {
  reapi_cli_ctx_t* made = nullptr;
  const int code = guarded([&] {
    made = new reapi_cli_ctx;
    return 0;
  });
  return code == 0 ? made : nullptr;
}

reapi_cli_ctx_t* reapi_cli_clone(reapi_cli_ctx_t* ctx) {
  reapi_cli_ctx_t* made = nullptr;
  with_context(ctx, [&](Context& context) {
    auto copy = std::make_unique<reapi_cli_ctx>();
    copy->context = context.clone();
    made = copy.release();
    return 0;
  });
  return made;
}

void reapi_cli_destroy(reapi_cli_ctx_t* ctx) {
  const int kept = errno;
  delete ctx;
  errno = kept;
}

int reapi_cli_initialize(reapi_cli_ctx_t* ctx, const char* rgraph, const char* options) {
  return guarded([&] {
    if (ctx == nullptr || rgraph == nullptr || options == nullptr) return EINVAL;
    return ctx->context->initialize(rgraph, options);
  });
}

int reapi_cli_match(reapi_cli_ctx_t* ctx, match_op_t match_op, const char* jobspec, uint64_t* jobid,
                    bool* reserved, char** R, int64_t* at, double* ov) {
  return match(ctx, match_op, jobspec, std::nullopt, {jobid, reserved, R, at, ov});
}

int reapi_cli_match_with_jobid(reapi_cli_ctx_t* ctx, match_op_t match_op, const char* jobspec,
                               uint64_t jobid, bool* reserved, char** R, int64_t* at, double* ov) {
  return match(ctx, match_op, jobspec, jobid, {nullptr, reserved, R, at, ov});
}

int reapi_cli_match_allocate(reapi_cli_ctx_t* ctx, bool orelse_reserve, const char* jobspec,
                             uint64_t* jobid, bool* reserved, char** R, int64_t* at, double* ov) {
  return match(ctx, orelse_reserve ? MATCH_ALLOCATE_ORELSE_RESERVE : MATCH_ALLOCATE, jobspec,
               std::nullopt, {jobid, reserved, R, at, ov});
}

int reapi_cli_match_satisfy(reapi_cli_ctx_t* ctx, const char* jobspec, bool* sat, double* ov) {
  put(sat, false);
  const int code = match(ctx, MATCH_SATISFIABILITY, jobspec, std::nullopt,
                         {nullptr, nullptr, nullptr, nullptr, ov});
  put(sat, code == 0);
  return code;
}

int reapi_cli_update_allocate(reapi_cli_ctx_t* ctx, const uint64_t jobid, const char* R,
                              int64_t* at, double* ov, const char** R_out) {
  return with_context(ctx, [&](Context& context) {
    if (R == nullptr) return context.fail(EINVAL, "update_allocate: ERROR: R is NULL");
    Context::Matched updated;
    const int code = context.update(jobid, R, updated);
    if (code != 0) return code;
    if (R_out != nullptr) *R_out = copy_of(updated.r);
    put(at, updated.at_s);
    put(ov, updated.overhead_s);
    return 0;
  });
}

int reapi_cli_add_subgraph(reapi_cli_ctx_t* ctx, const char* R_subgraph) {
  return with_context(ctx, [&](Context& context) {
    if (R_subgraph == nullptr) return EINVAL;
    const auto added = context.resource().add_subgraph(R_subgraph, "R_subgraph");
    if (added || added.error().code == ErrorCode::exists) return 0;
    return context.fail(EINVAL,
                        "add_subgraph: ERROR: reader returned error: " + added.error().message());
  });
}

int reapi_cli_remove_subgraph(reapi_cli_ctx_t* ctx, const char* subgraph_path) {
  return with_context(ctx, [&](Context& context) {
    if (subgraph_path == nullptr) return EINVAL;
    const auto tops = pools_at(context, "remove_subgraph", subgraph_path, ENOENT);
    if (!tops) return tops.error();
    const auto removed = context.resource().remove(*tops);
    if (removed) return 0;
    return context.fail(EINVAL, "remove_subgraph: ERROR: " + removed.error().message());
  });
}

int reapi_cli_cancel(reapi_cli_ctx_t* ctx, const uint64_t jobid, bool noent_ok) {
  return with_context(ctx, [&](Context& context) { return context.cancel(jobid, noent_ok); });
}

int reapi_cli_partial_cancel(reapi_cli_ctx_t* ctx, const uint64_t jobid, const char* R,
                             bool noent_ok, bool* full_removal) {
  return with_context(ctx, [&](Context& context) {
    if (R == nullptr) return EINVAL;
    bool emptied = false;
    const int code = context.partial_cancel(jobid, R, noent_ok, emptied);
    if (code == 0) put(full_removal, emptied);
    return code;
  });
}

int reapi_cli_info(reapi_cli_ctx_t* ctx, const uint64_t jobid, char** mode, bool* reserved,
                   int64_t* at, double* ov) {
  return with_context(ctx, [&](Context& context) {
    const fluxion::Job* const job = context.job(jobid);
    if (job == nullptr) {
      return context.fail(ENOENT, "info: ERROR: nonexistent job " + std::to_string(jobid));
    }
    if (mode != nullptr) *mode = copy_of(word(job->state));
    put(reserved, job->state == fluxion::Job::State::reserved);
    put(at, job->at_s);
    put(ov, job->overhead_s);
    return 0;
  });
}

int reapi_cli_find(reapi_cli_ctx_t* ctx, const char* criteria, const char* format, char** R) {
  return with_context(ctx, [&](Context& context) {
    if (criteria == nullptr || R == nullptr) return EINVAL;
    std::string found;
    const auto form = format == nullptr ? std::nullopt : std::optional<std::string_view>(format);
    if (const int code = context.find(criteria, form, found); code != 0) return code;
    *R = found.empty() ? nullptr : copy_of(found);
    return 0;
  });
}

int reapi_cli_stat(reapi_cli_ctx_t* ctx, int64_t*, int64_t*, int64_t*, double*, double*, double*,
                   double*) {
  return with_context(ctx, [](Context&) { return ENOSYS; });
}

const char* reapi_cli_get_err_msg(reapi_cli_ctx_t* ctx) {
  const char* out = nullptr;
  const int kept = errno;
  const int code = guarded([&] {
    out = copy_of(ctx == nullptr ? "ERROR: reapi_cli context is null" : ctx->context->messages());
    return 0;
  });
  if (code == 0) errno = kept;
  return out;
}

void reapi_cli_clear_err_msg(reapi_cli_ctx_t* ctx) {
  if (ctx != nullptr) ctx->context->clear_messages();
}

int reapi_cli_set_status(reapi_cli_ctx_t* ctx, const char* resource_path,
                         resource_status_t status) {
  return set_status(ctx, resource_path, status, [&](Context& context, Status value) {
    const auto pools = pools_at(context, "set_status", resource_path, EINVAL);
    if (!pools) return pools.error();
    context.resource().set_status(*pools, value);
    return 0;
  });
}

int reapi_cli_get_status(reapi_cli_ctx_t* ctx, const char* resource_path,
                         resource_status_t* status) {
  return get_status(ctx, resource_path, status, [&](Context& context, Status& value) {
    const auto pools = pools_at(context, "get_status", resource_path, EINVAL);
    if (!pools) return pools.error();
    value = context.resource().engine().status(pools->front());
    return 0;
  });
}

int reapi_cli_set_rank_status(reapi_cli_ctx_t* ctx, const char* ranks, resource_status_t status) {
  return set_status(ctx, ranks, status, [&](Context& context, Status value) {
    return context.set_rank_status(ranks, value);
  });
}

int reapi_cli_get_rank_status(reapi_cli_ctx_t* ctx, const char* rank, resource_status_t* status) {
  return get_status(ctx, rank, status, [&](Context& context, Status& value) {
    return context.get_rank_status(rank, value);
  });
}

}  // extern "C"

}  // namespace copse::reapi
