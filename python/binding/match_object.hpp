// SPDX-License-Identifier: Apache-2.0
//
// copse.Match: the resources of a job, granted or possible. A value: it does not change when the
// job ends.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>

#include "copse/match.hpp"
#include "engine_object.hpp"
#include "rset/rset.hpp"

namespace copse::python {

class MatchObject {
 public:
  MatchObject(std::shared_ptr<EngineObject> engine, JobId job, const Match& match, bool reserved)
      : engine_(std::move(engine)), job_(job), match_(match), reserved_(reserved) {}
  [[nodiscard]] JobId job() const { return job_; }
  [[nodiscard]] const Match& match() const { return match_; }
  [[nodiscard]] bool reserved() const { return reserved_; }
  [[nodiscard]] std::string text(const std::string& format) const;
  [[nodiscard]] RSet resources() const;

 private:
  std::shared_ptr<EngineObject> engine_;  // with its machine
  JobId job_;                             // 0: none
  Match match_;
  bool reserved_;
};

void bind_match(pybind11::module_& module);

}  // namespace copse::python
