// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_options.hpp"

#include <getopt.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fluxion/option_words.hpp"
#include "formats/machine_formats.hpp"
#include "host/output.hpp"
#include "tools/options/getopt_options.hpp"

namespace copse {

namespace {

constexpr const char* kAbout = "Match jobspecs against a machine";

constexpr GetoptOption kOptions[] = {
    {'h', "help", "", "show this text and exit"},
    {'L', "load-file", "FILE", "the machine (default: conf/default)", ValueKind::input_file},
    {'f', "load-format", "FORMAT", "the format of the machine (default: grug)", ValueKind::word},
    {'W', "load-allowlist", "TYPES",
     "for hwloc: objects to keep, separated by commas: node, group, numanode, socket, L1cache, "
     "L2cache, L3cache, core, pu, gpu, storage (default: all); several options add up",
     ValueKind::text},
    {'D', "divisible", "TYPES",
     "types whose pools several jobs share, each with the units that it requests, separated by "
     "commas (default: none, as in Fluxion)",
     ValueKind::text},
    {'S', "match-subsystems", "NAME",
     "the subsystems to match, in upper or lower case (default: CA)", ValueKind::word},
    {'P', "match-policy", "POLICY", "which resources are preferred (default: first)",
     ValueKind::text},
    {'T', "traverser-policy", "NAME",
     "how the machine is searched: simple (default), in one walk, like Fluxion; flexible, where "
     "sibling slots are alternatives; loop-aware, which searches if one walk finds nothing: "
     "siblings of one type, with different needs, counts and slots",
     ValueKind::word, "simple flexible loop-aware"},
    {'F', "match-format", "FORMAT",
     "simple (default), pretty_simple, jgf, jgf_shorthand, rlite, rv1, rv1_nosched or "
     "rv1_shorthand",
     ValueKind::word, "simple pretty_simple jgf jgf_shorthand rlite rv1 rv1_nosched rv1_shorthand"},
    {'p', "prune-filters", "HL:LL,…",
     "types tracked at pools of type HL, or ALL (default: ALL:core,ALL:node); several options add "
     "up",
     ValueKind::text},
    {'g', "graph-format", "FORMAT", "for --graph-output: dot (default) or graphml", ValueKind::word,
     "dot graphml"},
    {'o', "graph-output", "BASE", "write the machine to BASE.dot or BASE.graphml at the end",
     ValueKind::output_file},
    {'t', "test-output", "FILE", "write results to FILE instead of standard output",
     ValueKind::output_file},
    {'r', "reserve-vtx-vec", "N", "accepted for compatibility, without effect", ValueKind::text},
    {'e', "elapse-time", "", "print load statistics, and the time and visits of each match"},
    {'d', "disable-prompt", "", "no prompt"},
};

constexpr const char* kExamples =
    "Examples:\n"
    "  resource-query -L examples/machines/desk.graphml -P low -F pretty_simple\n"
    "  resource-query> match allocate examples/jobspecs/desk-prefix-omitted.yaml\n"
    "  resource-query> cancel 1\n"
    "  echo 'match satisfiability job.yaml' | resource-query -L machine.graphml -F rv1_nosched\n";

// The meaning of an option, with the names that the engine has for its values.
std::string about(const GetoptOption& option) {
  std::string out = option.about;
  if (option.letter == 'f') {
    out += fmt::format(": {}", fmt::join(machine_format_names(FormatUser::fluxion), ", "));
  }
  if (option.letter == 'S') {
    out += ':';
    for (const fluxion::Matcher& matcher : fluxion::matchers())
      out += std::string(" ") + matcher.name;
  }
  return out;
}

std::string usage(std::span<const Policy> own) {
  constexpr std::size_t kLeft = 32, kRight = 90;
  std::string out =
      "usage: resource-query [OPTION]...\n"
      "Matches jobspecs against a machine: reads commands from standard input, one per line.\n"
      "\n";
  const auto list = [&](std::span<const Policy> policies) {
    for (const Policy& p : policies) {
      out += fmt::format("{:{}}  {:<11} {}\n", "", kLeft, p.name, p.summary);
    }
  };
  for (const GetoptOption& option : kOptions) {
    out += usage_row(option, about(option), kLeft, kRight);
    if (option.letter != 'P') continue;
    list(own);
    list(bundled_policies());
    out += fmt::format(
        "{0:{1}}or words: \"policy=high|low node_centric=true|false\n"
        "{0:{1}}node_exclusive=true|false stop_on_1_matches=true|false\"\n",
        "", kLeft);
  }
  return out + '\n' + kExamples + "  (in a session, `help` lists the commands)\n";
}

bool blank(const std::string& s) {
  return std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isspace(c) != 0; });
}

void check_reserve(const char* text) {
  const long n = std::strtol(text, nullptr, 10);
  if (n < 0 || n > 2'000'000) {
    write_error(fmt::format("WARN: out of range specified for --reserve-vtx-vec: {}\n", text));
  }
}

// Returns the line to print if the value is not acceptable.
std::string check_file(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    return "[ERROR] file does not exist for --load-file: " + path;
  }
  if (S_ISDIR(info.st_mode)) {
    return "[ERROR] path passed to --load-file is a directory: " + path;
  }
  return {};
}

std::string apply(QueryOptions& o, int option, const std::string& value) {
  switch (option) {
    case 'L': o.load_file = value; return check_file(value);
    case 'f':
      o.load_format = value;
      if (!fluxion::is_load_format(value)) {
        return "[ERROR] unknown format for --load-format: " + value;
      }
      return {};
    case 'W':
      if (!blank(value)) o.load_allowlist += (o.load_allowlist.empty() ? "" : ",") + value;
      return {};
    case 'D':
      if (blank(value)) return "[ERROR] --divisible wants types, such as memory: " + value;
      o.divisible = value;
      return {};
    case 'S': o.match_subsystems = value; return {};
    case 'P': o.match_policy = value; return {};
    case 'T': o.traverser = value; return {};
    case 'F':
      if (auto format = parse_format(value)) {
        o.match_format = *format;
        return {};
      }
      return "[ERROR] unknown format for --match-format: " + value;
    case 'p':
      if (!blank(value)) o.prune_filters += (o.prune_filters.empty() ? "" : ",") + value;
      return {};
    case 'g': {
      std::string low = value;
      for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      o.graph_graphml = low == "graphml";
      if (low != "graphml" && low != "dot") {
        return "[ERROR] unknown format for --graph-format: " + value;
      }
      return {};
    }
    case 'o': o.graph_output = value; return {};
    case 't': o.test_output = value; return {};
    case 'r': check_reserve(value.c_str()); return {};
    case 'e': o.elapse_time = true; return {};
    case 'd': o.disable_prompt = true; return {};
    default: return {};
  }
}

}  // namespace

OptionTable resource_query_table() {
  OptionTable out{.program = "resource-query"};
  out.commands.push_back({{}, kAbout, kExamples});
  for (const GetoptOption& option : kOptions) {
    OptionRow& row = out.options.emplace_back(option_row(option));
    row.about = about(option);
    if (option.letter == 'f') {
      for (const std::string_view name : machine_format_names(FormatUser::fluxion)) {
        row.words.emplace_back(name);
      }
    }
    if (option.letter == 'S') {
      for (const fluxion::Matcher& matcher : fluxion::matchers())
        row.words.emplace_back(matcher.name);
    }
    if (option.letter == 'P') {
      for (const Policy& policy : bundled_policies()) {
        row.words.push_back(policy.name);
        row.meanings.push_back(policy.summary);
      }
      row.words.insert(row.words.end(), {"policy=high", "policy=low"});
    }
  }
  return out;
}

ParsedOptions parse_query_options(int argc, char** argv, std::span<const Policy> own) {
  ParsedOptions out;
  auto leave = [&](int status, const std::string& why) {
    if (!why.empty()) write_error(why + "\n");
    write_error(usage(own));
    out.exit = status;
    return false;
  };
  const bool read = read_options(argc, argv, kOptions, [&](int letter, const char* value) {
    if (letter == 'h' || letter == '?') return leave(letter == 'h' ? 0 : 1, {});
    const std::string wrong = apply(out.options, letter, value);
    return wrong.empty() || leave(1, wrong);
  });
  if (read && ::optind < argc) {
    (void)leave(1, fmt::format("[ERROR] unexpected argument: {}", argv[::optind]));
  }
  return out;
}

}  // namespace copse
