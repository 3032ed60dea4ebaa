// SPDX-License-Identifier: Apache-2.0
#include "session/session.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "base/job_id.hpp"
#include "explain/explanation.hpp"
#include "session/grant_text.hpp"
#include "session/history.hpp"
#include "session/host_text.hpp"
#include "session/layers.hpp"
#include "session/line_reader.hpp"
#include "session/machine_status.hpp"
#include "session/ranks.hpp"
#include "session/requests.hpp"
#include "text/json_writer.hpp"

namespace copse {

namespace {

using Op = SessionLine::Op;

std::unexpected<Error> invalid(std::string text) {
  return fail(ErrorCode::invalid, std::move(text));
}

std::unexpected<Error> no_id(const SessionLine& line) {
  if (line.reservation.empty()) return missing("id");
  return invalid("\"id\" of a grant is an integer");
}

JobId job_of(std::int64_t id) { return id == 0 ? kClientZeroId : static_cast<JobId>(id); }
std::int64_t id_of(JobId job) { return job == kClientZeroId ? 0 : static_cast<std::int64_t>(job); }

// What the protocol calls an error: all that is neither of the other two is the request's fault.
const char* code_of(const Error& error) {
  const bool kept = error.code == ErrorCode::insufficient || error.code == ErrorCode::infeasible;
  return word(kept ? error.code : ErrorCode::invalid);
}

void append_error(std::string& out, const char* code, std::string_view message) {
  JsonWriter json(out);
  json.object([&] {
    json.member("error", code);
    json.member("message", message);
  });
}

// A line has no lines: its column is all there is to say of a place in it.
std::string sentence(const Error& error) {
  if (!error.place.file.empty() || error.place.column == 0) return error.message();
  return fmt::format("{} (column {})", error.text, error.place.column);
}

}  // namespace

struct Session::Impl {
  std::unique_ptr<Engine> engine;
  SessionOptions options;
  SessionLineReader reader;
  SessionRequests requests{};
  SessionHistory history;
  std::string host;  // what a save has beside the engine
  GrantText grant_text;
  bool over = false;
  bool lost = false;  // effects could not be written

  Impl(std::unique_ptr<Engine> engine_in, SessionOptions options_in)
      : engine(std::move(engine_in)),
        options(std::move(options_in)),
        reader(options.limits, options.outside.jobs != nullptr),
        history(options.outside),
        grant_text(Format::rv1, nullptr) {
    settle_options();
    history.follow(*engine, host);
  }

  void settle_options() {
    host = host_text(options);
    grant_text = GrantText(options.format, options.scheduling ? &*options.scheduling : nullptr);
  }

  // What one client may not do to the others.
  [[nodiscard]] static bool is_of_one_client(Op op) {
    return op == Op::begin || op == Op::rollback || op == Op::commit || op == Op::restore ||
           op == Op::save || op == Op::now;
  }

  // What needs no space, or gives some back.
  [[nodiscard]] static bool goes_without_room(Op op) {
    return op == Op::free || op == Op::free_layer || op == Op::satisfy || op == Op::explain ||
           op == Op::status || op == Op::info || op == Op::layers || op == Op::quit ||
           (is_of_jobs(op) && op != Op::submit && op != Op::release && op != Op::add_reservation &&
            op != Op::drain && op != Op::undrain);
  }

  [[nodiscard]] JobHost* jobs() const { return options.outside.jobs; }

  Result<void> run(const SessionLine& line, JobCaller& caller, std::string& out) {
    Result<void> done;
    if (options.outside.room && !goes_without_room(line.op) && !options.outside.room()) {
      return fail(ErrorCode::insufficient,
                  "the disk of the service is nearly full: only what gives back is done until the "
                  "operator has made room");
    }
    if (options.outside.shared && is_of_one_client(line.op)) {
      return invalid("this operation is for a session of one client; others use this machine, too");
    }
    if (is_of_jobs(line.op)) return jobs()->run(line, caller, out);
    switch (line.op) {
      case Op::alloc: return grant(line, Operation::allocate_with_satisfiability, out);
      case Op::reserve: return grant(line, Operation::allocate_orelse_reserve, out);
      case Op::info: return info(line, out);
      case Op::explain: return explain(line, out);
      case Op::status: append_status_json(out, status_of(*engine)); return {};
      case Op::satisfy: done = satisfy(line); break;
      case Op::free: done = line.ranks ? free_ranks(line) : free(line); break;
      case Op::now: done = line.t ? engine->advance(*line.t) : missing("t"); break;
      case Op::down: done = set_status(line, Status::down); break;
      case Op::up: done = set_status(line, Status::up); break;
      case Op::quit: over = true; break;
      case Op::layers: return list_layers(*engine, line, out);
      case Op::set_layer:
      case Op::set_layer_nodes:
      case Op::add_layer:
      case Op::remove_layer: done = layers_changed(change_layer(*engine, line)); break;
      case Op::reserve_layer: done = layers_changed(reserve_layer(line)); break;
      case Op::save: return save(line, out);
      case Op::restore: done = restore(line); break;
      case Op::begin: done = history.begin(*engine); break;
      case Op::rollback: done = rollback(); break;
      case Op::commit: done = history.commit(); break;
      case Op::free_layer:
        done = line.reservation.empty() ? missing("id")
                                        : layers_changed(engine->free_layer(line.reservation));
        break;
      default: break;  // of jobs
    }
    if (done) out += "{}";
    return done;
  }

  Result<void> layers_changed(Result<void> done) {
    if (done && jobs() != nullptr) jobs()->layers_changed();
    return done;
  }

  Result<PreparedRequest*> prepared(const SessionLine& line, bool needs_duration) {
    if (line.jobspec.empty()) {
      if (!line.shape) return invalid("there is neither \"shape\" nor \"jobspec\"");
      if (!line.duration_s && needs_duration) return missing("duration");
    } else if (line.shape || line.duration_s || !line.constraints.empty()) {
      return invalid(
          "\"jobspec\" stands for \"shape\", \"duration\" and \"constraints\": one or the other");
    }
    return requests.prepare(*engine, line);
  }

  // Names the layers that are the reason, if some are: one sentence for each alternative.
  void name_layers(PreparedRequest& request, JobId job, Error& error) {
    constexpr std::size_t kNamedMax = 4;
    const bool ever = error.code == ErrorCode::infeasible;
    if (!ever && error.code != ErrorCode::insufficient) return;
    const std::vector<Finding> findings = engine->short_layers(request, job, ever);
    const Verdict verdict = ever ? Verdict::infeasible : Verdict::insufficient;
    for (std::size_t i = 0; i < std::min(findings.size(), kNamedMax); ++i) {
      error.text +=
          (i == 0 ? ": " : "; ") + copse::sentence(findings[i], verdict, engine->options().now);
    }
  }

  // Why a match gave nothing, with code and all.
  Error why_not(PreparedRequest& request, JobId job, const NoMatch& failed) {
    Error error = failed;
    for (const std::string& remark : failed.remarks) error.text += "; " + remark;
    // Of a request that takes nothing nobody could ever say that there is too little.
    if (failed.takes_nothing) error.code = ErrorCode::invalid;
    name_layers(request, job, error);
    for (const std::string& missing : engine->missing_properties(request)) {
      error.text += "; " + missing;
    }
    return error;
  }

  Result<void> grant(const SessionLine& line, Operation operation, std::string& out) {
    if (!line.id) return no_id(line);
    auto request = prepared(line, true);
    if (!request) return std::unexpected(request.error());
    if (engine->grant(job_of(*line.id)) != nullptr) {
      return fail(ErrorCode::exists, fmt::format("\"id\" {} has a grant already", *line.id));
    }
    const JobId job = job_of(*line.id);
    const auto found = jobs() != nullptr ? jobs()->grant(operation, **request, job)
                                         : engine->match(operation, **request, job);
    if (!found) return std::unexpected(why_not(**request, job_of(*line.id), found.error()));
    grant_text.append_granted(*engine, *line.id, Granted::of(**found), (*request)->queue(), out);
    return {};
  }

  // The fingerprint says which state it was.
  Result<void> save(const SessionLine& line, std::string& out) {
    if (!line.file) return missing("file");
    if (line.file->find('\0') != std::string_view::npos) return invalid("\"file\" has a NUL in it");
    if (auto ok = history.save_to(*engine, host, std::string(*line.file)); !ok) return ok;
    out += fmt::format("{{\"fingerprint\": \"{:016x}\"}}", engine->fingerprint());
    return {};
  }

  Result<void> restore(const SessionLine& line) {
    if (!line.file) return missing("file");
    if (history.open()) return invalid("a begin is open: commit or roll back before restore");
    auto loaded = history.load_from(std::string(*line.file));
    if (!loaded) return std::unexpected(loaded.error());
    if (auto ok = read_host_text(loaded->host, options); !ok) return ok;
    requests = {};  // they know the engine that was
    engine = std::move(loaded->engine);
    settle_options();
    history.follow(*engine, host);
    return {};
  }

  Result<void> rollback() {
    auto before = history.rollback();
    if (!before) return std::unexpected(before.error());
    requests = {};
    engine = std::move(*before);
    return {};
  }

  Result<void> reserve_layer(const SessionLine& line) {
    if (!line.has_jobs) return missing("for");
    std::vector<JobId> jobs;
    jobs.reserve(line.jobs.size());
    for (const std::int64_t id : line.jobs) jobs.push_back(job_of(id));
    return copse::reserve_layer(*engine, line, std::move(jobs));
  }

  Result<void> satisfy(const SessionLine& line) {
    auto request = prepared(line, false);
    if (!request) return std::unexpected(request.error());
    const auto ever = engine->match(Operation::satisfiability, **request, 0);
    if (!ever) return std::unexpected(why_not(**request, 0, ever.error()));
    return {};
  }

  // Why it would get nothing now, or that it would get something.
  Result<void> explain(const SessionLine& line, std::string& out) {
    auto request = prepared(line, false);
    if (!request) return std::unexpected(request.error());
    auto why = engine->explain(**request);
    if (!why) return std::unexpected(why.error());
    for (Finding& finding : why->findings) {
      for (Holder& holder : finding.holders)
        holder.job = holder.job == kClientZeroId ? 0 : holder.job;
    }
    const JobNames names = [this](std::uint64_t id) {
      std::string beside = jobs() == nullptr ? std::string() : jobs()->name_beside(id);
      return beside.empty() ? std::to_string(id) : beside;
    };
    append_explanation_json(out, *why, names);
    out.pop_back();  // its line end
    return {};
  }

  Result<void> free(const SessionLine& line) {
    if (!line.id) return no_id(line);
    if (engine->grant(job_of(*line.id)) == nullptr) return nothing(*line.id);
    if (jobs() != nullptr) return jobs()->free(job_of(*line.id));
    return engine->cancel(job_of(*line.id));
  }

  Result<void> free_ranks(const SessionLine& line) {
    if (!line.id) return no_id(line);
    const auto gone =
        pools_to_give_back(engine->graph(), engine->grant(job_of(*line.id)), *line.id, *line.ranks);
    if (!gone) return std::unexpected(gone.error());
    if (jobs() != nullptr) return jobs()->free(job_of(*line.id), *gone);
    const auto cut = engine->cancel_part(job_of(*line.id), *gone, true);
    if (!cut) return std::unexpected(cut.error());
    return {};
  }

  static std::unexpected<Error> nothing(std::int64_t id) {
    return fail(ErrorCode::not_found, fmt::format("\"id\" {} has no grant", id));
  }

  Result<void> set_status(const SessionLine& line, Status status) {
    if (!line.ranks) return missing("ranks");
    const auto tops = tops_of_text(engine->graph(), *line.ranks);
    if (!tops) return std::unexpected(tops.error());
    if (jobs() != nullptr) {
      jobs()->set_status(*tops, status);
    } else {
      for (const PoolId p : *tops) engine->set_status(p, status);
    }
    return {};
  }

  Result<void> info(const SessionLine& line, std::string& out) {
    if (!line.id && !line.reservation.empty()) return no_id(line);
    if (line.id && engine->grant(job_of(*line.id)) == nullptr) return nothing(*line.id);
    std::vector<JobId> jobs = line.id ? std::vector<JobId>{job_of(*line.id)} : engine->jobs();
    std::erase_if(jobs, is_reservation);
    std::ranges::sort(jobs, {}, id_of);
    JsonWriter json(out);
    json.object([&] {
      json.array("grants", jobs, [&](JobId job) {
        const Grant& grant = *engine->grant(job);
        json.object([&] {
          json.member("id", id_of(job));
          json.member("at", grant.start);
          json.member("duration",
                      grant.end >= engine->options().horizon ? 0 : grant.end - grant.start);
          json.member("ranks", ranks_of(engine->graph(), grant));
          if (!grant.charges.empty()) json.member("hres", engine->charges_text(grant.charges));
        });
      });
    });
    return {};
  }
};

Session::Session(std::unique_ptr<Engine> engine, SessionOptions options)
    : impl_(new Impl(std::move(engine), std::move(options))) {}
Session::Session(Session&&) noexcept = default;
Session::~Session() = default;

const Engine& Session::engine() const { return *impl_->engine; }
std::string Session::save() const { return copse::save(*impl_->engine, impl_->host); }
std::function<std::string()> Session::saver() const {
  std::shared_ptr<const Engine> kept = impl_->engine->clone();
  return [kept = std::move(kept), host = impl_->host] { return copse::save(*kept, host); };
}
void Session::append_grant(JobId job, std::string& out) {
  impl_->grant_text.append_granted(*impl_->engine, copse::id_of(job),
                                   Granted::of(*impl_->engine->grant(job)), {}, out);
}
Session Session::what_if() const {
  SessionOptions options = impl_->options;
  options.outside = {};
  return {impl_->engine->clone(), std::move(options)};
}
JobId Session::job_of(std::int64_t id) { return copse::job_of(id); }
std::int64_t Session::id_of(JobId job) { return copse::id_of(job); }
bool Session::effects_lost() const { return impl_->lost; }
const SessionLineLimits& Session::limits() const { return impl_->options.limits; }

Engine& Session::engine_for_jobs() { return *impl_->engine; }
Result<void> Session::settle(bool clock) { return impl_->history.settle(clock); }
void Session::append_r(const Grant& grant, std::string_view queue, std::string& out) {
  impl_->grant_text.append_r(*impl_->engine, Granted::of(grant), queue, out);
}

bool Session::answer(std::string_view line, std::string& out, std::size_t readable_past) {
  JobCaller nobody;
  return answer(line, nobody, out, readable_past);
}

bool Session::answer(std::string_view line, JobCaller& caller, std::string& out,
                     std::size_t readable_past) {
  const std::size_t before = out.size();
  const auto read = impl_->reader.read(line, readable_past);
  const auto& forbids = impl_->options.outside.forbids;
  if (const std::string why = read && forbids ? forbids(*read) : std::string(); !why.empty()) {
    append_error(out, "forbidden", why);
    out += '\n';
    return true;
  }
  auto done = read ? impl_->run(*read, caller, out) : Result<void>(std::unexpected(read.error()));
  if (auto settled = impl_->history.settle(); !settled) {  // nothing more may be promised
    done = std::unexpected(settled.error());
    impl_->over = impl_->lost = true;
  }
  if (!done) {
    caller.refused = done.error().code;
    out.resize(before);
    append_error(out, code_of(done.error()), sentence(done.error()));
  }
  out += '\n';
  const bool goes_on = !impl_->over;
  if (impl_->options.outside.shared) impl_->over = impl_->lost;  // one client has gone
  return goes_on;
}

void Session::refuse_long_line(std::size_t bytes_max, std::string& out) {
  append_error(out, word(ErrorCode::invalid),
               fmt::format("the line has more than {} bytes", bytes_max));
  out += '\n';
}

Result<void> Session::advance(std::int64_t now_s) {
  if (now_s <= impl_->engine->options().now) return {};
  if (auto ok = impl_->engine->advance(now_s); !ok) return ok;
  return impl_->history.settle();
}

Result<void> Session::apply(std::string_view record) {
  auto reader = EffectReader::of_record(record);
  for (;;) {
    const auto next = reader.next();
    if (!next) return std::unexpected(next.error());
    if (!*next) break;
    const auto* effect = std::get_if<Effect>(&**next);
    if (effect == nullptr) return fail(ErrorCode::invalid, "a record has effects, not a state");
    if (auto done = impl_->engine->apply(*effect); !done) return done;
  }
  impl_->history.forget();
  return {};
}

Result<Session> session_of_save(std::string_view bytes, SessionOutside outside) {
  auto loaded = load(bytes, outside.own);
  if (!loaded) return std::unexpected(loaded.error());
  SessionOptions options;
  options.outside = std::move(outside);
  if (auto ok = read_host_text(loaded->host, options); !ok) return std::unexpected(ok.error());
  return Session(std::move(loaded->engine), std::move(options));
}

}  // namespace copse
