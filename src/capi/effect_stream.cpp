// SPDX-License-Identifier: Apache-2.0
#include "capi/effect_stream.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "capi/objects.hpp"
#include "copse/save.hpp"
#include "host/plugins.hpp"

namespace copse::capi {

EffectStream::EffectStream(const copse_sink& sink, const Engine& engine) : sink_(sink) {
  EffectWriter::append_head(bytes_);
  writer_.append_state(save(engine), bytes_);
  hand_over();
}

void EffectStream::take(const Effect& effect) {
  writer_.append(effect, bytes_);
  hand_over();
}

void EffectStream::hand_over() {
  sink_.write(sink_.context, bytes_.data(), bytes_.size());
  bytes_.clear();
}

namespace {

// Engine::observe() requires it.
bool uniq_ids_differ(const ResourceGraph& graph) {
  std::vector<std::int64_t> ids;
  ids.reserve(graph.pool_count());
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    if (!graph.removed(PoolId{v})) ids.push_back(graph.uniq_id(PoolId{v}));
  }
  std::ranges::sort(ids);
  return std::ranges::adjacent_find(ids) == ids.end();
}

// An incomplete entry is not in the stream.
Outcome<std::unique_ptr<Engine>> replay(std::string_view bytes, std::uint64_t& records) {
  auto reader = EffectReader::open(bytes);
  if (!reader) return std::unexpected(Failure(reader.error()));
  std::unique_ptr<Engine> engine;
  for (;;) {
    const auto record = reader->next();
    if (!record || !*record) break;
    if (const auto* const state = std::get_if<EffectReader::State>(&**record)) {
      const auto own = policies_of_environment();
      if (!own) return std::unexpected(Failure(own.error()));
      auto loaded = load(state->save, *own);
      if (!loaded) return std::unexpected(Failure(loaded.error()));
      engine = std::move(loaded->engine);
    } else if (engine == nullptr) {
      return refuse(COPSE_INVALID, "the stream does not begin with a state");
    } else if (auto applied = engine->apply(std::get<Effect>(**record)); !applied) {
      return std::unexpected(Failure(applied.error()));
    }
    ++records;
  }
  if (engine == nullptr) return refuse(COPSE_INVALID, "the stream has no state");
  return engine;
}

}  // namespace

extern "C" {

copse_code copse_observe(copse_engine* engine, const copse_sink* sink, copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    copse_sink how = COPSE_SINK_INIT;
    if (auto ok = read_struct(sink, how); !ok) return ok;
    use.engine().observe(nullptr);
    use.core()->stream.reset();
    if (sink == nullptr) return {};
    if (how.write == nullptr)
      return refuse(COPSE_INVALID, "the write function of the sink is NULL");
    if (!uniq_ids_differ(use.engine().graph())) {
      return refuse(COPSE_INVALID, "two pools of the machine have one uniq_id");
    }
    use.core()->stream = std::make_unique<EffectStream>(how, use.engine());
    use.engine().observe(use.core()->stream.get());
    return {};
  });
}

copse_code copse_replay(const char* bytes, size_t length, copse_engine** engine, uint64_t* records,
                        copse_error* error) {
  return call(error, [&]() -> Outcome<void> {
    const auto stream = text_in(bytes, length, "the stream");
    if (!stream) return std::unexpected(stream.error());
    std::uint64_t read = 0;
    auto replayed = replay(*stream, read);
    if (!replayed) return std::unexpected(replayed.error());
    if (records != nullptr) *records = read;
    return give_engine(std::move(*replayed), engine);
  });
}

}  // extern "C"

}  // namespace copse::capi
