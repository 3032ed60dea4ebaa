// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "formats/hres/hres.hpp"
#include "formats/rv1/resource_config.hpp"
#include "tools/keys/form_values.hpp"

namespace copse {

namespace {

const std::vector<std::string> kSupply{"supply", "-L", "hres/cluster.json", "--hres", "made"};

}  // namespace

std::vector<Form> supply_forms() {
  const std::string layers = R"([{"nodes": "node[01-32]", "count": 10}])";
  const std::string head = R"([{"resource": "power", "mode": "MODE_3", )";
  std::vector<Form> out;
  out.push_back(
      {.name = "hres_resource",
       .keys = kHresResourceKeys,
       .words = kSupply,
       .before = "[{",
       .after = "}]",
       .needed = {{"resource", "\"power\""}, {"mode", "\"MODE_3\""}, {"layers", layers}},
       .good = {{"topology", "\"blok1\""}, {"variables", R"([{"name": "a", "value": 1}])"}},
       .right = any_name({"resource", "topology"})});
  out.push_back({.name = "hres_layer",
                 .keys = kHresLayerKeys,
                 .words = kSupply,
                 .before = head + R"("layers": [{)",
                 .after = "}]}]",
                 .needed = {{"nodes", "\"node[01-32]\""}, {"count", "10"}},
                 .good = {{"base", R"([{"name": "fans", "value": 1}])"}}});
  out.push_back({.name = "hres_variable",
                 .keys = kHresVariableKeys,
                 .words = kSupply,
                 .before = head + R"("layers": )" + layers + R"(, "variables": [{)",
                 .after = "}]}]",
                 .needed = {{"name", "\"full\""}, {"value", "10"}},
                 .good = {{"property", "\"gpu\""}},
                 .right = any_name({"name", "property"})});
  out.push_back({.name = "hres_base",
                 .keys = kHresBaseKeys,
                 .words = kSupply,
                 .before = head + R"("layers": [{"nodes": "node[01-32]", "count": 10, "base": [{)",
                 .after = "}]}]}]",
                 .needed = {{"name", "\"fans\""}, {"value", "1"}},
                 .right = any_name({"name"})});
  return out;
}

std::vector<Form> toml_forms() {
  std::vector<Form> out;
  out.push_back({.name = "toml_resource",
                 .keys = kResourceConfigKeys,
                 .syntax = Syntax::toml_lines,
                 .words = {"r", "parse-config", "made"},
                 .before = "[resource]\n",
                 .after = "\n",
                 .needed = {{"config", R"([{hosts = "n[0-1]", cores = "0-3"}])"}},
                 .good = {{"path", "\"r.json\""}, {"scheduling", "\"topo.json\""}},
                 .without = {{"path", {"config"}}},
                 // Names of files, which are read next.
                 .right = any_name({"path", "scheduling"})});
  out.push_back({.name = "toml_entry",
                 .keys = kResourceConfigEntryKeys,
                 .syntax = Syntax::toml_inline,
                 .words = {"r", "parse-config", "made"},
                 .before = "[resource]\nconfig = [{",
                 .after = "}]\n",
                 .needed = {{"hosts", "\"n[0-1]\""}, {"cores", "\"0-3\""}},
                 .good = {{"gpus", "\"0\""}, {"properties", "[\"fast\"]"}},
                 .right = {"hosts \"99999999999999999999\"", "gpus \"\""}});
  return out;
}

}  // namespace copse
