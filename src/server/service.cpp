// SPDX-License-Identifier: Apache-2.0
#include "server/service.hpp"

#include <cassert>
#include <utility>

#include <fmt/format.h>

namespace copse::server {

Result<std::unique_ptr<Service>> Service::recover(store::Store& store, Start start) {
  std::unique_ptr<Service> out(new Service(std::move(start)));
  if (auto ok = out->load(store); !ok) return std::unexpected(ok.error());
  return out;
}

SessionOutside Service::outside() {
  SessionOutside out;
  out.keep_record = [this](std::string record) { keep(std::move(record)); };
  out.room = [this] { return journal_ == nullptr || journal_->room(); };
  out.shared = true;
  out.own = start_.own;
  return out;
}

Result<void> Service::load(store::Store& store) {
  const auto next = store.load(
      {.state = [this](store::Sequence, std::string_view state) -> Result<void> {
         auto session = session_of_save(state, outside());
         if (!session) return std::unexpected(session.error());
         session_ = std::make_unique<Session>(std::move(*session));
         return {};
       },
       .record = [this](store::Sequence number, std::string_view record) -> Result<void> {
         if (session_ == nullptr)
           return fail(ErrorCode::invalid, "there is no state to start from");
         auto done = session_->apply(record);
         if (done) return {};
         return fail(done.error().code,
                     fmt::format("record {} can't be applied: {}", number, done.error().message()));
       }});
  if (!next) return std::unexpected(next.error());
  next_ = *next;
  recovered_ = session_ != nullptr;
  if (recovered_) return {};
  auto session = start_.fresh(outside());
  if (!session) return std::unexpected(session.error());
  session_ = std::make_unique<Session>(std::move(*session));
  // Before any record: records without a state to start from could not be recovered.
  return store.snapshot(next_, session_->save());
}

void Service::keep(std::string record) {
  assert(journal_ != nullptr);
  bytes_since_ += record.size();
  ++records_since_;
  const store::Sequence number = journal_->append(std::move(record));
  assert(number == next_);
  next_ = number + 1;
}

void Service::snapshot() {
  journal_->snapshot(session_->saver());
  records_since_ = bytes_since_ = 0;
}

Service::Answer Service::answer(std::string_view line, std::int64_t now_s,
                                std::size_t readable_past) {
  Answer out;
  const auto advanced = session_->advance(now_s);
  // A clock beyond the horizon: the session says what it can still do.
  (void)advanced;
  out.last = !session_->answer(line, out.text, readable_past);
  out.needs = next_;
  if (records_since_ >= start_.snapshot_records || bytes_since_ >= start_.snapshot_bytes) {
    snapshot();
  }
  return out;
}

Service::Answer Service::refuse_long_line(std::size_t bytes_max) const {
  Answer out;
  Session::refuse_long_line(bytes_max, out.text);
  out.needs = next_;
  return out;
}

}  // namespace copse::server
