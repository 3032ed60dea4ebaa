// SPDX-License-Identifier: Apache-2.0
//
// Streams of effects: complete, truncated, with flipped bits, and hostile. The property tests
// (property/reborn.hpp) check that a twin that replays the effects equals the engine after every
// step.
#include "copse/effect.hpp"

#include <gtest/gtest.h>

#include "copse/save.hpp"
#include "paths.hpp"
#include "property/random.hpp"
#include "save/desk.hpp"
#include "save/effect_codec.hpp"

namespace copse {
namespace {

using property::Random;
using test::Desk;
using test::shown;

struct Journal : EffectSink {
  explicit Journal(Engine& engine) {
    EffectWriter::append_head(stream);
    writer.append_state(save(engine), stream);
    engine.observe(this);
  }
  void take(const Effect& effect) override {
    writer.append(effect, stream);
    ++kinds[effect.index()];
  }
  EffectWriter writer;
  std::string stream;
  std::map<std::size_t, int> kinds;
};

// The engine's state after the stream, or its error.
Result<std::unique_ptr<Engine>> replayed(std::string_view stream) {
  auto reader = EffectReader::open(stream);
  if (!reader) return std::unexpected(reader.error());
  std::unique_ptr<Engine> engine;
  for (;;) {
    auto record = reader->next();
    if (!record) return std::unexpected(record.error());
    if (!*record) return engine;
    if (const auto* state = std::get_if<EffectReader::State>(&**record)) {
      auto loaded = load(state->save, {}, {.pools_max = 10'000});
      if (!loaded) return std::unexpected(loaded.error());
      engine = std::move(loaded->engine);
    } else if (engine != nullptr) {
      if (auto done = engine->apply(std::get<Effect>(**record)); !done) {
        return std::unexpected(done.error());
      }
    }
  }
}

TEST(EffectTest, MakeAnEqualEngine) {
  Desk desk;
  Journal journal(*desk.engine);
  desk.all_that_can_happen();
  ASSERT_TRUE(desk.engine->compact());
  const auto equal = replayed(journal.stream);
  ASSERT_TRUE(equal) << equal.error().message();
  EXPECT_EQ((*equal)->fingerprint(), desk.engine->fingerprint());
  EXPECT_EQ(shown(**equal), shown(*desk.engine));
  EXPECT_GE(journal.kinds.size(), 12U);
}

TEST(EffectTest, OfAOneCoreMatchAreShort) {
  Desk desk;
  Journal journal(*desk.engine);
  const std::size_t before = journal.stream.size();
  desk.grant(
      1, R"({"type": "slot", "count": 1, "label": "x", "with": [{"type": "core", "count": 1}]})",
      3600);
  EXPECT_GT(journal.stream.size(), before);
  EXPECT_LE(journal.stream.size() - before, 64U);
}

// Writes the files that the next test reads: once for each format version, by hand.
TEST(EffectTest, DISABLED_WritesWhatIsReadForEver) {
  Desk desk;
  Journal journal(*desk.engine);
  desk.all_that_can_happen();
  const std::string folder = source_dir() + "/tests/data/save/desk-1.";
  std::ofstream(folder + "effects", std::ios::binary) << journal.stream;
  std::ofstream(folder + "save", std::ios::binary) << save(*desk.engine, "of the host");
  std::ofstream(folder + "txt") << shown(*desk.engine);
}

TEST(EffectTest, AreReadAsTheyWereBefore) {
  const auto equal = replayed(test::text_of_file("tests/data/save/desk-1.effects"));
  ASSERT_TRUE(equal) << equal.error().message();
  EXPECT_EQ(shown(**equal), test::text_of_file("tests/data/save/desk-1.txt"));
}

TEST(EffectTest, CutShortSayWhere) {
  Desk desk;
  Journal journal(*desk.engine);
  desk.all_that_can_happen();
  const std::string& stream = journal.stream;
  std::size_t whole = 0;
  for (std::size_t size = 0; size < stream.size(); size += 1 + size % 7) {
    const auto made = replayed(std::string_view(stream).substr(0, size));
    if (made) ++whole;  // truncated between two records: the earlier ones count
    if (!made) {
      EXPECT_EQ(made.error().text.find('\n'), std::string::npos);
    }
  }
  EXPECT_LT(whole, 40U);
}

TEST(EffectTest, FlippedAreRefused) {
  Desk desk;
  Journal journal(*desk.engine);
  desk.all_that_can_happen();
  for (std::size_t at = 0; at < journal.stream.size(); at += 1 + at % 7) {
    std::string flipped = journal.stream;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    EXPECT_FALSE(replayed(flipped)) << at;
  }
}

TEST(EffectTest, HostileOnesAreRefusedOrMakeAnEngine) {
  Desk desk;
  Journal journal(*desk.engine);
  desk.all_that_can_happen();
  std::vector<std::string> contents;
  auto reader = EffectReader::open(journal.stream);
  ASSERT_TRUE(reader);
  EffectWriter one;
  for (auto record = reader->next(); record && *record; record = reader->next()) {
    if (!std::holds_alternative<Effect>(**record)) continue;
    std::string bytes;
    EffectWriter().append(std::get<Effect>(**record), bytes);
    ByteReader in(bytes);
    contents.emplace_back(in.text());
  }
  Desk fresh;
  const std::string state = save(*fresh.engine);
  Random random(12);
  std::uint64_t refused = 0, taken = 0;
  for (int i = 0; i < 500; ++i) {
    std::string stream;
    EffectWriter::append_head(stream);
    EffectWriter writer;
    writer.append_state(state, stream);
    const std::size_t bad = random.below(contents.size());
    for (std::size_t e = 0; e < contents.size(); ++e) {
      std::string content = contents[e];
      if (e == bad) content[random.below(content.size())] = static_cast<char>(random.below(256));
      writer.append_record(content, stream);
    }
    const auto made = replayed(stream);
    if (!made) {
      EXPECT_EQ(made.error().text.find('\n'), std::string::npos) << made.error().text;
      ++refused;
      continue;
    }
    ++taken;
    for (const JobId job : (*made)->jobs()) EXPECT_TRUE((*made)->cancel(job));
  }
  EXPECT_GT(refused, 100U);
  EXPECT_GT(taken, 10U);
}

}  // namespace
}  // namespace copse
