// Shared ownership of everything that does not fit into a Value: an intrusive, thread-safe count.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

namespace pelorus {

class Object {
public:
    Object() = default;
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    virtual ~Object() = default;

    // A count that one thread alone can see needs no locked operation: that of a new object, and that of the last
    // reference, since no other thread can make another one.
    void retain() const {
        if (references_.load(std::memory_order_relaxed) == 0) {
            references_.store(1, std::memory_order_relaxed);
        } else {
            references_.fetch_add(1, std::memory_order_relaxed);
        }
    }
    void release() const {
        if (unique() || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
    }
    // Returns whether the caller holds the only reference, and may change the object in place.
    bool unique() const { return references_.load(std::memory_order_acquire) == 1; }

private:
    // Destroys without recursion, so any depth of nested objects is safe.
    void destroy() const noexcept;

    mutable std::atomic<uint32_t> references_{0};
};

// A mixin next to Object in the bases of objects that a script holds by handle: how they show themselves:
// "DB[dfs://TAQ]".
class Described {
public:
    virtual ~Described() = default;
    virtual std::string describe() const = 0;
};

// An owning pointer to an Object.
template <class T>
class Ref {
public:
    Ref() = default;
    Ref(std::nullptr_t) {}
    explicit Ref(T* object) : object_(object) {
        if (object_) object_->retain();
    }
    Ref(const Ref& other) : Ref(other.object_) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    template <class U>
    Ref(const Ref<U>& other) : Ref(other.get()) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_) object_->release();
    }

    T* get() const { return object_; }
    // Transfers the reference to the caller.
    T* detach() { return std::exchange(object_, nullptr); }
    T* operator->() const { return object_; }
    T& operator*() const { return *object_; }
    explicit operator bool() const { return object_ != nullptr; }
    friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

private:
    T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> makeRef(Args&&... args) {
    return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace pelorus
