// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/jobs/slurm_jobs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "base/saturating.hpp"
#include "formats/job_listing.hpp"
#include "formats/slurm/gres/slurm_gres.hpp"
#include "formats/slurm/jobs/slurm_job_gres.hpp"
#include "formats/slurm/jobs/slurm_shares.hpp"
#include "formats/slurm/jobs/slurm_waiting.hpp"
#include "formats/slurm/slurm_json.hpp"
#include "text/counted.hpp"
#include "text/slurm_hostlist.hpp"

namespace copse {

namespace {

constexpr std::array<std::string_view, 8> kRunning{"RUNNING",   "CONFIGURING", "COMPLETING",
                                                   "SUSPENDED", "STAGE_OUT",   "SIGNALING",
                                                   "STOPPED",   "RESIZING"};
// States of waiting jobs: REQUEUE_HOLD and similar ones come with PENDING or, in old versions,
// instead.
constexpr std::array<std::string_view, 5> kWaiting{"PENDING", "REQUEUED", "REQUEUE_HOLD",
                                                   "SPECIAL_EXIT", "RESV_DEL_HOLD"};
constexpr std::array<std::string_view, 3> kHeld{"REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"};
constexpr std::array<std::string_view, 4> kHeldReasons{
    "JobHeldUser", "JobHeldAdmin", "DependencyNeverSatisfied", "JobHoldMaxRequeue"};
constexpr std::array<std::string_view, 12> kOver{
    "COMPLETED", "CANCELLED",     "FAILED",   "TIMEOUT", "NODE_FAIL",     "PREEMPTED",
    "BOOT_FAIL", "OUT_OF_MEMORY", "DEADLINE", "REVOKED", "LAUNCH_FAILED", "RECONFIG_FAIL"};
constexpr std::size_t kUnreadWordsMax = 8;     // of one kind
constexpr std::int64_t kTasksMax = 1'000'000;  // of one array
constexpr std::int64_t kUnsetFrom16 = 0xFFFD, kUnsetFrom32 = 0xFFFFFFFD;

struct JobFields {
  ClusterJob job;
  std::optional<std::int64_t> id, array, task, limit_min, cpus, node_count;
  std::optional<std::int64_t> memory_of_node, memory_of_cpu;
  std::optional<std::int64_t> all_tasks, tasks_of_node, sockets_of_node, threads;
  std::vector<std::string> state, gres, exclusive;
  std::string hosts, licenses_allocated, reason, dependency, tasks;
  SlurmJobGres asked;
};

class JobsReader final : public JobListReader<JobFields> {
 public:
  JobsReader(std::string_view text, std::string_view file, std::size_t readable_past)
      : JobListReader(text, file, readable_past) {}

 private:
  using Counts = std::map<std::string, std::size_t, std::less<>>;

  static void count(Counts& counts, std::string_view what) {
    const auto at = counts.find(what);
    if (at != counts.end()) {
      ++at->second;
    } else if (counts.size() < kUnreadWordsMax) {
      counts.emplace(what, 1);
    }
  }

  void add_remarks() override {
    const auto jobs = [](std::size_t n, std::string_view one, std::string_view several) {
      return fmt::format("{} {}", counted(n, "job"), n == 1 ? one : several);
    };
    for (const auto& [state, n] : unknown_states_) {
      out_.remarks_of_running.push_back(
          fmt::format("{} the unknown state {}: what {} counts as free", jobs(n, "has", "have"),
                      shown_word(state), n == 1 ? "it has" : "they have"));
    }
    for (const auto& [gres, n] : uncounted_) {
      out_.remarks.push_back(
          fmt::format("{} for {}, which is not counted", jobs(n, "asks", "ask"), shown_word(gres)));
    }
    if (without_nodes_ > 0) {
      out_.remarks.push_back(fmt::format("{} left out: a \"node_count\" is from 1 to {}",
                                         jobs(without_nodes_, "is", "are"), kNodesOfJobMax));
    }
  }

  bool read_other(std::string_view key, Value& v, const Token& t) override {
    if (key != "last_update") return walk_.skip(v, t);
    std::optional<std::int64_t> number;
    if (!slurm_number(walk_, v, t, "\"last_update\"", number)) return false;
    out_.taken_s = std::max<std::int64_t>(number.value_or(0), 0);
    return true;
  }

  bool take(JobFields& fields, const Token& token) override {
    if (!fields.id) return walk_.refuse(token.offset, "a job has no key \"job_id\"");
    const auto is = [&](std::string_view word) {
      return std::ranges::find(fields.state, word) != fields.state.end();
    };
    fields.job.running = std::ranges::any_of(kRunning, is);
    if (!fields.job.running && std::ranges::none_of(kWaiting, is)) {
      if (std::ranges::none_of(kOver, is)) {
        count(unknown_states_, fields.state.empty() ? "" : fields.state.front());
      }
      return true;
    }
    fields.job.request.held |= std::ranges::any_of(kHeld, is) ||
                               std::ranges::find(kHeldReasons, fields.reason) != kHeldReasons.end();
    fields.job.id = fmt::format("{}", *fields.id);
    if (fields.array.value_or(0) > 0) fields.job.array_id = fmt::format("{}", *fields.array);
    if (fields.task && !fields.job.array_id.empty()) {
      fields.job.task_id = fmt::format("{}_{}", *fields.array, *fields.task);
    }
    if (fields.limit_min && *fields.limit_min != kSlurmInfinite) {
      fields.job.limit_s = std::min(*fields.limit_min, INT64_C(1) << 32) * 60;
    }
    return fields.job.running ? finish_running(fields, token) : finish_waiting(fields, token);
  }

  bool read_member(std::string_view key, Value& v, const Token& t, JobFields& fields) override {
    ClusterJob& job = fields.job;
    if (key == "job_resources") return read_slurm_shares(walk_, v, t, job.nodes);
    if (key == "job_state") return slurm_words(walk_, v, t, "\"job_state\"", fields.state);
    if (key == "gres_detail") return slurm_words(walk_, v, t, "\"gres_detail\"", fields.gres);
    if (key == "exclusive" || key == "shared") return read_exclusive(v, t, fields.exclusive);
    if (key == "hold" && t.type == JsonWalk::Type::boolean) {
      return walk_.boolean(t, "\"hold\" of a job", job.request.held);
    }
    for (const auto& [name, to] : {std::pair{"partition", &job.queue},
                                   {"user_name", &job.user},
                                   {"nodes", &fields.hosts},
                                   {"features", &job.request.features},
                                   {"licenses", &job.licenses},
                                   {"licenses_allocated", &fields.licenses_allocated},
                                   {"name", &job.name},
                                   {"state_reason", &fields.reason},
                                   {"dependency", &fields.dependency},
                                   {"array_task_string", &fields.tasks},
                                   {"required_nodes", &job.request.hosts},
                                   {"excluded_nodes", &job.request.other_hosts},
                                   {"resv_name", &job.request.reservation},
                                   {"tres_per_node", &fields.asked.of_node},
                                   {"tres_per_job", &fields.asked.of_job},
                                   {"tres_per_socket", &fields.asked.of_socket},
                                   {"tres_per_task", &fields.asked.of_task}}) {
      if (key == name) return slurm_text(walk_, v, t, member_of_job(key), *to);
    }
    for (const auto& [name, to] : {std::pair{"submit_time", &job.submit_s},
                                   {"eligible_time", &job.eligible_s},
                                   {"start_time", &job.start_s},
                                   {"end_time", &job.end_s},
                                   {"priority", &job.priority}}) {
      if (key == name) return read_time(key, v, t, *to);
    }
    for (const auto& [name, to] : {std::pair{"job_id", &fields.id},
                                   {"array_job_id", &fields.array},
                                   {"array_task_id", &fields.task},
                                   {"time_limit", &fields.limit_min},
                                   {"cpus", &fields.cpus},
                                   {"tasks", &fields.all_tasks},
                                   {"tasks_per_node", &fields.tasks_of_node},
                                   {"sockets_per_node", &fields.sockets_of_node},
                                   {"threads_per_core", &fields.threads},
                                   {"memory_per_node", &fields.memory_of_node},
                                   {"memory_per_cpu", &fields.memory_of_cpu},
                                   {"node_count", &fields.node_count}}) {
      if (key == name) return slurm_number(walk_, v, t, member_of_job(key), *to);
    }
    return walk_.skip(v, t);
  }

  // A number of 0 or more; unset and infinite are 0.
  bool read_time(std::string_view key, Value& v, const Token& t, std::int64_t& to) {
    std::optional<std::int64_t> number;
    if (!slurm_number(walk_, v, t, member_of_job(key), number)) return false;
    to = number && *number != kSlurmInfinite ? std::max<std::int64_t>(*number, 0) : 0;
    return true;
  }

  // "shared" was a word before 23.02: "none" means that no other job is on its nodes.
  bool read_exclusive(Value& v, const Token& t, std::vector<std::string>& to) {
    if (t.type == JsonWalk::Type::boolean || t.type == JsonWalk::Type::number) {
      return walk_.skip(v, t);
    }
    std::vector<std::string> words;
    if (!slurm_words(walk_, v, t, "\"exclusive\" of a job", words)) return false;
    to.insert(to.end(), words.begin(), words.end());
    return true;
  }
  static bool is_exclusive(const JobFields& fields) {
    return std::ranges::any_of(fields.exclusive, [](const std::string& word) {
      return word == "true" || word == "none" || word == "exclusive" || word == "NONE";
    });
  }

  // --- Allocations
  bool finish_running(JobFields& fields, const Token& token) {
    ClusterJob& job = fields.job;
    if (!fields.licenses_allocated.empty()) job.licenses = std::move(fields.licenses_allocated);
    if (job.nodes.empty() && !add_hosts(fields, token)) return false;
    if (job.end_s == 0 && job.limit_s > 0 && job.start_s > 0) {
      job.end_s = job.start_s + job.limit_s;
    }
    // Texts of devices belong to nodes in their order.
    const std::size_t texts = std::min(fields.gres.size(), job.nodes.size());
    for (std::size_t i = 0; i < texts; ++i) {
      const auto gres = parse_gres(fields.gres[i]);
      if (!gres) return listing_.refuse(token, gres.error());
      for (const SlurmGres& one : *gres) {
        job.nodes[i].devices.push_back({one.name, one.type, one.count, one.ids});
      }
    }
    return listing_.add(std::move(job), token);
  }

  bool add_hosts(JobFields& fields, const Token& token) {
    std::vector<std::string> hosts;
    if (!listing_.take_hosts("nodes", expand_slurm_hosts(fields.hosts, kNodesOfJobMax), token,
                             hosts))
      return false;
    const std::int64_t cpus =
        std::clamp<std::int64_t>(fields.cpus.value_or(0), 0, INT64_C(1) << 40);
    NodeShare share;
    share.cpus_anywhere = true;
    JobListing::spread(fields.job, cpus, std::move(hosts), share);
    return true;
  }

  // --- Requests
  bool finish_waiting(JobFields& fields, const Token& token) {
    if (fields.node_count &&
        (*fields.node_count < 1 || std::cmp_greater(*fields.node_count, kNodesOfJobMax))) {
      ++without_nodes_;
      return true;
    }
    ClusterRequest& request = fields.job.request;
    const auto set = [](std::int64_t& to, const std::optional<std::int64_t>& from) {
      to = from && *from != kSlurmInfinite ? std::clamp<std::int64_t>(*from, 0, INT64_C(1) << 40)
                                           : 0;
    };
    set(request.nodes, fields.node_count);
    set(request.cpus, fields.cpus);
    set_small(request.cpus_of_core, fields.threads, kUnsetFrom16);
    request.whole_nodes = is_exclusive(fields);
    SlurmJobGres& asked = fields.asked;
    asked.nodes = request.nodes;
    set_small(asked.tasks, fields.all_tasks, kUnsetFrom32);
    set_small(asked.tasks_of_node, fields.tasks_of_node, kUnsetFrom16);
    set_small(asked.sockets_of_node, fields.sockets_of_node, kUnsetFrom16);
    auto gpus = gpus_of_slurm_job(asked);
    if (!gpus) return listing_.refuse(token, gpus.error());
    for (const std::string& name : gpus->others) count(uncounted_, name);
    request.gpus_of_node = gpus->of_node.value_or(0);
    request.gpus_unknown = !gpus->of_node;
    request.gpu_kinds = std::move(gpus->kinds);
    set_memory(fields);
    fields.job.nodes.clear();
    for (std::string* hosts : {&request.hosts, &request.other_hosts}) {
      const auto names = expand_slurm_hosts(*hosts, kNodesOfJobMax);
      if (!names) return listing_.refuse(token, names.error(), "nodes of a job: ");
      *hosts = compress_hostlist(*names);  // as others read it
    }
    if (!fields.tasks.empty() && !fields.task) return add_tasks(fields, token);
    if (!fields.job.task_id.empty()) fields.job.id = fields.job.task_id;
    add_slurm_dependency(request, fields.dependency, task_of(fields.job));
    return listing_.add(std::move(fields.job), token);
  }

  // Slurm gives the memory of a node, or that of a cpu.
  static void set_memory(JobFields& fields) {
    ClusterRequest& request = fields.job.request;
    const auto mb = [](const std::optional<std::int64_t>& of) {
      return of && *of > 0 && *of != kSlurmInfinite ? std::min(*of, INT64_C(1) << 50) : 0;
    };
    request.memory_of_node_mb = mb(fields.memory_of_node);
    request.memory_said = fields.memory_of_node || fields.memory_of_cpu;
    const std::int64_t of_cpu = mb(fields.memory_of_cpu);
    const std::int64_t on = std::max<std::int64_t>(request.nodes, 1);
    const std::int64_t cpus = std::max<std::int64_t>((request.cpus + on - 1) / on, 1);
    if (request.memory_of_node_mb == 0 && of_cpu > 0) {
      request.memory_of_node_mb = saturating_product(of_cpu, cpus);
    }
  }

  // In old versions, the largest numbers of 16 and 32 bits mean that there is none.
  static void set_small(std::int64_t& to, const std::optional<std::int64_t>& from,
                        std::int64_t not_set) {
    to = from && *from > 0 && *from < not_set ? *from : 0;
  }

  // The tasks of an array that have not started are one entry.
  bool add_tasks(const JobFields& fields, const Token& token) {
    const auto tasks = parse_slurm_tasks(fields.tasks, kTasksMax, "squeue");
    if (!tasks) {
      return listing_.refuse(token, tasks.error(), member_of_job("array_task_string") + ": ");
    }
    for (const auto& [first, last] : tasks->ranges()) {
      for (std::int64_t task = first; task <= last; ++task) {
        ClusterJob one = fields.job;
        if (one.array_id.empty()) one.array_id = one.id;
        one.id = one.task_id = fmt::format("{}_{}", one.array_id, task);
        add_slurm_dependency(one.request, fields.dependency, task_of(one));
        if (!listing_.add(std::move(one), token)) return false;
      }
    }
    return true;
  }

  static std::string_view task_of(const ClusterJob& job) {
    const std::string_view id = job.task_id;
    return id.empty() ? id : id.substr(id.find('_') + 1);
  }

  // Values that are not read, with the number of their jobs.
  Counts unknown_states_, uncounted_;
  std::size_t without_nodes_ = 0;
};

}  // namespace

Result<ClusterJobs> read_slurm_jobs(std::string_view text, std::string_view file,
                                    std::size_t readable_past) {
  return JobsReader(text, file, readable_past).read();
}

}  // namespace copse
