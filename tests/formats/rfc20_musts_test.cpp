// SPDX-License-Identifier: Apache-2.0
//
// Each MUST and SHALL of RFC 20, as a mutation of a good R. Those of programs are at the end.
#include <gtest/gtest.h>

#include <string>

#include "formats/r_texts.hpp"

namespace copse {
namespace {

std::string entry(const std::string& text) {
  return r_of("\"R_lite\":[" + text + "],\"nodelist\":[\"n0\"]");
}

TEST(Rfc20Musts, AGoodRIsAccepted) {
  for (const std::string& text :
       {r_of(kWhole),
        r_of(kWhole + R"(,"nslots":1,"properties":{"a@gpu":"0-3","b":"0"},"starttime":0.0)"),
        r_of(kWhole + R"(,"starttime":1.25,"expiration":0)"),
        r_of(kWhole + R"(,"starttime":1676560542.5,"expiration":1676562342.000001)"),
        r_of(kWhole, R"(,"scheduling":{"writer":"fluxion:jgf_shorthand","graph":{}})")}) {
    EXPECT_EQ(validated(text), "accepted") << text;
  }
}

TEST(Rfc20Musts, EachIsChecked) {
  const Mutation rows[] = {
      {"R SHALL be defined as a JSON dictionary", R"([])", R"(r:1:1: an R must be an object)"},
      {"version (integer, REQUIRED)", R"({"execution":{)" + kWhole + R"(}})",
       R"(r:1:1: an R has no key "version")"},
      {"version (integer, REQUIRED)", R"({"version":"1","execution":{)" + kWhole + R"(}})",
       R"(r:1:12: version must be an integer)"},
      {"For this specification the value is always 1",
       R"({"version":2,"execution":{)" + kWhole + R"(}})",
       R"(r:1:12: version is 2; version 1 is what can be read)"},
      {"execution (dictionary, REQUIRED)", R"({"version":1})",
       R"(r:1:1: an R has no key "execution")"},
      {"execution (dictionary, REQUIRED)", R"({"version":1,"execution":[]})",
       R"(r:1:26: execution must be an object)"},
      {"R_lite (array of dictionary, REQUIRED)", r_of(R"("nodelist":["n0"])"),
       R"(r:2:1: execution has no key "R_lite")"},
      {"R_lite (array of dictionary, REQUIRED)", r_of(R"("R_lite":{},"nodelist":["n0"])"),
       R"(r:2:11: R_lite must be an array)"},
      {"R_lite (array of dictionary, REQUIRED)", entry(R"(7)"),
       R"(r:2:12: an entry of R_lite must be an object)"},
      {"A list that identifies one or more execution targets", r_of(R"("R_lite":[],"nodelist":[])"),
       R"(r:2:11: R_lite has no entry)"},
      {"Each entry SHALL have the following keys: rank (string, REQUIRED)",
       entry(R"({"children":{"core":"0"}})"), R"(r:2:12: an entry of R_lite has no key "rank")"},
      {"rank (string, REQUIRED)", entry(R"({"rank":0,"children":{"core":"0"}})"),
       R"(r:2:20: rank must be a string)"},
      {"rank: an RFC 22 idset representing one or more execution targets",
       entry(R"({"rank":"3-1","children":{"core":"0"}})"),
       R"(r:2:20: rank: idset: range 3-1 does not ascend)"},
      {"rank: an RFC 22 idset representing one or more execution targets",
       entry(R"({"rank":"","children":{"core":"0"}})"), R"(r:2:20: rank names no rank)"},
      {"Each entry SHALL have the following keys: children (dictionary, REQUIRED)",
       entry(R"({"rank":"0"})"), R"(r:2:12: an entry of R_lite has no key "children")"},
      {"children (dictionary, REQUIRED)", entry(R"({"rank":"0","children":[]})"),
       R"(r:2:35: children must be an object)"},
      {"It SHALL have the following keys: core (string, REQUIRED)",
       entry(R"({"rank":"0","children":{"gpu":"0"}})"), R"(r:2:35: children has no key "core")"},
      {"core (string, REQUIRED)", entry(R"({"rank":"0","children":{"core":[0]}})"),
       R"(r:2:43: children of type "core" must be a string)"},
      {"core: an RFC 22 idset representing one or more logical CPU cores IDs",
       entry(R"({"rank":"0","children":{"core":"0-"}})"),
       R"(r:2:43: children of type "core": idset: expected an id)"},
      {"core: an RFC 22 idset representing one or more logical CPU cores IDs",
       entry(R"({"rank":"0","children":{"core":""}})"),
       R"(r:2:43: children of type "core" names no id)"},
      {"gpu (string, OPTIONAL)", entry(R"({"rank":"0","children":{"core":"0","gpu":0}})"),
       R"(r:2:53: children of type "gpu" must be a string)"},
      {"gpu: an RFC 22 idset representing one or more logical GPU IDs",
       entry(R"({"rank":"0","children":{"core":"0","gpu":"x"}})"),
       R"(r:2:53: children of type "gpu": idset: expected an id)"},
      {"gpu: an RFC 22 idset representing one or more logical GPU IDs",
       entry(R"({"rank":"0","children":{"core":"0","gpu":""}})"),
       R"(r:2:53: children of type "gpu" names no id)"},
      {"nodelist (array of string, REQUIRED)", r_of(kLite),
       R"(r:2:1: execution has no key "nodelist")"},
      {"nodelist (array of string, REQUIRED)", r_of(kLite + R"(,"nodelist":"n[0-3]")"),
       R"(r:2:65: nodelist must be an array)"},
      {"nodelist (array of string, REQUIRED)", r_of(kLite + R"(,"nodelist":[7])"),
       R"(r:2:66: an entry of nodelist must be a string)"},
      {"Each entry SHALL be either a single hostname or an RFC 29 hostlist",
       r_of(kLite + R"(,"nodelist":["n[0-3"])"),
       R"(r:2:66: nodelist: hostlist: '[' is not closed)"},
      {"hostnames MUST correspond to the ranks, so that they can be mapped one to one",
       r_of(kLite + R"(,"nodelist":["n[0-2]"])"),
       R"(r:2:65: nodelist has 3 hosts for the 4 ranks of R_lite; each rank needs one)"},
      {"hostnames MUST correspond to the ranks, so that they can be mapped one to one",
       r_of(kLite + R"(,"nodelist":["n[0-2]","m[0-1]"])"),
       R"(r:2:65: nodelist has 5 hosts for the 4 ranks of R_lite; each rank needs one)"},
      {"nslots (integer, OPTIONAL)", r_of(kWhole + R"(,"nslots":1.5)"),
       R"(r:2:85: nslots must be an integer)"},
      {"nslots (integer, OPTIONAL)", r_of(kWhole + R"(,"nslots":"4")"),
       R"(r:2:85: nslots must be an integer)"},
      {"nslots: if present it MUST be greater than 0", r_of(kWhole + R"(,"nslots":0)"),
       R"(r:2:85: nslots must be greater than 0)"},
      {"nslots: if present it MUST be greater than 0", r_of(kWhole + R"(,"nslots":-1)"),
       R"(r:2:85: nslots must be greater than 0)"},
      {"properties (dictionary of string, OPTIONAL)", r_of(kWhole + R"(,"properties":["a"])"),
       R"(r:2:89: properties must be an object)"},
      {"properties (dictionary of string, OPTIONAL)", r_of(kWhole + R"(,"properties":{"a":1})"),
       R"(r:2:94: property "a" must be a string)"},
      {"Each key maps a single property name to a RFC 22 idset string",
       r_of(kWhole + R"(,"properties":{"a":"1,1"})"),
       R"(r:2:94: property "a": idset: id 1 does not ascend, the one before is 1)"},
      {"The idset string SHALL represent a set of execution targets",
       r_of(kWhole + R"(,"properties":{"a":"4"})"),
       R"(r:2:94: property "a" names rank 4, which R_lite does not have)"},
      {"Property names SHALL be valid UTF-8", r_of(kWhole + ",\"properties\":{\"\xff\":\"1\"}"),
       R"(r:2:91: this byte is not UTF-8)"},
      {"Property names MUST NOT contain the following illegal characters",
       r_of(kWhole + R"(,"properties":{"a!b":"1"})"),
       R"(r:2:90: a property is "a!b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {"Property names MUST NOT contain the following illegal characters",
       r_of(kWhole + R"(,"properties":{"a&b":"1"})"),
       R"(r:2:90: a property is "a&b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {"Property names MUST NOT contain the following illegal characters",
       r_of(kWhole + R"(,"properties":{"a'b":"1"})"),
       R"(r:2:90: a property is "a'b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {"Property names MUST NOT contain the following illegal characters",
       r_of(kWhole + R"(,"properties":{"a\"b":"1"})"),
       R"(r:2:90: a property is "a"b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {"Property names MUST NOT contain the following illegal characters",
       r_of(kWhole + R"(,"properties":{"a^b":"1"})"),
       R"(r:2:90: a property is "a^b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {"Property names MUST NOT contain the following illegal characters",
       r_of(kWhole + R"(,"properties":{"a`b":"1"})"),
       R"(r:2:90: a property is "a`b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {"Property names MUST NOT contain the following illegal characters",
       r_of(kWhole + R"(,"properties":{"a|b":"1"})"),
       R"(r:2:90: a property is "a|b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {"Property names MUST NOT contain the following illegal characters",
       r_of(kWhole + R"(,"properties":{"a(b":"1"})"),
       R"(r:2:90: a property is "a(b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {"Property names MUST NOT contain the following illegal characters",
       r_of(kWhole + R"(,"properties":{"a)b":"1"})"),
       R"(r:2:90: a property is "a)b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {"starttime (number, OPTIONAL)", r_of(kWhole + R"(,"starttime":"now")"),
       R"(r:2:88: starttime must be a number)"},
      {"starttime SHALL be expressed as the number of seconds elapsed since the Unix Epoch",
       r_of(kWhole + R"(,"starttime":-1)"), R"(r:2:88: starttime must be 0 or more)"},
      {"expiration (number, OPTIONAL)", r_of(kWhole + R"(,"expiration":null)"),
       R"(r:2:89: expiration must be a number)"},
      {"expiration SHALL be expressed as the number of seconds elapsed since the Unix Epoch",
       r_of(kWhole + R"(,"expiration":-0.5)"), R"(r:2:89: expiration must be 0 or more)"},
      {"If starttime is also set, expiration MUST be greater than starttime",
       r_of(kWhole + R"(,"starttime":5.5,"expiration":5.5)"),
       R"(r:2:105: expiration must be later than starttime)"},
      {"If starttime is also set, expiration MUST be greater than starttime",
       r_of(kWhole + R"(,"expiration":4,"starttime":5)"),
       R"(r:2:89: expiration must be later than starttime)"},
      {"scheduling (dictionary, OPTIONAL)", r_of(kWhole, R"(,"scheduling":[])"),
       R"(r:3:15: scheduling must be an object)"},
      {"writer (string, OPTIONAL)", r_of(kWhole, R"(,"scheduling":{"writer":42})"),
       R"(r:3:25: writer must be a string)"},
      {"writer: a URI whose scheme identifies the scheduler",
       r_of(kWhole, R"(,"scheduling":{"writer":"my scheduler"})"),
       R"(r:3:25: writer is "my scheduler"; a URI such as "TreePool" begins with a scheme)"},
      // Rules of programs, which no text can break:
      // "The order of hostnames MUST correspond to the sorted list of execution targets": any order is
      //   some order; that ranks are sorted is tested by rset_property_test.cpp, rv1_read_test.cpp.
      // "A conforming scheduler SHALL include this in its allocations" (nslots): rfc49_rows_test.cpp,
      //   tests/flux/rfc49_test.sh, defects/nslots-missing.
      // "the literal property SHALL still apply to the defined execution target ranks" (name@suffix):
      //   rset_test.cpp; a suffix is accepted above.
      // "A value of 0. SHALL be interpreted as unset": accepted above; valid_times_test.cpp.
      // "Remaining URI components SHALL be interpreted by the named scheduler",
      // "If not provided, a value of fluxion SHALL be assumed": rv1_scheduling.cpp reads RFC 49's keys
      //   with the writer TreePool only; StrictR in rv1_strict_test.cpp.
      // "scheduling SHALL ride along on the protocols": tests/flux/rfc49_test.sh, beyond_test.sh.
  };
  for (const Mutation& row : rows) EXPECT_EQ(validated(row.text), row.message) << row.rule;
}

}  // namespace
}  // namespace copse
