// SPDX-License-Identifier: Apache-2.0
//
// Policies from plugins: in every tool, by file and by name, and refused where they cannot be.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "paths.hpp"
#include "tools/program.hpp"

namespace copse {
namespace {

const std::string kSelective = build_dir() + "/examples/disciplines/selective.so";
const std::string kWide = build_dir() + "/examples/disciplines/wide.so";
const std::string kCoolest = build_dir() + "/examples/policies/coolest.so";
const std::string kPlugins = build_dir() + "/tests/plugins/";

// The desk with temperatures of its nodes, as JGF.
class Plugins : public ::testing::Test {
 protected:
  Plugins() {
    const Outcome desk = sh("copse convert -L machines/desk.graphml -t jgf");
    std::string text = desk.output;
    for (const auto& [node, celsius] :
         {std::pair{"node0", "55"}, {"node2", "31"}, {"node3", "44"}}) {
      const std::string path = std::string("/desk0/rack0/") + node + "\"}";
      const std::size_t at = text.find(path);
      if (at == std::string::npos) continue;
      text.insert(at + path.size(),
                  std::string(R"(, "properties": {"celsius": ")") + celsius + "\"}");
    }
    scratch_.write("warm.json", text);
    std::filesystem::copy_file(kCoolest, scratch_.path() / "coolest.so");
    std::filesystem::copy_file(kSelective, scratch_.path() / "selective.so");
  }

  // Runs a line of the shell, in which the programs are those of the build.
  [[nodiscard]] Outcome sh(const std::string& line) const {
    const std::string path = program("copse");
    const std::string folder = path.substr(0, path.rfind('/'));
    return run({.words = {"/bin/sh", "-c", "PATH=" + folder + ":$PATH; " + line},
                .input = {},
                .folder = scratch_.path()});
  }
  void refuses(const std::string& line, const std::string& why) const {
    SCOPED_TRACE(line);
    const Outcome got = sh(line);
    EXPECT_EQ(got.status, 2);
    EXPECT_EQ(got.output, "");
    EXPECT_EQ(got.errors, "copse: " + why + "\n");
  }

  Scratch scratch_;
};

const std::string kNode = " --shape 'slot=1/node{x}' --duration 60 -F rv1_nosched";

TEST_F(Plugins, ServeMatch) {
  for (const char* const how :
       {"copse match -P ./coolest.so", "copse match -P coolest.so",
        "copse match -P ./coolest.so:coolest", "COPSE_PLUGINS=./coolest.so copse match -P coolest",
        "COPSE_PLUGINS=:coolest.so: copse match -P coolest"}) {
    SCOPED_TRACE(how);
    const Outcome got = sh(how + std::string(" -L warm.json") + kNode);
    EXPECT_EQ(got.status, 0) << got.errors;
    EXPECT_NE(got.output.find("\"nodelist\": [\"node2\"]"), std::string::npos) << got.output;
  }
}

// Policies that visit pools: as in resource-query's documentation, by what power panels have left, and away
// from other jobs of the same user.
TEST_F(Plugins, HavePoliciesThatVisit) {
  const auto copy = [&](const char* name) {
    std::filesystem::copy_file(build_dir() + "/examples/policies/" + name, scratch_.path() / name);
  };
  for (const char* name : {"highest.so", "most_power.so", "apart.so"}) copy(name);
  const auto nodes = [&](const std::string& line) {
    const Outcome got = sh(line);
    EXPECT_EQ(got.status, 0) << line << '\n' << got.errors;
    const std::size_t at = got.output.find("\"nodelist\": ");
    return at == std::string::npos
               ? got.output
               : got.output.substr(at + 12, got.output.find("\"]", at) + 2 - at - 12);
  };
  EXPECT_EQ(nodes("copse match -L warm.json -P ./highest.so" + kNode), R"(["node3"])");
  EXPECT_EQ(nodes("copse match -L warm.json -P ./highest.so --shape 'node=2/slot=2/core=3' "
                  "--duration 60 -F rv1_nosched"),
            nodes("copse match -L warm.json -P high --shape 'node=2/slot=2/core=3' "
                  "--duration 60 -F rv1_nosched"));
  scratch_.write("power.json", R"({"graph": {"nodes": [
{"id": "0", "metadata": {"type": "cluster", "id": 0, "rank": -1, "paths": {"containment": "/cluster0"}}},
{"id": "1", "metadata": {"type": "node", "id": 0, "rank": 0, "paths": {"containment": "/cluster0/node0", "power": "/panel9/panel0/node0"}}},
{"id": "2", "metadata": {"type": "node", "id": 1, "rank": 1, "paths": {"containment": "/cluster0/node1", "power": "/panel9/panel1/node1"}}},
{"id": "3", "metadata": {"type": "core", "id": 0, "rank": 0, "paths": {"containment": "/cluster0/node0/core0"}}},
{"id": "4", "metadata": {"type": "core", "id": 0, "rank": 1, "paths": {"containment": "/cluster0/node1/core0"}}},
{"id": "5", "metadata": {"type": "panel", "id": 9, "rank": -1, "size": 2000, "paths": {"power": "/panel9"}}},
{"id": "6", "metadata": {"type": "panel", "id": 0, "rank": -1, "size": 500, "paths": {"power": "/panel9/panel0"}}},
{"id": "7", "metadata": {"type": "panel", "id": 1, "rank": -1, "size": 600, "paths": {"power": "/panel9/panel1"}}}],
"edges": [{"source": "0", "target": "1"}, {"source": "0", "target": "2"}, {"source": "1", "target": "3"}, {"source": "2", "target": "4"},
{"source": "5", "target": "6", "metadata": {"subsystem": "power"}}, {"source": "5", "target": "7", "metadata": {"subsystem": "power"}},
{"source": "6", "target": "1", "metadata": {"subsystem": "power"}}, {"source": "7", "target": "2", "metadata": {"subsystem": "power"}}]}})");
  EXPECT_EQ(nodes("copse match -L power.json --auxiliary power -P ./most_power.so --shape "
                  "'slot=1/[node{x};power=300]' --duration 60 -F rv1_nosched"),
            R"(["node1"])");
  EXPECT_EQ(nodes("copse match -L power.json -P ./most_power.so" + kNode), R"(["node0"])");
  scratch_.write("jobs.jsonl",
                 R"({"id": "a", "duration": 100, "nodes": 1, "cores": 1, "user": "ada"}
{"id": "b", "duration": 100, "nodes": 1, "cores": 1, "user": "ada"}
{"id": "c", "duration": 100, "nodes": 1, "cores": 1, "user": "bo"}
{"id": "d", "duration": 100, "nodes": 3, "cores": 3, "user": "ada"}
)");
  const Outcome got = sh("copse plan -L warm.json jobs.jsonl -P ./apart.so");
  EXPECT_EQ(got.status, 0) << got.errors;
  const auto ran = [&](const std::string& id) {
    const std::size_t at = got.output.find("{\"id\": \"" + id);
    const std::string line = got.output.substr(at, got.output.find('\n', at) - at);
    const std::size_t start = line.find("\"start\": ") + 9, on = line.find("\"nodelist\": \"") + 13;
    return line.substr(start, line.find(',', start) - start) + " " +
           line.substr(on, line.find('"', on) - on);
  };
  EXPECT_EQ(ran("a"), "0 node0") << got.output;
  EXPECT_EQ(ran("b"), "0 node1") << got.output;
  EXPECT_EQ(ran("c"), "0 node0") << got.output;
  EXPECT_EQ(ran("d").substr(0, 4), "100 ") << got.output;
  refuses("copse match -L warm.json -T treepool -P ./apart.so" + kNode,
          "the policy \"apart\" visits pools, which the traverser treepool does not");
}

// The second job has not waited for long, so that no promise keeps the third from starting.
TEST_F(Plugins, HaveDisciplines) {
  scratch_.write("jobs.jsonl", R"({"id": "a", "duration": 100, "nodes": 3}
{"id": "b", "duration": 100, "nodes": 4}
{"id": "c", "duration": 300, "nodes": 1}
)");
  for (const auto& [how, start] : {std::pair{"-d easy", "200"},
                                   {"-d ./selective.so", "0"},
                                   {"-d ./selective.so:selective", "0"}}) {
    const Outcome got = sh(std::string("copse plan -L warm.json jobs.jsonl ") + how);
    EXPECT_EQ(got.status, 0) << got.errors;
    EXPECT_NE(got.output.find(std::string(R"({"id": "c", "submit": 0, "start": )") + start + ","),
              std::string::npos)
        << how << '\n'
        << got.output;
  }
  EXPECT_EQ(
      sh("COPSE_PLUGINS=./selective.so copse plan -L warm.json -d selective jobs.jsonl").status, 0);
  const std::string plan = "copse plan -L warm.json jobs.jsonl -d ";
  refuses(plan + "./coolest.so", "./coolest.so has no discipline");
  refuses(plan + "./selective.so:easy",
          "./selective.so has no discipline \"easy\"; it has selective");
  refuses("copse match -L warm.json -P ./selective.so" + kNode, "./selective.so has no policy");
}

// The request and the user of a job: job c starts at once unless job b has a promise of all nodes.
TEST_F(Plugins, HaveDisciplinesThatKnowSizesAndUsers) {
  std::filesystem::copy_file(kWide, scratch_.path() / "wide.so");
  for (const auto& [nodes, user, how, start] : {std::tuple{"4", "ada", "wide", "200"},
                                                {"2", "ada", "wide", "0"},
                                                {"4", "ada", "owner", "0"},
                                                {"4", "owner", "owner", "200"}}) {
    scratch_.write("jobs.jsonl", R"({"id": "a", "duration": 100, "nodes": 3}
{"id": "b", "duration": 100, "nodes": )" +
                                     std::string(nodes) + R"(, "user": ")" + user + R"("}
{"id": "c", "duration": 300, "nodes": 1}
)");
    const Outcome got = sh(std::string("copse plan -L warm.json jobs.jsonl -d ./wide.so:") + how);
    EXPECT_EQ(got.status, 0) << got.errors;
    EXPECT_NE(got.output.find(std::string(R"({"id": "c", "submit": 0, "start": )") + start + ","),
              std::string::npos)
        << how << ' ' << nodes << ' ' << user << '\n'
        << got.output;
  }
}

// A forbidden action of a discipline ends the plan, with the reason.
TEST_F(Plugins, HaveDisciplinesThatFail) {
  scratch_.write("jobs.jsonl", R"({"id": "a", "duration": 100, "nodes": 3}
{"id": "b", "duration": 100, "nodes": 4}
)");
  const std::string plan = "copse plan -L warm.json --summary jobs.jsonl -d " + kPlugins;
  refuses(plan + "misbehaving.so:nine",
          "the discipline \"nine\" returned 9, which is not a treatment");
  refuses(plan + "misbehaving.so:thrower",
          "the discipline \"thrower\" threw an exception: no idea");
}

// A score that throws, and one of nodes that does so within a match.
TEST_F(Plugins, HavePoliciesThatThrow) {
  scratch_.write("jobs.jsonl", R"({"id": "a", "duration": 100, "nodes": 1, "cores": 1}
)");
  const std::string machine = " -L warm.json -P " + kPlugins + "throwing.so:";
  for (const std::string name : {"scores", "nodes"}) {
    const std::string why = "the policy \"" + name + "\" threw an exception: no idea";
    refuses("copse match --shape node/slot=1/core" + machine + name, why);
    refuses("copse plan --summary jobs.jsonl" + machine + name, why);
    refuses(R"(echo '{"op": "alloc", "id": 1, "shape": "node/slot=1/core", "duration": 60}' | )"
            "copse session" +
                machine + name,
            why);
  }
  const Outcome query = sh("echo quit | resource-query -f jgf" + machine + "scores");
  EXPECT_EQ(query.status, 1);
  EXPECT_NE(query.errors.find("the policy \"scores\" threw an exception: no idea"),
            std::string::npos)
      << query.errors;
}

TEST_F(Plugins, ServePlanSessionAndResourceQuery) {
  scratch_.write("jobs.jsonl", "{\"id\": \"a\", \"submit\": 0, \"duration\": 60, \"nodes\": 2}\n");
  const Outcome plan = sh("copse plan -L warm.json -P ./coolest.so jobs.jsonl 2>&1");
  EXPECT_NE(plan.output.find("\"nodelist\": \"node[2-3]\""), std::string::npos) << plan.output;
  const Outcome session = sh(
      R"(echo '{"op": "alloc", "id": 1, "shape": "slot=1/node{x}", "duration": 60}' |
         copse session -L warm.json -P ./coolest.so --save kept 2>&1)");
  EXPECT_NE(session.output.find("\"nodelist\": [\"node2\"]"), std::string::npos) << session.output;
  const std::string next =
      R"(echo '{"op": "alloc", "id": 2, "shape": "slot=1/node{x}", "duration": 60}' | )";
  for (const char* const how : {"copse session -P ./coolest.so --restore kept",
                                "COPSE_PLUGINS=./coolest.so copse session --restore kept"}) {
    const Outcome restored = sh(next + how);
    EXPECT_NE(restored.output.find("\"nodelist\": [\"node3\"]"), std::string::npos)
        << restored.output << restored.errors;
  }
  const Outcome query =
      sh("printf 'match allocate jobspecs/desk-whole-node.yaml\\nquit\\n' | "
         "resource-query -L warm.json -f jgf -P ./coolest.so");
  EXPECT_NE(query.output.find("---node2[1:x]"), std::string::npos) << query.output << query.errors;
}

TEST_F(Plugins, NameTheirPolicies) {
  const std::string two = kPlugins + "two.so", match = "copse match -L warm.json" + kNode + " -P ";
  const Outcome down = sh(match + two + ":down");
  EXPECT_NE(down.output.find("node3"), std::string::npos) << down.output << down.errors;
  refuses(match + two, two + " has several policies, up, down: name one, as " + two + ":up");
  refuses(match + two + ":left", two + " has no policy \"left\"; it has up, down");
  refuses("COPSE_PLUGINS=" + two + " " + match + "dwon",
          "unknown match policy \"dwon\"; did you mean \"down\"?");
}

TEST_F(Plugins, AreRefusedInOneLine) {
  const std::string match = "copse match -L warm.json" + kNode + " -P ";
  refuses(match + "./none.so", "can't read ./none.so: No such file or directory");
  refuses(match + "/", "can't read /: Is a directory");
  scratch_.write("text.so", "no library\n");
  const Outcome text = sh(match + "./text.so");
  EXPECT_TRUE(text.errors.starts_with("copse: ./text.so is not a plugin: ")) << text.errors;
  EXPECT_EQ(std::ranges::count(text.errors, '\n'), 1) << text.errors;
  const auto wrong = [&](const std::string& name, const std::string& why) {
    refuses(match + kPlugins + name, kPlugins + name + why);
  };
  wrong("without_function.so", " is not a plugin: it has no copse_plugin (see copse/plugin.hpp)");
  wrong("unresolved.so", " is not a plugin: undefined symbol: nobody_has_this");
  wrong("older.so",
        " was built for version 5 of plugins, this program has 6: build it again with the headers "
        "of this Copse");
  wrong("other_headers.so",
        " was built with headers of another Copse: build it again with those of this one");
  wrong("without_policies.so", " has no policy and no discipline");
  wrong("twice.so", " has two policies \"up\"");
  wrong("without_treat.so", " has a discipline \"empty\" without a function");
  wrong("bundled_name.so",
        " has a discipline \"easy\", which Copse has, too: give it another name");
  const std::string two = kPlugins + "two.so";
  refuses("COPSE_PLUGINS=" + two + ":" + two + " " + match + "low",
          "COPSE_PLUGINS: " + two + " has a policy \"up\", which an earlier file has, too");
  refuses("COPSE_PLUGINS=none.so " + match + "low",
          "COPSE_PLUGINS: can't read none.so: No such file or directory");
}

}  // namespace
}  // namespace copse
