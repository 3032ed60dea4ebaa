// SPDX-License-Identifier: Apache-2.0
//
// What users see of a job besides its state: the object "sched" of its annotations. Each text costs
// the job manager an event, so only changes are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace copse::flux {

// What a job was told so far.
class Annotations {
 public:
  // Start (none: not known) and reason of a job that waits. The text to send, or "" if the job
  // knows it already, or what changed is not worth a message: see kQuiet_s.
  [[nodiscard]] std::string waits(std::int64_t now_s, std::optional<std::int64_t> start_s,
                                  std::string_view cause, std::string_view reason,
                                  std::int64_t jobs_ahead);
  // The same for a job that hears nothing of causes: `jobs_ahead`, if asked for, goes with the words
  // that sched-simple has.
  [[nodiscard]] std::string waits_simply(std::int64_t now_s, std::optional<std::int64_t> start_s,
                                         std::optional<std::int64_t> jobs_ahead);
  // The start that it was told last.
  [[nodiscard]] std::optional<std::int64_t> told_start() const { return start_s_; }
  [[nodiscard]] bool promised() const { return was_planned_; }
  // A start that is promised, or promised no more.
  [[nodiscard]] std::string planned(std::optional<std::int64_t> start_s);
  // It starts; what it was told while it waited is taken back.
  // `ahead_of_others` none: how it was chosen is not said. `hres`: what it got of hierarchical
  // resources, or "".
  [[nodiscard]] std::string starts(std::string_view resources, std::optional<bool> ahead_of_others,
                                   std::string_view hres = {}) const;

  // Of one cause, the numbers in a sentence may be that old.
  static constexpr std::int64_t kQuiet_s = 60;

 private:
  [[nodiscard]] bool is_news(std::int64_t now_s, std::optional<std::int64_t> start_s) const;

  std::optional<std::int64_t> start_s_{};
  std::string cause_;
  std::size_t reason_hash_ = 0;
  std::int64_t reason_s_ = 0;  // when it was told
  std::optional<std::int64_t> jobs_ahead_{};
  bool was_planned_ = false, told_start_ = false, told_reason_ = false;
};

}  // namespace copse::flux
