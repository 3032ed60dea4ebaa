// SPDX-License-Identifier: Apache-2.0
//
// Random lines of clients of a service: what they ask by a seed.
#pragma once

#include <random>
#include <string>

#include <fmt/format.h>

namespace copse::server {

class RandomRequests {
 public:
  explicit RandomRequests(std::uint64_t seed) : random_(seed) {}

  std::string next() {
    const auto id = 1 + below(12);
    switch (below(12)) {
      case 0:
      case 1: return alloc("alloc", id, "slot=1/core=2");
      case 2: return alloc("alloc", id, "slot=1/node{x}");
      case 3: return alloc("reserve", id, "slot=2/node{x}");
      case 4: return alloc("reserve", id, "slot=3/core");
      case 5:
      case 6:
      case 7: return fmt::format(R"({{"op": "free", "id": {}}})", id);
      case 8: return fmt::format(R"({{"op": "down", "ranks": "{}"}})", below(4));
      case 9: return R"({"op": "up", "ranks": "all"})";
      case 10: return R"({"op": "info"})";
      default: return fmt::format(R"({{"op": "free", "id": {}, "ranks": "{}"}})", id, below(4));
    }
  }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

 private:
  std::string alloc(std::string_view op, std::uint64_t id, std::string_view shape) {
    return fmt::format(R"({{"op": "{}", "id": {}, "shape": "{}", "duration": {}}})", op, id, shape,
                       1 + below(100));
  }

  std::mt19937_64 random_;
};

}  // namespace copse::server
