// SPDX-License-Identifier: Apache-2.0
//
// SessionHistory: what a session can take back, keep and pass on: begin, rollback and commit;
// saves; the stream of effects.
//
// Between begin and commit nothing leaves: effects wait, and rollback forgets them with what they
// did. Invariant: what was written of the stream, applied, is the engine as of the last line whose
// effects were settled. Where records are kept, a clock that has moved is no change: it is passed on with
// the next one, so that reads make no records.
//
// begin costs Engine::clone(), and the first write of a shared part a copy of it; rollback and
// commit cost O(1).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "copse/policy.hpp"
#include "copse/save.hpp"
#include "save/effect_codec.hpp"

namespace copse {

struct SessionLine;
class JobHost;

// What is outside of a session; what is empty is not there.
struct SessionOutside {
  std::function<Result<std::string>(const std::string& path)> read_file{};
  std::function<Result<void>(const std::string& path, std::string_view bytes)> write_file{};
  std::function<bool(std::string_view bytes)> write_effects{};  // false: they are lost
  // In place of a stream: the effects of each request, as one record (EffectReader::of_record). Who
  // keeps records keeps states, too.
  std::function<void(std::string record)> keep_record{};
  std::function<bool()> room{};  // false: nothing may be granted, there is no space to keep it
  // Several clients share it: none may begin, roll back, restore, move the clock, or end it for all.
  bool shared = false;
  // Why whoever asks may not ask for that; "": it is done.
  std::function<std::string(const SessionLine& line)> forbids{};
  JobHost* jobs = nullptr;    // who keeps jobs on its machine; it lives as long as the session
  std::vector<Policy> own{};  // policies that are not bundled, of what is restored
};

class SessionHistory : private EffectSink {
 public:
  explicit SessionHistory(SessionOutside outside) : outside_(std::move(outside)) {}
  SessionHistory(const SessionHistory&) = delete;
  SessionHistory& operator=(const SessionHistory&) = delete;

  // The engine that is followed from now on, and what a save of it has beside it. REQUIRES that it
  // lives until the next call, or as long as this.
  void follow(Engine& engine, const std::string& host);

  // Errors: invalid (one is open already; none is).
  [[nodiscard]] Result<void> begin(const Engine& engine);
  [[nodiscard]] Result<std::unique_ptr<Engine>> rollback();  // the engine as it was
  [[nodiscard]] Result<void> commit();
  [[nodiscard]] bool open() const { return kept_ != nullptr; }

  // Errors: invalid (there are no files), those of SessionOutside and of load().
  [[nodiscard]] Result<void> save_to(const Engine& engine, const std::string& host,
                                     const std::string& path) const;
  [[nodiscard]] Result<Loaded> load_from(const std::string& path) const;

  // Forgets what the engine has done since the last settle(): it came from a record.
  void forget();
  // Passes on what is settled; `clock`: a record of the clock too, if it has moved. Errors: io.
  [[nodiscard]] Result<void> settle(bool clock = false);

 private:
  void take(const Effect& effect) override;
  void write_clock();

  SessionOutside outside_;
  EffectWriter writer_, writer_before_;  // before: as of begin
  std::string waiting_;                  // bytes of the stream
  std::size_t settled_ = 0;              // of them, those from before begin
  std::optional<Effect> clock_;          // has moved, and nothing has happened since
  bool begun_ = false;                   // the stream has its head
  std::unique_ptr<Engine> kept_;         // as of begin; none is open: nullptr
};

}  // namespace copse
