// SPDX-License-Identifier: Apache-2.0
//
// Nodes that come and go in a session, with their layers; and layers that are reserved as Slurm writes
// them.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "session/machines.hpp"

namespace copse {
namespace {

class MachineSize : public testing::Test {
 protected:
  std::string ask(std::string_view line) {
    std::string out;
    session.answer(line, out);
    out.pop_back();
    return out;
  }
  std::string attach(const std::string& name, int rank) {
    return ask(fmt::format(R"({{"op": "attach", "jgf": {}}})", node_as_jgf(name, rank)));
  }
  std::string alloc(int id, std::string_view more) {
    const std::string answer =
        ask(fmt::format(R"({{"op": "alloc", "id": {}, "duration": 100, {}}})", id, more));
    const std::size_t at = answer.find("\"nodelist\": ");
    return at == answer.npos ? answer
                             : answer.substr(at + 12, answer.find("\"]", at) + 2 - at - 12);
  }
  Session session = *session_of_r(kPlainMachine);
};

TEST_F(MachineSize, NodesComeAndGoWhileJobsRun) {
  EXPECT_EQ(alloc(1, R"("shape": "slot=5/node{x}")").substr(0, 23), R"({"error": "infeasible",)");
  EXPECT_EQ(attach("n4", 4), "{}");
  EXPECT_EQ(alloc(1, R"("shape": "slot=5/node{x}")"), R"(["n[0-4]"])");
  EXPECT_EQ(ask(R"({"op": "remove", "nodes": "n[3-4]"})"), R"({"jobs": [1]})");
  EXPECT_NE(ask(R"({"op": "info", "id": 1})").find(R"("ranks": "0-2")"), std::string::npos);
  EXPECT_EQ(alloc(2, R"("shape": "slot=1/node{x}")").substr(0, 25), R"({"error": "insufficient",)");
  EXPECT_EQ(attach("n4", 4), "{}");
  EXPECT_EQ(alloc(2, R"("shape": "slot=1/node{x}")"), R"(["n4"])");
  EXPECT_EQ(ask(R"({"op": "remove", "ranks": "4"})"), R"({"jobs": [2]})");
  EXPECT_EQ(ask(R"({"op": "info", "id": 2})").substr(0, 9), R"({"error":)");
  EXPECT_EQ(ask(R"({"op": "remove", "nodes": "n2"})"), R"({"jobs": [1]})");
}

TEST_F(MachineSize, WhatCannotBeIsRefused) {
  const std::uint64_t before = session.engine().fingerprint();
  const auto refusal = [&](std::string_view line) {
    const std::string answer = ask(line);
    const std::size_t at = answer.find("\"message\": \"");
    return at == answer.npos ? answer : answer.substr(at + 12, answer.size() - at - 14);
  };
  EXPECT_EQ(refusal(R"({"op": "attach"})"), R"(there is no member \"jgf\")");
  EXPECT_EQ(refusal(R"({"op": "attach", "jgf": {"graph": 1}})").substr(0, 4), "jgf:");
  EXPECT_NE(attach("n3", 3).find("error"), std::string::npos);  // it is there already
  EXPECT_EQ(refusal(R"({"op": "remove"})"),
            R"(name what to remove by either \"nodes\" or \"ranks\")");
  EXPECT_EQ(refusal(R"({"op": "remove", "nodes": "n0", "ranks": "0"})"),
            R"(name what to remove by either \"nodes\" or \"ranks\")");
  EXPECT_NE(ask(R"({"op": "remove", "nodes": "n9"})").find("n9"), std::string::npos);
  EXPECT_NE(ask(R"({"op": "remove", "nodes": "/cluster0"})").find("root"), std::string::npos);
  EXPECT_EQ(session.engine().fingerprint(), before);
}

TEST_F(MachineSize, LayersFollow) {
  ASSERT_EQ(
      ask(R"({"op": "add-layer", "resource": "lic", "mode": 2, "nodes": "n[0-3]", "count": 2})"),
      "{}");
  EXPECT_EQ(
      alloc(1,
            R"("shape": "slot=1/node{x}", "hres": "lic:1", "constraints": {"hostlist": ["n3"]})"),
      R"(["n3"])");
  EXPECT_EQ(ask(R"({"op": "remove", "nodes": "n3"})"), R"({"jobs": [1]})");
  // Its job is gone, and with it the charge; the layer keeps the name, and the node that comes back.
  EXPECT_NE(ask(R"({"op": "layers"})").find(R"("total": 2, "used": 0)"), std::string::npos)
      << ask(R"({"op": "layers"})");
  EXPECT_EQ(attach("n3", 3), "{}");
  EXPECT_EQ(attach("n4", 4), "{}");
  EXPECT_EQ(
      alloc(2,
            R"("shape": "slot=1/node{x}", "hres": "lic:2", "constraints": {"hostlist": ["n3"]})"),
      R"(["n3"])");
  EXPECT_NE(alloc(3, R"("shape": "slot=1/node{x}", "hres": "lic:1")").find("insufficient"),
            std::string::npos);
  ASSERT_EQ(
      ask(R"({"op": "set-layer-nodes", "resource": "lic", "nodes": "n[0-3]", "to": "n[0-4]"})"),
      "{}");
  EXPECT_EQ(ask(R"({"op": "free", "id": 2})"), "{}");
  EXPECT_EQ(
      alloc(3,
            R"("shape": "slot=1/node{x}", "hres": "lic:1", "constraints": {"hostlist": ["n4"]})"),
      R"(["n4"])");
}

TEST_F(MachineSize, SurvivesARollback) {
  ASSERT_EQ(ask(R"({"op": "begin"})"), "{}");
  EXPECT_EQ(attach("n4", 4), "{}");
  EXPECT_EQ(ask(R"({"op": "remove", "nodes": "n[0-3]"})"), R"({"jobs": []})");
  EXPECT_EQ(alloc(1, R"("shape": "slot=1/node{x}")"), R"(["n4"])");
  ASSERT_EQ(ask(R"({"op": "rollback"})"), "{}");
  EXPECT_EQ(alloc(1, R"("shape": "slot=4/node{x}")"), R"(["n[0-3]"])");
}

TEST_F(MachineSize, LayersAreReservedAsSlurmWritesThem) {
  ASSERT_EQ(ask(R"({"op": "add-layer", "resource": "a", "nodes": "n[0-1]", "count": 9})"), "{}");
  ASSERT_EQ(ask(R"({"op": "add-layer", "resource": "a", "nodes": "n[2-3]", "count": 9})"), "{}");
  ASSERT_EQ(ask(R"({"op": "add-layer", "resource": "b", "nodes": "n[0-3]", "count": 5})"), "{}");
  const auto reserve = [&](std::string_view id, std::string_view hres) {
    return ask(fmt::format(
        R"({{"op": "reserve-layer", "id": {}, "hres": "{}", "start": 0, "duration": 50, "for": []}})",
        id, hres));
  };
  const auto reserved = [&] {
    std::string out;
    const std::string text = ask(R"({"op": "layers"})");
    for (std::size_t at = 0; (at = text.find("\"reserved\": ", at)) != text.npos; at += 12) {
      out += text.substr(at + 12, text.find_first_of(",}", at) - at - 12);
    }
    return out;
  };
  EXPECT_EQ(reserve("7", "a(n[0-1]):3,b(n[0-3]):4"), "{}");
  EXPECT_EQ(reserved(), "304");
  EXPECT_EQ(reserve("8", "a(n[2-3]):1;b"), "{}");  // the only layer of b, one unit
  EXPECT_EQ(reserved(), "315");
  // All or nothing.
  EXPECT_NE(reserve("9", "a(n[2-3]):1,b:1").find("error"), std::string::npos);
  EXPECT_EQ(reserved(), "315");
  EXPECT_NE(reserve("9", "a:1").find("a has 2 layers: name the nodes of one, a(n[0-1]):N"),
            std::string::npos);
  EXPECT_NE(reserve("9", "c:1").find("there is no resource 'c'"), std::string::npos);
  EXPECT_NE(reserve("9", "a(n[0-1]):x").find("a count is a number"), std::string::npos);
  EXPECT_NE(reserve("7", "b:0").find("error"), std::string::npos);  // the id is in use
  EXPECT_NE(
      ask(R"({"op": "reserve-layer", "id": 9, "hres": "b", "count": 1, "start": 0, "duration": 0, "for": []})")
          .find("replaces"),
      std::string::npos);
  EXPECT_EQ(ask(R"({"op": "free-layer", "id": 7})"), "{}");
  EXPECT_EQ(reserved(), "011");
  EXPECT_EQ(ask(R"({"op": "free-layer", "id": 8})"), "{}");
  EXPECT_EQ(reserved(), "000");
}

}  // namespace
}  // namespace copse
