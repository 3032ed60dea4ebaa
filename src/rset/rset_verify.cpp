// SPDX-License-Identifier: Apache-2.0
#include "rset/rset_verify.hpp"

#include "base/idset_algebra.hpp"

namespace copse {

namespace {

using Kind = Difference::Kind;

void compare_hosts(const RSet& expected, const RSet& actual, std::vector<Difference>& out) {
  if (expected.hosts.empty() || actual.hosts.empty()) return;
  const HostsByRank wanted(expected), found(actual);
  const Idset common = intersect(actual.ranks(), expected.ranks());
  for (const auto& [first, last] : common.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) {
      const std::string &host = *found.find(rank), &other = *wanted.find(rank);
      if (host == other) continue;
      out.push_back({Kind::hostname, first_ids(0), {}, other, host});
      out.back().ranks.add(rank);
    }
  }
}

// Resources that `whole` has on the common ranks and `part` lacks, of the types whose mode does not
// allow that.
Result<void> compare_ids(const RSet& whole, const RSet& part, Kind kind, const VerifyModes& modes,
                         std::vector<Difference>& out) {
  auto rest = subtract(whole, part);
  if (!rest) return std::unexpected(rest.error());
  const VerifyMode allowed =
      kind == Kind::missing ? VerifyMode::allow_missing : VerifyMode::allow_extra;
  for (RSet::Entry& entry : rest->entries) {
    std::erase_if(entry.children, [&](const auto& child) {
      const VerifyMode mode = modes.mode(child.first);
      return mode == VerifyMode::ignore || mode == allowed;
    });
  }
  for (RSet::Entry& entry : joined(std::move(rest->entries))) {
    out.push_back({kind, std::move(entry.ranks), std::move(entry.children), {}, {}});
  }
  return {};
}

}  // namespace

Result<std::vector<Difference>> verify(const RSet& expected, const RSet& actual,
                                       const VerifyModes& modes) {
  std::vector<Difference> out;
  // A rank that exists but is empty is known.
  Idset unknown = subtract(actual.ranks(), expected.ranks());
  if (!unknown.empty()) out.push_back({Kind::unknown_rank, std::move(unknown), {}, {}, {}});
  if (modes.mode("hostname") != VerifyMode::ignore) compare_hosts(expected, actual, out);
  const RSet wanted = select_ranks(expected, actual.ranks());
  const RSet found = select_ranks(actual, expected.ranks());
  for (const auto& [whole, part, kind] :
       {std::tuple{&wanted, &found, Kind::missing}, std::tuple{&found, &wanted, Kind::extra}}) {
    if (auto ok = compare_ids(*whole, *part, kind, modes, out); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return out;
}

}  // namespace copse
