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

// The names of all formats that look like a text.
std::vector<std::string_view> recognized(std::string_view text) {
  std::vector<std::string_view> out;
  for (const MachineFormat& format : machine_formats()) {
    if (format.looks_like != nullptr && format.looks_like(text)) out.push_back(format.name);
  }
  return out;
}

TEST(MachineFormats, AreToldByTheText) {
  using Names = std::vector<std::string_view>;
  const std::string blanks(5'000, ' ');
  for (const auto& [text, names] : std::vector<std::pair<std::string, Names>>{
           {text_of("examples/machines/desk.graphml"), {"grug"}},
           {text_of("examples/clusters/slurm.conf"), {"slurm_conf"}},
           {text_of("examples/clusters/nodes.json"), {"slurm_nodes"}},
           {text_of("examples/clusters/sched-status.json"), {"sched_status"}},
           {R"(<?xml version="1.0"?><!DOCTYPE topology><topology version="2.0">)", {"hwloc"}},
           {R"({"version": 1, "execution": {"R_lite": []}})", {"rv1exec"}},
           {R"({"graph": {"nodes": [], "edges": []}})", {"jgf"}},
           {R"({"nodes": []})", {"slurm_nodes"}},
           {R"({"all": {"version": 1, "execution": {"R_lite": []}}})", {"sched_status"}},
           {"[1, 2]", {"jgf"}},
           {"", {"grug"}},
           {blanks + R"({"all": {"version": 1}})", {"grug"}},
           {"resources:\n", {}},
       }) {
    EXPECT_EQ(recognized(text), names) << text.substr(0, 80);
    EXPECT_EQ(guess_machine_format(text), names.empty() ? "" : names.front());
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
