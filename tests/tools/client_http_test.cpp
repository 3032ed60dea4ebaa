// SPDX-License-Identifier: Apache-2.0
//
// The commands that ask a service, over HTTP with tokens; and their parts.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "tools/copse/client/job_format.hpp"
#include "tools/copse/client/service/service_client.hpp"
#include "tools/live_service.hpp"
#include "tools/session_file.hpp"

namespace copse {
namespace {

class ClientOverHttp : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome copse(const std::vector<std::string>& words,
                              const std::string& variable = "A=a") const {
    std::vector<std::string> all = words;
    all.insert(all.begin() + 1, {"--server", service_.url()});
    return service_.copse(all, {variable});
  }
  [[nodiscard]] std::string token(const std::string& name, const std::string& role) const {
    const Outcome made =
        service_.copse({"token", "add", name, "--role", role, "--state", service_.state()});
    EXPECT_EQ(made.status, 0) << made.errors;
    return made.output.substr(0, made.output.find('\n'));
  }

  LiveService service_{{"--listen", "127.0.0.1:0"}};
};

TEST_F(ClientOverHttp, AsksWithAToken) {
  const std::string ada = "COPSE_TOKEN=" + token("ada", "user");
  EXPECT_EQ(copse({"submit", "--shape", "slot=1/core"}, ada).output, "1\n");
  EXPECT_EQ(copse({"jobs", "-o", "id,user", "--no-header"}, ada).output, "      1 ada\n");
  const std::string file = service_.scratch().path().string() + "/token";
  service_.scratch().write("token", token("bob", "guest") + "\n");
  EXPECT_EQ(
      copse({"jobs", "--token-file", file}).errors,
      "copse: other users can read the token in \"" + file + "\": chmod 600 makes it private\n");
  ::chmod(file.c_str(), 0600);
  EXPECT_EQ(copse({"jobs", "--token-file", file, "--no-header"}).status, 0);
  EXPECT_EQ(copse({"nodes"}, "COPSE_TOKEN_FILE=" + file).status, 0);
}

TEST_F(ClientOverHttp, ChangesTheJobsOfAUser) {
  const std::string ada = "COPSE_TOKEN=" + token("ada", "user");
  const std::string bob = "COPSE_TOKEN=" + token("bob", "user");
  for (const std::string& who : {ada, ada, bob, ada}) {  // the first runs, the others wait
    EXPECT_EQ(copse({"submit", "--shape", "slot=4/node{x}", "--duration", "1h"}, who).status, 0);
  }
  const auto change = [&](std::vector<std::string> words, const std::string& who) {
    const Outcome done = copse(words, who);
    EXPECT_EQ(done.status, 0) << done.errors;
    return done.errors;
  };
  await_job(service_, "1", "running");
  EXPECT_EQ(change({"hold", "--user", "ada"}, ada), "");
  EXPECT_EQ(copse({"jobs", "-o", "{id} {info}", "--no-header", "2", "4"}, ada).output,
            "2 held\n4 held\n");
  EXPECT_EQ(change({"hold", "-u", "ada"}, ada), "copse: ada has no such jobs\n");
  EXPECT_EQ(change({"release", "-u", "ada"}, ada), "");
  EXPECT_EQ(change({"priority", "-u", "ada", "--to", "-7"}, ada), "");
  EXPECT_EQ(copse({"jobs", "-o", "{id} {priority}", "--no-header"}, ada).output,
            "1 0\n2 -7\n3 0\n4 -7\n");
  const Outcome wrong = copse({"cancel", "-u", "ada", "--queue", "none"}, ada);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.errors, "copse: unknown queue \"none\"; there is one queue, which has no name\n");
  (void)change({"cancel", "-u", "ada", "--state", "pending"}, ada);
  (void)change({"cancel", "-u", "ada", "--state", "planned"}, ada);
  EXPECT_EQ(copse({"jobs", "-o", "{id} {user}", "--no-header"}, ada).output, "1 ada\n3 bob\n");
  EXPECT_EQ(
      copse({"cancel", "--user", "bob"}, ada).errors,
      "copse: forbidden: \"id\" 3 belongs to another client: the role user changes only its own\n");
  EXPECT_EQ(copse({"cancel", "3", "--user", "bob"}, bob).status, 2);
  EXPECT_EQ(copse({"cancel", "--state", "pending"}, bob).status, 2);
  EXPECT_EQ(copse({"cancel"}, bob).status, 2);
}

TEST_F(ClientOverHttp, SaysWhatIsForbidden) {
  const std::string ada = "COPSE_TOKEN=" + token("ada", "user");
  const std::string bob = "COPSE_TOKEN=" + token("bob", "user");
  const std::string eve = "COPSE_TOKEN=" + token("eve", "guest");
  EXPECT_EQ(copse({"submit", "--shape", "slot=1/core"}, ada).status, 0);
  EXPECT_EQ(
      copse({"cancel", "1"}, bob).errors,
      "copse: forbidden: \"id\" 1 belongs to another client: the role user changes only its own\n");
  EXPECT_EQ(copse({"submit", "--shape", "slot=1/core"}, eve).errors,
            "copse: forbidden: the role guest may not do this (submit): it needs the role user\n");
  EXPECT_EQ(copse({"drain", "node0"}, ada).status, 2);
  const Outcome unknown = copse({"jobs"}, "COPSE_TOKEN=copse_00");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.errors.find(" rejects this token"), std::string::npos) << unknown.errors;
  EXPECT_EQ(unknown.errors.find("copse_00"), std::string::npos);
  EXPECT_NE(copse({"watch"}).errors.find(" requires a token"), std::string::npos);
  EXPECT_NE(copse({"jobs"}, "COPSE_TOKEN=a b").errors.find("there is no token in COPSE_TOKEN"),
            std::string::npos);
}

TEST(ServiceAnswers, AreStrictJson) {
  EXPECT_TRUE(read_answer(R"({"id": 7})").has_value());
  for (const char* text : {R"({"id": })", "id: 7", "{id: 7}", "", "[1]", "{\"id\": 07}",
                           R"({"id": 7} x)", "{\"id\": \"\xff\"}", R"({"id": 7, "id": 8})"}) {
    EXPECT_FALSE(read_answer(text).has_value()) << text;
  }
}

TEST(ServiceAddresses, HaveSeveralForms) {
  EXPECT_EQ(parse_service_address("/run/copse.sock")->path, "/run/copse.sock");
  EXPECT_EQ(parse_service_address("unix:a.sock")->path, "a.sock");
  EXPECT_EQ(parse_service_address("http://[::1]:7400/")->host, "::1");
  EXPECT_EQ(parse_service_address("localhost:7400")->port, "7400");
  for (const char* text : {"unix:", "http://a", "http://a:b", "http://:80", "http://a b:80",
                           "http://a:99999", "ftp://a:1", "http://a\r\nX: y:80"}) {
    EXPECT_FALSE(parse_service_address(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_service_address(std::string(200, 'a')).has_value());
}

TEST(JobFormats, RefuseWhatTheyDoNotKnow) {
  for (const char* text : {"ids", "{id", "id}", "{id:x}", "{id:>2000}", "id,,name", "{}", ""}) {
    EXPECT_FALSE(JobFormat::parse(text).has_value()) << text;
  }
  EXPECT_EQ(JobFormat::parse("{nam}").error().text.find("unknown column"), 0U);
}

}  // namespace
}  // namespace copse
