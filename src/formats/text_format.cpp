// SPDX-License-Identifier: Apache-2.0
#include "formats/text_format.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/nearest_word.hpp"
#include "formats/slurm/jobs/slurm_accounting.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "text/json_text.hpp"
#include "text/split.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The members of a JSON object, one by one. What is not valid JSON has no further members.
class Members {
 public:
  // `object` begins with the brace, if it is one.
  explicit Members(std::string_view object) : rest_(object) {
    skip_blanks();
    if (rest_.starts_with('{')) {
      rest_.remove_prefix(1);
    } else {
      rest_ = {};
    }
  }

  // The next key, without its quotes; none at the end. value() then begins with its value.
  std::optional<std::string_view> next() {
    skip_value();
    skip_blanks();
    if (!rest_.starts_with('"')) return std::nullopt;
    const std::size_t end = string_end();
    const std::string_view key = rest_.substr(1, end < 2 ? 0 : end - 2);
    rest_.remove_prefix(end);
    skip_blanks();
    if (!rest_.starts_with(':')) return std::nullopt;
    rest_.remove_prefix(1);
    skip_blanks();
    at_value_ = true;
    return key;
  }
  [[nodiscard]] std::string_view value() const { return rest_; }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  }
  // Where the string that begins here ends: after its quote.
  [[nodiscard]] std::size_t string_end() const {
    for (std::size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == '"') return at + 1;
      if (rest_[at] == '\\') ++at;
    }
    return rest_.size();
  }
  void skip_value() {
    if (!at_value_) return;
    at_value_ = false;
    const char first = rest_.empty() ? '\0' : rest_.front();
    const std::size_t end = first == '{' || first == '[' ? json_value_end(rest_)
                            : first == '"'               ? string_end()
                                                         : rest_.find_first_of(",}");
    rest_.remove_prefix(std::min(end, rest_.size()));
    skip_blanks();
    if (rest_.starts_with(',')) {
      rest_.remove_prefix(1);
    } else {
      rest_ = {};
    }
  }

  std::string_view rest_;
  bool at_value_ = false;
};

bool has_key(std::string_view object, std::initializer_list<std::string_view> keys) {
  Members members(object);
  while (const auto key = members.next()) {
    if (std::ranges::find(keys, *key) != keys.end()) return true;
  }
  return false;
}

// The first entry of a list, "" if there is none.
std::string_view first_entry(std::string_view list) {
  if (!list.starts_with('[')) return {};
  list.remove_prefix(std::min(list.find_first_not_of(kBlanks, 1), list.size()));
  return list.starts_with('{') ? list : std::string_view();
}

// `members` is at the value of "jobs"; `slurm`: Slurm's meta was met before it.
TextFormat format_of_jobs(Members members, bool slurm) {
  const std::string_view job = first_entry(members.value());
  if (has_key(job, {"subtime"})) return TextFormat::batsim;
  if (has_key(job, {"job_state"})) return TextFormat::slurm_jobs;
  if (has_key(job, {"job_id"})) {
    return has_key(job, {"state", "time"}) ? TextFormat::slurm_accounting_json
                                           : TextFormat::slurm_jobs;
  }
  if (!job.empty()) return slurm ? TextFormat::slurm_jobs : TextFormat::flux_jobs;
  while (const auto key = members.next()) {
    slurm |= *key == "meta" && has_key(members.value(), {"slurm", "Slurm"});
  }
  return slurm ? TextFormat::slurm_jobs : TextFormat::flux_jobs;
}

TextFormat format_of_json(std::string_view text) {
  bool execution = false, graph_in_scheduling = false, stream = false, status = false,
       slurm = false;
  Members members(text);
  while (const auto key = members.next()) {
    if (*key == "graph") return TextFormat::jgf;
    const bool open =
        !execution && !graph_in_scheduling && !stream && members.value().starts_with('[');
    if (open && *key == "nodes") return TextFormat::slurm_nodes;
    if (open && *key == "jobs") return format_of_jobs(members, slurm);
    execution |= *key == "execution" || *key == "R_lite";
    graph_in_scheduling |= *key == "scheduling" && has_key(members.value(), {"graph"});
    stream |= *key == "R";
    status |= *key == "all" || *key == "allocated" || *key == "down";
    slurm |= *key == "sinfo" || *key == "partitions" ||
             (*key == "meta" && has_key(members.value(), {"slurm", "Slurm"}));
    if (execution && graph_in_scheduling) break;
  }
  return execution             ? (graph_in_scheduling ? TextFormat::r_with_graph : TextFormat::r)
         : graph_in_scheduling ? TextFormat::jgf
         : stream              ? TextFormat::r_stream
         : status              ? TextFormat::sched_status
         : slurm               ? TextFormat::slurm_other
                               : TextFormat::json;
}

// hwloc's first element is "topology"; before it may be declarations and comments.
TextFormat format_of_xml(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find('<'), text.size()));
    const std::string_view ends = text.starts_with("<!--") ? "-->" : ">";
    if (!text.starts_with("<?") && !text.starts_with("<!")) break;
    const std::size_t end = text.find(ends);
    text.remove_prefix(end == text.npos ? text.size() : end + ends.size());
  }
  constexpr std::string_view kTopology = "<topology";
  const bool hwloc = text.starts_with(kTopology) && text.size() > kTopology.size() &&
                     std::string_view(" \t\r\n/>").contains(text[kTopology.size()]);
  return hwloc ? TextFormat::hwloc : TextFormat::grug;
}

bool has_word(std::string_view line, std::string_view wanted) {
  while (!line.empty()) {
    if (same_word(xml::trimmed(take_part(line, ' ')), wanted)) return true;
  }
  return false;
}

// Neither XML nor JSON, from its first character that is no blank.
TextFormat format_of_lines(std::string_view text) {
  std::string_view rest = text;
  const std::string_view line = xml::trimmed(take_part(rest, '\n'));
  // squeue -l and sinfo -l have a line with the date before their table.
  const std::string_view second = xml::trimmed(take_part(rest, '\n'));
  const auto begins = [&](std::string_view word) {
    return line.size() > word.size() && same_word(line.substr(0, word.size()), word);
  };
  if (looks_like_slurm_accounting(text)) return TextFormat::slurm_accounting;
  if (begins("JOBID ") || second.starts_with("JOBID ")) return TextFormat::job_table;
  if (has_word(line, "NODELIST") || has_word(second, "NODELIST")) return TextFormat::node_table;
  if (begins("Configuration data as of")) return TextFormat::scontrol_config;
  if (begins("JobId=")) return TextFormat::scontrol_jobs;
  if (begins("ReservationName=")) return TextFormat::scontrol_other;
  const std::string_view head = text.substr(0, 4096);
  if (begins("NodeName=") && (head.contains("CPUAlloc=") || head.contains("CPUTot="))) {
    return TextFormat::scontrol_nodes;
  }
  if (begins("PartitionName=") && head.contains("TotalCPUs=")) return TextFormat::scontrol_other;
  return looks_like_slurm_conf(text) ? TextFormat::slurm_conf : TextFormat::other;
}

}  // namespace

TextFormat text_format(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (text.empty()) return TextFormat::empty;
  if (text.front() == '<') return format_of_xml(text);
  if (text.front() == '{') return format_of_json(text);
  if (text.front() == '[') return TextFormat::json;
  return format_of_lines(text);
}

bool is_job_list(TextFormat format) {
  constexpr std::array kLists{TextFormat::slurm_jobs, TextFormat::slurm_accounting_json,
                              TextFormat::flux_jobs, TextFormat::batsim};
  return std::ranges::find(kLists, format) != kLists.end();
}

bool is_machine(TextFormat format) {
  constexpr std::array kMachines{
      TextFormat::grug,         TextFormat::hwloc,       TextFormat::jgf,       TextFormat::r,
      TextFormat::r_with_graph, TextFormat::slurm_nodes, TextFormat::slurm_conf};
  return std::ranges::find(kMachines, format) != kMachines.end();
}

std::string_view why_not_read(TextFormat format) {
  switch (format) {
    case TextFormat::slurm_other:
      return "of Slurm's JSON only nodes and jobs are read: scontrol show nodes --json, squeue "
             "--json";
    case TextFormat::batsim:
      return "this is a workload of Batsim: docs/from/batsim.md says how to make job lines of it";
    case TextFormat::scontrol_nodes:
      return "this is scontrol show node: give scontrol show nodes --json, or slurm.conf";
    case TextFormat::scontrol_jobs:
      return "this is scontrol show job: give squeue --json, or sacct -P for past jobs";
    case TextFormat::scontrol_config:
      return "this is scontrol show config: give slurm.conf, or scontrol show nodes --json";
    case TextFormat::scontrol_other:
      return "this is text of scontrol: give slurm.conf, or scontrol show nodes --json";
    case TextFormat::job_table:
      return "this is a table for people: give the output of squeue --json, flux jobs --json or "
             "sacct -P";
    case TextFormat::node_table:
      return "this is a table for people: give slurm.conf, scontrol show nodes --json or R";
    default: return {};
  }
}

}  // namespace copse
