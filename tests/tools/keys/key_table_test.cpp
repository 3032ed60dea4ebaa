// SPDX-License-Identifier: Apache-2.0
//
// Every key of every table that a reader reads by, with a typo, an empty value, values of other types
// and numbers that are too large: one line on standard error, exit status 2, nothing on standard
// output, no file made. A session goes on: each wrong request has one answer, and changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/known_key.hpp"
#include "formats/grug/grug_fields.hpp"
#include "paths.hpp"
#include "session/protocol/session_request.hpp"
#include "tools/in_process.hpp"
#include "tools/keys/key_forms.hpp"

namespace copse {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// --- Files

class KeyFolder {
 public:
  KeyFolder() {
    fs::create_directory_symlink(fs::path(source_dir()) / "examples/hres",
                                 scratch_.path() / "hres");
    scratch_.write(
        "r.json",
        R"({"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}],)"
        R"( "starttime": 0, "expiration": 0, "nodelist": ["n0"]}})");
    scratch_.write("topo.json", "{}");
    scratch_.write("kept.jsonl",
                   R"({"name": "kept", "start": 0, "duration": 900, "nodes": "node[01-03]"})");
    scratch_.write("jobs.jsonl", R"({"id": "a", "nodes": 1, "duration": 60, "queue": "batch"})");
    scratch_.write("made", "");
    before_ = names();
  }

  [[nodiscard]] Outcome run(const Form& form, const Members& members) const {
    scratch_.write("made", text_of(form, members));
    return run_copse(form.words, scratch_.path());
  }
  [[nodiscard]] const Scratch& scratch() const { return scratch_; }

  void expect_refused(const Outcome& got) const {
    EXPECT_EQ(got.status, 2) << got.errors;
    EXPECT_EQ(got.output, "");
    EXPECT_EQ(names(), before_);
    EXPECT_TRUE(got.errors.starts_with("copse: ")) << got.errors;
    EXPECT_NE(got.errors.find("made:"), std::string::npos) << "where? " << got.errors;
    EXPECT_EQ(std::ranges::count(got.errors, '\n'), 1) << got.errors;
    EXPECT_LE(got.errors.size(), 300U) << got.errors;
  }

 private:
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(scratch_.path())) {
      out.insert(entry.path().filename().string());
    }
    return out;
  }

  Scratch scratch_;
  std::set<std::string> before_;
};

class Keys : public testing::TestWithParam<Form> {};

TEST_P(Keys, OfTheTableAreRead) {
  const KeyFolder folder;
  for (const KnownKey& key : GetParam().keys) {
    const std::string name(key.name);
    ASSERT_TRUE(GetParam().needed.contains(name) || GetParam().good.contains(name))
        << "no good value here for " << name;
    const Outcome got = folder.run(GetParam(), members_with(GetParam(), name));
    EXPECT_EQ(got.status, 0) << name << ": " << got.errors;
  }
}

TEST_P(Keys, MisspeltAreNamed) {
  const KeyFolder folder;
  for (const KnownKey& key : GetParam().keys) {
    const std::string name(key.name), other = misspelt(name, GetParam().keys);
    Members members = members_with(GetParam(), name);
    members[other] = members[name];
    members.erase(name);
    SCOPED_TRACE(text_of(GetParam(), members));
    const Outcome got = folder.run(GetParam(), members);
    folder.expect_refused(got);
    EXPECT_NE(got.errors.find(other), std::string::npos) << got.errors;
    EXPECT_NE(got.errors.find("did you mean"), std::string::npos) << got.errors;
  }
}

TEST_P(Keys, RefuseWrongValues) {
  const KeyFolder folder;
  for (const KnownKey& key : GetParam().keys) {
    if (key.takes == KnownKey::kAny) continue;
    const std::string name(key.name);
    Members members = members_with(GetParam(), name);
    for (const std::string& value : wrong_values(key, GetParam().syntax)) {
      if (GetParam().right.contains(name + ' ' + value)) continue;
      members[name] = value;
      SCOPED_TRACE(text_of(GetParam(), members));
      folder.expect_refused(folder.run(GetParam(), members));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Copse, Keys, testing::ValuesIn(key_forms()),
                         [](const auto& form) { return form.param.name; });

// --- GRUG

// A recipe of a cluster with a node.
struct RecipeText {
  std::string key, value;            // the attribute that is tried
  bool of_node = true;               // else of the edge
  std::string node_attributes = {};  // XML

  [[nodiscard]] std::string text() const {
    const std::string data = "<data key=\"k\">" + value + "</data>";
    return "<graphml>\n<key id=\"k\" for=\"all\" attr.name=\"" + key +
           "\" attr.type=\"string\"/>\n<key id=\"root\" for=\"node\" attr.name=\"root\" "
           "attr.type=\"int\"/>\n<key id=\"type\" for=\"node\" attr.name=\"type\" "
           "attr.type=\"string\"/>\n<graph edgedefault=\"directed\">\n"
           "<node id=\"a\"><data key=\"root\">1</data><data key=\"type\">cluster</data></node>\n"
           "<node id=\"b\"" +
           node_attributes + "><data key=\"type\">node</data>" + (of_node ? data : "") +
           "</node>\n<edge source=\"a\" target=\"b\">" + (of_node ? "" : data) +
           "</edge>\n</graph></graphml>\n";
  }
};

const Words kShow{"info", "-L", "made", "-f", "grug"};

void expect_recipe_refused(const KeyFolder& folder, const RecipeText& recipe,
                           const std::string& word) {
  SCOPED_TRACE(recipe.text());
  folder.scratch().write("made", recipe.text());
  const Outcome got = run_copse(kShow, folder.scratch().path());
  folder.expect_refused(got);
  EXPECT_NE(got.errors.find(word), std::string::npos) << got.errors;
}

std::string with_neighbours_swapped(std::string_view word) { return misspelt(word, {}); }

template <class Field>
void try_fields(std::span<const Field> fields, bool of_node) {
  const KeyFolder folder;
  for (const Field& field : fields) {
    const std::string name(field.name);
    const std::string other = with_neighbours_swapped(name);
    expect_recipe_refused(folder, {other, "1", of_node, {}}, "did you mean");
    expect_recipe_refused(folder, {name, std::string(5000, 'a'), of_node, {}}, "longer than");
    if (field.number != nullptr) {
      for (const char* value : {"", "ten", "1.5", "99999999999999999999", "1e400", "0x10"}) {
        expect_recipe_refused(folder, {name, value, of_node, {}}, name + " is");
      }
    } else if (field.one_word) {
      expect_recipe_refused(folder, {name, "two words", of_node, {}}, "one word");
    }
  }
}

TEST(GrugKeys, RefuseWrongValues) {
  try_fields(grug::vertex_fields(), true);
  try_fields(grug::edge_fields(), false);
}

TEST(GrugKeys, MisspeltAttributesOfNodesAreNamed) {
  const KeyFolder folder;
  for (const KnownKey& key : grug::kNodeAttributes) {
    if (key.name == "id") continue;
    const std::string other = misspelt(key.name, grug::kNodeAttributes);
    expect_recipe_refused(folder, {"unit", "GB", true, ' ' + other + "=\"3\""},
                          "did you mean \"" + std::string(key.name));
  }
}

// --- Sessions

// A node that the machine does not have.
constexpr const char* kMoreNodes =
    R"({"graph": {"nodes": [{"id": "0", "metadata": {"type": "cluster", "id": 0, "rank": -1, "paths": {"containment": "/cluster0"}}}, {"id": "900", "metadata": {"type": "node", "name": "node33", "id": 33, "rank": 32, "paths": {"containment": "/cluster0/node33"}}}], "edges": [{"source": "0", "target": "900"}]}})";

// A request that needs the member, and works.
const std::map<std::string, Members>& requests() {
  static const Members kSatisfy{{"op", "\"satisfy\""}, {"shape", "\"slot=1/core\""}};
  static const Members kLayer{{"op", "\"set-layer\""},
                              {"resource", "\"flat\""},
                              {"nodes", "\"node[01-32]\""},
                              {"count", "24"}};
  static const Members kReserve{
      {"op", "\"reserve-layer\""},  {"id", "\"x\""}, {"resource", "\"flat\""},
      {"nodes", "\"node[01-32]\""}, {"count", "1"},  {"start", "10"},
      {"duration", "10"},           {"for", "[]"}};
  static const Members kAdd{{"op", "\"add-layer\""},
                            {"resource", "\"extra\""},
                            {"nodes", "\"node[01-08]\""},
                            {"count", "5"},
                            {"mode", "1"},
                            {"base", "0"}};
  const auto with = [](Members members, const std::string& key, const std::string& value) {
    members[key] = value;
    return members;
  };
  static const std::map<std::string, Members> kRequests{
      {"op", {{"op", "\"info\""}}},
      {"id", kReserve},
      {"shape", kSatisfy},
      {"duration", kReserve},
      {"constraints", with(kSatisfy, "constraints", R"({"hostlist": ["node01"]})")},
      {"jobspec",
       {{"op", "\"satisfy\""},
        {"jobspec", R"({"version": 1, "resources": [)" + slot_of_a_core() +
                        R"(], "tasks": [], "attributes": {}})"}}},
      {"hres", with(kSatisfy, "hres", "\"flat:1\"")},
      {"ranks", {{"op", "\"up\""}, {"ranks", "\"0\""}}},
      {"t", {{"op", "\"now\""}, {"t", "0"}}},
      {"at", {{"op", "\"layers\""}, {"at", "0"}}},
      {"resource", kLayer},
      {"nodes", kLayer},
      {"to",
       {{"op", "\"set-layer-nodes\""},
        {"resource", "\"flat\""},
        {"nodes", "\"node[01-08]\""},
        {"to", "\"node[01-08]\""}}},
      {"count", kLayer},
      {"start", kReserve},
      {"for", kReserve},
      {"mode", kAdd},
      {"base", kAdd},
      {"jgf", {{"op", "\"attach\""}, {"jgf", kMoreNodes}}},
      {"file", {{"op", "\"save\""}, {"file", "\"made.save\""}}}};
  return kRequests;
}

// No ids and no hosts are sets, and a name may be any text.
bool is_right_in_session(const std::string& key, const std::string& value) {
  static const std::set<std::string> kRight{
      "id \"\"", "id \"[?,\"",   "id \"99999999999999999999\"",
      "to \"\"", "file \"[?,\"", "file \"99999999999999999999\""};
  return kRight.contains(key + ' ' + value);
}

std::string request_of(const Members& members) {
  std::string out = "{";
  for (const auto& [key, value] : members) {
    out += fmt::format("{}\"{}\": {}", out.size() > 1 ? ", " : "", key, value);
  }
  return out + "}\n";
}

std::vector<std::string> answers(const std::string& requests) {
  const KeyFolder folder;
  const Outcome got = run({.words = {program("copse"), "session", "-L", "hres/cluster.json",
                                     "--hres", "hres/resources.yaml"},
                           .input = requests,
                           .folder = folder.scratch().path()});
  EXPECT_EQ(got.status, 0) << got.errors;
  std::vector<std::string> out;
  std::istringstream lines(got.output);
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

TEST(SessionKeys, OfTheTableAreRead) {
  for (const KnownKey& key : session_members()) {
    const auto request = requests().find(std::string(key.name));
    ASSERT_TRUE(request != requests().end()) << "no request here with " << key.name;
    ASSERT_TRUE(request->second.contains(request->first));
    const auto got = answers(request_of(request->second));
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].find("\"error\""), std::string::npos) << key.name << ": " << got[0];
  }
}

TEST(SessionKeys, WrongRequestsHaveOneAnswerAndChangeNothing) {
  const std::string state = "{\"op\": \"layers\"}\n{\"op\": \"status\"}\n";
  std::string input = state;
  std::vector<std::string> sent;
  const auto send = [&](const Members& members) {
    sent.push_back(request_of(members));
    input += sent.back();
  };
  for (const KnownKey& key : session_members()) {
    const std::string name(key.name);
    Members members = requests().at(name);
    for (const std::string& value : wrong_values(key, Syntax::json)) {
      if (is_right_in_session(name, value)) continue;
      members[name] = value;
      send(members);
    }
    members = requests().at(name);
    members[misspelt(name, session_members())] = members[name];
    members.erase(name);
    send(members);
  }
  for (const std::string_view op : operation_names()) {
    const std::string other = with_neighbours_swapped(op);
    send({{"op", '"' + other + '"'}});
  }
  const auto got = answers(input + state);
  ASSERT_EQ(got.size(), sent.size() + 4);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_TRUE(got[i + 2].starts_with("{\"error\": \"")) << sent[i] << got[i + 2];
    EXPECT_LE(got[i + 2].size(), 300U) << sent[i] << got[i + 2];
  }
  EXPECT_EQ(got[got.size() - 2], got[0]);
  EXPECT_EQ(got[got.size() - 1], got[1]);
}

TEST(SessionKeys, MisspeltOperationsAreNamed) {
  std::string input;
  for (const std::string_view op : operation_names()) {
    const std::string other = with_neighbours_swapped(op);
    input += request_of({{"op", '"' + other + '"'}});
  }
  const auto got = answers(input);
  ASSERT_EQ(got.size(), operation_names().size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NE(got[i].find("did you mean"), std::string::npos) << got[i];
  }
}

}  // namespace
}  // namespace copse
