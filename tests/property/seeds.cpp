// SPDX-License-Identifier: Apache-2.0
#include "property/seeds.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>

namespace copse::property {

namespace {

std::optional<std::uint64_t> number_in_environment(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return {};
  return std::strtoull(text, nullptr, 10);
}

#if defined(COPSE_SANITIZED) || defined(__SANITIZE_THREAD__)
constexpr bool kFewerSeeds = true;  // each case takes ten times as long
#else
constexpr bool kFewerSeeds = false;
#endif

volatile std::sig_atomic_t current_seed = 0;

extern "C" void tell_seed(int signal) {
  char text[] = "COPSE_SEED=0000000000 crashed\n";
  std::sig_atomic_t seed = current_seed;
  for (std::size_t at = 20; at > 10; --at, seed /= 10)
    text[at] = static_cast<char>('0' + seed % 10);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

std::uint64_t Seeds::steps_ = 0;

Seeds::Seeds(std::uint64_t first, std::uint64_t count) : first_(first), count_(count) {
  if (const auto one = number_in_environment("COPSE_SEED")) {
    only_one_ = true;
    first_ = *one;
    count_ = 1;
    return;
  }
  if (kFewerSeeds) {
    count_ = (count_ + 4) / 5;
  } else {
    for (int signal : {SIGSEGV, SIGABRT, SIGFPE}) std::signal(signal, tell_seed);
  }
  count_ *= number_in_environment("COPSE_SEEDS").value_or(1);
}

Seeds::~Seeds() {
  std::cout << "[    SEEDS ] " << first_ << " to " << first_ + count_ - 1 << ", "
            << steps_ - steps_before_ << " steps\n";
}

void Seeds::announce(std::uint64_t seed) { current_seed = static_cast<std::sig_atomic_t>(seed); }

}  // namespace copse::property
