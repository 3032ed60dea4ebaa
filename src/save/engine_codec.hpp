// SPDX-License-Identifier: Apache-2.0
//
// EngineImage as bytes: the payload of a save (copse/save.hpp), format 1. Its parts, in order:
// options, graph, layouts, types that filters know, status, grants, growth, weights, hierarchical
// resources, channels. Readers of later formats read this one, too.
#pragma once

#include <span>

#include "copse/policy.hpp"
#include "copse/save.hpp"
#include "engine/engine_image.hpp"
#include "save/bytes.hpp"

namespace copse {

void write_engine(ByteWriter& out, const EngineImage& image);
// The result may break any rule of engines, but takes no more memory than `limits` allow.
// Errors: invalid; not_found (the policy).
[[nodiscard]] Result<EngineImage> read_engine(ByteReader& in, std::span<const Policy> own,
                                              const SaveLimits& limits);

}  // namespace copse
