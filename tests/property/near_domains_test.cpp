// SPDX-License-Identifier: Apache-2.0
//
// Slots whose cores and GPUs must be of one socket or NUMA domain, on random small machines: whether a
// request fits, when, what it gets, and what an explanation says of it, against an oracle that tries all
// numbers of slots. See seeds.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "copse/engine.hpp"
#include "copse/policy.hpp"
#include "graph/small_graph.hpp"
#include "property/random.hpp"
#include "property/reborn.hpp"
#include "property/seeds.hpp"
#include "request/shape.hpp"

namespace copse::property {
namespace {

constexpr std::uint64_t kDomainSeeds = 1'500;

struct NearPlace {  // a core or GPU of a node
  std::size_t node;
  std::string type;
  std::int64_t id;
  auto operator<=>(const NearPlace&) const = default;
};

// Ids of a node that are in one domain.
struct NearGroup {
  std::string name;
  std::set<std::int64_t> cores, gpus;
};

struct NearNode {
  std::int64_t cores = 0, gpus = 0, memory = 0;
  std::set<std::int64_t> typed{};  // GPUs with the property "big"
  std::vector<NearGroup> groups{};
};

struct NearWish {
  std::int64_t slots = 1, cores = 1, gpus = 0, memory = 0, duration_s = 10;
  std::int64_t nodes = 0;  // above 0: as many nodes, with all slots on each
  std::string domain{};
  bool typed = false;

  [[nodiscard]] std::string shape() const {
    std::string near = fmt::format("core={}", cores);
    if (gpus > 0) near += fmt::format(";gpu={}{}", gpus, typed ? "{big}" : "");
    near = fmt::format("{}/[{}]", domain, near);
    if (memory > 0) near = fmt::format("[memory={};{}]", memory, near);
    return fmt::format("{}slot={}/{}", nodes > 0 ? fmt::format("node={}/", nodes) : "", slots,
                       near);
  }
};

struct NearJob {
  std::int64_t start_s = 0, end_s = 0;
  std::set<NearPlace> places{};
  std::map<std::size_t, std::int64_t> memory{};  // by node
};

// What is free, tried one slot after the other.
class DomainOracle {
 public:
  std::vector<NearNode> nodes;
  std::map<JobId, NearJob> jobs;

  // The most slots of a node over [from, until). `together`: the domain is demanded.
  [[nodiscard]] std::int64_t slots_on(std::size_t n, const NearWish& wish, std::int64_t from,
                                      std::int64_t until, bool together) const {
    const NearNode& node = nodes[n];
    std::set<std::int64_t> cores, gpus;
    for (std::int64_t c = 0; c < node.cores; ++c) {
      if (is_free({n, "core", c}, from, until)) cores.insert(c);
    }
    for (std::int64_t g = 0; g < node.gpus; ++g) {
      if (wish.typed && !node.typed.contains(g)) continue;
      if (is_free({n, "gpu", g}, from, until)) gpus.insert(g);
    }
    std::int64_t memory = free_memory(n, from, until);
    std::int64_t out = 0;
    const auto form = [&](std::set<std::int64_t> own_cores, std::set<std::int64_t> own_gpus) {
      while (std::ssize(own_cores) >= wish.cores && std::ssize(own_gpus) >= wish.gpus &&
             memory >= wish.memory) {
        for (std::int64_t i = 0; i < wish.cores; ++i) own_cores.erase(own_cores.begin());
        for (std::int64_t i = 0; i < wish.gpus; ++i) own_gpus.erase(own_gpus.begin());
        memory -= wish.memory;
        ++out;
      }
    };
    if (!together) form(cores, gpus);
    for (const NearGroup& group : node.groups) {
      if (together && group.name == wish.domain) {
        form(common(cores, group.cores), common(gpus, group.gpus));
      }
    }
    return out;
  }

  [[nodiscard]] bool fits(const NearWish& wish, std::int64_t from, bool together) const {
    std::int64_t slots = 0, with_all = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const std::int64_t here = slots_on(n, wish, from, from + wish.duration_s, together);
      slots += here;
      if (here >= wish.slots) ++with_all;
    }
    return wish.nodes > 0 ? with_all >= wish.nodes : slots >= wish.slots;
  }

  [[nodiscard]] bool fits_empty(const NearWish& wish, bool together) const {
    DomainOracle empty;
    empty.nodes = nodes;
    return empty.fits(wish, 0, together);
  }

  // Now, or when a job ends.
  [[nodiscard]] std::int64_t earliest(const NearWish& wish, std::int64_t now) const {
    std::set<std::int64_t> times{now};
    for (const auto& [id, job] : jobs) times.insert(std::max(now, job.end_s));
    for (const std::int64_t t : times) {
      if (fits(wish, t, true)) return t;
    }
    return -1;
  }

  void advance(std::int64_t now) {
    std::erase_if(jobs, [&](const auto& job) { return job.second.end_s <= now; });
  }

 private:
  static std::set<std::int64_t> common(const std::set<std::int64_t>& a,
                                       const std::set<std::int64_t>& b) {
    std::set<std::int64_t> out;
    for (const std::int64_t id : a) {
      if (b.contains(id)) out.insert(id);
    }
    return out;
  }

  [[nodiscard]] bool is_free(const NearPlace& place, std::int64_t from, std::int64_t until) const {
    return std::ranges::none_of(jobs, [&](const auto& job) {
      return job.second.start_s < until && from < job.second.end_s &&
             job.second.places.contains(place);
    });
  }

  [[nodiscard]] std::int64_t free_memory(std::size_t n, std::int64_t from,
                                         std::int64_t until) const {
    std::int64_t most = 0;
    std::set<std::int64_t> times{from};
    for (const auto& [id, job] : jobs) {
      if (from < job.start_s && job.start_s < until) times.insert(job.start_s);
    }
    for (const std::int64_t t : times) {
      std::int64_t used = 0;
      for (const auto& [id, job] : jobs) {
        const auto here = job.memory.find(n);
        if (job.start_s <= t && t < job.end_s && here != job.memory.end()) used += here->second;
      }
      most = std::max(most, used);
    }
    return nodes[n].memory - most;
  }
};

class DomainCase {
 public:
  explicit DomainCase(std::uint64_t seed) : random_(seed) {
    const std::int64_t count = random_.between(1, 4);
    const NearNode first = node_case();
    for (std::int64_t n = 0; n < count; ++n) {
      oracle_.nodes.push_back(random_.chance(60) ? first : node_case());
    }
    const std::vector<std::string> policies{"low",       "high",       "first",    "compact",
                                            "few-racks", "keep-large", "locality", "lonode"};
    options_.policy = *find_policy(random_.pick(policies));
    options_.traverser = random_.chance(50) ? Traverser::simple : Traverser::loop_aware;
    auto made = Engine::create(graph(), options_, layouts());
    EXPECT_TRUE(made) << (made ? "" : made.error().message());
    engine_ = std::move(*made);
  }

  void run() {
    const std::int64_t steps = random_.between(10, 40);
    for (std::int64_t i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      step();
      Seeds::add_steps(1);
      if (i % 8 == 7) {
        EXPECT_EQ(save_and_load(engine_), "");
      }
    }
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << options_.policy.name << ' ' << static_cast<int>(options_.traverser) << '\n'
                    << log_;
    }
  }

 private:
  // --- Machines

  NearNode node_case() {
    NearNode out{.cores = random_.between(1, 12), .gpus = random_.between(0, 4)};
    out.memory = random_.between(1, 20);
    for (std::int64_t g = 0; g < out.gpus; ++g) {
      if (random_.chance(50)) out.typed.insert(g);
    }
    const std::int64_t sockets = random_.between(1, 3);
    for (std::int64_t s = 0; s < sockets; ++s) {
      NearGroup socket{"socket", {}, {}};
      std::vector<NearGroup> parts(static_cast<std::size_t>(random_.between(0, 2)),
                                   {"numa", {}, {}});
      const auto add = [&](std::int64_t id, std::set<std::int64_t> NearGroup::* ids) {
        if (random_.chance(5)) return;  // it is in no domain
        (socket.*ids).insert(id);
        if (!parts.empty() && random_.chance(80)) {
          (parts[random_.below(parts.size())].*ids).insert(id);
        }
      };
      for (std::int64_t c = 0; c < out.cores; ++c) {
        if (c * sockets / out.cores == s) add(c, &NearGroup::cores);
      }
      for (std::int64_t g = 0; g < out.gpus; ++g) {
        if (g % sockets == s) add(g, &NearGroup::gpus);
      }
      out.groups.push_back(socket);
      out.groups.insert(out.groups.end(), parts.begin(), parts.end());
    }
    return out;
  }

  ResourceGraph graph() {
    GraphText text;
    const auto root = text.pool({"cluster", 0});
    text.root("containment", root);
    std::vector<GraphBuilder::Handle> above{root};
    if (random_.chance(40)) above = {text.child(root, {"rack", 0}), text.child(root, {"rack", 1})};
    for (std::size_t n = 0; n < oracle_.nodes.size(); ++n) {
      const NearNode& node = oracle_.nodes[n];
      const auto number = static_cast<std::int64_t>(n);
      const auto rank = static_cast<std::int32_t>(n);
      const auto made = text.child(above[n % above.size()],
                                   {.type = "node", .id = number, .size = 1, .rank = rank});
      for (std::int64_t c = 0; c < node.cores; ++c) {
        text.child(made, {.type = "core", .id = c, .size = 1, .rank = rank});
      }
      for (std::int64_t g = 0; g < node.gpus; ++g) {
        const auto gpu = text.child(made, {.type = "gpu", .id = g, .size = 1, .rank = rank});
        if (node.typed.contains(g)) text.builder.set_property(gpu, "big", "");
        // Cores that are preferred, but not to those that are demanded.
        if (random_.chance(50)) {
          text.builder.set_property(gpu, "cores", fmt::format("0-{}", random_.between(0, 6)));
        }
      }
      text.builder.set_divisible(
          text.child(made, {.type = "memory", .id = 0, .size = node.memory, .rank = rank}));
    }
    return text.build();
  }

  static IdRanges ranges_of(const std::set<std::int64_t>& ids) {
    IdRanges out;
    for (const std::int64_t id : ids) {
      if (!out.empty() && out.back().second + 1 == id) {
        out.back().second = id;
      } else {
        out.emplace_back(id, id);
      }
    }
    return out;
  }

  Layouts layouts() {
    Layouts out;
    for (std::size_t n = 0; n < oracle_.nodes.size(); ++n) {
      Layout layout;
      layout.domains.emplace_back();
      std::uint32_t socket = 0;
      for (const NearGroup& group : oracle_.nodes[n].groups) {
        const bool outer = group.name == "socket";
        if (outer) socket = static_cast<std::uint32_t>(layout.domains.size());
        Domain domain{.name = group.name, .parent = outer ? 0 : socket};
        domain.cores = ranges_of(group.cores);
        domain.gpus = ranges_of(group.gpus);
        layout.domains.push_back(std::move(domain));
      }
      // A domain is without the ids of those inside.
      for (std::size_t d = layout.domains.size(); d-- > 1;) {
        Domain& domain = layout.domains[d];
        if (domain.name == "numa") continue;
        std::set<std::int64_t> cores = oracle_.nodes[n].groups[d - 1].cores;
        std::set<std::int64_t> gpus = oracle_.nodes[n].groups[d - 1].gpus;
        for (std::size_t inner = d + 1;
             inner < layout.domains.size() && layout.domains[inner].parent == d; ++inner) {
          for (const std::int64_t id : oracle_.nodes[n].groups[inner - 1].cores) cores.erase(id);
          for (const std::int64_t id : oracle_.nodes[n].groups[inner - 1].gpus) gpus.erase(id);
        }
        domain.cores = ranges_of(cores);
        domain.gpus = ranges_of(gpus);
      }
      auto same = std::ranges::find(out.layouts, layout);
      if (same == out.layouts.end()) same = out.layouts.insert(same, std::move(layout));
      const auto number = static_cast<std::uint32_t>(same - out.layouts.begin());
      const auto rank = static_cast<std::int64_t>(n);
      out.ranks.push_back({rank, rank, number});
    }
    return out;
  }

  // --- Events

  void step() {
    const std::int64_t kind = random_.between(0, 99);
    if (kind < 15 && !oracle_.jobs.empty()) {
      cancel();
    } else if (kind < 25) {
      now_s_ += random_.between(1, 15);
      log_ += fmt::format("advance {}\n", now_s_);
      EXPECT_TRUE(engine_->advance(now_s_));
      oracle_.advance(now_s_);
    } else {
      ask(random_.chance(40));
    }
  }

  void cancel() {
    auto job = oracle_.jobs.begin();
    std::advance(job, random_.below(oracle_.jobs.size()));
    log_ += fmt::format("cancel {}\n", job->first);
    EXPECT_TRUE(engine_->cancel(job->first));
    oracle_.jobs.erase(job);
  }

  NearWish wish() {
    NearWish out{.slots = random_.between(1, random_.chance(70) ? 2 : 5),
                 .cores = random_.between(1, 5),
                 .gpus = random_.between(0, 2)};
    out.memory = random_.chance(50) ? random_.between(1, 8) : 0;
    out.duration_s = random_.between(1, 30);
    out.nodes = random_.chance(30) ? random_.between(1, 2) : 0;
    bool numa = false, typed = false;
    for (const NearNode& node : oracle_.nodes) {
      typed |= !node.typed.empty();
      numa |= std::ranges::any_of(node.groups, [](const NearGroup& g) { return g.name == "numa"; });
    }
    out.domain = numa && random_.chance(50) ? "numa" : "socket";
    out.typed = typed && random_.chance(40);
    const bool gpu =
        std::ranges::any_of(oracle_.nodes, [](const NearNode& n) { return n.gpus > 0; });
    if (!gpu) out.gpus = 0;  // the machine does not know the type
    return out;
  }

  void ask(bool later) {
    const NearWish made = wish();
    const JobId id = ++last_;
    log_ += fmt::format("{} {} {} for {}\n", later ? "reserve" : "allocate", id, made.shape(),
                        made.duration_s);
    auto request = parse_shape(made.shape());
    ASSERT_TRUE(request) << request.error().message();
    request->duration_s = made.duration_s;
    auto prepared = engine_->prepare(std::move(*request));
    ASSERT_TRUE(prepared) << prepared.error().message();
    check_explanation(*prepared, made);
    const Operation operation =
        later ? Operation::allocate_orelse_reserve : Operation::allocate_with_satisfiability;
    const auto match = engine_->match(operation, *prepared, id);
    std::int64_t start = oracle_.earliest(made, now_s_);
    if (!later && start != now_s_) start = -1;
    if (!match) {
      EXPECT_EQ(start, -1) << match.error().message();
      // Reservations prove it only by totals.
      const bool infeasible = match.error().code == ErrorCode::infeasible;
      const bool never = !oracle_.fits_empty(made, true);
      EXPECT_TRUE(infeasible == never || (later && never)) << match.error().message();
      return;
    }
    EXPECT_EQ((*match)->start, start);
    take((*match)->selection, made, {.start_s = start, .end_s = start + made.duration_s}, id);
  }

  void check_explanation(PreparedRequest& prepared, const NearWish& made) {
    const auto why = engine_->explain(prepared);
    ASSERT_TRUE(why);
    const bool now = oracle_.fits(made, now_s_, true), ever = oracle_.fits_empty(made, true);
    EXPECT_EQ(why->verdict, now    ? Verdict::fits
                            : ever ? Verdict::insufficient
                                   : Verdict::infeasible);
    if (now) return;
    const bool apart = ever ? oracle_.fits(made, now_s_, false) : oracle_.fits_empty(made, false);
    ASSERT_FALSE(why->findings.empty());
    const Finding& first = why->findings.front();
    EXPECT_EQ(first.cause == Cause::not_together && first.type == made.domain, apart)
        << first.type << ' ' << first.path;
  }

  // What the job got is what it asked for, domain by domain, and was free.
  void take(const Selection& selection, const NearWish& made, NearJob job, JobId id) {
    const ResourceGraph& graph = engine_->graph();
    std::vector<ExpandedPool> pools;
    expand(graph, selection, pools);
    std::map<std::pair<std::size_t, std::size_t>, std::pair<std::int64_t, std::int64_t>> has;
    for (const ExpandedPool& pool : pools) {
      const std::string type = graph.type_name(pool.pool);
      const auto n = static_cast<std::size_t>(std::max(0, graph.rank(pool.pool)));
      if (type == "memory") {
        for (const PoolAmount& amount : selection.amounts) {
          if (amount.pool == pool.pool) job.memory[n] += amount.units;
        }
      }
      if (type != "core" && type != "gpu") continue;
      const NearPlace place{n, type, graph.id(pool.pool)};
      for (const auto& [other, held] : oracle_.jobs) {
        const bool over = held.end_s <= job.start_s || job.end_s <= held.start_s;
        EXPECT_TRUE(over || !held.places.contains(place)) << other << ' ' << type << place.id;
      }
      EXPECT_TRUE(job.places.insert(place).second);
      const NearNode& node = oracle_.nodes[n];
      if (type == "gpu" && made.typed) {
        EXPECT_TRUE(node.typed.contains(place.id)) << place.id;
      }
      const auto group = std::ranges::find_if(node.groups, [&](const NearGroup& each) {
        return each.name == made.domain &&
               (type == "core" ? each.cores : each.gpus).contains(place.id);
      });
      ASSERT_NE(group, node.groups.end()) << type << place.id << " is in no " << made.domain;
      auto& counts = has[{n, static_cast<std::size_t>(group - node.groups.begin())}];
      ++(type == "core" ? counts.first : counts.second);
    }
    std::map<std::size_t, std::int64_t> slots;
    for (const auto& [place, counts] : has) {
      const std::int64_t here = counts.first / made.cores;
      EXPECT_EQ(counts, (std::pair{here * made.cores, here * made.gpus}));
      slots[place.first] += here;
    }
    std::int64_t all = 0;
    for (const auto& [n, count] : slots) {
      all += count;
      if (made.nodes > 0) {
        EXPECT_EQ(count, made.slots);
      }
      if (made.memory > 0) {
        EXPECT_EQ(job.memory[n], count * made.memory);
      }
    }
    EXPECT_EQ(all, made.slots * std::max<std::int64_t>(1, made.nodes));
    oracle_.jobs[id] = std::move(job);
  }

  Random random_;
  DomainOracle oracle_;
  EngineOptions options_;
  std::unique_ptr<Engine> engine_;
  std::int64_t now_s_ = 0;
  JobId last_ = 0;
  std::string log_;
};

TEST(NearDomains, SlotsAreInOneDomain) {
  Seeds seeds(1, kDomainSeeds);
  seeds.each([](std::uint64_t seed) { DomainCase(seed).run(); });
}

}  // namespace
}  // namespace copse::property
