// SPDX-License-Identifier: Apache-2.0
#include "tools/plugins.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "copse/plugin.hpp"
#include "tools/read_file.hpp"

namespace copse {

namespace {

// A library without a "/" is looked for in the folders of the system.
std::string library_path(const std::string& file) {
  return file.find('/') == std::string::npos ? "./" + file : file;
}

// What the loader says, without the file in front of it: that is said already.
std::string loader_reason(const std::string& path) {
  const char* text = dlerror();
  std::string_view reason = text == nullptr ? "unknown error" : text;
  if (reason.starts_with(path + ": ")) reason.remove_prefix(path.size() + 2);
  return std::string(reason);
}

Result<const Plugin*> open_plugin(const std::string& file) {
  // The loader does not tell a file that is missing from one of another kind.
  if (const auto read = try_read_file(file, 1); !read) {
    return fail(ErrorCode::io, fmt::format("can't read {}: {}", file, read.error().reason));
  }
  const std::string path = library_path(file);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} is no plugin: {}", file, loader_reason(path)));
  }
  void* const symbol = dlsym(library, kPluginFunction);
  if (symbol == nullptr) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("{} is no plugin: it has no {} (see copse/plugin.hpp)", file, kPluginFunction));
  }
  return reinterpret_cast<PluginFunction>(symbol)();
}

Result<void> check_version(const Plugin* plugin, const std::string& file) {
  const bool equal = plugin != nullptr && plugin->abi == kPluginAbi;
  if (!equal) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} was built for version {} of plugins, this program has {}: build it "
                            "again with the headers of this Copse",
                            file, plugin == nullptr ? 0 : plugin->abi, kPluginAbi));
  }
  if (plugin->policy_bytes != sizeof(Policy) || plugin->graph_bytes != sizeof(ResourceGraph)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} was built with headers of another Copse: build it again with those "
                            "of this one",
                            file));
  }
  return {};
}

Result<void> check_policies(std::span<const Policy> policies, const std::string& file) {
  if (policies.empty()) return fail(ErrorCode::invalid, file + " has no policy");
  for (const Policy& policy : policies) {
    const auto same = std::ranges::count(policies, policy.name, &Policy::name);
    if (!policy.name.empty() && same == 1) continue;
    return fail(ErrorCode::invalid,
                fmt::format("{} has {}", file,
                            policy.name.empty() ? "a policy without a name"
                                                : "two policies \"" + policy.name + '"'));
  }
  return {};
}

// The file that a word names, and the name behind it; no file: it is no plugin.
struct PluginWord {
  std::string file, name;
};
PluginWord split(std::string_view word) {
  constexpr std::string_view kSuffix = ".so";
  if (word.find('=') != std::string_view::npos) return {};  // words of a policy
  const std::size_t colon = word.rfind(".so:");
  if (colon != std::string_view::npos) {
    const std::size_t end = colon + kSuffix.size();
    return {std::string(word.substr(0, end)), std::string(word.substr(end + 1))};
  }
  if (word.find('/') == std::string_view::npos && !word.ends_with(kSuffix)) return {};
  return {std::string(word), {}};
}

std::string names_of(std::span<const Policy> policies) {
  std::string out;
  for (const Policy& policy : policies) out += (out.empty() ? "" : ", ") + policy.name;
  return out;
}

Result<Policy> choose_of_plugin(const PluginWord& word, std::span<const Policy> policies) {
  if (word.name.empty() && policies.size() == 1) return policies.front();
  if (word.name.empty()) {
    return fail(ErrorCode::invalid,
                fmt::format("{} has several policies, {}: name one, as {}:{}", word.file,
                            names_of(policies), word.file, policies.front().name));
  }
  const auto found = std::ranges::find(policies, word.name, &Policy::name);
  if (found != policies.end()) return *found;
  return fail(ErrorCode::invalid, fmt::format("{} has no policy \"{}\"; it has {}", word.file,
                                              word.name, names_of(policies)));
}

}  // namespace

Result<std::vector<Policy>> load_plugin(const std::string& file) {
  const auto plugin = open_plugin(file);
  if (!plugin) return std::unexpected(plugin.error());
  if (auto ok = check_version(*plugin, file); !ok) return std::unexpected(ok.error());
  const auto policies = (*plugin)->policies;
  if (auto ok = check_policies(policies, file); !ok) return std::unexpected(ok.error());
  return std::vector<Policy>(policies.begin(), policies.end());
}

Result<std::vector<Policy>> policies_of_environment() {
  std::vector<Policy> out;
  const char* const listed = std::getenv("COPSE_PLUGINS");
  std::string_view files = listed == nullptr ? "" : listed;
  while (!files.empty()) {
    const std::string file(files.substr(0, files.find(':')));
    files.remove_prefix(std::min(files.size(), file.size() + 1));
    if (file.empty()) continue;
    auto policies = load_plugin(file);
    if (!policies) {
      policies.error().text = "COPSE_PLUGINS: " + policies.error().text;
      return std::unexpected(policies.error());
    }
    out.insert(out.end(), policies->begin(), policies->end());
  }
  return out;
}

Result<ChosenPolicy> choose_policy(std::string_view word, std::span<const Policy> own) {
  ChosenPolicy out{.policy = {}, .own = {own.begin(), own.end()}};
  const auto listed = policies_of_environment();
  if (!listed) return std::unexpected(listed.error());
  out.own.insert(out.own.end(), listed->begin(), listed->end());
  Result<Policy> chosen;
  if (const PluginWord plugin = split(word); !plugin.file.empty()) {
    const auto policies = load_plugin(plugin.file);
    if (!policies) return std::unexpected(policies.error());
    out.own.insert(out.own.begin(), policies->begin(), policies->end());
    chosen = choose_of_plugin(plugin, *policies);
  } else {
    chosen = find_policy(word, out.own);
  }
  if (!chosen) return std::unexpected(chosen.error());
  out.policy = std::move(*chosen);
  return out;
}

}  // namespace copse
