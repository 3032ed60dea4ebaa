// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/cluster_stream.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "request/constraint.hpp"
#include "text/json_writer.hpp"

namespace copse::plan {

namespace {

class StreamMaker {
 public:
  StreamMaker(const ClusterJobs& list, const ResourceGraph& graph,
              const ClusterStreamOptions& options, bool past)
      : list_(list), options_(options), past_(past), begin_s_(past ? INT64_MAX : list.taken_s) {
    for (const ClusterJob& job : list.jobs) {
      if (past) begin_s_ = std::min(begin_s_, job.submit_s);
    }
    const TypeId core = graph.find_type("core");
    bool first = true, alike = true;
    for (const PoolId node : graph.of_type(graph.find_type("node"))) {
      const std::int64_t cores =
          core == kNoType || graph.leaf(node) ? 0 : graph.shape(node).total(core);
      if (first) cores_of_node_ = cores;
      if (cores != cores_of_node_) alike = false;
      first = false;
      const auto* properties = graph.properties(node);
      if (properties == nullptr) continue;
      for (const auto& [name, value] : *properties) known_.insert(name);
    }
    if (!alike) cores_of_node_ = 0;
    const auto cores = core == kNoType ? std::vector<PoolId>() : graph.of_type(core);
    sockets_ = std::ranges::any_of(cores, [&](PoolId p) {
      const PoolId above = graph.parent(p);
      return above != kNoPool && graph.type(above) != graph.find_type("node");
    });
  }

  Result<Jobs> make() {
    for (const ClusterJob& job : list_.jobs) {
      if (job.running && !past_) continue;
      if (out_.jobs.size() == options_.jobs_max) {
        return fail(ErrorCode::limit, fmt::format("more than {} jobs", options_.jobs_max));
      }
      if (auto ok = add(job); !ok) return std::unexpected(ok.error());
    }
    if (begin_s_ > 0 && begin_s_ <= kTimeMax_s) out_.zero_s = begin_s_;
    out_.passed_over_why =
        past_ ? "jobs that never ran, without a limit, or with features that are not read"
              : "jobs without a limit, or with features that are not read";
    // Jobs that are eligible later stand behind, whatever their place in the list.
    std::ranges::stable_sort(out_.jobs, {}, &Job::submit_s);
    return std::move(out_);
  }

 private:
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
    const bool asks = job.wish.nodes > 0 || job.wish.cpus > 0;
    if (!constraint || !asks || made.run_s <= 0 ||
        std::max(made.run_s, made.duration_s) > kTimeMax_s ||
        !made.ends_before(options_.clock_end_s)) {
      ++out_.passed_over;
      return {};
    }
    auto request = request_of(job.wish, *constraint);
    if (!request) return std::unexpected(request.error());
    made.request = *request;
    made.queue = out_.word(job.queue);
    made.user = out_.word(job.user);
    out_.jobs.push_back(std::move(made));
    return {};
  }

  // RFC 31 as text, "" if there is none; nothing if the features are more than '&' or '|'.
  std::optional<std::string> constraint_of(const ClusterJob& job) const {
    const std::string& features = job.wish.features;
    const bool either = features.find('|') != features.npos;
    if (features.find_first_of("[]()*!:") != features.npos) return std::nullopt;
    if (either && features.find('&') != features.npos) return std::nullopt;
    std::vector<std::string> all, any;
    if (known_.contains(job.queue)) all.push_back(job.queue);
    for (std::size_t from = 0; from < features.size();) {
      const std::size_t end = std::min(features.find_first_of("&|,", from), features.size());
      if (end > from) (either ? any : all).push_back(features.substr(from, end - from));
      from = end + 1;
    }
    if (all.empty() && any.empty()) return std::string();
    std::string out;
    JsonWriter json(out);
    const auto property = [&](const std::string& word) {
      json.object([&] {
        json.array("properties", std::array{word}, [&](const std::string& w) { json.value(w); });
      });
    };
    json.object([&] {
      json.key("and");
      json.open('[');
      for (const std::string& word : all) property(word);
      if (!any.empty()) json.object([&] { json.array("or", any, property); });
      json.close(']');
    });
    return out;
  }

  Result<std::uint32_t> request_of(const ClusterWish& wish, const std::string& constraint) {
    const std::int64_t nodes = wish.nodes;
    const std::int64_t cores = (wish.cpus + options_.threads - 1) / options_.threads;
    const bool all_cores = past_ && nodes > 0 && cores_of_node_ > 0 && wish.gpus_of_node == 0 &&
                           (cores + nodes - 1) / nodes >= cores_of_node_;
    const bool whole = wish.whole_nodes || cores == 0 || all_cores;
    const std::string text =
        fmt::format("cluster {} {} {} {} {}", nodes, cores, whole, wish.gpus_of_node, constraint);
    if (const auto* known = out_.requests.find(text)) return *known;
    Request request;
    if (!constraint.empty()) {
      auto parsed = parse_constraint(constraint);
      if (!parsed) return std::unexpected(parsed.error());
      request.constraint = std::move(*parsed);
    }
    if (whole) {
      request.resources.push_back(
          resource_of("slot", std::max<std::int64_t>(nodes, 1), {resource_of("node", 1)}));
      return out_.requests.add(text, std::move(request));
    }
    const std::int64_t on = std::max<std::int64_t>(nodes, 1);
    const std::int64_t of_node = (cores + on - 1) / on;
    request.resources.push_back(resource_of("node", on, slots_of(of_node, wish.gpus_of_node)));
    return out_.requests.add(text, std::move(request));
  }

  // A slot fits below one pool, but what a job has of a node may be of several sockets. So cores have
  // a slot each. Cores and gpus have slots of their own, if the traverser can match both; else as
  // many slots as divide both.
  std::vector<Resource> slots_of(std::int64_t cores, std::int64_t gpus) const {
    if (gpus == 0) return {resource_of("slot", cores, {resource_of("core", 1)})};
    if (sockets_ && options_.several_slots) {
      std::vector<Resource> out{resource_of("slot", cores, {resource_of("core", 1)}),
                                resource_of("slot", gpus, {resource_of("gpu", 1)})};
      out.back().label = "gpu";
      return out;
    }
    const std::int64_t slots = sockets_ ? std::gcd(cores, gpus) : 1;
    return {resource_of("slot", slots,
                        {resource_of("core", cores / slots), resource_of("gpu", gpus / slots)})};
  }

  const ClusterJobs& list_;
  const ClusterStreamOptions& options_;
  bool past_;
  std::int64_t begin_s_;                      // time 0 of the stream
  std::int64_t cores_of_node_ = 0;            // 0: nodes differ, or have none
  bool sockets_ = false;                      // or something else between a node and its cores
  std::set<std::string, std::less<>> known_;  // properties
  Jobs out_;
};

}  // namespace

Result<Jobs> waiting_jobs(const ClusterJobs& list, const ResourceGraph& graph,
                          const ClusterStreamOptions& options) {
  return StreamMaker(list, graph, options, false).make();
}

Result<Jobs> past_jobs(const ClusterJobs& list, const ResourceGraph& graph,
                       const ClusterStreamOptions& options) {
  return StreamMaker(list, graph, options, true).make();
}

}  // namespace copse::plan
