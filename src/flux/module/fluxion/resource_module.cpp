// SPDX-License-Identifier: Apache-2.0
#include "flux/module/fluxion/resource_module.hpp"

#include <jansson.h>

#include <cerrno>
#include <utility>

#include "base/idset_algebra.hpp"
#include "flux/fluxion/queue_text.hpp"
#include "flux/machine/machine.hpp"
#include "flux/module/wire.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "host/stopwatch.hpp"

namespace copse::flux {

namespace {

constexpr const char* kManagerName = "sched-fluxion-qmanager";

}  // namespace

template <void (ResourceModule::*kMember)(const flux_msg_t*)>
void ResourceModule::handle(flux_t* h, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
  guarded(h, [&] { (static_cast<ResourceModule*>(self)->*kMember)(message); });
}

ResourceModule::~ResourceModule() {
  const flux_msg_t* managed = std::exchange(managed_for_, nullptr);
  stop_managing();
  if (managed != nullptr) {
    flux_respond_error(h_, managed, ECANCELED, "sched-fluxion-resource was unloaded");
    flux_msg_decref(managed);
  }
  flux_msg_handler_delvec(handlers_);
}

std::int64_t ResourceModule::now_s() const {
  return static_cast<std::int64_t>(flux_reactor_now(flux_get_reactor(h_)));
}

Result<void> ResourceModule::load_file() {
  if (options_.load_file.empty()) return {};
  const Stopwatch watch;
  auto engine = options_.load_engine(now_s());
  if (!engine) return std::unexpected(engine.error());
  resource_ =
      std::make_unique<FluxionResource>(std::move(*engine), options_, watch.seconds(), now_s());
  return {};
}

Result<void> ResourceModule::acquire() {
  auto first = acquisition_.first();
  if (!first) return std::unexpected(first.error());
  const Stopwatch watch;
  const auto all = read_inventory(first->inventory);
  if (!all) return std::unexpected(all.error());
  auto machine =
      machine_of_r(first->inventory, *all, !options_.plain_r(), options_.engine(now_s()));
  if (!machine) return std::unexpected(machine.error());
  for (const std::string& remark : machine->remarks) {
    flux_log(h_, LOG_WARNING, "%s", remark.c_str());
  }
  if (machine->uses_graph) {  // a text of Fluxion, which scripts wait for
    flux_log(h_, LOG_DEBUG, "resource graph datastore loaded with JGF reader");
  }
  flux_log(h_, LOG_INFO, "%s; match-policy=%s", machine->summary().c_str(),
           options_.policy_name.c_str());
  resource_ = std::make_unique<FluxionResource>(std::move(machine->engine), options_,
                                                watch.seconds(), now_s());
  const auto down = tops_of_ranks(resource_->engine().graph(), subtract(all->ranks(), first->up));
  if (!down) return std::unexpected(down.error());
  resource_->pools().set_status(*down, Status::down);
  notifier_ = std::make_unique<Notifier>(h_, std::move(first->inventory), all->ranks(),
                                         std::move(first->up));
  return acquisition_.watch(
      [this](const ResourceUpdate& update, const char* payload) { changed(update, payload); },
      [this] { flux_reactor_stop(flux_get_reactor(h_)); });
}

Result<void> ResourceModule::start() {
  if (resource_ == nullptr) {
    if (auto ok = acquire(); !ok) return ok;
  }
  rpcs_ = std::make_unique<ResourceRpcs>(
      h_, *resource_, [this] { return now_s(); },
      [this] {
        if (manager_ != nullptr) manager_->wake();
      });
  rpcs_->when_up([this] {
    if (notifier_ != nullptr) notifier_->notify_unchanged();
  });
  if (auto ok = rpcs_->serve(); !ok) return ok;
  constexpr int kRequest = FLUX_MSGTYPE_REQUEST;
  const flux_msg_handler_spec handlers[] = {
      {kRequest, "notify", handle<&ResourceModule::notify>, 0},
      {kRequest, "disconnect", handle<&ResourceModule::disconnect>, 0},
      {kRequest, "copse-manage", handle<&ResourceModule::manage>, 0},
      {kRequest, "copse-leave", handle<&ResourceModule::leave>, 0},
      {kRequest, "copse-queues", handle<&ResourceModule::queues>, FLUX_ROLE_USER},
      FLUX_MSGHANDLER_TABLE_END};
  if (flux_msg_handler_addvec_ex(h_, ResourceRpcs::kService, handlers, this, &handlers_) < 0) {
    return std::unexpected(flux_failed("can't add handlers"));
  }
  return {};
}

void ResourceModule::changed(const ResourceUpdate& update, const char* payload) {
  if (manager_ != nullptr) {
    manager_->update(update);
  } else {
    const ResourceGraph& graph = resource_->engine().graph();
    const auto known = [&](const Idset& ranks) {
      auto tops = tops_of_ranks(graph, ranks);
      return tops ? std::move(*tops) : std::vector<PoolId>();
    };
    resource_->pools().set_status(known(update.up), Status::up);
    resource_->pools().set_status(known(subtract(update.down, update.shrink)), Status::down);
    if (const auto lost = known(update.shrink); !lost.empty()) {
      const auto removed = resource_->pools().remove(lost);
      if (!removed) flux_log(h_, LOG_ERR, "shrink: %s", removed.error().text.c_str());
    }
  }
  notifier_->notify(update, payload);
}

// --- Requests

void ResourceModule::notify(const flux_msg_t* message) {
  if (notifier_ == nullptr) {
    flux_respond_error(h_, message, ENODATA, "the machine comes from load-file");
    return;
  }
  notifier_->subscribe(message);
}

void ResourceModule::disconnect(const flux_msg_t* message) {
  if (notifier_ != nullptr) notifier_->leave(message);
  if (managed_for_ != nullptr && flux_disconnect_match(managed_for_, message)) stop_managing();
}

void ResourceModule::manage(const flux_msg_t* message) {
  json_t* given = nullptr;
  if (flux_msg_unpack(message, "{s:o}", "arguments", &given) < 0) {
    flux_respond_error(h_, message, EPROTO, nullptr);
    return;
  }
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < json_array_size(given); ++i) {
    const char* argument = json_string_value(json_array_get(given, i));
    arguments.emplace_back(argument == nullptr ? "" : argument);
  }
  if (manager_ != nullptr) {
    flux_respond_error(h_, message, EEXIST, "jobs are scheduled already");
    return;
  }
  if (auto ok = begin_managing(std::move(arguments)); !ok) {
    stop_managing();
    flux_respond_error(h_, message, EINVAL, ok.error().message().c_str());
    return;
  }
  managed_for_ = flux_msg_incref(message);
}

// On failure, this destroys the manager that called it.
void ResourceModule::managing(const Result<void>& ready) {
  if (ready) {
    flux_respond(h_, managed_for_, "{}");
    return;
  }
  flux_respond_error(h_, managed_for_, EINVAL, ready.error().message().c_str());
  stop_managing();
}

Result<void> ResourceModule::begin_managing(std::vector<std::string> arguments) {
  if (notifier_ == nullptr) {
    return fail(ErrorCode::unsupported, "a machine from load-file has no jobs");
  }
  auto options = read_module_options(flux_get_conf(h_), kManagerName, arguments);
  if (!options) return std::unexpected(options.error());
  options->feasibility = false;
  options->shorthand = options_.match_format == Format::rv1_shorthand;
  options->write_graph = options->shorthand || options_.match_format == Format::rv1;
  manager_ = std::make_unique<Module>(h_, kManagerName, std::move(*options), std::move(arguments));
  if (auto ok = manager_->serve(); !ok) return ok;
  resource_->advance(now_s());
  resource_->release();
  auto started = manager_->start_on({.inventory = notifier_->inventory(),
                                     .engine = resource_->shared_engine(),
                                     .up = notifier_->up()},
                                    [this](const Result<void>& ready) { managing(ready); });
  if (started) resource_->share_with(&manager_->scheduler());
  return started;
}

void ResourceModule::stop_managing() {
  if (manager_ == nullptr) return;
  resource_->share_with(nullptr);
  manager_.reset();
  // The job manager identifies the scheduler by its handle, which stays open.
  flux_future_destroy(
      flux_rpc(h_, "job-manager.disconnect", nullptr, FLUX_NODEID_ANY, FLUX_RPC_NORESPONSE));
  flux_msg_decref(std::exchange(managed_for_, nullptr));
}

void ResourceModule::leave(const flux_msg_t* message) {
  stop_managing();
  flux_respond(h_, message, "{}");
}

void ResourceModule::queues(const flux_msg_t* message) {
  if (manager_ == nullptr) {
    flux_respond_error(h_, message, ENOSYS, "no jobs are scheduled");
    return;
  }
  flux_respond(h_, message, queue_text(manager_->scheduler(), manager_->options().params).c_str());
}

}  // namespace copse::flux
