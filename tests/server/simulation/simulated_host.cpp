// SPDX-License-Identifier: Apache-2.0
#include "simulated_host.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "granted_units.hpp"
#include "requests.hpp"
#include "server/jobs/journal_parts.hpp"
#include "server/user_grants.hpp"
#include "session/machines.hpp"

namespace copse::server {

namespace {

constexpr int kAskedOfTwins = 8;

// A service in a state that was never on a disk.
class Twin : Journal, journal::Store {
 public:
  Twin(std::string state, journal::Sequence next, Service::Options start)
      : state_(std::move(state)), next_(next) {
    auto made = Service::recover(*this, std::move(start));
    if (!made) return;
    service = std::move(*made);
    service->set_journal(*this);
  }
  std::unique_ptr<Service> service;  // nullptr: the state can't be loaded

 private:
  journal::Sequence append(std::string) override { return next_++; }
  void snapshot(std::function<std::string()>) override {}
  [[nodiscard]] bool has_disk_space() const override { return true; }
  Result<void> append(journal::Sequence, std::span<const std::string>) override { return {}; }
  Result<void> snapshot(journal::Sequence, std::string_view) override { return {}; }
  Result<journal::Sequence> load(const journal::Recovery& host) override {
    if (auto ok = host.state(next_, state_); !ok) return std::unexpected(ok.error());
    return next_;
  }

  std::string state_;
  journal::Sequence next_;
};

std::vector<std::string_view> sorted_lines(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

SimulatedHost::SimulatedHost(std::uint64_t seed) : random_(seed) {
  start({});
  if (!wrong_.empty()) return;
  note_state();
  first_state_ = service_->next();
}

void SimulatedHost::fail(std::string what) {
  if (wrong_.empty()) wrong_ = std::move(what);
}

Service::Options SimulatedHost::start_options() {
  Service::Options out;
  out.snapshot_records = 40;
  out.jobs.grants = wide_grant_bounds();
  out.make_session = [](SessionEnvironment environment) {
    return session_of_r(kPlainMachine, 0, {}, std::move(environment));
  };
  return out;
}

bool SimulatedHost::try_start(journal::CrashDisk::Files files, bool broken) {
  http_ = nullptr;
  events_ = nullptr;
  service_ = nullptr;
  store_ = nullptr;
  disk_ = std::make_unique<journal::CrashDisk>(std::move(files));
  if (broken) disk_->fail_from(random_() % 12, random_() % 2 == 0);
  auto store = journal::SqliteStore::open(
      "/state", {.vfs = disk_->name(), .log_bytes_max = 100'000, .log_bytes_idle_max = 50'000});
  if (!store) {
    if (!broken) fail("the disk can't be opened: " + store.error().message());
    return false;
  }
  store_ = std::move(*store);
  Service::Options options = start_options();
  options.jobs.start_budget = [this] {
    return [looks = looks_]() mutable { return looks-- <= 0; };
  };
  auto service = Service::recover(*store_, std::move(options));
  if (!service) {
    if (!broken) fail("the state can't be loaded: " + service.error().message());
    return false;
  }
  service_ = std::move(*service);
  return true;
}

void SimulatedHost::start(journal::CrashDisk::Files files) {
  // A broken disk may keep it from starting, and loses nothing by that.
  if (random_() % 4 == 0 && !try_start(files, true) && disk_ != nullptr) {
    service_ = nullptr;
    store_ = nullptr;
    files = random_() % 2 == 0 ? disk_->files() : disk_->after(disk_->steps(), random_);
  }
  leases_ = LeaseClock(kTick_ms);
  renewed_.clear();
  if (try_start(std::move(files), false)) connect();
}

void SimulatedHost::connect() {
  pending_.clear();
  wanted_ = {};
  refused_ = false;
  durable_ = service_->next();
  service_->set_journal(*this);
  auto recent = service_->take_recent_records();
  events_ = std::make_unique<EventLog>(service_->session().engine(),
                                       service_->next() - recent.size(), EventLog::Limits{});
  for (std::string& record : recent) events_->add(std::move(record));
  http_ = std::make_unique<HttpContext>(
      HttpContext{.service = *service_, .events = *events_, .version = "simulated"});
}

void SimulatedHost::note_state() { states_.push_back(service_->saver()); }

journal::Sequence SimulatedHost::append(std::string record) {
  events_->add(record);
  pending_.push_back(std::move(record));
  note_state();
  return durable_ + pending_.size() - 1;
}

void SimulatedHost::snapshot(std::function<std::string()> state) {
  wanted_ = std::move(state);
  wanted_next_ = durable_ + pending_.size();
}

bool SimulatedHost::write() {
  refused_ = true;
  if (!pending_.empty()) {
    if (!store_->append(durable_, pending_)) return false;
    durable_ += pending_.size();
    pending_.clear();
  }
  if (wanted_ && !store_->snapshot(wanted_next_, std::exchange(wanted_, {})())) return false;
  refused_ = false;
  return true;
}

// Earlier states are not possible any more: what followed them is durable.
bool SimulatedHost::commit() {
  if (!write()) return false;
  while (states_.size() > 1 && first_state_ < durable_) {
    states_.pop_front();
    ++first_state_;
  }
  return true;
}

void SimulatedHost::break_disk() {
  disk_->fail_from(disk_->steps() + random_() % 6, random_() % 2 == 0);
}

void SimulatedHost::work() {
  looks_ = random_() % 3 == 0 ? static_cast<int>(random_() % 4) : INT32_MAX;
  leases_.tick(now_s * 1'000, now_s, *service_, turns_);
  check_lost();
  (void)service_->work(now_s);
  looks_ = INT32_MAX;
}

// A lease lasts from the moment at which its renewal was sent, however long the line waited.
void SimulatedHost::check_lost() {
  std::erase_if(renewed_, [&](const auto& one) {
    const JobRow* row = service_->jobs().table().find(one.first);
    if (row != nullptr && row->stage != JobStage::ended) return false;
    if (row != nullptr && row->result == "lost" && row->message.starts_with("lease") &&
        leases_.time_ms() < one.second + row->lease * 1'000) {
      fail(fmt::format("job {} is lost at {}; its lease of {} s was renewed at {}", one.first,
                       leases_.time_ms(), row->lease, one.second));
    }
    return true;
  });
}

void SimulatedHost::serve() {
  struct Limit {
    const std::int64_t& clock_ns;
    std::int64_t at;
  } limit{clock_ns_, clock_ns_ + kTurn_ns};
  const queue::WorkBudget budget{.expired =
                                     [](void* of) {
                                       const Limit& one = *static_cast<Limit*>(of);
                                       return one.clock_ns >= one.at;
                                     },
                                 .context = &limit};
  while (!turns_.empty() && clock_ns_ < limit.at) {
    turns_.run(budget, [this] { return clock_ns_; });
    if (!turns_.check()) return fail("the turns are not in order");
  }
}

void SimulatedHost::end(End how) {
  ++ends_;
  const journal::Sequence promised = durable_;
  const std::size_t before = disk_->steps();
  if (how == End::stopped) {
    service_->snapshot();
    if (!write() || !store_->close()) how = End::killed;
  } else if (!refused_ && random_() % 2 == 0) {
    (void)write();
  }
  // At any step since; no client was answered in between.
  std::size_t at = disk_->steps();
  if (how != End::stopped) at = before + random_() % (disk_->steps() - before + 1);
  start(how == End::power_lost ? disk_->after(at, random_) : disk_->all_after(at));
  if (!wrong_.empty()) return;
  const std::deque<std::function<std::string()>> states = std::exchange(states_, {});
  const journal::Sequence first = std::exchange(first_state_, service_->next());
  note_state();
  const journal::Sequence found = service_->next();
  if (found < promised) return fail(fmt::format("{} of {} are there", found, promised));
  if (found >= first + states.size()) return fail("the disk has records that no client requested");
  compare(states[found - first]);
}

// With one that begins from the state that was remembered: what a queue holds in the engine is not the
// same before and after.
void SimulatedHost::compare(const std::function<std::string()>& remembered) {
  const journal::Sequence found = service_->next();
  Twin twin(remembered(), found, start_options());
  if (twin.service == nullptr) return fail("a state can't be loaded");
  // The clock alone makes no record: a state that was kept later has a later one.
  twin.service->advance(now_s);
  service_->advance(now_s);
  if (service_->session().engine().fingerprint() !=
      twin.service->session().engine().fingerprint()) {
    return fail(fmt::format("another state after {} records", found));
  }
  const std::string now = service_->saver()(), then = twin.service->saver()();
  const auto a = split_parts(now), b = split_parts(then);
  if (!a || !b) return fail("a state has no parts");
  if (a->jobs != b->jobs) return fail(fmt::format("other jobs: {}\nnot {}", a->jobs, b->jobs));
  if (a->reservations != b->reservations) {
    return fail(fmt::format("other reservations: {}\nnot {}", a->reservations, b->reservations));
  }
  if (sorted_lines(a->usage) != sorted_lines(b->usage)) return fail("other usage");
  if (sorted_lines(a->clients) != sorted_lines(b->clients)) return fail("other clients");
  if (const std::string twice = granted_twice(service_->session()); !twice.empty()) {
    return fail(twice);
  }
  ask_both(*twin.service);
}

void SimulatedHost::ask_both(Service& twin) {
  RandomRequests requests(service_->next());
  requests.knows(service_->jobs().table().next_id() - 1);
  for (int i = 0; i < kAskedOfTwins; ++i) {
    const std::string line = requests.line();
    const std::string expected = twin.answer(line, now_s).text();
    const std::string got = service_->answer(line, now_s).text();
    if (got != expected) return fail("another answer to " + line + ": " + got + "not " + expected);
    while (!twin.work(now_s)) {
    }
    while (!service_->work(now_s)) {
    }
  }
}

}  // namespace copse::server
