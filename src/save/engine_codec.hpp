// SPDX-License-Identifier: Apache-2.0
//
// EngineImage as bytes: the payload of a save (copse/save.hpp), format 1. Its parts, in order:
// options, graph, layouts, types that filters know, status, grants, growth, weights, supply,
// channels. A reader of a later format reads this one as it stands.
#pragma once

#include <span>

#include "copse/policy.hpp"
#include "copse/save.hpp"
#include "engine/engine_image.hpp"
#include "save/bytes.hpp"

namespace copse {

void write_engine(ByteWriter& out, const EngineImage& image);
// What is read may break any rule of engines, but takes no more memory than `limits` let it.
// Errors: invalid; not_found (the policy).
[[nodiscard]] Result<EngineImage> read_engine(ByteReader& in, std::span<const Policy> own,
                                              const SaveLimits& limits);

}  // namespace copse
