// SPDX-License-Identifier: Apache-2.0
//
// FieldWriter, FieldReader: one description of a value's bytes for both directions. A function template
// describe(io, value) names the parts of a value in their order: `io` is a FieldWriter, and the value
// const; or a FieldReader, which fills it.
//
// Bytes that are invalid make the ByteReader fail. What was read until then may have any values, but takes
// no more memory than the bytes, or a limit that the description has, allow.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "copse/ids.hpp"
#include "copse/status.hpp"
#include "save/column.hpp"

namespace copse {

template <class T>
inline constexpr bool kIsId = false;
template <class Tag, class Rep>
inline constexpr bool kIsId<Id<Tag, Rep>> = true;

class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& out) : out_(out) {}
  [[nodiscard]] ByteWriter& out() { return out_; }

  // Parts in their order, in the form of their types.
  template <class... Parts>
  void parts(const Parts&... all) {
    (part(all), ...);
  }
  // A number from 0 to `max`.
  template <class T>
  void number(const T& value, std::uint64_t /*max*/) {
    out_.number(static_cast<std::uint64_t>(value));
  }
  // `bytes_each`: the least number of bytes of an element.
  template <class List, class Each>
  void list(const List& list, std::size_t /*bytes_each*/, Each each) {
    out_.number(list.size());
    for (const auto& element : list) each(element);
  }
  // Numbers as a column (column.hpp), at most `values_max`.
  template <class T>
  void column(const std::vector<T>& values, std::uint64_t /*values_max*/) {
    write_column(out_, values, [](const T& value) {
      if constexpr (kIsId<T>) {
        return value.v;
      } else {
        return value;
      }
    });
  }

 private:
  template <class T>
  void part(const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      out_.text(value);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      out_.integer(value);
    } else if constexpr (std::is_same_v<T, double>) {
      out_.number(std::bit_cast<std::uint64_t>(value));
    } else if constexpr (kIsId<T>) {
      out_.number(value.v);
    } else {
      static_assert(std::is_unsigned_v<T> || std::is_same_v<T, Status>);
      out_.number(static_cast<std::uint64_t>(value));
    }
  }
  void part(const std::map<std::string, std::string>& values) {
    out_.number(values.size());
    for (const auto& [key, value] : values) parts(key, value);
  }

  ByteWriter& out_;
};

class FieldReader {
 public:
  explicit FieldReader(ByteReader& in) : in_(in) {}
  [[nodiscard]] ByteReader& in() { return in_; }

  template <class... Parts>
  void parts(Parts&... all) {
    (part(all), ...);
  }
  template <class T>
  void number(T& value, std::uint64_t max) {
    value = in_.below<T>(max);
  }
  template <class List, class Each>
  void list(List& list, std::size_t bytes_each, Each each) {
    list.resize(in_.count(bytes_each));
    for (auto& element : list) each(element);
  }
  template <class T>
  void column(std::vector<T>& values, std::uint64_t values_max) {
    if constexpr (kIsId<T>) {
      read_column<typename T::rep>(in_, values_max, values, [](auto number) { return T{number}; });
    } else {
      read_column<T>(in_, values_max, values, [](T number) { return number; });
    }
  }

 private:
  template <class T>
  void part(T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      value = in_.text();
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      value = in_.integer();
    } else if constexpr (std::is_same_v<T, double>) {
      value = std::bit_cast<double>(in_.number());
    } else if constexpr (kIsId<T>) {
      number(value.v, std::numeric_limits<typename T::rep>::max());
    } else if constexpr (std::is_same_v<T, bool>) {
      value = in_.flag();
    } else if constexpr (std::is_same_v<T, Status>) {
      number(value, static_cast<std::uint64_t>(Status::unknown));
    } else {
      static_assert(std::is_unsigned_v<T>);
      number(value, std::numeric_limits<T>::max());
    }
  }
  void part(std::map<std::string, std::string>& values) {
    for (std::size_t left = in_.count(2); left > 0; --left) {
      std::string key(in_.text());
      values.insert_or_assign(std::move(key), std::string(in_.text()));
    }
  }

  ByteReader& in_;
};

}  // namespace copse
