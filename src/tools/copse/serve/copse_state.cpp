// SPDX-License-Identifier: Apache-2.0
//
// copse state: checks, shows, compacts and repairs the state of a service on disk.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "copse/save.hpp"
#include "host/clock/real_clock.hpp"
#include "host/plugins.hpp"
#include "journal/folder_lock.hpp"
#include "journal/sqlite_store.hpp"
#include "journal/state/state_remains.hpp"
#include "journal/state/state_repair.hpp"
#include "save/effect_codec.hpp"
#include "save/effect_json.hpp"
#include "server/clock_guard.hpp"
#include "server/jobs/journal_parts.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/serve/state_folder.hpp"

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

Result<journal::FolderLock> lock_state(const std::string& folder) {
  const auto there = journal::has_state(folder);
  if (!there) return std::unexpected(there.error());
  if (*there) return journal::FolderLock::take(folder);
  struct stat file{};
  if (::stat((folder + "/state.db").c_str(), &file) != 0) {
    return fail(ErrorCode::not_found, fmt::format("{} has no state (state.db)", folder));
  }
  return fail(
      ErrorCode::invalid,
      fmt::format("{}/state.db is empty (0 bytes), which no service writes: restore a backup",
                  folder));
}

Result<OpenState> open_state(const std::string& folder) {
  auto lock = lock_state(folder);
  if (!lock) return std::unexpected(lock.error());
  auto store = journal::SqliteStore::open(folder);
  if (!store) return std::unexpected(with_remedy(store.error(), folder));
  return OpenState{std::move(*lock), std::move(*store)};
}

// The engine of a state after its last record. `each` is called after each effect, and with each line
// about jobs.
struct ReplayedState {
  std::unique_ptr<Engine> engine;
  journal::Sequence snapshot = 0, next = 0;
  std::vector<Error> damage;  // that loses nothing
};
using EachEffect = std::function<void(const Engine&, const Effect&)>;
using JobLines = std::function<void(std::string_view)>;

Result<ReplayedState> replay_state(
    journal::SqliteStore& store, const EachEffect& each = [](const Engine&, const Effect&) {},
    const JobLines& each_line = [](std::string_view) {}) {
  const auto own = policies_of_environment();
  if (!own) return std::unexpected(own.error());
  ReplayedState out;
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
                  .record = apply,
                  .damage = [&](const Error& damage) { out.damage.push_back(damage); }});
  if (!next) return std::unexpected(next.error());
  out.next = *next;
  return out;
}

// A clock that is a little ahead was set back; more than that ran ahead.
std::string clock_text(std::int64_t now_s) {
  const std::string date = now_s < kRealTime_s ? "" : " (" + readable_time(now_s) + ")";
  std::string out = fmt::format("now {}{}\n", now_s, date);
  const std::int64_t ahead_s = now_s - real_time_s();
  if (ahead_s > server::kClockAheadMax_s) {
    out += fmt::format("the clock of the state is ahead of this computer's by {}\n",
                       duration_text(ahead_s));
  }
  return out;
}

int run_check(const StateWords& words) {
  auto state = open_state(words.folder);
  if (!state) return unusable(state.error());
  const auto faults = state->store->faults();
  if (!faults) return unusable(with_remedy(faults.error(), words.folder));
  if (!faults->empty()) {
    return unusable(with_remedy({ErrorCode::invalid, faults->front(), {}}, words.folder));
  }
  const auto played = replay_state(*state->store);
  if (!played) return unusable(with_remedy(played.error(), words.folder));
  std::string text;
  if (!played->damage.empty()) {
    text = "damaged, but no change is lost: the next start of the service mends it\n";
    for (const Error& damage : played->damage) text += "damage: " + damage.message() + '\n';
  } else {
    text = played->engine == nullptr ? "empty: no service has stored a change yet\n" : "intact\n";
  }
  text += fmt::format("changes {}\nsnapshot {}\nincarnation {}\n", played->next, played->snapshot,
                      state->store->incarnation());
  if (state->store->is_copy()) text += "a copy: the next start of the service is logged as one\n";
  if (played->engine != nullptr) {
    text += clock_text(played->engine->now());
    text += fmt::format("grants {}\nfingerprint {:016x}\n", played->engine->grant_count(),
                        played->engine->fingerprint());
  }
  return write_text(text, {}, played->damage.empty() ? kDone : kNo);
}

int run_dump(const StateWords& words) {
  auto state = open_state(words.folder);
  if (!state) return unusable(state.error());
  EffectJson json;
  std::string text;
  const auto played = replay_state(
      *state->store,
      [&](const Engine& engine, const Effect& effect) { json.append(engine, effect, text); },
      [&](std::string_view lines) { text += lines; });
  if (!played) return unusable(with_remedy(played.error(), words.folder));
  return write_text(text);
}

// What is damaged is not rewritten.
int run_compact(const StateWords& words) {
  auto state = open_state(words.folder);
  if (!state) return unusable(state.error());
  const auto played = replay_state(*state->store);
  if (!played) return unusable(with_remedy(played.error(), words.folder));
  const auto done = state->store->compact();
  return done ? kDone : unusable(done.error());
}

// Whether a service would start without a word about damage. Errors: those that repair cannot mend.
Result<bool> is_intact(const std::string& folder) {
  const auto refused = [](const Error& error) -> Result<bool> {
    if (error.code == ErrorCode::invalid) return false;
    return std::unexpected(error);
  };
  auto store = journal::SqliteStore::open(folder);
  if (!store) return refused(store.error());
  const auto played = replay_state(**store);
  return played ? Result<bool>(played->damage.empty()) : refused(played.error());
}

// Copies the files of a state into a new folder in it. Returns its path. Errors: io.
Result<std::string> keep_copies(const std::string& folder) {
  namespace fs = std::filesystem;
  std::string kept = fmt::format("{}/damaged-{}", folder, real_time_s());
  if (auto ok = make_private_folder(kept); !ok) return std::unexpected(ok.error());
  for (const char* name : {"state.db", "state.db-wal", "committed"}) {
    std::error_code failed;
    const std::string path = folder + "/" + name;
    if (!fs::exists(path, failed)) continue;
    if (fs::copy_file(path, kept + "/" + name, failed)) continue;
    return fail(ErrorCode::io, fmt::format("can't copy {}: {}", path, failed.message()));
  }
  return kept;
}

std::string repaired_text(const journal::RepairedState& repaired, const std::string& copies) {
  std::string out;
  for (const Error& damage : repaired.damage) out += "damage: " + damage.message() + '\n';
  out += fmt::format("changes {}\n", repaired.next);
  if (!repaired.committed) {
    out += "lost: unknown, because no mark says how many changes were committed\n";
  } else {
    out += fmt::format("lost {}\n",
                       *repaired.committed - std::min(repaired.next, *repaired.committed));
  }
  return out + fmt::format("the files from before are in {}\n", copies);
}

int run_repair(const StateWords& words) {
  const auto lock = lock_state(words.folder);
  if (!lock) return unusable(lock.error());
  const auto intact = is_intact(words.folder);
  if (!intact) return unusable(intact.error());
  if (*intact) {
    return write_text("intact: there is nothing to repair\n");
  }
  const auto copies = keep_copies(words.folder);
  if (!copies) return unusable(copies.error());
  const auto repaired = journal::repair_state(words.folder);
  if (!repaired) return unusable(repaired.error());
  return write_text(repaired_text(*repaired, *copies));
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
  add_one(group, "repair",
          "Keep what is intact of a damaged state, and delete the rest; copies stay",
          "  copse state repair /var/lib/copse", run_repair);
  add_one(group, "compact", "Release unused disk space", "  copse state compact /var/lib/copse",
          run_compact);
}

}  // namespace copse
