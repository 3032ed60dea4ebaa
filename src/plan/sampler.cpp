// SPDX-License-Identifier: Apache-2.0
#include "plan/sampler.hpp"

#include <cassert>
#include <cmath>

namespace copse::plan {

namespace {

constexpr double kLn2High = 6.93147180369123816490e-01;  // 33 bits: k × this is exact
constexpr double kLn2Low = 1.90821492927058770002e-10;

}  // namespace

// x = k·ln 2 + r, |r| <= 0.35; exp r by its series. ldexp and floor are exact.
double portable_exp(double x) {
  assert(std::abs(x) <= 700);
  const double k = std::floor(x / 0.6931471805599453 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int n = 18; n > 0; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

// x = m·2^k, m in [1/√2, √2); log m = 2·artanh((m - 1) / (m + 1)) by its series.
double portable_log(double x) {
  assert(x > 0 && std::isfinite(x));
  int k = 0;
  double m = std::frexp(x, &k);
  if (m < 0.7071067811865476) {
    m *= 2;
    --k;
  }
  const double z = (m - 1) / (m + 1), z2 = z * z;
  double sum = 0;
  for (int n = 23; n >= 1; n -= 2) sum = sum * z2 + 1.0 / n;
  return k * kLn2High + (2 * z * sum + k * kLn2Low);
}

std::uint64_t Sampler::bits() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

double Sampler::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Sampler::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  for (;;) {
    const double u = 2 * uniform() - 1, v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s >= 1 || s == 0) continue;
    const double scale = std::sqrt(-2 * portable_log(s) / s);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }
}

double Sampler::gamma(double alpha, double beta) {
  assert(alpha >= 1);
  const double d = alpha - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    const double cube = 1 + c * x;
    if (cube <= 0) continue;
    const double v = cube * cube * cube, u = uniform();
    if (u == 0) continue;
    if (portable_log(u) < 0.5 * x * x + d - d * v + d * portable_log(v)) return d * v * beta;
  }
}

}  // namespace copse::plan
