// SPDX-License-Identifier: Apache-2.0
#include "formats/machine_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "copse/formats.hpp"
#include "paths.hpp"

namespace copse {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(source_dir() + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(MachineFormats, AreToldByTheText) {
  const std::string blanks(5'000, ' ');
  const std::string much(70'000, 'x');
  for (const auto& [text, name] : std::vector<std::pair<std::string, std::string_view>>{
           {text_of("examples/machines/desk.graphml"), "grug"},
           {text_of("examples/clusters/slurm.conf"), "slurm_conf"},
           {text_of("examples/clusters/nodes.json"), "slurm_nodes"},
           {text_of("examples/clusters/sched-status.json"), "sched_status"},
           {R"(<?xml version="1.0"?><!DOCTYPE topology><topology version="2.0">)", "hwloc"},
           {R"(<!-- <topology> of a desk --><graphml>)", "grug"},
           {R"({"version": 1, "execution": {"R_lite": []}})", "rv1exec"},
           {R"({"graph": {"nodes": [], "edges": []}})", "jgf"},
           {R"({"nodes": []})", "slurm_nodes"},
           {R"({"all": {"version": 1, "execution": {"R_lite": []}}})", "sched_status"},
           {R"({"utc": 1, "all": {"version": 1, "execution": {"R_lite": []}}})", "sched_status"},
           {blanks + R"({"all": {"version": 1}})", "sched_status"},
           {"[1, 2]", "jgf"},
           {"{\"nodes", "jgf"},
           {"", "grug"},
           {"resources:\n", ""},
           // Keys count wherever they are, and only those of the outermost object.
           {R"({"version": 1, "scheduling": {"graph": {}}, "execution": {}})", "rv1"},
           {R"({"execution": {}, "scheduling": {"writer": "x", "graph": {}}})", "rv1"},
           {R"({"scheduling": {"graph": {}}})", "jgf"},
           {R"({"execution": {"properties": {"graph": "0"}}})", "rv1exec"},
           {R"({"execution": {}, "scheduling": {"topo": {"graph": 1}}})", "rv1exec"},
           {"{\"x\": \"" + much + R"(", "execution": {}})", "rv1exec"},
           {R"({"execution": {"properties": {"jobs": "0", "nodes": "1"}}})", "rv1exec"},
       }) {
    EXPECT_EQ(guess_machine_format(text), name) << text.substr(0, 80);
  }
}

TEST(MachineFormats, AreNamedInOneTable) {
  const auto copse = machine_format_names(FormatUser::copse);
  const auto fluxion = machine_format_names(FormatUser::fluxion);
  for (const MachineFormat& format : machine_formats()) {
    EXPECT_EQ(std::ranges::count(machine_formats(), format.name, &MachineFormat::name), 1);
    EXPECT_NE(format.read, nullptr) << format.name;
    EXPECT_EQ(std::ranges::count(copse, format.name), format.of_copse ? 1 : 0);
    EXPECT_EQ(std::ranges::count(fluxion, format.name), format.of_fluxion ? 1 : 0);
    EXPECT_TRUE(find_machine_format(format.name, "", "file"));
  }
}

TEST(MachineFormats, RefuseOtherNamesAndTexts) {
  const auto name = read_machine("", {.format = "hwlok"});
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().message(), "unknown format \"hwlok\"; did you mean \"hwloc\"?");
  const auto text = read_machine("resources:\n", {.file = "r.yaml"});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::unsupported);
  EXPECT_EQ(text.error().place.file, "r.yaml");
}

}  // namespace
}  // namespace copse
