// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/jobs/slurm_accounting_json.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/job_listing.hpp"
#include "formats/slurm/gres/slurm_gres.hpp"
#include "formats/slurm/jobs/slurm_accounting.hpp"
#include "formats/slurm/jobs/slurm_waiting.hpp"
#include "formats/slurm/slurm_json.hpp"
#include "text/counted.hpp"
#include "text/slurm_hostlist.hpp"

namespace copse {

namespace {

constexpr std::int64_t kJsonUnitsMax = INT64_C(1) << 40;
constexpr std::int64_t kJsonTasksMax = 1'000'000;  // of one array

// What trackable resources a list names.
struct Tres {
  std::int64_t cpus = 0, nodes = 0, gpus = 0, gpus_of_types = 0;
  std::optional<std::int64_t> memory_mb{};
  std::vector<GpuKind> kinds{};  // of all nodes
  // Slurm counts typed ones twice: with their type, and without it.
  [[nodiscard]] std::int64_t all_gpus() const { return std::max(gpus, gpus_of_types); }
};

struct PastJobFields {
  ClusterJob job;
  std::optional<std::int64_t> id, array, task, limit_min, cpus, nodes;
  std::vector<std::string> state;
  std::string hosts, tasks;
  Tres allocated, requested;
};

class JsonAccountingReader final : public JobListReader<PastJobFields> {
 public:
  JsonAccountingReader(std::string_view text, std::string_view file, std::size_t readable_past)
      : JobListReader(text, file, readable_past) {}

 private:
  template <class Visit>
  bool members(Value& v, const Token& t, std::string_view key, Visit visit) {
    if (t.type == JsonWalk::Type::null) return true;
    return walk_.members(v, t, member_of_job(key), visit);
  }

  bool read_member(std::string_view key, Value& v, const Token& t, PastJobFields& fields) override {
    ClusterJob& job = fields.job;
    if (key == "state") return read_state(v, t, fields);
    if (key == "time") return read_times(v, t, fields);
    if (key == "tres") return read_tres(v, t, fields);
    if (key == "array") {
      return members(v, t, key, [&](std::string_view name, Value& each, const Token& at) {
        if (name == "job_id") return number(name, each, at, fields.array);
        if (name == "task_id") return number(name, each, at, fields.task);
        if (name == "task")
          return slurm_text(walk_, each, at, "\"task\" of an array", fields.tasks);
        return walk_.skip(each, at);
      });
    }
    if (key == "required") {
      return members(v, t, key, [&](std::string_view name, Value& each, const Token& at) {
        return name == "CPUs" ? number(name, each, at, fields.cpus) : walk_.skip(each, at);
      });
    }
    if (key == "priority") {
      std::optional<std::int64_t> priority;
      if (!number(key, v, t, priority)) return false;
      job.priority = priority && *priority != kSlurmInfinite ? *priority : 0;
      return true;
    }
    for (const auto& [name, to] : {std::pair{"partition", &job.queue},
                                   {"user", &job.user},
                                   {"name", &job.name},
                                   {"nodes", &fields.hosts},
                                   {"constraints", &job.request.features},
                                   {"licenses", &job.licenses}}) {
      if (key == name) return slurm_text(walk_, v, t, member_of_job(key), *to);
    }
    if (key == "job_id") return number(key, v, t, fields.id);
    if (key == "allocation_nodes") return number(key, v, t, fields.nodes);
    return walk_.skip(v, t);
  }

  bool number(std::string_view key, Value& v, const Token& t, std::optional<std::int64_t>& to) {
    return slurm_number(walk_, v, t, member_of_job(key), to);
  }

  // A word or a list of words, maybe in an object.
  bool read_state(Value& v, const Token& t, PastJobFields& fields) {
    if (t.type != JsonWalk::Type::object) {
      return slurm_words(walk_, v, t, "\"state\" of a job", fields.state);
    }
    return members(v, t, "state", [&](std::string_view key, Value& each, const Token& at) {
      return key == "current" ? slurm_words(walk_, each, at, "\"current\" of a state", fields.state)
                              : walk_.skip(each, at);
    });
  }

  bool read_times(Value& v, const Token& t, PastJobFields& fields) {
    ClusterJob& job = fields.job;
    return members(v, t, "time", [&](std::string_view key, Value& each, const Token& at) {
      if (key == "limit") return number(key, each, at, fields.limit_min);
      for (const auto& [name, to] : {std::pair{"submission", &job.submit_s},
                                     {"eligible", &job.eligible_s},
                                     {"start", &job.start_s},
                                     {"end", &job.end_s}}) {
        if (key != name) continue;
        std::optional<std::int64_t> time_s;
        if (!number(key, each, at, time_s)) return false;
        *to = time_s && *time_s != kSlurmInfinite ? std::max<std::int64_t>(*time_s, 0) : 0;
        return true;
      }
      return walk_.skip(each, at);
    });
  }

  bool read_tres(Value& v, const Token& t, PastJobFields& fields) {
    return members(v, t, "tres", [&](std::string_view key, Value& list, const Token& at) {
      Tres* const to = key == "allocated"   ? &fields.allocated
                       : key == "requested" ? &fields.requested
                                            : nullptr;
      if (to == nullptr || at.type != JsonWalk::Type::array) return walk_.skip(list, at);
      return walk_.elements(list, at, "\"tres\" of a job", [&](Value& each, const Token& one) {
        return read_one_tres(each, one, *to);
      });
    });
  }

  bool read_one_tres(Value& v, const Token& t, Tres& to) {
    std::string type, name;
    std::optional<std::int64_t> amount;
    const bool whole = walk_.members(
        v, t, "an entry of \"tres\"", [&](std::string_view key, Value& each, const Token& at) {
          if (key == "type") return slurm_text(walk_, each, at, "\"type\" of tres", type);
          if (key == "name") return slurm_text(walk_, each, at, "\"name\" of tres", name);
          if (key == "count") return number(key, each, at, amount);
          return walk_.skip(each, at);
        });
    if (!whole) return false;
    const std::int64_t n = amount && *amount != kSlurmInfinite
                               ? std::clamp<std::int64_t>(*amount, 0, kJsonUnitsMax)
                               : 0;
    if (type == "cpu") to.cpus = n;
    if (type == "node") to.nodes = n;
    if (type == "mem") to.memory_mb = n;
    if (type == "gres" && name == "gpu") to.gpus = n;
    constexpr std::string_view kOfType = "gpu:";
    if (type == "gres" && name.starts_with(kOfType)) {
      to.gpus_of_types += n;
      const bool kept = n > 0 && name.size() > kOfType.size() && to.kinds.size() < kGresKindsMax;
      if (kept) to.kinds.push_back({name.substr(kOfType.size()), n});
    }
    return true;
  }

  bool take(PastJobFields& fields, const Token& token) override {
    if (!fields.id) return walk_.refuse(token.offset, "a job has no key \"job_id\"");
    ClusterJob& job = fields.job;
    job.id = fmt::format("{}", *fields.id);
    if (fields.array.value_or(0) > 0 && fields.task) {
      job.id = fmt::format("{}_{}", *fields.array, *fields.task);
    }
    if (job.submit_s == 0) {
      return walk_.refuse(token.offset, fmt::format("job {} has no time of submission", job.id));
    }
    if (job.eligible_s == 0) job.eligible_s = job.submit_s;
    if (fields.limit_min && *fields.limit_min != kSlurmInfinite) {
      job.limit_s = std::clamp<std::int64_t>(*fields.limit_min, 0, INT64_C(1) << 32) * 60;
    }
    set_slurm_past_state(job, fields.state.empty() ? "" : fields.state.front());
    const bool ran = (job.over || job.running) && job.start_s > 0;
    if (ran && ((job.over && job.end_s < job.start_s) || job.start_s < job.submit_s)) {
      ++out_.skipped;
      return true;
    }
    const bool has_any = fields.allocated.cpus > 0 || fields.allocated.nodes > 0;
    const Tres& tres = has_any ? fields.allocated : fields.requested;
    const auto first = [](std::initializer_list<std::int64_t> numbers) {
      for (const std::int64_t n : numbers) {
        if (n > 0 && n <= kJsonUnitsMax) return n;
      }
      return std::int64_t{0};
    };
    job.request.nodes = first({tres.nodes, fields.nodes.value_or(0)});
    job.request.cpus = first({tres.cpus, fields.cpus.value_or(0)});
    const std::int64_t on = std::max<std::int64_t>(job.request.nodes, 1);
    job.request.gpus_of_node = (tres.all_gpus() + on - 1) / on;
    job.request.gpu_kinds = tres.kinds;
    for (GpuKind& kind : job.request.gpu_kinds) kind.of_node = (kind.of_node + on - 1) / on;
    job.request.memory_said = tres.memory_mb.has_value();
    job.request.memory_of_node_mb = (tres.memory_mb.value_or(0) + on - 1) / on;
    if (job.running && !add_nodes(fields, token)) return false;
    const bool several = !fields.tasks.empty() && !fields.task && !job.running && !job.over;
    return several ? add_tasks(fields, token) : listing_.add(std::move(job), token);
  }

  // The tasks of an array that have not started are one entry.
  bool add_tasks(const PastJobFields& fields, const Token& token) {
    const auto tasks = parse_slurm_tasks(fields.tasks, kJsonTasksMax, "sacct");
    if (!tasks) return listing_.refuse(token, tasks.error(), "\"task\" of an array: ");
    for (const auto& [first, last] : tasks->ranges()) {
      for (std::int64_t task = first; task <= last; ++task) {
        ClusterJob one = fields.job;
        one.id = fmt::format("{}_{}", fields.job.id, task);
        if (!listing_.add(std::move(one), token)) return false;
      }
    }
    return true;
  }

  bool add_nodes(PastJobFields& fields, const Token& token) {
    std::vector<std::string> hosts;
    if (!listing_.take_hosts("nodes", expand_slurm_hosts(fields.hosts, kNodesOfJobMax), token,
                             hosts)) {
      return false;
    }
    NodeShare share;
    share.cpus_anywhere = true;
    share.memory_mb = fields.job.request.memory_of_node_mb;
    std::int64_t gpus = fields.job.request.gpus_of_node;
    for (const GpuKind& kind : fields.job.request.gpu_kinds) {
      share.devices.push_back({"gpu", kind.type, kind.of_node, {}});
      gpus -= kind.of_node;
    }
    if (gpus > 0) share.devices.push_back({"gpu", {}, gpus, {}});
    JobListing::spread(fields.job, fields.job.request.cpus, std::move(hosts), share);
    return true;
  }
};

}  // namespace

Result<ClusterJobs> read_slurm_accounting_json(std::string_view text, std::string_view file,
                                               std::size_t readable_past) {
  return JsonAccountingReader(text, file, readable_past).read();
}

}  // namespace copse
