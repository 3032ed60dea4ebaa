// SPDX-License-Identifier: Apache-2.0
#include "request/shape.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "request/count_text.hpp"

namespace copse {
namespace {

// What a shape means, with nothing left out but places.
std::string meaning(const std::vector<Resource>& resources) {
  std::string out;
  for (const Resource& r : resources) {
    if (!out.empty()) out += ' ';
    out += '<' + r.type + ">*" + (r.count == Count{} ? "1" : count_text(r.count));
    if (!r.label.empty()) out += " label(" + r.label + ")";
    if (!r.unit.empty()) out += " unit(" + r.unit + ")";
    if (r.exclusive != Exclusivity::unset) out += r.exclusive == Exclusivity::yes ? " x" : " -x";
    if (!r.with.empty()) out += " [" + meaning(r.with) + "]";
  }
  return out;
}

struct Accepted {
  std::string shape;
  std::string means;
  std::string text = {};  // shape_text() of it; empty: the shape as it is
};

const std::vector<Accepted> kAccepted = {
    {"node", "<node>*1"},
    {"[node]", "<node>*1", "node"},
    {"node=12", "<node>*12"},
    {"node=[12]", "<node>*12", "node=12"},
    {"node=1", "<node>*1", "node"},
    {"node=2-5", "<node>*2-5"},
    {"node=[2-5]", "<node>*2-5", "node=2-5"},
    {"node=7-7", "<node>*7", "node=7"},
    {"node=2-20:3", "<node>*2-20:3"},
    {"node=2-20:1:+", "<node>*2-20", "node=2-20"},
    {"node=3-50:2:*", "<node>*3-50:2:*"},
    {"node=[2-99:2:^]", "<node>*2-99:2:^", "node=2-99:2:^"},
    {"node=6+", "<node>*6+"},
    {"node=6+:6", "<node>*6+:6"},
    {"node=1+:2:*", "<node>*1+:2:*"},
    {"node=1,4,9", "<node>*1,4,9"},
    {"node=[1,4-6,9]", "<node>*1,4-6,9", "node=1,4-6,9"},
    {"node=4,5,6", "<node>*4-6", "node=4-6"},
    {"node=1-2,3,8", "<node>*1-3,8", "node=1-3,8"},
    {"node/core", "<node>*1 [<core>*1]"},
    {"rack=2/node=3/socket/core=4", "<rack>*2 [<node>*3 [<socket>*1 [<core>*4]]]"},
    {"[core=2;gpu]", "<core>*2 <gpu>*1"},
    {"node/[core=2;gpu;memory=8{unit:GB}]", "<node>*1 [<core>*2 <gpu>*1 <memory>*8 unit(GB)]"},
    {"slot/core", "<slot>*1 label(task) [<core>*1]"},
    {"slot=3/[core=2;gpu]", "<slot>*3 label(task) [<core>*2 <gpu>*1]"},
    {"slot{app}/core", "<slot>*1 label(app) [<core>*1]"},
    {"slot{task}/core", "<slot>*1 label(task) [<core>*1]", "slot/core"},
    {"slot{task,x}/core", "<slot>*1 label(task) x [<core>*1]"},
    {"slot{x}/core", "<slot>*1 label(x) [<core>*1]"},
    {"slot{x,x}/core", "<slot>*1 label(x) x [<core>*1]"},
    {"slot{a,-exclusive}/core", "<slot>*1 label(a) -x [<core>*1]", "slot{a,-x}/core"},
    {"slot{4-way}/core", "<slot>*1 label(4-way) [<core>*1]", "slot{\"4-way\"}/core"},
    {"slot{true}/core", "<slot>*1 label(true) [<core>*1]", "slot{\"true\"}/core"},
    {"slot{\"+\"}/core", "<slot>*1 label(+) [<core>*1]"},
    {"[slot{a}/core;slot{b}/gpu]", "<slot>*1 label(a) [<core>*1] <slot>*1 label(b) [<gpu>*1]"},
    {"slot{a}/node/slot{b}/core", "<slot>*1 label(a) [<node>*1 [<slot>*1 label(b) [<core>*1]]]"},
    {"SLOT/core", "<slot>*1 label(task) [<core>*1]", "slot/core"},
    {"\"slot\"/core", "<slot>*1 label(task) [<core>*1]", "slot/core"},
    {"\"Slot\"/core", "<Slot>*1 [<core>*1]"},
    {"slots", "<slots>*1"},
    {"xor_slot{label:a}/core", "<xor_slot>*1 label(a) [<core>*1]"},
    {"Node/CORE=2", "<Node>*1 [<CORE>*2]"},
    {"node{}", "<node>*1", "node"},
    {"node{ }/core", "<node>*1 [<core>*1]", "node/core"},
    {"node{x}", "<node>*1 x"},
    {"node{+x}", "<node>*1 x", "node{x}"},
    {"node{-x}", "<node>*1 -x"},
    {"node{x:true}", "<node>*1 x", "node{x}"},
    {"node{x:false}", "<node>*1 -x", "node{-x}"},
    {"node{exclusive}", "<node>*1 x", "node{x}"},
    {"node{exclusive:false}", "<node>*1 -x", "node{-x}"},
    {"node{\"exclusive\"}", "<node>*1 x", "node{x}"},
    {"node{id:node7}", "<node>*1", "node"},
    {"node{id:\"7\",x}", "<node>*1 x", "node{x}"},
    {"node=2{label:a,x,unit:b}", "<node>*2 label(a) unit(b) x"},
    {"node{ x , unit : G B }", "<node>*1 unit(G B) x", "node{x,unit:\"G B\"}"},
    {"node{unit:\"\"}", "<node>*1", "node"},
    {"node{unit:\"5\"}", "<node>*1 unit(5)"},
    {"node{unit:5x}", "<node>*1 unit(5x)", "node{unit:\"5x\"}"},
    {"node{unit:\"true\"}", "<node>*1 unit(true)"},
    {"node{unit:True}", "<node>*1 unit(True)", "node{unit:\"True\"}"},
    {"node{unit:a:b/c=d;e}", "<node>*1 unit(a:b/c=d;e)", "node{unit:\"a:b/c=d;e\"}"},
    {"node{unit:'{,}'}", "<node>*1 unit({,})", "node{unit:\"{,}\"}"},
    {"node{unit:'a\\n'}", "<node>*1 unit(a\\n)", "node{unit:\"a\\\\n\"}"},
    {"node{unit:\"a\\n\\u00e9\\\"\\ud83d\\ude00\"}", "<node>*1 unit(a\n\xC3\xA9\"\xF0\x9F\x98\x80)",
     "node{unit:\"a\\u000a\xC3\xA9\\\"\xF0\x9F\x98\x80\"}"},
    {"'my type'=2/node", "<my type>*2 [<node>*1]", "\"my type\"=2/node"},
    {"'a=b/c'", "<a=b/c>*1", "\"a=b/c\""},
    {"a,b:c+d=2", "<a,b:c+d>*2", "\"a,b:c+d\"=2"},
    {"4gpu", "<4gpu>*1", "\"4gpu\""},
    {"caf\xC3\xA9", "<caf\xC3\xA9>*1", "\"caf\xC3\xA9\""},
    {" \t\r\n node = 2 { x } / [ core = 3 ; gpu ] \n", "<node>*2 x [<core>*3 <gpu>*1]",
     "node=2{x}/[core=3;gpu]"},
};

TEST(Shape, Accepted) {
  for (const Accepted& row : kAccepted) {
    const auto request = parse_shape(row.shape, "arg");
    ASSERT_TRUE(request) << row.shape << ": " << request.error().message();
    EXPECT_EQ(meaning(request->resources), row.means) << row.shape;
    const std::string text = shape_text(*request);
    EXPECT_EQ(text, row.text.empty() ? row.shape : row.text);
    const auto again = parse_shape(text);
    ASSERT_TRUE(again) << text << ": " << again.error().message();
    EXPECT_EQ(meaning(again->resources), row.means) << text;
  }
}

TEST(Shape, TheRestOfTheRequestIsEmpty) {
  const auto request = parse_shape("slot/core");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->duration_s, 0);
  EXPECT_FALSE(request->duration_invalid);
  EXPECT_TRUE(request->queue.empty());
  EXPECT_TRUE(request->constraint.empty());
}

TEST(Shape, Places) {
  const auto request = parse_shape("node{x}/\n  [ \xC3\xA9=2; slot/\n\ncore]", "arg");
  ASSERT_TRUE(request) << request.error().message();
  const Resource& node = request->resources.front();
  EXPECT_EQ(node.place.text(), "arg:1:1");
  EXPECT_EQ(node.with[0].place.text(), "arg:2:5");
  EXPECT_EQ(node.with[1].place.text(), "arg:2:10");
  EXPECT_EQ(node.with[1].with[0].place.text(), "arg:4:1");
}

// The same resources as YAML, in a jobspec.
TEST(Shape, AsYaml) {
  for (const Accepted& row : kAccepted) {
    const auto yaml = resources_yaml(*parse_shape(row.shape));
    ASSERT_TRUE(yaml);
    const std::string jobspec = "version: 9999\n" + *yaml + "tasks: []\nattributes: {}\n";
    const auto request = parse_jobspec(jobspec);
    ASSERT_TRUE(request) << jobspec << request.error().message();
    EXPECT_EQ(meaning(request->resources), row.means) << jobspec;
  }
}

TEST(Shape, YamlAsWritten) {
  const auto request =
      parse_shape("node=2+/[slot=2-8:2:*{a,-x}/core=1,3;memory=4+:4{unit:\"5\"};gpu{label:no}]");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(resources_yaml(*request).value_or(""), R"(resources:
- type: node
  count:
    min: 2
  with:
  - type: slot
    count:
      min: 2
      max: 8
      operator: '*'
      operand: 2
    label: a
    exclusive: false
    with:
    - type: core
      count: '1,3'
  - type: memory
    count: '4+:4'
    unit: '5'
  - type: gpu
    count: 1
    label: 'no'
)");
}

TEST(Shape, PropertiesOfAResource) {
  for (const auto& [shape, properties, written] :
       {std::tuple{"slot/gpu=2{h200}", std::vector<std::string>{"h200"},
                   "slot/gpu=2{properties:h200}"},
        {"slot/gpu{properties:h200}", {"h200"}, "slot/gpu{properties:h200}"},
        {"slot/gpu{properties:\"h200, ^pcie\",unit:GB}",
         {"h200", "^pcie"},
         "slot/gpu{unit:GB,properties:\"h200,^pcie\"}"},
        {"slot/gpu{1g.10gb}", {"1g.10gb"}, "slot/gpu{properties:\"1g.10gb\"}"}}) {
    const auto request = parse_shape(shape);
    ASSERT_TRUE(request) << shape << ": " << request.error().message();
    const Resource& gpu = request->resources.front().with.front();
    EXPECT_EQ(gpu.properties, properties) << shape;
    EXPECT_EQ(shape_text(*request), written);
    const auto again = parse_shape(shape_text(*request));
    ASSERT_TRUE(again) << shape_text(*request);
    EXPECT_EQ(again->resources.front().with.front().properties, properties);
    const auto yaml = resources_yaml(*request);
    ASSERT_TRUE(yaml);
    const auto jobspec = parse_jobspec("version: 9999\n" + *yaml + "tasks: []\nattributes: {}\n");
    ASSERT_TRUE(jobspec) << *yaml << jobspec.error().message();
    EXPECT_EQ(jobspec->resources.front().with.front().properties, properties);
  }
  for (const char* wrong : {"slot{task,h200}/gpu", "slot/gpu{exclusiv}", "slot/gpu{properties:a|b}",
                            "slot/gpu{-h200}", "slot{task,properties:a}/gpu"}) {
    EXPECT_FALSE(parse_shape(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace copse
