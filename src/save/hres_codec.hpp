// SPDX-License-Identifier: Apache-2.0
//
// The hierarchical resources of a save: HresImage as bytes.
#pragma once

#include "hres/hres_image.hpp"
#include "save/bytes.hpp"

namespace copse {

void write_hres(ByteWriter& out, const HresImage& image);
// The result may break any rule of layers. `in` fails if the bytes are not an image.
[[nodiscard]] HresImage read_hres(ByteReader& in);

}  // namespace copse
