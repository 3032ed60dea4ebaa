// SPDX-License-Identifier: Apache-2.0
#include "formats/flux/flux_jobs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "text/json_walk.hpp"

namespace copse {

namespace {

constexpr JsonWalk::Bounds kBounds{
    .text_bytes_max = std::size_t{1} << 31, .word_bytes_max = 1U << 20, .depth_max = 64};
constexpr std::size_t kNodesMax = 1U << 17;  // of one job
constexpr double kNumberMax = 1e15;

class JobsReader {
 public:
  using Value = JsonWalk::Value;
  using Token = JsonWalk::Token;

  JobsReader(std::string_view text, std::string_view file, std::size_t readable_past, bool history)
      : walk_(text, readable_past, file, kBounds), history_(history) {}

  Result<ClusterJobs> read() {
    JsonWalk::Object root;
    bool there = false;
    const bool whole = walk_.open(root) &&
                       walk_.for_each_member(root,
                                             [&](std::string_view key, Value& v, const Token& t) {
                                               if (key != "jobs") return walk_.skip(v, t);
                                               there = true;
                                               return read_jobs(v, t);
                                             }) &&
                       walk_.close() && (there || walk_.refuse(0, "there is no key \"jobs\""));
    if (!whole) return std::unexpected(walk_.error());
    return std::move(out_);
  }

 private:
  struct Said {
    ClusterJob job;
    std::string state, hosts, user;
    double submit = 0, run = 0, cleanup = 0, inactive = 0, expiration = 0, duration = 0,
           priority = 0, cores = 0, nodes = 0;
  };

  bool read_jobs(Value& value, const Token& token) {
    JsonWalk::Array array;
    return walk_.array(value, token, "\"jobs\"", array) &&
           walk_.for_each_element(array, [&](Value& v, const Token& t) { return read_job(v, t); });
  }

  bool read_job(Value& value, const Token& token) {
    JsonWalk::Object object;
    if (!walk_.object(value, token, "a job", object)) return false;
    Said said;
    const bool whole =
        walk_.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
          return read_member(key, v, t, said);
        });
    if (!whole) return false;
    if (said.job.id.empty()) return walk_.refuse(token.offset, "a job has no key \"id\"");
    const auto is = [&](const auto& states) {
      return std::ranges::find(states, std::string_view(said.state)) != states.end();
    };
    said.job.running = is(std::array<std::string_view, 2>{"RUN", "CLEANUP"});
    said.job.over = said.state == "INACTIVE";
    if (history_ && said.job.over) return finish_over(said, token);
    if (!said.job.running && !is(std::array<std::string_view, 3>{"DEPEND", "PRIORITY", "SCHED"})) {
      return true;
    }
    return finish(said, token);
  }

  bool read_member(std::string_view key, Value& v, const Token& t, Said& said) {
    if (key == "id") return read_id(v, t, said.job.id);
    for (const auto& [name, to] : {std::pair{"state", &said.state},
                                   {"nodelist", &said.hosts},
                                   {"username", &said.job.user},
                                   {"queue", &said.job.queue}}) {
      if (key == name) return read_text(key, v, t, *to);
    }
    for (const auto& [name, to] : {std::pair{"t_submit", &said.submit},
                                   {"t_run", &said.run},
                                   {"t_cleanup", &said.cleanup},
                                   {"t_inactive", &said.inactive},
                                   {"expiration", &said.expiration},
                                   {"duration", &said.duration},
                                   {"priority", &said.priority},
                                   {"ncores", &said.cores},
                                   {"nnodes", &said.nodes}}) {
      if (key == name) return read_number(key, v, t, *to);
    }
    return walk_.skip(v, t);
  }

  bool read_id(Value& v, const Token& t, std::string& to) {
    if (t.type == JsonWalk::Type::number) {
      to = t.raw;
      return to.size() <= 32 || walk_.refuse(t.offset, "\"id\" of a job is too long");
    }
    return read_text("id", v, t, to);
  }
  bool read_text(std::string_view key, Value& v, const Token& t, std::string& to) {
    if (t.type == JsonWalk::Type::null) return true;
    std::string_view text;
    if (!walk_.word(v, t, fmt::format("\"{}\" of a job", key), text)) return false;
    to = text;
    return true;
  }
  // What is not known yet is "" in the list.
  bool read_number(std::string_view key, Value& v, const Token& t, double& to) {
    if (t.type == JsonWalk::Type::null || t.raw == "\"\"") return walk_.skip(v, t);
    if (!walk_.number(v, t, fmt::format("\"{}\" of a job", key), to)) return false;
    to = std::clamp(to, 0.0, kNumberMax);
    return true;
  }

  static std::int64_t whole(double number) { return static_cast<std::int64_t>(std::ceil(number)); }

  // The work of a job is done when its cleanup begins.
  bool finish_over(Said& said, const Token& token) {
    said.job.start_s = whole(said.run);
    said.job.end_s = whole(said.cleanup > 0 ? said.cleanup : said.inactive);
    if (said.run > 0 && (said.run < said.submit || said.job.end_s < said.job.start_s)) {
      return walk_.refuse(token.offset,
                          "a job ends before it starts, or starts before it was submitted");
    }
    return finish(said, token);
  }

  bool finish(Said& said, const Token& token) {
    ClusterJob& job = said.job;
    job.submit_s = whole(said.submit);
    job.priority = whole(said.priority);
    job.limit_s = whole(said.duration);
    if (!job.running || history_) {
      job.wish.nodes = whole(said.nodes);
      job.wish.cpus = whole(said.cores);
      return add(std::move(job), token);
    }
    job.start_s = whole(said.run);
    job.end_s = whole(said.expiration);
    auto hosts = expand_hostlist(said.hosts, kNodesMax);
    if (!hosts) {
      return walk_.refuse(token.offset, "\"nodelist\" of a job: " + hosts.error().text,
                          hosts.error().code);
    }
    const auto count = static_cast<std::int64_t>(hosts->size());
    const std::int64_t cores = whole(said.cores);
    for (std::string& host : *hosts) {
      NodeShare share{.host = std::move(host)};
      share.whole = cores == 0;
      share.cores_anywhere = (cores + count - 1) / count;
      job.nodes.push_back(std::move(share));
    }
    return add(std::move(job), token);
  }

  bool add(ClusterJob job, const Token& token) {
    shares_ += job.nodes.size();
    if (out_.jobs.size() == kClusterJobsMax || shares_ > kClusterSharesMax) {
      return walk_.refuse(token.offset, "more jobs, or more nodes of jobs, than can be read",
                          ErrorCode::limit);
    }
    out_.jobs.push_back(std::move(job));
    return true;
  }

  JsonWalk walk_;
  ClusterJobs out_;
  std::size_t shares_ = 0;
  bool history_;
};

}  // namespace

Result<ClusterJobs> read_flux_jobs(std::string_view text, std::string_view file,
                                   std::size_t readable_past) {
  return JobsReader(text, file, readable_past, false).read();
}

Result<ClusterJobs> read_flux_history(std::string_view text, std::string_view file,
                                      std::size_t readable_past) {
  return JobsReader(text, file, readable_past, true).read();
}

}  // namespace copse
