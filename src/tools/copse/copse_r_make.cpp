// SPDX-License-Identifier: Apache-2.0
//
// copse r encode, from-hwloc, parse-config: sets out of words, machines and configurations.
#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/idset_algebra.hpp"
#include "formats/hwloc/hwloc_layout.hpp"
#include "formats/hwloc/hwloc_topology.hpp"
#include "formats/rv1/resource_config.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "host/host_name.hpp"
#include "rset/rset_children.hpp"
#include "tools/copse/copse_r.hpp"

namespace copse {

namespace {

struct MakeOptions {
  std::string ranks, cores, gpus, hosts, xml, path;
  std::vector<std::string> files, properties;
  bool local = false;
};

constexpr std::int64_t kRanksMax = 1 << 20;  // as of RLimits

// The ranks of --ranks, or 0 to `otherwise` - 1.
Result<Idset> ranks_of(const MakeOptions& o, std::int64_t otherwise) {
  if (o.ranks.empty()) return first_ids(otherwise);
  auto ranks = idset_option("--ranks", o.ranks);
  if (!ranks) return ranks;
  if (ranks->empty()) return fail(ErrorCode::invalid, "--ranks is empty");
  if (ranks->ranges().back().second > kRankMax || ranks->count() > kRanksMax) {
    return fail(ErrorCode::limit,
                fmt::format("--ranks: more than {} ranks, or one beyond {}", kRanksMax, kRankMax));
  }
  return ranks;
}

// --- encode

// The resources of each rank.
Result<RSet::Children> children_of(const MakeOptions& o) {
  RSet::Children out;
  if (o.local || !o.xml.empty()) {
    const auto text = o.local ? hwloc_xml::local_xml() : read_input(o.xml);
    if (!text) return std::unexpected(text.error());
    auto layout = read_hwloc_layout(*text, o.local ? "this machine" : o.xml);
    if (!layout) return std::unexpected(layout.error());
    out = {{"core", std::move(layout->cores)}, {"gpu", std::move(layout->gpus)}};
  } else {
    const bool neither = o.cores.empty() && o.gpus.empty();
    for (const auto& [option, type, text] :
         {std::tuple{"--cores", "core", neither ? std::string("0") : o.cores},
          std::tuple{"--gpus", "gpu", o.gpus}}) {
      auto ids = idset_option(option, text);
      if (!ids) return std::unexpected(ids.error());
      out.emplace_back(type, std::move(*ids));
    }
  }
  sort_children(out);
  return out;
}

Result<RSet> encode(const MakeOptions& o) {
  if ((o.local || !o.xml.empty()) && !(o.cores.empty() && o.gpus.empty())) {
    return fail(ErrorCode::invalid, "--local and --xml exclude --cores and --gpus");
  }
  if (o.local && !o.xml.empty()) return fail(ErrorCode::invalid, "--local excludes --xml");
  auto hosts = hosts_option("--hosts", o.hosts);
  if (!hosts) return std::unexpected(hosts.error());
  auto ranks = ranks_of(o, std::max<std::int64_t>(std::ssize(*hosts), 1));
  if (!ranks) return std::unexpected(ranks.error());
  if (hosts->empty() && ranks->count() == 1) {
    if (std::string host = host_name(); !host.empty()) hosts->push_back(std::move(host));
  }
  if (!hosts->empty() && std::ssize(*hosts) != ranks->count()) {
    return fail(ErrorCode::invalid,
                fmt::format("{} hosts for {} ranks", hosts->size(), ranks->count()));
  }
  auto children = children_of(o);
  if (!children) return std::unexpected(children.error());
  RSet out;
  out.hosts = std::move(*hosts);
  out.entries.push_back({std::move(*ranks), std::move(*children)});
  out = canonical(std::move(out));
  if (auto ok = set_properties(out, o.properties); !ok) return std::unexpected(ok.error());
  return out;
}

// --- from-hwloc

Result<RSet> from_hwloc(const MakeOptions& o) {
  std::vector<HwlocLayout> layouts;
  for (const std::string& file : o.files) {
    const auto text = read_input(file);
    if (!text) return std::unexpected(text.error());
    auto layout = read_hwloc_layout(*text, input_name(file));
    if (!layout) return std::unexpected(layout.error());
    layouts.push_back(std::move(*layout));
  }
  auto hosts = hosts_option("--hosts", o.hosts);
  if (!hosts) return std::unexpected(hosts.error());
  const auto ranks = ranks_of(o, std::max(std::ssize(layouts), std::ssize(*hosts)));
  if (!ranks) return std::unexpected(ranks.error());
  return r_of_layouts(layouts, *ranks, std::move(*hosts));
}

// --- parse-config

// The file, or the *.toml of a folder in the order of their names.
Result<std::vector<std::string>> toml_files(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
    return std::vector<std::string>{path};  // read_file reports its error
  }
  std::vector<std::string> out;
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr)
    return fail(ErrorCode::io, fmt::format("can't read {}: {}", path, reason_of(errno)));
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name.ends_with(".toml")) out.push_back(fmt::format("{}/{}", path, name));
  }
  ::closedir(folder);
  std::ranges::sort(out);
  return out;
}

// The tables of all files together; each key may be given once.
Result<ResourceConfig> read_configs(const std::vector<std::string>& files) {
  ResourceConfig out;
  for (const std::string& file : files) {
    const auto text = read_file(file);
    if (!text) return std::unexpected(text.error());
    auto config = read_resource_config(*text, file);
    if (!config) return config;
    const auto twice = [&](std::string_view key) {
      return fail(ErrorCode::invalid, fmt::format("resource.{} is given twice", key), {file});
    };
    if (config->r) {
      if (out.r) return twice("config");
      out.r = std::move(config->r);
    }
    for (const auto& [key, from, to] :
         {std::tuple{"path", &config->path, &out.path},
          std::tuple{"scheduling", &config->scheduling, &out.scheduling}}) {
      if (from->empty()) continue;
      if (!to->empty()) return twice(key);
      *to = std::move(*from);
    }
  }
  return out;
}

Result<RSet> parse_config(const MakeOptions& o) {
  const auto files = toml_files(o.path);
  if (!files) return std::unexpected(files.error());
  auto config = read_configs(*files);
  if (!config) return std::unexpected(config.error());
  if (!config->r && config->path.empty()) {
    return fail(ErrorCode::invalid, "neither resource.config nor resource.path is given", {o.path});
  }
  if (config->r && !config->path.empty()) {
    return fail(ErrorCode::invalid, "resource.config and resource.path exclude each other",
                {o.path});
  }
  Result<RSet> out = config->r ? std::move(*config->r) : read_united({config->path});
  if (!out || config->scheduling.empty()) return out;
  const auto text = read_file(config->scheduling);
  if (!text) return std::unexpected(text.error());
  auto scheduling = read_scheduling(*text, config->scheduling);
  if (!scheduling) return std::unexpected(scheduling.error());
  out->scheduling = std::move(*scheduling);
  return out;
}

void add_ranks_and_hosts(CommandLine& sub, MakeOptions& o) {
  sub.option("-r,--ranks", o.ranks, "the ranks (default: 0, or as many as there are hosts)")
      .unit("RANKS");
  sub.option("-H,--hosts", o.hosts,
             "a hostlist, one host for each rank (default: of a single rank this host, else none)")
      .unit("HOSTLIST");
}

}  // namespace

void add_r_make(CommandLine& r) {
  auto o = std::make_shared<MakeOptions>();
  CommandLine sub =
      r.command("encode", "Write a set in which every rank has the same resources",
                "Without a hostlist, a single rank gets the name of this host.\n"
                "Examples:\n  copse r encode -r 0-1 -c 0-3 -g 0-1 -H 'foo[0-1]' -p fast:1\n"
                "  copse r encode --xml node.xml -r 0-99",
                [o] { return answer(encode(*o)); });
  add_ranks_and_hosts(sub, *o);
  sub.option("-c,--cores", o->cores, "cores of each rank (default: 0, without --gpus)").unit("IDS");
  sub.option("-g,--gpus", o->gpus, "gpus of each rank").unit("IDS");
  sub.option("-p,--property", o->properties,
             "a property of all ranks (NAME) or of some (NAME:RANKS); may be given several times")
      .one_at_a_time()
      .unit("PROPERTY");
  sub.option("-f,--xml", o->xml,
             "take the cores and gpus of each rank from hwloc XML; - is standard input")
      .reads_file();
  sub.flag("-l,--local", o->local, "take the cores and gpus of this machine");

  o = std::make_shared<MakeOptions>();
  sub = r.command("from-hwloc", "Write the set of nodes with their layouts, for TreePool (RFC 49)",
                  "Give one file for each rank, in order, or one file for all ranks. Equal "
                  "layouts are written once. Host names come from the files, unless given.\n"
                  "Examples:\n"
                  "  lstopo --of xml | copse r from-hwloc -\n"
                  "  copse r from-hwloc login.xml node1.xml node2.xml\n"
                  "  copse r from-hwloc -r 0-99 -H 'node[0-99]' node.xml",
                  [o] { return answer(from_hwloc(*o)); });
  sub.option("file", o->files, "hwloc XML (lstopo --of xml); - is standard input")
      .reads_file()
      .required();
  add_ranks_and_hosts(sub, *o);

  o = std::make_shared<MakeOptions>();
  sub = r.command("parse-config", "Write the set that a Flux configuration describes",
                  "Reads the table [resource]: config, path, scheduling.\n"
                  "Example:\n  copse r parse-config /etc/flux/system/conf.d",
                  [o] { return answer(parse_config(*o)); });
  sub.option("path", o->path, "a TOML file, or a folder of them").reads_file().required();
}

}  // namespace copse
