// SPDX-License-Identifier: Apache-2.0
//
// Values that the page is made of: packed bytes, cells of a schedule, latencies; and who has which
// nodes, against a count of its own.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <random>

#include <fmt/format.h>

#include "server/http_service.hpp"
#include "server/page/encoding.hpp"
#include "server/page/schedule_window.hpp"

namespace copse::server {
namespace {

std::string unzipped(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

std::string bytes_of(std::string_view base64) {
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    const unsigned digit = static_cast<unsigned>(c >= 'A' && c <= 'Z'   ? c - 'A'
                                                 : c >= 'a' && c <= 'z' ? c - 'a' + 26
                                                 : c >= '0' && c <= '9' ? c - '0' + 52
                                                 : c == '+'             ? 62
                                                                        : 63);
    bits = bits << 6U | digit;
    count += 6;
    if (count >= 8) out += static_cast<char>(bits >> (count -= 8) & 255U);
  }
  return out;
}

TEST(PackedBytes, AsTheirStandardsSay) {
  const std::map<std::string, std::string> vectors{
      {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}};
  for (const auto& [bytes, text] : vectors) {
    std::string out;
    append_base64(out, bytes);
    EXPECT_EQ(out, text);
  }
  for (const Effort effort : {Effort::quick, Effort::small}) {
    for (const std::size_t size : {0U, 1U, 70'000U}) {
      const std::string text(size, 'x');
      EXPECT_EQ(unzipped(gzip(text, effort)), text);
      EXPECT_EQ(gzip(text, effort), gzip(text, effort));
    }
  }
}

TEST(PackedBytes, WhoTakesGzip) {
  for (const std::string_view yes :
       {"gzip", "deflate, gzip", "gzip;q=0.1", "*", "br;q=1, x-gzip", " gzip ; q=1"}) {
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  }
  for (const std::string_view no :
       {"", "br", "gzip;q=0", "gzip; q=0.000", "identity", "*;q=0", "gzip;q=0, *", "xgzip"}) {
    EXPECT_FALSE(accepts_gzip(no)) << no;
  }
}

TEST(Latencies, ByShares) {
  LatencyHistogram latency;
  EXPECT_EQ(latency.percentile_us(99), 50);
  for (int i = 0; i < 98; ++i) latency.add(std::chrono::microseconds(80));
  latency.add(std::chrono::microseconds(9'000));
  latency.add(std::chrono::seconds(9));
  EXPECT_EQ(latency.percentile_us(50), 100);
  EXPECT_EQ(latency.percentile_us(98), 100);
  EXPECT_EQ(latency.percentile_us(99), 10'000);
  EXPECT_EQ(latency.percentile_us(100), 9'000'000);
  std::string text;
  latency.append_metric(text, "x_seconds", "X.");
  EXPECT_NE(text.find("x_seconds_bucket{le=\"0.0001\"} 98\n"), std::string::npos) << text;
  EXPECT_NE(text.find("x_seconds_bucket{le=\"+Inf\"} 100\n"), std::string::npos) << text;
}

struct Shown {
  unsigned job = 0, kind = 0, steps = 0;
};

// Cells of the text that a window writes: row after row.
std::vector<std::vector<Shown>> cells_of(const ScheduleWindow& window, std::uint32_t columns) {
  std::string text;
  JsonWriter json(text);
  json.object([&] { window.append(json); });
  const std::size_t at = text.find("\"cells\": \"") + 10;
  const std::string bytes = bytes_of(std::string_view(text).substr(at, text.find('"', at) - at));
  const auto number = [&](std::size_t i) {
    return static_cast<unsigned char>(bytes[i]) + 256U * static_cast<unsigned char>(bytes[i + 1]);
  };
  std::vector<std::vector<Shown>> out;
  for (std::size_t i = 0; i + 6 <= bytes.size(); i += 6) {
    if (out.empty() || out.back().size() == columns) out.emplace_back();
    const Shown shown{number(i), static_cast<unsigned char>(bytes[i + 2]),
                      static_cast<unsigned char>(bytes[i + 3])};
    out.back().insert(out.back().end(), number(i + 4), shown);
  }
  return out;
}

// A cell covers whole nodes and whole seconds here, so that a sum over these says what it has.
TEST(ScheduleWindows, CellsAreWhatASumOverNodesAndSecondsSays) {
  constexpr std::uint32_t kNodes = 24, kRows = 8, kColumns = 30;
  constexpr std::int64_t kFrom = 1'000, kSpan = 300;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    ScheduleWindow window({kFrom, kFrom + kSpan, 2, kNodes, kRows, kColumns});
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<JobId, double>> sums;
    for (std::size_t bar = 0; bar < 2 * ScheduleWindow::kBarsMax; ++bar) {
      const JobId job = 1 + random() % 500;
      const std::int64_t start = kFrom - 20 + static_cast<std::int64_t>(random() % (kSpan + 20));
      const std::int64_t end = start + 1 + static_cast<std::int64_t>(random() % 4);
      const NodeRange run{static_cast<std::uint32_t>(random() % 28), 1, 64, 0};
      window.add(ScheduleWindow::Kind::running, job, start, end, {&run, 1});
      for (std::int64_t s = std::max(start, kFrom); s < std::min(end, kFrom + kSpan); ++s) {
        if (run.first < 2 || run.first >= 2 + kNodes) continue;
        sums[{(run.first - 2) / 3, static_cast<std::uint32_t>((s - kFrom) / 10)}][job] += 0.25 / 30;
      }
    }
    const auto cells = cells_of(window, kColumns);
    ASSERT_EQ(cells.size(), kRows) << "seed " << seed;
    for (std::uint32_t row = 0; row < kRows; ++row) {
      ASSERT_EQ(cells[row].size(), kColumns);
      for (std::uint32_t column = 0; column < kColumns; ++column) {
        double all = 0;
        for (const auto& [job, share] : sums[{row, column}]) all += share;
        const Shown& shown = cells[row][column];
        if (all > 0.05) {
          EXPECT_NEAR(shown.steps, std::clamp(all * 8, 1.0, 8.0), 1.01) << row << ' ' << column;
          ASSERT_GE(shown.job, 1U);
          EXPECT_TRUE(sums[std::pair(row, column)].contains(window.jobs()[shown.job - 1]));
        } else if (all < 0.03) {
          EXPECT_EQ(shown.job, 0U) << row << ' ' << column << ' ' << all;
        }
      }
    }
  }
}

// By the lists of the machine's status, which counts pools.
TEST(MachineWatching, NodesAreAsTheirStatusSays) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    HttpService made;
    std::mt19937 random(seed);
    for (int step = 0; step < 60; ++step) {
      made.now_s += static_cast<std::int64_t>(random() % 20);
      const auto id = 1 + random() % 6;
      const std::string target = fmt::format("/v1/grants/{}", id);
      const unsigned what = random() % 4;
      if (what == 0) {
        (void)made.ask("DELETE", target);
      } else if (what == 1) {
        (void)made.ask("PATCH", fmt::format("/v1/nodes/n{}", random() % 4),
                       random() % 2 == 0 ? R"({"status": "down"})" : R"({"status": "up"})");
      } else {
        const std::string shape = what == 2 ? fmt::format("slot={}/core", 1 + random() % 5)
                                            : fmt::format("slot={}/node{{x}}", 1 + random() % 2);
        (void)made.ask(
            "PUT", target + (random() % 2 == 0 ? "?when=later" : ""),
            fmt::format(R"({{"shape": "{}", "duration": {}}})", shape, 10 + random() % 50));
      }
      made.service->advance(made.now_s);
      const MachineWatch& machine = made.page->machine();
      for (std::uint32_t n = 0; n < 4; ++n) {
        const std::string node = made.ask("GET", fmt::format("/v1/nodes/n{}", n)).body;
        const NodeSummary& look = machine.nodes()[n];
        const bool down = node.find(R"("status": "up")") == std::string::npos;
        const bool used = node.find(R"("allocated")") != std::string::npos;
        const bool free = node.find(R"("free")") != std::string::npos;
        EXPECT_EQ((look.state & NodeSummary::kDown) != 0, down) << seed << ' ' << step << node;
        const unsigned use = look.state & 3U;
        EXPECT_EQ(use == NodeSummary::free, !used) << seed << ' ' << step << node;
        if (down) continue;
        EXPECT_EQ(use == NodeSummary::full, used && !free) << seed << ' ' << step << node;
      }
    }
  }
}

// A grant that ends, and another one with its id, size and start, between two looks.
TEST(MachineWatching, SeesThatAnIdWasGrantedAgain) {
  HttpService made;
  const auto grant = [&] {
    return made.ask("PUT", "/v1/grants/5", R"({"shape": "slot=1/node{x}", "duration": 100})")
        .status;
  };
  const auto full_node = [&] {
    made.service->advance(made.now_s);
    const auto nodes = made.page->machine().nodes();
    const auto full = std::ranges::find_if(
        nodes, [](const NodeSummary& node) { return (node.state & 3U) == NodeSummary::full; });
    return static_cast<std::size_t>(full - nodes.begin());
  };
  ASSERT_EQ(grant(), 201U);
  const std::size_t first = full_node();
  ASSERT_LT(first, 4U);
  const std::string node = fmt::format("/v1/nodes/n{}", first);
  ASSERT_EQ(made.ask("DELETE", "/v1/grants/5").status, 200U);
  ASSERT_EQ(made.ask("PATCH", node, R"({"status": "down"})").status, 200U);
  ASSERT_EQ(grant(), 201U);
  EXPECT_NE(full_node(), first);
}

}  // namespace
}  // namespace copse::server
