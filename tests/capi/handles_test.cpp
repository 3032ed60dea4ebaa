// SPDX-License-Identifier: Apache-2.0
//
// What a caller may do wrong: handles, structs, null pointers. Everything gets an error.
#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <thread>
#include <vector>

#include "capi/c_api.hpp"
#include "paths.hpp"

namespace copse::capi {

extern "C" int copse_from_c(void);

namespace {

TEST_F(CApi, HandlesThatAreNone) {
  EXPECT_EQ(copse_cancel(nullptr, 1, &error), COPSE_BAD_HANDLE);
  EXPECT_STREQ(error.text, "the handle does not refer to an existing engine");
  int object = 0;
  EXPECT_EQ(copse_cancel(reinterpret_cast<copse_engine*>(&object), 1, &error), COPSE_BAD_HANDLE);
  EXPECT_EQ(copse_cancel(reinterpret_cast<copse_engine*>(machine), 1, &error), COPSE_BAD_HANDLE);
  for (std::uint64_t flip = 0; flip < 64; ++flip) {
    const auto number = reinterpret_cast<std::uint64_t>(engine) ^ std::uint64_t{1} << flip;
    EXPECT_EQ(copse_cancel(reinterpret_cast<copse_engine*>(number), 1, &error), COPSE_BAD_HANDLE)
        << flip;
  }
  copse_request* const node = request("slot=1/node{x}");
  EXPECT_EQ(copse_request_free(node), COPSE_OK);
  EXPECT_EQ(copse_request_free(node), COPSE_BAD_HANDLE);
  copse_request* const again = request("slot=1/node{x}");
  EXPECT_EQ(match(COPSE_ALLOCATE, node, 1), "bad_handle");
  EXPECT_EQ(copse_request_free(again), COPSE_OK);
}

TEST_F(CApi, RequestsOutliveTheirEngine) {
  copse_request* const node = request("slot=1/node{x}");
  copse_engine* other = nullptr;
  ASSERT_EQ(copse_engine_new(machine, nullptr, &other, &error), COPSE_OK);
  ASSERT_EQ(copse_engine_free(engine), COPSE_OK);
  EXPECT_EQ(match(COPSE_ALLOCATE, node, 1), "bad_handle");
  EXPECT_EQ(copse_match(other, COPSE_ALLOCATE, node, 1, nullptr, nullptr, &error), COPSE_INVALID);
  EXPECT_EQ(copse_request_set_duration(node, 5, &error), COPSE_OK);
  EXPECT_EQ(copse_request_free(node), COPSE_OK);
  engine = other;
}

TEST_F(CApi, SizesOfStructs) {
  copse_engine_info info = COPSE_ENGINE_INFO_INIT;
  info.size = 0;
  EXPECT_EQ(copse_engine_describe(engine, &info, &error), COPSE_INVALID);
  info.size = sizeof info - 8;
  EXPECT_EQ(copse_engine_describe(engine, &info, &error), COPSE_INVALID);
  // A program of a later version: what this one does not know is 0, and must be 0 in options.
  struct {
    copse_engine_info known;
    std::uint64_t later;
  } longer{COPSE_ENGINE_INFO_INIT, 77};
  longer.known.size = sizeof longer;
  EXPECT_EQ(copse_engine_describe(engine, &longer.known, &error), COPSE_OK);
  EXPECT_EQ(longer.known.pools, 21U);
  EXPECT_EQ(longer.known.size, sizeof longer);
  EXPECT_EQ(longer.later, 0U);
  struct {
    copse_request_options known;
    std::uint64_t later;
  } options{COPSE_REQUEST_OPTIONS_INIT, 1};
  options.known.size = sizeof options;
  copse_request* made = nullptr;
  EXPECT_EQ(copse_request_shape(engine, "slot=1/core", &options.known, &made, &error),
            COPSE_UNSUPPORTED);
  options.later = 0;
  EXPECT_EQ(copse_request_shape(engine, "slot=1/core", &options.known, &made, &error), COPSE_OK);
  copse_request_free(made);
  // An error that is none is not written.
  copse_error none = COPSE_ERROR_INIT;
  none.size = 3;
  std::strcpy(none.text, "kept");
  EXPECT_EQ(copse_cancel(engine, 1, &none), COPSE_NOT_FOUND);
  EXPECT_STREQ(none.text, "kept");
}

// A program of 0.1.0 has a struct that ends before a member of today.
TEST_F(CApi, StructsMayHaveTheirFirstSize) {
  copse_machine_options options = COPSE_MACHINE_OPTIONS_INIT;
  options.size = offsetof(copse_machine_options, divisible);
  copse_machine* made = nullptr;
  EXPECT_EQ(copse_machine_read(kFourNodes, COPSE_TERMINATED, &options, &made, &error), COPSE_OK)
      << error.text;
  EXPECT_EQ(copse_machine_free(made), COPSE_OK);
  options.size -= 8;
  EXPECT_EQ(copse_machine_read(kFourNodes, COPSE_TERMINATED, &options, &made, &error),
            COPSE_INVALID);
}

TEST_F(CApi, ErrorsSayWhere) {
  copse_request* made = nullptr;
  copse_request_options how = COPSE_REQUEST_OPTIONS_INIT;
  how.file = "job.yaml";
  EXPECT_EQ(copse_request_new(engine, "version: 1\nresources: [\n", COPSE_TERMINATED, &how, &made,
                              &error),
            COPSE_INVALID);
  EXPECT_STREQ(error.file, "job.yaml");
  EXPECT_EQ(error.line, 3U);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(copse_request_new(engine, nullptr, 3, nullptr, &made, &error), COPSE_INVALID);
  EXPECT_STREQ(error.text, "the jobspec is NULL");
  EXPECT_EQ(copse_request_shape(engine, "slot=1/core", nullptr, nullptr, &error), COPSE_INVALID);
  EXPECT_EQ(copse_machine_load("/nowhere", nullptr, &machine, &error), COPSE_IO);
  copse_engine_options wrong = COPSE_ENGINE_OPTIONS_INIT;
  wrong.policy = "lowest";
  EXPECT_EQ(copse_engine_new(machine, &wrong, &engine, &error), COPSE_NOT_FOUND);
}

TEST_F(CApi, TwoThreadsAtOneEngine) {
  // Each call is answered, or refused as busy; never both at once.
  copse_engine_clone(engine, &engine, nullptr);
  std::vector<std::thread> threads;
  std::atomic<int> other = 0;
  for (std::uint64_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 2'000; ++i) {
        copse_request* mine = nullptr;
        if (copse_request_shape(engine, "slot=1/core", nullptr, &mine, nullptr) != COPSE_OK)
          continue;
        const std::uint64_t job = 1 + 2 * i + t;
        const copse_code code =
            copse_match(engine, COPSE_ALLOCATE, mine, job, nullptr, nullptr, nullptr);
        if (code != COPSE_OK && code != COPSE_BUSY) ++other;
        while (code == COPSE_OK && copse_cancel(engine, job, nullptr) == COPSE_BUSY) {
        }
        copse_request_free(mine);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(other, 0);
}

// Words that stand in a file, as `word` finds them.
std::set<std::string> words_of(const std::string& file, const char* word) {
  std::ifstream in(source_dir() + file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::regex pattern(word);
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    out.insert((*at)[1]);
  }
  return out;
}

TEST(Symbols, AreTheFunctionsOfTheHeader) {
  const auto declared =
      words_of("/include/copse.h", R"((?:^|\n)(?:copse_code|const char \*|void) ?(copse_\w+) \()");
  EXPECT_EQ(declared, words_of("/src/capi/libcopse.map", R"(\s(copse_\w+);)"));
  EXPECT_GT(declared.size(), 60U);
}

TEST(FromC, TheHeaderServesPlainC) { EXPECT_EQ(copse_from_c(), 0); }

}  // namespace

}  // namespace copse::capi
