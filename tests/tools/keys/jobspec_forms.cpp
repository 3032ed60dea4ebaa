// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "request/jobspec/jobspec_keys.hpp"
#include "tools/keys/form_values.hpp"

namespace copse {

namespace {

const std::string kTask = R"({"command": ["a"], "slot": "a", "count": {"per_slot": 1}})";
const std::vector<std::string> kMatchMade{"match", "-L", "machines/desk.graphml", "made"};

}  // namespace

std::vector<Form> jobspec_forms() {
  const std::string head = R"({"version": 1, "resources": [)" + slot_of_a_core() + "], ";
  std::vector<Form> out;
  out.push_back({.name = "jobspec",
                 .keys = kJobspecKeys,
                 .words = kMatchMade,
                 .before = "{",
                 .after = "}",
                 .needed = {{"version", "1"},
                            {"resources", '[' + slot_of_a_core() + ']'},
                            {"tasks", '[' + kTask + ']'},
                            {"attributes", "{}"}},
                 .right = {}});
  const Members resource{{"type", "\"slot\""},
                         {"count", "1"},
                         {"label", "\"a\""},
                         {"with", R"([{"type": "core", "count": 1}])"}};
  out.push_back({.name = "jobspec_resource",
                 .keys = std::span(kJobspecResourceKeys).first(7),  // a slot has no properties
                 .words = kMatchMade,
                 .before = R"({"version": 1, "resources": [{)",
                 .after = R"(}], "tasks": [], "attributes": {}})",
                 .needed = resource,
                 .good = {{"unit", "\"GB\""}, {"exclusive", "true"}, {"id", "\"x\""}},
                 .right = both(any_name({"unit", "label", "id"}), {"unit \"\"", "id \"\""})});
  out.push_back(
      {.name = "jobspec_part",
       .keys = kJobspecResourceKeys,
       .words = kMatchMade,
       .before = R"({"version": 1, "resources": [{"type": "slot", "count": 1, "label": "a",
                            "with": [{)",
       .after = R"(}]}], "tasks": [], "attributes": {}})",
       .needed = {{"type", "\"core\""}, {"count", "1"}},
       .good = {{"label", "\"b\""},
                {"with", "[]"},
                {"unit", "\"GB\""},
                {"exclusive", "true"},
                {"id", "\"x\""},
                {"properties", "[\"^h200\"]"}},
       .right = both(any_name({"unit", "label", "id"}), {"unit \"\"", "id \"\"", "label \"\""})});
  out.push_back({.name = "jobspec_count",
                 .keys = kJobspecCountKeys,
                 .words = kMatchMade,
                 .before = R"({"version": 1, "resources": [{"type": "slot", "label": "a",
                            "with": [{"type": "core", "count": 1}], "count": {)",
                 .after = R"(}}], "tasks": [], "attributes": {}})",
                 .needed = {{"min", "1"}, {"max", "2"}, {"operator", "\"+\""}, {"operand", "1"}}});
  out.push_back(
      {.name = "jobspec_task",
       .keys = kJobspecTaskKeys,
       .words = kMatchMade,
       .before = head + R"("attributes": {}, "tasks": [{)",
       .after = "}]}",
       .needed = {{"command", "[\"a\"]"}, {"slot", "\"a\""}, {"count", R"({"total": 1})"}},
       .good = {{"distribution", "\"x\""}, {"attributes", "{}"}},
       .right = both(any_name({"distribution"}), {"distribution \"\""})});
  out.push_back({.name = "jobspec_task_count",
                 .keys = kJobspecTaskCountKeys,
                 .words = kMatchMade,
                 .before = head + R"("attributes": {}, "tasks": [{"command": ["a"], "slot": "a",
                            "count": {)",
                 .after = "}}]}",
                 .good = {{"per_slot", "1"},
                          {"per_resource", R"({"type": "core", "count": 1})"},
                          {"total", "1"}}});
  out.push_back({.name = "jobspec_attributes",
                 .keys = kJobspecAttributesKeys,
                 .words = kMatchMade,
                 .before = head + R"("tasks": [], "attributes": {)",
                 .after = "}}",
                 .good = {{"user", "1"}, {"system", "{}"}}});
  out.push_back(
      {.name = "jobspec_system",
       .keys = kJobspecSystemKeys,
       .words = {"match", "-L", "hres/cluster.json", "--hres", "hres/resources.yaml", "made"},
       .before = head + R"("tasks": [], "attributes": {"system": {)",
       .after = "}}}",
       .good = {{"duration", "60"},
                {"queue", "\"q\""},
                {"hres", "\"flat:1\""},
                {"constraints", R"({"hostlist": ["node01"]})"}},
       .right = both(any_name({"queue"}), {"queue \"\"", "duration 1.5"})});
  return out;
}

}  // namespace copse
