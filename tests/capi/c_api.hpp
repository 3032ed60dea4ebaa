// SPDX-License-Identifier: Apache-2.0
//
// A machine of four nodes, an engine and requests by include/copse.h, in a few words.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "copse.h"

namespace copse::capi {

inline constexpr const char* kFourNodes = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "0-3", "children": {"core": "0-3"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["n[0-3]"]}})";

// A text that the library gave.
inline std::string taken(char* text) {
  std::string out = text == nullptr ? "" : text;
  copse_free(text);
  return out;
}

class CApi : public testing::Test {
 protected:
  CApi() {
    EXPECT_EQ(copse_machine_read(kFourNodes, COPSE_TERMINATED, nullptr, &machine, &error), COPSE_OK)
        << error.text;
    copse_engine_options how = COPSE_ENGINE_OPTIONS_INIT;
    how.policy = "low";
    EXPECT_EQ(copse_engine_new(machine, &how, &engine, &error), COPSE_OK) << error.text;
  }
  ~CApi() override {
    copse_engine_free(engine);
    copse_machine_free(machine);
  }
  copse_request* request(const char* shape, std::int64_t duration = 100) {
    copse_request_options how = COPSE_REQUEST_OPTIONS_INIT;
    how.duration = duration;
    copse_request* made = nullptr;
    EXPECT_EQ(copse_request_shape(engine, shape, &how, &made, &error), COPSE_OK) << error.text;
    return made;
  }
  // A short R of what a job was given, or the word of the failure.
  std::string match(copse_operation operation, copse_request* wanted, std::uint64_t job) {
    copse_result result = COPSE_RESULT_INIT;
    const copse_code code = copse_match(engine, operation, wanted, job, "rlite", &result, &error);
    return code == COPSE_OK ? std::to_string(result.start) + " " + taken(result.text)
                            : copse_word(code);
  }
  copse_error error = COPSE_ERROR_INIT;
  copse_machine* machine = nullptr;
  copse_engine* engine = nullptr;
};

}  // namespace copse::capi
