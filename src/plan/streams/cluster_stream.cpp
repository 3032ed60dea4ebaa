// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/cluster_stream.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/saturating.hpp"
#include "plan/streams/cluster_requests.hpp"
#include "plan/streams/cluster_waits.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "text/counted.hpp"
#include "text/json_writer.hpp"
#include "text/split.hpp"

namespace copse::plan {

namespace {

class StreamBuilder {
 public:
  StreamBuilder(const ClusterJobs& list, const ResourceGraph& graph,
                const ClusterStreamOptions& options, bool past)
      : list_(list),
        options_(options),
        past_(past),
        begin_s_(past ? INT64_MAX : list.taken_s),
        requests_(graph, {.past = past, .several_slots = options.several_slots}),
        waits_(list) {
    for (const ClusterJob& job : list.jobs) {
      if (past) begin_s_ = std::min(begin_s_, job.submit_s);
    }
    for (const PoolId node : graph.of_type(graph.find_type("node"))) {
      const auto* properties = graph.properties(node);
      if (properties == nullptr) continue;
      for (const auto& [name, value] : *properties) known_.insert(name);
    }
  }

  Result<Jobs> make() {
    for (const ClusterJob& job : list_.jobs) {
      if (job.running && !past_) {
        ++running_;
        continue;
      }
      if (out_.jobs.size() == options_.jobs_max) {
        return fail(ErrorCode::limit, fmt::format("more than {} jobs", options_.jobs_max));
      }
      if (auto ok = add(job); !ok) return std::unexpected(ok.error());
    }
    if (begin_s_ > 0 && begin_s_ <= kTimeMax_s) out_.zero_s = begin_s_;
    // Jobs that become eligible later come later, whatever their place in the list.
    std::ranges::stable_sort(out_.jobs, {}, &Job::submit_s);
    if (auto ok = waits_.finish(out_); !ok) return std::unexpected(ok.error());
    add_remarks();
    return std::move(out_);
  }

 private:
  void add_remarks() {
    out_.skipped.set_what("job");
    out_.skipped.add("with times in the wrong order", list_.skipped);
    out_.skipped.add("in an unknown state", list_.unknown);
    out_.remarks = list_.remarks;
    if (!options_.running) {
      const auto& more = list_.remarks_of_running;
      out_.remarks.insert(out_.remarks.end(), more.begin(), more.end());
    }
    if (const std::size_t later = waits_.for_running(); later > 0) {
      out_.remarks.push_back(fmt::format("{} for running jobs: {} into the queue when these end",
                                         counted(later, "job waits", "jobs wait"),
                                         later == 1 ? "it comes" : "they come"));
    }
    if (running_ > 0 && !options_.running) {
      out_.remarks.push_back(
          fmt::format("{} of the list run{}; what {} as free: give the list to --running as well",
                      counted(running_, "job"), running_ == 1 ? "s" : "",
                      running_ == 1 ? "it has counts" : "they have counts"));
    }
    if (in_first_queue_ > 0) {
      out_.remarks.push_back(fmt::format("{} several partitions: {} in the queue of the first",
                                         counted(in_first_queue_, "job names", "jobs name"),
                                         in_first_queue_ == 1 ? "it is" : "each is"));
    }
    for (const auto& [name, jobs] : unknown_queues_) {
      out_.remarks.push_back(fmt::format(
          "no node has the property \"{}\": {} of that queue or partition may start on any node",
          name, counted(jobs, "job")));
    }
    for (const auto& [type, jobs] : unknown_gpus_) {
      out_.remarks.push_back(
          fmt::format("no node has the property \"{}\": {} that type of gpu, and may get any", type,
                      counted(jobs, "job asks for", "jobs ask for")));
    }
    for (const auto& [name, jobs] : unknown_licenses_) {
      out_.remarks.push_back(fmt::format(
          "{} for the license \"{}\", which is not counted: {}",
          counted(jobs, "job asks", "jobs ask"), name,
          options_.resources.empty() ? "there is no --hres" : "--hres does not have it"));
    }
    for (const auto& [name, jobs] : unknown_reservations_) {
      out_.remarks.push_back(fmt::format(
          "{} of the reservation \"{}\" left out: --reservations describes reservations",
          counted(jobs, "job is", "jobs are"), name));
    }
    requests_.add_remarks(out_.remarks);
  }

  Result<void> add(const ClusterJob& job) {
    const auto constraint = constraint_of(job);
    Job made{.name = job.id};
    made.submit_s =
        std::clamp<std::int64_t>((past_ ? job.submit_s : job.eligible_s) - begin_s_, 0, kTimeMax_s);
    made.duration_s = made.run_s = job.limit_s;
    if (past_ && job.over) {
      made.run_s = job.start_s == 0 ? 0 : std::max<std::int64_t>(job.end_s - job.start_s, 1);
      if (made.duration_s == 0) made.duration_s = made.run_s;
    }
    made.priority = static_cast<std::int32_t>(std::min<std::int64_t>(job.priority, INT32_MAX));
    const bool asks = job.request.nodes > 0 || job.request.cpus > 0;
    if (!past_ && !job.request.reservation.empty() && !options_.reservations) {
      ++unknown_reservations_[job.request.reservation];
      return {};
    }
    const bool limited = made.run_s > 0;
    if (!past_) waits_.add(job, begin_s_, made);
    const char* const why =
        !limited ? past_ && job.over ? "that never ran" : "without a limit"
        : made.run_s <= 0 || (!past_ && job.request.unread) ? "with dependencies that are not read"
        : !asks                                             ? "without nodes and cores"
        : job.request.gpus_unknown ? "with GRES of tasks or sockets whose number is not known"
        : !constraint              ? "with features or named nodes that are not read"
        : std::max(made.run_s, made.duration_s) > kTimeMax_s ||
                !made.ends_before(options_.clock_end_s)
            ? "with an end beyond the clock"
            : nullptr;
    if (why != nullptr) {
      out_.skipped.add(why);
      return {};
    }
    if (!job.queue.empty() && !options_.queues && partitions_of(job).empty()) {
      ++unknown_queues_[job.queue];
    }
    for (const GpuKind& kind : job.request.gpu_kinds) {
      if (!known_.contains(kind.type)) ++unknown_gpus_[kind.type];
    }
    set_licenses(job);
    auto request = requests_.add(out_.requests, with_defaults(job), *constraint);
    if (!request) return std::unexpected(request.error());
    made.reservation = past_ ? 0 : out_.word(job.request.reservation);
    made.request = *request;
    made.queue = out_.word(queue_of(job));
    made.user = out_.word(job.user);
    out_.jobs.push_back(std::move(made));
    return {};
  }

  // The request with what its queue has for jobs that do not say it. A job of several partitions has
  // that of the first.
  [[nodiscard]] ClusterRequest with_defaults(const ClusterJob& job) const {
    using queue::JobDefaults;
    ClusterRequest out = job.request;
    std::string_view rest = job.queue.empty() ? options_.defaults.queue : job.queue;
    const std::string_view queue_name = take_part(rest, ',');
    out.whole_nodes |= JobDefaults::of(options_.defaults.whole_nodes, queue_name);
    if (out.memory_said || out.memory_of_node_mb > 0) return out;
    const auto memory = JobDefaults::of(options_.defaults.memory, queue_name);
    const std::int64_t on = std::max<std::int64_t>(out.nodes, 1);
    out.memory_of_node_mb = memory.of_node_mb > 0
                                ? memory.of_node_mb
                                : saturating_product(memory.of_cpu_mb, (out.cpus + on - 1) / on);
    return out;
  }

  // A queue has one name: a job of several partitions is in the queue of the first.
  std::string_view queue_of(const ClusterJob& job) {
    std::string_view rest = job.queue;
    if (!options_.queues || !rest.contains(',')) return rest;
    ++in_first_queue_;
    return take_part(rest, ',');
  }

  // Sets the hierarchical resources of the following requests.
  void set_licenses(const ClusterJob& job) {
    HresRequest asked;
    if (auto parsed =
            past_ || job.licenses == "(null)" ? HresRequest{} : parse_hres_request(job.licenses)) {
      asked = std::move(*parsed);
    } else if (!job.licenses.empty()) {
      ++unknown_licenses_[job.licenses];
    }
    std::erase_if(asked.items, [&](const HresItem& item) {
      const auto& known = options_.resources;
      if (std::ranges::find(known, item.name) != known.end()) return false;
      ++unknown_licenses_[item.name];
      return true;
    });
    out_.requests.also(asked.empty() ? "" : hres_text(asked), asked);
  }

  // The partitions of a job that are properties of nodes. Slurm lets a job name several ("a,b"),
  // and starts it in the first that has free nodes.
  [[nodiscard]] std::vector<std::string> partitions_of(const ClusterJob& job) const {
    std::vector<std::string> out;
    for (std::string_view rest = job.queue; !rest.empty();) {
      std::string one(take_part(rest, ','));
      if (known_.contains(one)) out.push_back(std::move(one));
    }
    return out;
  }

  // RFC 31 as text, "" if there is none. None if the features are more than a list with '&' or '|',
  // or more nodes are requested than are named.
  std::optional<ClusterRequests::Where> constraint_of(const ClusterJob& job) const {
    const std::string& features = job.request.features;
    const bool either = features.find('|') != features.npos;
    if (features.find_first_of("[]()*!:") != features.npos) return std::nullopt;
    if (either && features.find('&') != features.npos) return std::nullopt;
    std::vector<std::string> all, any;
    const std::vector<std::string> partitions = partitions_of(job);
    if (partitions.size() == 1) all.push_back(partitions.front());
    for (const GpuKind& kind : job.request.gpu_kinds) {
      if (known_.contains(kind.type)) all.push_back(kind.type);
    }
    for (std::size_t from = 0; from < features.size();) {
      const std::size_t end = std::min(features.find_first_of("&|,", from), features.size());
      if (end > from) (either ? any : all).push_back(features.substr(from, end - from));
      from = end + 1;
    }
    const std::string& hosts = job.request.hosts;
    const std::string& others = job.request.other_hosts;
    if (!hosts.empty()) {
      const auto names = expand_hostlist(hosts);
      if (!names || std::ssize(*names) < job.request.nodes) return std::nullopt;
    }
    const bool several = partitions.size() > 1;
    if (all.empty() && any.empty() && !several && hosts.empty() && others.empty()) {
      return ClusterRequests::Where{};
    }
    const auto write = [&](bool with_names) {
      std::string out;
      JsonWriter json(out);
      const auto property = [&](const std::string& word) {
        json.object([&] {
          json.array("properties", std::array{word}, [&](const std::string& w) { json.value(w); });
        });
      };
      json.object([&] {
        json.list("and", [&] {
          for (const std::string& word : all) property(word);
          const auto hostlist = [&](const std::string& list) {
            json.object([&] {
              json.array("hostlist", std::array{list},
                         [&](const std::string& l) { json.value(l); });
            });
          };
          if (with_names && !hosts.empty()) hostlist(hosts);
          if (with_names && !others.empty()) {
            json.object([&] { json.array("not", std::array{others}, hostlist); });
          }
          if (!any.empty()) json.object([&] { json.array("or", any, property); });
          if (several) json.object([&] { json.array("or", partitions, property); });
        });
      });
      return out;
    };
    return ClusterRequests::Where{write(true), write(false)};
  }

  const ClusterJobs& list_;
  const ClusterStreamOptions& options_;
  bool past_;
  std::int64_t begin_s_;  // time 0 of the stream
  ClusterRequests requests_;
  std::set<std::string, std::less<>> known_;  // properties
  std::map<std::string, std::uint64_t> unknown_queues_, unknown_licenses_, unknown_reservations_,
      unknown_gpus_;
  std::uint64_t running_ = 0, in_first_queue_ = 0;
  ClusterWaits waits_;
  Jobs out_;
};

}  // namespace

Result<Jobs> waiting_jobs(const ClusterJobs& list, const ResourceGraph& graph,
                          const ClusterStreamOptions& options) {
  return StreamBuilder(list, graph, options, false).make();
}

Result<Jobs> past_jobs(const ClusterJobs& list, const ResourceGraph& graph,
                       const ClusterStreamOptions& options) {
  return StreamBuilder(list, graph, options, true).make();
}

}  // namespace copse::plan
