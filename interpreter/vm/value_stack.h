// ValueStack is the stack of the registers of all running calls of one thread, frame by frame.
#pragma once

#include "common/error.h"
#include "runtime/memory/zero_pages.h"
#include "runtime/value/value.h"

namespace pelorus {

// The stack of one thread, used by that thread alone.
class ValueStack {
public:
    static constexpr size_t kValues = size_t{1} << 18;

    // Returns the stack of this thread; made on first use.
    static ValueStack& ofThread() {
        static thread_local ValueStack stack;
        return stack;
    }

    Value* top() const { return top_; }
    void setTop(Value* top) { top_ = top; }
    // Counts back edges of loops on this thread.
    uint32_t tick() { return ++ticks_; }
    // Throws UserError when the stack is too small for the frame. REQUIRES: values from top on are VOID.
    void requireRoom(const Value* frame, int count) const {
        if (frame + count > begin_ + kValues) {
            throw UserError("The recursion is too deep.", "Write it as a loop, or with reduce or accumulate.");
        }
    }

    // Returns the pages that deep calls have touched to the system, before a thread waits. REQUIRES: values from top on
    // are VOID.
    void rest() { pages_.forgetBehind(static_cast<size_t>(top_ - begin_) * sizeof(Value) + kRestBytes); }

private:
    static constexpr size_t kRestBytes = 4096;

    // Zero bytes are VOID values: pages that are never used are never touched.
    ValueStack() : pages_(kValues * sizeof(Value)), begin_(static_cast<Value*>(pages_.data())), top_(begin_) {}

    memory::ZeroPages pages_;
    Value* begin_;
    Value* top_;
    uint32_t ticks_ = 0;
};

}  // namespace pelorus
