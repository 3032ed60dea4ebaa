// SPDX-License-Identifier: Apache-2.0
#include "flux/module/module_options.hpp"

#include <jansson.h>

#include <array>
#include <charconv>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "files/read_file.hpp"
#include "flux/module/conf_text.hpp"
#include "flux/module/wire.hpp"
#include "match/option_names.hpp"
#include "text/split.hpp"

namespace copse::flux {

namespace {

struct FreeJson {
  void operator()(json_t* value) const { json_decref(value); }
};
using Json = std::unique_ptr<json_t, FreeJson>;

Result<Traverser> traverser_named(std::string_view name) {
  if (const auto known = parse_traverser(name)) return *known;
  return fail(ErrorCode::not_found, unknown_word("traverser", name, kTraverserNames));
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
constexpr const char* kSimple = "sched-simple";

constexpr std::array<std::string_view, 8> kLogLevels{"emerg",   "alert",  "crit", "err",
                                                     "warning", "notice", "info", "debug"};

// Flux's sched-simple prefers the node with most free cores, then the lower rank, and the lowest cores.
Result<Policy> policy_named(std::string_view name) {
  auto worst_fit = find_policy("compact");
  if (!worst_fit) return worst_fit;
  worst_fit->name = "worst-fit";
  worst_fit->summary = "nodes with most free first";
  worst_fit->most_free_first = true;
  return find_policy(name, std::span(&*worst_fit, 1));
}

Result<Policy> alloc_mode(const std::string& name) {
  constexpr std::array<std::string_view, 3> kModes{"worst-fit", "best-fit", "first-fit"};
  if (name == "worst-fit") return policy_named(name);
  if (name == "best-fit") return policy_named("compact");
  if (name == "first-fit") return policy_named("lonode");
  return fail(ErrorCode::not_found, unknown_word("alloc-mode", name, kModes));
}

// Replaces unknown policies by the default, as Fluxion does.
void take_default_policy(json_t* table, ModuleOptions& out) {
  const auto is_known = [&](std::string_view policy) {
    if (find_discipline(policy)) return true;
    out.warnings.push_back(fmt::format("Unknown queuing policy ({})! Using default.", policy));
    return false;
  };
  const char* policy = json_string_value(json_object_get(table, "queue-policy"));
  if (policy != nullptr && !is_known(policy)) json_object_del(table, "queue-policy");
  const char* per_queue = json_string_value(json_object_get(table, "queue-policy-per-queue"));
  if (per_queue == nullptr) return;
  std::string known;
  for (const std::string_view word : split(per_queue, ' ')) {
    const std::size_t colon = std::min(word.find(':'), word.size());
    const bool keep = colon == word.size() || is_known(word.substr(colon + 1));
    known += fmt::format("{} ", keep ? word : fmt::format("{}:fcfs", word.substr(0, colon)));
  }
  json_object_set_new(table, "queue-policy-per-queue", json_string(known.c_str()));
}

// "key=value,key=value" from such a string, or from an object.
std::string params_text(const json_t* value) {
  if (!json_is_object(value)) {
    const char* text = json_string_value(value);
    return text == nullptr ? "" : text;
  }
  std::string out;
  const char* key = nullptr;
  json_t* member = nullptr;
  json_object_foreach(const_cast<json_t*>(value), key, member) {
    const char* text = json_string_value(member);
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", key,
                       text != nullptr ? text : text_of(member).get());
  }
  return out;
}

QueueParams params_of(const json_t* table) {
  QueueParams out;
  if (const char* policy = json_string_value(json_object_get(table, "queue-policy"))) {
    out.policy = policy;
  }
  out.all = {.queue = params_text(json_object_get(table, "queue-params")),
             .policy = params_text(json_object_get(table, "policy-params"))};
  for (const auto& [key, to] : {std::pair{"queue-params-per-queue", &QueueParams::Text::queue},
                                std::pair{"policy-params-per-queue", &QueueParams::Text::policy}}) {
    const char* text = json_string_value(json_object_get(table, key));
    for (const std::string_view word : split(text == nullptr ? "" : text, ' ')) {
      const std::size_t colon = std::min(word.find(':'), word.size());
      QueueParams::Text& own =
          out.of_queue.try_emplace(std::string(word.substr(0, colon)), out.all).first->second;
      own.*to = word.substr(std::min(colon + 1, word.size()));
    }
  }
  return out;
}

// The keys of [sched-copse] and the arguments that do not concern queues.
class OwnKeys {
 public:
  explicit OwnKeys(ModuleOptions& out) : out_(out) {}

  [[nodiscard]] static bool is_argument(std::string_view key) {
    return knows(key) || key == "queue-depth" || key == "log-level" || key == "alloc-mode" ||
           key == "pool-class";
  }
  // Keys of the table.
  [[nodiscard]] static bool knows(std::string_view key) {
    return key == "match-policy" || key == "policy" || key == "traverser" || key == "mode" ||
           key == "hres" || key == "inventory" || key == "inventory-format" ||
           key == "scheduling" || key == "reasons";
  }
  Result<void> read(std::string_view key, const std::string& value) {
    if (key == "match-policy" || key == "policy") {
      auto policy = policy_named(value);
      if (!policy) return std::unexpected(policy.error());
      out_.policy = std::move(*policy);
      out_.policy_given = true;
    } else if (key == "traverser") {
      const auto traverser = traverser_named(value);
      if (!traverser) return std::unexpected(traverser.error());
      out_.traverser = *traverser;
    } else if (key == "alloc-mode") {
      auto policy = alloc_mode(value);
      if (!policy) return std::unexpected(policy.error());
      out_.policy = std::move(*policy);
      out_.policy_given = true;
    } else if (key == "log-level") {
      if (std::ranges::find(kLogLevels, value) == kLogLevels.end()) {
        return fail(ErrorCode::not_found, unknown_word("log-level", value, kLogLevels));
      }
      out_.log_level = value;
    } else if (key == "pool-class") {
      return read_pool_class(value);
    } else if (key == "reasons") {
      return read_reasons(value);
    } else if (key == "mode" || key == "queue-depth") {
      // queue-depth is sched-simple's name for it: a number, or "unlimited".
      const bool depth = key == "queue-depth" && value != "unlimited";
      auto mode = mode_named(depth ? "limited=" + value : value);
      if (!mode) return std::unexpected(mode.error());
      out_.mode = std::move(*mode);
    } else if (key == "hres" || key == "inventory") {
      auto text = read_file(value);
      if (!text) return std::unexpected(text.error());
      (key == "hres" ? out_.hres : out_.inventory) = {.name = value, .text = std::move(*text)};
    } else if (key == "inventory-format") {
      out_.inventory_format = value;
    } else if (key == "scheduling") {
      if (value != "jgf" && value != "none") {
        return fail(ErrorCode::invalid,
                    fmt::format("scheduling is \"{}\"; it must be none or jgf", value));
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
  // Other arguments become members of the table.
  Result<void> take_arguments(std::span<const std::string> arguments, json_t* table) {
    for (const std::string& argument : arguments) {
      if (argument == "test-hello-nopartial") {  // as in sched-simple
        out_.partial_hello = false;
        continue;
      }
      const std::size_t equals = argument.find('=');
      const std::string key = argument.substr(0, equals);
      if (equals == std::string::npos) {
        return fail(ErrorCode::invalid, fmt::format("argument \"{}\" is not KEY=VALUE", argument));
      }
      const std::string value = argument.substr(equals + 1);
      if (is_argument(key)) {
        if (auto ok = read(key, value); !ok) return ok;
      } else {
        json_object_set_new(table, key.c_str(), json_string(value.c_str()));
      }
    }
    return {};
  }

 private:
  // A class of Python by its module, or by module:CLASS.
  Result<void> read_pool_class(const std::string& value) {
    const auto is = [&](std::string_view name) {
      return value == name || value.ends_with(fmt::format(".{}", name)) ||
             value.ends_with(fmt::format(":{}", name));
    };
    if (is("TreePool")) {
      out_.traverser = Traverser::treepool;
      out_.pool_class = "TreePool";
      return {};
    }
    if (is("Rv1Pool")) out_.traverser = Traverser::simple;
    if (is("Rv1Pool") || value == "copse.flux" || value == "copse.flux:Pool") return {};
    return fail(ErrorCode::unsupported,
                fmt::format("pool-class {:.32} is in Python: load sched-simple.py, or leave it out",
                            value));
  }
  Result<void> read_reasons(const std::string& value) {
    constexpr std::array<std::string_view, 3> kStyles{"short", "long", "none"};
    const auto at = std::ranges::find(kStyles, value);
    if (at == kStyles.end()) {
      return fail(ErrorCode::not_found, unknown_word("reasons", value, kStyles));
    }
    out_.reasons = at == kStyles.begin()       ? ReasonStyle::brief
                   : at == kStyles.begin() + 1 ? ReasonStyle::whole
                                               : ReasonStyle::none;
    return {};
  }

  ModuleOptions& out_;
};

// The arguments of sched-simple: its own, and those of this module that apply under its name.
constexpr std::array<std::string_view, 11> kSimpleArguments{
    "queue-depth",  "mode",          "log-level",           "pool-class",
    "alloc-mode",   "match-policy",  "traverser",           "queue-policy",
    "queue-params", "policy-params", "test-hello-nopartial"};

Result<void> check_simple_arguments(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    const std::string_view key = std::string_view(argument).substr(0, argument.find('='));
    if (std::ranges::find(kSimpleArguments, key) == kSimpleArguments.end()) {
      return fail(ErrorCode::invalid, unknown_word("argument", key, kSimpleArguments));
    }
  }
  return {};
}

Result<void> read_queues(const json_t* tables, ModuleOptions& out) {
  auto read = queue::read_queue_config(toml_of(tables), {});
  // Drop the line and column: the user did not write this text.
  if (!read) return fail(read.error().code, read.error().text);
  out.queues = std::move(*read);
  return {};
}

Result<ModuleOptions> read_simple_options(std::span<const std::string> arguments) {
  ModuleOptions out;
  out.as = ModuleOptions::As::simple;
  out.mode = "limited=8";
  auto policy = policy_named("worst-fit");
  if (!policy) return std::unexpected(policy.error());
  out.policy = std::move(*policy);
  if (auto ok = check_simple_arguments(arguments); !ok) return std::unexpected(ok.error());
  const Json ours(json_pack("{s:s}", "queue-policy", "fcfs"));
  if (auto ok = OwnKeys(out).take_arguments(arguments, ours.get()); !ok) {
    return std::unexpected(ok.error());
  }
  const Json all(json_pack("{s:O}", "sched-copse", ours.get()));
  if (auto ok = read_queues(all.get(), out); !ok) return std::unexpected(ok.error());
  return out;
}

}  // namespace

Result<ModuleOptions> read_module_options(const flux_conf_t* conf, std::string_view module,
                                          std::span<const std::string> arguments) {
  if (module == kSimple) return read_simple_options(arguments);
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
  if (auto ok = own.take_arguments(arguments, ours.get()); !ok) return std::unexpected(ok.error());
  if (out.inventory.name.empty() && !out.inventory_format.empty() && !out.asks_topologies()) {
    return fail(
        ErrorCode::invalid,
        fmt::format("inventory-format is \"{}\", which requires inventory; without it, only "
                    "hwloc is possible",
                    out.inventory_format));
  }
  if (fluxion) {
    take_default_policy(ours.get(), out);
    out.as = ModuleOptions::As::fluxion;
  }
  out.params = params_of(ours.get());
  const Json all(json_object());
  if (queues != nullptr) json_object_set(all.get(), "queues", queues);
  json_object_set(all.get(), name, ours.get());
  if (auto ok = read_queues(all.get(), out); !ok) return std::unexpected(ok.error());
  return out;
}

namespace {

auto members_of(const queue::PriorityRule& rule) {
  return std::tie(rule.age, rule.size, rule.fair_share, rule.queues, rule.shares, rule.age_max_s,
                  rule.half_life_s, rule.period_s);
}

}  // namespace

std::vector<std::string> fixed_changes(const ModuleOptions& from, const ModuleOptions& to) {
  std::vector<std::string> out;
  const auto check = [&](const char* key, bool same) {
    if (!same) out.emplace_back(key);
  };
  check("match-policy", from.policy.name == to.policy.name);
  check("traverser", from.traverser == to.traverser);
  check("mode", from.mode == to.mode);
  check("hres", from.hres == to.hres);
  check("inventory", from.inventory == to.inventory);
  check("inventory-format", from.inventory_format == to.inventory_format);
  check("scheduling", from.write_graph == to.write_graph);
  check("reasons", from.reasons == to.reasons);
  check("priority", members_of(from.queues.rule) == members_of(to.queues.rule));
  return out;
}

}  // namespace copse::flux
