// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.hpp"

#include <string_view>

#include "text/json_text.hpp"

namespace copse {

namespace {

// --- Words

template <std::integral Number>
std::string grouped(Number number) {
  std::string out;
  append_number(out, number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = out.size(); at > sign + 3;) out.insert(at -= 3, 1, ',');
  return out;
}

std::string plural(const std::string& type) {
  const std::string_view t = type;
  if (t.ends_with("s")) return type;  // chassis
  if (t.ends_with("ch") || t.ends_with("sh") || t.ends_with("x")) return type + "es";
  return type + "s";
}

std::string pools(const std::string& type, std::uint64_t count) {
  return count == 1 ? type : plural(type);
}

// "36 cores", "453 GiB of memory", "453 units of power".
std::string units_of(const Finding& f, std::int64_t count, const std::string& number) {
  if (!f.unit.empty()) return number + " " + f.unit + " of " + f.type;
  if (!f.counted) return number + (count == 1 ? " unit of " : " units of ") + f.type;
  return number + " " + pools(f.type, static_cast<std::uint64_t>(count));
}

// "36 × 453 = 16,308"; factors of one say nothing.
std::string product(const Finding& f) {
  std::string out;
  std::size_t factors = 0;
  for (std::int64_t factor : f.factors) {
    if (factor == 1) continue;
    out += (factors++ == 0 ? "" : " × ") + grouped(factor);
  }
  return factors > 1 ? out + " = " + grouped(f.needed) : grouped(f.needed);
}

// " with 32 free cores and 1 free gpu"
std::string with_each(const Finding& f, bool now) {
  std::string out;
  for (std::size_t i = 0; i < f.each.size(); ++i) {
    const Finding::Part& part = f.each[i];
    out += i == 0 ? " with " : i + 1 == f.each.size() ? " and " : ", ";
    out += grouped(part.units) + (now ? " free " : " ");
    out += pools(part.type, static_cast<std::uint64_t>(part.units));
  }
  if (!out.empty() && f.needed != 1) out += " each";
  return out;
}

std::string holders(const Finding& f, std::int64_t now) {
  std::string out;
  for (const Holder& h : f.holders) {
    out += out.empty() ? "job " : ", job ";
    append_number(out, h.job);
    if (h.start > now) out += " from " + grouped(h.start) + " s";
    out += " until " + grouped(h.end) + " s";
  }
  if (f.more_holders > 0) {
    out += " and " + grouped(f.more_holders) + (f.more_holders == 1 ? " more job" : " more jobs");
  }
  return out;
}

// "of 1,000 nodes 2 fit now: 996 are held by jobs (…), 1 is down, 1 is excluded by the constraint"
std::string breakdown(const Finding& f, bool now, std::int64_t at) {
  const Candidates& c = f.candidates;
  const std::string noun = f.type == "slot" ? (c.all == 1 ? "place" : "places")
                           : f.counted      ? pools(f.type, c.all)
                                            : (c.all == 1 ? "pool of " : "pools of ") + f.type;
  std::string out = "of " + grouped(c.all) + " " + noun + " ";
  out += c.fit == 0 ? "none fits" : grouped(c.fit) + (c.fit == 1 ? " fits" : " fit");
  out += now ? " now" : " even if all is empty";
  std::string rest;
  auto add = [&](std::uint64_t count, const char* one, const char* many) {
    if (count == 0) return;
    rest += (rest.empty() ? "" : ", ") + grouped(count) + " " + (count == 1 ? one : many);
  };
  std::string jobs = holders(f, at);
  auto add_jobs = [&](std::uint64_t count, const char* one, const char* many) {
    add(count, one, many);
    if (count == 0 || jobs.empty()) return;
    rest += (f.holders.size() > 1 ? " (soonest: " : " (") + jobs + ")";
    jobs.clear();
  };
  add_jobs(c.held, "is held by a job", "are held by jobs");
  add_jobs(c.busy, "is in use by jobs in part", "are in use by jobs in part");
  add(c.down, "is down", "are down");
  add(c.excluded, "is excluded by the constraint", "are excluded by the constraint");
  add(c.too_small, "is too small", "are too small");
  add(c.lacking, "does not have what is needed below it", "do not have what is needed below them");
  add(c.passed_over, "is never chosen by the policy", "are never chosen by the policy");
  return rest.empty() ? out : out + ": " + rest;
}

std::string amounts(const Finding& f, bool now, std::int64_t at) {
  std::string out = "needs " + units_of(f, f.needed, product(f)) + with_each(f, now);
  const bool machine = f.where.empty();
  if (!machine) out += " under one " + f.where;
  if (f.most_has < f.needed) {
    return out + (machine ? "; the machine has " : "; the largest has ") + grouped(f.most_has);
  }
  if (!machine || (!f.counted && f.type != "slot")) {
    out += "; at most " + grouped(f.most_fits) + (now ? " of " : " could be used of ");
    out += grouped(f.most_has) + (now ? f.each.empty() ? " are free" : " fit now" : "");
    if (!machine) out += " under one";
  }
  return out + "; " + breakdown(f, now, at);
}

// "needs 2 × 5,000 = 10,000 of power; of 32 nodes 1 can be served now; layer node[01-08] has 7,000
// of 35,000 left (job 3 until 600 s)"
std::string supply_sentence(const Finding& f, bool now, std::int64_t at) {
  std::string out = "needs " + product(f) + " of " + f.type;
  if (f.cause == Cause::supply) {
    const Candidates& c = f.candidates;
    out += "; of " + grouped(c.all) + (c.all == 1 ? " node " : " nodes ");
    out += (c.fit == 0 ? "none" : grouped(c.fit)) + " can be served";
    out += now ? " now" : " even if all is empty";
  } else {
    out += now ? " where pools are free" : " where the pools are";
  }
  if (f.where.empty()) return out + "; no layer is over such a node";
  out += "; layer " + f.where + " has " + grouped(f.most_fits);
  if (!now) return out;
  out += " of " + grouped(f.most_has) + " left";
  const std::string jobs = holders(f, at);
  if (jobs.empty()) return out;
  return out + (f.holders.size() > 1 ? " (soonest: " : " (") + jobs + ")";
}

std::string words_of(const Finding& f, const Explanation& e) {
  const bool now = e.verdict == Verdict::insufficient;
  switch (f.cause) {
    case Cause::too_few: return amounts(f, now, e.at);
    case Cause::deeper:
      return "needs " + units_of(f, f.needed, product(f)) + " directly below a " + f.where +
             ": there are " + grouped(f.most_has) +
             " below one, but deeper; name the levels between";
    case Cause::not_together:
      return "needs " + units_of(f, f.needed, product(f)) + with_each(f, now) +
             ": each part is there, but not together under one " +
             (f.type == "slot" ? "pool" : f.type) + "; " + breakdown(f, now, e.at);
    case Cause::whole_pools:
      return "needs " + units_of(f, f.needed, product(f)) +
             (f.where.empty() ? "" : " under one " + f.where) + ": there are " +
             grouped(f.most_fits) + ", but pools are taken whole, and their sizes do not work out";
    case Cause::unequal:
      return "each part of the request is there, but not together: the sizes of pools "
             "do not work out";
    case Cause::siblings:
      return "this stands beside a part that asks for the same pools, and a pool that two parts "
             "side by "
             "side ask for is given to neither: put them into one, or into different pools";
    case Cause::slot_rule:
      return "a slot must have resources in it, and no slot directly in it; xor_slot is not "
             "matched";
    case Cause::count_zero:
      return "asks for none of it, and a match that finds none fails: leave it out, or ask for 1";
    case Cause::exclusive_in_part:
      return "this says exclusive: false, but what is above it in the request is exclusive";
    case Cause::nothing_exclusive:
      return "nothing in this request is exclusive: put resources in a slot, or say exclusive: "
             "true";
    case Cause::capacity: {
      const std::string unit = f.unit.empty() ? "" : " " + f.unit;
      const std::string wanted = "draws " + units_of(f, f.needed, grouped(f.needed)) +
                                 " or more from " + f.where + ", which has ";
      if (!now) return wanted + grouped(f.most_has) + unit;
      const std::string jobs = holders(f, e.at);
      return wanted + grouped(f.most_fits) + unit + " left of " + grouped(f.most_has) +
             (jobs.empty() ? "" : ": drawn by " + jobs);
    }
    case Cause::capacity_down: return "is drawn along " + f.where + ", which is down";
    case Cause::no_capacity: return "has no capacity on the way up from " + f.where;
    case Cause::duration: return "the duration is not between 0 and " + grouped(f.most_has) + " s";
    case Cause::supply:
    case Cause::supply_apart: return supply_sentence(f, now, e.at);
  }
  return {};
}

const char* verdict_line(Verdict verdict) {
  switch (verdict) {
    case Verdict::fits: return "fits: this would be granted now";
    case Verdict::insufficient: return "insufficient: not now, but it fits the empty machine";
    case Verdict::infeasible: return "infeasible: it does not fit even the empty machine";
    case Verdict::invalid: return "invalid: the request itself is wrong";
  }
  return "";
}

// --- JSON

void key(std::string& out, const char* name) {
  if (out.back() != '{') out += ", ";
  append_json(out, name);
  out += ": ";
}
template <std::integral Number>
void member(std::string& out, const char* name, Number number) {
  key(out, name);
  append_number(out, number);
}
void member(std::string& out, const char* name, std::string_view text) {
  if (text.empty()) return;
  key(out, name);
  append_json(out, text);
}

// [a, b]: `each` appends one.
template <class List, class Each>
void list(std::string& out, const char* name, const List& all, Each each) {
  if (all.empty()) return;
  key(out, name);
  const char* before = "[";
  for (const auto& one : all) {
    out += before;
    each(one);
    before = ", ";
  }
  out += ']';
}

void append_candidates(std::string& out, const Candidates& c) {
  key(out, "candidates");
  out += '{';
  member(out, "all", c.all);
  member(out, "fit", c.fit);
  member(out, "too_small", c.too_small);
  member(out, "excluded", c.excluded);
  member(out, "down", c.down);
  member(out, "held", c.held);
  member(out, "busy", c.busy);
  member(out, "lacking", c.lacking);
  member(out, "passed_over", c.passed_over);
  out += '}';
}

void append_finding(std::string& out, const Finding& f) {
  out += '{';
  member(out, "cause", word(f.cause));
  member(out, "path", f.path);
  if (f.place.line > 0) member(out, "line", f.place.line);
  if (f.place.column > 0) member(out, "column", f.place.column);
  member(out, "type", f.type);
  member(out, "unit", f.unit);
  if (f.cause == Cause::duration) {
    member(out, "most", f.most_has);
  } else if (f.cause == Cause::capacity_down || f.cause == Cause::no_capacity) {
    member(out, "needed", f.needed);
    member(out, "where", f.where);
  } else if (!f.factors.empty()) {
    member(out, "needed", f.needed);
    list(out, "factors", f.factors, [&](std::int64_t n) { append_number(out, n); });
    list(out, "each", f.each, [&](const Finding::Part& part) {
      out += '{';
      member(out, "type", part.type);
      member(out, "units", part.units);
      out += '}';
    });
    member(out, "where", f.where);
    member(out, "most_has", f.most_has);
    member(out, "most_fits", f.most_fits);
    append_candidates(out, f.candidates);
    list(out, "holders", f.holders, [&](const Holder& h) {
      out += '{';
      member(out, "job", h.job);
      member(out, "start", h.start);
      member(out, "end", h.end);
      member(out, "units", h.units);
      out += '}';
    });
    if (f.more_holders > 0) member(out, "more_holders", f.more_holders);
  }
  out += '}';
}

}  // namespace

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::fits: return "fits";
    case Verdict::insufficient: return "insufficient";
    case Verdict::infeasible: return "infeasible";
    case Verdict::invalid: return "invalid";
  }
  return "";
}

const char* word(Cause cause) {
  switch (cause) {
    case Cause::too_few: return "too_few";
    case Cause::deeper: return "deeper";
    case Cause::not_together: return "not_together";
    case Cause::whole_pools: return "whole_pools";
    case Cause::unequal: return "unequal";
    case Cause::siblings: return "siblings";
    case Cause::slot_rule: return "slot_rule";
    case Cause::count_zero: return "count_zero";
    case Cause::exclusive_in_part: return "exclusive_in_part";
    case Cause::nothing_exclusive: return "nothing_exclusive";
    case Cause::duration: return "duration";
    case Cause::capacity: return "capacity";
    case Cause::capacity_down: return "capacity_down";
    case Cause::no_capacity: return "no_capacity";
    case Cause::supply: return "supply";
    case Cause::supply_apart: return "supply_apart";
  }
  return "";
}

std::string sentence(const Finding& finding, Verdict verdict, std::int64_t at) {
  return words_of(finding, Explanation{.verdict = verdict, .at = at, .until = at, .findings = {}});
}

void append_explanation_text(std::string& out, const Explanation& explanation) {
  out += verdict_line(explanation.verdict);
  out += '\n';
  for (const Finding& f : explanation.findings) {
    if (!f.path.empty()) {
      out += f.path;
      const std::string place = f.place.text();
      if (!place.empty()) out += " (" + place + ")";
      out += '\n';
    }
    out += words_of(f, explanation) + "\n";
  }
}

void append_explanation_json(std::string& out, const Explanation& explanation) {
  out += '{';
  member(out, "verdict", word(explanation.verdict));
  member(out, "at", explanation.at);
  member(out, "until", explanation.until);
  key(out, "findings");
  const char* before = "[";
  for (const Finding& f : explanation.findings) {
    out += before;
    append_finding(out, f);
    before = ", ";
  }
  out += explanation.findings.empty() ? "[]}\n" : "]}\n";
}

}  // namespace copse
