// SPDX-License-Identifier: Apache-2.0
#include "plan/output/trace.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "text/json_text.hpp"

namespace copse::plan {

namespace {

constexpr std::uint64_t kTracks = 64;  // numbers of threads: row × kTracks + track + 1

class TraceWriter {
 public:
  TraceWriter(const Record& record, const TextSink& sink) : record_(record), pieces_(sink) {
    std::uint64_t slices = 0;
    for (const Record::Run& run : record.runs()) {
      for (std::uint32_t i = 0; i < run.ranges; ++i) slices += record.ranges(run)[i].count;
      last_s_ = std::max(last_s_, run.end_s);
    }
    for (const Record::OutsideJob& other : record.outside_jobs()) {
      for (std::uint32_t i = 0; i < other.ranges; ++i) slices += record.ranges(other)[i].count;
    }
    for (const Record::UsageSample& m : record.samples()) last_s_ = std::max(last_s_, m.time_s);
    each_row_ = slices <= kSlicesMax;
  }

  Result<void> write() {
    out() += "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
    out() += R"({"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "nodes"}})";
    for (const Record::OutsideJob& other : record_.outside_jobs()) write_other(other);
    for (const Record::Run& run : record_.runs()) write_run(run);
    for (const Record::UsageSample& m : record_.samples()) write_moment(m);
    out() += "\n]}\n";
    return pieces_.finish();
  }

 private:
  [[nodiscard]] std::string& out() { return pieces_.text(); }
  [[nodiscard]] auto end() { return std::back_inserter(pieces_.text()); }

  void name_track(std::uint32_t row, std::uint32_t track) {
    const std::uint64_t thread = row * kTracks + track + 1;
    if (!named_.insert(thread).second) return;
    std::string name = record_.node_rows().name(row);
    if (track > 0) name += fmt::format(" · {}", track + 1);
    fmt::format_to(end(),
                   ",\n{{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": {}, "
                   "\"args\": {{\"name\": ",
                   thread);
    append_json(out(), name);
    fmt::format_to(end(),
                   "}}}},\n{{\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": 1, "
                   "\"tid\": {0}, \"args\": {{\"sort_index\": {0}}}}}",
                   thread);
  }

  void write_run(const Record::Run& run) {
    const Job& job = record_.jobs().jobs[run.job];
    const std::int64_t submit_s = record_.submit_s(run.job);
    const char* const how = word(run.ending);
    const std::string ended = how == nullptr ? "" : fmt::format(", \"ended\": \"{}\"", how);
    write_slices(
        {record_.ranges(run), run.ranges}, job.name, run.start_s, run.end_s,
        fmt::format("\"submit\": {}, \"wait\": {}, \"nodes\": {}, \"cores\": {}{}", submit_s,
                    run.start_s - submit_s, run.use.nodes, run.use.cores, ended));
  }

  // An outside job is named by its id. One without end lasts as long as the schedule.
  void write_other(const Record::OutsideJob& other) {
    write_slices({record_.ranges(other), other.ranges}, std::to_string(other.id), other.start_s,
                 std::max(std::min(other.end_s, last_s_), other.start_s),
                 fmt::format("\"running\": true, \"nodes\": {}, \"cores\": {}", other.use.nodes,
                             other.use.cores));
  }

  void write_slices(std::span<const NodeRange> ranges, std::string_view name, std::int64_t start_s,
                    std::int64_t end_s, const std::string& about) {
    for (const NodeRange& range : ranges) {
      const std::uint32_t rows = each_row_ ? range.count : 1;
      for (std::uint32_t n = 0; n < rows; ++n) {
        name_track(range.first + n, range.track);
        out() += ",\n{\"name\": ";
        append_json(out(), name);
        fmt::format_to(end(),
                       ", \"ph\": \"X\", \"pid\": 1, \"tid\": {}, \"ts\": {}, \"dur\": {}, "
                       "\"args\": {{{}}}}}",
                       (range.first + n) * kTracks + range.track + 1, micros(start_s),
                       micros(end_s) - micros(start_s), about);
        pieces_.step();
      }
    }
  }

  void write_moment(const Record::UsageSample& m) {
    fmt::format_to(end(),
                   ",\n{{\"name\": \"in use\", \"ph\": \"C\", \"pid\": 1, \"ts\": {}, "
                   "\"args\": {{\"nodes\": {}}}}},\n{{\"name\": \"waiting\", \"ph\": \"C\", "
                   "\"pid\": 1, \"ts\": {}, \"args\": {{\"jobs\": {}}}}}",
                   micros(m.time_s), m.busy_nodes, micros(m.time_s), m.waiting);
    if (!record_.sampled_level().empty()) {
      fmt::format_to(end(),
                     ",\n{{\"name\": \"fragmentation\", \"ph\": \"C\", \"pid\": 1, \"ts\": {}, "
                     "\"args\": {{",
                     micros(m.time_s));
      append_json(out(), record_.sampled_level());
      fmt::format_to(end(), ": {:.4f}}}}}", m.fragmentation);
    }
    pieces_.step();
  }

  [[nodiscard]] static std::int64_t micros(std::int64_t time_s) { return time_s * 1'000'000; }

  const Record& record_;
  TextPieces pieces_;
  bool each_row_ = true;
  std::int64_t last_s_ = 0;  // the end of the schedule
  std::set<std::uint64_t> named_;
};

}  // namespace

Result<void> write_trace_json(const Record& record, const TextSink& sink) {
  return TraceWriter(record, sink).write();
}

}  // namespace copse::plan
