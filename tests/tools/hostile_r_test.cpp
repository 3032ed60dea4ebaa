// SPDX-License-Identifier: Apache-2.0
//
// copse r on sets of hostile sizes: each is answered, or refused with one sentence.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/program.hpp"

namespace copse {
namespace {

constexpr int kMany = kSanitized ? 100'000 : 1'000'000;

std::string r_of(const std::string& entries, const std::string& more = "") {
  return R"({"version":1,"execution":{"R_lite":[)" + entries + "]" + more + "}}";
}

Outcome r(const std::vector<std::string>& words, const std::string& input) {
  const Scratch scratch;
  Command command{.words = {program("copse"), "r"},
                  .input = input,
                  .folder = scratch.path(),
                  .memory_bytes_max = UINT64_C(3) << 30};
  command.words.insert(command.words.end(), words.begin(), words.end());
  const Outcome out = run(command);
  EXPECT_EQ(out.ended_by, "");
  return out;
}

void expect_r_refused(const std::vector<std::string>& words, const std::string& input,
                      const std::string& part) {
  const Outcome out = r(words, input);
  EXPECT_EQ(out.status, 2);
  EXPECT_EQ(out.output, "");
  EXPECT_NE(out.errors.find(part), std::string::npos) << out.errors.substr(0, 300);
  EXPECT_LT(out.errors.size(), 500U);
  EXPECT_EQ(out.errors.find('\n'), out.errors.size() - 1) << "more than one line";
}

// An entry for each of many ranks.
std::string many_ranks() {
  std::string out;
  for (int i = 0; i < kMany; ++i) {
    out += (i > 0 ? "," : "") + std::string(R"({"rank":")") + std::to_string(i) +
           R"(","children":{"core":")" + std::to_string(i % 7) + "\"}}";
  }
  return r_of(out);
}

TEST(HostileR, ManyRanksAreCounted) {
  EXPECT_EQ(r({"decode", "-c", "node"}, many_ranks()).output, std::to_string(kMany) + "\n");
}

TEST(HostileR, ManyRanksAreMapped) {
  EXPECT_EQ(r({"remap"}, many_ranks()).output,
            R"({"version": 1, "execution": {"R_lite": [{"rank": "0-)" + std::to_string(kMany - 1) +
                R"(", "children": {"core": "0"}}], "starttime": 0.0, "expiration": 0.0}})" + "\n");
}

TEST(HostileR, ManyEntriesOfOneRank) {
  std::string ids;
  for (int i = 0; i < kMany; ++i) {
    ids += (i > 0 ? "," : "") + std::string(R"({"rank":"0","children":{"core":")") +
           std::to_string(i) + "\"}}";
  }
  EXPECT_EQ(r({"decode", "-s"}, r_of(ids)).output,
            "rank0/core[0-" + std::to_string(kMany - 1) + "]\n");
}

TEST(HostileR, BillionsOfIds) {
  const std::string ids = r_of(R"({"rank":"0-9","children":{"core":"0-4294967295"}})");
  EXPECT_EQ(r({"decode", "-c", "core"}, ids).output, "42949672960\n");
  EXPECT_EQ(
      r({"diff"}, ids + r_of(R"({"rank":"0-9","children":{"core":"1-4294967294"}})")).output,
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-9", "children": {"core": "0,4294967295"}}], )"
      R"("starttime": 0.0, "expiration": 0.0}})"
      "\n");
  expect_r_refused({"decode"}, r_of(R"({"rank":"0-4294967295","children":{"core":"0"}})"),
                   "standard input:1:45: rank goes beyond rank 2147483647");
  expect_r_refused({"decode"}, r_of(R"({"rank":"0-2147483647","children":{"core":"0"}})"),
                   "R_lite has 2147483648 ranks; the limit is 1048576");
  expect_r_refused({"rerank", "a[0-4294967295]"}, ids, "more than 1048576 hosts");
}

TEST(HostileR, LongNames) {
  const std::string name(10'000'000, 'x');
  EXPECT_EQ(r({"decode", "-c", name.substr(0, 1000)},
              r_of(R"({"rank":"0","children":{")" + name + R"(":"0"}})"))
                .output,
            "0\n");
  const std::string property =
      r_of(R"({"rank":"0-1","children":{"core":"0"}})", R"(,"properties":{")" + name + R"(":"1"})");
  EXPECT_GT(r({"set-property", "a"}, property).output.size(), name.size());
  expect_r_refused({"set-property", "a|" + name.substr(0, 1000)}, property, "has the character |");
  expect_r_refused(
      {"decode"},
      r_of(R"({"rank":"0","children":{"core":"0"}})", R"(,"nodelist":[")" + name + "\"]"),
      "hostlist: a name is longer than 1048576 bytes");
  expect_r_refused({"append"},
                   r_of(R"({"rank":"0","children":{")" + name + R"(":"0"}})") +
                       r_of(R"({"rank":"0","children":{")" + name + R"(":"0"}})"),
                   "twice");
}

// Each entry is short, but their product is not.
TEST(HostileR, PiecesThatMultiply) {
  std::string odd, entries;
  for (int i = 0; i < 100'000; ++i) odd += (i > 0 ? "," : "") + std::to_string(2 * i);
  for (int i = 0; i < 100'000; ++i) {
    entries += (i > 0 ? "," : "") + std::string(R"({"rank":")") + std::to_string(i) +
               R"(","children":{"core":")" + std::to_string(i) + "\"}}";
  }
  expect_r_refused(
      {"diff"}, r_of(R"({"rank":"0-100000","children":{"core":")" + odd + "\"}}") + r_of(entries),
      "the sets come to more than 67108864 ranges of ids");
}

}  // namespace
}  // namespace copse
