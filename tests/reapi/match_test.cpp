// SPDX-License-Identifier: Apache-2.0
//
// Matches of Fluxion's C API: operations, ids, times, errno.
#include <cstdint>

#include "reapi/reapi.hpp"

namespace copse::reapi {

extern "C" int reapi_from_c(void);

namespace {

TEST(ReapiFromC, TheHeadersServePlainC) { EXPECT_EQ(reapi_from_c(), 0); }

TEST(MatchOp, WordsAndNumbers) {
  EXPECT_STREQ(match_op_to_string(MATCH_ALLOCATE), "allocate");
  EXPECT_STREQ(match_op_to_string(MATCH_ALLOCATE_W_SATISFIABILITY), "allocate_with_satisfiability");
  EXPECT_STREQ(match_op_to_string(MATCH_ALLOCATE_ORELSE_RESERVE), "allocate_orelse_reserve");
  EXPECT_STREQ(match_op_to_string(MATCH_SATISFIABILITY), "satisfiability");
  EXPECT_STREQ(match_op_to_string(MATCH_WITHOUT_ALLOCATING), "without_allocating");
  EXPECT_STREQ(match_op_to_string(MATCH_WITHOUT_ALLOCATING_FUTURE), "without_allocating_future");
  for (unsigned op = 1; op < 7; ++op) {
    const auto kind = static_cast<match_op_t>(op);
    EXPECT_EQ(match_op_from_string(match_op_to_string(kind)), kind);
    EXPECT_TRUE(match_op_valid(kind));
  }
  errno = 0;
  EXPECT_EQ(match_op_to_string(MATCH_UNKNOWN), nullptr);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(match_op_to_string(END_MATCH_OP_T), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(match_op_from_string("reserve"), MATCH_UNKNOWN);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(match_op_from_string(nullptr), MATCH_UNKNOWN);
  EXPECT_EQ(errno, EINVAL);
  errno = 5;
  EXPECT_FALSE(match_op_valid(MATCH_UNKNOWN));
  EXPECT_FALSE(match_op_valid(static_cast<match_op_t>(42)));
  EXPECT_EQ(errno, 5);
}

TEST_F(Reapi, IdsCountAllocatingMatchesAlsoThoseThatFail) {
  begin();
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(2)), 0);
  EXPECT_EQ(job, 1U);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(2)), 0);
  EXPECT_EQ(job, 2U);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(1)), EBUSY);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(1)), EBUSY);
  EXPECT_EQ(match(MATCH_ALLOCATE, "version: ["), EINVAL);
  EXPECT_EQ(match(MATCH_SATISFIABILITY, nodes(1)), 0);
  EXPECT_EQ(match(MATCH_WITHOUT_ALLOCATING, nodes(1)), EBUSY);
  EXPECT_EQ(reapi_cli_cancel(ctx, 1, false), 0);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(1)), 0);
  EXPECT_EQ(job, 5U);
  EXPECT_EQ(mode(3), std::to_string(ENOENT));
}

TEST_F(Reapi, TheClockStandsAtZero) {
  begin("rv1_nosched");
  EXPECT_EQ(match(MATCH_ALLOCATE, whole(4)), 0);
  EXPECT_EQ(at, 0);
  EXPECT_FALSE(reserved);
  EXPECT_GT(overhead, 0);
  EXPECT_NE(r.find("\"starttime\": 0, \"expiration\": 3600"), std::string::npos) << r;
  EXPECT_EQ(r.back(), '\n');
  EXPECT_EQ(match(MATCH_ALLOCATE_ORELSE_RESERVE, whole(1)), 0);
  EXPECT_EQ(at, 3600);
  EXPECT_TRUE(reserved);
  EXPECT_EQ(mode(2), "RESERVED");
  EXPECT_TRUE(reserved);
  EXPECT_EQ(at, 3600);
}

TEST_F(Reapi, SatisfiabilityAndWithoutAllocating) {
  begin();
  EXPECT_EQ(match(MATCH_SATISFIABILITY, nodes(4)), 0);
  EXPECT_EQ(r, "");
  EXPECT_EQ(job, 1U);
  EXPECT_EQ(match(MATCH_WITHOUT_ALLOCATING, nodes(4)), 0);
  EXPECT_EQ(job, UINT64_MAX);
  EXPECT_FALSE(reserved);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(4)), 0);
  EXPECT_EQ(job, 1U);
  EXPECT_EQ(match(MATCH_WITHOUT_ALLOCATING_FUTURE, nodes(4)), 0);
  EXPECT_EQ(job, UINT64_MAX);
  EXPECT_EQ(at, 3600);
  EXPECT_FALSE(reserved);
  EXPECT_EQ(match(MATCH_ALLOCATE_ORELSE_RESERVE, nodes(4)), 0);
  EXPECT_EQ(at, 3600);
}

TEST_F(Reapi, NotNowAndNever) {
  begin();
  EXPECT_EQ(match(MATCH_ALLOCATE, cores(40)), EBUSY);
  EXPECT_EQ(job, 77U);
  EXPECT_EQ(at, 0);
  EXPECT_EQ(match(MATCH_ALLOCATE_W_SATISFIABILITY, cores(40)), ENODEV);
  EXPECT_EQ(match(MATCH_ALLOCATE_ORELSE_RESERVE, cores(40)), ENODEV);
  EXPECT_EQ(match(MATCH_SATISFIABILITY, cores(40)), ENODEV);
  EXPECT_EQ(match(MATCH_WITHOUT_ALLOCATING, cores(40)), EBUSY);
  EXPECT_EQ(match(MATCH_WITHOUT_ALLOCATING_FUTURE, cores(40)), ENODEV);
  // More nodes than are up: Fluxion does not look further.
  EXPECT_EQ(match(MATCH_ALLOCATE_W_SATISFIABILITY, nodes(5)), ENODEV);
  EXPECT_EQ(match(MATCH_ALLOCATE_ORELSE_RESERVE, nodes(5)), EBUSY);
  EXPECT_EQ(match(MATCH_WITHOUT_ALLOCATING_FUTURE, nodes(5)), EBUSY);
  EXPECT_EQ(messages(), "");
  EXPECT_EQ(match(static_cast<match_op_t>(42), nodes(1)), EINVAL);
  EXPECT_NE(messages().find("Invalid Match Option: 42"), std::string::npos);
  EXPECT_EQ(match(MATCH_ALLOCATE, "version: 1\n"), EINVAL);
  EXPECT_NE(messages().find("Jobspec error for 6"), std::string::npos) << messages();
}

TEST_F(Reapi, MatchAllocate) {
  begin();
  char* given = nullptr;
  EXPECT_EQ(reapi_cli_match_allocate(ctx, false, nodes(4).c_str(), &job, &reserved, &given, &at,
                                     &overhead),
            0);
  EXPECT_EQ(job, 1U);
  taken(given);
  EXPECT_EQ(reapi_cli_match_allocate(ctx, false, nodes(4).c_str(), &job, &reserved, &given, &at,
                                     &overhead),
            -1);
  EXPECT_EQ(errno, EBUSY);
  EXPECT_EQ(reapi_cli_match_allocate(ctx, true, nodes(4).c_str(), &job, &reserved, &given, &at,
                                     &overhead),
            0);
  EXPECT_EQ(job, 3U);
  EXPECT_TRUE(reserved);
  taken(given);
  // Null pointers to results are allowed.
  EXPECT_EQ(reapi_cli_match_allocate(ctx, true, nodes(4).c_str(), nullptr, nullptr, nullptr,
                                     nullptr, nullptr),
            0);
}

TEST_F(Reapi, MatchWithTheCallersId) {
  begin();
  char* given = nullptr;
  for (int i = 0; i < 2; ++i) {  // also the second time
    EXPECT_EQ(reapi_cli_match_with_jobid(ctx, MATCH_ALLOCATE, nodes(1).c_str(), 9, &reserved,
                                         &given, &at, &overhead),
              0);
    taken(given);
  }
  EXPECT_EQ(mode(9), "ALLOCATED");
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(2)), 0);
  EXPECT_EQ(job, 3U);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(1)), EBUSY);
  EXPECT_EQ(reapi_cli_cancel(ctx, 9, false), 0);  // both
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(2)), 0);
}

TEST_F(Reapi, Satisfy) {
  begin();
  bool sat = false;
  EXPECT_EQ(reapi_cli_match_satisfy(ctx, nodes(4).c_str(), &sat, &overhead), 0);
  EXPECT_TRUE(sat);
  EXPECT_EQ(reapi_cli_match_satisfy(ctx, nodes(5).c_str(), &sat, &overhead), -1);
  EXPECT_EQ(errno, ENODEV);
  EXPECT_FALSE(sat);
  sat = true;
  EXPECT_EQ(reapi_cli_match_satisfy(ctx, "version: [", &sat, &overhead), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_FALSE(sat);
}

TEST_F(Reapi, FormsOfR) {
  begin("jgf");
  EXPECT_EQ(match(MATCH_ALLOCATE, cores(1)), 0);
  EXPECT_EQ(r.substr(0, 21), "{\"graph\": {\"nodes\": [");
  // Fluence counts cores that come before their node. A basename is written if it differs from the type.
  EXPECT_LT(r.find("\"type\": \"core\""), r.find("\"type\": \"node\""));
  EXPECT_NE(r.find("\"type\": \"cluster\", \"basename\": \"desk\""), std::string::npos);
  begin("simple");
  EXPECT_EQ(match(MATCH_ALLOCATE, cores(1)), 0);
  EXPECT_NE(r.find("---core0[1:x]\n"), std::string::npos);
  begin("rlite");
  EXPECT_EQ(match(MATCH_ALLOCATE, cores(1)), 0);
  EXPECT_EQ(r, "[{\"rank\": \"0\", \"children\": {\"core\": \"0\"}}]\n");
  begin("what");
  EXPECT_EQ(match(MATCH_ALLOCATE, cores(1)), 0);
  EXPECT_NE(r.find("---core0[1:x]\n"), std::string::npos);
}

TEST_F(Reapi, AnRThatCannotBeWrittenBooksNothing) {
  begin("rlite");
  const std::string memory =
      spec("{type: slot, count: 1, label: task, with: [{type: memory, count: 1}]}");
  EXPECT_EQ(match(MATCH_ALLOCATE, memory), EINVAL);
  EXPECT_EQ(mode(1), std::to_string(ENOENT));
  EXPECT_EQ(find("sched-now=allocated", "simple"), "(null)");
  EXPECT_EQ(match(MATCH_ALLOCATE, whole(4)), 0);
}

}  // namespace

}  // namespace copse::reapi
