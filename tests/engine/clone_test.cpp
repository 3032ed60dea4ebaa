// SPDX-License-Identifier: Apache-2.0
//
// A second engine in the same state. tests/property clones engines in streams of random events.
#include <thread>

#include "engine/jobs.hpp"

namespace copse {
namespace {

constexpr auto kReserve = Operation::allocate_orelse_reserve;

TEST(Clone, HasWhatItsOriginalHas) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(2, "100"), 1));
  ASSERT_TRUE(match(*e, kReserve, nodes(4, "50"), 2));
  ASSERT_TRUE(e->advance(10));
  e->set_tag(e->graph().root(), "colour", "red");
  const auto c = e->clone();
  EXPECT_EQ(c->fingerprint(), e->fingerprint());
  EXPECT_EQ(c->now(), 10);
  EXPECT_EQ(c->jobs(), e->jobs());
  ASSERT_NE(c->grant(2), nullptr);
  EXPECT_EQ(c->grant(2)->start, 100);
  EXPECT_TRUE(c->graph().tags(c->graph().root())->contains("colour"));
}

TEST(Clone, KnowsNothingOfWhatComesAfter) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(2), 1));
  const std::uint64_t before = e->fingerprint();
  const auto c = e->clone();
  ASSERT_TRUE(c->cancel(1));
  ASSERT_TRUE(allocate(*c, nodes(4), 2));
  c->set_property(c->graph().root(), "kind", "copy");
  c->set_status(PoolId{1}, Status::down);
  ASSERT_TRUE(c->advance(50));
  EXPECT_EQ(e->fingerprint(), before);
  EXPECT_EQ(e->now(), 0);
  EXPECT_NE(e->grant(1), nullptr);
  EXPECT_EQ(e->graph().properties(e->graph().root()), nullptr);

  const std::uint64_t of_clone = c->fingerprint();
  ASSERT_TRUE(e->cancel(1));
  ASSERT_TRUE(allocate(*e, cores(1), 3));
  EXPECT_EQ(c->fingerprint(), of_clone);
}

TEST(Clone, OutlivesItsOriginal) {
  auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(1), 1));
  const auto c = e->clone();
  const auto of_clone = c->clone();
  e.reset();
  EXPECT_EQ(c->fingerprint(), of_clone->fingerprint());
  ASSERT_TRUE(c->cancel(1));
  ASSERT_TRUE(allocate(*c, nodes(4), 2));
  ASSERT_TRUE(allocate(*of_clone, nodes(3), 2));
}

// The order of exploration decides the answers of `first`, and cancelling does not restore it.
TEST(Clone, ExploresAsItsOriginal) {
  const auto e = engine(with_policy("first"));
  for (JobId id = 1; id <= 3; ++id) {
    ASSERT_TRUE(allocate(*e, cores(1), id));
    ASSERT_TRUE(e->cancel(id));
  }
  const auto c = e->clone();
  for (JobId id = 10; id < 20; ++id) {
    const auto own = allocate(*e, cores(1), id), other = allocate(*c, cores(1), id);
    ASSERT_EQ(own.has_value(), other.has_value());
    if (own) {
      EXPECT_EQ(own->selection.taken, other->selection.taken);
    }
  }
}

TEST(Clone, GrowsAlone) {
  const auto e = engine();
  const auto c = e->clone();
  Names& names = c->names();
  NewPool pool{};
  pool.type = TypeId{static_cast<std::uint16_t>(names.types.intern("shelf"))};
  pool.basename = NameId{names.basenames.intern("s")};
  const NewSubtree subtree{c->graph().root(), {pool}};
  ASSERT_TRUE(c->attach({&subtree, 1}));
  EXPECT_EQ(c->graph().pool_count(), e->graph().pool_count() + 1);
  EXPECT_EQ(e->graph().find_type("shelf"), kNoType);
  EXPECT_TRUE(e->graph().changes().empty());
  const PoolId last{c->graph().pool_count() - 1};
  EXPECT_EQ(c->graph().name(last), "s");
  EXPECT_EQ(c->graph().at_path(c->graph().path(last, c->graph().dominant())).size(), 1U);
}

TEST(Clone, MayLiveInAnotherThread) {
  const auto e = engine();
  for (JobId id = 1; id <= 4; ++id) ASSERT_TRUE(allocate(*e, cores(1), id));
  auto c = e->clone();
  const auto work = [](Engine& of, JobId first) {
    for (JobId id = first; id < first + 200; ++id) {
      if (match(of, kReserve, cores(1 + static_cast<int>(id % 2), "10"), id) && id % 3 != 0) {
        (void)of.cancel(id);
      }
    }
  };
  std::thread other([&] {
    work(*c, 100);
    c.reset();
  });
  work(*e, 100);
  other.join();
  const auto twin = engine();
  for (JobId id = 1; id <= 4; ++id) ASSERT_TRUE(allocate(*twin, cores(1), id));
  work(*twin, 100);
  EXPECT_EQ(e->fingerprint(), twin->fingerprint());
}

TEST(Clone, RequestsAreNotItsOriginals) {
#ifdef NDEBUG
  GTEST_SKIP() << "it is asserted";
#else
  const auto e = engine();
  const auto c = e->clone();
  const auto prepared = e->prepare(nodes(1));
  ASSERT_TRUE(prepared);
  EXPECT_DEATH((void)c->match(Operation::allocate, **prepared, 1), "engine_ == this");
#endif
}

}  // namespace
}  // namespace copse
