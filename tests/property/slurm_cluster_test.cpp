// SPDX-License-Identifier: Apache-2.0
//
// What is read of a cluster of Slurm equals what was generated, in every form that Slurm writes.
#include "property/slurm_cluster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "copse/formats.hpp"
#include "formats/cluster_jobs.hpp"
#include "formats/machine_formats.hpp"
#include "host/job_list.hpp"
#include "host/job_stream.hpp"
#include "property/seeds.hpp"
#include "request/constraint.hpp"

namespace copse::property {
namespace {

constexpr std::uint64_t kClusterSeeds = 400;

copse::Machine machine_of(const std::string& text, const char* format) {
  auto machine = read_machine_text({.text = text, .file = "machine"}, "");
  EXPECT_EQ(guess_machine_format(text), format) << text;
  EXPECT_TRUE(machine) << machine.error().message() << "\n" << text;
  return machine ? std::move(*machine) : copse::Machine{};
}

PoolId node_of(const ResourceGraph& graph, const std::string& name) {
  for (const PoolId p : graph.of_type(graph.find_type("node"))) {
    if (graph.name(p) == name) return p;
  }
  ADD_FAILURE() << "there is no node " << name;
  return graph.root();
}

std::int64_t units_below(const ResourceGraph& graph, PoolId node, std::string_view type) {
  std::int64_t out = 0;
  graph.preorder(node, [&](PoolId p) {
    if (graph.type_name(p) == type) out += graph.size(p);
    return true;
  });
  return out;
}

void expect_nodes(const ResourceGraph& graph, const SlurmCluster& cluster) {
  EXPECT_EQ(std::ssize(graph.of_type(graph.find_type("node"))), std::ssize(cluster.nodes));
  std::int64_t down = 0;
  for (const ClusterNode& node : cluster.nodes) {
    const PoolId p = node_of(graph, node.name);
    EXPECT_EQ(units_below(graph, p, "core"), node.all_cores()) << node.name;
    EXPECT_EQ(units_below(graph, p, "gpu"), node.gpus) << node.name;
    EXPECT_EQ(units_below(graph, p, "memory"), node.memory_mb) << node.name;
    std::set<std::string> words;
    if (const auto* properties = graph.properties(p)) {
      for (const auto& [name, value] : *properties) words.insert(name);
    }
    EXPECT_EQ(words, node.words) << node.name;
    const auto at = graph.initially_down();
    EXPECT_EQ(std::ranges::find(at, p) != at.end(), node.down) << node.name << " " << node.flag;
    down += node.down ? 1 : 0;
  }
  EXPECT_EQ(std::ssize(graph.initially_down()), down);
}

// What the running jobs of a list have, by node.
void expect_running(const ResourceGraph& graph, const SlurmCluster& cluster,
                    const std::string& text) {
  const auto list = read_job_list(text_format(text), text, "jobs");
  ASSERT_TRUE(list) << list.error().message();
  ClusterPools places(graph);
  std::map<std::string, const ClusterJob*> by_id;
  for (const ClusterJob& job : list->jobs) by_id[job.id] = &job;
  // Jobs with numbered cores first, as in the list.
  for (const ClusterJob& job : list->jobs) {
    if (!job.running) continue;
    const auto made = std::ranges::find(
        cluster.jobs, job.id, [](const ClusterJobCase& each) { return std::to_string(each.id); });
    ASSERT_NE(made, cluster.jobs.end());
    const auto found = places.of(job);
    EXPECT_EQ(found.missing, std::vector<std::string>()) << job.id << "\n" << text;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> has;  // cores and gpus by node
    for (const PoolId p : found.pools) {
      const PoolId node = graph.parent(p);
      if (graph.type_name(p) == "core") ++has[graph.name(node)].first;
      if (graph.type_name(p) == "gpu") ++has[graph.name(node)].second;
    }
    for (const std::size_t n : made->nodes) {
      const ClusterNode& node = cluster.nodes[n];
      EXPECT_EQ(has[node.name], (std::pair{node.cores_of(made->cpus_of_node), made->gpus_of_node}))
          << "job " << job.id << " on " << node.name << "\n"
          << text;
    }
    EXPECT_EQ(has.size(), made->nodes.size());
  }
}

// The cores or gpus that a request has on each of its nodes; -1: all of them.
std::int64_t of_each_node(const Request& request, std::string_view type) {
  const Resource& top = request.resources.front();
  if (top.is_slot()) return -1;
  std::int64_t out = 0;
  for (const Resource& slot : top.with) {
    for (const Resource& part : slot.with) {
      if (part.type == type) out += slot.count.min * part.count.min;
    }
  }
  return out;
}

// The jobs of a list that do not run: how many nodes, cores and gpus each asks for, and where.
void expect_requests(const ResourceGraph& graph, const SlurmCluster& cluster,
                     const std::string& text, bool over) {
  const auto jobs = read_job_stream(text, "jobs", graph, {}, {});
  ASSERT_TRUE(jobs) << jobs.error().message() << "\n" << text;
  std::int64_t expected = 0;
  for (const ClusterJobCase& made : cluster.jobs) {
    if (made.running || made.over != over) continue;
    ++expected;
    const auto job = std::ranges::find(jobs->jobs, std::to_string(made.id), &plan::Job::name);
    ASSERT_NE(job, jobs->jobs.end()) << made.id << "\n" << text;
    EXPECT_EQ(job->duration_s, made.minutes * 60);
    const Request& request = jobs->requests[job->request];
    EXPECT_EQ(request.resources.front().count.min, made.node_count);
    const auto like = std::ranges::find(cluster.nodes, made.kind, &ClusterNode::kind);
    const std::int64_t cores = of_each_node(request, "core");
    const std::int64_t needed = like->cores_of(made.cpus_of_node);
    if (cores < 0) {
      EXPECT_TRUE(over && needed == like->all_cores()) << made.id << "\n" << text;
    } else {
      EXPECT_EQ(cores, needed) << "job " << made.id << "\n" << text;
      EXPECT_EQ(of_each_node(request, "gpu"), made.gpus_of_node) << made.id << "\n" << text;
    }
    for (const PoolId p : graph.of_type(graph.find_type("node"))) {
      const std::string name = graph.name(p);
      const auto node = std::ranges::find(cluster.nodes, name, &ClusterNode::name);
      EXPECT_EQ(holds(request.constraint,
                      {.name = name, .rank = graph.rank(p), .properties = graph.properties(p)}),
                node->kind == made.kind)
          << made.id << " " << name;
    }
  }
  EXPECT_EQ(std::ssize(jobs->jobs), expected);
}

TEST(SlurmClusters, AreReadAsTheyWereGenerated) {
  Seeds seeds(1, kClusterSeeds);
  seeds.each([](std::uint64_t seed) {
    Random random(seed);
    const SlurmCluster cluster = random_cluster(random);
    const std::string conf = slurm_conf_of(cluster, random);
    SCOPED_TRACE(conf);
    const ResourceGraph graph = machine_of(conf, "slurm_conf").graph;
    if (::testing::Test::HasFailure()) return;
    expect_nodes(graph, cluster);
    for (const SlurmVersion version : {SlurmVersion::v37, SlurmVersion::v39, SlurmVersion::v43}) {
      const std::string nodes = nodes_json_of(cluster, version);
      expect_nodes(machine_of(nodes, "slurm_nodes").graph, cluster);
      const std::string squeue = squeue_json_of(cluster, version);
      expect_running(graph, cluster, squeue);
      expect_requests(graph, cluster, squeue, false);
      if (std::ranges::any_of(cluster.jobs, &ClusterJobCase::over)) {
        expect_requests(graph, cluster, sacct_json_of(cluster, version), true);
      }
    }
    expect_requests(graph, cluster, sacct_text_of(cluster), true);
  });
}

}  // namespace
}  // namespace copse::property
