// SPDX-License-Identifier: Apache-2.0
//
// SessionHistory: transactions (begin, rollback, commit), saves, and the stream of effects of a
// session.
//
// Between begin and commit no effect is written: they are buffered, and rollback drops them
// together with their changes. Invariant: the engine equals the written part of the stream,
// applied, as of the last flush. With keep_record, an advance of the clock alone is not written; it
// is written with the next change, so that reads make no records.
//
// begin costs Engine::clone(), and later one copy of each shared part at its first change; rollback
// and commit cost O(1).
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

class JobHost;

// The environment of a session: files, effects, rights, jobs. An empty member: the session lacks
// it.
struct SessionEnvironment {
  std::function<Result<std::string>(const std::string& path)> read_file{};
  std::function<Result<void>(const std::string& path, std::string_view bytes)> write_file{};
  std::function<bool(std::string_view bytes)> write_effects{};  // false: they are lost
  // Instead of a stream: receives the effects of each request as one record
  // (EffectReader::of_record). A host that keeps records keeps states, too.
  std::function<void(std::string record)> keep_record{};
  std::function<bool()> has_disk_space{};  // false: requests that need space are refused
  // Several clients share the session: exclusive operations are refused (session_operations.hpp),
  // and quit ends only one client.
  bool shared = false;
  JobHost* jobs = nullptr;               // runs the jobs of the machine; must outlive the session
  std::vector<Policy> extra_policies{};  // plugin policies that a restored engine may use
};

class SessionHistory : private EffectSink {
 public:
  explicit SessionHistory(SessionEnvironment environment) : environment_(std::move(environment)) {}
  SessionHistory(const SessionHistory&) = delete;
  SessionHistory& operator=(const SessionHistory&) = delete;

  // The engine to observe, and the text that saves store with it. REQUIRES that the engine lives
  // until the next call, or as long as this.
  void observe(Engine& engine, const std::string& host);

  // Errors: invalid (a transaction is open already; none is open).
  [[nodiscard]] Result<void> begin(const Engine& engine);
  [[nodiscard]] Result<std::unique_ptr<Engine>> rollback();  // returns the engine as of begin
  [[nodiscard]] Result<void> commit();
  [[nodiscard]] bool in_transaction() const { return engine_before_ != nullptr; }

  // Errors: invalid (the session has no files), those of SessionEnvironment and of load().
  [[nodiscard]] Result<void> save_to(const Engine& engine, const std::string& host,
                                     const std::string& path) const;
  [[nodiscard]] Result<Loaded> load_from(const std::string& path) const;

  // Effects of the engine so far.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

  // Drops the effects since the last flush(): they came from a record.
  void discard();
  // Writes the effects, unless a transaction is open; with `clock`, also an advance of the clock
  // alone. Errors: io.
  [[nodiscard]] Result<void> flush(bool clock = false);

 private:
  void take(const Effect& effect) override;
  void write_clock();

  SessionEnvironment environment_;
  std::uint64_t changes_ = 0;
  EffectWriter writer_, writer_before_;    // before: as of begin
  std::string buffered_;                   // of the stream, not written yet
  std::size_t flushed_bytes_ = 0;          // size of buffered_ at begin
  std::optional<Effect> pending_clock_;    // an advance that is not in buffered_ yet
  bool head_written_ = false;              // the head of the stream is in buffered_ or written
  std::unique_ptr<Engine> engine_before_;  // as of begin; nullptr: no transaction is open
};

}  // namespace copse
