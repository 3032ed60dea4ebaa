// SPDX-License-Identifier: Apache-2.0
//
// The state of each pool in the picture of a machine: the job that uses it now, the next one, and
// what excludes it from use. Read from an engine once.
//
// A pool that a job holds exclusively counts as used with everything below it, whatever the job
// requested: no other job can have it.
//
// Invariants: owner, next and mark of a pool hold for everything below it.
// Memory: 9 bytes a pool; 4 more during construction, if any pool is reserved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "draw/machine_svg.hpp"

namespace copse::draw {

// Why a pool is not given to jobs. Of several reasons, the last in this list counts.
enum class Mark : std::uint8_t { none, excluded, drained, down };

// Units of a type within some part of the machine.
struct TypeUse {
  TypeId type;
  std::int64_t used = 0, total = 0;
  bool amount = false;  // not all pools are single units without names: memory, storage
};

class MachineUse {
 public:
  static constexpr std::uint32_t kNoJob = UINT32_MAX;

  // REQUIRES that the pools of the picture are those of its graph.
  explicit MachineUse(const MachinePicture& picture);

  // Indices into running() and waiting(), or kNoJob.
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
  // Whether some leaf has the type, or jobs request it.
  //
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

// A part of a unit: the share that one job uses.
struct Part {
  std::uint32_t job;  // index into running(), or kSeveral
  double share;
};

// The state of units, as shares of 1.
struct UnitCounts {
  static constexpr std::uint32_t kSeveral = MachineUse::kNoJob - 1;
  static constexpr std::size_t kJobsMax = 32;  // jobs distinguished

  double used = 0, reserved = 0, excluded = 0, drained = 0, down = 0;
  std::vector<Part> parts{};  // their sum is `used`; in the order of pools

  void add(const UnitCounts& other);
  void scale(double factor);
  // Keeps at most this many parts; the last one then represents all others.
  void limit_parts(std::size_t parts_max);
};

// The counts of one unit: the type with the largest used share decides. O(pools below).
[[nodiscard]] UnitCounts counts_of(const MachineUse& use, PoolId unit);

}  // namespace copse::draw
