// SPDX-License-Identifier: Apache-2.0
#include "server/fairness/coroutine.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define COPSE_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COPSE_ADDRESS_SANITIZER
#endif
#endif
#ifdef COPSE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace copse::server {

namespace {

constexpr std::size_t kStackBytes = std::size_t{8} << 20;
constexpr unsigned kHalf = 32;  // bits of an argument of a context

// Thrown by pause() to unwind the call.
struct Unwound {};

// A stack with a page below it that faults.
class Stack {
 public:
  Stack() : guard_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    memory_ = ::mmap(nullptr, guard_ + kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    (void)::mprotect(memory_, guard_, PROT_NONE);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() {
#ifdef COPSE_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(bottom(), kStackBytes);  // its last frames did not return
#endif
    ::munmap(memory_, guard_ + kStackBytes);
  }
  [[nodiscard]] void* bottom() const { return static_cast<std::byte*>(memory_) + guard_; }

 private:
  std::size_t guard_;
  void* memory_ = nullptr;
};

}  // namespace

struct Coroutine::Impl {
  Body body;
  Stack stack{};
  ucontext_t outside{}, inside{};
  bool begun = false, done = false, unwinding = false, thrown = false;
#ifdef COPSE_ADDRESS_SANITIZER
  // The sanitizer has to know on which stack the thread is.
  void *fake_outside = nullptr, *fake_inside = nullptr;
  const void* outside_bottom = nullptr;
  std::size_t outside_bytes = 0;
#endif

  explicit Impl(Body body_in) : body(std::move(body_in)) {}

  void enter() {
#ifdef COPSE_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&fake_outside, stack.bottom(), kStackBytes);
#endif
    ::swapcontext(&outside, &inside);
#ifdef COPSE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fake_outside, nullptr, nullptr);
#endif
  }
  void entered() {
#ifdef COPSE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fake_inside, &outside_bottom, &outside_bytes);
#endif
  }
  void leave() {
#ifdef COPSE_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(done ? nullptr : &fake_inside, outside_bottom, outside_bytes);
#endif
    ::swapcontext(&inside, &outside);
    entered();
  }
  // A destructor that is called by the unwinding must not throw.
  void pause() {
    if (!unwinding) leave();
    if (unwinding && !std::exchange(thrown, true)) throw Unwound();
  }
  void run() {
    entered();
    try {
      if (!unwinding) body([this] { pause(); });
    } catch (const Unwound&) {
      thrown = true;  // all on its stack is destroyed
    }
    done = true;
    leave();
  }
  static void run_at(unsigned high, unsigned low) {
    const auto number = static_cast<std::uintptr_t>(high) << kHalf | low;
    reinterpret_cast<Impl*>(number)->run();  // NOLINT(performance-no-int-to-ptr): as makecontext
  }
  void begin() {
    begun = true;
    ::getcontext(&inside);
    inside.uc_stack.ss_sp = stack.bottom();
    inside.uc_stack.ss_size = kStackBytes;
    inside.uc_link = nullptr;
    const auto number = reinterpret_cast<std::uintptr_t>(this);
    ::makecontext(&inside, reinterpret_cast<void (*)()>(&run_at), 2,
                  static_cast<unsigned>(number >> kHalf), static_cast<unsigned>(number));
  }
};

Coroutine::Coroutine(Body body) : impl_(std::make_unique<Impl>(std::move(body))) {}

Coroutine::~Coroutine() {
  if (!impl_->begun || impl_->done) return;
  impl_->unwinding = true;
  impl_->enter();
  assert(impl_->done);
}

bool Coroutine::resume() {
  assert(!impl_->done);
  if (!impl_->begun) impl_->begin();
  impl_->enter();
  return impl_->done;
}

}  // namespace copse::server
