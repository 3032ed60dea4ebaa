// SPDX-License-Identifier: Apache-2.0
//
// Any bytes of two clients of a service, in pieces: each line has one answer, in order; what a client
// is owed is bounded; and the records of what they did, applied to the first state, give the last.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "go_on.hpp"
#include "journal/record_batch.hpp"
#include "server/line_client.hpp"
#include "session/machines.hpp"
#include "target.hpp"

namespace {

using namespace copse;

class KeptRecords : public server::Journal {
 public:
  journal::Sequence append(std::string record) override {
    records.push_back(std::move(record));
    return records.size() - 1;
  }
  void snapshot(std::function<std::string()>) override {}
  [[nodiscard]] bool has_disk_space() const override { return records.size() < 200; }

  std::vector<std::string> records;
  std::string first;  // the state before the first record
};

// Stores the first state, or loads what a journal has.
class KeptStore : public journal::Store {
 public:
  explicit KeptStore(KeptRecords& journal) : journal_(journal) {}
  Result<void> append(journal::Sequence, std::span<const std::string>) override { return {}; }
  Result<void> snapshot(journal::Sequence, std::string_view state) override {
    journal_.first = state;
    return {};
  }
  Result<journal::Sequence> load(const journal::Recovery& host) override {
    if (journal_.first.empty()) return 0;
    if (auto ok = host.state(0, journal_.first); !ok) return std::unexpected(ok.error());
    const std::string batch = journal::batch_of(0, journal_.records);
    return journal::read_batch(0, batch, host.record);
  }

 private:
  KeptRecords& journal_;
};

std::unique_ptr<server::Service> service_of(KeptRecords& journal) {
  KeptStore store(journal);
  server::Service::Options start;
  start.make_session = [](SessionEnvironment environment) {
    return session_of_r(kPlainMachine, 0, {}, std::move(environment));
  };
  auto service = server::Service::recover(store, std::move(start));
  fuzz::require(service.has_value());
  return std::move(*service);
}

// No record has the time that passed without a change.
void require_recovery(server::Service& service, KeptRecords& journal) {
  const auto recovered = service_of(journal);
  fuzz::require(recovered->next() == journal.records.size());
  KeptRecords later;
  recovered->set_journal(later);
  (void)recovered->work(service.session().engine().now());
  const Engine& engine = service.session().engine();
  fuzz::require(recovered->session().engine().fingerprint() == engine.fingerprint());
  fuzz::require(recovered->jobs().table().saver()() == service.jobs().table().saver()());
}

}  // namespace

FUZZ_TARGET(line_client) {
  if (size < 2 || size > 8192) return 0;
  constexpr server::LineClient::Limits kLimits{.line_bytes_max = 400, .unsent_bytes_max = 5'000};
  const std::size_t piece = 1 + data[0];
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  KeptRecords journal;
  const auto service = service_of(journal);
  service->set_journal(journal);
  server::LineClient clients[2] = {{*service, kLimits}, {*service, kLimits}};
  std::size_t lines[2] = {}, answers[2] = {};
  bool open[2] = {};  // a line has begun
  std::string out;
  const auto settle = [&](std::size_t which) {
    out.clear();
    clients[which].send(journal.records.size(), out);
    for (std::size_t at = 0; at < out.size(); at = out.find('\n', at) + 1) {
      const std::string_view line = std::string_view(out).substr(at, out.find('\n', at) - at);
      const bool event = line.find("\"event\": ") != std::string_view::npos;
      answers[which] += event ? 0 : 1;  // events are nobody's answer
    }
    fuzz::require(out.size() < kLimits.unsent_bytes_max + 100'000);
  };
  std::int64_t now_s = 0;
  for (std::size_t turn = 0; !text.empty(); ++turn) {
    const std::size_t which = turn % 3 == 0 ? 1 : 0;
    server::LineClient& client = clients[which];
    while (!client.accepts_input() && !client.finished()) {
      settle(which);
      client.process(now_s);
    }
    const std::string_view some = text.substr(0, piece);
    text.remove_prefix(some.size());
    if (client.finished()) continue;
    lines[which] += static_cast<std::size_t>(std::ranges::count(some, '\n'));
    open[which] = some.back() != '\n';
    client.receive(some, ++now_s);
    (void)service->work(now_s);
  }
  for (const std::size_t which : {0U, 1U}) {
    server::LineClient& client = clients[which];
    client.end_input();
    client.process(now_s);
    while (!client.finished()) {
      settle(which);
      client.process(now_s);
    }
    settle(which);
    const std::size_t asked = lines[which] + (open[which] ? 1 : 0);
    fuzz::require(answers[which] <= asked);  // fewer if it said goodbye
  }
  require_recovery(*service, journal);
  return 0;
}
