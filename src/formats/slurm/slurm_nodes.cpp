// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_nodes.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "formats/slurm/slurm_json.hpp"
#include "formats/slurm/slurm_states.hpp"

namespace copse {

namespace {

constexpr std::array<std::string_view, 8> kDown{
    "DOWN", "DRAIN", "FAIL", "FAILING", "ERROR", "UNKNOWN", "NOT_RESPONDING", "MAINTENANCE"};

constexpr std::size_t kRemarksMax = 16;

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
    return std::move(out_);
  }

 private:
  struct NodeFields {
    SlurmNode node;
    SlurmSizes sizes;
    SlurmReserved reserved;
    std::vector<std::string> features, active, partitions, state;
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
    if (auto ok = set_sizes(fields.node, fields.sizes); !ok) {
      return walk_.refuse(token.offset, ok.error().text, ok.error().code);
    }
    if (auto ok = reserve(fields.node, fields.reserved); !ok) {
      return walk_.refuse(token.offset, ok.error().text, ok.error().code);
    }
    if (out_.nodes.size() == kSlurmNodesMax) {
      return walk_.refuse(token.offset, fmt::format("more than {} nodes", kSlurmNodesMax),
                          ErrorCode::limit);
    }
    const auto is = [&](std::string_view word) {
      return std::ranges::find(fields.state, word) != fields.state.end();
    };
    if (is("FUTURE")) return true;
    fields.node.down = std::ranges::any_of(kDown, is);
    for (const std::string& state : fields.state) {
      if (is_slurm_node_state(state) || remarked_.size() == kRemarksMax ||
          !remarked_.insert(state).second) {
        continue;
      }
      out_.remarks.push_back(fmt::format("{}: node {} counts as {}: {}", file_, fields.node.name,
                                         fields.node.down ? "down" : "up",
                                         unknown_slurm_state(state)));
    }
    for (const auto& words :
         {fields.active.empty() ? fields.features : fields.active, fields.partitions}) {
      for (const std::string& word : words) add_words(fields.node.properties, word);
    }
    out_.nodes.push_back(std::move(fields.node));
    return true;
  }

  bool read_member(std::string_view key, Value& v, const Token& t, NodeFields& fields) {
    SlurmNode& node = fields.node;
    SlurmSizes& sizes = fields.sizes;
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
    for (const auto& [name, to] : {std::pair{"boards", &sizes.boards},
                                   {"sockets", &sizes.sockets},
                                   {"cores", &sizes.cores},
                                   {"threads", &sizes.threads},
                                   {"cpus", &sizes.cpus},
                                   {"specialized_cores", &fields.reserved.cores},
                                   {"specialized_memory", &fields.reserved.memory_mb},
                                   {"real_memory", &node.memory_mb}}) {
      if (key == name) return read_number(key, v, t, *to);
    }
    return walk_.skip(v, t);
  }

  bool read_number(std::string_view key, Value& v, const Token& t, std::int64_t& to) {
    std::optional<std::int64_t> number;
    if (!slurm_number(walk_, v, t, fmt::format("\"{}\" of a node", key), number)) return false;
    to = number.value_or(0);
    return (to >= 0 && to <= INT64_C(1) << 40) ||
           walk_.refuse(t.offset, fmt::format("\"{}\" of a node is out of range", key));
  }

  // Words in lower case (21.08) as well; flags are a list of their own there.
  bool read_state(std::string_view key, Value& v, const Token& t, std::vector<std::string>& to) {
    std::vector<std::string> words;
    if (!slurm_words(walk_, v, t, fmt::format("\"{}\" of a node", key), words)) return false;
    for (std::string& word : words) {
      std::ranges::transform(word, word.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
      });
      to.push_back(std::move(word));
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
  std::set<std::string> remarked_;  // states
  SlurmMachine out_;
};

}  // namespace

Result<SlurmMachine> read_slurm_nodes(std::string_view text, std::string_view file,
                                      std::size_t readable_past) {
  return NodesReader(text, file, readable_past).read();
}

}  // namespace copse
