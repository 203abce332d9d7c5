// Values to bytes and back: the object format of the wire protocol (docs/formats/wire.md), little-endian. One codec
// serves clients, nodes, and files of values.
//
// Functions and data sources: for clients as name or text (FUNCTIONDEF kind 0-8, HANDLE text); between nodes, when
// `Peer::Node`, whole, as FUNCTIONDEF kind 200: NUL string portable kind, then the saved Value. CODE travels as text and
// is parsed again by the hook.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/value.h"

namespace pelorus {

enum class Peer : uint8_t { Client, Node };

// Appends the encoded value. Throws UserError for what a client cannot be given.
void encodeValue(const Value& value, Peer peer, std::string& bytes);

// Where the decoder takes its bytes from. Throws SystemError at the end of the stream.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    virtual void read(void* target, size_t sizeBytes) = 0;
    virtual std::string readUntilZero() = 0;
};

class StringSource final : public ByteSource {
public:
    explicit StringSource(std::string_view bytes) : bytes_(bytes) {}
    void read(void* target, size_t sizeBytes) override;
    std::string readUntilZero() override;
    size_t position() const { return position_; }
    bool atEnd() const { return position_ == bytes_.size(); }

private:
    std::string_view bytes_;
    size_t position_ = 0;
};

// Throws UserError on malformed bytes; never reads past what the format says, never allocates more than the bytes that
// arrive can fill.
Value decodeValue(ByteSource& source);

// How text becomes CODE; set once by the interpreter.
using CodeParser = Value (*)(std::string_view text);
void setCodeParser(CodeParser parser);

}  // namespace pelorus
