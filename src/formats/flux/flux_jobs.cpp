// SPDX-License-Identifier: Apache-2.0
#include "formats/flux/flux_jobs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/idset.hpp"
#include "base/job_id.hpp"
#include "base/nearest_word.hpp"
#include "formats/job_listing.hpp"
#include "text/counted.hpp"
#include "text/split.hpp"

namespace copse {

namespace {

constexpr double kNumberMax = 1e15;

struct JobFields {
  ClusterJob job;
  std::string state, hosts, resources;
  std::vector<std::string> dependencies;
  double urgency = 1;
  double submit = 0, run = 0, cleanup = 0, inactive = 0, expiration = 0, duration = 0, priority = 0,
         cores = 0, nodes = 0;
};

class JobsReader final : public JobListReader<JobFields> {
 public:
  JobsReader(std::string_view text, std::string_view file, std::size_t readable_past, bool history)
      : JobListReader(text, file, readable_past), history_(history) {}

 private:
  void add_remarks() override {
    if (out_.unknown > 0) {
      out_.remarks.push_back(fmt::format("{} in a state that is not known, {} {}: {} left out",
                                         counted(out_.unknown, "job is", "jobs are"),
                                         out_.unknown == 1 ? "that is" : "the first in",
                                         shown_word(unknown_state_),
                                         out_.unknown == 1 ? "it is" : "they are"));
    }
    add_skipped_remark(out_);
  }

  bool take(JobFields& fields, const Token& token) override {
    if (fields.job.id.empty()) return walk_.refuse(token.offset, "a job has no key \"id\"");
    const auto is = [&](const auto& states) {
      return std::ranges::find(states, std::string_view(fields.state)) != states.end();
    };
    fields.job.running = is(std::array<std::string_view, 2>{"RUN", "CLEANUP"});
    fields.job.over = fields.state == "INACTIVE";
    if (history_ && fields.job.over) return finish_over(fields, token);
    if (fields.job.running || is(std::array<std::string_view, 3>{"DEPEND", "PRIORITY", "SCHED"})) {
      return finish(fields, token);
    }
    if (fields.state.empty()) {
      return walk_.refuse(token.offset, fmt::format("job {} has no key \"state\"", fields.job.id));
    }
    if (fields.job.over || fields.state == "NEW") return true;
    if (out_.unknown++ == 0) unknown_state_ = fields.state;
    return true;
  }

  bool read_member(std::string_view key, Value& v, const Token& t, JobFields& fields) override {
    if (key == "id") return read_id(v, t, fields.job.id);
    for (const auto& [name, to] : {std::pair{"state", &fields.state},
                                   {"nodelist", &fields.hosts},
                                   {"username", &fields.job.user},
                                   {"name", &fields.job.name},
                                   {"queue", &fields.job.queue}}) {
      if (key == name) return read_text(key, v, t, *to);
    }
    if (key == "dependencies") return read_dependencies(v, t, fields);
    if (key == "annotations") return read_annotations(v, t, fields);
    for (const auto& [name, to] : {std::pair{"urgency", &fields.urgency},
                                   {"t_submit", &fields.submit},
                                   {"t_run", &fields.run},
                                   {"t_cleanup", &fields.cleanup},
                                   {"t_inactive", &fields.inactive},
                                   {"expiration", &fields.expiration},
                                   {"duration", &fields.duration},
                                   {"priority", &fields.priority},
                                   {"ncores", &fields.cores},
                                   {"nnodes", &fields.nodes}}) {
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
    if (!walk_.word(v, t, member_of_job(key), text)) return false;
    to = text;
    return true;
  }
  // What is not known yet is "" in the list.
  bool read_number(std::string_view key, Value& v, const Token& t, double& to) {
    if (t.type == JsonWalk::Type::null || t.raw == "\"\"") return walk_.skip(v, t);
    if (!walk_.number(v, t, member_of_job(key), to)) return false;
    to = std::clamp(to, 0.0, kNumberMax);
    return true;
  }

  bool read_dependencies(Value& v, const Token& t, JobFields& fields) {
    if (t.type != JsonWalk::Type::array) return walk_.skip(v, t);
    return walk_.elements(v, t, "\"dependencies\" of a job", [&](Value& each, const Token& at) {
      std::string& text = fields.dependencies.emplace_back();
      return read_text("dependencies", each, at, text);
    });
  }

  // Of all annotations, that of sched-simple: {"sched": {"resource_summary": "rank0/core[0-3],gpu0"}}.
  bool read_annotations(Value& v, const Token& t, JobFields& fields) {
    if (t.type != JsonWalk::Type::object) return walk_.skip(v, t);
    return walk_.members(
        v, t, "\"annotations\" of a job", [&](std::string_view key, Value& sched, const Token& at) {
          if (key != "sched" || at.type != JsonWalk::Type::object) return walk_.skip(sched, at);
          return walk_.members(sched, at, "\"sched\" of a job",
                               [&](std::string_view what, Value& value, const Token& token) {
                                 return what == "resource_summary" &&
                                                token.type == JsonWalk::Type::string
                                            ? read_text(what, value, token, fields.resources)
                                            : walk_.skip(value, token);
                               });
        });
  }

  static std::optional<ClusterAfter::On> awaited_by(std::string_view type) {
    if (type == "after-success") return ClusterAfter::On::ended_well;
    if (type == "after-finish") return ClusterAfter::On::ended;
    if (type == "after-failure") return ClusterAfter::On::failed;
    if (type == "after-start") return ClusterAfter::On::started;
    return std::nullopt;
  }

  // What no plan can keep: a time as `flux jobs` writes it.
  static void set_request(JobFields& fields) {
    ClusterRequest& request = fields.job.request;
    request.held |= fields.urgency == 0;
    for (std::string_view one : fields.dependencies) {
      const std::string_view type = take_part(one, '=');
      if (type == "singleton") {
        request.alone_of_name = true;
      } else if (const auto on = awaited_by(type)) {
        const auto id = parse_job_id(one);
        request.after.push_back({id ? fmt::format("{}", *id) : std::string(one), *on});
      } else {
        request.unread = true;
      }
    }
    if (fields.state == "DEPEND" && fields.dependencies.empty()) request.unread = true;
  }

  static std::int64_t whole(double number) { return static_cast<std::int64_t>(std::ceil(number)); }

  // The work of a job is done when its cleanup begins.
  bool finish_over(JobFields& fields, const Token& token) {
    fields.job.start_s = whole(fields.run);
    fields.job.end_s = whole(fields.cleanup > 0 ? fields.cleanup : fields.inactive);
    if (fields.run > 0 && (fields.run < fields.submit || fields.job.end_s < fields.job.start_s)) {
      ++out_.skipped;
      return true;
    }
    return finish(fields, token);
  }

  bool finish(JobFields& fields, const Token& token) {
    ClusterJob& job = fields.job;
    if (history_ && fields.submit <= 0) {
      return walk_.refuse(token.offset,
                          fmt::format("job {} has no time in \"t_submit\"", fields.job.id));
    }
    job.submit_s = whole(fields.submit);
    job.priority = whole(fields.priority);
    job.limit_s = whole(fields.duration);
    if (!job.running || history_) {
      if (!job.running && !job.over) set_request(fields);
      job.request.nodes = whole(fields.nodes);
      job.request.cpus = whole(fields.cores);
      return listing_.add(std::move(job), token);
    }
    job.start_s = whole(fields.run);
    job.end_s = whole(fields.expiration);
    std::vector<std::string> hosts;
    if (!listing_.take_hosts("nodelist", expand_hostlist(fields.hosts, kNodesOfJobMax), token,
                             hosts))
      return false;
    if (!take_summary(fields, hosts)) {
      NodeShare share;
      share.gpus_unknown = true;
      JobListing::spread(job, whole(fields.cores), std::move(hosts), share);
    }
    return listing_.add(std::move(job), token);
  }

  // "rank[0-1]/core[0-3],gpu0 rank2/core0": pieces of ascending ranks, which are those of the hosts.
  // False, and nothing is taken, for a summary of another scheduler.
  static bool take_summary(JobFields& fields, const std::vector<std::string>& hosts) {
    std::vector<NodeShare> shares;
    for (std::string_view rest = fields.resources; !rest.empty();) {
      const std::string_view piece = take_part(rest, ' ');
      const std::size_t slash = piece.find('/');
      const auto ranks = ids_of(piece.substr(0, slash), "rank");
      if (slash == piece.npos || !ranks) return false;
      const auto share = share_of(piece.substr(slash + 1));
      const auto count = static_cast<std::size_t>(ranks->count());
      if (!share || count > hosts.size() - shares.size()) return false;
      for (std::size_t i = 0; i < count; ++i) {
        shares.push_back(*share);
        shares.back().host = hosts[shares.size() - 1];
      }
    }
    if (shares.empty() || shares.size() != hosts.size()) return false;
    fields.job.nodes = std::move(shares);
    return true;
  }

  // "core[0-3]" as ids, if it begins with that word.
  static std::optional<Idset> ids_of(std::string_view text, std::string_view word) {
    if (!text.starts_with(word)) return std::nullopt;
    const auto ids = Idset::parse(text.substr(word.size()));
    return ids && !ids->empty() ? std::optional(*ids) : std::nullopt;
  }

  // "core[0-3],gpu0": commas inside of brackets are part of the ids.
  static std::optional<NodeShare> share_of(std::string_view text) {
    NodeShare out;
    while (!text.empty()) {
      std::size_t end = text.find(',');
      if (text.find('[') < end) end = text.find(',', text.find(']'));
      end = std::min(end, text.size());
      const std::string_view part = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (const auto cores = ids_of(part, "core")) {
        out.cores_anywhere += cores->count();
      } else if (const auto gpus = ids_of(part, "gpu")) {
        out.devices.push_back({"gpu", {}, gpus->count(), *gpus});
      } else {
        return std::nullopt;
      }
    }
    return out;
  }

  std::string unknown_state_;  // of the first job whose state is not known
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
