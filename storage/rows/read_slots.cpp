#include "storage/rows/read_slots.h"

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

namespace pelorus {

ReadSlots::ReadSlots(std::function<uint64_t()> visible, std::function<uint64_t()> oldestPinned)
    : visible_(std::move(visible)), oldestPinned_(std::move(oldestPinned)), slots_(std::make_unique<Slot[]>(kSlots)) {}

ReadSlots::Read::Read(ReadSlots& slots) : slots_(slots) {
    index_ = std::hash<std::thread::id>()(std::this_thread::get_id()) % kSlots;
    for (size_t tries = 0;; index_ = (index_ + 1) % kSlots) {
        if (++tries % kSlots == 0) std::this_thread::yield();
        uint64_t free = kFree;
        number_ = slots_.visible_();
        if (slots_.slots_[index_].number.compare_exchange_strong(free, number_, std::memory_order_seq_cst)) break;
    }
    // The horizon may have passed the number before the slot had it; who moves it later sees the slot.
    while (!slots_.keeps(number_)) {
        number_ = slots_.visible_();
        slots_.slots_[index_].number.store(number_, std::memory_order_seq_cst);
    }
}

ReadSlots::Read::~Read() {
    slots_.slots_[index_].number.store(kFree, std::memory_order_release);
}

uint64_t ReadSlots::advanceHorizon() {
    const auto oldest = [&](uint64_t number) {
        number = std::min(number, oldestPinned_());
        for (size_t i = 0; i < kSlots; ++i) number = std::min(number, slots_[i].number.load(std::memory_order_seq_cst));
        return number;
    };
    // The new horizon is published before the slots are read again: a reader whose slot is not seen here sees it.
    const uint64_t aim = oldest(visible_());
    uint64_t before = horizon_.load(std::memory_order_seq_cst);
    while (before < aim && !horizon_.compare_exchange_weak(before, aim, std::memory_order_seq_cst)) {
    }
    return oldest(aim);
}

}  // namespace pelorus
