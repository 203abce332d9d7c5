#include "runtime/value/object.h"

#include <new>
#include <vector>

namespace pelorus {

namespace {

// Deeply nested objects, each freed by the one around it, would overflow the stack.
constexpr int kDeepest = 500;

thread_local int depth = 0;
// Objects nested more deeply, which wait until the outermost is destroyed; made when there is one.
thread_local std::vector<const Object*>* waiting = nullptr;

bool canWait(const Object* object) noexcept {
    try {
        if (!waiting) waiting = new std::vector<const Object*>();
        waiting->push_back(object);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace

void Object::destroy() const noexcept {
    if (depth >= kDeepest && canWait(this)) return;
    ++depth;
    delete this;
    --depth;
    if (depth > 0 || !waiting) return;
    ++depth;
    while (!waiting->empty()) {
        const Object* next = waiting->back();
        waiting->pop_back();
        delete next;
    }
    delete waiting;
    waiting = nullptr;
    --depth;
}

}  // namespace pelorus
