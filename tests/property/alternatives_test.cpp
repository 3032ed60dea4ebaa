// SPDX-License-Identifier: Apache-2.0
//
// Sibling slots under -T flexible, with unequal counts and mixed contents, compared with a plain
// model: at each place all slots are formed that can be, as many as possible, the slot listed first
// before others; the policy takes the best of them, as many as the last one counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/jobs.hpp"
#include "property/random.hpp"
#include "property/seeds.hpp"

namespace copse::alternatives {
namespace {

using property::Random;
using property::Seeds;

struct Leaf {
  std::string path;
  std::string type;
  std::int64_t id, size;
  JobId job = 0;
};
struct Site {  // a pool with leaves below it
  std::int64_t id;
  std::vector<Leaf> leaves;
};
struct Alternative {
  std::int64_t count;
  std::map<std::string, std::int64_t> units;
};
struct Wish {
  std::int64_t places = 0;  // 0: slots anywhere
  std::vector<Alternative> alternatives;
};

// --- The model

struct Slot {
  std::int64_t score = 1;
  std::vector<Leaf*> leaves;
};

class Model {
 public:
  Model(std::vector<Site> places, bool high) : places_(std::move(places)), high_(high) {}

  // The paths that the job gets, sorted; empty: none.
  std::vector<std::string> allocate(const Wish& wish, JobId job) {
    const std::int64_t wanted = wish.alternatives.back().count;
    std::vector<std::pair<std::int64_t, std::vector<Slot>>> candidates;  // score of the place
    for (Site& place : places_) candidates.emplace_back(place.id + 2, slots_of(place, wish));
    std::vector<Slot> chosen;
    if (wish.places == 0) {
      std::vector<Slot> all;
      for (auto& [score, slots] : candidates) all.insert(all.end(), slots.begin(), slots.end());
      chosen = best(std::move(all), wanted);
    } else {
      std::erase_if(candidates, [&](const auto& c) {
        return static_cast<std::int64_t>(c.second.size()) < wanted;
      });
      std::ranges::stable_sort(candidates, [&](const auto& a, const auto& b) {
        return high_ ? a.first > b.first : a.first < b.first;
      });
      if (static_cast<std::int64_t>(candidates.size()) < wish.places) return {};
      candidates.resize(static_cast<std::size_t>(wish.places));
      for (auto& [score, slots] : candidates) {
        for (Slot& slot : best(std::move(slots), wanted)) chosen.push_back(std::move(slot));
      }
    }
    std::vector<std::string> out;
    for (const Slot& slot : chosen) {
      for (Leaf* leaf : slot.leaves) {
        leaf->job = job;
        out.push_back(leaf->path);
      }
    }
    std::ranges::sort(out);
    return out;
  }

  void free(JobId job) {
    for (Site& place : places_) {
      for (Leaf& leaf : place.leaves) {
        if (leaf.job == job) leaf.job = 0;
      }
    }
  }

 private:
  using Lists = std::map<std::string, std::vector<Leaf*>>;  // in order of preference
  using Taken = std::map<std::string, std::size_t>;

  [[nodiscard]] std::vector<Slot> best(std::vector<Slot> slots, std::int64_t wanted) const {
    if (static_cast<std::int64_t>(slots.size()) < wanted) return {};
    std::ranges::stable_sort(slots, [&](const Slot& a, const Slot& b) {
      return high_ ? a.score > b.score : a.score < b.score;
    });
    slots.resize(static_cast<std::size_t>(wanted));
    return slots;
  }

  // Takes whole leaves until the units are there.
  static bool take(const Lists& lists, const Alternative& alternative, Taken& taken,
                   Slot* into = nullptr) {
    for (const auto& [type, units] : alternative.units) {
      const auto& list = lists.at(type);
      for (std::int64_t have = 0; have < units;) {
        if (taken[type] == list.size()) return false;
        Leaf* const leaf = list[taken[type]++];
        have += leaf->size;
        if (into == nullptr) continue;
        into->score += leaf->id + 2;
        into->leaves.push_back(leaf);
      }
    }
    return true;
  }

  static std::size_t most(const Lists& lists, const Wish& wish, const Taken& taken,
                          std::map<Taken, std::size_t>& known) {
    const auto [at, is_new] = known.try_emplace(taken, 0);
    if (!is_new) return at->second;
    std::size_t out = 0;
    for (const Alternative& alternative : wish.alternatives) {
      Taken next = taken;
      if (take(lists, alternative, next)) {
        out = std::max(out, 1 + most(lists, wish, next, known));
      }
    }
    return known[taken] = out;
  }

  std::vector<Slot> slots_of(Site& place, const Wish& wish) const {
    std::set<std::string> types;
    for (const Leaf& leaf : place.leaves) types.insert(leaf.type);
    const bool resolves = std::ranges::any_of(wish.alternatives, [&](const Alternative& a) {
      return std::ranges::all_of(a.units, [&](const auto& u) { return types.contains(u.first); });
    });
    if (!resolves) return {};
    Lists lists{{"core", {}}, {"gpu", {}}, {"memory", {}}};
    for (Leaf& leaf : place.leaves) {
      if (leaf.job == 0) lists[leaf.type].push_back(&leaf);
    }
    for (auto& [type, list] : lists) {
      std::ranges::stable_sort(list, [&](const Leaf* a, const Leaf* b) {
        return high_ ? a->id > b->id : a->id < b->id;
      });
    }
    Taken taken{{"core", 0}, {"gpu", 0}, {"memory", 0}};
    std::map<Taken, std::size_t> known;
    std::vector<Slot> out;
    for (std::size_t left = most(lists, wish, taken, known); left > 0; --left) {
      for (const Alternative& alternative : wish.alternatives) {
        Taken next = taken;
        Slot slot;
        if (!take(lists, alternative, next, &slot)) continue;
        if (1 + most(lists, wish, next, known) < left) continue;
        out.push_back(std::move(slot));
        taken = std::move(next);
        break;
      }
    }
    return out;
  }

  std::vector<Site> places_;
  bool high_;
};

// --- Random machines and requests

struct Case {
  GraphText text;
  std::vector<Site> places;
  bool sockets = false;
  std::vector<Wish> wishes;
};

void add_leaves(Random& r, Case& c, GraphBuilder::Handle parent, const std::string& path,
                std::int64_t id) {
  Site place{id, {}};
  const std::pair<const char*, std::int64_t> kinds[] = {
      {"core", r.between(1, 6)}, {"gpu", r.between(0, 3)}, {"memory", r.between(0, 3)}};
  for (const auto& [type, count] : kinds) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t size = type[0] == 'm' ? r.pick({1, 2, 2, 4}) : 1;
      c.text.child(parent, {.type = type, .id = i, .size = size});
      place.leaves.push_back({path + "/" + type + std::to_string(i), type, i, size});
    }
  }
  c.places.push_back(std::move(place));
}

Wish make_wish(Random& r) {
  Wish out;
  out.places = r.pick({0, 1, 1, 2});
  for (std::int64_t n = r.between(2, 3); n > 0; --n) {
    Alternative& alternative = out.alternatives.emplace_back();
    alternative.count = r.between(1, 4);
    for (std::int64_t kinds = r.between(1, 2); kinds > 0; --kinds) {
      alternative.units[r.pick({"core", "core", "gpu", "memory"})] = r.between(1, 3);
    }
  }
  return out;
}

Case make_case(Random& r) {
  Case c;
  const auto cluster = c.text.pool({.type = "cluster", .id = 0});
  c.text.root("containment", cluster);
  c.sockets = r.chance(50);
  for (std::int64_t n = 0, nodes = r.between(1, 3); n < nodes; ++n) {
    const auto node =
        c.text.child(cluster, {.type = "node", .id = n, .rank = static_cast<std::int32_t>(n)});
    const std::string path = "/node" + std::to_string(n);
    if (!c.sockets) add_leaves(r, c, node, path, n);
    for (std::int64_t s = 0, sockets = c.sockets ? r.between(1, 2) : 0; s < sockets; ++s) {
      const auto socket = c.text.child(node, {.type = "socket", .id = s});
      add_leaves(r, c, socket, path + "/socket" + std::to_string(s), s);
    }
  }
  c.text.pool({.type = "gpu"});  // so that every machine knows the types
  c.text.pool({.type = "memory"});
  for (int i = 0; i < 3; ++i) c.wishes.push_back(make_wish(r));
  return c;
}

std::string text_of(const Wish& wish, bool sockets) {
  std::string slots;
  for (const Alternative& alternative : wish.alternatives) {
    std::string with;
    for (const auto& [type, units] : alternative.units) {
      with += (with.empty() ? "" : ", ") + res(type, std::to_string(units));
    }
    slots += (slots.empty() ? "" : ", ") + slot(std::to_string(alternative.count), with);
  }
  if (wish.places == 0) return job(slots);
  return job(res(sockets ? "socket" : "node", std::to_string(wish.places), slots));
}

class Alternatives : public ::testing::TestWithParam<bool> {};

TEST_P(Alternatives, AsManyAsPossibleAndThenTheBest) {
  std::uint64_t granted = 0, refused = 0;
  Seeds seeds(1, 1'000);
  seeds.each([&](std::uint64_t seed) {
    Random r(seed);
    Case c = make_case(r);
    const auto e = engine(
        {.policy = *find_policy(GetParam() ? "high" : "low"), .traverser = Traverser::flexible},
        c.text.build());
    Model model(c.places, GetParam());
    for (JobId number = 1; number <= 8; ++number) {
      const Wish& wish = r.pick(c.wishes);
      const std::string text = text_of(wish, c.sockets);
      const auto want = model.allocate(wish, number);
      const auto got = allocate(*e, text, number);
      std::vector<std::string> paths = got ? taken(*e, got) : Paths{};
      std::ranges::sort(paths);
      ASSERT_EQ(paths, want) << "job " << number << ": " << text
                             << (got ? "" : got.error().message());
      if (want.empty()) {
        ASSERT_EQ(error_of(match(*e, Operation::satisfiability, text)),
                  Model(c.places, GetParam()).allocate(wish, 1).empty() ? "infeasible" : "")
            << text;
      }
      ++(want.empty() ? refused : granted);
      if (!want.empty() && r.chance(25)) {
        const JobId gone = number;
        ASSERT_TRUE(e->cancel(gone));
        model.free(gone);
      }
    }
  });
  if (!seeds.whole()) return;
  EXPECT_GT(granted, seeds.count());
  EXPECT_GT(refused, seeds.count());
}

INSTANTIATE_TEST_SUITE_P(Policies, Alternatives, ::testing::Bool(),
                         [](const auto& high) { return high.param ? "high" : "low"; });

}  // namespace
}  // namespace copse::alternatives
