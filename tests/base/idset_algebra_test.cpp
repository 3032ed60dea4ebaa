// SPDX-License-Identifier: Apache-2.0
//
// Set algebra on idsets against std::set, on random small sets; and on sets of billions of ids.
#include "base/idset_algebra.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "property/random.hpp"

namespace copse {
namespace {

using Ids = std::set<std::int64_t>;

Idset of(const Ids& ids) {
  Idset out;
  for (std::int64_t id : ids) out.add(id);
  return out;
}

Ids random_ids(property::Random& random) {
  Ids out;
  const std::int64_t count = random.between(0, 20), max = random.between(0, 40);
  for (std::int64_t i = 0; i < count; ++i) out.insert(random.between(0, max));
  return out;
}

TEST(IdsetAlgebra, IsThatOfSets) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    property::Random random(seed);
    const Ids a = random_ids(random), b = random_ids(random);
    Ids both, common, rest;
    std::ranges::set_union(a, b, std::inserter(both, both.end()));
    std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
    std::ranges::set_difference(a, b, std::inserter(rest, rest.end()));
    ASSERT_EQ(unite(of(a), of(b)).text(), of(both).text());
    ASSERT_EQ(intersect(of(a), of(b)).text(), of(common).text());
    ASSERT_EQ(subtract(of(a), of(b)).text(), of(rest).text());
    ASSERT_EQ(first_common(of(a), of(b)), common.empty() ? -1 : *common.begin());
    ASSERT_EQ(first_missing(of(a), of(b)), rest.empty() ? -1 : *rest.begin());
    Ids positions, ids;
    const std::vector<std::int64_t> sorted(a.begin(), a.end());
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      if (b.contains(sorted[k])) positions.insert(static_cast<std::int64_t>(k));
      if (b.contains(static_cast<std::int64_t>(k))) ids.insert(sorted[k]);
    }
    ASSERT_EQ(positions_in(of(a), of(b)).text(), of(positions).text());
    ASSERT_EQ(ids_at(of(a), of(b)).text(), of(ids).text());
  }
}

TEST(IdsetAlgebra, CostsRangesAndNotIds) {
  const Idset all = first_ids(INT64_C(4'294'967'296));
  const Idset part = *Idset::parse("5,100-4000000000,4294967295-5000000000");
  EXPECT_EQ(intersect(all, part).text(), "5,100-4000000000,4294967295");
  EXPECT_EQ(subtract(all, part).text(), "0-4,6-99,4000000001-4294967294");
  EXPECT_EQ(unite(all, part).text(), "0-5000000000");
  EXPECT_EQ(first_missing(part, all), 4294967296);
  EXPECT_EQ(ids_at(part, *Idset::parse("0-1,3999999902")).text(), "5,100,4294967295");
  EXPECT_EQ(idset_of({{7, 9}, {1, 2}, {3, 3}, {8, 12}}).text(), "1-3,7-12");
  EXPECT_TRUE(first_ids(0).empty());
}

}  // namespace
}  // namespace copse
