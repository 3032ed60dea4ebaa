// SPDX-License-Identifier: Apache-2.0
//
// One R or several, one behind the other: refused with a place, or written canonically and read
// back the same; what the first and the second have in common and apart is the first again; and
// ranks can be numbered anew.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/idset_algebra.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "go_on.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_ranks.hpp"
#include "rset/rset_verify.hpp"
#include "target.hpp"

namespace {

using copse::RSet;
using copse::fuzz::require;

constexpr copse::RLimits kLimits{
    .ranks_max = 4'096, .property_uses_max = 65'536, .rules = copse::RRules::merging};

std::string text_of(const RSet& r) {
  std::string out;
  copse::append_r(out, r);
  return out;
}

std::string short_of(const RSet& r) {
  std::string out;
  copse::append_r_short(out, r);
  return out;
}

void read_back(const RSet& r) {
  const std::string text = text_of(r);
  const auto again = copse::read_r(text, "again", kLimits);
  require(again.has_value());
  require(text_of(*again) == text);
  require(r.hosts.empty() || std::cmp_equal(r.hosts.size(), r.ranks().count()));
}

void go_on_with(const RSet& r) {
  read_back(canonical(r));
  const auto half = copse::first_ids(r.ranks().count() / 2);
  read_back(select_ranks(r, ids_at(r.ranks(), half)));
  if (const auto remapped = remap(r)) {
    read_back(*remapped);
    require(remapped->ranks() == copse::first_ids(remapped->ranks().count()));
    for (const std::string& type : types(r)) require(count(*remapped, type) == count(r, type));
    const auto twice = remap(*remapped);
    require(twice.has_value() && text_of(*twice) == text_of(*remapped));
  }
  const RSet mine = canonical(r);
  if (!mine.hosts.empty()) require(rerank(mine, mine.hosts).has_value());
  if (const auto inside = normalize(r, {}, {.keep_ids = true})) read_back(*inside);
  const auto same = verify(r, r);
  require(same.has_value() && same->empty());
}

void combine(const RSet& a, const RSet& b) {
  if (const auto all = unite(a, b)) read_back(*all);
  if (const auto all = append(a, b)) read_back(*all);
  const auto rest = subtract(a, b);
  RSet unnamed = b;  // ranks with two hosts are two nodes to intersect, and one to subtract
  unnamed.hosts.clear();
  unnamed.starttime_s = unnamed.expiration_s = 0;
  const auto common = intersect(a, unnamed);
  if (!rest || !common) return;
  read_back(*rest);
  read_back(*common);
  const auto whole = append(*rest, *common);
  require(whole.has_value());
  require(short_of(*whole) == short_of(a));
  require(verify(a, b).has_value());
}

}  // namespace

FUZZ_TARGET(rset) {
  constexpr std::size_t kTextMax = 32u << 10;
  if (size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto sets = copse::read_rs(text, "fuzz", kLimits, 4);
  if (!sets) {
    require(!sets.error().text.empty() && sets.error().place.line > 0 &&
            sets.error().place.column > 0);
    return 0;
  }
  for (const RSet& r : *sets) go_on_with(r);
  if (sets->size() > 1) combine((*sets)[0], (*sets)[1]);
  return 0;
}
