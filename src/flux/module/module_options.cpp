// SPDX-License-Identifier: Apache-2.0
#include "flux/module/module_options.hpp"

#include <jansson.h>

#include <array>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "flux/machine.hpp"
#include "flux/module/conf_text.hpp"

namespace copse::flux {

namespace {

struct FreeJson {
  void operator()(json_t* value) const { json_decref(value); }
};
using Json = std::unique_ptr<json_t, FreeJson>;

constexpr std::array<std::pair<std::string_view, Traverser>, 4> kTraversers{
    {{"simple", Traverser::simple},
     {"flexible", Traverser::flexible},
     {"loop-aware", Traverser::loop_aware},
     {"treepool", Traverser::treepool}}};

Result<Traverser> traverser_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [known, traverser] : kTraversers) {
    if (known == name) return traverser;
    names.push_back(known);
  }
  return fail(ErrorCode::not_found, unknown_word("traverser", name, names));
}

Result<std::string> mode_named(const std::string& name) {
  constexpr std::string_view kLimited = "limited=";
  if (name == "unlimited") return name;
  if (name.starts_with(kLimited)) {
    std::int64_t depth = 0;
    const char* end = name.data() + name.size();
    const auto [at, status] = std::from_chars(name.data() + kLimited.size(), end, depth);
    if (status == std::errc{} && at == end && depth >= 1 && depth <= INT32_MAX) return name;
  }
  return fail(
      ErrorCode::invalid,
      fmt::format("mode is \"{}\"; it must be unlimited, or limited=N with N of 1 or more", name));
}

constexpr const char* kFluxion = "sched-fluxion-qmanager";

void take_default_policy(json_t* table, ModuleOptions& out) {
  const char* policy = json_string_value(json_object_get(table, "queue-policy"));
  if (policy == nullptr || find_discipline(policy)) return;
  out.warnings.push_back(fmt::format("Unknown queuing policy ({})! Using default.", policy));
  json_object_del(table, "queue-policy");
}

QueueParams params_of(const json_t* table) {
  const auto text = [&](const char* key, std::string_view otherwise) {
    const json_t* value = json_object_get(table, key);
    if (json_is_object(value)) return toml_of(value);
    const char* word = json_string_value(value);
    return std::string(word == nullptr ? otherwise : word);
  };
  return {.policy = text("queue-policy", "fcfs"),
          .queue_params = text("queue-params", ""),
          .policy_params = text("policy-params", "")};
}

// Keys of [sched-copse] and arguments, as far as they are no matter of queues.
class OwnKeys {
 public:
  explicit OwnKeys(ModuleOptions& out) : out_(out) {}

  // Takes the key out of the table if it is one of these.
  [[nodiscard]] static bool knows(std::string_view key) {
    return key == "match-policy" || key == "policy" || key == "traverser" || key == "mode" ||
           key == "queue-depth" || key == "log-level" || key == "hres" || key == "inventory" ||
           key == "inventory-format" || key == "scheduling";
  }
  Result<void> read(std::string_view key, const std::string& value) {
    if (key == "match-policy" || key == "policy") {
      auto policy = find_policy(value);
      if (!policy) return std::unexpected(policy.error());
      out_.policy = std::move(*policy);
    } else if (key == "traverser") {
      const auto traverser = traverser_named(value);
      if (!traverser) return std::unexpected(traverser.error());
      out_.traverser = *traverser;
    } else if (key == "mode" || key == "queue-depth") {
      // sched-simple's word for the same: a number, or "unlimited".
      const bool depth = key == "queue-depth" && value != "unlimited";
      auto mode = mode_named(depth ? "limited=" + value : value);
      if (!mode) return std::unexpected(mode.error());
      out_.mode = std::move(*mode);
    } else if (key == "hres" || key == "inventory") {
      auto text = file_text(value);
      if (!text) return std::unexpected(text.error());
      (key == "hres" ? out_.hres : out_.inventory) = {.name = value, .text = std::move(*text)};
    } else if (key == "inventory-format") {
      out_.inventory_format = value;
    } else if (key == "scheduling") {
      if (value != "jgf" && value != "none") {
        return fail(ErrorCode::invalid,
                    fmt::format("scheduling is \"{}\"; it is none or jgf", value));
      }
      out_.write_graph = value == "jgf";
    }
    return {};
  }
  Result<void> take_from(json_t* table) {
    const char* key = nullptr;
    json_t* member = nullptr;
    void* next = nullptr;
    json_object_foreach_safe(table, next, key, member) {
      if (!knows(key)) continue;
      if (!json_is_string(member)) {
        return fail(ErrorCode::invalid, fmt::format("{} must be a string", key));
      }
      if (auto ok = read(key, json_string_value(member)); !ok) return ok;
      json_object_del(table, key);
    }
    return {};
  }

 private:
  ModuleOptions& out_;
};

}  // namespace

Result<ModuleOptions> read_module_options(const flux_conf_t* conf, std::string_view module,
                                          std::span<const std::string> arguments) {
  ModuleOptions out;
  auto first = find_policy("first");
  if (!first) return std::unexpected(first.error());
  out.policy = std::move(*first);
  OwnKeys own(out);

  json_t* queues = nullptr;
  json_t* table = nullptr;
  json_t* manager = nullptr;
  json_t* resource = nullptr;
  flux_error_t error;
  if (conf != nullptr && flux_conf_unpack(conf, &error, "{s?o s?o s?o s?o}", "queues", &queues,
                                          "sched-copse", &table, "sched-fluxion-qmanager", &manager,
                                          "sched-fluxion-resource", &resource) < 0) {
    return fail(ErrorCode::invalid, error.text);
  }
  const bool fluxion = module == kFluxion;
  if (fluxion) table = nullptr;
  const char* name =
      !fluxion && (table != nullptr || manager == nullptr) ? "sched-copse" : kFluxion;
  const json_t* given = table != nullptr ? table : manager;
  if (given != nullptr && !json_is_object(given)) {
    return fail(ErrorCode::invalid, fmt::format("{} must be a table", name));
  }
  const Json ours(given == nullptr ? json_object() : json_deep_copy(given));
  if (table != nullptr) {
    if (auto ok = own.take_from(ours.get()); !ok) return std::unexpected(ok.error());
  } else if (resource != nullptr && json_is_object(resource)) {
    for (const char* key : {"policy", "match-policy", "traverser"}) {
      const char* value = json_string_value(json_object_get(resource, key));
      if (value == nullptr) continue;
      if (auto ok = own.read(key, value); !ok) return std::unexpected(ok.error());
    }
  }
  for (const std::string& argument : arguments) {
    if (argument == "test-hello-nopartial") {  // as of sched-simple
      out.partial_hello = false;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    if (equals == std::string::npos) {
      return fail(ErrorCode::invalid, fmt::format("argument \"{}\" is not KEY=VALUE", argument));
    }
    const std::string value = argument.substr(equals + 1);
    if (OwnKeys::knows(key)) {
      if (auto ok = own.read(key, value); !ok) return std::unexpected(ok.error());
    } else {
      json_object_set_new(ours.get(), key.c_str(), json_string(value.c_str()));
    }
  }
  if (fluxion) take_default_policy(ours.get(), out);
  out.params = params_of(ours.get());
  const Json all(json_object());
  if (queues != nullptr) json_object_set(all.get(), "queues", queues);
  json_object_set(all.get(), name, ours.get());
  auto read = queue::read_queue_config(toml_of(all.get()), {});
  // Lines and columns are those of a text that nobody wrote.
  if (!read) return fail(read.error().code, read.error().text);
  out.queues = std::move(*read);
  return out;
}

}  // namespace copse::flux
