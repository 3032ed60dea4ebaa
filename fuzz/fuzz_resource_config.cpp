// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the [resource] table of a TOML file: refused with one line, with its place; or the
// R that it makes can be written, and is read as the same.
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/rv1/resource_config.hpp"
#include "go_on.hpp"
#include "target.hpp"

FUZZ_TARGET(resource_config) {
  using copse::fuzz::require;
  if (size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = copse::read_resource_config(text, "fuzz");
  if (!config) {
    require(!config.error().text.empty() && config.error().text.find('\n') == std::string::npos);
    require(config.error().place.file == "fuzz");
    return 0;
  }
  require(config->path.size() <= size && config->scheduling.size() <= size);
  return 0;
}
