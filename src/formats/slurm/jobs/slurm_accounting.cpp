// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/jobs/slurm_accounting.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "base/nearest_word.hpp"
#include "base/scan_text.hpp"
#include "base/utf8.hpp"
#include "formats/slurm/gres/slurm_gres.hpp"
#include "formats/slurm/jobs/slurm_waiting.hpp"
#include "formats/slurm/slurm_values.hpp"
#include "text/counted.hpp"
#include "text/split.hpp"

namespace copse {

namespace {

constexpr std::size_t kAccountLineBytesMax = 1U << 20;
constexpr std::int64_t kArrayMax = 1'000'000;
constexpr std::int64_t kUnitsOfJobMax = INT64_C(1) << 40;

// Columns that are read; of several with the same meaning, the first that exists.
enum Column : std::size_t {
  kJobId,
  kSubmitted,
  kStarted,
  kEnded,
  kLimit,
  kLimitRaw,
  kState,
  kUserName,
  kPartitionName,
  kPriority,
  kConstraints,
  kNNodes,
  kAllocNodes,
  kReqNodes,
  kAllocCpus,
  kNCpus,
  kReqCpus,
  kAllocTres,
  kReqTres,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kColumnNames{
    "JobID",     "Submit",    "Start",    "End",         "Timelimit", "TimelimitRaw", "State",
    "User",      "Partition", "Priority", "Constraints", "NNodes",    "AllocNodes",   "ReqNodes",
    "AllocCPUS", "NCPUS",     "ReqCPUS",  "AllocTRES",   "ReqTRES"};

// Of a job that has what it was given.
constexpr std::array<std::string_view, 4> kRuns{"RUNNING", "COMPLETING", "SUSPENDED", "RESIZING"};

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

std::optional<std::size_t> column_of(std::string_view name) {
  const std::string wanted = lower_case(name);
  for (std::size_t c = 0; c < kColumns; ++c) {
    if (lower_case(kColumnNames[c]) == wanted) return c;
  }
  return std::nullopt;
}

std::string_view next_line(std::string_view& rest) {
  std::string_view out = take_part(rest, '\n');
  if (out.ends_with('\r')) out.remove_suffix(1);
  return out;
}

bool says_nothing(std::string_view text) {
  constexpr std::array<std::string_view, 6> kNothing{"",    "Unknown", "None",
                                                     "N/A", "(null)",  "INVALID"};
  return std::ranges::find(kNothing, text) != kNothing.end();
}

class AccountingReader {
 public:
  AccountingReader(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  Result<ClusterJobs> read() {
    while (!rest_.empty()) {
      const std::string_view line = next_line(rest_);
      ++number_;
      // Dumps that were put together have their names again.
      if (line.find_first_not_of(" \t") == line.npos || line == names_) continue;
      auto ok = line.size() > kAccountLineBytesMax
                    ? fail(ErrorCode::limit,
                           fmt::format("a line of more than {} bytes", kAccountLineBytesMax))
                : first_invalid_utf8(line) != line.npos
                    ? fail(ErrorCode::invalid, "this is not UTF-8")
                : places_.empty() ? read_names(line)
                                  : read_job(line);
      if (ok) continue;
      ok.error().place = {std::string(file_), number_, 0};
      return std::unexpected(std::move(ok.error()));
    }
    if (places_.empty()) {
      return fail(ErrorCode::invalid, "there is no line of names, as sacct -P writes it",
                  {std::string(file_), 1, 0});
    }
    remark(ends_early_, "ends before it starts", "end before they start");
    remark(starts_early_, "starts before it was submitted", "start before they were submitted");
    if (auto ok = check_job_ids(out_, file_, lines_); !ok) return std::unexpected(ok.error());
    return std::move(out_);
  }

 private:
  // Jobs whose times contradict each other.
  struct LeftOut {
    std::uint64_t jobs = 0;
    std::uint32_t first = 0;  // its line
  };

  Result<void> leave_out(LeftOut& of) {
    ++out_.skipped;
    if (of.jobs++ == 0) of.first = number_;
    return {};
  }
  void remark(const LeftOut& of, std::string_view one, std::string_view many) {
    if (of.jobs == 0) return;
    out_.remarks.push_back(of.jobs == 1
                               ? fmt::format("1 job {}, in line {}: it is left out", one, of.first)
                               : fmt::format("{} jobs {}, the first in line {}: they are left out",
                                             of.jobs, many, of.first));
  }

  Result<void> read_names(std::string_view line) {
    line_of_names_ = number_;
    names_ = line;
    std::array<bool, kColumns> there{};
    while (!line.empty()) {
      const auto column = column_of(take_part(line, '|'));
      if (column && there[*column]) {
        return fail(ErrorCode::invalid,
                    fmt::format("there are two columns {}", kColumnNames[*column]));
      }
      if (column) there[*column] = true;
      places_.push_back(column);
    }
    const auto none_of = [&](std::initializer_list<Column> columns) {
      return std::ranges::none_of(columns, [&](Column c) { return there[c]; });
    };
    for (const Column needed : {kJobId, kSubmitted}) {
      if (!there[needed]) return no_column(kColumnNames[needed]);
    }
    if (none_of(
            {kNNodes, kAllocNodes, kReqNodes, kAllocCpus, kNCpus, kReqCpus, kAllocTres, kReqTres}))
      return no_column("NNodes or NCPUS");
    has_times_ = there[kStarted] && there[kEnded];
    return {};
  }

  static std::unexpected<Error> no_column(std::string_view name) {
    return fail(ErrorCode::invalid,
                fmt::format("there is no column {}: run sacct -P -o "
                            "JobID,Submit,Start,End,Timelimit,NNodes,NCPUS,State",
                            name));
  }

  Result<void> read_job(std::string_view line) {
    fields_.fill({});
    bool first = true;
    std::size_t at = 0;
    for (; first || !line.empty(); ++at, first = false) {
      const std::string_view field = take_part(line, '|');
      if (at < places_.size() && places_[at]) fields_[*places_[at]] = field;
    }
    // An empty last field ends with its '|'.
    if (at > places_.size() || at + 1 < places_.size()) return wrong_count(at);
    const std::string_view id = fields_[kJobId];
    if (id.empty()) return fail(ErrorCode::invalid, "a job has no JobID");
    if (id.find('.', id.find(']') + 1) != id.npos) return {};  // a step
    ClusterJob job;
    if (auto ok = read_times(job); !ok) return ok;
    const bool ran = (job.over || job.running) && job.start_s > 0;
    if (ran && job.over && job.end_s < job.start_s) return leave_out(ends_early_);
    if (ran && job.start_s < job.submit_s) return leave_out(starts_early_);
    if (auto ok = read_request(job.request); !ok) return ok;
    job.user = fields_[kUserName];
    job.queue = fields_[kPartitionName];
    const auto priority = number_of({kPriority});
    if (!priority) return std::unexpected(priority.error());
    job.priority = *priority;
    return add(std::move(job), id);
  }

  [[nodiscard]] std::unexpected<Error> wrong_count(std::size_t columns) const {
    return fail(ErrorCode::invalid,
                fmt::format("this line has {}; line {} names {} (a name with a \"|\" in it? "
                            "leave JobName out of -o)",
                            counted(columns, "column"), line_of_names_, places_.size()));
  }

  Result<void> read_times(ClusterJob& job) {
    for (const auto& [column, to] :
         {std::pair{kSubmitted, &job.submit_s}, {kStarted, &job.start_s}, {kEnded, &job.end_s}}) {
      if (says_nothing(fields_[column])) continue;
      const auto time_s =
          parse_time(fields_[column], [](std::int64_t as_utc_s) { return as_utc_s; });
      if (!time_s) return in_column(column, time_s.error());
      *to = *time_s;
    }
    if (job.submit_s == 0) return fail(ErrorCode::invalid, "a job has no time in Submit");
    set_slurm_past_state(job, fields_[kState]);
    job.eligible_s = job.submit_s;
    if (job.over && !has_times_) {
      return fail(ErrorCode::invalid,
                  fmt::format("the job is {}, and line {} names no Start and End: add them to -o",
                              fields_[kState], line_of_names_));
    }
    return read_limit(job);
  }

  Result<void> read_limit(ClusterJob& job) {
    const std::string_view limit = fields_[kLimit];
    if (says_nothing(limit) || limit == "UNLIMITED" || limit == "Partition_Limit") {
      const std::string_view raw = fields_[kLimitRaw];
      if (raw == "UNLIMITED" || raw == "Partition_Limit") return {};
      const auto minutes = number_of({kLimitRaw});
      if (!minutes) return std::unexpected(minutes.error());
      job.limit_s = *minutes * 60;
      return {};
    }
    const auto limit_s = parse_duration(limit);
    if (!limit_s) return in_column(kLimit, limit_s.error());
    job.limit_s = *limit_s;
    return {};
  }

  Result<void> read_request(ClusterRequest& request) {
    const auto nodes = number_of({kNNodes, kAllocNodes, kReqNodes});
    if (!nodes) return std::unexpected(nodes.error());
    const auto cpus = number_of({kAllocCpus, kNCpus, kReqCpus});
    if (!cpus) return std::unexpected(cpus.error());
    request.nodes = *nodes;
    request.cpus = *cpus;
    if (!says_nothing(fields_[kConstraints])) request.features = fields_[kConstraints];
    const std::string_view tres =
        fields_[kAllocTres].empty() ? fields_[kReqTres] : fields_[kAllocTres];
    const Column from = fields_[kAllocTres].empty() ? kReqTres : kAllocTres;
    constexpr std::string_view kOfType = "gres/gpu:";
    std::int64_t gpus = 0, gpus_of_types = 0, memory_mb = 0;
    for (std::string_view rest = tres; !rest.empty();) {
      const std::string_view one = take_part(rest, ',');
      const std::size_t equals = std::min(one.find('='), one.size());
      const std::string_view name = one.substr(0, equals);
      if (name == "mem") {
        const auto amount = parse_slurm_memory_mb(one.substr(std::min(equals + 1, one.size())));
        if (!amount) {
          return fail(ErrorCode::invalid, fmt::format("{}: {} is no memory, such as mem=16G",
                                                      kColumnNames[from], shown_word(one)));
        }
        memory_mb = *amount;
        request.memory_said = true;
        continue;
      }
      const bool of_type = name.starts_with(kOfType) && name.size() > kOfType.size();
      std::int64_t* const to = name == "gres/gpu" ? &gpus
                               : of_type          ? &gpus_of_types
                               : name == "node"   ? (request.nodes == 0 ? &request.nodes : nullptr)
                               : name == "cpu"    ? (request.cpus == 0 ? &request.cpus : nullptr)
                                                  : nullptr;
      if (to == nullptr) continue;
      const auto number = whole_number(one.substr(std::min(equals + 1, one.size())));
      if (!number) return in_column(from, number.error());
      *to = std::min(of_type ? *to + *number : *number, kUnitsOfJobMax);
      if (of_type && *number > 0 && request.gpu_kinds.size() < kGresKindsMax) {
        request.gpu_kinds.push_back({std::string(name.substr(kOfType.size())), *number});
      }
    }
    // Slurm counts typed ones twice: with their type, and without it.
    gpus = std::max(gpus, gpus_of_types);
    const std::int64_t on = std::max<std::int64_t>(request.nodes, 1);
    for (GpuKind& kind : request.gpu_kinds) kind.of_node = (kind.of_node + on - 1) / on;
    request.gpus_of_node = (gpus + on - 1) / on;
    request.memory_of_node_mb = (memory_mb + on - 1) / on;
    return {};
  }

  static Result<std::int64_t> whole_number(std::string_view text) {
    const auto out = parse_number<std::int64_t>(text);
    if (out && *out >= 0 && *out <= kUnitsOfJobMax) return *out;
    return fail(ErrorCode::invalid, fmt::format("{} is not a whole number from 0 to {}",
                                                shown_word(text), kUnitsOfJobMax));
  }

  // Of the first of these columns that says one above 0; else 0.
  Result<std::int64_t> number_of(std::initializer_list<Column> columns) const {
    for (const Column column : columns) {
      if (says_nothing(fields_[column])) continue;
      const auto number = whole_number(fields_[column]);
      if (!number) return in_column(column, number.error());
      if (*number > 0) return number;
    }
    return 0;
  }

  static std::unexpected<Error> in_column(Column column, const Error& error) {
    return fail(error.code, fmt::format("{}: {}", kColumnNames[column], error.text));
  }

  // "8_[1-3%2]" are jobs 8_1, 8_2 and 8_3; "8_[1-5:2]" 8_1, 8_3 and 8_5.
  Result<void> add(ClusterJob job, std::string_view id) {
    const std::size_t list = id.find("_[");
    if (list == id.npos) {
      job.id = id;
      return add(std::move(job));
    }
    if (!id.ends_with(']')) {
      return fail(ErrorCode::invalid,
                  fmt::format("JobID: {} has no \"]\" at its end", shown_word(id)));
    }
    const std::string_view tasks = id.substr(list + 2, id.size() - list - 3);
    const auto numbers = parse_slurm_tasks(tasks, kArrayMax, "sacct");
    if (!numbers) return in_column(kJobId, numbers.error());
    for (const auto& [first, last] : numbers->ranges()) {
      for (std::int64_t number = first; number <= last; ++number) {
        ClusterJob one = job;
        one.id = fmt::format("{}_{}", id.substr(0, list), number);
        if (auto ok = add(std::move(one)); !ok) return ok;
      }
    }
    return {};
  }

  Result<void> add(ClusterJob job) {
    if (out_.jobs.size() == kClusterJobsMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} jobs", kClusterJobsMax));
    }
    out_.jobs.push_back(std::move(job));
    lines_.push_back(number_);
    return {};
  }

  std::string_view rest_, file_;
  std::uint32_t number_ = 0, line_of_names_ = 0;
  std::string_view names_;  // that line
  LeftOut ends_early_, starts_early_;
  std::vector<std::optional<std::size_t>> places_;  // by place in a line: which column
  bool has_times_ = false;                          // Start and End are named
  std::array<std::string_view, kColumns> fields_{};
  ClusterJobs out_;
  std::vector<std::uint32_t> lines_;  // of its jobs
};

}  // namespace

bool looks_like_slurm_accounting(std::string_view text) {
  std::string_view rest = text.substr(0, 4096);
  std::string_view line = next_line(rest);
  if (!line.contains('|')) return false;
  while (!line.empty()) {
    if (lower_case(take_part(line, '|')) == "jobid") return true;
  }
  return false;
}

void set_slurm_past_state(ClusterJob& job, std::string_view state) {
  const auto is = [&](const auto& states) {
    return std::ranges::any_of(states, [&](std::string_view s) { return state.starts_with(s); });
  };
  // A row of a job that was requeued has the time that it had run until then (sacct -D).
  const bool waits = state.starts_with("PENDING") ||
                     (state.starts_with("REQUEUED") && (job.start_s == 0 || job.end_s == 0));
  job.running = job.end_s == 0 && (state.empty() ? job.start_s > 0 : is(kRuns));
  job.over = !job.running && !waits && (!state.empty() || job.end_s > 0);
  if (!job.over) return;
  const bool never = job.end_s == 0 || (job.end_s == job.start_s && state.starts_with("CANCELLED"));
  if (never) job.start_s = 0;
}

Result<ClusterJobs> read_slurm_accounting(std::string_view text, std::string_view file) {
  return AccountingReader(text, file).read();
}

}  // namespace copse
