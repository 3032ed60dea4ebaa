// SPDX-License-Identifier: Apache-2.0
//
// The Standard Workload Format, see job_reader.hpp.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/saturating.hpp"
#include "base/scan_text.hpp"
#include "plan/streams/job_reader.hpp"
#include "plan/streams/swf/preceding_jobs.hpp"
#include "text/counted.hpp"
#include "text/json_text.hpp"
#include "text/text_lines.hpp"
#include "text/tree/line_values.hpp"

namespace copse::plan {

namespace {

constexpr std::size_t kFields = 18;
enum Field : std::size_t {
  kNumber = 0,
  kSubmit = 1,
  kRun = 3,
  kGiven = 4,
  kWanted = 7,
  kTimeAsked = 8,
  kMemory = 9,
  kStatus = 10,
  kUser = 11,
  kQueue = 14,
  kPartition = 15,
  kPreceding = 16,
  kThinkTime = 17
};
// The comment that names the unit of a trace's processors.
constexpr std::string_view kUnitLabel = "Processors are:", kNodes = "nodes", kCores = "cores";
// A comment per named queue: "; Queue name: 2 debug".
constexpr std::string_view kQueueLabel = "Queue name:";
// The comment with the real time at time 0, in seconds since 1970; 0 or less: unknown.
constexpr std::string_view kZeroLabel = "UnixStartTime:";
// The comment with the processors of the machine that the trace is of.
constexpr std::string_view kProcessorsLabel = "MaxProcs:";
constexpr std::int64_t kZeroMin_s = 315'532'800;  // 1980
constexpr std::int64_t kProcessorsMax = INT64_C(1) << 40;
constexpr std::size_t kQueueNamesMax = 100'000;

// Whether the text is a number that a field can have, and that is written back unchanged.
bool is_number(std::string_view text) {
  if (text.empty() || text.size() > 15 || (text.front() == '0' && text.size() > 1)) return false;
  return text.find_first_not_of("0123456789") == text.npos;
}

// The numbers of a stream's queues, by their words. A queue whose name is a number keeps it.
std::map<std::uint32_t, std::string> queue_numbers(const Jobs& jobs) {
  std::set<std::uint32_t> words;
  for (const Job& job : jobs.jobs) words.insert(job.queue);
  std::set<std::string, std::less<>> taken;
  for (const std::uint32_t word : words) taken.insert(jobs.words[word]);
  std::map<std::uint32_t, std::string> out;
  std::uint64_t next = 1;
  for (const std::uint32_t word : words) {
    const std::string& name = jobs.words[word];
    if (name.empty()) continue;
    while (taken.contains(fmt::format("{}", next))) ++next;
    out.emplace(word, is_number(name) ? name : fmt::format("{}", next++));
  }
  return out;
}

class TraceReader {
 public:
  TraceReader(std::string_view text, std::string_view file, const ReadOptions& options)
      : lines_(text), file_(file), options_(options), each_(options.processors_per_node) {}

  Result<Jobs> read() {
    std::string_view line;
    while (lines_.next(line)) {
      line = without_blanks(line);
      if (line.empty()) continue;
      if (line.front() == ';') {
        if (auto ok = read_header(line.substr(1)); !ok) return std::unexpected(ok.error());
        continue;
      }
      if (auto ok = read_line(line); !ok) return std::unexpected(std::move(ok.error()));
    }
    if (auto ok = check_numbers(); !ok) return std::unexpected(std::move(ok.error()));
    if (longer_ > 0) {
      out_.remarks.push_back(
          fmt::format("{} more than {} fields, the first in line {}: the others are ignored",
                      counted(longer_, "job has", "jobs have"), kFields, first_longer_));
    }
    preceding_.finish(out_);
    compare_processors();
    if (without_memory_ > 0) {
      out_.remarks.push_back(fmt::format(
          "{} for memory, which is not counted: {}",
          counted(without_memory_, "job asks", "jobs ask"),
          options_.memory_in_mb ? "whole nodes come with theirs" : "nodes have none in MB"));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::unexpected<Error> refuse(std::string text,
                                              ErrorCode code = ErrorCode::invalid) const {
    return fail(code, std::move(text), SourceLocation{std::string(file_), lines_.number(), 0});
  }

  // A trace of a larger machine has jobs that do not fit, one of a smaller machine leaves it idle.
  void compare_processors() {
    const std::int64_t here =
        each_ > 0 ? saturating_product(options_.machine_nodes, each_) : options_.machine_cores;
    if (processors_ <= 0 || here <= 0 || processors_ == here) return;
    out_.remarks.push_back(fmt::format(
        "line {}: the trace is of a machine with {} processors ({} {}), this one has {}",
        processors_line_, processors_, kProcessorsLabel, processors_, here));
  }

  // Four of the comments "; Label: value" are read. append_swf() writes two of them; the caller's
  // unit of processors has priority.
  Result<void> read_header(std::string_view comment) {
    comment = without_blanks(comment);
    if (comment.starts_with(kZeroLabel)) {
      read_zero(without_blanks(comment.substr(kZeroLabel.size())));
      return {};
    }
    if (comment.starts_with(kProcessorsLabel)) {
      const std::string_view value = without_blanks(comment.substr(kProcessorsLabel.size()));
      processors_ =
          parse_number<std::int64_t>(value.substr(0, value.find_first_of(" \t"))).value_or(0);
      processors_line_ = lines_.number();
      return {};
    }
    if (comment.starts_with(kQueueLabel)) {
      return read_queue_name(without_blanks(comment.substr(kQueueLabel.size())));
    }
    if (!comment.starts_with(kUnitLabel)) return {};
    const std::string_view unit = without_blanks(comment.substr(kUnitLabel.size()));
    if (unit != kNodes && unit != kCores) {
      constexpr std::array<std::string_view, 2> kUnits{kNodes, kCores};
      return refuse(unknown_word("unit of processors", unit, kUnits));
    }
    if (options_.processors_per_node == 0) each_ = unit == kNodes ? 1 : 0;
    return {};
  }

  Result<void> read_queue_name(std::string_view value) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const std::string_view name =
        without_blanks(value.substr(static_cast<std::size_t>(end - value.data())));
    if (error != std::errc{} || number < 0 || name.empty() || name.size() > kNameBytesMax) {
      return refuse(fmt::format("\"{}\" has a number and a name, such as \"{} 1 batch\"",
                                kQueueLabel, kQueueLabel));
    }
    if (queue_names_.size() == kQueueNamesMax) {
      return refuse(fmt::format("more than {} names of queues", kQueueNamesMax), ErrorCode::limit);
    }
    if (!queue_names_.emplace(number, name).second) {
      return refuse(fmt::format("queue {} has two names", number));
    }
    return {};
  }

  // Archives may have texts here. A value that is not a plausible time is reported, and not used.
  void read_zero(std::string_view value) {
    value = value.substr(0, value.find_first_of(" \t"));
    const auto zero_s = parse_number<std::int64_t>(value);
    if (zero_s && *zero_s <= 0) return;  // unknown
    if (zero_s && *zero_s >= kZeroMin_s && *zero_s <= kTimeMax_s) {
      out_.zero_s = zero_s;
    } else {
      out_.remarks.push_back(
          fmt::format("line {}: {} {} is not used: it is not in seconds since 1970, and after 1980",
                      lines_.number(), kZeroLabel, shown_word(value)));
    }
  }

  // Times may have fractions; they are rounded up, except the submit time.
  Result<void> read_fields(std::string_view line) {
    for (std::size_t n = 0; n < kFields; ++n) {
      line = without_blanks(line);
      if (line.empty()) {
        return refuse(fmt::format("a job of a trace has {} fields, this one {}", kFields, n));
      }
      const std::string_view word = line.substr(0, line.find_first_of(" \t"));
      line.remove_prefix(word.size());
      const auto value = parse_number<double>(word);
      if (!value || !(*value >= -1e15 && *value <= 1e15)) {
        const char* const more =
            n == 0 ? "; a job is a JSON object, or a line of numbers (SWF)" : "";
        return refuse(fmt::format("field {} is not a number{}", n + 1, more));
      }
      fields_[n] = static_cast<std::int64_t>(n == kSubmit ? std::floor(*value) : std::ceil(*value));
    }
    if (!without_blanks(line).empty() && longer_++ == 0) first_longer_ = lines_.number();
    return {};
  }

  Result<void> read_line(std::string_view line) {
    if (line.size() > options_.line_bytes_max) {
      return refuse(fmt::format("a line of more than {} bytes", options_.line_bytes_max),
                    ErrorCode::limit);
    }
    if (auto ok = read_fields(line); !ok) return ok;
    // A job that was swapped out has additional lines for its parts, with a status from 2 to 4.
    if (fields_[kStatus] >= 2 && fields_[kStatus] <= 4) {
      out_.skipped.add("of a part of a job (status 2 to 4)");
      return {};
    }
    const std::int64_t processors = fields_[kWanted] > 0 ? fields_[kWanted] : fields_[kGiven];
    if (processors <= 0 || fields_[kRun] < 0) {
      out_.skipped.add(fields_[kRun] >= 0 ? "without processors"
                       : processors > 0   ? "without a run time"
                                          : "without processors and a run time");
      return {};
    }
    if (fields_[kSubmit] < 0 || fields_[kSubmit] > kTimeMax_s || fields_[kRun] > kTimeMax_s ||
        fields_[kTimeAsked] > kTimeMax_s) {
      return refuse(fmt::format("a time is not between 0 and {} s", kTimeMax_s));
    }
    if (processors > kProcessorsMax) {
      return refuse(fmt::format("more than {} processors", kProcessorsMax), ErrorCode::limit);
    }
    if (out_.jobs.size() >= options_.jobs_max) {
      return refuse(fmt::format("more than {} jobs", options_.jobs_max), ErrorCode::limit);
    }
    if (auto ok = second_.add(fields_[kSubmit], options_); !ok) {
      return refuse(ok.error().text, ok.error().code);
    }
    Job job;
    append_number(job.name, fields_[kNumber]);
    ascending_ = ascending_ && (numbers_.empty() || numbers_.back().first < fields_[kNumber]);
    numbers_.emplace_back(fields_[kNumber], lines_.number());
    job.submit_s = fields_[kSubmit];
    job.run_s = std::max<std::int64_t>(fields_[kRun], 1);
    job.duration_s = fields_[kTimeAsked] > 0 ? fields_[kTimeAsked] : job.run_s;
    if (!job.ends_before(options_.clock_end_s)) {
      return refuse(beyond_clock(job, options_.clock_end_s));
    }
    if (options_.trace_user && fields_[kUser] >= 0) job.user = word_of(fields_[kUser]);
    if (options_.trace_queue && fields_[kQueue] >= 0) job.queue = queue_of(fields_[kQueue]);
    set_partition();
    auto request = request_of(processors);
    if (!request) return refuse(request.error().text, request.error().code);
    job.request = *request;
    if (options_.trace_think_time) {
      preceding_.add(static_cast<std::uint32_t>(out_.jobs.size()), fields_[kNumber],
                     fields_[kPreceding], fields_[kThinkTime]);
    }
    out_.jobs.push_back(std::move(job));
    return {};
  }

  // Field 10 is in kilobytes, for each processor.
  Result<std::uint32_t> request_of(std::int64_t processors) {
    const std::int64_t memory_kb = options_.trace_memory ? fields_[kMemory] : 0;
    const bool counted_memory = memory_kb > 0 && each_ == 0 && options_.memory_in_mb;
    if (memory_kb > 0 && !counted_memory) ++without_memory_;
    if (each_ > 0) return out_.requests.whole_nodes((processors - 1) / each_ + 1);
    return out_.requests.cores(processors, counted_memory ? (memory_kb - 1) / 1024 + 1 : 0);
  }

  // Refuses a number that two jobs have; -1 is no number.
  Result<void> check_numbers() {
    if (ascending_) return {};
    std::ranges::sort(numbers_);
    const auto twice = std::ranges::adjacent_find(
        numbers_, [](const auto& a, const auto& b) { return a.first == b.first && a.first >= 0; });
    if (twice == numbers_.end()) return {};
    return fail(
        ErrorCode::invalid,
        fmt::format("the job number {} is taken: line {} has it", twice->first, twice->second),
        SourceLocation{std::string(file_), std::next(twice)->second, 0});
  }

  std::uint32_t queue_of(std::int64_t number) {
    const auto named = queue_names_.find(number);
    return named == queue_names_.end() ? word_of(number) : out_.word(named->second);
  }
  std::uint32_t word_of(std::int64_t number) { return out_.word(fmt::format("{}", number)); }

  void set_partition() {
    if (!options_.trace_partition || fields_[kPartition] < 0) {
      out_.requests.constrain({}, {});
      return;
    }
    Constraint constraint;
    constraint.op = Constraint::Op::properties;
    constraint.words.push_back(fmt::format("partition{}", fields_[kPartition]));
    const std::string text = constraint.words.front();
    out_.requests.constrain(text, std::move(constraint));
  }

  TextLines lines_;
  std::string_view file_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> numbers_;  // of jobs, and their lines
  bool ascending_ = true;                                        // the numbers are
  std::map<std::int64_t, std::string> queue_names_;
  const ReadOptions& options_;
  std::int64_t each_;  // processors of a node; 0: they are cores
  std::array<std::int64_t, kFields> fields_{};
  std::int64_t processors_ = 0;  // of the machine of the trace; 0: not said
  std::uint32_t processors_line_ = 0;
  std::uint64_t without_memory_ = 0;  // jobs whose memory is not counted
  std::uint64_t longer_ = 0;          // jobs with further fields
  std::uint32_t first_longer_ = 0;    // its line
  PrecedingJobs preceding_;
  SecondCount second_;
  Jobs out_;
};

}  // namespace

Result<void> SecondCount::add(std::int64_t submit_s, const ReadOptions& options) {
  jobs_ = submit_s == submit_s_ ? jobs_ + 1 : 1;
  submit_s_ = submit_s;
  if (jobs_ <= options.jobs_of_second_max) return {};
  return fail(ErrorCode::limit, fmt::format("more than {} jobs are submitted at {} s",
                                            options.jobs_of_second_max, submit_s));
}

Result<Jobs> read_swf(std::string_view text, std::string_view file, const ReadOptions& options) {
  return TraceReader(text, file, options).read();
}

void append_swf(std::string& out, const Jobs& jobs, std::span<const std::string> notes) {
  const auto is_of_nodes = [&](const Job& job) {
    const Resource& top = jobs.requests[job.request].resources.front();
    return (top.is_slot() && !top.with.empty() ? top.with.front() : top).type == "node";
  };
  if (!jobs.jobs.empty()) {
    const bool nodes = std::ranges::all_of(jobs.jobs, is_of_nodes);
    out += fmt::format("; Version: 2.2\n; {} {}\n", kUnitLabel, nodes ? kNodes : kCores);
  }
  for (const std::string& note : notes) out += fmt::format("; Note: {}\n", note);
  // A trace has numbers for users and queues; its header has the names of queues.
  const auto queues = queue_numbers(jobs);
  for (const auto& [word, number] : queues) {
    const std::string& name = jobs.words[word];
    if (name != number) out += fmt::format("; {} {} {}\n", kQueueLabel, number, name);
  }
  const auto user_of = [&](const Job& job) -> std::string_view {
    const std::string& name = jobs.words[job.user];
    return is_number(name) ? std::string_view(name) : std::string_view("-1");
  };
  const auto queue_of = [&](const Job& job) -> std::string_view {
    const auto known = queues.find(job.queue);
    return known == queues.end() ? std::string_view("-1") : std::string_view(known->second);
  };
  std::uint64_t number = 0;
  for (const Job& job : jobs.jobs) {
    const Resource& top = jobs.requests[job.request].resources.front();
    out += fmt::format("{} {} -1 {} {} -1 -1 {} {} -1 1 {} -1 -1 {} -1 -1 -1\n", ++number,
                       job.submit_s, job.run_s, top.count.min, top.count.min, job.duration_s,
                       user_of(job), queue_of(job));
  }
}

}  // namespace copse::plan
