// SPDX-License-Identifier: Apache-2.0
//
// The locality domains that slurm.conf and gres.conf describe.
#include "formats/slurm/gres/slurm_layouts.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/idset_algebra.hpp"
#include "formats/slurm/gres/slurm_gres_conf.hpp"
#include "formats/slurm/slurm_conf.hpp"

namespace copse {
namespace {

Layouts slurm_layouts(const std::string& conf, const std::string& gres) {
  auto machine = read_slurm_conf(conf, "slurm.conf", nullptr);
  EXPECT_TRUE(machine) << (machine ? "" : machine.error().message());
  if (!machine) return {};
  const auto read = read_slurm_gres_conf(gres, "gres.conf", *machine);
  EXPECT_TRUE(read) << (read ? "" : read.error().message());
  return layouts_of_slurm(*machine);
}

// "socket{0-3;gpu 0}": the cores and GPUs of each domain, and the domains in it after a '>'.
std::string shown_layout(const Layout& layout) {
  std::string out;
  for (const Domain& d : layout.domains) {
    if (!out.empty()) out += d.parent == 0 ? " " : ">";
    out += fmt::format("{}{{{}", d.name, idset_of(d.cores).text());
    if (!d.gpus.empty()) out += fmt::format(";gpu {}", idset_of(d.gpus).text());
    out += "}";
  }
  return out;
}

TEST(SlurmLayouts, HaveSocketsAndTheCoresNearGpus) {
  struct Row {
    const char *node, *gres, *layout;
  };
  const Row rows[] = {
      // Without the other sizes, each CPU is a socket, as in Slurm.
      {"CPUs=2", "", "{} socket{0} socket{1}"},
      {"Sockets=2 CoresPerSocket=4", "", "{} socket{0-3} socket{4-7}"},
      // A whole socket.
      {"Sockets=2 CoresPerSocket=4 Gres=gpu:2",
       "Name=gpu File=/d0 Cores=0-3\nName=gpu File=/d1 Cores=4-7\n",
       "{} socket{0-3;gpu 0} socket{4-7;gpu 1}"},
      // Parts of sockets; the last GPU has no cores.
      {"Sockets=2 CoresPerSocket=4 Gres=gpu:4",
       "Name=gpu File=/d0 Cores=0-1\nName=gpu File=/d1 Cores=2-3\nName=gpu File=/d2 Cores=5\n",
       "{;gpu 3} socket{}>numa{0-1;gpu 0}>numa{2-3;gpu 1} socket{4,6-7}>numa{5;gpu 2}"},
      // Of both sockets.
      {"Sockets=2 CoresPerSocket=4 Gres=gpu:1", "Name=gpu File=/d0 Cores=0-7\n",
       "{;gpu 0} socket{0-3} socket{4-7}"},
      // Parts that overlap are none; a part beside the whole socket is one.
      {"Sockets=1 CoresPerSocket=4 Gres=gpu:2",
       "Name=gpu File=/d0 Cores=0-1\nName=gpu File=/d1 Cores=1-2\n", "{} socket{0-3;gpu 0-1}"},
      {"Sockets=1 CoresPerSocket=4 Gres=gpu:2",
       "Name=gpu File=/d0 Cores=0-3\nName=gpu File=/d1 Cores=1-2\n",
       "{} socket{0,3;gpu 0}>numa{1-2;gpu 1}"},
      // One set in two lines, with another type between.
      {"Sockets=1 CoresPerSocket=4 Gres=gpu:a:1,gpu:b:2",
       "Name=gpu Type=a File=/d0 Cores=0-1\nName=gpu Type=b File=/d1 Cores=2-3\n"
       "Name=gpu Type=b File=/d2 Cores=0-1\n",
       "{} socket{}>numa{0-1;gpu 0,2}>numa{2-3;gpu 1}"},
  };
  for (const Row& row : rows) {
    const Layouts made = slurm_layouts(fmt::format("NodeName=n1 {}\n", row.node), row.gres);
    ASSERT_EQ(made.layouts.size(), 1u) << row.node;
    EXPECT_EQ(shown_layout(made.layouts.front()), row.layout) << row.node << "\n" << row.gres;
  }
}

TEST(SlurmLayouts, AreSharedByEqualNodes) {
  const Layouts made = slurm_layouts(
      "NodeName=a[1-3] Sockets=2 CoresPerSocket=2 Gres=gpu:1\nNodeName=b1 CPUs=4\n"
      "NodeName=c[1-2] Sockets=2 CoresPerSocket=2 Gres=gpu:1 RealMemory=8000\n",
      "NodeName=a[1-3],c1 Name=gpu File=/d0 Cores=0-1\n"
      "NodeName=c2 Name=gpu File=/d0 Cores=2-3\n");
  EXPECT_EQ(made.layouts.size(), 3u);
  ASSERT_EQ(made.ranks.size(), 4u);
  EXPECT_EQ(made.ranks[0].last, 2);
  EXPECT_EQ(made.ranks[2].layout, made.ranks[0].layout);
  EXPECT_NE(made.ranks[3].layout, made.ranks[0].layout);
  EXPECT_EQ(made.of_rank(5), &made.layouts[made.ranks[3].layout]);
}

}  // namespace
}  // namespace copse
