// SPDX-License-Identifier: Apache-2.0
//
// The program `copse serve` with as many clients as it may have, most of which do nothing.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "journal/temporary_folder.hpp"
#include "paths.hpp"
#include "serving.hpp"

namespace copse::server {
namespace {

constexpr std::size_t kIdleMax = 9'990, kOtherFiles = 100;
constexpr std::size_t kKibOfOneMax = 24;

// As many as this process may have open.
std::size_t idle_clients() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
  return std::min<std::size_t>(kIdleMax,
                               limit.rlim_cur - std::min<rlim_t>(limit.rlim_cur, kOtherFiles));
}

TEST(ServeIdle, ClientsCostLittleAndHarmNobody) {
  const journal::TemporaryFolder folder;
  Serving serving(folder.path().string(), source_dir() + "/examples/machines/desk.graphml");
  const auto good = serving.connect();
  ASSERT_NE(good, nullptr);
  ASSERT_NE(good->ask(R"({"op": "info"})"), "");
  const std::size_t before_kib = serving.resident_kib(), count = idle_clients();
  std::vector<std::unique_ptr<LineSocket>> idle;
  for (std::size_t i = 0; i < count; ++i) {
    idle.push_back(std::make_unique<LineSocket>(serving.path()));
    ASSERT_TRUE(idle.back()->connected()) << i;
    // Silent; half a line; half a header; half a body; one that sends no more, and reads on.
    static constexpr std::string_view kBegun[] = {
        "", R"({"op": "al)", "GET /v1/mach",
        "POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{", ""};
    ASSERT_TRUE(idle.back()->send(kBegun[i % 5])) << i;
    if (i % 5 == 4) idle.back()->send_no_more();
    if (i % 100 == 0) {
      ASSERT_TRUE(
          good->ask(fmt::format(R"({{"op": "{}", "id": 1, "shape": "slot=1/core", "duration": 0}})",
                                i % 200 == 0 ? "alloc" : "free"))
              .starts_with(i % 200 == 0 ? "{\"id\"" : "{}"))
          << i;
    }
  }
  for (int i = 0; i < 100; ++i) ASSERT_NE(good->ask(R"({"op": "status"})"), "");
  const std::size_t after_kib = serving.resident_kib();
  RecordProperty("clients", std::to_string(count));
  RecordProperty("kib", std::to_string(after_kib - before_kib));
  EXPECT_LT(after_kib, before_kib + count * kKibOfOneMax + 4'096);
  idle.clear();
  EXPECT_NE(good->ask(R"({"op": "status"})"), "");
}

}  // namespace
}  // namespace copse::server
