// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/request_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "files/read_file.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "request/shape.hpp"
#include "rset/rset_properties.hpp"
#include "server/rights/user_names.hpp"
#include "text/tree/json_tree.hpp"
#include "text/tree/yaml_tree.hpp"

namespace copse {

namespace {

// Why a word is neither a property nor "^" and a property; "" if it is.
std::string wrong_word(std::string_view word) {
  if (word.contains('|') || word.contains('&')) {
    return fmt::format(
        "{} has an operator; for alternatives, write '{{or: [{{properties: [\"a\"]}}, "
        "{{properties: "
        "[\"b\"]}}]}}'",
        shown_word(word));
  }
  return wrong_property(word.substr(word.starts_with('^') ? 1 : 0));
}

bool is_of_rfc31(std::string_view text) { return text.find_first_of(":{}[]\"'\n") != text.npos; }

}  // namespace

Result<Constraint> constraint_of_words(std::string_view text) {
  if (is_of_rfc31(text)) return parse_constraint(text, "--constraint", JobspecWords::own);
  Constraint out;
  out.op = Constraint::Op::properties;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string_view word = text.substr(from, to - from);
    if (std::string wrong = wrong_word(word); !wrong.empty()) {
      return fail(ErrorCode::invalid, std::move(wrong),
                  {"--constraint", 1, static_cast<std::uint32_t>(from + 1)});
    }
    out.words.emplace_back(word);
    from = to + 1;
  }
  return out;
}

Result<std::string> constraint_json(std::string_view text) {
  const auto read = constraint_of_words(text);
  if (!read) return std::unexpected(read.error());
  std::string out;
  if (is_of_rfc31(text)) {
    const auto tree = read_tree(text, "--constraint", {});
    if (!tree) return std::unexpected(tree.error());
    append_json(out, TreeView(*tree));
    return out;
  }
  JsonWriter json(out);
  json.object([&] {
    json.array("properties", read->words, [&](const std::string& word) { json.value(word); });
  });
  return out;
}

namespace {

Result<void> write_jobspec(JsonWriter& json, const std::string& path) {
  const auto text = read_input(path, JobspecLimits{}.text_bytes_max);
  if (!text) return std::unexpected(text.error());
  const auto tree = read_tree(*text, input_name(path), tree_limits({}));
  if (!tree) return std::unexpected(tree.error());
  const auto read = read_jobspec(TreeView(*tree), JobspecWords::own);
  if (!read) return std::unexpected(read.error());
  json.key("jobspec");
  append_json(json.begin(), TreeView(*tree));
  return {};
}

Result<void> write_shape(JsonWriter& json, const RequestWords& words) {
  if (auto read = parse_shape(words.shape, "--shape"); !read) return std::unexpected(read.error());
  json.member("shape", words.shape);
  json.member("duration", words.duration_s);
  if (words.constraint.empty()) return {};
  const auto constraint = constraint_json(words.constraint);
  if (!constraint) return std::unexpected(constraint.error());
  json.member_json("constraints", *constraint);
  return {};
}

}  // namespace

void add_request_options(CommandLine& line, RequestWords& words) {
  const auto file =
      line.option("request", words.request, "a jobspec (YAML or JSON), or - for standard input")
          .reads_file();
  const auto shape = line.option("--shape", words.shape,
                                 "the request as an RFC 46 shape, such as \"slot=4/node/core=8\"")
                         .unit("SHAPE");
  line.added("--shape").excludes(file);
  line.duration("--duration", words.duration_s, 0,
                "for a shape: 90, 10m, 1.5h, 2d, 01:00:00, 1-12:00:00 (default: without end)")
      .needs(shape);
  line.option(
          "--constraint", words.constraint,
          "for a shape: properties that its nodes must have or, after ^, must not have, such as "
          "\"h100,^debug\", or an RFC 31 constraint")
      .unit("CONSTRAINT")
      .needs(shape);
  line.option("--hres-request", words.hres,
              "hierarchical resources, such as \"flat:2,natural:1\" (all of them) or "
              "\"flat:2|natural:1\" (the first that has enough)")
      .unit("HRES");
  line.needs_one_of(file, shape, "request or --shape");
}

Result<void> write_request(JsonWriter& json, const RequestWords& words) {
  const auto written =
      words.shape.empty() ? write_jobspec(json, words.request) : write_shape(json, words);
  if (!written || words.hres.empty()) return written;
  if (auto read = parse_hres_request(words.hres, {"--hres-request", 1, 1}); !read) {
    return std::unexpected(read.error());
  }
  json.member("hres", words.hres);
  return {};
}

void add_job_options(CommandLine& line, JobWords& words) {
  line.option("-n,--name", words.name, "the name of the job").unit("NAME");
  line.option("-q,--queue", words.queue, "the queue; required if the service has named queues")
      .unit("QUEUE");
  line.option("--priority", words.priority,
              "the priority: jobs with a higher one go first (default: 0)")
      .unit("NUMBER");
  line.option("--reservation", words.reservation,
              "the job waits for this reservation, and starts only in it")
      .unit("NAME");
}

void write_job_words(JsonWriter& json, const JobWords& words) {
  if (!words.name.empty()) json.member("name", words.name);
  if (!words.queue.empty()) json.member("queue", words.queue);
  if (!words.reservation.empty()) json.member("reservation", words.reservation);
  if (words.priority != 0) json.member("priority", words.priority);
  if (words.held) json.member("held", true);
  if (words.requeue) json.member("requeue", true);
  if (words.lease_s > 0) json.member("lease", words.lease_s);
}

std::string shown_user(std::string_view user) {
  return server::UserNames(server::name_of_user).of(user);
}

}  // namespace copse
