// SPDX-License-Identifier: Apache-2.0
//
// OrSlots: chooses which of several alternative slots are formed, one after the other, from the
// groups of a pool, so that there are as many slots as possible. (Fluxion's flexible traverser.)
//
// The groups of each type are in order of preference. A slot takes, of every type that it lists,
// the next whole groups until its count is covered; so what is left depends only on how many groups
// of each type were taken, which is a *state*. Of a divisible type, it takes the next units. Of several solutions with the same number of slots,
// the one that takes the alternative listed first, at the first slot where they differ, is chosen.
//
// Invariants: a state's value is cached once it is known, and always right; groups and alternatives
// do not change between two calls of clear. No recursion.
//
// Cost: if there is enough for all slots, or the alternatives share no type and groups have one
// unit, O(slots × alternatives × log groups). Else O(reachable states), at most kStatesMax: after that the first alternative that fits is taken for unknown
// states (see complete()). 32 bytes per state, plus 8 per type.
// Memory is reused between calls.
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
  // Adds a divisible type with the sum of its units; returns its number.
  std::uint32_t add_divided_type(std::int64_t units);
  // Adds an alternative; then call add_part for each type that it lists, with its units. REQUIRES
  // units >= 1.
  void add_alternative();
  void add_part(std::uint32_t type, std::int64_t units);

  // The alternatives to form, in order; at most `most`.
  [[nodiscard]] std::span<const std::uint32_t> choose(std::int64_t most);
  // Whether all better solutions were tried.
  [[nodiscard]] bool complete() const { return !spent_; }

 private:
  struct Part {
    std::uint32_t type;
    std::int64_t units;
  };
  struct Alternative {
    std::uint32_t first, count;  // of parts_
  };
  using Position = std::uint64_t;  // groups taken of a type; units of a divisible one
  struct Known {
    std::int64_t value = 0;   // the number of slots that can be formed from here
    std::uint32_t first = 0;  // the alternative that leads to it
    std::uint32_t slot = 0;   // of table_
    std::uint64_t hash = 0;   // of its position
    bool exact = false;       // the value is the maximum, whatever the limit
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
  [[nodiscard]] std::int64_t most_of(std::uint32_t state, const Part& part) const;
  [[nodiscard]] std::span<const Part> parts(const Alternative& alternative) const {
    return std::span(parts_).subspan(alternative.first, alternative.count);
  }
  [[nodiscard]] bool known(std::uint32_t state, std::int64_t most) const {
    return states_[state].exact || states_[state].value >= most;
  }
  std::int64_t greedy(std::int64_t most);  // from next_
  void open(std::uint32_t state, std::int64_t most);
  void step(Frame& frame);
  void close(const Frame& frame);
  [[nodiscard]] std::span<const Position> position(std::uint32_t state) const {
    return {positions_.data() + state * types(), types()};
  }
  [[nodiscard]] std::size_t types() const { return firsts_.size(); }

  std::vector<std::int64_t> sums_;     // per type: 0, then the sums of its first sizes, or of all
  std::vector<std::uint32_t> firsts_;  // per type: where its sums begin
  std::vector<bool> divided_;          // per type
  std::vector<Part> parts_;
  std::vector<Alternative> alternatives_;

  std::vector<Position> positions_;  // by state and type
  std::vector<Known> states_;
  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(64);  // states from 1, by hash
  std::vector<Position> next_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> chosen_;
  bool spent_ = false;
};

}  // namespace copse
