// SPDX-License-Identifier: Apache-2.0
#include "rig.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "formats/grug/grug.hpp"
#include "request/hres.hpp"

namespace copse::bench {

void give_up(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

BusyClock::time_point BusyClock::now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return time_point(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

void register_on_machines(const std::string& name, void (*run)(benchmark::State&, const Part&),
                          int rounds) {
  const std::pair<const char*, Part> machines[] = {{"two_sockets", two_sockets(10'000)},
                                                   {"sierra_like", sierra_like()},
                                                   {"flat32", flat(1'000)}};
  for (const auto& [machine_name, machine] : machines) {
    const std::string row = name + '/' + machine_name + '/' + std::to_string(machine.pools());
    benchmark::RegisterBenchmark(row.c_str(), run, machine)
        ->UseManualTime()
        ->Iterations(rounds)
        ->Unit(benchmark::kMillisecond);
  }
}

Rig::Rig(const Part& machine, std::string_view policy, Traverser traverser)
    : engine_(require(
          Engine::create(require(read_grug(grug_text(machine), "machine")),
                         {.policy = require(find_policy(policy)), .traverser = traverser}))) {}

PreparedRequest Rig::prepare(const std::string& jobspec) {
  return require(engine_->prepare(require(parse_jobspec(jobspec))));
}

PreparedRequest Rig::prepare(const std::string& jobspec, const std::string& hres) {
  Request request = require(parse_jobspec(jobspec));
  request.hres = require(parse_hres_request(hres));
  return require(engine_->prepare(std::move(request)));
}

void Rig::add_resources(const HresSpec& spec) { require(engine_->add_resources(spec)); }

std::size_t Rig::last_charges() const {
  return engine_->grant(running_.back())->charges.layers.size();
}

std::uint64_t Rig::fill(std::vector<PreparedRequest>& requests, std::uint64_t matches_max) {
  std::uint64_t tried = 0;
  std::size_t turn = 0;
  while (tried < matches_max) {
    ++tried;
    if (!match(requests[turn])) break;
    if (++turn == requests.size()) turn = 0;
  }
  return tried;
}

void Rig::cancel_at(std::size_t place) {
  std::swap(running_[place], running_.back());
  if (!engine_->cancel(running_.back())) give_up("a cancel failed");
  running_.pop_back();
}

void Rig::cancel_some(std::uint64_t count, std::mt19937_64& random) {
  for (std::uint64_t i = 0; i < count; ++i) cancel_at(random() % running_.size());
}

void Rig::cancel_all() {
  while (!running_.empty()) cancel_last();
}

}  // namespace copse::bench
