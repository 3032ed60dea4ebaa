// SPDX-License-Identifier: Apache-2.0
#include "server/page/assets.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "server/http/problem.hpp"
#include "server/page/encoding.hpp"
#include "server/rights/digest.hpp"

namespace copse::server {

namespace {

constexpr std::string_view kIndex = "index.html", kFolder = "assets/", kMain = "app.js",
                           kBundle = "page.js";
// No other origins, no inline code, no embedding in frames.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
    "data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes{
    {{".html", "text/html; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".svg", "image/svg+xml"}}};
// Browsers request this path by default.
constexpr std::string_view kIconPath = "/favicon.ico";
constexpr std::string_view kIcon =
    R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#2563a8" d="M0 )"
    R"(0h4v4h4v4H4V4H0z"/></svg>)";
constexpr std::size_t kHashDigits = 16;

std::string_view type_of(std::string_view name) {
  for (const auto& [end, type] : kTypes) {
    if (name.ends_with(end)) return type;
  }
  return "application/octet-stream";
}

std::string hash_of(std::span<const PageAsset> files) {
  std::string all;
  for (const PageAsset& file : files) {
    all += fmt::format("{} {}\n", file.name, file.bytes.size());
    all += file.bytes;
  }
  return sha256_text(all).substr(0, kHashDigits);
}

// The text, with the names of files ("NAME") replaced by their paths.
std::string with_paths(std::string_view text, std::span<const PageAsset> files,
                       std::string_view hash) {
  const bool bundled = std::ranges::find(files, kBundle, &PageAsset::name) != files.end();
  std::string out(text);
  for (const PageAsset& file : files) {
    const std::string named = fmt::format("=\"{}\"", file.name);
    const std::size_t at = out.find(named);
    if (at == std::string::npos) continue;
    const std::string_view sent = bundled && file.name == kMain ? kBundle : file.name;
    out.replace(at, named.size(), fmt::format("=\"{}{}/{}\"", kFolder, hash, sent));
  }
  return out;
}

// If-None-Match: whether a list has this tag. Proxies that compress make it a weak tag.
bool has_tag(std::string_view list, std::string_view tag) {
  return list == "*" || list.find(tag) != std::string_view::npos;
}

}  // namespace

Assets::Assets(std::span<const PageAsset> files) : hash_(hash_of(files)) {
  for (const PageAsset& file : files) {
    if (file.name == kIndex) continue;
    files_[std::string(file.name)] = {type_of(file.name), std::string(file.bytes),
                                      gzip(file.bytes, Effort::small)};
  }
  const auto index = std::ranges::find(files, kIndex, &PageAsset::name);
  if (index == files.end()) return;
  std::string text = with_paths(index->bytes, files, hash_);
  std::string small = gzip(text, Effort::small);
  index_ = Asset{type_of(kIndex), std::move(text), std::move(small)};
}

HttpResponse Assets::send(const Asset& asset, const HttpRequest& request) const {
  HttpResponse out;
  out.type = asset.type;
  out.fields = {{"Content-Security-Policy", std::string(kPolicy)},
                {"X-Content-Type-Options", "nosniff"},
                {"Referrer-Policy", "no-referrer"},
                {"Cross-Origin-Resource-Policy", "same-origin"},
                {"Vary", "Accept-Encoding"}};
  const bool small = accepts_gzip(request.accept_encoding);
  if (small) out.fields.emplace_back("Content-Encoding", "gzip");
  out.body = small ? asset.small : asset.plain;
  return out;
}

bool Assets::is_path(std::string_view target) {
  return target.substr(0, target.find('?')) == "/" || target.starts_with("/assets/") ||
         target == kIconPath;
}

std::optional<HttpResponse> Assets::answer(const HttpRequest& request) const {
  if (!is_path(request.target)) return std::nullopt;
  std::string_view path = request.target.substr(0, request.target.find('?'));
  const bool index = path == "/";
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse out = problem(Problem::method_not_allowed, "this path supports GET, HEAD");
    out.fields.emplace_back("Allow", "GET, HEAD");
    return out;
  }
  if (path == kIconPath) {
    return HttpResponse{.type = "image/svg+xml",
                        .body = std::string(kIcon),
                        .fields = {{"Cache-Control", "public, max-age=86400"}}};
  }
  if (index && !index_) return problem(Problem::not_found, "this service was built without a page");
  if (index) {
    HttpResponse out = send(*index_, request);
    const std::string tag = fmt::format("\"{}\"", hash_);
    if (has_tag(request.if_none_match, tag)) {
      out.status = 304;
      out.type.clear();
      out.body.clear();
      std::erase_if(out.fields, [](const auto& one) { return one.first == "Content-Encoding"; });
    }
    out.fields.emplace_back("ETag", tag);
    out.fields.emplace_back("Cache-Control", "no-cache");
    return out;
  }
  path.remove_prefix(1 + kFolder.size());
  const std::size_t slash = std::min(path.find('/'), path.size());
  const auto file = files_.find(path.substr(std::min(slash + 1, path.size())));
  if (path.substr(0, slash) != hash_ || file == files_.end()) {
    return problem(Problem::not_found, "the page has no such file: reload it");
  }
  HttpResponse out = send(file->second, request);
  out.fields.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
  return out;
}

}  // namespace copse::server
