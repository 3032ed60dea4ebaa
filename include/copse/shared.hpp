// SPDX-License-Identifier: Apache-2.0
//
// Shared: a value that its copies share until one of them writes. SharedColumn: a vector shared in
// this way (copy on write).
//
// Reading costs one pointer. Before a change, own() copies the value if it is shared; from then on
// this copy is its only owner.
//
// Thread safety: one copy belongs to one thread at a time; copies of one value may be in different
// threads. Dropping a value is a release operation; checking for sole ownership is an acquire
// operation.
// Cost: copying increments one counter; own() is O(1), or copies the value. 8 bytes in addition to
// the value.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace copse {

// A pointer: it may be null.
template <class T>
class Shared {
 public:
  Shared() = default;
  template <class... Args>
  [[nodiscard]] static Shared make(Args&&... args) {
    Shared made;
    made.box_ = new Box(std::forward<Args>(args)...);
    return made;
  }
  Shared(const Shared& other) : box_(other.box_) {
    if (box_ != nullptr) box_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(box_, other.box_);
    return *this;
  }
  ~Shared() {
    if (box_ != nullptr && box_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete box_;
  }

  [[nodiscard]] explicit operator bool() const { return box_ != nullptr; }
  [[nodiscard]] const T* get() const { return box_ == nullptr ? nullptr : &box_->value; }
  // REQUIRES non-null, as own() does.
  [[nodiscard]] const T& operator*() const { return box_->value; }
  [[nodiscard]] const T* operator->() const { return &box_->value; }
  [[nodiscard]] bool alone() const { return box_->owners.load(std::memory_order_acquire) == 1; }
  // The value, for changes.
  [[nodiscard]] T& own() {
    if (!alone()) *this = make(std::as_const(box_->value));
    return box_->value;
  }
  void reset() { *this = Shared(); }

 private:
  struct Box {
    template <class... Args>
    explicit Box(Args&&... args) : value(std::forward<Args>(args)...) {}
    std::atomic<std::uint32_t> owners{1};
    T value;
  };
  Box* box_ = nullptr;
};

// Reading costs as much as from a vector. Pointers from data() and begin() are valid until the next
// change.
template <class T>
class SharedColumn {
 public:
  SharedColumn() = default;
  SharedColumn(std::vector<T> values)  // NOLINT(google-explicit-constructor): it is one
      : values_(Shared<std::vector<T>>::make(std::move(values))) {
    look();
  }
  SharedColumn(const SharedColumn&) = default;
  SharedColumn(SharedColumn&& other) noexcept
      : values_(std::move(other.values_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  SharedColumn& operator=(SharedColumn other) noexcept {
    values_ = std::move(other.values_);
    data_ = other.data_;
    size_ = other.size_;
    return *this;
  }
  ~SharedColumn() = default;

  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] const T& back() const { return data_[size_ - 1]; }
  [[nodiscard]] std::size_t capacity() const { return values_ ? values_->capacity() : 0; }

  // Changes the vector as change(vector) does.
  template <class Change>
  void edit(Change change) {
    if (!values_) values_ = Shared<std::vector<T>>::make();
    change(values_.own());
    look();
  }
  void set(std::size_t i, const T& value) {
    edit([&](std::vector<T>& values) { values[i] = value; });
  }
  void push_back(T value) {
    edit([&](std::vector<T>& values) { values.push_back(std::move(value)); });
  }

 private:
  void look() {
    data_ = values_->data();
    size_ = values_->size();
  }
  Shared<std::vector<T>> values_;
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace copse
