#pragma once

#include <tridap/index.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace tridap {

/// A list like std::vector that allocates no memory for up to `most_near` elements. Its functions are a part of those
/// of std::vector, and each type converts to the other. Unlike in a std::vector, the elements change their addresses
/// when the list is moved.
///
/// `SmallList<Index, 4> shape{2, 3}; shape.push_back(4);` holds 2, 3, 4 without an allocation.
template <class T, std::size_t most_near>
class SmallList {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  SmallList() noexcept : data_(near()) {}
  explicit SmallList(std::size_t size) : SmallList() { resize(size); }
  SmallList(std::size_t size, const T& value) : SmallList() { resize(size, value); }
  SmallList(std::initializer_list<T> list) : SmallList(list.begin(), list.end()) {}
  SmallList(const std::vector<T>& list) : SmallList(list.begin(), list.end()) {}  // NOLINT: see above
  SmallList(std::vector<T>&& list)                                                // NOLINT
      : SmallList(std::move_iterator(list.begin()), std::move_iterator(list.end())) {}
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  SmallList(Iterator first, Iterator last) : SmallList() {
    assign(first, last);
  }

  SmallList(const SmallList& other) : SmallList(other.begin(), other.end()) {}
  SmallList(SmallList&& other) noexcept : SmallList() { take(other); }
  SmallList& operator=(const SmallList& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  SmallList& operator=(SmallList&& other) noexcept {
    if (this == &other) return *this;
    release();
    take(other);
    return *this;
  }
  ~SmallList() {
    std::destroy_n(data_, size_);
    if (!is_near()) std::allocator<T>().deallocate(data_, capacity_);
  }

  operator std::vector<T>() const& { return std::vector<T>(begin(), end()); }  // NOLINT: see above
  operator std::vector<T>() && {                                               // NOLINT
    return std::vector<T>(std::move_iterator(begin()), std::move_iterator(end()));
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& at(std::size_t i) { return data_[checked(i)]; }
  const T& at(std::size_t i) const { return data_[checked(i)]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void reserve(std::size_t size) {
    if (size > capacity_) grow(size);
  }
  void clear() {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  void resize(std::size_t size) {
    resize_by(size, [](T* first, T* last) { std::uninitialized_value_construct(first, last); });
  }
  void resize(std::size_t size, const T& value) {
    resize_by(size, [value = T(value)](T* first, T* last) { std::uninitialized_fill(first, last, value); });
  }
  void assign(std::size_t size, const T& value) {
    const T kept(value);  // it may be an element of this list
    clear();
    resize(size, kept);
  }
  /// Takes forward iterators that do not point into this list.
  template <class Iterator, class Category = typename std::iterator_traits<Iterator>::iterator_category>
  void assign(Iterator first, Iterator last) {
    static_assert(std::is_base_of_v<std::forward_iterator_tag, Category>);
    clear();
    const auto size = static_cast<std::size_t>(std::distance(first, last));
    reserve(size);
    std::uninitialized_copy(first, last, data_);
    size_ = size;
  }
  void push_back(T value) { emplace_back(std::move(value)); }
  /// Without arguments a class T is made as by `T made;`: members without an initialiser are undefined.
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    constexpr bool of_nothing = sizeof...(Arguments) == 0 && !std::is_trivially_default_constructible_v<T>;
    if constexpr (of_nothing) {
      reserve(size_ + 1);
      ::new (static_cast<void*>(end())) T;
    } else if (size_ < capacity_) {
      ::new (static_cast<void*>(end())) T(std::forward<Arguments>(arguments)...);
    } else {
      T made(std::forward<Arguments>(arguments)...);  // an argument may refer to an element of this list
      grow(size_ + 1);
      ::new (static_cast<void*>(end())) T(std::move(made));
    }
    ++size_;
    return back();
  }
  void pop_back() { std::destroy_at(data_ + --size_); }
  T* insert(const T* before, T value) {
    const std::ptrdiff_t place = before - begin();
    push_back(std::move(value));
    std::rotate(begin() + place, end() - 1, end());
    return begin() + place;
  }
  T* erase(const T* gone) {
    T* const place = begin() + (gone - begin());
    std::move(place + 1, end(), place);
    pop_back();
    return place;
  }

  friend bool operator==(const SmallList& a, const SmallList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const SmallList& a, const SmallList& b) { return !(a == b); }

 private:
  T* near() { return reinterpret_cast<T*>(near_); }
  bool is_near() const { return data_ == reinterpret_cast<const T*>(near_); }

  std::size_t checked(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("SmallList::at");
    return i;
  }
  [[gnu::cold, gnu::noinline]] void grow(std::size_t size) {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    const std::size_t capacity = std::max(size, 2 * capacity_);
    T* const far = std::allocator<T>().allocate(capacity);
    std::uninitialized_move_n(data_, size_, far);
    std::destroy_n(data_, size_);
    if (!is_near()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = far;
    capacity_ = capacity;
  }
  template <class Make>
  void resize_by(std::size_t size, const Make& make) {
    reserve(size);
    if (size > size_)
      make(data_ + size_, data_ + size);
    else
      std::destroy(data_ + size, data_ + size_);
    size_ = size;
  }
  void release() {
    clear();
    if (is_near()) return;
    std::allocator<T>().deallocate(data_, capacity_);
    data_ = near();
    capacity_ = most_near;
  }
  // Moves the elements of `other` into this list, which is empty and has no allocated memory.
  void take(SmallList& other) noexcept {
    if (other.is_near()) {
      std::uninitialized_move_n(other.data_, other.size_, data_);
      size_ = other.size_;
      other.clear();
      return;
    }
    data_ = std::exchange(other.data_, other.near());
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, most_near);
  }

  T* data_;
  std::size_t size_ = 0, capacity_ = most_near;
  alignas(T) std::byte near_[most_near * sizeof(T)];
};

/// Extents, strides or indices, one for each axis.
using IndexList = SmallList<Index, 4>;

}  // namespace tridap
