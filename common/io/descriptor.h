// Descriptor owns a file descriptor of the operating system.
#pragma once

#include <unistd.h>

#include <utility>

namespace pelorus {

// A descriptor, or none. Closes it when destroyed.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            close();
            number_ = std::exchange(other.number_, -1);
        }
        return *this;
    }
    ~Descriptor() { close(); }

    // Returns the descriptor; -1 when there is none.
    int number() const { return number_; }
    bool isOpen() const { return number_ >= 0; }
    int release() { return std::exchange(number_, -1); }

private:
    void close() {
        if (number_ >= 0) ::close(number_);
    }

    int number_ = -1;
};

}  // namespace pelorus
