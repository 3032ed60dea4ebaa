// SPDX-License-Identifier: Apache-2.0
//
// Viewer: what a client sees of jobs and grants. Those of its user and, for operators, of all it sees
// whole. Of others it sees what Slurm's squeue shows, or nothing where jobs are private.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "copse/ids.hpp"

namespace copse {

enum class Visibility : std::uint8_t {
  hidden,  // as if it did not exist
  shared,  // without its jobspec and constraints, and the attributes of its R
  whole,
};

struct Viewer {
  bool sees_all = true;
  bool private_jobs = false;  // those of others are hidden
  std::string user{};         // whose jobs it sees whole; "": of no user

  // `owner`: "": unknown.
  [[nodiscard]] Visibility of(std::string_view owner) const {
    if (sees_all || (!owner.empty() && owner == user)) return Visibility::whole;
    return private_jobs ? Visibility::hidden : Visibility::shared;
  }
  // Whether some jobs are hidden from it.
  [[nodiscard]] bool misses_some() const { return !sees_all && private_jobs; }
};

// Whether a job or grant is hidden; empty: none is.
using IsHidden = std::function<bool(JobId id)>;

}  // namespace copse
