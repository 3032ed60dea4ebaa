// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_row_table.hpp"

#include <cassert>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "server/jobs/journal_parts.hpp"
#include "session/session.hpp"

namespace copse::server {

namespace {

std::string event_line(const JobEventHead& head, const JobRow& before, const JobRow& after,
                       const EventExtras& extras) {
  return object_text([&](JsonWriter& json) {
           json.member("seq", head.seq);
           json.member("t", head.t);
           json.member("event", head.event);
           json.member("job", head.job);
           if (!head.used_ids.empty()) json.member("used_ids", head.used_ids);
           write_changes(json, before, after);
           if (extras.restarts > 0) json.member("restarts", extras.restarts);
           if (!extras.ranks.empty()) json.member("ranks", extras.ranks);
           if (!extras.layers.empty()) json.member("layers", extras.layers);
           if (!extras.r.empty()) json.member_json("R", extras.r);
         }) +
         '\n';
}

std::string row_line(const JobRow& row) {
  return object_text([&](JsonWriter& json) {
           json.member("job", row.id);
           write_changes(json, JobRow{}, row);
         }) +
         '\n';
}

}  // namespace

const JobRow* JobRowTable::find(JobId id) const {
  const auto at = rows_.find(id);
  return at == rows_.end() ? nullptr : at->second.get();
}

Result<JobId> JobRowTable::new_id() const {
  if (next_id() < static_cast<JobId>(kIdEnd)) return next_id();
  return fail(ErrorCode::limit, "all ids below 2^53 were used: choose one that is free");
}

Result<void> JobRowTable::check_new_id(JobId id) const {
  const std::int64_t number = Session::id_of(id);
  if (number >= kIdEnd) {
    return fail(ErrorCode::invalid,
                fmt::format("\"id\" {} is too large: it must be below {} (2^53)", number, kIdEnd));
  }
  const JobRow* known = find(id);
  if (known == nullptr) return {};
  return fail(ErrorCode::exists,
              known->stage == JobStage::ended
                  ? fmt::format("\"id\" {} belongs to a recently ended job: choose another", number)
                  : fmt::format("there is a job {} already", number));
}

std::string_view JobRowTable::user_of_event(std::uint64_t number) const {
  const JobRow* row = find(events_.job(number));
  // The first event of a job has the number before its arrival (add()).
  const bool same = row != nullptr && static_cast<std::int64_t>(number) + 1 >= row->arrival;
  return same ? std::string_view(row->user) : std::string_view();
}

void JobRowTable::put(JobRow row) {
  used_ids_.add(row.id);
  erase_ended_id(row.id);
  auto& at = rows_[row.id];
  if (at != nullptr) quota_.remove(*at);
  if (row.stage == JobStage::ended) {
    ended_.push_back(row.id);
    ended_bytes_ += text_bytes(row);
  } else {
    quota_.add(row);
  }
  at = std::make_shared<const JobRow>(std::move(row));
}

void JobRowTable::erase_ended(JobId id) {
  const auto at = rows_.find(id);
  ended_bytes_ -= text_bytes(*at->second);
  rows_.erase(at);
}

void JobRowTable::trim_ended() {
  for (; ended_.size() > limits_.ended || (ended_bytes_ > limits_.ended_bytes && !ended_.empty());
       ended_.pop_front()) {
    erase_ended(ended_.front());
  }
}

// The writer of these events kept fewer ended jobs, and has reused the id.
void JobRowTable::erase_ended_id(JobId id) {
  const JobRow* known = find(id);
  if (known == nullptr || known->stage != JobStage::ended) return;
  std::erase(ended_, id);
  erase_ended(id);
}

void JobRowTable::add(JobRow row, std::int64_t now_s) {
  assert(find(row.id) == nullptr);
  row.arrival = static_cast<std::int64_t>(events_.next()) + 1;
  const JobEventHead head{events_.next(), now_s, "submit", row.id};
  std::string line = event_line(head, JobRow{}, row, {});
  lines_ += line;
  events_.add(row.id, std::move(line));
  put(std::move(row));
}

void JobRowTable::change(JobId id, std::string_view event, std::int64_t now_s,
                         const std::function<void(JobRow&)>& how, const EventExtras& extras) {
  const JobRow* before = find(id);
  assert(before != nullptr);
  JobRow after = *before;
  how(after);
  const JobEventHead head{events_.next(), now_s, std::string(event), id};
  std::string line = event_line(head, *before, after, extras);
  lines_ += line;
  events_.add(id, std::move(line));
  put(std::move(after));
  trim_ended();
}

void JobRowTable::correct_rows(const std::function<void(JobRow&)>& how) {
  for (auto& [id, row] : rows_) {
    JobRow corrected = *row;
    how(corrected);
    row = std::make_shared<const JobRow>(std::move(corrected));
  }
}

std::string JobRowTable::take_lines() { return std::exchange(lines_, {}); }

// The first line is not a job: it has the numbers of the next event and the next job.
std::function<std::string()> JobRowTable::saver() const {
  std::vector<std::shared_ptr<const JobRow>> rows;
  rows.reserve(rows_.size());
  for (const auto& [id, row] : rows_) {
    if (row->stage != JobStage::ended) rows.push_back(row);
  }
  for (const JobId id : ended_) rows.push_back(rows_.at(id));
  const JobEventHead head{events_.next(), 0, "state", used_ids_.next(), used_ids_.text()};
  return [rows = std::move(rows), head] {
    std::string out = event_line(head, JobRow{}, JobRow{}, {});
    for (const auto& row : rows) out += row_line(*row);
    return out;
  };
}

Result<void> JobRowTable::load(std::string_view lines, const UserOf& user_of) {
  *this = JobRowTable(limits_);
  JobRow row;
  const auto row_of = [&row](const JobEventHead& head) -> JobRow& {
    row = {};
    row.id = head.job;
    return row;
  };
  auto done = for_each_line(lines, "jobs", [&](std::string_view line) -> Result<void> {
    const auto head = read_event(line, row_of);
    if (!head) return std::unexpected(head.error());
    if (head->event.empty()) {
      if (user_of) row.user = user_of(row.user);
      put(row);
    } else {
      if (auto ok = used_ids_.restore(head->job, head->used_ids); !ok) return ok;
      events_.begin_at(head->seq);
      state_next_event_ = head->seq;
    }
    return {};
  });
  trim_ended();
  return done;
}

void JobRowTable::add_earlier_events(std::string_view lines, journal::Sequence record) {
  if (!state_next_event_) return;
  JobRow row;
  // An unreadable line is a gap: the events before it are dropped.
  (void)for_each_line(lines, "jobs", [&](std::string_view line) -> Result<void> {
    const auto head = read_event(line, [&row](const JobEventHead&) -> JobRow& { return row; });
    if (!head) return std::unexpected(head.error());
    if (events_.size() == 0 || head->seq != events_.next()) events_.restart_at(head->seq);
    events_.add(head->job, std::string(line) + "\n");
    return {};
  });
  events_.set_record(record);
}

void JobRowTable::finish_earlier_events() {
  if (!state_next_event_) return;
  const std::uint64_t next = *std::exchange(state_next_event_, {});
  if (events_.next() != next) events_.restart_at(next);
}

Result<void> JobRowTable::apply(std::string_view lines, journal::Sequence record,
                                const UserOf& user_of) {
  JobRow row;
  const auto row_of = [&](const JobEventHead& head) -> JobRow& {
    erase_ended_id(head.job);
    const JobRow* known = find(head.job);
    row = known == nullptr ? JobRow{} : *known;
    row.id = head.job;
    return row;
  };
  auto done = for_each_line(lines, "jobs", [&](std::string_view line) -> Result<void> {
    const auto head = read_event(line, row_of);
    if (!head) return std::unexpected(head.error());
    if (head->seq != events_.next()) {
      return fail(ErrorCode::invalid,
                  fmt::format("expected event {1}, not {0}", head->seq, events_.next()));
    }
    events_.add(head->job, std::string(line) + "\n");
    if (user_of) row.user = user_of(row.user);
    put(row);
    trim_ended();
    return {};
  });
  events_.set_record(record);
  return done;
}

}  // namespace copse::server
