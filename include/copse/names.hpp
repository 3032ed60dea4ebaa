// SPDX-License-Identifier: Apache-2.0
//
// Interned words: each distinct text gets a dense number in order of first use, which the columns of a
// graph hold in place of the text.
//
// Invariants: text(i) never moves or changes; numbers are 0 … size()-1.
// Cost: intern and find O(length) expected; 40 bytes plus the text for each distinct word.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace copse {

class Interner {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t intern(std::string_view text) {
    auto it = index_.find(text);
    if (it != index_.end()) return it->second;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    index_.emplace(std::string_view(texts_.back()), number);
    return number;
  }

  // The number of `text`, or kNone if it was never interned.
  [[nodiscard]] std::uint32_t find(std::string_view text) const {
    auto it = index_.find(text);
    return it == index_.end() ? kNone : it->second;
  }

  [[nodiscard]] const std::string& text(std::uint32_t number) const { return texts_[number]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(texts_.size()); }

  Interner() = default;
  Interner(Interner&&) = default;  // a deque keeps its elements in place when moved
  Interner& operator=(Interner&&) = default;
  Interner(const Interner& other) : texts_(other.texts_) {
    for (const std::string& text : texts_) {
      index_.emplace(text, static_cast<std::uint32_t>(index_.size()));
    }
  }
  Interner& operator=(const Interner& other) { return *this = Interner(other); }
  ~Interner() = default;

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> index_;
};

// The words of one graph. Types are interned in the order that Fluxion uses: a fixed list first, then
// those of the graph, then those of prune filters; that order is the *type order*.
struct Names {
  Interner types, units, basenames, subsystems, relations;
  Names();
};

}  // namespace copse
