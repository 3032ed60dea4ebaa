// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool_topo.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

using Object = JsonWalk::Object;
using Array = JsonWalk::Array;
using Value = JsonWalk::Value;
using Token = JsonWalk::Token;

constexpr std::int64_t kMemoryGibMax = INT64_C(1) << 40;

class TopoReader {
 public:
  TopoReader(JsonWalk& walk, const TreepoolLimits& limits, std::uint32_t& domains, Layout& out)
      : walk_(walk), limits_(limits), domains_(domains), out_(out) {}

  bool read_domain(Value& value, const Token& token, std::string_view name, std::uint32_t parent,
                   std::uint32_t depth) {
    const std::string what = name.empty() ? "topo" : fmt::format("a domain {}", xml::quoted(name));
    Object object;
    if (!walk_.object(value, token, what, object)) return false;
    if (!may_have_another(token, depth)) return false;
    const auto self = static_cast<std::uint32_t>(out_.domains.size());
    out_.domains.push_back({.name = std::string(name), .parent = parent});
    std::unordered_set<std::string> met;
    return walk_.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
      if (!met.emplace(key).second) {
        return walk_.refuse(t.key_offset,
                            fmt::format("{} has the key {} twice", what, xml::quoted(key)));
      }
      if (key == "cores") return read_ids(v, t, what, key, out_.domains[self].cores);
      if (key == "gpus") return read_ids(v, t, what, key, out_.domains[self].gpus);
      if (key == "memory") {
        return walk_.integer(t, what + "'s memory", 0, kMemoryGibMax,
                             out_.domains[self].memory_gib);
      }
      if (key == "storage") return read_storage(v, t, self == 0);
      return read_locality(v, t, std::string(key), self, depth);
    });
  }

 private:
  bool may_have_another(const Token& token, std::uint32_t depth) {
    if (depth > limits_.depth_max) {
      return walk_.refuse(token.offset,
                          fmt::format("more than {} levels of domains", limits_.depth_max),
                          ErrorCode::limit);
    }
    if (out_.domains.size() >= limits_.domains_max) {
      return walk_.refuse(token.offset,
                          fmt::format("a topo has more than {} domains", limits_.domains_max),
                          ErrorCode::limit);
    }
    if (++domains_ <= limits_.all_domains_max) return true;
    return walk_.refuse(token.offset,
                        fmt::format("all topos have more than {} domains", limits_.all_domains_max),
                        ErrorCode::limit);
  }

  bool read_ids(Value& value, const Token& token, const std::string& what, std::string_view key,
                IdRanges& out) {
    const std::string named = fmt::format("{} of {}", key, what);
    std::string_view text;
    if (!walk_.word(value, token, named, text)) return false;
    auto ids = Idset::parse(text);
    if (!ids) {
      return walk_.refuse(token.offset, named + ": " + ids.error().text, ids.error().code);
    }
    out = ids->ranges();
    return true;
  }

  bool read_locality(Value& value, const Token& token, const std::string& name, std::uint32_t self,
                     std::uint32_t depth) {
    const bool refused_chars = std::ranges::any_of(
        name, [](char c) { return c == '/' || c == ' ' || xml::is_control(c); });
    if (name.empty() || refused_chars) {
      return walk_.refuse(token.key_offset,
                          fmt::format("a locality is named {}; it needs a name without blanks, "
                                      "control characters and slashes",
                                      xml::quoted(name)));
    }
    if (name == "core" || name == "gpu" || name == "node" || name == "slot") {
      return walk_.refuse(token.key_offset, fmt::format("a locality cannot be named \"{}\"", name));
    }
    Array array;
    if (!walk_.array(value, token, fmt::format("the domains of locality {}", xml::quoted(name)),
                     array)) {
      return false;
    }
    return walk_.for_each_element(array, [&](Value& element, const Token& t) {
      return read_domain(element, t, name, self, depth + 1);
    });
  }

  bool read_storage(Value& value, const Token& token, bool keep) {
    Array array;
    if (!walk_.array(value, token, "storage", array)) return false;
    return walk_.for_each_element(array, [&](Value& element, const Token& at) {
      Object object;
      if (!walk_.object(element, at, "an entry of storage", object)) return false;
      Storage storage;
      bool path = false, capacity = false;
      std::unordered_set<std::string> met;
      const bool whole =
          walk_.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
            if (!met.emplace(key).second) {
              return walk_.refuse(t.key_offset, fmt::format("an entry of storage has the key {} "
                                                            "twice",
                                                            xml::quoted(key)));
            }
            if (key == "path") return path = true, read_word(v, t, "path", storage.path);
            if (key == "unit") return read_word(v, t, "unit", storage.unit);
            if (key != "capacity") return walk_.skip(v, t, depth_of_rest());
            capacity = true;
            if (!walk_.number(v, t, "capacity of storage", storage.capacity)) return false;
            return (std::isfinite(storage.capacity) && storage.capacity >= 0) ||
                   walk_.refuse(t.offset, "capacity of storage must be 0 or more");
          });
      if (!whole) return false;
      if (!path || !capacity) {
        return walk_.refuse(at.offset, fmt::format("an entry of storage has no key \"{}\"",
                                                   path ? "capacity" : "path"));
      }
      if (keep) out_.storage.push_back(std::move(storage));
      return true;
    });
  }

  // What is passed over may nest as deep as in read_r(), counted from the text's outermost object.
  [[nodiscard]] std::uint32_t depth_of_rest() const { return 2 * limits_.depth_max; }

  bool read_word(Value& value, const Token& token, std::string_view key, std::string& out) {
    std::string_view text;
    if (!walk_.word(value, token, fmt::format("{} of storage", key), text)) return false;
    out = text;
    return true;
  }

  JsonWalk& walk_;
  const TreepoolLimits& limits_;
  std::uint32_t& domains_;
  Layout& out_;
};

}  // namespace

bool read_topo(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
               const TreepoolLimits& limits, std::uint32_t& domains, Layout& out) {
  return TopoReader(walk, limits, domains, out).read_domain(value, token, {}, 0, 0);
}

}  // namespace copse
