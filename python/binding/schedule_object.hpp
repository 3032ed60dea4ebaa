// SPDX-License-Identifier: Apache-2.0
//
// copse._copse.Schedule: the result of a stream of jobs on a machine. While run() fills it, and
// while a call uses its engine, calls from other threads raise copse.Busy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <pybind11/pybind11.h>

#include "engine_object.hpp"
#include "plan/record.hpp"
#include "stream_object.hpp"
#include "table.hpp"

namespace copse::python {

class ScheduleObject {
 public:
  // REQUIRES an engine in a shared pointer; its grants count as jobs outside the stream.
  ScheduleObject(std::shared_ptr<EngineObject> engine, StreamPointer stream);
  // Runs the stream with a built-in discipline.
  void run(const std::string& discipline, const std::string& priority);

  [[nodiscard]] plan::Record& record() { return record_; }
  [[nodiscard]] std::size_t runs() const;
  [[nodiscard]] const plan::Jobs& jobs() const { return stream_->jobs; }
  void name(std::string discipline) { discipline_ = std::move(discipline); }
  [[nodiscard]] std::string summary()
      const;  // JSON, with the parameters that reproduce the schedule
  [[nodiscard]] Table table() const;
  [[nodiscard]] std::string svg() const;
  [[nodiscard]] std::string csv() const;

 private:
  std::shared_ptr<EngineObject> engine_;
  StreamPointer stream_;
  NodeRows rows_;
  plan::Record record_;
  std::string discipline_, priority_{};
};

void bind_schedule(pybind11::module_& module);

}  // namespace copse::python
