// SPDX-License-Identifier: Apache-2.0
//
// A stream of the resources of jobs: JSON objects, each a line or more, with
//   "R"     the resources of a job (RFC 20), or a JGF
//   "id"    its id: a number, or a text in a form of RFC 19 (base/job_id.hpp)
//   "hres"  what it has of hierarchical resources (request/hres.hpp); else R may say so
// and other values, which are skipped. Answers of `copse session` to alloc are such objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"

namespace copse {

struct RStreamEntry {
  std::string_view r;                 // a part of the text
  std::optional<std::uint64_t> id{};  // from 1 to 2^63 - 1
  std::size_t line = 1;               // where the object begins
  std::string hres{};                 // as written; empty: nothing
};

// What an R says of hierarchical resources: attributes.system.hres, a text (RFC 20 leaves the keys of
// attributes.system to the system). Empty: nothing. Errors: invalid (it is no text). O(length).
[[nodiscard]] Result<std::string> hres_of_r(std::string_view r, const std::string& file);

// Errors: invalid, with the place: no JSON object, none or no object as "R", an id that is none.
// O(length).
[[nodiscard]] Result<std::vector<RStreamEntry>> read_r_stream(std::string_view text,
                                                              const std::string& file);

}  // namespace copse
