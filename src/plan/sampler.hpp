// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every platform. The generator is SplitMix64 (Steele, Lea,
// Flood, "Fast splittable pseudorandom number generators", 2014). exp and log are computed with +,
// -, ×, ÷ only, because those of C libraries differ in the last bit.
#pragma once

#include <cstdint>

namespace copse::plan {

// Relative error below 1e-14. REQUIRES |x| <= 700.
[[nodiscard]] double portable_exp(double x);
// REQUIRES x > 0 and finite.
[[nodiscard]] double portable_log(double x);

class Sampler {
 public:
  explicit Sampler(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t bits();
  [[nodiscard]] double uniform();  // in [0, 1), a multiple of 2^-53
  [[nodiscard]] double normal();   // Marsaglia's polar method
  // Mean alpha × beta. Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
  // REQUIRES alpha >= 1.
  [[nodiscard]] double gamma(double alpha, double beta);

 private:
  std::uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace copse::plan
