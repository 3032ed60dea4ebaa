// SPDX-License-Identifier: Apache-2.0
#include "formats/hwloc/hwloc_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <type_traits>

#include "base/hostlist.hpp"
#include "base/scan_text.hpp"
#include "formats/hwloc/hwloc_topology.hpp"
#include "formats/hwloc/hwloc_xml.hpp"
#include "graph/graph_builder.hpp"
#include "text/xml_text.hpp"

namespace copse {
namespace {

// A pool as the table in the header has it.
struct Made {
  const char* word = "";
  const char* type = "";
  std::string basename{};
  std::int64_t id = -1, size = 1;
  std::string host{};    // nodes only
  std::string device{};  // storage only: its LinuxDeviceID
};

Made plain(const char* word, hwloc_obj_t object) {
  return {.word = word, .type = word, .basename = word, .id = object->logical_index};
}

class Walk {
 public:
  Walk(std::string_view file, const HwlocOptions& how) : file_(file), memory_(how.memory) {
    const std::string_view allowed = how.allowed;
    for (std::size_t from = 0; from <= allowed.size();) {
      const std::size_t to = std::min(allowed.find(',', from), allowed.size());
      const std::string_view word = xml::trimmed(allowed.substr(from, to - from));
      if (!word.empty()) allowed_.emplace(word);
      from = to + 1;
    }
  }

  Result<void> begin() {
    const auto subsystem = builder_.subsystem("containment");
    const auto unit = builder_.unit("");
    const auto megabytes = builder_.unit("MB");
    if (!subsystem) return std::unexpected(subsystem.error());
    if (!unit) return std::unexpected(unit.error());
    if (!megabytes) return std::unexpected(megabytes.error());
    subsystem_ = *subsystem;
    unit_ = *unit;
    megabytes_ = *megabytes;
    const auto root =
        add({.word = "cluster", .type = "cluster", .basename = "cluster", .id = 0}, std::nullopt);
    if (!root) return std::unexpected(root.error());
    root_ = *root;
    return builder_.set_root(subsystem_, root_);
  }

  // Adds what a text has. REQUIRES begin().
  Result<void> add(const HwlocText& text) {
    file_ = text.file;
    shown_by_.clear();
    gpu_ids_.clear();
    const auto rewritten = hwloc_xml::rewrite(text.text, text.file);
    if (!rewritten) return std::unexpected(rewritten.error());
    const auto topology = hwloc_xml::load(*rewritten);
    if (!topology) return in_file(topology.error());
    if (auto ok = walk(topology->get(), root_); !ok) return in_file(ok.error());
    return {};
  }
  [[nodiscard]] std::size_t hosts() const { return hosts_.size(); }
  Result<ResourceGraph> finish(std::string_view dominant) {
    auto graph = builder_.build(dominant);
    if (!graph) return in_file(graph.error());
    return graph;
  }
  [[nodiscard]] std::unexpected<Error> in_file(Error error) const {
    if (error.place.file.empty()) error.place.file = file_;
    return std::unexpected(std::move(error));
  }

 private:
  using Handle = GraphBuilder::Handle;

  Result<void> walk(hwloc_topology_t topology, Handle root) {
    struct Open {
      hwloc_obj_t object, child;
      Handle pool;
    };
    std::vector<Open> open;
    auto enter = [&](hwloc_obj_t object, Handle above) -> Result<void> {
      const auto pool = visit(object, above);
      if (!pool) return std::unexpected(pool.error());
      open.push_back({object, nullptr, *pool});
      return {};
    };
    if (auto ok = enter(hwloc_get_root_obj(topology), root); !ok) return ok;
    while (!open.empty()) {
      Open& top = open.back();
      top.child = hwloc_get_next_child(topology, top.object, top.child);
      if (top.child == nullptr) {
        open.pop_back();
      } else if (auto ok = enter(top.child, top.pool); !ok) {
        return ok;
      }
    }
    return {};
  }

  // The pool that what is below the object belongs to.
  Result<Handle> visit(hwloc_obj_t object, Handle above) {
    auto made = make(object);
    if (!made) return std::unexpected(made.error());
    auto pool = *made ? add(**made, above) : Result<Handle>(above);
    if (!pool || object->type != HWLOC_OBJ_NUMANODE) return pool;
    if (auto ok = add_memory(object, *pool); !ok) return std::unexpected(ok.error());
    return pool;
  }

  // Without CPUs it is the memory of a GPU.
  Result<void> add_memory(hwloc_obj_t numa, Handle above) {
    const std::uint64_t megabytes = numa->attr->numanode.local_memory >> 20U;
    const bool near_cpus = numa->cpuset != nullptr && hwloc_bitmap_iszero(numa->cpuset) == 0;
    if (!memory_ || megabytes == 0 || !near_cpus || !is_allowed("memory")) return {};
    Made made = plain("memory", numa);
    made.size = static_cast<std::int64_t>(megabytes);
    const auto pool = add(made, above, megabytes_);
    if (!pool) return std::unexpected(pool.error());
    builder_.set_divisible(*pool);
    return {};
  }

  [[nodiscard]] bool is_allowed(const char* word) const {
    return allowed_.empty() || allowed_.contains(word);
  }

  // nullopt: the object has no kind or is not allowed.
  Result<std::optional<Made>> make(hwloc_obj_t object) {
    Made made;
    switch (object->type) {
      case HWLOC_OBJ_MACHINE: return make_node(object);
      case HWLOC_OBJ_GROUP: made = plain("group", object); break;
      case HWLOC_OBJ_NUMANODE: made = plain("numanode", object); break;
      case HWLOC_OBJ_PACKAGE: made = plain("socket", object); break;
      case HWLOC_OBJ_L1CACHE: made = cache("L1cache", object); break;
      case HWLOC_OBJ_L2CACHE: made = cache("L2cache", object); break;
      case HWLOC_OBJ_L3CACHE: made = cache("L3cache", object); break;
      case HWLOC_OBJ_CORE: made = plain("core", object); break;
      case HWLOC_OBJ_PU: made = plain("pu", object); break;
      case HWLOC_OBJ_OS_DEVICE: return make_device(object);
      default: return std::nullopt;
    }
    if (!is_allowed(made.word)) return std::nullopt;
    return made;
  }

  static Made cache(const char* word, hwloc_obj_t object) {
    Made made = plain(word, object);
    made.type = "cache";
    made.size = static_cast<std::int64_t>(std::min<std::uint64_t>(
        object->attr->cache.size / 1024, static_cast<std::uint64_t>(INT64_MAX)));
    return made;
  }

  Result<std::optional<Made>> make_node(hwloc_obj_t object) {
    const std::string_view host = hwloc_xml::info(object, "HostName");
    if (host.empty() || !is_allowed("node")) return std::nullopt;
    const bool fine = std::ranges::none_of(
        host, [](char c) { return c == '/' || c == ' ' || xml::is_control(c); });
    if (!fine) {
      return refuse(
          fmt::format("HostName is {}; it cannot have blanks, control characters and "
                      "slashes",
                      xml::quoted(host)));
    }
    if (!hosts_.emplace(host).second) {
      return refuse(fmt::format("there is a node {} already", xml::quoted(host)));
    }
    const auto split = split_host(host);
    if (!split) return std::unexpected(Error{split.error().code, split.error().text, {file_}});
    return Made{.word = "node",
                .type = "node",
                .basename = std::string(split->first),
                .id = split->second,
                .host = std::string(host)};
  }

  Result<std::optional<Made>> make_device(hwloc_obj_t object) {
    // Not read as what it is declared: a file of a newer hwloc may have more kinds than the enum.
    std::underlying_type_t<hwloc_obj_osdev_type_t> kind{};
    std::memcpy(&kind, &object->attr->osdev.type, sizeof kind);
    const std::string_view name = object->name == nullptr ? "" : object->name;
    if (kind == HWLOC_OBJ_OSDEV_BLOCK && is_allowed("storage")) return make_storage(object, name);
    const bool gpu =
        kind == HWLOC_OBJ_OSDEV_COPROC || (kind == HWLOC_OBJ_OSDEV_GPU && name.starts_with("rsmi"));
    return gpu && is_allowed("gpu") ? make_gpu(object, name) : std::nullopt;
  }

  std::optional<Made> make_gpu(hwloc_obj_t object, std::string_view name) {
    hwloc_obj_t device = object->parent;
    while (device != nullptr && device->type != HWLOC_OBJ_PCI_DEVICE) device = device->parent;
    const std::string library(name.substr(0, name.find_first_of("0123456789")));
    if (device != nullptr && shown_by_.try_emplace(device, library).first->second != library) {
      return std::nullopt;
    }
    Made made = plain("gpu", object);
    if (const auto split = split_host(name); split && split->second >= 0) made.id = split->second;
    if (gpu_ids_.contains(made.id)) {
      made.id = *gpu_ids_.rbegin() + 1;  // no more of them than objects
    }
    gpu_ids_.insert(made.id);
    return made;
  }

  Result<std::optional<Made>> make_storage(hwloc_obj_t object, std::string_view name) {
    const std::string_view text = hwloc_xml::info(object, "Size");
    const auto kilobytes = parse_number<std::int64_t>(text);
    if (!kilobytes || *kilobytes < 0) {
      return refuse(
          fmt::format("storage {} has {}; it needs a Size, a number of kB", xml::quoted(name),
                      text.empty() ? "no Size" : "the Size " + xml::quoted(text)),
          object);
    }
    Made made = plain("storage", object);
    made.size = *kilobytes / 1'000'000;
    made.device = hwloc_xml::info(object, "LinuxDeviceID");
    if (made.device.empty()) made.device = "-1";
    return made;
  }

  Result<Handle> add(const Made& made, std::optional<Handle> above) {
    return add(made, above, unit_);
  }
  Result<Handle> add(const Made& made, std::optional<Handle> above, UnitId unit) {
    const auto type = builder_.type(made.type);
    if (!type) return std::unexpected(type.error());
    const bool node = !made.host.empty();
    const auto pool = builder_.add_pool({.type = *type,
                                         .basename = builder_.basename(made.basename),
                                         .unit = unit,
                                         .size = made.size,
                                         .id = made.id,
                                         .rank = node ? builder_.next_rank() : -1});
    if (!pool) return pool;
    if (node) builder_.set_name(*pool, made.host);
    if (!made.device.empty()) builder_.set_property(*pool, "LinuxDeviceID", made.device);
    if (!above) return pool;
    if (auto ok = builder_.add_edge(*above, *pool, subsystem_); !ok) {
      return std::unexpected(ok.error());
    }
    return pool;
  }

  // With the place of the object, if the rewriting has left it one.
  [[nodiscard]] std::unexpected<Error> refuse(std::string sentence,
                                              hwloc_obj_t object = nullptr) const {
    SourceLocation place{file_, 0, 0};
    if (object != nullptr) {
      const std::string_view at = hwloc_xml::info(object, hwloc_xml::kPlaceInfo);
      const std::size_t colon = std::min(at.find(':'), at.size());
      std::from_chars(at.begin(), at.begin() + colon, place.line);
      if (colon < at.size()) {
        std::from_chars(at.begin() + colon + 1, at.end(), place.column);
      }
    }
    return fail(ErrorCode::invalid, std::move(sentence), std::move(place));
  }

  std::string file_;
  bool memory_ = false;
  std::set<std::string, std::less<>> allowed_;
  GraphBuilder builder_;
  SubsystemId subsystem_;
  UnitId unit_, megabytes_;
  std::map<hwloc_obj_t, std::string> shown_by_;  // which library showed a PCI device's gpu first
  std::set<std::int64_t> gpu_ids_;
  std::set<std::string, std::less<>> hosts_;
  Handle root_{};
};

}  // namespace

Result<ResourceGraph> read_hwloc(std::string_view text, std::string_view file,
                                 const HwlocOptions& how) {
  Walk walk(file, how);
  if (auto ok = walk.begin(); !ok) return walk.in_file(ok.error());
  if (auto ok = walk.add({text, file}); !ok) return std::unexpected(ok.error());
  return walk.finish(how.dominant);
}

Result<ResourceGraph> read_hwloc_nodes(std::span<const HwlocText> texts, const HwlocOptions& how) {
  Walk walk({}, how);
  if (auto ok = walk.begin(); !ok) return walk.in_file(ok.error());
  for (const HwlocText& text : texts) {
    const std::size_t hosts = walk.hosts();
    if (auto ok = walk.add(text); !ok) return std::unexpected(ok.error());
    if (walk.hosts() == hosts) {
      return walk.in_file(
          {ErrorCode::invalid,
           "it has no node: its Machine needs an info HostName, and \"node\" must be "
           "allowed",
           {}});
    }
  }
  return walk.finish(how.dominant);
}

}  // namespace copse
