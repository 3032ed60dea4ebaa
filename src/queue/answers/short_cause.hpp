// SPDX-License-Identifier: Apache-2.0
//
// Short causes: why a job waits, in at most kCauseCharacters characters, for lists and annotations.
//
//   waits for 4 of 2 free GPUs of type h100                                  short_cause()
//   waits for 4 of 2 free GPUs of type h100, until 14:05 (in 50 min)         timed_cause()
//
// A short cause has no time, so each reader adds it in its own time zone. It names the types of the
// request and no others, and at most one job. All hosts show these: the service, plan and Flux.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "copse/explain.hpp"
#include "explain/explanation.hpp"
#include "queue/answers/reasons.hpp"

namespace copse::queue {

inline constexpr std::size_t kCauseCharacters = 80;

// The cause of a reason whose other members are set. `excluding`: what excludes the free pools of a
// job whose cause is its constraint ("its queue"). `now_s`: the time of the reason. O(length).
[[nodiscard]] std::string short_cause(const Reason& reason, std::int64_t now_s,
                                      const JobNames& names, std::string_view excluding);

// The same for a request without a job.
[[nodiscard]] std::string short_cause(const Explanation& why);

// The whole sentence of a shortage, with all numbers; at most two holders are named.
[[nodiscard]] std::string whole_sentence(const Explanation& why, const JobNames& names);

// A time as one reader reads it, at another time: "14:05".
using ClockWords = std::function<std::string(std::int64_t time_s, std::int64_t now_s)>;

// The cause with the start that ends the waiting, if that fits. `start_s`: none, or not after now_s:
// the cause alone. `estimated`: the start is about that time.
[[nodiscard]] std::string timed_cause(std::string_view cause, std::optional<std::int64_t> start_s,
                                      bool estimated, std::int64_t now_s,
                                      const ClockWords& clock = {});

}  // namespace copse::queue
