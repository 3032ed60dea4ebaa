// SPDX-License-Identifier: Apache-2.0
#include "flux/annotations.hpp"

#include <cstdlib>
#include <functional>
#include <utility>

#include "text/json_writer.hpp"

namespace copse::flux {

namespace {

// An expected start changes a little with every event. A change is reported if it is at least a
// twentieth of the time until then, and ten seconds.
bool worth_reporting(std::int64_t now_s, std::int64_t old_s, std::int64_t new_s) {
  const std::int64_t moved = std::abs(new_s - old_s);
  return moved >= 10 && moved >= std::abs(old_s - now_s) / 20;
}

class SchedText {
 public:
  SchedText() : json_(text_) {
    json_.open('{');
    json_.key("sched");
    json_.open('{');
  }
  void start(std::optional<std::int64_t> start_s) { json_.member("t_estimate", start_s); }
  JsonWriter& json() { return json_; }
  [[nodiscard]] std::string take() {
    json_.close('}');
    json_.close('}');
    return std::move(text_);
  }

 private:
  std::string text_;
  JsonWriter json_;
};

}  // namespace

std::string Annotations::waits(std::int64_t now_s, std::optional<std::int64_t> start_s,
                               std::string_view cause, std::string_view reason,
                               std::int64_t jobs_ahead) {
  const std::size_t hash = std::hash<std::string_view>{}(reason);
  const bool new_reason =
      cause != cause_ || (hash != reason_hash_ && now_s >= reason_s_ + kQuiet_s);
  const bool new_start = is_news(now_s, start_s);
  if (!new_reason && !new_start) return {};
  SchedText text;
  if (new_start) {
    start_s_ = start_s;
    has_reported_start_ = true;
    text.start(start_s);
  }
  if (new_reason) {
    cause_ = cause;
    reason_hash_ = hash;
    reason_s_ = now_s;
    has_reported_reason_ = true;
    text.json().member("reason_pending", reason);
    text.json().member("jobs_ahead", jobs_ahead);
  }
  return text.take();
}

std::string Annotations::waits_simply(std::int64_t now_s, std::optional<std::int64_t> start_s,
                                      std::optional<std::int64_t> jobs_ahead) {
  const bool new_start = is_news(now_s, start_s);
  const bool new_place = jobs_ahead && jobs_ahead != jobs_ahead_;
  if (!new_start && !new_place) return {};
  SchedText text;
  if (new_start) {
    start_s_ = start_s;
    has_reported_start_ = true;
    text.start(start_s);
  }
  if (new_place) {
    jobs_ahead_ = jobs_ahead;
    has_reported_reason_ = true;
    text.json().member("reason_pending", "insufficient resources");
    text.json().member("jobs_ahead", *jobs_ahead);
  }
  return text.take();
}

bool Annotations::is_news(std::int64_t now_s, std::optional<std::int64_t> start_s) const {
  if (start_s.has_value() != start_s_.has_value()) return true;
  return start_s && worth_reporting(now_s, *start_s_, *start_s);
}

std::string Annotations::planned(std::optional<std::int64_t> start_s, bool with_type) {
  const bool changed = std::exchange(was_planned_, start_s.has_value()) != start_s.has_value();
  const bool new_type = with_type && changed;
  if (start_s_ == start_s && !new_type) return {};
  start_s_ = start_s;
  has_reported_start_ = true;
  SchedText text;
  text.start(start_s);
  if (new_type) text.json().member_json("selection_type", start_s ? "\"reserved\"" : "null");
  return text.take();
}

std::string Annotations::starts(std::string_view resources, std::optional<bool> ahead_of_others,
                                std::string_view hres) const {
  SchedText text;
  text.json().member("resource_summary", resources);
  if (!hres.empty()) text.json().member("hres", hres);
  if (ahead_of_others) {
    text.json().member("selection_type", was_planned_       ? "reserved"
                                         : *ahead_of_others ? "backfill"
                                                            : "immediate");
  }
  if (has_reported_start_) text.json().member_json("t_estimate", "null");
  if (has_reported_reason_) {
    text.json().member_json("reason_pending", "null");
    text.json().member_json("jobs_ahead", "null");
  }
  return text.take();
}

}  // namespace copse::flux
