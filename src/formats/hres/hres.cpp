// SPDX-License-Identifier: Apache-2.0
#include "formats/hres/hres.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/scan_text.hpp"
#include "request/hres.hpp"
#include "request/jobspec/jobspec_values.hpp"
#include "text/tree/yaml_tree.hpp"

namespace copse {
namespace {

constexpr std::string_view kModePrefix = "MODE_";

constexpr TreeLimits kTreeLimits{
    .text_bytes_max = 64u << 20, .depth_max = 64, .events_max = 8'000'000};

char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// 1, 2, 3; nullopt for another word.
std::optional<int> parse_mode(std::string_view word) {
  if (word.size() != kModePrefix.size() + 1) return std::nullopt;
  const auto head = word.substr(0, kModePrefix.size());
  const int mode = word.back() - '0';
  if (!std::ranges::equal(head, kModePrefix, {}, to_upper) || mode < 1 || mode > 3) {
    return std::nullopt;
  }
  return mode;
}

// A decimal integer without quotes; nullopt for anything else, and for what has no 64 bits.
std::optional<std::int64_t> parse_amount(TreeView node) {
  if (!node.is_scalar() || node.is_quoted_string()) return std::nullopt;
  std::string_view digits = node.text();
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const bool signed_twice = digits.size() < node.text().size() && digits.starts_with('-');
  return signed_twice ? std::nullopt : parse_number<std::int64_t>(digits);
}

// The value of a node, for a message.
std::string shown_value(TreeView node) {
  if (node.is_mapping()) return "a mapping";
  if (node.is_sequence()) return "a list";
  if (node.is_null()) return "null";
  return node.is_quoted_string() ? fmt::format("\"{}\" in quotes", shown(node.text()))
                                 : fmt::format("\"{}\"", shown(node.text()));
}

// An optional key: null is as if it were not there.
std::optional<TreeView> find_given(TreeView mapping, std::string_view key) {
  const auto value = mapping.find(key);
  return value && !value->is_null() ? value : std::nullopt;
}

// Of a mapping that `what` names.
Result<TreeView> find_required(TreeView mapping, std::string_view key, std::string_view what) {
  if (!mapping.is_mapping()) {
    return mapping.fail(fmt::format("{} must be a mapping, not {}", what, shown_value(mapping)));
  }
  const auto value = mapping.find(key);
  if (!value) return mapping.fail(fmt::format("{} lacks the required key \"{}\"", what, key));
  return *value;
}

Result<std::string> read_text(TreeView node, std::string_view what) {
  if (!node.is_scalar()) {
    return node.fail(fmt::format("{} must be a string, not {}", what, shown_value(node)));
  }
  return std::string(node.text());
}

Result<std::string> read_name(TreeView node, std::string_view what) {
  if (node.is_scalar() && node.text().size() > kHresNameBytesMax) {
    return node.fail(fmt::format("{} is longer than {} bytes", what, kHresNameBytesMax),
                     ErrorCode::limit);
  }
  return read_text(node, what);
}

// Any name except an empty one.
Result<std::string> read_given_name(TreeView node, std::string_view what) {
  auto name = read_name(node, what);
  if (name && name->empty()) return node.fail(fmt::format("{} is empty", what));
  return name;
}

class HresFileReader {
 public:
  Result<HresSpec> read(TreeView top) {
    if (top.is_null()) return top.fail("the file is empty; it must have a list of resources");
    if (!top.is_sequence()) {
      return top.fail(
          fmt::format("the file must have a list of resources, not {}", shown_value(top)));
    }
    if (top.size() > kHresResourcesMax) {
      return top.fail(fmt::format("more than {} resources", kHresResourcesMax), ErrorCode::limit);
    }
    HresSpec out;
    out.resources.reserve(top.size());
    for (auto entry = top.first_child(); entry; entry = entry->next()) {
      auto read = read_resource(*entry, out.resources.emplace_back());
      if (!read) return std::unexpected(std::move(read.error()));
    }
    return out;
  }

 private:
  struct Mode {
    int number = 0;
    std::uint32_t line = 0;
  };

  Result<void> read_resource(TreeView node, ResourceSpec& out) {
    if (auto ok = check_spelling(node, kHresResourceKeys); !ok) return ok;
    const auto name = find_required(node, "resource", "a resource");
    if (!name) return std::unexpected(name.error());
    out.place = name->place();
    if (auto read = keep(read_name(*name, "the name of a resource"), out.name); !read) return read;
    if (!is_hres_name(out.name)) {
      return name->fail(
          fmt::format("no request can say the name \"{}\" of a resource; there may be "
                      "no blanks, control characters or , ; | : = ( ) in it",
                      shown(out.name)));
    }
    resource_ = fmt::format("resource \"{}\"", shown(out.name));
    if (auto read = read_mode(node, *name, out.mode); !read) return read;
    if (const auto topology = find_given(node, "topology")) {
      auto read = keep(read_given_name(*topology, "the topology of " + resource_), out.topology);
      if (!read) return read;
    }
    if (const auto variables = find_given(node, "variables")) {
      auto read = read_named_amounts(*variables, "variables", "variable", out.variables, &out);
      if (!read) return read;
    }
    return read_layers(node, out.layers);
  }

  Result<void> read_mode(TreeView node, TreeView name, int& out) {
    const auto mode = find_required(node, "mode", resource_);
    if (!mode) return std::unexpected(mode.error());
    const auto number = mode->is_scalar() ? parse_mode(mode->text()) : std::nullopt;
    if (!number) {
      return mode->fail(fmt::format("{} has an unknown mode, {}; there are MODE_1, MODE_2, MODE_3",
                                    resource_, shown_value(*mode)));
    }
    out = *number;
    const auto [before, is_new] =
        modes_.try_emplace(name.text(), Mode{.number = out, .line = mode->place().line});
    if (before->second.number != out) {
      return mode->fail(fmt::format("{} has mode MODE_{} here and MODE_{} on line {}", resource_,
                                    out, before->second.number, before->second.line));
    }
    return {};
  }

  Result<void> read_layers(TreeView node, std::vector<LayerSpec>& out) {
    const auto layers = find_required(node, "layers", resource_);
    if (!layers) return std::unexpected(layers.error());
    if (!layers->is_sequence()) return fail_no_list(*layers, "layers");
    if (layers->size() > kHresLayersMax - layers_) {
      return layers->fail(fmt::format("more than {} layers", kHresLayersMax), ErrorCode::limit);
    }
    layers_ += layers->size();
    out.reserve(layers->size());
    for (auto layer = layers->first_child(); layer; layer = layer->next()) {
      if (auto read = read_layer(*layer, out.emplace_back()); !read) return read;
    }
    return {};
  }

  Result<void> read_layer(TreeView node, LayerSpec& out) {
    const std::string layer = "a layer of " + resource_;
    out.place = node.place();
    if (auto ok = check_spelling(node, kHresLayerKeys); !ok) return ok;
    const auto nodes = find_required(node, "nodes", layer);
    if (!nodes) return std::unexpected(nodes.error());
    const auto count = find_required(node, "count", layer);
    if (!count) return std::unexpected(count.error());
    if (auto read = read_nodes(*nodes, out.nodes); !read) return read;
    out.count_place = count->place();
    const auto amount = parse_amount(*count);
    if (!amount || *amount < kUnlimitedCount) {
      return count->fail(
          fmt::format("the count of {} must be an integer from 0 to {}, or -1 for no bound, not {}",
                      layer, INT64_MAX, shown_value(*count)));
    }
    out.count = *amount;
    const auto base = find_given(node, "base");
    return base ? read_named_amounts(*base, "base", "base", out.bases) : Result<void>();
  }

  Result<void> read_nodes(TreeView node, std::vector<std::pair<std::string, SourceLocation>>& out) {
    if (!node.is_sequence()) return read_hostlist(node, out);
    out.reserve(std::min<std::size_t>(node.size(), kHresHostlistsMax));
    for (auto entry = node.first_child(); entry; entry = entry->next()) {
      if (auto read = read_hostlist(*entry, out); !read) return read;
    }
    return {};
  }

  Result<void> read_hostlist(TreeView node,
                             std::vector<std::pair<std::string, SourceLocation>>& out) {
    if (hostlists_ == kHresHostlistsMax) {
      return node.fail(fmt::format("more than {} hostlists", kHresHostlistsMax), ErrorCode::limit);
    }
    ++hostlists_;
    if (!node.is_scalar()) {
      return node.fail(
          fmt::format("the nodes of a layer of {} must be a hostlist or a list of them, "
                      "not {}",
                      resource_, shown_value(node)));
    }
    out.emplace_back(node.text(), node.place());
    return {};
  }

  // [{name, value}, …] of a key, each of them a `what`.
  Result<void> read_named_amounts(TreeView node, std::string_view key, std::string_view what,
                                  std::vector<std::pair<std::string, std::int64_t>>& out,
                                  ResourceSpec* with_properties = nullptr) {
    if (!node.is_sequence()) return fail_no_list(node, key);
    const std::string which = fmt::format("a {} of {}", what, resource_);
    for (auto entry = node.first_child(); entry; entry = entry->next()) {
      const KnownKeys keys = with_properties != nullptr ? kHresVariableKeys : kHresBaseKeys;
      if (auto ok = check_spelling(*entry, keys); !ok) return ok;
      const auto name = find_required(*entry, "name", which);
      if (!name) return std::unexpected(name.error());
      const auto value = find_required(*entry, "value", which);
      if (!value) return std::unexpected(value.error());
      auto& [label, amount] = out.emplace_back();
      if (auto read = keep(read_given_name(*name, "the name of " + which), label); !read)
        return read;
      const auto number = parse_amount(*value);
      if (!number || *number < 0) {
        return value->fail(
            fmt::format("the value of {} \"{}\" of {} must be an integer from 0 to {}, not {}",
                        what, shown(label), resource_, INT64_MAX, shown_value(*value)));
      }
      amount = *number;
      if (with_properties == nullptr) continue;
      const auto property = find_given(*entry, "property");
      if (!property) continue;
      VariableOfProperty of_property{.name = label, .property = {}, .value = amount};
      auto read =
          keep(read_given_name(*property, "the property of " + which), of_property.property);
      if (!read) return read;
      with_properties->of_properties.push_back(std::move(of_property));
      out.pop_back();
    }
    return {};
  }

  std::unexpected<Error> fail_no_list(TreeView node, std::string_view what) const {
    return node.fail(
        fmt::format("the {} of {} must be a list, not {}", what, resource_, shown_value(node)));
  }

  std::string resource_;                    // `resource "lic"`, the one that is read: for messages
  std::map<std::string_view, Mode> modes_;  // of the resources so far, by name
  std::size_t layers_ = 0;
  std::size_t hostlists_ = 0;
};

}  // namespace

Result<HresSpec> read_hres(std::string_view text, std::string_view file) {
  const auto tree = read_tree(text, file, kTreeLimits);
  if (!tree) return std::unexpected(tree.error());
  return HresFileReader().read(TreeView(*tree));
}

}  // namespace copse
