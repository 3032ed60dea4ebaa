// SPDX-License-Identifier: Apache-2.0
#include "flux/module/topologies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>

#include "flux/module/wire.hpp"

namespace copse::flux {

namespace {

constexpr std::size_t kPendingMax = 64;

struct FreeFuture {
  void operator()(flux_future_t* future) const { flux_future_destroy(future); }
};
using Future = std::unique_ptr<flux_future_t, FreeFuture>;

std::unexpected<Error> no_topology(std::int64_t rank, const std::string& why) {
  return fail(ErrorCode::io,
              fmt::format("cannot read the topology of rank {}: {}; name a machine file with "
                          "inventory, or leave out inventory-format",
                          rank, why));
}

Result<std::string> answer(flux_future_t* future, std::int64_t rank, double wait_s) {
  const char* text = nullptr;
  if (flux_future_wait_for(future, std::max(wait_s, 0.001)) < 0) {
    return no_topology(rank, errno == ETIMEDOUT ? "no answer" : std::strerror(errno));
  }
  if (flux_rpc_get(future, &text) < 0) {
    const char* why = flux_future_error_string(future);
    return no_topology(rank, why == nullptr ? std::strerror(errno) : why);
  }
  if (text == nullptr) return no_topology(rank, "the answer is empty");
  return std::string(text);
}

}  // namespace

Result<std::vector<std::string>> topologies_of(flux_t* h, std::int64_t ranks) {
  const double end_s = flux_reactor_time() + kTopologiesWait_s;
  std::vector<std::string> out;
  std::size_t bytes = 0;
  std::deque<Future> pending;
  for (std::int64_t next = 0; std::ssize(out) < ranks;) {
    for (; next < ranks && pending.size() < kPendingMax; ++next) {
      pending.emplace_back(
          flux_rpc(h, "resource.topo-get", nullptr, static_cast<std::uint32_t>(next), 0));
      if (pending.back() == nullptr) return std::unexpected(flux_failed("resource.topo-get"));
    }
    auto text = answer(pending.front().get(), std::ssize(out), end_s - flux_reactor_time());
    if (!text) return std::unexpected(text.error());
    pending.pop_front();
    bytes += text->size();
    if (bytes > kTopologyBytesMax) {
      return fail(ErrorCode::limit,
                  fmt::format("the topologies of {} ranks have more than {} bytes: name a "
                              "machine file with inventory",
                              ranks, kTopologyBytesMax));
    }
    out.push_back(std::move(*text));
  }
  return out;
}

}  // namespace copse::flux
