// SPDX-License-Identifier: Apache-2.0
//
// QueueDefaults: what the queues of a configuration give requests (request/request_defaults.hpp), in
// the units of a machine.
//
// A core has the CPUs that Slurm's files say of its node, else one. Where nodes differ, the fewest
// count. Memory is given where cores and memory are children of pools of one type, and memory has a
// unit of bytes: elsewhere no slot could have both.
#pragma once

#include <string>
#include <string_view>

#include "copse/graph.hpp"
#include "formats/cluster_jobs.hpp"
#include "queue/config/job_defaults.hpp"
#include "request/request_defaults.hpp"

namespace copse::queue {

class QueueDefaults {
 public:
  QueueDefaults() = default;  // none
  // O(pools), if some queue gives memory.
  QueueDefaults(JobDefaults defaults, const ResourceGraph& graph);

  // "": those of requests outside the queues. O(log queues).
  [[nodiscard]] RequestDefaults of(std::string_view queue) const;
  // The queue of jobs that name none; "": none.
  [[nodiscard]] const std::string& queue() const { return defaults_.queue; }
  // A sentence, if the memory of the configuration has no effect on the machine; else "".
  [[nodiscard]] std::string remark() const;

 private:
  JobDefaults defaults_{};
  bool gives_memory_ = false, counts_memory_ = false;
  std::string unit_{};
  CpusOfNode cpus_{};
};

}  // namespace copse::queue
