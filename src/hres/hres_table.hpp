// SPDX-License-Identifier: Apache-2.0
//
// HresTable: the hierarchical resources of one machine, and their use over time.
//
// Invariants
//   1. Layers and resources keep their numbers for the lifetime of the table; removed ones leave a
//       gap.
//    2. A layer's times are the sum of the charges and of the amounts that reservations withhold.
//   3. Layers of a resource of mode 3 form a rooted tree whose leaves are equally deep, at most
//      kDepthMax levels; no two layers of a resource have the same nodes.
//   4. A refused change has no effect.
// Counts are 64-bit. A layer without a bound has 2^63 - 1 units; more does not fit.
//
// Cost: apply O(log spans) per layer charged; resolve O(length of the request); a change of the
// structure O(all layers' nodes). Size: 4 bytes per node of each layer, 4 bytes per node of each
// resource, 280 bytes per layer, its spans (time/planner.hpp). A copy is for a copy of the graph,
// and shares node numbers and spans (copy on write).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "copse/grant.hpp"
#include "copse/graph.hpp"
#include "copse/hres.hpp"
#include "copse/request.hpp"
#include "copse/shared.hpp"
#include "hres/layer_times.hpp"
#include "hres/node_classes.hpp"
#include "hres/node_numbers.hpp"

namespace copse {

// The hierarchical resources of a request, by number: alternatives; the first one for which layers
// have enough is used. Each is a list of needs, which must all be met. No alternative: nothing is
// requested.
struct HresNeeds {
  std::vector<std::vector<HresNeed>> alternatives;
  [[nodiscard]] bool empty() const { return alternatives.empty(); }
};

class HresTable {
 public:
  static constexpr int kDepthMax = 16;                            // levels of a tree
  static constexpr std::size_t kHostsMax = std::size_t{1} << 24;  // of all layers together
  static constexpr std::size_t kReservationsMax = 100'000, kNamedMax = 1'000'000;
  static constexpr std::uint32_t kNone = UINT32_MAX;
  using Job = LayerTimes::Job;

  struct Layer {
    std::uint32_t resource = 0;
    std::string text;                     // the nodes as a hostlist, as specified
    std::vector<std::uint32_t> nodes;     // numbers, ascending
    std::uint64_t hash = 0;               // of nodes
    std::int64_t count = 0;               // kUnlimitedCount, or 0 and more
    std::int64_t own_base = 0, base = 0;  // base: in mode 3 including the bases of the layers below
    std::uint32_t parent = kNone;         // number of the layer above, in mode 3
    int level = 0;
    std::uint32_t rank = 0;  // mode 1: the sufficient layer of lowest rank is charged
    bool exists = true;
    LayerTimes times;
    SourceLocation place;  // in the file

    // INT64_MAX if there is no bound.
    [[nodiscard]] std::int64_t total() const {
      return count == kUnlimitedCount ? INT64_MAX : count - base;
    }
  };
  struct Resource {
    std::string name;
    int mode = 1;
    std::string topology;
    std::unordered_map<std::string, std::int64_t> variables;
    struct Kinds {  // a variable that depends on properties of nodes
      std::string name;
      // by property; the first that applies counts
      std::vector<std::pair<std::string, std::int64_t>> values;
      std::int64_t otherwise = 0;
      [[nodiscard]] std::int64_t least() const;
    };
    std::vector<Kinds> kinds;
    std::vector<std::uint32_t> layers;  // numbers, in the order of the file
    NodeClasses classes;
    std::uint32_t root = kNone;  // mode 3
  };

  HresTable(const ResourceGraph& graph, LayerOrder order)
      : numbers_(Shared<NodeNumbers>::make(graph)), order_(order) {}

  // --- structure: hres_change.hpp Adds resources, and layers to existing ones. Errors, nothing
  // changed: invalid (with the location in the file; the sentence names the rule), limit, exists (a
  // layer with the same nodes).
  [[nodiscard]] Result<void> add(const HresSpec& spec, std::string_view file = {});
  // Errors, nothing changed: not_found; invalid (the others would not be a tree).
  [[nodiscard]] Result<void> remove_layer(std::string_view resource, std::string_view nodes);
  // Gives a layer other nodes. Errors as add and remove_layer.
  [[nodiscard]] Result<void> set_nodes(std::string_view resource, std::string_view nodes,
                                       std::string_view to);
  // Errors, nothing changed: not_found; invalid (a count below the base).
  [[nodiscard]] Result<void> set_count(std::string_view resource, std::string_view nodes,
                                       std::int64_t count);
  [[nodiscard]] const NodeNumbers& numbers() const { return *numbers_; }
  [[nodiscard]] NodeNumbers& own_numbers() { return numbers_.own(); }

  // --- Requests
  // Errors: invalid (an unknown name or variable; a sum beyond 63 bits).
  [[nodiscard]] Result<HresNeeds> resolve(const HresRequest& request) const;
  // "flat:2;natural(node[01-32]):5": the charges of a grant in Slurm's notation.
  [[nodiscard]] std::string text(const GrantCharges& charges) const;
  // Reads such a text: needs, and in mode 1 the layers that are named. Errors: as resolve, find.
  [[nodiscard]] Result<GrantCharges> charges_of(std::span<const HresShare> shares) const;

  // --- Times Adds the charges of a grant over [start, end), or with sign -1 removes them.
  void apply(Job job, std::span<const LayerCharge> charges, std::int64_t start, std::int64_t end,
             int sign);
  // `grant_of`: the charges of a job, and their time. Errors, nothing changed: not_found, exists
  // (the id), infeasible (more than the layer has), insufficient.
  struct Granted {
    std::span<const LayerCharge> charges;
    std::int64_t start = 0, end = 0;
  };
  using GrantOf = std::function<std::optional<Granted>(Job)>;
  [[nodiscard]] Result<void> reserve(const LayerReservation& reservation, const GrantOf& grant_of);
  [[nodiscard]] Result<void> free(std::string_view id);
  void drop_ended(std::int64_t now);
  // The first time >= t at which a reservation starts or ends.
  [[nodiscard]] std::optional<std::int64_t> next_edge(std::int64_t t) const;

  // --- Views
  [[nodiscard]] std::vector<LayerView> view(std::int64_t at) const;
  [[nodiscard]] std::span<const Layer> layers() const { return layers_; }
  [[nodiscard]] std::span<const Resource> resources() const { return resources_; }
  // The layer of a resource with this set of nodes, in any spelling. Errors: not_found, invalid.
  [[nodiscard]] Result<std::uint32_t> find(std::string_view resource, std::string_view nodes) const;
  [[nodiscard]] std::uint64_t version() const { return version_; }  // counts changes of any kind
  // counts changes of names and layers
  [[nodiscard]] std::uint64_t structure() const { return structure_; }
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  friend class HresImager;
  class Change;  // hres_change.hpp

  [[nodiscard]] Result<void> derive();  // what follows from all layers
  void rank(Resource& resource);
  void forget(const LayerTimes::Reservation& reservation);
  [[nodiscard]] std::string name(const Layer& layer) const;  // "layer node[01-08] of power"

  Shared<NodeNumbers> numbers_;
  LayerOrder order_;
  std::vector<Layer> layers_;
  std::vector<Resource> resources_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::map<std::string, std::uint32_t, std::less<>> reservations_;  // id: layer
  std::vector<std::int64_t> edges_;                                 // of reservations, ascending
  std::size_t named_ = 0;                                           // jobs named in reservations
  std::uint64_t version_ = 1, structure_ = 1;
};

}  // namespace copse
