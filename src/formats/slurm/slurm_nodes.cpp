// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_nodes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/slurm/slurm_hosts.hpp"
#include "formats/slurm/slurm_json.hpp"
#include "formats/slurm/slurm_sizes.hpp"
#include "formats/slurm/slurm_states.hpp"

namespace copse {

namespace {

constexpr std::size_t kStateRemarksMax = 16;

class NodesReader {
 public:
  using Value = JsonWalk::Value;
  using Token = JsonWalk::Token;

  NodesReader(std::string_view text, std::string_view file, std::size_t readable_past)
      : walk_(text, readable_past, file, kSlurmJsonBounds), file_(file) {}

  Result<SlurmMachine> read() {
    const bool whole = walk_.document_with_list(
        "nodes", [&](Value& v, const Token& t) { return read_node(v, t); },
        [&](std::string_view, Value& v, const Token& t) { return walk_.skip(v, t); });
    if (!whole) return std::unexpected(walk_.error());
    add_remarks();
    return std::move(out_);
  }

 private:
  struct NodeFields {
    SlurmNode node;
    SlurmSizes sizes;
    SlurmReserved reserved;
    std::vector<std::string> features, active, partitions, state;
    std::string reason;
  };
  // Nodes that are down for now.
  struct ComingBack {
    std::string first;
    std::size_t nodes = 0;
    std::set<std::string> words;  // their states
  };

  bool read_node(Value& value, const Token& token) {
    JsonWalk::Object object;
    NodeFields fields;
    if (!walk_.object(value, token, "a node", object)) return false;
    const bool whole =
        walk_.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
          return read_member(key, v, t, fields);
        });
    if (!whole) return false;
    if (fields.node.name.empty()) return walk_.refuse(token.offset, "a node has no key \"name\"");
    const auto reset = set_sizes(fields.node, fields.sizes);
    if (!reset) return walk_.refuse(token.offset, reset.error().text, reset.error().code);
    for (const std::string& text : *reset) remark(text);
    for (const std::string& text : reserve(fields.node, fields.reserved)) remark(text);
    if (out_.nodes.size() == kSlurmNodesMax) {
      return walk_.refuse(token.offset, fmt::format("more than {} nodes", kSlurmNodesMax),
                          ErrorCode::limit);
    }
    if (!take_states(fields)) return true;
    for (const auto& words :
         {fields.active.empty() ? fields.features : fields.active, fields.partitions}) {
      for (const std::string& word : words) add_words(fields.node.properties, word);
    }
    out_.nodes.push_back(std::move(fields.node));
    return true;
  }

  // False: the node is left out.
  bool take_states(NodeFields& fields) {
    SlurmNode& node = fields.node;
    const auto is_left_out = [](const std::string& word) {
      const SlurmNodeState* const state = find_slurm_node_state(word);
      return state != nullptr && state->now == SlurmNodeState::Now::left_out;
    };
    if (std::ranges::any_of(fields.state, is_left_out)) return false;
    bool stays_down = false;
    for (const std::string& word : fields.state) {
      const SlurmNodeState* const state = find_slurm_node_state(word);
      if (state == nullptr) {
        if (unknown_.size() < kStateRemarksMax) unknown_.emplace(word, out_.nodes.size());
      } else if (state->now == SlurmNodeState::Now::down) {
        node.down = true;
        stays_down |= state->later == SlurmNodeState::Later::same;
      }
    }
    if (node.down) {
      node.reason = std::move(fields.reason);
      node.comes_back = !stays_down;
      if (!stays_down) note_of_coming_back(fields);
    }
    return true;
  }

  void note_of_coming_back(const NodeFields& fields) {
    if (back_.nodes++ == 0) back_.first = fields.node.name;
    for (const std::string& word : fields.state) {
      const SlurmNodeState* const state = find_slurm_node_state(word);
      if (state != nullptr && state->now == SlurmNodeState::Now::down) back_.words.emplace(word);
    }
  }

  void add_remarks() {
    for (const auto& [word, number] : unknown_) {
      const SlurmNode& node = out_.nodes[number];
      remark(fmt::format("node {} counts as {}: {}", node.name, node.down ? "down" : "up",
                         unknown_slurm_state(word)));
    }
    if (back_.nodes == 0) return;
    remark(fmt::format("{}{} {} as down until Slurm uses {} again ({})", back_.first,
                       more_nodes(back_.nodes - 1), back_.nodes == 1 ? "counts" : "count",
                       back_.nodes == 1 ? "it" : "them", fmt::join(back_.words, ", ")));
  }

  void remark(std::string_view text) {
    if (out_.remarks.size() == kStateRemarksMax * 2) return;
    out_.remarks.push_back(fmt::format("{}: {}", file_, text));
  }

  bool read_member(std::string_view key, Value& v, const Token& t, NodeFields& fields) {
    SlurmNode& node = fields.node;
    if (key == "name") return slurm_text(walk_, v, t, "\"name\" of a node", node.name);
    if (key == "features") return slurm_words(walk_, v, t, "\"features\"", fields.features);
    if (key == "active_features")
      return slurm_words(walk_, v, t, "\"active_features\"", fields.active);
    if (key == "partitions") return slurm_words(walk_, v, t, "\"partitions\"", fields.partitions);
    if (key == "state" || key == "state_flags") return read_state(key, v, t, fields.state);
    if (key == "specialized_cpus") {
      return slurm_text(walk_, v, t, "\"specialized_cpus\" of a node", fields.reserved.cpus);
    }
    if (key == "gres") return read_gres(v, t, node);
    if (key == "reason") return slurm_text(walk_, v, t, "\"reason\" of a node", fields.reason);
    return read_number(key, v, t, fields);
  }

  // A number; other members are skipped.
  bool read_number(std::string_view key, Value& v, const Token& t, NodeFields& fields) {
    SlurmSizes& sizes = fields.sizes;
    std::optional<std::int64_t> number;
    const auto read = [&] {
      if (!slurm_number(walk_, v, t, fmt::format("\"{}\" of a node", key), number)) return false;
      return !number || (*number >= 0 && *number <= INT64_C(1) << 40) ||
             walk_.refuse(t.offset, fmt::format("\"{}\" of a node is out of range", key));
    };
    for (const auto& [name, to] : {std::pair{"boards", &sizes.boards},
                                   {"sockets", &sizes.sockets},
                                   {"cores", &sizes.cores},
                                   {"threads", &sizes.threads},
                                   {"cpus", &sizes.cpus}}) {
      if (key != name) continue;
      if (!read()) return false;
      if (number.value_or(0) > 0) *to = number;
      return true;
    }
    for (const auto& [name, to] : {std::pair{"specialized_cores", &fields.reserved.cores},
                                   {"specialized_memory", &fields.reserved.memory_mb},
                                   {"real_memory", &fields.node.memory_mb}}) {
      if (key != name) continue;
      if (!read()) return false;
      *to = number.value_or(0);
      return true;
    }
    return walk_.skip(v, t);
  }

  // Words in lower case (21.08) as well; flags are a list of their own there.
  bool read_state(std::string_view key, Value& v, const Token& t, std::vector<std::string>& to) {
    std::vector<std::string> words;
    if (!slurm_words(walk_, v, t, fmt::format("\"{}\" of a node", key), words)) return false;
    for (std::string& word : words) {
      std::ranges::transform(word, word.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
      });
      for (std::string& one : slurm_state_words(word)) to.push_back(std::move(one));
    }
    return true;
  }

  bool read_gres(Value& v, const Token& t, SlurmNode& node) {
    std::string text;
    if (!slurm_text(walk_, v, t, "\"gres\" of a node", text)) return false;
    auto gres = parse_gres(text);
    if (!gres) return walk_.refuse(t.offset, gres.error().text, gres.error().code);
    node.gres = std::move(*gres);
    return true;
  }

  JsonWalk walk_;
  std::string file_;
  std::map<std::string, std::size_t> unknown_;  // states, with the first node of each
  ComingBack back_;
  SlurmMachine out_;
};

}  // namespace

Result<SlurmMachine> read_slurm_nodes(std::string_view text, std::string_view file,
                                      std::size_t readable_past) {
  return NodesReader(text, file, readable_past).read();
}

}  // namespace copse
