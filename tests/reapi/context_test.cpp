// SPDX-License-Identifier: Apache-2.0
//
// Contexts of Fluxion's C API: options, messages, jobs, the machine, status, clones, null pointers.
#include <memory>
#include <regex>
#include <set>

#include "copse/formats.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "paths.hpp"
#include "reapi/reapi.hpp"

namespace copse::reapi {

namespace {

std::string desk_jgf() {
  std::string out;
  EXPECT_TRUE(write_jgf(*read_machine(desk()), out));
  return out;
}

TEST_F(Reapi, InitializeFailsAndServesLater) {
  EXPECT_EQ(reapi_cli_initialize(ctx, "", ""), -1);
  EXPECT_EQ(errno, EPROTO);
  EXPECT_EQ(messages().substr(0, 65),
            "reapi_cli_initialize: Runtime error: resource_query_t: ERROR: can");
  const auto refused = [&](const char* options, const char* why) {
    reapi_cli_clear_err_msg(ctx);
    EXPECT_EQ(reapi_cli_initialize(ctx, desk().c_str(), options), -1);
    EXPECT_EQ(errno, EPROTO);
    EXPECT_NE(messages().find(why), std::string::npos) << options << ": " << messages();
  };
  refused("[]", "can't set resource graph parameters");
  refused(R"({"matcher_policy": 3})", "can't set resource graph parameters");
  refused(R"({"elapse_time": "yes"})", "can't set resource graph parameters");
  refused(R"({"matcher_policy": "best"})", "can't create matcher");
  refused(R"({"matcher_name": "XA"})", "can't create matcher");
  refused(R"({"load_format": "yaml"})", "can't create reader");
  refused(R"({"load_format": "jgf"})", "error generating resources");
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(1)), EINVAL);
  reapi_cli_clear_err_msg(ctx);
  EXPECT_EQ(messages(), "");
  EXPECT_EQ(reapi_cli_initialize(ctx, desk().c_str(),
                                 R"({"prune-filters": "ALL:core", "reserve_vtx_vec": 10,
                                     "elapse_time": true, "matcher_name": "ca"})"),
            0);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(1)), 0);
  EXPECT_EQ(r.substr(0, 10), "{\"graph\": ");
}

TEST_F(Reapi, TheTextSaysItsFormat) {
  const std::string r4 = R"({"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children":
    {"core": "0-3"}}], "starttime": 0, "expiration": 0, "nodelist": ["n[0-3]"]}})";
  for (const std::string& graph : {desk(), desk_jgf(), r4}) {
    begin("jgf", graph, "");
    EXPECT_EQ(match(MATCH_ALLOCATE, nodes(4)), 0);
    EXPECT_EQ(match(MATCH_ALLOCATE, nodes(1)), EBUSY);
  }
}

TEST_F(Reapi, CancelAndInfo) {
  begin();
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(4)), 0);
  EXPECT_EQ(match(MATCH_ALLOCATE_ORELSE_RESERVE, nodes(4)), 0);
  EXPECT_EQ(mode(1), "ALLOCATED");
  EXPECT_EQ(reapi_cli_cancel(ctx, 2, false), 0);
  EXPECT_EQ(reapi_cli_cancel(ctx, 1, false), 0);
  EXPECT_EQ(mode(1), "CANCELED");
  EXPECT_EQ(reapi_cli_cancel(ctx, 1, false), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_NE(messages().find("cancel: ERROR: nonexistent job 1\n"), std::string::npos);
  reapi_cli_clear_err_msg(ctx);
  EXPECT_EQ(reapi_cli_cancel(ctx, 8, true), 0);
  EXPECT_EQ(messages(), "cancel: ERROR: nonexistent job 8\n");
  EXPECT_EQ(mode(8), std::to_string(ENOENT));
  const std::uint64_t huge = UINT64_MAX - 5;
  EXPECT_EQ(reapi_cli_match_with_jobid(ctx, MATCH_ALLOCATE, nodes(1).c_str(), huge, nullptr,
                                       nullptr, nullptr, nullptr),
            0);
  EXPECT_EQ(reapi_cli_cancel(ctx, huge, true), -1);
  EXPECT_EQ(errno, EOVERFLOW);
}

TEST_F(Reapi, UpdateAllocate) {
  begin("rv1");
  EXPECT_EQ(match(MATCH_ALLOCATE, whole(1)), 0);
  const std::string one = r;
  EXPECT_EQ(reapi_cli_update_allocate(ctx, 1, one.c_str(), &at, &overhead, nullptr), -1);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(reapi_cli_cancel(ctx, 1, false), 0);
  const char* out = nullptr;
  ASSERT_EQ(reapi_cli_update_allocate(ctx, 1, one.c_str(), &at, &overhead, &out), 0) << messages();
  EXPECT_EQ(taken(out), one);
  EXPECT_EQ(at, 0);
  EXPECT_EQ(mode(1), "ALLOCATED");
  for (const char* wrong : {"", "no JSON", "{\"version\": 1, \"execution\": 3}"}) {
    EXPECT_EQ(reapi_cli_update_allocate(ctx, 5, wrong, &at, &overhead, &out), -1) << wrong;
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_EQ(reapi_cli_update_allocate(ctx, 5, nullptr, &at, &overhead, &out), -1);
  EXPECT_EQ(errno, EINVAL);
  std::string other = one;
  other.insert(other.rfind("\"graph\""), "\"writer\": \"TreePool\", ");
  EXPECT_EQ(reapi_cli_update_allocate(ctx, 5, other.c_str(), &at, &overhead, &out), -1);
  EXPECT_EQ(errno, EINVAL);
  // Without a graph: by ranks and counts. A start after now is a reservation.
  const char* const plain = R"({"version": 1, "execution": {"R_lite": [{"rank": "3", "children":
    {"core": "0-1"}}], "nodelist": ["node3"], "starttime": 100, "expiration": 200}})";
  ASSERT_EQ(reapi_cli_update_allocate(ctx, 5, plain, &at, &overhead, &out), 0) << messages();
  taken(out);
  EXPECT_EQ(at, 100);
  EXPECT_EQ(mode(5), "RESERVED");
}

TEST_F(Reapi, BareJgfIsReadEverywhere) {
  begin("jgf");
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(2)), 0);
  const std::string two = r;
  bool emptied = false;
  EXPECT_EQ(reapi_cli_partial_cancel(ctx, 1, two.c_str(), false, &emptied), 0) << messages();
  EXPECT_TRUE(emptied);
  EXPECT_EQ(mode(1), "CANCELED");
  const char* out = nullptr;
  EXPECT_EQ(reapi_cli_update_allocate(ctx, 4, two.c_str(), &at, &overhead, &out), 0) << messages();
  EXPECT_EQ(taken(out), two);
  EXPECT_EQ(at, 0);
}

TEST_F(Reapi, PartialCancel) {
  begin("rv1");
  EXPECT_EQ(match(MATCH_WITHOUT_ALLOCATING, whole(1)), 0);
  const std::string first = r;
  EXPECT_EQ(match(MATCH_ALLOCATE, whole(2)), 0);
  const std::string both = r;
  bool emptied = true;
  EXPECT_EQ(reapi_cli_partial_cancel(ctx, 1, first.c_str(), false, &emptied), 0) << messages();
  EXPECT_FALSE(emptied);
  EXPECT_EQ(mode(1), "ALLOCATED");
  const char* const rest = R"({"version": 1, "execution": {"R_lite": [{"rank": "1", "children":
    {"core": "0-7"}}], "nodelist": ["node[0-3]"], "starttime": 0, "expiration": 0}})";
  EXPECT_EQ(reapi_cli_partial_cancel(ctx, 1, rest, false, &emptied), 0) << messages();
  EXPECT_TRUE(emptied);
  EXPECT_EQ(reapi_cli_partial_cancel(ctx, 1, rest, false, &emptied), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(reapi_cli_partial_cancel(ctx, 1, rest, true, &emptied), 0);
  EXPECT_EQ(match(MATCH_ALLOCATE, whole(4)), 0);
  EXPECT_EQ(match(MATCH_ALLOCATE_ORELSE_RESERVE, whole(2)), 0);
  EXPECT_EQ(reapi_cli_partial_cancel(ctx, 3, both.c_str(), false, &emptied), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(reapi_cli_partial_cancel(ctx, 2, "no JSON", false, &emptied), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(Reapi, Find) {
  begin("jgf");
  EXPECT_EQ(find("sched-now=allocated"), "(null)");
  EXPECT_EQ(match(MATCH_ALLOCATE, cores(1)), 0);
  const std::string found = find("sched-now=allocated");
  EXPECT_EQ(found.substr(0, 19), "{\"graph\":{\"nodes\":[");
  EXPECT_EQ(found.back(), '}');
  EXPECT_NE(find("sched-now=allocated", "simple").find("core0"), std::string::npos);
  EXPECT_NE(find("jobid-alloc=1 and (status=up or status=down)"), "(null)");
  EXPECT_EQ(find("sched-now=allocated", "yaml"), std::to_string(EINVAL));
  EXPECT_EQ(find("what=up"), std::to_string(EINVAL));
  EXPECT_NE(messages().find("findfind: invalid criteria: what=up"), std::string::npos);
  EXPECT_EQ(reapi_cli_stat(ctx, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr), -1);
  EXPECT_EQ(errno, ENOSYS);
}

TEST_F(Reapi, Subgraphs) {
  begin();
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(4)), 0);
  const std::string more = R"({"graph": {"nodes": [
    {"id": "0", "metadata": {"type": "cluster", "basename": "desk", "name": "desk0", "id": 0,
       "uniq_id": 0, "paths": {"containment": "/desk0"}}},
    {"id": "1", "metadata": {"type": "rack", "basename": "rack", "name": "rack0", "id": 0,
       "paths": {"containment": "/desk0/rack0"}}},
    {"id": "900", "metadata": {"type": "node", "basename": "node", "name": "node9", "id": 9,
       "rank": 9, "paths": {"containment": "/desk0/rack0/node9"}}},
    {"id": "901", "metadata": {"type": "fpga", "id": 0, "rank": 9,
       "paths": {"containment": "/desk0/rack0/node9/fpga0"}}}],
    "edges": [{"source": "0", "target": "1"}, {"source": "1", "target": "900"},
              {"source": "900", "target": "901"}]}})";
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(1)), EBUSY);
  EXPECT_EQ(reapi_cli_add_subgraph(ctx, more.c_str()), 0) << messages();
  EXPECT_EQ(reapi_cli_add_subgraph(ctx, more.c_str()), 0) << messages();
  for (const char* wrong : {"", "no JSON"}) {
    EXPECT_EQ(reapi_cli_add_subgraph(ctx, wrong), -1);
    EXPECT_EQ(errno, EINVAL);
  }
  begin("jgf");
  EXPECT_EQ(reapi_cli_add_subgraph(ctx, more.c_str()), 0) << messages();
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(5)), 0);
  EXPECT_EQ(reapi_cli_remove_subgraph(ctx, "/desk0/rack0/node9"), 0);
  EXPECT_EQ(reapi_cli_remove_subgraph(ctx, "/desk0/rack0/node9"), -1);
  EXPECT_EQ(mode(1), "ALLOCATED");
  EXPECT_EQ(reapi_cli_remove_subgraph(ctx, "/desk0/rack0/node3"), 0);
  EXPECT_EQ(reapi_cli_remove_subgraph(ctx, "/desk0/rack0/node2"), 0);
  EXPECT_EQ(reapi_cli_remove_subgraph(ctx, "/desk0/rack0/node1"), 0);
  EXPECT_EQ(reapi_cli_remove_subgraph(ctx, "/desk0/rack0/node0"), 0);
  EXPECT_EQ(mode(1), "ALLOCATED");
  EXPECT_EQ(reapi_cli_cancel(ctx, 1, false), 0);
  EXPECT_EQ(mode(1), "CANCELED");
}

TEST_F(Reapi, StatusByPathAndRank) {
  begin();
  resource_status_t status = RESOURCE_UP;
  EXPECT_EQ(reapi_cli_set_status(ctx, "/desk0/rack0", RESOURCE_DOWN), 0);
  EXPECT_EQ(reapi_cli_get_status(ctx, "/desk0/rack0", &status), 0);
  EXPECT_EQ(status, RESOURCE_DOWN);
  EXPECT_EQ(match(MATCH_ALLOCATE, cores(1)), EBUSY);
  EXPECT_EQ(reapi_cli_set_status(ctx, "/desk0/rack0", RESOURCE_UP), 0);
  EXPECT_EQ(reapi_cli_set_status(ctx, "/nowhere", RESOURCE_UP), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(reapi_cli_get_status(ctx, "/nowhere", &status), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(reapi_cli_set_rank_status(ctx, "0-2,900", RESOURCE_DOWN), 0);
  EXPECT_EQ(reapi_cli_get_rank_status(ctx, "2", &status), 0);
  EXPECT_EQ(status, RESOURCE_DOWN);
  EXPECT_EQ(reapi_cli_get_rank_status(ctx, "3", &status), 0);
  EXPECT_EQ(status, RESOURCE_UP);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(2)), EBUSY);
  EXPECT_EQ(reapi_cli_set_rank_status(ctx, "all", RESOURCE_UP), 0);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(4)), 0);
  for (const char* wrong : {"", "x", "3-"}) {
    EXPECT_EQ(reapi_cli_set_rank_status(ctx, wrong, RESOURCE_UP), -1) << wrong;
    EXPECT_EQ(errno, EINVAL);
  }
  for (const char* wrong : {"", "x", "0-1", "77", "all"}) {
    EXPECT_EQ(reapi_cli_get_rank_status(ctx, wrong, &status), -1) << wrong;
    EXPECT_EQ(errno, EINVAL);
  }
}

TEST_F(Reapi, ClonesAreIndependent) {
  begin();
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(1)), 0);
  EXPECT_EQ(reapi_cli_cancel(ctx, 9, true), 0);
  reapi_cli_ctx_t* const clone = reapi_cli_clone(ctx);
  ASSERT_NE(clone, nullptr);
  EXPECT_EQ(taken(reapi_cli_get_err_msg(clone)), "");
  EXPECT_EQ(reapi_cli_cancel(clone, 1, false), 0);
  EXPECT_EQ(mode(1), "ALLOCATED");
  std::uint64_t id = 0;
  EXPECT_EQ(reapi_cli_match_allocate(clone, false, nodes(4).c_str(), &id, nullptr, nullptr, nullptr,
                                     nullptr),
            0);
  EXPECT_EQ(id, 2U);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(4)), EBUSY);
  reapi_cli_destroy(clone);
  EXPECT_EQ(match(MATCH_ALLOCATE, nodes(3)), 0);
}

TEST_F(Reapi, ContextsThatAreNone) {
  for (reapi_cli_ctx_t* const none : {static_cast<reapi_cli_ctx_t*>(nullptr), ctx}) {
    const auto refused = [&](int code) {
      EXPECT_EQ(code, -1);
      EXPECT_EQ(errno, EINVAL);
      errno = 0;
    };
    bool flag = false;
    resource_status_t status = RESOURCE_UP;
    const std::string jobspec = nodes(1);
    char* text = nullptr;
    refused(
        reapi_cli_match(none, MATCH_ALLOCATE, jobspec.c_str(), &job, &flag, &text, &at, &overhead));
    refused(reapi_cli_match_with_jobid(none, MATCH_ALLOCATE, jobspec.c_str(), 1, &flag, &text, &at,
                                       &overhead));
    refused(
        reapi_cli_match_allocate(none, false, jobspec.c_str(), &job, &flag, &text, &at, &overhead));
    refused(reapi_cli_match_satisfy(none, jobspec.c_str(), &flag, &overhead));
    refused(reapi_cli_update_allocate(none, 1, "{}", &at, &overhead, nullptr));
    refused(reapi_cli_add_subgraph(none, "{}"));
    refused(reapi_cli_remove_subgraph(none, "/"));
    refused(reapi_cli_cancel(none, 1, true));
    refused(reapi_cli_partial_cancel(none, 1, "{}", true, &flag));
    refused(reapi_cli_info(none, 1, &text, &flag, &at, &overhead));
    refused(reapi_cli_find(none, "status=up", nullptr, &text));
    refused(reapi_cli_stat(none, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
    refused(reapi_cli_set_status(none, "/", RESOURCE_UP));
    refused(reapi_cli_get_status(none, "/", &status));
    refused(reapi_cli_set_rank_status(none, "0", RESOURCE_UP));
    refused(reapi_cli_get_rank_status(none, "0", &status));
    EXPECT_EQ(reapi_cli_clone(none), nullptr);
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_EQ(reapi_cli_initialize(nullptr, "", "{}"), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(taken(reapi_cli_get_err_msg(nullptr)), "ERROR: reapi_cli context is null");
  reapi_cli_clear_err_msg(nullptr);
  reapi_cli_destroy(nullptr);
}

TEST_F(Reapi, TextsThatAreNone) {
  begin();
  EXPECT_EQ(reapi_cli_match(ctx, MATCH_ALLOCATE, nullptr, &job, &reserved, nullptr, &at, &overhead),
            -1);
  EXPECT_EQ(reapi_cli_match_satisfy(ctx, nullptr, nullptr, nullptr), -1);
  EXPECT_EQ(reapi_cli_set_rank_status(ctx, nullptr, RESOURCE_UP), -1);
  EXPECT_EQ(reapi_cli_set_status(ctx, nullptr, RESOURCE_UP), -1);
  EXPECT_EQ(reapi_cli_find(ctx, nullptr, nullptr, nullptr), -1);
  EXPECT_EQ(reapi_cli_initialize(ctx, nullptr, nullptr), -1);
  EXPECT_EQ(reapi_cli_set_status(ctx, "/desk0", static_cast<resource_status_t>(5)), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST(ReapiSymbols, AreThoseOfTheHeaders) {
  const auto words = [](const std::string& file, const char* word) {
    std::ifstream in(source_dir() + file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::regex pattern(word);
    std::set<std::string> out;
    for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) {
      out.insert((*i)[1]);
    }
    return out;
  };
  std::set<std::string> declared =
      words("/include/reapi/resource/reapi/bindings/c/reapi_cli.h", R"((reapi_cli_\w+) \()");
  EXPECT_EQ(declared.size(), 22U);
  declared.merge(words("/include/reapi/resource/policies/base/match_op.h", R"((match_op_\w+) \()"));
  EXPECT_EQ(declared.size(), 25U);
  EXPECT_EQ(declared, words("/src/reapi/libreapi_cli.map", R"(\s(\w+);)"));
}

}  // namespace

}  // namespace copse::reapi
