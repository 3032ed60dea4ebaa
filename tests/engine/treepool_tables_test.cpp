// SPDX-License-Identifier: Apache-2.0
//
// The tables of RFC 49, row by row; each row uses the machine in the state after the rows before
// it.
#include "engine/treepool_machine.hpp"

namespace copse::test {
namespace {

// 16 nodes, 2 sockets × 4 NUMA domains × (15 cores, 1 GPU).
TreepoolMachine machine_a() {
  return TreepoolMachine({{"0-15", "0-119", "0-7", R"({
      "storage": [{"path": "/mnt/nvme", "capacity": 2, "unit": "TiB"}],
      "socket": [
        {"numa": [{"cores": "0-14", "gpus": "0"}, {"cores": "15-29", "gpus": "1"},
                  {"cores": "30-44", "gpus": "2"}, {"cores": "45-59", "gpus": "3"}]},
        {"numa": [{"cores": "60-74", "gpus": "4"}, {"cores": "75-89", "gpus": "5"},
                  {"cores": "90-104", "gpus": "6"}, {"cores": "105-119", "gpus": "7"}]}]})"}});
}

// 1,152 nodes, 4 sockets × (24 cores, 1 GPU).
TreepoolMachine cluster_b() {
  return TreepoolMachine({{"0-1151", "0-95", "0-3", R"({
      "storage": [{"path": "/l/ssd", "capacity": 200, "unit": "GiB"}],
      "socket": [{"cores": "0-23", "gpus": "0", "memory": 125},
                 {"cores": "24-47", "gpus": "1", "memory": 126},
                 {"cores": "48-71", "gpus": "2", "memory": 126},
                 {"cores": "72-95", "gpus": "3", "memory": 126}]})"}});
}

TEST(TreepoolTables, ClusterA) {
  TreepoolMachine a = machine_a();
  // TVA1: all nodes are equal, so the lowest rank is chosen; the first NUMA domain fits.
  EXPECT_EQ(a.alloc("slot=1/node=1/[core=8;gpu=1]", 1), "0: core 0-7 gpu 0");
  EXPECT_EQ(a.nslots, 1);
  // TVA2: rank 0 has the fewest free cores. Its domain 0 has 7 cores left and no GPU; domain 1 has
  // both.
  EXPECT_EQ(a.alloc("slot=1/node=1/[core=8;gpu=1]", 2), "0: core 15-22 gpu 1");
  // TVA3: rank 0 has too few cores for 8 slots of 15.
  EXPECT_EQ(a.alloc("node/slot=8/[core=15;gpu=1]", 3), "1: core 0-119 gpu 0-7");
  EXPECT_EQ(a.nslots, 8);
  // TVA4: four nodes with all cores free. The request has no GPUs, and none are allocated.
  EXPECT_EQ(a.alloc("slot=4/node/core=120", 4), "2-5: core 0-119");
  EXPECT_EQ(a.nslots, 4);
  // TVA5: rank 0 (104 free) fits better than rank 6 (120). Of its domains with 4 free cores,
  // domains 0 and 1 have the fewest (7 each), and 0 comes first.
  EXPECT_EQ(a.alloc("slot=1/node=1/core=4", 5), "0: core 8-11");
  // TVA6: domain 0 has 3 cores left, domain 1 has 7; domain 2 is whole.
  EXPECT_EQ(a.alloc("slot=1/node=1/[core=15;gpu=1]", 6), "0: core 30-44 gpu 2");
  // TVA7: rank 0 has 85 cores, but 6 slots of 15 are 90.
  EXPECT_EQ(a.alloc("node/slot=6/[core=15;gpu=1]", 7), "6: core 0-89 gpu 0-5");
  EXPECT_EQ(a.nslots, 6);
  // TVA8: no NUMA domain has 60 cores; socket 1 of rank 0 has.
  EXPECT_EQ(a.alloc("slot=1/node=1/[core=60;gpu=4]", 8), "0: core 60-119 gpu 4-7");
  // TVA9: domain 3 is the only free domain of rank 0, with all its cores.
  EXPECT_EQ(a.alloc("slot=1/numa{x}", 9), "0: core 45-59 gpu 3");
  // TVA10: ranks 0 to 6 have no free socket (ranks 2 to 5 no free core); rank 7 has two.
  EXPECT_EQ(a.alloc("slot=1/socket{x}", 10), "7: core 0-59 gpu 0-3");
  // TVA11: rank 8 is the first idle rank, and all of it is allocated.
  EXPECT_EQ(a.alloc("slot=1/node{x}", 11), "8: core 0-119 gpu 0-7");
  EXPECT_EQ(a.nslots, 1);
}

TEST(TreepoolTables, ClusterB) {
  TreepoolMachine b = cluster_b();
  // TVB1, TVB2: a slot is a socket; the second gets the next socket of the same node.
  EXPECT_EQ(b.alloc("slot=1/node=1/[core=24;gpu=1]", 1), "0: core 0-23 gpu 0");
  EXPECT_EQ(b.alloc("slot=1/node=1/[core=24;gpu=1]", 2), "0: core 24-47 gpu 1");
  // TVB3: rank 0 has two sockets left, four are needed.
  EXPECT_EQ(b.alloc("node/slot=4/[core=24;gpu=1]", 3), "1: core 0-95 gpu 0-3");
  EXPECT_EQ(b.nslots, 4);
  // TVB4: whole nodes; ranks 0 and 1 are in use.
  EXPECT_EQ(b.alloc("slot=4/node/[core=96;gpu=4]", 4), "2-5: core 0-95 gpu 0-3");
  EXPECT_EQ(b.nslots, 4);
  // TVB5: rank 0 with 48 free cores fits best; sockets 2 and 3 are equally free.
  EXPECT_EQ(b.alloc("slot=1/node=1/core=8", 5), "0: core 48-55");
  // TVB6: socket 2 has 16 cores left, socket 3 is whole.
  EXPECT_EQ(b.alloc("slot=1/node=1/[core=24;gpu=1]", 6), "0: core 72-95 gpu 3");
  // TVB7: rank 0 has 16 cores.
  EXPECT_EQ(b.alloc("node/slot=3/[core=24;gpu=1]", 7), "6: core 0-71 gpu 0-2");
  // TVB8: rank 6 has one free socket, and fits better than an idle node.
  EXPECT_EQ(b.alloc("slot=1/socket{x}", 8), "6: core 72-95 gpu 3");
  // TVB9: ranks 0 to 6 are in use.
  EXPECT_EQ(b.alloc("slot=1/node{x}", 9), "7: core 0-95 gpu 0-3");
}

}  // namespace
}  // namespace copse::test
