// SPDX-License-Identifier: Apache-2.0
//
// Engines and requests of include/copse.h.

#include "base/saturating.hpp"
#include "capi/objects.hpp"
#include "copse/policy.hpp"
#include "copse/save.hpp"
#include "host/plugins.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/shape.hpp"
#include "text/split.hpp"

namespace copse::capi {

namespace {

Outcome<EngineOptions> engine_options(const copse_engine_options* options) {
  copse_engine_options how = COPSE_ENGINE_OPTIONS_INIT;
  if (auto ok = read_struct(options, how); !ok) return std::unexpected(ok.error());
  auto chosen = choose_policy(word_or(how.policy, "first"));
  if (!chosen) return std::unexpected(Failure(chosen.error()));
  EngineOptions out{.policy = std::move(chosen->policy)};
  if (how.traverser > COPSE_TREEPOOL) return refuse(COPSE_INVALID, "unknown traverser");
  out.traverser = static_cast<Traverser>(how.traverser);
  if (how.prune_filters != nullptr) out.prune_filters = how.prune_filters;
  const auto auxiliary = split(word_or(how.auxiliary, ""), ',');
  out.auxiliary.assign(auxiliary.begin(), auxiliary.end());
  out.counts_nodes_first = how.counts_nodes_first;
  out.now = how.now;
  out.horizon = how.horizon == 0 ? saturating_sum(out.horizon, how.now) : how.horizon;
  if (out.now < 0 || out.horizon <= out.now || out.horizon > INT64_MAX / 2) {
    return refuse(COPSE_INVALID, "the clock begins before 0, or at its end or later");
  }
  return out;
}

// Sets the policy of a request from a shape to that of its options.
Outcome<Request> request_of_shape(std::string_view shape, const copse_request_options& how) {
  auto request = parse_shape(shape, word_or(how.file, "shape"));
  if (!request) return std::unexpected(Failure(request.error()));
  if (how.duration < 0) return refuse(COPSE_INVALID, "the duration is below 0");
  request->duration_s = how.duration;
  request->slots_share = true;
  if (how.constraint != nullptr) {
    auto constraint = parse_constraint(how.constraint, "constraint");
    if (!constraint) return std::unexpected(Failure(constraint.error()));
    request->constraint = std::move(*constraint);
  }
  if (how.hres != nullptr) {
    auto hres = parse_hres_request(how.hres, SourceLocation{"hres", 1, 1});
    if (!hres) return std::unexpected(Failure(hres.error()));
    request->hres = std::move(*hres);
  }
  return std::move(*request);
}

Outcome<void> give_request(const EngineUse& use, Request request, copse_request** out) {
  auto prepared = use.engine().prepare(std::move(request));
  if (!prepared) return std::unexpected(Failure(prepared.error()));
  return give(std::make_unique<RequestObject>(use.core(), std::move(*prepared)), out);
}

}  // namespace

extern "C" {

copse_code copse_engine_new(copse_machine* machine, const copse_engine_options* options,
                            copse_engine** engine, copse_error* error) {
  return call(error, [&]() -> Outcome<void> {
    const auto held = Held<MachineObject>::of(machine);
    if (!held) return std::unexpected(held.error());
    auto how = engine_options(options);
    if (!how) return std::unexpected(how.error());
    bound_by_times((*held)->machine, *how);
    auto made = Engine::create((*held)->machine.graph, std::move(*how), (*held)->machine.layouts);
    if (!made) return std::unexpected(Failure(made.error()));
    return give_engine(std::move(*made), engine);
  });
}

copse_code copse_engine_free(copse_engine* engine) { return free_handle<EngineObject>(engine); }

copse_code copse_engine_clone(copse_engine* engine, copse_engine** clone, copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    return give_engine(use.engine().clone(), clone);
  });
}

copse_code copse_engine_save(copse_engine* engine, char** bytes, size_t* length,
                             copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    return text_out(save(use.engine()), bytes, length);
  });
}

copse_code copse_engine_load(const char* bytes, size_t length, copse_engine** engine,
                             copse_error* error) {
  return call(error, [&]() -> Outcome<void> {
    const auto saved = text_in(bytes, length, "the save");
    if (!saved) return std::unexpected(saved.error());
    const auto own = policies_of_environment();
    if (!own) return std::unexpected(Failure(own.error()));
    auto loaded = load(*saved, *own);
    if (!loaded) return std::unexpected(Failure(loaded.error()));
    return give_engine(std::move(loaded->engine), engine);
  });
}

copse_code copse_engine_fingerprint(copse_engine* engine, uint64_t* fingerprint,
                                    copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    if (fingerprint == nullptr) return refuse(COPSE_INVALID, "the fingerprint is NULL");
    *fingerprint = use.engine().fingerprint();
    return {};
  });
}

copse_code copse_engine_describe(copse_engine* engine, copse_engine_info* info,
                                 copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    if (auto ok = check_struct(info); !ok) return ok;
    const Engine& e = use.engine();
    copse_engine_info value = COPSE_ENGINE_INFO_INIT;
    value.now = e.now();
    value.horizon = e.options().horizon;
    value.grants = e.grant_count();
    value.pools = e.graph().pool_count() - e.graph().removed_count();
    value.bytes = e.bytes();
    write_struct(value, info);
    return {};
  });
}

copse_code copse_advance(copse_engine* engine, int64_t time, copse_error* error) {
  return with_engine(engine, Access::write, error,
                     [&](EngineUse& use) { return done(use.engine().advance(time)); });
}

copse_code copse_request_new(copse_engine* engine, const char* text, size_t length,
                             const copse_request_options* options, copse_request** request,
                             copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    copse_request_options how = COPSE_REQUEST_OPTIONS_INIT;
    if (auto ok = read_struct(options, how); !ok) return ok;
    const auto jobspec = text_in(text, length, "the jobspec");
    if (!jobspec) return std::unexpected(jobspec.error());
    auto parsed = parse_jobspec(*jobspec, word_or(how.file, ""));
    if (!parsed) return std::unexpected(Failure(parsed.error()));
    return give_request(use, std::move(*parsed), request);
  });
}

copse_code copse_request_shape(copse_engine* engine, const char* shape,
                               const copse_request_options* options, copse_request** request,
                               copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    copse_request_options how = COPSE_REQUEST_OPTIONS_INIT;
    if (auto ok = read_struct(options, how); !ok) return ok;
    const auto text = word_in(shape, "the shape");
    if (!text) return std::unexpected(text.error());
    auto parsed = request_of_shape(*text, how);
    if (!parsed) return std::unexpected(parsed.error());
    return give_request(use, std::move(*parsed), request);
  });
}

copse_code copse_request_set_duration(copse_request* request, int64_t duration,
                                      copse_error* error) {
  return call(error, [&]() -> Outcome<void> {
    const auto held = Held<RequestObject>::of(request);
    if (!held) return std::unexpected(held.error());
    if (duration < 0) return refuse(COPSE_INVALID, "the duration is below 0");
    (*held)->prepared.set_duration(duration);
    return {};
  });
}

copse_code copse_request_free(copse_request* request) {
  return free_handle<RequestObject>(request);
}

}  // extern "C"

}  // namespace copse::capi
