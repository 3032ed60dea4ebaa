// SPDX-License-Identifier: Apache-2.0
//
// Compression: promised jobs move to earlier starts where time was given back, in the order of the
// lines and of each line. A move gives back the time before it. Those in front of the job may want
// that, so that another round follows, until nobody moves: who is in front starts whenever it can.
//
// It can be left after any job and gone on with later.
//
// Invariant: after the last round no promised job has an earlier start, unless rounds ran out.
//
// Cost: the first round asks O(promised) times; a later one only for those in front of a job that
// moved, and for times given back since they were asked for. There are kRoundsMax at most, so that a
// pass stays linear; what is left over is for the next pass.
#pragma once

#include <cstdint>
#include <optional>

#include "queue/lines.hpp"

namespace copse::queue {

class Compression {
 public:
  struct Shared {  // with the queue
    Engine& engine;
    JobTable& jobs;
    KindTable& kinds;
    Promises& promises;
    StartChances& chances;
    Lines& lines;
  };

  static constexpr std::uint32_t kRoundsMax = 32;

  // `wanted`: time was given back.
  void begin(bool wanted);
  bool go_on(const Shared& shared, Slice& slice);  // true if it is over

 private:
  bool round(const Shared& shared, Slice& slice);
  static void move(const Shared& shared, Line& line, Slot slot);

  std::uint32_t rounds_left_ = 0;
  std::size_t at_line_ = 0;
  std::optional<Place> cursor_;  // of the last job looked at in that line
};

}  // namespace copse::queue
