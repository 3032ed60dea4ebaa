// SPDX-License-Identifier: Apache-2.0
//
// copse state: checks, shows and compacts the state of a service on disk.
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "copse/save.hpp"
#include "host/plugins.hpp"
#include "journal/folder_lock.hpp"
#include "journal/sqlite_store.hpp"
#include "save/effect_codec.hpp"
#include "save/effect_json.hpp"
#include "server/jobs/journal_parts.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct StateWords {
  std::string folder;
};

// A state, locked against other processes.
struct OpenState {
  journal::FolderLock lock;
  std::unique_ptr<journal::SqliteStore> store;
};

Result<OpenState> open_state(const std::string& folder) {
  struct stat file{};
  if (::stat((folder + "/state.db").c_str(), &file) != 0) {
    return fail(ErrorCode::not_found, fmt::format("{} has no state (state.db)", folder));
  }
  if (file.st_size == 0) {
    return fail(
        ErrorCode::invalid,
        fmt::format("{}/state.db is empty (0 bytes), which no service writes: restore a backup",
                    folder));
  }
  auto lock = journal::FolderLock::take(folder);
  if (!lock) return std::unexpected(lock.error());
  auto store = journal::SqliteStore::open(folder);
  if (!store) return std::unexpected(store.error());
  return OpenState{std::move(*lock), std::move(*store)};
}

// The engine of a state after its last record. `each` is called after each effect, and with each line
// about jobs.
struct Played {
  std::unique_ptr<Engine> engine;
  journal::Sequence snapshot = 0, next = 0;
};
using EachEffect = std::function<void(const Engine&, const Effect&)>;
using JobLines = std::function<void(std::string_view)>;

Result<Played> play(journal::SqliteStore& store, const EachEffect& each,
                    const JobLines& each_line) {
  const auto own = policies_of_environment();
  if (!own) return std::unexpected(own.error());
  Played out;
  const auto apply = [&](journal::Sequence number, std::string_view record) -> Result<void> {
    if (out.engine == nullptr)
      return fail(ErrorCode::invalid, "there is no snapshot before the first record");
    const auto parts = server::split_parts(record);
    if (!parts) return std::unexpected(parts.error());
    each_line(parts->drains);
    each_line(parts->reservations);
    each_line(parts->jobs);
    auto reader = EffectReader::of_record(parts->engine);
    for (;;) {
      const auto next = reader.next();
      if (!next) return std::unexpected(next.error());
      if (!*next) return {};
      const auto* effect = std::get_if<Effect>(&**next);
      if (effect == nullptr)
        return fail(ErrorCode::invalid, "a record must have effects, not a state");
      if (auto done = out.engine->apply(*effect); !done) {
        return fail(done.error().code,
                    fmt::format("record {} can't be applied: {}", number, done.error().text));
      }
      each(*out.engine, *effect);
    }
  };
  const auto next =
      store.load({.state = [&](journal::Sequence number, std::string_view state) -> Result<void> {
                    const auto parts = server::split_parts(state);
                    if (!parts) return std::unexpected(parts.error());
                    auto loaded = load(parts->engine, *own);
                    if (!loaded) return std::unexpected(loaded.error());
                    out.engine = std::move(loaded->engine);
                    out.snapshot = number;
                    return {};
                  },
                  .record = apply});
  if (!next) return std::unexpected(next.error());
  out.next = *next;
  return out;
}

int run_check(const StateWords& words) {
  auto state = open_state(words.folder);
  if (!state) return unusable(state.error());
  const auto faults = state->store->faults();
  if (!faults) return unusable(faults.error());
  if (!faults->empty()) return unusable({ErrorCode::invalid, faults->front(), {}});
  const auto played =
      play(*state->store, [](const Engine&, const Effect&) {}, [](std::string_view) {});
  if (!played) return unusable(played.error());
  const auto snapshots = state->store->snapshots();
  if (!snapshots) return unusable(snapshots.error());
  std::string text;
  if (played->engine == nullptr) {
    text = "empty: no service has stored a change yet\n";
  } else if (played->snapshot < *std::ranges::max_element(*snapshots)) {
    text = fmt::format("the newest snapshot ({}) can't be read: a service would begin with {}\n",
                       *std::ranges::max_element(*snapshots), played->snapshot);
  } else {
    text = "intact\n";
  }
  text += fmt::format("changes {}\nsnapshot {}\n", played->next, played->snapshot);
  if (played->engine != nullptr) {
    const std::int64_t now_s = played->engine->now();
    const std::string date = now_s < kRealTime_s ? "" : " (" + readable_time(now_s) + ")";
    text += fmt::format("now {}{}\ngrants {}\nfingerprint {:016x}\n", now_s, date,
                        played->engine->grant_count(), played->engine->fingerprint());
  }
  return write_text(text);
}

int run_dump(const StateWords& words) {
  auto state = open_state(words.folder);
  if (!state) return unusable(state.error());
  EffectJson json;
  std::string text;
  const auto played = play(
      *state->store,
      [&](const Engine& engine, const Effect& effect) { json.append(engine, effect, text); },
      [&](std::string_view lines) { text += lines; });
  if (!played) return unusable(played.error());
  return write_text(text);
}

int run_compact(const StateWords& words) {
  auto state = open_state(words.folder);
  if (!state) return unusable(state.error());
  const auto done = state->store->compact();
  return done ? kDone : unusable(done.error());
}

void add_one(CommandLine& group, const std::string& name, const std::string& about,
             const std::string& example, int (*run)(const StateWords&)) {
  auto words = std::make_shared<StateWords>();
  CommandLine sub =
      group.command(name, about, "Examples:\n" + example, [words, run] { return run(*words); });
  sub.streams({}, "the answer");
  sub.option("dir", words->folder, "the folder of the state").unit("DIR").required();
}

}  // namespace

void add_state(CommandLine& line) {
  CommandLine group = line.group("state", "Inspect the state of a service that is not running",
                                 "Examples:\n  copse state check ~/.local/state/copse");
  add_one(group, "check", "Check that a state is intact, and summarise it",
          "  copse state check /var/lib/copse", run_check);
  add_one(group, "dump", "Show the changes since the last snapshot, one line of JSON each",
          "  copse state dump /var/lib/copse | jq 'select(.job == 7)'", run_dump);
  add_one(group, "compact", "Release unused disk space", "  copse state compact /var/lib/copse",
          run_compact);
}

}  // namespace copse
