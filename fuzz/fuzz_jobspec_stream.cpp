// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a stream of jobspecs: a text of one document is what parse_jobspec says it is, and
// every document that is accepted is written as one that is accepted again, and then written the
// same.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "go_on.hpp"
#include "request/jobspec/jobspec_stream.hpp"
#include "target.hpp"

namespace {

using copse::fuzz::require;

void check_same(const copse::Tree& a, const copse::Tree& b) {
  require(a.nodes.size() == b.nodes.size());
  for (std::uint32_t n = 0; n < a.nodes.size(); ++n) {
    const copse::TreeView x(a, n), y(b, n);
    require(a.nodes[n].kind == b.nodes[n].kind && a.nodes[n].children == b.nodes[n].children);
    require(x.text() == y.text() || (x.is_null() && y.is_null()));
    require(!x.is_quoted_string() || y.is_quoted_string());
  }
}

void check_written(const copse::Tree& tree, const copse::JobspecLimits& limits) {
  const auto yaml = copse::to_yaml(tree);
  require(yaml.has_value());
  copse::JobspecStream again(*yaml, "again", limits);
  const auto read = again.next();
  require(read && read->has_value());
  check_same(tree, again.tree());
  require(*copse::to_yaml(again.tree()) == *yaml);
  require(!again.next() && !again.broken());
}

}  // namespace

FUZZ_TARGET(jobspec_stream) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const copse::JobspecLimits limits{
      .depth_max = 24, .events_max = 4000, .resources_max = 100, .hosts_max = 5000};
  copse::JobspecStream stream(text, "fuzz", limits);
  std::vector<bool> accepted;
  while (const auto request = stream.next()) {
    accepted.push_back(request->has_value());
    if (*request) {
      check_written(stream.tree(), limits);
    } else {
      require(!request->error().text.empty() && request->error().place.file == "fuzz");
      require(request->error().text.find('\n') == std::string::npos);
    }
  }
  require(!accepted.empty());
  require(!stream.broken() || !accepted.back());
  const bool alone = copse::parse_jobspec(text, "fuzz", limits).has_value();
  require(alone == (accepted.size() == 1 && accepted[0]));
  return 0;
}
