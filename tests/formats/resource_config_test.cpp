// SPDX-License-Identifier: Apache-2.0
//
// Flux's [resource] table: hosts and ranks, what adds up, what is refused and where.
#include "formats/rv1/resource_config.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/hostlist.hpp"
#include "formats/rv1/rv1_write.hpp"

namespace copse {
namespace {

std::string config_in_short(const std::string& text) {
  const auto config = read_resource_config(text, "c");
  if (!config) return config.error().message();
  if (!config->r) return "none";
  std::string out;
  append_r_short(out, *config->r);
  out += ' ' + compress_hostlist(config->r->hosts);
  for (const auto& [name, ranks] : config->r->properties) out += ' ' + name + ':' + ranks.text();
  return out;
}

class ResourceConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto config = read_resource_config("", "c");
    if (!config && config.error().code == ErrorCode::unsupported) GTEST_SKIP() << "no TOML";
  }
};

TEST_F(ResourceConfigTest, HostsGetRanksInTheirOrder) {
  EXPECT_EQ(
      config_in_short("[[resource.config]]\nhosts = \"foo[2-3]\"\ncores = \"0-3\"\n"
                      "[[resource.config]]\nhosts = \"bar,foo3\"\ncores = \"2-5\"\ngpus = \"0\"\n"
                      "properties = [\"fast\", \"a@gpu\"]\n"),
      "rank0/core[0-3] rank1/core[0-5],gpu0 rank2/core[2-5],gpu0 foo[2-3],bar a@gpu:1-2 fast:1-2");
  EXPECT_EQ(config_in_short(
                "[resource]\nexclude = \"0\"\nconfig = [{hosts=\"a\", gpus=\"1\"}]\n[queues]\n"),
            "rank0/gpu1 a");
  EXPECT_EQ(config_in_short("[queues]\nx = 1\n"), "none");
}

TEST_F(ResourceConfigTest, NamesFiles) {
  const auto config = read_resource_config("[resource]\npath=\"R\"\nscheduling=\"s.json\"", "c");
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->r);
  EXPECT_EQ(config->path, "R");
  EXPECT_EQ(config->scheduling, "s.json");
}

TEST_F(ResourceConfigTest, IsRefusedWithItsPlace) {
  const std::string head = "[[resource.config]]\n";
  EXPECT_NE(config_in_short("a = [").find("c:1:6: this is not TOML: "), std::string::npos)
      << config_in_short("a = [");
  const std::string quoted = config_in_short("a =i\n\"\" Lo  = \"\"\npI=@I");
  EXPECT_EQ(quoted.find('\n'), std::string::npos) << quoted;
  EXPECT_EQ(config_in_short("resource = 3"), "c:1:12: resource must be a table");
  EXPECT_EQ(config_in_short("[resource]\nconfig = 3"),
            "c:2:10: resource.config must be an array of tables");
  EXPECT_EQ(config_in_short("[resource]\nconfig = []"), "c:2:10: resource.config has no hosts");
  EXPECT_EQ(config_in_short("[resource]\nconfig = [3]"),
            "c:2:11: an entry of resource.config must be a table");
  EXPECT_EQ(config_in_short("[resource]\npath = 3"), "c:2:8: path must be a string");
  EXPECT_EQ(config_in_short(head + "cores = \"0\""),
            "c:1:1: an entry of resource.config has no hosts");
  EXPECT_EQ(config_in_short(head + "hosts = \"a\"\ncores = \"0\"\n" + head + "hosts = \"\""),
            "c:5:9: an entry of resource.config has no hosts");
  EXPECT_EQ(config_in_short(head + "hosts = \"a\"\nrack = 1"),
            "c:3:8: an entry of resource.config has the key rack; there are hosts, cores, gpus, "
            "properties");
  EXPECT_EQ(config_in_short(head + "hosts = \"a[\""), "c:2:9: hosts: hostlist: '[' is not closed");
  EXPECT_EQ(config_in_short(head + "hosts = \"a\"\ncores = \"1-0\""),
            "c:3:9: cores: idset: range 1-0 does not ascend");
  EXPECT_EQ(
      config_in_short(head + "hosts = \"a\"\ncores = \"0\"\nproperties = [\"x|y\"]").substr(0, 7),
      "c:4:15:");
  EXPECT_EQ(config_in_short(head + "hosts = \"a[1-3]\"\n" + head + "hosts=\"a[1,3]\"\ncores=\"0\""),
            "c:1:1: resource.config gives host a2 no resources");
  EXPECT_EQ(config_in_short(head + "hosts = \"a[0-4294967295]\"\ncores = \"0\""),
            "c:2:9: hosts: hostlist: more than 1048576 hosts");
}

}  // namespace
}  // namespace copse
