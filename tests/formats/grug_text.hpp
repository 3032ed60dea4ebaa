// SPDX-License-Identifier: Apache-2.0
//
// Recipes for tests in a few words. A recipe's body starts in line 2, so that tests can name
// places.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace copse::grug {

// One line of text with every key that GRUG knows; each key's id is its attribute's name.
inline std::string grug_keys() {
  std::string text = "<graphml>";
  for (const char* name : {"root", "type", "basename", "size", "subsystem", "unit"}) {
    text += std::string("<key id=\"") + name + "\" for=\"node\" attr.name=\"" + name +
            "\" attr.type=\"string\"/>";
  }
  for (const char* name :
       {"e_subsystem", "relation", "rrelation", "id_scope", "id_start", "id_stride", "gen_method",
        "multi_scale", "as_tgt_subsystem", "as_tgt_uplvl", "as_src_uplvl"}) {
    text += std::string("<key id=\"") + name + "\" for=\"edge\" attr.name=\"" + name +
            "\" attr.type=\"string\"/>";
  }
  return text;
}

// A recipe with this body; <graph> stands in line 2, column 1.
inline std::string grug_text(const std::string& body) {
  return grug_keys() + "\n<graph edgedefault=\"directed\">" + body + "</graph></graphml>\n";
}

using Data = std::vector<std::pair<std::string, std::string>>;

inline std::string grug_data(const Data& data) {
  std::string text;
  for (const auto& [key, value] : data) text += "<data key=\"" + key + "\">" + value + "</data>";
  return text;
}

// Each element stands in a line of its own: the first in line 3.
inline std::string node(const std::string& id, const Data& data = {}) {
  return "\n<node id=\"" + id + "\">" + grug_data(data) + "</node>";
}
// A node whose type is its id.
inline std::string typed(const std::string& id, Data data = {}) {
  data.insert(data.begin(), {"type", id});
  return node(id, data);
}
inline std::string edge(const std::string& source, const std::string& target,
                        const Data& data = {}) {
  return "\n<edge source=\"" + source + "\" target=\"" + target + "\">" + grug_data(data) +
         "</edge>";
}

// A root whose type is its id.
inline std::string root(const std::string& id, const std::string& subsystem = "containment") {
  return typed(id, {{"root", "1"}, {"subsystem", subsystem}});
}
inline Data scale(const std::string& count) { return {{"multi_scale", count}}; }

// Two racks with a pdu and two nodes each.
inline const std::string kRacks = root("cluster") + typed("rack") + typed("pdu") + typed("node") +
                                  edge("cluster", "rack", scale("2")) +
                                  edge("rack", "pdu", {{"id_scope", "1"}}) +
                                  edge("rack", "node", {{"id_scope", "1"}, {"multi_scale", "2"}});

// Data of an ASSOCIATE edge of the power subsystem.
inline Data associate(const std::string& method, Data more = {}) {
  more.insert(more.begin(), {{"e_subsystem", "power"}, {"gen_method", method}});
  return more;
}
// A node for pools that are there already.
inline std::string gathered(const std::string& id, const std::string& type) {
  return node(id, {{"type", type}, {"subsystem", "power"}});
}

inline std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace copse::grug
