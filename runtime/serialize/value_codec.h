// Values to bytes and back: the object format of the wire protocol (docs/formats/wire.md), little-endian. One codec
// serves clients, nodes, and files of values.
//
// What a client may not see whole travels as text: functions by kind and name, handles, data sources and code as they
// are displayed. Between nodes (`Peer::Node`) Portable objects travel whole; see FunctionKind. CODE travels as text and
// is parsed again by the hook.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/value.h"

namespace pelorus {

enum class Peer : uint8_t { Client, Node };

// The byte after the flag of a FUNCTIONDEF. On the network: append, never renumber.
enum class FunctionKind : uint8_t {
    Builtin = 0,
    Operator = 2,
    UserDefined = 3,
    Partial = 4,
    // Ours, between nodes only:
    Portable = 200,          // NUL string portable kind, then the saved value: a function
    PortableSystem = 201,    // type id, then as above: a data source, a handle
    PartitionedTable = 202,  // NUL string database path, NUL string table name
};

// Appends the encoded value. Throws UserError for what the peer cannot be given; `bytes` is then unchanged.
void encodeValue(const Value& value, Peer peer, std::string& bytes);

// Where the decoder takes its bytes from. Throws SystemError at the end of the stream.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    virtual void read(void* target, size_t sizeBytes) = 0;
    // Replaces `text` by what comes before the next zero byte, and takes that byte too.
    virtual void readUntilZero(std::string& text) = 0;
};

class StringSource final : public ByteSource {
public:
    explicit StringSource(std::string_view bytes) : bytes_(bytes) {}
    void read(void* target, size_t sizeBytes) override;
    void readUntilZero(std::string& text) override;
    size_t position() const { return position_; }
    bool atEnd() const { return position_ == bytes_.size(); }

private:
    std::string_view bytes_;
    size_t position_ = 0;
};

// Throws UserError on malformed bytes; never reads past what the format says, and allocates in proportion to the bytes
// that arrive, whatever sizes they claim.
// Portable objects are read from a `Peer::Node` only: their loaders trust what they are given.
Value decodeValue(ByteSource& source, Peer peer = Peer::Node);

// How text becomes CODE; set once by the interpreter.
using CodeParser = Value (*)(std::string_view text);
void setCodeParser(CodeParser parser);

// How a node finds the partitioned table that another one named; set once at start.
using TableFinder = Value (*)(std::string_view databasePath, std::string_view tableName);
void setTableFinder(TableFinder finder);

}  // namespace pelorus
