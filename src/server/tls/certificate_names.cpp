// SPDX-License-Identifier: Apache-2.0
#include "server/tls/certificate_names.hpp"

#include <openssl/asn1.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace copse::server {

namespace {

constexpr std::size_t kNamesMax = 64, kNameBytesMax = 256;

void add_name(std::vector<std::string>& names, std::string_view kind, const ASN1_STRING* text) {
  if (text == nullptr || names.size() >= kNamesMax) return;
  unsigned char* bytes = nullptr;
  const int size = ASN1_STRING_to_UTF8(&bytes, text);
  if (size < 0) return;
  const std::string name(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  const bool plain =
      std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (name.empty() || name.size() > kNameBytesMax || !plain) return;
  names.push_back(std::string(kind) + name);
}

void add_alternative(std::vector<std::string>& names, const GENERAL_NAME& name) {
  switch (name.type) {
    case GEN_DNS: return add_name(names, "DNS:", name.d.dNSName);
    case GEN_EMAIL: return add_name(names, "email:", name.d.rfc822Name);
    case GEN_URI: return add_name(names, "URI:", name.d.uniformResourceIdentifier);
    default: return;
  }
}

}  // namespace

std::vector<std::string> certificate_names(const x509_st& certificate) {
  std::vector<std::string> out;
  const X509_NAME* const subject = X509_get_subject_name(&certificate);
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;) {
    add_name(out, "CN:", X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  }
  const auto free_names = [](GENERAL_NAMES* names) { GENERAL_NAMES_free(names); };
  const std::unique_ptr<GENERAL_NAMES, decltype(free_names)> others(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)),
      free_names);
  for (int i = 0; others != nullptr && i < sk_GENERAL_NAME_num(others.get()); ++i) {
    add_alternative(out, *sk_GENERAL_NAME_value(others.get(), i));
  }
  return out;
}

}  // namespace copse::server
