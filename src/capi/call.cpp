// SPDX-License-Identifier: Apache-2.0
#include "capi/call.hpp"
#include "base/version.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace copse::capi {

copse_code code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid: return COPSE_INVALID;
    case ErrorCode::limit: return COPSE_LIMIT;
    case ErrorCode::not_found: return COPSE_NOT_FOUND;
    case ErrorCode::exists: return COPSE_EXISTS;
    case ErrorCode::insufficient: return COPSE_INSUFFICIENT;
    case ErrorCode::infeasible: return COPSE_INFEASIBLE;
    case ErrorCode::unsupported: return COPSE_UNSUPPORTED;
    case ErrorCode::io: return COPSE_IO;
  }
  return COPSE_INTERNAL;
}

Failure::Failure(Error error)
    : code(code_of(error.code)), text(std::move(error.text)), place(std::move(error.place)) {}

std::unexpected<Failure> refuse(copse_code code, std::string text) {
  return std::unexpected(Failure(code, std::move(text)));
}

std::unexpected<Failure> bad_size(std::size_t size, std::size_t least) {
  if (size == 0) return refuse(COPSE_INVALID, "a struct is missing, or does not say its size");
  return refuse(COPSE_INVALID, fmt::format("the size of a struct is {}; it must be {} to {}", size,
                                           least, kStructBytesMax));
}

void copy_text(std::string_view text, std::span<char> out) {
  std::size_t length = text.size();
  if (length >= out.size()) {
    length = out.size() - 1;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  }
  std::memcpy(out.data(), text.data(), length);
  out[length] = '\0';
}

void fill(copse_error* error, const Failure& failure) {
  if (!check_struct(error)) return;
  copse_error value = COPSE_ERROR_INIT;
  value.code = failure.code;
  value.line = failure.place.line;
  value.column = failure.place.column;
  copy_text(failure.place.file, value.file);
  copy_text(failure.text.empty() ? copse_word(failure.code) : failure.text, value.text);
  write_struct(value, error);
}

Outcome<std::string_view> text_in(const char* text, std::size_t length, const char* what) {
  if (text == nullptr) return refuse(COPSE_INVALID, fmt::format("{} is NULL", what));
  if (length != COPSE_TERMINATED) return std::string_view(text, length);
  return std::string_view(text);
}

Outcome<std::string_view> word_in(const char* word, const char* what) {
  return text_in(word, COPSE_TERMINATED, what);
}

Outcome<bool> wants_json(const char* format) {
  const std::string_view word = word_or(format, "text");
  if (word == "text" || word == "json") return word == "json";
  return refuse(COPSE_UNSUPPORTED, fmt::format("unknown format '{:.64}': text or json", word));
}

Outcome<void> text_out(std::string_view text, char** out, std::size_t* length) {
  if (out == nullptr) return refuse(COPSE_INVALID, "the output pointer of the text is NULL");
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  *out = copy;
  if (length != nullptr) *length = text.size();
  return {};
}

Outcome<void> list_out(std::span<const std::uint64_t> list, std::uint64_t** out,
                       std::size_t* count) {
  if (out == nullptr || count == nullptr) {
    return refuse(COPSE_INVALID, "the output pointer of the list is NULL");
  }
  auto* const copy = static_cast<std::uint64_t*>(std::malloc(list.size_bytes() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  if (!list.empty()) std::memcpy(copy, list.data(), list.size_bytes());
  *out = copy;
  *count = list.size();
  return {};
}

}  // namespace copse::capi

extern "C" {

const char* copse_word(copse_code code) {
  switch (code) {
    case COPSE_OK: return "ok";
    case COPSE_BAD_HANDLE: return "bad_handle";
    case COPSE_BUSY: return "busy";
    case COPSE_NO_MEMORY: return "no_memory";
    case COPSE_INTERNAL: return "internal";
    case COPSE_INVALID: return copse::word(copse::ErrorCode::invalid);
    case COPSE_LIMIT: return copse::word(copse::ErrorCode::limit);
    case COPSE_NOT_FOUND: return copse::word(copse::ErrorCode::not_found);
    case COPSE_EXISTS: return copse::word(copse::ErrorCode::exists);
    case COPSE_INSUFFICIENT: return copse::word(copse::ErrorCode::insufficient);
    case COPSE_INFEASIBLE: return copse::word(copse::ErrorCode::infeasible);
    case COPSE_UNSUPPORTED: return copse::word(copse::ErrorCode::unsupported);
    case COPSE_IO: return copse::word(copse::ErrorCode::io);
  }
  return "unknown";
}

const char* copse_version(void) { return copse::version(); }

void copse_free(void* memory) { std::free(memory); }

}  // extern "C"
