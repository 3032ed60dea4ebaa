// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_options.hpp"

#include <getopt.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "host/matchers.hpp"
#include "host/output.hpp"

namespace copse {

namespace {

std::string usage(std::span<const Policy> own) {
  std::string out =
      "usage: resource-query [OPTION]...\n"
      "Matches jobspecs against a machine: reads commands from standard input, one per line.\n"
      "\n"
      "  -h, --help                    show this text and exit\n"
      "  -L, --load-file=FILE          the machine (default: conf/default)\n"
      "  -f, --load-format=FORMAT      grug (default), jgf, jgf_shorthand, rv1exec,\n"
      "                                rv1exec_force, hwloc\n"
      "  -W, --load-allowlist=TYPES    for hwloc: objects to keep, separated by commas: node,\n"
      "                                group, numanode, socket, L1cache, L2cache, L3cache, core,\n"
      "                                pu, gpu, storage (default: all)\n"
      "  -S, --match-subsystems=NAME   ";
  for (const Matcher& m : matchers()) out += std::string(m.name) + ' ';
  out +=
      "(default: CA)\n"
      "  -P, --match-policy=POLICY     what is preferred (default: first):\n";
  auto list = [&](std::span<const Policy> policies) {
    for (const Policy& p : policies) {
      out += fmt::format("                                  {:<11} {}\n", p.name, p.summary);
    }
  };
  list(own);
  list(bundled_policies());
  out +=
      "                                or words: \"policy=high|low node_centric=true|false\n"
      "                                node_exclusive=true|false stop_on_1_matches=true|false\"\n"
      "  -T, --traverser-policy=NAME   how the machine is searched (default: simple):\n"
      "                                  simple      in one pass, like Fluxion\n"
      "                                  flexible    sibling slots are alternatives\n"
      "                                  loop-aware  then by search: siblings of one type, with\n"
      "                                              different needs, counts and slots\n"
      "  -F, --match-format=FORMAT     simple (default), pretty_simple, jgf, jgf_shorthand, "
      "rlite,\n"
      "                                rv1, rv1_nosched, rv1_shorthand\n"
      "  -p, --prune-filters=HL:LL,…   types tracked at pools of type HL, or ALL\n"
      "                                (default: ALL:core,ALL:node)\n"
      "  -g, --graph-format=FORMAT     dot (default) or graphml, for --graph-output\n"
      "  -o, --graph-output=BASE       write the machine to BASE.dot or BASE.graphml at the end\n"
      "  -t, --test-output=FILE        write results to FILE instead of standard output\n"
      "  -r, --reserve-vtx-vec=N       accepted for compatibility\n"
      "  -e, --elapse-time             print load statistics and the time of each match\n"
      "  -d, --disable-prompt          no prompt\n"
      "\n"
      "Examples:\n"
      "  resource-query -L examples/machines/desk.graphml -P low -F pretty_simple\n"
      "  resource-query> match allocate examples/jobspecs/desk-prefix-omitted.yaml\n"
      "  resource-query> cancel 1\n"
      "  echo 'match satisfiability job.yaml' | resource-query -L machine.graphml -F rv1_nosched\n"
      "  (in a session, `help` lists the commands)\n";
  return out;
}

constexpr std::array<option, 16> kOptions{{
    {"help", no_argument, nullptr, 'h'},
    {"load-file", required_argument, nullptr, 'L'},
    {"load-format", required_argument, nullptr, 'f'},
    {"load-allowlist", required_argument, nullptr, 'W'},
    {"match-subsystems", required_argument, nullptr, 'S'},
    {"match-policy", required_argument, nullptr, 'P'},
    {"traverser-policy", required_argument, nullptr, 'T'},
    {"match-format", required_argument, nullptr, 'F'},
    {"prune-filters", required_argument, nullptr, 'p'},
    {"graph-format", required_argument, nullptr, 'g'},
    {"graph-output", required_argument, nullptr, 'o'},
    {"test-output", required_argument, nullptr, 't'},
    {"reserve-vtx-vec", required_argument, nullptr, 'r'},
    {"elapse-time", no_argument, nullptr, 'e'},
    {"disable-prompt", no_argument, nullptr, 'd'},
    {nullptr, 0, nullptr, 0},
}};

constexpr std::array kLoadFormats{"grug",          "hwloc",   "jgf",
                                  "jgf_shorthand", "rv1exec", "rv1exec_force"};

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
      if (std::find(kLoadFormats.begin(), kLoadFormats.end(), value) == kLoadFormats.end()) {
        return "[ERROR] unknown format for --load-format: " + value;
      }
      return {};
    case 'W':
      if (!blank(value)) o.load_allowlist += (o.load_allowlist.empty() ? "" : ",") + value;
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

std::span<const option> query_option_table() {
  return std::span(kOptions).first(kOptions.size() - 1);
}

ParsedOptions parse_query_options(int argc, char** argv, std::span<const Policy> own) {
  ParsedOptions out;
  auto leave = [&](int status, const std::string& why) {
    if (!why.empty()) write_error(why + "\n");
    write_error(usage(own));
    out.exit = status;
    return out;
  };
  ::optind = 1;
  for (;;) {
    // getopt is not thread-safe; a program has one command line.
    const int c = ::getopt_long(argc, argv, "L:f:W:S:P:T:F:g:o:p:t:r:edh",
                                kOptions.data(),  // NOLINT(concurrency-mt-unsafe)
                                nullptr);
    if (c == -1) break;
    if (c == 'h') return leave(0, {});
    if (c == '?') return leave(1, {});
    const std::string wrong = apply(out.options, c, ::optarg == nullptr ? "" : ::optarg);
    if (!wrong.empty()) return leave(1, wrong);
  }
  if (::optind < argc) {
    return leave(1, fmt::format("[ERROR] unexpected argument: {}", argv[::optind]));
  }
  return out;
}

}  // namespace copse
