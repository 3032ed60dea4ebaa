// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/resource_config.hpp"

#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/idset_algebra.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_properties.hpp"
#include "text/tree/toml_tree.hpp"

namespace copse {

namespace {

constexpr std::size_t kHostsMax = 1u << 20;
constexpr std::int64_t kIdMax = INT64_C(1) << 53;

class ConfigReader {
 public:
  Result<ResourceConfig> read(TreeView root) {
    ResourceConfig out;
    const auto resource = root.find("resource");
    if (!resource) return out;
    const auto table = resource->read_table("resource");
    if (!table) return std::unexpected(table.error());
    for (const auto& [key, value] : table->members()) {
      if (is_misspelt(key.text(), kResourceConfigKeys)) {
        return value.fail(unknown_key("key", key.text(), kResourceConfigKeys));
      }
    }
    for (auto [key, to] :
         {std::pair{"path", &out.path}, std::pair{"scheduling", &out.scheduling}}) {
      if (const auto node = table->find(key)) {
        auto text = node->read_text(key);
        if (!text) return std::unexpected(text.error());
        if (text->empty()) return node->fail(fmt::format("{} is empty", key));
        *to = *text;
      }
    }
    if (const auto config = table->find("config")) {
      auto r = read_entries(*config);
      if (!r) return std::unexpected(r.error());
      out.r = std::move(*r);
    }
    return out;
  }

 private:
  Result<RSet> read_entries(TreeView config) {
    if (!config.is_sequence()) return config.fail("resource.config must be an array of tables");
    for (const TreeView entry : config.entries()) {
      if (auto ok = read_entry(entry); !ok) return std::unexpected(ok.error());
    }
    if (r_.hosts.empty()) return config.fail("resource.config has no hosts");
    if (auto ok = merge_repeated_ranks(r_, Repeated::united); !ok) {
      return config.fail(ok.error().text, ok.error().code);
    }
    const Idset bare = subtract(first_ids(std::ssize(r_.hosts)), r_.ranks());
    if (!bare.empty()) {
      return config.fail(
          fmt::format("resource.config gives host {:.64} no resources",
                      r_.hosts[static_cast<std::size_t>(bare.ranges().front().first)]));
    }
    for (auto& [name, ranges] : properties_) {
      r_.properties.emplace_back(name, idset_of(std::move(ranges)));
    }
    return canonical(std::move(r_));
  }

  Result<void> read_entry(TreeView entry) {
    if (!entry.is_mapping()) return entry.fail("an entry of resource.config must be a table");
    RSet::Entry made;
    std::vector<std::string> properties;
    std::optional<TreeView> hosts;
    for (const auto& [name, value] : entry.members()) {
      const std::string_view key = name.text();
      Result<void> ok{};
      if (key == "hosts") {
        hosts = value;
      } else if (key == "cores") {
        ok = read_ids(value, "cores", "core", made.children);
      } else if (key == "gpus") {
        ok = read_ids(value, "gpus", "gpu", made.children);
      } else if (key == "properties") {
        ok = read_properties(value, properties);
      } else {
        ok = value.fail(fmt::format("an entry of resource.config has the key {:.64}{}", key,
                                    known_words_hint(key, names_of(kResourceConfigEntryKeys))));
      }
      if (!ok) return ok;
    }
    if (!hosts) return entry.fail("an entry of resource.config has no hosts");
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

  static Result<void> read_ids(TreeView node, std::string_view what, std::string_view type,
                               RSet::Children& to) {
    const auto text = node.read_text(what);
    if (!text) return std::unexpected(text.error());
    auto ids = Idset::parse(*text);
    if (!ids) return node.fail(fmt::format("{}: {}", what, ids.error().text), ids.error().code);
    if (!ids->empty() && ids->ranges().back().second > kIdMax) {
      return node.fail(fmt::format("{} go beyond {}", what, kIdMax), ErrorCode::limit);
    }
    if (!ids->empty()) to.emplace_back(type, std::move(*ids));
    return {};
  }

  static Result<void> read_properties(TreeView names, std::vector<std::string>& to) {
    if (!names.is_sequence()) return names.fail("properties must be an array of strings");
    for (const TreeView name : names.entries()) {
      auto text = name.read_text("a property");
      if (!text) return std::unexpected(text.error());
      if (auto wrong = wrong_property(*text); !wrong.empty()) return name.fail(std::move(wrong));
      to.push_back(std::move(*text));
    }
    return {};
  }

  Result<Idset> read_hosts(TreeView node) {
    const auto text = node.read_text("hosts");
    if (!text) return std::unexpected(text.error());
    auto hosts = expand_hostlist(*text, kHostsMax);
    if (!hosts) return node.fail("hosts: " + hosts.error().text, hosts.error().code);
    if (hosts->empty()) return node.fail("an entry of resource.config has no hosts");
    named_ += hosts->size();
    std::vector<Idset::Range> ranks;
    for (std::string& host : *hosts) {
      const auto [at, is_new] = ranks_.try_emplace(host, std::ssize(r_.hosts));
      if (is_new) r_.hosts.push_back(std::move(host));
      ranks.emplace_back(at->second, at->second);
    }
    if (r_.hosts.size() > kHostsMax || named_ > 4 * kHostsMax) {
      return node.fail(fmt::format("resource.config names more than {} hosts", kHostsMax),
                       ErrorCode::limit);
    }
    return idset_of(std::move(ranks));
  }

  RSet r_;
  std::unordered_map<std::string, std::int64_t> ranks_;
  std::map<std::string, std::vector<Idset::Range> > properties_;
  std::size_t named_ = 0;
};

}  // namespace

Result<ResourceConfig> read_resource_config(std::string_view text, std::string_view file) {
  const auto tree = read_toml_tree(text, file);
  if (!tree) return std::unexpected(tree.error());
  return ConfigReader().read(TreeView(*tree));
}

}  // namespace copse
