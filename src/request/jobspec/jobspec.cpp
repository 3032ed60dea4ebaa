// SPDX-License-Identifier: Apache-2.0
//
// The sentences are those of Fluxion's parser, which people and scripts know. So is the order of the
// checks: a text with several faults is refused for the same one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/nearest_word.hpp"
#include "copse/request.hpp"
#include "request/constraint.hpp"
#include "request/count_reader.hpp"
#include "request/hres.hpp"
#include "request/jobspec/jobspec_keys.hpp"
#include "request/jobspec/jobspec_stream.hpp"
#include "request/jobspec/jobspec_tasks.hpp"
#include "request/jobspec/jobspec_values.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "text/tree/tree.hpp"

namespace copse {
namespace {

// The section "attributes" of a jobspec (RFC 14, 25): duration, queue, hierarchical resources, constraints.
class AttributesReader {
 public:
  // `hosts_max` bounds the hosts of the hostlists in constraints.
  AttributesReader(JobspecWords words, std::size_t hosts_max, Request& to)
      : words_(words), hosts_max_(hosts_max), request_(to) {}

  // Errors: invalid, limit, at the offending node.
  [[nodiscard]] Result<void> read(TreeView node);

 private:
  [[nodiscard]] Result<void> read_duration(TreeView node);

  JobspecWords words_;
  std::size_t hosts_max_;
  Request& request_;
};

Result<HresRequest> read_hres_request(TreeView node) {
  if (!is_jobspec_string(node)) return node.fail("Value of \"hres\" must be a string");
  const auto place = node.text_place();
  auto request = parse_hres_request(node.text(), place.value_or(SourceLocation{}));
  if (request) return request;
  request.error().text.insert(0, "hres: ");
  // Of a text on several lines, only where it begins is known.
  if (!place) request.error().place = node.place();
  return request;
}

// Null, an empty text, an empty list or mapping.
bool is_empty(TreeView value) {
  if (value.is_null()) return true;
  if (value.is_sequence() || value.is_mapping()) return value.size() == 0;
  return value.text().empty();
}

StartConditions start_conditions_of(TreeView system) {
  StartConditions out;
  const auto dependencies = system.find("dependencies");
  out.dependencies = dependencies && !is_empty(*dependencies);
  const auto begin = system.find("begin-time");
  if (begin && !is_empty(*begin)) {
    out.begin_s = begin->real().value_or(std::numeric_limits<double>::infinity());
  }
  return out;
}

Result<void> AttributesReader::read(TreeView node) {
  if (node.is_null()) return {};
  if (!node.is_mapping()) return node.fail("\"attributes\" is not a map");
  if (const auto key = first_other_key(node, kJobspecAttributesKeys)) {
    return refuse_key(*key, kJobspecAttributesKeys, words_, "Unknown key in \"attributes\"");
  }
  const auto system = node.find("system");
  if (!system || system->is_null()) return {};
  if (!system->is_mapping()) return system->fail("\"system\" in \"attributes\" is not a map");
  if (auto checked = check_spelling(*system, kJobspecSystemKeys, words_); !checked) return checked;
  if (const auto duration = system->find("duration")) {
    if (auto read = read_duration(*duration); !read) return read;
  }
  if (const auto queue = system->find("queue"); queue && !queue->is_null()) {
    if (auto read = keep(read_jobspec_name(*queue, "queue"), request_.queue); !read) return read;
  }
  if (const auto hres = system->find("hres"); hres && !hres->is_null()) {
    if (auto read = keep(read_hres_request(*hres), request_.hres); !read) return read;
  }
  request_.start_conditions = start_conditions_of(*system);
  if (const auto constraints = system->find("constraints")) {
    return keep(read_constraint(*constraints, hosts_max_, words_), request_.constraint);
  }
  return {};
}

Result<void> AttributesReader::read_duration(TreeView node) {
  const auto seconds = node.is_scalar() ? parse_seconds(node.text()) : std::nullopt;
  if (!seconds) return node.fail("Value of \"duration\" must be a number");
  const double whole_s = std::ceil(*seconds);
  // 2^63 is the first double beyond INT64_MAX. NaN fails both comparisons.
  if (*seconds >= 0 && whole_s < 0x1p63) {
    request_.duration_s = static_cast<std::int64_t>(whole_s);
  } else {
    if (words_ == JobspecWords::own) {
      return node.fail(fmt::format("duration is {:.64}, which no job can have", node.text()));
    }
    request_.duration_invalid = true;
  }
  return {};
}

constexpr std::int64_t kVersionMax = 9999;  // as in RFC 14 and Fluxion

Result<Exclusivity> read_exclusive(TreeView node) {
  if (!node.is_scalar()) return node.fail("Value of \"exclusive\" must be a scalar");
  if (node.text() == "true") return Exclusivity::yes;
  if (node.text() == "false") return Exclusivity::no;
  return node.fail("Value of \"exclusive\" must be either \"true\" or \"false\"");
}

class JobspecReader {
 public:
  JobspecReader(const JobspecLimits& limits, JobspecWords words)
      : words_(words),
        resources_max_(limits.resources_max),
        resources_left_(limits.resources_max),
        hosts_max_(limits.hosts_max) {}

  Result<Request> read(TreeView top) {
    if (!top.is_mapping()) {
      if (words_ == JobspecWords::fluxion) return top.fail("Top level of jobspec is not a mapping");
      return top.fail(fmt::format("{}; a jobspec has the keys {}",
                                  top.is_null() ? "there is nothing" : "this is not a mapping",
                                  fmt::join(names_of(kJobspecKeys), ", ")));
    }
    // Fluxion's sentence for "resources" says "resource".
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKeys = {
        {{"version", "version"},
         {"resources", "resource"},
         {"tasks", "tasks"},
         {"attributes", "attributes"}}};
    if (auto ok = check_keys(top, kJobspecKeys); !ok) return std::unexpected(ok.error());
    for (const auto& [key, shown_key] : kKeys) {
      if (top.find(key)) continue;
      return top.fail(words_ == JobspecWords::own
                          ? fmt::format("the key \"{}\" is missing", key)
                          : fmt::format("Missing key \"{}\" in top level mapping", shown_key));
    }
    if (top.size() != kKeys.size()) {
      return top.fail("Top mapping in jobspec must have exactly four entries");
    }
    Result<void> read = check_version(*top.find("version"));
    if (read) read = read_resources(*top.find("resources"), request_.resources);
    if (read) read = check_tasks(*top.find("tasks"), request_.resources, words_);
    if (read) read = AttributesReader(words_, hosts_max_, request_).read(*top.find("attributes"));
    if (!read) return std::unexpected(std::move(read.error()));
    return std::move(request_);
  }

 private:
  [[nodiscard]] Result<void> check_version(TreeView node) const {
    const auto version = node.is_scalar() ? parse_integer(node.text()) : std::nullopt;
    if (!version || *version < 0) return node.fail("\"version\" must be an unsigned integer");
    if (*version < 1 || *version > kVersionMax) {
      return node.fail("Only jobspec \"version\" 1-9999 is supported");
    }
    return {};
  }

  // In Copse's words an unknown key is reported before the missing keys that it causes.
  [[nodiscard]] Result<void> check_keys(TreeView mapping, KnownKeys keys) const {
    if (words_ != JobspecWords::own || !mapping.is_mapping()) return {};
    const auto other = first_other_key(mapping, keys);
    if (other) return refuse_key(*other, keys, words_, {});
    return {};
  }

  // The recursion over "with" is bounded by the depth of the tree.
  Result<void> read_resources(TreeView node, std::vector<Resource>& resources) {
    if (!node.is_sequence()) return node.fail("\"resources\" is not a sequence");
    if (node.size() > resources_left_) {
      return node.fail(fmt::format("more than {} resources", resources_max_), ErrorCode::limit);
    }
    resources_left_ -= node.size();
    resources.reserve(node.size());
    for (auto entry = node.first_child(); entry; entry = entry->next()) {
      if (auto read = read_resource(*entry, resources.emplace_back()); !read) return read;
    }
    return {};
  }

  Result<void> read_resource(TreeView node, Resource& resource) {
    if (!node.is_mapping()) return node.fail("resource is not a mapping");
    const KnownMembers<kJobspecResourceKeys> members(node);
    const auto other = members.other();
    const auto refuse_other = [&] {
      return refuse_key(*other, kJobspecResourceKeys, words_,
                        "Unrecognized key in resource mapping");
    };
    if (words_ == JobspecWords::own && other) return refuse_other();
    resource.place = node.place();
    const auto type = members["type"];
    if (!type) return node.fail("Key \"type\" missing from resource");
    if (auto read = keep(read_jobspec_name(*type, "type"), resource.type); !read) return read;
    if (words_ == JobspecWords::own && resource.type.empty()) return type->fail("type is empty");
    const auto count = members["count"];
    if (!count) return node.fail("Key \"count\" missing from resource");
    if (auto ok = check_keys(*count, kJobspecCountKeys); !ok) return ok;
    if (auto read = keep(CountReader(words_).read(*count), resource.count); !read) return read;
    if (const auto unit = members["unit"]) {
      if (auto read = keep(read_jobspec_name(*unit, "unit"), resource.unit); !read) return read;
    }
    if (const auto exclusive = members["exclusive"]) {
      if (auto read = keep(read_exclusive(*exclusive), resource.exclusive); !read) return read;
    }
    if (const auto with = members["with"]) {
      if (auto read = read_resources(*with, resource.with); !read) return read;
    }
    if (const auto label = members["label"]) {
      if (auto read = keep(read_jobspec_name(*label, "label"), resource.label); !read) return read;
    }
    if (resource.is_slot() && resource.label.empty()) return node.fail("All slots must be labeled");
    if (const auto id = members["id"]; id && !id->is_scalar()) {
      return id->fail("Value of \"id\" must be a scalar");
    }
    if (const auto properties = members["properties"]) {
      if (auto read = read_properties(*properties, resource); !read) return read;
    }
    if (other) return refuse_other();
    return {};
  }

  static Result<void> read_properties(TreeView list, Resource& resource) {
    const auto add = [&](TreeView entry) -> Result<void> {
      auto word = read_jobspec_name(entry, "properties");
      if (!word) return std::unexpected(word.error());
      const std::string wrong = wrong_resource_property(*word);
      if (!wrong.empty()) return entry.fail(wrong);
      resource.properties.push_back(std::move(*word));
      return {};
    };
    if (resource.is_slot()) return list.fail("a slot has no properties: give them to a resource");
    if (!list.is_sequence()) return list.fail("properties is not a list, such as [\"h200\"]");
    for (auto entry = list.first_child(); entry; entry = entry->next()) {
      if (auto ok = add(*entry); !ok) return ok;
    }
    return {};
  }

  Request request_;
  JobspecWords words_;
  std::uint32_t resources_max_;
  std::uint32_t resources_left_;
  std::size_t hosts_max_;
};

}  // namespace

Result<Request> read_jobspec(TreeView top, const JobspecLimits& limits) {
  return read_jobspec(top, JobspecWords::fluxion, limits);
}

Result<Request> read_jobspec(TreeView top, JobspecWords words, const JobspecLimits& limits) {
  return JobspecReader(limits, words).read(top);
}

Result<Request> read_jobspec(const Tree& tree, const JobspecLimits& limits) {
  return read_jobspec(TreeView(tree), limits);
}

Result<Request> parse_jobspec(std::string_view text, std::string_view file,
                              const JobspecLimits& limits) {
  return parse_jobspec(text, file, JobspecWords::fluxion, limits);
}

Result<Request> parse_jobspec(std::string_view text, std::string_view file, JobspecWords words,
                              const JobspecLimits& limits) {
  auto tree = read_tree(text, file, tree_limits(limits));
  if (!tree) return std::unexpected(std::move(tree.error()));
  return read_jobspec(TreeView(*tree), words, limits);
}

}  // namespace copse
