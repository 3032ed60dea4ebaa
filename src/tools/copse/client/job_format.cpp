// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/job_format.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/nearest_word.hpp"
#include "base/scan_text.hpp"
#include "base/utf8.hpp"
#include "host/clock/local_time.hpp"
#include "text/printable.hpp"
#include "tools/copse/client/request_words.hpp"
#include "tools/copse/client/service/service_client.hpp"

namespace copse {

namespace {

constexpr std::size_t kWidthMax = 1'000;

template <std::size_t N>
struct Key {
  char text[N];
  constexpr Key(const char (&word)[N]) { std::copy_n(word, N, text); }  // NOLINT: a literal
};

std::int64_t id_of(TreeView job) { return job.number("id").value_or(0); }

template <Key kKey>
std::string word_column(TreeView job, const JobSurroundings& /*around*/) {
  return std::string(job.word(kKey.text));
}
template <Key kKey>
std::string number_column(TreeView job, const JobSurroundings& /*around*/) {
  return fmt::format("{}", job.number(kKey.text).value_or(0));
}
template <Key kKey>
std::string time_column(TreeView job, const JobSurroundings& /*around*/) {
  const auto time_s = job.number(kKey.text);
  return time_s && *time_s >= 0 ? local_time_text(*time_s) : "-";
}
template <Key kKey>
std::string truth_column(TreeView job, const JobSurroundings& /*around*/) {
  return job.is_true(kKey.text) ? "yes" : "no";
}
template <Key kKey>
std::string length_column(TreeView job, const JobSurroundings& /*around*/) {
  const std::int64_t length_s = job.number(kKey.text).value_or(0);
  return length_s <= 0 ? "-" : duration_text(length_s);
}

std::string user_column(TreeView job, const JobSurroundings& /*around*/) {
  return shown_user(job.word("user"));
}

std::string state_column(TreeView job, const JobSurroundings& /*around*/) {
  const std::string_view state = job.word("state");
  return std::string(state == "running" && job.is_true("stopping") ? "stopping" : state);
}

bool failed(TreeView job) { return job.number("status").value_or(0) != 0; }

std::string abbreviation(TreeView job, const JobSurroundings& /*around*/) {
  const std::string_view state = job.word("state"), result = job.word("result");
  if (state == "running") return job.is_true("stopping") ? "CG" : "R";
  if (state != "ended") return "PD";
  if (result == "cancelled") return "CA";
  if (result == "lost") return "NF";
  return failed(job) || result != "done" ? "F" : "CD";
}

std::string result_column(TreeView job, const JobSurroundings& /*around*/) {
  const std::string_view result = job.word("result");
  if (result == "done" && failed(job)) return "failed";
  return result.empty() ? "-" : std::string(result);
}

std::string runtime_column(TreeView job, const JobSurroundings& around) {
  const auto started_s = job.number("started");
  if (!started_s || *started_s < 0) return "-";
  const std::int64_t end_s = job.number("ended").value_or(around.now_s);
  return duration_text(std::max<std::int64_t>(end_s - *started_s, 0));
}

std::string wait_column(TreeView job, const JobSurroundings& around) {
  const auto submitted_s = job.number("submitted");
  if (!submitted_s) return "-";
  auto until_s = job.number("started");
  if (!until_s) until_s = job.number("ended");
  return duration_text(std::max<std::int64_t>(until_s.value_or(around.now_s) - *submitted_s, 0));
}

std::string nodes_column(TreeView job, const JobSurroundings& around) {
  const auto at = around.node_counts.find(id_of(job));
  return at == around.node_counts.end() ? "-" : std::to_string(at->second);
}

std::string nodelist_column(TreeView job, const JobSurroundings& around) {
  const auto at = around.nodelists.find(id_of(job));
  return at == around.nodelists.end() ? "" : at->second;
}

std::string reason_column(TreeView job, const JobSurroundings& around) {
  const auto at = around.reasons.find(id_of(job));
  return at == around.reasons.end() ? std::string(job.word("message")) : at->second;
}

// By how much a running job is over its duration; 0: it is not.
std::int64_t seconds_over(TreeView job, const JobSurroundings& around) {
  const auto started_s = job.number("started");
  const std::int64_t duration_s = job.number("duration").value_or(0);
  if (!started_s || duration_s <= 0) return 0;
  return std::max<std::int64_t>(around.now_s - *started_s - duration_s, 0);
}

// Where it runs, when it starts, or how it ended.
std::string info_column(TreeView job, const JobSurroundings& around) {
  const std::string_view state = job.word("state"), message = job.word("message");
  if (state == "running") {
    const std::string nodes = nodelist_column(job, around);
    if (job.is_true("stopping")) return "stopping " + nodes;
    const std::int64_t over_s = seconds_over(job, around);
    return over_s > 0 ? fmt::format("over its time by {} {}", duration_text(over_s), nodes) : nodes;
  }
  if (state == "ended") {
    std::string out = result_column(job, around);
    if (out == "failed") out += fmt::format(" ({})", job.number("status").value_or(0));
    if (!message.empty()) out += fmt::format(": {}", message);
    return out;
  }
  if (job.is_true("held")) return "held";
  const auto planned_s = job.number("planned");
  if (!planned_s || *planned_s < 0) return "waits";
  return "starts in " + duration_text(std::max<std::int64_t>(*planned_s - around.now_s, 0));
}

std::string padded(std::string_view text, std::size_t width, char side) {
  const auto columns = static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !is_utf8_continuation(c); }));
  const std::size_t left = width > columns ? width - columns : 0;
  const std::size_t before = side == '>' ? left : side == '^' ? left / 2 : 0;
  return std::string(before, ' ') + std::string(text) + std::string(left - before, ' ');
}

// At most this many characters.
std::string cut(std::string text, std::size_t most, bool mark) {
  std::size_t characters = 0, at = 0;
  for (; at < text.size(); ++at) {
    if (!is_utf8_continuation(text[at]) && characters++ == most) break;
  }
  if (at == text.size()) return text;
  if (mark && most > 0) return cut(std::move(text), most - 1, false) + '+';
  text.resize(at);
  return text;
}

const JobColumn* find_column(std::string_view name) {
  const auto at = std::ranges::find_if(job_columns(), [&](const JobColumn& column) {
    return column.name == name || std::ranges::find(column.also, name) != column.also.end();
  });
  return at == job_columns().end() ? nullptr : &*at;
}

Result<std::size_t> width_of(std::string_view text) {
  const auto out = parse_number<std::size_t>(text);
  if (out && *out <= kWidthMax) return *out;
  return fail(ErrorCode::invalid, fmt::format("{} is not a width: write a number up to {}",
                                              shown_word(text), kWidthMax));
}

}  // namespace

const std::vector<JobColumn>& job_columns() {
  static const std::vector<JobColumn> kJobColumns{
      {"id", "ID", 7, number_column<"id">, {"jobid"}},
      {"name", "NAME", -14, word_column<"name">, {}},
      {"user", "USER", -8, user_column, {"username"}},
      {"queue", "QUEUE", -8, word_column<"queue">, {"partition"}},
      {"state", "STATE", -7, state_column, {"status"}},
      {"st", "ST", -2, abbreviation, {"status_abbrev", "statecompact"}},
      {"priority", "PRIORITY", 8, number_column<"priority">, {"urgency", "prioritylong"}},
      {"nodes", "NODES", 5, nodes_column, {"nnodes", "numnodes"}},
      {"nodelist", "NODELIST", -20, nodelist_column, {}},
      {"runtime", "TIME", 10, runtime_column, {"time", "timeused"}},
      {"wait", "WAIT", 10, wait_column, {"pendingtime"}},
      {"duration", "DURATION", 10, length_column<"duration">, {"timelimit"}},
      {"submitted", "SUBMITTED", -20, time_column<"submitted">, {"t_submit", "submittime"}},
      {"planned", "PLANNED", -20, time_column<"planned">, {}},
      {"first_planned", "FIRST_PLANNED", -20, time_column<"first_planned">, {}},
      {"started", "STARTED", -20, time_column<"started">, {"t_run", "starttime"}},
      {"ended", "ENDED", -20, time_column<"ended">, {"t_cleanup", "endtime"}},
      {"shape", "SHAPE", -20, word_column<"shape">, {}},
      {"hres", "HRES", -12, word_column<"hres">, {"licenses"}},
      {"lease", "LEASE", 8, length_column<"lease">, {}},
      {"restarts", "RESTARTS", 8, number_column<"restarts">, {"restartcnt"}},
      {"held", "HELD", -4, truth_column<"held">, {}},
      {"result", "RESULT", -9, result_column, {}},
      {"status_code", "STATUS", 6, number_column<"status">, {"returncode", "exit_code"}},
      {"message", "MESSAGE", -20, word_column<"message">, {}},
      {"reason", "REASON", -20, reason_column, {}},
      {"info", "INFO", -20, info_column, {"contextual_info"}},
  };
  return kJobColumns;
}

// "name", "name:>8", "name:<14.14+".
Result<JobFormat::Piece> JobFormat::parse_field(std::string_view field) {
  Piece out;
  const std::size_t colon = std::min(field.find(':'), field.size());
  out.column = find_column(field.substr(0, colon));
  if (out.column == nullptr) {
    std::vector<std::string_view> names;
    for (const JobColumn& column : job_columns()) names.push_back(column.name);
    return fail(ErrorCode::invalid, unknown_word("column", field.substr(0, colon), names));
  }
  std::string_view how = field.substr(std::min(colon + 1, field.size()));
  if (how.starts_with('<') || how.starts_with('>') || how.starts_with('^')) {
    out.side = how.front();
    how.remove_prefix(1);
  }
  if (how.ends_with('+')) {
    out.mark = true;
    how.remove_suffix(1);
  }
  const std::size_t point = std::min(how.find('.'), how.size());
  if (point > 0) {
    const auto width = width_of(how.substr(0, point));
    if (!width) return std::unexpected(width.error());
    out.width = *width;
  }
  if (point == how.size()) return out;
  const auto most = width_of(how.substr(point + 1));
  if (!most) return std::unexpected(most.error());
  out.most = *most;
  return out;
}

Result<JobFormat> JobFormat::parse(std::string_view text) {
  JobFormat out;
  if (!text.contains('{') && !text.contains('}')) {
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t to = std::min(text.find(',', from), text.size());
      auto piece = parse_field(text.substr(from, to - from));
      if (!piece) return std::unexpected(piece.error());
      if (from > 0) out.pieces_.push_back({.text = " "});
      if (piece->width == 0) {
        piece->width = static_cast<std::size_t>(std::abs(piece->column->width));
        piece->side = piece->column->width < 0 ? '<' : '>';
      }
      out.pieces_.push_back(std::move(*piece));
      from = to + 1;
    }
    return out;
  }
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool twice = at + 1 < text.size() && text[at + 1] == text[at];
    if ((text[at] == '{' || text[at] == '}') && twice) {
      plain += text[at++];
    } else if (text[at] == '{') {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos) {
        return fail(ErrorCode::invalid, "a { of the format is not closed; write {{ for {");
      }
      auto piece = parse_field(text.substr(at + 1, end - at - 1));
      if (!piece) return std::unexpected(piece.error());
      if (!plain.empty()) out.pieces_.push_back({.text = std::exchange(plain, {})});
      out.pieces_.push_back(std::move(*piece));
      at = end;
    } else if (text[at] == '}') {
      return fail(ErrorCode::invalid, "a } of the format closes no {; write }} for }");
    } else {
      plain += text[at];
    }
  }
  if (!plain.empty()) out.pieces_.push_back({.text = std::move(plain)});
  return out;
}

bool JobFormat::has(std::string_view column) const {
  return std::ranges::any_of(pieces_, [&](const Piece& piece) {
    return piece.column != nullptr && piece.column->name == column;
  });
}

std::string JobFormat::line(const std::function<std::string(const JobColumn&)>& text) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    if (piece.column == nullptr) {
      out += piece.text;
      continue;
    }
    const std::string shown = printable(text(*piece.column), LineEnds::escape);
    out += padded(cut(shown, piece.most, piece.mark), piece.width, piece.side);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + '\n';
}

std::string JobFormat::header() const {
  return line([](const JobColumn& column) { return std::string(column.header); });
}

std::string JobFormat::row(TreeView job, const JobSurroundings& around) const {
  return line([&](const JobColumn& column) { return column.text(job, around); });
}

}  // namespace copse
