// SPDX-License-Identifier: Apache-2.0
//
// The promises of copse/engine.hpp.
#include "copse/engine.hpp"

#include "engine/jobs.hpp"

namespace copse {
namespace {

// --- Errors

TEST(Engine, RefusesBadPruneFilters) {
  for (const char* filters : {"ALL", "ALL:", ":core", "node:core:gpu", "ALL:core,node"}) {
    EngineOptions options = with_policy("low");
    options.prune_filters = filters;
    EXPECT_EQ(error_of(Engine::create(machine(), options)), "invalid") << filters;
  }
}

TEST(Engine, RefusesBadJobspecs) {
  const auto e = engine();
  EXPECT_EQ(error_of(e->prepare("resources: [")), "invalid");
  EXPECT_EQ(error_of(e->prepare(std::string(1000, '['))), "limit");
  const auto unknown = e->prepare(job(slot("1", res("gadget"))), "job.yaml");
  ASSERT_EQ(error_of(unknown), "not_found");
  EXPECT_EQ(unknown.error().place.file, "job.yaml");
  EXPECT_EQ(unknown.error().place.line, 2U);
  EXPECT_EQ(e->grant_count(), 0U);
}

TEST(Engine, KnowsTypesOfPruneFilters) {
  EngineOptions options = with_policy("low");
  options.prune_filters = "ALL:gadget";
  EXPECT_EQ(error_of(allocate(*engine(options), job(slot("1", res("gadget"))))), "insufficient");
}

TEST(Engine, SaysWhetherItCouldEverBe) {
  const auto e = engine();
  const std::string never = job(slot("1", res("core", "65")));  // no pool has that many
  EXPECT_EQ(error_of(allocate(*e, never)), "insufficient");
  EXPECT_EQ(error_of(match(*e, Operation::without_allocating, never)), "insufficient");
  EXPECT_EQ(error_of(match(*e, Operation::allocate_with_satisfiability, never)), "infeasible");
  EXPECT_EQ(error_of(match(*e, Operation::allocate_orelse_reserve, never)), "infeasible");
  EXPECT_EQ(error_of(match(*e, Operation::without_allocating_future, never)), "infeasible");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, never)), "infeasible");

  ASSERT_TRUE(allocate(*e, nodes(4)));
  EXPECT_EQ(error_of(allocate(*e, cores(1), 2)), "insufficient");
  EXPECT_EQ(error_of(match(*e, Operation::allocate_with_satisfiability, cores(1), 2)),
            "insufficient");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, cores(1), 2)), "");
  EXPECT_EQ(e->grant_count(), 1U);
}

TEST(Engine, RefusesDurations) {
  EngineOptions options = with_policy("low");
  options.horizon = 1000;
  const auto e = engine(options);
  for (const char* duration : {"-1", ".nan", ".inf", "1001", "1e300"}) {
    EXPECT_EQ(error_of(allocate(*e, nodes(1, duration))), "invalid") << duration;
  }
  EXPECT_EQ(error_of(allocate(*e, nodes(1, "1000"))), "");
}

TEST(Engine, OtherDurationsAreOfOneRequestOnly) {
  const auto e = engine();
  auto kept = e->prepare(nodes(1, "100"));
  ASSERT_TRUE(kept);
  (*kept)->set_duration(30);
  PreparedRequest copy = **kept;
  copy.set_duration(20);
  const auto length_of = [&](PreparedRequest& request) {
    const auto m = e->match(Operation::without_allocating, request, 1);
    return m ? (*m)->end - (*m)->start : -1;
  };
  EXPECT_EQ(length_of(**kept), 30);
  EXPECT_EQ(length_of(copy), 20);
  auto again = e->prepare(nodes(1, "100"));  // the text has the duration of the request
  ASSERT_TRUE(again);
  EXPECT_EQ(length_of(**again), 100);
  EXPECT_EQ(length_of(copy), 20);
  (*again)->set_duration(-1);
  EXPECT_EQ(error_of(e->match(Operation::allocate, **again, 1)), "invalid");
}

TEST(Engine, OneGrantAJob) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(1), 7));
  const std::uint64_t before = e->fingerprint();
  EXPECT_EQ(error_of(allocate(*e, nodes(1), 7)), "exists");
  EXPECT_EQ(error_of(match(*e, Operation::allocate_orelse_reserve, nodes(4), 7)), "exists");
  EXPECT_EQ(error_of(match(*e, Operation::without_allocating, nodes(1), 7)), "");
  EXPECT_EQ(error_of(match(*e, Operation::satisfiability, nodes(1), 7)), "");
  EXPECT_EQ(e->fingerprint(), before);
  EXPECT_EQ(error_of(e->cancel(8)), "not_found");
  EXPECT_EQ(error_of(e->cancel(7)), "");
  EXPECT_EQ(error_of(e->cancel(7)), "not_found");
  EXPECT_EQ(error_of(allocate(*e, nodes(1), 7)), "");
}

TEST(Engine, ErrorsChangeNothing) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(3)));
  const std::uint64_t before = e->fingerprint();
  for (const std::string& text :
       {nodes(2), nodes(5), nodes(1, "-1"), job(res("node")), job(slot("1", res("core", "9"))),
        job(slot("1", res("core") + ", " + res("core", "2")))}) {
    for (Operation o : {Operation::allocate, Operation::allocate_with_satisfiability}) {
      EXPECT_FALSE(match(*e, o, text, 2)) << text;
      EXPECT_EQ(e->fingerprint(), before) << text;
    }
  }
  EXPECT_EQ(e->grant_count(), 1U);
}

// --- Grants

TEST(Engine, GrantsAreWhatWasMatched) {
  const auto e = engine();
  const auto first = allocate(*e, cores(2), 3);
  EXPECT_EQ(taken(*e, first), (Paths{"/rack0/node0/socket0/core0", "/rack0/node0/socket0/core1"}));
  EXPECT_EQ(paths_of(e->graph(), first->selection, false),
            (Paths{"/rack0/node0/socket0", "/rack0/node0", "/rack0", ""}));
  const Grant* grant = e->grant(3);
  ASSERT_NE(grant, nullptr);
  EXPECT_EQ(grant->job, 3U);
  EXPECT_EQ(grant->start, 0);
  EXPECT_EQ(grant->end, 100);
  EXPECT_EQ(grant->selection.taken, first->selection.taken);
  EXPECT_EQ(e->grant(4), nullptr);
  EXPECT_EQ(e->grant_count(), 1U);
  EXPECT_GT(visits_of(first), 0U);
  EXPECT_GT(e->bytes(), e->graph().bytes());
}

TEST(Engine, CancelRestoresTheState) {
  const auto e = engine();
  const std::uint64_t empty = e->fingerprint();
  ASSERT_TRUE(allocate(*e, cores(2), 1));
  const std::uint64_t one = e->fingerprint();
  EXPECT_NE(one, empty);
  ASSERT_TRUE(allocate(*e, nodes(2), 2));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4), 3));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve,
                    job(res("rack", "1", slot("1", res("node")), ", exclusive: true")), 4));
  ASSERT_TRUE(e->cancel(3));
  ASSERT_TRUE(e->cancel(2));
  ASSERT_TRUE(e->cancel(4));
  EXPECT_EQ(e->fingerprint(), one);
  ASSERT_TRUE(e->cancel(1));
  EXPECT_EQ(e->fingerprint(), empty);
  EXPECT_EQ(e->grant_count(), 0U);
}

TEST(Engine, TheOrderInWhichGrantsCameIsNoPartOfTheState) {
  const auto e = engine(), twin = engine(), other = engine();
  ASSERT_TRUE(allocate(*e, nodes(1), 9));
  ASSERT_TRUE(allocate(*e, nodes(1), 1));
  ASSERT_TRUE(e->cancel(9));
  ASSERT_TRUE(allocate(*e, nodes(1), 2));  // at the first node, with the grant number of job 9
  ASSERT_TRUE(allocate(*twin, nodes(1), 2));
  ASSERT_TRUE(allocate(*twin, nodes(1), 1));
  ASSERT_EQ(e->grant(2)->selection.taken, twin->grant(2)->selection.taken);
  EXPECT_EQ(e->fingerprint(), twin->fingerprint());
  ASSERT_TRUE(twin->cancel(1));
  ASSERT_TRUE(twin->cancel(2));
  ASSERT_TRUE(allocate(*twin, nodes(1), 8));  // the numbers in another order
  ASSERT_TRUE(allocate(*twin, nodes(1), 1));
  ASSERT_TRUE(twin->cancel(8));
  ASSERT_TRUE(allocate(*twin, nodes(1), 2));
  EXPECT_EQ(e->fingerprint(), twin->fingerprint());
  // The job is part of an exclusive span's identity.
  ASSERT_TRUE(allocate(*other, nodes(1), 1));
  ASSERT_TRUE(allocate(*other, nodes(1), 2));
  EXPECT_NE(e->fingerprint(), other->fingerprint());
}

TEST(Engine, LooksWithoutGranting) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(4)));
  const std::uint64_t before = e->fingerprint();
  const auto later = match(*e, Operation::without_allocating_future, nodes(1), 2);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->start, 100);
  const auto ever = match(*e, Operation::satisfiability, nodes(4), 2);
  ASSERT_TRUE(ever);
  EXPECT_TRUE(ever->selection.empty());
  EXPECT_EQ(e->fingerprint(), before);
  EXPECT_EQ(e->grant(2), nullptr);
}

TEST(Engine, TakesNothingForNothing) {
  const auto e = engine();
  const auto nothing = allocate(*e, job(res("node")));
  EXPECT_EQ(error_of(nothing), "insufficient");
  ASSERT_EQ(remarks_of(nothing).size(), 1U);
  EXPECT_NE(remarks_of(nothing)[0].find("nothing in this request is exclusive"), std::string::npos);
  EXPECT_TRUE(nothing.error().takes_nothing);
  const auto one = allocate(*e, nodes(1));
  ASSERT_TRUE(one);
  EXPECT_TRUE(remarks_of(one).empty());  // the remarks are about this match
  const auto many = allocate(*e, nodes(100), 2);
  EXPECT_EQ(error_of(many), "insufficient");
  EXPECT_FALSE(many.error().takes_nothing);  // it would match, if there were enough
}

TEST(Engine, RemarksOnConflicts) {
  const auto e = engine();
  const auto siblings = job(slot("1", res("core") + ", " + res("core", "2")));
  const auto refused = allocate(*e, siblings);
  EXPECT_EQ(error_of(refused), "insufficient");
  EXPECT_EQ(
      remarks_of(refused),
      (std::vector<std::string>{"test: siblings in jobspec request same resource type : core."}));
  const auto conflict = job(slot("1", res("core", "1", "", ", exclusive: false, label: mine")));
  const auto clash = allocate(*e, conflict);
  EXPECT_EQ(error_of(clash), "insufficient");
  ASSERT_FALSE(remarks_of(clash).empty());
  EXPECT_EQ(remarks_of(clash)[0], "by_excl: exclusivity conflicts at jobspec=mine : vertex=core0");
}

TEST(Engine, LabelsOfWhatWasChosen) {
  const auto e = engine();
  const std::string text =
      job(res("node", "1", slot("1", res("core", "2", "", ", label: mine")), ", label: host"));
  const auto m = allocate(*e, text);
  ASSERT_TRUE(m);
  const ResourceGraph& g = e->graph();
  const PoolId core = at(g, "/cluster0/rack0/node0/socket0/core0");
  const decltype(m->selection.labels) expected{
      {at(g, "/cluster0/rack0/node0"), "host"}, {core, "mine"}, {PoolId{core.v + 1}, "mine"}};
  EXPECT_EQ(m->selection.labels, expected);
  EXPECT_TRUE(allocate(*e, cores(1), 2)->selection.labels.empty());  // nothing of earlier jobs
}

TEST(Engine, ExclusiveTypesAreTakenWhole) {
  const auto e = engine();
  const std::string exclusive = ", exclusive: true";
  const auto m = allocate(*e, job(res("node", "1", slot("1", res("core")), exclusive)), 1);
  ASSERT_TRUE(m);
  EXPECT_EQ(taken(*e, m).size(), 1U + 2 + 2 * 6);  // a node, its sockets, and their contents
  EXPECT_EQ(taken(*e, m).back(), "/rack0/node0");
  ASSERT_TRUE(allocate(*e, cores(1), 2));  // of node1
  EXPECT_EQ(error_of(allocate(*e, job(res("rack", "2", slot("1", res("core")), exclusive)), 3)),
            "insufficient");
  // The types of one request do not affect the next one, refused or not.
  EXPECT_FALSE(allocate(*e, job(res("node", "1", slot("1", res("core")), exclusive), "-1"), 4));
  EXPECT_EQ(taken(*e, allocate(*e, cores(1), 4)).size(), 1U);
}

// --- Status

TEST(Engine, StatusWordsAndMatches) {
  for (Status s : {Status::up, Status::degraded, Status::failing, Status::down, Status::unknown}) {
    SCOPED_TRACE(word(s));
    const auto e = engine();
    const PoolId rack = at(e->graph(), "/cluster0/rack0");
    ASSERT_TRUE(allocate(*e, cores(1), 1));
    const std::uint64_t before = e->fingerprint();
    e->set_status(rack, s);
    EXPECT_EQ(e->status(rack), s);
    EXPECT_EQ(e->status(at(e->graph(), "/cluster0/rack0/node0")), Status::up);  // its own status
    const bool good = usable(s);
    EXPECT_EQ(good, s == Status::up || s == Status::degraded);
    const Paths rack0{"/rack0/node1"}, rack1{"/rack1/node2"};
    EXPECT_EQ(taken(*e, match(*e, Operation::without_allocating, nodes(1))), good ? rack0 : rack1);
    EXPECT_EQ(error_of(match(*e, Operation::without_allocating_future, nodes(4))),
              good ? "" : "insufficient");
    EXPECT_EQ(error_of(match(*e, Operation::satisfiability, nodes(4))), "");
    EXPECT_NE(e->grant(1), nullptr);  // running jobs continue
    e->set_status(rack, Status::up);
    EXPECT_EQ(e->fingerprint(), before);
  }
}

// --- Times

TEST(Engine, ReservesAtTheEarliestTime) {
  const auto e = engine();
  const auto reserve = [&](const std::string& text, JobId number) {
    const auto m = match(*e, Operation::allocate_orelse_reserve, text, number);
    return m ? std::pair{m->start, m->end} : std::pair<std::int64_t, std::int64_t>{-1, -1};
  };
  using Times = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(reserve(nodes(3, "50"), 1), Times(0, 50));
  EXPECT_EQ(reserve(nodes(4, "100"), 2), Times(50, 150));
  EXPECT_EQ(reserve(nodes(1, "50"), 3), Times(0, 50));     // next to job 1, before job 2
  EXPECT_EQ(reserve(nodes(1, "51"), 4), Times(150, 201));  // too long for that gap
  EXPECT_EQ(reserve(nodes(3, "10"), 5), Times(150, 160));
  EXPECT_EQ(reserve(cores(1, "41"), 6), Times(160, 201));
  ASSERT_TRUE(e->cancel(2));
  EXPECT_EQ(reserve(nodes(4, "100"), 7), Times(50, 150));
}

TEST(Engine, TheHorizonCutsAReservation) {
  EngineOptions options = with_policy("low");
  options.now = 500;
  options.horizon = 1500;
  const auto e = engine(options);
  const auto first = allocate(*e, nodes(4, "600"), 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->start, 500);
  EXPECT_EQ(first->end, 1100);
  const auto second = match(*e, Operation::allocate_orelse_reserve, nodes(4, "600"), 2);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->start, 1100);
  EXPECT_EQ(second->end, 1500);
  EXPECT_EQ(error_of(match(*e, Operation::allocate_orelse_reserve, nodes(1, "1"), 3)),
            "insufficient");  // nothing is free before the horizon
  EXPECT_EQ(error_of(allocate(*e, nodes(1, "1001"), 4)), "invalid");
}

TEST(Engine, NoDurationIsTheWholeWindow) {
  EngineOptions options = with_policy("low");
  options.now = 10;
  options.horizon = 1000;
  const auto e = engine(options);
  const auto m = allocate(*e, nodes(1, "0"));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->start, 10);
  EXPECT_EQ(m->end, 1000);
}

TEST(Engine, FractionsAreRoundedUp) {
  const auto e = engine();
  EXPECT_EQ(allocate(*e, nodes(1, "0.25"), 1)->end, 1);
  EXPECT_EQ(allocate(*e, nodes(1, "99.5"), 2)->end, 100);
}

}  // namespace
}  // namespace copse
