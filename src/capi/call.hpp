// SPDX-License-Identifier: Apache-2.0
//
// The frame of every function of include/copse.h: no exception leaves, a failure fills the caller's
// copse_error, and structs are read and written up to the size that the caller's header knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <expected>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "copse.h"
#include "copse/error.hpp"

namespace copse::capi {

// The error of a call.
struct Failure {
  copse_code code = COPSE_INTERNAL;
  std::string text;
  SourceLocation place{};

  Failure(copse_code code_in, std::string text_in) : code(code_in), text(std::move(text_in)) {}
  Failure(Error error);  // NOLINT(google-explicit-constructor): it is one
};
template <class T>
using Outcome = std::expected<T, Failure>;

[[nodiscard]] copse_code code_of(ErrorCode code);
[[nodiscard]] std::unexpected<Failure> refuse(copse_code code, std::string text);
// For a Result of the core without a value.
template <class T>
[[nodiscard]] Outcome<void> done(const Result<T>& result) {
  if (!result) return std::unexpected(Failure(result.error()));
  return {};
}

// Copies a sentence into the caller's array, cut at a UTF-8 character.
void copy_text(std::string_view text, std::span<char> out);
// A null pointer, or a struct that is too small, is ignored.
void fill(copse_error* error, const Failure& failure);

// Runs a body that returns Outcome<void>.
template <class Body>
copse_code call(copse_error* error, Body body) noexcept {
  try {
    const Outcome<void> outcome = body();
    if (outcome) return COPSE_OK;
    fill(error, outcome.error());
    return outcome.error().code;
  } catch (const std::bad_alloc&) {
    fill(error, Failure(COPSE_NO_MEMORY, ""));
    return COPSE_NO_MEMORY;
  } catch (const std::exception& fault) {
    fill(error, Failure(COPSE_INTERNAL, fault.what()));
  } catch (...) {
    fill(error, Failure(COPSE_INTERNAL, ""));
  }
  return COPSE_INTERNAL;
}

// A text of the caller. Errors: COPSE_INVALID (a null pointer), with its name.
[[nodiscard]] Outcome<std::string_view> text_in(const char* text, std::size_t length,
                                                const char* what);
[[nodiscard]] Outcome<std::string_view> word_in(const char* word, const char* what);
[[nodiscard]] inline std::string_view word_or(const char* word, std::string_view otherwise) {
  return word == nullptr ? otherwise : std::string_view(word);
}
// "text" or "json"; nullptr: text. Errors: COPSE_UNSUPPORTED.
[[nodiscard]] Outcome<bool> wants_json(const char* format);

// Returns a text that the caller must free. Errors: COPSE_INVALID (no output pointer),
// COPSE_NO_MEMORY.
[[nodiscard]] Outcome<void> text_out(std::string_view text, char** out, std::size_t* length);
[[nodiscard]] Outcome<void> list_out(std::span<const std::uint64_t> list, std::uint64_t** out,
                                     std::size_t* count);

// Upper bound of the size of a struct in any version.
inline constexpr std::size_t kStructBytesMax = 4096;
// kFirstSize<T>: the size in the first version that has T. A struct that has grown since is listed.
template <class T>
inline constexpr std::size_t kFirstSize = sizeof(T);
template <>
inline constexpr std::size_t kFirstSize<copse_machine_options> =
    offsetof(copse_machine_options, divisible);

[[nodiscard]] std::unexpected<Failure> bad_size(std::size_t size, std::size_t least);

// Reads a struct of options; a null pointer leaves the defaults. Errors: COPSE_INVALID (its size);
// COPSE_UNSUPPORTED (a member is set that this version does not have).
template <class T>
[[nodiscard]] Outcome<void> read_struct(const T* in, T& out) {
  if (in == nullptr) return {};
  std::size_t size = 0;
  std::memcpy(&size, in, sizeof size);
  if (size < kFirstSize<T> || size > kStructBytesMax) return bad_size(size, kFirstSize<T>);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(in);
  for (std::size_t i = sizeof(T); i < size; ++i) {
    if (bytes[i] != 0)
      return refuse(COPSE_UNSUPPORTED, "an option is set that this version does not support");
  }
  std::memcpy(&out, in, size < sizeof(T) ? size : sizeof(T));
  out.size = sizeof(T);
  return {};
}
// Checks an output struct before the work. Errors: COPSE_INVALID (its size, or a null pointer).
template <class T>
[[nodiscard]] Outcome<void> check_struct(const T* out) {
  std::size_t size = 0;
  if (out != nullptr) std::memcpy(&size, out, sizeof size);
  if (size < kFirstSize<T> || size > kStructBytesMax) return bad_size(size, kFirstSize<T>);
  return {};
}
// Writes an output struct; members beyond this version are set to 0. REQUIRES check_struct(out).
template <class T>
void write_struct(T value, T* out) {
  const std::size_t size = out->size;
  value.size = size;
  std::memcpy(out, &value, size < sizeof(T) ? size : sizeof(T));
  auto* const bytes = reinterpret_cast<unsigned char*>(out);
  for (std::size_t i = sizeof(T); i < size; ++i) bytes[i] = 0;
}

}  // namespace copse::capi
