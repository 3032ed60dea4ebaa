// SPDX-License-Identifier: Apache-2.0
//
// A service with jobs on a small machine, asked line by line.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "memory_store.hpp"

namespace copse::server {

class JobDesk : public testing::Test {
 protected:
  // The time of leases is that of the clock, unless it has its own.
  std::string ask(const std::string& line) {
    if (desk.service->set_lease_time(lease_s.value_or(now_s) * 1'000)) {
      desk.service->expire_leases(now_s);
    }
    std::string out = desk.service->answer(line, now_s).text();
    while (!desk.service->work(now_s)) {
    }
    out.pop_back();
    return out;
  }
  std::string submit(int id, std::string_view shape, int duration_s, std::string_view more = "") {
    return ask(fmt::format(R"({{"op": "submit", "id": {}, "shape": "{}", "duration": {}{}}})", id,
                           shape, duration_s, more));
  }
  std::string of(std::string_view op, int id) {
    return ask(fmt::format(R"({{"op": "{}", "id": {}}})", op, id));
  }
  std::string state(int id) {
    const std::string text = of("job", id);
    const std::size_t at = text.find("\"state\": \"");
    if (at == std::string::npos) return text;
    return text.substr(at + 10, text.find('"', at + 10) - at - 10);
  }
  std::string events(std::uint64_t since) {
    std::string out;
    EventWatch watch{.next = since};
    (void)desk.service->read_events(watch, desk.service->next(), SIZE_MAX, kOwner, out);
    return out;
  }
  void restart() { desk.restart(); }
  std::string ask_as(const Caller& caller, const std::string& line) {
    std::string out = desk.service->answer(line, now_s, 0, caller).text();
    while (!desk.service->work(now_s)) {
    }
    out.pop_back();
    return out;
  }

  ServiceInMemory desk;
  std::int64_t now_s = 1'000;
  std::optional<std::int64_t> lease_s{};  // the clock of leases
};

}  // namespace copse::server
