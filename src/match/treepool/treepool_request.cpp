// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/treepool_request.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/saturating.hpp"

namespace copse {

namespace {

constexpr std::uint32_t kDepthMax = 100;  // as flux-core's TreePool

Count fixed(std::int64_t n) { return {.min = n, .max = n}; }

using Path = std::vector<const Resource*>;

// A resource that requests properties; nullptr if none does.
const Resource* with_properties(const std::vector<Resource>& resources) {
  for (const Resource& r : resources) {
    if (!r.properties.empty()) return &r;
    if (const Resource* below = with_properties(r.with)) return below;
  }
  return nullptr;
}

class Reader {
 public:
  explicit Reader(const Layouts& layouts) : layouts_(layouts) {}

  Result<TreepoolRequest> read(const std::vector<Resource>& resources) {
    if (const Resource* one = with_properties(resources)) {
      return fail(ErrorCode::unsupported,
                  "-T treepool does not choose by properties of resources; use a constraint",
                  one->place);
    }
    Path path;
    if (auto ok = find(resources, path); !ok) return std::unexpected(ok.error());
    if (slot_path_.empty()) return fail(ErrorCode::invalid, "the request has no slot");
    const Resource& slot = *slot_path_.back();
    const auto above = std::find_if(slot_path_.begin(), slot_path_.end(),
                                    [](const Resource* r) { return r->type == "node"; });
    Path frame;  // domains that contain the slot
    if (above != slot_path_.end()) {
      count_nodes(Path(slot_path_.begin(), above + 1));
      out_.whole_nodes = (*above)->exclusive == Exclusivity::yes;
      out_.units = slot.count;
      frame.assign(above + 1, slot_path_.end() - 1);
    } else if (!node_path_.empty()) {
      slot_above_node(slot);
    } else {
      out_.units = slot.count;
      frame.assign(slot_path_.begin(), slot_path_.end() - 1);
    }
    SlotPart inside;
    Counts counts;
    if (auto ok = contents(slot.with, inside, counts, 0); !ok) return std::unexpected(ok.error());
    if (slot.exclusive == Exclusivity::yes && inside.parts.empty() && frame.empty()) {
      out_.whole_nodes = true;
      if (!out_.by_node) {
        out_.by_node = true;
        out_.nodes = slot.count;
        out_.units = fixed(1);
      }
    }
    const bool some = inside.amounts[kCore] > 0 || !inside.parts.empty();
    if (!some && !out_.whole_nodes) {
      return fail(ErrorCode::invalid,
                  "a slot needs cores, or nodes or domains of nodes that are its own", slot.place);
    }
    settle(slot, std::move(inside), counts, frame);
    return std::move(out_);
  }

 private:
  struct Counts {
    const Resource *core = nullptr, *gpu = nullptr;
  };

  // Finds the innermost slot, and the node in it or above it.
  Result<void> find(const std::vector<Resource>& list, Path& path) {
    if (path.size() >= kDepthMax) {
      return fail(ErrorCode::limit,
                  fmt::format("the resources of the request are nested deeper than {}", kDepthMax));
    }
    for (const Resource& r : list) {
      path.push_back(&r);
      if (r.is_slot()) {
        if (auto ok = note_slot(path); !ok) return ok;
      } else if (r.type == "node") {
        if (node_ != nullptr && node_ != &r) {
          return fail(ErrorCode::invalid, "the request has more than one vertex of type node",
                      r.place);
        }
        node_ = &r;
        const auto slot = std::find_if(path.begin(), path.end(),
                                       [](const Resource* up) { return up->is_slot(); });
        if (slot != path.end()) node_path_ = path;
      } else if ((r.type == "core" || r.type == "gpu") &&
                 std::none_of(path.begin(), path.end(),
                              [](const Resource* up) { return up->is_slot(); })) {
        return fail(ErrorCode::invalid, fmt::format("a {} outside of a slot", r.type), r.place);
      }
      if (auto ok = find(r.with, path); !ok) return ok;
      path.pop_back();
    }
    return {};
  }

  // A slot in a slot is used, if a node is between them.
  Result<void> note_slot(const Path& path) {
    const bool inside =
        !slot_path_.empty() && path.size() > slot_path_.size() &&
        path[slot_path_.size() - 1] == slot_path_.back() &&
        std::any_of(path.begin() + static_cast<std::ptrdiff_t>(slot_path_.size()), path.end(),
                    [](const Resource* r) { return r->type == "node"; });
    if (!slot_path_.empty() && !inside) {
      return fail(ErrorCode::invalid,
                  "the request has more than one slot; only a slot on the nodes of a slot can be "
                  "had",
                  path.back()->place);
    }
    slot_path_ = path;
    return {};
  }

  // Of the counts down to that of the node, only the outermost range stays a range.
  void count_nodes(const Path& path) {
    out_.by_node = true;
    const auto range = std::find_if(path.begin(), path.end(),
                                    [](const Resource* r) { return r->count.moldable(); });
    const Resource* kept = range == path.end() ? path.back() : *range;
    out_.nodes = kept->count;
    for (const Resource* r : path) {
      if (r != kept) out_.node_factor = saturating_product(out_.node_factor, r->count.min);
    }
  }

  void slot_above_node(const Resource& slot) {
    count_nodes(node_path_);
    std::int64_t above = 1;
    for (const Resource* r : node_path_) {
      if (r != node_) above = saturating_product(above, r->count.min);
    }
    // One slot on each node; if there are further counts above it, flux-core's TreePool uses the
    // slot's count.
    const bool alone = slot.count.moldable() || slot.count.min % above == 0;
    out_.units = fixed(alone ? 1 : slot.count.min);
    const bool childless = node_->with.empty() && node_->exclusive != Exclusivity::no;
    out_.whole_nodes = node_->exclusive == Exclusivity::yes || childless;
  }

  [[nodiscard]] bool is_locality(const std::string& name) const {
    return std::any_of(layouts_.layouts.begin(), layouts_.layouts.end(), [&](const Layout& l) {
      return std::any_of(l.domains.begin(), l.domains.end(),
                         [&](const Domain& d) { return d.name == name; });
    });
  }

  [[nodiscard]] bool leads_to_node(const Resource& r) const {
    return std::find(node_path_.begin(), node_path_.end(), &r) != node_path_.end();
  }

  Result<void> contents(const std::vector<Resource>& list, SlotPart& into, Counts& counts,
                        std::uint32_t depth) {
    for (const Resource& r : list) {
      if (r.type == "core" || r.type == "gpu") {
        const Resource*& known = r.type == "core" ? counts.core : counts.gpu;
        if (known != nullptr) {
          return fail(ErrorCode::invalid, fmt::format("a slot has two vertices of type {}", r.type),
                      r.place);
        }
        known = &r;
        into.amounts[r.type == "core" ? kCore : kGpu] = r.count.min;
      } else if (const auto stock = stock_of(r)) {
        if (auto ok = add_stock(r, into.amounts[*stock]); !ok) return ok;
      } else if (leads_to_node(r)) {
        if (auto ok = contents(r.with, into, counts, depth + 1); !ok) return ok;
      } else if (auto ok = part(r, into, depth); !ok) {
        return ok;
      }
    }
    return {};
  }

  // Which stock this is, if stocks are counted.
  [[nodiscard]] std::optional<std::size_t> stock_of(const Resource& r) const {
    if (layouts_.piece_gib == 0) return {};
    if (r.type == "memory") return kMemory;
    if (r.type == "storage") return kStorage;
    return {};
  }

  Result<void> add_stock(const Resource& r, std::int64_t& pieces) const {
    if (!r.with.empty() || (!r.unit.empty() && r.unit != "GiB")) {
      return fail(ErrorCode::invalid,
                  fmt::format("{} counts in GiB, with nothing in it and no other unit", r.type),
                  r.place);
    }
    if (pieces > 0) {
      return fail(ErrorCode::invalid, fmt::format("a slot has two vertices of type {}", r.type),
                  r.place);
    }
    pieces = r.count.min / layouts_.piece_gib + (r.count.min % layouts_.piece_gib > 0 ? 1 : 0);
    return {};
  }

  Result<void> part(const Resource& r, SlotPart& into, std::uint32_t depth) {
    const bool locality = is_locality(r.type);
    if (r.with.empty()) {
      if (r.exclusive == Exclusivity::yes || (locality && r.exclusive == Exclusivity::unset)) {
        into.parts.push_back({.name = r.type, .count = r.count.min, .whole = true});
      } else if (!locality) {
        out_.remarks.push_back(fmt::format("{} is a hint: nothing is counted of it", r.type));
      }
      return {};
    }
    SlotPart made = shell(r);
    Counts counts;
    if (auto ok = contents(r.with, made, counts, depth + 1); !ok) return ok;
    if (made.whole || made.amounts != LeafAmounts{} || !made.parts.empty()) {
      into.parts.push_back(std::move(made));
    }
    return {};
  }

  // A part without contents. A locality that no node has has no effect (RFC 49: levels may be
  // missing), unless it is exclusive.
  [[nodiscard]] SlotPart shell(const Resource& r) const {
    const bool whole = r.exclusive == Exclusivity::yes;
    return {.name = whole || is_locality(r.type) ? r.type : std::string(),
            .count = r.count.min,
            .whole = whole};
  }

  // Makes a unit of the contents of the slot.
  void settle(const Resource& slot, SlotPart inside, const Counts& counts, const Path& frame) {
    const auto outermost = std::find_if(frame.begin(), frame.end(), [&](const Resource* r) {
      return r->type != "slot" && (r->exclusive == Exclusivity::yes || is_locality(r->type));
    });
    if (outermost == frame.end()) {
      if (counts.core != nullptr) out_.cores = counts.core->count;
      if (counts.gpu != nullptr) out_.gpus = counts.gpu->count;
      out_.stocks = inside.amounts;
      out_.stocks[kCore] = out_.stocks[kGpu] = 0;
      out_.parts = std::move(inside.parts);
      return;
    }
    inside.repeat = slot.count.min;
    out_.unit_slots = slot.count.min;
    for (auto at = frame.end(); at != outermost;) {
      const Resource& r = **--at;
      SlotPart made = shell(r);
      out_.unit_slots = saturating_product(out_.unit_slots, made.count);
      if (at + 1 == frame.end()) {
        made.repeat = inside.repeat;
        made.amounts = inside.amounts;
        made.parts = std::move(inside.parts);
      } else {
        made.parts.push_back(std::move(inside));
      }
      inside = std::move(made);
    }
    out_.units = fixed(1);
    out_.parts.push_back(std::move(inside));
  }

  const Layouts& layouts_;
  const Resource* node_ = nullptr;
  Path slot_path_, node_path_;  // to the slot; to a node in it
  TreepoolRequest out_;
};

}  // namespace

Result<TreepoolRequest> treepool_request(const std::vector<Resource>& resources,
                                         const Layouts& layouts) {
  return Reader(layouts).read(resources);
}

}  // namespace copse
