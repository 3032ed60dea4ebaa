// SPDX-License-Identifier: Apache-2.0
#include "property/reborn.hpp"

#include <utility>

#include "copse/save.hpp"
#include "property/custom_policies.hpp"

namespace copse::property {

std::string save_and_load(std::unique_ptr<Engine>& engine) {
  const std::string bytes = save(*engine, "host");
  auto loaded = load(bytes, custom_policies());
  if (!loaded) return "load: " + loaded.error().message();
  if (loaded->host != "host") return "the host's own is lost";
  if (loaded->engine->fingerprint() != engine->fingerprint()) {
    return "the fingerprint of what was loaded is another";
  }
  if (save(*loaded->engine, "host") != bytes) return "the save of what was loaded is another";
  engine = std::move(loaded->engine);
  return {};
}

std::string Twin::follow(Engine& engine) {
  auto loaded = load(save(engine), custom_policies());
  if (!loaded) return "load: " + loaded.error().message();
  engine_ = &engine;
  twin_ = std::move(loaded->engine);
  engine.observe(this);
  return {};
}

void Twin::take(const Effect& effect) {
  if (stream_.empty()) {
    EffectWriter::append_head(stream_);
    writer_ = {};
  }
  writer_.append(effect, stream_);
}

std::string Twin::catch_up() {
  if (!stream_.empty()) {
    const std::string stream = std::move(stream_);
    stream_.clear();
    auto reader = EffectReader::open(stream);
    if (!reader) return reader.error().message();
    for (;;) {
      const auto record = reader->next();
      if (!record) return record.error().message();
      if (!*record) break;
      const auto& effect = std::get<Effect>(**record);
      if (auto done = twin_->apply(effect); !done) {
        return "effect " + std::to_string(effect.index()) + ": " + done.error().message();
      }
    }
  }
  if (twin_->fingerprint() != engine_->fingerprint()) return "the twin by effects is another";
  return {};
}

std::string Twin::swap(std::unique_ptr<Engine>& engine) {
  engine->observe(nullptr);
  engine = std::move(twin_);
  return follow(*engine);
}

}  // namespace copse::property
