// SPDX-License-Identifier: Apache-2.0
//
// Jobs as JSON lines, see job_reader.hpp.
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/known_key.hpp"
#include "base/utf8.hpp"
#include "plan/streams/event_lines.hpp"
#include "plan/streams/job_after.hpp"
#include "plan/streams/job_reader.hpp"
#include "plan/streams/line_requests.hpp"
#include "text/json_text.hpp"
#include "text/text_lines.hpp"
#include "text/tree/json_tree.hpp"
#include "text/tree/line_values.hpp"

namespace copse::plan {

namespace {

constexpr std::int64_t kUnitsMax = INT64_C(1) << 40;

enum class Key : std::uint8_t {
  id,
  submit,
  duration,
  run,
  priority,
  nodes,
  cores,
  shape,
  jobspec,
  hres,
  queue,
  user,
  after,
  dependency,
  constraint,
  deadline,
  reservation
};
constexpr unsigned kName = KnownKey::kText | KnownKey::kNumber | KnownKey::kTruth;
// In the order of Key.
constexpr std::array<KnownKey, 17> kKeys{{{"id", kName},
                                          {"submit", KnownKey::kTime},
                                          {"duration", KnownKey::kTime},
                                          {"run", KnownKey::kTime},
                                          {"priority", KnownKey::kNumber},
                                          {"nodes", KnownKey::kNumber},
                                          {"cores", KnownKey::kNumber},
                                          {"shape", KnownKey::kText},
                                          {"jobspec", KnownKey::kText | KnownKey::kMapping},
                                          {"hres", KnownKey::kText},
                                          {"queue", kName},
                                          {"user", kName},
                                          {"after", kName | KnownKey::kList},
                                          {"dependency", KnownKey::kText | KnownKey::kList},
                                          {"constraint", KnownKey::kMapping},
                                          {"deadline", KnownKey::kTime},
                                          {"reservation", kName}}};
static_assert(kKeys.size() == static_cast<std::size_t>(Key::reservation) + 1);

class LineReader {
 public:
  LineReader(std::string_view text, std::string_view file, const ReadOptions& options)
      : lines_(text), file_(file), options_(options), events_(out_, file, options) {}

  Result<Jobs> read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (without_blanks(line).empty()) continue;
      if (auto ok = read_line(line); !ok) {
        Error error = std::move(ok.error());
        if (error.place.file.empty() || error.place.file == file_) {
          error.place = {std::string(file_), lines_.number(), error.place.column};
        }
        return std::unexpected(std::move(error));
      }
    }
    const auto numbers = number_names();
    if (!numbers) return std::unexpected(numbers.error());
    if (auto ok = set_after(out_, awaited_, *numbers, file_); !ok)
      return std::unexpected(ok.error());
    if (auto ok = events_.finish(*numbers); !ok) return std::unexpected(ok.error());
    requests_.add_remarks(out_.remarks);
    return std::move(out_);
  }

 private:
  static std::unexpected<Error> refuse(std::string text, ErrorCode code = ErrorCode::invalid) {
    return fail(code, std::move(text));
  }

  // Refuses a name that two jobs have.
  Result<JobNumbers> number_names() const {
    JobNumbers numbers;
    numbers.reserve(out_.jobs.size());
    for (std::uint32_t i = 0; i < out_.jobs.size(); ++i) {
      const auto [first, is_new] = numbers.emplace(out_.jobs[i].name, i);
      if (is_new) continue;
      return fail(ErrorCode::invalid,
                  fmt::format("the id \"{}\" is taken: job {} of the stream has it",
                              shown(out_.jobs[i].name), first->second + 1),
                  {std::string(file_), line_of_job_[i]});
    }
    return numbers;
  }

  Result<void> read_line(std::string_view line) {
    if (line.size() > options_.line_bytes_max) {
      return refuse(fmt::format("a line of more than {} bytes", options_.line_bytes_max),
                    ErrorCode::limit);
    }
    if (out_.jobs.size() >= options_.jobs_max) {
      return refuse(fmt::format("more than {} jobs", options_.jobs_max), ErrorCode::limit);
    }
    if (first_invalid_utf8(line) != line.npos) return std::unexpected(not_utf8(line));
    auto tree = read_json_tree(line, file_);
    if (!tree) return std::unexpected(not_json(line, "a JSON object"));
    if (!*tree) return std::unexpected(std::move(tree->error()));
    const TreeView object(**tree);
    if (EventLines::is_event(object)) return events_.read(object, lines_.number());
    Job job;
    if (auto ok = read_job(object, job); !ok) return ok;
    const auto counted = second_.add(job.submit_s, options_);
    out_.jobs.push_back(std::move(job));
    line_of_job_.push_back(lines_.number());
    return counted;
  }

  // The values of one line.
  struct LineValues {
    RequestOfLine request;
    std::optional<TreeView> hres, constraint;
    bool has_duration = false, has_run = false;
    std::optional<std::int64_t> deadline_s;
  };

  Result<void> read_job(TreeView line, Job& job) {
    LineValues asked;
    job.submit_s = last_submit_s_;
    for (auto key = line.first_child(); key; key = key->next()->next()) {
      if (auto ok = read_key(key->text(), *key, *key->next(), job, asked); !ok) return ok;
    }
    last_submit_s_ = job.submit_s;
    if (asked.has_run) job.run_s = std::max<std::int64_t>(job.run_s, 1);
    if (job.name.empty()) append_number(job.name, out_.jobs.size() + 1);
    const int ways = (asked.request.shape ? 1 : 0) + (asked.request.jobspec ? 1 : 0) +
                     (asked.request.nodes > 0 || asked.request.cores > 0 ? 1 : 0);
    if (ways != 1) {
      return refuse(ways == 0
                        ? "the job requests no resources: give nodes, cores, a shape or a jobspec"
                        : "the job has two requests: give nodes and cores, a shape or a jobspec");
    }
    if (auto ok = requests_.set_hres(asked.hres); !ok) return ok;
    if (auto ok = requests_.set_constraint(asked.constraint); !ok) return ok;
    auto request = requests_.find(asked.request);
    if (!request) return std::unexpected(std::move(request.error()));
    job.request = *request;
    if (job.queue == 0) job.queue = out_.word(out_.requests[job.request].queue);
    if (!asked.has_duration) {
      job.duration_s = out_.requests[job.request].duration_s;
      if (job.duration_s == 0 && asked.has_run) job.duration_s = job.run_s;
      if (job.duration_s <= 0 || job.duration_s > kTimeMax_s) {
        return refuse("the job has no duration that can be planned");
      }
    }
    if (!asked.has_run) job.run_s = job.duration_s;
    if (!job.ends_before(options_.clock_end_s)) {
      return refuse(beyond_clock(job, options_.clock_end_s));
    }
    return asked.deadline_s ? events_.add_deadline(job.name, *asked.deadline_s, lines_.number())
                            : Result<void>();
  }

  Result<void> read_key(std::string_view key, TreeView at, TreeView value, Job& job,
                        LineValues& asked) {
    const auto read = [&](std::int64_t least, std::int64_t most, std::int64_t& into) {
      return keep_number(value.read_whole(key, least, most), into);
    };
    const auto read_time = [&](std::int64_t least, std::int64_t& into) {
      return keep_number(line_seconds(key, value, least), into);
    };
    const KnownKey* known = find_key(kKeys, key);
    if (known == nullptr) return at.fail(unknown_key("key", key, kKeys));
    switch (static_cast<Key>(known - kKeys.data())) {
      case Key::id: {
        auto name = value.read_name(key, kNameBytesMax);
        if (!name) return std::unexpected(name.error());
        job.name = std::move(*name);
        return {};
      }
      case Key::submit: return read_time(0, job.submit_s);
      case Key::duration: asked.has_duration = true; return read_time(1, job.duration_s);
      case Key::run: asked.has_run = true; return read_time(0, job.run_s);
      case Key::deadline: return read_time(0, asked.deadline_s.emplace());
      case Key::priority: {
        std::int64_t priority = 0;
        if (auto ok = read(INT32_MIN, INT32_MAX, priority); !ok) return ok;
        job.priority = static_cast<std::int32_t>(priority);
        return {};
      }
      case Key::nodes: return read(1, kUnitsMax, asked.request.nodes);
      case Key::cores: return read(1, kUnitsMax, asked.request.cores);
      case Key::shape:
        return keep(value, value.is_quoted_string(), "a shape is a text", asked.request.shape);
      case Key::jobspec:
        return keep(value, value.is_mapping() || value.is_quoted_string(),
                    "a jobspec is an object, or the name of a file", asked.request.jobspec);
      case Key::hres:
        return keep(value, value.is_quoted_string(), "hres is a text, such as \"flat:2,natural:1\"",
                    asked.hres);
      case Key::queue: return read_word(key, value, job.queue);
      case Key::user: return read_word(key, value, job.user);
      case Key::reservation: return read_word(key, value, job.reservation);
      case Key::after: return read_after(value);
      case Key::dependency: return read_dependency(value);
      case Key::constraint:
        return keep(value, value.is_mapping(),
                    "constraint is an object, such as {\"properties\": [\"fast\"]}",
                    asked.constraint);
    }
    return {};
  }

  // Keeps a value whose meaning depends on other keys.
  static Result<void> keep(TreeView value, bool good, const char* otherwise,
                           std::optional<TreeView>& into) {
    if (!good) return value.fail(otherwise);
    into = value;
    return {};
  }

  // Stores a number in a member.
  static Result<void> keep_number(Result<std::int64_t> number, std::int64_t& into) {
    if (!number) return std::unexpected(std::move(number.error()));
    into = *number;
    return {};
  }

  Result<void> read_word(std::string_view key, TreeView value, std::uint32_t& into) {
    const auto word = value.read_name(key, kNameBytesMax);
    if (!word) return std::unexpected(word.error());
    into = out_.word(*word);
    return {};
  }

  // One id or several; they are resolved when all jobs are read.
  Result<void> read_after(TreeView value) {
    return for_each(value, [&](TreeView id) -> Result<void> {
      auto name = id.read_name("after", kNameBytesMax);
      if (!name) return id.fail("\"after\" is an id or a list of ids");
      return await({this_job(), std::move(*name), lines_.number()});
    });
  }

  // The same, each with its condition.
  Result<void> read_dependency(TreeView value) {
    return for_each(value, [&](TreeView one) -> Result<void> {
      if (!one.is_quoted_string()) {
        return one.fail("\"dependency\" is a text such as \"afternotok:ID\", or a list of these");
      }
      for (const std::string_view text : split_dependencies(one.text())) {
        const auto word = parse_dependency(text);
        if (!word) return one.fail("\"dependency\": " + word.error().text);
        auto ok = await(
            {this_job(), std::string(word->name), lines_.number(), word->on, "dependency", true});
        if (!ok) return ok;
      }
      return {};
    });
  }

  template <class Each>
  static Result<void> for_each(TreeView value, const Each& each) {
    if (!value.is_sequence()) return each(value);
    for (auto one = value.first_child(); one; one = one->next()) {
      if (auto ok = each(*one); !ok) return ok;
    }
    return {};
  }

  [[nodiscard]] std::uint32_t this_job() const {
    return static_cast<std::uint32_t>(out_.jobs.size());
  }

  Result<void> await(Awaited awaited) {
    if (awaited_.size() == kAfterMax) return refuse("too many jobs to wait for", ErrorCode::limit);
    awaited_.push_back(std::move(awaited));
    return {};
  }

  TextLines lines_;
  std::string_view file_;
  const ReadOptions& options_;
  std::int64_t last_submit_s_ = 0;
  std::vector<Awaited> awaited_;
  std::vector<std::uint32_t> line_of_job_;
  Jobs out_;
  SecondCount second_;
  EventLines events_;
  LineRequests requests_{out_.requests, options_};
};

}  // namespace

std::string beyond_clock(const Job& job, std::int64_t clock_end_s) {
  return fmt::format("the job ends at {} s at the earliest; the clock ends at {} s",
                     job.submit_s + job.length_s(), clock_end_s);
}

KnownKeys job_line_keys() { return kKeys; }

bool looks_like_job_lines(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

Result<Jobs> read_job_lines(std::string_view text, std::string_view file,
                            const ReadOptions& options) {
  return LineReader(text, file, options).read();
}

Result<Jobs> read_jobs(std::string_view text, std::string_view file, const ReadOptions& options) {
  if (without_blanks(text).starts_with('[')) {
    return fail(ErrorCode::invalid,
                "this is a JSON array: write an object a line, as jq -c '.[]' does",
                {std::string(file), 1});
  }
  return looks_like_job_lines(text) ? read_job_lines(text, file, options)
                                    : read_swf(text, file, options);
}

}  // namespace copse::plan
