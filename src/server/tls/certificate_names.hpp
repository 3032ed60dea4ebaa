// SPDX-License-Identifier: Apache-2.0
//
// The names in a certificate: "CN:ada"; of the subject's alternative names, "DNS:ci.example.org",
// "email:ada@example.org", "URI:spiffe://example.org/ci".
#pragma once

#include <string>
#include <vector>

struct x509_st;

namespace copse::server {

// CN first, then the others in their order; at most 64. Empty names, names above 256 bytes and
// names with control characters are left out: what a table reads as "ada" must be the whole name.
[[nodiscard]] std::vector<std::string> certificate_names(const x509_st& certificate);

}  // namespace copse::server
