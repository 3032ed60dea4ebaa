// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "capi/c_api.hpp"
#include "paths.hpp"

namespace copse::capi {

namespace {

const std::string kNodeZero = "0 [{\"rank\": \"0\", \"children\": {\"core\": \"0-3\"}}]\n";

TEST_F(CApi, MatchesCancelsAndSaysWhy) {
  copse_request* const nodes = request("slot=3/node{x}");
  EXPECT_EQ(match(COPSE_ALLOCATE, nodes, 1),
            "0 [{\"rank\": \"0-2\", \"children\": {\"core\": \"0-3\"}}]\n");
  EXPECT_EQ(match(COPSE_ALLOCATE, nodes, 1), "exists");
  EXPECT_EQ(match(COPSE_ALLOCATE, nodes, 2), "insufficient");
  copse_verdict verdict = COPSE_FITS;
  char* why = nullptr;
  ASSERT_EQ(copse_explain(engine, nodes, "text", &verdict, &why, nullptr, &error), COPSE_OK);
  EXPECT_EQ(verdict, COPSE_NOT_NOW);
  EXPECT_NE(taken(why).find("needs 3 nodes"), std::string::npos);
  EXPECT_EQ(match(COPSE_ALLOCATE_ORELSE_RESERVE, nodes, 2).substr(0, 4), "100 ");
  EXPECT_EQ(copse_cancel(engine, 1, &error), COPSE_OK);
  EXPECT_EQ(copse_cancel(engine, 1, &error), COPSE_NOT_FOUND);
  EXPECT_STREQ(error.text, "nonexistent job 1");
  EXPECT_EQ(copse_request_free(nodes), COPSE_OK);
}

TEST_F(CApi, OperationsThatGrantNothing) {
  copse_request* const node = request("slot=1/node{x}");
  EXPECT_EQ(match(COPSE_WITHOUT_ALLOCATING, node, 1), kNodeZero);
  EXPECT_EQ(match(COPSE_SATISFIABILITY, node, 1), "0 ");
  copse_request* const many = request("slot=5/node{x}");
  EXPECT_EQ(match(COPSE_SATISFIABILITY, many, 1), "infeasible");
  std::uint64_t* jobs = nullptr;
  std::size_t count = 9;
  ASSERT_EQ(copse_jobs(engine, &jobs, &count, &error), COPSE_OK);
  copse_free(jobs);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(match(static_cast<copse_operation>(42), node, 1), "invalid");
  copse_request_free(node);
  copse_request_free(many);
}

TEST_F(CApi, LoadsPluginsAsTheCommandsDo) {
  const std::string policy = build_dir() + "/examples/policies/coolest.so";
  const std::string wide = build_dir() + "/examples/disciplines/wide.so";
  const std::string one = wide + ":wide";
  copse_engine_options how = COPSE_ENGINE_OPTIONS_INIT;
  how.policy = policy.c_str();
  copse_engine* own = nullptr;
  ASSERT_EQ(copse_engine_new(machine, &how, &own, &error), COPSE_OK) << error.text;
  copse_queue_options queue_how = COPSE_QUEUE_OPTIONS_INIT;
  queue_how.discipline = wide.c_str();
  copse_queue* queue = nullptr;
  EXPECT_EQ(copse_queue_new(own, &queue_how, &queue, &error), COPSE_INVALID);  // it has several
  queue_how.discipline = one.c_str();
  ASSERT_EQ(copse_queue_new(own, &queue_how, &queue, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_queue_set_discipline(queue, nullptr, one.c_str(), 0, &error), COPSE_OK);
  EXPECT_EQ(copse_queue_free(queue), COPSE_OK);
  EXPECT_EQ(copse_engine_free(own), COPSE_OK);
  how.policy = "./none.so";
  EXPECT_EQ(copse_engine_new(machine, &how, &own, &error), COPSE_IO);
  EXPECT_STREQ(error.text, "can't read ./none.so: No such file or directory");
}

TEST_F(CApi, WhatNoRCanNameIsNotGranted) {
  char* jgf = nullptr;
  ASSERT_EQ(copse_machine_write(machine, &jgf, nullptr, &error), COPSE_OK);
  std::string text = taken(jgf);
  for (std::size_t at = 0; (at = text.find("\"core", at)) != std::string::npos; ++at) {
    text.replace(at, 5, "\"tape");
  }
  copse_machine* tapes = nullptr;
  copse_engine* other = nullptr;
  copse_request* wanted = nullptr;
  ASSERT_EQ(copse_machine_read(text.data(), text.size(), nullptr, &tapes, &error), COPSE_OK)
      << error.text;
  ASSERT_EQ(copse_engine_new(tapes, nullptr, &other, &error), COPSE_OK);
  ASSERT_EQ(copse_request_shape(other, "slot=1/tape", nullptr, &wanted, &error), COPSE_OK);
  copse_result result = COPSE_RESULT_INIT;
  EXPECT_EQ(copse_match(other, COPSE_ALLOCATE, wanted, 1, "rv1", &result, &error), COPSE_INVALID);
  EXPECT_EQ(copse_cancel(other, 1, &error), COPSE_NOT_FOUND);
  EXPECT_EQ(copse_match(other, COPSE_ALLOCATE, wanted, 1, "simple", &result, &error), COPSE_OK);
  copse_free(result.text);
  copse_request_free(wanted);
  copse_engine_free(other);
  copse_machine_free(tapes);
}

TEST_F(CApi, ASlotIsInASocketOfSlurm) {
  const char* const conf = "NodeName=n1 Sockets=2 CoresPerSocket=4\nPartitionName=p Nodes=ALL\n";
  copse_machine* sockets = nullptr;
  copse_engine* own = nullptr;
  ASSERT_EQ(copse_machine_read(conf, COPSE_TERMINATED, nullptr, &sockets, &error), COPSE_OK)
      << error.text;
  copse_engine_options how = COPSE_ENGINE_OPTIONS_INIT;
  how.policy = "low";
  ASSERT_EQ(copse_engine_new(sockets, &how, &own, &error), COPSE_OK) << error.text;
  const auto given = [&](const char* shape, std::uint64_t job) {
    copse_request* wanted = nullptr;
    EXPECT_EQ(copse_request_shape(own, shape, nullptr, &wanted, &error), COPSE_OK) << error.text;
    copse_result result = COPSE_RESULT_INIT;
    const copse_code code = copse_match(own, COPSE_ALLOCATE, wanted, job, "rlite", &result, &error);
    copse_request_free(wanted);
    return code == COPSE_OK ? taken(result.text) : "";
  };
  EXPECT_EQ(given("slot=1/socket/core=3", 1),
            "[{\"rank\": \"0\", \"children\": {\"core\": \"0-2\"}}]\n");
  EXPECT_EQ(given("slot=1/socket/core=3", 2),
            "[{\"rank\": \"0\", \"children\": {\"core\": \"4-6\"}}]\n");
  EXPECT_EQ(given("slot=1/socket/core=2", 3), "");  // the two that are free are of two sockets
  EXPECT_EQ(given("slot=1/core=2", 3), "[{\"rank\": \"0\", \"children\": {\"core\": \"3,7\"}}]\n");
  copse_engine_free(own);
  copse_machine_free(sockets);
}

TEST_F(CApi, UpdatesGivesBackInPartAndSetsEnds) {
  const char* const half = R"({"version": 1, "execution": {"R_lite":
    [{"rank": "1", "children": {"core": "0-1"}}], "nodelist": ["n1"], "starttime": 0, "expiration": 50}})";
  ASSERT_EQ(copse_update(engine, 7, half, COPSE_TERMINATED, -1, 0, &error), COPSE_OK) << error.text;
  copse_result has = COPSE_RESULT_INIT;
  ASSERT_EQ(copse_grant(engine, 7, "rlite", &has, &error), COPSE_OK);
  EXPECT_EQ(taken(has.text), "[{\"rank\": \"1\", \"children\": {\"core\": \"0-1\"}}]\n");
  EXPECT_EQ(has.end, 50);
  EXPECT_EQ(copse_set_end(engine, 7, 80, &error), COPSE_OK);
  EXPECT_EQ(copse_update(engine, 8, half, COPSE_TERMINATED, -1, 0, &error), COPSE_INSUFFICIENT);
  bool gone = true;
  ASSERT_EQ(copse_cancel_part(engine, 7,
                              R"({"version": 1, "execution": {"R_lite": [{"rank": "1", "children":
       {"core": "0"}}], "nodelist": ["n1"], "starttime": 0, "expiration": 0}})",
                              COPSE_TERMINATED, &gone, &error),
            COPSE_OK)
      << error.text;
  EXPECT_FALSE(gone);
  ASSERT_EQ(copse_cancel_ranks(engine, 7, "1", &gone, &error), COPSE_OK) << error.text;
  EXPECT_TRUE(gone);
  EXPECT_EQ(copse_set_end(engine, 7, 90, &error), COPSE_NOT_FOUND);
}

TEST_F(CApi, ReservesBetweenTimesAndMovesEarlier) {
  copse_request* const all = request("slot=4/node{x}");
  EXPECT_EQ(match(COPSE_ALLOCATE, all, 1).substr(0, 2), "0 ");
  copse_result result = COPSE_RESULT_INIT;
  EXPECT_EQ(copse_match_between(engine, all, 2, 0, 50, nullptr, &result, &error),
            COPSE_INSUFFICIENT);
  ASSERT_EQ(copse_match_between(engine, all, 2, 0, 500, nullptr, &result, &error), COPSE_OK);
  EXPECT_EQ(result.start, 100);
  copse_cancel(engine, 1, nullptr);
  bool moved = false;
  ASSERT_EQ(copse_move_earlier(engine, 2, all, 0, 500, &moved, &error), COPSE_OK);
  EXPECT_TRUE(moved);
  EXPECT_EQ(copse_advance(engine, 10, &error), COPSE_OK);
  EXPECT_EQ(copse_advance(engine, 5, &error), COPSE_INVALID);
  copse_request_free(all);
}

TEST_F(CApi, ClonesSavesAndLoads) {
  copse_request* const node = request("slot=1/node{x}");
  EXPECT_EQ(match(COPSE_ALLOCATE, node, 1), kNodeZero);
  copse_engine *clone = nullptr, *loaded = nullptr;
  char* bytes = nullptr;
  std::size_t length = 0;
  ASSERT_EQ(copse_engine_clone(engine, &clone, &error), COPSE_OK);
  ASSERT_EQ(copse_engine_save(engine, &bytes, &length, &error), COPSE_OK);
  ASSERT_EQ(copse_engine_load(bytes, length, &loaded, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_engine_load(bytes, length - 1, &loaded, &error), COPSE_INVALID);
  copse_free(bytes);
  std::uint64_t here = 0, there = 1, later = 2;
  copse_engine_fingerprint(engine, &here, nullptr);
  copse_engine_fingerprint(loaded, &there, nullptr);
  copse_engine_fingerprint(clone, &later, nullptr);
  EXPECT_EQ(here, there);
  EXPECT_EQ(here, later);
  EXPECT_EQ(copse_cancel(clone, 1, &error), COPSE_OK);
  EXPECT_EQ(copse_grant(engine, 1, nullptr, nullptr, &error), COPSE_OK);
  // A request is of one engine.
  EXPECT_EQ(copse_match(clone, COPSE_ALLOCATE, node, 2, nullptr, nullptr, &error), COPSE_INVALID);
  EXPECT_STREQ(error.text, "the request belongs to another engine");
  copse_engine_free(loaded);
  copse_engine_free(clone);
  copse_request_free(node);
}

TEST_F(CApi, StatusGrowthAndFind) {
  copse_request* const all = request("slot=4/node{x}");
  copse_status status = COPSE_UP;
  ASSERT_EQ(copse_set_status(engine, "n[1-2]", COPSE_DOWN, &error), COPSE_OK) << error.text;
  ASSERT_EQ(copse_get_status(engine, "2", &status, &error), COPSE_OK);
  EXPECT_EQ(status, COPSE_DOWN);
  EXPECT_EQ(match(COPSE_ALLOCATE, all, 1), "insufficient");
  EXPECT_EQ(copse_set_status(engine, "nowhere", COPSE_DOWN, &error), COPSE_NOT_FOUND);
  EXPECT_EQ(copse_set_status(engine, "0", static_cast<copse_status>(9), &error), COPSE_INVALID);
  char* text = nullptr;
  ASSERT_EQ(copse_find(engine, "status=down", "simple", &text, nullptr, &error), COPSE_OK);
  EXPECT_NE(taken(text).find("n1"), std::string::npos);
  ASSERT_EQ(copse_usage(engine, "json", &text, nullptr, &error), COPSE_OK);
  EXPECT_NE(taken(text).find(R"("down": {"nodes": 2)"), std::string::npos);
  ASSERT_EQ(copse_set_status(engine, "/cluster0/n1", COPSE_UP, &error), COPSE_OK);
  copse_request* const node = request("slot=1/node{x}");
  EXPECT_EQ(match(COPSE_ALLOCATE, node, 5), kNodeZero);
  std::uint64_t* lost = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(copse_shrink(engine, "/cluster0/n0", &lost, &count, &error), COPSE_OK) << error.text;
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(lost[0], 5U);
  copse_free(lost);
  copse_engine_info info = COPSE_ENGINE_INFO_INIT;
  ASSERT_EQ(copse_engine_describe(engine, &info, &error), COPSE_OK);
  EXPECT_EQ(info.pools, 16U);
  EXPECT_EQ(info.grants, 0U);
  const char* const more = R"({"graph": {"nodes": [
    {"id": "0", "metadata": {"type": "cluster", "name": "cluster0", "paths": {"containment": "/cluster0"}}},
    {"id": "90", "metadata": {"type": "node", "name": "n9", "id": 9, "rank": 9, "basename": "n",
                              "paths": {"containment": "/cluster0/n9"}}}],
    "edges": [{"source": "0", "target": "90"}]}})";
  EXPECT_EQ(copse_grow(engine, more, COPSE_TERMINATED, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_get_status(engine, "9", &status, &error), COPSE_OK) << error.text;
  copse_request_free(node);
  copse_request_free(all);
}

TEST_F(CApi, HierarchicalResources) {
  const char* const licences =
      "- resource: flat\n  mode: MODE_1\n  layers:\n    - nodes: [\"n[0-3]\"]\n      count: 3\n";
  ASSERT_EQ(copse_supply_add(engine, licences, COPSE_TERMINATED, &error), COPSE_OK) << error.text;
  copse_request_options how = COPSE_REQUEST_OPTIONS_INIT;
  how.hres = "flat:2";
  copse_request* wanted = nullptr;
  ASSERT_EQ(copse_request_shape(engine, "slot=1/core", &how, &wanted, &error), COPSE_OK);
  EXPECT_EQ(copse_match(engine, COPSE_ALLOCATE, wanted, 1, nullptr, nullptr, &error), COPSE_OK);
  EXPECT_EQ(copse_match(engine, COPSE_ALLOCATE, wanted, 2, nullptr, nullptr, &error),
            COPSE_INSUFFICIENT);
  ASSERT_EQ(copse_supply_set_count(engine, "flat", "n[0-3]", 4, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_match(engine, COPSE_ALLOCATE, wanted, 2, nullptr, nullptr, &error), COPSE_OK);
  char* layers = nullptr;
  ASSERT_EQ(copse_supply_layers(engine, 0, &layers, nullptr, &error), COPSE_OK);
  EXPECT_NE(taken(layers).find("\"used\": 4"), std::string::npos);
  EXPECT_EQ(copse_supply_free(engine, "none", &error), COPSE_NOT_FOUND);
  copse_request_free(wanted);
}

struct Kept {
  std::string bytes;
  copse_engine* engine;
  copse_code within = COPSE_OK;
};
void keep(void* context, const char* bytes, std::size_t length) {
  auto& kept = *static_cast<Kept*>(context);
  kept.bytes.append(bytes, length);
  kept.within = copse_advance(kept.engine, 5, nullptr);
}

TEST_F(CApi, EffectsMakeAnEqualEngine) {
  Kept kept{{}, engine};
  copse_sink sink = COPSE_SINK_INIT;
  sink.context = &kept;
  sink.write = keep;
  ASSERT_EQ(copse_observe(engine, &sink, &error), COPSE_OK) << error.text;
  EXPECT_EQ(kept.within, COPSE_BUSY);
  copse_request* const node = request("slot=1/node{x}");
  EXPECT_EQ(match(COPSE_ALLOCATE, node, 1), kNodeZero);
  EXPECT_EQ(copse_advance(engine, 3, &error), COPSE_OK);
  copse_engine* twin = nullptr;
  std::uint64_t records = 0;
  ASSERT_EQ(copse_replay(kept.bytes.data(), kept.bytes.size(), &twin, &records, &error), COPSE_OK)
      << error.text;
  EXPECT_EQ(records, 3U);
  std::uint64_t here = 0, there = 1;
  copse_engine_fingerprint(engine, &here, nullptr);
  copse_engine_fingerprint(twin, &there, nullptr);
  EXPECT_EQ(here, there);
  ASSERT_EQ(copse_observe(engine, nullptr, &error), COPSE_OK);
  const std::size_t before = kept.bytes.size();
  EXPECT_EQ(copse_advance(engine, 4, &error), COPSE_OK);
  EXPECT_EQ(kept.bytes.size(), before);
  copse_engine_free(twin);
  copse_request_free(node);
}

}  // namespace

}  // namespace copse::capi
