// SPDX-License-Identifier: Apache-2.0
//
// Who uses each pool of a machine now, who is next, and what keeps it from use: what the picture of
// a machine shows, read from an engine once.
//
// A pool that a job holds exclusively counts as used with everything below it, whatever of that the
// job asked for: no other job can have it.
//
// Invariants: owner, next and mark of a pool hold for everything below it.
// Sketch: 9 bytes a pool; 4 more while it is made, if anything is reserved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "draw/machine_svg.hpp"

namespace copse::draw {

// Why a pool is not given to jobs. Of several reasons, the one named last counts.
enum class Mark : std::uint8_t { none, excluded, drained, down };

// Units of a type within some part of the machine.
struct TypeUse {
  TypeId type;
  std::int64_t used = 0, total = 0;
  bool amount = false;  // some pool of it is not just one unit without a name: memory, storage
};

class MachineUse {
 public:
  static constexpr std::uint32_t kNoJob = UINT32_MAX;

  // REQUIRES that the pools of the picture are those of its graph.
  explicit MachineUse(const MachinePicture& picture);

  // Places in running() and in waiting(), or kNoJob.
  [[nodiscard]] std::uint32_t owner(PoolId p) const { return owner_[p.v]; }
  [[nodiscard]] std::uint32_t next(PoolId p) const { return next_.empty() ? kNoJob : next_[p.v]; }
  [[nodiscard]] Mark mark(PoolId p) const { return static_cast<Mark>(marks_[p.v]); }
  [[nodiscard]] Status status(PoolId p) const {
    return engine_ == nullptr ? Status::up : engine_->status(p);
  }

  [[nodiscard]] const ResourceGraph& graph() const { return graph_; }
  [[nodiscard]] const std::vector<const Grant*>& running() const { return running_; }  // by job
  [[nodiscard]] const std::vector<const Grant*>& waiting() const { return waiting_; }  // by start

  // Types of the pools [first, end), types ascending. O(pools).
  [[nodiscard]] std::vector<TypeUse> uses(std::uint32_t first, std::uint32_t end) const;
  void add_use(PoolId p, std::vector<TypeUse>& into) const;  // types kept ascending
  // Whether some leaf has the type, or it is one that jobs ask for.
  [[nodiscard]] bool of_leaves(TypeId type) const { return of_leaves_[type.v]; }
  // "1,024 of 18,432 GB".
  [[nodiscard]] std::string words(const TypeUse& use) const;

 private:
  void own(const Grant& grant, std::uint32_t number);
  void reserve();
  void note_marks(const MachinePicture& picture);

  const ResourceGraph& graph_;
  const Engine* engine_;
  std::vector<const Grant*> running_, waiting_;
  std::vector<std::uint32_t> owner_, next_;
  std::vector<std::uint8_t> marks_;
  std::vector<UnitId> unit_of_;  // by type: the unit of its first pool
  std::vector<bool> of_leaves_;  // by type
};

// One share of a unit: what one job uses of it.
struct Part {
  std::uint32_t job;  // place in running(), or kSeveral
  double share;
};

// What units look like, as shares of 1.
struct UnitCounts {
  static constexpr std::uint32_t kSeveral = MachineUse::kNoJob - 1;
  static constexpr std::size_t kJobsMax = 32;  // jobs told apart

  double used = 0, reserved = 0, excluded = 0, drained = 0, down = 0;
  std::vector<Part> parts{};  // sums to used; in the order of pools

  void add(const UnitCounts& other);
  void scale(double factor);
  // At most so many parts, the last of which stands for all others.
  void limit_parts(std::size_t parts_max);
};

// Of one unit: used as far as the type that is used most. O(pools below).
[[nodiscard]] UnitCounts counts_of(const MachineUse& use, PoolId unit);

}  // namespace copse::draw
