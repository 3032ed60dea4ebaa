// SPDX-License-Identifier: Apache-2.0
//
// Layers of hierarchical resources as a table, and as JSON lines. O(length of the text).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "copse/hres.hpp"
#include "text/json_writer.hpp"

namespace copse {

// What a layer has that is neither used nor kept for anybody: 0 and more; kUnlimitedCount if there
// is no bound.
[[nodiscard]] std::int64_t free_of(const LayerView& layer);

// A line of headings, and a line for each layer; numbers are right-aligned, and as many bytes wide
// as the widest. Appends.
void append_supply_table(std::string& out, std::span<const LayerView> layers);

// Writes resource, nodes, mode, total, used, reserved: what a session says of a layer as well.
void write_layer(JsonWriter& json, const LayerView& layer);

// One object a line: resource, nodes, mode, total, used, reserved, free, base (the last two are
// not in the session's); in mode 3 level, 0 for leaves. -1: no bound. Appends.
void append_supply_json(std::string& out, std::span<const LayerView> layers);

}  // namespace copse
