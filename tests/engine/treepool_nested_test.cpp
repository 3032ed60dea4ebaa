// SPDX-License-Identifier: Apache-2.0
//
// Instances inside jobs: an allocation is written as R, gets the ids of a nested instance, is
// loaded, and matched; and jobs that run when an instance restarts.
#include "base/idset_algebra.hpp"
#include "engine/treepool_machine.hpp"
#include "formats/formats.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_ranks.hpp"

namespace copse::test {
namespace {

// Cluster A of RFC 49: 2 sockets × 4 NUMA domains × (15 cores, 1 GPU).
std::string cluster_a() {
  return r_of({{"0-15", "0-119", "0-7", R"({"socket": [
      {"numa": [{"cores": "0-14", "gpus": "0"}, {"cores": "15-29", "gpus": "1"},
                {"cores": "30-44", "gpus": "2"}, {"cores": "45-59", "gpus": "3"}]},
      {"numa": [{"cores": "60-74", "gpus": "4"}, {"cores": "75-89", "gpus": "5"},
                {"cores": "90-104", "gpus": "6"}, {"cores": "105-119", "gpus": "7"}]}]})"}});
}

// A machine that keeps the text of its R.
class Instance : public TreepoolMachine {
 public:
  explicit Instance(std::string text) : TreepoolMachine(text), text_(std::move(text)) {}

  // The R of a job, as `copse session` writes it.
  [[nodiscard]] std::string r_of_job(JobId job) const {
    const auto r = read_r(text_, {}, {.layouts = TreepoolLimits{}});
    std::vector<ExpandedPool> pools;
    expand(engine->graph(), engine->grant(job)->selection, pools);
    std::string out;
    Writer(Format::rv1)
        .write(
            {.graph = engine->graph(), .pools = pools, .nslots = 1, .scheduling = &r->scheduling},
            out);
    return out;
  }

  // The instance that starts inside a job.
  [[nodiscard]] Instance inside(JobId job) const {
    auto r = read_r(r_of_job(job), "R", {.rules = RRules::strict});
    if (!r) throw std::runtime_error(r.error().message());
    auto own = normalize(*r);
    if (!own) throw std::runtime_error(own.error().message());
    std::string text;
    append_r(text, std::move(*own));
    return Instance(std::move(text));
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// `topo_ids` of an R, "0-1: core 15-44; 2: core 3".
std::string topo_ids(const std::string& text) {
  std::string out;
  const auto r = read_r(text);
  EXPECT_TRUE(r) << r.error().message();
  if (!r) return out;
  for (const REntry& entry : r->scheduling.topo_ids) {
    out += (out.empty() ? "" : "; ") + entry.ranks.text() + ":";
    for (const auto& [type, ids] : entry.children) out += fmt::format(" {} {}", type, ids.text());
  }
  return out;
}

TEST(TreepoolNested, CoresAndGpusOfAPartOfANodePair) {
  Instance above(cluster_a());
  EXPECT_EQ(above.alloc("slot=1/node=1/[core=15;gpu=1]", 1), "0: core 0-14 gpu 0");
  EXPECT_EQ(above.alloc("slot=2/[core=15;gpu=1]", 2), "0: core 15-44 gpu 1-2");
  Instance job = above.inside(2);
  EXPECT_EQ(topo_ids(job.text()), "0: core 15-44");
  // GPU 1 belongs to the first 15 of these cores, GPU 2 to the others.
  EXPECT_EQ(job.alloc("slot=1/[core=15;gpu=1]", 1), "0: core 0-14 gpu 1");
  EXPECT_EQ(job.alloc("slot=1/[core=15;gpu=1]", 2), "0: core 15-29 gpu 2");
  ASSERT_TRUE(job.engine->cancel(1));
  ASSERT_TRUE(job.engine->cancel(2));
  // The domains are those of the part only.
  EXPECT_EQ(job.alloc("slot=2/numa{x}", 3), "0: core 0-29 gpu 1-2");
  EXPECT_EQ(job.satisfy("slot=3/numa{x}"), "infeasible");
  EXPECT_EQ(job.satisfy("slot=2/socket{x}"), "infeasible");
}

TEST(TreepoolNested, OnceMore) {
  Instance above(cluster_a());
  EXPECT_EQ(above.alloc("slot=1/node=1/[core=15;gpu=1]", 1), "0: core 0-14 gpu 0");
  EXPECT_EQ(above.alloc("slot=3/[core=15;gpu=1]", 2), "0: core 15-59 gpu 1-3");
  Instance job = above.inside(2);
  EXPECT_EQ(job.alloc("slot=1/core=10", 1), "0: core 0-9");
  EXPECT_EQ(job.alloc("slot=2/[core=12;gpu=1]", 2), "0: core 15-26,30-41 gpu 2-3");
  // The 24 cores have the numbers 0 to 23; in topo they are 30-41 and 45-56.
  Instance nested = job.inside(2);
  EXPECT_EQ(topo_ids(nested.text()), "0: core 30-41,45-56");
  EXPECT_EQ(nested.alloc("slot=1/[core=12;gpu=1]", 1), "0: core 0-11 gpu 2");
  EXPECT_EQ(nested.alloc("slot=1/[core=6;gpu=1]", 2), "0: core 12-17 gpu 3");
  EXPECT_EQ(nested.alloc("slot=1/core=6", 3), "0: core 18-23");
  // A third level: cores 45-50 of topo, with GPU 3.
  Instance third = nested.inside(2);
  EXPECT_EQ(topo_ids(third.text()), "0: core 45-50");
  EXPECT_EQ(third.alloc("slot=1/numa{x}", 1), "0: core 0-5 gpu 3");
}

TEST(TreepoolNested, RanksHaveTheirOwnIds) {
  Instance above(cluster_a());
  // Parts of nodes 3 and 5, and all of node 4; each part has another part of its topo.
  const auto part = read_r(
      R"({"version": 1, "execution": {"R_lite": [
          {"rank": "3", "children": {"core": "15-44", "gpu": "1-2"}},
          {"rank": "4", "children": {"core": "0-119", "gpu": "0-7"}},
          {"rank": "5", "children": {"core": "60-74,105-119", "gpu": "4,7"}}],
          "nodelist": ["n[3-5]"]}})");
  ASSERT_TRUE(part) << part.error().message();
  const auto wanted = pools_of_r(above.engine->graph(), *part);
  ASSERT_TRUE(wanted) << wanted.error().message();
  ASSERT_TRUE(above.engine->update(1, *wanted, 0, 100));
  Instance job = above.inside(1);
  EXPECT_EQ(topo_ids(job.text()), "0: core 15-44; 2: core 60-74,105-119");
  EXPECT_EQ(job.alloc("slot=1/[core=15;gpu=1]", 1, R"({"ranks": ["0"]})"), "0: core 0-14 gpu 1");
  EXPECT_EQ(job.alloc("slot=1/[core=15;gpu=1]", 2, R"({"ranks": ["1"]})"), "1: core 0-14 gpu 0");
  EXPECT_EQ(job.alloc("slot=2/[core=15;gpu=1]", 3, R"({"ranks": ["2"]})"), "2: core 0-29 gpu 4,7");
  ASSERT_TRUE(job.engine->cancel(3));
  EXPECT_EQ(job.alloc("slot=1/[core=15;gpu=1]", 4, R"({"ranks": ["2"]})"), "2: core 0-14 gpu 4");
  EXPECT_EQ(job.alloc("slot=1/[core=15;gpu=1]", 5, R"({"ranks": ["2"]})"), "2: core 15-29 gpu 7");
  // The R of a job has the entries of its ranks, and none of the whole node.
  EXPECT_EQ(topo_ids(job.r_of_job(1)), "0: core 15-44");
  EXPECT_EQ(topo_ids(job.r_of_job(2)), "");
  EXPECT_EQ(topo_ids(job.r_of_job(5)), "2: core 60-74,105-119");
}

// An instance restarts while jobs run: each is on other ranks than the first; one freed a rank, and
// its `scheduling` still describes all its former resources.
TEST(TreepoolReload, RunningJobsAreTakenAsTheyAre) {
  Instance before(cluster_a());
  ASSERT_EQ(before.alloc("slot=3/node{x}", 1), "0-2: core 0-119 gpu 0-7");
  ASSERT_EQ(before.alloc("slot=4/node{x}", 2), "3-6: core 0-119 gpu 0-7");
  ASSERT_EQ(before.alloc("slot=5/[core=15;gpu=1]", 3), "7: core 0-74 gpu 0-4");
  const std::string whole = before.r_of_job(2);
  ASSERT_TRUE(before.engine->cancel(1));
  const auto freed = pools_of_ranks(before.engine->graph(), *Idset::parse("4"));
  ASSERT_TRUE(freed);
  ASSERT_EQ(before.engine->cancel_part(2, *freed), false);

  // A new R is trimmed; an R kept from before is as the job had it.
  auto shrunk = read_r(before.r_of_job(2));
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->ranks().text(), "3,5-6");
  EXPECT_EQ(child_ranks(shrunk->scheduling).text(), "3,5-6");
  auto kept = read_r(whole);
  ASSERT_TRUE(kept);
  EXPECT_EQ(child_ranks(kept->scheduling).text(), "3-6");
  for (RSet::Entry& entry : kept->entries) {
    entry.ranks = subtract(entry.ranks, *Idset::parse("4"));
  }
  const auto other = read_r(before.r_of_job(3));
  ASSERT_TRUE(other);

  for (const RSet& job : {*shrunk, *kept}) {
    Instance after(cluster_a());
    const ResourceGraph& graph = after.engine->graph();
    const auto pools = pools_of_r(graph, job), others = pools_of_r(graph, *other);
    ASSERT_TRUE(pools) << pools.error().message();
    ASSERT_TRUE(others) << others.error().message();
    ASSERT_TRUE(after.engine->update(2, *pools, 0, 100));
    ASSERT_TRUE(after.engine->update(3, *others, 0, 100));
    EXPECT_EQ(after.shown(after.engine->grant(2)->selection), "3,5-6: core 0-119 gpu 0-7");
    EXPECT_EQ(after.shown(after.engine->grant(3)->selection), "7: core 0-74 gpu 0-4");
    // The free ranks are as before: outside job 3, the freed rank, and those of job 1.
    EXPECT_EQ(after.alloc("slot=1/[core=15;gpu=1]", 4), "7: core 75-89 gpu 5");
    EXPECT_EQ(after.alloc("slot=4/node{x}", 5), "0-2,4: core 0-119 gpu 0-7");
    EXPECT_EQ(after.alloc("slot=9/node{x}", 6), "insufficient");
    EXPECT_EQ(after.alloc("slot=8/node{x}", 6), "8-15: core 0-119 gpu 0-7");
    // It is freed as if it had been allocated here.
    const auto part = pools_of_ranks(graph, *Idset::parse("5"));
    ASSERT_EQ(after.engine->cancel_part(2, *part), false);
    EXPECT_EQ(after.alloc("slot=1/node{x}", 7), "5: core 0-119 gpu 0-7");
    for (JobId id : after.engine->jobs()) ASSERT_TRUE(after.engine->cancel(id));
    EXPECT_EQ(after.engine->fingerprint(), Instance(cluster_a()).engine->fingerprint());
  }
}

}  // namespace
}  // namespace copse::test
