// SPDX-License-Identifier: Apache-2.0
//
// The machine of an instance: an engine over what its R, or a file, says.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "copse/formats.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

// The inventory as it is read: canonical, with the layouts of TreePool's scheduling if it has one.
// Errors: those of read_r().
[[nodiscard]] Result<RSet> read_inventory(std::string_view r);

// The graph that stands in an R's scheduling (JGF, Fluxion's), if there is one that has the ranks
// and ids of R, and it is wanted; else cluster, nodes and what R says of them. `layouts` are those of `inventory`.
// Errors: those of the readers, and of Engine::create().
[[nodiscard]] Result<std::unique_ptr<Engine>> engine_of_r(std::string_view r, const RSet& inventory,
                                                          bool graph_in_r, EngineOptions options);
// The machine of a file, in any format that is read. Errors: those of read_machine() and
// Engine::create().
[[nodiscard]] Result<std::unique_ptr<Engine>> engine_of_file(std::string_view text,
                                                             const MachineText& how,
                                                             EngineOptions options);
// Errors: not_found: a rank of the inventory, or a child of one, is not in the machine.
[[nodiscard]] Result<void> check_ranks(const Engine& engine, const RSet& inventory);

// A file's text. Errors: io.
[[nodiscard]] Result<std::string> file_text(const std::string& path);

}  // namespace copse::flux
