// SPDX-License-Identifier: Apache-2.0
//
// Jobspecs around the part that a test is about, and tables of what is wrong with them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "copse/request.hpp"

namespace copse {

inline constexpr const char* kTasks =
    "tasks: [{command: [app], slot: default, count: {per_slot: 1}}]\n";

// A jobspec with these lines as its only resource; the resource starts on line 3, column 5.
inline std::string with_resource(const std::string& resource) {
  return "version: 9999\nresources:\n  - " + resource + "\n" + kTasks + "attributes:\n";
}

inline std::string with_count(const std::string& count) {
  return with_resource("{type: node, count: " + count + "}");
}

// The task stands on line 4.
inline std::string with_task(const std::string& task) {
  return "version: 1\nresources: [{type: node, count: 1}]\ntasks:\n  - " + task +
         "\nattributes: {}\n";
}

// The attributes stand on line 4.
inline std::string with_attributes(const std::string& attributes) {
  return std::string("version: 1\nresources: [{type: node, count: 1}]\n") + kTasks +
         "attributes: " + attributes + "\n";
}

inline std::string with_duration(const std::string& duration) {
  return with_attributes("{system: {duration: " + duration + "}}");
}

struct ErrorRow {
  std::string document;
  std::string text;
  std::uint32_t line;
  ErrorCode code = ErrorCode::invalid;
};

inline void expect_errors(const std::vector<ErrorRow>& rows) {
  for (const ErrorRow& row : rows) {
    const auto request = parse_jobspec(row.document, "job.yaml");
    ASSERT_FALSE(request) << row.document.substr(0, 500) << "\nwanted: " << row.text;
    EXPECT_EQ(request.error().text, row.text) << row.document.substr(0, 500);
    EXPECT_EQ(request.error().code, row.code) << row.document.substr(0, 500);
    EXPECT_EQ(request.error().place.line, row.line) << row.document.substr(0, 500);
    EXPECT_GE(request.error().place.column, 1U) << row.document.substr(0, 500);
    EXPECT_EQ(request.error().place.file, "job.yaml");
  }
}

inline std::string with_system_json(const std::string& members) {
  return R"({"version":1,"resources":[],"tasks":[],"attributes":{"system":{)" + members + "}}}";
}

}  // namespace copse
