// SPDX-License-Identifier: Apache-2.0
#include "formats/hwloc/hwloc_xml.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <array>
#include <pugixml.hpp>
#include <vector>

#include "base/scan_text.hpp"
#include "formats/hwloc/hwloc_sets.hpp"
#include "formats/hwloc/hwloc_types.hpp"
#include "text/xml_text.hpp"

namespace copse::hwloc_xml {
namespace {

// As hwloc writes them: words of 32 bits from the highest on, "0x00000001,,0x0000000f"; a word of
// zeros between others may be empty, and "0xf...f" in front means an infinite number of ones.
bool is_set(std::string_view text) {
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    std::string_view word = text.substr(from, to - from);
    const bool first = from == 0, last = to == text.size();
    from = to + 1;
    if ((word.empty() && !first && !last) || (word == "0xf...f" && first)) continue;
    if (!word.starts_with("0x") || word.size() < 3 || word.size() > 10) return false;
    word.remove_prefix(2);
    if (word.find_first_not_of("0123456789abcdefABCDEF") != word.npos) return false;
  }
  return true;
}

enum class Kind : std::uint8_t { text, number, set };
struct Attribute {
  std::string_view name;
  Kind kind;
};
constexpr std::array kAttributes{
    Attribute{"type", Kind::text},
    Attribute{"os_index", Kind::number},
    Attribute{"name", Kind::text},
    Attribute{"subtype", Kind::text},
    Attribute{"cpuset", Kind::set},
    Attribute{"complete_cpuset", Kind::set},
    Attribute{"allowed_cpuset", Kind::set},
    Attribute{"nodeset", Kind::set},
    Attribute{"complete_nodeset", Kind::set},
    Attribute{"allowed_nodeset", Kind::set},
    Attribute{"cache_size", Kind::number},
    Attribute{"cache_linesize", Kind::number},
    Attribute{"local_memory", Kind::number},
    Attribute{"cache_type", Kind::number},
    Attribute{"depth", Kind::number},
    Attribute{"kind", Kind::number},
    Attribute{"subkind", Kind::number},
    Attribute{"dont_merge", Kind::number},
    Attribute{"osdev_type", Kind::number},
    Attribute{"bridge_type", Kind::text},
    Attribute{"bridge_pci", Kind::text},
    Attribute{"pci_busid", Kind::text},
    Attribute{"pci_type", Kind::text},
};
constexpr std::array<std::string_view, 4> kInfos{"HostName", "Size", "LinuxDeviceID", "Backend"};

constexpr std::size_t kValueBytesMax = 64u << 10;
constexpr std::uint64_t kMemoryMax = UINT64_C(1) << 46;  // so that all of it adds up in 64 bits

class Rewriter {
 public:
  Rewriter(std::string_view text, std::string_view file, const Limits& limits)
      : text_(text), file_(file), limits_(limits), lines_(text) {}

  Result<std::string> run() {
    if (auto ok = load(); !ok) return std::unexpected(ok.error());
    const pugi::xml_node root = document_.document_element();
    const std::string_view name = root.name();
    if (name != "topology" && name != "root") {
      return refuse(root, fmt::format("the outermost element is {}; a file of hwloc has <topology>",
                                      xml::quoted(name)));
    }
    if (auto ok = write_version(root); !ok) return std::unexpected(ok.error());
    if (!root.child("object")) return refuse(root, "the topology has no objects");
    if (auto ok = write_objects(root); !ok) return std::unexpected(ok.error());
    if (auto ok = check_machine(root.child("object")); !ok) return std::unexpected(ok.error());
    out_ += "</topology>\n";
    return std::move(out_);
  }

 private:
  using Failure = std::unexpected<Error>;

  [[nodiscard]] Failure refuse_at(std::size_t offset, std::string sentence,
                                  ErrorCode code = ErrorCode::invalid) const {
    const xml::Spot spot = lines_.spot(offset);
    return fail(code, std::move(sentence), {file_, spot.line, spot.column});
  }
  [[nodiscard]] xml::Spot spot(pugi::xml_node node) const {  // of its '<'; pugixml has the name's
    return lines_.spot(static_cast<std::size_t>(std::max<long>(node.offset_debug(), 1)) - 1);
  }
  [[nodiscard]] Failure refuse(pugi::xml_node node, std::string sentence,
                               ErrorCode code = ErrorCode::invalid) const {
    const xml::Spot at = spot(node);
    return fail(code, std::move(sentence), {file_, at.line, at.column});
  }

  Result<void> load() {
    std::size_t marks = 0;
    if (const xml::BadByte bad = xml::check_bytes(text_, marks); !bad.sentence.empty()) {
      return refuse_at(bad.offset, bad.sentence);
    }
    if (marks > limits_.marks_max) {
      return refuse_at(
          0, fmt::format("the text has more than {} elements and attributes", limits_.marks_max),
          ErrorCode::limit);
    }
    const pugi::xml_parse_result parsed =
        document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (parsed) return {};
    return refuse_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0)),
                     fmt::format("this is not XML: {}", parsed.description()));
  }

  Result<void> write_version(pugi::xml_node root) {
    const std::string_view version = root.attribute("version").value();
    out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc.dtd\">\n";
    if (version.empty() || version.starts_with("1.")) {
      out_ += "<topology>\n";
      version1_ = true;
      has_numa_ = text_.find("NUMANode") != text_.npos || text_.find("\"Node\"") != text_.npos;
      return {};
    }
    if (!version.starts_with("2.")) {
      return refuse(root,
                    fmt::format("version {} of hwloc's format is not known; export it as "
                                "version 2",
                                xml::quoted(version)),
                    ErrorCode::unsupported);
    }
    out_ += "<topology version=\"2.0\">\n";
    return {};
  }

  // hwloc fails on a tree without any allowed object. REQUIRES that the sets were checked.
  Result<void> check_machine(pugi::xml_node machine) const {
    const std::string_view type = machine.attribute("type").value();
    // In version 1, a machine of one NUMA node may be that; hwloc puts a Machine above it.
    const bool numa = type == "NUMANode" || type == "Node";
    if (type != "Machine" && !(version1_ && (numa || type == "System"))) {
      return refuse(machine, fmt::format("the outermost object is of type {}; it must be a Machine",
                                         xml::quoted(type)));
    }
    // hwloc 2.9 frees memory twice on a NUMA node there that has no sets.
    if (numa && (!machine.attribute("cpuset") || !machine.attribute("nodeset"))) {
      return refuse(machine,
                    fmt::format("the outermost object, of type {}, needs a cpuset and a nodeset",
                                xml::quoted(type)));
    }
    for (const auto& [all, allowed] :
         {std::pair{"cpuset", "allowed_cpuset"}, std::pair{"nodeset", "allowed_nodeset"}}) {
      const pugi::xml_attribute all_text = machine.attribute(all);
      const pugi::xml_attribute allowed_text = machine.attribute(allowed);
      if (!all_text) continue;
      const Bitmap set = bitmap(all_text.value());
      const Bitmap part = bitmap(allowed_text ? allowed_text.value() : all_text.value());
      if (!set || !part || hwloc_bitmap_intersects(set.get(), part.get()) == 0) {
        return refuse(machine, fmt::format("nothing in the {} of the machine is allowed", all));
      }
    }
    return {};
  }

  // Objects in the order of the text, without recursion.
  Result<void> write_objects(pugi::xml_node root) {
    pugi::xml_node node = root.child("object");
    for (std::uint32_t depth = 1; node;) {
      if (auto ok = write_object(node, depth); !ok) return ok;
      if (const pugi::xml_node below = node.child("object")) {
        node = below;
        ++depth;
        continue;
      }
      out_ += "</object>\n";
      while (!node.next_sibling("object") && node.parent() != root) {
        node = node.parent();
        --depth;
        out_ += "</object>\n";
      }
      node = node.next_sibling("object");
      if (node && depth == 1) return refuse(node, "the topology has a second outermost object");
    }
    return {};
  }

  Result<void> write_object(pugi::xml_node node, std::uint32_t depth) {
    const std::string_view type = node.attribute("type").value();
    if (type.empty()) return refuse(node, "an object has no type");
    const Type* known_type = find_type(type);
    if (known_type == nullptr) {
      return refuse(node, fmt::format("an object has the type {}, which hwloc does not have",
                                      xml::quoted(type)));
    }
    if (const Type* parent = find_type(node.parent().attribute("type").value());
        depth > 1 && !fits(parent->sort, known_type->sort, version1_)) {
      return refuse(node, fmt::format("an object of type {} is below one of type {}",
                                      known_type->name, parent->name));
    }
    if (depth > limits_.depth_max) {
      return refuse(node, fmt::format("objects are nested more than {} deep", limits_.depth_max),
                    ErrorCode::limit);
    }
    if (++objects_ > limits_.objects_max) {
      return refuse(node, fmt::format("the topology has more than {} objects", limits_.objects_max),
                    ErrorCode::limit);
    }
    children_.resize(depth + 1);  // so that those of the next depth begin at 0
    if (++children_[depth] > limits_.children_max) {
      return refuse(node, fmt::format("an object has more than {} children", limits_.children_max),
                    ErrorCode::limit);
    }
    if (in_sets(type)) {
      if (auto ok = check_set_index(node, type); !ok) return ok;
    }
    out_ += "<object";
    for (const Attribute& known : kAttributes) {
      // Version 1 says that a machine without NUMA nodes is in all of them; hwloc 2 adds one.
      if (version1_ && !has_numa_ && known.name.ends_with("nodeset")) continue;
      if (const pugi::xml_attribute attribute = node.attribute(std::string(known.name).c_str())) {
        if (auto ok = write_attribute(node, known, attribute.value()); !ok) return ok;
      }
    }
    const bool placed = known_type->sort < Sort::io;  // by its sets, that is
    if (placed) {
      if (auto ok = complete_sets(node); !ok) return ok;
      if (auto ok = check_sets(node, *known_type, depth); !ok) return ok;
    }
    out_ += ">\n";
    return write_infos(node, type);
  }

  // hwloc breaks where an object has no complete set; by default it is the plain one.
  Result<void> complete_sets(pugi::xml_node node) {
    for (const auto& [plain, complete] :
         {std::pair{"cpuset", "complete_cpuset"}, std::pair{"nodeset", "complete_nodeset"}}) {
      const std::string_view name = plain;
      const pugi::xml_attribute set = node.attribute(plain);
      if (version1_ && name == "nodeset" && (!set || !has_numa_)) continue;
      if (!set) {
        return refuse(node, fmt::format("an object of type {} has no {}",
                                        node.attribute("type").value(), plain));
      }
      if (node.attribute(complete)) continue;
      if (auto ok = write_attribute(node, {complete, Kind::set}, set.value()); !ok) return ok;
    }
    return {};
  }

  // REQUIRES attributes that were checked, and a placed object, whose parents are placed as well.
  Result<void> check_sets(pugi::xml_node node, const Type& type, std::uint32_t depth) {
    const auto set = [&](const char* name) -> const char* {
      const pugi::xml_attribute attribute = node.attribute(name);
      return attribute ? attribute.value() : nullptr;
    };
    ObjectSets sets{set("cpuset"), set("complete_cpuset"), nullptr, nullptr};
    if (!version1_ || has_numa_) {
      sets.nodeset = set("nodeset");
      sets.complete_nodeset = set("complete_nodeset");
    }
    const unsigned os_index = node.attribute("os_index").as_uint();
    std::string wrong = set_rules_.wrong(sets, type, os_index, depth, version1_);
    if (wrong.empty()) return {};
    return refuse(node, std::move(wrong));
  }

  static bool in_sets(std::string_view type) {
    return type == "PU" || type == "NUMANode" || type == "Node";
  }

  // hwloc makes a set as long as the index; an absent one, or -1, means the largest
  // number.
  Result<void> check_set_index(pugi::xml_node node, std::string_view type) const {
    const pugi::xml_attribute index = node.attribute("os_index");
    if (!index) return refuse(node, fmt::format("an object of type {} has no os_index", type));
    if (std::string_view(index.value()) == "-1") {
      return refuse(node, fmt::format("an object of type {} has the os_index -1", type));
    }
    return check_number(node, "os_index", index.value(), limits_.os_index_max);
  }

  Result<void> write_attribute(pugi::xml_node node, const Attribute& known,
                               std::string_view value) {
    if (value.size() > kValueBytesMax) {
      return refuse(node, fmt::format("{} has more than {} bytes", known.name, kValueBytesMax),
                    ErrorCode::limit);
    }
    if (known.kind == Kind::set) {
      if (!is_set(value)) {
        return refuse(node, fmt::format("{} is {}; it must be a set as \"0x0000000f\"", known.name,
                                        xml::quoted(value)));
      }
      set_words_ += static_cast<std::size_t>(std::ranges::count(value, ',')) + 1;
      if (set_words_ > limits_.set_words_max) {
        return refuse(
            node,
            fmt::format("the sets of the topology have more than {} words", limits_.set_words_max),
            ErrorCode::limit);
      }
    }
    if (known.kind == Kind::number) {
      const std::uint64_t max = known.name == "cache_size"     ? INT64_MAX
                                : known.name == "local_memory" ? kMemoryMax
                                                               : UINT32_MAX;
      if (auto ok = check_number(node, known.name, value, max); !ok) return ok;
    }
    append(known.name, value);
    return {};
  }

  Result<void> check_number(pugi::xml_node node, std::string_view name, std::string_view value,
                            std::uint64_t max) const {
    // hwloc writes "no index" as the largest number, or as -1.
    if (value == "-1") return {};
    const auto number = parse_number<std::uint64_t>(value);
    if (number && *number <= max) return {};
    return refuse(node, fmt::format("{} is {}; it must be a number of at most {}", name,
                                    xml::quoted(value), max));
  }

  Result<void> write_infos(pugi::xml_node node, std::string_view type) {
    std::array<bool, kInfos.size()> seen{};
    for (const pugi::xml_node info : node.children("info")) {
      const auto known =
          std::ranges::find(kInfos, std::string_view(info.attribute("name").value()));
      if (known == kInfos.end()) continue;
      bool& again = seen[static_cast<std::size_t>(known - kInfos.begin())];
      if (again) continue;  // the first one counts, as in hwloc
      again = true;
      const std::string_view value = info.attribute("value").value();
      if (value.size() > kValueBytesMax) {
        return refuse(info, fmt::format("{} has more than {} bytes", *known, kValueBytesMax),
                      ErrorCode::limit);
      }
      append_info(*known, value);
    }
    if (type != "OSDev") return {};
    const xml::Spot at = spot(node);
    append_info(kPlaceInfo, fmt::format("{}:{}", at.line, at.column));
    return {};
  }

  void append_info(std::string_view name, std::string_view value) {
    out_ += "<info";
    append("name", name);
    append("value", value);
    out_ += "/>\n";
  }

  void append(std::string_view name, std::string_view value) {
    (((out_ += ' ') += name) += "=\"");
    for (const char c : value) {
      switch (c) {
        case '&': out_ += "&amp;"; break;
        case '<': out_ += "&lt;"; break;
        case '>': out_ += "&gt;"; break;
        case '"': out_ += "&quot;"; break;
        default: out_ += xml::is_control(c) ? '?' : c;
      }
    }
    out_ += '"';
  }

  std::string_view text_;
  std::string file_;
  const Limits& limits_;
  xml::LineIndex lines_;
  pugi::xml_document document_;
  std::string out_;
  SetRules set_rules_;
  std::size_t objects_ = 0, set_words_ = 0;
  std::vector<std::uint32_t> children_;  // so far, by depth
  bool version1_ = false, has_numa_ = true;
};

}  // namespace

Result<std::string> rewrite(std::string_view text, std::string_view file, const Limits& limits) {
  if (text.size() > limits.text_bytes_max) {
    return fail(
        ErrorCode::limit,
        fmt::format("the text has {} bytes; the limit is {}", text.size(), limits.text_bytes_max),
        {std::string(file)});
  }
  return Rewriter(text, file, limits).run();
}

}  // namespace copse::hwloc_xml
