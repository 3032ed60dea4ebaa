// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/service_nodes.hpp"

#include <fmt/format.h>

#include "base/hostlist.hpp"

namespace copse {

namespace {

constexpr std::int64_t kRanksMax = 1'000'000;

// A name as a value of a query.
std::string in_query(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_') {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

ServiceNode node_of(TreeView object) {
  ServiceNode out;
  out.name = object.word("name");
  out.path = object.word("path");
  out.status = object.word("status");
  out.jobs = object.word("jobs");
  out.rank = object.number("rank").value_or(-1);
  for (const TreeView state : object.list("states")) out.states.emplace_back(state.text());
  return out;
}

}  // namespace

Result<NodeList> list_nodes(const ServiceClient& service) {
  NodeList out;
  std::string after;
  do {
    auto answer = service.get(
        fmt::format("/v1/nodes?limit=10000{}{}", after.empty() ? "" : "&after=", in_query(after)));
    if (!answer) return std::unexpected(answer.error());
    for (const TreeView node : answer->top().list("nodes")) out.nodes.push_back(node_of(node));
    const std::string next(answer->top().word("next"));
    if (!next.empty() && next == after) break;  // else an endless loop
    after = next;
    out.texts.push_back(std::move(answer->text));
  } while (!after.empty());
  return out;
}

Result<ServiceAnswer> ask_node(const ServiceClient& service, std::string_view name) {
  return service.get("/v1/nodes/" + in_query(name));
}

Result<std::map<std::int64_t, Idset>> ranks_of_grants(const ServiceClient& service) {
  const auto answer = service.ask(R"({"op": "info"})");
  if (!answer) return std::unexpected(answer.error());
  std::map<std::int64_t, Idset> out;
  for (const TreeView grant : answer->top().list("grants")) {
    const auto id = grant.number("id");
    auto ranks = Idset::parse(grant.word("ranks"));
    if (id && ranks && ranks->count() <= kRanksMax) out.emplace(*id, std::move(*ranks));
  }
  return out;
}

std::string nodelist_of(const std::map<std::int64_t, std::string>& names, const Idset& ranks) {
  std::vector<std::string> known;
  Idset unknown;
  for (const auto& [first, last] : ranks.ranges()) {
    for (std::int64_t rank = first; rank <= last; ++rank) {
      const auto at = names.find(rank);
      at == names.end() ? unknown.add(rank) : known.push_back(at->second);
    }
  }
  std::string out = compress_hostlist(known);
  if (unknown.empty()) return out;
  if (!out.empty()) out += ',';
  return out + "rank" + unknown.text(true);
}

}  // namespace copse
