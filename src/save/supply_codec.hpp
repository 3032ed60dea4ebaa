// SPDX-License-Identifier: Apache-2.0
//
// The hierarchical resources of a save: SupplyImage as bytes.
#pragma once

#include "hres/supply_image.hpp"
#include "save/bytes.hpp"

namespace copse {

void write_supply(ByteWriter& out, const SupplyImage& image);
// What is read may break any rule of layers. `in` fails where the bytes are none.
[[nodiscard]] SupplyImage read_supply(ByteReader& in);

}  // namespace copse
