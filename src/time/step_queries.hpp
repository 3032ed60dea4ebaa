// SPDX-License-Identifier: Apache-2.0
//
// StepQueries: queries of the steps of a planner. The steps are one leaf or a tree (step_tree.hpp,
// which owns and changes them). Each walk visits the quarters in order of time and tracks the
// amount in use before each; recursion is bounded by the levels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "time/step_node.hpp"

namespace copse::steps {

// Whether a run that reaches the horizon may be cut there, or must be whole.
enum class AtHorizon : std::uint8_t { cut, whole };

template <class Value>
class StepQueries {
 public:
  using Amounts = std::span<const std::int64_t>;

  [[nodiscard]] std::uint32_t dimensions() const { return dimensions_; }

  [[nodiscard]] std::int64_t largest(std::uint32_t dimension, Instant first, Instant last) const;
  [[nodiscard]] std::int64_t least(std::uint32_t dimension, Instant first, Instant last) const;
  [[nodiscard]] std::int64_t smallest(std::uint32_t dimension) const;
  [[nodiscard]] std::optional<Instant> next(Instant from) const;
  // The time from which no dimension is above its limit until `at`; `at`: a limit is exceeded right
  // before it.
  [[nodiscard]] Instant run_before(Instant at, Amounts allowed) const;
  [[nodiscard]] std::optional<Instant> earliest_fit(Instant after, std::uint64_t duration,
                                                    Instant horizon, Amounts allowed,
                                                    AtHorizon at_horizon) const;

  // visit(context, at, amounts, references) for every step in order.
  using Visit = void (*)(void*, Instant, Amounts, std::uint32_t);
  void visit(Visit each, void* context) const;

 protected:
  using LeafOf = Leaf<Value>;
  using NodeOf = Node<Value>;

  explicit StepQueries(std::uint32_t dimensions) : dimensions_(dimensions) {}
  [[nodiscard]] LeafOf* root_leaf() const { return static_cast<LeafOf*>(root_); }
  [[nodiscard]] NodeOf* root_node() const { return static_cast<NodeOf*>(root_); }

  void* root_ = nullptr;
  Instant base_ = 0;  // of a leaf at the root
  std::uint32_t dimensions_;
  bool root_is_leaf_ = false;
};

}  // namespace copse::steps
