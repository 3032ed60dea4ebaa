// SPDX-License-Identifier: Apache-2.0
//
// The graph of a save: GraphImage as bytes, column by column.
#pragma once

#include <cstdint>

#include "graph/graph_image.hpp"
#include "save/bytes.hpp"

namespace copse {

void write_graph(ByteWriter& out, const GraphImage& image);
// The result may break any rule of graphs, but takes no more memory than the bounds allow. `in`
// fails if the bytes are not an image.
[[nodiscard]] GraphImage read_graph(ByteReader& in, std::uint64_t pools_max);

}  // namespace copse
