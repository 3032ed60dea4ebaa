// SPDX-License-Identifier: Apache-2.0
#include "plan/trace.hpp"

#include <set>

#include <fmt/format.h>

#include "text/json_text.hpp"

namespace copse::plan {

namespace {

constexpr std::uint64_t kTracks = 64;  // numbers of threads: lane × kTracks + track + 1

class TraceWriter {
 public:
  TraceWriter(const Record& record, const TextSink& sink) : record_(record), pieces_(sink) {
    std::uint64_t slices = 0;
    for (const Record::Run& run : record.runs()) {
      for (std::uint32_t i = 0; i < run.places; ++i) slices += record.places(run)[i].count;
    }
    each_lane_ = slices <= kSlicesMax;
  }

  Result<void> write() {
    out() += "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
    out() += R"({"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "nodes"}})";
    for (const Record::Run& run : record_.runs()) write_run(run);
    for (const Record::Moment& m : record_.moments()) write_moment(m);
    out() += "\n]}\n";
    return pieces_.finish();
  }

 private:
  [[nodiscard]] std::string& out() { return pieces_.text(); }
  [[nodiscard]] auto end() { return std::back_inserter(pieces_.text()); }

  void name_track(std::uint32_t lane, std::uint32_t track) {
    const std::uint64_t thread = lane * kTracks + track + 1;
    if (!named_.insert(thread).second) return;
    std::string name = record_.lanes().name(lane);
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
    const char* const how = word(run.ending);
    const std::string ended = how == nullptr ? "" : fmt::format(", \"ended\": \"{}\"", how);
    for (std::uint32_t i = 0; i < run.places; ++i) {
      const LaneRun& place = record_.places(run)[i];
      const std::uint32_t lanes = each_lane_ ? place.count : 1;
      for (std::uint32_t n = 0; n < lanes; ++n) {
        name_track(place.first + n, place.track);
        out() += ",\n{\"name\": ";
        append_json(out(), job.name);
        fmt::format_to(end(),
                       ", \"ph\": \"X\", \"pid\": 1, \"tid\": {}, \"ts\": {}, \"dur\": {}, "
                       "\"args\": {{\"submit\": {}, \"wait\": {}, \"nodes\": {}, "
                       "\"cores\": {}{}}}}}",
                       (place.first + n) * kTracks + place.track + 1, micros(run.start_s),
                       micros(run.end_s) - micros(run.start_s), job.submit_s,
                       run.start_s - job.submit_s, run.use.nodes, run.use.cores, ended);
        pieces_.step();
      }
    }
  }

  void write_moment(const Record::Moment& m) {
    fmt::format_to(end(),
                   ",\n{{\"name\": \"in use\", \"ph\": \"C\", \"pid\": 1, \"ts\": {}, "
                   "\"args\": {{\"nodes\": {}}}}},\n{{\"name\": \"waiting\", \"ph\": \"C\", "
                   "\"pid\": 1, \"ts\": {}, \"args\": {{\"jobs\": {}}}}}",
                   micros(m.time_s), m.busy_lanes, micros(m.time_s), m.waiting);
    pieces_.step();
  }

  [[nodiscard]] static std::int64_t micros(std::int64_t time_s) { return time_s * 1'000'000; }

  const Record& record_;
  TextPieces pieces_;
  bool each_lane_ = true;
  std::set<std::uint64_t> named_;
};

}  // namespace

Result<void> write_trace_json(const Record& record, const TextSink& sink) {
  return TraceWriter(record, sink).write();
}

}  // namespace copse::plan
