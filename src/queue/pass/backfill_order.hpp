// SPDX-License-Identifier: Apache-2.0
//
// BackfillOrder: those of a line that are promised nothing, in the order in which a pass tries whether
// they fit now. Of each kind the first that may still fit stands in a heap by its place. When it was
// tried, the next of its kind follows: so a failure spares all that ask for the same.
//
// It can be left after any job and gone on with later. Cost: O(kinds) to begin; a job O(log kinds),
// and the jobs of its kind that are skipped over.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "queue/job_kind_table.hpp"

namespace copse::queue {

// The last of so many places from one on that a line looks at; `skipped` count for nothing. None: no
// such place. O(places + skipped).
[[nodiscard]] std::optional<QueuePosition> last_within_depth(const std::set<Waiter>& order,
                                                             const std::set<Waiter>& skipped,
                                                             const QueuePosition& from,
                                                             std::size_t positions);

class BackfillOrder {
 public:
  struct Candidate {
    Waiter waiter;
    std::uint32_t kind = 0;
    bool operator<(const Candidate& other) const { return other.waiter < waiter; }
  };

  // The jobs of a line from one place to another, or to the end.
  void begin(const JobKindTable& kinds, std::uint16_t waiting_queue, const QueuePosition& from,
             const std::optional<QueuePosition>& last);
  // The next, which is no longer in the heap; none: all were tried.
  [[nodiscard]] std::optional<Candidate> take();
  // It was tried, or skipped over: the next of its kind may be.
  void tried(const JobKindTable& kinds, const Candidate& candidate);

 private:
  // A number may be that of another kind by now, of another line.
  void push(const JobKindTable& kinds, std::uint32_t kind, const QueuePosition* after);

  std::uint16_t queue_number_ = 0;
  QueuePosition from_{};
  std::optional<QueuePosition> last_;
  std::vector<Candidate> heap_;
};

}  // namespace copse::queue
