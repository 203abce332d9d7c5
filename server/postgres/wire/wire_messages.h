// The messages of PostgreSQL's protocol 3: a letter, a length that counts itself, and a body of big-endian integers and
// strings that end in a zero byte.
//
// Nothing here knows what a message means. A reader checks each bound, so that any bytes are a message or an SqlError
// 08P01.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pelorus::postgres {

// Throws SqlError 08P01, after which the connection ends or skips to the next Sync.
[[noreturn]] void refuseMessage(const std::string& why);

// A reader of one body. The bytes outlive it and the views it returns.
class MessageReader {
public:
    explicit MessageReader(std::string_view body) : body_(body) {}

    // Read the next field. They throw SqlError 08P01 when the body ends before it does.
    uint8_t byte();
    int16_t int16();
    int32_t int32();
    std::string_view bytes(size_t count);
    // Reads a string up to its zero byte.
    std::string_view string();
    std::string_view rest();
    bool isAtEnd() const { return body_.empty(); }
    // Throws SqlError 08P01 when bytes are left.
    void requireEnd() const;

private:
    std::string_view body_;
};

// A writer of messages into one string, which is sent with one call of the system. The thread of the connection owns
// it.
class MessageWriter {
public:
    // Begins a message with this letter; 0 for none. REQUIRES: no other one is begun.
    void begin(char letter);
    void byte(uint8_t x) { bytes_.push_back(static_cast<char>(x)); }
    void int16(int16_t x);
    void int32(int32_t x);
    void int64(int64_t x);
    void string(std::string_view x);  // stops at a zero byte, which a string cannot have
    void raw(std::string_view x) { bytes_.append(x); }
    // Ends the message. Throws SqlError 54000 when it is longer than 1 GB.
    void end();
    // Drops the message that is begun.
    void abandon();

    // The bytes so far; formats append their fields to it, while a message is begun.
    std::string& buffer() { return bytes_; }
    bool isEmpty() const { return bytes_.empty(); }
    size_t size() const { return bytes_.size(); }
    // Forgets what was sent; keeps little memory.
    void clear();

private:
    std::string bytes_;
    size_t begun_ = 0;
    size_t lengthAt_ = 0;
};

// Append big-endian integers, and set one at a place.
void appendInt16(std::string& out, int16_t x);
void appendInt32(std::string& out, int32_t x);
void appendInt64(std::string& out, int64_t x);
void putInt32(std::string& out, size_t at, int32_t x);

}  // namespace pelorus::postgres
