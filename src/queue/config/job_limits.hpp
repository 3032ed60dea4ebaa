// SPDX-License-Identifier: Apache-2.0
//
// Limits of a site on what jobs ask for (RFC 33): by size and by duration, for all queues, and of
// single queues in their place.
//
// The size of a job is what its request says (flux-core's limit-job-size plugin): 0 nodes if it
// names none, and the least of a range. Whole nodes count with the average cores of a node of the
// machine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/known_key.hpp"
#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse::queue {

// Keys of [policy], of its tables and of job-size.max and job-size.min.
inline constexpr std::array<KnownKey, 3> kPolicyKeys{
    {{"limits", KnownKey::kMapping},
     {"jobspec", KnownKey::kMapping},   // defaults, which jobs have when they come; passed over
     {"access", KnownKey::kMapping}}};  // who may submit; passed over
inline constexpr std::array<KnownKey, 2> kLimitKeys{
    {{"job-size", KnownKey::kMapping}, {"duration", KnownKey::kTime}}};
inline constexpr std::array<KnownKey, 2> kJobSizeKeys{
    {{"max", KnownKey::kMapping}, {"min", KnownKey::kMapping}}};
inline constexpr std::array<KnownKey, 3> kSizeKeys{
    {{"nnodes", KnownKey::kNumber}, {"ncores", KnownKey::kNumber}, {"ngpus", KnownKey::kNumber}}};

// Nodes, cores, gpus: as kSizeKeys.
using JobSize = std::array<std::int64_t, kSizeKeys.size()>;

[[nodiscard]] JobSize size_of(const Request& request, const ResourceGraph& graph);

class JobLimits {
 public:
  static constexpr std::int64_t kUnlimited = -1;  // of a queue: although all have a limit

  // What is said in one place; what is not said is as said of all.
  struct Stated {
    std::array<std::optional<std::int64_t>, kSizeKeys.size()> most{}, least{};
    std::optional<std::int64_t> duration_s{};  // 0: unlimited
  };

  // "": of all queues.
  [[nodiscard]] Stated& of(const std::string& queue) { return of_queue_[queue]; }
  [[nodiscard]] bool empty() const { return of_queue_.empty(); }

  // The first limit that a job of the queue breaks, in a sentence; empty if it keeps them. A
  // duration of 0 has no end.
  [[nodiscard]] std::string broken(std::string_view queue, const JobSize& size,
                                   std::int64_t duration_s) const;

 private:
  std::map<std::string, Stated, std::less<>> of_queue_;
};

// The limits for jobs of a stream, which share their requests.
class LimitCheck {
 public:
  // Both must outlive this.
  LimitCheck(const JobLimits& limits, const ResourceGraph& graph)
      : limits_(limits), graph_(graph) {}

  // As JobLimits::broken(). Requests have numbers. Cost: the first time O(request), then a hash.
  [[nodiscard]] std::string broken(std::string_view queue, std::uint32_t number,
                                   const Request& request, std::int64_t duration_s);

 private:
  const JobLimits& limits_;
  const ResourceGraph& graph_;
  std::unordered_map<std::uint32_t, JobSize> sizes_;
};

}  // namespace copse::queue
