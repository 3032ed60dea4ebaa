// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/jgf_node_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "base/json_number.hpp"

namespace copse {
namespace {

constexpr std::int64_t kIdMax = INT64_C(1) << 53;  // as in GRUG; scores multiply ids by 10,000
constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

using Object = JsonWalk::Object;

// The members of a node's metadata, in the order of kMetadata.
enum class Key : std::uint8_t {
  type,
  paths,
  basename,
  name,
  id,
  uniq_id,
  rank,
  status,
  exclusive,
  unit,
  size,
  properties,
  drawn,
  divisible,
  tags,
  other
};
constexpr std::array<std::string_view, 15> kMetadata = {
    "type",      "paths", "basename", "name",       "id",    "uniq_id",   "rank", "status",
    "exclusive", "unit",  "size",     "properties", "drawn", "divisible", "tags"};
constexpr std::array<std::string_view, 15> kOfNode = {
    "\"type\" of a JGF node",  "\"paths\" of a JGF node",     "\"basename\" of a JGF node",
    "\"name\" of a JGF node",  "\"id\" of a JGF node",        "\"uniq_id\" of a JGF node",
    "\"rank\" of a JGF node",  "\"status\" of a JGF node",    "\"exclusive\" of a JGF node",
    "\"unit\" of a JGF node",  "\"size\" of a JGF node",      "\"properties\" of a JGF node",
    "\"drawn\" of a JGF node", "\"divisible\" of a JGF node", "\"tags\" of a JGF node"};

// The digits that a text ends in.
std::string_view digits_at_end(std::string_view text) {
  return text.substr(text.find_last_not_of("0123456789") + 1);
}

}  // namespace

bool JgfNodeReader::read(Value& value, const Token& token) {
  node_ = {};
  paths_.clear();
  properties_.clear();
  tags_.clear();
  JsonOnce once(walk_), members(walk_);
  const bool whole = walk_.members(
      value, token, "a JGF node", [&](std::string_view key, Value& v, const Token& t) {
        if (key == "id") {
          node_.outer_id.offset = t.offset;
          return once.take(0, key, t) &&
                 walk_.word(v, t, "the id of a JGF node", node_.outer_id.text);
        }
        if (key != "metadata") return walk_.skip(v, t, 4);
        return once.take(1, key, t) &&
               walk_.members(v, t, "\"metadata\" of a JGF node",
                             [&](std::string_view k, Value& m, const Token& mt) {
                               return member(members, k, m, mt);
                             });
      });
  if (!whole) return false;
  if (!once.has(0)) return walk_.refuse(token.offset, "JGF vertex id key is not found in a node");
  if (!once.has(1) || !members.has(unsigned(Key::type)) || !members.has(unsigned(Key::paths))) {
    return walk_.refuse(
        token.offset,
        fmt::format("malformed metadata in a JGF node for {}: {} is missing", node_.outer_id.text,
                    !once.has(1)                        ? "all of it"
                    : !members.has(unsigned(Key::type)) ? "\"type\""
                                                        : "\"paths\""));
  }
  return complete(members);
}

bool JgfNodeReader::member(JsonOnce& once, std::string_view key, Value& v, const Token& t) {
  unsigned k = 0;
  while (k < kMetadata.size() && kMetadata[k] != key) ++k;
  if (k == kMetadata.size()) return walk_.skip(v, t, 5);
  const std::string_view what = kOfNode[k];
  if (!once.take(k, key, t)) return false;
  std::int64_t number = 0;
  switch (static_cast<Key>(k)) {
    case Key::type:
      if (!walk_.word(v, t, what, node_.type)) return false;
      return !node_.type.empty() || walk_.refuse(t.offset, "a JGF node must have a type");
    case Key::basename: return walk_.word(v, t, what, node_.basename);
    case Key::name: return walk_.word(v, t, what, node_.name);
    case Key::unit: return walk_.word(v, t, what, node_.unit);
    case Key::id: return walk_.integer(t, what, -kIdMax, kIdMax, node_.id);
    case Key::uniq_id: return walk_.integer(t, what, -kAny, kAny, node_.uniq_id);
    case Key::size: return walk_.integer(t, what, 0, kAny, node_.size);
    case Key::rank:
      if (!walk_.integer(t, what, -1, INT32_MAX, number)) return false;
      node_.rank = static_cast<std::int32_t>(number);
      return true;
    case Key::status:
      if (!walk_.integer(t, what, 0, 1, number)) return false;
      node_.down = number == 1;
      return true;
    case Key::exclusive: return walk_.boolean(t, what, node_.exclusive);
    case Key::drawn: return walk_.boolean(t, what, node_.drawn);
    case Key::divisible: return walk_.boolean(t, what, node_.divisible);
    case Key::paths: return paths(v, t);
    case Key::tags:
      return t.type == JsonWalk::Type::null ||
             words(v, t, {"tags", what, "a tag of a JGF node"}, tags_);
    default:
      return t.type == JsonWalk::Type::null ||
             words(v, t, {"properties", what, "a property of a JGF node"}, properties_);
  }
}

bool JgfNodeReader::paths(Value& value, const Token& token) {
  return walk_.members(
      value, token, "\"paths\" of a JGF node",
      [&](std::string_view subsystem, Value& v, const Token& t) {
        JgfWord path{{}, t.offset};
        if (!few(paths_.size(), t) || !short_enough(subsystem, t) ||
            !walk_.word(v, t, "a path of a JGF node", path.text)) {
          return false;
        }
        const bool sound = path.text.size() >= 2 && path.text.front() == '/' &&
                           path.text.back() != '/' && !subsystem.empty();
        if (!sound) {
          return walk_.refuse(t.offset, "a path of a JGF node must begin with \"/\" and a name");
        }
        for (const auto& [other, at] : paths_) {
          if (other == subsystem) {
            return walk_.refuse(t.offset, fmt::format("path \"{}\" is given twice", subsystem));
          }
        }
        paths_.emplace_back(subsystem, path);
        return true;
      });
}

bool JgfNodeReader::words(Value& value, const Token& token, const WordsOf& of, Words& out) {
  if (token.type != JsonWalk::Type::object) {
    return walk_.refuse(token.offset, fmt::format("key ({}) must be an object or null", of.key));
  }
  return walk_.members(
      value, token, of.member, [&](std::string_view key, Value& v, const Token& t) {
        std::string_view text;
        if (!few(out.size(), t) || !short_enough(key, t) || !walk_.word(v, t, of.one, text)) {
          return false;
        }
        out.emplace_back(key, text);
        last_word_ = t.offset;
        return true;
      });
}

bool JgfNodeReader::few(std::size_t members, const Token& token) {
  if (members < limits_.members_max) return true;
  return walk_.refuse(
      token.offset,
      fmt::format("a JGF node has more than {} properties or paths", limits_.members_max),
      ErrorCode::limit);
}
bool JgfNodeReader::short_enough(std::string_view key, const Token& token) {
  if (key.size() <= limits_.word_bytes_max) return true;
  return walk_.refuse(token.offset,
                      fmt::format("a key is longer than {} bytes", limits_.word_bytes_max),
                      ErrorCode::limit);
}

// What the node's metadata leaves out.
bool JgfNodeReader::complete(const JsonOnce& members) {
  for (auto* const words : {&properties_, &tags_}) {
    std::ranges::sort(*words);
    const auto twice = std::ranges::adjacent_find(
        *words, [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice == words->end()) continue;
    return walk_.refuse(
        last_word_, fmt::format("{} \"{}\" is given twice", words == &tags_ ? "tag" : "property",
                                twice->first));
  }
  node_.properties = properties_;
  node_.tags = tags_;
  node_.paths = paths_;
  if (!members.has(unsigned(Key::uniq_id))) {
    const auto number = json_integer(node_.outer_id.text);
    if (!number) {
      return walk_.refuse(node_.outer_id.offset,
                          "the id of a JGF node without \"uniq_id\" must be a whole number");
    }
    node_.uniq_id = *number;
  }
  if (!members.has(unsigned(Key::id)) && !default_id()) return false;
  if (!members.has(unsigned(Key::basename))) node_.basename = node_.type;
  if (derived_name() == node_.name) node_.name = {};
  return true;
}

bool JgfNodeReader::default_id() {
  node_.id = node_.uniq_id;
  const std::string_view digits =
      node_.type == "node" ? digits_at_end(node_.name) : std::string_view{};
  bool fits = true;
  if (!digits.empty()) {
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), node_.id);
    fits = error == std::errc{};
  }
  if (fits && node_.id >= -kIdMax && node_.id <= kIdMax) return true;
  return walk_.refuse(node_.outer_id.offset,
                      fmt::format("the number of a JGF node without \"id\" is beyond {}", kIdMax));
}

std::string_view JgfNodeReader::derived_name() {
  name_.assign(node_.basename);
  if (node_.id != -1) {
    char digits[24];
    name_.append(digits, std::to_chars(digits, digits + sizeof digits, node_.id).ptr);
  }
  return name_;
}

}  // namespace copse
