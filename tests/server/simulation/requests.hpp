// SPDX-License-Identifier: Apache-2.0
//
// Random requests of the clients of a service, by a seed: lines, and requests of HTTP. The machine is
// kPlainMachine: ranks 0-3 of 4 cores each, called n0 to n3.
#pragma once

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace copse::server {

struct RandomHttp {
  std::string method, target, body{}, key{};  // key: "": it has none
};

class RandomRequests {
 public:
  explicit RandomRequests(std::uint64_t seed) : random_(seed) {}

  // Of grants, nodes and jobs. Ids of jobs are those that the service chooses: from 1 on.
  std::string line() {
    const auto id = kGrants + below(12);
    switch (below(27)) {
      case 0:
      case 1: return alloc("alloc", id, "slot=1/core=2");
      case 2: return alloc("alloc", id, "slot=1/node{x}");
      case 3: return alloc("reserve", id, "slot=2/node{x}");
      case 4: return alloc("reserve", id, "slot=3/core");
      case 5:
      case 6:
      case 7: return of("free", id);
      case 8: return fmt::format(R"({{"op": "down", "ranks": "{}"}})", below(4));
      case 9: return R"({"op": "up", "ranks": "all"})";
      case 10: return R"({"op": "info"})";
      case 11: return fmt::format(R"({{"op": "free", "id": {}, "ranks": "{}"}})", id, below(4));
      case 12:
      case 13:
      case 14: return fmt::format(R"({{"op": "submit", {}}})", job());
      case 15: return of("cancel", any_job());
      case 16: return of("hold", any_job());
      case 17: return of("release", any_job());
      case 18:
        return fmt::format(R"({{"op": "priority", "id": {}, "priority": {}}})", any_job(),
                           below(3));
      case 19: return of("end", any_job());
      case 20:
        return fmt::format(R"({{"op": "end", "id": {}, "ranks": "{}"}})", any_job(), below(4));
      case 21: return of("renew", any_job());
      case 22: return of(below(2) == 0 ? "why" : "when", any_job());
      case 23: return R"({"op": "jobs", "state": "all"})";
      case 24: return reservation();
      case 25: return R"({"op": "reservations"})";
      default: return R"({"op": "queue"})";
    }
  }

  // Of grants, jobs with a key, layers, and amounts of them that are reserved.
  RandomHttp http(std::int64_t now_s) {
    const auto grant = fmt::format("/v1/grants/{}", kGrants + 100 + below(6));
    switch (below(12)) {
      case 0:
      case 1:
        return {"PUT", grant,
                fmt::format(R"({{"shape": "slot=1/core", "duration": {}}})", below(3) * 40)};
      case 2: return {"PUT", grant + "?when=later", R"({"shape": "slot=1/node", "duration": 30})"};
      case 3: return {"DELETE", grant};
      case 4:
      case 5:
      case 6:
        return {"POST", "/v1/jobs", fmt::format("{{{}}}", job()), fmt::format("k{}", ++keys_)};
      case 7: return {"DELETE", fmt::format("/v1/jobs/{}", any_job())};
      case 8:
        return {"GET", below(2) == 0 ? "/v1/jobs?state=all"
                                     : fmt::format("/v1/changes?since={}", below(400))};
      case 9:
        return {below(3) == 0 ? "PATCH" : "POST", "/v1/layers",
                fmt::format(R"({{"resource": "licence", "nodes": "n[0-3]", "count": {}}})",
                            2 + below(6))};
      case 10: {
        const std::string target = fmt::format("/v1/reservations/r{}", below(3));
        return {
            "PUT", target,
            fmt::format(R"({{"resource": "licence", "nodes": "n[0-3]", "count": 1, "start": {}, )"
                        R"("duration": {}, "for": [{}]}})",
                        now_s + static_cast<std::int64_t>(below(20)), 1 + below(60), any_job())};
      }
      default: return {"DELETE", fmt::format("/v1/reservations/r{}", below(3))};
    }
  }
  // A job that the service has numbered: the last ones more often.
  void knows(std::uint64_t job) { last_job_ = std::max(last_job_, job); }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

 private:
  static constexpr std::uint64_t kGrants = 1'000'000'000;

  static std::string of(std::string_view op, std::uint64_t id) {
    return fmt::format(R"({{"op": "{}", "id": {}}})", op, id);
  }
  std::uint64_t any_job() {
    const std::uint64_t far = below(4) == 0 ? 40 : 6;
    return last_job_ + 2 - std::min(last_job_ + 1, below(far));
  }
  std::string job() {
    if (below(5) == 0) {  // SECRET: that of the client, which it puts there
      return fmt::format(
          R"("jobspec": {{"version": 1, "resources": [{{"type": "slot", "count": 1, "label": "a", )"
          R"("with": [{{"type": "core", "count": {}}}]}}], "tasks": [{{"command": ["SECRET"], )"
          R"("slot": "a", "count": {{"per_slot": 1}}}}], "attributes": {{"system": )"
          R"({{"duration": {}}}}}}})",
          1 + below(3), below(100));
    }
    static constexpr std::string_view kShapes[] = {"slot=1/node", "slot=3/node", "slot=2/core",
                                                   "slot=1/core=3"};
    std::string out = fmt::format(R"("shape": "{}", "duration": {})",
                                  kShapes[below(std::size(kShapes))], below(100));
    if (below(4) == 0) out += fmt::format(R"(, "lease": {})", 5 + below(40));
    if (below(6) == 0) out += R"(, "held": true)";
    if (below(6) == 0) out += R"(, "hres": "licence:1")";
    if (below(8) == 0) out += fmt::format(R"(, "reservation": "r{}")", below(3));
    return out;
  }
  // Of days to come, since lines do not know the time; those that last already are ended, too.
  std::string reservation() {
    if (below(2) == 0) {
      return fmt::format(R"({{"op": "end-reservation", "name": "r{}"}})", below(3));
    }
    return fmt::format(R"({{"op": "add-reservation", "reservation": {{"name": "r{}", "nodes": {}, )"
                       R"("start": 0, "duration": {}, "repeat": "daily"}}}})",
                       below(3), below(2) == 0 ? R"("n[0-1]")" : "2", 40'000 + below(40'000));
  }
  std::string alloc(std::string_view op, std::uint64_t id, std::string_view shape) {
    return fmt::format(R"({{"op": "{}", "id": {}, "shape": "{}", "duration": {}}})", op, id, shape,
                       1 + below(100));
  }

  std::mt19937_64 random_;
  std::uint64_t last_job_ = 0, keys_ = 0;
};

}  // namespace copse::server
