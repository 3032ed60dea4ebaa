// SPDX-License-Identifier: Apache-2.0
//
// copse.Engine and copse.Request: an engine, and a request compiled for it.
//
// A long call releases the GIL. Meanwhile the engine is marked as busy, and calls from other
// threads raise copse.Busy: an engine serves one thread at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <pybind11/pybind11.h>

#include "copse/engine.hpp"
#include "machine_object.hpp"
#include "raise.hpp"

namespace copse::python {

class RequestObject;

class EngineObject : public std::enable_shared_from_this<EngineObject> {
 public:
  explicit EngineObject(std::unique_ptr<Engine> engine, JobId next_job = 1,
                        std::string machine_file = {})
      : engine_(std::move(engine)), next_job_(next_job), machine_file_(std::move(machine_file)) {}
  [[nodiscard]] static std::shared_ptr<EngineObject> create(const MachineObject& machine,
                                                            const pybind11::object& policy,
                                                            const std::string& traverser,
                                                            std::int64_t now, std::int64_t horizon);
  [[nodiscard]] static std::shared_ptr<EngineObject> load(std::string_view bytes);
  [[nodiscard]] std::shared_ptr<EngineObject> clone();

  // The exclusive use of an engine by one call. Throws InUse.
  class Use {
   public:
    explicit Use(EngineObject& object) : object_(object) {
      if (object.used_.exchange(true, std::memory_order_acquire)) throw InUse();
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { object_.used_.store(false, std::memory_order_release); }
    Engine* operator->() const { return object_.engine_.get(); }
    Engine& operator*() const { return *object_.engine_; }

   private:
    EngineObject& object_;
  };
  // Access to constant parts only: the graph's words, the options.
  [[nodiscard]] Engine& engine() { return *engine_; }
  // The job id of a call: the given one, else the next that has no grant. Given ids are not assigned
  // again.
  [[nodiscard]] JobId job_of(std::optional<JobId> named);
  // The file of the machine; "": none.
  [[nodiscard]] const std::string& machine_file() const { return machine_file_; }
  void granted(JobId job) { next_job_ = std::max(next_job_, job + 1); }

 private:
  std::unique_ptr<Engine> engine_;
  JobId next_job_;
  std::string machine_file_;
  std::atomic<bool> used_ = false;
};

class RequestObject {
 public:
  RequestObject(std::shared_ptr<EngineObject> engine, PreparedRequest prepared)
      : engine_(std::move(engine)), prepared_(std::move(prepared)) {}
  // From a jobspec, a shape (RFC 46) or a dict with a jobspec.
  [[nodiscard]] static RequestObject of(const std::shared_ptr<EngineObject>& engine,
                                        const pybind11::object& what,
                                        std::optional<std::int64_t> duration_s,
                                        const std::string& constraint = {},
                                        const std::string& hres = {});
  // REQUIRES its own engine; throws otherwise.
  [[nodiscard]] PreparedRequest& prepared(const EngineObject& engine);
  void set_duration(std::int64_t duration_s);

 private:
  std::shared_ptr<EngineObject> engine_;
  PreparedRequest prepared_;
};

// Parses a Python text or dict: a jobspec, else a shape.
[[nodiscard]] Request parse_request(const pybind11::object& what,
                                    std::optional<std::int64_t> duration_s,
                                    const std::string& constraint, const std::string& hres);

// R (RFC 20) as text, from a text or dict.
[[nodiscard]] std::string text_of(const pybind11::object& what);

using EngineClass = pybind11::class_<EngineObject, std::shared_ptr<EngineObject>>;
void bind_engine(pybind11::module_& module);
// Defined in engine_matches.cpp and engine_views.cpp.
void bind_matches(EngineClass& engine);
void bind_views(EngineClass& engine);

}  // namespace copse::python
