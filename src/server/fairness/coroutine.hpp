// SPDX-License-Identifier: Apache-2.0
//
// Coroutine: a long call that gives way in its middle, on a stack of its own.
//
//   Coroutine call([&](const std::function<void()>& pause) { … pause(); … });
//   while (!call.resume()) answer_others();
//
// It lets one thread answer others during a call that knows nothing of budgets: the caller only
// passes `pause` to where that call reports what it does. If the coroutine is destroyed first, the
// call is unwound: its next pause() throws, and all on its stack is destroyed.
//
// REQUIRES that the call throws nothing else, and catches no exception of unknown type.
// Cost: a stack of 8 MiB of address space, but only its used pages take memory; 1 µs for a resume().
// Thread safety: none. All calls of one coroutine are made by one thread.
#pragma once

#include <functional>
#include <memory>

namespace copse::server {

class Coroutine {
 public:
  using Body = std::function<void(const std::function<void()>& pause)>;

  explicit Coroutine(Body body);
  Coroutine(const Coroutine&) = delete;
  Coroutine& operator=(const Coroutine&) = delete;
  ~Coroutine();

  // Continues until the next pause(). True: the call has returned. REQUIRES that it has not before.
  [[nodiscard]] bool resume();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace copse::server
