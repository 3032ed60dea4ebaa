// SPDX-License-Identifier: Apache-2.0
//
// MaskBlock: some consecutive steps of a MaskTimeline, and their common part.
//
// Invariants
//   1. The busy members of a step are those in `through` and those in the step's own mask, which are disjoint. `ever` is the union of `through` and all own masks.
//   2. idle[i] counts the members that are not in own mask i, and most_idle is the largest of these;
//      through_count counts those in `through`.
//
// Own masks are in rows, so that inserting or erasing a step moves no other mask.
// Cost: W words are a mask, S steps are in a block. insert O(W + S), settle O(W·S); a change of w
// words O(w) for all steps, O(w·S) for some.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace copse {

struct MaskBlock {
  using Word = std::uint64_t;
  struct Words {  // the words of a mask that have bits
    const Word* bits;
    std::size_t first, last;
    std::uint32_t count;  // bits
  };

  std::vector<std::int64_t> times{};
  std::vector<std::uint32_t> idle{};
  std::vector<std::uint32_t> row{};  // row of each step, then unused rows
  std::vector<Word> rows{};
  std::vector<Word> through, ever;  // each as long as a mask
  std::uint32_t through_count = 0, most_idle = 0;

  explicit MaskBlock(std::size_t words) : through(words, 0), ever(words, 0) {}

  [[nodiscard]] std::size_t steps() const { return times.size(); }
  [[nodiscard]] const Word* own(std::size_t step) const {
    return rows.data() + std::size_t{row[step]} * through.size();
  }
  [[nodiscard]] Word* own(std::size_t step) {
    return rows.data() + std::size_t{row[step]} * through.size();
  }
  [[nodiscard]] std::uint32_t idle_at(std::size_t step) const { return idle[step] - through_count; }

  // Inserts a step that is equal to the one before it; as the first step: with all members idle.
  void insert(std::size_t step, std::int64_t time, std::size_t members);
  // REQUIRES that it is equal to the one before it, or is the first of several.
  void erase(std::size_t step);
  // Moves the steps from `step` on to an empty block. REQUIRES that at least one stays.
  void move_to(MaskBlock& other, std::size_t step);
  // Makes members busy or idle at steps [from, to). Returns whether each of them changed at every
  // step.
  bool change(const Words& words, bool to_busy, std::size_t from, std::size_t to);
  // The invariants. O(steps × words).
  [[nodiscard]] bool check(std::size_t members) const;

 private:
  void settle();
  void write_out(std::span<const Word> bits, std::size_t first, std::size_t last,
                 std::size_t skip_from, std::size_t skip_to);
  bool change_all(const Words& words, bool to_busy);
  bool change_some(const Words& words, bool to_busy, std::size_t from, std::size_t to);
};

}  // namespace copse
