// SPDX-License-Identifier: Apache-2.0
//
// The objects of handles, and their use by calls.
//
// An engine can be reached by its own handle and by that of its queue, so its core has a flag of
// its own for being in use. Requests keep the core alive, so that a request of a freed engine is
// distinguished from one of another engine.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "capi/call.hpp"
#include "capi/handle_table.hpp"
#include "copse/engine.hpp"
#include "host/load_machine.hpp"

namespace copse::capi {

class MachineObject : public Object {
 public:
  static constexpr Kind kKind = Kind::machine;
  explicit MachineObject(Machine machine_in) : machine(std::move(machine_in)) {}
  Machine machine;
};

class EffectStream;

struct EngineCore {
  explicit EngineCore(std::unique_ptr<Engine> engine_in);
  EngineCore(const EngineCore&) = delete;
  EngineCore& operator=(const EngineCore&) = delete;
  ~EngineCore();

  std::unique_ptr<EffectStream> stream;  // nullptr: not observed
  std::unique_ptr<Engine> engine;
  std::atomic<bool> used = false;    // by a call
  std::atomic<bool> queued = false;  // it has a queue
};

class EngineObject : public Object {
 public:
  static constexpr Kind kKind = Kind::engine;
  explicit EngineObject(std::shared_ptr<EngineCore> core_in) : core(std::move(core_in)) {}
  std::shared_ptr<EngineCore> core;
};

class RequestObject : public Object {
 public:
  static constexpr Kind kKind = Kind::request;
  RequestObject(std::shared_ptr<EngineCore> core_in, PreparedRequest prepared_in)
      : core(std::move(core_in)), prepared(std::move(prepared_in)) {}
  std::shared_ptr<EngineCore> core;
  PreparedRequest prepared;
};

[[nodiscard]] std::unexpected<Failure> bad_handle(copse_code code, Kind kind);

// Returns a new handle. Errors: COPSE_LIMIT; COPSE_INVALID (no output pointer).
template <class T, class Handle>
[[nodiscard]] Outcome<void> give(std::unique_ptr<T> object, Handle** out) {
  if (out == nullptr) return refuse(COPSE_INVALID, "the output pointer of the handle is NULL");
  void* const handle = HandleTable::of_process().insert(T::kKind, std::move(object));
  if (handle == nullptr) return refuse(COPSE_LIMIT, "there are 1,000,000 handles");
  *out = static_cast<Handle*>(handle);
  return {};
}

// The object of a handle, in use for the lifetime of this. Errors: COPSE_BAD_HANDLE, COPSE_BUSY.
template <class T>
class Held {
 public:
  [[nodiscard]] static Outcome<Held> of(const void* handle) {
    auto use = HandleTable::of_process().acquire(T::kKind, handle);
    if (!use) return bad_handle(use.error(), T::kKind);
    return Held(std::move(*use));
  }
  T* operator->() const { return static_cast<T*>(&use_.object()); }
  T& operator*() const { return *operator->(); }

 private:
  explicit Held(HandleTable::Use use) : use_(std::move(use)) {}
  HandleTable::Use use_;
};

template <class T>
copse_code free_handle(const void* handle) noexcept {
  return call(nullptr, [&]() -> Outcome<void> {
    auto object = HandleTable::of_process().remove(T::kKind, handle);
    if (!object) return bad_handle(object.error(), T::kKind);
    return {};
  });
}

// The access that a call needs. An engine with a queue can only be read by other calls.
enum class Access : std::uint8_t { read, write };

// An engine in use. Errors: COPSE_BUSY.
class EngineUse {
 public:
  [[nodiscard]] static Outcome<EngineUse> of(std::shared_ptr<EngineCore> core, Access access);
  EngineUse(EngineUse&&) = default;
  EngineUse& operator=(EngineUse&&) = delete;
  ~EngineUse() {
    if (core_ != nullptr) core_->used.store(false, std::memory_order_release);
  }
  [[nodiscard]] Engine& engine() const { return *core_->engine; }
  [[nodiscard]] const std::shared_ptr<EngineCore>& core() const { return core_; }

 private:
  explicit EngineUse(std::shared_ptr<EngineCore> core) : core_(std::move(core)) {}
  std::shared_ptr<EngineCore> core_;
};

// Calls body(EngineUse&), which returns Outcome<void>, for the engine of a handle.
template <class Body>
copse_code with_engine(const void* handle, Access access, copse_error* error, Body body) noexcept {
  return call(error, [&]() -> Outcome<void> {
    const auto held = Held<EngineObject>::of(handle);
    if (!held) return std::unexpected(held.error());
    auto use = EngineUse::of((*held)->core, access);
    if (!use) return std::unexpected(use.error());
    return body(*use);
  });
}

// The same with a request. Errors: COPSE_INVALID (a request of another engine).
template <class Body>
copse_code with_request(const void* handle, const void* request, Access access, copse_error* error,
                        Body body) noexcept {
  return with_engine(handle, access, error, [&](EngineUse& use) -> Outcome<void> {
    const auto held = Held<RequestObject>::of(request);
    if (!held) return std::unexpected(held.error());
    if ((*held)->core != use.core()) {
      return refuse(COPSE_INVALID, "the request belongs to another engine");
    }
    return body(use.engine(), (*held)->prepared);
  });
}

// Returns an engine to the caller.
[[nodiscard]] Outcome<void> give_engine(std::unique_ptr<Engine> engine, copse_engine** out);

}  // namespace copse::capi
