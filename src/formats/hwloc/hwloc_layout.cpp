// SPDX-License-Identifier: Apache-2.0
#include "formats/hwloc/hwloc_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "formats/hwloc/hwloc_topology.hpp"
#include "formats/hwloc/hwloc_xml.hpp"
#include "text/json_text.hpp"

namespace copse {

namespace {

constexpr std::int64_t kWordsMax = INT64_C(1) << 28;  // of sets that are compared
constexpr std::uint64_t kGibibyte = UINT64_C(1) << 30;

// An object of topo, until its siblings are known.
struct Domain {
  std::string level;  // "numa": [{…}, {…}]
  Idset cores, gpus;
  std::uint64_t memory_gib = 0;

  void append(std::string& out) const {
    out += '{';
    const auto key = [&out](std::string_view name) {
      if (out.back() != '{') out += ", ";
      ((out += '"') += name) += "\": ";
    };
    if (!level.empty()) out += level;
    for (const auto& [name, ids] : {std::pair{"cores", &cores}, std::pair{"gpus", &gpus}}) {
      if (ids->empty()) continue;
      key(name);
      out += '"';
      ids->append_text(out);
      out += '"';
    }
    if (memory_gib > 0) {
      key("memory");
      append_number(out, memory_gib);
    }
    out += '}';
  }
};

struct Gpu {
  hwloc_obj_t device;
  hwloc_obj_t place;  // its nearest ancestor that has CPUs
  bool placed = false;
};

class LayoutBuilder {
 public:
  explicit LayoutBuilder(hwloc_topology_t topology)
      : topology_(topology), of_cores_(hwloc_bitmap_alloc()) {
    hwloc_obj_t core = nullptr;
    while ((core = next(HWLOC_OBJ_CORE, core)) != nullptr) {
      hwloc_bitmap_or(of_cores_.get(), of_cores_.get(), core->cpuset);
    }
  }

  Result<HwlocLayout> make() {
    find_gpus();
    hwloc_obj_t machine = hwloc_get_root_obj(topology_);
    auto domain = build(machine);
    if (!domain) return std::unexpected(domain.error());
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      if (!gpus_[i].placed) domain->gpus.add(static_cast<std::int64_t>(i));
    }
    if (!has_memory_) domain->memory_gib = memory_of_cores() / kGibibyte;
    HwlocLayout out;
    domain->append(out.topo);
    out.host = hwloc_xml::info(machine, "HostName");
    for (int i = 0; i < hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_CORE); ++i) out.cores.add(i);
    for (std::size_t i = 0; i < gpus_.size(); ++i) out.gpus.add(static_cast<std::int64_t>(i));
    return out;
  }

 private:
  // --- GPUs
  void find_gpus() {
    static constexpr std::array<std::string_view, 4> kLibraries{"CUDA", "NVML", "OpenCL", "RSMI"};
    std::map<hwloc_obj_t, std::string_view> shown_by;  // which library showed a card first
    hwloc_obj_t device = nullptr;
    while ((device = hwloc_get_next_osdev(topology_, device)) != nullptr) {
      const std::string_view library = hwloc_xml::info(device, "Backend");
      if (std::ranges::find(kLibraries, library) == kLibraries.end()) continue;
      hwloc_obj_t card = device->parent;
      while (card != nullptr && card->type != HWLOC_OBJ_PCI_DEVICE) card = card->parent;
      if (card != nullptr && shown_by.try_emplace(card, library).first->second != library) continue;
      gpus_.push_back({device, hwloc_get_non_io_ancestor_obj(topology_, device)});
    }
  }

  // What has no cores is within nothing: its set is empty.
  bool belongs(const Gpu& gpu, hwloc_obj_t object) {
    return gpu.place != nullptr &&
           (gpu.place == object || (has_cores(gpu.place) && is_within(gpu.place, object)));
  }

  // Those that belong there and have no place yet.
  Idset take_gpus(hwloc_obj_t object) {
    Idset out;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      if (gpus_[i].placed || !belongs(gpus_[i], object)) continue;
      gpus_[i].placed = true;
      out.add(static_cast<std::int64_t>(i));
    }
    return out;
  }

  // --- Domains
  [[nodiscard]] hwloc_obj_t next(hwloc_obj_type_t type, hwloc_obj_t after) const {
    return hwloc_get_next_obj_by_type(topology_, type, after);
  }
  bool has_cores(hwloc_obj_t object) {
    words_ += 1 + std::max(hwloc_bitmap_last(object->cpuset), 0) / 32;
    return hwloc_bitmap_intersects(object->cpuset, of_cores_.get()) != 0;
  }
  std::uint64_t memory_of_cores() {
    std::uint64_t out = 0;
    hwloc_obj_t node = nullptr;
    while ((node = next(HWLOC_OBJ_NUMANODE, node)) != nullptr) {
      if (has_cores(node)) out += node->attr->numanode.local_memory;
    }
    return out;
  }
  bool is_within(hwloc_obj_t inner, hwloc_obj_t outer) {
    words_ += 1 + std::max(hwloc_bitmap_last(inner->cpuset), 0) / 32;
    return hwloc_bitmap_isincluded(inner->cpuset, outer->cpuset) != 0;
  }
  [[nodiscard]] Result<void> check_words() const {
    if (words_ <= kWordsMax) return {};
    return fail(
        ErrorCode::limit,
        fmt::format("to compare the sets of this topology takes more than {} words", kWordsMax));
  }

  static bool is_container(hwloc_obj_t object) {
    return object->type == HWLOC_OBJ_PACKAGE || object->type == HWLOC_OBJ_DIE ||
           object->type == HWLOC_OBJ_GROUP;
  }

  // The nearest containers below that have cores. O(objects below), without recursion.
  std::vector<hwloc_obj_t> containers(hwloc_obj_t object) {
    std::vector<hwloc_obj_t> out, open{object};
    while (!open.empty()) {
      hwloc_obj_t at = open.back();
      open.pop_back();
      if (at != object && is_container(at)) {
        if (has_cores(at)) out.push_back(at);
        continue;
      }
      if (at->type == HWLOC_OBJ_CORE || at->type == HWLOC_OBJ_PU) continue;
      ++words_;
      for (hwloc_obj_t child = at->last_child; child != nullptr; child = child->prev_sibling) {
        open.push_back(child);
      }
    }
    return out;
  }

  std::vector<hwloc_obj_t> numa_nodes(hwloc_obj_t object) {
    std::vector<hwloc_obj_t> out;
    hwloc_obj_t node = nullptr;
    while ((node = next(HWLOC_OBJ_NUMANODE, node)) != nullptr) {
      if (has_cores(node) && is_within(node, object)) out.push_back(node);
    }
    return out;
  }

  std::string level_name(hwloc_obj_t container) {
    while (container->type == HWLOC_OBJ_GROUP) {
      const auto inner = containers(container);
      if (inner.size() == 1) {
        container = inner[0];
        continue;
      }
      return numa_nodes(container).empty() ? "Group" : "numa";
    }
    return container->type == HWLOC_OBJ_PACKAGE ? "socket" : "Die";
  }

  // Recursion is as deep as containers are nested: at most hwloc_xml::Limits::depth_max.
  Result<Domain> build(hwloc_obj_t object) {
    auto inner = containers(object);
    while (inner.size() == 1) {
      object = inner[0];
      inner = containers(object);
    }
    if (auto ok = check_words(); !ok) return std::unexpected(ok.error());
    if (inner.empty()) return build_innermost(object);
    return build_level(object, level_name(inner[0]), inner,
                       [this](hwloc_obj_t child) { return build(child); });
  }

  Result<Domain> build_innermost(hwloc_obj_t object) {
    const auto nodes = numa_nodes(object);
    if (nodes.empty()) return leaf(object);
    if (nodes.size() == 1) return leaf(nodes[0]);
    return build_level(object, "numa", nodes, [this](hwloc_obj_t node) { return leaf(node); });
  }

  template <class Make>
  Result<Domain> build_level(hwloc_obj_t object, const std::string& name,
                             const std::vector<hwloc_obj_t>& inner, Make make) {
    Domain out;
    out.level = '"' + name + "\": [";
    for (hwloc_obj_t child : inner) {
      const auto domain = make(child);
      if (!domain) return domain;
      if (child != inner.front()) out.level += ", ";
      domain->append(out.level);
    }
    out.level += ']';
    out.gpus = take_gpus(object);
    return out;
  }

  Result<Domain> leaf(hwloc_obj_t object) {
    Domain out;
    hwloc_obj_t core = nullptr;
    while ((core = next(HWLOC_OBJ_CORE, core)) != nullptr) {
      if (is_within(core, object)) out.cores.add(core->logical_index);
    }
    if (auto ok = check_words(); !ok) return std::unexpected(ok.error());
    if (out.cores.empty()) {
      return fail(ErrorCode::invalid,
                  fmt::format("{} {} of this topology has no cores",
                              hwloc_obj_type_string(object->type), object->logical_index));
    }
    out.gpus = take_gpus(object);
    if (object->type == HWLOC_OBJ_NUMANODE) {
      out.memory_gib = object->attr->numanode.local_memory / kGibibyte;
      has_memory_ = has_memory_ || out.memory_gib > 0;
    }
    return out;
  }

  struct FreeBitmap {
    void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
  };
  hwloc_topology_t topology_;
  std::unique_ptr<hwloc_bitmap_s, FreeBitmap> of_cores_;  // the PUs of all cores
  std::vector<Gpu> gpus_;
  bool has_memory_ = false;
  std::int64_t words_ = 0;
};

}  // namespace

Result<HwlocLayout> read_hwloc_layout(std::string_view text, std::string_view file) {
  const auto rewritten = hwloc_xml::rewrite(text, file);
  if (!rewritten) return std::unexpected(rewritten.error());
  auto topology = hwloc_xml::load(*rewritten);
  auto layout = topology ? LayoutBuilder(topology->get()).make()
                         : Result<HwlocLayout>(std::unexpected(topology.error()));
  if (!layout) layout.error().place.file = file;
  return layout;
}

Result<RSet> r_of_layouts(std::span<const HwlocLayout> layouts, const Idset& ranks,
                          std::vector<std::string> hosts) {
  const std::int64_t count = ranks.count();
  if (layouts.empty() || (layouts.size() > 1 && std::ssize(layouts) != count)) {
    return fail(ErrorCode::invalid, fmt::format("{} layouts for {} ranks", layouts.size(), count));
  }
  const bool named = std::ranges::none_of(layouts, [](const auto& l) { return l.host.empty(); });
  if (hosts.empty() && named && std::ssize(layouts) == count) {
    for (const HwlocLayout& layout : layouts) hosts.push_back(layout.host);
  }
  if (!hosts.empty() && std::ssize(hosts) != count) {
    return fail(ErrorCode::invalid, fmt::format("{} hosts for {} ranks", hosts.size(), count));
  }
  RSet out;
  out.hosts = std::move(hosts);
  out.scheduling.treepool = true;
  out.scheduling.members = {{"writer", "\"TreePool\""}};
  std::map<std::string_view, std::size_t> by_topo;
  std::size_t k = 0;
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank, ++k) {
      const bool all = layouts.size() == 1;
      const HwlocLayout& layout = layouts[all ? 0 : k];
      const std::int64_t to = all ? last : rank;
      const auto [at, is_new] = by_topo.try_emplace(layout.topo, out.scheduling.children.size());
      if (is_new) out.scheduling.children.push_back({{}, layout.topo, {}, {}});
      out.scheduling.children[at->second].ranks.add_range(rank, to);
      out.entries.push_back({{}, {{"core", layout.cores}, {"gpu", layout.gpus}}});
      out.entries.back().ranks.add_range(rank, to);
      rank = to;
    }
  }
  return canonical(std::move(out));
}

}  // namespace copse
