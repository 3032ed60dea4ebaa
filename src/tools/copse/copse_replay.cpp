// SPDX-License-Identifier: Apache-2.0
//
// copse replay: the state after a stream of effects.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "copse/save.hpp"
#include "files/read_file.hpp"
#include "host/plugins.hpp"
#include "save/effect_codec.hpp"
#include "save/effect_json.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct ReplayWords {
  std::string file, save;
  std::uint64_t until = UINT64_MAX;
  bool list = false;
};

struct Outcome {
  std::unique_ptr<Engine> engine;
  std::string host;
  std::uint64_t effects = 0;
  std::string list;  // with --list: a line for each
};

// Applies the first `until` effects; a state between them replaces the engine.
Result<Outcome> replay(std::string_view bytes, std::uint64_t until, bool list) {
  const auto own = policies_of_environment();
  if (!own) return std::unexpected(own.error());
  auto reader = EffectReader::open(bytes);
  if (!reader) return std::unexpected(reader.error());
  Outcome out;
  EffectJson json;
  for (;;) {
    const std::uint64_t place = reader->place();
    auto record = reader->next();
    if (!record) return std::unexpected(record.error());
    if (!*record) break;
    if (const auto* state = std::get_if<EffectReader::State>(&**record)) {
      auto loaded = load(state->save, *own);
      if (!loaded) return std::unexpected(loaded.error());
      out.engine = std::move(loaded->engine);
      out.host = std::move(loaded->host);
      json = {};
      continue;
    }
    if (out.engine == nullptr) {
      return fail(ErrorCode::invalid, "the effects do not begin with a state");
    }
    if (out.effects == until) break;
    const auto& effect = std::get<Effect>(**record);
    if (auto done = out.engine->apply(effect); !done) {
      return fail(done.error().code, fmt::format("record {} of the effects cannot be applied: {}",
                                                 place, done.error().text));
    }
    ++out.effects;
    if (list) json.append(*out.engine, effect, out.list);
  }
  if (out.engine == nullptr) return fail(ErrorCode::invalid, "the effects have no state");
  return out;
}

int run_replay(const ReplayWords& words) {
  Output saved;
  if (auto ok = saved.open(words.save); !ok) return unusable(ok.error());
  const auto bytes = read_file(words.file);
  if (!bytes) return unusable(bytes.error());
  auto outcome = replay(*bytes, words.until, words.list);
  if (!outcome) {
    outcome.error().place.file = words.file;
    return unusable(outcome.error());
  }
  const Engine& engine = *outcome->engine;
  const std::string text =
      words.list
          ? outcome->list
          : fmt::format("effects {}\nnow {}\ngrants {}\nfingerprint {:016x}\n", outcome->effects,
                        engine.now(), engine.grant_count(), engine.fingerprint());
  if (auto written = write_out({}, text); !written) return unusable(written.error());
  if (words.save.empty()) return kDone;
  (void)saved.write(save(engine, outcome->host));
  const auto done = saved.close();
  return done ? kDone : unusable(done.error());
}

}  // namespace

void add_replay(CommandLine& line) {
  auto words = std::make_shared<ReplayWords>();
  CommandLine sub = line.command(
      "replay", "Apply the effects of a session, and show the result",
      "Prints how many were applied, the clock, the grants, and the fingerprint of the state.\n"
      "Exit status 2: the effects are truncated, damaged or cannot be applied.\n"
      "Examples:\n"
      "  copse session -L R.json --effects today.effects <requests.jsonl\n"
      "  copse replay today.effects\n"
      "  copse replay today.effects --list | jq 'select(.job == 7)'\n"
      "  copse replay today.effects --until 1000 --save noon.save",
      [words] { return run_replay(*words); });
  sub.streams({}, "the answer");
  sub.option("file", words->file, "a file that copse session --effects wrote")
      .reads_file()
      .required();
  sub.option("--until", words->until, "apply only this many effects").unit("NUMBER");
  sub.flag("--list", words->list, "show each effect as a line of JSON instead");
  sub.option("--save", words->save, "save the resulting state to this file").writes_file();
}

}  // namespace copse
