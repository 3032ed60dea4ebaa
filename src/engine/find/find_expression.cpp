// SPDX-License-Identifier: Apache-2.0
#include "engine/find/find_expression.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/idset.hpp"
#include "base/job_id.hpp"
#include "base/nearest_word.hpp"
#include "base/scan_text.hpp"
#include "engine/find/find_criteria.hpp"

namespace copse {

namespace {

constexpr std::size_t kTermsMax = 1000;
constexpr int kDepthMax = 100;
constexpr std::size_t kHostsMax = 1u << 20;  // of all terms together

bool blank(char c) { return c == ' ' || c == '\t'; }

class FindParser {
 public:
  explicit FindParser(std::string_view text) : rest_(text) {}

  bool run(FindExpression& out) {
    out_ = &out;
    return expression(0) && (skip_blanks(), rest_.empty());
  }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] const std::string& too_much() const { return too_much_; }  // empty: no limit hit

 private:
  void skip_blanks() {
    while (!rest_.empty() && blank(rest_.front())) rest_.remove_prefix(1);
  }

  // A word up to a space or parenthesis.
  std::string_view word() {
    std::size_t n = 0;
    while (n < rest_.size() && !blank(rest_[n]) && rest_[n] != '(' && rest_[n] != ')') ++n;
    const std::string_view w = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return w;
  }

  bool expression(int depth) {
    if (depth > kDepthMax) return refuse("criteria are nested deeper than 100");
    bool any = false;
    for (;;) {
      skip_blanks();
      if (rest_.empty() || rest_.front() == ')') return any;
      FindStep::Kind join = FindStep::Kind::both;
      if (any) {
        std::string_view saved = rest_;
        const std::string_view w = word();
        if (w == "or") {
          join = FindStep::Kind::either;
        } else if (w != "and") {
          rest_ = saved;
        }
        skip_blanks();
      }
      if (!term(depth)) return false;
      if (any) out_->steps.push_back({join, 0});
      any = true;
    }
  }

  bool term(int depth) {
    if (!rest_.empty() && rest_.front() == '(') {
      rest_.remove_prefix(1);
      if (!expression(depth + 1)) return false;
      if (rest_.empty() || rest_.front() != ')') return false;
      rest_.remove_prefix(1);
      return rest_.empty() || blank(rest_.front()) || rest_.front() == ')';
    }
    const std::string_view w = word();
    const std::size_t equals = w.find('=');
    if (equals == std::string_view::npos || equals + 1 == w.size()) {
      wrong_ = w.empty() ? "a criterion is missing, such as status=up"
                         : fmt::format("\"{:.64}\" is not a criterion, such as status=up", w);
      return false;
    }
    if (w.substr(0, equals) == "best") return best(w.substr(equals + 1), depth);
    if (out_->terms.size() >= kTermsMax) return refuse("there are more than 1,000 criteria");
    auto made = leaf(w.substr(0, equals), w.substr(equals + 1));
    if (!made) return false;
    out_->steps.push_back({FindStep::Kind::term, static_cast<std::uint32_t>(out_->terms.size())});
    out_->terms.push_back(std::move(*made));
    return true;
  }

  // best=K:SCORE says how many are shown; as a criterion it is true.
  bool best(std::string_view text, int depth) {
    const std::size_t colon = text.find(':');
    const auto count = parse_number<std::size_t>(text.substr(0, colon));
    std::string_view score = colon == text.npos ? "" : text.substr(colon + 1);
    BestPools best;
    best.lowest = score.starts_with('-');
    if (best.lowest) score.remove_prefix(1);
    const bool free = score.starts_with("free-") && score.size() > 5;
    if (free) best.type = score.substr(5);
    best.score = free            ? BestPools::Score::free
                 : score == "id" ? BestPools::Score::id
                                 : BestPools::Score::size;
    if (!count || *count == 0 || (!free && score != "id" && score != "size")) {
      wrong_ =
          fmt::format("\"{:.64}\" is not a number and a score, such as best=3:free-core", text);
      return false;
    }
    if (out_->best || depth > 0) {
      wrong_ = "best= is given once, and not in parentheses";
      return false;
    }
    best.count = *count;
    out_->best = best;
    out_->steps.push_back({FindStep::Kind::term, static_cast<std::uint32_t>(out_->terms.size())});
    out_->terms.push_back({.key = FindTerm::Key::always});
    return true;
  }

  bool refuse(const char* why) {
    too_much_ = why;
    return false;
  }

  std::nullopt_t unknown(std::string_view what, std::string_view word,
                         std::initializer_list<std::string_view> known) {
    wrong_ = unknown_word(what, word, {known.begin(), known.size()});
    return std::nullopt;
  }

  std::optional<FindTerm> leaf(std::string_view key, std::string_view value) {
    using Key = FindTerm::Key;
    FindTerm t{};
    std::string low(value);
    std::transform(low.begin(), low.end(), low.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    auto choose = [&](std::string_view a, Key if_a, std::string_view b, Key if_b) {
      t.key = low == a ? if_a : if_b;
      return low == a || low == b;
    };
    if (key == "status") {
      if (!choose("up", Key::status_up, "down", Key::status_down)) {
        return unknown(key, value, {"up", "down"});
      }
    } else if (key == "sched-now") {
      if (!choose("allocated", Key::allocated, "free", Key::free_now)) {
        return unknown(key, value, {"allocated", "free"});
      }
    } else if (key == "sched-future") {
      if (!choose("reserved", Key::reserved, "free", Key::free_later)) {
        return unknown(key, value, {"reserved", "free"});
      }
    } else if (key == "property") {
      t.key = Key::property;
      t.word = value;
    } else if (key == "tag") {
      t.key = Key::tag;
      t.word = value.substr(0, value.find('='));
      if (t.word.size() < value.size()) t.value = value.substr(t.word.size() + 1);
    } else if (key == "uuid" || key == "type" || key == "basename") {
      t.key = key == "uuid" ? Key::uuid : key == "type" ? Key::type : Key::basename;
      t.word = value;
    } else if (key == "id") {
      t.key = Key::id;
      auto ids = Idset::parse(value);
      if (!ids) {
        wrong_ = fmt::format("\"{:.64}\" is not a set of ids, such as 0-3", value);
        return std::nullopt;
      }
      t.ids = std::move(*ids);
    } else if (key == "size") {
      t.key = Key::size;
      t.flag = value.ends_with('+');
      const auto units = parse_number<std::int64_t>(
          value.substr(0, value.size() - static_cast<std::size_t>(t.flag)));
      if (!units || *units < 0) {
        wrong_ = fmt::format("\"{:.64}\" is not a size, such as 16 or 16+", value);
        return std::nullopt;
      }
      t.number = *units;
    } else if (key == "names") {
      auto names = expand_hostlist(value, hosts_left_);
      if (!names && names.error().code == ErrorCode::limit) {
        refuse("names= lists more than 1,048,576 hosts");
      }
      if (!names) return std::nullopt;
      hosts_left_ -= names->size();
      t.key = Key::names;
      t.names = std::move(*names);
      std::sort(t.names.begin(), t.names.end());
    } else if (key == "agfilter") {
      t.key = Key::agfilter;
      t.flag = low == "true" || low == "t";
      if (!t.flag && low != "false" && low != "f") return unknown(key, value, {"true", "false"});
    } else {
      if (key == "jobid-alloc")
        t.key = Key::job_alloc;
      else if (key == "jobid-reserved")
        t.key = Key::job_reserved;
      else if (key == "jobid-tag")
        t.key = Key::job_tag;
      else if (key == "jobid-span")
        t.key = Key::job_span;
      else
        return unknown("key", key,
                       {"status", "sched-now", "sched-future", "property", "tag", "uuid", "type",
                        "basename", "id", "size", "names", "best", "agfilter", "jobid-alloc",
                        "jobid-reserved", "jobid-tag", "jobid-span"});
      t.job = parse_job_id(value);
      if (!t.job) {
        wrong_ = fmt::format("\"{:.64}\" is not a job id", value);
        return std::nullopt;
      }
    }
    return t;
  }

  std::string_view rest_;
  FindExpression* out_ = nullptr;
  std::size_t hosts_left_ = kHostsMax;
  std::string too_much_, wrong_;
};

}  // namespace

std::string criteria_error(std::string_view text) {
  FindExpression out;
  FindParser parser(text);
  if (parser.run(out)) return {};
  if (!parser.too_much().empty()) return parser.too_much();
  if (!parser.wrong().empty()) return parser.wrong();
  return "a criterion or a parenthesis is missing or superfluous";
}

Result<FindExpression> parse_find(std::string_view text) {
  FindExpression out;
  FindParser parser(text);
  if (!parser.run(out)) {
    if (!parser.too_much().empty())
      return fail(ErrorCode::limit, "invalid criteria: " + parser.too_much());
    return fail(ErrorCode::invalid, "invalid criteria: " + std::string(text) + ".");
  }
  return out;
}

}  // namespace copse
