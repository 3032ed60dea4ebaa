// SPDX-License-Identifier: Apache-2.0
#include "page/page_file.hpp"

#include <cassert>
#include <ranges>

#include "page/assets.hpp"
#include "page/exact.hpp"
#include "text/xml_text.hpp"

namespace copse::page {

namespace {

// Parts of index.html that are replaced, as in the served page. Tests check that each occurs once.
constexpr std::string_view kPolicyHere = "<!-- policy -->", kTitle = "<title>Copse</title>",
                           kStyle = "<link rel=\"stylesheet\" href=\"style.css\">",
                           kScript = "<script type=\"module\" src=\"app.js\"></script>";

// The "sha256-…" of a text of the page.
std::string_view sum_of(std::string_view name) {
  for (const auto line : std::views::split(page_asset("page.sums"), '\n')) {
    const std::string_view text(line.begin(), line.end());
    if (text.starts_with(name) && text.substr(name.size()).starts_with(' ')) {
      return text.substr(name.size() + 1);
    }
  }
  return "";
}

std::string policy() {
  std::string out = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ";
  out += "script-src '";
  out += sum_of("page.js");
  out += "'; style-src '";
  out += sum_of("style.css");
  return out + "'; base-uri 'none'; form-action 'none'\">";
}

void append_escaped(std::string& out, std::string_view json) {
  for (std::size_t at = 0;;) {
    const std::size_t next = json.find('<', at);
    out += json.substr(at, next - at);
    if (next == json.npos) return;
    out += "\\u003c";
    at = next + 1;
  }
}

}  // namespace

void append_about_document(std::string& out, const About& about) {
  JsonWriter json(out);
  json.object([&] {
    json.member("format", 1);
    json.member("kind", about.kind);
    json.member("title", about.title);
    json.member("version", about.version);
    exact_member(json, "at", about.at_s);
    exact_member(json, "zero", about.zero_s);
    json.array("made_with", about.made_with, [&](const auto& pair) {
      json.open('[');
      json.value(pair.first);
      json.value(pair.second);
      json.close(']');
    });
  });
}

Result<void> write_page_file(std::string_view title, const std::vector<Document>& documents,
                             const TextSink& sink) {
  TextPieces pieces(sink);
  std::string_view rest = page_asset("index.html");
  // Copies the text up to a placeholder, and skips that.
  //
  const auto up_to = [&](std::string_view place) {
    const std::size_t at = rest.find(place);
    assert(at != rest.npos);
    pieces.text() += rest.substr(0, at);
    rest.remove_prefix(at + place.size());
  };
  up_to(kPolicyHere);
  pieces.text() += policy();
  up_to(kTitle);
  pieces.text() += "<title>";
  xml::append_text(pieces.text(), title);
  pieces.text() += "</title>";
  up_to(kStyle);
  pieces.text() += "<style>";
  pieces.text() += page_asset("style.css");
  pieces.text() += "</style>";
  up_to(kScript);
  for (const auto& [name, json] : documents) {
    pieces.text() += "<script type=\"application/json\" id=\"copse-";
    pieces.text() += name;
    pieces.text() += "\">";
    append_escaped(pieces.text(), json);
    pieces.text() += "</script>\n";
    (void)pieces.step();
  }
  pieces.text() += "<script type=\"module\">";
  pieces.text() += page_asset("page.js");
  pieces.text() += "</script>";
  pieces.text() += rest;
  return pieces.finish();
}

}  // namespace copse::page
