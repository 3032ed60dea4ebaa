// SPDX-License-Identifier: Apache-2.0
//
// The twenty rows of RFC 49's tables through `copse match`, `session` and `plan`: each gives the very R that
// the document has. tests/data/rfc49 has the rows.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tools/program.hpp"

namespace copse {
namespace {

struct Row {
  std::string name, shape, ranks, cores, gpus;
  int slots = 0;
};

// The topo of each cluster, as the programs write it.
constexpr const char* kTopoA =
    R"({"storage": [{"path": "/mnt/nvme", "capacity": 2, "unit": "TiB"}], "socket": [)"
    R"({"numa": [{"cores": "0-14", "gpus": "0"}, {"cores": "15-29", "gpus": "1"}, )"
    R"({"cores": "30-44", "gpus": "2"}, {"cores": "45-59", "gpus": "3"}]}, )"
    R"({"numa": [{"cores": "60-74", "gpus": "4"}, {"cores": "75-89", "gpus": "5"}, )"
    R"({"cores": "90-104", "gpus": "6"}, {"cores": "105-119", "gpus": "7"}]}]})";
constexpr const char* kTopoB =
    R"({"storage": [{"path": "/l/ssd", "capacity": 200, "unit": "GiB"}], "socket": [)"
    R"({"cores": "0-23", "gpus": "0", "memory": 125}, )"
    R"({"cores": "24-47", "gpus": "1", "memory": 126}, )"
    R"({"cores": "48-71", "gpus": "2", "memory": 126}, )"
    R"({"cores": "72-95", "gpus": "3", "memory": 126}]})";

class Rfc49Rows : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::istringstream text(scratch_.read("data/rfc49/rows"));
    const std::string prefix = GetParam() == "a" ? "TVA" : "TVB";
    for (Row row;
         text >> row.name >> row.shape >> row.ranks >> row.cores >> row.gpus >> row.slots;) {
      if (row.name.starts_with(prefix)) rows_.push_back(row);
    }
    ASSERT_EQ(rows_.size(), GetParam() == "a" ? 11u : 9u);
  }

  // RFC 49, *Allocated R*: the ranks of children are trimmed, and topo is carried through.
  [[nodiscard]] std::string expected(const Row& row) const {
    const bool one = row.ranks.find('-') == std::string::npos;
    return fmt::format(
        R"({{"version": 1, "execution": {{"R_lite": [{{"rank": "{0}", "children": {{"core": "{1}"{2}}}}}], )"
        R"("nodelist": ["{3}{4}"], "nslots": {5}}}, "scheduling": {{"writer": "TreePool", "children": )"
        R"([{{"ranks": "{0}", "topo": {6}}}]}}}})",
        row.ranks, row.cores, row.gpus == "-" ? "" : fmt::format(R"(, "gpu": "{}")", row.gpus),
        GetParam(), one ? row.ranks : "[" + row.ranks + "]", row.slots,
        GetParam() == "a" ? kTopoA : kTopoB);
  }
  [[nodiscard]] std::string machine() const { return "data/rfc49/" + GetParam() + ".json"; }

  Outcome copse(std::vector<std::string> words, std::string_view input = {}) const {
    words.insert(words.begin(), program("copse"));
    return run({.words = std::move(words), .input = input, .folder = scratch_.path()});
  }
  // An R without its times, which differ from program to program.
  static std::string without_times(std::string text) {
    static const std::regex kTimes(R"("starttime": \d+, "expiration": \d+, )");
    return std::regex_replace(text, kTimes, "");
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

  Scratch scratch_;
  std::vector<Row> rows_;
};

// The jobs of the rows before are those of --running.
TEST_P(Rfc49Rows, Match) {
  std::string running;
  for (const Row& row : rows_) {
    scratch_.write("running.jsonl", running);
    std::vector<std::string> words{"match", "-L", machine(), "--shape", row.shape, "-F", "rv1"};
    if (!running.empty()) words.insert(words.end(), {"--running", "running.jsonl"});
    const Outcome outcome = copse(words);
    EXPECT_EQ(outcome.errors, "") << row.name;
    EXPECT_EQ(without_times(outcome.output), expected(row) + "\n") << row.name;
    running += "{\"R\": " + outcome.output.substr(0, outcome.output.find('\n')) + "}\n";
  }
}

TEST_P(Rfc49Rows, Session) {
  std::string input;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    input += fmt::format("{{\"op\": \"alloc\", \"id\": {}, \"shape\": \"{}\", \"duration\": 60}}\n",
                         i + 1, rows_[i].shape);
  }
  const Outcome outcome = copse({"session", "-L", machine()}, input);
  EXPECT_EQ(outcome.errors, "");
  const std::vector<std::string> answers = lines_of(outcome.output);
  ASSERT_EQ(answers.size(), rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    EXPECT_EQ(without_times(answers[i]),
              fmt::format("{{\"id\": {}, \"at\": 0, \"R\": {}}}", i + 1, expected(rows_[i])))
        << rows_[i].name;
  }
}

TEST_P(Rfc49Rows, Plan) {
  std::string jobs;
  for (const Row& row : rows_) {
    jobs += fmt::format("{{\"id\": \"{}\", \"submit\": 0, \"duration\": 60, \"shape\": \"{}\"}}\n",
                        row.name, row.shape);
  }
  const Outcome outcome =
      copse({"plan", "-L", machine(), "--quiet", "--grants", "grants.jsonl", "-"}, jobs);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(outcome.status, 0);
  const std::vector<std::string> grants = lines_of(scratch_.read("grants.jsonl"));
  ASSERT_EQ(grants.size(), rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    EXPECT_EQ(without_times(grants[i]),
              fmt::format("{{\"id\": \"{}\", \"R\": {}}}", rows_[i].name, expected(rows_[i])));
  }
}

INSTANTIATE_TEST_SUITE_P(Clusters, Rfc49Rows, ::testing::Values("a", "b"),
                         [](const auto& cluster) { return cluster.param; });

}  // namespace
}  // namespace copse
