// A vector whose new items hold anything until they are written: for items that are all written once its size is known,
// by several threads maybe, of which none should wait until zeros stand there.
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
