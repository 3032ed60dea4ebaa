// SPDX-License-Identifier: Apache-2.0
//
// mod_main: the entry point of the module; the broker calls it in a thread of its own. Loaded under a
// name of Fluxion's modules, it does the work of that module.
#include <flux/core.h>
#include <jansson.h>

#include <cerrno>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "flux/module/fluxion/feasibility_module.hpp"
#include "flux/module/fluxion/fluxion_services.hpp"
#include "flux/module/fluxion/qmanager_module.hpp"
#include "flux/module/fluxion/resource_arguments.hpp"
#include "flux/module/fluxion/resource_module.hpp"
#include "flux/module/module.hpp"

namespace {

using copse::Error;

// Errors before the module runs make `flux module load` fail. Later errors are logged, and the module
// returns success: an error status then would stop the broker.
int refused(flux_t* h, const Error& error) {
  flux_log(h, LOG_ERR, "%s", error.message().c_str());
  errno = error.code == copse::ErrorCode::exists ? EEXIST : EINVAL;
  return -1;
}
int ended(flux_t* h, const Error& error) {
  flux_log(h, LOG_ERR, "%s", error.message().c_str());
  return 0;
}
int cannot_run() { return -1; }

int run_scheduler(flux_t* h, const std::string& name, std::vector<std::string> arguments) {
  auto options = copse::flux::read_module_options(flux_get_conf(h), name, arguments);
  if (!options) return refused(h, options.error());
  copse::flux::Module module(h, name, std::move(*options), std::move(arguments));
  if (auto ok = module.serve(); !ok) return refused(h, ok.error());
  if (flux_module_set_running(h) < 0) return cannot_run();
  std::optional<copse::flux::FluxionServices> services;
  const auto begun = [&](const copse::flux::Acquisition::First& acquired) {
    if (module.options().as == copse::flux::ModuleOptions::As::simple) return;
    services.emplace(h, module, acquired);
    if (auto ok = services->serve(); !ok) flux_log(h, LOG_INFO, "%s", ok.error().message().c_str());
  };
  if (auto ok = module.start(begun); !ok) return ended(h, ok.error());
  return module.run();
}

int run_qmanager(flux_t* h, const std::string& name, const std::vector<std::string>& arguments) {
  // Wrong options make `flux module load` fail.
  const auto options = copse::flux::read_module_options(flux_get_conf(h), name, arguments);
  if (!options) return refused(h, options.error());
  for (const std::string& warning : options->warnings) flux_log(h, LOG_ERR, "%s", warning.c_str());
  copse::flux::QmanagerModule module(h);
  if (auto ok = module.start(arguments); !ok) return refused(h, ok.error());
  if (flux_module_set_running(h) < 0) return cannot_run();
  return module.run();
}

int run_resource(flux_t* h, const std::string& name, const std::vector<std::string>& arguments) {
  auto options = copse::flux::read_resource_arguments(h, name, arguments);
  if (!options) return refused(h, options.error());
  copse::flux::ResourceModule module(h, std::move(*options));
  if (auto ok = module.load_file(); !ok) return refused(h, ok.error());
  if (flux_module_set_running(h) < 0) return cannot_run();
  if (auto ok = module.start(); !ok) return ended(h, ok.error());
  return module.run();
}

int run_feasibility(flux_t* h, const std::string& name, const std::vector<std::string>& arguments) {
  auto options = copse::flux::read_resource_arguments(h, name, arguments);
  if (!options) return refused(h, options.error());
  copse::flux::FeasibilityModule module(h, std::move(*options));
  if (auto ok = module.load(); !ok) return refused(h, ok.error());
  if (flux_module_set_running(h) < 0) return cannot_run();
  if (auto ok = module.start(); !ok) return ended(h, ok.error());
  return module.run();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int mod_main(flux_t* h, int argc, char** argv) {
  try {
    const std::string name = static_cast<const char*>(flux_aux_get(h, "flux::name"));
    const std::vector<std::string> arguments{argv, argv + argc};
    if (name == "sched-fluxion-resource") return run_resource(h, name, arguments);
    if (name == "sched-fluxion-qmanager") return run_qmanager(h, name, arguments);
    if (name == "sched-fluxion-feasibility") return run_feasibility(h, name, arguments);
    return run_scheduler(h, name, arguments);
  } catch (const std::exception& thrown) {
    flux_log(h, LOG_CRIT, "internal error: %s", thrown.what());
    errno = ENOMEM;
    return -1;
  }
}
