// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_conf.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "formats/slurm/gres/slurm_gres_conf.hpp"
#include "formats/slurm/slurm_hosts.hpp"
#include "formats/slurm/slurm_partitions.hpp"
#include "formats/slurm/slurm_settings.hpp"
#include "formats/slurm/slurm_sizes.hpp"
#include "formats/slurm/slurm_states.hpp"
#include "formats/slurm/slurm_topology.hpp"
#include "formats/slurm/slurm_values.hpp"
#include "text/split.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

constexpr std::array<std::string_view, 36> kNodeKeys{
    "NodeName",     "NodeHostname",   "NodeAddr",       "BcastAddr",
    "Boards",       "CoreSpecCount",  "CoresPerSocket", "CpuBind",
    "CPUs",         "CpuSpecList",    "Features",       "Feature",
    "Gres",         "MemSpecLimit",   "Port",           "Procs",
    "RealMemory",   "Reason",         "Sockets",        "SocketsPerBoard",
    "State",        "ThreadsPerCore", "TmpDisk",        "Topology",
    "Weight",       "Comment",        "Extra",          "InstanceId",
    "InstanceType", "Parameters",     "CertToken",      "RestrictedCoresPerGPU",
    "CoresPerGPU",  "GresTypes",      "GresConf",       "TRESWeights"};

constexpr std::size_t kRemarksMax = 64;

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
    for (const SlurmLine* line : down_) {
      if (auto ok = take_down(*line); !ok) return std::unexpected(ok.error());
    }
    if (auto ok = read_partitions(); !ok) return std::unexpected(ok.error());
    out_.settings = settings_of_queues(*lines);
    if (out_of_order_) out_.settings.others.emplace_back("Weight");
    std::ranges::sort(out_.settings.others);
    if (auto ignored = out_.settings.sentence(); !ignored.empty()) {
      out_.remarks.push_back(std::move(ignored));
    }
    for (std::string& unknown : unknown_partition_keys(*lines)) {
      out_.remarks.push_back(std::move(unknown));
    }
    out_.future.assign(future_.begin(), future_.end());
    return std::move(out_);
  }

 private:
  Result<void> read_partitions() {
    SlurmPartitions all(out_, numbers_, future_);
    for (const SlurmLine* line : sets_) {
      if (auto ok = all.add_set(*line); !ok) return ok;
    }
    for (const SlurmLine* line : partitions_) {
      if (auto ok = all.add(*line); !ok) return ok;
    }
    all.finish();
    return {};
  }

  // --- Nodes
  Result<void> read_nodes(const SlurmLine& line) {
    for (const SlurmSetting& setting : line.settings) {
      const bool known = std::ranges::any_of(
          kNodeKeys, [&](std::string_view key) { return same_key(key, setting.key); });
      if (known) continue;
      if (same_key(setting.key, "Name")) {
        return refuse(line,
                      "this is a line of gres.conf: give slurm.conf, with gres.conf in its folder");
      }
      return refuse(line, unknown_word("key of NodeName", setting.key, kNodeKeys));
    }
    const std::string& names = line.settings.front().value;
    if (same_key(names, "DEFAULT")) {
      node_defaults_.add(line);
      return {};
    }
    auto made = read_node(line);
    if (!made) return std::unexpected(made.error());
    auto hosts = hosts_of_list(names, line);
    if (!hosts) return std::unexpected(hosts.error());
    const std::string* state = node_defaults_.find(line, "State");
    if (state != nullptr && same_key(*state, "FUTURE")) {
      future_.insert(hosts->begin(), hosts->end());
      return {};
    }
    read_weight(line);
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

  Result<SlurmNode> read_node(const SlurmLine& line) {
    SlurmNode node;
    node.name = line.settings.front().value;
    SlurmSizes sizes;
    SlurmReserved reserved;
    std::optional<std::int64_t> procs, memory_mb, cores, system_mb;
    for (const auto& [key, to] : {std::pair{"CPUs", &sizes.cpus},
                                  {"Procs", &procs},
                                  {"Boards", &sizes.boards},
                                  {"SocketsPerBoard", &sizes.sockets_per_board},
                                  {"Sockets", &sizes.sockets},
                                  {"CoresPerSocket", &sizes.cores},
                                  {"ThreadsPerCore", &sizes.threads},
                                  {"RealMemory", &memory_mb},
                                  {"CoreSpecCount", &cores},
                                  {"MemSpecLimit", &system_mb}}) {
      if (auto ok = read_number(line, key, *to); !ok) return std::unexpected(ok.error());
    }
    if (!sizes.cpus) sizes.cpus = procs;
    node.memory_mb = memory_mb.value_or(0);
    reserved.cores = cores.value_or(0);
    reserved.memory_mb = system_mb.value_or(0);
    if (const std::string* cpus = node_defaults_.find(line, "CpuSpecList")) reserved.cpus = *cpus;
    const auto reset = set_sizes(node, sizes);
    if (!reset) return at(line, reset.error());
    for (const std::string& text : *reset) remark(line, text);
    for (const std::string& text : reserve(node, reserved)) remark(line, text);
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
    const std::string* reason = node_defaults_.find(line, "Reason");
    if (state != nullptr && !find_slurm_node_state(*state)) {
      return refuse(line, unknown_slurm_state(*state));
    }
    if (state != nullptr) take_state(node, *state, reason);
    return node;
  }

  // Slurm fills nodes of less weight first; policies can do so in the order of the lines.
  void read_weight(const SlurmLine& line) {
    const std::string* text = node_defaults_.find(line, "Weight");
    const auto weight = text == nullptr ? 1 : parse_slurm_number(*text).value_or(INT64_MAX);
    out_of_order_ |= weight < heaviest_;
    heaviest_ = std::max(heaviest_, weight);
  }

  static void take_state(SlurmNode& node, const std::string& state, const std::string* reason) {
    const SlurmNodeState& known = *find_slurm_node_state(state);
    node.down = known.now == SlurmNodeState::Now::down && known.word != "UNKNOWN";
    node.reason = node.down && reason != nullptr ? *reason : "";
  }

  // A line of DownNodes says the state of nodes that other lines describe; without a state: DOWN.
  Result<void> take_down(const SlurmLine& line) {
    const auto hosts = hosts_of_list(line.settings.front().value, line);
    if (!hosts) return std::unexpected(hosts.error());
    const std::string* given = line.find("State");
    const std::string state = given == nullptr ? "DOWN" : *given;
    if (!find_slurm_node_state(state)) {
      remark(line, unknown_slurm_state(state) + "; the line is ignored, as in Slurm");
      return {};
    }
    std::string_view first_unknown;
    std::size_t unknown = 0;
    for (const std::string& host : *hosts) {
      const auto node = numbers_.find(host);
      if (node != numbers_.end()) {
        if (same_key(state, "UNKNOWN")) continue;  // it stays what it is
        take_state(out_.nodes[node->second], state, line.find("Reason"));
      } else if (!future_.contains(host) && unknown++ == 0) {
        first_unknown = host;
      }
    }
    if (unknown > 0) {
      remark(line, fmt::format("no line describes node {}{} of DownNodes: ignored, as in Slurm",
                               first_unknown, more_nodes(unknown - 1)));
    }
    return {};
  }

  Result<void> read_number(const SlurmLine& line, std::string_view key,
                           std::optional<std::int64_t>& to) const {
    const std::string* text = node_defaults_.find(line, key);
    if (text == nullptr) return {};
    const auto number = parse_slurm_number(*text);
    if (!number) {
      return refuse(line, fmt::format("{} is {}, not a whole number", key, xml::quoted(*text)));
    }
    to = number;
    return {};
  }

  void remark(const SlurmLine& line, std::string text) {
    if (out_.remarks.size() == kRemarksMax) text = "there are more remarks, which are left out";
    if (out_.remarks.size() > kRemarksMax) return;
    out_.remarks.push_back(Error{ErrorCode::invalid, std::move(text), line.place}.message());
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
  SlurmDefaults node_defaults_;
  std::unordered_map<std::string, std::size_t> numbers_;  // of nodes, by name
  std::set<std::string> future_;
  std::int64_t heaviest_ = 0;  // the largest Weight so far
  bool out_of_order_ = false;  // a later line has less
  std::vector<const SlurmLine*> sets_, partitions_, down_;
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

}  // namespace copse
