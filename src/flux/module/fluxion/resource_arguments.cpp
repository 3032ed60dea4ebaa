// SPDX-License-Identifier: Apache-2.0
#include "flux/module/fluxion/resource_arguments.hpp"

#include <fmt/format.h>
#include <jansson.h>

namespace copse::flux {

Result<ResourceOptions> read_resource_arguments(flux_t* h, const std::string& module,
                                                std::span<const std::string> arguments) {
  ResourceOptions out;
  if (module == "sched-fluxion-feasibility") {
    out.prune_filters = "ALL:core,ALL:node,ALL:gpu,ALL:ssd";
  }
  const auto set = [&](std::string_view key, std::string_view value) -> Result<void> {
    const auto warning = out.set(key, value);
    if (!warning) return std::unexpected(warning.error());
    if (!warning->empty()) flux_log(h, LOG_ERR, "%s", warning->c_str());
    return {};
  };
  json_t* table = nullptr;
  flux_error_t error;
  if (flux_conf_unpack(flux_get_conf(h), &error, "{s?o}", module.c_str(), &table) < 0) {
    return fail(ErrorCode::invalid, error.text);
  }
  const char* key = nullptr;
  json_t* value = nullptr;
  json_object_foreach(table, key, value) {
    const std::string text = json_is_integer(value)  ? std::to_string(json_integer_value(value))
                             : json_is_string(value) ? json_string_value(value)
                                                     : "";
    if (!json_is_integer(value) && !json_is_string(value)) {
      return fail(ErrorCode::invalid, fmt::format("{} must be a string", key));
    }
    if (auto ok = set(key, text); !ok) return std::unexpected(ok.error());
  }
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      return fail(ErrorCode::invalid, fmt::format("argument \"{}\" is not KEY=VALUE", argument));
    }
    const auto ok = set(std::string_view(argument).substr(0, equals),
                        std::string_view(argument).substr(equals + 1));
    if (!ok) return std::unexpected(ok.error());
  }
  return out;
}

}  // namespace copse::flux
