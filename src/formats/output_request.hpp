// SPDX-License-Identifier: Apache-2.0
//
// A set of resources that is to be written, and the forms that it may have, by their names in
// `resource-query -F`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "copse/grant.hpp"
#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "rset/rset_scheduling.hpp"
#include "text/json_writer.hpp"

namespace copse {

enum class Format : std::uint8_t {
  simple,         // indented lines, children before parents: "      ---node1[1:s]"
  pretty_simple,  // the same reversed, words instead of letters
  jgf,            // JSON Graph Format
  jgf_shorthand,  // without what is below an exclusive pool
  rlite,          // R_lite of RFC 20
  rv1,            // R version 1 of RFC 20, its `scheduling` key in JGF
  rv1_nosched,    // without `scheduling`
  rv1_shorthand,  // with `scheduling` in shorthand JGF
};

// Whether it is an R, or a part of one.
[[nodiscard]] constexpr bool is_r(Format format) {
  return format == Format::rlite || format == Format::rv1 || format == Format::rv1_nosched ||
         format == Format::rv1_shorthand;
}

// What is to be written.
struct OutputRequest {
  const ResourceGraph& graph;
  std::span<const ExpandedPool> pools;  // children before parents, as copse::expand gives them
  std::span<const std::pair<PoolId, std::string>> labels{};  // ascending by pool
  std::int64_t start = 0, end = 0;                           // seconds
  std::string_view queue{};
  std::int64_t nslots = 0;  // of an R: its slots; 0: not known, not written
  // Of an R in form rv1: written instead of JGF, trimmed to the ranks of the selection.
  const RScheduling* scheduling = nullptr;
  bool complete = false;  // shorthand forms leave nothing out (the find command)
  // Writes further members of the metadata of a pool in JGF; may be empty.
  std::function<void(PoolId, JsonWriter&)> more_metadata{};
  bool device_properties = false;  // an R has those of GPUs, which Fluxion leaves out
  // What is drawn along auxiliary subsystems: written in pretty_simple and, separately, in JGF.
  std::span<const CapacityCharge> drawn{};
};

}  // namespace copse
