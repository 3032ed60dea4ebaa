// SPDX-License-Identifier: Apache-2.0
#include "plan/job_line_writer.hpp"

#include <string>

#include <fmt/format.h>

#include "plan/summary.hpp"
#include "text/json_writer.hpp"

namespace copse::plan {

namespace {

// The identity of a job, and its submission.
void write_job(JsonWriter& json, const Jobs& jobs, const Job& job, std::int64_t submit_s) {
  json.member("id", job.name);
  if (job.queue > 0) json.member("queue", jobs.words[job.queue]);
  if (job.user > 0) json.member("user", jobs.words[job.user]);
  if (job.reservation > 0) json.member("reservation", jobs.words[job.reservation]);
  json.member("submit", submit_s);
}

}  // namespace

const char* word(Ending ending) {
  switch (ending) {
    case Ending::limit: return "killed";
    case Ending::cancelled: return "cancelled";
    case Ending::failed: return "failed";
    case Ending::requeued: return "requeued";
    case Ending::done: break;
  }
  return nullptr;
}

void JobLineWriter::started(const Start& start, const std::vector<NodeRange>& ranges) const {
  if (!line_) return;
  const Job& job = jobs_.jobs[start.job];
  const std::int64_t wait_s = start.start_s - start.submit_s;
  const double slowdown = bounded_slowdown(wait_s, start.end_s - start.start_s);
  line_(object_text([&](JsonWriter& json) {
          write_job(json, jobs_, job, start.submit_s);
          json.member("start", start.start_s);
          json.member("end", start.end_s);
          if (const char* how = word(start.ending)) json.member_json(how, "true");
          json.member("wait", wait_s);
          json.member_json("slowdown", fmt::format("{:.2f}", slowdown));
          json.member("nodes", start.use.nodes);
          json.member("cores", start.use.cores);
          if (!start.hres.empty()) json.member("hres", start.hres);
          if (start.use.nodes == 0) return;
          std::string names;
          rows_.append_names(names, ranges);
          json.member("nodelist", names);
        }) +
        '\n');
}

void JobLineWriter::refused(std::uint32_t job, std::int64_t submit_s, std::string_view why) const {
  if (!line_) return;
  line_(object_text([&](JsonWriter& json) {
          write_job(json, jobs_, jobs_.jobs[job], submit_s);
          json.member("refused", why);
        }) +
        '\n');
}

void JobLineWriter::withdrawn(std::uint32_t job, std::int64_t submit_s, std::int64_t time_s,
                              bool deadline) const {
  if (!line_) return;
  line_(object_text([&](JsonWriter& json) {
          write_job(json, jobs_, jobs_.jobs[job], submit_s);
          json.member(deadline ? "deadline" : "cancelled", time_s);
        }) +
        '\n');
}

}  // namespace copse::plan
