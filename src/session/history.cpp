// SPDX-License-Identifier: Apache-2.0
#include "session/history.hpp"

#include <utility>
#include <variant>

namespace copse {

void SessionHistory::follow(Engine& engine, const std::string& host) {
  if (outside_.keep_record) return engine.observe(this);
  if (!outside_.write_effects) return;
  if (!begun_) EffectWriter::append_head(waiting_);
  begun_ = true;
  writer_.append_state(copse::save(engine, host), waiting_);
  engine.observe(this);
}

Result<void> SessionHistory::begin(const Engine& engine) {
  if (open()) return fail(ErrorCode::invalid, "a begin is open already");
  kept_ = engine.clone();
  writer_before_ = writer_;
  settled_ = waiting_.size();
  return {};
}

Result<std::unique_ptr<Engine>> SessionHistory::rollback() {
  if (!open()) return fail(ErrorCode::invalid, "there is no begin to go back to");
  waiting_.resize(settled_);
  writer_ = writer_before_;
  if (outside_.write_effects || outside_.keep_record) kept_->observe(this);
  return std::move(kept_);
}

Result<void> SessionHistory::commit() {
  if (!open()) return fail(ErrorCode::invalid, "there is no begin to commit");
  kept_.reset();
  return {};
}

Result<void> SessionHistory::save_to(const Engine& engine, const std::string& host,
                                     const std::string& path) const {
  if (!outside_.write_file) return fail(ErrorCode::invalid, "this session has no files");
  return outside_.write_file(path, copse::save(engine, host));
}

Result<Loaded> SessionHistory::load_from(const std::string& path) const {
  if (!outside_.read_file) return fail(ErrorCode::invalid, "this session has no files");
  const auto bytes = outside_.read_file(path);
  if (!bytes) return std::unexpected(bytes.error());
  return load(*bytes, outside_.own);
}

void SessionHistory::take(const Effect& effect) {
  const bool moved = outside_.keep_record && std::holds_alternative<effect::Advanced>(effect);
  if (moved && waiting_.empty()) {
    clock_ = effect;
    return;
  }
  write_clock();
  writer_.append(effect, waiting_);
}

void SessionHistory::write_clock() {
  if (clock_) writer_.append(*clock_, waiting_);
  clock_.reset();
}

void SessionHistory::forget() {
  waiting_.clear();
  clock_.reset();
  writer_ = {};
}

Result<void> SessionHistory::settle(bool clock) {
  if (clock && !open()) write_clock();
  if (open() || waiting_.empty()) return {};
  if (outside_.keep_record) {
    outside_.keep_record(std::move(waiting_));
    forget();
    return {};
  }
  const bool written = outside_.write_effects(waiting_);
  waiting_.clear();
  if (!written) return fail(ErrorCode::io, "the effects cannot be written");
  return {};
}

}  // namespace copse
