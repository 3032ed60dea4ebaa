// SPDX-License-Identifier: Apache-2.0
//
// copse r append, diff, intersect, remap, rerank, normalize, set-property: sets in, a set out.
#include "tools/copse/copse_r.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/hostlist.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_properties.hpp"
#include "rset/rset_ranks.hpp"

namespace copse {

Result<std::vector<RSet>> read_sets(const std::vector<std::string>& files) {
  std::vector<RSet> out;
  for (const std::string& file : files.empty() ? std::vector<std::string>{"-"} : files) {
    const auto text = read_input(file);
    if (!text) return std::unexpected(text.error());
    auto sets = read_rs(*text, input_name(file), {.rules = RRules::merging});
    if (!sets) return sets;
    for (RSet& set : *sets) out.push_back(std::move(set));
  }
  return out;
}

namespace {

// Combines sets from the left.
template <class Combine>
Result<RSet> fold(Result<std::vector<RSet>> sets, std::size_t least, Combine combine) {
  if (!sets) return std::unexpected(sets.error());
  if (sets->size() < least) {
    return fail(ErrorCode::invalid, fmt::format("at least {} sets are required; there {} {}", least,
                                                sets->size() == 1 ? "is" : "are", sets->size()));
  }
  RSet out = std::move((*sets)[0]);
  for (std::size_t i = 1; i < sets->size(); ++i) {
    auto next = combine(out, (*sets)[i]);
    if (!next) {
      next.error().text = fmt::format("set {}: {}", i + 1, next.error().text);
      return next;
    }
    out = std::move(*next);
  }
  return out;
}

}  // namespace

Result<RSet> read_united(const std::vector<std::string>& files) {
  return fold(read_sets(files), 1, [](const RSet& a, const RSet& b) { return unite(a, b); });
}

Result<Idset> idset_option(const std::string& option, const std::string& text) {
  auto ids = Idset::parse(text);
  if (!ids) ids.error() = {ids.error().code, option + ": " + ids.error().text, {}};
  return ids;
}

Result<std::vector<std::string>> hosts_option(const std::string& option, const std::string& text) {
  auto hosts = expand_hostlist(text);
  if (!hosts) hosts.error() = {hosts.error().code, option + ": " + hosts.error().text, {}};
  if (hosts && hosts->empty() && !text.empty()) {
    return fail(ErrorCode::invalid, option + ": the list has no host");
  }
  return hosts;
}

Result<void> set_properties(RSet& r, const std::vector<std::string>& properties) {
  for (const std::string& text : properties) {
    const std::size_t colon = std::min(text.rfind(':'), text.size());
    Idset ranks = r.ranks();
    if (colon < text.size()) {
      auto some = idset_option("property " + text, text.substr(colon + 1));
      if (!some) return std::unexpected(some.error());
      ranks = std::move(*some);
    }
    if (auto ok = add_property(r, text.substr(0, colon), ranks); !ok) {
      ok.error().text = fmt::format("property {:.64}: {}", text, ok.error().text);
      return ok;
    }
  }
  return {};
}

int answer(Result<RSet> r) {
  if (!r) return unusable(r.error());
  std::string out;
  append_r(out, std::move(*r));
  out += '\n';
  return write_text(out);
}

namespace {

struct Options {
  std::vector<std::string> files, properties;
  std::string hosts;
  bool keep_ids = false;
};

void add_files(CommandLine& sub, Options& o) {
  sub.option("file", o.files, "files with one or more R each; none or -: standard input")
      .reads_file();
}
void add_input(CommandLine& sub, Options& o) {
  sub.option("-I,--input", o.files,
             "a file to read instead of standard input; may be given several times")
      .one_at_a_time()
      .reads_file();
}
void add_keep_ids(CommandLine& sub, Options& o) {
  sub.flag("--keep-ids", o.keep_ids, "number ranks only; cores keep their ids");
}

int run_rerank(const Options& o) {
  const auto r = read_united(o.files);
  if (!r) return unusable(r.error());
  const auto hosts = hosts_option("hostlist", o.hosts);
  if (!hosts) return unusable(hosts.error());
  return answer(rerank(*r, *hosts));
}

int run_remap(const Options& o) {
  const auto r = read_united(o.files);
  return r ? answer(remap(*r, {.keep_ids = o.keep_ids})) : unusable(r.error());
}

int run_normalize(const Options& o) {
  const auto r = read_united(o.files);
  if (!r) return unusable(r.error());
  const auto hosts = hosts_option("--hosts", o.hosts);
  if (!hosts) return unusable(hosts.error());
  return answer(normalize(*r, *hosts, {.keep_ids = o.keep_ids}));
}

int run_set_property(const Options& o) {
  auto r = read_united(o.files);
  if (!r) return unusable(r.error());
  if (auto ok = set_properties(*r, o.properties); !ok) return unusable(ok.error());
  return answer(std::move(r));
}

void add_algebra(CommandLine& r) {
  auto o = std::make_shared<Options>();
  CommandLine sub = r.command(
      "append", "Combine sets that have no ids in common",
      "Examples:\n  copse r append one.json two.json\n  cat one.json two.json | copse r append",
      [o] { return answer(fold(read_sets(o->files), 1, append)); });
  add_files(sub, *o);

  o = std::make_shared<Options>();
  sub = r.command("diff", "Show what the first set has, but the others do not",
                  "Example:\n  copse r diff all.json job1.json job2.json", [o] {
                    return answer(fold(read_sets(o->files), 2, [](const RSet& a, const RSet& b) {
                      return subtract(a, b);
                    }));
                  });
  add_files(sub, *o);

  o = std::make_shared<Options>();
  sub = r.command("intersect", "Show what all sets have in common",
                  "Example:\n  copse r intersect all.json job.json", [o] {
                    return answer(fold(read_sets(o->files), 2, [](const RSet& a, const RSet& b) {
                      return intersect(a, b);
                    }));
                  });
  add_files(sub, *o);
}

void add_ranks(CommandLine& r) {
  auto o = std::make_shared<Options>();
  CommandLine sub = r.command(
      "remap", "Renumber ranks from 0, and on each rank all ids except those of gpus",
      "TreePool's scheduling key is adapted; topo_ids maps the new ids to those in topo.\n"
      "Example:\n  copse r encode -r 5,99 -c 2-3 | copse r remap",
      [o] { return run_remap(*o); });
  add_files(sub, *o);
  add_keep_ids(sub, *o);

  o = std::make_shared<Options>();
  sub = r.command("rerank", "Give ranks to hosts in the order of a list",
                  "Example:\n  copse r rerank 'node[3,2,1,0]' < r.json",
                  [o] { return run_rerank(*o); });
  sub.option("hostlist", o->hosts, "each host, as many times as it has ranks")
      .unit("HOSTLIST")
      .required();
  add_input(sub, *o);

  o = std::make_shared<Options>();
  sub =
      r.command("normalize", "Write the inventory of a Flux instance that starts in an allocation",
                "As remap, without nslots and the properties local to the instance above.\n"
                "Examples:\n  copse r normalize job.json\n"
                "  copse r normalize --hosts \"$(flux getattr hostlist)\" job.json",
                [o] { return run_normalize(*o); });
  add_files(sub, *o);
  sub.option("--hosts", o->hosts, "the hosts in the order of the new ranks").unit("HOSTLIST");
  add_keep_ids(sub, *o);

  o = std::make_shared<Options>();
  sub = r.command("set-property", "Add properties to ranks",
                  "Example:\n  copse r set-property fast:0-3 big < r.json",
                  [o] { return run_set_property(*o); });
  sub.option("property", o->properties, "a property of all ranks (NAME) or of some (NAME:RANKS)")
      .unit("PROPERTY")
      .required();
  add_input(sub, *o);
}

}  // namespace

void add_r(CommandLine& line) {
  CommandLine r =
      line.group("r", "Resource sets (R, RFC 20): make, combine, renumber, show",
                 "Sets are read from files or standard input, one or more from each, and written "
                 "as one line.\n"
                 "Examples:\n"
                 "  copse r encode -r 0-1 -c 0-3 -H 'foo[0-1]' | copse r decode --short\n"
                 "  copse r diff all.json job.json | copse r decode --count core\n"
                 "Every command has its own --help.");
  add_r_make(r);
  add_r_show(r);
  add_algebra(r);
  add_ranks(r);
}

}  // namespace copse
