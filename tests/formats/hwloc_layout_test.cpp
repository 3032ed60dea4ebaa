// SPDX-License-Identifier: Apache-2.0
//
// Layouts of nodes out of hwloc: synthetic machines that hwloc makes, and files of
// tests/data/hwloc.
#include "formats/hwloc/hwloc_layout.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <string>

#include "base/idset_algebra.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "hwloc_files.hpp"

namespace copse {
namespace {

// The XML of a machine that hwloc makes of a description.
std::string synthetic(const std::string& description) {
  hwloc_topology_t topology = nullptr;
  char* text = nullptr;
  int size = 0;
  const bool made = hwloc_topology_init(&topology) == 0 &&
                    hwloc_topology_set_synthetic(topology, description.c_str()) == 0 &&
                    hwloc_topology_load(topology) == 0 &&
                    hwloc_topology_export_xmlbuffer(topology, &text, &size, 0) == 0;
  EXPECT_TRUE(made) << description;
  std::string out = made ? text : "";
  if (made) hwloc_free_xmlbuffer(topology, text);
  hwloc_topology_destroy(topology);
  return out;
}

std::string topo(const std::string& xml) {
  const auto layout = read_hwloc_layout(xml, "h");
  return layout ? layout->topo : layout.error().message();
}

TEST(HwlocLayout, OfSyntheticMachines) {
  struct Row {
    std::string description, topo;
  };
  const Row rows[] = {
      {"pack:1 [numa(memory=8589934592)] core:2 pu:2", R"({"cores": "0-1", "memory": 8})"},
      {"pack:2 [numa(memory=8589934592)] core:2 pu:1",
       R"({"socket": [{"cores": "0-1", "memory": 8}, {"cores": "2-3", "memory": 8}]})"},
      // One NUMA node for both packages: the memory is the node's.
      {"[numa(memory=5368709120)] pack:2 core:2 pu:1",
       R"({"socket": [{"cores": "0-1"}, {"cores": "2-3"}], "memory": 5})"},
      {"numa:2(memory=2147483648) core:3 pu:1",
       R"({"numa": [{"cores": "0-2", "memory": 2}, {"cores": "3-5", "memory": 2}]})"},
      // Caches are no level.
      {"pack:2 l3:2 core:2 pu:1",
       R"({"socket": [{"cores": "0-3"}, {"cores": "4-7"}], "memory": 1})"},
      {"pack:1 die:2 [numa(memory=3221225472)] core:1 pu:1",
       R"({"Die": [{"cores": "0", "memory": 3}, {"cores": "1", "memory": 3}]})"},
      {"pack:2 die:2 core:1 pu:1",
       R"({"socket": [{"Die": [{"cores": "0"}, {"cores": "1"}]}, {"Die": [{"cores": "2"}, {"cores": "3"}]}], "memory": 1})"},
      // A group is looked through: around packages, and around NUMA nodes.
      {"group:2 pack:1 core:2 pu:1",
       R"({"socket": [{"cores": "0-1"}, {"cores": "2-3"}], "memory": 1})"},
      {"pack:1 group:2 [numa(memory=1073741824)] core:1 pu:1",
       R"({"numa": [{"cores": "0", "memory": 1}, {"cores": "1", "memory": 1}]})"},
      // A group that holds NUMA nodes is called as they are, also around packages.
      {"group:2 [numa(memory=1073741824)] pack:2 core:1 pu:1",
       R"({"numa": [{"socket": [{"cores": "0"}, {"cores": "1"}]}, {"socket": [{"cores": "2"}, {"cores": "3"}]}], "memory": 2})"},
      {"group:2 pack:2 [numa(memory=1073741824)] core:1 pu:1",
       R"({"numa": [{"socket": [{"cores": "0", "memory": 1}, {"cores": "1", "memory": 1}]}, {"socket": [{"cores": "2", "memory": 1}, {"cores": "3", "memory": 1}]}]})"},
      {"group:2 pack:2 core:1 pu:1",
       R"({"Group": [{"socket": [{"cores": "0"}, {"cores": "1"}]}, {"socket": [{"cores": "2"}, {"cores": "3"}]}], "memory": 1})"},
      // Two kinds of memory of the same cores.
      {"pack:1 [numa(memory=4294967296)] [numa(memory=17179869184)] core:2 pu:1",
       R"({"numa": [{"cores": "0-1", "memory": 4}, {"cores": "0-1", "memory": 16}]})"},
      {"pack:2 [numa(memory=1048576)] core:1 pu:1",
       R"({"socket": [{"cores": "0"}, {"cores": "1"}]})"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(topo(synthetic(row.description)), row.topo) << row.description;
}

TEST(HwlocLayout, OfAFileOfLstopo) {
  const auto layout = read_hwloc_layout(hwloc_file("pack2-numa4-core15.xml"));
  ASSERT_TRUE(layout) << layout.error().message();
  EXPECT_EQ(
      layout->topo,
      R"({"socket": [{"numa": [{"cores": "0-14", "memory": 1}, {"cores": "15-29", "memory": 1}, )"
      R"({"cores": "30-44", "memory": 1}, {"cores": "45-59", "memory": 1}]}, {"numa": [)"
      R"({"cores": "60-74", "memory": 1}, {"cores": "75-89", "memory": 1}, {"cores": "90-104", "memory": 1}, )"
      R"({"cores": "105-119", "memory": 1}]}]})");
  EXPECT_EQ(layout->cores.text(), "0-119");
  EXPECT_TRUE(layout->gpus.empty());
  EXPECT_EQ(
      topo(hwloc_file("version1.xml")),
      R"({"socket": [{"numa": [{"cores": "0-1", "memory": 1}, {"cores": "2-3", "memory": 1}]}, )"
      R"({"numa": [{"cores": "4-5", "memory": 1}, {"cores": "6-7", "memory": 1}]}]})");
}

// A card that two libraries show is one GPU; two parts that one library shows are two; what belongs
// to no inner domain stands beside the level it belongs to.
TEST(HwlocLayout, PlacesGpus) {
  const auto layout = read_hwloc_layout(hwloc_file("gpus.xml"));
  ASSERT_TRUE(layout) << layout.error().message();
  EXPECT_EQ(
      layout->topo,
      R"({"socket": [{"numa": [{"cores": "0-1", "memory": 2}, {"cores": "2-3", "gpus": "0", "memory": 2}]}, )"
      R"({"numa": [{"cores": "4-5", "memory": 2}, {"cores": "6-7", "memory": 2}], "gpus": "1-2"}], "gpus": "3"})");
  EXPECT_EQ(layout->gpus.text(), "0-3");
  EXPECT_EQ(layout->host, "reef7");
  // With one socket the node is the domain.
  std::string one = synthetic("pack:1 [numa(memory=8589934592)] core:2 pu:1");
  const std::string card =
      R"(<object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0300 [1:5] [0:0] 01" pci_link_speed="0">)"
      R"(<object type="OSDev" name="cuda0" osdev_type="5"><info name="Backend" value="CUDA"/></object></object>)";
  one.insert(one.rfind("</object>"), card);
  EXPECT_EQ(topo(one), R"({"cores": "0-1", "gpus": "0", "memory": 8})");
}

// As POWER9 has it: NUMA nodes above packages, and further ones, without cores, for what GPUs have.
TEST(HwlocLayout, PassesOverMemoryWithoutCores) {
  const auto layout = read_hwloc_layout(hwloc_file("gpu-memory.xml"));
  ASSERT_TRUE(layout) << layout.error().message();
  EXPECT_EQ(layout->topo, R"({"socket": [{"cores": "0-1", "gpus": "0", "memory": 8}, )"
                          R"({"cores": "2-3", "gpus": "1", "memory": 8}]})");
  EXPECT_EQ(layout->cores.text(), "0-3");
  EXPECT_EQ(layout->gpus.text(), "0-1");
  EXPECT_EQ(layout->host, "peak3");
  // Memory that no domain shows stands at the node: without that of GPUs.
  std::string small = hwloc_file("gpu-memory.xml");
  for (std::size_t at = 0; (at = small.find("8589934592", at)) != std::string::npos;) {
    small.replace(at, 10, "536870912");
  }
  EXPECT_EQ(topo(small), R"({"socket": [{"cores": "0-1", "gpus": "0"}, )"
                         R"({"cores": "2-3", "gpus": "1"}], "memory": 1})");
}

TEST(HwlocLayout, RefusesWhatHasNoCores) {
  EXPECT_NE(topo("<topology>").find("h:1:10: this is not XML"), std::string::npos);
  std::string text = synthetic("pack:1 core:1 pu:1");
  for (std::size_t at = 0; (at = text.find("\"Core\"", at)) != text.npos;) {
    text.replace(at, 6,
                 "\"L1Cache\" cache_size=\"0\" depth=\"1\" cache_linesize=\"0\" "
                 "cache_associativity=\"0\" cache_type=\"0\"");
  }
  EXPECT_NE(topo(text).find("has no cores"), std::string::npos) << topo(text);
}

std::string written(const Result<RSet>& r) {
  if (!r) return r.error().message();
  std::string out;
  append_r(out, *r);
  return out;
}

TEST(HwlocLayout, GroupsEqualNodes) {
  const HwlocLayout small{R"({"cores": "0-1"})", "a0", first_ids(2), {}};
  const HwlocLayout large{R"({"cores": "0-3", "gpus": "0"})", "b7", first_ids(4), first_ids(1)};
  HwlocLayout other = small;
  other.host = "a1";
  const std::vector<HwlocLayout> three{small, large, other};
  EXPECT_EQ(
      written(r_of_layouts(three, first_ids(3))),
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0,2", "children": {"core": "0-1"}}, )"
      R"({"rank": "1", "children": {"core": "0-3", "gpu": "0"}}], "starttime": 0.0, "expiration": 0.0, )"
      R"("nodelist": ["a0,b7,a1"]}, "scheduling": {"writer": "TreePool", "children": [)"
      R"({"ranks": "0,2", "topo": {"cores": "0-1"}}, )"
      R"({"ranks": "1", "topo": {"cores": "0-3", "gpus": "0"}}]}})");
  const std::vector<HwlocLayout> one{small};
  const auto many = r_of_layouts(one, *Idset::parse("4-5,9"), {"x", "y", "z"});
  ASSERT_TRUE(many);
  EXPECT_EQ(many->ranks().text(), "4-5,9");
  EXPECT_EQ(many->scheduling.children.at(0).ranks.text(), "4-5,9");
  EXPECT_EQ(written(r_of_layouts(three, first_ids(4))), "3 layouts for 4 ranks");
  EXPECT_EQ(written(r_of_layouts(three, first_ids(3), {"x"})), "1 hosts for 3 ranks");
}

}  // namespace
}  // namespace copse
