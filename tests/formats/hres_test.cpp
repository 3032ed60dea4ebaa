// SPDX-License-Identifier: Apache-2.0
//
// resources.yaml: what is read, what is passed over, and what is refused and where.
#include "formats/hres/hres.hpp"
#include "paths.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace copse {
namespace {

void append_amounts(std::string& out, const char* what,
                    const std::vector<std::pair<std::string, std::int64_t>>& amounts) {
  for (const auto& [name, value] : amounts) {
    out += std::string(" ") + what + ' ' + name + '=' + std::to_string(value);
  }
}

// The file in short, a line for each resource and layer; or the error.
std::string brief(const std::string& text) {
  const auto spec = read_hres(text, "f");
  if (!spec) return spec.error().message();
  std::string out;
  for (const ResourceSpec& resource : spec->resources) {
    out += resource.name + ' ' + std::to_string(resource.mode);
    if (!resource.topology.empty()) out += " topology " + resource.topology;
    append_amounts(out, "variable", resource.variables);
    out += '\n';
    for (const LayerSpec& layer : resource.layers) {
      out += ' ';
      for (const auto& [hostlist, place] : layer.nodes) out += ' ' + hostlist;
      out += ": " + std::to_string(layer.count);
      append_amounts(out, "base", layer.bases);
      out += '\n';
    }
  }
  return out;
}

// The error of a file with one resource that has these layers; a layer begins on line 4, column 7.
std::string layer_error(const std::string& layer) {
  return brief("- resource: lic\n  mode: MODE_1\n  layers:\n    - " + layer + "\n");
}

std::string read_data(const char* name) {
  std::ifstream file((source_dir() + "/tests/data/hres/") + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(HresFile, OfThreeModesIsReadCompletely) {
  EXPECT_EQ(brief(read_data("three_modes.yaml")), read_data("three_modes.txt"));
}

TEST(HresFile, KeysStandInAnyOrderAndOthersArePassedOver) {
  EXPECT_EQ(
      brief("# a remark\n"
            "- layers:\n"
            "    - {count: 3, nodes: \"node[01-02],node05\", colour: [{a: 1}]}\n"
            "  mode: mode_2\n"
            "  resource: lic\n"
            "  owner: nobody\n"
            "- {resource: lic, mode: \"Mode_2\", layers: [{nodes: [n3, \"n[4]\"], count: -1}]}\n"
            "- {resource: gone, mode: MODE_1, layers: []}\n"),
      "lic 2\n  node[01-02],node05: 3\nlic 2\n  n3 n[4]: -1\ngone 1\n");
}

TEST(HresFile, MayBeJson) {
  EXPECT_EQ(brief(R"([{"resource":"a","mode":"MODE_3","layers":[{"nodes":"n1","count":1,)"
                  R"("base":[{"name":"b","value":0}]}]}])"),
            "a 3\n  n1: 1 base b=0\n");
}

TEST(HresFile, ListsMayBeEmptyAndOptionalKeysNull) {
  EXPECT_EQ(brief("[]"), "");
  EXPECT_EQ(
      brief("- {resource: a, mode: MODE_1, topology: null, variables: ~,\n"
            "   layers: [{nodes: [], count: 0, base: null}, {nodes: n1, count: 1, base: []}]}"),
      "a 1\n : 0\n  n1: 1\n");
}

TEST(HresFile, CountsAreDecimalIntegers) {
  const auto count = [](const std::string& text) {
    return brief("[{resource: a, mode: MODE_1, layers: [{nodes: n, count: " + text + "}]}]");
  };
  EXPECT_EQ(count("0"), "a 1\n  n: 0\n");
  EXPECT_EQ(count("-1"), "a 1\n  n: -1\n");
  EXPECT_EQ(count("+5"), "a 1\n  n: 5\n");
  EXPECT_EQ(count("4294967296"), "a 1\n  n: 4294967296\n");
  EXPECT_EQ(count("9223372036854775807"), "a 1\n  n: 9223372036854775807\n");
  const std::string head =
      "f:1:57: the count of a layer of resource \"a\" must be an integer from 0 to "
      "9223372036854775807, or -1 for no bound, not ";
  for (const char* text : {"9223372036854775808", "-2", "-9223372036854775809", "2.5", "1e3", "abc",
                           "Infinity", ".inf", "0x10", "+-1", "--1", "1 0", "true"}) {
    EXPECT_EQ(count(text), head + '"' + text + '"') << text;
  }
  EXPECT_EQ(count("null"), head + "null");
  EXPECT_EQ(count(""), head + "null");
  EXPECT_EQ(count("\"5\""), head + "\"5\" in quotes");
  EXPECT_EQ(count("[5]"), head + "a list");
  EXPECT_EQ(count("{}"), head + "a mapping");
}

TEST(HresFile, RemembersPlaces) {
  const auto spec = read_hres(
      "- resource: a\n  mode: MODE_1\n  layers:\n    - nodes: [n1,\n              n2]\n"
      "      count: 3\n",
      "f");
  ASSERT_TRUE(spec);
  const ResourceSpec& resource = spec->resources.at(0);
  const LayerSpec& layer = resource.layers.at(0);
  EXPECT_EQ(resource.place.text(), "f:1:13");
  EXPECT_EQ(layer.place.text(), "f:4:7");
  EXPECT_EQ(layer.nodes.at(0).second.text(), "f:4:15");
  EXPECT_EQ(layer.nodes.at(1).second.text(), "f:5:15");
  EXPECT_EQ(layer.count_place.text(), "f:6:14");
}

TEST(HresFile, ThatIsNoListIsRefused) {
  const std::string empty = "f:1:1: the file is empty; it must have a list of resources";
  EXPECT_EQ(brief(""), empty);
  EXPECT_EQ(brief("# nothing\n"), empty);
  EXPECT_EQ(brief("null"), empty);
  EXPECT_EQ(brief("\n---\n"), "f:3:1: the file is empty; it must have a list of resources");
  EXPECT_EQ(brief("resource: lic\n"),
            "f:1:1: the file must have a list of resources, not a mapping");
  EXPECT_EQ(brief("{\"resource\": 1}"),
            "f:1:1: the file must have a list of resources, not a mapping");
  EXPECT_EQ(brief("lic"), "f:1:1: the file must have a list of resources, not \"lic\"");
  EXPECT_EQ(brief("- lic"), "f:1:3: a resource must be a mapping, not \"lic\"");
  EXPECT_EQ(brief("[]\n---\n[]"), "f:2:1: the text has more than one YAML document");
  EXPECT_EQ(brief("- [\n"), "f:2:1: YAML: did not find expected node content");
  EXPECT_EQ(brief("- &a {}\n"), "f:1:3: YAML aliases are not accepted");
  EXPECT_EQ(brief("- {mode: a, mode: b}"), "f:1:13: key \"mode\" is given twice");
}

TEST(HresFile, RequiredKeysAreMissed) {
  EXPECT_EQ(brief("- mode: MODE_1\n  layers: []\n"),
            "f:1:3: a resource lacks the required key \"resource\"");
  EXPECT_EQ(brief("[]\n") + brief("\n- resource: lic\n  layers: []\n"),
            "f:2:3: resource \"lic\" lacks the required key \"mode\"");
  EXPECT_EQ(brief("- resource: lic\n  mode: MODE_1\n"),
            "f:1:3: resource \"lic\" lacks the required key \"layers\"");
  EXPECT_EQ(layer_error("count: 1"),
            "f:4:7: a layer of resource \"lic\" lacks the required key \"nodes\"");
  EXPECT_EQ(layer_error("nodes: n1"),
            "f:4:7: a layer of resource \"lic\" lacks the required key \"count\"");
  EXPECT_EQ(layer_error("{nodes: n1, count: 1, base: [{value: 1}]}"),
            "f:4:36: a base of resource \"lic\" lacks the required key \"name\"");
  EXPECT_EQ(layer_error("{nodes: n1, count: 1, base: [{name: a}]}"),
            "f:4:36: a base of resource \"lic\" lacks the required key \"value\"");
  EXPECT_EQ(brief("- {resource: lic, mode: MODE_1, variables: [{value: 1}], layers: []}"),
            "f:1:45: a variable of resource \"lic\" lacks the required key \"name\"");
  EXPECT_EQ(brief("- {resource: lic, mode: MODE_1, variables: [{name: a}], layers: []}"),
            "f:1:45: a variable of resource \"lic\" lacks the required key \"value\"");
}

TEST(HresFile, ValuesOfAnotherKindAreRefused) {
  EXPECT_EQ(brief("- {resource: lic, mode: MODE_1, layers: 3}"),
            "f:1:41: the layers of resource \"lic\" must be a list, not \"3\"");
  EXPECT_EQ(brief("- {resource: lic, mode: MODE_1, layers: null}"),
            "f:1:41: the layers of resource \"lic\" must be a list, not null");
  EXPECT_EQ(brief("- {resource: lic, mode: MODE_1, variables: {}, layers: []}"),
            "f:1:44: the variables of resource \"lic\" must be a list, not a mapping");
  EXPECT_EQ(brief("- {resource: lic, mode: MODE_1, topology: [], layers: []}"),
            "f:1:43: the topology of resource \"lic\" must be a string, not a list");
  EXPECT_EQ(layer_error("n1"), "f:4:7: a layer of resource \"lic\" must be a mapping, not \"n1\"");
  const std::string nodes =
      "the nodes of a layer of resource \"lic\" must be a hostlist or a list of them, not ";
  EXPECT_EQ(layer_error("{nodes: null, count: 1}"), "f:4:15: " + nodes + "null");
  EXPECT_EQ(layer_error("{nodes: {a: 1}, count: 1}"), "f:4:15: " + nodes + "a mapping");
  EXPECT_EQ(layer_error("{nodes: [a, [b]], count: 1}"), "f:4:19: " + nodes + "a list");
  EXPECT_EQ(layer_error("{nodes: [a, ~], count: 1}"), "f:4:19: " + nodes + "null");
  EXPECT_EQ(layer_error("{nodes: n1, count: 1, base: 3}"),
            "f:4:35: the base of resource \"lic\" must be a list, not \"3\"");
  EXPECT_EQ(layer_error("{nodes: n1, count: 1, base: [3]}"),
            "f:4:36: a base of resource \"lic\" must be a mapping, not \"3\"");
  EXPECT_EQ(layer_error("{nodes: n1, count: 1, base: [{name: [], value: 1}]}"),
            "f:4:43: the name of a base of resource \"lic\" must be a string, not a list");
}

TEST(HresFile, AmountsAreNotNegative) {
  EXPECT_EQ(layer_error("{nodes: n1, count: 1, base: [{name: a, value: -1}]}"),
            "f:4:53: the value of base \"a\" of resource \"lic\" must be an integer from 0 to "
            "9223372036854775807, not \"-1\"");
  EXPECT_EQ(layer_error("{nodes: n1, count: 1, base: [{name: a, value: '1'}]}"),
            "f:4:53: the value of base \"a\" of resource \"lic\" must be an integer from 0 to "
            "9223372036854775807, not \"1\" in quotes");
  EXPECT_EQ(
      brief("- {resource: lic, mode: MODE_1, variables: [{name: a, value: many}], layers: []}"),
      "f:1:62: the value of variable \"a\" of resource \"lic\" must be an integer from 0 to "
      "9223372036854775807, not \"many\"");
}

TEST(HresFile, ModesAreThree) {
  const auto mode = [](const std::string& word) {
    return brief("- {resource: lic, mode: " + word + ", layers: []}");
  };
  EXPECT_EQ(mode("MODE_1") + mode("mode_2") + mode("'mOdE_3'"), "lic 1\nlic 2\nlic 3\n");
  for (const char* word : {"MODE_4", "MODE_0", "MODE_", "MODE_12", "1", "MODE-1", "xODE_1"}) {
    EXPECT_EQ(mode(word), std::string("f:1:25: resource \"lic\" has an unknown mode, \"") + word +
                              "\"; there are MODE_1, MODE_2, MODE_3")
        << word;
  }
  EXPECT_EQ(mode("null"),
            "f:1:25: resource \"lic\" has an unknown mode, null; there are MODE_1, "
            "MODE_2, MODE_3");
  EXPECT_EQ(brief("- {resource: lic, mode: MODE_1, layers: []}\n"
                  "- {resource: other, mode: MODE_2, layers: []}\n"
                  "- {resource: lic, mode: MODE_2, layers: []}\n"),
            "f:3:25: resource \"lic\" has mode MODE_2 here and MODE_1 on line 1");
}

TEST(HresFile, NamesCanBeRequested) {
  for (const char* name : {"a b", "a,b", "a;b", "a|b", "a:b", "a=b", "a(b", "a)b", "", " a"}) {
    EXPECT_EQ(brief(std::string("- {resource: \"") + name + "\", mode: MODE_1, layers: []}"),
              std::string("f:1:14: no request can say the name \"") + name +
                  "\" of a resource; there may be no blanks, control characters or , ; | : = ( ) "
                  "in it")
        << name;
  }
  EXPECT_EQ(brief("- {resource: [a], mode: MODE_1, layers: []}"),
            "f:1:14: the name of a resource must be a string, not a list");
  EXPECT_EQ(brief("- {resource: null, mode: MODE_1, layers: []}"),
            "f:1:14: the name of a resource must be a string, not null");
  EXPECT_EQ(brief("- {resource: größe, mode: MODE_1, layers: []}"), "größe 1\n");
}

TEST(HresFile, IsBounded) {
  const auto expect_limit = [](const std::string& text, const std::string& message) {
    const auto spec = read_hres(text, "f");
    ASSERT_FALSE(spec) << message;
    EXPECT_EQ(spec.error().code, ErrorCode::limit) << message;
    EXPECT_EQ(spec.error().message(), message);
  };
  const auto times = [](std::size_t count, const char* text) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  expect_limit(std::string((64u << 20) + 1, ' '), "f: the text is longer than 67108864 bytes");
  expect_limit("- {resource: " + std::string(1025, 'x') + "}",
               "f:1:14: the name of a resource is longer than 1024 bytes");
  EXPECT_EQ(brief("- {resource: " + std::string(1024, 'x') + ", mode: MODE_1, layers: []}"),
            std::string(1024, 'x') + " 1\n");
  expect_limit("[" + times(10'001, "{},") + "]", "f:1:1: more than 10000 resources");
  expect_limit(
      "- {resource: a, mode: MODE_1, layers: []}\n"
      "- {resource: a, mode: MODE_1, layers: [" +
          times(1'000'001, "{},") + "]}",
      "f:2:39: more than 1000000 layers");
  expect_limit("- {resource: a, mode: MODE_1, layers: [{count: 1, nodes: [\n" +
                   times(2'000'001, "n,") + "]}]}",
               "f:2:4000001: more than 2000000 hostlists");
  expect_limit(std::string(100, '['), "f:1:65: nested deeper than 64 levels");
}

}  // namespace
}  // namespace copse
