// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "session/machines.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kClients = 4;

}  // namespace

Simulation::Simulation(std::uint64_t seed) : random_(seed), requests_(seed) { start({}); }

void Simulation::fail(std::string what) {
  if (wrong_.empty()) wrong_ = std::move(what);
}

void Simulation::start(store::CrashDisk::Files files) {
  clients_.clear();
  service_ = nullptr;
  store_ = nullptr;
  disk_ = std::make_unique<store::CrashDisk>(std::move(files));
  auto store = store::SqliteStore::open(
      "/state", {.vfs = disk_->name(), .log_bytes_max = 100'000, .log_bytes_tidy = 50'000});
  if (!store) return fail("the disk can't be opened: " + store.error().message());
  store_ = std::move(*store);
  Service::Start start;
  start.snapshot_records = 40;
  start.fresh = [](SessionOutside outside) {
    return session_of_r(kPlainMachine, 0, {}, std::move(outside));
  };
  auto service = Service::recover(*store_, std::move(start));
  if (!service) return fail("the state can't be loaded: " + service.error().message());
  service_ = std::move(*service);
  pending_.clear();
  wanted_ = {};
  durable_ = service_->next();
  service_->keep_in(*this);
  for (std::size_t i = 0; i < kClients; ++i) clients_.emplace_back(*service_, LineClient::Limits{});
}

store::Sequence Simulation::append(std::string record) {
  pending_.push_back(std::move(record));
  return durable_ + pending_.size() - 1;
}

void Simulation::step() {
  if (!wrong_.empty()) return;
  switch (random_() % 16) {
    case 0: now_s_ += static_cast<std::int64_t>(random_() % 40); break;
    case 1:
    case 2:
    case 3:
    case 4: commit(); break;
    case 5:
      if (random_() % 12 == 0) lose_power();
      break;
    default: ask(); break;
  }
}

// The state after each record is remembered, until nobody could lose it any more.
void Simulation::ask() {
  LineClient& client = clients_[random_() % kClients];
  if (!client.listening()) return;
  const store::Sequence before = service_->next();
  if (states_.empty()) {
    states_.push_back({service_->session().engine().fingerprint(), service_->session().saver()});
    first_state_ = before;
  }
  const std::string line = requests_.next() + "\n";
  const std::size_t cut = random_() % line.size();
  client.take(std::string_view(line).substr(0, cut), now_s_);
  client.take(std::string_view(line).substr(cut), now_s_);
  const auto made = service_->next() - before;
  if (made > 2) fail("one request made more than two records");  // the clock's, and its own
  for (store::Sequence i = 0; i < made; ++i) {  // the first of two is the clock's: not asked for
    states_.push_back({service_->session().engine().fingerprint(), service_->session().saver()});
  }
  if (made == 2) states_[states_.size() - 2].fingerprint = 0;
}

void Simulation::commit() {
  if (!pending_.empty()) {
    if (!store_->append(durable_, pending_)) return fail("a commit failed");
    durable_ += pending_.size();
    pending_.clear();
  }
  if (wanted_) {
    if (!store_->snapshot(wanted_next_, std::exchange(wanted_, {})())) fail("a snapshot failed");
  }
  for (LineClient& client : clients_) {
    std::string out;
    client.send(durable_, out);
    if (out.empty()) continue;
    answers_ += static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n'));
    answered_ = durable_;
  }
  while (states_.size() > 1 && first_state_ < durable_) {
    states_.pop_front();
    ++first_state_;
  }
}

// At any step of the disk since the last commit; sometimes in the middle of one.
void Simulation::lose_power() {
  ++crashes_;
  const std::size_t before = disk_->steps();
  if (!pending_.empty() && random_() % 2 == 0) (void)store_->append(durable_, pending_);
  const std::size_t at = before + random_() % (disk_->steps() - before + 1);
  const store::Sequence promised = std::max(answered_, durable_);
  start(disk_->after(at, random_));
  if (wrong_.empty() && !states_.empty()) compare(promised);
  states_.clear();
}

void Simulation::compare(store::Sequence promised) {
  const store::Sequence found = service_->next();
  if (found < promised) return fail(fmt::format("{} of {} are there", found, promised));
  if (found >= first_state_ + states_.size()) return fail("there is what nobody asked for");
  const State& expected = states_[found - first_state_];
  if (expected.fingerprint == 0) return;  // the clock moved, and the request was lost
  if (service_->session().engine().fingerprint() != expected.fingerprint) {
    return fail(fmt::format("another state after {} records", found));
  }
  SessionOutside outside;
  outside.shared = true;
  auto twin = session_of_save(expected.save(), outside);
  auto now = session_of_save(service_->session().save(), outside);
  if (!twin || !now) return fail("a state can't be loaded");
  RandomRequests next(found);
  for (int i = 0; i < 10; ++i) {
    const std::string line = next.next();
    std::string a, b;
    twin->answer(line, a);
    now->answer(line, b);
    if (a != b) return fail("another answer to " + line + ": " + b + " not " + a);
  }
}

}  // namespace copse::server
