// SPDX-License-Identifier: Apache-2.0
//
// Operations on resource sets compared with plain maps of sets, on random sets; written sets are
// read back; and ids are translated through nested instances.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/idset_algebra.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "property/random.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_ranks.hpp"
#include "rset/rset_verify.hpp"

namespace copse::property {
namespace {

#ifdef COPSE_SANITIZED
constexpr std::uint64_t kCases = 300;
#else
constexpr std::uint64_t kCases = 3000;
#endif

// Of a rank: ids by type, properties, layout. Nothing is empty.
struct RankFacts {
  std::map<std::string, std::set<std::int64_t>> ids;
  std::set<std::string> properties;
  std::string topo;
  bool operator==(const RankFacts&) const = default;
};
using FactsByRank = std::map<std::int64_t, RankFacts>;

FactsByRank random_nodes(Random& random) {
  FactsByRank out;
  const std::int64_t ranks = random.between(0, 12);
  for (std::int64_t i = 0; i < ranks; ++i) {
    RankFacts node;
    for (const char* type : {"gpu", "core", "nvme"}) {
      const std::int64_t ids = random.chance(60) ? random.between(0, 6) : 0;
      for (std::int64_t k = 0; k < ids; ++k) node.ids[type].insert(random.between(0, 9));
    }
    if (node.ids.empty()) continue;
    const std::int64_t rank = random.between(0, 15);
    for (const char* name : {"fast", "amd@gpu", "+q"}) {
      if (random.chance(30)) node.properties.insert(name);
    }
    node.topo = rank % 3 == 0 ? R"({"cores": "0-3"})" : R"({"numa": [{"cores": "0-1"}]})";
    out[rank] = node;
  }
  return out;
}

Idset idset(const std::set<std::int64_t>& ids) {
  Idset out;
  for (std::int64_t id : ids) out.add(id);
  return out;
}

// One entry for a rank or for a part of one, in any order; hosts n0, n1, …
RSet set_of(const FactsByRank& nodes, Random& random, bool in_parts) {
  RSet out;
  std::map<std::string, Idset> properties, layouts;
  for (const auto& [rank, node] : nodes) {
    out.hosts.push_back("n" + std::to_string(rank));
    for (const std::string& name : node.properties) properties[name].add(rank);
    layouts[node.topo].add(rank);
    RSet::Entry entry;
    entry.ranks.add(rank);
    for (const auto& [type, ids] : node.ids) {
      entry.children.emplace_back(type, idset(ids));
      if (!in_parts || !random.chance(50)) continue;
      out.entries.push_back(entry);
      entry.children.clear();
    }
    random.shuffle(entry.children);
    if (!entry.children.empty()) out.entries.push_back(entry);
  }
  random.shuffle(out.entries);
  out.properties.assign(properties.begin(), properties.end());
  out.scheduling.treepool = true;
  out.scheduling.members = {{"writer", "\"TreePool\""}};
  for (const auto& [topo, ranks] : layouts) out.scheduling.children.push_back({ranks, topo, {}});
  return out;
}

FactsByRank nodes_of(const RSet& r) {
  FactsByRank out;
  const auto each = [](const Idset& ids, auto visit) {
    for (const auto& [first, last] : ids.ranges()) {
      for (std::int64_t id = first; id <= last; ++id) visit(id);
    }
  };
  for (const RSet::Entry& entry : r.entries) {
    each(entry.ranks, [&](std::int64_t rank) {
      EXPECT_FALSE(out.contains(rank)) << "a rank is in two entries";
      for (const auto& [type, ids] : entry.children) {
        each(ids, [&](std::int64_t id) { out[rank].ids[type].insert(id); });
      }
    });
  }
  for (const auto& [name, ranks] : r.properties) {
    each(ranks, [&](std::int64_t rank) { out.at(rank).properties.insert(name); });
  }
  for (const RScheduling::Child& child : r.scheduling.children) {
    each(child.ranks, [&](std::int64_t rank) { out.at(rank).topo = child.topo; });
  }
  return out;
}

void expect_canonical(const RSet& r) {
  std::int64_t before = -1;
  std::set<std::string> met;
  for (const RSet::Entry& entry : r.entries) {
    ASSERT_FALSE(entry.ranks.empty());
    ASSERT_LT(before, entry.ranks.ranges().front().first);
    before = entry.ranks.ranges().front().first;
    std::string text;
    append_children_short(text, entry.children);
    ASSERT_TRUE(met.insert(text).second) << "two entries have " << text;
    ASSERT_TRUE(std::ranges::is_sorted(entry.children, {}, &RSet::Children::value_type::first));
    for (const auto& [type, ids] : entry.children) ASSERT_FALSE(ids.empty());
  }
  std::vector<std::string> hosts;
  const Idset ranks = r.ranks();
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank)
      hosts.push_back("n" + std::to_string(rank));
  }
  ASSERT_EQ(r.hosts, hosts);
}

void expect(const Result<RSet>& got, const FactsByRank& wanted, const char* what) {
  ASSERT_TRUE(got) << what << ": " << got.error().message();
  ASSERT_NO_FATAL_FAILURE(expect_canonical(*got)) << what;
  ASSERT_EQ(nodes_of(*got), wanted) << what;
  std::string text, again;
  append_r(text, *got);
  const auto read = read_r(text);
  ASSERT_TRUE(read) << what << ": " << read.error().message() << '\n' << text;
  append_r(again, *read);
  ASSERT_EQ(text, again) << what;
  ASSERT_EQ(nodes_of(*read), wanted) << what << '\n' << text;
}

// The ids of a for which `stays` is true.
template <class Stays>
FactsByRank filtered(const FactsByRank& a, Stays stays) {
  FactsByRank out;
  for (const auto& [rank, node] : a) {
    RankFacts left = node;
    left.ids.clear();
    for (const auto& [type, ids] : node.ids) {
      for (std::int64_t id : ids) {
        if (stays(rank, type, id)) left.ids[type].insert(id);
      }
    }
    if (!left.ids.empty()) out[rank] = left;
  }
  return out;
}

bool has(const FactsByRank& nodes, std::int64_t rank, const std::string& type, std::int64_t id) {
  const auto node = nodes.find(rank);
  if (node == nodes.end()) return false;
  const auto ids = node->second.ids.find(type);
  return ids != node->second.ids.end() && ids->second.contains(id);
}

FactsByRank joined(FactsByRank a, const FactsByRank& b) {
  for (const auto& [rank, node] : b) {
    RankFacts& to = a[rank];
    for (const auto& [type, ids] : node.ids) to.ids[type].insert(ids.begin(), ids.end());
    to.properties.insert(node.properties.begin(), node.properties.end());
    to.topo = node.topo;
  }
  return a;
}

TEST(RSetProperty, OperationsAreThoseOfSets) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const FactsByRank a = random_nodes(random), b = random_nodes(random);
    const RSet x = set_of(a, random, false), y = set_of(b, random, false);
    ASSERT_NO_FATAL_FAILURE(expect(canonical(x), a, "canonical"));
    ASSERT_NO_FATAL_FAILURE(expect(unite(x, y), joined(a, b), "unite"));
    const auto in_b = [&](std::int64_t r, const std::string& t, std::int64_t i) {
      return has(b, r, t, i);
    };
    FactsByRank common = filtered(a, in_b);
    for (auto& [rank, node] : common) {
      node.properties.insert(b.at(rank).properties.begin(), b.at(rank).properties.end());
    }
    ASSERT_NO_FATAL_FAILURE(expect(intersect(x, y), common, "intersect"));
    ASSERT_NO_FATAL_FAILURE(expect(
        subtract(x, y), filtered(a, [&](auto r, const auto& t, auto i) { return !in_b(r, t, i); }),
        "subtract"));
    if (common.empty()) {
      ASSERT_NO_FATAL_FAILURE(expect(append(x, y), joined(a, b), "append"));
    } else {
      ASSERT_EQ(append(x, y).error().code, ErrorCode::exists);
    }
    std::set<std::int64_t> some;
    for (std::int64_t rank = 0; rank < 20; ++rank) {
      if (random.chance(50)) some.insert(rank);
    }
    ASSERT_NO_FATAL_FAILURE(
        expect(select_ranks(x, idset(some)),
               filtered(a, [&](auto r, const auto&, auto) { return some.contains(r); }), "select"));
    RSet parts = set_of(a, random, true);
    ASSERT_TRUE(merge_repeated_ranks(parts));
    ASSERT_NO_FATAL_FAILURE(expect(canonical(parts), a, "merge"));

    // verify() reports both differences, and none for equal sets.
    ASSERT_TRUE(verify(x, x)->empty());
    std::int64_t missing = 0, extra = 0;
    const auto of_both = [&](auto r, const auto&, auto) { return a.contains(r) && b.contains(r); };
    for (const auto& [rank, node] : filtered(a, of_both)) {
      for (const auto& [type, ids] : node.ids) {
        for (std::int64_t id : ids) missing += has(b, rank, type, id) ? 0 : 1;
      }
    }
    for (const auto& [rank, node] : filtered(b, of_both)) {
      for (const auto& [type, ids] : node.ids) {
        for (std::int64_t id : ids) extra += has(a, rank, type, id) ? 0 : 1;
      }
    }
    const auto differences = verify(x, y);
    ASSERT_TRUE(differences);
    for (const Difference& d : *differences) {
      for (const auto& [type, ids] : d.children) {
        (d.kind == Difference::Kind::missing ? missing : extra) -= ids.count() * d.ranks.count();
      }
    }
    ASSERT_EQ(missing, 0);
    ASSERT_EQ(extra, 0);
  }
}

// The names of a rank's ids in topo.
std::map<std::string, std::set<std::int64_t>> in_topo(const RSet& r, std::int64_t rank) {
  auto out = nodes_of(r).at(rank).ids;
  for (const REntry& entry : r.scheduling.topo_ids) {
    if (!entry.ranks.contains(rank)) continue;
    for (const auto& [type, names] : entry.children) {
      const Idset ids = ids_at(names, idset(out.at(type)));
      out[type].clear();
      for (const auto& [first, last] : ids.ranges()) {
        for (std::int64_t id = first; id <= last; ++id) out[type].insert(id);
      }
    }
  }
  return out;
}

TEST(RSetProperty, IdsAreFollowedThroughInstances) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    FactsByRank physical = random_nodes(random);  // by the ranks of the present instance
    RSet r = set_of(physical, random, false);
    for (int instance = 0; instance < 4; ++instance) {
      // A job gets some ids; its instance renumbers all of them.
      const FactsByRank owned = nodes_of(r);
      FactsByRank job, left;
      for (const auto& [rank, node] : owned) {
        for (const auto& [type, ids] : node.ids) {
          auto name = physical.at(rank).ids.at(type).begin();
          for (std::int64_t id : ids) {
            if (random.chance(75)) {
              job[rank].ids[type].insert(id);
              left[rank].ids[type].insert(*name);
            }
            ++name;
          }
        }
        if (job.contains(rank)) left[rank].topo = node.topo;
      }
      RSet asked = set_of(job, random, false);
      asked.hosts.clear();  // its ranks are those of this instance, its hosts are not
      const auto allocated = intersect(r, asked);
      ASSERT_TRUE(allocated) << allocated.error().message();
      auto inside = normalize(*allocated);
      ASSERT_TRUE(inside) << inside.error().message();
      r = std::move(*inside);
      physical.clear();
      for (auto& [rank, node] : left) physical.emplace(std::ssize(physical), node);
      ASSERT_EQ(nodes_of(r).size(), physical.size());
      for (const auto& [rank, node] : physical) {
        ASSERT_EQ(in_topo(r, rank), node.ids) << "rank " << rank << " of instance " << instance;
        ASSERT_EQ(nodes_of(r).at(rank).topo, node.topo);
      }
      for (const RSet::Entry& entry : r.entries) {
        for (const auto& [type, ids] : entry.children) {
          ASSERT_TRUE(type == "gpu" || ids == first_ids(ids.count())) << ids.text();
        }
      }
    }
  }
}

}  // namespace
}  // namespace copse::property
