// SPDX-License-Identifier: Apache-2.0
//
// What pools have, and parts of a machine, by include/copse.h.
#include <gtest/gtest.h>

#include <string>

#include "capi/c_api.hpp"

namespace copse::capi {
namespace {

TEST_F(CApi, TagsAndUuidsAreFound) {
  ASSERT_EQ(copse_set_tag(engine, "n[1-2]", "row", "7", &error), COPSE_OK) << error.text;
  ASSERT_EQ(copse_set_tag(engine, "n3", "row", nullptr, &error), COPSE_OK) << error.text;
  EXPECT_EQ(copse_set_tag(engine, "n9", "row", nullptr, &error), COPSE_NOT_FOUND);
  EXPECT_EQ(copse_set_tag(engine, "n3", "", nullptr, &error), COPSE_INVALID);
  const auto found = [&](const std::string& expression, const char* format = "simple") {
    char* text = nullptr;
    EXPECT_EQ(copse_find(engine, expression.c_str(), format, &text, nullptr, &error), COPSE_OK)
        << error.text;
    return taken(text);
  };
  EXPECT_EQ(found("tag=row=7"),
            "      ------n1[1:x]\n      ------n2[1:x]\n      ---cluster0[1:x]\n");
  EXPECT_EQ(found("tag=row and id=3"), "      ------n3[1:x]\n      ---cluster0[1:x]\n");
  char* json = nullptr;
  ASSERT_EQ(copse_pool(engine, "n2", &json, nullptr, &error), COPSE_OK) << error.text;
  const std::string pool = taken(json);
  EXPECT_NE(pool.find(R"("type": "node")"), std::string::npos) << pool;
  EXPECT_NE(pool.find(R"("tags": {"row": "7"})"), std::string::npos) << pool;
  const std::size_t at = pool.find("\"uuid\": \"") + 9;
  const std::string uuid = pool.substr(at, pool.find('"', at) - at);
  EXPECT_EQ(found("uuid=" + uuid), "      ------n2[1:x]\n      ---cluster0[1:x]\n");
  EXPECT_EQ(copse_pool(engine, "n9", &json, nullptr, &error), COPSE_NOT_FOUND);

  // A part of the machine as a machine.
  const std::string graph = found("tag=row=7", "graph");
  copse_machine* part = nullptr;
  ASSERT_EQ(copse_machine_read(graph.data(), graph.size(), nullptr, &part, &error), COPSE_OK)
      << error.text;
  uint64_t pools = 0;
  ASSERT_EQ(copse_machine_count(part, "node", &pools, nullptr, &error), COPSE_OK);
  EXPECT_EQ(pools, 2U);
  copse_engine* other = nullptr;
  ASSERT_EQ(copse_engine_new(part, nullptr, &other, &error), COPSE_OK) << error.text;
  ASSERT_EQ(copse_pool(other, "n2", &json, nullptr, &error), COPSE_OK) << error.text;
  EXPECT_EQ(taken(json), pool);
  copse_engine_free(other);
  copse_machine_free(part);
}

}  // namespace
}  // namespace copse::capi
