// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_event_log.hpp"

#include "server/jobs/shared_job.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

void JobEventLog::add(JobId job, std::string line) {
  line.shrink_to_fit();  // drop the spare capacity: it is kept for long
  bytes_ += line.size();
  events_.push_back({job, UINT64_MAX, std::move(line)});
  ++unrecorded_;
  while (events_.size() > limits_.events || (bytes_ > limits_.bytes && events_.size() > 1)) {
    bytes_ -= events_.front().line.size();
    events_.pop_front();
    ++oldest_;
  }
}

void JobEventLog::restart_at(std::uint64_t next) {
  events_.clear();
  bytes_ = unrecorded_ = 0;
  oldest_ = next;
}

void JobEventLog::set_record(journal::Sequence record) {
  for (; unrecorded_ > 0; --unrecorded_) {
    if (unrecorded_ <= events_.size()) events_[events_.size() - unrecorded_].record = record;
  }
}

std::vector<std::pair<std::uint64_t, std::string_view>> JobEventLog::of(JobId job,
                                                                        std::size_t most) const {
  std::vector<std::pair<std::uint64_t, std::string_view>> out;
  for (std::uint64_t number = next(); number > oldest() && out.size() < most; --number) {
    const Event& event = events_[number - 1 - oldest_];
    if (event.job == job) out.emplace_back(number - 1, event.line);
  }
  return out;
}

bool JobEventLog::read(EventWatch& watch, journal::Sequence durable, std::size_t bytes_max,
                       const VisibilityOf& visibility, std::string& out) const {
  if (watch.next < oldest_) {
    JsonWriter json(out);
    json.object([&] {
      json.member("event", "gone");
      json.member("wanted", watch.next);
      json.member("oldest", oldest_);
      json.member("next", next());
    });
    out += '\n';
    return false;
  }
  for (; watch.next < next() && out.size() < bytes_max; ++watch.next) {
    const Event& event = events_[watch.next - oldest_];
    if (event.record >= durable) return true;
    if (watch.job != 0 && watch.job != event.job) continue;
    const Visibility seen = visibility(watch.next);
    if (seen == Visibility::whole) out += event.line;
    if (seen != Visibility::shared) continue;
    append_shared_event(event.line, out);
    out += '\n';
  }
  return true;
}

}  // namespace copse::server
