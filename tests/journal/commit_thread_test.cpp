// SPDX-License-Identifier: Apache-2.0
#include "journal/commit_thread.hpp"

#include <gtest/gtest.h>

#include <future>
#include <semaphore>

namespace copse::journal {
namespace {

// A disk in memory that waits for the test before each commit.
class SlowStore : public Store {
 public:
  struct Seen {
    std::vector<std::size_t> commits;  // how many records each had
    std::vector<std::string> records;
    std::string state;
    Sequence state_next = 0;
    bool fails = false;
    std::counting_semaphore<> go{0};
  };
  explicit SlowStore(Seen& seen) : seen_(seen) {}

  Result<void> append(Sequence first, std::span<const std::string> records) override {
    seen_.go.acquire();
    if (seen_.fails) return fail(ErrorCode::io, "the disk is gone");
    EXPECT_EQ(first, seen_.records.size());
    seen_.commits.push_back(records.size());
    seen_.records.insert(seen_.records.end(), records.begin(), records.end());
    return {};
  }
  Result<void> snapshot(Sequence next, std::string_view state) override {
    seen_.state = state;
    seen_.state_next = next;
    return {};
  }
  Result<Sequence> load(const Recovery&) override { return 0; }

 private:
  Seen& seen_;
};

TEST(CommitThread, GathersWhileACommitIsOnItsWay) {
  SlowStore::Seen seen;
  std::atomic<Sequence> kept = 0;
  {
    CommitThread thread(std::make_unique<SlowStore>(seen), 0,
                        {.on_durable = [&](Sequence next) { kept = next; },
                         .on_failure = [](const Error&) { FAIL(); }});
    EXPECT_EQ(thread.append("0"), 0U);
    while (thread.pending_bytes() > 0) std::this_thread::yield();  // taken, not kept
    for (int i = 1; i < 100; ++i) EXPECT_EQ(thread.append(std::to_string(i)), Sequence(i));
    EXPECT_EQ(kept, 0U);
    seen.go.release(2);
  }
  EXPECT_EQ(kept, 100U);
  EXPECT_EQ(seen.commits, (std::vector<std::size_t>{1, 99}));
  EXPECT_EQ(seen.records.back(), "99");
}

TEST(CommitThread, KeepsAStateAfterWhatWasAppendedBefore) {
  SlowStore::Seen seen;
  seen.go.release(10);
  {
    CommitThread thread(
        std::make_unique<SlowStore>(seen), 0,
        {.on_durable = [](Sequence) {}, .on_failure = [](const Error&) { FAIL(); }});
    thread.append("0");
    thread.append("1");
    thread.snapshot([] { return std::string("state"); });
  }
  EXPECT_EQ(seen.state, "state");
  EXPECT_EQ(seen.state_next, 2U);
}

TEST(CommitThread, KeepsAStateUnderItsOwnNumber) {
  SlowStore::Seen seen;
  {
    CommitThread thread(
        std::make_unique<SlowStore>(seen), 0,
        {.on_durable = [](Sequence) {}, .on_failure = [](const Error&) { FAIL(); }});
    thread.append("0");
    while (thread.pending_bytes() > 0) std::this_thread::yield();
    thread.append("1");
    thread.snapshot([] { return std::string("after 1"); });
    thread.append("2");  // in the same commit as 1
    seen.go.release(10);
  }
  EXPECT_EQ(seen.commits, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(seen.state, "after 1");
  EXPECT_EQ(seen.state_next, 2U);
}

TEST(CommitThread, NeverAsksAgainAfterAFault) {
  SlowStore::Seen seen;
  seen.fails = true;
  seen.go.release(10);
  std::promise<std::string> failed;
  {
    CommitThread thread(std::make_unique<SlowStore>(seen), 0,
                        {.on_durable = [](Sequence) { FAIL(); },
                         .on_failure = [&](const Error& error) { failed.set_value(error.text); }});
    thread.append("0");
    EXPECT_EQ(failed.get_future().get(), "the disk is gone");
    seen.fails = false;
    thread.append("1");
  }
  EXPECT_TRUE(seen.records.empty());
}

}  // namespace
}  // namespace copse::journal
