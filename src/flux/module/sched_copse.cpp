// SPDX-License-Identifier: Apache-2.0
//
// mod_main: where the broker enters the module, in a thread of its own.
#include <cerrno>
#include <exception>
#include <string>
#include <vector>

#include "flux/module/module.hpp"

namespace {

// Errors before the module runs are those of `flux module load`. Later ones are logged, and the
// module ends well: an error then would take the broker down.
int run(flux_t* h, std::vector<std::string> arguments) {
  auto options = copse::flux::read_module_options(flux_get_conf(h), arguments);
  if (!options) {
    flux_log(h, LOG_ERR, "%s", options.error().message().c_str());
    errno = EINVAL;
    return -1;
  }
  copse::flux::Module module(h, std::move(*options), std::move(arguments));
  if (auto ok = module.serve(); !ok) {
    flux_log(h, LOG_ERR, "%s", ok.error().message().c_str());
    return -1;
  }
  if (auto ok = module.start(); !ok) {
    flux_log(h, LOG_ERR, "%s", ok.error().message().c_str());
    return 0;
  }
  return module.run();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int mod_main(flux_t* h, int argc, char** argv) {
  try {
    return run(h, {argv, argv + argc});
  } catch (const std::exception& thrown) {
    flux_log(h, LOG_CRIT, "internal error: %s", thrown.what());
    errno = ENOMEM;
    return -1;
  }
}
