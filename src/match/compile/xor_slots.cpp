// SPDX-License-Identifier: Apache-2.0
#include "match/compile/xor_slots.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace copse {

namespace {

using List = std::vector<Resource>;

bool is_xor(const Resource& r) { return r.type == "xor_slot"; }

std::size_t times(std::size_t a, std::size_t b) {
  return std::min(a * b, kVariantsMax + 1);  // both are at most kVariantsMax + 1
}

std::size_t count_variants(const List& list) {
  std::size_t always = 1, alternatives = 0;
  for (const Resource& r : list) {
    const std::size_t below = count_variants(r.with);
    if (is_xor(r)) {
      alternatives = std::min(alternatives + below, kVariantsMax + 1);
    } else {
      always = times(always, below);
    }
  }
  return alternatives == 0 ? always : times(always, alternatives);
}

std::size_t count_vertices(const List& list) {
  std::size_t n = list.size();
  for (const Resource& r : list) n += count_vertices(r.with);
  return n;
}

// A copy of r with another list below it.
Resource with_list(const Resource& r, List below) {
  Resource out;
  out.type = is_xor(r) ? "slot" : r.type;
  out.count = r.count;
  out.exclusive = r.exclusive;
  out.label = r.label;
  out.unit = r.unit;
  out.properties = r.properties;
  out.place = r.place;
  out.channel_charges = r.channel_charges;
  out.with = std::move(below);
  return out;
}

std::vector<List> expand(const List& list) {
  std::vector<List> variants(1);
  std::vector<Resource> alternatives;
  for (const Resource& r : list) {
    std::vector<List> below = expand(r.with);
    if (is_xor(r)) {
      for (List& b : below) alternatives.push_back(with_list(r, std::move(b)));
      continue;
    }
    std::vector<List> longer;
    longer.reserve(variants.size() * below.size());
    for (const List& variant : variants) {
      for (const List& b : below) {
        longer.push_back(variant);
        longer.back().push_back(with_list(r, b));
      }
    }
    variants = std::move(longer);
  }
  if (alternatives.empty()) return variants;
  std::vector<List> out;
  out.reserve(variants.size() * alternatives.size());
  for (const List& variant : variants) {
    for (const Resource& alternative : alternatives) {
      out.push_back(variant);
      out.back().push_back(alternative);
    }
  }
  return out;
}

}  // namespace

bool has_xor_slots(const std::vector<Resource>& resources) {
  return std::any_of(resources.begin(), resources.end(),
                     [](const Resource& r) { return is_xor(r) || has_xor_slots(r.with); });
}

Result<std::vector<std::vector<Resource>>> xor_variants(const std::vector<Resource>& resources) {
  const std::size_t variants = count_variants(resources);
  if (variants > kVariantsMax) {
    return fail(ErrorCode::limit,
                fmt::format("select: split_xor_slots failed: the xor_slots make more than {} "
                            "variants of the request",
                            kVariantsMax));
  }
  if (variants * count_vertices(resources) > kVariantVerticesMax) {
    return fail(ErrorCode::limit,
                fmt::format("select: split_xor_slots failed: the {} variants of the request could "
                            "have more than {} vertices",
                            variants, kVariantVerticesMax));
  }
  return expand(resources);
}

}  // namespace copse
