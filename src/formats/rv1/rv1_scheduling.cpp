// SPDX-License-Identifier: Apache-2.0
//
// The writer of `scheduling` may be named at its end, and a value can be read once: so `children`
// and `topo_ids` are skipped at first, and read after the rest.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "copse/layout.hpp"
#include "formats/rv1/rv1_values.hpp"
#include "text/json_text.hpp"

namespace copse {

namespace {

using Value = JsonWalk::Value;
using Token = JsonWalk::Token;

constexpr std::int64_t kMemoryGibMax = INT64_C(1) << 40;

// Reads one `topo` of RFC 49: the tree of locality domains of a node (treepool.hpp).
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

// Reads a topo into an empty layout. False once something was refused, as JsonWalk does. `domains`
// counts those of all layouts so far. REQUIRES values.limits.layouts, which bounds the recursion.
bool read_topo(RValues& values, Value& value, const Token& token, std::uint32_t& domains,
               Layout& out) {
  return TopoReader(values, domains, out).read_domain(value, token, {}, 0, 0);
}

using Object = RValues::Object;
using Value = RValues::Value;
using Token = RValues::Token;

constexpr std::uint32_t kDepth = 2;  // of what is below scheduling

class SchedulingReader {
 public:
  SchedulingReader(RValues& values, RScheduling& out, SchedulingPlaces& at)
      : values_(values), out_(out), at_(at) {}

  bool read(Value& value, const Token& token) {
    at_ = {token.offset, token.offset, token.offset};
    if (token.type != JsonWalk::Type::object) {
      if (values_.strict()) {
        return walk().refuse(token.offset, "scheduling must be an object");
      }
      if (!walk().skip(value, token)) return false;
      out_.text = text_at(token.offset);
      return true;
    }
    Object object;
    if (!walk().object(value, token, "scheduling", object) || !read_members(object) ||
        !check_writer(token.offset)) {
      return false;
    }
    const bool whole =
        read_later(object, children_, [&](Value& v, const Token& t) { return children(v, t); }) &&
        read_later(object, topo_ids_, [&](Value& v, const Token& t) { return topo_ids(v, t); });
    if (whole && !out_.treepool) out_.text = text_at(token.offset);
    return whole;
  }

 private:
  JsonWalk& walk() { return values_.walk; }

  // The JSON of the value that begins there. REQUIRES that the walk has passed it and found it
  // valid.
  std::string text_at(std::size_t offset) {
    std::string out;
    append_json_value(out, walk().text().substr(offset));
    return out;
  }

  bool read_members(Object& object) {
    std::size_t member = 0;
    std::vector<std::pair<std::string, std::size_t>> members;
    const bool whole = values_.each_member(
        object, "scheduling", [&](std::string_view key, Value& v, const Token& t) {
          const std::size_t at = member++;
          if (key == "children") return children_ = at, true;
          if (key == "topo_ids") return topo_ids_ = at, true;
          members.emplace_back(key, t.offset);
          return key == "writer" ? writer(v, t) : walk().skip(v, t, kDepth);
        });
    if (!whole || !out_.treepool) return whole;
    for (const auto& [key, offset] : members) out_.members.emplace_back(key, text_at(offset));
    return true;
  }

  bool writer(Value& value, const Token& token) {
    if (token.type != JsonWalk::Type::string && !values_.strict()) {
      return walk().skip(value, token, kDepth);
    }
    std::string_view uri;
    if (!walk().word(value, token, "writer", uri)) return false;
    const std::string_view scheme = uri.substr(0, uri.find(':'));  // RFC 20: of a URI
    out_.treepool = scheme == "TreePool";
    written_ = true;
    if (!values_.strict() || is_scheme(scheme)) return true;
    return walk().refuse(
        token.offset, fmt::format("writer is {}; a URI such as \"TreePool\" begins with a scheme",
                                  xml::quoted(uri)));
  }

  // RFC 3986, 3.1.
  static bool is_scheme(std::string_view word) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto other = [](char c) {
      return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    };
    return !word.empty() && letter(word.front()) &&
           std::ranges::all_of(word, [&](char c) { return letter(c) || other(c); });
  }

  // RFC 49: what has children has the writer, too. Without one, RFC 20 assumes fluxion, which has none.
  bool check_writer(std::size_t offset) {
    if (!values_.strict() || written_ || !children_) return true;
    return walk().refuse(offset,
                         "scheduling has children and no writer; RFC 49 requires \"TreePool\"");
  }

  template <class Read>
  bool read_later(Object& object, std::optional<std::size_t> member, Read read) {
    if (!member) return true;
    return walk().member_again(object, *member, [&](Value& v, const Token& t) {
      return out_.treepool ? read(v, t) : walk().skip(v, t, kDepth);
    });
  }

  bool children(Value& value, const Token& token) {
    constexpr std::string_view kWhat = "an entry of scheduling.children";
    const auto read = [&](Value& v, const Token& t, RScheduling::Child& child) {
      bool ranked = false;
      const bool whole =
          values_.each_member(v, t, kWhat, [&](std::string_view key, Value& m, const Token& at) {
            if (key == "ranks") return ranked = true, values_.ranks(m, at, key, child.ranks);
            if (key == "topo") return topo(m, at, child);
            if (values_.strict()) {
              return walk().refuse(at.key_offset,
                                   fmt::format("{} has the key {}; RFC 49 has ranks and topo only",
                                               kWhat, xml::quoted(key)));
            }
            if (!walk().skip(m, at, kDepth + 3)) return false;
            child.more.emplace_back(key, text_at(at.offset));
            return true;
          });
      if (!whole) return false;
      if (!ranked) return values_.missing(t, kWhat, "ranks");
      return !child.topo.empty() || values_.missing(t, kWhat, "topo");
    };
    at_.children = token.offset;
    return entries(value, token, "children", out_.children, read);
  }

  bool topo(Value& value, const Token& token, RScheduling::Child& child) {
    if (token.type != JsonWalk::Type::object) {
      return walk().refuse(token.offset, "topo must be an object");
    }
    const bool whole = values_.limits.layouts
                           ? read_topo(values_, value, token, domains_, child.layout)
                           : walk().skip(value, token, kDepth + 3);
    if (whole) child.topo = text_at(token.offset);
    return whole;
  }

  bool topo_ids(Value& value, const Token& token) {
    at_.topo_ids = token.offset;
    return entries(value, token, "topo_ids", out_.topo_ids,
                   [&](Value& v, const Token& t, REntry& entry) {
                     return values_.entry(v, t, "an entry of topo_ids", entry);
                   });
  }

  // read(value, token, entry) → bool for each entry of an array. A rank may be in one only.
  template <class Entry, class Read>
  bool entries(Value& value, const Token& token, std::string_view what, std::vector<Entry>& out,
               Read read) {
    std::vector<std::pair<Idset::Range, std::size_t>> ranges;  // with the place of their entry
    const bool whole = values_.walk.elements(value, token, what, [&](Value& v, const Token& t) {
      if (!has_room(out.size(), t, what) || !read(v, t, out.emplace_back())) return false;
      for (const Idset::Range& range : out.back().ranks.ranges()) {
        ranges.emplace_back(range, t.offset);
      }
      return true;
    });
    if (!whole) return false;
    std::ranges::sort(ranges);
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      const auto& [before, one] = ranges[i - 1];
      const auto& [range, other] = ranges[i];
      if (range.first > before.second) continue;
      return walk().refuse(
          std::max(one, other),
          fmt::format("rank {} is in two entries of scheduling.{}", range.first, what));
    }
    return true;
  }

  bool has_room(std::size_t entries, const Token& token, std::string_view what) {
    const auto& limits = values_.limits.layouts;
    if (!limits || entries < limits->entries_max) return true;
    return walk().refuse(token.offset,
                         fmt::format("{} has more than {} entries", what, limits->entries_max),
                         ErrorCode::limit);
  }

  RValues& values_;
  RScheduling& out_;
  SchedulingPlaces& at_;
  std::optional<std::size_t> children_, topo_ids_;  // which members they are
  bool written_ = false;                            // there is a writer
  std::uint32_t domains_ = 0;                       // of all entries so far
};

}  // namespace

bool read_scheduling(RValues& values, Value& value, const Token& token, RScheduling& out,
                     SchedulingPlaces& at) {
  return SchedulingReader(values, out, at).read(value, token);
}

Result<RScheduling> read_scheduling(std::string_view text, std::string_view file,
                                    const RLimits& limits) {
  JsonWalk walk(text, 0, file, {limits.text_bytes_max, limits.text_bytes_max, kJsonDepthMax});
  RValues values(walk, limits);
  RScheduling out;
  SchedulingPlaces at;
  Value root;
  Token token;
  if (walk.open(root, token) && read_scheduling(values, root, token, out, at) && walk.close()) {
    return out;
  }
  return std::unexpected(walk.error());
}

}  // namespace copse
