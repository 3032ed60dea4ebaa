// SPDX-License-Identifier: Apache-2.0
#include "base/nearest_word.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/utf8.hpp"

namespace copse {

namespace {

constexpr std::size_t kComparedBytesMax = 64, kListedMax = 16;

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Optimal string alignment: Levenshtein's distance, where a swap of neighbours counts once.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// On one line, of bounded length.
std::string cut(std::string_view word) {
  std::size_t size = std::min(word.size(), kComparedBytesMax);
  while (size < word.size() && size > 0 && is_utf8_continuation(word[size])) --size;
  std::string out(word.substr(0, size));
  for (char& c : out) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  }
  return size < word.size() ? out + "…" : out;
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, same); }

std::string shown_word(std::string_view word) { return '"' + cut(word) + '"'; }

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known) {
  std::string_view out;
  if (word.empty() || word.size() > kComparedBytesMax) return out;
  std::size_t least = (word.size() + 2) / 3 + 1;  // one more than the largest accepted distance
  for (const std::string_view candidate : known) {
    if (candidate.size() > kComparedBytesMax) continue;
    // A word that shares no letter with the candidate is never a misspelling of it.
    const std::size_t all = std::max(word.size(), candidate.size());
    const std::size_t d = distance(word, candidate);
    if (d >= least || d >= all) continue;
    least = d;
    out = candidate;
  }
  return out;
}

std::string known_words_hint(std::string_view word, std::span<const std::string_view> known) {
  std::string out;
  if (const std::string_view nearest = nearest_word(word, known); !nearest.empty()) {
    out.append("; did you mean \"").append(nearest).append("\"?");
    return out;
  }
  for (std::size_t i = 0; i < std::min(known.size(), kListedMax); ++i) {
    out.append(i == 0 ? "; there are " : ", ").append(known[i]);
  }
  if (known.size() > kListedMax) out += ", …";
  return out;
}

std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string_view> known) {
  std::string out = "unknown ";
  return out.append(what)
      .append(" ")
      .append(shown_word(word))
      .append(known_words_hint(word, known));
}

}  // namespace copse
