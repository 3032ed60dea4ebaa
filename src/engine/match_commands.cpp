// SPDX-License-Identifier: Apache-2.0
#include "engine/match_commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "explain/channel_findings.hpp"
#include "match/option_names.hpp"
#include "match/shared/scores.hpp"

namespace copse {

namespace {

std::unexpected<NoMatch> no_duration(const EngineOptions& options) {
  return std::unexpected(NoMatch(
      Error{ErrorCode::invalid,
            fmt::format("the duration is not between 0 and {} s", options.horizon - options.now),
            {}}));
}
std::unexpected<NoMatch> has_a_grant(JobId job) {
  return std::unexpected(
      NoMatch(Error{ErrorCode::exists, fmt::format("job {} has a grant already", job), {}}));
}

// Returned by value optimization: on a full machine most matches end here.
MatchResult no_match(const SearchResult& result, ErrorCode code, const char* text) {
  MatchResult out(std::unexpect);
  NoMatch& no = out.error();
  no.code = code;
  no.text = text;
  no.remarks = result.match.remarks;
  no.visits = result.match.visits;
  return out;
}

// Adds a remark on why an auxiliary subsystem refused a request.
void remark_refusal(const EngineParts& e, LearnedRequest& request, const SearchResult& result,
                    std::vector<std::string>& remarks) {
  if (!request.charges_channels) return;
  const bool infeasible = result.outcome == SearchResult::Outcome::infeasible;
  const auto none = ChannelAvailability::Cause::none;
  if (infeasible && result.refused_ever.cause != none) {
    request.capacity_refusal = refusal_text(e.graph, *e.channels, result.refused_ever, true);
  }
  std::string text;
  if (infeasible && !request.capacity_refusal.empty()) {
    text = request.capacity_refusal;
  } else if (result.refused_now.cause != none) {
    text = refusal_text(e.graph, *e.channels, result.refused_now, false);
  }
  if (text.empty() || std::ranges::find(remarks, text) != remarks.end()) return;
  remarks.push_back(std::move(text));
}

}  // namespace

MatchResult MatchCommands::match(Operation operation, LearnedRequest& request,
                                 std::optional<std::int64_t> duration_s, JobId job) {
  if (!duration_s) return no_duration(e_.options);
  if (allocates(operation) && e_.grants.contains(job)) return has_a_grant(job);
  const SearchResult& result = e_.search.run(operation, request, *duration_s, job);
  if (result.outcome != SearchResult::Outcome::found) {
    const bool never = result.outcome == SearchResult::Outcome::infeasible;
    auto out =
        never ? no_match(result, ErrorCode::infeasible, "this system can never satisfy the request")
              : no_match(result, ErrorCode::insufficient, "no matching resources at this time");
    remark_refusal(e_, request, result, out.error().remarks);
    return out;
  }
  if (operation == Operation::satisfiability) return &result.match;
  if (result.match.selection.empty()) {
    auto out = no_match(result, ErrorCode::insufficient, "the request takes nothing");
    out.error().takes_nothing = true;
    out.error().remarks.emplace_back(
        "nothing in this request is exclusive: put resources in a slot, or set exclusive: true");
    return out;
  }
  if (allocates(operation)) {
    e_.grant_match(job, result.match);
    e_.note_user(job, request.user);
  }
  e_.search.walks().explored(result.match.selection, allocates(operation));
  if (e_.effects->on() && allocates(operation)) {
    e_.effects->granted(e_.graph, e_.channels.get(), *e_.grants.find(job));
  } else if (e_.effects->on() && e_.options.policy.first_found && !e_.search.walks().treepool()) {
    e_.effects->explored(e_.graph, result.match.selection);
  }
  return &result.match;
}

MatchResult MatchCommands::match_between(LearnedRequest& request,
                                         std::optional<std::int64_t> duration_s, JobId job,
                                         StartRange starts) {
  if (!duration_s) return no_duration(e_.options);
  if (e_.grants.contains(job)) return has_a_grant(job);
  e_.search.begin(job);
  const std::int64_t from = std::max(starts.from, e_.options.now);
  bool found = false;
  if (request.impossible.empty() && from < starts.before) {
    const bool later = from > e_.options.now;
    found = (later && e_.search.find_at(request, *duration_s, from)) ||
            e_.search.find_between(request, *duration_s, later ? from + 1 : from, starts.before);
  }
  const SearchResult& result = e_.search.result();
  if (!found || result.match.selection.empty()) {
    return no_match(result, ErrorCode::insufficient, "no matching resources at these times");
  }
  e_.grant_match(job, result.match);
  e_.note_user(job, request.user);
  e_.search.walks().explored(result.match.selection, true);
  if (e_.effects->on()) e_.effects->granted(e_.graph, e_.channels.get(), *e_.grants.find(job));
  return &result.match;
}

// Starts that end before the job's own start do not conflict with its grant: they are tried in the
// current state, the others without the old grant.
bool MatchCommands::move_earlier(std::uint32_t number, LearnedRequest& request,
                                 std::int64_t duration_s, StartRange starts) {
  const std::int64_t window = e_.options.horizon - e_.options.now;
  if (!request.impossible.empty() || duration_s < 0) return false;
  duration_s = duration_s == 0 ? window : std::min(duration_s, window);
  const std::int64_t own_start = e_.grants[number].start;
  const std::int64_t conflicts = own_start - duration_s + 1;
  StartSearch& search = e_.search;
  search.begin(e_.grants[number].job);
  std::int64_t from = starts.from;
  const std::int64_t before = starts.before;
  bool found = from < conflicts &&
               search.find_between(request, duration_s, from, std::min(before, conflicts));
  from = std::max(from, conflicts);
  const bool again = !found && from < before &&
                     search.times().any_between(request, duration_s, from, before, own_start);
  if (!found && !again) return false;
  search.times().end();  // its bounds are those of the old state
  e_.apply(number, -1);
  try {
    if (again) found = search.find_between(request, duration_s, from, before);
  } catch (const VisitFailure&) {
    search.times().end();
    e_.apply(number, 1);  // it keeps its grant
    throw;
  }
  const Match& match = search.result().match;
  if (!found || match.selection.empty()) {
    e_.apply(number, 1);
    return false;
  }
  set_match(e_.grants.own(number), match);
  e_.grant_events.note(e_.grants, number, e_.options);
  e_.apply(number, 1);
  e_.forget_changes();
  search.walks().explored(match.selection, true);
  if (e_.effects->on()) e_.effects->changed(e_.graph, e_.channels.get(), e_.grants[number], true);
  return true;
}

}  // namespace copse
