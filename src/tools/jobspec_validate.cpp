// SPDX-License-Identifier: Apache-2.0
#include "tools/jobspec_validate.hpp"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

#include "base/version.hpp"
#include "files/read_file.hpp"
#include "host/output.hpp"
#include "request/jobspec/jobspec_stream.hpp"
#include "tools/options/getopt_options.hpp"

namespace copse {
namespace {

constexpr int kBadUsage = 2;

constexpr GetoptOption kOptions[] = {
    {'q', "quiet", "", "write no jobspecs, errors only"},
    {'h', "help", "", "show this text"},
    {'V', "version", "", "show the version"},
};

constexpr const char* kDescription =
    R"(Checks jobspecs, in YAML or JSON. Each FILE, or standard input for "-" or no
FILE, may have several YAML documents. Every valid jobspec is written to
standard output as YAML. Every other document gets one line on standard error:
file:line:column: sentence. No machine is known, so every resource type is
accepted.
)";

constexpr const char* kDetails =
    R"(Exit status: 0 all are valid, 1 a document is not a jobspec, 2 a file cannot be
read or bad usage, 3 a text is not YAML; the highest of those that apply.

)";

constexpr const char* kExamples =
    R"(Examples:
  flux-jobspec-validate job.yaml               # prints it in one style
  flux-jobspec-validate -q jobs/*.yaml && echo all valid
  flux-jobspec-validate job1.yaml job2.json > both.yaml
)";

std::string usage() {
  std::string out =
      fmt::format("Usage: flux-jobspec-validate [-q|--quiet] [FILE]...\n\n{}\n", kDescription);
  for (const GetoptOption& option : kOptions) out += usage_row(option, option.about, 18, 80);
  return out + '\n' + kDetails + kExamples;
}

// A text, cut one byte beyond the limit of a jobspec: the parser refuses such a text.
constexpr std::size_t kBytesMost = JobspecLimits{}.text_bytes_max + 1;

class Validation {
 public:
  explicit Validation(const JobspecValidateOptions& options) : options_(options) {}

  void file(const std::string& name) {
    const bool is_input = name == "-";
    const std::string shown_name = is_input ? "<stdin>" : name;
    if (is_input && std::exchange(input_read_, true)) {
      refuse({ErrorCode::io, "standard input can be read only once", {shown_name}},
             JobspecVerdict::unreadable);
      return;
    }
    const ReadText read = is_input ? read_descriptor(::fileno(options_.input), kBytesMost)
                                   : try_read_file(name, kBytesMost, FileKinds::all);
    if (!read) {
      if (options_.copse_style) {
        return refuse({ErrorCode::io,
                       fmt::format("can't read {}: {}", input_name(name), read.error().reason),
                       {}},
                      JobspecVerdict::unreadable);
      }
      const char* what = read.error().opened ? "read" : "opened";
      return refuse({ErrorCode::io,
                     fmt::format("the file cannot be {}: {}", what, read.error().reason),
                     {shown_name}},
                    JobspecVerdict::unreadable);
    }
    text(*read, shown_name);
  }

  JobspecVerdict finish() {
    if (!written_ || std::fflush(options_.output) != 0) {
      refuse({ErrorCode::io, "the jobspecs cannot be written: " + reason_of(errno), {"<stdout>"}},
             JobspecVerdict::unreadable);
    }
    return verdict_;
  }

 private:
  void refuse(const Error& error, JobspecVerdict verdict) {
    const char* program = options_.copse_style ? "copse: " : "";
    std::fputs((program + error.message() + "\n").c_str(), options_.errors);
    verdict_ = std::max(verdict_, verdict);
  }

  void text(std::string_view text, const std::string& name) {
    JobspecStream stream(text, name, {},
                         options_.copse_style ? JobspecWords::own : JobspecWords::fluxion);
    while (auto request = stream.next()) {
      if (*request) {
        write(stream.tree());
      } else {
        refuse(request->error(),
               stream.broken() ? JobspecVerdict::not_yaml : JobspecVerdict::refused);
      }
    }
  }

  void write(const Tree& tree) {
    if (options_.quiet || !written_) return;
    const auto yaml = to_yaml(tree);
    if (!yaml) return refuse(yaml.error(), JobspecVerdict::unreadable);
    written_ = std::fwrite(yaml->data(), 1, yaml->size(), options_.output) == yaml->size();
  }

  const JobspecValidateOptions& options_;
  JobspecVerdict verdict_ = JobspecVerdict::good;
  bool input_read_ = false;
  bool written_ = true;  // nothing more is written after an error
};

int show(std::string_view text) {
  const auto written = write_out({}, text);
  if (written) return 0;
  write_error("flux-jobspec-validate: " + written.error().message() + "\n");
  return kBadUsage;
}

}  // namespace

JobspecVerdict validate_jobspecs(std::span<const std::string> files,
                                 const JobspecValidateOptions& options) {
  Validation validation(options);
  if (files.empty()) validation.file("-");
  for (const std::string& name : files) validation.file(name);
  return validation.finish();
}

OptionTable jobspec_validate_table() {
  OptionTable out{.program = "flux-jobspec-validate"};
  out.commands.push_back({{}, "Check jobspecs", kExamples});
  for (const GetoptOption& option : kOptions) out.options.push_back(option_row(option));
  OptionRow& file = out.options.emplace_back();
  file.names = {"file"};
  file.about = "jobspecs, or - for standard input (default)";
  file.kind = ValueKind::input_file;
  file.positional = file.repeated = true;
  file.endings = {".yaml", ".yml", ".json", ".jobspec"};
  return out;
}

int jobspec_validate(int argc, char* const* argv) {
  JobspecValidateOptions options;
  int status = kBadUsage;
  const bool read = read_options(argc, argv, kOptions, [&](int letter, const char*) {
    switch (letter) {
      case 'q': options.quiet = true; return true;
      case 'h': status = show(usage()); return false;
      case 'V':
        status = show(std::string("flux-jobspec-validate of Copse ") + version() + "\n");
        return false;
      default: write_error(usage()); return false;
    }
  });
  if (!read) return status;
  const std::vector<std::string> files(argv + optind, argv + argc);
  return static_cast<int>(validate_jobspecs(files, options));
}

}  // namespace copse
