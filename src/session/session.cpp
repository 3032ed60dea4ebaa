// SPDX-License-Identifier: Apache-2.0
#include "session/session.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/idset.hpp"
#include "formats/json_text.hpp"
#include "formats/rv1_pools.hpp"
#include "formats/rv1_read.hpp"
#include "request/constraint.hpp"
#include "request/shape.hpp"

namespace copse {

namespace {

using Json = nlohmann::json;

std::unexpected<Error> invalid(std::string text) {
  return fail(ErrorCode::invalid, std::move(text));
}

Result<std::int64_t> whole(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return invalid(fmt::format("there is no member \"{}\"", key));
  const bool fits = at->is_number_integer() &&
                    (!at->is_number_unsigned() ||
                     at->get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max());
  if (!fits || at->get<std::int64_t>() < 0) {
    return invalid(fmt::format("\"{}\" must be a whole number", key));
  }
  return at->get<std::int64_t>();
}

Result<std::string> text_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return invalid(fmt::format("there is no member \"{}\"", key));
  if (!at->is_string()) return invalid(fmt::format("\"{}\" must be a string", key));
  return at->get<std::string>();
}

}  // namespace

struct Session::Impl {
  std::unique_ptr<Engine> engine;
  std::optional<TreepoolKey> key;
  Writer writer{Format::rv1};
  std::vector<Emitted> pools{};
  bool over = false;

  Result<void> run(const Json& request, std::string& out) {
    if (!request.is_object()) return invalid("a request must be an object");
    auto op = text_of(request, "op");
    if (!op) return std::unexpected(op.error());
    if (*op == "alloc") return match(request, Operation::allocate, out);
    if (*op == "reserve") return match(request, Operation::allocate_orelse_reserve, out);
    if (*op == "satisfy") return match(request, Operation::satisfiability, out);
    if (*op == "free") return free(request, out);
    if (*op == "now") return set_now(request, out);
    if (*op == "down" || *op == "up") return set_status(request, *op == "up", out);
    if (*op == "info") return info(request, out);
    if (*op == "quit") {
      over = true;
      out += "{}";
      return {};
    }
    return invalid(fmt::format("unknown op {}", Json(*op).dump()));
  }

  Result<PreparedRequest> prepared(const Json& request) {
    if (const auto jobspec = request.find("jobspec"); jobspec != request.end()) {
      auto made = engine->prepare(jobspec->dump(), "jobspec");
      if (!made) return std::unexpected(made.error());
      return **made;
    }
    auto shape = text_of(request, "shape");
    if (!shape) return std::unexpected(shape.error());
    auto parsed = parse_shape(*shape, "shape");
    if (!parsed) return std::unexpected(parsed.error());
    if (request.contains("duration")) {
      auto duration = whole(request, "duration");
      if (!duration) return std::unexpected(duration.error());
      parsed->duration_s = *duration;
    }
    if (const auto at = request.find("constraints"); at != request.end()) {
      auto constraint = parse_constraint(at->dump(), "constraints");
      if (!constraint) return std::unexpected(constraint.error());
      parsed->constraint = std::move(*constraint);
    }
    return engine->prepare(std::move(*parsed));
  }

  Result<void> match(const Json& request, Operation operation, std::string& out) {
    std::int64_t id = 0;
    if (operation != Operation::satisfiability) {
      auto given = whole(request, "id");
      if (!given) return std::unexpected(given.error());
      id = *given;
    }
    auto ask = prepared(request);
    if (!ask) return std::unexpected(ask.error());
    auto found = engine->match(operation, *ask, static_cast<JobId>(id));
    if (!found && found.error().code == ErrorCode::insufficient &&
        operation == Operation::allocate) {
      const auto ever = engine->match(Operation::satisfiability, *ask, 0);
      if (!ever) return std::unexpected(ever.error());
    }
    if (!found) return std::unexpected(found.error());
    if (operation == Operation::satisfiability) {
      out += "{}";
      return {};
    }
    const Match& got = **found;
    out += "{\"id\": ";
    append_number(out, id);
    out += ", \"at\": ";
    append_number(out, got.start);
    out += ", \"R\": ";
    append_r(got, out);
    out += '}';
    return {};
  }

  void append_r(const Match& got, std::string& out) {
    pools.clear();
    expand(engine->graph(), got.selection, pools);
    Emission emission{.graph = engine->graph(),
                      .pools = pools,
                      .start = got.start,
                      .end = got.end >= engine->options().horizon ? 0 : got.end,
                      .nslots = got.nslots};
    if (key) {
      emission.scheduling = [this](std::span<const std::int64_t> ranks, std::string& text) {
        append_treepool(text, *key, ranks);
      };
    }
    writer.write(emission, out);
    if (out.ends_with('\n')) out.pop_back();
  }

  Result<void> free(const Json& request, std::string& out) {
    auto id = whole(request, "id");
    if (!id) return std::unexpected(id.error());
    const auto job = static_cast<JobId>(*id);
    if (!request.contains("ranks")) {
      if (auto ok = engine->cancel(job); !ok) return std::unexpected(ok.error());
      out += "{}";
      return {};
    }
    auto ranks = text_of(request, "ranks");
    if (!ranks) return std::unexpected(ranks.error());
    auto ids = Idset::parse(*ranks);
    if (!ids) return std::unexpected(ids.error());
    const Grant* grant = engine->grant(job);
    if (grant == nullptr) return invalid(fmt::format("nonexistent job {}", job));
    const Idset has = ranks_of(*grant);
    for (const auto& [first, last] : ids->ranges()) {
      for (std::int64_t rank = first; rank <= last; ++rank) {
        if (!has.contains(rank)) return invalid(fmt::format("job {} has no rank {}", job, rank));
      }
    }
    auto gone = pools_of_ranks(engine->graph(), *ids);
    if (!gone) return std::unexpected(gone.error());
    if (auto ok = engine->cancel_part(job, *gone); !ok) return std::unexpected(ok.error());
    out += "{}";
    return {};
  }

  [[nodiscard]] Idset ranks_of(const Grant& grant) {
    pools.clear();
    expand(engine->graph(), grant.selection, pools);
    std::vector<std::int64_t> ranks;
    for (const Emitted& e : pools) {
      if (e.exclusive && engine->graph().rank(e.pool) >= 0) {
        ranks.push_back(engine->graph().rank(e.pool));
      }
    }
    std::ranges::sort(ranks);
    Idset out;
    for (std::int64_t rank : ranks) {
      if (!out.contains(rank)) out.add(rank);
    }
    return out;
  }

  Result<void> set_now(const Json& request, std::string& out) {
    auto t = whole(request, "t");
    if (!t) return std::unexpected(t.error());
    if (auto ok = engine->advance(*t); !ok) return ok;
    out += "{}";
    return {};
  }

  Result<void> set_status(const Json& request, bool up, std::string& out) {
    auto ranks = text_of(request, "ranks");
    if (!ranks) return std::unexpected(ranks.error());
    const ResourceGraph& graph = engine->graph();
    std::vector<PoolId> tops;
    if (*ranks == "all") {
      tops = graph.of_type(graph.find_type("node"));
    } else {
      auto ids = Idset::parse(*ranks);
      if (!ids) return std::unexpected(ids.error());
      auto found = tops_of_ranks(graph, *ids);
      if (!found) return std::unexpected(found.error());
      tops = std::move(*found);
    }
    for (PoolId p : tops) engine->set_status(p, up ? Status::up : Status::down);
    out += "{}";
    return {};
  }

  Result<void> info(const Json& request, std::string& out) {
    std::vector<JobId> jobs;
    if (request.contains("id")) {
      auto id = whole(request, "id");
      if (!id) return std::unexpected(id.error());
      jobs.push_back(static_cast<JobId>(*id));
      if (engine->grant(jobs[0]) == nullptr) {
        return invalid(fmt::format("nonexistent job {}", *id));
      }
    } else {
      jobs = engine->jobs();
    }
    out += "{\"grants\": [";
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const Grant& grant = *engine->grant(jobs[i]);
      out += fmt::format("{}{{\"id\": {}, \"at\": {}, \"duration\": {}, \"ranks\": \"{}\"}}",
                         i == 0 ? "" : ", ", jobs[i], grant.start,
                         grant.end >= engine->options().horizon ? 0 : grant.end - grant.start,
                         ranks_of(grant).text());
    }
    out += "]}";
    return {};
  }
};

Session::Session(std::unique_ptr<Engine> engine, std::optional<TreepoolKey> key)
    : impl_(new Impl{std::move(engine), std::move(key)}) {}
Session::Session(Session&&) noexcept = default;
Session::~Session() = default;

bool Session::answer(std::string_view line, std::string& out) {
  const std::size_t before = out.size();
  const Json request = Json::parse(line, nullptr, false);
  auto done = request.is_discarded() ? Result<void>(invalid("the line is not JSON"))
                                     : impl_->run(request, out);
  if (!done) {
    const ErrorCode code = done.error().code;
    const bool kept = code == ErrorCode::insufficient || code == ErrorCode::infeasible;
    out.resize(before);
    out += fmt::format("{{\"error\": \"{}\", \"message\": ", kept ? word(code) : "invalid");
    append_json(out, done.error().message());
    out += '}';
  }
  out += '\n';
  return !impl_->over;
}

Result<Session> session_of_r(std::string_view text, std::string_view file) {
  auto r = read_r(text, file);
  if (!r) return std::unexpected(r.error());
  auto key = read_treepool(text, r->ranks(), file);
  if (!key) return std::unexpected(key.error());
  auto graph = graph_of_r(*r);
  if (!graph) return std::unexpected(graph.error());
  EngineOptions options;
  options.traverser = Traverser::treepool;
  auto engine =
      Engine::create(std::move(*graph), std::move(options), *key ? (*key)->layouts : Layouts{});
  if (!engine) return std::unexpected(engine.error());
  return Session(std::move(*engine), std::move(*key));
}

}  // namespace copse
