// SPDX-License-Identifier: Apache-2.0
//
// OrSlots: which of several alternative slots are formed, one after the other, from the groups that
// a pool has, so that there are as many as possible. (Fluxion's flexible traverser.)
//
// The groups of each type are in order of preference. A slot takes, of every type that it lists,
// the next whole groups until its count is covered; so what is left depends only on how many groups
// of each type are gone, which is a *state*. Of several ways to the same number of slots, the one
// wins that takes the alternative listed first, at the first slot where they differ.
//
// Invariants: a state's value is kept once it is known, and never wrong; between two calls of clear
// the groups and alternatives do not change. No recursion.
//
// Cost: where there is enough for all slots, O(slots × alternatives × log groups). Else as many
// states as can be reached, at most kStatesMax of them: after that the first alternative that fits
// is taken wherever a state is not known (complete() tells). 32 bytes per state, 4 a type more.
// Memory is kept from call to call, so that nothing is allocated once it is enough.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace copse {

class OrSlots {
 public:
  static constexpr std::size_t kStatesMax = 1u << 14;

  void clear();
  // Adds a type with the sizes of its groups; returns its number. Sizes are at least 1.
  std::uint32_t add_type(std::span<const std::int64_t> sizes);
  // Adds an alternative; then, for each type that it lists, how many units. REQUIRES units >= 1.
  void add_alternative();
  void add_part(std::uint32_t type, std::int64_t units);

  // The alternatives to form, in order; at most `most`.
  [[nodiscard]] std::span<const std::uint32_t> choose(std::int64_t most);
  // Whether everything that could be better was tried.
  [[nodiscard]] bool complete() const { return !spent_; }

 private:
  struct Part {
    std::uint32_t type;
    std::int64_t units;
  };
  struct Alternative {
    std::uint32_t first, count;  // of parts_
  };
  struct Known {
    std::int64_t value = 0;   // so many slots can be formed from here
    std::uint32_t first = 0;  // the alternative that gives them
    std::uint32_t slot = 0;   // of table_
    std::uint64_t hash = 0;   // of its position
    bool exact = false;       // and no more, whatever the limit
  };
  struct Frame {
    std::uint32_t state;
    std::uint32_t alternative;
    std::int64_t most, bound, best;
    std::uint32_t best_alternative;
  };

  [[nodiscard]] std::int64_t solve(std::uint32_t state, std::int64_t most);
  [[nodiscard]] bool advance(std::uint32_t state, std::uint32_t alternative);  // into next_
  [[nodiscard]] std::uint32_t first_best(std::uint32_t state, std::int64_t most);
  [[nodiscard]] std::uint32_t intern_next();
  void enter(std::uint32_t state);
  [[nodiscard]] std::int64_t bound(std::uint32_t state) const;
  [[nodiscard]] bool known(std::uint32_t state, std::int64_t most) const {
    return states_[state].exact || states_[state].value >= most;
  }
  std::int64_t greedy(std::int64_t most);  // from next_
  void open(std::uint32_t state, std::int64_t most);
  void step(Frame& frame);
  void close(const Frame& frame);
  [[nodiscard]] std::span<const std::uint32_t> position(std::uint32_t state) const {
    return {positions_.data() + state * types(), types()};
  }
  [[nodiscard]] std::size_t types() const { return firsts_.size(); }

  std::vector<std::int64_t> sums_;     // per type: 0, then the sums of its first sizes
  std::vector<std::uint32_t> firsts_;  // per type: where its sums begin
  std::vector<Part> parts_;
  std::vector<Alternative> alternatives_;

  std::vector<std::uint32_t> positions_;  // by state: groups gone, by type
  std::vector<Known> states_;
  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(64);  // states from 1, by hash
  std::vector<std::uint32_t> next_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> chosen_;
  bool spent_ = false;
};

}  // namespace copse
