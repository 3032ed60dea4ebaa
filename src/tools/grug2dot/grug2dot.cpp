// SPDX-License-Identifier: Apache-2.0
#include "tools/grug2dot/grug2dot.hpp"

#include <getopt.h>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "files/read_file.hpp"
#include "formats/grug/grug_dot.hpp"
#include "formats/grug/grug_recipe.hpp"
#include "host/output.hpp"
#include "tools/options/getopt_options.hpp"

namespace copse {
namespace {

constexpr int kDone = 0;
constexpr int kBadUsage = 1;
constexpr int kBadFile = 255;

constexpr const char* kDescription =
    "Draws a GRUG recipe (GraphML) for Graphviz: reads FILE and writes its stem with\n"
    "the suffix .dot into the current directory.\n";

constexpr GetoptOption kOptions[] = {
    {'h', "help", "", "show this text"},
    {'m', "more", "",
     "show more: subsystem:basename:size at each node, relation:gen_method:multi_scale at each "
     "edge (default: basename and relation)"},
};

constexpr const char* kExamples =
    "Examples:\n"
    "  grug2dot machines/tiny.graphml        # writes tiny.dot\n"
    "  dot -Tsvg -o tiny.svg tiny.dot        # makes a picture of it\n"
    "  grug2dot --more tiny.graphml          # the same picture with sizes and scales\n";

std::string usage() {
  std::string out =
      fmt::format("Usage: grug2dot [-h|--help] [-m|--more] FILE\n\n{}\n", kDescription);
  for (const GetoptOption& option : kOptions) out += usage_row(option, option.about, 15, 80);
  return out + '\n' + kExamples;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The text of a file, cut one byte beyond the limit of a recipe: the parser refuses such a text.
Result<std::string> read_recipe(const std::string& name) {
  ReadText text = try_read_file(name, grug::kTextBytesMax + 1, FileKinds::all);
  if (text) return std::move(*text);
  const char* what = text.error().opened ? "read" : "opened";
  return fail(ErrorCode::io, fmt::format("the file cannot be {}", what), {name, 0, 0});
}

bool write_file(const std::string& name, const std::string& text) {
  File file(std::fopen(name.c_str(), "wb"));
  if (!file) return false;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  return std::fclose(file.release()) == 0 && is_written;  // the last block goes out on closing
}

int convert(const std::string& input, grug::DotDetail detail) {
  const auto text = read_recipe(input);
  const auto recipe = text ? grug::parse_recipe(*text, input) : std::unexpected(text.error());
  if (!recipe) {
    write_error(fmt::format("Error in reading {}\n{}\n", input, recipe.error().message()));
    return kBadFile;
  }
  const std::string output = std::filesystem::path(input).stem().string() + ".dot";
  std::error_code unknown;  // a path that cannot be resolved is not the input
  if (std::filesystem::equivalent(input, output, unknown)) {
    write_error(fmt::format("Error in writing {}\n{}: this is the recipe itself; rename it first\n",
                            output, output));
    return kBadFile;
  }
  if (!write_file(output, grug::to_dot(*recipe, detail))) {
    write_error(fmt::format("Error in writing {}\n", output));
    return kBadFile;
  }
  return kDone;
}

}  // namespace

OptionTable grug2dot_table() {
  OptionTable out{.program = "grug2dot"};
  out.commands.push_back({{}, "Draw a GRUG recipe", kExamples});
  for (const GetoptOption& option : kOptions) out.options.push_back(option_row(option));
  OptionRow& file = out.options.emplace_back();
  file.names = {"file"};
  file.about = "the recipe";
  file.kind = ValueKind::input_file;
  file.positional = file.required = true;
  file.endings = {".graphml", ".xml"};
  return out;
}

int grug2dot(int argc, char* const* argv) {
  grug::DotDetail detail = grug::DotDetail::basic;
  int status = kBadUsage;
  const bool read = read_options(argc, argv, kOptions, [&](int letter, const char*) {
    if (letter == 'm') detail = grug::DotDetail::more;
    if (letter == 'h') status = kDone;
    return letter == 'm';
  });
  if (read && argc - optind == 1) return convert(argv[optind], detail);
  write_error(usage());
  return status;
}

}  // namespace copse
