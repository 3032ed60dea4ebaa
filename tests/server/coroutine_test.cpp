// SPDX-License-Identifier: Apache-2.0
#include "server/fairness/coroutine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace copse::server {
namespace {

TEST(Coroutines, GiveWayAtEachPause) {
  std::string seen;
  Coroutine call([&](const std::function<void()>& pause) {
    seen += "a";
    pause();
    seen += "b";
    pause();
    seen += "c";
  });
  EXPECT_FALSE(call.resume());
  EXPECT_EQ(seen, "a");
  EXPECT_FALSE(call.resume());
  EXPECT_EQ(seen, "ab");
  EXPECT_TRUE(call.resume());
  EXPECT_EQ(seen, "abc");
}

TEST(Coroutines, AlternateWithOthers) {
  std::string seen;
  const auto letters = [&seen](char first) {
    return [&seen, first](const std::function<void()>& pause) {
      for (char letter = first; letter < first + 3; ++letter) {
        seen += letter;
        pause();
      }
    };
  };
  Coroutine small(letters('a')), large(letters('A'));
  bool done = false;
  while (!done) {
    done = small.resume();
    EXPECT_EQ(large.resume(), done);
  }
  EXPECT_EQ(seen, "aAbBcC");
}

TEST(Coroutines, AreUnwoundIfNobodyWaitsForTheirEnd) {
  const auto held = std::make_shared<int>(0);
  struct PausesAtItsEnd {
    const std::function<void()>& pause;
    ~PausesAtItsEnd() { pause(); }
  };
  bool returned = false;
  std::optional<Coroutine> call;
  call.emplace([&returned, held](const std::function<void()>& pause) {
    const std::shared_ptr<int> own = held;
    const PausesAtItsEnd last{pause};
    pause();
    returned = true;
  });
  EXPECT_FALSE(call->resume());
  EXPECT_EQ(held.use_count(), 3);
  call.reset();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(returned);
}

TEST(Coroutines, NeedNotBegin) {
  const auto held = std::make_shared<int>(0);
  {
    const Coroutine call([held](const std::function<void()>&) { ADD_FAILURE(); });
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Coroutines, CatchTheirOwnExceptions) {
  std::string caught;
  Coroutine call([&](const std::function<void()>& pause) {
    try {
      pause();
      throw std::runtime_error("wrong");
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    pause();
  });
  EXPECT_FALSE(call.resume());
  EXPECT_FALSE(call.resume());
  EXPECT_EQ(caught, "wrong");
  EXPECT_TRUE(call.resume());
}

// 1 MiB of frames: more than the default stack of a thread in some C libraries.
int depth_of(int n, const std::function<void()>& pause) {
  std::array<char, 1024> frame{};
  frame[static_cast<std::size_t>(n) % frame.size()] = 1;
  if (n == 0) pause();
  const int below = n == 0 ? 0 : depth_of(n - 1, pause);
  return below + frame[static_cast<std::size_t>(n) % frame.size()];
}

TEST(Coroutines, HaveDeepStacks) {
  int depth = 0;
  Coroutine call([&](const std::function<void()>& pause) { depth = depth_of(1000, pause); });
  EXPECT_FALSE(call.resume());
  EXPECT_TRUE(call.resume());
  EXPECT_EQ(depth, 1001);
}

}  // namespace
}  // namespace copse::server
