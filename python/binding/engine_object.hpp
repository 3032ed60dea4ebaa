// SPDX-License-Identifier: Apache-2.0
//
// copse.Engine and copse.Request: an engine, and a request compiled for it.
//
// A call that takes long releases the GIL. Meanwhile the engine is marked, and a call from another
// thread is refused (copse.Busy): an engine is for one thread at a time.
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
                                                            const std::string& policy,
                                                            const std::string& traverser,
                                                            std::int64_t now, std::int64_t horizon);
  [[nodiscard]] static std::shared_ptr<EngineObject> load(std::string_view bytes);
  [[nodiscard]] std::shared_ptr<EngineObject> clone();

  // An engine in use by one call. Throws InUse.
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
  // As only a reader of what never changes needs it: the graph's words, the options.
  [[nodiscard]] Engine& engine() { return *engine_; }
  // The job of a call: the one that was named, else the next. Those named are not given again.
  [[nodiscard]] JobId job_of(std::optional<JobId> named);
  // Of its machine; "": it is of no file.
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
  // A jobspec, a shape (RFC 46) or a dict with a jobspec.
  [[nodiscard]] static RequestObject of(const std::shared_ptr<EngineObject>& engine,
                                        const pybind11::object& what,
                                        std::optional<std::int64_t> duration_s,
                                        const std::string& constraint = {},
                                        const std::string& hres = {});
  // REQUIRES the engine that it was made for; throws otherwise.
  [[nodiscard]] PreparedRequest& prepared(const EngineObject& engine);
  void set_duration(std::int64_t duration_s);

 private:
  std::shared_ptr<EngineObject> engine_;
  PreparedRequest prepared_;
};

// The request of a text or of an object of Python; a shape if it is no jobspec.
[[nodiscard]] Request parse_request(const pybind11::object& what,
                                    std::optional<std::int64_t> duration_s,
                                    const std::string& constraint, const std::string& hres);

// R (RFC 20) as a text, of a text or of a dict.
[[nodiscard]] std::string text_of(const pybind11::object& what);

using EngineClass = pybind11::class_<EngineObject, std::shared_ptr<EngineObject>>;
void bind_engine(pybind11::module_& module);
// What is matched and granted (engine_matches.cpp), and what an engine tells (engine_views.cpp).
void bind_matches(EngineClass& engine);
void bind_views(EngineClass& engine);

}  // namespace copse::python
