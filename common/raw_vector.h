// RawVector is a std::vector whose new elements are uninitialized, for buffers that are filled completely after they
// are sized, often by several threads: no thread waits until zeros have been written.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace pelorus {

template <class T>
struct WithoutZeros : std::allocator<T> {
    template <class Other>
    struct rebind {
        using other = WithoutZeros<Other>;
    };
    template <class Item>
    void construct(Item* place) noexcept {
        ::new (static_cast<void*>(place)) Item;
    }
    template <class Item, class... Arguments>
    void construct(Item* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) Item(std::forward<Arguments>(arguments)...);
    }
};

template <class T>
using RawVector = std::vector<T, WithoutZeros<T>>;

}  // namespace pelorus
