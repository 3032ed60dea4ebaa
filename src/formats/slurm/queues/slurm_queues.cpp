// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/queues/slurm_queues.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "formats/slurm/slurm_values.hpp"
#include "text/split.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

std::unexpected<Error> wrong(const SlurmLine& line, std::string_view key, std::string_view value,
                             std::string_view what) {
  return fail(ErrorCode::invalid, fmt::format("{} is {}, not {}", key, xml::quoted(value), what),
              line.place);
}

// As TOML and YAML have it.
std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

struct Partition {
  std::string name;
  std::int64_t most_s = kSlurmNoLimit_s, usual_s = kSlurmNoLimit_s;
  std::optional<std::int64_t> nodes_min{}, nodes_max{};
  std::vector<std::string> groups{};
  std::optional<std::int64_t> memory_of_cpu_mb{}, memory_of_node_mb{};
  bool whole_nodes = false;  // OverSubscribe=EXCLUSIVE
  std::int64_t tier = 1, factor = 1;
  bool of_jobs_without = false;  // Default=YES
};

// The last value of settings of the whole cluster; lines of other kinds begin with another key.
class ClusterSettings {
 public:
  explicit ClusterSettings(const std::vector<SlurmLine>& lines) : lines_(lines) {}

  [[nodiscard]] const SlurmLine* line(std::string_view key) const {
    const SlurmLine* out = nullptr;
    for (const SlurmLine& line : lines_) {
      if (same_key(line.settings.front().key, key)) out = &line;
    }
    return out;
  }
  [[nodiscard]] std::string text(std::string_view key) const {
    const SlurmLine* at = line(key);
    return at == nullptr ? "" : at->settings.front().value;
  }
  // Errors: invalid. 0: it is not set.
  [[nodiscard]] Result<std::int64_t> number(std::string_view key) const {
    const SlurmLine* at = line(key);
    if (at == nullptr) return 0;
    const std::string& value = at->settings.front().value;
    if (same_key(value, "UNLIMITED")) return 0;
    if (const auto out = parse_slurm_number(value)) return *out;
    return wrong(*at, key, value, "a whole number");
  }
  [[nodiscard]] Result<std::int64_t> time_s(std::string_view key) const {
    const SlurmLine* at = line(key);
    if (at == nullptr) return 0;
    const std::string& value = at->settings.front().value;
    if (const auto out = parse_slurm_time(value)) return *out;
    return wrong(*at, key, value, "a time");
  }

 private:
  const std::vector<SlurmLine>& lines_;
};

class QueueWriter {
 public:
  QueueWriter(const std::vector<SlurmLine>& lines, const SlurmMachine& machine)
      : lines_(lines), hosts_(machine.hosts_of_partitions), cluster_(lines) {
    for (const SlurmNode& node : machine.nodes) {
      known_.insert(node.properties.begin(), node.properties.end());
    }
  }

  Result<std::string> write(std::string_view file) {
    for (const SlurmLine& line : lines_) {
      if (!same_key(line.settings.front().key, "PartitionName")) continue;
      if (auto ok = read(line); !ok) return std::unexpected(ok.error());
    }
    if (partitions_.empty()) {
      return fail(ErrorCode::invalid, "it has no partition with nodes, so there are no queues",
                  {std::string(file)});
    }
    out_ = fmt::format("# The partitions of {}.\n", file);
    for (const Partition& partition : partitions_) write(partition);
    if (auto ok = write_defaults(); !ok) return std::unexpected(ok.error());
    if (auto ok = write_scheduler(); !ok) return std::unexpected(ok.error());
    return std::move(out_);
  }

 private:
  // --- Partitions
  Result<void> read(const SlurmLine& line) {
    const std::string& name = line.settings.front().value;
    if (same_key(name, "DEFAULT")) {
      defaults_.add(line);
      return {};
    }
    if (!known_.contains(name)) return {};
    if (partitions_.size() == kSlurmPartitionsMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} partitions", kSlurmPartitionsMax),
                  line.place);
    }
    Partition out{.name = name};
    if (auto ok = read_times(line, out); !ok) return ok;
    if (auto ok = read_sizes(line, out); !ok) return ok;
    if (auto ok = read_priorities(line, out); !ok) return ok;
    if (auto ok = read_sharing(line, out); !ok) return ok;
    const std::string* groups = defaults_.find(line, "AllowGroups");
    if (groups != nullptr && !same_key(*groups, "ALL")) {
      for (std::string_view rest = *groups; !rest.empty();) {
        if (const auto group = take_part(rest, ','); !group.empty()) out.groups.emplace_back(group);
      }
    }
    const std::string* usual = defaults_.find(line, "Default");
    out.of_jobs_without = usual != nullptr && is_slurm_yes(*usual);
    // Of a partition with two lines, Slurm takes what the later one says.
    std::erase_if(partitions_, [&](const Partition& other) { return other.name == name; });
    partitions_.push_back(std::move(out));
    return {};
  }

  Result<void> read_times(const SlurmLine& line, Partition& out) const {
    for (const auto& [key, to] :
         {std::pair{"MaxTime", &out.most_s}, {"DefaultTime", &out.usual_s}}) {
      const std::string* text = defaults_.find(line, key);
      if (text == nullptr || (to == &out.usual_s && same_key(*text, "NONE"))) continue;
      const auto time_s = parse_slurm_time(*text);
      if (!time_s) return wrong(line, key, *text, "a time, such as 1-12:00:00");
      *to = *time_s;
    }
    // Slurm resets a default that is longer than the limit.
    const bool too_long = out.most_s != kSlurmNoLimit_s && out.usual_s > out.most_s;
    if (out.usual_s == kSlurmNoLimit_s || too_long) out.usual_s = out.most_s;
    return {};
  }

  Result<void> read_sizes(const SlurmLine& line, Partition& out) const {
    for (const auto& [key, to] :
         {std::pair{"MinNodes", &out.nodes_min}, {"MaxNodes", &out.nodes_max}}) {
      const std::string* text = defaults_.find(line, key);
      if (text == nullptr || same_key(*text, "UNLIMITED") || same_key(*text, "INFINITE")) continue;
      *to = parse_slurm_number(*text);
      if (!*to) return wrong(line, key, *text, "a number of nodes");
    }
    if (out.nodes_min && out.nodes_max && *out.nodes_min > *out.nodes_max) {
      return wrong(line, "MinNodes", std::to_string(*out.nodes_min),
                   fmt::format("at most MaxNodes, which is {}", *out.nodes_max));
    }
    return {};
  }

  // Priority is the older name of both, and counts more than these.
  Result<void> read_priorities(const SlurmLine& line, Partition& out) const {
    for (const auto& [key, to] : {std::pair{"PriorityTier", &out.tier},
                                  {"PriorityJobFactor", &out.factor},
                                  {"Priority", &out.tier},
                                  {"Priority", &out.factor}}) {
      const std::string* text = defaults_.find(line, key);
      if (text == nullptr) continue;
      const auto number = parse_slurm_number(*text);
      if (!number || *number > UINT16_MAX) {
        return wrong(line, key, *text, "a number up to 65535");
      }
      *to = *number;
    }
    return {};
  }

  // Shared is the older name of OverSubscribe.
  Result<void> read_sharing(const SlurmLine& line, Partition& out) const {
    for (const std::string_view key : {"Shared", "OverSubscribe"}) {
      const std::string* text = defaults_.find(line, key);
      if (text != nullptr) out.whole_nodes = same_key(*text, "EXCLUSIVE");
    }
    return read_memory(line, out);
  }

  // That of nodes counts more, even if only DEFAULT has it; if it is 0, that of the cluster counts.
  Result<void> read_memory(const SlurmLine& line, Partition& out) const {
    if (!consumes_memory(&line)) {
      if (consumes_memory()) out.memory_of_cpu_mb = 0;
      return {};
    }
    for (const auto& [key, to] : {std::pair{"DefMemPerNode", &out.memory_of_node_mb},
                                  {"DefMemPerCPU", &out.memory_of_cpu_mb}}) {
      const std::string* text = defaults_.find(line, key);
      if (text == nullptr) continue;
      const bool unlimited = same_key(*text, "UNLIMITED");
      *to = unlimited ? 0 : parse_slurm_number(*text);
      if (!*to) return wrong(line, key, *text, "a number of MB");
      if (to != &out.memory_of_node_mb) continue;
      if (**to == 0 && !unlimited) to->reset();
      break;
    }
    return {};
  }

  // Where memory is no consumable resource, jobs get none. DEFAULT does not count here.
  [[nodiscard]] bool consumes_memory(const SlurmLine* partition = nullptr) const {
    constexpr std::string_view kKey = "SelectTypeParameters";
    const std::string* own = partition == nullptr ? nullptr : partition->find(kKey);
    return slurm_consumes_memory(own == nullptr ? cluster_.text(kKey) : *own);
  }

  void write(const Partition& p) {
    const std::string name = toml_text(p.name);
    const auto hosts = hosts_.find(p.name);
    out_ += fmt::format("\n[queues.{}]\n", name);
    out_ += hosts == hosts_.end()
                ? fmt::format("requires = [{}]\n", name)
                : fmt::format("hosts = {}\n", toml_text(compress_hostlist(hosts->second)));
    if (p.most_s != kSlurmNoLimit_s || p.nodes_min || p.nodes_max) {
      out_ += fmt::format("[queues.{}.policy.limits]\n", name);
      if (p.most_s != kSlurmNoLimit_s) out_ += fmt::format("duration = {}\n", p.most_s);
      if (p.nodes_max) out_ += fmt::format("job-size.max.nnodes = {}\n", *p.nodes_max);
      if (p.nodes_min) out_ += fmt::format("job-size.min.nnodes = {}\n", *p.nodes_min);
    }
    std::string defaults = memory_lines(p.memory_of_cpu_mb, p.memory_of_node_mb);
    if (p.usual_s != kSlurmNoLimit_s) {
      defaults = fmt::format("duration = {}\n", p.usual_s) + defaults;
    }
    if (p.whole_nodes) defaults += "whole-nodes = true\n";
    if (!defaults.empty()) {
      out_ += fmt::format("[queues.{}.policy.jobspec.defaults.system]\n{}", name, defaults);
    }
    if (!p.groups.empty()) {
      out_ += fmt::format("[queues.{}.policy.access]\nallow-group = [", name);
      for (const std::string& group : p.groups) {
        if (&group != &p.groups.front()) out_ += ", ";
        out_ += toml_text(group);
      }
      out_ += "]\n";
    }
  }

  // Of both, that of nodes counts, as in Slurm. 0 undoes what all queues have.
  static std::string memory_lines(std::optional<std::int64_t> of_cpu_mb,
                                  std::optional<std::int64_t> of_node_mb) {
    if (of_node_mb.value_or(0) > 0) return fmt::format("memory-per-node = {}\n", *of_node_mb);
    if (of_cpu_mb) return fmt::format("memory-per-cpu = {}\n", *of_cpu_mb);
    return of_node_mb ? "memory-per-node = 0\n" : "";
  }

  // What all queues have. select/linear gives jobs whole nodes.
  Result<void> write_defaults() {
    const auto of_cpu_mb = cluster_.number("DefMemPerCPU"),
               of_node_mb = cluster_.number("DefMemPerNode");
    for (const auto* amount : {&of_cpu_mb, &of_node_mb}) {
      if (!*amount) return std::unexpected(amount->error());
    }
    std::string text;
    const auto at = std::ranges::find(partitions_, true, &Partition::of_jobs_without);
    if (at != partitions_.end()) text += fmt::format("queue = {}\n", toml_text(at->name));
    const bool gives = consumes_memory() && (*of_cpu_mb > 0 || *of_node_mb > 0);
    if (gives) text += memory_lines(*of_cpu_mb, *of_node_mb);
    if (same_key(cluster_.text("SelectType"), "select/linear")) text += "whole-nodes = true\n";
    if (!text.empty()) out_ += "\n[policy.jobspec.defaults.system]\n" + text;
    return {};
  }

  Result<void> write_scheduler() {
    // Slurm's backfill, its default, plans a start for every job that it looks at.
    const bool in_order = same_key(cluster_.text("SchedulerType"), "sched/builtin");
    std::string text = fmt::format("queue-policy = \"{}\"\n", in_order ? "fcfs" : "conservative");
    // Slurm's default is 1, and that of Copse 0: so all are written, or none.
    const bool tiered =
        std::ranges::any_of(partitions_, [](const Partition& p) { return p.tier != 1; });
    std::string tiers;
    for (const Partition& p : partitions_) {
      if (tiered) tiers += fmt::format("{}{}:{}", tiers.empty() ? "" : " ", p.name, p.tier);
    }
    if (!tiers.empty()) text += fmt::format("queue-priority-per-queue = {}\n", toml_text(tiers));
    auto priority = priority_table();
    if (!priority) return std::unexpected(priority.error());
    out_ += "\n[sched-copse]\n" + text + *priority;
    return {};
  }

  Result<std::string> priority_table() const {
    if (same_key(cluster_.text("PriorityType"), "priority/basic")) return "";
    const auto age = cluster_.number("PriorityWeightAge"),
               share = cluster_.number("PriorityWeightFairshare"),
               size = cluster_.number("PriorityWeightJobSize");
    for (const auto* weight : {&age, &share, &size}) {
      if (!*weight) return std::unexpected(weight->error());
    }
    auto of_queues = queue_weights();
    if (!of_queues) return of_queues;
    if (*age == 0 && *share == 0 && *size == 0 && of_queues->empty()) return "";
    const bool small_first = is_slurm_yes(cluster_.text("PriorityFavorSmall"));
    std::string text = fmt::format(
        "\n[sched-copse.priority]\nrule = \"multifactor\"\nage = {}\nfair-share = {}\nsize = {}\n",
        *age, *share, small_first ? -*size : *size);
    for (const auto& [key, name] : {std::pair{"PriorityMaxAge", "age-max"},
                                    {"PriorityDecayHalfLife", "half-life"},
                                    {"PriorityCalcPeriod", "period"}}) {
      const auto time_s = cluster_.time_s(key);
      if (!time_s) return std::unexpected(time_s.error());
      if (*time_s > 0) text += fmt::format("{} = {}\n", name, *time_s);
    }
    return text + *of_queues;
  }

  Result<std::string> queue_weights() const {
    const auto weight = cluster_.number("PriorityWeightPartition");
    if (!weight) return std::unexpected(weight.error());
    const std::int64_t most = std::ranges::max(partitions_, {}, &Partition::factor).factor;
    if (*weight == 0 || most == 0) return "";
    std::string list;
    for (const Partition& p : partitions_) {
      list += fmt::format(
          "{}{} = {}", list.empty() ? "" : ", ", toml_text(p.name),
          static_cast<double>(*weight) * static_cast<double>(p.factor) / static_cast<double>(most));
    }
    return fmt::format("queues = {{ {} }}\n", list);
  }

  const std::vector<SlurmLine>& lines_;
  std::set<std::string> known_{};  // partitions with nodes
  const std::map<std::string, std::vector<std::string>>& hosts_;
  ClusterSettings cluster_;
  SlurmDefaults defaults_;
  std::vector<Partition> partitions_;
  std::string out_;
};

// NAME, NAME:COUNT or NAME*COUNT, separated by commas or semicolons.
Result<std::string> licences_of(const SlurmLine& line, const std::string& hosts) {
  std::string out;
  std::set<std::string> names;
  std::string text = line.settings.front().value;
  std::ranges::replace(text, ';', ',');
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view item = take_part(rest, ',');
    if (item.empty()) continue;
    const auto split = item.find_first_of(":*");
    const std::string name(item.substr(0, split));
    const auto count = split == item.npos ? 1 : parse_slurm_number(item.substr(split + 1));
    if (name.empty() || !count) {
      return wrong(line, "Licenses", item, "a licence, such as matlab:4");
    }
    if (!names.insert(name).second) return wrong(line, "Licenses", item, "named once");
    out +=
        fmt::format("- resource: {}\n  mode: MODE_1\n  layers:\n    - {{nodes: {}, count: {}}}\n",
                    toml_text(name), toml_text(hosts), *count);
  }
  return out;
}

}  // namespace

Result<std::string> slurm_queues_toml(std::string_view text, std::string_view file,
                                      const SlurmFiles& files) {
  const auto machine = read_slurm_conf(text, file, files);
  if (!machine) return std::unexpected(machine.error());
  const auto lines = read_slurm_lines(text, file, files);
  if (!lines) return std::unexpected(lines.error());
  return QueueWriter(*lines, *machine).write(file);
}

Result<std::string> slurm_licences_yaml(std::string_view text, std::string_view file,
                                        const SlurmFiles& files) {
  const auto machine = read_slurm_conf(text, file, files);
  if (!machine) return std::unexpected(machine.error());
  const auto lines = read_slurm_lines(text, file, files);
  if (!lines) return std::unexpected(lines.error());
  const SlurmLine* licences = ClusterSettings(*lines).line("Licenses");
  if (licences == nullptr || licences->settings.front().value.empty()) {
    return fail(ErrorCode::invalid, "it has no Licenses, so there are no hierarchical resources",
                {std::string(file)});
  }
  std::vector<std::string> hosts;
  hosts.reserve(machine->nodes.size());
  for (const SlurmNode& node : machine->nodes) hosts.push_back(node.name);
  return licences_of(*licences, compress_hostlist(hosts));
}

}  // namespace copse
