// SPDX-License-Identifier: Apache-2.0
//
// Limits of a site on the requests of jobs (RFC 33): size and duration, for all queues, or for
// single queues instead.
//
// The size of a job comes from its request (flux-core's limit-job-size plugin): 0 nodes if it names
// none, and the minimum of a range. Whole nodes count as the average number of cores of a node of
// the machine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/known_key.hpp"
#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse::queue {

// Keys of [policy], of its tables and of job-size.max and job-size.min.
inline constexpr std::array<KnownKey, 3> kPolicyKeys{
    {{"limits", KnownKey::kMapping},
     {"jobspec", KnownKey::kMapping},   // defaults for new jobs; skipped
     {"access", KnownKey::kMapping}}};  // queue/limits/queue_access.hpp
inline constexpr std::array<KnownKey, 2> kLimitKeys{
    {{"job-size", KnownKey::kMapping}, {"duration", KnownKey::kTime}}};
inline constexpr std::array<KnownKey, 2> kJobSizeKeys{
    {{"max", KnownKey::kMapping}, {"min", KnownKey::kMapping}}};
inline constexpr std::array<KnownKey, 3> kSizeKeys{
    {{"nnodes", KnownKey::kNumber}, {"ncores", KnownKey::kNumber}, {"ngpus", KnownKey::kNumber}}};

// Nodes, cores, gpus, in the order of kSizeKeys.
using JobSize = std::array<std::int64_t, kSizeKeys.size()>;

[[nodiscard]] JobSize size_of(const Request& request, const ResourceGraph& graph);

class JobLimits {
 public:
  static constexpr std::int64_t kUnlimited = -1;  // lifts a limit that holds for all queues

  // The limits of one table; a limit that is not set is inherited from the general table.
  struct Stated {
    std::array<std::optional<std::int64_t>, kSizeKeys.size()> most{}, least{};
    std::optional<std::int64_t> duration_s{};  // 0: unlimited
  };

  // `table`: that of the limits of all queues, for messages.
  explicit JobLimits(std::string table) : table_(std::move(table)) {}
  JobLimits() = default;

  // "": the limits of all queues.
  [[nodiscard]] Stated& of(const std::string& queue) { return of_queue_[queue]; }
  [[nodiscard]] bool empty() const { return of_queue_.empty(); }

  // A sentence about the first limit that a job of the queue exceeds; empty if there is none. A
  // duration of 0 is unlimited.
  [[nodiscard]] std::string broken(std::string_view queue, const JobSize& size,
                                   std::int64_t duration_s) const;

 private:
  std::string table_ = "policy.limits";
  std::map<std::string, Stated, std::less<>> of_queue_;
};

// Checks the jobs of a stream, which share their requests.
class LimitCheck {
 public:
  // Both must outlive this object.
  LimitCheck(const JobLimits& limits, const ResourceGraph& graph)
      : limits_(limits), graph_(graph) {}

  // As JobLimits::broken(). `number` identifies the request. Cost: O(request) the first time, then
  // a hash.
  [[nodiscard]] std::string broken(std::string_view queue, std::uint32_t number,
                                   const Request& request, std::int64_t duration_s);

 private:
  const JobLimits& limits_;
  const ResourceGraph& graph_;
  std::unordered_map<std::uint32_t, JobSize> sizes_;
};

}  // namespace copse::queue
