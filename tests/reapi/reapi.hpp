// SPDX-License-Identifier: Apache-2.0
//
// Short forms of Fluxion's C API, on the desk: 4 nodes of 8 cores and 2 GPUs below one rack.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "paths.hpp"
#include "resource/reapi/bindings/c/reapi_cli.h"

namespace copse::reapi {

inline std::string desk() {
  std::ifstream in(source_dir() + "/examples/machines/desk.graphml");
  return {std::istreambuf_iterator<char>(in), {}};
}

// A text that the library returned.
inline std::string taken(const char* text) {
  std::string out = text == nullptr ? "(null)" : text;
  std::free(const_cast<char*>(text));
  return out;
}

inline std::string spec(const std::string& resources, int duration = 3600) {
  return "version: 9999\nresources: [" + resources +
         "]\nattributes: {system: {duration: " + std::to_string(duration) +
         "}}\ntasks: [{command: [app], slot: task, count: {per_slot: 1}}]\n";
}
// Nodes without cores, which an R cannot list; and nodes with their cores.
inline std::string nodes(int count, const std::string& with = "") {
  return spec("{type: slot, count: " + std::to_string(count) +
              ", label: task, with: [{type: node, count: 1" + with + "}]}");
}
inline std::string whole(int count) {
  return nodes(count, ", with: [{type: socket, count: 2, with: [{type: core, count: 4}]}]");
}
inline std::string cores(int count, int duration = 3600) {
  return spec("{type: slot, count: 1, label: task, with: [{type: core, count: " +
                  std::to_string(count) + "}]}",
              duration);
}

class Reapi : public testing::Test {
 protected:
  Reapi() : ctx(reapi_cli_new()) {}
  ~Reapi() override { reapi_cli_destroy(ctx); }
  void begin(const std::string& format = "jgf", const std::string& graph = desk(),
             const std::string& more = R"("load_format": "grug", )") {
    const std::string options =
        "{" + more + R"("matcher_policy": "low", "match_format": ")" + format + "\"}";
    ASSERT_EQ(reapi_cli_initialize(ctx, graph.c_str(), options.c_str()), 0) << messages();
  }
  std::string messages() const { return taken(reapi_cli_get_err_msg(ctx)); }
  // Runs a match. Returns 0 or its errno.
  int match(match_op_t op, const std::string& jobspec) {
    job = 77;
    at = 77;
    reserved = false;
    errno = 0;
    char* given = nullptr;
    const int code =
        reapi_cli_match(ctx, op, jobspec.c_str(), &job, &reserved, &given, &at, &overhead);
    r = given == nullptr ? "" : taken(given);
    return code == 0 ? 0 : errno;
  }
  std::string mode(std::uint64_t id) {
    char* text = nullptr;
    return reapi_cli_info(ctx, id, &text, &reserved, &at, &overhead) == 0 ? taken(text)
                                                                          : std::to_string(errno);
  }
  std::string find(const char* criteria, const char* format = nullptr) {
    char* text = nullptr;
    return reapi_cli_find(ctx, criteria, format, &text) == 0 ? taken(text) : std::to_string(errno);
  }
  reapi_cli_ctx_t* ctx;
  std::uint64_t job = 0;
  std::int64_t at = 0;
  bool reserved = false;
  double overhead = 0;
  std::string r;
};

}  // namespace copse::reapi
