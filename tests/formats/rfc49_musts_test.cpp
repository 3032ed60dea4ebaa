// SPDX-License-Identifier: Apache-2.0
//
// Each MUST and SHALL of RFC 49, as a mutation of a good R. Those of programs are at the end.
#include <gtest/gtest.h>

#include <string>

#include "formats/r_texts.hpp"

namespace copse {
namespace {

std::string children(const std::string& entries, const std::string& execution = kWhole) {
  return r_of(execution,
              ",\"scheduling\":{\"writer\":\"TreePool\",\"children\":[" + entries + "]}");
}
std::string r_with_topo(const std::string& text) {
  return children("{\"ranks\":\"0\",\"topo\":" + text + "}");
}

TEST(Rfc49Musts, AGoodRIsAccepted) {
  for (const std::string& text :
       {r_of(kWhole, R"(,"scheduling":{"writer":"TreePool"})"), children(""),
        r_with_topo(
            R"({"socket":[{"numa":[{"cores":"0","gpus":"0","memory":62}]},{"cores":"1"}],)"
            R"("storage":[{"path":"/x","capacity":1.5,"unit":"TiB"},{"path":"b","capacity":2}]})"),
        children(R"({"ranks":"0-1","topo":{}},{"ranks":"2-3","topo":{"apu":[]}})",
                 kWhole + R"(,"nslots":4)")}) {
    EXPECT_EQ(validated(text), "accepted") << text;
  }
}

TEST(Rfc49Musts, EachIsChecked) {
  const Mutation rows[] = {
      {"SHALL contain writer (string, REQUIRED), SHALL be set to TreePool",
       r_of(kWhole, R"(,"scheduling":{"children":[{"ranks":"0","topo":{}}]})"),
       R"(r:3:15: scheduling has children and no writer; RFC 49 requires "TreePool")"},
      {"children (array of object, OPTIONAL)",
       r_of(kWhole, R"(,"scheduling":{"writer":"TreePool","children":{}})"),
       R"(r:3:47: children must be an array)"},
      {"children (array of object, OPTIONAL)", children(R"(7)"),
       R"(r:3:48: an entry of scheduling.children must be an object)"},
      {"Each object SHALL contain exactly two structural keys: ranks (string, REQUIRED)",
       children(R"({"topo":{}})"), R"(r:3:48: an entry of scheduling.children has no key "ranks")"},
      {"ranks (string, REQUIRED)", children(R"({"ranks":0,"topo":{}})"),
       R"(r:3:57: ranks must be a string)"},
      {"ranks: an RFC 22 idset string", children(R"({"ranks":"1,0","topo":{}})"),
       R"(r:3:57: ranks: idset: id 0 does not ascend, the one before is 1)"},
      {"ranks: identifying the broker ranks that share the described node topology",
       children(R"({"ranks":"","topo":{}})"), R"(r:3:57: ranks names no rank)"},
      {"Each object SHALL contain exactly two structural keys: topo (object, REQUIRED)",
       children(R"({"ranks":"0"})"),
       R"(r:3:48: an entry of scheduling.children has no key "topo")"},
      {"topo (object, REQUIRED)", r_with_topo(R"([])"), R"(r:3:68: topo must be an object)"},
      {"Each object SHALL contain exactly two structural keys",
       children(R"({"ranks":"0","topo":{},"host":"n0"})"),
       R"(r:3:71: an entry of scheduling.children has the key "host"; RFC 49 has ranks and topo only)"},
      {"a locality domain is a key whose value is an array of child domain objects",
       r_with_topo(R"({"socket":{"cores":"0-1"}})"),
       R"(r:3:78: the domains of locality "socket" must be an array)"},
      {"a locality domain is a key whose value is an array of child domain objects",
       r_with_topo(R"({"socket":["0-1"]})"), R"(r:3:79: a domain "socket" must be an object)"},
      {"topo is a recursive structure of locality domains",
       r_with_topo(R"({"socket":[{"numa":[{"numa":7}]}]})"),
       R"(r:3:96: the domains of locality "numa" must be an array)"},
      {"cores (string)", r_with_topo(R"({"cores":[0,1]})"),
       R"(r:3:77: cores of topo must be a string)"},
      {"cores: an RFC 22 idset string of node-local core IDs",
       r_with_topo(R"({"numa":[{"cores":"1-0"}]})"),
       R"(r:3:86: cores of a domain "numa": idset: range 1-0 does not ascend)"},
      {"gpus (string)", r_with_topo(R"({"gpus":0})"), R"(r:3:76: gpus of topo must be a string)"},
      {"gpus: an RFC 22 idset string of node-local GPU IDs",
       r_with_topo(R"({"numa":[{"gpus":"a"}]})"),
       R"(r:3:85: gpus of a domain "numa": idset: expected an id)"},
      {"memory (integer)", r_with_topo(R"({"memory":64.5})"),
       R"(r:3:78: topo's memory must be a whole number from 0 to 1099511627776)"},
      {"memory (integer)", r_with_topo(R"({"memory":"64"})"),
       R"(r:3:78: topo's memory must be a whole number from 0 to 1099511627776)"},
      {"storage (array of object)", r_with_topo(R"({"storage":{"path":"/x","capacity":1}})"),
       R"(r:3:79: storage must be an array)"},
      {"storage (array of object)", r_with_topo(R"({"storage":["/x"]})"),
       R"(r:3:80: an entry of storage must be an object)"},
      {"Each object SHALL contain path (string, REQUIRED)",
       r_with_topo(R"({"storage":[{"capacity":1}]})"),
       R"(r:3:80: an entry of storage has no key "path")"},
      {"path (string, REQUIRED)", r_with_topo(R"({"storage":[{"path":1,"capacity":1}]})"),
       R"(r:3:88: path of storage must be a string)"},
      {"Each object SHALL contain capacity (number, REQUIRED)",
       r_with_topo(R"({"storage":[{"path":"/x"}]})"),
       R"(r:3:80: an entry of storage has no key "capacity")"},
      {"capacity (number, REQUIRED)", r_with_topo(R"({"storage":[{"path":"/x","capacity":"1"}]})"),
       R"(r:3:104: capacity of storage must be a number)"},
      {"capacity (number, REQUIRED)", r_with_topo(R"({"storage":[{"path":"/x","capacity":-1}]})"),
       R"(r:3:104: capacity of storage must be 0 or more)"},
      {"unit (string, OPTIONAL)",
       r_with_topo(R"({"storage":[{"path":"/x","capacity":1,"unit":2}]})"),
       R"(r:3:113: unit of storage must be a string)"},
      {"the ranks value is trimmed to the intersection with the allocated rank set",
       children(R"({"ranks":"0-4","topo":{}})", kWhole + R"(,"nslots":1)"),
       R"(r:3:15: scheduling.children names rank 4, which this allocation does not have)"},
      {"Entries with no allocated ranks are removed",
       children(R"({"ranks":"0-3","topo":{}},{"ranks":"7","topo":{}})", kWhole + R"(,"nslots":1)"),
       R"(r:3:15: scheduling.children names rank 7, which this allocation does not have)"},
      // Rules of programs, which no text can break:
      // "the TreePool scheduler SHALL allocate all resources within that topology domain": rows TVA9 to
      //   TVA11, TVB8 and TVB9 of rfc49_rows_test.cpp and tests/flux/rfc49_test.sh.
      // "the scheduling key of the allocated R SHALL be updated, and stored with parent-relative rank
      //   values", "topo is carried through unchanged": the same, which compare the whole key.
      // "rank values in children entries SHALL be normalized to zero-origin": rset_test.cpp,
      //   rset_property_test.cpp; in a real Flux, beyond_test.sh (nested).
  };
  for (const Mutation& row : rows) EXPECT_EQ(validated(row.text), row.message) << row.rule;
}

}  // namespace
}  // namespace copse
