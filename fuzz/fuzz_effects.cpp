// SPDX-License-Identifier: Apache-2.0
//
// Effects with right checksums on a small machine: each record is two bytes of length and its
// content. What is refused leaves an engine that can be emptied.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "copse/save.hpp"
#include "go_on.hpp"
#include "save/effect_codec.hpp"
#include "target.hpp"

FUZZ_TARGET(effects) {
  using namespace copse;
  static const std::string kState = save(*fuzz::engine_on(fuzz::small_machine(), "first"));
  auto loaded = load(kState);
  fuzz::require(loaded.has_value());
  Engine& engine = *loaded->engine;
  std::string stream;
  EffectWriter::append_head(stream);
  EffectWriter writer;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (rest.size() >= 2) {
    const std::size_t length =
        static_cast<unsigned char>(rest[0]) | static_cast<std::size_t>(rest[1] & 0x7f) << 8;
    rest.remove_prefix(2);
    const std::string_view content = rest.substr(0, length);
    rest.remove_prefix(content.size());
    writer.append_record(content, stream);
  }
  auto reader = EffectReader::open(stream);
  fuzz::require(reader.has_value());
  for (;;) {
    const auto record = reader->next();
    if (!record) {
      fuzz::require(!record.error().text.empty());
      break;
    }
    if (!*record) break;
    const auto* effect = std::get_if<Effect>(&**record);
    if (effect == nullptr) continue;
    const auto* attached = std::get_if<effect::Attached>(effect);
    if (attached != nullptr && attached->subtrees.size() > 100) continue;  // slow, not wrong
    if (auto done = engine.apply(*effect); !done) break;
  }
  for (JobId job : engine.jobs()) fuzz::require(engine.cancel(job).has_value());
  return 0;
}
