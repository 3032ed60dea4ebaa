// SPDX-License-Identifier: Apache-2.0
#include "reapi/reapi_context.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "copse/error.hpp"
#include "copse/formats.hpp"
#include "copse/graph.hpp"
#include "formats/allocation_file.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "formats/machine_formats.hpp"
#include "formats/text_format.hpp"
#include "host/stopwatch.hpp"
#include "match/option_names.hpp"

namespace copse::reapi {

namespace {

struct Booking {
  AllocatedPools taken{};  // `rooted`: it can be written as a match
  std::int64_t start_s = 0;
  std::int64_t duration_s = 0;  // 0: unlimited
};

// The form of a text.
struct Form {
  bool rv1 = false;    // else only JGF
  bool graph = false;  // it has a graph
  bool shorthand = false;
};

// Errors: invalid.
Result<Form> form_of(std::string_view r, bool bare_shorthand) {
  if (r.empty()) return fail(ErrorCode::invalid, "R is empty");
  const TextFormat is = text_format(r);
  if (is == TextFormat::r) return Form{.rv1 = true};
  if (is != TextFormat::r_with_graph) return Form{.graph = true, .shorthand = bare_shorthand};
  const auto set = read_jgf_set(r, "R");
  if (!set) return std::unexpected(set.error());
  const std::string writer = set->writer.value_or("fluxion");
  const bool shorthand = writer == "fluxion:jgf_shorthand";
  if (!shorthand && writer != "fluxion" && writer != "fluxion:jgf") {
    return fail(ErrorCode::invalid, "unknown writer of \"scheduling\": " + writer.substr(0, 64));
  }
  return Form{.rv1 = true, .graph = true, .shorthand = shorthand};
}

// The pools and times of an R. `bare_shorthand`: JGF without an R is shorthand. Errors: invalid (the text
// is neither form, or its writer is unknown); not_found (a pool that the machine does not have).
Result<Booking> read_booking(const ResourceGraph& graph, std::string_view r, bool bare_shorthand) {
  const auto form = form_of(r, bare_shorthand);
  if (!form) return std::unexpected(form.error());
  const char* const format = !form->graph ? "rv1exec" : form->shorthand ? "jgf_shorthand" : "jgf";
  auto taken = read_allocation(graph, r, "R", format);
  if (!taken) return std::unexpected(taken.error());
  Booking out{.taken = std::move(taken->taken)};
  if (!form->rv1) return out;
  const auto times = read_times(r, "R");
  if (!times) return std::unexpected(times.error());
  out.start_s = times->start_s;
  if (times->end_s > 0) out.duration_s = times->end_s - times->start_s;
  return out;
}

// The pools to free: those in the graph of R; without a graph, all pools of its ranks. Errors: as
// read_booking().
Result<AllocatedPools> read_freed(const ResourceGraph& graph, std::string_view r) {
  const auto form = form_of(r, false);
  if (!form) return std::unexpected(form.error());
  return copse::read_given_back(graph, form->graph ? "jgf" : "rv1exec", r, "R");
}

// Fluxion's reader of JGF ignores units, and its answers have none.
Result<ResourceGraph> read_graph(std::string_view text, const Options& options) {
  auto machine = read_machine_text({.text = text,
                                    .allowlist = options.load_allowlist,
                                    .dominant = options.subsystems.front(),
                                    .beyond_fluxion = false},
                                   options.load_format);
  if (!machine) return std::unexpected(machine.error());
  return std::move(machine->graph);
}

// JSON without the blanks and line ends between its tokens. O(length).
std::string compact_json(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool quoted = false, escaped = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!quoted && blank) continue;
    out += c;
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
  }
  return out;
}

}  // namespace

int Context::fail(int code, std::string_view message) {
  messages_.append(message).append(1, '\n');
  return code;
}

std::unique_ptr<Context> Context::clone() const {
  auto out = std::make_unique<Context>();
  out->options_ = options_;
  out->engine_ = engine_->clone();
  out->resource_.emplace(*out->engine_, options_.match_format);
  out->jobs_ = jobs_;
  out->next_job_ = next_job_;
  return out;
}

int Context::initialize(std::string_view graph, std::string_view options) {
  const auto refuse = [&](const std::string& why) {
    return fail(EPROTO, "reapi_cli_initialize: Runtime error: resource_query_t: ERROR: " + why);
  };
  auto read = read_options(options);
  if (!read) return refuse(read.error().text);
  auto machine = read_graph(graph, *read);
  if (!machine) return refuse("error generating resources: " + machine.error().message());
  EngineOptions how{.policy = read->policy, .traverser = read->traverser, .growth_waits = true};
  how.prune_filters = read->prune_filters;
  how.auxiliary.assign(read->subsystems.begin() + 1, read->subsystems.end());
  auto engine = Engine::create(std::move(*machine), std::move(how));
  if (!engine) return refuse("error generating resources: " + engine.error().message());
  options_ = std::move(*read);
  engine_ = std::move(*engine);
  resource_.emplace(*engine_, options_.match_format);
  jobs_ = {};
  next_job_ = 1;
  return 0;
}

int Context::match(Operation operation, std::string_view jobspec, std::optional<std::uint64_t> job,
                   Matched& out) {
  out.job = job.value_or(next_job_);
  const JobId grant = jobs_.grant_number(*engine_, out.job);
  const auto matched = resource_->match(operation, {.text = jobspec}, grant);
  const MatchResult& result = matched.result;
  if (matched.request == nullptr) {
    return fail(EINVAL, fmt::format("match_allocate: ERROR: Jobspec error for {}: {}", out.job,
                                    result.error().message()));
  }
  out.overhead_s = matched.elapsed_s;
  if (!result && result.error().code == ErrorCode::invalid) {
    return fail(EINVAL, "match_allocate: ERROR: " + result.error().message());
  }
  if (allocates(operation)) ++next_job_;
  if (!result) return result.error().code == ErrorCode::infeasible ? ENODEV : EBUSY;
  if (operation == Operation::satisfiability) return 0;
  out.at_s = (*result)->start;
  resource_->write(**result, matched.queue(), out.r);
  // Fluxion refuses an empty R_lite, but returns other empty forms of R.
  if (out.r.empty() && options_.match_format == Format::rlite) {
    if (allocates(operation) && !engine_->cancel(grant)) return EINVAL;
    out.at_s = 0;
    return fail(EINVAL,
                "match_allocate: ERROR: rlite cannot name the match, and nothing is booked");
  }
  if (!allocates(operation)) {
    out.job = UINT64_MAX;
    return 0;
  }
  out.reserved = out.at_s != 0;
  jobs_.add(out.job, grant, out.at_s, out.overhead_s);
  return 0;
}

int Context::update(std::uint64_t job, std::string_view r, Matched& out) {
  const Stopwatch watch;
  if (jobs_.holding(job) != nullptr) {
    return fail(EEXIST, fmt::format("update_allocate: ERROR: existing job {}", job));
  }
  const auto booking = read_booking(engine_->graph(), r, options_.load_format == "jgf_shorthand");
  if (!booking) {
    return fail(EINVAL, "update_allocate: ERROR: " + booking.error().message());
  }
  const std::int64_t horizon = engine_->options().horizon;
  if (booking->start_s >= horizon) {
    return fail(EINVAL, "update_allocate: ERROR: the start is beyond the end of time");
  }
  const std::int64_t most_s = horizon - booking->start_s;
  const std::int64_t duration_s =
      booking->duration_s == 0 ? most_s : std::min(booking->duration_s, most_s);
  const JobId grant = jobs_.grant_number(*engine_, job);
  const auto updated = engine_->update(grant, booking->taken, booking->start_s, duration_s);
  if (!updated) {
    return fail(EINVAL, "update_allocate: ERROR: " + updated.error().message());
  }
  out.job = job;
  out.at_s = (*updated)->start;
  out.reserved = out.at_s != 0;
  if (booking->taken.rooted) resource_->write(**updated, {}, out.r);
  out.overhead_s = watch.seconds();
  jobs_.add(job, grant, out.at_s, out.overhead_s);
  return 0;
}

int Context::cancel(std::uint64_t job, bool missing_is_fine) {
  const fluxion::Job* const record = jobs_.holding(job);
  if (record == nullptr) {
    const int code = fail(ENOENT, fmt::format("cancel: ERROR: nonexistent job {}", job));
    return missing_is_fine ? 0 : code;
  }
  if (job > std::uint64_t{INT64_MAX}) {
    return fail(EOVERFLOW, fmt::format("cancel: ERROR: job {} is beyond 63 bits", job));
  }
  record->for_each_grant([&](JobId grant) {
    // not_found: the grant was removed together with its part of the machine.
    [[maybe_unused]] const auto cancelled = engine_->cancel(grant);
  });
  jobs_.cancel(job);
  return 0;
}

int Context::partial_cancel(std::uint64_t job, std::string_view r, bool missing_is_fine,
                            bool& emptied) {
  emptied = false;
  const fluxion::Job* const record = jobs_.holding(job);
  if (record == nullptr || record->state != fluxion::Job::State::allocated) {
    const int code = fail(ENOENT, fmt::format("partial_cancel: ERROR: nonexistent job {}", job));
    return missing_is_fine ? 0 : code;
  }
  const auto pools = read_freed(engine_->graph(), r);
  if (!pools) return fail(EINVAL, "partial_cancel: ERROR: " + pools.error().message());
  bool any = false, left = false;
  std::string why = "the job has none of it";
  record->for_each_grant([&](JobId grant) {
    if (engine_->grant(grant) == nullptr) return;
    const auto over = engine_->cancel_part(grant, *pools);
    if (!over) why = over.error().message();
    any = any || over.has_value();
    left = left || !over || !*over;
  });
  if (!any) return fail(EINVAL, "partial_cancel: ERROR: " + why);
  emptied = !left;
  if (emptied) jobs_.cancel(job);
  return 0;
}

int Context::find(std::string_view criteria, std::optional<std::string_view> format,
                  std::string& out) {
  const auto known = format ? parse_format(*format) : options_.match_format;
  if (!known) return fail(EINVAL, fmt::format("find: unknown format: {}", *format));
  if (const auto found = resource_->find(criteria, known, out); !found) {
    return fail(EINVAL,
                fmt::format("findfind: invalid criteria: {}: {}", criteria, found.error().text));
  }
  const bool plain = *known == Format::simple || *known == Format::pretty_simple;
  if (!plain) out = compact_json(out);
  return 0;
}

std::vector<PoolId> Context::nodes_of(std::int32_t rank) const {
  const ResourceGraph& graph = engine_->graph();
  const TypeId node = graph.find_type("node");
  std::vector<PoolId> out;
  for (const PoolId pool : graph.of_rank(rank)) {
    if (graph.type(pool) == node && !graph.removed(pool)) out.push_back(pool);
  }
  return out;
}

int Context::set_rank_status(std::string_view ranks, Status status) {
  if (ranks == "all") {
    const ResourceGraph& graph = engine_->graph();
    for (const PoolId node : graph.of_type(graph.find_type("node"))) {
      if (graph.rank(node) >= 0) engine_->set_status(node, status);
    }
    return 0;
  }
  const auto set = Idset::parse(ranks);
  if (!set || set->empty()) {
    return fail(EINVAL, fmt::format("set_rank_status: ERROR: no ranks: {}", ranks));
  }
  for (const auto& [first, last] : set->ranges()) {
    for (std::int64_t rank = first; rank <= last && rank <= INT32_MAX; ++rank) {
      for (const PoolId node : nodes_of(static_cast<std::int32_t>(rank))) {
        engine_->set_status(node, status);
      }
    }
  }
  return 0;
}

int Context::get_rank_status(std::string_view rank, Status& status) {
  const auto set = Idset::parse(rank);
  const bool one = set && set->count() == 1 && set->ranges()[0].first <= INT32_MAX;
  const auto nodes =
      one ? nodes_of(static_cast<std::int32_t>(set->ranges()[0].first)) : std::vector<PoolId>();
  if (nodes.empty()) {
    return fail(EINVAL, fmt::format("get_rank_status: ERROR: no node of one rank: {}", rank));
  }
  status = engine_->status(nodes.front());
  return 0;
}

}  // namespace copse::reapi
