// SPDX-License-Identifier: Apache-2.0
//
// Each operation of a session and each way to be refused, on both kinds of machines.
#include "session/session.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "session/machines.hpp"

namespace copse {
namespace {

class Sessions : public testing::TestWithParam<std::string_view> {
 protected:
  Sessions() : session(*session_of_r(GetParam())) {}

  std::string ask(std::string_view line) {
    std::string out;
    session.answer(line, out);
    EXPECT_TRUE(out.ends_with('\n'));
    EXPECT_EQ(out.find('\n'), out.size() - 1);
    out.pop_back();
    return out;
  }
  // Asks what must be refused; the message, if the code is that and nothing has changed.
  std::string refused(std::string_view line, std::string_view code = "invalid") {
    const std::uint64_t before = session.engine().fingerprint();
    const std::int64_t now = session.engine().now();
    const std::size_t grants = session.engine().grant_count();
    const std::string answer = ask(line);
    EXPECT_EQ(session.engine().fingerprint(), before) << line;
    EXPECT_EQ(session.engine().now(), now);
    EXPECT_EQ(session.engine().grant_count(), grants);
    const std::string head = fmt::format(R"({{"error": "{}", "message": ")", code);
    EXPECT_TRUE(answer.starts_with(head)) << line << "\n" << answer;
    return answer.starts_with(head) ? answer.substr(head.size(), answer.size() - head.size() - 2)
                                    : answer;
  }
  static bool granted(const std::string& answer, int id, int at) {
    return answer.starts_with(fmt::format(R"({{"id": {}, "at": {}, "R": {{"version": 1)", id, at));
  }

  Session session;
};

INSTANTIATE_TEST_SUITE_P(Machines, Sessions, testing::Values(kTreepoolMachine, kPlainMachine),
                         [](const auto& machine) {
                           return machine.param == kPlainMachine ? "Plain" : "TreePool";
                         });

TEST_P(Sessions, AllocAndFreeLeaveNothing) {
  const std::uint64_t idle = session.engine().fingerprint();
  EXPECT_TRUE(
      granted(ask(R"({"op": "alloc", "id": 0, "shape": "slot=2/core=2", "duration": 60})"), 0, 0));
  EXPECT_NE(session.engine().fingerprint(), idle);
  EXPECT_EQ(ask(R"({"op": "free", "id": 0})"), "{}");
  EXPECT_EQ(session.engine().fingerprint(), idle);
  EXPECT_EQ(refused(R"({"op": "free", "id": 0})"), R"(\"id\" 0 has no grant)");
}

// An id as any other, though the engine has another number for it.
TEST_P(Sessions, IdZeroIsNoReservation) {
  const auto with = [this](int id) {
    ask(fmt::format(R"({{"op": "alloc", "id": {}, "shape": "slot=4/node{{x}}", "duration": 60}})",
                    id));
    std::string out = ask(R"({"op": "status"})");
    const std::string why = ask(R"({"op": "explain", "shape": "slot=1/node{x}", "duration": 60})");
    // A reason of TreePool names no holders.
    const bool named = why.find(fmt::format(R"("job": {},)", id)) != std::string::npos;
    EXPECT_EQ(named, GetParam() == kPlainMachine) << why;
    ask(fmt::format(R"({{"op": "free", "id": {}}})", id));
    return out;
  };
  EXPECT_EQ(with(0), with(7));
}

TEST_P(Sessions, ReservesTheEarliestStart) {
  ask(R"({"op": "alloc", "id": 1, "shape": "slot=3/node{x}", "duration": 100})");
  EXPECT_TRUE(granted(
      ask(R"({"op": "reserve", "id": 2, "shape": "slot=2/node{x}", "duration": 50})"), 2, 100));
  EXPECT_TRUE(granted(
      ask(R"({"op": "reserve", "id": 3, "shape": "slot=1/node{x}", "duration": 100})"), 3, 0));
  EXPECT_EQ(
      ask(R"({"op": "info", "id": 2})").find(R"({"grants": [{"id": 2, "at": 100, "duration": 50)"),
      0U);
  EXPECT_EQ(ask(R"({"op": "now", "t": 100})"), "{}");
  EXPECT_EQ(ask(R"({"op": "info", "id": 2})").find(R"({"grants": [{"id": 2, "at": 100)"), 0U);
  EXPECT_EQ(refused(R"({"op": "info", "id": 1})"), R"(\"id\" 1 has no grant)");
  refused(R"({"op": "now", "t": 99})");
}

TEST_P(Sessions, ReserveIsInsufficientBehindWhatHasNoEnd) {
  ask(R"({"op": "alloc", "id": 1, "shape": "slot=1/node{x}", "duration": 0})");
  refused(R"({"op": "reserve", "id": 2, "shape": "slot=4/node{x}", "duration": 1})",
          "insufficient");
  refused(R"({"op": "reserve", "id": 2, "shape": "slot=5/node{x}", "duration": 1})", "infeasible");
}

TEST_P(Sessions, AConstraintMayBeMetBeforeWhatHasNoEndBegins) {
  const char* const on_0 = R"("constraints": {"ranks": ["0"]})";
  EXPECT_TRUE(granted(
      ask(fmt::format(
          R"({{"op": "alloc", "id": 1, "shape": "slot=1/node{{x}}", "duration": 10, {}}})", on_0)),
      1, 0));
  EXPECT_TRUE(granted(
      ask(fmt::format(
          R"({{"op": "reserve", "id": 2, "shape": "slot=1/node{{x}}", "duration": 0, {}}})", on_0)),
      2, 10));
  EXPECT_EQ(ask(R"({"op": "free", "id": 1})"), "{}");
  EXPECT_TRUE(granted(
      ask(fmt::format(
          R"({{"op": "reserve", "id": 3, "shape": "slot=1/node/core=1", "duration": 5, {}}})",
          on_0)),
      3, 0));
}

TEST_P(Sessions, NotNowIsToldFromNever) {
  ask(R"({"op": "down", "ranks": "0,2-3"})");
  const char* alloc = R"({{"op": "{}", "id": 1, "shape": "{}", "duration": 1}})";
  for (const char* op : {"alloc", "reserve"}) {
    refused(fmt::format(fmt::runtime(alloc), op, "slot=2/node{x}"), "insufficient");
    refused(fmt::format(fmt::runtime(alloc), op, "slot=5/node{x}"), "infeasible");
    refused(fmt::format(fmt::runtime(alloc), op, "slot=1/core=9"), "infeasible");
  }
  EXPECT_EQ(ask(R"({"op": "satisfy", "shape": "slot=4/node{x}"})"), "{}");
  refused(R"({"op": "satisfy", "shape": "slot=5/node{x}"})", "infeasible");
  refused(R"({"op": "satisfy", "shape": "slot=1/node{x}", "constraints": {"ranks": ["7"]}})",
          "infeasible");
  EXPECT_EQ(ask(R"({"op": "up", "ranks": "all"})"), "{}");
  EXPECT_TRUE(granted(ask(fmt::format(fmt::runtime(alloc), "alloc", "slot=4/node{x}")), 1, 0));
}

// There is never too little of nothing. (The treepool traverser asks for a slot beforehand.)
TEST_P(Sessions, WhatTakesNothingIsInvalid) {
  const std::string why =
      refused(R"({"op": "alloc", "id": 1, "shape": "node/core", "duration": 1})", "invalid");
  if (GetParam() == kPlainMachine) {
    EXPECT_EQ(why,
              "the request takes nothing; nothing in this request is exclusive: put resources "
              "in a slot, or set exclusive: true");
  }
}

TEST_P(Sessions, GrantsStayOnRanksThatAreDown) {
  ask(R"({"op": "alloc", "id": 1, "shape": "slot=4/node{x}", "duration": 10})");
  EXPECT_EQ(ask(R"({"op": "down", "ranks": "all"})"), "{}");
  EXPECT_EQ(ask(R"({"op": "info"})"),
            R"({"grants": [{"id": 1, "at": 0, "duration": 10, "ranks": "0-3"}]})");
  ask(R"({"op": "free", "id": 1})");
  refused(R"({"op": "alloc", "id": 1, "shape": "slot=1/core", "duration": 10})", "insufficient");
}

TEST_P(Sessions, FreesWholeRanks) {
  const std::uint64_t idle = session.engine().fingerprint();
  ask(R"({"op": "alloc", "id": 1, "shape": "slot=4/node{x}", "duration": 10})");
  ask(R"({"op": "reserve", "id": 2, "shape": "slot=4/node{x}", "duration": 10})");
  for (const char* id : {"1", "2"}) {  // running, and planned
    const auto free = [&](const char* ranks) {
      return fmt::format(R"({{"op": "free", "id": {}, "ranks": "{}"}})", id, ranks);
    };
    EXPECT_EQ(ask(free("1-2")), "{}");
    EXPECT_NE(ask(R"({"op": "info"})").find(R"("duration": 10, "ranks": "0,3")"),
              std::string::npos);
    refused(free("1"));
    refused(free("2-3"));
    refused(free(""));
    refused(free("3-1"));
    refused(free("0-4294967295"));
    EXPECT_EQ(ask(free("0")), "{}");
    EXPECT_EQ(ask(free("3")), "{}");
    refused(free("3"));
  }
  EXPECT_EQ(ask(R"({"op": "info"})"), R"({"grants": []})");
  EXPECT_EQ(session.engine().fingerprint(), idle);
}

TEST_P(Sessions, JobspecStandsForShape) {
  const std::string jobspec = R"({"version": 1, "resources": [{"type": "slot", "count": 1,
    "label": "x", "with": [{"type": "core", "count": 2}]}], "tasks": [{"command": ["a"],
    "slot": "x", "count": {"per_slot": 1}}], "attributes": {"system": {"duration": 30}}})";
  EXPECT_TRUE(granted(ask(R"({"op": "alloc", "id": 4, "jobspec": )" + jobspec + "}"), 4, 0));
  EXPECT_NE(ask(R"({"op": "info"})").find(R"("duration": 30)"), std::string::npos);
  refused(R"({"op": "alloc", "id": 5, "duration": 1, "jobspec": )" + jobspec + "}");
  refused(R"({"op": "alloc", "id": 5, "jobspec": {}})");
  refused(R"({"op": "alloc", "id": 5, "jobspec": "slot=1/core"})");
}

TEST_P(Sessions, OneShapeHasManyDurationsAndConstraints) {
  for (int i = 0; i < 3; ++i) {
    ask(fmt::format(
        R"({{"op": "alloc", "id": {0}, "shape": "slot=1/node{{x}}", "duration": {0},
            "constraints": {{"ranks": ["{0}"]}}}})",
        i + 1));
  }
  EXPECT_EQ(ask(R"({"op": "info"})"),
            R"({"grants": [{"id": 1, "at": 0, "duration": 1, "ranks": "1"}, )"
            R"({"id": 2, "at": 0, "duration": 2, "ranks": "2"}, )"
            R"({"id": 3, "at": 0, "duration": 3, "ranks": "3"}]})");
}

TEST_P(Sessions, RefusalsNameTheMember) {
  ask(R"({"op": "alloc", "id": 1, "shape": "slot=1/core", "duration": 1})");
  const std::pair<const char*, const char*> rows[] = {
      {R"({})", "op"},
      {R"({"op": 1})", "op"},
      {R"({"op": "zap"})", "zap"},
      {R"({"op": "alloc", "shape": "slot=1/core", "duration": 1})", "id"},
      {R"({"op": "alloc", "id": "2", "shape": "slot=1/core", "duration": 1})", "id"},
      {R"({"op": "alloc", "id": -2, "shape": "slot=1/core", "duration": 1})", "id"},
      {R"({"op": "alloc", "id": 2.5, "shape": "slot=1/core", "duration": 1})", "id"},
      {R"({"op": "alloc", "id": 1, "shape": "slot=1/core", "duration": 1})", "id"},
      {R"({"op": "alloc", "id": 2, "id": 3, "shape": "slot=1/core", "duration": 1})", "id"},
      {R"({"op": "alloc", "id": 2, "shape": "slot=1/core"})", "duration"},
      {R"({"op": "alloc", "id": 2, "shape": "slot=1/core", "duration": -1})", "duration"},
      {R"({"op": "alloc", "id": 2, "shape": "slot=1/core", "duration": 4000000000})", "duration"},
      {R"({"op": "alloc", "id": 2, "duration": 1})", "shape"},
      {R"({"op": "alloc", "id": 2, "shape": 3, "duration": 1})", "shape"},
      {R"({"op": "alloc", "id": 2, "shape": "slot=1/", "duration": 1})", "shape"},
      {R"({"op": "alloc", "id": 2, "shape": "slot=1/core", "duration": 1, "constraints": []})",
       "constraints"},
      {R"({"op": "alloc", "id": 2, "shape": "slot=1/core", "duration": 1,
           "constraints": {"zap": []}})",
       "constraints"},
      {R"({"op": "alloc", "id": 2, "shape": "slot=1/core", "duration": 1,
           "constrants": {"ranks": ["0"]}})",
       "constraints"},
      {R"({"op": "free"})", "id"},
      {R"({"op": "free", "ranks": "0"})", "id"},
      {R"({"op": "free", "id": 1, "ranks": 0})", "ranks"},
      {R"({"op": "now"})", "t"},
      {R"({"op": "now", "t": "1x"})", "t"},
      {R"({"op": "info", "id": 7})", "id"},
      {R"({"op": "down"})", "ranks"},
      {R"({"op": "down", "ranks": "4"})", "ranks"},
      {R"({"op": "up", "ranks": "0-"})", "ranks"},
  };
  for (const auto& [line, word] : rows) {
    EXPECT_NE(refused(line).find(word), std::string::npos) << line << " " << ask(line);
  }
}

TEST_P(Sessions, WithoutHierarchicalResourcesNoneCanBeAskedFor) {
  EXPECT_EQ(ask(R"({"op": "layers"})"), R"({"layers": []})");
  EXPECT_EQ(refused(R"({"op": "set-layer", "resource": "a", "nodes": "n0", "count": 1})"),
            "there is no resource 'a'");
  EXPECT_EQ(refused(R"({"op": "reserve-layer", "id": 1})"), R"(there is no member \"for\")");
  EXPECT_EQ(refused(R"({"op": "free-layer", "id": 1})"), "there is no reservation 1");
  for (const char* line :
       {R"({"op": "alloc", "id": 1, "shape": "slot=1/core", "duration": 1, "hres": "a:1"})",
        R"({"op": "satisfy", "shape": "slot=1/core", "hres": "a:1"})"}) {
    EXPECT_EQ(refused(line), "there is no resource 'a': no hierarchical resources were loaded");
  }
}

TEST_P(Sessions, LayersMayComeGoAndChange) {
  EXPECT_EQ(ask(R"({"op": "add-layer", "resource": "a", "nodes": "n[0-3]", "count": 2})"), "{}");
  const std::string alloc =
      R"({"op": "alloc", "id": 1, "shape": "slot=1/core=1", "duration": 5, "hres": "a:2"})";
  EXPECT_TRUE(granted(ask(alloc), 1, 0));
  EXPECT_EQ(ask(R"({"op": "layers"})"),
            R"({"layers": [{"resource": "a", "nodes": "n[0-3]", "mode": 1, "total": 2, "used": 2, )"
            R"("reserved": 0}]})");
  const char* const further =
      R"({"op": "alloc", "id": 2, "shape": "slot=1/core=1", "duration": 5, "hres": "a:1"})";
  (void)refused(further, "insufficient");
  EXPECT_EQ(ask(R"({"op": "set-layer", "resource": "a", "nodes": "n[3,0-2]", "count": 3})"), "{}");
  EXPECT_TRUE(granted(ask(further), 2, 0));
  EXPECT_EQ(ask(R"({"op": "set-layer-nodes", "resource": "a", "nodes": "n[0-3]", "to": "n0"})"),
            "{}");
  EXPECT_EQ(ask(R"({"op": "free", "id": 1})"), "{}");
  EXPECT_EQ(ask(R"({"op": "remove-layer", "resource": "a", "nodes": "n0"})"), "{}");
  EXPECT_EQ(ask(R"({"op": "layers"})"), R"({"layers": []})");
  EXPECT_EQ(ask(R"({"op": "free", "id": 2})"), "{}");
}

TEST_P(Sessions, HostileLinesAreRefused) {
  std::string long_line = R"({"op": "info", "_note": ")" + std::string(10'000'000, 'x');
  refused(long_line);      // the string has no end
  ask(long_line + "\"}");  // members of the client are passed over
  refused(std::string(100'000, '['));
  refused(R"({"op": "info", "_note": )" + std::string(100'000, '[') + std::string(100'000, ']') +
          "}");
  refused(R"({"op": "alloc", "id": 1, "duration": 1, "shape": ")" + std::string(5'000, '[') +
          "\"}");
  refused(R"({"op": "alloc", "id": NaN})");
  refused(R"({"op": "now", "t": )" + std::string(400, '9') + "}");
  refused(R"({"op": "now", "t": 1e400})");
  refused(
      "{\"op\": \"in\x01"
      "fo\"}");
  refused("{\"op\": \"info\xff\"}");
  refused(std::string_view("{\"op\": \"info\"}\0", 15));
  refused(R"({"op": "info"} {"op": "info"})");
  refused(R"(["info"])");
  refused(R"({"op": "info",})");
  refused(R"({"op": "down", "ranks": "0-4294967295"})");
  refused(R"({"op": "down", "ranks": "9223372036854775808"})");
  refused("");
  refused("   ");
  refused(R"("\ud800")");
  EXPECT_EQ(ask(R"({"op": "info"})"), R"({"grants": []})");
}

TEST_P(Sessions, GrantsAreListedById) {
  for (const char* id : {"7", "0", "9223372036854775807"}) {
    ask(fmt::format(R"({{"op": "alloc", "id": {}, "shape": "slot=1/node{{x}}", "duration": 0}})",
                    id));
  }
  const std::string listed = ask(R"({"op": "info"})");
  const std::size_t at[] = {listed.find(R"("id": 0,)"), listed.find(R"("id": 7,)"),
                            listed.find(R"("id": 9223372036854775807,)")};
  EXPECT_TRUE(at[0] < at[1] && at[1] < at[2] && at[2] < listed.size()) << listed;
}

TEST_P(Sessions, QuitEnds) {
  std::string out;
  EXPECT_TRUE(session.answer(R"({"op": "info"})", out));
  EXPECT_FALSE(session.answer(R"({"op": "quit"})", out));
  EXPECT_EQ(out, "{\"grants\": []}\n{}\n");
}

TEST(SessionR, CarriesTheKeyOfTreePool) {
  auto session = session_of_r(kTreepoolMachine);
  ASSERT_TRUE(session);
  std::string out;
  session->answer(R"({"op": "alloc", "id": 1, "shape": "slot=1/numa{x}", "duration": 60})", out);
  EXPECT_EQ(out,
            R"({"id": 1, "at": 0, "R": {"version": 1, "execution": {"R_lite": [{"rank": "0", )"
            R"("children": {"core": "0-3", "gpu": "0"}}], "nodelist": ["n0"], "starttime": 0, )"
            R"("expiration": 60, "nslots": 1}, "scheduling": {"writer": "TreePool", "children": )"
            R"([{"ranks": "0", "topo": {"numa": [{"cores": "0-3", "gpus": "0"}, )"
            R"({"cores": "4-7", "gpus": "1"}]}}]}}})"
            "\n");
}

// All of the key: the saved one and the one that was read say the same of the same ranks.
TEST(SessionR, KeepsTheKeyOfTreePoolInASave) {
  auto session = session_of_r(R"({"version": 1, "execution": {
    "R_lite": [{"rank": "0-1", "children": {"core": "0-1"}}], "nodelist": ["n[0-1]"]},
    "scheduling": {"children": [
      {"ranks": "4", "topo": {"numa": [{"cores": "2-3"}]}, "note": [1,
        2]}, {"ranks": "7", "topo": {"cores": "0-1"}}],
      "topo_ids": [{"rank": "4", "children": {"core": "2-3"}}], "site": "a}", "writer": "TreePool"}})");
  ASSERT_TRUE(session) << session.error().message();
  auto restored = session_of_save(session->save());
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(restored->save(), session->save());
  int id = 0;
  for (const std::string_view shape : {"slot=1/numa{x}", "slot=1/node{x}"}) {
    const std::string line =
        fmt::format(R"({{"op": "alloc", "id": {}, "shape": "{}", "duration": 0}})", ++id, shape);
    std::string out, again;
    session->answer(line, out);
    restored->answer(line, again);
    EXPECT_NE(out.find(R"("scheduling": {"site": "a}", "writer": "TreePool", "children": [)"),
              out.npos)
        << out;
    EXPECT_EQ(again, out);
  }
}

}  // namespace
}  // namespace copse
