// SPDX-License-Identifier: Apache-2.0
//
// The locality domains of Slurm's nodes: a request may demand cores near its GPUs in a slot,
// `slot=1/socket/[core=4;gpu]`.
//
//   socket   each socket, with its cores
//   numa     the cores of `Cores=` of gres.conf, if they are a part of a socket and in no other such
//            set
//
// A GPU is in the smallest domain that has all cores near it: it is in none if these are of several
// sockets, or if gres.conf does not say them.
#pragma once

#include "copse/layout.hpp"
#include "formats/slurm/slurm_machine.hpp"

namespace copse {

// Of the graph that graph_of_slurm() makes. O(nodes * kinds of GRES * log kinds of nodes + domains).
[[nodiscard]] Layouts layouts_of_slurm(const SlurmMachine& machine);

}  // namespace copse
