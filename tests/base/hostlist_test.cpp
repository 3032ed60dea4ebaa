// SPDX-License-Identifier: Apache-2.0
#include "base/hostlist.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace copse {
namespace {

using Hosts = std::vector<std::string>;

TEST(HostlistExpand, FollowsTheRules) {
  struct Row {
    const char* text;
    Hosts hosts;
  };
  const Row rows[] = {
      {"", {}},
      {"login", {"login"}},
      {"x,y,x", {"x", "y", "x"}},  // order and duplicates are kept
      {"n[2-4]", {"n2", "n3", "n4"}},
      {"n[7,1,1-2]", {"n7", "n1", "n1", "n2"}},
      {"[8-10]", {"8", "9", "10"}},  // prefix is optional
      {"n[3-3]", {"n3"}},
      {"n[1-2]-ib,m", {"n1-ib", "n2-ib", "m"}},  // suffix
      {"r1n[1-2]", {"r1n1", "r1n2"}},
      {"12[3-4]5", {"1235", "1245"}},
      {"n[08-11]", {"n08", "n09", "n10", "n11"}},  // width of the first number
      {"n[00-2]", {"n00", "n01", "n02"}},
      {"n[098-100,7]", {"n098", "n099", "n100", "n007"}},  // it holds for the whole list
      {"n[005,4,11-12]", {"n005", "n004", "n011", "n012"}},
      {"n[99-101]", {"n99", "n100", "n101"}},  // no zeros, no width
      {"n[9,010,11]", {"n9", "n010", "n11"}},  // later numbers keep their own zeros
      {"n[01,0002]", {"n01", "n0002"}},
      {"n[0,00]", {"n0", "n00"}},
      {"a,,b", {"a", "b"}},  // empty expressions are skipped
      {" a\tb , c[1-2] ", {"a", "b", "c1", "c2"}},
      {",,, \t", {}},
      {"a-b_c.d:e@f", {"a-b_c.d:e@f"}},
      {"n[999999999999999998-999999999999999999]", {"n999999999999999998", "n999999999999999999"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const auto hosts = expand_hostlist(row.text);
    ASSERT_TRUE(hosts.has_value()) << hosts.error().message();
    EXPECT_EQ(*hosts, row.hosts);
  }
}

TEST(HostlistExpand, RefusesTheRestAndSaysWhere) {
  struct Row {
    std::string text;
    ErrorCode code;
    std::uint32_t column;
  };
  const Row rows[] = {
      {"[]", ErrorCode::invalid, 2},
      {"n[]", ErrorCode::invalid, 3},
      {"n[", ErrorCode::invalid, 2},
      {"n[1,2", ErrorCode::invalid, 2},
      {"n]", ErrorCode::invalid, 2},
      {"]n[", ErrorCode::invalid, 1},
      {"n[1]]", ErrorCode::invalid, 5},
      {"n[[1]]", ErrorCode::invalid, 3},
      {"n[1]m[2]", ErrorCode::invalid, 6},  // one pair of brackets for a name
      {"ok,n[1-2][3]", ErrorCode::invalid, 10},
      {"n[a]", ErrorCode::invalid, 3},
      {"n[1-a]", ErrorCode::invalid, 5},
      {"n[1a]", ErrorCode::invalid, 4},
      {"n[-1]", ErrorCode::invalid, 3},
      {"n[1-]", ErrorCode::invalid, 5},
      {"n[1--2]", ErrorCode::invalid, 5},
      {"n[1-2-3]", ErrorCode::invalid, 6},
      {"n[1,]", ErrorCode::invalid, 5},
      {"n[,1]", ErrorCode::invalid, 3},
      {"n[1,,2]", ErrorCode::invalid, 5},
      {"n[1, 2]", ErrorCode::invalid, 5},
      {"n[0,5-4]", ErrorCode::invalid, 5},
      {"a\nb", ErrorCode::invalid, 2},
      {"a,\x7f", ErrorCode::invalid, 3},
      {"\xc3\xa9", ErrorCode::invalid, 1},
      {std::string("a\0b", 3), ErrorCode::invalid, 2},
      {"n[1000000000000000000]", ErrorCode::limit, 3},
      {"n[0-0000000000000000001]", ErrorCode::limit, 5},
      {"n[18446744073709551616]", ErrorCode::limit, 3},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const auto hosts = expand_hostlist(row.text);
    ASSERT_FALSE(hosts.has_value());
    EXPECT_EQ(hosts.error().code, row.code);
    EXPECT_EQ(hosts.error().place.line, 1u);
    EXPECT_EQ(hosts.error().place.column, row.column);
    EXPECT_TRUE(hosts.error().text.starts_with("hostlist: ")) << hosts.error().text;
  }
}

TEST(HostlistExpand, CountsBeforeItExpands) {
  std::string repeated;
  for (int i = 0; i < 20; ++i) repeated += "a[0-99999],";
  const std::string refused[] = {
      "n[0-4294967295]",
      "n[0-1048576]",
      "n[0-999999999999999999]",
      "n[0-999999999999999999],n[0-999999999999999999]",
      "n[0-999999999999999999,0-999999999999999999,0-999999999999999999]",
      repeated,
  };
  for (const std::string& text : refused) {
    SCOPED_TRACE(text);
    for (const std::size_t hosts_max : {std::size_t{1} << 20, std::size_t{1'000'000}}) {
      const auto hosts = expand_hostlist(text, hosts_max);
      ASSERT_FALSE(hosts.has_value());
      EXPECT_EQ(hosts.error().code, ErrorCode::limit);
    }
  }
  EXPECT_EQ(expand_hostlist("n[0-1048575]").value().size(), std::size_t{1} << 20);
  // If hosts are not bounded, the bound on their bytes still applies.
  EXPECT_EQ(expand_hostlist("n[0-999999999999999999]", SIZE_MAX).error().code, ErrorCode::limit);
}

TEST(HostlistExpand, HostsMaxIsExact) {
  for (const char* text : {"a,b,c", "n[1-3]", "a,n[1-2]", "n[1,1,1]", "n[1-2]x,,a"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(expand_hostlist(text, 3).has_value());
    ASSERT_FALSE(expand_hostlist(text, 2).has_value());
    EXPECT_EQ(expand_hostlist(text, 2).error().code, ErrorCode::limit);
  }
  EXPECT_TRUE(expand_hostlist("", 0).has_value());
  EXPECT_FALSE(expand_hostlist("a", 0).has_value());
}

TEST(HostlistExpand, NamesAreBounded) {
  const std::size_t name_max = std::size_t{1} << 20;
  EXPECT_TRUE(expand_hostlist(std::string(name_max, 'a')).has_value());
  EXPECT_EQ(expand_hostlist(std::string(name_max + 1, 'a')).error().code, ErrorCode::limit);
  EXPECT_TRUE(expand_hostlist(std::string(name_max - 1, 'a') + "[1-2]").has_value());
  EXPECT_EQ(expand_hostlist(std::string(name_max - 1, 'a') + "[1-10]").error().code,
            ErrorCode::limit);
  EXPECT_EQ(expand_hostlist("a[1]" + std::string(name_max, 'b')).error().code, ErrorCode::limit);
  // Half a megabyte of text must not expand to half a terabyte of names.
  const auto large = expand_hostlist(std::string(name_max / 2, 'a') + "[0-1048575]");
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().code, ErrorCode::limit);
}

TEST(HostlistCompress, FollowsTheRules) {
  struct Row {
    Hosts hosts;
    const char* text;
  };
  const Row rows[] = {
      {{}, ""},
      {{"login"}, "login"},
      {{"n1"}, "n1"},
      {{"42"}, "42"},
      {{"1", "2", "4"}, "[1-2,4]"},
      {{"n0", "n1", "n2", "n3", "n7", "login1"}, "n[0-3,7],login1"},
      {{"n3", "n2", "n1"}, "n[3,2,1]"},  // nothing is sorted
      {{"n0", "n0", "n1"}, "n[0,0-1]"},  // nothing is removed
      {{"a", "a", "a1", "a1"}, "a,a,a[1,1]"},
      {{"n1", "login", "n2"}, "n1,login,n2"},  // only neighbours share a prefix
      {{"n1", "m2", "m3"}, "n1,m[2-3]"},
      {{"n1-ib", "n2-ib"}, "n1-ib,n2-ib"},  // split at trailing digits only
      {{"r1n1", "r1n2", "r2n3"}, "r1n[1-2],r2n3"},
      {{"n9", "n10", "n11"}, "n[9-11]"},
      {{"n99", "n100"}, "n[99-100]"},
      {{"n09", "n10"}, "n[09-10]"},  // zeros keep their width
      {{"n099", "n100"}, "n[099-100]"},
      {{"n999", "n1000"}, "n[999-1000]"},
      {{"n0999", "n1000"}, "n[0999-1000]"},
      {{"n9", "n010"}, "n[9,010]"},  // widths differ: no range
      {{"n099", "n0100"}, "n[099,0100]"},
      {{"n0", "n01"}, "n[0,01]"},
      {{"n00", "n1"}, "n00,n1"},  // "n[00,1]" would be read as n00, n01
      {{"n01", "n02", "n3", "n4"}, "n[01-02],n[3-4]"},
      {{"n05", "n100", "n101"}, "n[05,100-101]"},
      {{"n999999999999999998", "n999999999999999999"}, "n[999999999999999998-999999999999999999]"},
      {{"n999999999999999999", "n1000000000000000000"}, "n999999999999999999,n1000000000000000000"},
      {{"n0000000000000000001", "n0000000000000000002"},
       "n0000000000000000001,n0000000000000000002"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(compress_hostlist(row.hosts), row.text);
    std::string appended = "hosts=";
    append_hostlist(appended, std::vector<std::string_view>(row.hosts.begin(), row.hosts.end()));
    EXPECT_EQ(appended, std::string("hosts=") + row.text);
    const auto hosts = expand_hostlist(row.text);
    ASSERT_TRUE(hosts.has_value()) << hosts.error().message();
    EXPECT_EQ(*hosts, row.hosts);
  }
}

TEST(HostlistCompress, FirstHostsThatFit) {
  const std::vector<std::string> hosts{"n1", "n2", "n3", "n5", "n7", "login"};
  const auto part = [&](std::size_t bytes_max) {
    const ShortHostlist made = compress_first_hosts(hosts, bytes_max);
    return made.text + " +" + std::to_string(made.left);
  };
  EXPECT_EQ(part(100), "n[1-3,5,7],login +0");
  EXPECT_EQ(part(16), "n[1-3,5,7],login +0");
  EXPECT_EQ(part(15), "n[1-3,5,7] +1");
  EXPECT_EQ(part(9), "n[1-3,5] +2");
  EXPECT_EQ(part(6), "n[1-3] +3");
  EXPECT_EQ(part(0), "n1 +5");  // a single host is always shown
}

// Names with few prefixes and numbers close together, so that ranges, widths and repeats occur.
rc::Gen<Hosts> any_hosts() {
  const auto prefix = rc::gen::element<std::string>("", "n", "r1n", "m-", "0x");
  const auto number = rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 5), rc::gen::inRange(0, 12)),
      [](std::pair<int, int> drawn) {
        if (drawn.first == 4) return std::string("x");  // no number
        const std::string digits = std::to_string(drawn.second + (drawn.first == 3 ? 93 : 0));
        const auto width = static_cast<std::size_t>(drawn.first);
        return std::string(digits.size() < width ? width - digits.size() : 0, '0') + digits;
      });
  return rc::gen::container<Hosts>(rc::gen::map(
      rc::gen::pair(prefix, number),
      [](const std::pair<std::string, std::string>& name) { return name.first + name.second; }));
}

RC_GTEST_PROP(HostlistLaw, ExpandOfCompressIsTheList, ()) {
  const Hosts hosts = *any_hosts();
  RC_ASSERT(expand_hostlist(compress_hostlist(hosts)).value() == hosts);
}

RC_GTEST_PROP(HostlistLaw, RunsOfNumbersBecomeOneRange, ()) {
  const int first = *rc::gen::inRange(0, 2'000);
  const int count = *rc::gen::inRange(2, 200);
  const auto width = *rc::gen::inRange<std::size_t>(1, 6);
  Hosts hosts;
  for (int number = first; number < first + count; ++number) {
    std::string digits = std::to_string(number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    hosts.push_back("n" + digits);
  }
  const std::string expected = "n[" + hosts.front().substr(1) + "-" + hosts.back().substr(1) + "]";
  RC_ASSERT(compress_hostlist(hosts) == expected);
  RC_ASSERT(expand_hostlist(expected).value() == hosts);
}

// The reader accepts or refuses any text; an accepted text is printed and reads back.
RC_GTEST_PROP(HostlistLaw, AnyTextIsRefusedOrReadsBack, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("aab00012,,-[[]]")));
  const auto hosts = expand_hostlist(text, 1'000);
  RC_CLASSIFY(hosts.has_value(), "accepted");
  if (!hosts) return;
  RC_ASSERT(hosts->size() <= 1'000u);
  RC_ASSERT(expand_hostlist(compress_hostlist(*hosts), 1'000).value() == *hosts);
}

}  // namespace
}  // namespace copse
