// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_fields.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace copse::server {
namespace {

using Fields = std::vector<HttpField>;

// 0: not refused.
unsigned status_of(const Fields& fields, const HostNames* hosts = nullptr, bool old = false) {
  const auto refused = check_fields(fields, old, hosts);
  return refused ? refused->status : 0;
}

TEST(RequestFields, HaveAHostOnce) {
  EXPECT_EQ(status_of({{"Host", "a"}}), 0U);
  EXPECT_EQ(status_of({{"host", ""}}), 0U);
  EXPECT_EQ(status_of({}), 400U);
  EXPECT_EQ(status_of({}, nullptr, true), 0U);  // HTTP/1.0
  EXPECT_EQ(status_of({{"Host", "a"}, {"HOST", "a"}}), 400U);
  EXPECT_EQ(status_of({{"Host", "a"}, {"Host", "b"}}, nullptr, true), 400U);
}

TEST(RequestFields, NameAHostThatIsAllowed) {
  HostNames hosts;
  hosts.add("Login1");
  for (const char* good : {"localhost", "LOCALHOST:7400", "a.localhost", "127.0.0.1", "10.1.2.3:80",
                           "[::1]:7400", "[fe80::1]", "login1", "LOGIN1:7400", "login1."}) {
    EXPECT_EQ(status_of({{"Host", good}}, &hosts), 0U) << good;
  }
  for (const char* bad : {"evil.example", "evil.example:80", "login1.evil.example", "", "[::1",
                          "localhost.evil", "1.2.3.4.evil", "xlogin1", "127.0.0.1.nip.io"}) {
    EXPECT_EQ(status_of({{"Host", bad}}, &hosts), 421U) << bad;
  }
}

TEST(RequestFields, HostNamesAreNoAddresses) {
  for (const char* good : {"login1", "a.b-c.example", "my_host", "1.example"}) {
    EXPECT_TRUE(is_host_name(good)) << good;
  }
  for (const char* bad : {"", "a..b", "a b", "[::1]", "a:80", "10.0.0.1", "99999999999999999999",
                          "gr\u00fcn", "a."}) {
    EXPECT_FALSE(is_host_name(bad)) << bad;
  }
  EXPECT_FALSE(is_host_name(std::string(254, 'a')));
}

TEST(RequestFields, EndABodyInOneWay) {
  const auto with = [](std::initializer_list<HttpField> more) {
    Fields out{{"Host", "a"}};
    out.insert(out.end(), more);
    return status_of(out);
  };
  EXPECT_EQ(with({{"Transfer-Encoding", " Chunked "}}), 0U);
  for (const char* coding :
       {"gzip", "chunked, identity", "identity", "chunked, chunked", "gzip, chunked", ""}) {
    EXPECT_EQ(with({{"Transfer-Encoding", coding}}), 501U) << coding;
  }
  EXPECT_EQ(with({{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}), 501U);
  EXPECT_EQ(with({{"Transfer-Encoding", "chunked"}, {"Content-Length", "3"}}), 400U);
  EXPECT_EQ(with({{"Content-Length", "3"}, {"Content-Length", "3"}}), 400U);
  EXPECT_EQ(with({{"Content-Encoding", "identity"}}), 0U);
  EXPECT_EQ(with({{"Content-Encoding", "gzip"}}), 415U);
  EXPECT_EQ(with({{"Authorization", "Bearer a"}, {"authorization", "Bearer a"}}), 400U);
}

TEST(RequestFields, HaveATokenAfterAnyFormOfBearer) {
  EXPECT_EQ(bearer_token("Bearer abc"), "abc");
  EXPECT_EQ(bearer_token("bearer abc"), "abc");
  EXPECT_EQ(bearer_token("BEARER   abc "), "abc");
  EXPECT_EQ(bearer_token("Basic abc"), std::nullopt);
  EXPECT_EQ(bearer_token("Bearer"), std::nullopt);
  EXPECT_EQ(bearer_token("Bearerabc"), std::nullopt);
}

}  // namespace
}  // namespace copse::server
