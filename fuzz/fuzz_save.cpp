// SPDX-License-Identifier: Apache-2.0
//
// Saves with a right length and hash: what is refused loads nothing, what is loaded is an engine
// that can be saved, loaded again, matched on and emptied.
#include <cstdint>
#include <string_view>

#include "copse/save.hpp"
#include "go_on.hpp"
#include "save/seal.hpp"
#include "target.hpp"

FUZZ_TARGET(save) {
  using namespace copse;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  auto loaded = load(sealed(kSaveSeal, content), {}, {.pools_max = 20'000});
  if (!loaded) {
    fuzz::require(!loaded.error().text.empty());
    return 0;
  }
  Engine& engine = *loaded->engine;
  const std::string bytes = save(engine, loaded->host);
  const auto again = load(bytes);
  fuzz::require(again.has_value());
  fuzz::require(again->engine->fingerprint() == engine.fingerprint());
  fuzz::require(save(*again->engine, again->host) == bytes);
  for (JobId job : engine.jobs()) fuzz::require(engine.cancel(job).has_value());
  return 0;
}
