// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool_topo.hpp"

#include <cmath>

namespace copse {

namespace {

using Value = JsonWalk::Value;
using Token = JsonWalk::Token;

constexpr std::int64_t kMemoryGibMax = INT64_C(1) << 40;

class TopoReader {
 public:
  TopoReader(RValues& values, std::uint32_t& domains, Layout& out)
      : values_(values),
        walk_(values.walk),
        limits_(*values.limits.layouts),
        domains_(domains),
        out_(out) {}

  bool read_domain(Value& value, const Token& token, std::string_view name, std::uint32_t parent,
                   std::uint32_t depth) {
    const std::string what = name.empty() ? "topo" : fmt::format("a domain {}", xml::quoted(name));
    if (!may_have_another(token, depth)) return false;
    const auto self = static_cast<std::uint32_t>(out_.domains.size());
    out_.domains.push_back({.name = std::string(name), .parent = parent});
    return values_.each_member(value, token, what,
                               [&](std::string_view key, Value& v, const Token& t) {
                                 if (key == "cores")
                                   return read_ids(v, t, what, key, out_.domains[self].cores);
                                 if (key == "gpus")
                                   return read_ids(v, t, what, key, out_.domains[self].gpus);
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
    Idset ids;
    if (!values_.idset(value, token, fmt::format("{} of {}", key, what), ids)) return false;
    out = ids.ranges();
    return true;
  }

  bool read_locality(Value& value, const Token& token, const std::string& name, std::uint32_t self,
                     std::uint32_t depth) {
    if (!RValues::wrong_word(name).empty()) {
      return walk_.refuse(token.key_offset,
                          fmt::format("a locality is named {}; it needs a name without blanks, "
                                      "control characters and slashes",
                                      xml::quoted(name)));
    }
    if (name == "core" || name == "gpu" || name == "node" || name == "slot") {
      return walk_.refuse(token.key_offset, fmt::format("a locality cannot be named \"{}\"", name));
    }
    return values_.walk.elements(value, token,
                                 fmt::format("the domains of locality {}", xml::quoted(name)),
                                 [&](Value& element, const Token& t) {
                                   return read_domain(element, t, name, self, depth + 1);
                                 });
  }

  bool read_storage(Value& value, const Token& token, bool keep) {
    constexpr std::string_view kWhat = "an entry of storage";
    return values_.walk.elements(value, token, "storage", [&](Value& element, const Token& at) {
      Storage storage;
      bool path = false, capacity = false;
      const bool whole = values_.each_member(
          element, at, kWhat, [&](std::string_view key, Value& v, const Token& t) {
            if (key == "path") return path = true, read_word(v, t, "path", storage.path);
            if (key == "unit") return read_word(v, t, "unit", storage.unit);
            if (key != "capacity") return walk_.skip(v, t, depth_of_rest());
            capacity = true;
            if (!walk_.number(v, t, "capacity of storage", storage.capacity)) return false;
            return (std::isfinite(storage.capacity) && storage.capacity >= 0) ||
                   walk_.refuse(t.offset, "capacity of storage must be 0 or more");
          });
      if (!whole) return false;
      if (!path || !capacity) return values_.missing(at, kWhat, path ? "capacity" : "path");
      if (keep) out_.storage.push_back(std::move(storage));
      return true;
    });
  }

  // Skipped values may nest as deep as in read_r(), counted from the text's outermost object.
  [[nodiscard]] std::uint32_t depth_of_rest() const { return 2 * limits_.depth_max; }

  bool read_word(Value& value, const Token& token, std::string_view key, std::string& out) {
    std::string_view text;
    if (!walk_.word(value, token, fmt::format("{} of storage", key), text)) return false;
    out = text;
    return true;
  }

  RValues& values_;
  JsonWalk& walk_;
  const TreepoolLimits& limits_;
  std::uint32_t& domains_;
  Layout& out_;
};

}  // namespace

bool read_topo(RValues& values, Value& value, const Token& token, std::uint32_t& domains,
               Layout& out) {
  return TopoReader(values, domains, out).read_domain(value, token, {}, 0, 0);
}

}  // namespace copse
