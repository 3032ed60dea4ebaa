// SPDX-License-Identifier: Apache-2.0
#include "session/history.hpp"

#include <utility>
#include <variant>

namespace copse {

void SessionHistory::observe(Engine& engine, const std::string& host) {
  if (environment_.keep_record) return engine.observe(this);
  if (!environment_.write_effects) return;
  if (!head_written_) EffectWriter::append_head(buffered_);
  head_written_ = true;
  writer_.append_state(copse::save(engine, host), buffered_);
  engine.observe(this);
}

Result<void> SessionHistory::begin(const Engine& engine) {
  if (in_transaction()) return fail(ErrorCode::invalid, "a begin is open already");
  engine_before_ = engine.clone();
  writer_before_ = writer_;
  flushed_bytes_ = buffered_.size();
  return {};
}

Result<std::unique_ptr<Engine>> SessionHistory::rollback() {
  if (!in_transaction()) return fail(ErrorCode::invalid, "there is no begin to go back to");
  buffered_.resize(flushed_bytes_);
  writer_ = writer_before_;
  if (environment_.write_effects || environment_.keep_record) engine_before_->observe(this);
  return std::move(engine_before_);
}

Result<void> SessionHistory::commit() {
  if (!in_transaction()) return fail(ErrorCode::invalid, "there is no begin to commit");
  engine_before_.reset();
  return {};
}

Result<void> SessionHistory::save_to(const Engine& engine, const std::string& host,
                                     const std::string& path) const {
  if (!environment_.write_file) return fail(ErrorCode::invalid, "this session has no files");
  return environment_.write_file(path, copse::save(engine, host));
}

Result<Loaded> SessionHistory::load_from(const std::string& path) const {
  if (!environment_.read_file) return fail(ErrorCode::invalid, "this session has no files");
  const auto bytes = environment_.read_file(path);
  if (!bytes) return std::unexpected(bytes.error());
  return load(*bytes, environment_.extra_policies);
}

void SessionHistory::take(const Effect& effect) {
  ++changes_;
  const bool moved = environment_.keep_record && std::holds_alternative<effect::Advanced>(effect);
  if (moved && buffered_.empty()) {
    pending_clock_ = effect;
    return;
  }
  write_clock();
  writer_.append(effect, buffered_);
}

void SessionHistory::write_clock() {
  if (pending_clock_) writer_.append(*pending_clock_, buffered_);
  pending_clock_.reset();
}

void SessionHistory::discard() {
  buffered_.clear();
  pending_clock_.reset();
  writer_ = {};
}

Result<void> SessionHistory::flush(bool clock) {
  if (clock && !in_transaction()) write_clock();
  if (in_transaction() || buffered_.empty()) return {};
  if (environment_.keep_record) {
    environment_.keep_record(std::move(buffered_));
    discard();
    return {};
  }
  const bool written = environment_.write_effects(buffered_);
  buffered_.clear();
  if (!written) return fail(ErrorCode::io, "the effects cannot be written");
  return {};
}

}  // namespace copse
