// SPDX-License-Identifier: Apache-2.0
//
// Reading hwloc XML: the pools of each kind of object, what -W leaves out, and what is refused
// before hwloc sees it. The files of tests/data/hwloc are from lstopo or made by hand.
#include "formats/hwloc/hwloc_read.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "formats/hwloc/hwloc_xml.hpp"
#include "hwloc_files.hpp"
#include "paths.hpp"

namespace copse {
namespace {

std::string hwloc_refusal(const std::string& text, std::string_view allowed = {}) {
  const auto graph = read_hwloc(text, "h", {.allowed = allowed});
  return graph ? "accepted" : graph.error().message();
}

// Paths below cluster0 in the order of creation, with sizes other than 1: "isle8/socket0".
std::string hwloc_pools(const std::string& text, std::string_view allowed = {}) {
  const auto graph = read_hwloc(text, "h", {.allowed = allowed});
  if (!graph) return graph.error().message();
  std::string out;
  for (std::uint32_t v = 0; v < graph->pool_count(); ++v) {
    const PoolId p{v};
    if (graph->created(p) != v) return "the order of creation is not preorder";
    std::string path = graph->path(p, graph->dominant());
    if (v > 0) out += (out.empty() ? "" : " ") + path.substr(std::string("/cluster0/").size());
    if (graph->size(p) != 1) out += '=' + std::to_string(graph->size(p));
  }
  return out;
}

const std::string kSets =
    R"( cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1")";
const std::string kNuma = "<object type=\"NUMANode\" os_index=\"0\"" + kSets + "/>\n";
const std::string kPu = "<object type=\"PU\" os_index=\"0\"" + kSets + "/>\n";

// A machine whose first inner object is in line 3.
std::string hwloc_machine(const std::string& inner,
                          const std::string& version = " version=\"2.0\"") {
  return "<topology" + version + ">\n<object type=\"Machine\"" + kSets + ">\n" + inner +
         "</object></topology>\n";
}

TEST(Hwloc, KeepsTheOrderOfTheWalk) {
  EXPECT_EQ(hwloc_pools(hwloc_file("devices.xml")),
            "fjord042 fjord042/socket0 fjord042/socket0/core0 fjord042/socket0/core0/pu0 "
            "fjord042/socket0/core1 fjord042/socket0/core1/pu1 fjord042/socket0/numanode0 "
            "fjord042/socket0/gpu0 fjord042/socket0/storage3=1562 "
            "fjord042/socket1 fjord042/socket1/core2 fjord042/socket1/core2/pu2 "
            "fjord042/socket1/core3 fjord042/socket1/core3/pu3 fjord042/socket1/numanode1 "
            "fjord042/socket1/gpu1 fjord042/socket1/gpu2 fjord042/socket1/storage6=0 "
            "fjord042/socket1/storage7=2");
}

TEST(Hwloc, MemoryOfNumaNodesIsDivisible) {
  const auto pools = [](const char* file, std::string_view allowed) {
    const auto graph = read_hwloc(hwloc_file(file), "h", {.allowed = allowed, .memory = true});
    EXPECT_TRUE(graph) << graph.error().message();
    std::string out;
    if (!graph) return out;
    for (const PoolId p : graph->of_type(graph->find_type("memory"))) {
      EXPECT_TRUE(graph->divisible(p));
      EXPECT_EQ(graph->names().units.text(graph->unit(p).v), "MB");
      out += graph->path(p, graph->dominant()) + "=" + std::to_string(graph->size(p)) + " ";
    }
    return out;
  };
  EXPECT_EQ(pools("devices.xml", {}),
            "/cluster0/fjord042/socket0/numanode0/memory0=8192 "
            "/cluster0/fjord042/socket1/numanode1/memory1=8192 ");
  EXPECT_EQ(pools("devices.xml", "node,core,memory"),
            "/cluster0/fjord042/memory0=8192 /cluster0/fjord042/memory1=8192 ");
  EXPECT_EQ(pools("devices.xml", "node,core"), "");
  // The other two NUMA nodes are the memory of GPUs.
  EXPECT_EQ(pools("gpu-memory.xml", "numanode,memory"),
            "/cluster0/numanode0/memory0=8192 /cluster0/numanode1/memory1=8192 ");
}

TEST(Hwloc, ReadsCachesByLevel) {
  EXPECT_EQ(hwloc_pools(hwloc_file("caches.xml"), "node,L2cache,core"),
            "isle8 isle8/L2cache0=4096 isle8/L2cache0/core0 isle8/L2cache0/core1 "
            "isle8/L2cache1=4096 isle8/L2cache1/core2 isle8/L2cache1/core3");
  const auto graph = read_hwloc(hwloc_file("caches.xml"));
  ASSERT_TRUE(graph);
  const PoolId cache = graph->at_path("/cluster0/isle8/socket0/L2cache1").at(0);
  EXPECT_EQ(graph->type_name(cache), "cache");
}

TEST(Hwloc, ReadsVersion1) {
  EXPECT_EQ(hwloc_pools(hwloc_file("version1.xml"), "node,socket,numanode,core"),
            "old12 old12/socket0 old12/socket0/core0 old12/socket0/core1 old12/socket0/numanode0 "
            "old12/socket0/core2 old12/socket0/core3 old12/socket0/numanode1 "
            "old12/socket1 old12/socket1/core4 old12/socket1/core5 old12/socket1/numanode2 "
            "old12/socket1/core6 old12/socket1/core7 old12/socket1/numanode3");
  // The only NUMA node may be the outermost object, and memory near a cache need not be near its parent.
  EXPECT_EQ(hwloc_pools(hwloc_file("version1-numa-root.xml"), "node,core"), "k1 k1/core0 k1/core1");
  EXPECT_EQ(hwloc_pools(hwloc_file("version1-wide-nodeset.xml"), "node,core"),
            "k2 k2/core0 k2/core1");
  // A machine without NUMA nodes is in all of them; it gets one.
  const std::string all = R"( cpuset="0x1" complete_cpuset="0x1" nodeset="0xf...f")";
  EXPECT_EQ(hwloc_pools("<topology><object type=\"Machine\"" + all +
                        "><object type=\"PU\" os_index=\"0\"" + all + "/></object></topology>"),
            "pu0 numanode0");
}

TEST(Hwloc, NamesTheNodeAndGivesItRankZero) {
  const auto graph = read_hwloc(hwloc_file("devices.xml"));
  ASSERT_TRUE(graph);
  const PoolId node = graph->at_path("/cluster0/fjord042").at(0);
  EXPECT_EQ(graph->rank(node), 0);
  EXPECT_EQ(graph->id(node), 42);
  EXPECT_EQ(graph->basename_text(node), "fjord");
  EXPECT_EQ(graph->rank(PoolId{node.v + 1}), -1);
  const auto* properties =
      graph->properties(graph->at_path("/cluster0/fjord042/socket1/storage7").at(0));
  ASSERT_NE(properties, nullptr);
  EXPECT_EQ(*properties, (ResourceGraph::Attributes{{"LinuxDeviceID", "8:16"}}));
  const auto* unknown =
      graph->properties(graph->at_path("/cluster0/fjord042/socket1/storage6").at(0));
  ASSERT_NE(unknown, nullptr);
  EXPECT_EQ(unknown->at("LinuxDeviceID"), "-1");
}

TEST(Hwloc, LeavesOutWhatIsNotAllowed) {
  const std::string text = hwloc_file("devices.xml");
  EXPECT_EQ(hwloc_pools(text, "socket,gpu"),
            "socket0 socket0/gpu0 socket1 socket1/gpu1 socket1/gpu2");
  EXPECT_EQ(hwloc_pools(text, " node , storage "),
            "fjord042 fjord042/storage3=1562 fjord042/storage6=0 fjord042/storage7=2");
  EXPECT_EQ(hwloc_pools(text, "nothing"), "");
  EXPECT_EQ(hwloc_pools(text, ","), hwloc_pools(text));
  EXPECT_EQ(hwloc_pools(hwloc_machine(kNuma + kPu)), "pu0 numanode0");  // no HostName, so no node
}

TEST(Hwloc, NumbersGpusByTheirNames) {
  auto device = [](const std::string& name) {
    return "<object type=\"OSDev\" name=\"" + name + "\" osdev_type=\"5\"/>";
  };
  EXPECT_EQ(hwloc_pools(hwloc_machine(kNuma + kPu + device("cuda3") + device("opencl1d2")), "gpu"),
            "gpu3 gpu2");
  EXPECT_EQ(hwloc_pools(hwloc_machine(kNuma + kPu + device("cuda3") + device("opencl1d3")), "gpu"),
            "gpu3 gpu4");  // taken: the next after the largest
  EXPECT_EQ(hwloc_pools(hwloc_machine(kNuma + kPu + device("ve") + device("")), "gpu"),
            "gpu0 gpu1");
}

TEST(Hwloc, IsRefusedWithItsPlace) {
  const std::string kFine = kNuma + kPu;
  struct Row {
    std::string text, message;
  };
  const Row rows[] = {
      {"", "h:1:1: this is not XML: No document element found"},
      {"<topology>", "h:1:10: this is not XML: Start-end tags mismatch"},
      {"<graphml/>",
       R"(h:1:1: the outermost element is "graphml"; a file of hwloc has <topology>)"},
      {"\n <topology/>", "h:2:2: the topology has no objects"},
      {"<topology version=\"3.0\"><object/></topology>",
       R"(h:1:1: version "3.0" of hwloc's format is not known; export it as version 2)"},
      {"<topology>\n<object type=\"Core\"" + kSets + "/></topology>",
       R"(h:2:1: the outermost object is of type "Core"; it must be a Machine)"},
      {"<topology>\x01", "*control character 0x01"},
      {"<topology>\xFF", "*not valid UTF-8"},
      {hwloc_machine("<object/>"), "h:3:1: an object has no type"},
      {"<topology version=\"1.0\">\n<object type=\"NUMANode\" os_index=\"0\" "
       "cpuset=\"0x1\"/></topology>",
       R"(h:2:1: the outermost object, of type "NUMANode", needs a cpuset and a nodeset)"},
      {hwloc_machine("<object type=\"Rack\"/>"),
       R"(h:3:1: an object has the type "Rack", which hwloc does not have)"},
      {hwloc_machine(kFine + "<object type=\"OSDev\"><object type=\"Core\"/></object>"),
       "h:5:22: an object of type Core is below one of type OSDev"},
      {hwloc_machine("<object type=\"PU\" os_index=\"1048576\"/>"),
       R"(h:3:1: os_index is "1048576"; it must be a number of at most 1048575)"},
      {hwloc_machine("<object type=\"PU\" os_index=\"-1\"/>"),
       "h:3:1: an object of type PU has the os_index -1"},
      {hwloc_machine("<object type=\"NUMANode\"/>"),
       "h:3:1: an object of type NUMANode has no os_index"},
      {hwloc_machine("<object type=\"Core\" os_index=\"x\"/>"),
       R"(h:3:1: os_index is "x"; it must be a number of at most 4294967295)"},
      {hwloc_machine("<object type=\"Core\" cpuset=\"1-3\"/>"),
       R"(h:3:1: cpuset is "1-3"; it must be a set as "0x0000000f")"},
      {"<topology version=\"2.0\">\n<object type=\"Machine\" allowed_cpuset=\"0x2\"" + kSets + ">" +
           kFine + "</object></topology>",
       "h:2:1: nothing in the cpuset of the machine is allowed"},
      {hwloc_machine(kFine) + "<x/>", "accepted"},
      {"<topology><object type=\"Machine\"" + kSets + "/>\n<object type=\"Machine\"/></topology>",
       "h:2:1: the topology has a second outermost object"},
      {hwloc_machine(""), "h: hwloc refuses this topology"},
      // hwloc ends the process at some of these.
      {hwloc_machine(kFine + kPu), "h:5:1: two PUs have the os_index 0"},
      {hwloc_machine(kFine + R"(<object type="Core" cpuset="0x1" nodeset="0x1"/>)"),
       "h:5:1: an object of type Core shares processors with its siblings"},
      {hwloc_machine(R"(<object type="Core" cpuset="0x2" nodeset="0x1"/>)"),
       "h:3:1: the cpuset of an object of type Core is not part of its parent's"},
      {hwloc_machine(R"(<object type="Core" cpuset="0x1" nodeset="0x2"/>)"),
       "h:3:1: the nodeset of an object of type Core is not part of its parent's"},
      {hwloc_machine(R"(<object type="Core" cpuset="0x3" complete_cpuset="0x1" nodeset="0x1"/>)"),
       "h:3:1: a set of an object of type Core is not part of its complete set"},
      {hwloc_machine(R"(<object type="PU" os_index="1" cpuset="0x1" nodeset="0x1"/>)"),
       "h:3:1: the PU with the os_index 1 has the cpuset of another"},
      {hwloc_file("no-size.xml"),
       R"(h:15:9: storage "nvme0n1" has no Size; it needs a Size, a number of kB)"},
      {hwloc_machine(kFine + "<info name=\"HostName\" value=\"a/b\"/>"),
       R"(h: HostName is "a/b"; it cannot have blanks, control characters and slashes)"},
      {hwloc_machine(kFine + "<info name=\"HostName\" value=\"a9223372036854775808\"/>"),
       "h: the number at the end of host a9223372036854775808 is above 9007199254740992"},
      {hwloc_machine(kFine + "<object type=\"OSDev\" osdev_type=\"0\" name=\"s\">"
                             "<info name=\"Size\" value=\"1e9\"/></object>"),
       R"(h:5:1: storage "s" has the Size "1e9"; it needs a Size, a number of kB)"},
  };
  for (const Row& row : rows) {
    const std::string message = hwloc_refusal(row.text);
    if (row.message[0] == '*') {
      EXPECT_NE(message.find(row.message.substr(1)), message.npos) << row.text << '\n' << message;
    } else {
      EXPECT_EQ(message, row.message) << row.text;
    }
  }
  EXPECT_EQ(hwloc_refusal(hwloc_file("no-size.xml"), "node,core"),
            "accepted");  // nobody asked for storage
}

TEST(Hwloc, IsBounded) {
  const std::string text = hwloc_machine(kNuma + kPu);
  auto refused = [&](const hwloc_xml::Limits& limits) {
    const auto out = hwloc_xml::rewrite(text, "h", limits);
    return out ? "accepted" : out.error().message();
  };
  EXPECT_EQ(refused({}), "accepted");
  EXPECT_EQ(refused({.text_bytes_max = 99}),
            "h: the text has " + std::to_string(text.size()) + " bytes; the limit is 99");
  EXPECT_EQ(refused({.marks_max = 10}), "h:1:1: the text has more than 10 elements and attributes");
  EXPECT_EQ(refused({.objects_max = 2}), "h:4:1: the topology has more than 2 objects");
  EXPECT_EQ(refused({.set_words_max = 8}),
            "h:4:1: the sets of the topology have more than 8 words");
  EXPECT_EQ(refused({.children_max = 1}), "h:4:1: an object has more than 1 children");
  EXPECT_EQ(refused({.children_max = 2}), "accepted");
  EXPECT_EQ(refused({.depth_max = 1}), "h:3:1: objects are nested more than 1 deep");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<object type=\"Misc\">";
  for (int i = 0; i < 100'000; ++i) deep += "</object>";
  EXPECT_EQ(hwloc_refusal(hwloc_machine(kNuma + kPu + deep)),
            "h:5:1981: objects are nested more than 100 deep");
}

// What hwloc sees is written anew: quotes, entities and what it has no use for are as it likes
// them.
TEST(Hwloc, RewritesWhatHwlocSees) {
  const auto out = hwloc_xml::rewrite(
      "<!-- x --><topology version='2.0'><distances2 nbobjs='1000000'/>\n"
      "<object type='Machine' gp_index='1' cpuset='0x1' nodeset='0x1'><userdata length='9'/>"
      "<info name='HostName' value='a&lt;&#9;&quot;é'/><info name='HostName' value='b'/>"
      "<info name='Model' value='m'/><object type='OSDev' osdev_type='5'/></object></topology>",
      "h");
  ASSERT_TRUE(out) << out.error().message();
  EXPECT_EQ(*out, R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc.dtd">
<topology version="2.0">
<object type="Machine" cpuset="0x1" nodeset="0x1" complete_cpuset="0x1" complete_nodeset="0x1">
<info name="HostName" value="a&lt;?&quot;é"/>
<object type="OSDev" osdev_type="5">
<info name="CopsePlace" value="2:198"/>
</object>
</object>
</topology>
)");
}

// HWLOC_… variables of the user say nothing about a text that was given, and stay as they are.
TEST(Hwloc, ReadsNothingButTheText) {
  const std::string text = hwloc_file("caches.xml"), expected = hwloc_pools(text);
  const std::string other = source_dir() + "/tests/data/hwloc/two-sockets.xml";
  const std::pair<const char*, std::string> variables[] = {{"HWLOC_XMLFILE", other},
                                                           {"HWLOC_SYNTHETIC", "core:3 pu:1"},
                                                           {"HWLOC_THISSYSTEM", "1"},
                                                           {"HWLOC_COMPONENTS", "linux,stop"}};
  for (const auto& [name, value] : variables) {
    ::setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    EXPECT_EQ(hwloc_pools(text), expected) << name;
    EXPECT_STREQ(std::getenv(name), value.c_str());  // NOLINT(concurrency-mt-unsafe)
    ::unsetenv(name);                                // NOLINT(concurrency-mt-unsafe)
  }
}

TEST(HwlocRead, SeveralTextsAreNodesOfOneMachine) {
  std::string one = hwloc_file("caches.xml"), two = one;
  two.replace(two.find("isle8"), 5, "isle9");
  const HwlocText both[] = {{one, "1.xml"}, {two, "2.xml"}};
  const auto graph = read_hwloc_nodes(both);
  ASSERT_TRUE(graph) << graph.error().message();
  const auto nodes = graph->of_type(graph->find_type("node"));
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(graph->name(nodes[0]), "isle8");
  EXPECT_EQ(graph->rank(nodes[1]), 1);
  EXPECT_EQ(graph->parent(nodes[1]), graph->root());
  const auto alone = read_hwloc(one);
  ASSERT_TRUE(alone);
  EXPECT_EQ(graph->tree_count() - 1, 2 * (alone->tree_count() - 1));

  const HwlocText same[] = {{one, "1.xml"}, {one, "2.xml"}};
  EXPECT_EQ(read_hwloc_nodes(same).error().message(), "2.xml: there is a node \"isle8\" already");
  std::string nobody = one;
  nobody.replace(nobody.find("HostName"), 8, "HostNone");
  const HwlocText none[] = {{one, "1.xml"}, {nobody, "2.xml"}};
  EXPECT_EQ(read_hwloc_nodes(none).error().message(),
            "2.xml: it has no node: its Machine needs an info HostName, and \"node\" must be "
            "allowed");
}

}  // namespace
}  // namespace copse
