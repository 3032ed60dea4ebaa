// SPDX-License-Identifier: Apache-2.0
//
// copse._copse.Jobs and Schedule: a stream of jobs, and what became of it on a machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <pybind11/pybind11.h>

#include "engine_object.hpp"
#include "plan/record.hpp"
#include "table.hpp"

namespace copse::python {

// Streams of jobs never change once they were made.
using JobsPointer = std::shared_ptr<plan::Jobs>;

class ScheduleObject {
 public:
  // REQUIRES an engine that lives in a shared pointer; its grants count as jobs beside the stream.
  ScheduleObject(std::shared_ptr<EngineObject> engine, JobsPointer jobs);
  // Runs the stream with a discipline of the library.
  void run(const std::string& discipline, const std::string& priority);

  [[nodiscard]] plan::Record& record() { return record_; }
  [[nodiscard]] const plan::Record& record() const { return record_; }
  [[nodiscard]] const JobsPointer& jobs() const { return jobs_; }
  void name(std::string discipline) { discipline_ = std::move(discipline); }
  [[nodiscard]] std::string summary() const;  // JSON
  [[nodiscard]] Table table() const;
  [[nodiscard]] std::string svg() const;
  [[nodiscard]] std::string csv() const;

 private:
  std::shared_ptr<EngineObject> engine_;
  JobsPointer jobs_;
  plan::Lanes lanes_;
  plan::Record record_;
  std::string discipline_;
};

void bind_schedule(pybind11::module_& module);

}  // namespace copse::python
