// SPDX-License-Identifier: Apache-2.0
//
// Annotations: the object "sched" of a job's annotations, which users see in addition to the state.
// Each text costs the job manager an event, so only changes are reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace copse::flux {

// The values that were reported for one job so far.
class Annotations {
 public:
  // The start (none: unknown) and the reason of a waiting job. Returns the text to send, or "" if
  // nothing changed, or too little for a message: see kQuiet_s.
  [[nodiscard]] std::string waits(std::int64_t now_s, std::optional<std::int64_t> start_s,
                                  std::string_view cause, std::string_view reason,
                                  std::int64_t jobs_ahead);
  // The same without causes: `jobs_ahead`, if given, is reported with the words of sched-simple.
  [[nodiscard]] std::string waits_simply(std::int64_t now_s, std::optional<std::int64_t> start_s,
                                         std::optional<std::int64_t> jobs_ahead);
  // The start that was reported last.
  [[nodiscard]] std::optional<std::int64_t> reported_start() const { return start_s_; }
  [[nodiscard]] bool promised() const { return was_planned_; }
  // A promised start; none: the promise was withdrawn. `with_type`: selection_type says so as well.
  [[nodiscard]] std::string planned(std::optional<std::int64_t> start_s, bool with_type);
  // The job starts: clears the values of its waiting. Without `ahead_of_others`, selection_type is
  // left out. `hres`: its hierarchical resources, or "".
  [[nodiscard]] std::string starts(std::string_view resources, std::optional<bool> ahead_of_others,
                                   std::string_view hres = {}) const;

  // While the cause stays the same, a new sentence is sent after this time at the earliest.
  static constexpr std::int64_t kQuiet_s = 60;

 private:
  [[nodiscard]] bool is_news(std::int64_t now_s, std::optional<std::int64_t> start_s) const;

  std::optional<std::int64_t> start_s_{};
  std::string cause_;
  std::size_t reason_hash_ = 0;
  std::int64_t reason_s_ = 0;  // when it was reported
  std::optional<std::int64_t> jobs_ahead_{};
  bool was_planned_ = false, has_reported_start_ = false, has_reported_reason_ = false;
};

}  // namespace copse::flux
