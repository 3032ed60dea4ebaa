// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/short_cause.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "request/request_defaults.hpp"
#include "text/clauses.hpp"

namespace copse::queue {

namespace {

constexpr std::size_t kNameCharacters = 24;

std::string shown(std::string_view name) { return shortened(name, kNameCharacters); }

// "GPU", "GPUs", "nodes", "chassis".
std::string noun(std::string_view type, std::int64_t count) {
  std::string out = type == "gpu" ? "GPU" : type == "cpu" ? "CPU" : shown(type);
  if (count == 1 || type.ends_with('s') || type == "memory") return out;
  const bool hisses = type.ends_with("ch") || type.ends_with("sh") || type.ends_with('x');
  return out + (hisses ? "es" : "s");
}

std::string property_words(const Finding& f) {
  if (f.properties.empty()) return {};
  const bool is_type = f.type != "node" && f.type != "slot" && !f.properties.contains(',');
  return (is_type ? " of type " : " with ") + shown(f.properties);
}

// "GPUs of type h100", "GiB of memory", "MB of default memory", "units of power".
std::string thing(const Finding& f, std::int64_t count) {
  if (!f.unit.empty()) {
    const bool added = is_of_defaults(f.place);
    return f.unit + (added ? " of default " : " of ") + shown(f.type) + property_words(f);
  }
  if (!f.counted && f.type != "slot") {
    return (count == 1 ? "unit of " : "units of ") + shown(f.type) + property_words(f);
  }
  return noun(f.type, count) + property_words(f);
}

// " with 32 cores and 1 GPU each"
std::string parts_of_each(const Finding& f) {
  std::string out;
  for (std::size_t i = 0; i < f.each.size(); ++i) {
    const Finding::Part& part = f.each[i];
    out += i == 0 ? " with " : i + 1 == f.each.size() ? " and " : ", ";
    out += fmt::format("{} {}", part.units, noun(part.type, part.units));
  }
  return out.empty() || f.needed == 1 ? out : out + " each";
}

std::string waits_for(const Finding& f, std::string_view more) {
  if (f.most_fits < f.needed) {
    return fmt::format("waits for {} of {} free {}{}", f.needed, f.most_fits, thing(f, 2), more);
  }
  return fmt::format("waits for {} {}{}", f.needed, thing(f, f.needed), more);
}

// The first text that fits; the last one is cut.
std::string first_fitting(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (characters(text) <= kCauseCharacters) return text;
  }
  return first_clauses(*std::prev(texts.end()), kCauseCharacters);
}

std::string in_full_or_less(const Finding& f, const std::string& tail) {
  return first_fitting(
      {waits_for(f, parts_of_each(f)) + tail, waits_for(f, "") + tail, waits_for(f, "")});
}

std::string of_finding(const Finding& f, Verdict verdict, const std::string& tail) {
  switch (f.cause) {
    case copse::Cause::too_few: {
      // What is free in the whole machine would suffice: it is not in one place.
      const bool apart = f.counted && f.type != "slot" && !f.where.empty() &&
                         std::cmp_greater_equal(f.candidates.fit, f.needed);
      if (!apart && f.most_fits < f.needed) return in_full_or_less(f, tail);
      Finding all = f;
      all.most_fits = f.needed;
      return in_full_or_less(
          all, apart ? fmt::format(" that are free in one place, which has {}", f.most_fits) + tail
                     : " that are free together" + tail);
    }
    case copse::Cause::not_together: {
      Finding all = f;
      all.most_fits = f.needed;
      return in_full_or_less(all, ": each part is free, but not together");
    }
    case copse::Cause::whole_pools: {
      Finding all = f;
      all.most_fits = f.needed;
      return in_full_or_less(all, " that are free together");
    }
    case copse::Cause::unequal: return "waits for parts that are free, but not together";
    case copse::Cause::capacity: return in_full_or_less(f, tail);
    case copse::Cause::capacity_down:
      return fmt::format("waits for {}: the way to it is down", shown(f.type));
    case copse::Cause::supply:
      if (f.most_fits < f.needed) {
        return fmt::format("waits for {} of {} free {}", f.needed, f.most_fits, shown(f.type));
      }
      [[fallthrough]];
    case copse::Cause::supply_apart:
      return fmt::format("waits for {} {} where the rest that it needs is free", f.needed,
                         shown(f.type));
    default: return first_clauses(sentence(f, verdict, 0), kCauseCharacters);
  }
}

std::string of_explanation(const Explanation& why, const std::string& tail) {
  if (!why.remarks.empty()) return first_clauses(why.remarks.front(), kCauseCharacters);
  if (why.findings.empty()) return "waits for resources that others have";
  return of_finding(why.findings.front(), why.verdict, tail);
}

std::string of_reservation(const Reason& reason, std::int64_t now_s) {
  const std::string name = '"' + shown(reason.reservation) + '"';
  if (reason.cause == Reason::Cause::down)
    return "waits for nodes of reservation " + name + " that are down";
  if (!reason.reserved_for_it) return "waits for what reservation " + name + " holds";
  if (reason.from_s > now_s) return "waits for reservation " + name + " to begin";
  if (reason.text.starts_with("other")) return "waits for what others have of reservation " + name;
  return "is too long for the rest of reservation " + name;
}

// "40 s", "50 min", "3 h", "2 days", rounded.
std::string rough_time(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60, kHour = 3'600, kDay = 86'400;
  const auto rounded = [&](std::int64_t unit) { return (seconds + unit / 2) / unit; };
  if (seconds < 2 * kMinute) return fmt::format("{} s", seconds);
  if (rounded(kMinute) < 120) return fmt::format("{} min", rounded(kMinute));
  if (rounded(kHour) < 48) return fmt::format("{} h", rounded(kHour));
  return fmt::format("{} days", rounded(kDay));
}

}  // namespace

std::string short_cause(const Explanation& why) { return of_explanation(why, ""); }

std::string short_cause(const Reason& reason, std::int64_t now_s, const JobNames& names,
                        std::string_view excluding) {
  using ReasonCause = Reason::Cause;
  const std::string job = reason.job == 0 ? std::string() : shown(name_of(names, reason.job));
  if (!reason.reservation.empty()) return of_reservation(reason, now_s);
  switch (reason.cause) {
    case ReasonCause::in_front:
      return fmt::format("waits behind job {}, which none may overtake", job);
    case ReasonCause::promises:
      return job.empty() ? "waits so as not to delay jobs before it"
                         : fmt::format("waits so as not to delay job {}", job);
    default: break;
  }
  if (!reason.why) return first_clauses(reason.text, kCauseCharacters);
  std::string tail;
  if (reason.cause == ReasonCause::down && !reason.why->findings.empty()) {
    const std::uint64_t down = reason.why->findings.front().candidates.down;
    if (down > 0) tail = fmt::format("; {} {} down", down, down == 1 ? "is" : "are");
  }
  if (reason.cause == ReasonCause::unreachable) tail = "; others have no time limit";
  if (reason.cause == ReasonCause::constraint) tail = fmt::format(" that {} allows", excluding);
  return of_explanation(*reason.why, tail);
}

// The holders that end soonest are named: a list of ten hides the sentence.
std::string whole_sentence(const Explanation& why, const JobNames& names) {
  constexpr std::size_t kNamedMax = 2;
  if (!why.remarks.empty()) return why.remarks.front();
  if (why.findings.empty()) return "there are too few resources";
  Finding finding = why.findings.front();
  if (finding.holders.size() > kNamedMax) {
    finding.more_holders += finding.holders.size() - kNamedMax;
    finding.holders.resize(kNamedMax);
  }
  return sentence(finding, why.verdict, why.at, names);
}

std::string timed_cause(std::string_view cause, std::optional<std::int64_t> start_s, bool estimated,
                        std::int64_t now_s, const ClockWords& clock) {
  std::string out = first_clauses(cause, kCauseCharacters);
  if (!start_s || *start_s <= now_s) return out;
  const std::string until = fmt::format("{}, until {}{}", out, estimated ? "about " : "",
                                        clock ? clock(*start_s, now_s) : readable_time(*start_s));
  return first_fitting(
      {fmt::format("{} (in {})", until, rough_time(*start_s - now_s)), until, out});
}

}  // namespace copse::queue
