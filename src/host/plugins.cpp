// SPDX-License-Identifier: Apache-2.0
#include "host/plugins.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "copse/plugin.hpp"
#include "files/read_file.hpp"
#include "text/split.hpp"

namespace copse {

namespace {

// dlopen() searches the system's folders for a library without a "/".
std::string library_path(const std::string& file) {
  return file.find('/') == std::string::npos ? "./" + file : file;
}

// The loader's message, without the file's name before it.
std::string loader_reason(const std::string& path) {
  const char* text = dlerror();
  std::string_view reason = text == nullptr ? "unknown error" : text;
  if (reason.starts_with(path + ": ")) reason.remove_prefix(path.size() + 2);
  return std::string(reason);
}

Result<const Plugin*> open_plugin(const std::string& file) {
  // The loader does not distinguish a missing file from one that is not a library.
  if (const auto read = try_read_file(file, 1); !read) {
    return fail(ErrorCode::io, fmt::format("can't read {}: {}", file, read.error().reason));
  }
  const std::string path = library_path(file);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} is not a plugin: {}", file, loader_reason(path)));
  }
  void* const symbol = dlsym(library, kPluginFunction);
  if (symbol == nullptr) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} is not a plugin: it has no {} (see copse/plugin.hpp)", file,
                            kPluginFunction));
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
  if (plugin->policy_bytes != sizeof(Policy) || plugin->discipline_bytes != sizeof(Discipline) ||
      plugin->view_bytes != sizeof(GraphView::Functions) ||
      plugin->visit_bytes != sizeof(Visit) + sizeof(Visit::Functions)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} was built with headers of another Copse: build it again with those "
                            "of this one",
                            file));
  }
  return {};
}

// What a plugin can provide: policies and disciplines.
template <class Thing>
struct KindOf;
template <>
struct KindOf<Policy> {
  static constexpr const char *one = "policy", *many = "policies";
  static std::span<const Policy> of(const Plugin& plugin) { return plugin.policies; }
  static bool whole(const Policy&) { return true; }
  static bool bundled(const std::string& name) { return find_policy(name).has_value(); }
};
template <>
struct KindOf<Discipline> {
  static constexpr const char *one = "discipline", *many = "disciplines";
  static std::span<const Discipline> of(const Plugin& plugin) { return plugin.disciplines; }
  static bool whole(const Discipline& discipline) { return discipline.treat != nullptr; }
  static bool bundled(const std::string& name) { return find_discipline(name).has_value(); }
};

template <class Thing>
Result<void> check_things(const Plugin& plugin, const std::string& file) {
  using Kind = KindOf<Thing>;
  const std::span<const Thing> things = Kind::of(plugin);
  for (const Thing& thing : things) {
    const auto refused = [&](std::string why) { return fail(ErrorCode::invalid, std::move(why)); };
    if (thing.name.empty())
      return refused(fmt::format("{} has a {} without a name", file, Kind::one));
    if (std::ranges::count(things, thing.name, &Thing::name) > 1) {
      return refused(fmt::format("{} has two {} \"{}\"", file, Kind::many, thing.name));
    }
    if (Kind::bundled(thing.name)) {
      return refused(fmt::format("{} has a {} \"{}\", which Copse has, too: give it another name",
                                 file, Kind::one, thing.name));
    }
    if (!Kind::whole(thing)) {
      return refused(
          fmt::format("{} has a {} \"{}\" without a function", file, Kind::one, thing.name));
    }
  }
  return {};
}

// A name must be unique among the files of COPSE_PLUGINS.
template <class Thing>
Result<void> check_apart(const std::vector<Thing>& before, const std::vector<Thing>& more,
                         const std::string& file) {
  for (const Thing& thing : more) {
    if (std::ranges::find(before, thing.name, &Thing::name) == before.end()) continue;
    return fail(ErrorCode::invalid,
                fmt::format("{} has a {} \"{}\", which an earlier file has, too", file,
                            KindOf<Thing>::one, thing.name));
  }
  return {};
}

// The file that a word names, and the name after it; no file: the word does not name a plugin.
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

template <class Thing>
std::string names_of(std::span<const Thing> things) {
  std::string out;
  for (const Thing& thing : things) out += (out.empty() ? "" : ", ") + thing.name;
  return out;
}

template <class Thing>
Result<Thing> choose_of_plugin(const PluginWord& word, std::span<const Thing> things) {
  using Kind = KindOf<Thing>;
  if (things.empty()) {
    return fail(ErrorCode::invalid, fmt::format("{} has no {}", word.file, Kind::one));
  }
  if (word.name.empty() && things.size() == 1) return things.front();
  if (word.name.empty()) {
    return fail(ErrorCode::invalid,
                fmt::format("{} has several {}, {}: name one, as {}:{}", word.file, Kind::many,
                            names_of(things), word.file, things.front().name));
  }
  const auto found = std::ranges::find(things, word.name, &Thing::name);
  if (found != things.end()) return *found;
  return fail(ErrorCode::invalid, fmt::format("{} has no {} \"{}\"; it has {}", word.file,
                                              Kind::one, word.name, names_of(things)));
}

Result<const Plugin*> load(const std::string& file) {
  const auto plugin = open_plugin(file);
  if (!plugin) return plugin;
  if (auto ok = check_version(*plugin, file); !ok) return std::unexpected(ok.error());
  if ((*plugin)->policies.empty() && (*plugin)->disciplines.empty()) {
    return fail(ErrorCode::invalid, file + " has no policy and no discipline");
  }
  if (auto ok = check_things<Policy>(**plugin, file); !ok) return std::unexpected(ok.error());
  if (auto ok = check_things<Discipline>(**plugin, file); !ok) return std::unexpected(ok.error());
  return plugin;
}

template <class Thing>
Result<std::vector<Thing>> things_of(const std::string& file) {
  const auto plugin = load(file);
  if (!plugin) return std::unexpected(plugin.error());
  const auto things = KindOf<Thing>::of(**plugin);
  return std::vector<Thing>(things.begin(), things.end());
}

// Of the files that COPSE_PLUGINS lists, separated by ":".
template <class Thing>
Result<std::vector<Thing>> listed_things() {
  std::vector<Thing> out;
  const char* const listed = std::getenv("COPSE_PLUGINS");
  std::string_view files = listed == nullptr ? "" : listed;
  while (!files.empty()) {
    const std::string file(take_part(files, ':'));
    if (file.empty()) continue;
    auto things = things_of<Thing>(file);
    if (auto ok = things ? check_apart(out, *things, file) : Result<void>(); !ok) {
      things = std::unexpected(ok.error());
    }
    if (!things) {
      things.error().text = "COPSE_PLUGINS: " + things.error().text;
      return std::unexpected(things.error());
    }
    out.insert(out.end(), things->begin(), things->end());
  }
  return out;
}

}  // namespace

Result<std::vector<Policy>> load_plugin(const std::string& file) { return things_of<Policy>(file); }

Result<std::vector<Policy>> policies_of_environment() { return listed_things<Policy>(); }

Result<std::vector<Discipline>> disciplines_of_environment() { return listed_things<Discipline>(); }

Result<Discipline> choose_discipline(std::string_view word) {
  if (const PluginWord plugin = split(word); !plugin.file.empty()) {
    const auto disciplines = things_of<Discipline>(plugin.file);
    if (!disciplines) return std::unexpected(disciplines.error());
    return choose_of_plugin<Discipline>(plugin, *disciplines);
  }
  const auto listed = listed_things<Discipline>();
  if (!listed) return std::unexpected(listed.error());
  return find_discipline(word, *listed);
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
    chosen = choose_of_plugin<Policy>(plugin, *policies);
  } else {
    chosen = find_policy(word, out.own);
  }
  if (!chosen) return std::unexpected(chosen.error());
  out.policy = std::move(*chosen);
  return out;
}

}  // namespace copse
