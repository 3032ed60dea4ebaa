// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/gres/slurm_gres_conf.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "formats/slurm/slurm_hosts.hpp"
#include "text/slurm_hostlist.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

constexpr std::array<std::string_view, 15> kGresKeys{
    "AutoDetect", "Cores", "Count", "CPUs", "File",          "Files",    "Flags",   "Ignore",
    "Link",       "Links", "Name",  "Type", "MultipleFiles", "NodeName", "UniqueId"};
constexpr std::size_t kFilesMax = 1U << 16;

// Devices of one line.
struct Devices {
  std::string name, type;
  std::int64_t count = 1;
  Idset cores;
  SourceLocation place;
};

// Of a node: a line, and how many of its devices are not given out yet.
struct Share {
  const Devices* devices;
  std::int64_t left;
};

bool shares_devices(std::string_view name) { return name == "shard" || name == "mps"; }

class GresConfReader {
 public:
  explicit GresConfReader(SlurmMachine& to) : to_(to), hosts_(to), of_node_(to.nodes.size()) {}

  Result<void> read(const std::vector<SlurmLine>& lines) {
    if (lines.size() > kGresLinesMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} lines", kGresLinesMax),
                  {lines.front().place.file});
    }
    devices_.reserve(lines.size());
    for (const SlurmLine& line : lines) {
      if (auto ok = read_line(line); !ok) return ok;
    }
    for (std::size_t i = 0; i < of_node_.size(); ++i) {
      if (of_node_[i].empty()) continue;
      if (auto ok = merge(to_.nodes[i], of_node_[i]); !ok) return ok;
    }
    for (const Few& few : few_) {
      remark(few.place,
             fmt::format("node {}{} {} {} of {} here and {} in slurm.conf: {} count", few.first,
                         more_nodes(few.nodes - 1), few.nodes == 1 ? "has" : "have", few.here,
                         few.name, few.there, few.there));
    }
    return {};
  }

 private:
  struct Few {
    std::string first, name;  // node, GRES
    std::int64_t here = 0, there = 0;
    std::size_t nodes = 0;
    SourceLocation place;
  };

  Result<void> read_line(const SlurmLine& line) {
    for (const SlurmSetting& setting : line.settings) {
      const bool known = std::ranges::any_of(
          kGresKeys, [&](std::string_view key) { return same_key(key, setting.key); });
      if (!known) return refuse(line.place, unknown_word("key", setting.key, kGresKeys));
    }
    const std::string* detect = line.find("AutoDetect");
    if (detect != nullptr && !same_key(*detect, "off") && !detect_said_) {
      detect_said_ = true;
      remark(line.place,
             fmt::format("AutoDetect={} is ignored: nodes have the GRES that slurm.conf "
                         "and gres.conf name",
                         *detect));
    }
    const std::string* name = line.find("Name");
    if (name == nullptr && detect != nullptr) return {};
    if (name == nullptr || name->empty()) return refuse(line.place, "the line has no Name");
    auto devices = read_devices(line, *name);
    if (!devices) return std::unexpected(devices.error());
    devices_.push_back(std::move(*devices));
    return give(line, devices_.back());
  }

  static Result<Devices> read_devices(const SlurmLine& line, const std::string& name) {
    Devices out{.name = name, .type = {}, .cores = {}, .place = line.place};
    if (const std::string* type = line.find("Type")) out.type = *type;
    std::optional<std::int64_t> files;
    if (line.find("MultipleFiles") != nullptr) files = 1;
    for (const std::string_view key : {"File", "Files"}) {
      const std::string* text = line.find(key);
      if (text == nullptr) continue;
      const auto paths = expand_slurm_hosts(*text, kFilesMax);
      if (!paths) return refuse(line.place, "File: " + paths.error().text, paths.error().code);
      files = static_cast<std::int64_t>(paths->size());
    }
    out.count = files.value_or(1);
    if (const std::string* text = line.find("Count")) {
      const auto count = gres_count(*text);
      if (!count) return refuse(line.place, fmt::format("Count is {}, not a number", quote(*text)));
      if (files && *files != *count && !shares_devices(name)) {
        return refuse(line.place, fmt::format("Count is {}, and File has {}", *count, *files));
      }
      out.count = *count;
    }
    for (const std::string_view key : {"Cores", "CPUs"}) {
      const std::string* text = line.find(key);
      if (text == nullptr) continue;
      auto cores = Idset::parse(*text);
      if (!cores) {
        return refuse(line.place,
                      fmt::format("{} is {}, not a list of ascending numbers", key, quote(*text)));
      }
      out.cores = std::move(*cores);
    }
    return out;
  }

  // To the nodes of NodeName, or to all.
  Result<void> give(const SlurmLine& line, const Devices& devices) {
    const std::string* names = line.find("NodeName");
    if (names == nullptr) {
      if (auto ok = count(line, of_node_.size()); !ok) return ok;
      for (auto& shares : of_node_) shares.push_back({&devices, devices.count});
      return {};
    }
    const auto hosts = expand_slurm_hosts(*names, kSlurmNodesMax);
    if (!hosts) return refuse(line.place, hosts.error().text, hosts.error().code);
    if (auto ok = count(line, hosts->size()); !ok) return ok;
    const SlurmHosts::Found found = hosts_.find(*hosts);
    if (const std::string text = found.unknown_text(); !text.empty()) remark(line.place, text);
    std::string_view first;
    std::size_t without = 0;
    for (const std::size_t i : found.nodes) {
      of_node_[i].push_back({&devices, devices.count});
      const auto& has = to_.nodes[i].gres;
      if (std::ranges::find(has, devices.name, &SlurmGres::name) != has.end()) continue;
      if (without++ == 0) first = to_.nodes[i].name;
    }
    if (without > 0) {
      remark(line.place, fmt::format("node {}{} has no {} in slurm.conf: the line adds none", first,
                                     more_nodes(without - 1), devices.name));
    }
    return {};
  }

  Result<void> count(const SlurmLine& line, std::size_t nodes) {
    shares_ += nodes;
    if (shares_ <= kGresLinesOfNodesMax) return {};
    return refuse(line.place,
                  fmt::format("lines have more than {} nodes together", kGresLinesOfNodesMax),
                  ErrorCode::limit);
  }

  // The counts of slurm.conf, with the types and cores of their devices.
  Result<void> merge(SlurmNode& node, std::vector<Share>& shares) {
    std::vector<SlurmGres> out;
    for (const SlurmGres& gres : node.gres) {
      std::int64_t left = gres.count;
      const Devices *last = nullptr, *of_other_type = nullptr;
      for (Share& share : shares) {
        const Devices& d = *share.devices;
        const bool same_type = gres.type.empty() || d.type.empty() || same_word(gres.type, d.type);
        if (d.name == gres.name && !same_type) of_other_type = &d;
        if (d.name != gres.name || !same_type) continue;
        last = &d;
        const std::int64_t n = std::min(left, share.left);
        if (n == 0) continue;
        if (auto ok = check_cores(node, d); !ok) return ok;
        out.push_back({gres.name, gres.type.empty() ? d.type : gres.type, n, {}, d.cores});
        left -= n;
        share.left -= n;
      }
      if (left == 0) continue;
      out.push_back({gres.name, gres.type, left, {}, {}});
      const Devices* place = last != nullptr ? last : of_other_type;
      if (place != nullptr) note_few(node, gres, last == nullptr, left, place->place);
    }
    if (out.size() > kGresKindsMax) {
      return refuse(shares.front().devices->place,
                    fmt::format("node {} has more than {} kinds of GRES", node.name, kGresKindsMax),
                    ErrorCode::limit);
    }
    node.gres = std::move(out);
    return {};
  }

  static Result<void> check_cores(const SlurmNode& node, const Devices& devices) {
    const std::int64_t cores = node.sockets * node.cores;
    if (devices.cores.empty() || devices.cores.ranges().back().second < cores) return {};
    return refuse(devices.place,
                  fmt::format("{} is beyond the cores of node {}, which has {}",
                              devices.cores.ranges().back().second, node.name, cores));
  }

  // Nodes of the same counts share a remark. `type`: only devices of other types are here.
  void note_few(const SlurmNode& node, const SlurmGres& gres, bool type, std::int64_t missing,
                const SourceLocation& place) {
    const std::int64_t here = gres.count - missing;
    const std::string name = type ? gres.name + ":" + gres.type : gres.name;
    auto at = std::ranges::find_if(few_, [&](const Few& few) {
      return few.name == name && few.here == here && few.there == gres.count;
    });
    if (at == few_.end()) {
      at = few_.insert(few_.end(), {node.name, name, here, gres.count, 0, place});
    }
    ++at->nodes;
  }

  void remark(const SourceLocation& place, std::string text) {
    to_.remarks.push_back(Error{ErrorCode::invalid, std::move(text), place}.message());
  }
  static std::string quote(const std::string& text) { return xml::quoted(text); }
  static std::unexpected<Error> refuse(const SourceLocation& place, std::string text,
                                       ErrorCode code = ErrorCode::invalid) {
    return fail(code, std::move(text), place);
  }

  SlurmMachine& to_;
  SlurmHosts hosts_;
  std::vector<Devices> devices_;  // never grows beyond what is reserved: shares point to them
  std::vector<std::vector<Share>> of_node_;
  std::vector<Few> few_;
  std::size_t shares_ = 0;
  bool detect_said_ = false;
};

}  // namespace

Result<void> read_slurm_gres_conf(std::string_view text, std::string_view file, SlurmMachine& to,
                                  const SlurmFiles& files) {
  const auto lines = read_slurm_lines(text, file, files);
  if (!lines) return std::unexpected(lines.error());
  return GresConfReader(to).read(*lines);
}

}  // namespace copse
