// SPDX-License-Identifier: Apache-2.0
#include "session/request_cache.hpp"

#include <fmt/format.h>

#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "request/request_checks.hpp"
#include "request/shape.hpp"
#include "text/json_text.hpp"

namespace copse {

RequestTexts texts_of(const SessionRequest& line) {
  return {.shape = line.shape.value_or(std::string_view()),
          .constraints = line.constraints,
          .jobspec = line.jobspec,
          .hres = line.hres};
}

Result<Request> request_of(const RequestTexts& texts, const JobspecLimits& limits) {
  const bool by_shape = texts.jobspec.empty();
  auto request = by_shape ? parse_shape(texts.shape, "shape", limits)
                          : parse_jobspec(texts.jobspec, "jobspec", JobspecWords::own, limits);
  if (!request) return request;
  request->slots_share = true;
  if (texts.constraints.size() > limits.text_bytes_max) {
    return fail(ErrorCode::limit,
                fmt::format("\"constraints\" has more than {} bytes", limits.text_bytes_max));
  }
  if (by_shape && !texts.constraints.empty()) {
    auto constraint =
        parse_constraint(texts.constraints, "constraints", JobspecWords::own, limits.hosts_max);
    if (!constraint) return std::unexpected(constraint.error());
    request->constraint = std::move(*constraint);
  }
  if (texts.hres) {
    auto hres = parse_hres_request(*texts.hres, SourceLocation{"hres", 1, 1});
    if (!hres) return std::unexpected(hres.error());
    request->hres = std::move(*hres);
  }
  return request;
}

namespace {

Result<PreparedRequest> compile_line(Engine& engine, const SessionRequest& line,
                                     const JobspecLimits& limits, const RequestDefaults& defaults) {
  auto request = request_of(texts_of(line), limits);
  if (!request) return std::unexpected(request.error());
  if (auto ok = add_defaults(*request, defaults, {}); !ok) return std::unexpected(ok.error());
  if (auto wrong = fit_units(engine.graph(), *request)) return std::unexpected(std::move(*wrong));
  auto unknown = unknown_type(engine.graph(), *request);
  auto made = engine.prepare(std::move(*request));
  if (made || made.error().code != ErrorCode::not_found) return made;
  if (unknown) made.error() = std::move(*unknown);
  // A missing type can never be satisfied; a name that is nearly a known one is reported as a
  // misspelling.
  if (made.error().code == ErrorCode::not_found) made.error().code = ErrorCode::infeasible;
  return made;
}

}  // namespace

Result<PreparedRequest*> SessionRequestCache::prepare(Engine& engine, const SessionRequest& line) {
  const bool by_shape = line.jobspec.empty();
  const std::string_view first = by_shape ? *line.shape : line.jobspec;
  // Texts of different kinds, or split at different places, have different keys.
  key_.assign(1, by_shape ? 's' : 'j');
  append_number(key_, first.size());
  key_ += ':';
  key_ += first;
  key_ += line.constraints;
  if (line.hres) {  // no other part contains a zero byte
    key_ += '\0';
    key_ += *line.hres;
  }
  PreparedRequest* found = kept_.find(key_);
  if (found == nullptr) {
    auto made = compile_line(engine, line, limits_, defaults_);
    if (!made) return std::unexpected(made.error());
    found = kept_.insert(key_, std::move(*made), engine.graph().pool_count());
  }
  if (by_shape) found->set_duration(line.duration_s.value_or(0));
  return found;
}

void SessionRequestCache::set_defaults(const RequestDefaults& defaults) {
  if (defaults == defaults_) return;
  kept_ = PreparedCache(kRequestsMax, kBytesMax);
  defaults_ = defaults;
}

}  // namespace copse
