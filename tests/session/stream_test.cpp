// SPDX-License-Identifier: Apache-2.0
//
// A session over a stream: however the bytes come, the answers are those of the lines, and who
// waits is answered before more is asked of him.
#include "session/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "session/machines.hpp"

namespace copse {
namespace {

struct Exchange {
  std::string answers;
  std::vector<std::size_t> answered_before_read;  // bytes of answers, at each read
};

Exchange serve_pieces(std::string_view input, std::size_t piece_bytes,
                      SessionRequestLimits limits = {}) {
  auto made = session_of_r(kPlainMachine, 0, limits);
  EXPECT_TRUE(made);
  Exchange out;
  const auto served = serve(*made, {.read_some =
                                        [&](char* to, std::size_t bytes_max) {
                                          out.answered_before_read.push_back(out.answers.size());
                                          const std::size_t n =
                                              std::min({piece_bytes, bytes_max, input.size()});
                                          std::memcpy(to, input.data(), n);
                                          input.remove_prefix(n);
                                          return n;
                                        },
                                    .write_all =
                                        [&](std::string_view text) {
                                          out.answers += text;
                                          return true;
                                        }});
  EXPECT_TRUE(served);
  return out;
}

TEST(SessionStream, PiecesDoNotMatter) {
  std::string input;
  for (int i = 0; i < 3'000; ++i) {
    input += R"({"op": "alloc", "id": 1, "shape": "slot=1/core", "duration": 5})";
    input += i % 2 == 0 ? "\n" : "\r\n";
    input += "{\"op\": \"free\", \"id\": 1}\n";
  }
  input += R"({"op": "info"})";  // without an end
  const std::string whole = serve_pieces(input, input.size()).answers;
  EXPECT_EQ(std::ranges::count(whole, '\n'), 6'001);
  EXPECT_EQ(whole.find("error"), std::string::npos);
  EXPECT_TRUE(whole.ends_with("{\"grants\": []}\n"));
  EXPECT_EQ(serve_pieces(input, 7).answers, whole);
  EXPECT_EQ(serve_pieces(input, 4'096).answers, whole);
}

TEST(SessionStream, WhoWaitsIsAnswered) {
  const std::string line = "{\"op\": \"info\"}\n", answer = "{\"grants\": []}\n";
  const Exchange done = serve_pieces(line + line + line, line.size());
  EXPECT_EQ(done.answered_before_read,
            (std::vector<std::size_t>{0, answer.size(), 2 * answer.size(), 3 * answer.size()}));
}

TEST(SessionStream, NothingIsReadBehindQuit) {
  EXPECT_EQ(serve_pieces("{\"op\": \"quit\"}\n{\"op\": \"info\"}\n", 100).answers, "{}\n");
  EXPECT_EQ(serve_pieces("", 100).answers, "");
}

TEST(SessionStream, LongLinesAreRefusedAndNotKept) {
  const std::string input = "{\"op\": \"info\"}\n" + std::string(1'000'000, 'x') +
                            "\n{\"op\": \"info\"}\n" + std::string(1'000'000, 'y');
  const std::string answers = serve_pieces(input, 65'536, {.bytes_max = 100'000}).answers;
  const std::string refusal =
      "{\"error\": \"invalid\", \"message\": \"the line has more than 100000 bytes\"}\n";
  const std::string info = "{\"grants\": []}\n";
  EXPECT_EQ(answers, info + refusal + info + refusal);
}

TEST(SessionStream, SaysThatNobodyReads) {
  auto session = session_of_r(kPlainMachine);
  ASSERT_TRUE(session);
  bool read = false;
  const auto served = serve(*session, {.read_some =
                                           [&](char* to, std::size_t) {
                                             std::memcpy(to, "{}\n", 3);
                                             return std::size_t{read ? 0U : (read = true, 3U)};
                                           },
                                       .write_all = [](std::string_view) { return false; }});
  ASSERT_FALSE(served);
  EXPECT_EQ(served.error().code, ErrorCode::io);
}

TEST(SessionStream, SaysWhyItCannotRead) {
  auto session = session_of_r(kPlainMachine);
  ASSERT_TRUE(session);
  const auto served =
      serve(*session, {.read_some = [](char*, std::size_t) -> Result<std::size_t> {
                         return fail(ErrorCode::io, "can't read requests: Input/output error");
                       },
                       .write_all = [](std::string_view) { return true; }});
  ASSERT_FALSE(served);
  EXPECT_EQ(served.error().text, "can't read requests: Input/output error");
}

}  // namespace
}  // namespace copse
