// SPDX-License-Identifier: Apache-2.0
#include "match/compile/channel_draws.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace copse {

namespace {

class DrawSplitter {
 public:
  DrawSplitter(Channels& channels, Traverser traverser)
      : channels_(channels), traverser_(traverser) {}

  // Where a list stands.
  struct Above {
    Resource* pool = nullptr;  // the nearest vertex above that is no slot
    bool in_slot = false;
    std::int64_t slots = 1;     // below that vertex, as many times as it is formed
    bool slots_known = true;    // `slots` is one number
    bool alternatives = false;  // such a slot may be left out
  };

  // Depth is bounded by that of the request.
  Result<void> list(std::vector<Resource>& resources, const Above& above) {
    std::vector<bool> drawn(resources.size(), false);
    std::size_t draws = 0;
    for (std::size_t i = 0; i < resources.size(); ++i) {
      drawn[i] = is_drawn(resources[i]);
      draws += drawn[i] ? 1 : 0;
    }
    const bool top = above.pool == nullptr;
    if (top && (!above.in_slot || draws == resources.size())) {
      draws = 0;
      drawn.assign(resources.size(), false);
    }
    if (draws > 0) {
      if (auto ok = take(resources, drawn, above); !ok) return ok;
    }
    return below(resources, above);
  }

  [[nodiscard]] bool any() const { return any_; }

 private:
  static bool slot_like(const Resource& r) { return r.is_slot() || r.type == "xor_slot"; }

  // Also what check() refuses.
  bool is_drawn(const Resource& r) {
    if (slot_like(r)) return false;
    const auto channel = channels_.find(r.type);
    return !channel || channel->has_value();
  }

  static std::unexpected<Error> refuse(const Resource& r, std::string_view why) {
    return fail(ErrorCode::invalid, std::string(why), r.place);
  }

  // Takes the draws out of the list, and gives them to who draws them.
  Result<void> take(std::vector<Resource>& resources, const std::vector<bool>& drawn,
                    const Above& above) {
    std::vector<Resource> draws, others;
    for (std::size_t i = 0; i < resources.size(); ++i) {
      (drawn[i] ? draws : others).push_back(std::move(resources[i]));
    }
    resources = std::move(others);
    const bool one = above.in_slot && resources.size() == 1 && !slot_like(resources[0]) &&
                     !resources[0].count.moldable() && resources[0].count.min == 1;
    for (const Resource& draw : draws) {
      if (auto ok = check(draw); !ok) return ok;
      any_ = true;
      if (draw.count.min == 0) continue;
      DrawnResource item{draw.type, draw.count.min, draw.place};
      if (one) {
        resources[0].draws.push_back(std::move(item));
        continue;
      }
      if (auto ok = check_slots(draw, above); !ok) return ok;
      if (__builtin_mul_overflow(item.amount, above.slots, &item.amount)) item.amount = INT64_MAX;
      above.pool->draws.push_back(std::move(item));
    }
    return {};
  }

  [[nodiscard]] Result<void> check(const Resource& draw) {
    if (const auto channel = channels_.find(draw.type); !channel) {
      return refuse(draw, channel.error().text);
    }
    if (traverser_ == Traverser::treepool) {
      return fail(ErrorCode::unsupported,
                  fmt::format("{} is drawn from an auxiliary subsystem, which the treepool "
                              "traverser does not do",
                              draw.type),
                  draw.place);
    }
    if (!draw.with.empty()) {
      return refuse(draw, fmt::format("{} is drawn from an auxiliary subsystem: nothing can be "
                                      "asked for below it",
                                      draw.type));
    }
    if (draw.count.moldable()) {
      return refuse(draw, fmt::format("{} is drawn from an auxiliary subsystem: its count must be "
                                      "one number, not a range",
                                      draw.type));
    }
    if (draw.exclusive == Exclusivity::yes) {
      return fail(ErrorCode::infeasible,
                  fmt::format("{} is drawn from an auxiliary subsystem, in amounts: it cannot be "
                              "exclusive",
                              draw.type),
                  draw.place);
    }
    return {};
  }

  [[nodiscard]] static Result<void> check_slots(const Resource& draw, const Above& above) {
    const char* why = nullptr;
    if (above.pool == nullptr) {
      why = "stands in a slot beside several pools, and no pool above draws it";
    } else if (above.alternatives) {
      why = "is drawn once for each of its slots, and they are alternatives";
    } else if (!above.slots_known) {
      why = "is drawn once for each of its slots, and their number is a range";
    } else {
      return {};
    }
    return refuse(draw,
                  fmt::format("{} {}: write it below the pool that draws it", draw.type, why));
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

Result<std::shared_ptr<const std::vector<Resource>>> split_channel_draws(
    const std::vector<Resource>& resources, Channels& channels, Traverser traverser) {
  auto split = std::make_shared<std::vector<Resource>>(resources);
  DrawSplitter splitter(channels, traverser);
  if (auto ok = splitter.list(*split, {}); !ok) return std::unexpected(ok.error());
  if (!splitter.any()) split.reset();
  return split;
}

}  // namespace copse
