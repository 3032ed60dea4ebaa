// SPDX-License-Identifier: Apache-2.0
//
// Settings of slurm.conf about queues and licences, out of a seed: the queues and hierarchical resources that
// are made of them are those that were generated. See slurm_cluster.hpp, seeds.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/hres/hres.hpp"
#include "formats/slurm/queues/slurm_queues.hpp"
#include "property/seeds.hpp"
#include "property/slurm_cluster.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::property {
namespace {

struct MadeQueue {
  std::string name;
  std::optional<std::int64_t> most_min{}, usual_min{};  // minutes; none: not set
  std::optional<std::int64_t> nodes_min{}, nodes_max{};
  std::int64_t tier = 1;
  std::vector<std::string> groups{};
  bool of_jobs_without = false;
};
struct MadeSite {
  std::vector<MadeQueue> queues;
  std::map<std::string, std::int64_t> licences;
};

MadeSite make_site(Random& random) {
  MadeSite out;
  const auto count = random.between(1, 5);
  const auto without = random.chance(60) ? random.between(0, count - 1) : -1;
  for (std::int64_t n = 0; n < count; ++n) {
    MadeQueue queue{.name = fmt::format("q{}", n)};
    if (random.chance(60)) queue.most_min = random.between(1, 20'000);
    if (random.chance(40)) queue.usual_min = random.between(1, queue.most_min.value_or(20'000));
    if (random.chance(40)) queue.nodes_max = random.between(2, 9);
    if (random.chance(30)) queue.nodes_min = random.between(0, 2);
    if (random.chance(50)) queue.tier = random.between(0, 60'000);
    if (random.chance(40)) queue.groups = {"physics"};
    if (random.chance(20)) queue.groups.emplace_back("staff");
    queue.of_jobs_without = n == without;
    out.queues.push_back(std::move(queue));
  }
  for (auto n = random.between(0, 3); n > 0; --n) {
    out.licences[random.pick<const char*>({"matlab", "ansys", "idl", "comsol"})] =
        random.between(1, 50);
  }
  return out;
}

// Minutes in any of Slurm's forms.
std::string time_text(Random& random, std::int64_t minutes) {
  const std::int64_t hours = minutes / 60, days = hours / 24;
  switch (random.below(4)) {
    case 0: return fmt::format("{}:{:02}:00", hours, minutes % 60);
    case 1: return fmt::format("{}-{}:{}", days, hours % 24, minutes % 60);
    case 2: return fmt::format("{}:00", minutes);
    default: return fmt::format("{}", minutes);
  }
}

std::string text_of(const MadeSite& site, Random& random) {
  std::string out;
  const bool by_default =
      random.chance(30) &&
      std::ranges::all_of(site.queues, [](const MadeQueue& q) { return q.tier == 1; });
  if (by_default) out += "PartitionName=DEFAULT PriorityTier=1 State=UP\n";
  for (const MadeQueue& queue : site.queues) {
    std::vector<std::string> settings{"Nodes=ALL"};
    const auto add = [&](const char* key, const std::string& value) {
      settings.push_back(fmt::format("{}={}", key, value));
    };
    if (queue.most_min) add("MaxTime", time_text(random, *queue.most_min));
    if (!queue.most_min && random.chance(50)) add("MaxTime", "UNLIMITED");
    if (queue.usual_min) add("DefaultTime", time_text(random, *queue.usual_min));
    if (queue.nodes_max) add("MaxNodes", std::to_string(*queue.nodes_max));
    if (!queue.nodes_max && random.chance(20)) add("MaxNodes", "UNLIMITED");
    if (queue.nodes_min) add("MinNodes", std::to_string(*queue.nodes_min));
    if (queue.tier != 1)
      add(random.chance(20) ? "Priority" : "PriorityTier", std::to_string(queue.tier));
    if (!queue.groups.empty()) add("AllowGroups", fmt::format("{}", fmt::join(queue.groups, ",")));
    if (queue.of_jobs_without) add("Default", "YES");
    if (random.chance(20)) add("AllowAccounts", "x");  // no concept: no effect
    random.shuffle(settings);
    out += fmt::format("PartitionName={} {}\n", queue.name, fmt::join(settings, " "));
  }
  if (!site.licences.empty()) {
    std::string list;
    for (const auto& [name, count] : site.licences) {
      if (!list.empty()) list += ',';
      list += count == 1 && random.chance(50) ? name : fmt::format("{}:{}", name, count);
    }
    out += "Licenses=" + list + "\n";
  }
  return out;
}

void expect_queue(const queue::QueueConfig& config, const MadeQueue& made, bool tiered) {
  SCOPED_TRACE(made.name);
  const auto at = std::ranges::find(config.queues, made.name, &queue::QueueSpec::name);
  ASSERT_NE(at, config.queues.end());
  EXPECT_EQ(at->priority, tiered ? made.tier : 0);
  const auto broken = [&](std::int64_t nodes, std::int64_t duration_s) {
    return !config.limits.broken(made.name, {nodes, 0, 0}, duration_s).empty();
  };
  const std::int64_t nodes = made.nodes_max.value_or(made.nodes_min.value_or(1));
  const std::int64_t most_s = made.most_min.value_or(0) * 60;
  const std::int64_t good_s = most_s > 0 ? most_s : 1'000'000'000;
  EXPECT_FALSE(broken(nodes, good_s));
  EXPECT_EQ(broken(nodes, good_s + 1), most_s > 0);
  EXPECT_EQ(broken(nodes, 0), most_s > 0);  // without an end
  EXPECT_EQ(broken(nodes + 1, good_s), made.nodes_max.has_value());
  if (made.nodes_min.value_or(0) > 0) {
    EXPECT_TRUE(broken(*made.nodes_min - 1, good_s));
  }
  EXPECT_EQ(config.defaults.duration_of(made.name), made.usual_min ? *made.usual_min * 60 : most_s);
  const auto refused = [&](const std::string& group) {
    return !config.access
                .refused(made.name, "ada", [&](auto) { return std::vector<std::string>{group}; })
                .empty();
  };
  EXPECT_EQ(refused("music"), !made.groups.empty());
  for (const std::string& group : made.groups) EXPECT_FALSE(refused(group)) << group;
}

TEST(SlurmSettings, AreTheQueuesAndLicencesThatWereGenerated) {
  Seeds seeds(80'000'000, 400);
  seeds.each([](std::uint64_t seed) {
    Random random(seed);
    const SlurmCluster cluster = random_cluster(random);
    const MadeSite site = make_site(random);
    const std::string conf = slurm_conf_of(cluster, random) + text_of(site, random);
    SCOPED_TRACE(conf);
    const auto toml = slurm_queues_toml(conf, "slurm.conf");
    ASSERT_TRUE(toml) << toml.error().message();
    const auto config = queue::read_queue_config(*toml, "slurm.conf");
    ASSERT_TRUE(config) << config.error().message() << *toml;
    EXPECT_EQ(config->queues.size(), site.queues.size() + cluster.partitions.size() + 1);
    const bool tiered =
        std::ranges::any_of(site.queues, [](const MadeQueue& q) { return q.tier != 1; });
    for (const MadeQueue& queue : site.queues) expect_queue(*config, queue, tiered);
    const auto without = std::ranges::find(site.queues, true, &MadeQueue::of_jobs_without);
    EXPECT_EQ(config->defaults.queue, without == site.queues.end() ? "" : without->name);
    const auto yaml = slurm_licences_yaml(conf, "slurm.conf");
    ASSERT_EQ(yaml.has_value(), !site.licences.empty());
    if (!yaml) return;
    const auto spec = read_hres(*yaml);
    ASSERT_TRUE(spec) << spec.error().message() << *yaml;
    std::map<std::string, std::int64_t> got;
    for (const ResourceSpec& resource : spec->resources) {
      ASSERT_EQ(resource.layers.size(), 1U);
      got[resource.name] = resource.layers.front().count;
    }
    EXPECT_EQ(got, site.licences);
  });
}

}  // namespace
}  // namespace copse::property
