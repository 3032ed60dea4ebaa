// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: parse_jobspec accepts or refuses them with one error, and what it accepts keeps the
// invariants of a Request. A text that both JSON and YAML read must mean the same in both.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "copse/request.hpp"
#include "go_on.hpp"
#include "request/request_key.hpp"
#include "target.hpp"

namespace {

using copse::Resource;
using copse::fuzz::require;

void check_count(const copse::Count& count) {
  require(0 <= count.min && count.min <= count.max);
  require(count.op == '+' || count.op == '*' || count.op == '^' || count.op == ',');
  require(count.operand >= (count.op == '+' || count.op == ',' ? 1 : 2));
  require((count.op == ',') == (count.set != nullptr));
  require(count.op != '^' || count.min >= 2);
  require(count.effective(count.min) == count.min);
  require(count.effective(count.min - 1) == 0);
  const std::int64_t most = count.most();
  require(count.min <= most && most <= count.max);
  require(count.effective(most) == most);
}

void check_resource(const Resource& resource) {
  check_count(resource.count);
  require(!resource.is_slot() || !resource.label.empty());
  require(resource.place.line >= 1 && resource.place.column >= 1);
  for (const Resource& child : resource.with) check_resource(child);
}

bool same(const Resource& a, const Resource& b) {
  if (a.type != b.type || a.label != b.label || a.unit != b.unit || a.exclusive != b.exclusive ||
      a.count != b.count || a.with.size() != b.with.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.with.size(); ++i) {
    if (!same(a.with[i], b.with[i])) return false;
  }
  return true;
}

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x7f) return false;
  }
  return true;
}

}  // namespace

FUZZ_TARGET(jobspec) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const copse::JobspecLimits limits{
      .depth_max = 24, .events_max = 4000, .resources_max = 100, .hosts_max = 5000};
  const auto request = copse::parse_jobspec(text, "fuzz", limits);
  if (!request) {
    require(!request.error().text.empty());
    require(request.error().text.find('\n') == std::string::npos);
    require(request.error().place.file == "fuzz");
    return 0;
  }
  require(request->duration_s >= 0);
  require(!request->duration_invalid || request->duration_s == 0);
  for (const Resource& resource : request->resources) check_resource(resource);
  copse::fuzz::match_on_two(*request);
  // Behind a comment the same text is read as YAML. (Beyond ASCII, YAML has line breaks that JSON
  // does not have.)
  if (!is_ascii(text)) return 0;
  const auto as_yaml = copse::parse_jobspec("#\n" + std::string(text), "fuzz", limits);
  if (!as_yaml) return 0;
  require(as_yaml->duration_s == request->duration_s && as_yaml->queue == request->queue);
  require(as_yaml->hres == request->hres);
  require(copse::request_key(*as_yaml) == copse::request_key(*request));
  require(as_yaml->resources.size() == request->resources.size());
  for (std::size_t i = 0; i < request->resources.size(); ++i) {
    require(same(as_yaml->resources[i], request->resources[i]));
  }
  return 0;
}
