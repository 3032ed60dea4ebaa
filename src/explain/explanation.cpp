// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.hpp"

#include <algorithm>
#include <string_view>

#include "base/clock_time.hpp"
#include "request/request_defaults.hpp"
#include "text/json_writer.hpp"

namespace copse {

namespace {

// --- Text

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
  if (t.ends_with("s") || t == "memory") return type;  // chassis
  if (t.ends_with("ch") || t.ends_with("sh") || t.ends_with("x")) return type + "es";
  return type + "s";
}

std::string pools(const std::string& type, std::uint64_t count) {
  return count == 1 ? type : plural(type);
}

// "36 cores", "453 GiB of memory", "453 units of power".
std::string units_of(const Finding& f, std::int64_t count, const std::string& number) {
  const std::string with = f.properties.empty() ? "" : " with " + f.properties;
  if (!f.unit.empty()) return number + " " + f.unit + " of " + f.type + with;
  if (!f.counted) return number + (count == 1 ? " unit of " : " units of ") + f.type + with;
  return number + " " + pools(f.type, static_cast<std::uint64_t>(count)) + with;
}

// "36 × 453 = 16,308", without factors of one.
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

std::string holders(const Finding& f, std::int64_t now, const JobNames& names) {
  std::string out;
  for (const Holder& h : f.holders) {
    if (!out.empty()) out += ", ";
    if (h.job < kFirstNamedHolder) out += "job ";
    out += name_of(names, h.job);
    if (h.start > now) out += " from " + readable_time(h.start);
    out += h.end == Holder::kWithoutEnd ? " without end" : " until " + readable_time(h.end);
  }
  if (f.more_holders > 0) {
    out += " and " + grouped(f.more_holders) + (f.more_holders == 1 ? " more job" : " more jobs");
  }
  return out;
}

// " (node[1,3] and 12 more)"
std::string down_names(const Finding& f) {
  if (f.down.empty()) return {};
  return " (" + f.down + (f.more_down > 0 ? " and " + grouped(f.more_down) + " more)" : ")");
}

// "of 1,000 nodes 2 fit now: 996 are allocated to jobs (…), 1 is down (node7), 1 is excluded by the
// constraint"
std::string breakdown(const Finding& f, bool now, std::int64_t at, const JobNames& names) {
  const Candidates& c = f.candidates;
  const std::string noun = f.type == "slot" ? (c.all == 1 ? "place" : "places")
                           : f.counted      ? pools(f.type, c.all)
                                            : (c.all == 1 ? "pool of " : "pools of ") + f.type;
  std::string out = "of " + grouped(c.all) + " " + noun + " ";
  out += c.fit == 0 ? "none fits" : grouped(c.fit) + (c.fit == 1 ? " fits" : " fit");
  out += now ? " now" : " even on the empty machine";
  std::string rest;
  auto add = [&](std::uint64_t count, const char* one, const char* many) {
    if (count == 0) return;
    rest += (rest.empty() ? "" : ", ") + grouped(count) + " " + (count == 1 ? one : many);
  };
  std::string jobs = holders(f, at, names);
  auto add_jobs = [&](std::uint64_t count, const char* one, const char* many) {
    add(count, one, many);
    if (count == 0 || jobs.empty()) return;
    rest += (f.holders.size() > 1 ? " (soonest: " : " (") + jobs + ")";
    jobs.clear();
  };
  const bool by_jobs =
      std::ranges::none_of(f.holders, [](const Holder& h) { return h.job >= kFirstNamedHolder; });
  if (by_jobs) {
    add_jobs(c.held, "is allocated to a job", "are allocated to jobs");
    add_jobs(c.busy, "is partly used by jobs", "are partly used by jobs");
  } else {
    add_jobs(c.held, "is allocated", "are allocated");
    add_jobs(c.busy, "is partly used", "are partly used");
  }
  add(c.down, "is down", "are down");
  if (c.down > 0) rest += down_names(f);
  if (f.properties.empty()) {
    add(c.excluded, "is excluded by the constraint", "are excluded by the constraint");
  } else {
    add(c.excluded, "has other properties", "have other properties");
  }
  add(c.too_small, "is too small", "are too small");
  add(c.lacking, "does not have what is needed below it", "do not have what is needed below them");
  add(c.passed_over, "is never chosen by the policy", "are never chosen by the policy");
  return rest.empty() ? out : out + ": " + rest;
}

std::string amounts(const Finding& f, bool now, std::int64_t at, const JobNames& names) {
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
  return out + "; " + breakdown(f, now, at, names);
}

// "needs 2 × 5,000 = 10,000 of power; of 32 nodes 1 fits now; layer node[01-08] has 7,000
// of 35,000 left (job 3 until 600 s)"
std::string supply_sentence(const Finding& f, bool now, std::int64_t at, const JobNames& names) {
  std::string out = "needs " + product(f) + " of " + f.type;
  if (f.cause == Cause::supply) {
    const Candidates& c = f.candidates;
    out += "; of " + grouped(c.all) + (c.all == 1 ? " node " : " nodes ");
    out += c.fit == 0 ? "none fits" : grouped(c.fit) + (c.fit == 1 ? " fits" : " fit");
    out += now ? " now" : " even on the empty machine";
  } else {
    out += now ? " where pools are free" : " where the pools are";
  }
  if (f.where.empty()) return out + "; no layer serves such a node";
  out += "; layer " + f.where + " has " + grouped(f.most_fits);
  if (!now) return out;
  out += " of " + grouped(f.most_has) + " left";
  const std::string jobs = holders(f, at, names);
  if (jobs.empty()) return out;
  return out + (f.holders.size() > 1 ? " (soonest: " : " (") + jobs + ")";
}

std::string words_of(const Finding& f, const Explanation& e, const JobNames& names) {
  const bool now = e.verdict == Verdict::insufficient;
  switch (f.cause) {
    case Cause::too_few: return amounts(f, now, e.at, names);
    case Cause::deeper:
      return "needs " + units_of(f, f.needed, product(f)) + " directly below a " + f.where +
             ": there are " + grouped(f.most_has) +
             " below one, but deeper; name the levels between";
    case Cause::not_together:
      return "needs " + units_of(f, f.needed, product(f)) + with_each(f, now) +
             ": each part exists, but not together under one " +
             (f.type == "slot" ? "pool" : f.type) + "; " + breakdown(f, now, e.at, names);
    case Cause::whole_pools:
      return "needs " + units_of(f, f.needed, product(f)) +
             (f.where.empty() ? "" : " under one " + f.where) + ": there are " +
             grouped(f.most_fits) + ", but pools are taken whole, and their sizes do not add up";
    case Cause::unequal:
      if (!f.where.empty()) return "the policy \"" + f.where + "\" refuses pools that would fit";
      return "each part of the request exists, but not together: the sizes of pools "
             "do not add up";
    case Cause::siblings:
      return "a sibling requests the same pools, and one walk gives a pool that fits two siblings "
             "to "
             "neither: the traverser loop-aware searches; or merge them, or put them below "
             "different pools";
    case Cause::slot_rule:
      return "a slot must have resources in it, and no slot directly in it; xor_slot needs "
             "-T flexible";
    case Cause::count_zero: return "a count of 0 never matches: leave it out, or request 1";
    case Cause::exclusive_in_part:
      return "this has exclusive: false, but is below something exclusive";
    case Cause::nothing_exclusive:
      return "nothing in this request is exclusive: put resources in a slot, or set exclusive: "
             "true";
    case Cause::capacity: {
      const std::string unit = f.unit.empty() ? "" : " " + f.unit;
      const std::string wanted = "needs at least " + units_of(f, f.needed, grouped(f.needed)) +
                                 " from " + f.where + ", which has ";
      if (!now) return wanted + grouped(f.most_has) + unit;
      const std::string jobs = holders(f, e.at, names);
      return wanted + grouped(f.most_fits) + unit + " left of " + grouped(f.most_has) +
             (jobs.empty() ? "" : ": used by " + jobs);
    }
    case Cause::capacity_down: return "is charged along " + f.where + ", which is down";
    case Cause::no_capacity: return "has no capacity on the path up from " + f.where;
    case Cause::duration: return "the duration is not between 0 and " + grouped(f.most_has) + " s";
    case Cause::supply:
    case Cause::supply_apart: return supply_sentence(f, now, e.at, names);
  }
  return {};
}

const char* verdict_line(const Explanation& explanation) {
  const auto& findings = explanation.findings;
  if (!findings.empty() && findings.front().cause == Cause::nothing_exclusive) {
    return "insufficient: it takes nothing from any machine";
  }
  switch (explanation.verdict) {
    case Verdict::fits: return "fits: this would be granted now";
    case Verdict::insufficient: return "insufficient: not now, but it fits the empty machine";
    case Verdict::infeasible: return "infeasible: it does not fit even the empty machine";
    case Verdict::invalid: return "invalid: the request itself is wrong";
  }
  return "";
}

// --- JSON

void write_candidates(JsonWriter& json, const Candidates& c) {
  json.object("candidates", [&] {
    json.member("all", c.all);
    json.member("fit", c.fit);
    json.member("too_small", c.too_small);
    json.member("excluded", c.excluded);
    json.member("down", c.down);
    json.member("held", c.held);
    json.member("busy", c.busy);
    json.member("lacking", c.lacking);
    json.member("passed_over", c.passed_over);
  });
}

void write_holder(JsonWriter& json, const Holder& h, const JobNames& names, JobMember job) {
  json.object([&] {
    if (h.job >= kFirstNamedHolder) {
      json.member("name", name_of(names, h.job));
    } else if (job == JobMember::name) {
      json.member("job", name_of(names, h.job));
    } else {
      json.member("job", h.job);
    }
    json.member("start", h.start);
    json.member("end", h.end == Holder::kWithoutEnd ? std::nullopt : std::optional(h.end));
    json.member("units", h.units);
  });
}

void write_amounts(JsonWriter& json, const Finding& f, const JobNames& names, JobMember job) {
  json.member("needed", f.needed);
  json.array("factors", f.factors, [&](std::int64_t n) { json.value(n); });
  if (!f.each.empty()) {
    json.array("each", f.each, [&](const Finding::Part& part) {
      json.object([&] {
        json.member("type", part.type);
        json.member("units", part.units);
      });
    });
  }
  if (!f.where.empty()) json.member("where", f.where);
  json.member("most_has", f.most_has);
  json.member("most_fits", f.most_fits);
  write_candidates(json, f.candidates);
  if (!f.holders.empty()) {
    json.array("holders", f.holders, [&](const Holder& h) { write_holder(json, h, names, job); });
  }
  if (f.more_holders > 0) json.member("more_holders", f.more_holders);
  if (!f.down.empty()) json.member("down", f.down);
  if (f.more_down > 0) json.member("more_down", f.more_down);
}

void write_finding(JsonWriter& json, const Finding& f, const JobNames& names, JobMember job) {
  json.member("cause", word(f.cause));
  if (!f.path.empty()) json.member("path", f.path);
  if (f.place.line > 0) json.member("line", f.place.line);
  if (f.place.column > 0) json.member("column", f.place.column);
  if (is_of_defaults(f.place)) json.member("given", f.place.file);
  if (!f.type.empty()) json.member("type", f.type);
  if (!f.properties.empty()) json.member("properties", f.properties);
  if (!f.unit.empty()) json.member("unit", f.unit);
  if (f.cause == Cause::duration) {
    json.member("most", f.most_has);
  } else if (f.cause == Cause::capacity_down || f.cause == Cause::no_capacity) {
    json.member("needed", f.needed);
    if (!f.where.empty()) json.member("where", f.where);
  } else if (!f.factors.empty()) {
    write_amounts(json, f, names, job);
  }
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

std::string name_of(const JobNames& names, std::uint64_t job) {
  return names ? names(job) : std::to_string(job);
}

std::string sentence(const Finding& finding, Verdict verdict, std::int64_t at,
                     const JobNames& names) {
  return words_of(finding, Explanation{.verdict = verdict, .at = at, .until = at, .findings = {}},
                  names);
}

void append_explanation_text(std::string& out, const Explanation& explanation,
                             const JobNames& names) {
  out += verdict_line(explanation);
  out += '\n';
  for (const Finding& f : explanation.findings) {
    if (!f.path.empty()) {
      out += f.path;
      const std::string place = f.place.text();
      if (!place.empty()) out += " (" + place + ")";
      out += '\n';
    }
    out += words_of(f, explanation, names) + "\n";
  }
  for (const std::string& remark : explanation.remarks) out += remark + "\n";
}

void append_explanation_json(std::string& out, const Explanation& explanation,
                             const JobNames& names, JobMember job) {
  JsonWriter json(out);
  json.object([&] {
    json.member("verdict", word(explanation.verdict));
    json.member("at", explanation.at);
    json.member("until", explanation.until);
    json.array("findings", explanation.findings,
               [&](const Finding& f) { json.object([&] { write_finding(json, f, names, job); }); });
    if (!explanation.remarks.empty()) {
      json.array("remarks", explanation.remarks, [&](const std::string& r) { json.value(r); });
    }
  });
  out += '\n';
}

}  // namespace copse
