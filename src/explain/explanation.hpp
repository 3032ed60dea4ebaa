// SPDX-License-Identifier: Apache-2.0
//
// An Explanation as text and as JSON. Both append; O(length of the text).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "copse/explain.hpp"

namespace copse {

// Names of jobs in sentences; empty: their numbers.
using JobNames = std::function<std::string(std::uint64_t)>;
// Holders with ids from here on are not jobs, and are shown by name. 2^63 is a job: id 0 of a
// session.
inline constexpr std::uint64_t kFirstNamedHolder = (std::uint64_t{1} << 63) + 1;
[[nodiscard]] std::string name_of(const JobNames& names, std::uint64_t job);

// The verdict on a line of its own, and for each finding a line for its place in the request and a
// line for the sentence. Every line ends with a newline. Numbers above 999 are grouped: 16,308.
void append_explanation_text(std::string& out, const Explanation& explanation,
                             const JobNames& names = {});

// The sentence about one finding of an explanation with this verdict and time.
[[nodiscard]] std::string sentence(const Finding& finding, Verdict verdict, std::int64_t at,
                                   const JobNames& names = {});

// The type of the member "job" of a holder in JSON: its number, or its name.
enum class JobMember : std::uint8_t { number, name };

// One object on one line, with a newline. Keys: verdict, at, until, findings; those of a finding
// are named as in explain.hpp. Members that are unknown or do not apply are left out. A holder that
// is not a job has "name" instead of "job".
void append_explanation_json(std::string& out, const Explanation& explanation,
                             const JobNames& names = {}, JobMember job = JobMember::number);

}  // namespace copse
