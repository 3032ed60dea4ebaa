// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: parse_shape accepts or refuses them with one error. What it accepts is written as a
// shape and as the YAML of a jobspec, and both are read back as the same resources.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "go_on.hpp"
#include "request/shape.hpp"
#include "target.hpp"

namespace {

using copse::Resource;
using copse::fuzz::require;

void check(const Resource& resource) {
  const copse::Count& count = resource.count;
  require(!resource.type.empty());
  require(resource.place.line >= 1 && resource.place.column >= 1);
  require(!resource.is_slot() || (!resource.label.empty() && !resource.with.empty()));
  require(1 <= count.min && count.min <= count.max);
  require((count.op == ',') == (count.set != nullptr));
  require(count.effective(count.min) == count.min && count.effective(count.min - 1) == 0);
  const std::int64_t most = count.most();
  require(count.min <= most && most <= count.max && count.effective(most) == most);
  std::int64_t now = count.min;
  for (int i = 0; i < 20 && now != 0; ++i) {
    const std::int64_t next = count.after(now);
    if (next == 0) {
      require(now == most);
    } else {
      require(next > now && count.effective(next) == next && count.effective(next - 1) == now);
    }
    now = next;
  }
  for (const Resource& child : resource.with) check(child);
}

void require_same(const std::vector<Resource>& a, const std::vector<Resource>& b) {
  require(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    require(a[i].type == b[i].type && a[i].count == b[i].count);
    require(a[i].label == b[i].label && a[i].unit == b[i].unit);
    require(a[i].exclusive == b[i].exclusive);
    require_same(a[i].with, b[i].with);
  }
}

}  // namespace

FUZZ_TARGET(shape) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const copse::JobspecLimits limits{
      .text_bytes_max = 1 << 16, .depth_max = 24, .resources_max = 100};
  const auto request = copse::parse_shape(text, "fuzz", limits);
  if (!request) {
    require(!request.error().text.empty() && request.error().place.file == "fuzz");
    require(request.error().text.find('\n') == std::string::npos);
    require(request.error().place.line >= 1 && request.error().place.column >= 1);
    return 0;
  }
  for (const Resource& resource : request->resources) check(resource);
  const std::string shape = copse::shape_text(*request);
  const auto again = copse::parse_shape(shape, "again", limits);
  require(again.has_value());
  require_same(request->resources, again->resources);
  require(copse::shape_text(*again) == shape);
  const auto yaml = copse::resources_yaml(*request);
  require(yaml.has_value());
  const auto jobspec =
      copse::parse_jobspec("version: 9999\n" + *yaml + "tasks: []\nattributes: {}\n", "yaml");
  require(jobspec.has_value());
  require_same(request->resources, jobspec->resources);
  copse::fuzz::match_on_two(*request);
  return 0;
}
