// SPDX-License-Identifier: Apache-2.0
#include "rset/rset_properties.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/idset_algebra.hpp"

namespace copse {

PropertyName property_name(std::string_view property) {
  const std::size_t at = std::min(property.find('@'), property.size());
  return {.local = property.starts_with('+'),
          .name = property.substr(0, at),
          .suffix = property.substr(std::min(at + 1, property.size()))};
}

std::optional<PropertyDevices> property_devices(std::string_view property) {
  const PropertyName parts = property_name(property);
  if (parts.name.empty() || parts.suffix.empty()) return std::nullopt;
  const std::size_t open = parts.suffix.find('[');
  PropertyDevices out{.type = parts.suffix.substr(0, open), .ids = {}};
  if (open == parts.suffix.npos) return out;
  std::string_view ids = parts.suffix.substr(open + 1);
  if (out.type.empty() || !ids.ends_with(']')) return std::nullopt;
  ids.remove_suffix(1);
  auto read = Idset::parse(ids);
  if (!read || read->empty()) return std::nullopt;
  out.ids = std::move(*read);
  return out;
}

std::string wrong_property(std::string_view property) {
  constexpr std::string_view kIllegal = "!&'\"^`|()";
  if (property.empty()) return "a property has no name";
  const std::size_t at = property.find_first_of(kIllegal);
  if (at == property.npos) return {};
  return fmt::format(
      "property {:.64} has the character {}; none of ! & ' \" ^ ` | ( ) can be in it", property,
      property[at]);
}

Result<void> add_property(RSet& r, std::string_view property, const Idset& ranks) {
  if (auto wrong = wrong_property(property); !wrong.empty()) {
    return fail(ErrorCode::invalid, std::move(wrong));
  }
  const Idset unknown = subtract(ranks, r.ranks());
  if (!unknown.empty()) {
    return fail(ErrorCode::not_found, fmt::format("the set has no rank {:.64}", unknown.text()));
  }
  const auto at = std::ranges::find(r.properties, property, &std::pair<std::string, Idset>::first);
  if (at == r.properties.end()) {
    r.properties.emplace_back(property, ranks);
  } else {
    at->second = unite(at->second, ranks);
  }
  return {};
}

Idset ranks_with(const RSet& r, std::string_view property) {
  const bool without = property.starts_with('^');
  if (without) property.remove_prefix(1);
  const auto at = std::ranges::find(r.properties, property, &std::pair<std::string, Idset>::first);
  const Idset with = at == r.properties.end() ? Idset() : at->second;
  return without ? subtract(r.ranks(), with) : with;
}

void drop_local_properties(RSet& r) {
  std::erase_if(r.properties, [](const auto& p) { return property_name(p.first).local; });
}

}  // namespace copse
