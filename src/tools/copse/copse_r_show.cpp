// SPDX-License-Identifier: Apache-2.0
//
// copse r decode, info, verify, validate: the contents of a set.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "base/hostlist.hpp"
#include "base/idset_algebra.hpp"
#include "base/nearest_word.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_properties.hpp"
#include "rset/rset_verify.hpp"
#include "text/json_writer.hpp"
#include "tools/copse/copse_r.hpp"

namespace copse {

namespace {

// --- decode

struct DecodeOptions {
  std::vector<std::string> files, properties;
  std::string count, include, exclude;
  bool short_text = false, nodelist = false, ranks = false;
};

// The ranks that the options select.
Result<Idset> chosen_ranks(const RSet& r, const DecodeOptions& o) {
  Idset ranks = r.ranks();
  for (const std::string& property : o.properties) {
    ranks = intersect(ranks, ranks_with(r, property));
  }
  if (!o.include.empty()) {
    const auto include = idset_option("--include", o.include);
    if (!include) return include;
    ranks = intersect(ranks, *include);
  }
  if (o.exclude.empty()) return ranks;
  const auto exclude = idset_option("--exclude", o.exclude);
  return exclude ? subtract(ranks, *exclude) : exclude;
}

// A type of --count. A set may have none of it: only a word close to a known type is refused.
Result<void> check_type(const RSet& set, const std::string& type) {
  const std::vector<std::string> has = types(set);
  std::vector<std::string_view> known{"node", "core", "gpu"};
  for (const std::string& one : has) {
    if (std::ranges::find(known, one) == known.end()) known.emplace_back(one);
  }
  const bool is_known = std::ranges::find(known, type) != known.end();
  if (is_known || nearest_word(type, known).empty()) return {};
  return fail(ErrorCode::invalid, "--count: " + unknown_word("type", type, known));
}

int run_decode(const DecodeOptions& o) {
  auto r = read_united(o.files);
  if (!r) return unusable(r.error());
  if (!o.properties.empty() || !o.include.empty() || !o.exclude.empty()) {
    const auto ranks = chosen_ranks(*r, o);
    if (!ranks) return unusable(ranks.error());
    r = select_ranks(*r, *ranks);
  }
  if (!o.short_text && !o.nodelist && !o.ranks && o.count.empty()) {
    return answer(std::move(r));
  }
  const RSet set = canonical(std::move(*r));
  if (auto ok = check_type(set, o.count); !ok) return unusable(ok.error());
  std::string out;
  if (o.short_text) {
    append_r_short(out, set);
    out += '\n';
  }
  if (o.nodelist) out += compress_hostlist(set.hosts) + '\n';
  if (o.ranks) out += set.ranks().text() + '\n';
  if (!o.count.empty()) out += fmt::format("{}\n", count(set, o.count));
  return write_text(out);
}

// --- info

struct InfoOptions {
  std::vector<std::string> files;
  bool json = false;
};

std::string writer_of(const RScheduling& scheduling) {
  if (!scheduling.present()) return "none";
  return scheduling.treepool ? "TreePool" : "another scheduler's";
}

std::string info_text(const RSet& r) {
  std::string out = fmt::format("nodes       {}\n", count(r, "node"));
  for (const std::string& type : types(r)) {
    out += fmt::format("{:<11} {}\n", type + 's', count(r, type));
  }
  out += fmt::format("ranks       {}\n", r.ranks().text());
  if (!r.hosts.empty()) out += fmt::format("hosts       {}\n", compress_hostlist(r.hosts));
  for (const auto& [name, ranks] : r.properties) {
    out += fmt::format("property    {}: {}\n", name, ranks.text());
  }
  if (r.nslots > 0) out += fmt::format("slots       {}\n", r.nslots);
  if (r.starttime_s > 0) out += fmt::format("starttime   {}\n", r.starttime_s);
  if (r.expiration_s > 0) out += fmt::format("expiration  {}\n", r.expiration_s);
  out += fmt::format("scheduling  {}\n", writer_of(r.scheduling));
  if (r.scheduling.treepool) {
    const Idset named = child_ranks(r.scheduling), bare = subtract(r.ranks(), named);
    out += fmt::format("layouts     {}\n", r.scheduling.children.size());
    if (!bare.empty()) out += fmt::format("no layout   {}\n", bare.text());
  }
  return out;
}

std::string info_json(const RSet& r) {
  const std::string out = object_text([&](JsonWriter& json) {
    json.member("nodes", count(r, "node"));
    json.object("types", [&] {
      for (const std::string& type : types(r)) json.member(type, count(r, type));
    });
    json.member("ranks", r.ranks());
    json.member("hosts", compress_hostlist(r.hosts));
    json.member("nslots", r.nslots);
    json.member("scheduling", writer_of(r.scheduling));
    json.member("layouts", r.scheduling.children.size());
  });
  return out + '\n';
}

int run_info(const InfoOptions& o) {
  auto r = read_united(o.files);
  if (!r) return unusable(r.error());
  const RSet set = canonical(std::move(*r));
  return write_text(o.json ? info_json(set) : info_text(set));
}

// --- verify

struct VerifyOptions {
  std::vector<std::string> files, modes;
};

Result<VerifyModes> parse_modes(const std::vector<std::string>& words) {
  static const std::map<std::string, VerifyMode> modes{{"strict", VerifyMode::strict},
                                                       {"allow-extra", VerifyMode::allow_extra},
                                                       {"allow-missing", VerifyMode::allow_missing},
                                                       {"ignore", VerifyMode::ignore}};
  VerifyModes out;
  for (const std::string& word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto mode = modes.find(equals < word.size() ? word.substr(equals + 1) : word);
    if (mode == modes.end()) {
      return fail(ErrorCode::invalid,
                  fmt::format("--mode {:.64}: there are strict, allow-extra, allow-missing and "
                              "ignore, for all or as in gpu=ignore",
                              word));
    }
    if (equals < word.size()) {
      out.of[word.substr(0, equals)] = mode->second;
    } else {
      out.others = mode->second;
    }
  }
  return out;
}

std::string sentence(const Difference& d, const HostsByRank& hosts) {
  using Kind = Difference::Kind;
  const std::string ranks = (d.ranks.count() == 1 ? "rank " : "ranks ") + d.ranks.text();
  if (d.kind == Kind::unknown_rank) return ranks + " not found in expected ranks";
  if (d.kind == Kind::hostname) {
    return fmt::format("{} got hostname '{}', expected '{}'", ranks, d.host, d.expected_host);
  }
  std::string out = ranks;
  std::vector<std::string> names;
  for (const auto& [first, last] : d.ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) {
      if (const std::string* host = hosts.find(rank)) names.push_back(*host);
    }
  }
  if (!names.empty()) out += fmt::format(" ({})", compress_hostlist(names));
  out += d.ranks.count() == 1
             ? (d.kind == Kind::missing ? " missing resources: " : " has extra resources: ")
             : (d.kind == Kind::missing ? " miss resources: " : " have extra resources: ");
  append_children_short(out, d.children);
  return out;
}

int run_verify(const VerifyOptions& o) {
  const auto sets = read_sets(o.files);
  if (!sets) return unusable(sets.error());
  if (sets->size() != 2) {
    return unusable(
        {ErrorCode::invalid,
         fmt::format("two sets are required, the expected and the actual one; there {} {}",
                     sets->size() == 1 ? "is" : "are", sets->size()),
         {}});
  }
  const auto modes = parse_modes(o.modes);
  if (!modes) return unusable(modes.error());
  const auto found = verify((*sets)[0], (*sets)[1], *modes);
  if (!found) return unusable(found.error());
  const HostsByRank hosts((*sets)[1]);
  std::string out;
  bool wrong = false;
  for (const Difference& d : *found) {
    out += sentence(d, hosts) + '\n';
    wrong = wrong || d.kind != Difference::Kind::extra;
  }
  const int status = write_text(out);
  return status == kDone && wrong ? kNo : status;
}

// --- validate

int run_validate(const std::vector<std::string>& files) {
  int status = kDone;
  for (const std::string& file : files.empty() ? std::vector<std::string>{"-"} : files) {
    const auto text = read_input(file);
    if (!text) return unusable(text.error());
    const RLimits strict{.rules = RRules::strict, .layouts = TreepoolLimits{}};
    const auto sets = read_rs(*text, input_name(file), strict);
    if (sets) continue;
    unusable(sets.error());
    status = kNo;
  }
  return status;
}

}  // namespace

void add_r_show(CommandLine& r) {
  auto decode = std::make_shared<DecodeOptions>();
  CommandLine sub =
      r.command("decode", "Show the union of sets; without options, as one R",
                "Several options print one line each, in the order of this list.\n"
                "Examples:\n"
                "  copse r decode --short r.json\n"
                "  copse r decode --exclude 0 --properties fast,^old --count core < r.json",
                [decode] { return run_decode(*decode); });
  sub.flag("-s,--short", decode->short_text, "in short, as in rank[0-1]/core[0-3],gpu0");
  sub.flag("-n,--nodelist", decode->nodelist, "the hosts, in the order of ranks");
  sub.flag("-r,--ranks", decode->ranks, "the ranks");
  sub.option("-c,--count", decode->count, "the number of this type: node, core, gpu, …")
      .unit("TYPE")
      .suggests({"node", "core", "gpu"});
  sub.option("-i,--include", decode->include, "only these ranks").unit("RANKS");
  sub.option("-x,--exclude", decode->exclude, "without these ranks").unit("RANKS");
  sub.list("-p,--properties", decode->properties,
           "only ranks with all of these properties, or without those after ^")
      .unit("NAMES");
  sub.option("file", decode->files, "files with one or more R each; none or -: standard input")
      .reads_file();

  auto info = std::make_shared<InfoOptions>();
  sub = r.command("info", "Summarise the union of sets",
                  "Examples:\n  copse r info r.json\n  copse r info --json r.json | jq .types.core",
                  [info] { return run_info(*info); });
  sub.flag("--json", info->json, "print one line of JSON");
  sub.option("file", info->files, "files with one or more R each; none or -: standard input")
      .reads_file();

  auto check = std::make_shared<VerifyOptions>();
  sub = r.command("verify", "Compare the expected resources with the actual ones",
                  "Prints the differences on standard output. Exit status 1: a rank, host or "
                  "resource is missing; extra resources are printed, too, but with status 0.\n"
                  "Examples:\n"
                  "  copse r verify expected.json found.json\n"
                  "  copse r verify --mode gpu=allow-missing expected.json found.json",
                  [check] { return run_verify(*check); });
  sub.option("-m,--mode", check->modes,
             "the differences to accept: strict (default), allow-extra, allow-missing or ignore; "
             "or WHAT=MODE for hostname or a type; may be given several times")
      .one_at_a_time()
      .unit("MODE")
      .suggests({"strict", "allow-extra", "allow-missing", "ignore", "hostname=ignore",
                 "core=ignore", "gpu=ignore"});
  sub.option("file", check->files,
             "the expected set, then the actual one; none or -: standard input")
      .reads_file();

  auto files = std::make_shared<std::vector<std::string>>();
  sub = r.command("validate", "Check sets by every rule of RFC 20 and 49",
                  "Exit status 1: a rule is broken; standard error has the rule and the place.\n"
                  "Example:\n  copse r validate job.json",
                  [files] { return run_validate(*files); });
  sub.option("file", *files, "files with one or more R each; none or -: standard input")
      .reads_file();
}

}  // namespace copse
