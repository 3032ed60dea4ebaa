// SPDX-License-Identifier: Apache-2.0
//
// copse jobspec: requests as texts.
#include <memory>

#include "request/shape.hpp"
#include "tools/copse/copse.hpp"
#include "tools/jobspec_validate.hpp"

namespace copse {

void add_jobspec(CommandLine& line) {
  CommandLine jobspec = line.group("jobspec", "Check jobspecs, and make them from shapes",
                                   "Examples:\n  copse jobspec validate -q job.yaml\n"
                                   "  copse jobspec expand 'slot=4/node/[core=8;gpu]'\n"
                                   "Every command has its own --help.");
  struct Options {
    std::vector<std::string> files;
    bool quiet = false;
  };
  auto o = std::make_shared<Options>();
  CommandLine sub = jobspec.command(
      "validate", "Check jobspecs without a machine, and print those that are accepted",
      "Exit status: 0 all are jobspecs, 1 one is not, 2 a file cannot be read, 3 one "
      "is not YAML.\n"
      "Examples:\n"
      "  copse jobspec validate -q job.yaml\n"
      "  cat jobs.yaml | copse jobspec validate -",
      [o] {
        return static_cast<int>(
            validate_jobspecs(o->files, {.quiet = o->quiet, .copse_style = true}));
      });
  sub.option("file", o->files, "files of YAML documents, or - for standard input")
      .reads_file()
      .required();
  sub.flag("-q,--quiet", o->quiet, "print only errors");

  auto shape = std::make_shared<std::string>();
  sub = jobspec.command("expand", "Print the resources section of an RFC 46 shape",
                        "Example:\n  copse jobspec expand 'slot=4/node/[core=8;gpu]'", [shape] {
                          auto request = parse_shape(*shape, "shape");
                          if (!request) return unusable(request.error());
                          auto yaml = resources_yaml(*request);
                          if (!yaml) return unusable(yaml.error());
                          auto written = write_out({}, *yaml);
                          return written ? kDone : unusable(written.error());
                        });
  sub.option("shape", *shape, "the shape").unit("SHAPE").required();
}

}  // namespace copse
