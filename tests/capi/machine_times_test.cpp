// SPDX-License-Identifier: Apache-2.0
//
// The times of a machine's R, by include/copse.h.
#include <gtest/gtest.h>

#include <string>

#include "capi/c_api.hpp"

namespace copse::capi {
namespace {

class CApiTimes : public CApi {
 protected:
  // The answer to 100 seconds of a node on a machine with these times, for a clock that begins at `now`.
  std::string answer(const std::string& times, std::int64_t now,
                     copse_operation operation = COPSE_ALLOCATE, std::int64_t duration = 100) {
    const std::string r =
        R"({"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}],
      "nodelist": ["n0"], )" +
        times + "}}";
    copse_machine* own = nullptr;
    copse_engine* of = nullptr;
    copse_request* wanted = nullptr;
    EXPECT_EQ(copse_machine_read(r.data(), r.size(), nullptr, &own, &error), COPSE_OK)
        << error.text;
    copse_engine_options how = COPSE_ENGINE_OPTIONS_INIT;
    how.now = now;
    EXPECT_EQ(copse_engine_new(own, &how, &of, &error), COPSE_OK) << error.text;
    copse_request_options shape = COPSE_REQUEST_OPTIONS_INIT;
    shape.duration = duration;
    EXPECT_EQ(copse_request_shape(of, "slot=1/node{x}", &shape, &wanted, &error), COPSE_OK);
    copse_result result = COPSE_RESULT_INIT;
    const copse_code code = copse_match(of, operation, wanted, 1, "rv1_nosched", &result, &error);
    std::string out = copse_word(code);
    if (code == COPSE_OK) {
      const std::string text = taken(result.text);
      const std::size_t at = text.find("\"starttime\"");
      out = text.substr(at, text.find("}}", at) - at);
    }
    copse_request_free(wanted);
    copse_engine_free(of);
    copse_machine_free(own);
    return out;
  }
};

TEST_F(CApiTimes, OfAnRBoundWhatIsGranted) {
  const std::string until = R"("starttime": 0, "expiration": 150)";
  EXPECT_EQ(answer(until, 0), R"("starttime": 0, "expiration": 100, "nslots": 1)");
  EXPECT_EQ(answer(until, 60), "insufficient");
  EXPECT_EQ(answer(until, 60, COPSE_ALLOCATE_ORELSE_RESERVE), "infeasible");
  EXPECT_EQ(answer(until, 60, COPSE_ALLOCATE, 0),
            R"("starttime": 60, "expiration": 150, "nslots": 1)");
  const std::string from = R"("starttime": 40, "expiration": 500)";
  EXPECT_EQ(answer(from, 0), "insufficient");
  EXPECT_EQ(answer(from, 0, COPSE_ALLOCATE_ORELSE_RESERVE),
            R"("starttime": 40, "expiration": 140, "nslots": 1)");
  // Dates: the clock begins with the R, or counts as the R does.
  const std::string dates = R"("starttime": 1700000000, "expiration": 1700000120)";
  EXPECT_EQ(answer(dates, 0), R"("starttime": 0, "expiration": 100, "nslots": 1)");
  EXPECT_EQ(answer(dates, 0, COPSE_ALLOCATE, 121), "insufficient");
  EXPECT_EQ(answer(dates, 1'700'000'030), "insufficient");
  EXPECT_EQ(answer(dates, 1'700'000'020),
            R"("starttime": 1700000020, "expiration": 1700000120, "nslots": 1)");
}

TEST_F(CApiTimes, ARequestWithoutEndIsWrittenWithoutOne) {
  EXPECT_EQ(answer(R"("starttime": 0, "expiration": 0)", 0, COPSE_ALLOCATE, 0),
            R"("starttime": 0, "expiration": 0, "nslots": 1)");
}

}  // namespace
}  // namespace copse::capi
