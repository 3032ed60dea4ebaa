// SPDX-License-Identifier: Apache-2.0
#include "state/timelines/mask_block.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "state/timelines/popcount.hpp"

namespace copse {

namespace {

std::uint32_t bits_in(MaskBlock::Word word) {
  return static_cast<std::uint32_t>(std::popcount(word));
}

COPSE_COUNTS_BITS std::uint32_t bits_in(const MaskBlock::Word* mask, std::size_t first,
                                        std::size_t last) {
  std::uint32_t count = 0;
  for (std::size_t w = first; w < last; ++w) count += bits_in(mask[w]);
  return count;
}

// Sets or clears bits; returns how many changed.
COPSE_COUNTS_BITS std::uint32_t change_words(MaskBlock::Word* mask, const MaskBlock::Word* through,
                                             const MaskBlock::Words& words, bool set) {
  std::uint32_t count = 0;
  for (std::size_t w = words.first; w < words.last; ++w) {
    const MaskBlock::Word was = mask[w];
    mask[w] = set ? was | (words.bits[w] & ~through[w]) : was & ~words.bits[w];
    count += bits_in(was ^ mask[w]);
  }
  return count;
}

template <class T>
void shift(std::vector<T>& column, std::size_t from, std::size_t middle, std::size_t to) {
  const auto at = [&](std::size_t i) { return column.begin() + static_cast<std::ptrdiff_t>(i); };
  std::rotate(at(from), at(middle), at(to));
}

}  // namespace

void MaskBlock::insert(std::size_t step, std::int64_t time, std::size_t members) {
  const std::size_t count = steps(), words = through.size();
  if (step == 0 && through_count > 0) {
    const std::vector<Word> all = through;
    write_out(all, 0, words, 0, 0);
  }
  if (count == row.size()) {
    row.push_back(static_cast<std::uint32_t>(count));
    rows.resize(rows.size() + words);
  }
  shift(row, step, count, count + 1);
  const auto place = static_cast<std::ptrdiff_t>(step);
  times.insert(times.begin() + place, time);
  if (step == 0) {
    idle.insert(idle.begin(), static_cast<std::uint32_t>(members));
    std::fill_n(own(0), words, Word{0});
    most_idle = idle.front();
  } else {
    idle.insert(idle.begin() + place, idle[step - 1]);
    std::copy_n(own(step - 1), words, own(step));
  }
}

void MaskBlock::erase(std::size_t step) {
  assert(steps() > 1);
  shift(row, step, step + 1, steps());
  times.erase(times.begin() + static_cast<std::ptrdiff_t>(step));
  idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(step));
  if (step == 0) settle();  // other steps do not have its content
}

void MaskBlock::move_to(MaskBlock& other, std::size_t step) {
  assert(other.times.empty() && step > 0);
  other.through = through;
  other.through_count = through_count;
  for (std::size_t i = step; i < steps(); ++i) {
    other.times.push_back(times[i]);
    other.idle.push_back(idle[i]);
    other.row.push_back(static_cast<std::uint32_t>(i - step));
    other.rows.insert(other.rows.end(), own(i), own(i) + through.size());
  }
  times.resize(step);
  idle.resize(step);
  settle();
  if (!other.times.empty()) other.settle();
}

// Recomputes the summary of the block from its steps.
void MaskBlock::settle() {
  const std::size_t words = through.size();
  std::vector<Word> all(words, ~Word{0});
  std::fill(ever.begin(), ever.end(), Word{0});
  for (std::size_t step = 0; step < steps(); ++step) {
    const Word* const mask = own(step);
    for (std::size_t w = 0; w < words; ++w) {
      all[w] &= mask[w];
      ever[w] |= mask[w];
    }
  }
  const std::uint32_t more = bits_in(all.data(), 0, words);
  for (std::size_t step = 0; step < steps() && more > 0; ++step) {
    Word* const mask = own(step);
    for (std::size_t w = 0; w < words; ++w) mask[w] &= ~all[w];
    idle[step] += more;
  }
  for (std::size_t w = 0; w < words; ++w) {
    through[w] |= all[w];
    ever[w] |= through[w];
  }
  through_count += more;
  most_idle = *std::max_element(idle.begin(), idle.end());
}

bool MaskBlock::change(const Words& words, bool to_busy, std::size_t from, std::size_t to) {
  return from == 0 && to == steps() ? change_all(words, to_busy)
                                    : change_some(words, to_busy, from, to);
}

// Moves members that are busy through the block to the masks of its steps, except [skip_from,
// skip_to).
void MaskBlock::write_out(std::span<const Word> bits, std::size_t first, std::size_t last,
                          std::size_t skip_from, std::size_t skip_to) {
  const std::uint32_t count = bits_in(bits.data(), first, last);
  for (std::size_t step = 0; step < steps(); ++step) {
    if (step >= skip_from && step < skip_to) continue;
    Word* const mask = own(step);
    for (std::size_t w = first; w < last; ++w) mask[w] |= bits[w];
    idle[step] -= count;
  }
  for (std::size_t w = first; w < last; ++w) through[w] &= ~bits[w];
  through_count -= count;
  most_idle = *std::max_element(idle.begin(), idle.end());
}

bool MaskBlock::change_all(const Words& words, bool to_busy) {
  std::uint32_t at_some = 0, at_all = 0;
  for (std::size_t w = words.first; w < words.last; ++w) {
    at_some += bits_in(words.bits[w] & ever[w] & ~through[w]);
    at_all += bits_in(words.bits[w] & through[w]);
  }
  for (std::size_t step = 0; step < steps() && at_some > 0; ++step) {
    idle[step] += change_words(own(step), through.data(), words, false);
  }
  for (std::size_t w = words.first; w < words.last; ++w) {
    through[w] = to_busy ? through[w] | words.bits[w] : through[w] & ~words.bits[w];
    ever[w] = to_busy ? ever[w] | words.bits[w] : ever[w] & ~words.bits[w];
  }
  through_count -= at_all;
  if (to_busy) through_count += words.count;
  if (at_some > 0) most_idle = *std::max_element(idle.begin(), idle.end());
  return at_some == 0 && at_all == (to_busy ? 0 : words.count);
}

bool MaskBlock::change_some(const Words& words, bool to_busy, std::size_t from, std::size_t to) {
  std::uint32_t at_all = 0;
  for (std::size_t w = words.first; w < words.last; ++w) {
    at_all += bits_in(words.bits[w] & through[w]);
  }
  if (!to_busy && at_all > 0) {
    std::vector<Word> all(words.last);
    for (std::size_t w = words.first; w < words.last; ++w) all[w] = words.bits[w] & through[w];
    write_out(all, words.first, words.last, from, to);
  }
  bool clean = !to_busy || at_all == 0;
  for (std::size_t step = from; step < to; ++step) {
    const std::uint32_t changed = change_words(own(step), through.data(), words, to_busy);
    idle[step] = to_busy ? idle[step] - changed : idle[step] + changed;
    clean = clean && changed + (to_busy ? 0 : at_all) == words.count;
  }
  for (std::size_t w = words.first; w < words.last; ++w) {
    if (to_busy) {
      ever[w] |= words.bits[w];
      continue;
    }
    Word left = 0;
    for (std::size_t step = 0; step < steps(); ++step) left |= own(step)[w];
    ever[w] = left | through[w];
  }
  most_idle = *std::max_element(idle.begin(), idle.end());
  return clean;
}

bool MaskBlock::check(std::size_t members) const {
  const std::size_t words = through.size();
  std::vector<Word> all = through;
  if (times.empty() || idle.size() != times.size()) return false;
  if (through_count != bits_in(through.data(), 0, words)) return false;
  for (std::size_t step = 0; step < steps(); ++step) {
    const Word* const mask = own(step);
    for (std::size_t w = 0; w < words; ++w) {
      if ((mask[w] & through[w]) != 0) return false;
      all[w] |= mask[w];
    }
    if (idle[step] != members - bits_in(mask, 0, words)) return false;
  }
  return all == ever && most_idle == *std::max_element(idle.begin(), idle.end());
}

}  // namespace copse
