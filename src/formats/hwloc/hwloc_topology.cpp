// SPDX-License-Identifier: Apache-2.0
#include "formats/hwloc/hwloc_topology.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace copse::hwloc_xml {
namespace {

// While it exists, hwloc finds an environment without HWLOC_… variables of the user (HWLOC_XMLFILE
// would replace the text by another machine, HWLOC_THISSYSTEM would ask this one), but
// with these: the parser that is a part of hwloc itself, no plugins, nothing on standard error.
class OwnEnvironment {
 public:
  OwnEnvironment() : users_(::environ) {
    for (char** variable = users_; variable != nullptr && *variable != nullptr; ++variable) {
      if (!std::string_view(*variable).starts_with("HWLOC_")) variables_.push_back(*variable);
    }
    for (std::string& own : own_) variables_.push_back(own.data());
    variables_.push_back(nullptr);
    ::environ = variables_.data();
  }
  ~OwnEnvironment() { ::environ = users_; }
  OwnEnvironment(const OwnEnvironment&) = delete;
  OwnEnvironment& operator=(const OwnEnvironment&) = delete;

 private:
  char** users_;
  std::vector<std::string> own_{"HWLOC_LIBXML=0", "HWLOC_LIBXML_IMPORT=0",
                                "HWLOC_PLUGINS_PATH=", "HWLOC_HIDE_ERRORS=2"};
  std::vector<char*> variables_;
};

}  // namespace

Result<Topology> load(const std::string& text) {
  const OwnEnvironment environment;
  constexpr const char* kRefused = "hwloc refuses this topology";
  if (text.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return fail(ErrorCode::limit, "the topology is longer than hwloc can read");
  }
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return fail(ErrorCode::limit, "hwloc has no memory");
  Topology topology(made);
  // The length counts the final zero.
  if (hwloc_topology_set_io_types_filter(made, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) != 0 ||
      hwloc_topology_set_cache_types_filter(made, HWLOC_TYPE_FILTER_KEEP_STRUCTURE) != 0 ||
      hwloc_topology_set_xmlbuffer(made, text.c_str(), static_cast<int>(text.size()) + 1) != 0 ||
      hwloc_topology_load(made) != 0) {
    return fail(ErrorCode::invalid, kRefused);
  }
  return topology;
}

Result<std::string> local_xml() {
  constexpr const char* kFailed = "hwloc cannot say what this machine has";
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return fail(ErrorCode::io, kFailed);
  const Topology topology(made);
  char* text = nullptr;
  int size = 0;
  if (hwloc_topology_set_io_types_filter(made, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) != 0 ||
      hwloc_topology_load(made) != 0 ||
      hwloc_topology_export_xmlbuffer(made, &text, &size, 0) != 0) {
    return fail(ErrorCode::io, kFailed);
  }
  std::string out(text, static_cast<std::size_t>(std::max(size - 1, 0)));  // counts the final zero
  hwloc_free_xmlbuffer(made, text);
  return out;
}

}  // namespace copse::hwloc_xml
