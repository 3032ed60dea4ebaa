// SPDX-License-Identifier: Apache-2.0
#include "formats/hwloc/hwloc_sets.hpp"

#include <fmt/format.h>

namespace copse::hwloc_xml {
namespace {

bool lies_in(const Bitmap& part, const Bitmap& whole) {
  return !part || !whole || hwloc_bitmap_isincluded(part.get(), whole.get()) != 0;
}

}  // namespace

Bitmap bitmap(const char* text) {
  Bitmap set(hwloc_bitmap_alloc());
  if (set && hwloc_bitmap_sscanf(set.get(), text) != 0) set.reset();
  return set;
}

std::string SetRules::wrong(const ObjectSets& sets, const Type& type, unsigned os_index,
                            std::uint32_t depth, bool version1) {
  const auto read = [](const char* set, const char* otherwise) {
    const char* text = set != nullptr ? set : otherwise;
    return text == nullptr ? Bitmap() : bitmap(text);
  };
  Level level{read(sets.cpuset, nullptr), read(sets.complete_cpuset, sets.cpuset),
              read(sets.nodeset, nullptr), read(sets.complete_nodeset, sets.nodeset),
              Bitmap(hwloc_bitmap_alloc())};
  if (!lies_in(level.cpus, level.all_cpus) || !lies_in(level.nodes, level.all_nodes)) {
    return fmt::format("a set of an object of type {} is not part of its complete set", type.name);
  }
  if (type.sort == Sort::unit && level.all_cpus) {
    const Bitmap own(hwloc_bitmap_alloc());
    hwloc_bitmap_only(own.get(), os_index);
    if (!lies_in(level.all_cpus, own)) {
      return fmt::format("the PU with the os_index {} has the cpuset of another", os_index);
    }
    if (hwloc_bitmap_isset(units_.get(), os_index) != 0) {
      return fmt::format("two PUs have the os_index {}", os_index);
    }
    hwloc_bitmap_set(units_.get(), os_index);
  }
  levels_.resize(depth - 1);
  if (depth > 1) {
    const Level& parent = levels_.back();
    if (!lies_in(level.cpus, parent.cpus) || !lies_in(level.all_cpus, parent.all_cpus)) {
      return fmt::format("the cpuset of an object of type {} is not part of its parent's",
                         type.name);
    }
    // In exports of hwloc 1, memory near a cache need not be near all of its parent.
    const bool wider =
        !lies_in(level.nodes, parent.nodes) || !lies_in(level.all_nodes, parent.all_nodes);
    if (wider && !version1) {
      return fmt::format("the nodeset of an object of type {} is not part of its parent's",
                         type.name);
    }
    const bool is_memory = type.sort == Sort::memory || (type.sort == Sort::numa && !version1);
    if (!is_memory && level.all_cpus) {
      if (hwloc_bitmap_intersects(level.all_cpus.get(), parent.taken.get()) != 0) {
        return fmt::format("an object of type {} shares processors with its siblings", type.name);
      }
      hwloc_bitmap_or(parent.taken.get(), parent.taken.get(), level.all_cpus.get());
    }
  }
  levels_.push_back(std::move(level));
  return {};
}

}  // namespace copse::hwloc_xml
