// SPDX-License-Identifier: Apache-2.0
#include "property/slurm_cluster.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace copse::property {

namespace {

constexpr std::int64_t kListMade_s = 1'795'700'000;  // 2026-11-26T12:53:20 UTC

std::string host_of(std::size_t kind, std::size_t i) {
  // The second kind has names with two numbers.
  if (kind == 1) return fmt::format("r{}b{}", i / 2 + 1, i % 2 + 1);
  return fmt::format("{}{:02}", kind == 0 ? "a" : "zen", i);
}

ClusterNode random_kind(Random& random, std::size_t kind) {
  ClusterNode out;
  out.kind = kind;
  out.sockets = random.between(1, 2);
  out.cores = random.between(1, 6);
  out.threads = random.pick({1, 1, 2, 4});
  const std::int64_t cores = out.all_cores();
  out.cpus = cores * out.threads;
  if (random.chance(20)) out.cpus = cores;
  if (random.chance(10) && out.sockets != cores) out.cpus = out.sockets;
  out.memory_mb = random.between(100, 5000);
  if (random.chance(50)) out.gpus = random.between(1, 4);
  if (out.gpus > 0 && random.chance(50)) out.gpu_type = random.pick({"a100", "v100"});
  if (random.chance(60)) out.features.insert(random.pick({"ib", "amd", "big"}));
  if (random.chance(30)) out.features.insert("fast");
  return out;
}

void add_state(Random& random, ClusterNode& node) {
  constexpr const char* kUp[] = {"", "PLANNED", "POWERED_DOWN", "POWERING_UP", "COMPLETING"};
  constexpr const char* kDown[] = {"DRAIN", "FAIL", "INVALID_REG", "REBOOT_ISSUED",
                                   "POWERING_DOWN"};
  node.down = random.chance(15);
  node.flag = (node.down ? kDown : kUp)[random.below(5)];
}

}  // namespace

SlurmCluster random_cluster(Random& random) {
  SlurmCluster out;
  const auto kinds = static_cast<std::size_t>(random.between(2, 3));
  std::vector<std::vector<std::size_t>> of_kind(kinds);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const ClusterNode like = random_kind(random, kind);
    out.partitions.push_back(fmt::format("p{}", kind));
    const auto count =
        static_cast<std::size_t>(kind == 1 ? random.between(1, 3) * 2 : random.between(1, 5));
    for (std::size_t i = 0; i < count; ++i) {
      ClusterNode node = like;
      node.name = host_of(kind, i);
      node.partitions = {out.partitions.back(), "all"};
      add_state(random, node);
      node.words = node.features;
      node.words.insert(node.partitions.begin(), node.partitions.end());
      if (!node.gpu_type.empty()) node.words.insert(node.gpu_type);
      of_kind[kind].push_back(out.nodes.size());
      out.nodes.push_back(std::move(node));
    }
  }
  std::vector<std::int64_t> free_cores, free_gpus;
  for (const ClusterNode& node : out.nodes) {
    free_cores.push_back(node.all_cores());
    free_gpus.push_back(node.gpus);
  }
  for (std::int64_t id = 1; id <= random.between(3, 10); ++id) {
    ClusterJobCase job;
    job.id = id;
    job.kind = random.below(kinds);
    const auto& nodes = of_kind[job.kind];
    const ClusterNode& like = out.nodes[nodes.front()];
    job.node_count = random.between(1, static_cast<std::int64_t>(nodes.size()));
    job.cpus_of_node = random.between(1, like.cpus);
    job.gpus_of_node = random.chance(50) ? random.between(0, like.gpus) : 0;
    job.minutes = random.between(1, 500);
    const std::uint64_t what = random.below(3);
    job.over = what == 1;
    if (what == 2) {
      job.running = true;
      job.by_core = random.chance(50) && like.cpus != like.sockets;
      const std::int64_t cores = like.cores_of(job.cpus_of_node);
      for (const std::size_t n : nodes) {
        const bool room = free_cores[n] >= cores && free_gpus[n] >= job.gpus_of_node;
        if (!room || std::ssize(job.nodes) == job.node_count) continue;
        free_cores[n] -= cores;
        free_gpus[n] -= job.gpus_of_node;
        job.nodes.push_back(n);
      }
      job.node_count = std::ssize(job.nodes);
      if (job.nodes.empty()) continue;
    }
    job.gres = random.pick({ClusterJobCase::Gres::of_node, ClusterJobCase::Gres::of_job,
                            ClusterJobCase::Gres::of_task});
    job.tasks_of_node = job.gpus_of_node > 0 && job.gpus_of_node % 2 == 0 ? 2 : 1;
    out.jobs.push_back(std::move(job));
  }
  return out;
}

// --- slurm.conf

namespace {

std::string any_case(Random& random, std::string key) {
  if (random.chance(80)) return key;
  const bool up = random.chance(50);
  std::ranges::transform(key, key.begin(), [&](char c) {
    const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
    return (up && lower) || (!up && upper) ? static_cast<char>(c ^ 0x20) : c;
  });
  return key;
}

std::string setting(Random& random, const std::string& key, const std::string& value) {
  const char* const before = random.chance(15) ? " " : "";
  const char* const after = random.chance(15) ? "  " : "";
  const char* const quote = random.chance(15) ? "\"" : "";
  std::string out = any_case(random, key) + before + "=" + after + quote + value + quote;
  // A line may be continued anywhere; what follows must not begin with a blank then.
  if (random.chance(10) && out.size() > 4) out.insert(random.below(out.size() - 1) + 1, "\\\n");
  return out;
}

std::string line(Random& random, const std::vector<std::string>& settings) {
  std::string out;
  for (const std::string& one : settings) {
    if (!out.empty()) out += random.chance(10) ? " \\ \n  " : random.chance(10) ? "\t" : " ";
    out += one;
  }
  if (random.chance(20)) out += " # a comment \\";
  return out + '\n';
}

std::string hosts_of_kind(const SlurmCluster& cluster, std::size_t kind, Random& random) {
  std::vector<std::string> names;
  for (const ClusterNode& node : cluster.nodes) {
    if (node.kind == kind) names.push_back(node.name);
  }
  if (random.chance(30) || names.size() == 1) return fmt::format("{}", fmt::join(names, ","));
  if (kind == 1) return fmt::format("r[1-{}]b[1-2]", names.size() / 2);
  return fmt::format("{}[00-{:02}]", kind == 0 ? "a" : "zen", names.size() - 1);
}

}  // namespace

std::string slurm_conf_of(const SlurmCluster& cluster, Random& random) {
  std::string out = line(random, {setting(random, "ClusterName", "c")});
  if (random.chance(50)) out += line(random, {"NodeName=DEFAULT", "State=UNKNOWN"});
  for (std::size_t kind = 0; kind < cluster.partitions.size(); ++kind) {
    const auto like =
        std::ranges::find(cluster.nodes, kind, [](const ClusterNode& node) { return node.kind; });
    std::vector<std::string> settings{
        setting(random, "CoresPerSocket", std::to_string(like->cores)),
        setting(random, "ThreadsPerCore", std::to_string(like->threads)),
        setting(random, "Sockets", std::to_string(like->sockets)),
        setting(random, "RealMemory", std::to_string(like->memory_mb))};
    const bool is_default = like->cpus == like->all_cores() * like->threads;
    if (!is_default || random.chance(50)) {
      settings.push_back(setting(random, "CPUs", std::to_string(like->cpus)));
    }
    std::vector<std::string> gres;
    if (like->gpus > 0) {
      gres.push_back(like->gpu_type.empty() ? fmt::format("gpu:{}", like->gpus)
                                            : fmt::format("gpu:{}:{}", like->gpu_type, like->gpus));
    }
    if (random.chance(30)) gres.emplace_back("bandwidth:lustre:no_consume:4G");
    if (!gres.empty()) {
      settings.push_back(setting(random, "Gres", fmt::format("{}", fmt::join(gres, ","))));
    }
    if (!like->features.empty()) {
      settings.push_back(
          setting(random, "Features", fmt::format("{}", fmt::join(like->features, ","))));
    }
    random.shuffle(settings);
    settings.insert(settings.begin(), "NodeName=" + hosts_of_kind(cluster, kind, random));
    out += line(random, settings);
  }
  for (std::size_t kind = 0; kind < cluster.partitions.size(); ++kind) {
    out += line(random, {"PartitionName=" + cluster.partitions[kind],
                         setting(random, "Nodes", hosts_of_kind(cluster, kind, random))});
  }
  out += line(random, {"PartitionName=all", setting(random, "Nodes", "ALL")});
  for (const ClusterNode& node : cluster.nodes) {
    if (!node.down) continue;
    out += line(random, {"DownNodes=" + node.name, setting(random, "State", "DRAIN")});
  }
  return out;
}

// --- JSON

namespace {

std::string number(std::int64_t n, SlurmVersion version) {
  if (version == SlurmVersion::v37) return std::to_string(n);
  return fmt::format(R"({{"set": true, "infinite": false, "number": {}}})", n);
}

std::string words(const std::vector<std::string>& list, SlurmVersion version) {
  if (version == SlurmVersion::v37) return '"' + list.front() + '"';
  return fmt::format("[\"{}\"]", fmt::join(list, "\", \""));
}

std::string gres_text(const ClusterJobCase& job) {
  if (job.gpus_of_node == 0) return {};
  const std::int64_t n =
      job.gres == ClusterJobCase::Gres::of_job    ? job.gpus_of_node * job.node_count
      : job.gres == ClusterJobCase::Gres::of_task ? job.gpus_of_node / job.tasks_of_node
                                                  : job.gpus_of_node;
  return fmt::format("gres/gpu:{}", n);
}

std::string nodes_of(const SlurmCluster& cluster, const ClusterJobCase& job) {
  std::vector<std::string> names;
  for (const std::size_t n : job.nodes) names.push_back(cluster.nodes[n].name);
  return fmt::format("{}", fmt::join(names, ","));
}

// What a running job has of each node: as many cpus as it asked for, or the cores with these numbers.
// Cores are given out from the first one of each node on; `next` is the first that is free.
std::string job_resources(const SlurmCluster& cluster, const ClusterJobCase& job,
                          SlurmVersion version, std::vector<std::int64_t>& next) {
  std::vector<std::string> shares;
  for (const std::size_t n : job.nodes) {
    const ClusterNode& node = cluster.nodes[n];
    const std::int64_t cores = node.cores_of(job.cpus_of_node);
    const bool old = version == SlurmVersion::v37;
    std::string share =
        old ? fmt::format(R"({{"nodename": "{}", "cpus_used": {})", node.name, job.cpus_of_node)
            : fmt::format(R"({{"name": "{}", "cpus": {{"count": {}}})", node.name,
                          job.cpus_of_node);
    if (job.by_core) {
      std::string sockets;
      for (std::int64_t socket = 0; socket < node.sockets; ++socket) {
        std::string list;
        for (std::int64_t core = 0; core < node.cores; ++core) {
          const std::int64_t place = socket * node.cores + core;
          const bool has = place >= next[n] && place < next[n] + cores;
          if (!list.empty()) list += ", ";
          list += old ? fmt::format(R"("{}": "{}")", core, has ? "allocated" : "unallocated")
                      : fmt::format(R"({{"index": {}, "status": ["{}"]}})", core,
                                    has ? "ALLOCATED" : "UNALLOCATED");
        }
        if (!sockets.empty()) sockets += ", ";
        sockets += old ? fmt::format(R"("{}": {{"cores": {{{}}}}})", socket, list)
                       : fmt::format(R"({{"index": {}, "cores": [{}]}})", socket, list);
      }
      share += old ? fmt::format(R"(, "sockets": {{{}}})", sockets)
                   : fmt::format(R"(, "sockets": [{}])", sockets);
    }
    next[n] += cores;
    shares.push_back(share + "}");
  }
  const std::string all = fmt::format("{}", fmt::join(shares, ", "));
  return version == SlurmVersion::v37
             ? fmt::format(R"({{"nodes": "{}", "allocated_nodes": [{}]}})", nodes_of(cluster, job),
                           all)
             : fmt::format(R"({{"nodes": {{"whole": false, "allocation": [{}]}}}})", all);
}

}  // namespace

std::string nodes_json_of(const SlurmCluster& cluster, SlurmVersion version) {
  std::vector<std::string> out;
  for (const ClusterNode& node : cluster.nodes) {
    const bool old = version == SlurmVersion::v37;
    std::vector<std::string> state{old ? "idle" : "IDLE"};
    if (!node.flag.empty() && !old) state.push_back(node.flag);
    std::string flags = old && !node.flag.empty() ? '"' + node.flag + '"' : "";
    std::string gres = node.gpus == 0 ? ""
                                      : fmt::format("gpu:{}{}{}(S:0)", node.gpu_type,
                                                    node.gpu_type.empty() ? "" : ":", node.gpus);
    out.push_back(fmt::format(
        R"({{"name": "{}", "boards": 1, "sockets": {}, "cores": {}, "threads": {}, "cpus": {}, )"
        R"("real_memory": {}, "gres": "{}", "active_features": {}, "partitions": ["{}"], )"
        R"("state": {}, "state_flags": [{}]}})",
        node.name, node.sockets, node.cores, node.threads, node.cpus, node.memory_mb, gres,
        node.features.empty() ? std::string("[]")
                              : fmt::format("[\"{}\"]", fmt::join(node.features, "\", \"")),
        fmt::join(node.partitions, "\", \""), words(state, version), flags));
  }
  return fmt::format(R"({{"nodes": [{}], "meta": {{"slurm": {{}}}}}})", fmt::join(out, ",\n"));
}

std::string squeue_json_of(const SlurmCluster& cluster, SlurmVersion version) {
  std::vector<std::string> out;
  std::vector<std::int64_t> next(cluster.nodes.size(), 0);
  // Jobs of which only the number of cpus is known get what is left: the others are written first.
  std::vector<const ClusterJobCase*> jobs;
  for (const bool by_core : {true, false}) {
    for (const ClusterJobCase& job : cluster.jobs) {
      if (!job.over && (job.running && job.by_core) == by_core) jobs.push_back(&job);
    }
  }
  for (const ClusterJobCase* at : jobs) {
    const ClusterJobCase& job = *at;
    std::string text = fmt::format(
        R"({{"job_id": {}, "job_state": {}, "partition": "{}", "user_name": "u", "time_limit": {}, )"
        R"("submit_time": {}, "node_count": {}, "cpus": {}, "tasks": {})",
        job.id, words({job.running ? "RUNNING" : "PENDING"}, version), cluster.partitions[job.kind],
        number(job.minutes, version), number(kListMade_s - 100, version),
        number(job.node_count, version), number(job.cpus_of_node * job.node_count, version),
        number(job.tasks_of_node * job.node_count, version));
    if (job.running) {
      text += fmt::format(R"(, "nodes": "{}", "start_time": {}, "end_time": {})",
                          nodes_of(cluster, job), number(kListMade_s - 60, version),
                          number(kListMade_s - 60 + job.minutes * 60, version));
      const bool only_cpus = version == SlurmVersion::v39 && !job.by_core && job.gpus_of_node == 0;
      if (!only_cpus) {
        text += R"(, "job_resources": )" + job_resources(cluster, job, version, next);
      }
      if (job.gpus_of_node > 0) {
        const std::vector<std::string> each(job.nodes.size(),
                                            fmt::format("gpu:{}", job.gpus_of_node));
        text += fmt::format(R"(, "gres_detail": ["{}"])", fmt::join(each, "\", \""));
      }
    } else {
      const std::string gres = gres_text(job);
      using Gres = ClusterJobCase::Gres;
      text += fmt::format(
          R"(, "nodes": "", "tres_per_node": "{}", "tres_per_job": "{}", "tres_per_task": "{}")",
          job.gres == Gres::of_node ? gres : "", job.gres == Gres::of_job ? gres : "",
          job.gres == Gres::of_task ? gres : "");
    }
    out.push_back(text + "}");
  }
  return fmt::format(R"({{"jobs": [{}], "last_update": {}, "meta": {{"slurm": {{}}}}}})",
                     fmt::join(out, ",\n"), number(kListMade_s, version));
}

std::string sacct_text_of(const SlurmCluster& cluster) {
  std::string out = "JobID|Partition|Submit|Start|End|Timelimit|NNodes|NCPUS|AllocTRES|State\n";
  for (const ClusterJobCase& job : cluster.jobs) {
    if (!job.over) continue;
    const std::int64_t gpus = job.gpus_of_node * job.node_count;
    out += fmt::format(
        "{}|{}|2026-11-26T08:00:00|2026-11-26T08:10:00|2026-11-26T08:20:00|{}:{:02}:00|{}|{}|"
        "cpu={}{}|COMPLETED\n",
        job.id, cluster.partitions[job.kind], job.minutes / 60, job.minutes % 60, job.node_count,
        job.cpus_of_node * job.node_count, job.cpus_of_node * job.node_count,
        gpus > 0 ? fmt::format(",gres/gpu={}", gpus) : "");
  }
  return out;
}

std::string sacct_json_of(const SlurmCluster& cluster, SlurmVersion version) {
  std::vector<std::string> out;
  for (const ClusterJobCase& job : cluster.jobs) {
    if (!job.over) continue;
    const std::int64_t gpus = job.gpus_of_node * job.node_count;
    out.push_back(fmt::format(
        R"({{"job_id": {}, "partition": "{}", "nodes": "x", "allocation_nodes": {}, "state": {{"current": {}}}, )"
        R"("time": {{"submission": 1000, "start": 1600, "end": 2200, "limit": {}}}, "required": {{"CPUs": {}}}, )"
        R"("tres": {{"allocated": [{{"type": "cpu", "name": "", "count": {}}}, {{"type": "node", "name": "", "count": {}}}{}]}}}})",
        job.id, cluster.partitions[job.kind], job.node_count, words({"COMPLETED"}, version),
        number(job.minutes, version), job.cpus_of_node * job.node_count,
        job.cpus_of_node * job.node_count, job.node_count,
        gpus > 0 ? fmt::format(R"(, {{"type": "gres", "name": "gpu", "count": {}}})", gpus) : ""));
  }
  return fmt::format(R"({{"jobs": [{}]}})", fmt::join(out, ",\n"));
}

}  // namespace copse::property
