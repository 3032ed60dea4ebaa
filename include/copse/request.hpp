// SPDX-License-Identifier: Apache-2.0
//
// A request: the resources section, duration and constraints of a job, parsed and checked,
// independent of any machine.
//
// Type names stay text here; they are resolved when the request is compiled against a graph.
// Sources: RFC 14 and RFC 25 (jobspec), RFC 31 (constraints), and the extensions that Fluxion's
// resource-query accepts (version 9999, count operators, `exclusive`, labels anywhere).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/error.hpp"

namespace copse {

// A count: `min` alone, or a range of counts min, next(min), … up to max.
//   '+' min, min+operand, …   '*' min, min*operand, …   '^' min, min^operand, …
//   ',' the counts of `set` (RFC 14: an idset of counts), the first is min, the last max
// Invariants: min <= max; '+' operand >= 1; '*' operand >= 2; '^' operand >= 2 and min >= 2;
// `set` is set for ',' only.
struct Count {
  static constexpr std::int64_t kUnlimited = INT64_MAX;
  using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;
  std::int64_t min = 1;
  std::int64_t max = 1;
  std::int64_t operand = 1;
  char op = '+';
  // Closed ranges, ascending, neither overlapping nor adjacent, two or more. Shared, so that the
  // variants of a request cost nothing for a long set.
  std::shared_ptr<const Ranges> set = nullptr;

  // The largest count of the range that is at most `have`; 0 if there is none. O(log max), of a
  // set O(log ranges).
  [[nodiscard]] std::int64_t effective(std::int64_t have) const;
  // The next count of the range above `count`, which must be in the range; 0 if there is none.
  // Cost as above.
  [[nodiscard]] std::int64_t after(std::int64_t count) const;
  // effective(unlimited): the largest count of the range. O(log max).
  [[nodiscard]] std::int64_t most() const { return effective(kUnlimited); }
  [[nodiscard]] bool moldable() const { return min != max; }
  // Sets are compared by what is in them.
  bool operator==(const Count& other) const;
};

enum class Exclusivity : std::uint8_t { unset, no, yes };

// An amount that each pool chosen for a vertex takes along an auxiliary subsystem.
struct ChannelResource {
  std::string type;
  std::int64_t amount = 0;
  SourceLocation place;
};

// One vertex of the resources section.
struct Resource {
  std::string type;  // also "slot" and "xor_slot", which are not resource types
  Count count;
  Exclusivity exclusive = Exclusivity::unset;
  std::string label;
  std::string unit;  // kept, not used in matching
  // Properties of the chosen pools, such as the type of a GPU; "^name" for must-be-absent. All must
  // hold.
  std::vector<std::string> properties{};
  std::vector<Resource> with;
  SourceLocation place;
  // Separated from `with` when the request is compiled (match/compile/channel_charges.hpp); a
  // parsed request has none.
  std::vector<ChannelResource> channel_charges{};

  [[nodiscard]] bool is_slot() const { return type == "slot"; }
};

// An RFC 31 constraint as a tree. An empty constraint (op none) holds for every node.
struct Constraint {
  enum class Op : std::uint8_t { none, properties, hostlist, ranks, all, any, negate };
  Op op = Op::none;
  // properties: names, "^name" for must-be-absent; hostlist: expanded host names, sorted.
  std::vector<std::string> words;
  // ranks: closed ranges, ascending, disjoint.
  std::vector<std::pair<std::int64_t, std::int64_t>> ranks;
  // all ("and"), any ("or"), negate ("not": none-of-all, i.e. !(a and b and …)).
  std::vector<Constraint> operands;

  [[nodiscard]] bool empty() const { return op == Op::none; }
};

// A request for hierarchical resources (request/hres.hpp).
struct HresItem {
  std::string name;
  std::string variable;    // empty: `count` is the count
  std::int64_t count = 1;  // 0: nothing is requested
  bool operator==(const HresItem&) const = default;
};
struct HresRequest {
  bool either = false;  // true: the first item that can be served; false: all
  std::vector<HresItem> items;
  [[nodiscard]] bool empty() const { return items.empty(); }
  bool operator==(const HresRequest&) const = default;
};
// The share of a job in one resource.
struct HresShare {
  HresItem item;
  std::string layer{};  // mode 1: the nodes of the layer that is charged; empty: unspecified
  bool operator==(const HresShare&) const = default;
};

// When a job may start, besides what its queue says: "dependencies" and "begin-time" of attributes.system
// (RFC 14, RFC 26). No walk looks at it; request/jobspec/start_conditions.hpp refuses it.
struct StartConditions {
  bool dependencies = false;  // it names some
  double begin_s = 0;         // Unix time; 0: none; infinite: no time
};

struct Request {
  std::vector<Resource> resources;
  std::int64_t duration_s = 0;  // 0: the whole window of the graph; a fraction is rounded up
  // The duration is negative, NaN, infinite, or beyond INT64_MAX seconds. Parsing succeeds;
  // matching refuses the request.
  bool duration_invalid = false;
  std::string queue;   // attributes.system.queue
  std::string user{};  // for visiting policies; "": not known
  StartConditions start_conditions{};
  Constraint constraint;
  HresRequest hres;  // attributes.system.hres
  // In a slot, a vertex with children is shared unless it has exclusive: true, as TreePool reads
  // shapes. False: everything in a slot is exclusive (RFC 14).
  bool slots_share = false;
};

// Bounds on a jobspec, checked before memory is taken.
struct JobspecLimits {
  std::size_t text_bytes_max = 16u << 20;
  std::uint32_t depth_max = 64;          // nesting of YAML collections
  std::uint32_t events_max = 200'000;    // YAML events
  std::uint32_t resources_max = 10'000;  // vertices of the resources section
  std::size_t hosts_max = 1u << 20;      // hosts in all hostlists of a constraint
};

// Parses a jobspec in YAML or JSON, version 1 to 9999. `file` is only for messages.
// Errors: ErrorCode::invalid with line and column, ErrorCode::limit. Aliases are refused.
// Cost: O(length of the text).
[[nodiscard]] Result<Request> parse_jobspec(std::string_view text, std::string_view file = {},
                                            const JobspecLimits& limits = {});

}  // namespace copse
