// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "request/shape.hpp"

namespace copse {
namespace {

struct Refused {
  std::string shape;
  const char* place;
  const char* text;
};

const std::vector<Refused> kRefused = {
    {"", "1:1", "expected a resource type, not the end of the shape"},
    {" \n ", "2:2", "expected a resource type, not the end of the shape"},
    {"node/", "1:6", "expected a resource type, not the end of the shape"},
    {"node/\n/core", "2:1", "expected a resource type, not '/'"},
    {"[]", "1:2", "expected a resource type, not ']'"},
    {"[node;]", "1:7", "expected a resource type, not ']'"},
    {"[;node]", "1:2", "expected a resource type, not ';'"},
    {"[[node]]", "1:2", "expected a resource type, not '['"},
    {"{x}", "1:1", "expected a resource type, not '{'"},
    {"=2", "1:1", "expected a resource type, not '='"},
    {"''", "1:1", "a resource type is not empty"},
    {"node core", "1:6", "expected the end of the shape, not 'c'"},
    {"node \xC3\xA9", "1:6", "expected the end of the shape, not '\xC3\xA9'"},
    {"node{x}{x}", "1:8", "expected the end of the shape, not '{'"},
    {"node{x}=2", "1:8", "expected the end of the shape, not '='"},
    {"node=2=3", "1:7", "expected the end of the shape, not '='"},
    {"[node]/core", "1:7", "expected the end of the shape, not '/'"},
    {"node;core", "1:5", "resources side by side need brackets, as in [core;gpu]"},
    {"node/core]", "1:10", "nothing is open that this ']' closes"},
    {"node}", "1:5", "nothing is open that this '}' closes"},
    {"[node", "1:1", "this '[' is not closed"},
    {"rack/\n [node;core", "2:2", "this '[' is not closed"},
    {"[node,core=2=3]", "1:13", "expected ';' or ']', not '='"},
    {"[rack/[node]/core]", "1:13", "expected ';' or ']', not '/'"},
    {"node{", "1:6", "expected a key, not the end of the shape"},
    {"node{x", "1:5", "this '{' is not closed"},
    {"slot{a,x", "1:5", "this '{' is not closed"},
    {"node{x,}", "1:8", "expected a key, not '}'"},
    {"node{,x}", "1:6", "expected a key, not ','"},
    {"node{:a}", "1:6", "expected a key, not ':'"},
    {"node{+}", "1:7", "expected a key, not '}'"},
    {"node{+x:true}", "1:8", "expected ',' or '}', not ':'"},
    {"node{x:true false}", "1:8", "the value of \"exclusive\" is true or false"},
    {"node{x:True}", "1:8", "the value of \"exclusive\" is true or false"},
    {"node{x:\"true\"}", "1:8", "the value of \"exclusive\" is true or false"},
    {"node{x:[true]}", "1:8", "the value of \"exclusive\" is true or false"},
    {"node{x:}", "1:8", "expected a value, not '}'"},
    {"node{x,+exclusive}", "1:9", "key \"exclusive\" is given twice"},
    {"node{unit:a,unit:b}", "1:13", "key \"unit\" is given twice"},
    {"node{unit}", "1:6", "key \"unit\" needs a value, as in unit:a"},
    {"node{-label}", "1:7", "key \"label\" needs a value, as in label:a"},
    {"node{unit:7}", "1:11", "the value of \"unit\" is a string; other words need quotes"},
    {"node{unit:-1.5e3}", "1:11", "the value of \"unit\" is a string; other words need quotes"},
    {"node{unit:null}", "1:11", "the value of \"unit\" is a string; other words need quotes"},
    {"node{unit:[a]}", "1:11", "the value of \"unit\" is a string; other words need quotes"},
    {"node{id:{a:b}}", "1:9", "the value of \"id\" is a string; other words need quotes"},
    {"node{unit:a]}", "1:12", "expected ',' or '}', not ']'"},
    {"node{unit:\"a\"b}", "1:14", "expected ',' or '}', not 'b'"},
    {"node{exlusive}", "1:6",
     "\"exlusive\" is not a key of a resource; x (exclusive), unit, label, id and properties are"},
    {"node{X}", "1:6",
     "\"X\" is not a key of a resource; x (exclusive), unit, label, id and properties are"},
    {"node{\"x\"}", "1:6",
     "\"x\" is not a key of a resource; x (exclusive), unit, label, id and properties are"},
    {"node{count:2}", "1:6", "the count goes before the braces"},
    {"node{x,type:core}", "1:8", "the type goes before the braces"},
    {"node{with:core}", "1:6", "what a resource holds goes after a '/', not in its braces"},
    {"slot", "1:5",
     "expected '/' and what the slot holds, as in slot=2/core=4, not the end of the shape"},
    {"[slot;core]", "1:6", "expected '/' and what the slot holds, as in slot=2/core=4, not ';'"},
    {"slot{}/core", "1:6", "the braces of a slot begin with its label, as in slot{a,x}"},
    {"slot{+x}/core", "1:6", "the braces of a slot begin with its label, as in slot{a,x}"},
    {"slot{x:true}/core", "1:6", "the braces of a slot begin with its label, as in slot{a,x}"},
    {"slot{\"\"}/core", "1:6", "the braces of a slot begin with its label, as in slot{a,x}"},
    {"slot{,x}/core", "1:6", "expected the label of the slot, not ','"},
    {"slot{a,label:b}/core", "1:8", "key \"label\" is given twice"},
    {"[slot/core;slot{a}/gpu]", "1:2", "where there are several slots each needs a label"},
    {"slot{a}/\nslot/core", "2:1", "where there are several slots each needs a label"},
    {"[slot{a}/core;slot{a}/gpu]", "1:20", "label \"a\" is given twice"},
    {"slot{a}/core{label:a}", "1:20", "label \"a\" is given twice"},
    {"slot/core{label:task}", "1:1",
     "a slot without a label is labelled \"task\", which is given already"},
    {"node=", "1:6", "expected a number here, as in 4, 2-8:2 or 1,3-5"},
    {"node=/core", "1:6", "expected a number here, as in 4, 2-8:2 or 1,3-5"},
    {"node=x", "1:6", "expected a number here, as in 4, 2-8:2 or 1,3-5"},
    {"node=0", "1:6", "a number of a count is at least 1"},
    {"node=02", "1:6", "a number of a count has no leading zeros"},
    {"node=[2/core", "1:6", "this '[' is not closed behind the count"},
    {"node=6-2", "1:8", "the most of a count, 2, is below its least, 6"},
    {"node=2-6:0", "1:10", "a number of a count is at least 1"},
    {"node=2-6:1:*", "1:10", "the operand of '*' is at least 2"},
    {"node=1-6:2:^", "1:6", "the least count of a range with '^' is at least 2"},
    {"node=2-6:2:%", "1:12", "the operator of a count is one of '+', '*' and '^'"},
    {"node=4,2", "1:8", "the counts of a set ascend, and 2 is not above 4"},
    {"node=1,3-3", "1:10", "the counts of a set ascend, and 3 is not above 3"},
    {"node=3-3,5", "1:8", "a range of a set has more than one count"},
    {"node=1,3:2", "1:9", "expected the end of the shape, not ':'"},
    {"\"node", "1:1", "this \" is not closed"},
    {"node/'core", "1:6", "this ' is not closed"},
    {"\"node\\\"", "1:1", "this \" is not closed"},
    {"\"node\\", "1:1", "this \" is not closed"},
    {"node/\"a\\q\"", "1:6", "a '\\' in this string begins no escape of JSON"},
    {"node/\"\\ud800\"", "1:6", "a '\\' in this string begins no escape of JSON"},
    {"node{unit:a\tb}", "1:12",
     "a word has no control characters; write \"\\u0007\" in double quotes"},
    {"'a\nb'", "1:3", "a word has no control characters; write \"\\u0007\" in double quotes"},
    {std::string("a\0b", 3), "1:2",
     "a word has no control characters; write \"\\u0007\" in double quotes"},
    {"node/\xFF", "1:6", "a shape is text in UTF-8, and this is not"},
};

TEST(Shape, Refused) {
  for (const Refused& row : kRefused) {
    const auto request = parse_shape(row.shape, "arg");
    ASSERT_FALSE(request) << row.shape;
    EXPECT_EQ(request.error().text, row.text) << row.shape;
    EXPECT_EQ(request.error().place.text(), std::string("arg:") + row.place) << row.shape;
    EXPECT_EQ(request.error().code, ErrorCode::invalid) << row.shape;
  }
}

void expect_limit(const std::string& shape, const char* place, const char* text,
                  const JobspecLimits& limits = {}) {
  const auto request = parse_shape(shape, "arg", limits);
  ASSERT_FALSE(request) << shape.substr(0, 100);
  EXPECT_EQ(request.error().text, text);
  EXPECT_EQ(request.error().code, ErrorCode::limit);
  EXPECT_EQ(request.error().place.text(), std::string("arg:") + place);
}

TEST(Shape, Bounds) {
  EXPECT_TRUE(parse_shape("node", "arg", {.text_bytes_max = 4}));
  expect_limit("nodes", "1:1", "a shape is at most 4 bytes long", {.text_bytes_max = 4});
  expect_limit("node=99999999999999999999", "1:6",
               "a number of a count is at most 2305843009213693951");
  const std::string long_word(1024, 'a');
  EXPECT_TRUE(parse_shape(long_word));
  expect_limit('b' + long_word, "1:1", "a word is at most 1024 bytes long");
  expect_limit("n{unit:'b" + long_word + "'}", "1:9", "a word is at most 1024 bytes long");
}

TEST(Shape, DepthIsBounded) {
  std::string deep = "a";
  for (int level = 1; level < 31; ++level) deep += "/a";
  const auto request = parse_shape(deep);
  ASSERT_TRUE(request) << request.error().message();
  const auto yaml = resources_yaml(*request);
  EXPECT_TRUE(parse_jobspec("version: 1\n" + *yaml + "tasks: []\nattributes: {}\n"));
  expect_limit(deep + "/a", "1:63", "resources are nested more than 31 deep");
  expect_limit("a/b", "1:3", "resources are nested more than 1 deep", {.depth_max = 5});
  expect_limit("a", "1:1", "resources are nested more than 0 deep", {.depth_max = 0});
  std::string wide = "[";
  for (int i = 0; i < 1'000'000; ++i) wide += "a/[";
  expect_limit(wide, "1:95", "resources are nested more than 31 deep");
}

TEST(Shape, ResourcesAreBounded) {
  EXPECT_TRUE(parse_shape("[a;b/c]", {}, {.resources_max = 3}));
  expect_limit("[a;b/c;d]", "1:8", "more than 3 resources", {.resources_max = 3});
  std::string wide = "[a";
  for (int i = 1; i < 10'000; ++i) wide += ";a";
  EXPECT_TRUE(parse_shape(wide + "]"));
  expect_limit(wide + ";a]", "1:20002", "more than 10000 resources");
}

}  // namespace
}  // namespace copse
