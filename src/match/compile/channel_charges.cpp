// SPDX-License-Identifier: Apache-2.0
#include "match/compile/channel_charges.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace copse {

namespace {

class ChannelSplitter {
 public:
  ChannelSplitter(Channels& channels, Traverser traverser)
      : channels_(channels), traverser_(traverser) {}

  // The context of a list.
  struct Above {
    Resource* pool = nullptr;  // the nearest vertex above that is not a slot
    bool in_slot = false;
    std::int64_t slots = 1;     // slots below that vertex, times how often it is formed
    bool slots_known = true;    // whether `slots` is one number
    bool alternatives = false;  // whether such a slot may be left out
  };

  // Depth is bounded by that of the request.
  Result<void> list(std::vector<Resource>& resources, const Above& above) {
    std::vector<bool> charged(resources.size(), false);
    std::size_t count = 0;
    for (std::size_t i = 0; i < resources.size(); ++i) {
      charged[i] = is_channel(resources[i]);
      count += charged[i] ? 1 : 0;
    }
    const bool top = above.pool == nullptr;
    if (top && (!above.in_slot || count == resources.size())) {
      count = 0;
      charged.assign(resources.size(), false);
    }
    if (count > 0) {
      if (auto ok = take(resources, charged, above); !ok) return ok;
    }
    return below(resources, above);
  }

  [[nodiscard]] bool any() const { return any_; }

 private:
  static bool slot_like(const Resource& r) { return r.is_slot() || r.type == "xor_slot"; }

  // True also for resources that check() refuses.
  bool is_channel(const Resource& r) {
    if (slot_like(r)) return false;
    const auto channel = channels_.find(r.type);
    return !channel || channel->has_value();
  }

  static std::unexpected<Error> refuse(const Resource& r, std::string_view why) {
    return fail(ErrorCode::invalid, std::string(why), r.place);
  }

  // Moves channel resources from the list to the pools that are charged.
  Result<void> take(std::vector<Resource>& resources, const std::vector<bool>& charged,
                    const Above& above) {
    std::vector<Resource> charges, others;
    for (std::size_t i = 0; i < resources.size(); ++i) {
      (charged[i] ? charges : others).push_back(std::move(resources[i]));
    }
    resources = std::move(others);
    const bool one = above.in_slot && resources.size() == 1 && !slot_like(resources[0]) &&
                     !resources[0].count.moldable() && resources[0].count.min == 1;
    for (const Resource& r : charges) {
      if (auto ok = check(r); !ok) return ok;
      any_ = true;
      if (r.count.min == 0) continue;
      ChannelResource item{r.type, r.count.min, r.place};
      if (one) {
        resources[0].channel_charges.push_back(std::move(item));
        continue;
      }
      if (auto ok = check_slots(r, above); !ok) return ok;
      if (__builtin_mul_overflow(item.amount, above.slots, &item.amount)) item.amount = INT64_MAX;
      above.pool->channel_charges.push_back(std::move(item));
    }
    return {};
  }

  [[nodiscard]] Result<void> check(const Resource& r) {
    if (const auto channel = channels_.find(r.type); !channel) {
      return refuse(r, channel.error().text);
    }
    if (traverser_ == Traverser::treepool) {
      return fail(ErrorCode::unsupported,
                  fmt::format("{} is a capacity of an auxiliary subsystem, which the treepool "
                              "traverser does not support",
                              r.type),
                  r.place);
    }
    if (!r.with.empty()) {
      return refuse(r, fmt::format("{} is a capacity of an auxiliary subsystem: nothing can be "
                                   "requested below it",
                                   r.type));
    }
    if (r.count.moldable()) {
      return refuse(r, fmt::format("{} is a capacity of an auxiliary subsystem: its count must be "
                                   "one number, not a range",
                                   r.type));
    }
    if (r.exclusive == Exclusivity::yes) {
      return fail(ErrorCode::infeasible,
                  fmt::format("{} is a capacity of an auxiliary subsystem: it cannot be "
                              "exclusive",
                              r.type),
                  r.place);
    }
    return {};
  }

  [[nodiscard]] static Result<void> check_slots(const Resource& r, const Above& above) {
    const char* why = nullptr;
    if (above.pool == nullptr) {
      why = "is in a slot with several pools, and there is no pool above that could use it";
    } else if (above.alternatives) {
      why = "is drawn once for each of its slots, and they are alternatives";
    } else if (!above.slots_known) {
      why = "is drawn once for each of its slots, and their number is a range";
    } else {
      return {};
    }
    return refuse(r, fmt::format("{} {}: write it below the pool that uses it", r.type, why));
  }

  Result<void> below(std::vector<Resource>& resources, const Above& above) {
    const auto slots = std::count_if(resources.begin(), resources.end(), slot_like);
    for (Resource& r : resources) {
      Above inner{.pool = &r};
      if (slot_like(r)) {
        inner = above;
        inner.in_slot = true;
        inner.slots_known = inner.slots_known && !r.count.moldable();
        if (__builtin_mul_overflow(inner.slots, r.count.min, &inner.slots)) {
          inner.slots = INT64_MAX;
        }
        inner.alternatives =
            inner.alternatives || !r.is_slot() || (traverser_ == Traverser::flexible && slots > 1);
      }
      if (auto ok = list(r.with, inner); !ok) return ok;
    }
    return {};
  }

  Channels& channels_;
  const Traverser traverser_;
  bool any_ = false;
};

}  // namespace

Result<std::shared_ptr<const std::vector<Resource>>> split_channel_charges(
    const std::vector<Resource>& resources, Channels& channels, Traverser traverser) {
  auto split = std::make_shared<std::vector<Resource>>(resources);
  ChannelSplitter splitter(channels, traverser);
  if (auto ok = splitter.list(*split, {}); !ok) return std::unexpected(ok.error());
  if (!splitter.any()) split.reset();
  return split;
}

}  // namespace copse
