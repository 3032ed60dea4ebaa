// SPDX-License-Identifier: Apache-2.0
//
// The grants of a save, with their numbers, column by column; and the charges of one grant.
//
// Cost: about 12 bytes for a grant of one core.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "save/bytes.hpp"

namespace copse {

using NumberedGrants = std::vector<std::pair<std::uint32_t, Grant>>;

void write_grants(ByteWriter& out, const NumberedGrants& grants);
// The result may break any rule of grants. `in` fails if the bytes are not grants.
[[nodiscard]] NumberedGrants read_grants(ByteReader& in);

}  // namespace copse
