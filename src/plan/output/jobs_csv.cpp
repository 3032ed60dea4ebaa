// SPDX-License-Identifier: Apache-2.0
#include "plan/output/jobs_csv.hpp"

#include <algorithm>

#include <iterator>
#include <unordered_map>

#include <fmt/format.h>

#include "request/request_checks.hpp"
#include "text/json_writer.hpp"

namespace copse::plan {

namespace {

constexpr std::string_view kHeader =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources,consumed_energy,metadata\n";

// A field, quoted where necessary, with quotes doubled.
void append_field(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string_view state_of(Ending ending) {
  switch (ending) {
    case Ending::done: return "COMPLETED_SUCCESSFULLY";
    case Ending::limit: return "COMPLETED_WALLTIME_REACHED";
    case Ending::cancelled: return "COMPLETED_KILLED";
    case Ending::failed:
    case Ending::requeued: break;
  }
  return "COMPLETED_FAILED";
}

class CsvWriter {
 public:
  CsvWriter(const CsvPart& part, const TextSink& sink)
      : record_(part.record), workload_(part.workload), pieces_(sink) {}

  Result<void> write(bool with_header) {
    if (with_header) out() += kHeader;
    std::unordered_map<std::uint32_t, const Record::Run*> requeued;  // the last run of each job
    for (const Record::Run& run : record_.runs()) {
      if (run.ending == Ending::requeued) {
        requeued[run.job] = &run;
        continue;
      }
      write_run(run);
      pieces_.step();
    }
    for (const Record::NeverStarted& gone : record_.never_started()) {
      if (const auto run = requeued.find(gone.job); run != requeued.end()) {
        write_run(*run->second);
        pieces_.step();
        continue;
      }
      const Job& job = record_.jobs().jobs[gone.job];
      begin(job, record_.submit_s(gone.job));
      fmt::format_to(std::back_inserter(out()), "{},{},0,{},,,,,,,,", nodes_of(job), job.duration_s,
                     gone.refused ? "REJECTED" : "COMPLETED_KILLED");
      finish(job);
      pieces_.step();
    }
    return pieces_.finish();
  }

 private:
  [[nodiscard]] std::string& out() { return pieces_.text(); }

  void begin(const Job& job, std::int64_t submit_s) {
    append_field(out(), job.name);
    out() += ',';
    append_field(out(), workload_);
    fmt::format_to(std::back_inserter(out()), ",{},{},", job.request, submit_s);
  }

  // For a job that never started: the nodes that it names; else the number that holds its cores, at
  // least one.
  [[nodiscard]] std::int64_t nodes_of(const Job& job) const {
    const auto& resources = record_.jobs().requests[job.request].resources;
    if (const std::int64_t nodes = least_units(resources, "node"); nodes > 0) return nodes;
    const NodeRows& rows = record_.node_rows();
    const std::int64_t on_each = std::max<std::int64_t>(1, rows.cores() / rows.count());
    return std::max<std::int64_t>(1, (least_units(resources, "core") - 1) / on_each + 1);
  }

  void write_run(const Record::Run& run) {
    const Job& job = record_.jobs().jobs[run.job];
    const std::int64_t submit_s = record_.submit_s(run.job);
    begin(job, submit_s);
    const std::int64_t length_s = run.end_s - run.start_s, all_s = run.end_s - submit_s;
    fmt::format_to(std::back_inserter(out()), "{},{},{},{},{},{},{},{},{},{:.4f},", run.use.nodes,
                   job.duration_s, run.ending == Ending::done ? 1 : 0, state_of(run.ending),
                   run.start_s, length_s, run.end_s, run.start_s - submit_s, all_s,
                   static_cast<double>(all_s) / static_cast<double>(length_s));
    write_nodes(run);
    out() += ',';
    finish(job, record_.draws()[run.draw]);
  }

  // Ranges of rows ascend; one row may be in several, with different tracks.
  void write_nodes(const Record::Run& run) {
    std::uint32_t first = 0, end = 0;
    bool more = false;
    const auto flush = [&] {
      if (first == end) return;
      const auto to = std::back_inserter(out());
      if (more) out() += ' ';
      end - first == 1 ? fmt::format_to(to, "{}", first)
                       : fmt::format_to(to, "{}-{}", first, end - 1);
      more = true;
    };
    for (std::uint32_t i = 0; i < run.ranges; ++i) {
      const NodeRange& range = record_.ranges(run)[i];
      if (range.first != end) {
        flush();
        first = range.first;
      }
      end = range.first + range.count;
    }
    flush();
  }

  // The energy is unknown; queue, user and charges are metadata.
  void finish(const Job& job, std::string_view draw = {}) {
    out() += ',';
    if (job.queue > 0 || job.user > 0 || !draw.empty()) {
      const std::string metadata = object_text([&](JsonWriter& json) {
        if (job.queue > 0) json.member("queue", record_.jobs().words[job.queue]);
        if (job.user > 0) json.member("user", record_.jobs().words[job.user]);
        if (!draw.empty()) json.member("hres", draw);
      });
      append_field(out(), metadata);
    }
    out() += '\n';
  }

  const Record& record_;
  std::string_view workload_;
  TextPieces pieces_;
};

}  // namespace

Result<void> write_jobs_csv(std::span<const CsvPart> parts, const TextSink& sink) {
  for (const CsvPart& part : parts) {
    const bool is_first = &part == parts.data();
    if (auto ok = CsvWriter(part, sink).write(is_first); !ok) return ok;
  }
  return {};
}

}  // namespace copse::plan
