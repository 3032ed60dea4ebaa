// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/resource_config.hpp"

#ifndef COPSE_HAS_TOML

namespace copse {

Result<ResourceConfig> read_resource_config(std::string_view, std::string_view file) {
  return fail(ErrorCode::unsupported, "this build of Copse cannot read TOML", {std::string(file)});
}

}  // namespace copse

#else

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/idset_algebra.hpp"
#include "base/utf8.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_properties.hpp"
#include "text/toml_text.hpp"

namespace copse {

namespace {

constexpr std::size_t kHostsMax = 1u << 20;
constexpr std::int64_t kIdMax = INT64_C(1) << 53;

class ConfigReader {
 public:
  explicit ConfigReader(std::string_view file) : file_(file) {}

  Result<ResourceConfig> read(const toml::table& root) {
    ResourceConfig out;
    const toml::node* resource = root.get("resource");
    if (resource == nullptr) return out;
    if (!resource->is_table()) return refuse(*resource, "resource must be a table");
    const toml::table& table = *resource->as_table();
    for (const auto& [key, value] : table) {
      if (is_misspelt(key.str(), kResourceConfigKeys)) {
        return refuse(value, unknown_key("key", key.str(), kResourceConfigKeys));
      }
    }
    for (auto [key, to] :
         {std::pair{"path", &out.path}, std::pair{"scheduling", &out.scheduling}}) {
      if (const toml::node* node = table.get(key)) {
        auto text = string(*node, key);
        if (!text) return std::unexpected(text.error());
        if (text->empty()) return refuse(*node, fmt::format("{} is empty", key));
        *to = *text;
      }
    }
    if (const toml::node* config = table.get("config")) {
      auto r = read_entries(*config);
      if (!r) return std::unexpected(r.error());
      out.r = std::move(*r);
    }
    return out;
  }

 private:
  [[nodiscard]] std::unexpected<Error> refuse(const toml::node& node, std::string sentence,
                                              ErrorCode code = ErrorCode::invalid) const {
    return fail(code, std::move(sentence), place_of(node, file_));
  }

  Result<std::string> string(const toml::node& node, std::string_view what) const {
    if (const auto* text = node.as_string()) return text->get();
    return refuse(node, fmt::format("{} must be a string", what));
  }

  Result<RSet> read_entries(const toml::node& config) {
    if (!config.is_array()) return refuse(config, "resource.config must be an array of tables");
    for (const toml::node& entry : *config.as_array()) {
      if (auto ok = read_entry(entry); !ok) return std::unexpected(ok.error());
    }
    if (r_.hosts.empty()) return refuse(config, "resource.config has no hosts");
    if (auto ok = merge_repeated_ranks(r_, Repeated::united); !ok) {
      return refuse(config, ok.error().text, ok.error().code);
    }
    const Idset bare = subtract(first_ids(std::ssize(r_.hosts)), r_.ranks());
    if (!bare.empty()) {
      return refuse(config,
                    fmt::format("resource.config gives host {:.64} no resources",
                                r_.hosts[static_cast<std::size_t>(bare.ranges().front().first)]));
    }
    for (auto& [name, ranges] : properties_) {
      r_.properties.emplace_back(name, idset_of(std::move(ranges)));
    }
    return canonical(std::move(r_));
  }

  Result<void> read_entry(const toml::node& node) {
    const toml::table* entry = node.as_table();
    if (entry == nullptr) return refuse(node, "an entry of resource.config must be a table");
    RSet::Entry made;
    std::vector<std::string> properties;
    const toml::node* hosts = nullptr;
    for (const auto& [key, value] : *entry) {
      Result<void> ok{};
      if (key.str() == "hosts") {
        hosts = &value;
      } else if (key.str() == "cores") {
        ok = read_ids(value, "cores", "core", made.children);
      } else if (key.str() == "gpus") {
        ok = read_ids(value, "gpus", "gpu", made.children);
      } else if (key.str() == "properties") {
        ok = read_properties(value, properties);
      } else {
        ok = refuse(value,
                    fmt::format("an entry of resource.config has the key {:.64}{}", key.str(),
                                known_words_hint(key.str(), names_of(kResourceConfigEntryKeys))));
      }
      if (!ok) return ok;
    }
    if (hosts == nullptr) return refuse(node, "an entry of resource.config has no hosts");
    auto ranks = read_hosts(*hosts);
    if (!ranks) return std::unexpected(ranks.error());
    made.ranks = std::move(*ranks);
    for (const std::string& name : properties) {
      auto& to = properties_[name];
      to.insert(to.end(), made.ranks.ranges().begin(), made.ranks.ranges().end());
    }
    if (!made.ranks.empty() && !made.children.empty()) r_.entries.push_back(std::move(made));
    return {};
  }

  Result<void> read_ids(const toml::node& node, std::string_view what, std::string_view type,
                        RSet::Children& to) const {
    const auto text = string(node, what);
    if (!text) return std::unexpected(text.error());
    auto ids = Idset::parse(*text);
    if (!ids) return refuse(node, fmt::format("{}: {}", what, ids.error().text), ids.error().code);
    if (!ids->empty() && ids->ranges().back().second > kIdMax) {
      return refuse(node, fmt::format("{} go beyond {}", what, kIdMax), ErrorCode::limit);
    }
    if (!ids->empty()) to.emplace_back(type, std::move(*ids));
    return {};
  }

  Result<void> read_properties(const toml::node& node, std::vector<std::string>& to) const {
    const toml::array* names = node.as_array();
    if (names == nullptr) return refuse(node, "properties must be an array of strings");
    for (const toml::node& name : *names) {
      auto text = string(name, "a property");
      if (!text) return std::unexpected(text.error());
      if (auto wrong = wrong_property(*text); !wrong.empty()) return refuse(name, std::move(wrong));
      to.push_back(std::move(*text));
    }
    return {};
  }

  Result<Idset> read_hosts(const toml::node& node) {
    const auto text = string(node, "hosts");
    if (!text) return std::unexpected(text.error());
    auto hosts = expand_hostlist(*text, kHostsMax);
    if (!hosts) return refuse(node, "hosts: " + hosts.error().text, hosts.error().code);
    if (hosts->empty()) return refuse(node, "an entry of resource.config has no hosts");
    named_ += hosts->size();
    std::vector<Idset::Range> ranks;
    for (std::string& host : *hosts) {
      const auto [at, is_new] = ranks_.try_emplace(host, std::ssize(r_.hosts));
      if (is_new) r_.hosts.push_back(std::move(host));
      ranks.emplace_back(at->second, at->second);
    }
    if (r_.hosts.size() > kHostsMax || named_ > 4 * kHostsMax) {
      return refuse(node, fmt::format("resource.config names more than {} hosts", kHostsMax),
                    ErrorCode::limit);
    }
    return idset_of(std::move(ranks));
  }

  std::string file_;
  RSet r_;
  std::unordered_map<std::string, std::int64_t> ranks_;
  std::map<std::string, std::vector<Idset::Range> > properties_;
  std::size_t named_ = 0;
};

}  // namespace

Result<ResourceConfig> read_resource_config(std::string_view text, std::string_view file) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return std::unexpected(parsed.error());
  return ConfigReader(file).read(*parsed);
}

}  // namespace copse

#endif
