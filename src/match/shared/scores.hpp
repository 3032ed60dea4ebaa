// SPDX-License-Identifier: Apache-2.0
//
// Scores: a policy's scores of all pools, evaluated once. If the policy throws, PolicyFailure is
// thrown.
//
// Size: nothing for policies that score by id; else 8 bytes per pool and 1 per interior pool.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/policy.hpp"
#include "copse/shared.hpp"

namespace copse {

// Thrown by a match whose policy has thrown. There is no answer without scores: programs report it
// in one line, and end.
struct PolicyFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The same for a policy that visits: it fails for one request, which the engine refuses with it as an
// error (code invalid). Other requests may go on.
struct VisitFailure : PolicyFailure {
  using PolicyFailure::PolicyFailure;
};
// Whether an error is that of a VisitFailure: Python raises another exception for it.
[[nodiscard]] bool is_visit_failure(const Error& error);

// The order of the children of one type in the child list of their parent.
enum class ChildOrder : std::uint8_t {
  forward,   // the list is in order of preference; equal scores may be in it
  backward,  // the reverse of the list is in order of preference, without equal scores
  mixed,     // neither; or several runs
};

class Scores {
 public:
  Scores(const ResourceGraph& graph, const Policy& policy);
  // The same scores for a copy of the graph, and an equal policy. O(1).
  Scores(const ResourceGraph& graph, const Policy& policy, const Scores& other)
      : graph_(graph),
        policy_(policy),
        column_(other.column_),
        orders_(other.orders_),
        properties_version_(other.properties_version_) {}

  // Evaluates the policy again, if properties changed since. O(pools) then.
  void update();

  // After a subtree was attached below `parent`. O(pools attached + children of parent).
  void attached(PoolId parent);

  [[nodiscard]] Score own(PoolId p) const {
    return column_.empty() ? graph_.id(p) + 2 : column_[p.v];
  }
  // The term for all pools strictly below `node`. REQUIRES that its type is `node`.
  [[nodiscard]] Score below_node(PoolId node) const {
    if (policy_.bundled_below_node != nullptr) return call(policy_.bundled_below_node, node);
    return policy_.below_node == nullptr ? 0 : call(policy_.below_node, node);
  }
  // Calls a function of the policy: if it throws, PolicyFailure is thrown.
  template <class Function>
  Score guarded(Function function) const {
    std::string why;
    try {
      return function();
    } catch (const std::exception& thrown) {
      why = std::string(": ") + thrown.what();
    } catch (...) {
      why = ", which says nothing of itself";
    }
    fail_with(why);
  }
  [[nodiscard]] bool node_centric() const { return policy_.has_node_term(); }
  [[nodiscard]] bool better(Score a, Score b) const { return policy_.prefer_high ? a > b : a < b; }
  // Order of the children of interior pool `i` that are in one run of its shape, the only one of
  // its type.
  [[nodiscard]] ChildOrder order(std::uint32_t i, const ChildRun& run) const;

 private:
  // Calls a function of the policy.
  [[nodiscard]] Score call(Score (*function)(const ResourceGraph&, PoolId), PoolId p) const;
  [[nodiscard]] Score call(Score (*function)(GraphView, PoolId), PoolId p) const;
  [[noreturn]] void fail_with(const std::string& why) const;
  // REQUIRES that the policy does not score by id.
  [[nodiscard]] Score evaluated(PoolId p) const;
  [[nodiscard]] std::uint8_t order_of(std::uint32_t interior) const;

  const ResourceGraph& graph_;
  const Policy& policy_;
  SharedColumn<Score> column_;         // empty: id + 2
  SharedColumn<std::uint8_t> orders_;  // by interior: what holds in every run, see scores.cpp
  std::uint64_t properties_version_ = 0;
};

}  // namespace copse
