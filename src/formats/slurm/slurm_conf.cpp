// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_conf.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "base/scan_text.hpp"
#include "formats/slurm/slurm_gres_conf.hpp"
#include "formats/slurm/slurm_hosts.hpp"
#include "formats/slurm/slurm_states.hpp"
#include "text/split.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

constexpr std::array<std::string_view, 34> kNodeKeys{
    "NodeName",     "NodeHostname",   "NodeAddr",       "BcastAddr",
    "Boards",       "CoreSpecCount",  "CoresPerSocket", "CpuBind",
    "CPUs",         "CpuSpecList",    "Features",       "Feature",
    "Gres",         "MemSpecLimit",   "Port",           "Procs",
    "RealMemory",   "Reason",         "Sockets",        "SocketsPerBoard",
    "State",        "ThreadsPerCore", "TmpDisk",        "Topology",
    "Weight",       "Comment",        "Extra",          "InstanceId",
    "InstanceType", "Parameters",     "CertToken",      "RestrictedCoresPerGPU",
    "CoresPerGPU",  "GresTypes"};

constexpr std::array<std::string_view, 6> kSwitchKeys{"SwitchName", "BlockName", "Nodes",
                                                      "Switches",   "LinkSpeed", "BlockSizes"};

using Hosts = std::vector<std::string>;

// What several lines of a kind have in common: lines of DEFAULT say what later ones leave out.
class Defaults {
 public:
  const std::string* find(const SlurmLine& line, std::string_view key) const {
    if (const std::string* value = line.find(key)) return value;
    const auto at = std::ranges::find_if(
        settings_, [&](const auto& setting) { return same_key(setting.key, key); });
    return at == settings_.end() ? nullptr : &at->value;
  }
  void add(const SlurmLine& line) {
    for (const SlurmSetting& setting : line.settings) {
      std::erase_if(settings_, [&](const auto& old) { return same_key(old.key, setting.key); });
      settings_.push_back(setting);
    }
  }

 private:
  std::vector<SlurmSetting> settings_;
};

Result<Hosts> hosts_of(const std::string& text, const SlurmLine& line) {
  auto hosts = expand_hostlist(text, kSlurmNodesMax);
  if (!hosts) return fail(hosts.error().code, hosts.error().text, line.place);
  return hosts;
}

class ConfReader {
 public:
  Result<SlurmMachine> read(std::string_view text, std::string_view file, const SlurmFiles& files) {
    const auto lines = read_slurm_lines(text, file, files);
    if (!lines) return std::unexpected(lines.error());
    for (const SlurmLine& line : *lines) {
      const std::string& first = line.settings.front().key;
      Result<void> ok{};
      if (same_key(first, "NodeName")) ok = read_nodes(line);
      if (same_key(first, "NodeSet")) sets_.push_back(&line);
      if (same_key(first, "PartitionName")) partitions_.push_back(&line);
      if (same_key(first, "DownNodes")) down_.push_back(&line);
      if (same_key(first, "ClusterName")) out_.cluster = line.settings.front().value;
      if (!ok) return std::unexpected(ok.error());
    }
    if (out_.nodes.empty()) {
      return fail(ErrorCode::invalid, "no line of NodeName describes a node", {std::string(file)});
    }
    if (auto ok = expand_sets(); !ok) return std::unexpected(ok.error());
    for (const SlurmLine* line : down_) {
      if (auto ok = take_down(*line); !ok) return std::unexpected(ok.error());
    }
    for (const SlurmLine* line : partitions_) {
      if (auto ok = read_partition(*line); !ok) return std::unexpected(ok.error());
    }
    add_remark();
    out_.future.assign(future_.begin(), future_.end());
    return std::move(out_);
  }

 private:
  // --- Nodes
  Result<void> read_nodes(const SlurmLine& line) {
    for (const SlurmSetting& setting : line.settings) {
      const bool known = std::ranges::any_of(
          kNodeKeys, [&](std::string_view key) { return same_key(key, setting.key); });
      if (!known) return refuse(line, unknown_word("key of NodeName", setting.key, kNodeKeys));
    }
    const std::string& names = line.settings.front().value;
    if (same_key(names, "DEFAULT")) {
      node_defaults_.add(line);
      return {};
    }
    auto made = read_node(line);
    if (!made) return std::unexpected(made.error());
    auto hosts = hosts_of(names, line);
    if (!hosts) return std::unexpected(hosts.error());
    const std::string* state = node_defaults_.find(line, "State");
    if (state != nullptr && same_key(*state, "FUTURE")) {
      future_.insert(hosts->begin(), hosts->end());
      return {};
    }
    if (out_.nodes.size() + hosts->size() > kSlurmNodesMax) {
      return refuse(line, fmt::format("more than {} nodes", kSlurmNodesMax), ErrorCode::limit);
    }
    for (std::string& host : *hosts) {
      if (!numbers_.emplace(host, out_.nodes.size()).second) {
        return refuse(line, fmt::format("node {} is described twice", host));
      }
      out_.nodes.push_back(*made);
      out_.nodes.back().name = std::move(host);
    }
    return {};
  }

  Result<SlurmNode> read_node(const SlurmLine& line) const {
    SlurmNode node;
    node.name = line.settings.front().value;
    SlurmSizes sizes;
    SlurmReserved reserved;
    for (const auto& [key, to] : {std::pair{"CPUs", &sizes.cpus},
                                  {"Procs", &sizes.cpus},
                                  {"Boards", &sizes.boards},
                                  {"SocketsPerBoard", &sizes.sockets_per_board},
                                  {"Sockets", &sizes.sockets},
                                  {"CoresPerSocket", &sizes.cores},
                                  {"ThreadsPerCore", &sizes.threads},
                                  {"RealMemory", &node.memory_mb},
                                  {"CoreSpecCount", &reserved.cores},
                                  {"MemSpecLimit", &reserved.memory_mb}}) {
      if (auto ok = read_number(line, key, *to); !ok) return std::unexpected(ok.error());
    }
    if (const std::string* cpus = node_defaults_.find(line, "CpuSpecList")) reserved.cpus = *cpus;
    if (auto ok = set_sizes(node, sizes); !ok) return at(line, ok.error());
    if (auto ok = check_cpus(node, sizes.cpus); !ok) return at(line, ok.error());
    if (auto ok = reserve(node, reserved); !ok) return at(line, ok.error());
    if (const std::string* gres = node_defaults_.find(line, "Gres")) {
      auto parsed = parse_gres(*gres);
      if (!parsed) return at(line, parsed.error());
      node.gres = std::move(*parsed);
    }
    for (const std::string_view key : {"Features", "Feature"}) {
      if (const std::string* words = node_defaults_.find(line, key)) {
        add_words(node.properties, *words);
      }
    }
    const std::string* state = node_defaults_.find(line, "State");
    if (state != nullptr && !is_slurm_node_state(*state)) {
      return refuse(line, unknown_slurm_state(*state));
    }
    node.down = state != nullptr && is_down(*state);
    return node;
  }

  static bool is_down(const std::string& state) {
    return std::ranges::any_of(
        std::array<std::string_view, 6>{"DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING"},
        [&](std::string_view word) { return same_key(word, state); });
  }

  // A line of DownNodes says the state of nodes that other lines describe; without a state: DOWN.
  Result<void> take_down(const SlurmLine& line) {
    const auto hosts = hosts_of(line.settings.front().value, line);
    if (!hosts) return std::unexpected(hosts.error());
    const std::string* state = line.find("State");
    if (state != nullptr && !is_slurm_node_state(*state)) {
      return refuse(line, unknown_slurm_state(*state));
    }
    const bool down = state == nullptr || is_down(*state);
    for (const std::string& host : *hosts) {
      const auto node = numbers_.find(host);
      if (node != numbers_.end()) {
        out_.nodes[node->second].down = down;
      } else if (!future_.contains(host)) {
        return refuse(line,
                      fmt::format("DownNodes has the node {}, which no line describes", host));
      }
    }
    return {};
  }

  Result<void> read_number(const SlurmLine& line, std::string_view key, std::int64_t& to) const {
    const std::string* text = node_defaults_.find(line, key);
    if (text == nullptr) return {};
    const auto number = parse_number<std::int64_t>(*text);
    to = number.value_or(to);
    if (number && to == 0 && is_size(key)) {
      return refuse(line, fmt::format("{} is 0; a node has one at least", key));
    }
    if (number && to >= 0 && to <= INT64_C(1) << 40) return {};
    return refuse(line, fmt::format("{} is {}, not a whole number", key, xml::quoted(*text)));
  }

  static bool is_size(std::string_view key) {
    constexpr std::array<std::string_view, 3> kMayBeZero{"RealMemory", "CoreSpecCount",
                                                         "MemSpecLimit"};
    return std::ranges::find(kMayBeZero, key) == kMayBeZero.end();
  }

  // --- Sets and partitions
  Result<void> expand_sets() {
    for (const SlurmLine* line : sets_) {
      Hosts& hosts = named_sets_[line->settings.front().value];
      if (const std::string* nodes = line->find("Nodes")) {
        auto more = hosts_of(*nodes, *line);
        if (!more) return std::unexpected(more.error());
        hosts.insert(hosts.end(), more->begin(), more->end());
      }
      if (const std::string* feature = line->find("Feature")) {
        for (const SlurmNode& node : out_.nodes) {
          if (std::ranges::find(node.properties, *feature) != node.properties.end()) {
            hosts.push_back(node.name);
          }
        }
      }
    }
    return {};
  }

  Result<void> read_partition(const SlurmLine& line) {
    const std::string& name = line.settings.front().value;
    if (same_key(name, "DEFAULT")) {
      partition_defaults_.add(line);
      return {};
    }
    const std::string* nodes = partition_defaults_.find(line, "Nodes");
    if (nodes == nullptr || nodes->empty()) return {};
    if (same_key(*nodes, "ALL")) {
      for (const SlurmNode& node : out_.nodes) add_to(node.name, name);
      return {};
    }
    const auto hosts = hosts_of(*nodes, line);
    if (!hosts) return std::unexpected(hosts.error());
    for (const std::string& host : *hosts) {
      const auto set = named_sets_.find(host);
      const auto node = numbers_.find(host);
      if (set != named_sets_.end()) {
        for (const std::string& member : set->second) add_to(member, name);
      } else if (node != numbers_.end()) {
        add_to(host, name);
      } else if (!future_.contains(host)) {
        return refuse(
            line, fmt::format("partition {} has the node {}, which no line describes", name, host));
      }
    }
    return {};
  }

  void add_to(const std::string& host, const std::string& partition) {
    const auto node = numbers_.find(host);
    if (node == numbers_.end()) return;
    add_words(out_.nodes[node->second].properties, partition);
    in_partitions_.insert(host);
  }

  // Slurm runs no jobs on nodes without a partition, such as login nodes.
  void add_remark() {
    std::vector<std::string> others;
    for (const SlurmNode& node : out_.nodes) {
      if (!in_partitions_.contains(node.name)) others.push_back(node.name);
    }
    if (in_partitions_.empty() || others.empty()) return;
    out_.remarks.push_back(
        fmt::format("{} {} in no partition, and used like other nodes: queues with \"requires\" or "
                    "\"hosts\" leave {} out",
                    compress_hostlist(others), others.size() == 1 ? "is" : "are",
                    others.size() == 1 ? "it" : "them"));
  }

  static std::unexpected<Error> refuse(const SlurmLine& line, std::string text,
                                       ErrorCode code = ErrorCode::invalid) {
    return fail(code, std::move(text), line.place);
  }
  static std::unexpected<Error> at(const SlurmLine& line, Error error) {
    error.place = line.place;
    return std::unexpected(std::move(error));
  }

  SlurmMachine out_;
  Defaults node_defaults_, partition_defaults_;
  std::unordered_map<std::string, std::size_t> numbers_;  // of nodes, by name
  std::set<std::string> future_, in_partitions_;
  std::vector<const SlurmLine*> sets_, partitions_, down_;
  std::map<std::string, Hosts> named_sets_;
};

}  // namespace

bool looks_like_slurm_conf(std::string_view text) {
  text = text.substr(0, 1U << 16);
  while (!text.empty()) {
    const std::string_view line = xml::trimmed(take_part(text, '\n'));
    const std::string_view key =
        xml::trimmed(line.substr(0, std::min(line.find('='), line.size())));
    for (const std::string_view known :
         {"NodeName", "ClusterName", "PartitionName", "SlurmctldHost", "ControlMachine"}) {
      if (same_key(key, known)) return true;
    }
  }
  return false;
}

Result<SlurmMachine> read_slurm_conf(std::string_view text, std::string_view file,
                                     const SlurmFiles& files) {
  auto machine = ConfReader().read(text, file, files);
  if (!machine || !files) return machine;
  const auto topology = files("topology.conf");
  if (!topology) return std::unexpected(topology.error());
  if (*topology) {
    if (auto ok = read_slurm_topology(**topology, "topology.conf", *machine); !ok) {
      return std::unexpected(ok.error());
    }
  }
  const auto yaml = files("topology.yaml");
  if (!yaml) return std::unexpected(yaml.error());
  if (*yaml && !*topology) {
    machine->remarks.push_back(
        "topology.yaml: it is not read; `scontrol show topology` writes lines for topology.conf");
  }
  const auto gres = files("gres.conf");
  if (!gres) return std::unexpected(gres.error());
  if (*gres) {
    if (auto ok = read_slurm_gres_conf(**gres, "gres.conf", *machine, files); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return machine;
}

Result<void> read_slurm_topology(std::string_view text, std::string_view file, SlurmMachine& to) {
  const auto lines = read_slurm_lines(text, file);
  if (!lines) return std::unexpected(lines.error());
  const SlurmHosts known(to);
  for (const SlurmLine& line : *lines) {
    const std::string& key = line.settings.front().key;
    const bool block = same_key(key, "BlockName");
    if (!block && !same_key(key, "SwitchName")) continue;
    if (to.switches.size() == kSlurmSwitchesMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} switches", kSlurmSwitchesMax),
                  line.place);
    }
    for (const SlurmSetting& setting : line.settings) {
      const bool is_known = std::ranges::any_of(
          kSwitchKeys, [&](std::string_view name) { return same_key(name, setting.key); });
      if (is_known) continue;
      return fail(ErrorCode::invalid,
                  unknown_word(fmt::format("key of {}", key), setting.key, kSwitchKeys),
                  line.place);
    }
    SlurmSwitch made{line.settings.front().value, block ? "block" : "switch", {}, {}, line.place};
    for (const auto& [name, hosts] :
         {std::pair{"Nodes", &made.nodes}, {"Switches", &made.switches}}) {
      const std::string* list = line.find(name);
      if (list == nullptr) continue;
      auto expanded = hosts_of(*list, line);
      if (!expanded) return std::unexpected(expanded.error());
      *hosts = std::move(*expanded);
    }
    if (const std::string unknown = known.find(made.nodes).unknown_text(); !unknown.empty()) {
      to.remarks.push_back(Error{ErrorCode::not_found, unknown, line.place}.message());
    }
    to.switches.push_back(std::move(made));
  }
  return {};
}

}  // namespace copse
